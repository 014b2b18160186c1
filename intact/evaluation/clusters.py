"""Do documents still fall into the same groups? (Pilán et al. 2024, 5.5, extrinsic evaluation)

Documents are embedded as the mean of their windows' embeddings and clustered by k-means, the
originals and the edited ones alike; NMI compares the two clusterings. Each clustering is the best
of 50 random starts, each figure the mean of five such pairs. Both clusterings of a pair start from
the same seed, so unedited documents score exactly 1.

On a hundred documents of one kind, one k decides little: a small change of the texts was seen to
turn .14 into .85 at the k with the best silhouette. So the score is the mean over k from 4 to 10;
the k of the paper (4) and of the silhouette are parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score as nmi
from sklearn.metrics import silhouette_score
from threadpoolctl import threadpool_limits

from intact.domain import Score
from intact.errors import NotMeasuredError
from intact.evaluation.metric import EvaluationContext, Metric, Pairs
from intact.evaluation.statistics import sign
from intact.protocols import Embedder

_Pair = tuple[NDArray[np.int32], NDArray[np.int32]]

_WINDOW = 150  # words: within the 256 tokens that MiniLM reads
_LARGEST_K = 10
_STARTS = 50
_RUNS = 5
_SPREAD = range(4, 11)
_FEWEST = 6
_RESAMPLES = 100


class ClusterAgreement(Metric):
    """Normalised mutual information of the clusterings of originals and edited documents, mean
    over 4 to 10 clusters. Parts: 4 clusters, as in the paper, and as many as give the originals
    the best silhouette."""

    name = "nmi"
    title = "Cluster agreement (NMI)"
    better = "higher"
    source = "Pilán et al. 2024, 5.5"

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._texts: tuple[str, ...] = ()
        self._known: dict[int, list[NDArray[np.int32]]] = {}
        self._best_k = 2

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Mean over k, k = 4, k by silhouette; intervals are bootstraps over documents.

        Raises:
            NotMeasuredError: for fewer than six documents.
        """
        if len(pairs) < _FEWEST:
            raise NotMeasuredError(f"clustering needs {_FEWEST} documents at least")
        self._cluster_originals(tuple(p.document.text for p in pairs))
        after = document_vectors(self.context.embedder, [p.text for p in pairs])
        both = {
            k: [
                (own, clusters(after, k, self.context.seed + run))
                for run, own in enumerate(originals)
            ]
            for k, originals in self._known.items()
        }
        spread = [k for k in both if k in _SPREAD]
        parts = {self.name: spread, f"{self.name}/k4": [min(spread)]}
        parts[f"{self.name}/silhouette"] = [self._best_k]
        return tuple(self._score(name, ks, both, len(pairs)) for name, ks in parts.items())

    def _cluster_originals(self, texts: tuple[str, ...]) -> None:
        if self._texts == texts:
            return
        vectors = document_vectors(self.context.embedder, texts)
        self._texts, self._best_k = texts, best_k(vectors, self.context.seed)
        wanted = sorted({*(k for k in _SPREAD if k < len(texts)), self._best_k})
        self._known = {
            k: [clusters(vectors, k, self.context.seed + run) for run in range(_RUNS)]
            for k in wanted
        }

    def _score(
        self, name: str, ks: Sequence[int], both: Mapping[int, Sequence[_Pair]], n: int
    ) -> Score:
        chosen = [pair for k in ks for pair in both[k]]
        draw = np.random.default_rng(self.context.seed)
        means = [_agreement(chosen, draw.integers(n, size=n)) for _ in range(_RESAMPLES)]
        low, high = np.percentile(means, (2.5, 97.5))
        signature = sign(
            name,
            encoder=self.context.embedder.name,
            k="-".join(map(str, sorted({ks[0], ks[-1]}))),
            starts=_STARTS,
            runs=_RUNS,
            n=n,
            seed=self.context.seed,
        )
        value = _agreement(chosen, np.arange(n))
        return Score(name, value, n, signature, (float(low), float(high)))


def _agreement(pairs: Sequence[_Pair], rows: NDArray[np.int64]) -> float:
    return sum(float(nmi(own[rows], new[rows])) for own, new in pairs) / len(pairs)


def document_vectors(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float64]:
    """Mean of the embeddings of each text's windows of 150 words, shape (texts, dimensions).

    Args:
        embedder: gives unit vectors.
        texts: whole documents.
    """
    windows = [_windows(text) for text in texts]
    vectors = embedder.embed([window for group in windows for window in group])
    rows, start = [], 0
    for group in windows:
        rows.append(vectors[start : start + len(group)].astype(float).mean(axis=0))
        start += len(group)
    return np.stack(rows)


def best_k(vectors: NDArray[np.float64], seed: int) -> int:
    """The number of clusters with the best silhouette, at most ten.

    Args:
        vectors: shape (documents, dimensions).
        seed: of the random starts.
    """

    largest = min(_LARGEST_K, len(vectors) - 1)
    quality = {
        k: float(silhouette_score(vectors, labels))
        for k in range(2, largest + 1)
        if len(set((labels := clusters(vectors, k, seed)).tolist())) > 1
    }
    return max(quality, key=lambda k: (quality[k], -k), default=2)


def clusters(vectors: NDArray[np.float64], k: int, seed: int) -> NDArray[np.int32]:
    """Cluster of each row: the best of 50 random starts.

    Args:
        vectors: shape (documents, dimensions).
        k: clusters.
        seed: of the random starts.
    """

    with warnings.catch_warnings(), threadpool_limits(1):  # threads only cost on so few rows
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct texts than k
        model = KMeans(k, n_init=_STARTS, random_state=seed).fit(vectors)
    labels: NDArray[np.int32] = model.labels_
    return labels


def _windows(text: str) -> list[str]:
    words = text.split() or [""]
    return [" ".join(words[at : at + _WINDOW]) for at in range(0, len(words), _WINDOW)]
