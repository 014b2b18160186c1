"""Measure whether the right spans were found (Pilán et al. 2022, section 5).

Recall: an entity is protected only if every content word of all its mentions is edited. Precision:
of the edited content words (or mentions) the share that the annotator masked too, plain or weighed
by information content. Every annotator of a document counts, micro-averaged. An edit that changes
nothing protects nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from intact.domain import ENTITY_TYPES, Document, Edit, IdentifierType, Score, Span
from intact.english.vocabulary import STOP_WORDS
from intact.evaluation.corpus import pair
from intact.evaluation.metric import EvaluationContext, Metric, Pairs, Tally
from intact.evaluation.tps import merge_spans, word_spans
from intact.protocols import Detector

Counter = Callable[["_Layer"], Tally]
_KINDS = (IdentifierType.DIRECT, IdentifierType.QUASI, *ENTITY_TYPES)


@dataclass(frozen=True, slots=True)
class _Layer:
    """One annotator's view of one edited document."""

    document: Document
    edits: Sequence[Span]
    words: Sequence[Span]
    bits: Sequence[float]


class _Detection(Metric):
    """Micro-averages over all annotators of every document."""

    def _scores(self, pairs: Pairs, counters: dict[str, Counter]) -> tuple[Score, ...]:
        sums: dict[str, dict[str, Tally]] = {name: {} for name in counters}
        layers_seen = 0
        for one in pairs:
            text, key = one.document.text, one.document.id
            edits = [edit.span for edit in one.edits if edit.span.of(text) != edit.text]
            words = [w for w in word_spans(text) if w.of(text).lower() not in STOP_WORDS]
            bits = self.context.information.bits(text, words)
            seen = self.context.layers.get(key, (one.document,))
            layers = [_Layer(layer, edits, words, bits) for layer in seen]
            layers_seen += len(layers)
            for name, counter in counters.items():
                found = [counter(layer) for layer in layers]
                total, units = sum(one.total for one in found), sum(one.units for one in found)
                sums[name][key] = Tally(total, units)
        return tuple(self.mean(tallies, part, layers=layers_seen) for part, tallies in sums.items())


class DetectionRecall(_Detection):
    """Share of annotated entities that are protected: all of them, direct identifiers, quasi
    identifiers; and the share of mentions, also by how they identify and by type."""

    name = "recall"
    title = "Entity recall"
    better = "higher"
    source = "Pilán et al. 2022, 5.1"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """All entities, direct, quasi, mentions, then those by identifier and entity type."""
        direct, quasi = IdentifierType.DIRECT, IdentifierType.QUASI
        return self._scores(
            pairs,
            {
                "": lambda layer: _entities(layer, {direct, quasi}),
                "direct": lambda layer: _entities(layer, {direct}),
                "quasi": lambda layer: _entities(layer, {quasi}),
                "mentions": _mentions,
                **{f"mentions/{kind}": partial(_mentions, of=kind) for kind in _KINDS},
            },
        )


class DetectionPrecision(_Detection):
    """Share of edited content words that an annotator masked too; of edits; and of edited
    content words weighed by their information."""

    name = "precision"
    title = "Token precision"
    better = "higher"
    source = "Pilán et al. 2022, 5.2"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Return words, edits, words weighed by information content."""
        return self._scores(
            pairs,
            {
                "": lambda layer: _words(layer, weighted=False),
                "mentions": _edits,
                "weighted": lambda layer: _words(layer, weighted=True),
            },
        )


def _covered(span: Span, masks: Sequence[Span]) -> bool:
    """Return whether one mask, or several side by side, cover ``span``; masks ascending."""
    at = bisect_right(masks, span.start, key=lambda mask: mask.end)
    reached = span.start
    while at < len(masks) and masks[at].start <= reached < span.end:
        reached = masks[at].end
        at += 1
    return reached >= span.end


def _touched(span: Span, masks: Sequence[Span]) -> bool:
    at = bisect_right(masks, span.start, key=lambda mask: mask.end)
    return at < len(masks) and masks[at].start < span.end


def _protected(span: Span, layer: _Layer) -> bool:
    """Return whether every content word of ``span`` is edited; without any, the span itself."""
    starts = bisect_right(layer.words, span.start, key=lambda word: word.end)
    inside = []
    for word in layer.words[starts:]:
        if word.start >= span.end:
            break
        inside.append(Span(max(word.start, span.start), min(word.end, span.end)))
    return all(_covered(word, layer.edits) for word in inside or [span])


def _entities(layer: _Layer, kinds: set[IdentifierType]) -> Tally:
    hit = total = 0
    for entity in layer.document.entities:
        direct = any(m.identifier_type is IdentifierType.DIRECT for m in entity.mentions)
        if (IdentifierType.DIRECT if direct else IdentifierType.QUASI) in kinds:
            total += 1
            hit += all(_protected(mention.span, layer) for mention in entity.mentions)
    return Tally(hit, total)


def _mentions(layer: _Layer, of: str = "") -> Tally:
    """Masked mentions that are protected: all, or ``of`` an entity type or kind of identifier."""
    masked = [
        mention
        for mention in layer.document.mentions
        if mention.masked and of in ("", mention.entity_type, mention.identifier_type)
    ]
    return Tally(sum(_protected(mention.span, layer) for mention in masked), len(masked))


def _gold(layer: _Layer) -> list[Span]:
    """Return the masked mentions' spans, joined where they overlap."""
    return merge_spans(mention.span for mention in layer.document.mentions if mention.masked)


def _words(layer: _Layer, *, weighted: bool) -> Tally:
    gold = _gold(layer)
    hit = total = 0.0
    for word, bits in zip(layer.words, layer.bits, strict=True):
        if _touched(word, layer.edits):
            weight = bits if weighted else 1.0
            total += weight
            hit += weight * _covered(word, gold)
    return Tally(hit, total)


def _edits(layer: _Layer) -> Tally:
    gold = _gold(layer)
    return Tally(sum(_touched(edit, gold) for edit in layer.edits), len(layer.edits))


def measured(
    detector: Detector,
    documents: Sequence[Document],
    layers: Mapping[str, Sequence[Document]],
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[dict[str, Score], int]:
    """Return the scores of recall and precision of a detector against what annotators masked, and
    of how many documents it was unsure.

    Args:
        layers: document id -> what each annotator saw; the document itself where missing.
    """
    pairs, unsure = [], 0
    for number, document in enumerate(documents, start=1):
        found = detector.detect(document.text)
        unsure += bool(found.notes)
        pairs.append(pair(document, [Edit(m.span, "") for m in found.mentions if m.masked]))
        progress(number)
    context = EvaluationContext(layers={key: own for key, own in layers.items() if own})
    made = (kind(context).scores(pairs) for kind in (DetectionRecall, DetectionPrecision))
    return {score.name: score for part in made for score in part}, unsure
