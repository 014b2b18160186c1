"""What the sweep looks for: the variants in which a masked entity may stand unannotated."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

from intact.domain import BY_VALUE, Entity, EntityType
from intact.english.agreement import ARTICLES
from intact.english.calendar import MONTH_NAMES
from intact.english.fold import folded, tokens
from intact.english.vocabulary import word_sets
from intact.english.wordlists import HONORIFICS, STOP_WORDS

MONTHS = frozenset(map(str.lower, MONTH_NAMES))
"""January to December, in lower case."""
ANY, CAPITAL, UPPER = "any", "capital", "upper"
_NAMES = word_sets("grammar", "names")
_PARTICLES, _NOT_INITIALS = _NAMES["particles"], _NAMES["not_initials"]
_COMMON = _NAMES["common"] | STOP_WORDS | MONTHS
_BRACKET = re.compile(r"^(?P<head>[^()]+?)\s*\((?P<inner>[^()]+)\)\s*$")
_GENITIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")


@dataclass(frozen=True, slots=True)
class SurfaceVariant:
    """One form to look for.

    Attributes:
        words: its folded words.
        gaps: what stands between them, folded, white space as one blank; for names without
            blanks and full stops ("N.Ö. Akın" = "N. Ö. Akin").
        case: ANY, CAPITAL (each word begins with one) or UPPER (no small letter).
        alone: not beside another capitalised word (a given name may be part of another name).
        common: also an ordinary word: not at the start of a sentence.
        dotted: with a full stop between its words.
        exact: whether it is the annotated form and not one derived from it.
    """

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    entity_id: str
    entity_type: str
    case: str = ANY
    alone: bool = False
    common: bool = False
    dotted: bool = False
    exact: bool = True


def gap(text: str, name: bool) -> str:
    """The normal form of what stands between two words.

    Args:
        text: the folded characters between them.
        name: whether the words are parts of a person's name.
    """
    return re.sub(r"[\s.]+", "", text) if name else re.sub(r"\s+", " ", text)


def variants(entity: Entity) -> Iterator[SurfaceVariant]:
    """The forms to look for, annotated ones first."""
    for surface in entity.surfaces:
        kind = next(m.entity_type for m in entity.mentions if m.text == surface)
        if kind == EntityType.PERSON:
            yield from _person(surface, entity.id)
        elif kind == EntityType.CODE:
            yield from _code(surface, entity.id)
        elif kind in BY_VALUE:
            yield from _value(surface, entity.id, kind)
        else:
            yield from _thing(surface, entity.id, kind)


class _Surface:
    """The words of a surface: folded, as they stand, and what stands between them."""

    def __init__(self, surface: str, *, name: bool = False) -> None:
        base = _GENITIVE.sub("", surface.strip())
        plain = folded(base)
        found = tokens(plain.text)
        self.words = [word for word, _, _ in found]
        self.shown = [base[slice(*plain.back(start, end))] for _, start, end in found]
        ends = [start for _, start, _ in found[1:]]
        self._gaps = [
            gap(plain.text[end:following], name)
            for (_, _, end), following in zip(found, ends, strict=False)
        ]

    def without_first(self, words: Container[str], least: int = 0) -> None:
        """Takes ``words`` off the front while more than ``least`` are left."""
        cut, count = 0, len(self.words)
        while count - cut > least and self.words[cut] in words:
            cut += 1
        self.words, self.shown, self._gaps = self.words[cut:], self.shown[cut:], self._gaps[cut:]

    def without_last(self, words: Container[str]) -> None:
        """Takes ``words`` off the end; one is left."""
        end = len(self.words)
        while end > 1 and self.words[end - 1] in words:
            end -= 1
        self.words, self.shown = self.words[:end], self.shown[:end]
        self._gaps = self._gaps[: max(0, end - 1)]

    def as_variant(self, entity_id: str, kind: str, case: str = ANY) -> SurfaceVariant:
        return SurfaceVariant(tuple(self.words), tuple(self._gaps), entity_id, kind, case)


def _person(surface: str, entity_id: str) -> Iterator[SurfaceVariant]:
    own = _Surface(surface, name=True)
    own.without_first(HONORIFICS | ARTICLES)
    own.without_last(_NAMES["suffixes"])
    words = own.words
    if not words:
        return
    if all(map(str.islower, own.shown)):  # "his wife"
        if sum(map(len, words)) >= 4 and words[-1] not in STOP_WORDS:
            yield own.as_variant(entity_id, EntityType.PERSON)
    elif all(len(word) == 1 for word in words):
        if _are_initials(words):
            yield replace(own.as_variant(entity_id, EntityType.PERSON, UPPER), dotted=True)
    elif len(words) > 1:
        yield own.as_variant(entity_id, EntityType.PERSON)
        yield from _derived(words, own.shown, entity_id)
    elif len(words[0]) > 1:
        yield _name(words, entity_id, exact=True)


def _name(
    words: list[str],
    entity_id: str,
    *,
    exact: bool = False,
    alone: bool = False,
    case: str = CAPITAL,
) -> SurfaceVariant:
    """A name of a person, its words without anything between them but blanks."""
    common = len(words) == 1 and words[0] in _COMMON
    return SurfaceVariant(
        words=tuple(words),
        gaps=("",) * (len(words) - 1),
        entity_id=entity_id,
        entity_type=EntityType.PERSON,
        case=case,
        alone=alone or common,
        common=common,
        exact=exact,
    )


def _are_initials(letters: list[str]) -> bool:
    """Whether letters say somebody's name and are no common abbreviation."""
    return len(letters) > 1 and "".join(letters) not in _NOT_INITIALS


