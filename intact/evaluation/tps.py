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
from intact.evaluation.compat import reference_preserved
from intact.evaluation.information import InformationContent
from intact.evaluation.metric import EvaluationContext, Metric, Pairs
from intact.evaluation.pairs import by_type, masked_strings, tallied
from intact.evaluation.regions import regions
from intact.evaluation.similarity import similarities
from intact.evaluation.statistics import Tally, mean_score, part_scores, sign
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
            same = not region.touched or region.after == region.span.of(w.document.text)
            total += bits
            kept += bits * (next(near) if region.touched else 1.0)
            untouched += bits * same
        scores.append(Preserved(kept / total, untouched / total) if total else Preserved(1.0, 1.0))
    return scores


class _Preservation(Metric):
    """What TPS and TPI share."""

    better = "higher"

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._weighted: dict[str, Weighted] = {}

    def _preserved(self, pairs: Pairs) -> dict[str, Preserved]:
        if self.context.compat:
            return {
                p.document.id: Preserved(
                    *reference_preserved(
                        p.document,
                        p.edits,
                        self.context.splitter,
                        self.context.information,
                        self.context.embedder,
                    )
                )
                for p in pairs
            }
        weighted = [self._weigh(p) for p in pairs]
        found = preserved(weighted, [p.edits for p in pairs], self.context.embedder)
        return {p.document.id: value for p, value in zip(pairs, found, strict=True)}

    def _weigh(self, pair: SanitizedDocument) -> Weighted:
        key = pair.document.id
        known = self._weighted.get(key)
        if known is None or known.document is not pair.document:
            known = weigh(pair.document, self.context.splitter, self.context.information)
            self._weighted[key] = known
        return known

    def _score(self, values: dict[str, float]) -> Score:
        context = self.context
        signature = sign(
            self.name,
            ic=context.information.name,
            terms=context.splitter.name,
            encoder=context.embedder.name,
            arithmetic="reference" if context.compat else "own",
            n=len(values),
            seed=context.seed,
        )
        tallies = {key: Tally(value) for key, value in values.items()}
        return mean_score(self.name, tallies, signature=signature, seed=context.seed)


class TextPreservedSimilarity(_Preservation):
    """How much of the text's information is kept, weighed by how alike originals and
    replacements are. 1 for an unedited text; each document counts the same."""

    name = "tps"
    title = "Text Preserved Similarity (TPS)"
    source = "Pilán et al. 2024, eq. 7"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score: the mean over documents."""
        found = self._preserved(pairs)
        return (self._score({key: value.similarity for key, value in found.items()}),)


class TextPreservedInformation(_Preservation):
    """How much of the text's information stands in terms that no edit has touched: what TPS
    would be if every edit suppressed."""

    name = "tpi"
    title = "Text Preserved Information (TPI)"
    source = "Pilán et al. 2024, eq. 7 with similarity 0 or 1"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score: the mean over documents."""
        found = self._preserved(pairs)
        return (self._score({key: value.information for key, value in found.items()}),)


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
        near = similarities(
            self.context.embedder, [(string.before, string.after) for string in strings]
        )
        parts = {self.name: tallied(strings, near)} | {
            f"{self.name}/{kind}": found for kind, found in by_type(strings, near).items()
        }
        return part_scores(parts, seed=self.context.seed, encoder=self.context.embedder.name)
