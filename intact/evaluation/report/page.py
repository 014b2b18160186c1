"""Self-contained pages: everything a page needs is in it: style, script, figures as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from intact import __version__
from intact.domain import Score
from intact.evaluation.results import Results

_TEMPLATES = Path(__file__).with_name("templates")
_ARROWS = {"higher": "↑", "lower": "↓", "": ""}
_REFERENCE = "original"
_FIGURES = (
    ("inference", "tps", "Meaning kept against inference", "Up and to the left is better."),
    ("trir", "tps", "Meaning kept against linkage", "Up and to the left is better."),
    ("truthful", "less_specific", "Truth against abstraction", "Up and to the right is better."),
)
_WIDTH, _HEIGHT = 560, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 24, 14, 46
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 1e9)
_LETTER = 6.6  # width of a label's letter
_ALONE = (
    "<style>text{font:12px system-ui,sans-serif;fill:#1d1f23}.mid{text-anchor:middle}"
    ".end{text-anchor:end}.grid{stroke:#e3e1db}.error{stroke:#5d636e}.point{fill:#5d636e}"
    ".accent{fill:#0b6e6e}.line{fill:none;stroke:#0b6e6e}</style>"
)

Interval = tuple[float, float] | None
Box = tuple[float, float, float, float]


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


@dataclass(frozen=True, slots=True)
class Dot:
    """A named point with optional 95 % intervals.

    Attributes:
        emphasis: draws it in the accent colour.
        named: writes its name beside it; without, pointing at it tells it.
        shape: "circle", "square" or "ring" (a circle with another around it).
    """

    name: str
    x: float
    y: float
    x_interval: Interval = None
    y_interval: Interval = None
    emphasis: bool = False
    named: bool = True
    shape: str = "circle"


def scatter(dots: Sequence[Dot], x: str, y: str, *, line: bool = False) -> str:
    """Dots with error bars as SVG in the page's own colours, readable by screen readers; "" without
    dots. The axes fit the dots with a name or emphasis; others that lie beyond are left out.

    Args:
        dots: what is shown.
        x: name of the axis across.
        y: name of the axis upwards.
        line: join, of the dots with emphasis, those that have more y than all others at so
            little x.
    """
    if not dots:
        return ""
    marked = [dot for dot in dots if dot.named or dot.emphasis] or dots
    across = _Axis.fit([(d.x, d.x_interval) for d in marked], _LEFT, _WIDTH - _RIGHT)
    up = _Axis.fit([(d.y, d.y_interval) for d in marked], _HEIGHT - _BOTTOM, _TOP)
    dots = [dot for dot in dots if across.shows(dot.x) and up.shows(dot.y)]
    places = [(across.at(d.x), up.at(d.y)) for d in dots]
    taken: list[Box] = [(left - 5, top - 5, left + 5, top + 5) for left, top in places]
    return render(
        "scatter.svg.j2",
        width=_WIDTH,
        height=_HEIGHT,
        across=across,
        up=up,
        x=x,
        y=y,
        dots=dots,
        path=upper([dot for dot in dots if dot.emphasis]) if line else (),
        placed=[
            (dot, _label(dot.name, *place, taken) if dot.named else None)
            for dot, place in sorted(
                zip(dots, places, strict=True), key=lambda pair: -pair[0].emphasis
            )
        ][::-1],
    )


def alone(figure: str) -> str:
    """A figure as a file of its own, with its colours in it."""
    return figure.replace(
        "<svg ", f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH * 2}" ', 1
    ).replace(">", f">{_ALONE}", 1)


def upper(dots: Sequence[Dot]) -> list[Dot]:
    """The dots by rising x that have more y than every one before them."""
    found: list[Dot] = []
    for dot in sorted(dots, key=lambda d: (d.x, -d.y)):
        if not found or dot.y > found[-1].y:
            found.append(dot)
    return found


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    start: float
    end: float
    step: float

    @classmethod
    def fit(cls, values: Sequence[tuple[float, Interval]], start: float, end: float) -> _Axis:
        every = [edge for value, interval in values for edge in (value, *(interval or ()))]
        margin = max((max(every) - min(every)) * 0.08, 0.01)
        low, high = min(every) - margin, max(every) + margin
        if min(every) >= 0:
            low = max(0.0, low)
        return cls(low, high, start, end, next(s for s in _STEPS if (high - low) / s <= 7))

    def shows(self, value: float) -> bool:
        return self.low <= value <= self.high

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        first = int(-(-self.low // self.step))
        count = int((self.high - first * self.step) // self.step) + 1
        return [round((first + index) * self.step, 6) for index in range(count)]


def _label(name: str, column: float, row: float, taken: list[Box]) -> tuple[float, float]:
    """Where the name stands beside its dot, if possible covering nothing; ``taken`` grows by it."""
    wide = _LETTER * len(name)
    boxes = [
        (left, row + down - 11, left + wide, row + down + 3)
        for down in (-8, 16, -22, 30)
        for left in (column + 8, column - 8 - wide)
    ]
    free = (
        box
        for box in boxes
        if box[0] > _LEFT and box[2] < _WIDTH - 2 and box[1] > 0 and box[3] < _HEIGHT - _BOTTOM + 3
        if not any(
            box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
            for other in taken
        )
    )
    box = next(free, boxes[0])
    taken.append(box)
    return box[0], box[3] - 3
