"""Figures as SVG text: drawn with the page's own colours, readable by screen readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 560, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 24, 14, 46


@dataclass(frozen=True, slots=True)
class Dot:
    """A named point with optional 95 % intervals.

    Attributes:
        emphasis: drawn larger and in the accent colour.
        label: its name stands beside it, even where the figure has no labels.
    """

    name: str
    x: float
    y: float
    x_interval: tuple[float, float] | None = None
    y_interval: tuple[float, float] | None = None
    emphasis: bool = False
    label: bool = False


def scatter(
    points: Sequence[Dot], x: str, y: str, *, line: bool = False, labels: bool = True
) -> str:
    """Points with error bars on two axes that fit them; ``line`` joins those that are best for
    their x: no other has more y at so little x."""
    if not points:
        return ""
    across = _Axis.fit(
        [p.x for p in points], [p.x_interval for p in points], _LEFT, _WIDTH - _RIGHT
    )
    up = _Axis.fit([p.y for p in points], [p.y_interval for p in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [_axes(across, up, x, y)]
    if line:
        path = " ".join(f"{across.at(p.x):.1f},{up.at(p.y):.1f}" for p in upper(points))
        parts.append(f'<polyline class="line" points="{path}"/>')
    for point in points:
        parts.append(_bars(point, across, up))
    dots = [(across.at(p.x), up.at(p.y)) for p in points]
    taken = [(column - 5, row - 5, column + 5, row + 5) for column, row in dots]
    for point in sorted(points, key=lambda p: -p.emphasis):
        column, row = across.at(point.x), up.at(point.y)
        kind = "point accent" if point.emphasis else "point"
        said = f"{point.name}: {x} {point.x:.3f}, {y} {point.y:.3f}"
        parts.append(
            f'<circle class="{kind}" cx="{column:.1f}" cy="{row:.1f}" r="{5 if labels else 4}">'
            f"<title>{escape(said)}</title></circle>"
        )
        if labels or point.label:
            parts.append(_label(point.name, column, row, taken))
    told = "; ".join(f"{p.name} {p.x:.3f}, {p.y:.3f}" for p in points)
    return _svg(_WIDTH, _HEIGHT, f"{y} against {x}: {told}", parts)


def upper(points: Sequence[Dot]) -> list[Dot]:
    """The points by rising x that have more y than every one before them."""
    found: list[Dot] = []
    for point in sorted(points, key=lambda p: (p.x, -p.y)):
        if not found or point.y > found[-1].y:
            found.append(point)
    return found


def stacked(rows: Mapping[str, Mapping[str, int]], kinds: Mapping[str, str]) -> str:
    """Horizontal bars of counts: row -> kind -> count; ``kinds`` gives each kind's class."""
    largest = max((sum(row.values()) for row in rows.values()), default=0)
    if not largest:
        return ""
    height, left, width = 26, 92, 560
    parts = []
    for index, (name, row) in enumerate(rows.items()):
        top = index * height + 4
        parts.append(f'<text class="tick end" x="{left - 8}" y="{top + 14}">{escape(name)}</text>')
        at = float(left)
        for kind, style in kinds.items():
            count = row.get(kind, 0)
            if not count:
                continue
            wide = (width - left - 48) * count / largest
            parts.append(
                f'<rect class="{style}" x="{at:.1f}" y="{top}" width="{max(wide, 1):.1f}" '
                f'height="18" rx="2"><title>{escape(f"{name}: {count} {kind}")}</title></rect>'
            )
            at += wide
        parts.append(
            f'<text class="tick" x="{at + 6:.1f}" y="{top + 14}">{sum(row.values()):,}</text>'
        )
    told = "; ".join(
        f"{name}: " + ", ".join(f"{count} {kind}" for kind, count in row.items() if count)
        for name, row in rows.items()
    )
    return _svg(width, len(rows) * height + 6, told, parts)


