"""The quality of detection: were the right spans found (Pilán et al. 2022, section 5)?

Recall: an entity is protected only if every content word of all its mentions is edited. Precision:
of the edited content words (or mentions) the share that the annotator masked too, plain or weighted
by information content. Every annotator of a document counts, micro-averaged. An edit that changes
nothing protects nothing.
"""

from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
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
_Units = Iterator[tuple[str, bool, float]]  # (part, whether it is a hit, weight) of each


class _Detection(Metric):
    """Micro-averages over all annotators of every document, by part."""

    parts: ClassVar[tuple[str, ...]]

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score each part (group of units), the main one first: for each the share of hits, by
        weight, over all annotators of all documents; NaN for a part without units. An edit that
        changes nothing does not count.

        Raises:
            NotMeasuredError: if edits were found by comparing texts; words that a replacement
                shares with the original would count as left.
        """
        if any(COMPARED in one.notes for one in pairs):
            raise NotMeasuredError(COMPARED)
        units = {part: list[tuple[str, bool, float]]() for part in self.parts}
        layers_seen = 0
        for one in pairs:
            text, key = one.document.text, one.document.id
            edits = [edit.span for edit in one.edits if edit.span.of(text) != edit.text]
            for document in self.context.layers.get(key, (one.document,)):
                layers_seen += 1
                for part, hit, weight in self._units(document, edits):
                    units[part].append((key, hit, weight))
        split = ((part, [u[:2] for u in own], [u[2] for u in own]) for part, own in units.items())
        return tuple(self.mean(own, part, by, layers=layers_seen) for part, own, by in split)

    @abstractmethod
    def _units(self, document: Document, edits: Sequence[Span]) -> _Units:
        """Yield (part, hit, weight) for each unit that a document as one annotator marked it gives
        to a part of the score.

        Args:
            document: with that annotator's mentions.
            edits: the places that a system edited.
        """


class DetectionRecall(_Detection):
    """Share of annotated entities that are protected: of all of them, of direct identifiers, of
    quasi-identifiers; and the share of mentions, also by identifier type and by entity type."""

    name = "recall"

    parts = ("", "direct", "quasi", "mentions", *(f"mentions/{kind}" for kind in _KINDS))

    def _units(self, document: Document, edits: Sequence[Span]) -> _Units:
        """Yield for each entity whether edits cover every content word of all its mentions, as part
        "" and as "direct" or "quasi"; then for each of its mentions the same, as "mentions",
        "mentions/TYPE" and "mentions/IDENTIFIER". Each has weight 1."""
        edited, words = Covered(document.text, edits), _content_words(document.text)
        for entity in document.entities:
            hits = [_protected(mention.span, words, edited) for mention in entity.mentions]
            direct = any(mention.identifier_type is _DIRECT for mention in entity.mentions)
            yield from ((part, all(hits), 1) for part in ("", "direct" if direct else "quasi"))
            for mention, hit in zip(entity.mentions, hits, strict=True):
                for kind in ("", f"/{mention.identifier_type}", f"/{mention.entity_type}"):
                    yield f"mentions{kind}", hit, 1


class DetectionPrecision(_Detection):
    """Share of edited content words that an annotator masked too; the share of edits that touch
    something masked; and of edited content words weighted by their information."""

    name = "precision"

    parts = ("", "mentions", "weighted")

    def _units(self, document: Document, edits: Sequence[Span]) -> _Units:
        """Yield for each content word that an edit touches whether the annotator masked all of it,
        as part "" with weight 1 and as "weighted" with its information in bits; then for each edit,
        as "mentions", whether it touches a masked mention."""
        text, edited = document.text, Covered(document.text, edits)
        gold = Covered(text, (one.span for one in document.mentions if one.masked))
        for word in filter(edited.touches, _content_words(text)):
            bits = sum(word_bits(word.of(text)))
            yield from (("", gold.holds(word), 1), ("weighted", gold.holds(word), bits))
        yield from (("mentions", gold.touches(edit), 1) for edit in edits)


def _content_words(text: str) -> list[Span]:
    """Return the spans of the words of a text that are no stop words, in order."""
    return [word for word in word_spans(text) if word.of(text).lower() not in STOP_WORDS]


def _protected(span: Span, words: Sequence[Span], edited: Covered) -> bool:
    """Tell whether every content word in a span is edited; in a span without any, all of it."""
    first = bisect_right(words, span.start, key=lambda word: word.end)
    behind = bisect_left(words, span.end, key=lambda word: word.start)
    inside = [
        Span(max(word.start, span.start), min(word.end, span.end)) for word in words[first:behind]
    ]
    return all(map(edited.holds, inside or [span]))


def measured(
    detector: Detector,
    documents: Sequence[Document],
    layers: Mapping[str, Sequence[Document]],
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[dict[str, Score], int]:
    """Measure the recall and precision of a detector against annotators. Return the scores by name
    ("recall", "recall/direct", "precision" ...), and the number of documents that the detector was
    unsure of (its detection has notes).

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
