"""Which of several places of one name a document means, and whether that is sure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from intact.knowledge.gazetteer import Place, PlaceKind
from intact.knowledge.types import Link, Rule, Votes
from intact.knowledge.voting import SAID, VOTED

LARGE = 1_000_000
"""A town of this size is told with its country even where the document never speaks of it."""

ABROAD = 0.2
"""The share of votes below which a document's place is rather elsewhere than in that country."""

SUPPORT = 1_000
"""Votes times inhabitants that a place in a country below ``ABROAD`` must have."""

_ALIAS_SHARE = 0.05  # how often another name means a town, compared with its own
_ALONE_FROM = 10_000  # inhabitants of a place whose name no other has
_KNOWN_ABROAD = 2_000  # inhabitants; a smaller namesake in a country never spoken of is chance
_AREA_AS = 20_000  # inhabitants that an area counts for when a namesake town competes


def choose(text_key: str, places: Sequence[Place], votes: Votes) -> Link | None:
    """The place that a document with these votes means by a name; None if there is none.

    A namesake in a country that the document hardly speaks of must be large. Where it is not,
    its geography is not told, or the name is not taken for it at all.

    Args:
        text_key: the name as a key.
        places: all places called so.
    """
    if not places:
        return None

    def size(place: Place) -> float:
        return size_of(place) * (1.0 if place.key == text_key else _ALIAS_SHARE)

    said = sum(votes.values())
    inside = [place for place in places if votes.get(place.country, 0.0) >= VOTED * said]
    if inside and said >= SAID:
        best = max(inside, key=lambda p: (votes[p.country] * size(p) ** 0.5, p.part))
        share = votes[best.country] / said
        if share >= ABROAD or share * size_of(best) >= SUPPORT:
            return linked(best, part=not _rivals(best, inside))
    best = max(places, key=size)
    if said >= SAID and size_of(best) < _KNOWN_ABROAD:
        return None
    known = said < SAID or (best.kind is PlaceKind.AREA and best.part)  # "Texas"
    sure = best.population >= LARGE or (known and _leading(best, places))
    return linked(best, ambiguous=not sure, part=not _rivals(best, places))


def size_of(place: Place) -> int:
    """Inhabitants; what an area counts for."""
    return _AREA_AS if place.kind is PlaceKind.AREA else max(place.population, 100)


def _leading(best: Place, places: Iterable[Place]) -> bool:
    """Whether the name is its country's alone, but for places abroad a fifth of its size."""
    size = size_of(best)
    others = (place for place in places if place.country != best.country)
    return size >= _ALONE_FROM and all(5 * size_of(other) <= size for other in others)


def _rivals(best: Place, others: Iterable[Place]) -> bool:
    """Whether other parts of the same country have a namesake of a fifth of its size."""
    return any(
        other.part != best.part
        and other.country == best.country
        and other.key == best.key
        and 5 * size_of(other) >= size_of(best)
        for other in others
    )


def linked(
    place: Place, rule: Rule = Rule.EXACT, *, ambiguous: bool = False, part: bool = True
) -> Link:
    """The link to a place.

    Args:
        ambiguous: whether its geography is not sure.
        part: whether the part of its country is sure.
    """
    return Link(
        place.concept,
        place.name,
        str(place.kind),
        rule,
        place.country,
        f"geo/{place.part}" if place.part and part else "",
        ambiguous,
    )


def of_a_saint(tokens: Sequence[str], at: int) -> bool:
    """Whether the word is a person's name in a longer one: "St Mary's Church"."""
    return tokens[at].endswith(("'s", "’s")) or (
        at > 0 and tokens[at - 1].rstrip(".") in ("St", "Saint", "San", "Santa")
    )


def doubtful(name: str, link: Link, votes: Votes) -> bool:
    """Whether one word of a longer name need not mean its place: "Car", "Riverside"."""
    if link.kind == PlaceKind.CITY:
        return not votes.get(link.country)
    return len(name) == 3 and link.kind == "country" and not name.isupper()