def columns(values: Sequence[tuple[str, int]], said: str) -> str:
    """Vertical bars of counts with their names below."""
    largest = max((count for _, count in values), default=0)
    if not largest:
        return ""
    width, height, floor = 560, 190, 160
    step = width / len(values)
    parts = [f'<line class="axis" x1="0" x2="{width}" y1="{floor}" y2="{floor}"/>']
    for index, (name, count) in enumerate(values):
        tall = (floor - 24) * count / largest
        left = index * step + step * 0.14
        parts.append(
            f'<rect class="bar" x="{left:.1f}" y="{floor - tall:.1f}" width="{step * 0.72:.1f}" '
            f'height="{tall:.1f}" rx="2"><title>{escape(f"{name}: {count}")}</title></rect>'
        )
        middle = index * step + step / 2
        parts.append(
            f'<text class="tick mid" x="{middle:.1f}" y="{floor + 17}">{escape(name)}</text>'
        )
        if count:
            parts.append(
                f'<text class="tick mid" x="{middle:.1f}" y="{floor - tall - 5:.1f}">'
                f"{count:,}</text>"
            )
    told = "; ".join(f"{name}: {count}" for name, count in values)
    return _svg(width, height, f"{said}: {told}", parts)


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    start: float
    end: float
    step: float

    @classmethod
    def fit(
        cls,
        values: Sequence[float],
        intervals: Sequence[tuple[float, float] | None],
        start: float,
        end: float,
    ) -> _Axis:
        every = [*values, *(edge for pair in intervals if pair for edge in pair)]
        low, high = min(every), max(every)
        room = max((high - low) * 0.08, 0.01)
        low, high = low - room, high + room
        if min(every) >= 0:
            low = max(0.0, low)
        step = next(
            s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 1e9) if (high - low) / s <= 7
        )
        return cls(low, high, start, end, step)

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
        parts.append(
            f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{up.start}" y2="{up.end}"/>'
        )
        parts.append(f'<text class="tick mid" x="{at:.1f}" y="{up.start + 17}">{tick:g}</text>')
    for tick in up.ticks():
        at = up.at(tick)
        parts.append(
            f'<line class="grid" x1="{across.start}" x2="{across.end}" '
            f'y1="{at:.1f}" y2="{at:.1f}"/>'
        )
        parts.append(
            f'<text class="tick end" x="{across.start - 7}" y="{at + 4:.1f}">{tick:g}</text>'
        )
    middle = (across.start + across.end) / 2
    parts.append(f'<text class="name mid" x="{middle}" y="{_HEIGHT - 8}">{escape(x)}</text>')
    down = (up.start + up.end) / 2
    parts.append(
        f'<text class="name mid" transform="translate(13 {down}) rotate(-90)">{escape(y)}</text>'
    )
    return "".join(parts)


def _bars(point: Dot, across: _Axis, up: _Axis) -> str:
    parts = ""
    column, row = across.at(point.x), up.at(point.y)
    if point.x_interval:
        low, high = (across.at(edge) for edge in point.x_interval)
        parts += (
            f'<line class="error" x1="{low:.1f}" x2="{high:.1f}" y1="{row:.1f}" y2="{row:.1f}"/>'
        )
    if point.y_interval:
        low, high = (up.at(edge) for edge in point.y_interval)
        parts += _line(column, column, low, high)
    return parts


def _line(x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="error" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _label(
    name: str, column: float, row: float, taken: list[tuple[float, float, float, float]]
) -> str:
    """The name beside its point, where it covers no other name."""
    wide = 6.6 * len(name)
    places = [
        (8, -8),
        (8, 16),
        (-8 - wide, -8),
        (-8 - wide, 16),
        (8, -22),
        (8, 30),
        (-8 - wide, -22),
    ]
    for across, down in places:
        left, base = column + across, row + down
        box = (left, base - 11, left + wide, base + 3)
        inside = left > _LEFT and box[2] < _WIDTH - 2 and box[1] > 0 and base < _HEIGHT - _BOTTOM
        if inside and not any(_meet(box, other) for other in taken):
            break
    taken.append(box)
    return f'<text class="label" x="{left:.1f}" y="{base:.1f}">{escape(name)}</text>'


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _svg(width: int, height: int, told: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="figure" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(told)}">{"".join(parts)}</svg>'
    )
