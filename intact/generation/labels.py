"""Labels: type and running number, what stands for an entity that nothing truthful hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from intact.domain import Document, Entity, EntityType, type_row
from intact.english.numbers import as_ordinal
from intact.english.wordlists import KEPT_TITLES
from intact.errors import ConfigError


def _readable(entity_type: str, number: int) -> str:
    return f"the {as_ordinal(number, spelled_to=12)} {type_row(entity_type).noun}"


_TITLED_STYLES = frozenset({"underscore", "brackets"})
_STYLES: Mapping[str, Callable[[str, int], str]] = {
    "underscore": lambda entity_type, number: f"{entity_type}_{number}",
    "brackets": lambda entity_type, number: f"[{entity_type} {number}]",
    "stars": lambda entity_type, number: "***",
    "readable": _readable,
}


def title_of(entity: Entity) -> str:
    """The plain title of a person ("Mr", "Ms"), or "" where the mentions have none or disagree.

    It says no more than the pronouns of the text do: "Mrs" and "Miss" are both "Ms".
    """
    if entity.entity_type != EntityType.PERSON:
        return ""
    first = {surface.partition(" ")[0].rstrip(".").lower() for surface in entity.surfaces}
    titles = {KEPT_TITLES[word] for word in first if word in KEPT_TITLES}
    return titles.pop() if len(titles) == 1 else ""


def labels(
    document: Document, style: str = "underscore", *, titles: bool = True
) -> Mapping[str, str]:
    """The label of every masked entity.

    Numbers run per type from 1, in order of first mention, so one entity has one label.

    Args:
        titles: keep a person's plain title, "Mr PERSON_1" (not with stars or readable labels).
        style: "underscore" (PERSON_1), "brackets" ([PERSON 1]), "stars" (***) or
            "readable" (the first person).

    Returns:
        entity id -> label, in order of first mention.

    Raises:
        ConfigError: if there is no such style.
    """
    form = _STYLES.get(style)
    if form is None:
        raise ConfigError(
            f"there is no label style {style!r}",
            where="setting labels.style",
            remedy=f"Styles: {', '.join(_STYLES)}.",
        )
    counts: Counter[str] = Counter()
    named: dict[str, str] = {}
    for entity in document.entities:
        counts[entity.entity_type] += 1
        label = form(entity.entity_type, counts[entity.entity_type])
        title = title_of(entity) if titles and style in _TITLED_STYLES else ""
        named[entity.id] = f"{title} {label}" if title else label
    return named
