"""The entailment network while it learns; ``intact.models.entailment`` says what it computes.

The lower layers of its encoder stay as they are; what they make of a text is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray
from onnx_bert import encode_bert
from torch import Tensor, nn
from torch.nn import functional

from intact.models.entailment import HEADS, TYPES, Pair
from intact.models.network import Network

UNITS = 192
FROZEN = 4  # lower layers
_PARTS = 4  # into which the texts of a batch are divided by their length


def _layer(name: str) -> int:
    """Return the number of the layer that weights are of, -1 for the embeddings."""
    own = name.removeprefix("encoder.layer.")
    return int(own.partition(".")[0]) if own != name else -1


def _in_heads(states: Tensor) -> Tensor:
    """Return states, shape (texts, tokens, width), as (texts, heads, tokens, ...)."""
    texts, tokens, width = states.shape
    return states.view(texts, tokens, HEADS, width // HEADS).transpose(1, 2)


def mean(states: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean of chosen states, shape (rows, width)."""
    weights = chosen.float() / chosen.sum(dim=1, keepdim=True)
    found: Tensor = torch.einsum("rt,rtd->rd", weights, states)
    return found


class EntailmentModel(nn.Module):
    """Scores whether phrases follow from mentions in their sentences.

    Args:
        weights: of a BERT encoder by their names in transformers.
    """

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__()
        upper = {name for name in weights if _layer(name) >= FROZEN}
        below = {name: value for name, value in weights.items() if name not in upper}
        self.encoder = Network(encode_bert(below, HEADS))
        self.upper = nn.ParameterDict(
            {name.replace(".", "/"): nn.Parameter(torch.tensor(weights[name])) for name in upper}
        )
        self.layers = range(FROZEN, 1 + max(map(_layer, weights)))
        width = weights["embeddings.word_embeddings.weight"].shape[1]
        self.ask, self.key, self.value, self.out = (
            nn.Parameter(torch.randn(width, width) * 0.03) for _ in range(4)
        )
        self.units = nn.Linear(8 * width, UNITS)
        self.score = nn.Linear(UNITS, 1)
        self.near = nn.Parameter(torch.tensor([6.0, 3.0]))
        self.types = nn.Parameter(torch.full((len(TYPES),), -3.0))
        self.drop = nn.Dropout(0.2)
        self.states: dict[tuple[int, ...], Tensor] = {}

    def remember(self, rows: Iterable[Sequence[int]]) -> None:
        """Read texts, each once."""
        missing = sorted({tuple(row) for row in rows} - self.states.keys(), key=len)
        for _, same in groupby(missing, len):
            those = list(same)
            for some in (those[at : at + 32] for at in range(0, len(those), 32)):
                (states,) = self.encoder.read(["states"], ids=np.array(some))
                self.states |= zip(some, torch.from_numpy(states).half(), strict=True)

    def encode(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return the last states of texts, shape (texts, tokens, width), and what is real."""
        self.remember(rows)
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        size, width = -(-len(rows) // _PARTS), max(map(len, rows))
        read = []
        for part in (order[at : at + size] for at in range(0, len(rows), size)):
            states = self._pad([self.states[tuple(rows[at])].float() for at in part])
            real = self._pad([torch.ones(len(rows[at]), dtype=torch.bool) for at in part])
            for own in (f"encoder/layer/{layer}/" for layer in self.layers):
                states = self._layer(states, real, own)
            read.append(functional.pad(states, (0, 0, 0, width - states.shape[1])))
        real = self._pad([torch.ones(len(row), dtype=torch.bool) for row in rows])
        return torch.cat(read)[torch.tensor(order).argsort()], real

    @staticmethod
    def _pad(rows: Sequence[Tensor]) -> Tensor:
        return nn.utils.rnn.pad_sequence(list(rows), batch_first=True)

    def _layer(self, states: Tensor, real: Tensor, own: str) -> Tensor:
        query, key, value = (
            _in_heads(self._linear(states, f"{own}attention/self/{part}"))
            for part in ("query", "key", "value")
        )
        heard = functional.scaled_dot_product_attention(query, key, value, real[:, None, None])
        heard = self._linear(heard.transpose(1, 2).flatten(2), f"{own}attention/output/dense")
        states = self._normed(states + heard, f"{own}attention/output/LayerNorm")
        wide = functional.gelu(self._linear(states, f"{own}intermediate/dense"))
        bent = self._linear(wide, f"{own}output/dense")
        return self._normed(states + bent, f"{own}output/LayerNorm")

    def _linear(self, states: Tensor, name: str) -> Tensor:
        return functional.linear(states, self.upper[f"{name}/weight"], self.upper[f"{name}/bias"])

    def _normed(self, states: Tensor, name: str) -> Tensor:
        weight, bias = self.upper[f"{name}/weight"], self.upper[f"{name}/bias"]
        return functional.layer_norm(states, states.shape[-1:], weight, bias, 1e-12)

    def forward(self, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """Return a logit for each phrase of each pair in order, shape (phrases,), and how near each
        phrase is to each mention, shape (phrases, mentions)."""
        owner = torch.tensor([row for row, one in enumerate(pairs) for _ in one.phrases])
        sentence, real = self.encode([one.sentence for one in pairs])
        alone, alone_real = self.encode([one.mention for one in pairs])
        phrase, phrase_real = self.encode([ids for one in pairs for ids in one.phrases])
        inside = torch.zeros_like(real)
        for row, one in enumerate(pairs):
            inside[row, one.inside] = True
        context, mention = mean(sentence, inside), mean(alone, alone_real)
        said = mean(phrase, phrase_real)
        seen = torch.cat([sentence, alone], dim=1)
        shown = torch.cat([real, alone_real], dim=1)[owner]
        asks, keys, values = (
            _in_heads(states @ matrix)
            for states, matrix in ((phrase, self.ask), (seen, self.key), (seen, self.value))
        )
        heard = functional.scaled_dot_product_attention(
            asks, keys[owner], values[owner], shown[:, None, None]
        )
        heard = heard.transpose(1, 2).flatten(2) @ self.out
        read = mean(heard, phrase_real)
        m, c = mention[owner], context[owner]
        features = torch.cat(
            [read, m, c, said, m * said, (m - said).abs(), c * said, (c - said).abs()], dim=1
        )
        unit = functional.normalize(said)
        near = torch.stack([unit @ functional.normalize(each).T for each in (mention, context)])
        types = self.types[torch.tensor([one.type for one in pairs])]
        close = torch.einsum("k,kpm->pm", self.near, near)
        rows = torch.arange(len(owner))
        logits = self.score(self.drop(torch.relu(self.units(features))))[:, 0]
        return logits + close[rows, owner] + types[owner], close
