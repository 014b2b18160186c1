"""The tables of common nouns and adjectives: written from ladders, read by name.

What can be shown is a phrase of a ladder. Words of WordNet only lead to the rung they stand under.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from intact.english.fold import key
from intact.english.inflect import plural_phrase, singulars, without_article
from intact.knowledge.ladders import Node
from intact.knowledge.types import Members, Rung

_MEMBERS = 32  # kept of each rung
_SHARES = 1_000_000
_NAMES_COUNTED = 4  # of each thing below a rung
_FIRST_SENSE = 100
"""The rank of the first sense of a word of WordNet; names in ladders have lower ones."""

_SCHEMA = """
CREATE TABLE term (
    id INTEGER PRIMARY KEY, concept TEXT, parent INTEGER, phrase TEXT, plural TEXT, kind TEXT,
    types TEXT, form TEXT, country TEXT, rung INTEGER, total INTEGER);
CREATE TABLE sense (id INTEGER PRIMARY KEY, parent INTEGER, kind TEXT, total INTEGER);
CREATE TABLE term_name (
    key TEXT, term INTEGER, plural INTEGER, rank INTEGER, PRIMARY KEY (key, term, plural)
) WITHOUT ROWID;
CREATE TABLE term_member (
    term INTEGER, rank INTEGER, name TEXT, share INTEGER, PRIMARY KEY (term, rank)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Sense:
    """A set of words of WordNet that mean the same.

    Attributes:
        synset: its number in WordNet.
        kind: its lexicographer file ("person", "act" ...).
        names: its words, the usual one first.
        ranks: which sense of each word it is, the most frequent 0.
        above: concept of the next more general thing ("wn/..." or of a rung).
        rung: concept of the nearest rung of a ladder above it.
    """

    synset: int
    kind: str
    names: tuple[str, ...]
    ranks: Mapping[str, int]
    above: str
    rung: str

    @property
    def concept(self) -> str:
        """Canonical id."""
        return f"wn/{self.synset}"


def write_terms(
    connection: sqlite3.Connection,
    nodes: Sequence[Node],
    senses: Sequence[Sense] = (),
    frequency: Callable[[str], float] = lambda word: 3.0,
) -> None:
    """Makes the tables, with what each rung can stand for, likeliest first.

    Args:
        connection: a database without them.
        nodes: rungs and entries of ladders.
        senses: words of WordNet under these rungs.
        frequency: Zipf frequency (0 to 8) of an English word.
    """
    connection.executescript(_SCHEMA)
    ids = {node.concept: number for number, node in enumerate(nodes, start=1)}
    ids |= {sense.concept: -sense.synset for sense in senses}
    members = _members_below(nodes, senses, frequency)
    connection.executemany(
        "INSERT INTO term VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                ids[node.concept],
                node.concept,
                ids.get(node.parent, 0),
                node.phrase,
                "" if node.plural == plural_phrase(node.phrase) else node.plural,
                node.kind,
                " ".join(node.types),
                node.form.value,
                node.country,
                int(node.rung),
                members[node.concept][0] if node.concept in members else 0,
            )
            for node in nodes
        ),
    )
    connection.executemany(
        "INSERT INTO sense VALUES (?, ?, ?, ?)",
        (
            (
                -sense.synset,
                ids[sense.rung],
                sense.kind,
                members[sense.concept][0] if sense.concept in members else 0,
            )
            for sense in senses
        ),
    )
    names = [
        (key(name), ids[node.concept], plural, rank)
        for node in nodes
        for plural, each in enumerate((node.names, node.plural_names))
        for rank, name in enumerate(each)
    ] + [
        (key(name), ids[sense.concept], 0, _FIRST_SENSE + rank)
        for sense in senses
        for name, rank in sense.ranks.items()
    ]
    connection.executemany("INSERT OR IGNORE INTO term_name VALUES (?, ?, ?, ?)", sorted(names))
    connection.executemany(
        "INSERT INTO term_member VALUES (?, ?, ?, ?)",
        (
            (ids[concept], rank, name, round(share * _SHARES))
            for concept, (_, likeliest) in members.items()
            for rank, (name, share) in enumerate(likeliest)
        ),
    )
    connection.execute("CREATE INDEX term_concept ON term (concept)")
    connection.commit()


