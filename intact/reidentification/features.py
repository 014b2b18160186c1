"""Texts as counted features, each a 64-bit number: what the index stores and attackers weigh.

A feature's number depends on its characters only, so that a population and a document that were
never seen together agree. Of a thousand million features about one pair in 37 shares a number.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intact.english.fold import fold
from intact.english.wordlists import STOP_WORDS
from intact.english.words import lemma

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPACES = ("word", "stem", "pair", "adjacent", "gram")
"""word: content words. stem: their dictionary forms. pair: neighbours once function words are
left out. adjacent: neighbours as they stand, unless both are function words. gram: three to five
characters of a padded content word."""

_TOKEN = re.compile(r"[^\W_]+")
_GRAMS = (3, 4, 5)
_CACHE = 1 << 21
_FIRST = 1 << 14


def tokens(text: str) -> list[str]:
    """The folded words of ``text``, in order."""
    return _TOKEN.findall(fold(text))


def is_content(word: str) -> bool:
    """Whether a folded word is no function word and no single letter."""
    return word not in STOP_WORDS and (len(word) > 1 or word.isdigit())


@dataclass(frozen=True, slots=True)
class Placed:
    """The features of one space in a row of words.

    Attributes:
        features: their numbers, with repeats, in text order.
        first, last: index of the first and last word that each is made of; parallel.
    """

    features: NDArray[np.uint64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


class _Learned(dict[str, int]):
    """Numbers of words; a word that is asked for is learned."""

    def __init__(self, learn: Callable[[str], int]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, word: str) -> int:
        return self._learn(word)


class Featurizer:
    """Words to feature numbers; remembers the words it has seen."""

    def __init__(self) -> None:
        import numpy as np

        self._known = _Learned(self._learn)
        self._words: list[str] = []
        self._numbers = np.zeros(_FIRST, dtype=np.uint64)
        self._stems = np.zeros(_FIRST, dtype=np.uint64)
        self._content = np.zeros(_FIRST, dtype=bool)
        self._gram_starts = np.zeros(_FIRST, dtype=np.int64)
        self._gram_counts = np.zeros(_FIRST, dtype=np.int64)
        self._grams = np.zeros(_FIRST, dtype=np.uint64)
        self._spelt = 0

    def ids(self, words: Sequence[str]) -> NDArray[np.int64]:
        """A row of folded words as numbers of this featurizer's own, for :meth:`of`."""
        import numpy as np

        if len(self._known) > _CACHE:
            raise OverflowError("too many words for one featurizer; call forget between rows")
        known = self._known
        return np.array([known[word] for word in words], dtype=np.int64)

    def spelled(self, ids: NDArray[np.int64]) -> list[str]:
        """The words that some ids stand for."""
        return [self._words[at] for at in ids]

    def forget(self) -> None:
        """Forgets what it has seen where that has grown large; ids given out hold no longer."""
        if len(self._known) > _CACHE // 2:
            self._known.clear()
            self._words.clear()
            self._spelt = 0

    def of(self, ids: NDArray[np.int64], spaces: Sequence[str]) -> dict[str, Placed]:
        """The features of a row of words, by space.

        Args:
            ids: as :meth:`ids` gives them.
            spaces: which of ``SPACES``.
        """
        import numpy as np

        content = np.flatnonzero(self._content[ids])
        return {space: self._space(space, ids, content) for space in spaces}

    def _space(self, space: str, ids: NDArray[np.int64], content: NDArray[np.int64]) -> Placed:
        import numpy as np

        if space == "word":
            return Placed(self._numbers[ids[content]], content, content)
        if space == "stem":
            return Placed(self._stemmed(ids[content]), content, content)
        if space == "pair":
            pairs = _pairs(self._numbers[ids[content]], 1)
            return Placed(pairs, content[:-1], content[1:])
        if space == "adjacent":
            telling = self._content[ids]
            kept = np.flatnonzero(telling[:-1] | telling[1:])
            return Placed(_pairs(self._numbers[ids], 2)[kept], kept, kept + 1)
        words = ids[content]
        for word in np.unique(words[self._gram_counts[words] == 0]):
            self._spell(int(word))
        counts = self._gram_counts[words]
        places = np.repeat(content, counts)
        return Placed(self._grams[ranges(self._gram_starts[words], counts)], places, places)

    def _learn(self, word: str) -> int:
        import numpy as np

        at = len(self._words)
        if at == len(self._numbers):
            self._numbers, self._stems = (
                np.resize(a, 2 * at) for a in (self._numbers, self._stems)
            )
            self._gram_starts, self._gram_counts = (
                np.resize(a, 2 * at) for a in (self._gram_starts, self._gram_counts)
            )
            self._content = np.resize(self._content, 2 * at)
        self._numbers[at], self._stems[at], self._content[at] = _number(word), 0, is_content(word)
        self._gram_counts[at] = 0
        self._words.append(word)
        self._known[word] = at
        return at

    def _stemmed(self, ids: NDArray[np.int64]) -> NDArray[np.uint64]:
        import numpy as np

        for at in np.unique(ids[self._stems[ids] == 0]):
            self._stems[at] = _number("~" + lemma(self._words[at]))
        found: NDArray[np.uint64] = self._stems[ids]
        return found

    def _spell(self, at: int) -> None:
        """Keeps the numbers of a word's character n-grams."""
        import numpy as np

        padded = f" {self._words[at]} "
        found = [
            _number("#" + padded[start : start + size])
            for size in _GRAMS
            for start in range(len(padded) - size + 1)
        ]
        end = self._spelt + len(found)
        if end > len(self._grams):
            self._grams = np.resize(self._grams, 2 * end)
        self._grams[self._spelt : end] = found
        self._gram_starts[at], self._gram_counts[at] = self._spelt, len(found)
        self._spelt = end


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """start, start + 1 ... of each range, one range after the other."""
    import numpy as np

    before = np.concatenate(([0], np.cumsum(lengths)[:-1])) if len(lengths) else lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def counted(features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Distinct features, ascending, and how often each is there."""
    import numpy as np

    return np.unique(features, return_counts=True)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _pairs(numbers: NDArray[np.uint64], salt: int) -> NDArray[np.uint64]:
    """One number for each two neighbours, mixed so that their order counts."""
    import numpy as np

    if len(numbers) < 2:
        return numbers[:0]
    mixed = numbers[:-1] * np.uint64(0x9E3779B97F4A7C15) + numbers[1:] + np.uint64(salt)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(29))
