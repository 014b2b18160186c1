"""Originals and edits as the pairs that metrics score, and what stands for which stretch.

Annotations, terms and edits need not have the same borders: an edit may take an article with it,
cover two mentions, or only half of one. A region is the smallest stretch of the original whose
borders no edit and no unit crosses; originals and replacements are compared region by region, so
nothing is counted twice and nothing is taken for untouched that is not.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from intact.domain import LABEL_ONLY, Document, Edit, Mention, Replacement, SanitizedDocument, Span

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def pair(document: Document, edits: Sequence[Edit]) -> SanitizedDocument:
    """A document with somebody's edits, without decisions.

    Args:
        document: the original.
        edits: ascending, not overlapping.
    """
    replacements = tuple(
        Replacement(
            mention.span,
            projection(document.text, edits, mention.span),
            mention.entity_id,
            mention.id,
        )
        for mention in sorted(document.mentions, key=lambda mention: mention.span)
        if mention.masked
    )
    return SanitizedDocument(document, tuple(edits), replacements, ())


@dataclass(frozen=True, slots=True)
class MaskedString:
    """A masked mention and what stands for it.

    Attributes:
        document: id of its document.
        mention: the mention.
        after: what stands for it, "" if nothing; read off the edits, so that it is the same for
            every system, whoever made it.
    """

    document: str
    mention: Mention
    after: str

    @property
    def before(self) -> str:
        """The original string."""
        return self.mention.text

    @property
    def entity_type(self) -> str:
        """Type of the mention."""
        return self.mention.entity_type

    @property
    def attackable(self) -> bool:
        """Whether it can be guessed: names and codes only ever become labels."""
        return self.entity_type not in LABEL_ONLY


def masked_strings(pairs: Sequence[SanitizedDocument]) -> list[MaskedString]:
    """Every masked mention of every document, in text order."""
    return [
        MaskedString(p.document.id, mention, projection(p.document.text, p.edits, mention.span))
        for p in pairs
        for mention in sorted(p.document.mentions, key=lambda mention: mention.span)
        if mention.masked
    ]


@dataclass(frozen=True, slots=True)
class TouchedRegion:
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


def regions(text: str, units: Sequence[Span], edits: Sequence[Edit]) -> tuple[TouchedRegion, ...]:
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
    touched: list[TouchedRegion] = []
    inside: set[int] = set()
    for start, end in cover:
        held = tuple(range(bisect_left(starts, start), bisect_right(ends, end)))
        if held:
            inside.update(held)
            span = Span(start, end)
            touched.append(TouchedRegion(span, projection(text, edits, span), held, True))
    free = [
        TouchedRegion(unit, unit.of(text), (index,), False)
        for index, unit in enumerate(units)
        if index not in inside
    ]
    return tuple(sorted([*touched, *free], key=lambda region: region.span))


def projection(text: str, edits: Sequence[Edit], span: Span) -> str:
    """What stands for a stretch of a text: whole replacements of the edits that reach into it,
    and the untouched characters between them.

    Args:
        text: the original.
        edits: ascending, not overlapping.
        span: the stretch.
    """
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


def new_places(edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Start and end of each edit's text in the edited text; equal where nothing stands there."""
    places, shift = [], 0
    for edit in edits:
        start = edit.span.start + shift
        places.append((start, start + len(edit.text)))
        shift += len(edit.text) - len(edit.span)
    return places


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits which applied to ``before`` give ``after``: whole words, as few as possible.

    Insertions take the character before them (or after, at the start) with them, because an edit
    covers a character at least.

    Args:
        before: the original text.
        after: the edited text.
    """
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
