"""Text Preserved Similarity and Text Preserved Information (Pilán et al. 2024, eq. 4-7).

TPS(D', D) = sum over the terms t of D of RIC(t) * sim(t, what stands for t), RIC(t) = IC(t)/TIC.
TPI is the same with similarity 1 where a term is untouched and 0 where it is not. Terms are taken
from the original alone, so every system is weighed with the same weights, which sum to one. Terms
that one edit covers together are compared together, so none in a long mask counts as untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Document, Edit, SanitizedDocument, Score
from intact.evaluation.metric import EvaluationContext, Metric, Pairs, valued
from intact.evaluation.pairs import masked_strings, regions
from intact.evaluation.statistics import Tally
from intact.evaluation.terms import InformationContent, TextTerm, document_terms, similarities
from intact.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Weighted:
    """A document's terms with their information content in bits."""

    document: Document
    terms: tuple[TextTerm, ...]
    bits: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Preserved:
    """What one edited document keeps, both in [0, 1]."""

    similarity: float
    information: float


def weigh(document: Document, information: InformationContent) -> Weighted:
    """The terms of ``document`` and their bits; done once, used for every system.

    Args:
        document: the original.
        information: tells the bits.
    """
    terms = document_terms(document)
    return Weighted(document, terms, tuple(information.bits(document.text, terms)))


def preserved(
    weighted: Sequence[Weighted], edits: Sequence[Sequence[Edit]], embedder: Embedder
) -> list[Preserved]:
    """TPS and TPI of each document under its edits; 1 for a document without information.

    Args:
        weighted: the originals.
        edits: of each original, ascending and not overlapping.
        embedder: tells how alike originals and replacements are.
    """
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
            same = not region.touched or region.after == region.span.of(w.document.text)
            total += bits
            kept += bits * (next(near) if region.touched else 1.0)
            untouched += bits * same
        scores.append(Preserved(kept / total, untouched / total) if total else Preserved(1.0, 1.0))
    return scores


class TextPreservedSimilarity(Metric):
    """How much of the text's information is kept, weighed by how alike originals and
    replacements are. 1 for an unedited text; each document counts the same."""

    name = "tps"
    title = "Text Preserved Similarity (TPS)"
    better = "higher"
    source = "Pilán et al. 2024, eq. 7"

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._weighted: dict[str, Weighted] = {}

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score: the mean over documents."""
        context = self.context
        weighted = [self._weigh(pair) for pair in pairs]
        found = preserved(weighted, [pair.edits for pair in pairs], context.embedder)
        values = {p.document.id: Tally(self._of(one)) for p, one in zip(pairs, found, strict=True)}
        made_with = {"ic": context.information.name, "terms": "light"}
        return (self.mean(values, **made_with, encoder=context.embedder.name),)

    def _of(self, found: Preserved) -> float:
        return found.similarity

    def _weigh(self, pair: SanitizedDocument) -> Weighted:
        known = self._weighted.get(pair.document.id)
        if known is None or known.document is not pair.document:
            known = weigh(pair.document, self.context.information)
            self._weighted[pair.document.id] = known
        return known


class TextPreservedInformation(TextPreservedSimilarity):
    """How much of the text's information stands in terms that no edit has touched: what TPS
    would be if every edit suppressed."""

    name = "tpi"
    title = "Text Preserved Information (TPI)"
    source = "Pilán et al. 2024, eq. 7 with similarity 0 or 1"

    def _of(self, found: Preserved) -> float:
        return found.information


class SpanSimilarity(Metric):
    """Mean similarity of each masked mention and what stands for it, overall and by type.
    Mentions count the same, whatever their information."""

    name = "span_similarity"
    title = "Mean span similarity"
    better = "higher"
    source = "Pilán et al. 2024, eq. 6 and section 5.5"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type."""
        strings = masked_strings(pairs)
        embedder = self.context.embedder
        near = similarities(embedder, [(string.before, string.after) for string in strings])
        return self.by_type(valued(strings, near), encoder=embedder.name)
