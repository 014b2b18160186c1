"""Head nouns of organisations and places ("court", "ministry", "street") and well-known names.

They come from ladder files (see ``ladders.py``). An entry in lower case is a head and is found
inside longer names ("Sinop Assize Court"); one that starts with a capital is a name and must be
the whole text, or several words of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from intact.knowledge.keys import words
from intact.knowledge.ladders import Node, read_ladders

_HOME = Path(__file__).resolve().parent
LONGEST = 8


@dataclass(frozen=True, slots=True)
class Head:
    """A kind of organisation or place.

    Attributes:
        phrase: as it stands in mid-sentence ("a criminal court").
        parent: concept of the more general kind, "" if there is none.
        types: entity types it is meant for.
    """

    concept: str
    parent: str
    phrase: str
    kind: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadName:
    """A name under which a head is found.

    Attributes:
        country: ISO code where the name alone tells the country ("tingsrätt"), else "".
        proper: whether it is the name of one organisation or place, not a head noun.
        plural: whether it names several.
    """

    text: str
    head: str
    country: str
    proper: bool
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Where a head name stands in a text: words ``start`` to ``end``, end exclusive."""

    start: int
    end: int
    name: HeadName


def files() -> tuple[Path, ...]:
    """The shipped ladder files of heads."""
    return (_HOME / "ladders" / "organisations.txt", _HOME / "data" / "localities.txt")


def read(paths: Iterable[Path]) -> tuple[Node, ...]:
    """The nodes of head ladders.

    Raises:
        ConfigError: naming file and line.
    """
    return read_ladders(paths)


def store(connection: sqlite3.Connection, nodes: Iterable[Node]) -> None:
    """Writes the tables ``head`` and ``headname``."""
    connection.executescript(
        "CREATE TABLE head (concept TEXT PRIMARY KEY, parent, phrase, kind, types);"
        "CREATE TABLE headname (position INTEGER PRIMARY KEY, text, head, country, proper, plural);"
    )
    for head, names in _split(nodes):
        if head is not None:
            row = (head.concept, head.parent, head.phrase, head.kind, " ".join(head.types))
            connection.execute("INSERT INTO head VALUES (?, ?, ?, ?, ?)", row)
        connection.executemany(
            "INSERT INTO headname (text, head, country, proper, plural) VALUES (?, ?, ?, ?, ?)",
            [(n.text, n.head, n.country, int(n.proper), int(n.plural)) for n in names],
        )


def _split(nodes: Iterable[Node]) -> Iterator[tuple[Head | None, list[HeadName]]]:
    for node in nodes:
        head = None
        target = node.parent
        if node.rung:
            head = Head(_own(node.concept), _own(node.parent), node.phrase, node.kind, node.types)
            target = node.concept
        plurals = () if _proper(node) else node.plural_names
        names = dict.fromkeys((*node.names, *plurals))
        yield (
            head,
            [
                HeadName(
                    text, _own(target), node.country, text[0].isupper(), text not in node.names
                )
                for text in names
            ],
        )


def _own(concept: str) -> str:
    return concept.replace("term/", "org/", 1)


def _proper(node: Node) -> bool:
    return not node.rung and node.names[0][0].isupper()


class Heads:
    """All heads, in memory, found by the words of their names."""

    def __init__(self, heads: Iterable[Head], names: Iterable[HeadName]) -> None:
        self._heads: Mapping[str, Head] = {head.concept: head for head in heads}
        self._names: dict[tuple[str, ...], list[HeadName]] = {}
        self._instances: dict[str, list[HeadName]] = {}
        self._longest: dict[str, int] = {}
        for name in names:
            parts = words(name.text)
            if parts and name not in self._names.get(parts, ()):
                self._names.setdefault(parts, []).append(name)
                self._instances.setdefault(name.head, []).append(name)
                self._longest[parts[0]] = max(self._longest.get(parts[0], 0), len(parts))

    @classmethod
    def load(cls, connection: sqlite3.Connection, extra: Sequence[Path] = ()) -> Heads:
        """The heads of a knowledge file and of a user's own ladder files.

        Raises:
            ConfigError: if a ladder file cannot be read.
        """
        heads = [
            Head(concept, parent, phrase, kind, tuple(types.split()))
            for concept, parent, phrase, kind, types in connection.execute(
                "SELECT concept, parent, phrase, kind, types FROM head ORDER BY rowid"
            )
        ]
        rows = "SELECT text, head, country, proper, plural FROM headname ORDER BY position"
        names = [
            HeadName(t, h, c, bool(proper), bool(plural))
            for t, h, c, proper, plural in connection.execute(rows)
        ]
        for head, more in _split(read(extra)) if extra else ():
            if head is not None and {"ORG", "LOC"} & set(head.types):
                heads.append(head)
            names += more
        known = {head.concept for head in heads}
        return cls(heads, [name for name in names if name.head in known])

    def of(self, concept: str) -> Head | None:
        """The head with this concept."""
        return self._heads.get(concept)

    def line(self, concept: str) -> tuple[Head, ...]:
        """A head and the more general ones above it."""
        found = []
        head = self._heads.get(concept)
        while head is not None and head not in found:
            found.append(head)
            head = self._heads.get(head.parent)
        return tuple(found)

    def find(self, parts: Sequence[str], entity_type: str) -> list[Found]:
        """All places in ``parts`` (folded words) where a name of that type stands."""
        found = []
        for start, word in enumerate(parts):
            for end in range(start + 1, min(start + self._longest.get(word, 0), len(parts)) + 1):
                for name in self._names.get(tuple(parts[start:end]), ()):
                    types = self._heads[name.head].types
                    if not types or entity_type in types:
                        found.append(Found(start, end, name))
        return found

    def names_of(self, concept: str) -> tuple[HeadName, ...]:
        """The names that stand directly on a head, in file order."""
        return tuple(self._instances.get(concept, ()))

    def below(self, concept: str) -> tuple[Head, ...]:
        """A head and all more special ones, in file order."""
        return tuple(
            head
            for head in self._heads.values()
            if any(above.concept == concept for above in self.line(head.concept))
        )

    def __iter__(self) -> Iterator[Head]:
        return iter(self._heads.values())