_Likely = tuple[str, float]


def _members_below(
    nodes: Sequence[Node], senses: Sequence[Sense], frequency: Callable[[str], float]
) -> dict[str, tuple[int, list[_Likely]]]:
    """How much stands below each concept, and the likeliest of it with their shares."""
    parents = {node.concept: node.parent for node in nodes}
    parents |= {sense.concept: sense.above for sense in senses}
    below: dict[str, list[_Likely]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    things: tuple[Node | Sense, ...] = (*nodes, *senses)
    for thing in things:
        names = [(name, 10 ** frequency(name.lower())) for name in thing.names[:_NAMES_COUNTED]]
        above = parents[thing.concept]
        while above:
            counts[above] += 1
            below[above] += names
            above = parents.get(above, "")
    found: dict[str, tuple[int, list[_Likely]]] = {}
    for concept, names in below.items():
        whole = sum(weight for _, weight in names)
        likeliest = sorted(names, key=lambda row: (-row[1], row[0]))[:_MEMBERS]
        found[concept] = (counts[concept], [(name, weight / whole) for name, weight in likeliest])
    return found


@dataclass(frozen=True, slots=True)
class Term:
    """A node as it is stored, see ``ladders.Node``; or a sense of WordNet, which has no phrase."""

    id: int
    concept: str
    parent: int
    phrase: str = ""
    plural: str = ""
    kind: str = ""
    types: tuple[str, ...] = ()
    adjective: bool = False
    country: str = ""
    curated: bool = True
    is_rung: bool = False
    total: int = 0


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
        """What stands below a term, likeliest first.

        Args:
            term: a rung.
            limit: the most that are listed.
            plural: whether the phrase is asked for in the plural.
        """
        rows = self._connection.execute(
            "SELECT name, share FROM term_member WHERE term = ? ORDER BY rank LIMIT ?",
            (term.id, limit),
        ).fetchall()
        names = tuple(_many(name) if plural else name for name, _ in rows)
        shares = tuple(max(share, 1) / _SHARES for _, share in rows)
        return Members(names, shares, max(term.total, len(names)))

    def _hits(self, name: str) -> tuple[Hit, ...]:
        """Terms called ``name``, the ladders' first, then by sense."""
        found = self._named(name)
        if not found or found[0].rank >= _FIRST_SENSE:
            one = [hit for single in singulars(name) for hit in self._named(single)]
            known = {hit.term.id for hit in found}
            found += [
                Hit(hit.term, True, hit.rank)
                for hit in one
                if hit.term.id not in known and not hit.term.adjective and not hit.plural
            ]
        found.sort(key=lambda hit: (not hit.term.curated, hit.rank, abs(hit.term.id)))
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
        if number < 0:
            row = self._connection.execute(
                "SELECT id, parent, kind, total FROM sense WHERE id = ?", (number,)
            ).fetchone()
            return Term(number, f"wn/{-number}", row[1], kind=row[2], total=row[3], curated=False)
        row = self._connection.execute(
            "SELECT id, concept, parent, phrase, plural, kind, types, form, country, rung, total "
            "FROM term WHERE id = ?",
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
            is_rung=bool(row[9]),
            total=row[10],
        )


def rung(term: Term, *, plural: bool) -> Rung:
    """A term's phrase as a rung.

    Args:
        term: what the phrase is of.
        plural: whether it is asked for in the plural.
    """
    return Rung(term.plural if plural else term.phrase, term.concept)


def phrase_key(phrase: str) -> str:
    """The key under which a rung's phrase is found."""
    return key(without_article(phrase))


def _many(name: str) -> str:
    return plural_phrase(f"a {name}")
