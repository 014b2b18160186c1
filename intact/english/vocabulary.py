"""The words of the language, read from the package's data files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent / "data"


def vocabulary(name: str) -> dict[str, Any]:
    """The tables of ``data/<name>.toml``."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


def word_sets(name: str, table: str) -> dict[str, frozenset[str]]:
    """The word lists of one table of ``data/<name>.toml`` by their names.

    Args:
        name: the file, without its ending.
        table: a table whose values are words between blanks.
    """
    return {key: frozenset(words.split()) for key, words in vocabulary(name)[table].items()}


def either(words: Iterable[str]) -> str:
    """A pattern that any of ``words`` matches, longer ones first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
