"""Edits that lead from one text to another, where only the two texts are known."""

from __future__ import annotations

import re

from intact.domain import Edit, Span

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits which applied to ``before`` give ``after``: whole words, as few as possible.

    Insertions take the character before them (or after, at the start) with them, because an edit
    covers a character at least.
    """
    from rapidfuzz.distance import Indel

    old = [match.span() for match in _TOKEN.finditer(before)]
    new = [match.span() for match in _TOKEN.finditer(after)]
    codes = Indel.opcodes(
        [before[start:end] for start, end in old], [after[start:end] for start, end in new]
    )
    pieces: list[tuple[int, int, str]] = []
    for code in codes:
        if code.tag == "equal":
            continue
        start = old[code.src_start][0] if code.src_start < len(old) else len(before)
        end = old[code.src_end - 1][1] if code.src_end > code.src_start else start
        low = new[code.dest_start][0] if code.dest_start < len(new) else len(after)
        high = new[code.dest_end - 1][1] if code.dest_end > code.dest_start else low
        if pieces and before[pieces[-1][1] : start].isspace():
            first, last, text = pieces.pop()  # words changed side by side are one change
            pieces.append((first, end, text + before[last:start] + after[low:high]))
        elif pieces and pieces[-1][1] == start:
            first, _, text = pieces.pop()
            pieces.append((first, end, text + after[low:high]))
        else:
            pieces.append((start, end, after[low:high]))
    return tuple(_covering(before, *piece) for piece in pieces)


def _covering(text: str, start: int, end: int, new: str) -> Edit:
    while start < end and new and text[start].isspace() and new[0] == text[start]:
        start, new = start + 1, new[1:]
    while start < end and new and text[end - 1].isspace() and new[-1] == text[end - 1]:
        end, new = end - 1, new[:-1]
    if start < end:
        return Edit(Span(start, end), new)
    if start > 0:
        return Edit(Span(start - 1, start), text[start - 1] + new)
    return Edit(Span(0, 1), new + text[:1])
