"""A text as words, and what of a word's form and place a linear layer can use.

Sentence encoders often read lower case only, so case, shape and affixes are features of their
own. Every feature is a number below ``BUCKETS`` (hashed; collisions are rare and harmless), the
same in every process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING
from zlib import crc32

from intact.domain import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUCKETS = 1 << 17
_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_EDGE = "<edge>"
_BREAK = re.compile(r"\n\s*\n|\n")
_MULTIPLIER = 0x9E3779B1
_NEIGHBOURS = 6  # different neighbours of a name in one document that count
_MASK = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: runs of letters, runs of digits, single other characters.

    Attributes:
        spans: ascending, not overlapping.
        breaks: whether a line ends before the word (the first word too).
    """

    text: str
    spans: tuple[Span, ...]
    breaks: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def strings(self) -> list[str]:
        """The words as they stand."""
        return [span.of(self.text) for span in self.spans]


def words_of(text: str) -> Words:
    """The words of ``text``."""
    spans, breaks = [], []
    last = 0
    for match in _WORD.finditer(text):
        breaks.append(last == 0 or _BREAK.search(text, last, match.start()) is not None)
        spans.append(Span(match.start(), match.end()))
        last = match.end()
    return Words(text, tuple(spans), tuple(breaks))


def features(words: Words, hints: Sequence[str] = ()) -> NDArray[np.int64]:
    """Bucket numbers of every word, shape (words, features); bucket 0 stands for none.

    Args:
        hints: what other detectors say of each word ("LOC"), "" where nothing.
    """
    import numpy as np

    strings = words.strings
    if not strings:
        return np.zeros((0, 1), dtype=np.int64)
    lower = _column(strings, lambda word: word.lower())
    shapes = _column(strings, shape)
    low, form = _Shifted(lower), _Shifted(shapes)
    columns = [low[at] for at in (-3, -2, -1, 0, 1, 2, 3)]
    columns += [low[-1] * 31 + low[0], low[0] * 31 + low[1], low[-2] * 31 + low[-1]]
    columns += [low[1] * 31 + low[2], low[-1] * 31 + low[1]]
    columns += [form[at] for at in (-2, -1, 0, 1, 2)]
    columns += [form[-1] * 31 + form[0], form[0] * 31 + form[1]]
    columns += [(form[-1] * 31 + form[0]) * 31 + form[1]]
    columns += [low[-1] * 31 + form[0], form[0] * 31 + low[1]]
    for size in (2, 3, 4):
        columns.append(_column(strings, partial(_head, size)))
        tail = _Shifted(_column(strings, partial(_tail, size)))
        columns += [tail[0]] if size != 3 else [tail[-1], tail[0], tail[1]]
    breaks = np.array(words.breaks, dtype=np.int64)
    columns.append(_Shifted(breaks)[0] * 7 + form[0])
    columns += _document(words, strings)
    if hints:
        hinted = _Shifted(_column(hints, str))
        columns += [hinted[-1], hinted[0], hinted[1], hinted[0] * 31 + low[0]]
        columns += [hinted[0] * 31 + form[0]]
    return np.stack([_bucket(column, n) for n, column in enumerate(columns)], axis=1)


@lru_cache(1 << 16)
def shape(word: str) -> str:
    """Runs of a kind of character, up to two of each: "McDonald" -> "XxXxx", "1996" -> "4d"."""
    if word.isdigit():
        return f"{min(len(word), 6)}d"
    kinds = ("X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return "".join(kind * min(2, len(list(run))) for kind, run in groupby(kinds))


def _head(size: int, word: str) -> str:
    return word[:size].lower()


def _tail(size: int, word: str) -> str:
    return word[-size:].lower()


class _Shifted:
    """A column seen from neighbouring words; beyond the ends stands a mark."""

    def __init__(self, column: NDArray[np.int64]) -> None:
        import numpy as np

        edge = np.full(3, crc32(_EDGE.encode()), dtype=np.int64)
        self._padded = np.concatenate([edge, column, edge])
        self._size = len(column)

    def __getitem__(self, offset: int) -> NDArray[np.int64]:
        return self._padded[3 + offset : 3 + offset + self._size]


def _column(strings: Sequence[str], transform: Callable[[str], str]) -> NDArray[np.int64]:
    import numpy as np

    known = {string: crc32(transform(string).encode()) for string in dict.fromkeys(strings)}
    return np.array([known[string] for string in strings], dtype=np.int64)


def _bucket(column: NDArray[np.int64], salt: int) -> NDArray[np.int64]:
    mixed = ((column & _MASK) * _MULTIPLIER + salt * 0x85EBCA6B) & _MASK
    mixed = (mixed ^ (mixed >> 15)) & _MASK
    return 1 + mixed % (BUCKETS - 1)


def _document(words: Words, strings: Sequence[str]) -> list[NDArray[np.int64]]:
    """What the rest of the document says of a word: its case elsewhere, its neighbours."""
    import numpy as np

    seen = set(strings)
    neighbours: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for at, word in enumerate(strings):
        if not word[0].isupper():
            continue
        before, after = neighbours.setdefault(word, ({}, {}))
        if at:
            before[strings[at - 1].lower()] = None
        if at + 1 < len(strings):
            after[strings[at + 1].lower()] = None
    rows = {word: _around(word, seen, neighbours.get(word)) for word in dict.fromkeys(strings)}
    table = np.array([rows[word] for word in strings], dtype=np.int64)
    return list(table.T)


def _around(
    word: str, seen: set[str], sides: tuple[dict[str, None], dict[str, None]] | None
) -> list[int]:
    if sides is None:
        return [0] * (1 + 2 * _NEIGHBOURS)
    row = [1 + (word.lower() in seen)]
    for side in sides:
        found = sorted(crc32(other.encode()) for other in list(side)[:_NEIGHBOURS])
        row += found + [0] * (_NEIGHBOURS - len(found))
    return row
