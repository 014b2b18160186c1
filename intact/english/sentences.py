"""Split a text into sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from intact.domain import Span
from intact.english.vocabulary import read_patterns, word_sets
from intact.errors import ContextError

_OPENERS = "\"'“‘«„([{"
_CLOSERS = "\"'”’»)]}"
_ABBREVIATIONS = word_sets("sentences", "words")["abbreviations"]
_FORMS = read_patterns("sentences")
VERSUS = " v. "  # separates the parties in the title of a case, also in a line in capitals
_WINDOW = 24
_LINE = 120
LONGEST = 1200  # characters after which a sentence is cut at a blank, however it goes on


def starts_sentence(text: str, position: int) -> bool:
    """Tell whether a sentence, a heading or a list item begins at an offset. It does after an empty
    line, but not after a single line break (lines may be wrapped).

    Args:
        text: the document.
        position: of the first word; quotes and brackets may stand before it.
    """
    at = position
    while at and text[at - 1] in _OPENERS:
        at -= 1
    gap = at
    while gap and text[gap - 1].isspace():
        gap -= 1
    space = text[gap:at]
    breaks = max(space.count("\n"), space.count("\r"))
    if gap == 0 or breaks > 1:
        return True
    # the marker of a list item ("(a)", "3."), alone on its line
    item = not breaks and _FORMS["item"].search(text, max(0, gap - _WINDOW), gap)
    return bool(space and (item or _ends_sentence(text, gap)))


def _ends_sentence(text: str, end: int) -> bool:
    """Tell whether the mark before an offset (quotes and brackets between them are skipped) ends a
    sentence: a full stop after an abbreviation or an initial does not, nor does an offset of 0."""
    while end and text[end - 1] in _CLOSERS:
        end -= 1
    if end == 0 or text[end - 1] not in ".!?…":
        return False
    word = _FORMS["word_before"].search(text, max(0, end - 1 - _WINDOW), end - 1)
    letters = word.group().lower() if word and text[end - 1] == "." else ""
    initial = len(letters) == 1 and letters.isalpha()  # "H. Smith"
    return letters not in _ABBREVIATIONS and not initial


def line_is_upper(text: str, start: int, end: int, apart: str = " ") -> bool:
    """Tell whether the line around a span, without the span, is in capitals and has at least four
    letters.

    Args:
        text: the document.
        start: of the span; 120 characters before it are looked at.
        end: of the span, exclusive; 120 characters after it are looked at.
        apart: a text that is ignored in the line.
    """
    head = text[max(0, start - _LINE) : start].rpartition("\n")[2]
    line = (head + text[end : end + _LINE].partition("\n")[0]).replace(apart, " ")
    return not any(map(str.islower, line)) and sum(map(str.isalpha, line)) >= 4


def sentences(text: str, keep: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Split a text into sentences: spans in text order that cover it without a gap, each with the
    blanks after it; () for "".

    Args:
        text: the document; a sentence of more than 1,200 characters is cut at a blank.
        keep: spans inside which no sentence ends (mentions, edits).
    """
    bounds, breaks = [0], (match.end() for match in _FORMS["break"].finditer(text))
    ends = (at for at in breaks if starts_sentence(text, at) and not _inside(at, keep))
    for end in (*ends, len(text)):
        bounds += [*_cuts(text, bounds[-1], end, keep), end]
    return tuple(Span(start, end) for start, end in pairwise(bounds) if start < end)


def fit_sentences(
    spans: Sequence[Span], sizes: Sequence[int], frame: int, context: int, share: int = 1
) -> list[Span]:
    """Join consecutive sentences into as few parts as fit the context of a model, and return the
    parts' spans in text order; [] for no sentences.

    Args:
        spans: of the sentences, in text order.
        sizes: tokens of each.
        frame: tokens of everything else in a request, the answer included.
        context: the most tokens that the model reads and writes.
        share: how many times the room of a part a request needs: each time that it shows the part,
            or writes as much.

    Raises:
        ContextError: if a sentence does not fit.
    """
    room, largest = (context - frame) // share, max(sizes, default=0)
    if largest > room:
        raise ContextError(
            f"a context of {context} tokens is too short: instructions and answer take {frame}, "
            f"and the longest sentence {largest * share}",
            where="setting model.context",
            remedy="Raise it, or take a model with a longer context.",
        )
    parts, used = list[Span](), 0
    for span, size in zip(spans, sizes, strict=True):
        fits = parts and used + size <= room
        parts.append(Span(parts.pop().start, span.end) if fits else span)
        used = used + size if fits else size
    return parts


def _cuts(text: str, start: int, end: int, keep: Sequence[Span]) -> list[int]:
    """Return the offsets, ascending, at which a sentence of more than 1,200 characters is cut, each
    behind the first blank after 600 characters; [] if it is shorter, or no blank lies outside
    ``keep``.

    Args:
        text: the document.
        start: of the sentence.
        end: of the sentence, exclusive.
        keep: spans that are not cut.
    """
    cuts: list[int] = []
    while end - start > LONGEST:
        places = (m.end() for m in _FORMS["blank"].finditer(text, start + LONGEST // 2, end))
        cut = next((place for place in places if not _inside(place, keep)), None)
        if cut is None or cut >= end:
            break
        cuts.append(cut)
        start = cut
    return cuts


def _inside(at: int, keep: Sequence[Span]) -> bool:
    """Tell whether an offset lies inside one of some spans, not at its ends."""
    return any(span.start < at < span.end for span in keep)
