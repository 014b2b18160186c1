"""Attacks that look the sanitised document up in the background: TF-IDF and BM25."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_K1, _B = 1.5, 0.75  # Robertson and Zaragoza 2009, usual values


class TfidfAttack:
    """Cosine of TF-IDF vectors over words and word pairs, logarithmic counts, no stop words."""

    name = "tfidf"

    def fit(self, background: Sequence[str]) -> None:
        """Learns the background: one text an individual."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer: Any = TfidfVectorizer(
            sublinear_tf=True, ngram_range=(1, 2), stop_words="english"
        )
        self._known = self._vectorizer.fit_transform(background)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Shape (texts, individuals), more is likelier."""
        found: NDArray[np.float64] = (self._vectorizer.transform(texts) @ self._known.T).toarray()
        return found


class Bm25Attack:
    """BM25 with the sanitised document as the query (the word-matching model of Morris et al.
    2022, 5)."""

    name = "bm25"

    def fit(self, background: Sequence[str]) -> None:
        """Learns the background: one text an individual."""
        import numpy as np
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        self._vectorizer: Any = CountVectorizer(stop_words="english")
        counts = self._vectorizer.fit_transform(background).tocoo()
        length = np.bincount(counts.row, counts.data, minlength=len(background))
        seen = np.bincount(counts.col, minlength=counts.shape[1])
        idf = np.log1p((len(background) - seen + 0.5) / (seen + 0.5))
        norm = _K1 * (1 - _B + _B * length / max(float(length.mean()), 1e-9))
        weights = idf[counts.col] * counts.data * (_K1 + 1) / (counts.data + norm[counts.row])
        self._known = csr_matrix((weights, (counts.row, counts.col)), counts.shape)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Shape (texts, individuals), more is likelier."""
        queries = self._vectorizer.transform(texts)
        queries.data[:] = 1  # each query word counts once
        found: NDArray[np.float64] = (queries.astype(float) @ self._known.T).toarray()
        return found
