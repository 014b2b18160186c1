"""A sentence encoder as attacker: whose windows does a document's direction go with?

The vectors of a text's windows are averaged; what those of the population have in common is taken
out (Mu and Viswanath 2018, All-but-the-top), so that individuals stand apart.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intact.models.encoder import MINILM, load_encoder, minilm_folder
from intact.models.network import Array
from intact.reidentification.population import Population, windows

WORDS, TOKENS = 90, 128  # words of a window, and tokens read of it


class EncoderReidentifier:
    """Cosine of a document's and an individual's mean vectors."""

    name = "encoder"

    def __init__(self, population: Population, model: str = MINILM) -> None:
        self._encode = load_encoder(minilm_folder() if model == MINILM else model, TOKENS)
        rows, sizes = self._vectors(population.texts)
        self._centre = rows.mean(axis=0)
        self._known = self._directions(rows, sizes)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Score every individual for each text, shape (texts, individuals); more is likelier."""
        return (self._directions(*self._vectors(texts)) @ self._known.T).astype(np.float64)

    def _vectors(self, texts: Sequence[str]) -> tuple[Array, list[int]]:
        """Encode the windows of texts as unit vectors; return these, and how many each text has."""
        groups = [windows(text.split(), WORDS, WORDS) for text in texts]
        rows = self._encode([" ".join(piece) for group in groups for piece in group])
        return rows, [len(group) for group in groups]

    def _directions(self, rows: Array, sizes: Sequence[int]) -> Array:
        """Average the windows of each text, less what all have in common, to unit vectors."""
        apart = _unit(rows - self._centre)
        return _unit(np.add.reduceat(apart, np.cumsum([0, *sizes[:-1]]), axis=0))


def _unit(rows: Array) -> Array:
    unit: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
