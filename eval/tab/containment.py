"""Counts the dates and numbers whose replacement does not contain the original value.

    python eval/tab/containment.py CORPUS.json [EDITS.json]

CORPUS is TAB-style JSON. With EDITS ({doc_id: [[start, end, "replacement"], ...]}) the replacement
of each DATETIME and QUANTITY span is judged; without, every rung of the ladder that is generated
for it. A replacement that no parser can read is counted as unread, not as right.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.evaluation.judge import holds
from intact.planning.rules.quantities import quantity_ladder
from intact.planning.rules.times import date_ladder

_TYPES = ("DATETIME", "QUANTITY")
_LABEL = re.compile(r"[\[{<]?(?:DATETIME|QUANTITY)[ _]?\d*[\]}>]?|\*+|\.\.\.|")


def spans(document: dict[str, Any]) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, text and type of each date and quantity."""
    seen = set()
    for annotation in document["annotations"].values():
        for mention in annotation["entity_mentions"]:
            key = (mention["start_offset"], mention["end_offset"])
            if mention["entity_type"] in _TYPES and key not in seen:
                seen.add(key)
                yield *key, mention["span_text"], mention["entity_type"]


def judged(original: str, kind: str, replacements: list[str], counts: Counter[str]) -> None:
    """Adds the verdicts on ``replacements`` to ``counts``."""
    for replacement in replacements:
        if _LABEL.fullmatch(replacement.strip()):
            counts[f"{kind} label"] += 1
            continue
        verdict = holds(replacement, original)
        name = {True: "contains", False: "DOES NOT CONTAIN", None: "unread"}[verdict]
        counts[f"{kind} {name}"] += 1
        if verdict is False:
            print(f"  {original!r} -> {replacement!r}")


def main(corpus: Path, edits: Path | None) -> int:
    """Prints the counts; returns how many replacements do not contain the original."""
    documents = json.loads(corpus.read_text(encoding="utf-8"))
    given = json.loads(edits.read_text(encoding="utf-8")) if edits else {}
    counts: Counter[str] = Counter()
    for document in documents:
        replaced = {
            (edit[0], edit[1]): edit[2] if len(edit) > 2 else ""
            for edit in given.get(document["doc_id"], [])
        }
        for start, end, text, kind in spans(document):
            if edits is None:
                ladder = date_ladder([text]) if kind == "DATETIME" else quantity_ladder([text])
                counts[f"{kind} spans"] += 1
                counts[f"{kind} spans with a candidate"] += bool(ladder)
                counts[f"{kind} spans with three"] += len(ladder) >= 3
                judged(text, kind, [rung.text for rung in ladder], counts)
            else:
                cover = next(
                    (edit for edit in replaced if edit[0] <= start and end <= edit[1]), None
                )
                counts[f"{kind} spans"] += 1
                if cover is not None:
                    whole = document["text"][cover[0] : cover[1]]
                    readable = parse_temporal(whole) or parse_quantity(whole)
                    judged(whole if readable else text, kind, [replaced[cover]], counts)
    for name, count in sorted(counts.items()):
        print(f"{count:7d}  {name}")
    wrong = sum(counts[f"{kind} DOES NOT CONTAIN"] for kind in _TYPES)
    print(f"replacements that do not contain the original value: {wrong}")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    paths = [Path(argument) for argument in sys.argv[1:]]
    sys.exit(1 if main(paths[0], paths[1] if len(paths) > 1 else None) else 0)
