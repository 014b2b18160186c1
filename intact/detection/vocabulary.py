"""The words and patterns that the rules of detection go by, read from the package's data files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from intact.detection.findings import Finding
from intact.domain import Span
from intact.english.quantities import CURRENCIES
from intact.english.scan import PIECES

_FOLDER = Path(__file__).resolve().parent / "data"
_GROUP = re.compile(r"<<(\w+)>>")
PACKS = ("traits", "everyday", "health", "work")
"""Domain packs that hold rules: what the words of one field say. ``courts`` holds none."""
_CODES = "|".join(sorted({currency.code for currency in CURRENCIES.values()}))


@lru_cache(16)
def vocabulary(name: str) -> dict[str, Any]:
    """The tables of ``data/<name>.toml``."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class CueRule:
    """A pattern, and what is found by it: its group "what", or all of it where that is empty."""

    kind: str
    score: float
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()
    """Without one of these strings in a text the pattern finds nothing there."""

    def find(self, text: str, source: str) -> Iterator[Finding]:
        """The findings of this rule in ``text``.

        Args:
            text: any text.
            source: the detector's name.
        """
        if self.needs and not any(word in text for word in self.needs):
            return
        group = "what" if "what" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            own = group if match[group] else 0
            yield Finding(Span(*match.span(own)), self.kind, self.score, source)


@lru_cache(16)
def rules(name: str) -> tuple[CueRule, ...]:
    """The rules of ``data/<name>.toml``, in order."""
    tables = vocabulary(name)
    words = tables.get("words", {})
    return tuple(
        CueRule(
            row["kind"],
            row["score"],
            re.compile(_filled(row["pattern"], words)),
            tuple(row.get("needs", ())),
        )
        for row in tables["rule"]
    )


def packs(text: str, source: str) -> Iterator[Finding]:
    """What the rules of the domain packs find in ``text``.

    Args:
        text: any text.
        source: the detector's name.
    """
    for name in PACKS:
        for rule in rules(name):
            yield from rule.find(text, source)


def compiled(text: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """A pattern of the data files, its lines joined.

    Args:
        text: the pattern; ``<<name>>`` stands for a group of words.
        words: groups of words beside those of the language.
    """
    return re.compile(_filled(text, words))


def _filled(text: str, words: Mapping[str, str]) -> str:
    joined = "".join(line.strip() for line in text.splitlines())

    def group(match: re.Match[str]) -> str:
        name = match[1]
        if name == "code":
            return _CODES
        return PIECES[name] if name in PIECES else _filled(words[name], words)

    return _GROUP.sub(group, joined)
