"""The scatter plot as SVG text: in the page's own colours, readable by screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

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


@dataclass(frozen=True, slots=True)
class Dot:
    """A named point with optional 95 % intervals; emphasis draws it in the accent colour."""

    name: str
    x: float
    y: float
    x_interval: Interval = None
    y_interval: Interval = None
    emphasis: bool = False


def scatter(dots: Sequence[Dot], x: str, y: str, *, line: bool = False, labels: bool = True) -> str:
    """Dots with error bars on two axes that fit them; "" without dots.

    Args:
        dots: what is shown.
        x: name of the axis across.
        y: name of the axis upwards.
        line: join the dots that have more y than all others at so little x.
        labels: write the names beside the dots; without, pointing at a dot tells it.
    """
    if not dots:
        return ""
    across = _Axis.fit([(d.x, d.x_interval) for d in dots], _LEFT, _WIDTH - _RIGHT)
    up = _Axis.fit([(d.y, d.y_interval) for d in dots], _HEIGHT - _BOTTOM, _TOP)
    parts = [_axes(across, up, x, y)]
    if line:
        path = " ".join(f"{across.at(d.x):.1f},{up.at(d.y):.1f}" for d in upper(dots))
        parts.append(f'<polyline class="line" points="{path}"/>')
    for dot in dots:
        column, row = across.at(dot.x), up.at(dot.y)
        if dot.x_interval:
            low, high = map(across.at, dot.x_interval)
            parts.append(_line("error", low, high, row, row))
        if dot.y_interval:
            low, high = map(up.at, dot.y_interval)
            parts.append(_line("error", column, column, low, high))
    places = [(across.at(d.x), up.at(d.y)) for d in dots]
    taken: list[Box] = [(left - 5, top - 5, left + 5, top + 5) for left, top in places]
    for dot, (column, row) in sorted(zip(dots, places, strict=True), key=lambda p: -p[0].emphasis):
        said = escape(f"{dot.name}: {x} {dot.x:.3f}, {y} {dot.y:.3f}")
        kind = "point accent" if dot.emphasis else "point"
        parts.append(
            f'<circle class="{kind}" cx="{column:.1f}" cy="{row:.1f}" '
            f'r="{5 if labels else 4}"><title>{said}</title></circle>'
        )
        if labels:
            parts.append(_label(dot.name, column, row, taken))
    told = escape("; ".join(f"{d.name} {d.x:.3f}, {d.y:.3f}" for d in dots))
    return (
        f'<svg class="figure" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(y)} against {escape(x)}: {told}">{"".join(parts)}</svg>'
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

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        first = int(-(-self.low // self.step))
        count = int((self.high - first * self.step) // self.step) + 1
        return [round((first + index) * self.step, 6) for index in range(count)]


def _axes(across: _Axis, up: _Axis, x: str, y: str) -> str:
    parts = []
    for tick in across.ticks():
        at = across.at(tick)
        parts.append(_line("grid", at, at, up.start, up.end))
        parts.append(f'<text class="tick mid" x="{at:.1f}" y="{up.start + 17}">{tick:g}</text>')
    for tick in up.ticks():
        at = up.at(tick)
        parts.append(_line("grid", across.start, across.end, at, at))
        parts.append(
            f'<text class="tick end" x="{across.start - 7}" y="{at + 4:.1f}">{tick:g}</text>'
        )
    middle, half = (across.start + across.end) / 2, (up.start + up.end) / 2
    parts.append(f'<text class="name mid" x="{middle}" y="{_HEIGHT - 8}">{escape(x)}</text>')
    parts.append(
        f'<text class="name mid" transform="translate(13 {half}) rotate(-90)">{escape(y)}</text>'
    )
    return "".join(parts)


def _line(kind: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _label(name: str, column: float, row: float, taken: list[Box]) -> str:
    """The name beside its dot, if possible where it covers nothing; ``taken`` grows by it."""
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
        if not any(_meet(box, other) for other in taken)
    )
    box = next(free, boxes[0])
    taken.append(box)
    return f'<text class="label" x="{box[0]:.1f}" y="{box[3] - 3:.1f}">{escape(name)}</text>'


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
