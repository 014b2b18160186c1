"""Learning the second opinion on finds: which of them say something of somebody.

    python eval/documents/rescoring.py eval/documents/training --from 66 --to 82 -o OUT.safetensors

Finds of all detectors in marked documents that the tagger did not learn from are learned from: one
that touches a mark is right. Logistic regression; finds that touch a direct identifier weigh more.
Printed is what the second opinion does to documents that were held out, a third after the other, at
several thresholds. Needs the extra ``evaluation``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from corpus import documents
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.linear_model import LogisticRegression

from intact.config import load_settings
from intact.detection.detector import DocumentDetector
from intact.detection.factory import SEARCHED, knowledge, patterns, tagger
from intact.detection.findings import OF_KIND
from intact.detection.rescoring import Rescorer, find_features
from intact.detection.tagger import load_tagger
from intact.english.plain import read_plain
from intact.knowledge.base import KnowledgeBase
from intact.protocols import Detected

KINDS = tuple(OF_KIND)  # that get a weight
WEIGHT = 8.0  # of a find that touches a direct identifier
STRENGTH = 1e-3  # the inverse of how strongly weights are kept small
PARTS = 3  # of the files, each held out once
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


@dataclass
class Finds:
    """The finds of many documents with what they are known by, one row each."""

    features: list[NDArray[np.float32]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    direct: list[bool] = field(default_factory=list)
    things: list[str] = field(default_factory=list)  # the document and the entity of each
    parts: list[int] = field(default_factory=list)  # the part that its file belongs to


class Recorder(Rescorer):
    """Hears what a detector finds, and finds all of it likely."""

    def __init__(self) -> None:
        self.threshold = 0.0
        self.heard: list[tuple[str, Sequence[Detected]]] = []

    def rescore(self, text: str, found: Sequence[Detected]) -> NDArray[np.float32]:
        self.heard.append((text, found))
        return np.ones(len(found), dtype=np.float32)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="of marked documents")
    parser.add_argument("--from", dest="first", default=66, type=int, help="number of a file")
    parser.add_argument("--to", dest="last", default=82, type=int, help="number of the last")
    parser.add_argument("-o", dest="out", type=Path, required=True)
    options = parser.parse_args(argv)
    paths = sorted(options.folder.glob("*.txt"))
    finds = read_finds([one for one in paths if options.first <= int(one.stem) <= options.last])
    features, right = np.vstack(finds.features), np.array(finds.right)
    report(finds, features, right)
    weights, bias = fit(features, right, np.array(finds.direct))
    own = len(weights) - 3 * load_tagger().width
    kept: dict[str, NDArray[Any]] = {
        "find": weights[:own],
        "states": weights[own:],
        "bias": np.array([bias], dtype=np.float32),
        "kinds": np.frombuffer("\n".join(KINDS).encode(), dtype=np.uint8),
    }
    save_file(kept, options.out)
    print(f"{len(right)} finds, {1 - right.mean():.3f} touch nothing: {options.out}")


def read_finds(paths: Sequence[Path]) -> Finds:
    """Detect in the documents of ``paths``, and compare with their marks."""
    settings = load_settings(None, ()).detection
    settings = settings.model_copy(update={"threshold": settings.threshold * SEARCHED})
    finds, network = Finds(), load_tagger()
    base, recorder = KnowledgeBase.open(), Recorder()
    finders = [make(settings, lambda: base) for make in (patterns, knowledge, tagger)]
    detector = DocumentDetector(finders, settings.threshold, recorder)
    for number, path in enumerate(paths):
        for marked in documents(path):
            detector.detect(marked["text"])
            text, found = recorder.heard.pop()
            if found:
                finds.features.append(find_features(network, text, found, KINDS))
                add_verdicts(finds, marked, found, number % PARTS)
        print(f"{path.name}: {len(finds.right)} finds")
    return finds


def add_verdicts(
    finds: Finds, marked: dict[str, Any], found: Sequence[Detected], part: int
) -> None:
    """Say of each find whether it touches a mark."""
    plain = read_plain(marked["text"])
    marks = [
        (one["start_offset"], one["end_offset"], one["identifier_type"] == "DIRECT")
        for one in marked["annotations"]["annotator1"]["entity_mentions"]
    ]
    for one in found:
        span = plain.back(one.mention.span)
        touched = [mark for mark in marks if mark[0] < span.end and mark[1] > span.start]
        finds.right.append(bool(touched))
        finds.direct.append(any(direct for _, _, direct in touched))
        finds.things.append(f"{marked['doc_id']} {one.mention.entity_id}")
        finds.parts.append(part)


def fit(
    features: NDArray[np.float32], right: NDArray[np.bool_], direct: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], float]:
    """Learn weights, shape (features,), and the bias, for features as they are."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    model = LogisticRegression(C=STRENGTH, max_iter=400)
    model.fit((features - mean) / spread, right, sample_weight=np.where(direct, WEIGHT, 1))
    weights = (model.coef_[0] / spread).astype(np.float32)
    return weights, float(model.intercept_[0] - weights @ mean)


def report(finds: Finds, features: NDArray[np.float32], right: NDArray[np.bool_]) -> None:
    """Print, for files that were held out, what a threshold leaves."""
    parts, direct = np.array(finds.parts), np.array(finds.direct)
    scores = np.zeros(len(right))
    for part in range(PARTS):
        out = parts == part
        weights, bias = fit(features[~out], right[~out], direct[~out])
        scores[out] = 1 / (1 + np.exp(-(features[out] @ weights + bias)))
    best: dict[str, float] = defaultdict(float)
    for thing, score in zip(finds.things, scores, strict=True):
        best[thing] = max(best[thing], score)
    likely = np.array([best[thing] for thing in finds.things])
    print(f"{'from':>5} {'finds':>6} {'touch nothing':>14} {'marks kept':>11} {'direct':>7}")
    for threshold in (0.0, *THRESHOLDS):
        kept = likely >= threshold
        needless, of_right, of_direct = (~right[kept]).mean(), kept[right], kept[direct]
        row = f"{threshold:5.2f} {kept.sum():6} {needless:14.3f} {of_right.mean():11.3f}"
        print(f"{row} {of_direct.mean():7.3f}")


if __name__ == "__main__":
    main()
