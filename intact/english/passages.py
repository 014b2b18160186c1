"""A text as a row of sentences, for models that cannot read all of it at once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from intact.domain import Span
from intact.english.sentences import starts_sentence

LONGEST = 1200
"""Characters after which a sentence is cut at a blank, however it goes on."""

_BREAK = re.compile(r"(?<=[.!?…\"')\]”’])\s+(?=\S)|\n\s*\n+(?=\S)")
_BLANK = re.compile(r"\s(?=\S)")


def sentences(text: str, keep: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Spans that cover the text without a gap, one a sentence, blanks after it included.

    Args:
        text: any text.
        keep: spans that no sentence may end inside of.
    """
    starts = [0]
    for match in _BREAK.finditer(text):
        at = match.end()
        if starts_sentence(text, at) and not _inside(at, keep):
            starts += [*_cuts(text, starts[-1], at, keep), at]
    starts += _cuts(text, starts[-1], len(text), keep)
    ends = [*starts[1:], len(text)]
    return tuple(Span(start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def sentence_around(text: str, span: Span) -> Span:
    """The sentence that holds ``span``, without blanks around it.

    Args:
        text: the whole text.
        span: a range of it.
    """
    near = max(0, span.start - 2 * LONGEST)
    stop = min(len(text), span.end + 2 * LONGEST)
    local = Span(span.start - near, span.end - near)
    window = text[near:stop]
    found = next(
        (piece for piece in sentences(window, [local]) if piece.contains(local)),
        Span(0, len(window)),
    )
    raw = found.of(window)
    start = near + found.start + len(raw) - len(raw.lstrip())
    return Span(min(start, span.start), max(start + len(raw.strip()), span.end))


def _cuts(text: str, start: int, end: int, keep: Sequence[Span]) -> list[int]:
    """Where a sentence that is far too long is cut."""
    cuts: list[int] = []
    while end - start > LONGEST:
        places = (m.end() for m in _BLANK.finditer(text, start + LONGEST // 2, end))
        cut = next((place for place in places if not _inside(place, keep)), None)
        if cut is None or cut >= end:
            break
        cuts.append(cut)
        start = cut
    return cuts


def _inside(at: int, keep: Sequence[Span]) -> bool:
    return any(span.start < at < span.end for span in keep)
