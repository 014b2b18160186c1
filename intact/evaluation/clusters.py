"""Do documents still fall into the same groups? (Pilán et al. 2024, 5.5, extrinsic evaluation)

Documents are embedded as the mean of their windows' embeddings and clustered by k-means, the
originals and the edited ones alike; NMI compares the two clusterings. k is the number of clusters,
from 2 to 10, that gives the originals the best silhouette; each clustering is the best of 50
random starts, and the score the mean of five such pairs. Both clusterings of a pair start from
the same seed, so unedited documents score exactly 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intact.domain import Score
from intact.errors import NotMeasuredError
from intact.evaluation.measure import Means, Measure, Pairs
from intact.evaluation.statistics import sign
from intact.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WINDOW = 150  # words: within the 256 tokens that MiniLM reads
_LARGEST_K = 10
_STARTS = 50
_RUNS = 5
_FEWEST = 4
_RESAMPLES = 200


class ClusterAgreement(Measure):
    """Normalised mutual information of the clusterings of originals and edited documents."""

    name = "nmi"
    title = "Cluster agreement (NMI)"
    better = "higher"
    source = "Pilán et al. 2024, 5.5"

    def __init__(self, means: Means) -> None:
        super().__init__(means)
        self._known: tuple[tuple[str, ...], list[NDArray[np.int32]], int] | None = None

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score; its interval is a bootstrap over documents of the mean over the runs.

        Raises:
            NotMeasuredError: for fewer than four documents.
        """
        import numpy as np
        from sklearn.metrics import normalized_mutual_info_score as nmi

        if len(pairs) < _FEWEST:
            raise NotMeasuredError(f"clustering needs {_FEWEST} documents at least")
        originals, k = self._originals(tuple(p.document.text for p in pairs))
        after = document_vectors(self.means.embedder, [p.text for p in pairs])
        both = [
            (own, clusters(after, k, self.means.seed + run)) for run, own in enumerate(originals)
        ]
        signature = sign(
            self.name,
            encoder=self.means.embedder.name,
            k=k,
            starts=_STARTS,
            runs=_RUNS,
            n=len(pairs),
            seed=self.means.seed,
        )
        value = sum(float(nmi(own, new)) for own, new in both) / len(both)
        draw = np.random.default_rng(self.means.seed)
        resampled = []
        for _ in range(_RESAMPLES):
            rows = draw.integers(len(pairs), size=len(pairs))
            resampled.append(sum(float(nmi(own[rows], new[rows])) for own, new in both) / len(both))
        low, high = np.percentile(resampled, (2.5, 97.5))
        return (Score(self.name, value, len(pairs), signature, (float(low), float(high))),)

    def _originals(self, texts: tuple[str, ...]) -> tuple[list[NDArray[np.int32]], int]:
        if self._known is None or self._known[0] != texts:
            vectors = document_vectors(self.means.embedder, texts)
            k = best_k(vectors, self.means.seed)
            found = [clusters(vectors, k, self.means.seed + run) for run in range(_RUNS)]
            self._known = (texts, found, k)
        return self._known[1], self._known[2]


def document_vectors(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float64]:
    """Mean of the embeddings of each text's windows of 150 words, shape (texts, dimensions)."""
    import numpy as np

    windows = [_windows(text) for text in texts]
    vectors = embedder.embed([window for group in windows for window in group])
    rows, start = [], 0
    for group in windows:
        rows.append(vectors[start : start + len(group)].astype(float).mean(axis=0))
        start += len(group)
    return np.stack(rows)


def best_k(vectors: NDArray[np.float64], seed: int) -> int:
    """The number of clusters with the best silhouette, at most ten."""
    from sklearn.metrics import silhouette_score

    largest = min(_LARGEST_K, len(vectors) - 1)
    quality = {
        k: float(silhouette_score(vectors, labels))
        for k in range(2, largest + 1)
        if len(set((labels := clusters(vectors, k, seed)).tolist())) > 1
    }
    return max(quality, key=lambda k: (quality[k], -k), default=2)


def clusters(vectors: NDArray[np.float64], k: int, seed: int) -> NDArray[np.int32]:
    """Cluster of each row: the best of 50 random starts."""
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):  # threads only cost on so few rows
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct texts than k
        model = KMeans(k, n_init=_STARTS, random_state=seed).fit(vectors)
    labels: NDArray[np.int32] = model.labels_
    return labels


def _windows(text: str) -> list[str]:
    words = text.split() or [""]
    return [" ".join(words[at : at + _WINDOW]) for at in range(0, len(words), _WINDOW)]
