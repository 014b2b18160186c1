"""The linear layer: from a word's states, its neighbours' and its features to its tag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intact.detection.tagger.words import BUCKETS
from intact.domain import ENTITY_TYPES

if TYPE_CHECKING:
    from torch import Tensor

TAGS = ("O", *(f"{place}-{kind}" for kind in ENTITY_TYPES for place in "BI"))
"""Outside, or the first and a further word of a mention of each type."""

CONTEXT = 1
"""So many neighbours on each side have their states read, too."""


@dataclass(frozen=True, slots=True)
class Head:
    """Weights: ``states`` (tags, dimensions x neighbours), ``bias`` (tags), ``table`` (BUCKETS,
    tags), one row for each feature."""

    states: Any
    bias: Any
    table: Any

    @classmethod
    def new(cls, dimensions: int) -> Head:
        """Small random weights from torch's generator; features start at nothing."""
        import torch

        width = dimensions * (2 * CONTEXT + 1)
        states = torch.nn.init.normal_(torch.empty(len(TAGS), width), std=width**-0.5)
        return cls(states, torch.zeros(len(TAGS)), torch.zeros(BUCKETS, len(TAGS)))

    def logits(self, states: Tensor, buckets: Tensor) -> Tensor:
        """Shape (words, tags), for the words of one text in order."""
        import torch
        from torch.nn import functional

        padded = functional.pad(states, (0, 0, CONTEXT, CONTEXT))
        size = len(states)
        beside = torch.cat([padded[at : at + size] for at in range(2 * CONTEXT + 1)], dim=1)
        known = functional.embedding_bag(buckets, self.table, mode="sum")
        return functional.linear(beside, self.states, self.bias) + known

    def tensors(self) -> dict[str, Any]:
        """The weights by name."""
        return {"states": self.states, "bias": self.bias, "table": self.table}
