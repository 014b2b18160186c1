"""A sentence part in the making, on which the rules of fitting work in turn."""

from __future__ import annotations

from intact.english import agreement as grammar
from intact.english.agreement import Form
from intact.rewriting.slots import Slot

MOVABLE = frozenset({"on", "in", "at"})
"""Prepositions that change with the kind of time or place after them."""

ROUGHLY = frozenset("approximately about around some roughly nearly almost circa".split())
"""What stands before a number that is not exact."""


class Draft:
    """A sentence part in the making: the words before the slot and the phrase."""

    def __init__(self, slot: Slot, phrase: Form, start: int) -> None:
        self.slot = slot
        self.label = phrase.label
        self.article = phrase.article
        self.rest = phrase.rest
        self.first = phrase.first
        self.words = [word for word in slot.left if word.start >= start]
        self.now = [word.text for word in self.words]
        self.end = slot.span.end
        self.keep_the = False
        self.moved = ""  # the phrase itself, where a noun of the sentence has been put before it

    def low(self, index: int) -> str:
        """The word at ``index`` (negative, from the slot) as it stands now, in lower case."""
        return self.now[index].lower() if -index <= len(self.now) else ""

    def last(self) -> int:
        """Index of the nearest word still there, or one before the first."""
        index = -1
        while -index <= len(self.now) and not self.now[index]:
            index -= 1
        return index

    def put(self, index: int, word: str) -> None:
        """Makes ``word`` stand at ``index``, with the capital that was there (a title's goes)."""
        if -index <= len(self.now) and self.low(index) != word:
            inside = self.words[index].start >= self.slot.span.start
            upper = self.words[index].text[:1].isupper() and not inside
            self.now[index] = word.capitalize() if upper and word else word

    @property
    def core(self) -> str:
        """The phrase with its article."""
        if self.article == "a" and not self.label:
            return f"{grammar.indefinite(self.rest)} {self.rest}"
        return f"{self.article} {self.rest}" if self.article else self.rest
