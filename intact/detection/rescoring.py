"""A second opinion on what was found: how likely it is that a find says something of somebody.

Each finder scores its own finds, and a rule gives all sentences the same score. What the tagger's
network reads at the place, who found it, and as what, say more: a log-linear model of these was
trained on documents that the tagger did not learn from (``eval/documents/rescoring.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from safetensors.numpy import load_file

from intact.detection.kinds import mention_features
from intact.detection.tagger import Tagger, load_tagger
from intact.errors import ModelError, loading
from intact.models.network import Array
from intact.protocols import Detected
from intact.shipped import RESCORER

SOURCES = ("patterns", "knowledge", "tagger")
_BEFORE = 2 + 2 * len(SOURCES)  # features of a find before those of its kind
_SURE = 0.9


class Rescorer:
    """Scores finds again, in their sentences.

    Args:
        tagger: whose network reads.
        weights: ``find`` and ``states``, shapes (find features,) and (3 * dimensions,); ``bias``,
            shape (1,); ``kinds``, the names of the kinds that ``find`` has weights for, in their
            order, in UTF-8, one per line. For any other kind, the kind has no weight.
        threshold: score from which a find counts, in [0, 1].

    Raises:
        ModelError: if the number of weights is not that of the kinds.
    """

    def __init__(self, tagger: Tagger, weights: Mapping[str, Array], threshold: float) -> None:
        self._kinds = bytes(weights["kinds"]).decode("utf-8", "replace").split("\n")
        if len(weights["find"]) != _BEFORE + len(self._kinds):
            raise ModelError("the weights are not one for each kind of find")
        self._tagger, self.threshold = tagger, threshold
        self._weights = np.concatenate([weights["find"], weights["states"]]).astype(np.float32)
        self._bias = float(weights["bias"][0])

    def rescore(self, text: str, found: Sequence[Detected]) -> Array:
        """Score each find, shape (finds,), in [0, 1]: the probability that it says something of
        somebody, where a direct identifier counts as much as eight others.

        Args:
            text: the document.
            found: by any detectors, at least one.
        """
        logits = find_features(self._tagger, text, found, self._kinds) @ self._weights + self._bias
        scores: Array = 1 / (1 + np.exp(-logits))
        return scores


def find_features(
    tagger: Tagger, text: str, found: Sequence[Detected], kinds: Sequence[str]
) -> Array:
    """Describe finds by who found them, as what, and by what the network reads there.

    Args:
        tagger: whose network reads.
        text: the document.
        found: at least one.
        kinds: the names of the kinds that have a feature; a find of another kind has none of them
            set.

    Returns:
        Shape (finds, find features + 3 * dimensions).
    """
    rows = [
        (
            one.score,
            one.score >= _SURE,
            *(source in one.sources for source in SOURCES),
            *(one.sources == (source,) for source in SOURCES),
            *(one.kind == kind for kind in kinds),
        )
        for one in found
    ]
    states, _ = mention_features(tagger, text, [one.mention.span for one in found])
    return np.hstack([np.array(rows, dtype=np.float32), states])


def load_rescorer(threshold: float) -> Rescorer:
    """Load the shipped weights, for the shipped tagger.

    Args:
        threshold: score from which a find counts, in [0, 1].

    Raises:
        ModelError: if they are missing or damaged.
    """
    with loading("the second opinion on finds cannot be read", RESCORER):
        return Rescorer(load_tagger(), load_file(RESCORER), threshold)
