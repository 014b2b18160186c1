"""Settings as points of utility and risk, and those among them that are worth having."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """What one setting would do.

    Attributes:
        name: of the setting.
        tps: utility, 0 to 1.
        inference: share of strings guessed in five from a closed pool.
        linkage: share of documents whose individual TF-IDF puts first; NaN without background.
        labels: share of strings (names and codes apart) that end on a label.
        measured: of documents that a run made, not estimated.
    """

    name: str
    tps: float
    inference: float
    linkage: float
    labels: float
    measured: bool = False

    def dominates(self, other: Point) -> bool:
        """Whether it is nowhere worse than ``other`` and somewhere better."""
        mine = (self.tps, -self.inference, -_known(self.linkage))
        theirs = (other.tps, -other.inference, -_known(other.linkage))
        return all(a >= b for a, b in zip(mine, theirs, strict=True)) and mine != theirs


def front(points: Sequence[Point]) -> list[Point]:
    """The points that no other dominates, by falling utility; of equal ones the first."""
    seen: set[tuple[float, float, float]] = set()
    found = []
    for point in points:
        key = (round(point.tps, 6), round(point.inference, 6), round(_known(point.linkage), 6))
        if key not in seen and not any(other.dominates(point) for other in points):
            seen.add(key)
            found.append(point)
    return sorted(found, key=lambda point: (-point.tps, point.inference))


def pick(points: Sequence[Point], target: str, value: float) -> Point | None:
    """The least risky point with ``tps`` of ``value`` or more, or the most useful one with
    ``risk`` (inference) or ``linkage`` of ``value`` or less; None if there is none."""
    if target == "tps":
        enough = [point for point in points if point.tps >= value]
        return min(enough, key=lambda p: (p.inference, _known(p.linkage), -p.tps), default=None)
    risks = [(point.linkage if target == "linkage" else point.inference) for point in points]
    safe = [point for point, risk in zip(points, risks, strict=True) if risk <= value]
    return max(safe, key=lambda p: (p.tps, -p.inference), default=None)


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value
