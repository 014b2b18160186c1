"""Settings by what they keep and give away: the Pareto front, and the one that meets a target."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import tomli_w

from intact.config import Settings
from intact.domain import SanitizedDocument
from intact.evaluation.metric import Metric
from intact.evaluation.report.page import Dot, alone, scatter

COLUMNS = ("point", "tps", "inference", "labels", "settings")
"""Of pareto.csv and sweep.csv."""

MEASURED = ("tps", "inference", "labels")
"""The metrics that tuning goes by."""

Target = Literal["tps", "risk"]


@dataclass(frozen=True, slots=True)
class Tried:
    """One setting and what a run under it gave.

    Attributes:
        name: what it changes: "attack.max_risk=0.1".
        tps: Text Preserved Similarity, 0 to 1.
        inference: share of strings guessed in five from a closed pool.
        labels: share of strings (names and codes apart) that end on a label.
    """

    name: str
    tps: float
    inference: float
    labels: float

    def dominates(self, other: Tried) -> bool:
        """Whether it is nowhere worse than ``other`` and somewhere better."""
        mine, theirs = (self.tps, -self.inference), (other.tps, -other.inference)
        return mine != theirs and all(a >= b for a, b in zip(mine, theirs, strict=True))

    def misses(self, target: Target, value: float) -> float:
        """By how much it fails a target; 0 where it meets it.

        Args:
            target: "tps" asks for ``value`` or more, "risk" (inference) for ``value`` or less.
            value: 0 to 1.
        """
        return max(0.0, value - self.tps if target == "tps" else self.inference - value)


def tried(name: str, documents: Sequence[SanitizedDocument], metrics: Sequence[Metric]) -> Tried:
    """The figures of one run.

    Args:
        name: of its settings.
        documents: what it made.
        metrics: of the names ``MEASURED``.
    """
    return Tried(name, *(metric.score(documents).value for metric in metrics))


def front(points: Sequence[Tried]) -> list[Tried]:
    """The points that no other dominates, by falling utility; of equal ones the first."""
    first: dict[tuple[float, float], Tried] = {}
    for point in points:
        if not any(other.dominates(point) for other in points):
            first.setdefault((point.tps, point.inference), point)
    return sorted(first.values(), key=lambda point: (-point.tps, point.inference))


def pick(points: Sequence[Tried], target: Target, value: float) -> Tried:
    """The least risky point that meets a target of utility, or the most useful one that meets a
    target of risk; where none meets it, the one that misses it least.

    Args:
        points: one at least.
        target: "tps" asks for ``value`` or more, "risk" (inference) for ``value`` or less.
        value: 0 to 1.
    """

    def order(point: Tried) -> tuple[float, ...]:
        rest = (point.inference, -point.tps)
        return (point.misses(target, value), *(rest if target == "tps" else rest[::-1]))

    return min(points, key=order)


def rows(points: Sequence[Tried]) -> list[tuple[str, ...]]:
    """The points as lines under ``COLUMNS``."""
    return [
        (f"{at:02}", *(f"{x:.4f}" for x in (point.tps, point.inference, point.labels)), point.name)
        for at, point in enumerate(points, start=1)
    ]


def configuration(point: Tried, settings: Settings) -> str:
    """All settings as TOML, with the point's figures on top; the file alone gives the same run.

    Args:
        point: what was measured.
        settings: those of its run.
    """
    tree: Mapping[str, Any] = settings.model_dump(mode="json", exclude_none=True)
    return (
        f"# {point.name}\n# Measured: TPS {point.tps:.4f}, guessed in five {point.inference:.4f}, "
        f"bare labels {point.labels:.4f}.\n{tomli_w.dumps(tree)}"
    )


def drawn(
    points: Sequence[Tried],
    named: Collection[str] = (),
    systems: Sequence[Tried] = (),
    chosen: Tried | None = None,
) -> str:
    """Utility against inference risk as an SVG file; the front is coloured and joined.

    Args:
        points: what was tried.
        named: the names of those that are written out.
        systems: other systems on the same documents, drawn as squares.
        chosen: the point that was picked, in a ring.
    """
    best = front(points)
    dots = [_dot(p, p in best, p.name in named or p == chosen, p == chosen) for p in points]
    dots += [Dot(s.name, s.inference, s.tps, shape="square") for s in systems]
    return alone(scatter(dots, "guessed in five", "TPS", line=True))


def _dot(point: Tried, best: bool, named: bool, chosen: bool) -> Dot:
    name = f"chosen: {point.name}" if chosen else point.name
    shape = "ring" if chosen else "circle"
    return Dot(name, point.inference, point.tps, emphasis=best, named=named, shape=shape)
