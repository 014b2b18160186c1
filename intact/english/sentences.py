"""Split a text into sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from intact.domain import Edit, Span
from intact.errors import ContextError

_OPENERS = "\"'“‘«„([{"
_CLOSERS = "\"'”’»)]}"
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st no nos art arts p pp v vs cf e.g i.e etc al para paras vol ed "
    "inc ltd co corp gen col capt lt sgt hon rev fig sec ch approx ca dept est".split()
)
_ITEM = re.compile(
    r"(?:\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)](?:\d+\.?)*|[-–—•*·]|§+ ?\d+\.?"
    r"|\[?\d\d?:\d\d\]?)$"
)  # what stands before an item of a list, or a line of a log
_WORD_BEFORE = re.compile(r"[\w.]+$")
_WINDOW = 24
_LINE = 120
LONGEST = 1200  # characters after which a sentence is cut at a blank, however it goes on

_BREAK = re.compile(r"(?<=[.!?…\"')\]”’])\s+(?=\S)|\n\s*\n+(?=\S)")
_BLANK = re.compile(r"\s(?=\S)")
_OPEN_END = re.compile(r"[\w,;)’”\"'&.-]\Z")
_OPEN_BEGINNING = re.compile(r"[\w(“‘\"']")
_ITSELF = re.compile(
    r"\S{1,30}(?: \S{1,20}){0,2}:|\w{1,3}[.)](?:\s|\Z)|\d[\d:./-]*\s*(?:[-–|\t]|\Z)|.*\t"
)  # A line that stands for itself: a field, a speaker, an item, a time and its event
_WIDTH, _LINES, _FULL = 40, 3, 0.7
"""Characters of the longest line, and lines, from which on a filled paragraph is a wrapped one."""


def starts_sentence(text: str, position: int) -> bool:
    """Return whether a sentence, a heading or a list item begins at ``position``: behind an empty
    line, but not behind a line break alone (lines may be wrapped)."""
    at = position
    while at and text[at - 1] in _OPENERS:
        at -= 1
    gap = at
    while gap and text[gap - 1].isspace():
        gap -= 1
    if gap == 0:
        return True
    space = text[gap:at]
    if space.count("\n") > 1 or space.count("\r") > 1:
        return True
    if "\n" not in space and "\r" not in space and _begins_item(text, gap):
        return bool(space)
    if not space:
        return False
    while gap and text[gap - 1] in _CLOSERS:
        gap -= 1
    if gap == 0 or text[gap - 1] not in ".!?…":
        return False
    word = _WORD_BEFORE.search(text, max(0, gap - 1 - _WINDOW), gap - 1)
    letters = word.group().lower() if word and text[gap - 1] == "." else ""
    initial = len(letters) == 1 and letters.isalpha()  # "H. Smith"
    return letters not in _ABBREVIATIONS and not initial


def _begins_item(text: str, end: int) -> bool:
    """Return whether the text up to ``end`` is a list marker alone on its line."""
    floor = max(0, end - _WINDOW)
    line = max(text.rfind("\n", floor, end), text.rfind("\r", floor, end)) + 1
    if line == 0 and floor:
        return False
    head = text[line:end].strip()
    return bool(head) and _ITEM.fullmatch(head) is not None


def line_is_upper(text: str, start: int, end: int) -> bool:
    """Return whether the line around ``[start, end)`` is set in capitals, apart from it."""
    head = text[max(0, start - _LINE) : start].rpartition("\n")[2]
    tail = text[end : end + _LINE].partition("\n")[0]
    line = head + tail
    return not any(map(str.islower, line)) and sum(map(str.isalpha, line)) >= 4


def sentences(text: str, keep: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Spans that cover the text without a gap, one a sentence, blanks after it included."""
    starts = [0]
    for match in _BREAK.finditer(text):
        at = match.end()
        if starts_sentence(text, at) and not _inside(at, keep):
            starts += [*_cuts(text, starts[-1], at, keep), at]
    starts += _cuts(text, starts[-1], len(text), keep)
    ends = [*starts[1:], len(text)]
    return tuple(Span(start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def fit_sentences(
    spans: Sequence[Span], sizes: Sequence[int], frame: int, context: int, share: int = 1
) -> list[Span]:
    """Return consecutive sentences joined into parts that fit the context of a model.

    Args:
        spans: of the sentences, in text order.
        sizes: tokens of each.
        frame: tokens of all that a request holds besides, the answer included.
        context: tokens that the model reads and writes at most.
        share: how often a request holds a part, or leaves as much room for what is written.

    Raises:
        ContextError: a sentence does not fit.
    """
    room, largest = (context - frame) // share, max(sizes, default=0)
    if largest > room:
        raise ContextError(
            f"a context of {context} tokens is too short: instructions and answer take {frame}, "
            f"and the longest sentence {largest * share}",
            where="setting model.context",
            remedy="Raise it, or take a model with a longer context.",
        )
    parts: list[Span] = []
    used = room + 1
    for span, size in zip(spans, sizes, strict=True):
        if used + size > room:
            parts.append(span)
            used = size
        else:
            parts[-1] = Span(parts[-1].start, span.end)
            used += size
    return parts


def _cuts(text: str, start: int, end: int, keep: Sequence[Span]) -> list[int]:
    """Return where a sentence that is far too long is cut."""
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


def unwrapped(text: str) -> str:
    """The text, as long as it was, with blanks for the line breaks that only wrap a paragraph. A
    break wraps if a sentence goes on behind it in lower case; and anywhere in a paragraph where
    most breaks do, or whose lines are filled: no next word would have found room."""
    paragraphs = groupby(re.findall(r"[^\n]*\n|[^\n]+", text), str.isspace)
    return "".join("".join(lines) if blank else _joined([*lines]) for blank, lines in paragraphs)


def _joined(lines: list[str]) -> str:
    """The lines of a paragraph as one text, its wraps as blanks."""
    if len(lines) == 1:
        return lines[0]
    bare = [line.rstrip() for line in lines]
    width, pairs = max(map(len, bare)), list(pairwise(bare))
    on = [
        below[0].islower() and above[-1] not in ".!?" and above.count(" ") > 1
        for above, below in pairs
    ]
    filled = all(len(above) + len(below.split()[0]) >= width for above, below in pairs)
    most = 2 * sum(on) >= len(pairs) or (any(on) and filled and width >= _WIDTH)
    for at, (above, below) in enumerate(pairs):
        alone = _ITSELF.match(below) or (_ITSELF.match(above) and not on[at])
        open_ended = _OPEN_END.search(above) and _OPEN_BEGINNING.match(below)
        word = below.split()[0]
        full = "@" not in word and len(above) + len(word) >= _FULL * width
        if full and open_ended and not alone and (on[at] or (most and len(lines) >= _LINES)):
            lines[at] = above.ljust(len(lines[at]))
    return "".join(lines)


def wrapped(text: str, flat: str, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits that keep line breaks that wrap, so that no line grows: at a blank of the replacement,
    else at the one behind or before it."""
    made: list[Edit] = []
    for edit, following in pairwise([*edits, Edit(Span(len(text) + 1, len(text) + 2), "")]):
        start, end, new = edit.span.start, edit.span.end, edit.text
        wrap = next((at for at in range(start, end) if text[at] == "\n" != flat[at]), None)
        if wrap is not None:
            line_end = "\r\n" if text[wrap - 1] == "\r" else "\n"
            place = (wrap - start) * len(new) // (end - start)
            blanks = [match.start() for match in re.finditer(" ", new)]
            if blanks:
                at = min(blanks, key=lambda blank: abs(blank - place))
                new = f"{new[:at]}{line_end}{new[at + 1 :]}"
            elif text[end : end + 1] == " " and following.span.start > end:
                end, new = end + 1, f"{new}{line_end}"
            elif text[start - 1 : start] == " " and (not made or made[-1].span.end < start):
                start, new = start - 1, f"{line_end}{new}"
        made.append(Edit(Span(start, end), new))
    return tuple(made)
