"""Boundaries of mentions: whole words, on one side of a line break.

Half a word that stays ("he does[n']t know") breaks the sentence and tells what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from intact.domain import Span
from intact.english.numbers import COMPOUND, number
from intact.english.vocabulary import NEGATED_VERB, STOP_WORDS

_OPENING = ",;:.!?\"“”‘’'()[]<>"
_CLOSING = ',;:!?"“”‘([<'
_PAIRS = {")": "(", "]": "[", ">": "<"}
_ABBREVIATED = re.compile(r"(?:\b\w|\b(?:Jr|Sr|Ltd|Inc|Co|Corp|St|etc|[ap]\.m))\.\Z")
_LATIN = 0x250  # code point from which letters may follow one another without blanks
_LONGEST_WORD = 32  # characters
_CONTRACTED = re.compile(
    rf"\b(?P<negated>{NEGATED_VERB})(?!\w)|(?<![^\W\d_])(?P<word>[^\W\d_]++)['’](?:m|re|ve|ll|d)(?!\w)",
    re.IGNORECASE,
)
_SHORTHAND = re.compile(r"(?<![\w/])[A-Za-z]{1,2}[/>][A-Za-z]{1,2}(?![\w/])")
"""Short for two words: "w/c", "L>R"."""
_NOT = re.compile(r"(?i:not|never|nor)|OFF|ON")
_RANGE_END = re.compile(r"[-–]\d{1,6}(?:[.,]\d+)?(?![\d/-])[A-Za-z%]{0,6}(?!\w)")
_SHORT_YEAR = re.compile(r"['’]\d\d(?!\d)")
_UNIT = re.compile(r"(?<=[A-Za-z])/[A-Za-z]+(?!\w)|-[a-z]{3,}(?!\w)")
"""The rest of a unit: "g[/dL]", "two[-bedroom]"."""


def whole_words(text: str, span: Span, *, quantity: bool = False) -> Span | None:
    """Widen a span to the words that it cuts; None if nothing is left of it.

    Of "doesn't", "I'm" and "w/c", which say nothing of anybody, no part is taken in.

    Args:
        text: the document.
        span: a finding, tidy.
        quantity: whether it is one, whose unit and end of range are taken in: "4[-5Hz]".
    """
    start, end = span.start, span.end
    while start > max(0, span.start - _LONGEST_WORD) and _within_word(text, start):
        start -= 1
    if text[end - 1] == "-" and text[end : end + 1].isalpha():  # "six-" of "six-monthly"
        end += 1
    while end < min(len(text), span.end + _LONGEST_WORD) and _within_word(text, end):
        end += 1
    compound = COMPOUND.match(text, max(start, text.rfind(" ", start, end) + 1))
    end = max(end, compound.end()) if compound else end  # "thirty" of "thirty-one"
    led, _, word = text[start:end].rpartition(" ")
    wider, denied = end > span.end, _NOT.fullmatch(word)
    if led and word.lower() in STOP_WORDS and (wider or denied):
        end -= len(word)  # "12 May an[d]", "Quetiapine NOT"
    rest = _RANGE_END.match(text, end) if quantity and text[end - 1].isdigit() else None
    end = rest.end() if rest else end  # "4[-5Hz]"
    unit = _UNIT.match(text, end) if quantity else None
    if unit and (unit[0][0] == "/" or number(text[start:end].rpartition(" ")[2].lower())):
        end = unit.end()
    return _without_parts(text, Span(start, end)) if start < end else None


def _within_word(text: str, at: int) -> bool:
    """Tell whether a cut at an offset would part a word of Latin letters or digits."""
    if not 0 < at < len(text):
        return False
    return all(char.isalnum() and ord(char) < _LATIN for char in text[at - 1 : at + 1])


def _without_parts(text: str, span: Span) -> Span | None:
    """Take from a span the parts of contractions and of shorthand that it cuts."""
    start, end = span.start, span.end
    low = max(0, start - _LONGEST_WORD)
    high = min(len(text), end + _LONGEST_WORD)
    for match in _CONTRACTED.finditer(text, low, high):
        word = match["word"]
        named = word is not None and word.lower() not in STOP_WORDS  # "Ann'll"
        first, last = (match.end("word") if named else match.start()), match.end()
        if not named and (start, end) == (first, last):
            return None
        start, end = _outside(start, end, first, last)
    for match in _SHORTHAND.finditer(text, low, high):
        start, end = _outside(start, end, *match.span())
    return tidy(text, Span(start, end)) if start < end else None


def _outside(start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """Take from either end of a range what lies in part of another one."""
    if first < start < last:
        start = last
    if first < end < last:
        end = first
    return start, end


def split_lines(text: str, span: Span) -> Iterator[Span]:
    """Yield the parts of a span on each of its lines.

    Args:
        text: the document.
        span: may reach over line breaks, which are in no part.
    """
    for line in re.compile(r"[^\n]+").finditer(text, span.start, span.end):
        yield Span(*line.span())


def tidy(text: str, span: Span) -> Span | None:
    """Take from the ends of a span what belongs to no mention: blanks, quotes, punctuation; None if
    nothing is left.

    Args:
        text: the document.
        span: a finding as a detector gave it.
    """
    start, end = span.start, span.end
    item = re.search(r"\n\s*\d{1,2}\.?\Z", text[max(start, end - 8) : end])  # a list's next number
    end -= len(item[0]) if item else 0
    while start < end and (text[start].isspace() or text[start] in _OPENING):
        if _SHORT_YEAR.match(text, start, end):
            break
        start += 1
    end -= text[end - 1] in "’'" and text[end : end + 1].isalpha()  # "brother'" of "brother's"
    while start < end and _stray(text[start:end]):
        end -= 1
    return Span(start, end) if any(map(str.isalnum, text[start:end])) else None


def _stray(shown: str) -> bool:
    """Tell whether the last character belongs to the sentence and not to the mention."""
    last = shown[-1]
    if last.isspace() or last in _CLOSING:
        return True
    if last in "-–—":
        return shown[-2:-1].isspace()  # "Gatwick -" of "Gatwick - Kingston"
    if last == ".":
        return _ABBREVIATED.search(shown) is None
    if last in _PAIRS:
        return shown.count(_PAIRS[last]) < shown.count(last)
    return last in "’'" and not shown[-2:-1].isalpha()
