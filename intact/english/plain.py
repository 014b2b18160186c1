"""A text as a person reads it, with offsets that lead back.

Words cut at a line end are joined, wrapped lines become one, characters that nobody sees are
removed, and letters in the notation of mail and of pages (``=C3=A9``, ``&eacute;``) are decoded.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from html import unescape
from itertools import groupby, pairwise
from typing import Any
from urllib.parse import unquote

from intact.domain import Attack, Document, Edit, Span
from intact.english.vocabulary import KEPT_TITLES, either, read_patterns
from intact.english.words import INVISIBLE, is_english

_FORMS = read_patterns("plain", {"invisible": INVISIBLE, "titles": either(KEPT_TITLES)})
_BORDER = "\x1e"  # "record separator"
_NEAR = 80  # characters
# The least width of the longest line, in characters, and the least number of lines, for a paragraph
# with filled lines to count as wrapped; and the share of the width that a line must fill.
_WIDTH, _LINES, _FULL = 40, 3, 0.7


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text as a person reads it.

    Attributes:
        given: the text as it was given.
        text: as it is read.
        at: ascending offsets of ``text``; from each on, up to the next, both texts run alike.
        starts: for each of them, where in ``given`` a span starts that starts there.
        ends: for each of them, where in ``given`` a span ends that ends there.
    """

    given: str
    text: str
    at: Sequence[int] = (0,)
    starts: Sequence[int] = (0,)
    ends: Sequence[int] = (0,)

    def back(self, span: Span) -> Span:
        """Map a span of the text as read to the text as given; the result is never empty."""
        last = bisect_right(self.at, span.start) - 1
        start = self.starts[last] + span.start - self.at[last]
        first = bisect_left(self.at, span.end)
        if first < len(self.at) and self.at[first] == span.end:
            end = self.ends[first]
        else:
            end = self.starts[first - 1] + span.end - self.at[first - 1]
        return Span(start, max(end, start + 1))

    def forth(self, span: Span) -> Span:
        """Map a span of the text as given to the text as read; the result is never empty."""
        start, end = (
            min(self.at[i] + at - self.starts[i], *self.at[i + 1 : i + 2], len(self.text))
            for at in (span.start, span.end)
            for i in [bisect_right(self.starts, at) - 1]
        )
        start = min(start, len(self.text) - 1)
        return Span(start, max(end, start + 1))

    def read(self, document: Document) -> Document:
        """Return a document with the text as read, with its mentions and kept spans moved to that
        text; the document itself if the text as given is read as it stands."""
        return document if self.text == self.given else _move(document, self.text, self.forth)

    def lead_back(self, value: Any) -> Any:
        """Return a value with the spans in it, also in nested tuples, data classes and values of
        mappings, mapped from the text as read to the text as given; documents get the given text.
        Attacks, lists, sets and everything else are returned unchanged."""
        if isinstance(value, Span):
            return self.back(value)
        if isinstance(value, Document):
            return value if value.text == self.given else _move(value, self.given, self.back)
        if isinstance(value, tuple):
            parts = map(self.lead_back, value)
            return value._make(parts) if hasattr(value, "_make") else tuple(parts)
        if isinstance(value, Mapping):
            return {key: self.lead_back(each) for key, each in value.items()}
        if is_dataclass(value) and not isinstance(value, Attack | type):
            own = {f.name: getattr(value, f.name) for f in fields(value)}
            return replace(value, **{name: self.lead_back(each) for name, each in own.items()})
        return value

    def hidden(self) -> list[Span]:
        """List the spans of the text as given, in text order, where characters that nobody sees
        could spell words."""
        return [Span(*match.span()) for match in _FORMS["hiding"].finditer(self.given)]

    def edit(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """Turn edits of the text as read into edits of the text as given, in the same order. An
        edit over a wrapped line break keeps the break, at a blank of the replacement, so that no
        line grows."""
        text, made = self.given, list[Edit]()
        for edit in edits:
            span, new = self.back(edit.span), edit.text
            wrap = text.find("\n", span.start, span.end)
            if wrap >= 0 and " " in new and "\n" not in edit.span.of(self.text):
                line_end = "\r\n" if text[wrap - 1] == "\r" else "\n"
                place = (wrap - span.start) * len(new) // len(span)
                blanks = (match.start() for match in re.finditer(" ", new))
                at = min(blanks, key=lambda blank: abs(blank - place))
                new = f"{new[:at]}{line_end}{new[at + 1 :]}"
            made.append(Edit(span, new))
        return tuple(made)


def _move(document: Document, text: str, place: Callable[[Span], Span]) -> Document:
    """Return a document with another text, with its mentions and kept spans moved to that text.

    Args:
        document: it is not changed.
        text: the other text, from which the mentions' words are read.
        place: maps a span of the old text to the new one.
    """
    pairs = [(mention, place(mention.span)) for mention in document.mentions]
    mentions = tuple(replace(mention, span=span, text=span.of(text)) for mention, span in pairs)
    kept = frozenset(map(place, document.kept))
    return replace(document, text=text, mentions=mentions, kept=kept)


def read_plain(given: str, kept: Iterable[Span] = ()) -> PlainText:
    """Return a text as a person reads it, with the way back to the text as given: words cut at line
    ends joined, wrapped lines as one, invisible characters removed, escapes decoded; in linear
    time.

    Args:
        given: the text.
        kept: spans that no edit reaches; a line end among them, between cells, never counts as a
            wrap.
    """
    letters = list(given)
    for border in (span.start for span in kept if span.of(given) == "\n"):
        letters[border] = _BORDER
    text = "".join(letters)
    parts: list[str] = []
    at, starts, ends = [0], [0], [0]
    done = length = 0
    for match in _FORMS["read"].finditer(text):
        new = _seen(text, match)
        if new == match[0]:
            continue
        length += match.start() - done + len(new)
        parts += (text[done : match.start()], new)
        done = match.end()
        at.append(length)
        starts.append(done)
        ends.append(done if new else match.start())
    cells = "".join((*parts, text[done:])).split(_BORDER)
    return PlainText(given, "\n".join(map(_unwrap, cells)), at, starts, ends)


def _seen(text: str, match: re.Match[str]) -> str:
    """Return the characters of a match of the pattern "read" as a reader sees them: "" if they are
    not shown, the letters that an escape stands for, what joins a word cut at a line end, or the
    same characters."""
    shown = match[0]
    if shown[0] in "-\u2010\u00ad" and shown[-1].isspace():
        return _seen_at_line_end(text, match)
    if shown in ("=\n", "=\r\n"):
        near = text[max(0, match.start() - _NEAR) : match.start() + _NEAR]
        return "" if re.search("=[0-9A-F]{2}", near) else shown
    if shown[0] in "=%":
        letters = unquote(shown.replace("=", "%"), errors="surrogateescape")
        return letters if letters.isprintable() and any(map(str.isalpha, letters)) else shown
    if shown[0] == "&":
        letter = unescape(shown)
        return letter if letter.isalpha() else shown
    return ""


def _seen_at_line_end(text: str, match: re.Match[str]) -> str:
    """Return what joins a word that is cut by a hyphen at a line end (the match): a hyphen if the
    rest is not in lower case, or if the English dictionary has both halves and not the whole; else
    ""."""
    before = text[max(0, match.start() - _NEAR) : match.start()]
    tail = _FORMS["word"].match(text, match.end())
    one, two = re.split(r"[\W\d_]", before)[-1], tail[0] if tail else ""
    both = one.islower() and is_english(one) and is_english(two) and not is_english(one + two)
    return "-" if both or not two.islower() else ""


def _unwrap(text: str) -> str:
    """Return a text of the same length with blanks for the line breaks that only wrap a paragraph.
    A break wraps if a sentence continues after it in lower case. It also wraps in a paragraph where
    most breaks do, or whose lines are so full that no next word would have fitted."""
    paragraphs = groupby(re.findall(r"[^\n]*\n|[^\n]+", text), str.isspace)
    return "".join("".join(lines) if blank else _joined([*lines]) for blank, lines in paragraphs)


def _joined(lines: list[str]) -> str:
    """Join the lines of a paragraph, each with its line end, into one text, with blanks in place of
    the line ends that only wrap it; its length stays."""
    if len(lines) == 1:
        return lines[0]
    bare = [line.rstrip() for line in lines]
    width, pairs = max(map(len, bare)), list(pairwise(bare))
    on = [_goes_on(*pair) for pair in pairs]
    filled = all(len(above) + len(below.split()[0]) >= width for above, below in pairs)
    most = 2 * sum(on) >= len(pairs) or (any(on) and filled and width >= _WIDTH)
    wrapped = most and len(lines) >= _LINES
    for at, (above, below) in enumerate(pairs):
        fills = wrapped and not _FORMS["itself"].match(above)
        if (on[at] or fills) and may_wrap(above, below, width):
            lines[at] = above.ljust(len(lines[at]))
    return "".join(lines)


def _goes_on(above: str, below: str) -> bool:
    """Tell whether a line continues the sentence of the line above: it begins in lower case, and
    the line above has three words or more and no mark that ends a sentence; or it begins with the
    name that belongs to a title or initials at the end of the line above."""
    on = below[0].islower() and above[-1] not in ".!?" and above.count(" ") > 1
    return on or (below[0].isupper() and _FORMS["unnamed"].search(above) is not None)


def may_wrap(above: str, below: str, width: int = 0) -> bool:
    """Tell whether a break between two lines can be a wrap. It can if the line above ends in a
    letter, digit, comma, full stop or closing mark (not in ":", "!" or "?"), the next one begins
    with a word, quote or bracket and does not stand for itself, as a field or a list item does, and
    its first word is no e-mail address and would hardly have fitted above.

    Args:
        above: the line before the break, without blanks at its end.
        below: the line after it, not blank.
        width: of the lines, in characters; 0 if it is not known: no word would have fitted.
    """
    word = below.split(maxsplit=1)[0]
    full = "@" not in word and len(above) + len(word) >= _FULL * width
    open_ended = _FORMS["open_end"].search(above) and _FORMS["open_beginning"].match(below)
    return bool(full and open_ended) and not _FORMS["itself"].match(below)
