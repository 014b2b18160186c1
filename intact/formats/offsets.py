"""Offsets that count UTF-16 units, found out and turned into code points.

Tools that run in a browser may count as JavaScript does: a character beyond the Basic
Multilingual Plane (an emoji) is two. Behind the first one, such offsets drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Offsets:
    """A span as a tool gives it; ``text`` is what it says stands there, "" if it says nothing."""

    start: int
    end: int
    text: str = ""


def as_code_points(
    text: str, spans: Sequence[Offsets], *, units: bool = False
) -> tuple[tuple[Offsets, ...], str]:
    """The spans of one document in code points, and a warning ("" if nothing is odd).

    The spans are taken to count UTF-16 units if that fits better: what they say stands there,
    the end of the text, or (where they do not say) the edges of words.

    Args:
        units: whether they count UTF-16 units where both fit alike; else code points.
    """
    if text.isascii() or max(map(ord, text), default=0) < 0x10000 or not spans:
        return tuple(spans), ""
    points = {unit: at for at, unit in enumerate(_units(text))}
    converted = [Offsets(points.get(s.start, -1), points.get(s.end, -1), s.text) for s in spans]
    as_units, as_points = _misfit(text, converted), _misfit(text, spans)
    if as_units < as_points or (units and as_units == as_points):
        found = tuple(converted)
        odd = "" if units else f"{len(spans)} offsets counted UTF-16 units and were repaired"
        return found, odd
    moved = any((s.start, s.end) != (c.start, c.end) for s, c in zip(spans, converted, strict=True))
    if units and moved:
        return tuple(spans), f"{len(spans)} offsets counted code points, not UTF-16 units"
    if moved and as_units == as_points:
        return tuple(spans), "offsets were taken for code points; UTF-16 units would fit as well"
    return tuple(spans), ""


def to_utf16(text: str, offset: int) -> int:
    """How many UTF-16 units stand before ``offset``."""
    return offset + sum(ord(char) > 0xFFFF for char in text[:offset])


def _units(text: str) -> list[int]:
    return list(accumulate((1 + (ord(char) > 0xFFFF) for char in text), initial=0))


def _misfit(text: str, spans: Sequence[Offsets]) -> tuple[int, int]:
    """How many spans cannot be right, and how many of their ends cut a word."""
    wrong = cuts = 0
    for span in spans:
        if not 0 <= span.start < span.end <= len(text) or (
            span.text and text[span.start : span.end] != span.text
        ):
            wrong += 1
        elif not span.text:
            cuts += _cuts(text, span.start) + _cuts(text, span.end)
            cuts += text[span.start].isspace() + text[span.end - 1].isspace()
    return wrong, cuts


def _cuts(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
