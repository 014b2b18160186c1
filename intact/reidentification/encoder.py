"""A sentence encoder as an attacker: it compares the direction of a document's vectors with that of
each individual's.

The vectors of a text's windows are averaged. The mean vector of the population is subtracted first
(Mu and Viswanath 2018, All-but-the-top), so that individuals differ more.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intact.models.encoder import MINILM, load_encoder, minilm_folder
from intact.models.network import Array
from intact.reidentification.population import Population, windows

WORDS, TOKENS = 90, 128  # words of a window, and most tokens of it that are read


class EncoderReidentifier:
    """Scores an individual by the cosine of its mean vector and the document's."""

    name = "encoder"

    def __init__(self, population: Population, model: str = MINILM) -> None:
        """Load the encoder, and read the texts of all individuals: their mean vector, and the
        direction of each. ``model`` is "minilm" or the name or folder of a sentence-transformers
        model; raise a ``ModelError`` if it cannot be loaded."""
        self._encode = load_encoder(minilm_folder() if model == MINILM else model, TOKENS)
        rows, sizes = self._vectors(population.texts)
        self._centre = rows.mean(axis=0)
        self._known = self._directions(rows, sizes)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Score every individual for each text, shape (texts, individuals); a higher score is
        likelier."""
        return (self._directions(*self._vectors(texts)) @ self._known.T).astype(np.float64)

    def _vectors(self, texts: Sequence[str]) -> tuple[Array, list[int]]:
        """Return the unit vector of each window of the texts (90 words, none of them shared), shape
        (windows, dimensions), text after text; and the number of windows of each text."""
        groups = [windows(text.split(), WORDS, WORDS) for text in texts]
        rows = self._encode([" ".join(piece) for group in groups for piece in group])
        return rows, [len(group) for group in groups]

    def _directions(self, rows: Array, sizes: Sequence[int]) -> Array:
        """Return one vector of length 1 for each text, shape (texts, dimensions), in the direction
        of the mean of its windows' vectors, each less the population's mean and scaled to length 1.

        Args:
            rows: the vectors of all windows, text after text.
            sizes: the number of windows of each text.
        """
        apart = _unit(rows - self._centre)
        return _unit(np.add.reduceat(apart, np.cumsum([0, *sizes[:-1]]), axis=0))


def _unit(rows: Array) -> Array:
    """Return rows scaled to length 1; a row of zeros stays."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
