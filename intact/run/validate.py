"""How well detectors find what annotators masked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from intact.config import DetectionSettings
from intact.detection.detector import DocumentDetector
from intact.detection.factory import OpenKnowledge, finders
from intact.domain import (
    ENTITY_TYPES,
    Document,
    Edit,
    IdentifierType,
    SanitizedDocument,
    Score,
)
from intact.evaluation.detection import DetectionPrecision, DetectionRecall
from intact.evaluation.metric import EvaluationContext
from intact.evaluation.pairs import pair

Progress = Callable[[str, int, int], None]
Layers = Mapping[str, Sequence[Document]]


@dataclass(frozen=True, slots=True)
class Validated:
    """What one set of detectors reached.

    Attributes:
        scores: recall of mentions ("direct mentions", "quasi mentions", by type) and entities
            ("direct entities", "quasi entities"); "token precision", "mention precision".
        seconds: spent on detection, all documents together.
        found: mentions found.
    """

    detectors: tuple[str, ...]
    scores: Mapping[str, Score]
    seconds: float
    found: int
    warned: int = 0
    signature: str = ""


def validate(
    documents: Sequence[Document],
    layers: Layers,
    names: Sequence[str],
    settings: DetectionSettings,
    knowledge: OpenKnowledge,
    progress: Progress = lambda what, done, total: None,
) -> Validated:
    """Scores the detectors called ``names`` on annotated documents.

    Args:
        documents: whose mentions are to be found.
        layers: document id -> what each annotator saw; the document itself where missing.
        names: of the detectors.
        settings: of detection.
        knowledge: opens the knowledge base, if it is needed.
        progress: told what is done, how many of how many.
    """
    own = settings.model_copy(update={"detectors": tuple(names)})
    detector = DocumentDetector(finders(own, knowledge), settings.threshold)
    pairs, warned, seconds = [], 0, 0.0
    for number, document in enumerate(documents):
        began = time.monotonic()
        found = detector.detect(document.text)
        seconds += time.monotonic() - began
        warned += bool(found.notes)
        edits = [Edit(m.span, "") for m in found.mentions if m.masked]
        pairs.append(pair(document, edits))
        progress("+".join(names), number + 1, len(documents))
    return Validated(
        tuple(names),
        _scores(pairs, layers),
        seconds,
        sum(len(one.edits) for one in pairs),
        warned,
    )


def _scores(pairs: Sequence[SanitizedDocument], layers: Layers) -> Mapping[str, Score]:
    full = {one.document.id: tuple(layers.get(one.document.id) or (one.document,)) for one in pairs}
    recall = {s.name: s for s in DetectionRecall(EvaluationContext(layers=full)).scores(pairs)}
    precision = {
        s.name: s for s in DetectionPrecision(EvaluationContext(layers=full)).scores(pairs)
    }
    scores = {
        "direct entities": recall["recall/direct"],
        "quasi entities": recall["recall/quasi"],
        "mentions": recall["recall/mentions"],
        "token precision": precision["precision"],
        "mention precision": precision["precision/mentions"],
    }
    parts: dict[str, Callable[[Document], Document]] = {
        "direct mentions": lambda d: _only(d, IdentifierType.DIRECT),
        "quasi mentions": lambda d: _only(d, IdentifierType.QUASI),
    }
    for kind in ENTITY_TYPES:
        parts[kind] = lambda d, kind=kind: _of_type(d, kind)  # type: ignore[misc]
    for name, part in parts.items():
        context = EvaluationContext(layers={k: tuple(map(part, v)) for k, v in full.items()})
        found = {s.name: s for s in DetectionRecall(context).scores(pairs)}
        scores[name] = replace(found["recall/mentions"], name=name)
    return scores


def _only(document: Document, kind: IdentifierType) -> Document:
    kept = tuple(m for m in document.mentions if m.identifier_type is kind)
    return replace(document, mentions=kept)


def _of_type(document: Document, kind: str) -> Document:
    return replace(document, mentions=tuple(m for m in document.mentions if m.entity_type == kind))


def results(found: Sequence[Validated], told: Mapping[str, object]) -> str:
    """What was reached as JSON text, with what it depends on.

    Args:
        found: one for each system.
        told: what was measured, and how.
    """
    return json.dumps(
        {
            **told,
            "systems": [
                {
                    "detectors": one.detectors,
                    "seconds": round(one.seconds, 1),
                    "found": one.found,
                    "documents_warned": one.warned,
                    "scores": {
                        name: {
                            "value": round(score.value, 4),
                            "interval": score.interval and [round(x, 4) for x in score.interval],
                            "signature": score.signature,
                        }
                        for name, score in one.scores.items()
                    },
                }
                for one in found
            ],
        },
        indent=2,
    )
