"""The tables of common nouns and adjectives, read: names, nodes, what stands below a rung."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import lru_cache

from intact.english.fold import key
from intact.english.inflect import plural_phrase, singulars, without_article
from intact.knowledge.terms_build import CURATED, SHARES
from intact.knowledge.types import Members, Rung

_MASS_ENDS = ("ss", "us", "is")


@dataclass(frozen=True, slots=True)
class Term:
    """A node as it is stored; see ``ladders.Node``."""

    id: int
    concept: str
    parent: int
    phrase: str
    plural: str
    kind: str
    types: tuple[str, ...]
    adjective: bool
    country: str
    curated: bool
    is_rung: bool
    total: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A term found by name, and whether the name was in the plural. ``rank`` 0 is its own name."""

    term: Term
    plural: bool
    rank: int


class TermStore:
    """One set of term tables. Look-ups are cached."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("SELECT 1 FROM term LIMIT 1")
        self.hits = lru_cache(maxsize=16384)(self._hits)
        self.term = lru_cache(maxsize=16384)(self._term)

    def by_concept(self, concept: str) -> Term | None:
        """The term with this concept id."""
        row = self._connection.execute(
            "SELECT id FROM term WHERE concept = ?", (concept,)
        ).fetchone()
        return self.term(row[0]) if row else None

    def above(self, term: Term) -> tuple[Term, ...]:
        """The rungs over a term, nearest first."""
        found = []
        while term.parent:
            term = self.term(term.parent)
            found.append(term)
        return tuple(found)

    def members(self, term: Term, limit: int, *, plural: bool) -> Members:
        """What stands below a term, likeliest first."""
        rows = self._connection.execute(
            "SELECT name, share FROM term_member WHERE term = ? ORDER BY rank LIMIT ?",
            (term.id, limit),
        ).fetchall()
        names = tuple(_many(name) if plural else name for name, _ in rows)
        shares = tuple(max(share, 1) / SHARES for _, share in rows)
        return Members(names, shares, max(term.total, len(names)))

    def _hits(self, name: str) -> tuple[Hit, ...]:
        """Terms called ``name``, the ladders' first, then by sense."""
        found = self._named(name)
        if not found or found[0].rank >= 100:
            one = [hit for single in singulars(name) for hit in self._named(single)]
            known = {hit.term.id for hit in found}
            found += [
                Hit(hit.term, True, hit.rank)
                for hit in one
                if hit.term.id not in known and not hit.term.adjective and not hit.plural
            ]
        found.sort(key=lambda hit: (not hit.term.curated, hit.rank, hit.term.id))
        return tuple(found)

    def _named(self, name: str) -> list[Hit]:
        rows = self._connection.execute(
            "SELECT term, plural, rank FROM term_name WHERE key = ? ORDER BY rank, term, plural",
            (name,),
        ).fetchall()
        hits: dict[int, Hit] = {}
        for number, plural, rank in rows:
            hits.setdefault(number, Hit(self.term(number), bool(plural), rank))
        return list(hits.values())

    def _term(self, number: int) -> Term:
        row = self._connection.execute(
            "SELECT id, concept, parent, phrase, plural, kind, types, form, country, source, rung,"
            " total"
            " FROM term WHERE id = ?",
            (number,),
        ).fetchone()
        return Term(
            id=row[0],
            concept=row[1],
            parent=row[2],
            phrase=row[3],
            plural=row[4] or plural_phrase(row[3]),
            kind=row[5],
            types=tuple(row[6].split()),
            adjective=row[7] == "adjective",
            country=row[8],
            curated=row[9] == CURATED,
            is_rung=bool(row[10]),
            total=row[11],
        )


def rung(term: Term, *, plural: bool) -> Rung:
    """A term's phrase as a rung."""
    return Rung(term.plural if plural else term.phrase, term.concept)


def phrase_key(phrase: str) -> str:
    """The key under which a rung's phrase is found."""
    return key(without_article(phrase))


def _many(name: str) -> str:
    return plural_phrase(f"a {name}")
