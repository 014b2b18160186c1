"""Boundaries of mentions: whole words, on one side of a line break.

Half a word that is left behind ("he does[n']t know") breaks the sentence and shows what the word
was.
"""

from __future__ import annotations

import re

from intact.domain import Span
from intact.english.numbers import COMPOUND

_OPENING = re.compile(
    r"""(?:(?!['’]\d\d(?![\w'’]))[\s,;:.!?"“”‘’'`()\[\]<>|]|[-–—](?= [^\W\d])|"""
    r"""(?<=\w['’])(?:[stdm]|re|ve|ll)(?!\S))+"""
)  # but "'38", and what an apostrophe joins to the word before: "her boy'[s asthma]"
_CLOSING = ',;:!?"“”‘`([<|'
_PAIRS = {")": "(", "]": "[", ">": "<"}
_ABBREVIATED = re.compile(r"(?:\b\w|\b(?:Jr|Sr|Ltd|Inc|Co|Corp|St|etc|[ap]\.m))\.\Z")
_JOINTS = {"-": str.islower, "_": str.isalnum}  # what joins words, and which characters it joins
_LATIN = 0x250  # code point from which letters may follow one another without blanks
_LONGEST_WORD = 32  # characters


def whole_mentions(text: str, span: Span, *, lines: bool = False) -> list[Span]:
    """Return the mentions that a finding is made of, in text order: one for each line and table
    cell that it touches, widened to whole words, without blanks and punctuation at its ends (see
    ``tidy``). [] if it holds no letter or digit.

    Args:
        text: the document.
        span: a finding as a detector gave it.
        lines: whether a mention may reach over line breaks. None reaches over "|", which separates
            cells.
    """
    form = re.compile(r"[^|]+" if lines else r"[^\n|]+")
    parts = (tidy(text, Span(*part.span())) for part in form.finditer(text, span.start, span.end))
    whole = (_whole_words(text, part) for part in parts if part is not None)
    return [mention for mention in whole if mention is not None]


def _whole_words(text: str, span: Span) -> Span | None:
    """Return a tidied span widened to whole words, by at most 32 characters on each side, and
    tidied again: "c[hur]ch" becomes "[church]", "[thirty]-one" "[thirty-one]". None if no letter or
    digit is left."""
    start, end = span.start, span.end
    while start > max(0, span.start - _LONGEST_WORD) and _within_word(text, start):
        start -= 1
    if text[end - 1] == "-" and text[end : end + 1].isalpha():  # "six-" of "six-monthly"
        end += 1
    while end < min(len(text), span.end + _LONGEST_WORD) and _within_word(text, end):
        end += 1
    compound = COMPOUND.match(text, max(start, text.rfind(" ", start, end) + 1))
    end = max(end, compound.end()) if compound else end  # "thirty" of "thirty-one"
    return tidy(text, Span(start, end)) if start < end else None


def _within_word(text: str, at: int) -> bool:
    """Tell whether a cut at an offset would split a word of Latin letters or digits, a lower-case
    compound ("brother-in-law"), or a handle: "bernie_from_the_block". False at the beginning and
    the end of the text."""
    if not 0 < at < len(text):
        return False
    for joint, joins in _JOINTS.items():
        if joint in text[at - 1 : at + 1]:
            joined = at - (text[at - 1] == joint)
            return joins(text[joined - 1 : joined]) and joins(text[joined + 1 : joined + 2])
    return all(char.isalnum() and ord(char) < _LATIN for char in text[at - 1 : at + 1])


def tidy(text: str, span: Span) -> Span | None:
    """Return a span without what belongs to no mention at its ends: blanks, quotation marks,
    punctuation, brackets without their partner. A bracket behind it that closes one of its own is
    added. The full stop of an abbreviation stays ("Ltd."). None if no letter or digit is left.

    Args:
        text: the document.
        span: a finding as a detector gave it.
    """
    before = _OPENING.match(text, span.start, span.end)
    start, end = before.end() if before else span.start, span.end
    end -= text[end - 1] in "’'" and text[end : end + 1].isalpha()  # "brother'" of "brother's"
    while start < end and _stray(text[start:end]):
        end -= 1
    if start > span.start and text[start - 1] == "(" and ")" in text[start:end]:
        start -= 1  # "(405)279-8682"
    inside = text[start:end]  # "the Court (Retten" of "the Court (Retten)"
    end += text[end : end + 1] == ")" and inside.count("(") > inside.count(")")
    return Span(start, end) if any(map(str.isalnum, inside)) else None


def _stray(shown: str) -> bool:
    """Tell whether the last character of a mention's text belongs to the sentence instead: a blank,
    a comma or opening mark, a stop that ends no abbreviation, a closing bracket that was not
    opened, a dash or "&" behind a blank, or an apostrophe that follows no letter."""
    last = shown[-1]
    if last in "-–—&":
        return shown[-2:-1].isspace()  # "Gatwick -" of "Gatwick - Kingston", "Ali &" of two
    if last == ".":
        return _ABBREVIATED.search(shown) is None
    if last in _PAIRS:
        return shown.count(_PAIRS[last]) < shown.count(last)
    return last.isspace() or last in _CLOSING or (last in "’'" and not shown[-2:-1].isalpha())
