"""The lexicon: which kinds a word can mean, all its senses, with how common each is.

It reads the tables of the knowledge file: what the ladders list, and the words of WordNet below
them. Which of the kinds is meant, the sentence has to say.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from intact.english.grammar import head_end, singulars, without_article
from intact.english.words import key, key_words
from intact.knowledge.kinds import KindTree

_FIRST_SENSE = 100  # rank of the first sense of WordNet; names in ladders have lower ones
_OWN_NAME = 2.0
_CACHE = 16384

Shares = Mapping[str, float]
"""Kind -> share of the senses, in (0, 1]."""


class Lexicon:
    """Words to the kinds that they can mean.

    Args:
        connection: an open knowledge file.
        tree: of kinds.
    """

    def __init__(self, connection: sqlite3.Connection, tree: KindTree) -> None:
        self._connection, self.tree = connection, tree
        self._of_phrase: dict[str, str] = {}
        self._named: dict[str, str] = {}
        for kind in tree:
            self._named.setdefault(key(without_article(kind.phrase)), kind.id)
            for phrase in (kind.phrase, kind.plural, *kind.wordings.values(), *kind.rungs):
                self._of_phrase.setdefault(phrase, kind.id)
        self.senses = lru_cache(_CACHE)(self._senses)
        self._of_term = lru_cache(_CACHE)(self._climb)

    def kind_of(self, phrases: Iterable[str]) -> str:
        """The kind that the first phrase with one means, where it lies left out; "" if none has."""
        for phrase in phrases:
            for said in (phrase, phrase[: head_end(phrase)]):
                if said in self._of_phrase:
                    return self._of_phrase[said]
        return ""

    def read(self, mention: str) -> tuple[Shares, Shares, Shares]:
        """Return what the words of a mention can mean: all of it, its head, its other words."""
        whole = without_article(mention)
        head = whole[: head_end(whole)].split() or [""]
        heads = (self.senses(key(" ".join(head[-many:]))) for many in (3, 2, 1))
        others = {word for word in whole.split() if word != head[-1]}
        rest: dict[str, float] = defaultdict(float)
        for word in others:
            for kind, share in self.senses(key(word)).items():
                rest[kind] += share / len(others)
        return self.senses(key(whole)), next((found for found in heads if found), {}), rest

    def is_ambiguous(self, mention: str) -> bool:
        """Return whether the words of a mention can mean kinds of which none is above the other."""
        whole, head, _ = self.read(mention)
        lines = [{kind.id for kind in self.tree.path(sense)} for sense in whole or head]
        longest = max(lines, key=len, default=set())
        return not all(line <= longest for line in lines)

    def rivals(self, mention: str, kind: str) -> set[str]:
        """Return the kinds in other trees that the words of a mention can mean beside ``kind``."""
        whole, head, _ = self.read(mention)
        top = self.tree.path(kind)[-1]
        return {sense for sense in whole or head if self.tree.path(sense)[-1] != top}

    def _senses(self, name: str) -> Shares:
        found: dict[str, float] = defaultdict(float)
        for one in dict.fromkeys((name, *singulars(name))):
            rows = self._connection.execute(
                "SELECT term, rank FROM term_name WHERE key = ?", (one,)
            ).fetchall()
            for term, rank in rows:
                kind = self._of_term(term)
                if kind:
                    curated = rank < _FIRST_SENSE
                    found[kind] += 1.0 if curated else 0.5 / (1 + rank - _FIRST_SENSE)
            for kind in self._heads(one):
                found[kind] += 1.0
            if one in self._named:
                found[self._named[one]] += _OWN_NAME
        whole = sum(found.values())
        return {kind: weight / whole for kind, weight in found.items()}

    def _heads(self, name: str) -> set[str]:
        """The kinds of organisations and places that go by a name."""
        parts = key_words(name)
        rows = self._connection.execute(
            "SELECT text, head FROM headname WHERE first = ?", parts[:1] or ("",)
        )
        heads = {head for text, head in rows if key_words(text) == parts}
        return {kind for head in heads if (kind := self._kind_of_head(head))}

    def _kind_of_head(self, concept: str) -> str:
        while concept:
            row = self._connection.execute(
                "SELECT phrase, parent FROM head WHERE concept = ?", (concept,)
            ).fetchone()
            if row is None:
                return ""
            if row[0] in self._of_phrase:
                return self._of_phrase[row[0]]
            concept = row[1]
        return ""

    def _climb(self, term: int) -> str:
        """The nearest kind at or above a term or sense; "" if there is none."""
        while term:
            if term < 0:
                row = self._connection.execute(
                    "SELECT '', parent, '' FROM sense WHERE id = ?", (term,)
                ).fetchone()
            else:
                row = self._connection.execute(
                    "SELECT phrase, parent, kind FROM term WHERE id = ?", (term,)
                ).fetchone()
            if row is None:
                return ""
            phrase, parent, kind = row
            if phrase in self._of_phrase:
                return self._of_phrase[phrase]
            if not parent and f"@{kind}" in self._of_phrase:
                return self._of_phrase[f"@{kind}"]
            term = parent
        return ""
