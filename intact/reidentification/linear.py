"""Attackers whose score is a sum over the features of a document.

What a feature adds to the score of an individual depends on how often the document has it and on
the individual's public text only. So what a word contributes is known exactly, and when a word
changes, scores change by that much: nothing is scored anew.

``tfidf`` and ``bm25`` look the document up in whole texts. ``ridge``, ``ridge_grams`` and
``naive_bayes`` learn from windows of the texts, plain and with names masked, whose they are
(Manzanares-Salor et al. 2024 and Pilán et al. 2024, 4.2, with linear models).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import ComplementNB

from intact.errors import ResourceError
from intact.reidentification.features import (
    Counts,
    Features,
    count,
    tokens,
    windows,
)
from intact.reidentification.population import Population

K1, B = 1.5, 0.75
"""Saturation and length correction of BM25 (Robertson and Zaragoza 2009, usual values)."""
STRENGTH, GRAM_STRENGTH = 0.1, 1.0
"""Of the ridge regressions on words and on character n-grams."""
SMOOTHING = 0.1
"""Of naive Bayes."""
MOST_WINDOWS = 8_000
"""Windows up to which an attacker is trained: time grows with their cube."""
MOST_NUMBERS = 100_000_000
"""Weights (features times individuals) that a trained attacker keeps at most."""

_NAME = re.compile(r"(?<=[\w,;)] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]*)*|\w*\d(?:[\w.,/-]*\w)?")


class LinearReidentifier:
    """One linear attacker on one population.

    Args:
        name: what rankings call it.
        spaces: the feature spaces that it looks at.
        keys: the features that it knows, ascending.
        weights: what each says of each individual, shape (features, individuals), sparse or not.
        counting: how a feature weighs by its count in the document: "log" (1 + ln count),
            "once", or "each" (the count).
    """

    def __init__(
        self,
        name: str,
        spaces: tuple[str, ...],
        keys: Features,
        weights: Any,
        counting: Literal["log", "once", "each"],
    ) -> None:
        self.name = name
        self.spaces = spaces
        self.size: int = weights.shape[1]
        self._keys = keys
        self._counting = counting
        if isinstance(weights, np.ndarray):
            self._weights: Any = np.vstack((weights, np.zeros((1, self.size), weights.dtype)))
        else:
            self._weights = csr_array(vstack((weights, csr_array((1, self.size)))))

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Shape (texts, individuals), more is likelier."""
        rows = [tokens(text) for text in texts]
        found = Counts.joined(list(count(rows, self.spaces).values()))
        held = found.matrix.astype(np.float64)
        held.data = self.amounts(held.data)
        scores = held.T @ self.weights(found.keys)
        return np.asarray(scores if isinstance(scores, np.ndarray) else scores.toarray())

    def weights(self, features: Features) -> Any:
        """What some features say of each individual.

        Args:
            features: in any order; unknown ones say nothing.

        Returns:
            Shape (features, individuals), a sparse array or a dense one.
        """
        return self._weights[self._rows(features)]

    def change(self, features: Features, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much the score of every individual rises where some features weigh so much more.

        Args:
            features: in any order; unknown ones say nothing.
            amounts: what each weighs more in the document; parallel.
        """
        rows = self.weights(features)
        if isinstance(rows, np.ndarray):
            return np.asarray(amounts @ rows, dtype=np.float64)
        values = rows.data * np.repeat(amounts, np.diff(rows.indptr))
        return np.bincount(rows.indices, values, self.size).astype(np.float64, copy=False)

    def lead(self, features: Features, individual: int, rival: int) -> NDArray[np.float64]:
        """How much more each feature says of an individual than of a rival.

        Args:
            features: in any order; unknown ones say nothing.
            individual: the number of one.
            rival: the number of another.
        """
        rows = self._rows(features)
        if isinstance(self._weights, np.ndarray):
            found = self._weights[rows, individual] - self._weights[rows, rival]
        else:
            found = self._column(individual, rows) - self._column(rival, rows)
        return np.asarray(found, dtype=np.float64)

    def _rows(self, features: Features) -> NDArray[np.int64]:
        """The row of each feature; of unknown ones the last, which is empty."""
        last = len(self._keys)
        rows = np.minimum(np.searchsorted(self._keys, features), max(last - 1, 0))
        return np.where(self._keys[rows] == features, rows, last) if last else rows

    def _column(self, individual: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Weights of one individual in some rows."""
        held = self._by_individual
        own = slice(held.indptr[individual], held.indptr[individual + 1])
        return np.asarray(_looked_up(held.indices[own], held.data[own], rows))

    @cached_property
    def _by_individual(self) -> csc_array:
        found = self._weights.tocsc()
        found.sort_indices()
        return found

    def amounts(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """How much a feature weighs by its count in the document; 0 for count 0."""
        if self._counting == "each":
            return counts.astype(np.float64)
        if self._counting == "once":
            return (counts > 0).astype(np.float64)
        return np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0)


def tfidf(population: Population) -> LinearReidentifier:
    """Cosine of TF-IDF vectors (logarithmic counts) of words and neighbouring words."""
    spaces = ("word", "pair", "adjacent")
    counts = Counts.joined([population.spaces[space] for space in spaces])
    vectors, idf = _vectors(counts)
    known = csr_array(vectors.T)
    known.data *= np.repeat(idf, np.diff(known.indptr))
    return LinearReidentifier("tfidf", spaces, counts.keys, known, "log")


def bm25(population: Population) -> LinearReidentifier:
    """BM25 with the document as the query (the word-matching model of Morris et al. 2022, 5)."""
    counts = population.spaces["word"]
    known = csr_array(counts.matrix, dtype=np.float64)
    spread = np.diff(known.indptr)
    idf = np.log1p((population.size - spread + 0.5) / (spread + 0.5))
    full = K1 * (1 - B + B * population.lengths / population.lengths.mean())
    known.data *= np.repeat(idf, spread) * (K1 + 1) / (known.data + full[known.indices])
    return LinearReidentifier("bm25", ("word",), counts.keys, known, "once")


def ridge(population: Population) -> LinearReidentifier:
    """Ridge regression from windows to individuals on words and neighbouring words."""
    return _ridge("ridge", population, ("word", "pair", "adjacent"), STRENGTH)


def ridge_grams(population: Population) -> LinearReidentifier:
    """The same on character n-grams."""
    return _ridge("ridge_grams", population, ("gram",), GRAM_STRENGTH)


def naive_bayes(population: Population) -> LinearReidentifier:
    """Complement naive Bayes on the words of windows (Rennie et al. 2003)."""
    counts, owners = _windows(population, ("word",), "naive_bayes")
    vectors, idf = _vectors(counts)
    rows = np.zeros((0, population.size))
    if len(counts.keys):
        rows = ComplementNB(alpha=SMOOTHING).fit(vectors, owners).feature_log_prob_.T
    rows = (rows - rows.mean(axis=1, keepdims=True)) * idf[:, None]
    return LinearReidentifier(
        "naive_bayes", ("word",), counts.keys, rows.astype(np.float32), "each"
    )


def _ridge(
    name: str, population: Population, spaces: tuple[str, ...], strength: float
) -> LinearReidentifier:
    """Solved in its dual form: as many unknowns as windows, whatever the features."""
    counts, owners = _windows(population, spaces, name)
    vectors, idf = _vectors(counts)
    wanted = np.zeros((len(owners), population.size))
    wanted[np.arange(len(owners)), owners] = 1
    kernel = (vectors @ vectors.T).toarray()
    kernel[np.diag_indices_from(kernel)] += strength
    duals = np.linalg.solve(kernel, wanted - wanted.mean(axis=0)).astype(np.float32)
    rows = (vectors.T.astype(np.float32) @ duals) * idf[:, None].astype(np.float32)
    return LinearReidentifier(name, spaces, counts.keys, rows, "log")


def _vectors(counts: Counts) -> tuple[csr_array, NDArray[np.float64]]:
    """TF-IDF vectors of length 1, shape (texts, features), and the IDF of each feature."""
    if not len(counts.keys):
        return csr_array((counts.matrix.shape[1], 0)), np.zeros(0)
    transformer = TfidfTransformer(sublinear_tf=True)
    vectors = transformer.fit_transform(counts.matrix.T.astype(np.float64))
    return csr_array(vectors), transformer.idf_


def _windows(
    population: Population, spaces: Sequence[str], name: str
) -> tuple[Counts, NDArray[np.int64]]:
    """The counted windows of all texts and of their copies with names masked, and their owners.

    Raises:
        ResourceError: if the population is too large to be learned.
    """
    rows: list[Sequence[str]] = []
    owners: list[int] = []
    for owner, text in enumerate(population.texts):
        for copy in (text, masked_copy(text)):
            own = windows(tokens(copy))
            rows += own
            owners += [owner] * len(own)
        if len(rows) > MOST_WINDOWS:
            break
    counts = Counts.joined(list(count(rows[:MOST_WINDOWS], spaces).values()))
    if len(rows) > MOST_WINDOWS or len(counts.keys) * population.size > MOST_NUMBERS:
        raise ResourceError(
            f"the population is too large for {name}",
            remedy="Leave it out of guard.also, or of --attackers.",
        )
    return counts, np.array(owners)


def _looked_up(keys: NDArray[Any], values: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
    """The value of each wanted key, 0 where it is not among the ascending ``keys``."""
    if not len(keys):
        return np.zeros(len(wanted))
    rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[rows] == wanted, values[rows], 0.0)


def masked_copy(text: str) -> str:
    """``text`` without names (capitalised words that begin no sentence) and numbers, as a
    sanitised document would be, so that an attacker learns from what is left there."""
    return _NAME.sub("", text)
