"""Words that announce a person: greetings, signatures, headers, kin, callings before a name.

Each cue ends where a name may begin; whether one stands there is for ``persons`` to say. Strong
cues need no more than capitals, the others a word that looks like a name. The words are in
``data/persons.toml``. Logins made of a person's name ("dmitri.volkov") need no cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from intact.detection.name_list import Use, name_list
from intact.detection.vocabulary import compiled, vocabulary
from intact.domain import Span
from intact.english.calendar import WEEKDAY_NAMES
from intact.english.words import is_english

_LOGIN = re.compile(r"(?<![\w.@/-])([^\W\d_]{3,})[._]([^\W\d_]{3,})(?![\w@.-]*[\w@])")


class Cue(NamedTuple):
    """Where a name may begin, what says so, and how sure that is (2 strong, 1 weak)."""

    at: int
    kind: str
    strength: int


class PersonWords:
    """The words of ``data/persons.toml``."""

    def __init__(self) -> None:
        tables = vocabulary("persons")
        self._lists = tables["lists"]
        self.acts = compiled(self._lists["acts"], {})
        """What persons do, behind a name that may be none."""
        self.cues = tuple(
            (compiled(row["pattern"], tables["words"]), row["kind"], row["strength"])
            for row in tables["cue"]
        )
        """Pattern, kind and strength of each cue, strong ones first."""

    @cached_property
    def bodies(self) -> frozenset[str]:
        """Words that make a name another thing's: a firm, a building, a prize."""
        return frozenset(self._lists["bodies"].split())

    @cached_property
    def dedicated(self) -> frozenset[str]:
        """Words before a saint's or ship's name."""
        return frozenset(self._lists["dedicated"].split())

    @cached_property
    def nobody(self) -> frozenset[str]:
        """Whom letters greet without a name, and words that stand in a name's place."""
        return frozenset(self._lists["nobody"].split()) | {day.lower() for day in WEEKDAY_NAMES}


person_words = lru_cache(1)(PersonWords)


def cues(text: str) -> Iterator[Cue]:
    """The cues of ``text``, the strong ones first."""
    for pattern, kind, strength in person_words().cues:
        at = 0
        while (match := pattern.search(text, at)) is not None:
            yield Cue(match.end(), kind, strength)
            at = max(match.end() - 1, match.start() + 1)


def logins(text: str) -> Iterator[Span]:
    """Where a given name and a surname are joined by a full stop or an underscore."""
    names = name_list()
    for match in _LOGIN.finditer(text):
        first, last = match.groups()
        given = last.islower() and names.given_use(first) is Use.MOSTLY
        if given and (names.surname_use(last) or not is_english(last)):
            yield Span(*match.span())
