"""A transformer that makes one vector of a text: mean pooling, centred, of length 1.

Sentence encoders put all texts of one kind into a narrow cone; what they have in common is
taken out (Mu and Viswanath 2018, All-but-the-top), so that individuals stand apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from intact.errors import ModelError
from intact.pretrained import MINILM, load_encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BASE = MINILM
_MASK = "[MASK]"


class Network:
    """One encoder.

    Args:
        base: name or folder of a transformers model.
        weights: trained ones, or None for the model's own.
        tokens: texts are cut there.
        batch: texts read at once.

    Raises:
        ModelError: if either cannot be loaded.
    """

    def __init__(self, base: str, weights: Path | None, tokens: int, batch: int) -> None:
        import torch

        self._tokenizer, self.module = load_encoder(base, "evaluation")
        self._tokens = tokens
        self._batch = batch
        if weights is not None:
            try:
                state = torch.load(weights, map_location="cpu", weights_only=True)
                self.module.load_state_dict(state)
            except Exception as error:  # noqa: BLE001 - whatever torch makes of a damaged file
                raise ModelError(
                    f"the encoder cannot be loaded ({type(error).__name__})",
                    where=str(weights),
                    remedy="Train it again: intact reid train POP -o FOLDER",
                ) from None
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.module.to(self.device)
        self._centre = torch.zeros(self.module.config.hidden_size, device=self.device)

    @property
    def centre(self) -> list[float]:
        """What is taken from every vector."""
        return [float(value) for value in self._centre.tolist()]

    def set_centre(self, centre: Sequence[float] | Vectors) -> None:
        """Takes ``centre`` from every vector from now on."""
        import torch

        self._centre = torch.tensor(list(map(float, centre)), device=self.device)

    def freeze(self, share: float) -> list[Any]:
        """Fixes a share of the weights, from the embeddings up; returns the others."""
        weights = list(self.module.parameters())
        fixed = int(len(weights) * share)
        for weight in weights[:fixed]:
            weight.requires_grad_(False)
        return weights[fixed:]

    def forward(self, texts: Sequence[str]) -> Any:
        """Vectors with gradients; shape (texts, dimensions)."""
        read = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=self._tokens, return_tensors="pt"
        ).to(self.device)
        mask = read["attention_mask"]
        states = self.module(input_ids=read["input_ids"], attention_mask=mask)
        return self._pooled(states.last_hidden_state, mask)

    def _pooled(self, states: Any, mask: Any) -> Any:
        import torch

        weights = mask.unsqueeze(-1).to(states.dtype)
        pooled = (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
        centred = torch.nn.functional.normalize(pooled, dim=1) - self._centre
        return torch.nn.functional.normalize(centred, dim=1)

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """A vector a text, texts cut at the window; batched by length."""
        import numpy as np
        import torch

        self.module.eval()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found: dict[int, Vectors] = {}
        with torch.inference_mode():
            for start in range(0, len(order), self._batch):
                group = order[start : start + self._batch]
                rows = self.forward([texts[at] for at in group]).float().cpu().numpy()
                found |= dict(zip(group, rows, strict=True))
        return np.stack([found[at] for at in range(len(texts))])

    def means(self, groups: Sequence[Sequence[str]]) -> Vectors:
        """A vector for each group of texts: the direction of their mean."""
        import numpy as np

        rows = self.vectors([text for group in groups for text in group])
        owners = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        total = np.zeros((len(groups), rows.shape[1]), dtype=np.float32)
        np.add.at(total, owners, rows)
        return unit(total)

    def shares(self, rows: Sequence[Sequence[str]], direction: Vectors) -> NDArray[np.float64]:
        """First-order effect of every word of some windows on ``direction`` · mean vector."""
        import numpy as np
        import torch

        if not rows:
            return np.zeros(0)
        self.module.eval()
        read = self._tokenizer(
            rows,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=self._tokens,
            return_tensors="pt",
        )
        inputs = read["input_ids"].to(self.device)
        table = self.module.get_input_embeddings()
        embedded = table(inputs).detach().requires_grad_(True)
        mask = read["attention_mask"].to(self.device)
        states = self.module(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        mean = self._pooled(states, mask).mean(dim=0)
        wanted = torch.tensor(direction, device=self.device)
        (mean @ wanted / mean.norm()).backward()
        masked = table(torch.tensor(self._tokenizer.mask_token_id, device=self.device))
        effect = (embedded.grad * (embedded - masked)).sum(dim=-1).detach().cpu().numpy()
        found = [np.zeros(len(row)) for row in rows]
        for at, row in enumerate(found):
            for place, word in enumerate(read.word_ids(at)):
                if word is not None:
                    row[word] += effect[at, place]
        return np.concatenate(found)


def windows(text: str, words: int) -> list[str]:
    """Pieces of ``words`` words; at least one."""
    every = text.split()
    return [" ".join(every[at : at + words]) for at in range(0, len(every), words)] or [""]


def masked_copy(text: str, random: Random) -> str:
    """``text`` with a random number of words masked, from none to all (Morris et al. 2022, 5)."""
    words = text.split()
    for at in random.sample(range(len(words)), random.randint(0, len(words))):
        words[at] = _MASK
    return " ".join(words)


def unit(vectors: Vectors) -> Vectors:
    """Vectors of length 1."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = vectors / np.maximum(lengths, 1e-9)
    return found
