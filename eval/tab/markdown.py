"""A results.json of intact evaluate as a Markdown table.

python eval/tab/markdown.py results.json [--intervals]
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from intact.domain import Score
from intact.evaluation.results import from_json


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--intervals", action="store_true")
    options = parser.parse_args()
    results = from_json(json.loads(options.results.read_text("utf-8")), str(options.results))
    systems = list(results.systems)
    print("| | " + " | ".join(systems) + " |")
    print("| --- |" + " ---: |" * len(systems))
    for name, (title, better) in results.titles.items():
        scores = [results.systems[system].get(name) for system in systems]
        if any(scores):
            way = {"higher": " ↑", "lower": " ↓", "": ""}[better]
            cells = " | ".join(cell(score, options.intervals) for score in scores)
            print(f"| {title}{way} | {cells} |")


def cell(score: Score | None, intervals: bool) -> str:
    if score is None or math.isnan(score.value):
        return ""
    if intervals and score.interval is not None:
        return "{:.3f} ({:.3f}–{:.3f})".format(score.value, *score.interval)
    return f"{score.value:.3f}"


if __name__ == "__main__":
    main()
