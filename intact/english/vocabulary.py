"""The words of the language, read from the data files; among them words that identify nobody."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce
from itertools import groupby
from operator import getitem
from pathlib import Path
from types import MappingProxyType
from typing import Any

_FOLDER = Path(__file__).resolve().parent / "data"
GIVEN = _FOLDER / "given.txt"  # given names that men or women alone have


@cache
def vocabulary(name: str, folder: Path = _FOLDER) -> dict[str, Any]:
    """Return the tables of a file of words, by their names. Each file is read once, and all callers
    share the result, which must not be changed.

    Args:
        name: of the file, ``<name>.toml``.
        folder: where it lies; that of the language if left out.
    """
    return tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))


def word_sets(name: str, table: str) -> dict[str, frozenset[str]]:
    """Return the words of each list of a table as a set, by the list's name.

    Args:
        name: of the file, ``data/<name>.toml``.
        table: its values are words separated by blanks.
    """
    return {key: frozenset(words.split()) for key, words in vocabulary(name)[table].items()}


def read_parts(path: Path) -> dict[str, list[str]]:
    """Return the names in each part of a list, in the order of the file, by the part's title, which
    stands in brackets: {"Mr": ["aage", ...]}."""
    blocks = (block.partition("]\n") for block in path.read_text("utf-8").split("[")[1:])
    return {title: names.split() for title, _, names in blocks}


def either(words: Iterable[str]) -> str:
    """Return a pattern (as text) that matches any of some words, among those that begin alike the
    longer ones first; words that begin alike are grouped, so that few alternatives are tried at a
    place. It has no group around it, and is "" for no words."""
    ordered = sorted(words, key=lambda word: (word[:1].lower(), len(word), word), reverse=True)
    alike = groupby(ordered, lambda word: word[:1].lower())
    return "|".join(_one_of([*group]) for _, group in alike)


def _one_of(words: Sequence[str]) -> str:
    """Return a pattern (as text) for words that begin with the same letter, which is factored out
    unless its case differs: "c(?:at|ar)"."""
    cut = len({word[:1] for word in words}) == 1
    rest = "|".join(re.escape(word[cut:]) for word in words)
    return f"{re.escape(words[0][:cut])}(?:{rest})"


def filled(pattern: str, pieces: Mapping[str, str]) -> str:
    """Return a pattern in one line, with the names of pieces in it replaced by the pieces, which
    are filled, too, and those of lists by patterns that match one of their words.

    Args:
        pattern: with names in braces: "{month}" is a piece, "{grammar.nouns.works}" a list, by its
            file, tables and name.
        pieces: patterns by name; a missing one is a ``KeyError``.
    """

    def piece(place: re.Match[str]) -> str:
        """Return the text for one name in braces: the filled piece, or a pattern of a list's
        words."""
        file, *path = place[1].split(".")
        if not path:
            return filled(pieces[file], pieces)
        words = reduce(getitem, path, vocabulary(file))
        return either(words.split() if isinstance(words, str) else words)

    return re.sub(r"\{([a-z_.]+)\}", piece, pattern.replace("\n", ""))


_NO_PIECES: Mapping[str, str] = MappingProxyType({})


def read_patterns(
    name: str,
    pieces: Mapping[str, str] = _NO_PIECES,
    table: str = "patterns",
    folder: Path = _FOLDER,
) -> dict[str, re.Pattern[str]]:
    """Compile the patterns of a table of a data file, by their names, with lines joined and pieces
    filled in.

    Args:
        name: of the file, ``<name>.toml``.
        pieces: further pieces by name, which go before those of the file; the file's own may refer
            to these and to each other.
        table: of the file; its table ``pieces`` holds the file's own pieces.
        folder: where the file lies; that of the language if left out.
    """
    tables = vocabulary(name, folder)
    known = {**tables["pieces"], **pieces}
    return {key: re.compile(filled(text, known)) for key, text in tables[table].items()}


def read_rules(
    table: Iterable[Sequence[str]], pieces: Mapping[str, str] = _NO_PIECES
) -> list[tuple[re.Pattern[str], str]]:
    """Compile the patterns of a table, with pieces filled in. Return (pattern, the text that
    belongs to it) for each row, in their order.

    Args:
        table: of each row, the pattern and the text that belongs to it.
        pieces: patterns by name.
    """
    return [(re.compile(filled(pattern, pieces)), said) for pattern, said in table]


_SETS = word_sets("words", "sets")
STOP_WORDS = _SETS["stop"]  # function words; folded, lower case
NEGATION = re.compile(filled(vocabulary("grammar")["negation"]["form"], {}), re.I)
_HEDGING = word_sets("grammar", "unmarked")["hedging"]


def denies(phrase: str) -> bool:
    """Tell whether a phrase opens with a word that denies or only claims the rest: "can't cook",
    "denies chest pain", "alleges officer [took cash]"."""
    first = phrase.partition(" ")[0].lower()
    return first in _HEDGING or NEGATION.match(phrase) is not None


ARTICLES = _SETS["articles"]
HONORIFICS = _SETS["honorifics"]  # titles before a name; they may stand before a person's label
ABBREVIATIONS = _SETS["abbreviations"]  # capitals that name nobody: of forms, mail and talk
# Titles that reveal no more than a pronoun does, and how they are written.
KEPT_TITLES = MappingProxyType({"mr": "Mr", "mrs": "Ms", "ms": "Ms", "miss": "Ms"})
SAYS_NOTHING = _SETS["says_nothing"]  # nouns that, alone, say no more than a label does
GENERIC_HEADS = _SETS["generic"]  # what a generalisation may share with its original
FREQUENT = _SETS["frequent"]  # words of almost every document: sharing one gives nothing away
