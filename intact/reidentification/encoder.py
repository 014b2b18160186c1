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
        groups = [_pieces(text.split()) for text in population.texts]
        rows = self._vectors([piece for group in groups for piece in group])
        self._centre = torch.tensor(rows.mean(axis=0), device=self._device)
        self._known = _means(_unit(rows - rows.mean(axis=0)), [len(group) for group in groups])

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Score every individual for each text, shape (texts, individuals); more is likelier."""
        groups = [_pieces(text.split()) for text in texts]
        rows = self._vectors([piece for group in groups for piece in group])
        return (_means(rows, [len(group) for group in groups]) @ self._known.T).astype(np.float64)

    def leads(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """Estimate how much each word raises an individual's score over a rival's, shape (words,):
        the gradient of the difference times what masking the word would change in its embedding.

        Args:
            words: of the document, in order.
            individual: its number.
            rival: that of another one.
        """
        rows = [list(words[at : at + WORDS]) for at in range(0, len(words), WORDS)]
        if not rows:
            return np.zeros(0)
        read = self._read(rows, is_split_into_words=True)
        table = self._module.get_input_embeddings()
        embedded = table(read["input_ids"]).detach().requires_grad_(True)
        mask = read["attention_mask"]
        states = self._module(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        mean = self._pooled(states, mask).mean(dim=0)
        wanted = torch.tensor(self._known[individual] - self._known[rival], device=self._device)
        (mean @ wanted / mean.norm()).backward()
        masked = table(torch.tensor(self._tokenizer.mask_token_id, device=self._device))
        effect = (embedded.grad * (embedded - masked)).sum(dim=-1).detach().cpu().numpy()
        own = [np.zeros(len(row)) for row in rows]
        for at, row in enumerate(own):
            for place, word in enumerate(read.word_ids(at)):
                if word is not None:
                    row[word] += effect[at, place]
        return np.concatenate(own)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """Encode texts as unit vectors; they are read in batches by length."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        vectors = np.zeros((len(texts), len(self._centre)), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), BATCH):
                group = order[start : start + BATCH]
                read = self._read([texts[at] for at in group])
                states = self._module(**read).last_hidden_state
                vectors[group] = self._pooled(states, read["attention_mask"]).float().cpu().numpy()
        return vectors

    def _read(self, texts: Sequence[Any], **options: bool) -> Any:
        cut = {"padding": True, "truncation": True, "max_length": TOKENS}
        given = {"return_tensors": "pt", "return_token_type_ids": False}
        return self._tokenizer(list(texts), **cut, **given, **options).to(self._device)

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


def _pieces(words: Sequence[str]) -> list[str]:
    return [" ".join(piece) for piece in windows(words, WORDS, WORDS)]


def _means(rows: Vectors, sizes: Sequence[int]) -> Vectors:
    """Average groups of rows, as long as ``sizes`` says, to unit vectors."""
    return _unit(np.add.reduceat(rows, np.cumsum([0, *sizes[:-1]]), axis=0))


def _unit(rows: Vectors) -> Vectors:
    unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
