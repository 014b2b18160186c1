"""Findings of several detectors as one list of spans that do not overlap.

Policy: what any detector found is covered, whoever else
saw nothing there.

* A finding inside another, or equal to it, goes into it. Of equal ones the better score gives the
  kind; of equal scores the detector that comes first.
* Two that overlap in part: the one with the better score (then the longer, then the first) keeps
  its span, the other keeps the rest, where the rest holds a letter or digit.
* Blanks and punctuation at the ends belong to no mention.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from intact.detection.findings import Finding, Merged
from intact.domain import Span

_TRIM_LEFT = re.compile(r"[\s,;:.!?\"“”‘’'()\[\]]+")
_TRIM_RIGHT = re.compile(r"[\s,;:!?\"“”‘'(\[]+\Z")
_INITIAL = re.compile(r"(?:\b\w|\b(?:Jr|Sr|Ltd|Inc|Co|Corp|St|etc|[ap]\.m))\.\Z")


def merge(text: str, findings: Sequence[Finding], order: Sequence[str] = ()) -> tuple[Merged, ...]:
    """Spans in text order that do not overlap.

    Args:
        order: names of detectors; of equal findings the earlier one's counts.
    """
    rank: Mapping[str, int] = {name: at for at, name in enumerate(order)}
    trimmed = [
        (span, finding) for finding in findings if (span := tidy(text, finding.span)) is not None
    ]
    trimmed.sort(
        key=lambda item: (
            item[0].start,
            -item[0].end,
            -item[1].score,
            rank.get(item[1].source, len(rank)),
            item[1].kind,
        )
    )
    kept: list[Merged] = []
    for span, finding in trimmed:
        one = Merged(span, finding.kind, finding.score, (finding.source,))
        if kept and kept[-1].span.overlaps(span):
            last = kept.pop()
            kept += _settle(text, last, one)
        else:
            kept.append(one)
    return tuple(kept)


def _settle(text: str, left: Merged, right: Merged) -> list[Merged]:
    """Two that overlap; ``left`` starts no later."""
    if left.span.contains(right.span):
        return [_with(left, right)]
    if right.score > left.score or (right.score == left.score and len(right.span) > len(left.span)):
        rest = (
            tidy(text, Span(left.span.start, right.span.start))
            if (left.span.start < right.span.start)
            else None
        )
        both = _with(right, left)
        return [both] if rest is None else [_cut(left, rest), right]
    rest = tidy(text, Span(left.span.end, right.span.end))
    return [_with(left, right)] if rest is None else [left, _cut(right, rest)]


def _with(winner: Merged, other: Merged) -> Merged:
    sources = tuple(sorted({*winner.sources, *other.sources}))
    return Merged(winner.span, winner.kind, max(winner.score, other.score), sources)


def _cut(one: Merged, span: Span) -> Merged:
    return Merged(span, one.kind, one.score, one.sources)


def tidy(text: str, span: Span) -> Span | None:
    """``span`` without what does not belong to a mention at its ends; None if nothing is left."""
    shown = span.of(text)
    left = _TRIM_LEFT.match(shown)
    start = left.end() if left else 0
    right = _TRIM_RIGHT.search(shown)
    end = right.start() if right else len(shown)
    while end > start and shown[end - 1] in ".)]’'":
        piece = shown[start:end]
        if (
            (piece[-1] == "." and not _INITIAL.search(piece))
            or (
                piece[-1] in ")]"
                and piece.count("([("[" )]".index(piece[-1])]) < piece.count(piece[-1])
            )
            or (piece[-1] in "’'" and not piece[-2:-1].isalpha())
        ):
            end -= 1
        else:
            break
    if start >= end or not any(char.isalnum() for char in shown[start:end]):
        return None
    return Span(span.start + start, span.start + end)
