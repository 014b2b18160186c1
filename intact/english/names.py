"""Persons' names: title, given names or initials, surname; and whether two can be one person."""

from __future__ import annotations

import re
from dataclasses import dataclass

from intact.english.fold import fold
from intact.english.wordlists import HONORIFICS, KEPT_TITLES

_WORD = re.compile(r"[^\W\d_]+(?:[’'‑-][^\W\d_]+)*\.?")
TITLES = HONORIFICS | frozenset(
    "mme mlle msgr herr frau fru señor señora sr sra sig signor signora don doña dona madam madame"
    " monsieur lt col gen sgt capt cpl pte pc dc insp supt det maj major colonel sergeant cllr"
    " councillor fr rabbi imam sheikh sheik pastor uncle aunt auntie aunty nonna nonno oma opa"
    " abuela abuelo nana grandma grandpa granny cousin nurse constable detective attorney"
    " principal eng engr ing arch adv atty brig cdr cmdr sn rn".split()
)
"""Titles and callings that stand before a name, in lower case."""
_SUFFIXES = frozenset("qc kc jr sr ii iii iv mp esq phd md obe cbe mbe".split())
PARTICLES = frozenset(
    "de la le van von der den del di da dos du al el bin ibn af av ter ten lo".split()
)
_PARENT_OF = frozenset({"umm", "um", "abu"})  # with the child's name they are one: "Umm Yusuf"
_LOGIN = re.compile(r"[a-z]+[._][a-z]+\Z")
_POSSESSIVE = re.compile(r"[’']s?$")


@dataclass(frozen=True, slots=True)
class Name:
    """A name, folded.

    Attributes:
        title: "Mr", "Ms" or "": what it says of the person's sex.
        given: given names, initials as one letter each.
        surname: the last word, or "" of initials alone.
        initials: the letters of a name that is initials alone ("A.K."), else "".
    """

    title: str
    given: tuple[str, ...]
    surname: str
    initials: str = ""

    @property
    def fullness(self) -> int:
        """How much it says; fuller names come first when persons are told apart."""
        if self.initials:
            return 0
        return 2 * sum(len(word) > 1 for word in self.given) + bool(self.given) + bool(self.title)

    def fits(self, other: Name) -> bool:
        """Whether both can be one person's."""
        if self.title and other.title and self.title != other.title:
            return False
        if self.initials or other.initials:
            told = len(self.letters()) > 1 or (self.initials and other.initials)
            return bool(told) and self.letters() == other.letters()
        if self.surname == other.surname:
            return _agree(self.given, other.given)
        lone, full = (self, other) if not self.given else (other, self)
        if lone.given or lone.title or not full.given:
            return False
        return lone.surname == full.given[0] or (
            len(lone.surname) > 2 and lone.surname in full.given[1:]
        )

    def letters(self) -> str:
        """The initials of the whole name."""
        return self.initials or "".join(word[0] for word in (*self.given, self.surname))


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether given names agree as far as both go; an initial agrees with what it begins."""
    return all(
        a == b or (len(a) == 1 and b.startswith(a)) or (len(b) == 1 and a.startswith(b))
        for a, b in zip(one, other, strict=False)
    )


def name_of(shown: str) -> Name | None:
    """The name in ``shown``, or None if it is none ("his wife")."""
    if _LOGIN.match(shown):
        shown = shown.replace(".", " ").replace("_", " ").title()
    words = [_POSSESSIVE.sub("", word.rstrip(".")) for word in _WORD.findall(shown)]
    words = [word for word in words if word]
    title = ""
    while words and fold(words[0]) in TITLES:
        title = title or KEPT_TITLES.get(fold(words[0]), "")
        words = words[1:]
    while len(words) > 1 and fold(words[-1]) in _SUFFIXES:
        words = words[:-1]
    if not words or not any(word[0].isupper() for word in words):
        return None
    if len(words) > 1 and fold(words[0]) in _PARENT_OF:
        return Name(title, (), " ".join(map(fold, words)))
    letters = [word for word in words if fold(word) not in PARTICLES] or words
    folded = [fold(word) for word in letters]
    if all(len(word) == 1 for word in folded):
        return Name(title, (), "", "".join(folded))
    return Name(title, tuple(folded[:-1]), folded[-1])
