"""How much of a text's meaning what stands for it keeps (Pilán et al. 2024, eq. 6)."""

from __future__ import annotations

from collections.abc import Sequence

from intact.protocols import Embedder


def similarities(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Cosine of the embeddings of each (original, replacement), clipped to [0, 1].

    1 where both are equal, 0 where nothing stands for the original.
    """
    wanted = [
        (before.strip(), after.strip())
        for before, after in pairs
        if before.strip() and after.strip() and before.strip() != after.strip()
    ]
    texts = sorted({text for pair in wanted for text in pair})
    row = {text: index for index, text in enumerate(texts)}
    vectors = embedder.embed(texts)
    known = {
        pair: min(1.0, max(0.0, float(vectors[row[pair[0]]] @ vectors[row[pair[1]]])))
        for pair in dict.fromkeys(wanted)
    }
    return [_similarity(before.strip(), after.strip(), known) for before, after in pairs]


def _similarity(before: str, after: str, known: dict[tuple[str, str], float]) -> float:
    if before == after:
        return 1.0
    return known.get((before, after), 0.0)
