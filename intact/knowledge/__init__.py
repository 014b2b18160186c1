"""The small types that the modules of the knowledge base share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

_Thing = TypeVar("_Thing")

# ISO 3166 two-letter country code -> share of one document's votes, in (0, 1]. If there are few
# votes, the shares sum to less than 1.
Votes = Mapping[str, float]


def upwards(thing: _Thing | None, above: Callable[[_Thing], _Thing | None]) -> Iterator[_Thing]:
    """Yield a thing of a tree and those above it, the lowest first; nothing for None.

    Args:
        thing: where to begin.
        above: returns the next one up; None at the top.
    """
    while thing is not None:
        yield thing
        thing = above(thing)


class Rule(StrEnum):
    """The rules by which a text is linked to the knowledge base, surest first."""

    TOLD = "told"  # by the noun before it: "the film [Heat]"
    EXACT = "exact"
    AFFIX = "affix"
    COMPOSITE = "composite"
    HEAD = "head"


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a chain: a true noun phrase as it stands in mid-sentence, with its article ("a
    criminal court in Turkey"), or an adjective ("European") for a name that stands as one; and
    the id of what it means, equal for equal meanings."""

    text: str
    concept: str


@dataclass(frozen=True, slots=True)
class Link:
    """The entry of the knowledge base that a text is linked to."""

    concept: str  # canonical id: "geo/TR", "geo/TR-34", "org/court", "term/lawyer", "wn/..."
    name: str  # the name it was linked by, as the knowledge base spells it
    kind: str  # what it is: "country", "city", "organisation", "nationality", "term"
    rule: Rule
    country: str = ""  # ISO code of the country it lies in or belongs to, "" if unknown or none
    part: str = ""  # code of the part of the country it lies in ("TR-34"), "" if unknown or none
    ambiguous: bool = False  # whether its geography is too uncertain to be stated ("a town" only)
    rungs: tuple[Rung, ...] = ()  # of a common noun: those that fit its number and its sentence


@dataclass(frozen=True, slots=True)
class Members:
    """The names that a phrase can mean."""

    names: tuple[str, ...]  # the likeliest first
    probabilities: tuple[float, ...]  # prior share of each name among all, in (0, 1], descending
    total: int  # how many things the phrase can mean (at least len(names))
    ranked: bool = True  # whether their order means anything; in a user's own ladders it does not
