"""The quality of detection: were the right spans found (Pilán et al. 2022, section 5)?

Recall: an entity is protected only if every content word of all its mentions is edited. Precision:
of the edited content words (or mentions) the share that the annotator masked too, plain or weighted
by information content. Every annotator of a document counts, micro-averaged. An edit that changes
nothing protects nothing.
"""

from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from intact.domain import ENTITY_TYPES, Covered, Document, Edit, IdentifierType, Score, Span
from intact.english.vocabulary import STOP_WORDS
from intact.errors import NotMeasuredError
from intact.evaluation.corpus import COMPARED, pair
from intact.evaluation.metric import EvaluationContext, Metric, Pairs, word_bits
from intact.evaluation.tps import word_spans
from intact.protocols import Detector

_DIRECT = IdentifierType.DIRECT
_KINDS = (_DIRECT, IdentifierType.QUASI, *ENTITY_TYPES)


@dataclass(frozen=True, slots=True)
class _Layer:
    """One edited document as one annotator marked it."""

    document: Document
    edits: Sequence[Span]
    edited: Covered  # the characters that the edits cover
    words: Sequence[Span]  # content words of the text
    bits: Sequence[float]  # the information of each word


class _Detection(Metric):
    """Micro-averages over all annotators of every document, by part."""

    parts: ClassVar[tuple[str, ...]]

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score each part, the main one first.

        Raises:
            NotMeasuredError: if edits were found by comparing texts; words that a replacement
                shares with the original would count as left.
        """
        if any(COMPARED in one.notes for one in pairs):
            raise NotMeasuredError(COMPARED, remedy="Give --edits NAME=FILE.")
        units = {part: list[tuple[str, float]]() for part in self.parts}
        weights = {part: list[float]() for part in self.parts}
        layers_seen = 0
        for one in pairs:
            text, key = one.document.text, one.document.id
            edits = [edit.span for edit in one.edits if edit.span.of(text) != edit.text]
            words = [w for w in word_spans(text) if w.of(text).lower() not in STOP_WORDS]
            bits = [sum(word_bits(word.of(text))) for word in words]
            edited = Covered(text, edits)
            for document in self.context.layers.get(key, (one.document,)):
                layers_seen += 1
                for part, hit, weight in self._units(_Layer(document, edits, edited, words, bits)):
                    units[part].append((key, hit))
                    weights[part].append(weight)
        return tuple(
            self.mean(own, part, weights[part], layers=layers_seen) for part, own in units.items()
        )

    @abstractmethod
    def _units(self, layer: _Layer) -> Iterator[tuple[str, bool, float]]:
        """Yield the units of one annotator's view as (part, whether it is a hit, weight)."""


class DetectionRecall(_Detection):
    """Share of annotated entities that are protected: of all of them, of direct identifiers, of
    quasi-identifiers; and the share of mentions, also by identifier type and by entity type."""

    name = "recall"

    parts = ("", "direct", "quasi", "mentions", *(f"mentions/{kind}" for kind in _KINDS))

    def _units(self, layer: _Layer) -> Iterator[tuple[str, bool, float]]:
        for entity in layer.document.entities:
            hit = all(_protected(mention.span, layer) for mention in entity.mentions)
            direct = any(mention.identifier_type is _DIRECT for mention in entity.mentions)
            yield from (("", hit, 1), ("direct" if direct else "quasi", hit, 1))
        for mention in layer.document.mentions:
            if mention.masked:
                hit = _protected(mention.span, layer)
                for kind in ("", f"/{mention.identifier_type}", f"/{mention.entity_type}"):
                    yield f"mentions{kind}", hit, 1


class DetectionPrecision(_Detection):
    """Share of edited content words that an annotator masked too; the same share of edits; and of
    edited content words weighted by their information."""

    name = "precision"

    parts = ("", "mentions", "weighted")

    def _units(self, layer: _Layer) -> Iterator[tuple[str, bool, float]]:
        document = layer.document
        gold = Covered(document.text, (one.span for one in document.mentions if one.masked))
        for word, bits in zip(layer.words, layer.bits, strict=True):
            if layer.edited.touches(word):
                yield from (("", gold.holds(word), 1), ("weighted", gold.holds(word), bits))
        yield from (("mentions", gold.touches(edit), 1) for edit in layer.edits)


def _protected(span: Span, layer: _Layer) -> bool:
    """Tell whether every content word in a span is edited; in a span without any, all of it."""
    first = bisect_right(layer.words, span.start, key=lambda word: word.end)
    behind = bisect_left(layer.words, span.end, key=lambda word: word.start)
    inside = [
        Span(max(word.start, span.start), min(word.end, span.end))
        for word in layer.words[first:behind]
    ]
    return all(map(layer.edited.holds, inside or [span]))


def measured(
    detector: Detector,
    documents: Sequence[Document],
    layers: Mapping[str, Sequence[Document]],
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[dict[str, Score], int]:
    """Measure the recall and precision of a detector against annotators. Return the scores by name,
    and the number of documents that the detector was unsure of.

    Args:
        detector: run on the text of each document.
        documents: annotated ones; their own mentions count where ``layers`` has none.
        layers: by document id, the document as each annotator marked it.
        progress: called after each document with the number of those done.

    Source: Pilán et al. 2022, section 5.
    """
    pairs, unsure = [], 0
    for number, document in enumerate(documents, start=1):
        detection = detector.detect(document.text)
        unsure += bool(detection.notes)
        pairs.append(pair(document, [Edit(m.span, "") for m in detection.mentions if m.masked]))
        progress(number)
    context = EvaluationContext(layers={key: own for key, own in layers.items() if own})
    made = (kind(context).scores(pairs) for kind in (DetectionRecall, DetectionPrecision))
    return {score.name: score for part in made for score in part}, unsure
