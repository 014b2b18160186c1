"""Texts as counted features, each a 64-bit number: what populations hold and attackers weigh.

A feature's number depends on its characters only, so that a population and a document that were
never seen together agree. Of a thousand million features about one pair in 37 shares a number.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from intact.english.vocabulary import STOP_WORDS
from intact.english.words import fold

SPACES = ("word", "pair", "adjacent", "gram")
"""word: content words. pair: neighbours once function words are left out. adjacent: neighbours as
they stand, unless both are function words. gram: three to five characters of a padded content
word."""

WINDOW, STRIDE = 100, 75
"""Words of a window, and from one to the next (Pilán et al. 2024: 25 words overlap)."""

Features = NDArray[np.uint64]
Ids = NDArray[np.int64]

_TOKEN = re.compile(r"[^\W_]+")
_GRAMS = (3, 4, 5)
_CHUNK = 1_000_000


def tokens(text: str) -> list[str]:
    """The folded words of ``text``, in order."""
    return _TOKEN.findall(fold(text))


def is_content(word: str) -> bool:
    """Whether a folded word is no function word and no single letter."""
    return word not in STOP_WORDS and (len(word) > 1 or word.isdigit())


def windows(
    words: Sequence[str], length: int = WINDOW, stride: int = STRIDE
) -> list[Sequence[str]]:
    """Overlapping windows of a row of words; one (perhaps empty) at least.

    Args:
        words: of one text.
        length: words of a window; the last one may be shorter.
        stride: words from the start of a window to the start of the next.
    """
    last = max(len(words) - length + stride, 1)
    return [words[start : start + length] for start in range(0, last, stride)]


@dataclass(frozen=True, slots=True)
class Placed:
    """The features of one space in a row of words.

    Attributes:
        features: their numbers, with repeats, in text order.
        first, last: index of the first and last word that each is made of; parallel.
    """

    features: Features
    first: Ids
    last: Ids


class Featurizer:
    """Words to feature numbers. Remembers every word it has seen: make one a document."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._numbers: Features = np.zeros(0, dtype=np.uint64)
        self._content = np.zeros(0, dtype=bool)
        self._grams: Features = np.zeros(0, dtype=np.uint64)
        self._gram_counts: Ids = np.zeros(0, dtype=np.int64)

    def ids(self, words: Sequence[str]) -> Ids:
        """A row of folded words as numbers of this featurizer's own, for :meth:`placed`."""
        known = self._ids
        return np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int64)

    def spelled(self, ids: Ids) -> list[str]:
        """The words that some ids stand for."""
        every = list(self._ids)
        return [every[at] for at in ids]

    def placed(self, ids: Ids, space: str) -> Placed:
        """The features of a row of words.

        Args:
            ids: as :meth:`ids` gives them.
            space: one of ``SPACES``.
        """
        self._learn()
        if space == "adjacent":
            content = self._content[ids]
            kept = np.flatnonzero(content[:-1] | content[1:])
            return Placed(_pairs(self._numbers[ids], 2)[kept], kept, kept + 1)
        places = np.flatnonzero(self._content[ids])
        if space == "word":
            return Placed(self._numbers[ids[places]], places, places)
        if space == "pair":
            return Placed(_pairs(self._numbers[ids[places]], 1), places[:-1], places[1:])
        self._spell()
        words = ids[places]
        starts, counts = np.cumsum(self._gram_counts) - self._gram_counts, self._gram_counts[words]
        places = np.repeat(places, counts)
        return Placed(self._grams[ranges(starts[words], counts)], places, places)

    def _learn(self) -> None:
        """Numbers the words that came since."""
        fresh = list(islice(self._ids, len(self._numbers), None))
        if fresh:
            numbers = np.array([_number(word) for word in fresh], dtype=np.uint64)
            self._numbers = np.concatenate((self._numbers, numbers))
            self._content = np.concatenate((self._content, [is_content(word) for word in fresh]))

    def _spell(self) -> None:
        """Numbers the character n-grams of the words that came since."""
        fresh = list(islice(self._ids, len(self._gram_counts), None))
        if fresh:
            rows = [_grams(word) if is_content(word) else () for word in fresh]
            counts = np.array([len(row) for row in rows], dtype=np.int64)
            every = np.array([one for row in rows for one in row], dtype=np.uint64)
            self._gram_counts = np.concatenate((self._gram_counts, counts))
            self._grams = np.concatenate((self._grams, every))


@dataclass(frozen=True, slots=True)
class Counts:
    """How often some texts have some features.

    Attributes:
        keys: the features, ascending.
        matrix: shape (features, texts).
    """

    keys: Features
    matrix: csr_array

    @staticmethod
    def joined(parts: Sequence[Counts]) -> Counts:
        """The features of several spaces as one."""
        if len(parts) == 1:
            return parts[0]
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys)
        return Counts(keys[order], csr_array(vstack([part.matrix for part in parts]))[order])


def count(rows: Iterable[Sequence[str]], spaces: Sequence[str]) -> dict[str, Counts]:
    """The features of some texts, counted.

    Args:
        rows: the folded words of each text; consumed once.
        spaces: of ``SPACES``.
    """
    featurizer = Featurizer()
    ids = [featurizer.ids(row) for row in rows]
    lengths = np.array([len(row) for row in ids], dtype=np.int64)
    found = {}
    for space in spaces:
        features, owners = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int32)]
        for start, end in _chunks(lengths):
            every = np.concatenate(ids[start:end])
            owner = np.repeat(np.arange(start, end, dtype=np.int32), lengths[start:end])
            placed = featurizer.placed(every, space)
            whole = owner[placed.first] == owner[placed.last]  # no neighbours across texts
            features.append(placed.features[whole])
            owners.append(owner[placed.first][whole])
        found[space] = _counted(np.concatenate(features), np.concatenate(owners), len(ids))
    return found


def _counted(features: Features, owners: NDArray[np.int32], texts: int) -> Counts:
    keys, rows = np.unique(features, return_inverse=True)
    ones = np.ones(len(features), dtype=np.int32)
    return Counts(keys, csr_array((ones, (rows, owners)), shape=(len(keys), texts)))


def _chunks(lengths: Ids) -> Iterable[tuple[int, int]]:
    """Ranges of texts with about a million words each, so that what is made of them is bounded."""
    ends = np.cumsum(lengths)
    start = 0
    while start < len(lengths):
        limit = (ends[start - 1] if start else 0) + _CHUNK
        end = max(start + 1, int(np.searchsorted(ends, limit, side="right")))
        yield start, end
        start = end


def ranges(starts: Ids, lengths: Ids) -> Ids:
    """start, start + 1 ... of each range, one range after the other.

    Args:
        starts: first number of each range.
        lengths: how many numbers each has; parallel.
    """
    return np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())


@lru_cache(1 << 17)
def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@lru_cache(1 << 15)
def _grams(word: str) -> tuple[int, ...]:
    """The numbers of a word's character n-grams."""
    padded = f" {word} "
    return tuple(
        _number("#" + padded[start : start + size])
        for size in _GRAMS
        for start in range(len(padded) - size + 1)
    )


def _pairs(numbers: Features, salt: int) -> Features:
    """One number for each two neighbours, mixed so that their order counts."""
    mixed = numbers[:-1] * np.uint64(0x9E3779B97F4A7C15) + numbers[1:] + np.uint64(salt)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(29))