def _derived(words: list[str], shown: list[str], entity_id: str) -> Iterator[SurfaceVariant]:
    """Shorter forms of a full name: surname, initials with and without it, given name alone."""
    last = words[-1]
    if len(last) >= 2 and shown[-1][:1].isupper():
        given = [word for word in words[:-1] if word not in _PARTICLES]
        if given:
            initials = [word[0] for word in given]
            for front in ([given[0]], initials, initials[:1]):
                yield _name([*front, last], entity_id)
        particles = [word for word in words[1:-1] if word in _PARTICLES]
        if particles:
            yield _name([*particles, last], entity_id, case=ANY)
        if len(last) >= 3:
            yield _name([last], entity_id)
    letters = [word[0] for word in words if word not in _PARTICLES]
    if _are_initials(letters):
        yield replace(_name(letters, entity_id, case=UPPER), dotted=True)
    if len(words[0]) >= 4 and shown[0][:1].isupper():
        yield _name([words[0]], entity_id, alone=True)


def _code(surface: str, entity_id: str) -> Iterator[SurfaceVariant]:
    own = _Surface(surface)
    size = sum(map(len, own.words))
    if size > 3 or (size == 3 and not (len(own.words) == 1 and own.words[0].isdigit())):
        yield own.as_variant(entity_id, EntityType.CODE)


def _value(surface: str, entity_id: str, kind: str) -> Iterator[SurfaceVariant]:
    own = _Surface(surface)
    own.without_first(ARTICLES | {"in", "on", "at"})
    joined = "".join(own.words)
    distinctive = len(own.words) > 1 or joined.isdigit()
    if distinctive and len(joined) >= 4 and not set(own.words) <= STOP_WORDS:
        yield own.as_variant(entity_id, kind)


def _thing(surface: str, entity_id: str, kind: str) -> Iterator[SurfaceVariant]:
    bracket = _BRACKET.match(surface)
    parts = [surface, bracket["head"], bracket["inner"]] if bracket else [surface]
    for index, part in enumerate(parts):
        own = _Surface(part)
        own.without_first(ARTICLES, least=1)
        letters = sum(map(len, own.words))
        if letters < 2 or STOP_WORDS.issuperset(own.words):
            continue
        if index and not any(word[:1].isupper() for word in own.shown):
            continue
        capitals = "".join(own.shown).isupper()
        if letters < 4 and not capitals:
            continue
        case = UPPER if letters < 4 or (index == 2 and capitals) else ANY
        variant = own.as_variant(entity_id, kind, case)
        yield variant if index == 0 else replace(variant, exact=False)
