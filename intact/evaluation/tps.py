"""Text Preserved Similarity and Text Preserved Information (Pilán et al. 2024, eq. 4-7).

TPS(D', D) = sum over the terms t of D of RIC(t) * sim(t, what stands for t), RIC(t) = IC(t)/TIC.
TPI is the same with similarity 1 where a term is untouched and 0 where it is not. Terms are taken
from the original alone, so every system is weighed with the same weights, which sum to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Document, Edit
from intact.evaluation.information import InformationContent
from intact.evaluation.regions import regions
from intact.evaluation.similarity import similarities
from intact.evaluation.terms import Term, TermSplitter, document_terms
from intact.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Weighted:
    """A document's terms with their information content in bits."""

    document: Document
    terms: tuple[Term, ...]
    bits: tuple[float, ...]


def weigh(document: Document, splitter: TermSplitter, information: InformationContent) -> Weighted:
    """The terms of ``document`` and their bits; done once, used for every system."""
    terms = document_terms(document, splitter)
    return Weighted(document, terms, tuple(information.bits(document.text, terms)))


@dataclass(frozen=True, slots=True)
class Preserved:
    """What one edited document keeps, both in [0, 1]."""

    similarity: float
    information: float


def preserved(
    weighted: Sequence[Weighted], edits: Sequence[Sequence[Edit]], embedder: Embedder
) -> list[Preserved]:
    """TPS and TPI of each document under its edits; 1 for a document without information."""
    split = [
        regions(w.document.text, [term.span for term in w.terms], e)
        for w, e in zip(weighted, edits, strict=True)
    ]
    near = iter(
        similarities(
            embedder,
            [
                (region.span.of(w.document.text), region.after)
                for w, found in zip(weighted, split, strict=True)
                for region in found
                if region.touched
            ],
        )
    )
    scores = []
    for w, found in zip(weighted, split, strict=True):
        total = kept = untouched = 0.0
        for region in found:
            bits = sum(w.bits[unit] for unit in region.units)
            total += bits
            if region.touched:
                kept += bits * next(near)
            else:
                kept += bits
                untouched += bits
        scores.append(Preserved(kept / total, untouched / total) if total else Preserved(1.0, 1.0))
    return scores
