"""What an edited text keeps of each stretch of the original.

Annotations, terms and edits need not have the same borders: an edit may take an article with it,
cover two mentions, or only half of one. A region is the smallest stretch of the original whose
borders no edit and no unit crosses; originals and replacements are compared region by region, so
nothing is counted twice and nothing is taken for untouched that is not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Edit, Span


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the original and what stands there now.

    Attributes:
        span: the stretch, in the original.
        after: what stands for it in the edited text.
        units: indices of the units in it.
        touched: whether an edit reaches into it.
    """

    span: Span
    after: str
    units: tuple[int, ...]
    touched: bool


def regions(text: str, units: Sequence[Span], edits: Sequence[Edit]) -> tuple[Region, ...]:
    """The regions that ``units`` fall into, in text order.

    Args:
        text: the original.
        units: spans in text order, not overlapping.
        edits: ascending, not overlapping.
    """
    starts = [unit.start for unit in units]
    ends = [unit.end for unit in units]
    cover: list[tuple[int, int]] = []  # touched stretches, merged
    for edit in edits:
        low = bisect_right(ends, edit.span.start)
        high = bisect_left(starts, edit.span.end)
        start, end = edit.span.start, edit.span.end
        if low < high:
            start, end = min(start, starts[low]), max(end, ends[high - 1])
        if cover and start < cover[-1][1]:
            cover[-1] = (cover[-1][0], max(end, cover[-1][1]))
        else:
            cover.append((start, end))
    touched: list[Region] = []
    inside: set[int] = set()
    for start, end in cover:
        held = tuple(range(bisect_left(starts, start), bisect_right(ends, end)))
        if held:
            inside.update(held)
            span = Span(start, end)
            touched.append(Region(span, projection(text, edits, span), held, True))
    free = [
        Region(unit, unit.of(text), (index,), False)
        for index, unit in enumerate(units)
        if index not in inside
    ]
    return tuple(sorted([*touched, *free], key=lambda region: region.span))


def projection(text: str, edits: Sequence[Edit], span: Span) -> str:
    """What stands for ``span`` of ``text`` after ``edits``: whole replacements of the edits that
    reach into it, and the untouched characters between them."""
    first = bisect_right(edits, span.start, key=lambda edit: edit.span.end)
    parts: list[str] = []
    done = span.start
    for edit in edits[first:]:
        if edit.span.start >= span.end:
            break
        parts += (text[done : edit.span.start], edit.text)
        done = edit.span.end
    parts.append(text[done : span.end])
    return "".join(parts)
