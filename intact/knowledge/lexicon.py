"""The lexicon: which kinds a word can mean, by the ladders and the words of WordNet below them."""

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

Shares = Mapping[str, float]  # kind -> share of the senses, in (0, 1]


class Lexicon:
    """Words to the kinds that they can mean."""

    def __init__(self, connection: sqlite3.Connection, tree: KindTree) -> None:
        self._connection, self.tree = connection, tree
        self._of_phrase: dict[str, str] = {}
        self._named: dict[str, str] = {}
        for kind in tree.values():
            self._named.setdefault(key(without_article(kind.phrase)), kind.id)
            for phrase in (kind.phrase, kind.plural, *kind.wordings.values(), *kind.rungs):
                self._of_phrase.setdefault(phrase, kind.id)
        self.senses = lru_cache(_CACHE)(self._senses)
        self._nearest = lru_cache(_CACHE)(self._climb)

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
            query = "SELECT term, rank FROM term_name WHERE key = ?"
            for term, rank in self._connection.execute(query, (one,)).fetchall():
                curated = rank < _FIRST_SENSE
                found[self._nearest(term)] += 1.0 if curated else 0.5 / (1 + rank - _FIRST_SENSE)
            parts = key_words(one)
            query = "SELECT text, head FROM headname WHERE first = ?"
            rows = self._connection.execute(query, parts[:1] or ("",)).fetchall()
            heads = {head for text, head in rows if key_words(text) == parts}
            for kind in set(map(self._nearest, heads)):
                found[kind] += 1.0
            if one in self._named:
                found[self._named[one]] += _OWN_NAME
        found.pop("", None)
        whole = sum(found.values())
        return {kind: weight / whole for kind, weight in found.items()}

    def _climb(self, node: int | str) -> str:
        """The nearest kind at or above a term, a sense or the concept of a head; "" if none is."""
        if isinstance(node, str):
            query = "SELECT phrase, parent, '' FROM head WHERE concept = ?"
        elif node < 0:
            query = "SELECT '', parent, '' FROM sense WHERE id = ?"
        else:
            query = "SELECT phrase, parent, kind FROM term WHERE id = ?"
        row = self._connection.execute(query, (node,)).fetchone()
        if row is None:
            return ""
        phrase, parent, kind = row
        top = "" if parent else self._of_phrase.get(f"@{kind}", "")
        return self._of_phrase.get(phrase) or top or (self._nearest(parent) if parent else "")
