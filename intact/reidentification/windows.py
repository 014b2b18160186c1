"""Attackers trained on windows of the public texts to tell their individuals, as a classifier
learns it from background documents (Manzanares-Salor et al. 2024, with linear models): ridge
regression, and complement naive Bayes (Rennie et al. 2003).

What a window classifier learns differs from what whole texts tell: words that come back in one
part of a text weigh more. Its score is a sum over the document's features as well, so that what a
word contributes is exact. The weights of all features are made once and kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intact.errors import ConfigError, ResourceError
from intact.reidentification.building import inverse_spread
from intact.reidentification.features import Featurizer, counted, tokens
from intact.reidentification.index import Population

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW_SPACES: Mapping[str, tuple[str, ...]] = {
    "windows": ("word", "adjacent"),
    "window_grams": ("gram",),
    "window_bayes": ("word",),
}
"""The window attackers by name, and the features they look at; the last is no ridge."""

LENGTH, STRIDE = 100, 75
"""Words of a window, and from one to the next."""
MOST_WINDOWS = 4_000
"""Windows up to which one is trained: time grows with their cube."""
MOST_NUMBERS = 100_000_000
"""Weights (features times individuals) that are kept at most."""
_STRENGTH = 1.0
_SMOOTHING = 0.1
_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class _Weights:
    """What each feature of one space says of each individual: features ascend, a row each."""

    features: NDArray[np.uint64]
    rows: NDArray[np.float32]


class WindowAttacker:
    """A trained attacker on a small population; looks like a linear one.

    Args:
        name: of ``WINDOW_SPACES``.
        texts: of every individual.

    Raises:
        ResourceError: if the population is too large for it.
    """

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        import numpy as np

        self.name = name
        self.spaces = WINDOW_SPACES[name]
        self.size = len(texts)
        pieces, owners = _windows(texts)
        if len(pieces) > MOST_WINDOWS:
            raise _too_large(name)
        counts = [_Counts(pieces, space, name, self.size) for space in self.spaces]
        squares = np.sum([each.squares() for each in counts], axis=0)
        lengths = np.sqrt(np.maximum(squares, 1e-12))
        wanted = np.zeros((len(pieces), self.size), dtype=np.float32)
        wanted[np.arange(len(pieces)), owners] = 1
        if name == "window_bayes":
            self._weights = {each.space: each.likelihoods(lengths, wanted) for each in counts}
            return
        kernel = np.sum([each.products(lengths) for each in counts], axis=0)
        kernel[np.diag_indices_from(kernel)] += _STRENGTH
        duals = np.linalg.solve(kernel, wanted - wanted.mean(axis=0)).astype(np.float32)
        self._weights = {each.space: each.weights(lengths, duals) for each in counts}

    def weigh(
        self,
        space: str,
        features: NDArray[np.uint64],
        amounts: NDArray[np.float64],
        onto: NDArray[np.float64],
    ) -> None:
        """Adds to scores what some features say of each individual; see ``LinearAttacker``."""
        rows, known = self._find(space, features)
        onto += amounts[known] @ self._weights[space].rows[rows[known]]

    def columns(
        self, space: str, features: NDArray[np.uint64], lookup: NDArray[np.int32]
    ) -> NDArray[np.float32]:
        """What each feature says of some individuals; see ``LinearAttacker``."""
        import numpy as np

        rows, known = self._find(space, features)
        kept = np.flatnonzero(lookup >= 0)
        kept = kept[np.argsort(lookup[kept])]
        found = np.zeros((len(features), len(kept)), dtype=np.float32)
        found[known] = self._weights[space].rows[rows[known]][:, kept]
        return found

    def amounts(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much a feature weighs by its count: every window that has it counts."""
        import numpy as np

        return counts.astype(np.float64)

    def _find(
        self, space: str, features: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        import numpy as np

        held = self._weights[space].features
        if not len(held):
            return np.zeros(len(features), dtype=np.int64), np.zeros(len(features), dtype=np.bool_)
        rows = np.minimum(np.searchsorted(held, features), len(held) - 1)
        return rows, held[rows] == features


class _Counts:
    """The features of one space in all windows, sorted by feature."""

    def __init__(
        self, pieces: Sequence[Sequence[str]], space: str, name: str, individuals: int
    ) -> None:
        import numpy as np

        maker = Featurizer()
        found = [counted(maker.of(maker.ids(words), (space,))[space].features) for words in pieces]
        keys = np.concatenate([features for features, _ in found])
        often = np.concatenate([counts for _, counts in found])
        windows = np.repeat(np.arange(len(pieces)), [len(features) for features, _ in found])
        self.space = space
        self.size = len(pieces)
        self.features, rows = np.unique(keys, return_inverse=True)
        if len(self.features) * individuals > MOST_NUMBERS:
            raise _too_large(name)
        spread = np.bincount(rows, minlength=len(self.features))
        self.idf = inverse_spread(spread, len(pieces))
        order = np.argsort(rows, kind="stable")
        self.starts = np.concatenate(([0], np.cumsum(spread)))
        self.windows = windows[order]
        self.values = ((1 + np.log(often)) * self.idf[rows])[order]

    def squares(self) -> NDArray[np.float64]:
        """By window: the squared length of its vector in this space."""
        import numpy as np

        return np.bincount(self.windows, np.square(self.values), self.size).astype(np.float64)

    def products(self, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Inner products of the windows' unit vectors."""
        import numpy as np

        total = np.zeros((self.size, self.size))
        values = (self.values / lengths[self.windows]).astype(np.float32)
        alone = np.repeat(np.diff(self.starts) == 1, np.diff(self.starts))
        diagonal = np.bincount(self.windows[alone], np.square(values[alone]), self.size)
        total[np.diag_indices(self.size)] += diagonal
        shared = np.flatnonzero(np.diff(self.starts) > 1)
        step = max(1, _BLOCK // self.size)
        for first in range(0, len(shared), step):
            block = np.zeros((min(step, len(shared) - first), self.size), dtype=np.float32)
            for row, feature in enumerate(shared[first : first + step]):
                part = slice(self.starts[feature], self.starts[feature + 1])
                block[row, self.windows[part]] = values[part]
            total += block.T @ block
        return total

    def likelihoods(self, lengths: NDArray[np.float64], wanted: NDArray[np.float32]) -> _Weights:
        """What each feature says of each individual by how rare it is with all others; what it
        says of everyone is left out."""
        import numpy as np

        rows = self._sums(lengths, wanted)
        rows -= rows.sum(axis=1, keepdims=True) + np.float32(_SMOOTHING)
        rows *= -1
        rows /= rows.sum(axis=0)
        np.log(rows, out=rows)
        rows -= rows.mean(axis=1, keepdims=True)
        rows *= -self.idf[:, None]
        return _Weights(self.features, rows)

    def weights(self, lengths: NDArray[np.float64], duals: NDArray[np.float32]) -> _Weights:
        """What each feature says of each individual."""
        rows = self._sums(lengths, duals)
        rows *= self.idf[:, None]
        return _Weights(self.features, rows)

    def _sums(
        self, lengths: NDArray[np.float64], duals: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """By feature: the sum of the windows' rows, by how much it weighs in each."""
        import numpy as np

        values = (self.values / lengths[self.windows]).astype(np.float32)
        rows = np.zeros((len(self.features), duals.shape[1]), dtype=np.float32)
        step = max(1, _BLOCK // duals.shape[1])
        first = 0
        while first < len(self.features):
            limit = self.starts[first] + step
            last = max(first + 1, int(np.searchsorted(self.starts, limit, side="right")) - 1)
            part = slice(self.starts[first], self.starts[last])
            terms = values[part, None] * duals[self.windows[part]]
            rows[first:last] = np.add.reduceat(terms, self.starts[first:last] - self.starts[first])
            first = last
        return rows


def window_attackers(population: Population, names: Sequence[str]) -> list[WindowAttacker]:
    """The window attackers called ``names``; none where the population is too large or was built
    without its texts.

    Raises:
        ConfigError: if there is none of a name.
    """
    for name in names:
        if name not in WINDOW_SPACES:
            raise ConfigError(
                f"there is no window attacker called {name!r}",
                where="setting guard.also",
                remedy=f"Known: {', '.join(WINDOW_SPACES)}.",
            )
    if not names or population.size > MOST_WINDOWS:
        return []
    try:
        texts = population.texts()
        return [WindowAttacker(name, texts) for name in names]
    except ResourceError:
        return []


def _windows(texts: Sequence[str]) -> tuple[list[list[str]], list[int]]:
    pieces, owners = [], []
    for owner, text in enumerate(texts):
        words = tokens(text)
        for start in range(0, max(len(words) - LENGTH + STRIDE, 1), STRIDE):
            pieces.append(words[start : start + LENGTH])
            owners.append(owner)
    return pieces, owners


def _too_large(name: str) -> ResourceError:
    return ResourceError(
        f"the population is too large for {name}", remedy="Leave it out of guard.also."
    )
