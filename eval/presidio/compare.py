"""Ours beside Presidio on spans of Presidio's own synthetic evaluation set.

    python eval/presidio/compare.py DATA.jsonl [auto] [patterns,knowledge] [presidio]

DATA holds one JSON object a line: "text" and "spans" ("start", "end", "type"), as in
microsoft/presidio-research. Recall is the share of the words of spans that were found, precision
the share of the words found that are part of a span; below them recall by type and how many spans
were found whole.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intact.config import load_settings
from intact.detection.factory import detector
from intact.domain import Span
from intact.knowledge.base import KnowledgeBase

WORD = re.compile(r"\w+")


def main(argv: Sequence[str]) -> None:
    data, *systems = argv or sys.exit(__doc__)
    lines = [json.loads(line) for line in Path(data).read_text("utf-8").splitlines()]
    knowledge = KnowledgeBase.open()
    for system in systems or ("auto", "patterns,knowledge", "presidio"):
        names = system.split(",")
        settings = load_settings(None, [f"detection.detectors={names!r}"]).detection
        finder = detector(settings, lambda: knowledge)
        finder.detect(lines[0]["text"])  # what is read once is not measured
        began = time.monotonic()
        found = [
            [m.span for m in finder.detect(line["text"]).mentions if m.masked] for line in lines
        ]
        seconds = time.monotonic() - began
        report(system, lines, found)
        print(f"  {sum(len(line['text']) for line in lines) / seconds / 1000:.0f} kB/s\n")


def report(system: str, lines: Sequence[dict[str, Any]], found: Sequence[Sequence[Span]]) -> None:
    words: Counter[str] = Counter()
    hit, spans, whole = words.copy(), words.copy(), words.copy()
    masked = right = 0
    for line, masks in zip(lines, found, strict=True):
        text = line["text"]
        ours = marks(text, [(span.start, span.end) for span in masks])
        gold = marks(text, [(span["start"], span["end"]) for span in line["spans"]])
        for span in line["spans"]:
            kind = span["type"]
            inside = [m.span() for m in WORD.finditer(text, span["start"], span["end"])]
            got = sum(ours.find(1, *place) >= 0 for place in inside)
            words[kind] += len(inside)
            hit[kind] += got
            spans[kind] += 1
            whole[kind] += got == len(inside)
        places = [m.span() for m in WORD.finditer(text) if ours.find(1, *m.span()) >= 0]
        masked += len(places)
        right += sum(gold.find(1, *place) >= 0 for place in places)
    print(f"{system}: recall {hit.total() / words.total():.3f}, precision {right / masked:.3f}")
    for kind in sorted(words, key=lambda kind: hit[kind] - words[kind]):
        print(
            f"  {kind:<16} {hit[kind] / words[kind]:.2f} of {words[kind]:4} words, "
            f"{whole[kind]} of {spans[kind]} spans whole"
        )


def marks(text: str, spans: Sequence[tuple[int, int]]) -> bytearray:
    covered = bytearray(len(text))
    for start, end in spans:
        covered[start:end] = b"\x01" * (end - start)
    return covered


if __name__ == "__main__":
    main(sys.argv[1:])
