"""Which mentions are one entity, by rules.

* Persons: surnames agree and nothing contradicts (titles, given names, initials); a mention that
  fits several goes to the one last spoken of. Initials alone ("A.K.") fit a full name.
* Organisations, places and the rest: the same words, an acronym and its long form, a short form
  given in brackets (``Long Form (“the short form”)``).
* Dates and amounts: the same value, however written. Codes: the same letters and digits.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from intact.domain import BY_CONCEPT, BY_VALUE, EntityType, Span
from intact.english.fold import fold
from intact.english.names import Name, name_of
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.words import acronyms, is_acronym, is_english, normalise, words

_BRACKETED = re.compile(r"\s*[(\[]([^()\[\]]{2,80})[)\]]")
_SHORT_FORM = re.compile(
    r"(?:['’]s?)?,?\s*[(–-]\s*(?:hereafter|hereinafter|or)?[\s“”\"'‘’]*(?:the\s+)?[“\"'‘]?"
)


_DEFINITION = re.compile(
    _SHORT_FORM.pattern + r"(?P<name>[A-Z][\w./-]*(?: [A-Z][\w./-]*){0,4})[”\"'’]+\s*\)"
)


class Marked(Protocol):
    """A span of a type: a mention, or what a detector found."""

    @property
    def span(self) -> Span:
        """Where it stands."""

    @property
    def entity_type(self) -> str:
        """Its type."""


def entities(text: str, spans: Sequence[Marked]) -> list[int]:
    """A number for each span; spans of one entity have the same. Numbers follow the text.

    Args:
        text: the whole text.
        spans: what was found in it, ascending.
    """
    groups = _Groups(len(spans))
    _persons(text, spans, groups)
    _others(text, spans, groups)
    _short_forms(text, spans, groups)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(groups.root(at), len(numbers) + 1) for at in range(len(spans))]


class _Groups:
    """Disjoint sets."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, at: int) -> int:
        while self._parent[at] != at:
            self._parent[at] = self._parent[self._parent[at]]
            at = self._parent[at]
        return at

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        self._parent[high] = low


_MOST = 64  # persons of one name that a further mention is compared with, the last ones found


@dataclass(slots=True, eq=False)
class _Person:
    """One person, being told from others.

    Attributes:
        first: index of the first span.
        places: indices of all spans, ascending.
        names: the names that these show, each once.
    """

    first: int
    places: list[int]
    names: dict[Name, None]

    def fits(self, name: Name) -> bool:
        """Whether ``name`` fits all that is known of the person, the bare names apart."""
        full = [other for other in self.names if other.fullness] or list(self.names)[:1]
        if not name.fullness and not name.initials:
            return any(name.fits(other) for other in full)
        return all(name.fits(other) for other in full)

    def distance(self, at: int) -> tuple[bool, int]:
        """How far the nearest mention is; what was said before is nearer than what comes after."""
        next_one = bisect_left(self.places, at)
        if next_one:
            return False, at - self.places[next_one - 1]
        return True, self.places[0] - at


def _persons(text: str, spans: Sequence[Marked], groups: _Groups) -> None:
    named = [
        (at, name)
        for at, span in enumerate(spans)
        if span.entity_type == EntityType.PERSON
        and (name := name_of(span.span.of(text))) is not None
    ]
    known: dict[str, list[_Person]] = {}
    for at, name in sorted(named, key=lambda item: (-item[1].fullness, item[0])):
        near = (person for key in _keys(name) for person in known.get(key, ())[-_MOST:])
        fitting = [one for one in {id(one): one for one in near}.values() if one.fits(name)]
        if fitting:
            person = min(fitting, key=lambda one: (one.distance(at), one.first))
            groups.join(at, person.first)
            insort(person.places, at)
        else:
            person = _Person(at, [at], {})
        if name not in person.names:
            person.names[name] = None
            for key in _keys(name):
                people = known.setdefault(key, [])
                if person not in people[-_MOST:]:
                    people.append(person)


def _keys(name: Name) -> Iterator[str]:
    """What two names of one person must share one of: a surname, a given name, or initials."""
    yield f"{name.letters()}."
    if not name.initials:
        yield name.surname
        yield from name.given


def _others(text: str, spans: Sequence[Marked], groups: _Groups) -> None:
    seen: dict[tuple[str, str], int] = {}
    short: dict[tuple[str, str], int] = {}
    for at, span in enumerate(spans):
        kind, shown = span.entity_type, span.span.of(text)
        if kind == EntityType.PERSON and name_of(shown) is not None:
            continue
        for name in (shown, *_aliases(shown, kind)):
            groups.join(seen.setdefault((kind, key(name, kind)), at), at)
        if kind in BY_CONCEPT:
            for acronym in () if is_acronym(shown) else sorted(acronyms(shown)):
                short.setdefault((kind, acronym), at)
    for at, name in _defined(text, spans):
        kind = spans[at].entity_type
        if (kind, key(name, kind)) in seen:
            groups.join(seen[kind, key(name, kind)], at)
    for (kind, written), at in seen.items():
        letters = written.replace(".", "").replace(" ", "")
        if is_acronym(spans[at].span.of(text)) and (kind, letters) in short:
            groups.join(short[kind, letters], at)


def _defined(text: str, spans: Sequence[Marked]) -> Iterator[tuple[int, str]]:
    """Short names that the text gives to one thing only: ``Long Form (“the Form”)``."""
    found: dict[str, set[int]] = {}
    for at, span in enumerate(spans):
        after = span.span.end
        match = _DEFINITION.match(text, after, after + 80)
        if match and span.entity_type in BY_CONCEPT:
            found.setdefault(match["name"], set()).add(at)
    for name, places in found.items():
        if len({normalise(spans[at].span.of(text)) for at in places}) == 1:
            yield from ((at, name) for at in sorted(places))


def _aliases(shown: str, kind: str) -> list[str]:
    """ "Supreme Court (Högsta domstolen)" is also called by either part alone."""
    inside = _BRACKETED.findall(shown) if kind in BY_CONCEPT else []
    return [_BRACKETED.sub("", shown), *inside] if inside else []


def key(shown: str, kind: str) -> str:
    """What two mentions of a type must share to be one entity.

    Args:
        shown: the mention's text.
        kind: its entity type.
    """
    if kind == EntityType.CODE:
        return "".join(char for char in fold(shown) if char.isalnum()) or shown
    if kind == EntityType.DATETIME:
        temporal = parse_temporal(shown)
        return temporal.canonical() if temporal is not None else normalise(shown)
    if kind == EntityType.QUANTITY:
        quantity = parse_quantity(shown)
        return (
            repr((quantity.kind, quantity.ranges, quantity.unit)) if quantity else normalise(shown)
        )
    return normalise(shown) or shown


def _short_forms(text: str, spans: Sequence[Marked], groups: _Groups) -> None:
    """``Long Form (“short form”)``: the second is what the first is called from now on."""
    for (at, long), (other, short) in pairwise(enumerate(spans)):
        between = text[long.span.end : short.span.start]
        if long.entity_type != short.entity_type or long.entity_type in BY_VALUE:
            continue
        name = short.span.of(text)
        quoted = any(mark in between for mark in '“"‘') or is_acronym(name)
        foreign = between.strip() == "(" and not any(map(is_english, words(name)))
        if foreign or (quoted and _SHORT_FORM.fullmatch(between)):
            groups.join(at, other)
