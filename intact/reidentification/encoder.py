"""A sentence encoder as attacker: whose windows does a document's direction go with?

The vectors of a text's windows are averaged; what those of the population have in common is taken
out (Mu and Viswanath 2018, All-but-the-top), so that individuals stand apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from intact.errors import loading, require
from intact.models.encoder import MINILM, minilm_folder
from intact.reidentification.population import Population, windows

WORDS, TOKENS, BATCH = 90, 128, 32  # words of a window, tokens read of it, and windows read at once
Vectors = NDArray[np.float32]


class EncoderReidentifier:
    """Cosine of a document's and an individual's mean vectors; see ``load_encoder``."""

    name = "encoder"

    def __init__(self, population: Population, model: str = MINILM) -> None:
        self._tokenizer, self._module = load_encoder(model)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._module.to(self._device).eval()
        self._centre = torch.zeros(self._module.config.hidden_size, device=self._device)
        rows, sizes = self._vectors(population.texts)
        self._centre = torch.tensor(rows.mean(axis=0), device=self._device)
        self._known = _means(_unit(rows - rows.mean(axis=0)), sizes)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Score every individual for each text, shape (texts, individuals); more is likelier."""
        return (_means(*self._vectors(texts)) @ self._known.T).astype(np.float64)

    def _vectors(self, texts: Sequence[str]) -> tuple[Vectors, list[int]]:
        """Encode the windows of texts as unit vectors, in batches by length; return these, and how
        many each text has."""
        groups = [windows(text.split(), WORDS, WORDS) for text in texts]
        pieces = [" ".join(piece) for group in groups for piece in group]
        order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))
        vectors = np.zeros((len(pieces), len(self._centre)), dtype=np.float32)
        how = {"padding": True, "truncation": True, "max_length": TOKENS, "return_tensors": "pt"}
        with torch.inference_mode():
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                some = [pieces[at] for at in batch]
                read = self._tokenizer(some, return_token_type_ids=False, **how).to(self._device)
                states = self._module(**read).last_hidden_state
                vectors[batch] = self._pooled(states, read["attention_mask"]).float().cpu().numpy()
        return vectors, [len(group) for group in groups]

    def _pooled(self, states: Any, mask: Any) -> Any:
        weights = mask.unsqueeze(-1).to(states.dtype)
        pooled = (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
        centred = torch.nn.functional.normalize(pooled, dim=1) - self._centre
        return torch.nn.functional.normalize(centred, dim=1)


def load_encoder(name: str) -> tuple[Any, Any]:
    """Load tokenizer and network by name or folder, or "minilm"; raise a ``ModelError`` if they
    cannot be."""
    transformers = require("transformers")
    path = minilm_folder() if name == MINILM else name
    remedy = "Give the name or folder of a transformers model, or minilm."
    with loading("the encoder cannot be loaded", f"model {name}", remedy):
        tokenizer = transformers.AutoTokenizer.from_pretrained(path)
        module = transformers.AutoModel.from_pretrained(path)
    return tokenizer, module


def _means(rows: Vectors, sizes: Sequence[int]) -> Vectors:
    """Average groups of rows, as long as ``sizes`` says, to unit vectors."""
    return _unit(np.add.reduceat(rows, np.cumsum([0, *sizes[:-1]]), axis=0))


def _unit(rows: Vectors) -> Vectors:
    unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
