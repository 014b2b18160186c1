"""Self-contained pages: everything a page needs is in it: style, script, figures as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from intact import __version__
from intact.domain import Score
from intact.evaluation.report.figures import Dot, scatter
from intact.evaluation.results import Results

_TEMPLATES = Path(__file__).with_name("templates")
_ARROWS = {"higher": "↑", "lower": "↓", "": ""}
_REFERENCE = "original"
_FIGURES = (
    ("inference", "tps", "Meaning kept against inference", "Up and to the left is better."),
    ("trir", "tps", "Meaning kept against linkage", "Up and to the left is better."),
    ("truthful", "less_specific", "Truth against abstraction", "Up and to the right is better."),
)


def render(template: str, **values: Any) -> str:
    """A page.

    Args:
        template: file name of a template; what it shows is HTML-escaped unless marked safe.
        values: what the template names.
    """
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(
        version=__version__, style=asset("style.css"), switch=asset("switch.js"), **values
    )


def asset(name: str) -> str:
    """The text of a style or script, to be put into a page."""
    return (_TEMPLATES / name).read_text("utf-8")


def results_page(results: Results) -> str:
    """The evaluation, systems side by side; the page holds no document text."""
    titles = {**{name: (name, "") for name in results.metrics}, **results.titles}
    mains = [name for name in results.metrics if "/" not in name]
    parts = {
        titles[name][0]: [
            (part.partition("/")[2], "", _cells(results, part, ""))
            for part in results.metrics
            if part.startswith(f"{name}/")
        ]
        for name in mains
    }
    scores = [score for found in results.systems.values() for score in found.values()]
    return render(
        "results.html.j2",
        results=results,
        figures=_figures(results),
        rows=[
            (titles[name][0], _ARROWS[titles[name][1]], _cells(results, name, titles[name][1]))
            for name in mains
        ],
        parts={title: rows for title, rows in parts.items() if rows},
        signatures=list(dict.fromkeys(score.signature for score in scores)),
    )


def _cells(results: Results, metric: str, better: str) -> list[Mapping[str, Any]]:
    """One score of every system as it is shown; the best but for the original's is marked."""
    scores = {name: found.get(metric) for name, found in results.systems.items()}
    values = {
        round(score.value, 3)
        for name, score in scores.items()
        if score is not None and name != _REFERENCE and math.isfinite(score.value)
    }
    best = None
    if better and len(values) > 1:
        best = max(values) if better == "higher" else min(values)
    return [
        {"text": "", "interval": "", "signature": "", "best": False}
        if score is None
        else {
            "text": _text(score.value),
            "interval": _interval(score),
            "signature": score.signature,
            "best": name != _REFERENCE and round(score.value, 3) == best,
        }
        for name, score in scores.items()
    ]


def _interval(score: Score) -> str:
    if score.interval is None or not all(map(math.isfinite, score.interval)):
        return ""
    return " – ".join(map(_text, score.interval))


def _text(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def _figures(results: Results) -> Sequence[tuple[str, str, str]]:
    """Title, SVG and caption of the figures that the scores allow."""
    found = []
    for across, up, title, caption in _FIGURES:
        dots = [
            Dot(
                name,
                scores[across].value,
                scores[up].value,
                scores[across].interval,
                scores[up].interval,
                emphasis=name != _REFERENCE,
            )
            for name, scores in results.systems.items()
            if {across, up} <= scores.keys()
            and math.isfinite(scores[across].value + scores[up].value)
        ]
        if len(dots) > 1:
            names = [results.titles.get(name, (name, ""))[0] for name in (across, up)]
            found.append((title, scatter(dots, names[0], names[1]), caption))
    return found
