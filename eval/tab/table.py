"""Prints results as a Markdown table, one system a column.

    python eval/tab/table.py results.json [--intervals]
    python eval/tab/table.py tab_dev.json --presets default,utility,strict [--metrics tps,inference]

The first prints the main scores of a results.json of ``intact evaluate``. The second sanitises the
corpus under each preset and prints what is measured of it, and of the published edits
(``published_*.json``) that lie beside the corpus.
"""

from __future__ import annotations

import argparse
import math
from contextlib import closing
from pathlib import Path

from intact.config import load_settings
from intact.domain import SanitizedDocument, Score
from intact.evaluation import Results, evaluate
from intact.evaluation.corpus import read_corpus, read_system
from intact.evaluation.results import read_results
from intact.pipeline import build_pipeline

METRICS = "tps,span_similarity,inference,left,labels,inconsistent,grammar,contradicted"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--intervals", action="store_true")
    parser.add_argument("--presets", help="names with commas; the file is then a corpus")
    parser.add_argument("--metrics", default=METRICS)
    options = parser.parse_args()
    if options.presets:
        results = measured(options.file, options.presets.split(","), options.metrics.split(","))
    else:
        results = read_results(options.file)
    show(results, intervals=options.intervals)


def measured(file: Path, presets: list[str], metrics: list[str]) -> Results:
    """The corpus under each preset, and what was published of it."""
    corpus = read_corpus(file)
    systems: dict[str, list[SanitizedDocument]] = {}
    for preset in presets:
        with closing(build_pipeline(load_settings(preset))) as pipeline:
            systems[preset] = [pipeline.sanitize(document) for document in corpus.documents]
    for published in sorted(file.parent.glob("published_*.json")):
        name = published.stem.replace("_", ": ")
        systems[name] = read_system(published, name, corpus, print)
    return evaluate(corpus.documents, systems, metrics)


def show(results: Results, *, intervals: bool) -> None:
    """Prints the table."""
    systems = list(results.systems)
    print("| | " + " | ".join(systems) + " |")
    print("| --- |" + " ---: |" * len(systems))
    for name, (title, better) in results.titles.items():
        scores = [results.systems[system].get(name) for system in systems]
        if any(scores):
            way = {"higher": " ↑", "lower": " ↓", "": ""}[better]
            cells = " | ".join(cell(score, intervals) for score in scores)
            print(f"| {title}{way} | {cells} |")


def cell(score: Score | None, intervals: bool) -> str:
    if score is None or math.isnan(score.value):
        return ""
    if intervals and score.interval is not None:
        return "{:.3f} ({:.3f}–{:.3f})".format(score.value, *score.interval)
    return f"{score.value:.3f}"


if __name__ == "__main__":
    main()
