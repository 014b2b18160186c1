"""The page of an evaluation: systems side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Score
from intact.evaluation.report.figures import Dot, scatter
from intact.evaluation.report.page import render
from intact.evaluation.results import Results

_WAYS = {"higher": "↑", "lower": "↓", "": ""}
_REFERENCE = frozenset({"original"})
_FIGURES = (
    ("inference", "tps", "Meaning kept against inference", "Up and to the left is better."),
    ("trir", "tps", "Meaning kept against linkage", "Up and to the left is better."),
    ("truthful", "less_specific", "Truth against abstraction", "Up and to the right is better."),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One score as it is shown."""

    text: str
    interval: str
    signature: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of all systems."""

    title: str
    way: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Group:
    """The parts of one metric."""

    title: str
    rows: Sequence[Row]


def results_page(results: Results) -> str:
    """The evaluation as one self-contained HTML page; it holds no document text."""
    titles = {**{name: (name, "") for name in results.metrics}, **results.titles}
    mains = [name for name in results.metrics if "/" not in name]
    groups = [
        Group(titles[name][0], [_row(results, part, part.partition("/")[2], "") for part in parts])
        for name in mains
        if (parts := [part for part in results.metrics if part.startswith(f"{name}/")])
    ]
    signatures = dict.fromkeys(
        score.signature for scores in results.systems.values() for score in scores.values()
    )
    return render(
        "results.html.j2",
        systems=list(results.systems),
        documents=results.documents,
        warnings=results.warnings,
        skipped=list(results.skipped.items()),
        figures=_figures(results),
        rows=[_row(results, name, *titles[name]) for name in mains],
        groups=groups,
        signatures=list(signatures),
    )


def _row(results: Results, metric: str, title: str, better: str) -> Row:
    scores = [found.get(metric) for found in results.systems.values()]
    names = list(results.systems)
    best = _best(
        [None if name in _REFERENCE else s for name, s in zip(names, scores, strict=True)], better
    )
    cells = [
        _cell(score, None if name in _REFERENCE else best)
        for name, score in zip(names, scores, strict=True)
    ]
    return Row(title, _WAYS[better], cells)


def _best(scores: Sequence[Score | None], better: str) -> float | None:
    values = [round(s.value, 3) for s in scores if s is not None and math.isfinite(s.value)]
    if not better or len(set(values)) < 2:
        return None
    return max(values) if better == "higher" else min(values)


def _cell(score: Score | None, best: float | None) -> Cell:
    if score is None:
        return Cell("", "", "")
    interval = ""
    if score.interval is not None and all(map(math.isfinite, score.interval)):
        interval = f"{_text(score.interval[0])} – {_text(score.interval[1])}"
    is_best = best is not None and round(score.value, 3) == best
    return Cell(_text(score.value), interval, score.signature, is_best)


def _text(value: float) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def _figures(results: Results) -> list[tuple[str, str, str]]:
    found = []
    for across, up, title, caption in _FIGURES:
        points = [
            Dot(
                name,
                scores[across].value,
                scores[up].value,
                scores[across].interval,
                scores[up].interval,
                emphasis=name not in _REFERENCE,
            )
            for name, scores in results.systems.items()
            if {across, up} <= scores.keys()
            and math.isfinite(scores[across].value + scores[up].value)
        ]
        if len(points) > 1:
            names = [results.titles.get(name, (name, ""))[0] for name in (across, up)]
            found.append((title, scatter(points, names[0], names[1]), caption))
    return found
