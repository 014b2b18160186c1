"""The words of the language, read from the data files; among them those that tell nobody apart."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

_FOLDER = Path(__file__).resolve().parent / "data"


@cache
def vocabulary(name: str) -> dict[str, Any]:
    """The tables of ``data/<name>.toml``."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


def word_sets(name: str, table: str) -> dict[str, frozenset[str]]:
    """The word lists of one table of ``data/<name>.toml`` by their names."""
    return {key: frozenset(words.split()) for key, words in vocabulary(name)[table].items()}


def either(words: Iterable[str]) -> str:
    """A pattern that any of ``words`` matches, longer ones first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def filled(pattern: str, pieces: Mapping[str, str]) -> str:
    """A pattern with its pieces in their places: "{month}"."""
    return re.sub(r"\{([a-z]+)\}", lambda place: pieces[place[1]], pattern)


_SETS = word_sets("words", "sets")
STOP_WORDS = _SETS["stop"]  # function words; folded, lower case
NEGATED_VERB = (
    r"(?:[a-z]+n['’]t|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|could|would|should)nt)"
)
"""A verb and its "not" in one word, as chats write it, too: "cant"."""
ARTICLES = _SETS["articles"]
HONORIFICS = _SETS["honorifics"]  # titles before a name; they may stand beside a person's label
KEPT_TITLES = MappingProxyType({"mr": "Mr", "mrs": "Ms", "ms": "Ms", "miss": "Ms"})
"""Titles that tell no more than a pronoun does, and how they are written."""
SAYS_NOTHING = _SETS["says_nothing"]  # nouns that, alone, say no more than a label does
GENERIC_HEADS = _SETS["generic"]  # what a generalisation may share with its original
FREQUENT = _SETS["frequent"]  # words of almost every such document: sharing one gives nothing away
