"""Attackers that add up what each feature of a document says of each individual.

The score of an individual is a sum over the document's features of a weight that depends on the
feature's count in the document and on the individual's text only. So what a word contributes is
known exactly, and taking it out changes the scores by that much: nothing is scored anew.

TF-IDF: cosine of logarithmic counts times IDF. BM25: Robertson and Zaragoza 2009, the document
as the query (the word-matching model of Morris et al. 2022, 5). Discriminant: ridge regression
from the public texts to their individuals, as a trained attacker would weigh the features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from intact.errors import ConfigError
from intact.reidentification.building import inverse_spread
from intact.reidentification.features import ranges
from intact.reidentification.index import Population, Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Scheme:
    """How one linear attacker weighs features.

    Attributes:
        spaces: the feature spaces it looks at.
        kind: "tfidf", "bm25" or "discriminant".
        k1, b: BM25's saturation and length correction; the first also ridge's strength.
    """

    name: str
    spaces: tuple[str, ...]
    kind: Literal["tfidf", "bm25", "discriminant"] = "tfidf"
    k1: float = 1.5
    b: float = 0.75


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("tfidf", ("word", "adjacent")),
        Scheme("words", ("word",)),
        Scheme("pairs", ("word", "pair")),
        Scheme("stems", ("stem",)),
        Scheme("grams", ("gram",)),
        Scheme("bm25", ("word",), "bm25"),
        Scheme("bm25_pairs", ("word", "pair"), "bm25", 2.0, 0.3),
        Scheme("discriminant", ("word", "pair"), "discriminant", 0.1),
    )
}
"""The linear attackers by name."""

DENSE = 60_000_000
"""Numbers (individuals times features) up to which a discriminant is trained."""


BLOCK = 1 << 18
"""Postings weighed at once, where no single feature has more: few enough for the cache."""


@dataclass(frozen=True, slots=True)
class _Block:
    """The postings of some features of one space, one feature after the other.

    Attributes:
        features: which of those asked for.
        spread: how many individuals have each.
        individuals, counts: the postings.
    """

    features: slice
    spread: NDArray[np.int64]
    individuals: NDArray[np.intp]
    counts: NDArray[np.uint16]

    def each(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """A value a feature as a value a posting."""
        import numpy as np

        own = values[self.features]
        return own if len(own) == 1 else np.repeat(own, self.spread)


class LinearAttacker:
    """One linear attacker on one population."""

    def __init__(self, population: Population, scheme: Scheme) -> None:
        self.name = scheme.name
        self.spaces = scheme.spaces
        self._population = population
        for space in scheme.spaces:
            population.space(space)  # a damaged one is told before any work
        self._scheme = scheme
        self.size = population.size

    def weigh(
        self,
        space: str,
        features: NDArray[np.uint64],
        amounts: NDArray[np.float64],
        onto: NDArray[np.float64],
    ) -> None:
        """Adds to scores what some features say of each individual.

        Args:
            features: of ``space``, distinct.
            amounts: how much each weighs in the document; parallel.
            onto: the scores of all individuals; changed in place.
        """
        import numpy as np

        if self._scheme.kind == "discriminant":
            plain = np.zeros(self.size)
            self._add(space, features, amounts, plain)
            onto += plain @ self._duals
        else:
            self._add(space, features, amounts, onto)

    def columns(
        self, space: str, features: NDArray[np.uint64], lookup: NDArray[np.int32]
    ) -> NDArray[np.float32]:
        """What each feature says of some individuals: shape (features, columns).

        Args:
            lookup: individual -> column, or -1.
        """
        import numpy as np

        trained = self._scheme.kind == "discriminant"
        wanted = np.arange(self.size, dtype=np.int32) if trained else lookup
        found = np.zeros((len(features), int(wanted.max()) + 1), dtype=np.float64)
        for block, idf in self._blocks(space, features):
            column = wanted[block.individuals]
            kept = np.flatnonzero(column >= 0)
            rows = np.repeat(np.arange(block.features.start, block.features.stop), block.spread)
            weights = self._weights(block.individuals[kept], block.counts[kept], idf[rows[kept]])
            found[rows[kept], column[kept]] = weights
        if trained:
            kept = np.flatnonzero(lookup >= 0)
            found = found @ self._duals[:, kept[np.argsort(lookup[kept])]]
        return found.astype(np.float32)

    def _add(
        self,
        space: str,
        features: NDArray[np.uint64],
        amounts: NDArray[np.float64],
        onto: NDArray[np.float64],
    ) -> None:
        import numpy as np

        for block, idf in self._blocks(space, features):
            people = block.individuals
            weights = self._weights(people, block.counts, block.each(idf)) * block.each(amounts)
            if len(block.spread) == 1:
                onto[people] += weights  # nobody has a feature twice
            elif len(people) * 4 < self.size:
                np.add.at(onto, people, weights)
            else:
                onto += np.bincount(people, weights, minlength=self.size)

    def _blocks(
        self, space: str, features: NDArray[np.uint64]
    ) -> Iterator[tuple[_Block, NDArray[np.float64]]]:
        """The postings of some features, a bounded number at once, and the idf of all."""
        import numpy as np

        held = self._population.space(space)
        rows = held.find(features)
        spread = held.spread(rows)
        idf = self._idf(spread)
        starts = held.starts[np.maximum(rows, 0)]
        ends = np.cumsum(spread)
        first = 0
        while first < len(rows):
            limit = int(ends[first] - spread[first]) + BLOCK
            last = max(first + 1, int(np.searchsorted(ends, limit, side="right")))
            part = slice(first, last)
            if last == first + 1:
                where: Any = slice(int(starts[first]), int(starts[first] + spread[first]))
            else:
                where = ranges(starts[part], spread[part])
            people = held.individuals[where].astype(np.intp)
            yield _Block(part, spread[part], people, held.counts[where]), idf
            first = last

    def _weights(
        self,
        people: NDArray[np.intp],
        counts: NDArray[np.uint16],
        idf: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """What postings say of their individuals, the document's amount left out."""
        import numpy as np

        often = counts.astype(np.float64)
        if self._scheme.kind == "bm25":
            k1 = self._scheme.k1
            found: NDArray[np.float64] = idf * often * (k1 + 1) / (often + self._saturation[people])
            return found
        weights: NDArray[np.float64] = idf * idf * (1 + np.log(often)) / self._norms[people]
        return weights

    def amounts(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much a feature weighs by its count in the document; 0 for count 0."""
        import numpy as np

        present = counts > 0
        if self._scheme.kind == "bm25":
            return present.astype(np.float64)
        return np.where(present, 1 + np.log(np.maximum(counts, 1)), 0.0)

    def _idf(self, spread: NDArray[np.int64]) -> NDArray[np.float64]:
        import numpy as np

        if self._scheme.kind == "bm25":
            found: NDArray[np.float64] = np.log1p((self.size - spread + 0.5) / (spread + 0.5))
            return found
        inverse: NDArray[np.float64] = inverse_spread(spread, self.size)
        return inverse

    @cached_property
    def _norms(self) -> NDArray[np.float32]:
        return self._population.norms(self.spaces)

    @cached_property
    def _saturation(self) -> NDArray[np.float64]:
        import numpy as np

        sizes = self._population.sizes()
        k1, b = self._scheme.k1, self._scheme.b
        saturation = k1 * (1 - b + b * sizes / max(float(sizes.mean()), 1e-9))
        return saturation.astype(np.float64)

    @cached_property
    def _duals(self) -> NDArray[np.float64]:
        """Ridge regression from texts to individuals in its dual form."""
        import numpy as np

        kernel = np.zeros((self.size, self.size))
        for name in self.spaces:
            kernel += self._products(self._population.space(name))
        kernel[np.diag_indices_from(kernel)] += self._scheme.k1
        return np.asarray(np.linalg.inv(kernel), dtype=np.float64)

    def _products(self, space: Space) -> NDArray[np.float64]:
        """Inner products of the individuals' TF-IDF vectors in one space."""
        import numpy as np

        found = np.zeros((self.size, self.size))
        step = max(1, 4_000_000 // self.size)
        for start in range(0, len(space.keys), step):
            starts = space.starts[start : start + step + 1]
            low, high = int(starts[0]), int(starts[-1])
            people = space.individuals[low:high]
            spread = np.diff(starts)
            block = np.zeros((len(spread), self.size))
            weights = (1 + np.log(space.counts[low:high])) * np.repeat(
                inverse_spread(spread, self.size), spread
            )
            block[np.repeat(np.arange(len(spread)), spread), people] = weights / self._norms[people]
            found += block.T @ block
        return found


def linear_attacker(population: Population, name: str) -> LinearAttacker:
    """The linear attacker called ``name``.

    Raises:
        ConfigError: if there is none, or the population is too large for it.
    """
    scheme = SCHEMES.get(name)
    if scheme is None:
        raise ConfigError(
            f"there is no attacker called {name!r}",
            remedy=f"Known: retrieval, {', '.join(SCHEMES)}, boolean, encoder, encoder:FOLDER.",
        )
    if not affordable(population, scheme):
        raise ConfigError(
            f"the population is too large for {name}, or was built without its features",
            where=str(population.folder),
            remedy="Leave it out of guard.ensemble.",
        )
    return LinearAttacker(population, scheme)


def affordable(population: Population, scheme: Scheme) -> bool:
    """Whether a scheme works on a population of this size and these features."""
    if not set(scheme.spaces) <= set(population.spaces):
        return False
    features = sum(population.about["features"][space] for space in scheme.spaces)
    return scheme.kind != "discriminant" or features * population.size <= DENSE
