"""Which of two candidates says less, where that can be told without asking."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from intact.domain import Candidate
from intact.english.inflect import head_end
from intact.english.words import content_lemmas

_EITHER = re.compile(r"\b(\w+) or (\w+)\b")

Subsumes = Callable[[str, str, str], bool | None]
"""general, specific, entity type -> whether it is true of it, None if unknown."""


def reordered(
    candidates: Sequence[Candidate], entity_type: str, subsumes: Subsumes | None = None
) -> list[Candidate]:
    """The candidates with each before those that plainly contain it; else as they came."""
    ordered: list[Candidate] = []
    for candidate in candidates:
        place = next(
            (
                index
                for index, other in enumerate(ordered)
                if narrower(candidate, other, entity_type, subsumes)
            ),
            len(ordered),
        )
        ordered.insert(place, candidate)
    return ordered


def narrower(
    one: Candidate, other: Candidate, entity_type: str, subsumes: Subsumes | None = None
) -> bool:
    """Whether ``one`` plainly says more than ``other``.

    It does if its interval lies in the other's; if it has the other's head and every content
    word of it, and more ("a city in Turkey", "a city"); or if the knowledge base says that the
    other is true of it.
    """
    if contains(other.subsumes, one.subsumes):
        return True
    if contains(one.subsumes, other.subsumes):
        return False
    more = content_lemmas(one.text)
    for reading in _readings(other.text):
        less = content_lemmas(reading)
        if less and less < more and _head(one.text) == _head(reading):
            return True
    less = content_lemmas(other.text)
    if subsumes is None or (more and more < less):
        return False
    return bool(subsumes(other.text, one.text, entity_type)) and not subsumes(
        one.text, other.text, entity_type
    )


def _readings(phrase: str) -> list[str]:
    """ "a town or city in Italy" -> "a town in Italy", "a city in Italy"; else the phrase."""
    either = _EITHER.search(phrase)
    if either is None:
        return [phrase]
    return [phrase[: either.start()] + word + phrase[either.end() :] for word in either.groups()]


def _head(phrase: str) -> str:
    """The last word of the phrase's head noun group."""
    head = phrase[: head_end(phrase)].split()
    return head[-1].casefold() if head else ""


def contains(outer: str | None, inner: str | None) -> bool:
    """Whether one canonical form ("interval:1990-01-01/1999-12-31") contains another, strictly.

    False where that is not known: different kinds, several ranges, concepts, nothing at all.
    """
    if outer is None or inner is None or outer == inner:
        return False
    kind, _, wide = outer.partition(":")
    other_kind, _, narrow = inner.partition(":")
    if kind != other_kind or wide.count("/") != 1 or narrow.count("/") != 1:
        return False
    low, high = wide.split("/")
    start, end = narrow.split("/")
    if kind == "interval":
        return low <= start and end <= high
    try:
        return float(low) <= float(start) and float(end) <= float(high)
    except ValueError:
        return False
