"""Addresses whole: from a part that is sure to be one (``data/addresses.toml``) to what belongs to
it on both sides, over commas and line ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from intact.detection.vocabulary import compiled, vocabulary
from intact.domain import Span
from intact.english.calendar import MONTHS
from intact.english.wordlists import STOP_WORDS

Known = Callable[[str], bool]
"""Whether a place is called so."""

_MOST = 12  # parts that are joined to one
_WORDS = 5  # of one name
_BACK = 80  # characters before an anchor that may belong to it
_JOINT = re.compile(r"[ ]-[ ]|,?[ \u00a0]{1,2}(?![\n>])|,?[ \t]*\n[>?*\t ]{0,6}(?:,[ ])?")
_NUMBER = re.compile(
    r"[A-Z]{1,2}\d[\dA-Z]?[ ]\d[A-Z]{2}\b"
    r"|\d{1,6}(?:[ ]\d\d|-\d{3})?[a-zA-Z]?\.?(?![\w:]|[ ./-]\d|,\d)"
)
_CODE = re.compile(r"[A-Z]{2,3}\b(?![.:])")
_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[.’'-])*(?!\w)(?:[ ]\([^\W\d_][\w ]{1,20}\))?")
_FILLED = re.compile(r"[ ]*(?:[\n,.;)]|\Z|[ ]\d|[ ](?:[A-Z]{2}\b|[A-Z]{1,2}\d))")
_BEFORE = re.compile(r"(?<![\w.,/:-])(?!(?:19|20)\d\d[ ])(?:\d{1,6}[ ]){1,2}\Z")


@lru_cache(1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], tuple[re.Pattern[str], ...]]:
    tables = vocabulary("addresses")
    words = tables["words"]
    unit = compiled(r"(?i:<<unit>>)[ ]#?(?=[\w-]{0,6}\d)[\w/-]{1,8}\b", words)
    before = compiled(
        r"(?:(?:<<number>>|(?:<<unit>>)[ ][\w-]{1,6}|<<name>>|<<lower>>)"
        r"(?:,?[ ]|,?[ ]?\n[>?*\t ]{0,6})){1,8}\Z",
        words,
    )
    return unit, before, tuple(compiled(one, words) for one in tables["anchors"]["patterns"])


def addresses(text: str, known: Known) -> Iterator[Span]:
    """The addresses in ``text``; they may overlap.

    Args:
        text: any text.
        known: asked about runs of capitals beside a part that is sure.
    """
    unit, before, anchors = _patterns()
    for anchor in anchors:
        group = "what" if "what" in anchor.groupindex else 0
        for match in anchor.finditer(text):
            start, end = match.span(group)
            if unit.match(text, start):
                start = _left(text, start, before)
            number = _BEFORE.search(text, max(0, start - 14), start)
            start = number.start() if number else start
            yield Span(start, _right(text, end, unit, known))


def _left(text: str, start: int, before: re.Pattern[str]) -> int:
    """Where the street before a flat begins; ``start`` if no number speaks for one."""
    found = before.search(text, max(0, start - _BACK), start)
    number = re.search(r"\b\d", found.group()) if found else None
    if found is None or number is None:
        return start
    begin = found.start() + number.start()
    while begin > found.start() and text[begin - 1] == " ":
        word = re.search(r"[\w.’'-]+\Z", text[found.start() : begin - 1])
        if word is None or word.group().lower() in STOP_WORDS:
            break
        begin = found.start() + word.start()
    return begin


def _right(text: str, end: int, unit: re.Pattern[str], known: Known) -> int:
    """Where the address ends whose first part ends at ``end``."""
    at, unsure = end, 0
    for _ in range(_MOST):
        gap = _JOINT.match(text, at)
        if gap is None:
            break
        start = gap.end()
        sure = unit.match(text, start) or _NUMBER.match(text, start) or _CODE.match(text, start)
        if sure is not None and not _dated(text, sure.end()):
            at = end = sure.end()
            unsure = 0
            continue
        stop = _name(text, start)
        if stop is None or not _FILLED.match(text, stop):
            break
        at = stop
        unsure += 1
        if known(text[start:stop]):
            end, unsure = stop, 0
        if unsure > 2:
            break
    return end


def _dated(text: str, end: int) -> bool:
    """Whether a month stands behind a number."""
    word = _NAME.match(text, end + 1)
    return word is not None and word.group().lower().rstrip(".") in MONTHS


def _name(text: str, start: int) -> int | None:
    """Where a run of capitalised words ends that begins at ``start``; None if none does."""
    at, stop = start, None
    for _ in range(_WORDS):
        word = _NAME.match(text, at)
        shown = word.group() if word else ""
        if word is None or (shown[0].islower() and (stop is None or not _joins(shown))):
            break
        if shown.lower() in STOP_WORDS and shown[0].isupper():
            break
        at = word.end()
        if not shown[0].islower():
            stop = at
        if text[at : at + 1] != " ":
            break
        at += 1
    return stop


def _joins(word: str) -> bool:
    """Whether a word in small letters may stand inside a place's name ("nad", "de la")."""
    return len(word) < 5 and word not in (STOP_WORDS - {"am", "an", "do", "on"})
