"""The tables of head nouns and names of organisations and places."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from intact.english.words import key_words
from intact.knowledge.ladders import HeadName, Node, split_names


def store_heads(
    connection: sqlite3.Connection,
    nodes: Iterable[Node],
    frequency: Callable[[str], float],
    further: Iterable[HeadName] = (),
) -> None:
    """Writes the tables ``head`` and ``headname`` (names by their first word).

    Args:
        further: names of heads that are among the nodes.
        frequency: how often a name is used, 0 to 1.
    """
    connection.executescript(
        "CREATE TABLE head (id INTEGER PRIMARY KEY, concept, parent, phrase, kind, types);"
        "CREATE TABLE headname (first TEXT, position INTEGER, text, head INTEGER, country, proper, "
        "plural, weight REAL, PRIMARY KEY (first, position)) WITHOUT ROWID;"
        "CREATE INDEX headname_head ON headname (head, position);"
    )
    position, numbers = 0, dict[str, int]()
    for head, names in [*split_names(nodes), (None, further)]:
        if head is not None:
            number = numbers[head.concept] = len(numbers) + 1
            row = (head.concept, head.parent, head.phrase, head.kind, " ".join(head.types))
            connection.execute("INSERT INTO head VALUES (?, ?, ?, ?, ?, ?)", (number, *row))
        for name in names:
            position += 1
            first, *_ = key_words(name.text)
            weight = float(f"{max(frequency(name.text), 1e-9):.3g}")
            flags = (int(name.proper), int(name.plural))
            connection.execute(
                "INSERT INTO headname VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (first, position, name.text, numbers[name.head], name.country, *flags, weight),
            )
