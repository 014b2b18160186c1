"""Inference risk: how often what stands for a masked string gives the string back.

The closed-pool attack knows every masked string of the corpus, by type, and ranks them by their
similarity to the replacement: the strongest thing that can be asked of a replacement alone. A
string is guessed if it is among the first k.
"""

from __future__ import annotations

from collections.abc import Sequence

from intact.domain import EntityType
from intact.evaluation.pairs import MaskedString
from intact.protocols import Embedder


def closed_pool_ranks(strings: Sequence[MaskedString], embedder: Embedder) -> list[int]:
    """For each string the number of other originals of its type that are nearer to its
    replacement than its own: 0 means guessed at once. -1 where nothing stands for the string."""
    import numpy as np

    ranks = [-1] * len(strings)
    for entity_type in sorted({string.entity_type for string in strings}):
        chosen = [
            index
            for index, string in enumerate(strings)
            if string.entity_type == entity_type and string.after.strip()
        ]
        if not chosen:
            continue
        pool = sorted({s.before for s in strings if s.entity_type == entity_type})
        row = {text: index for index, text in enumerate(pool)}
        afters = sorted({strings[index].after.strip() for index in chosen})
        column = {text: index for index, text in enumerate(afters)}
        near = embedder.embed(afters) @ embedder.embed(pool).T
        for index in chosen:
            values = near[column[strings[index].after.strip()]]
            own = values[row[strings[index].before]]
            ranks[index] = int(np.count_nonzero(values > own))
    return ranks


def attackable(entity_type: str) -> bool:
    """Whether strings of this type are attacked: names and codes only ever become labels."""
    return entity_type not in EntityType.NEVER_GENERALISED
