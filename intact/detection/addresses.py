"""Find whole addresses: start from a part that is sure to be one (``data/addresses.toml``), and add
what belongs to it on both sides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from intact.detection.patterns import compiled, load_words
from intact.domain import Span
from intact.english.time import MONTHS
from intact.english.vocabulary import STOP_WORDS

Known = Callable[[str], bool]  # tells whether a place has this name
_MOST_PARTS = 12  # the most parts of one address
_NAME_WORDS = 5  # the most words of one name
_JOINT = re.compile(r"[ ]-[ ]|,?[ \u00a0]{1,2}(?![\n>])|,?[ \t]*\n[>?*\t ]{0,6}(?:,[ ])?")
_NUMBER = re.compile(
    r"[A-Z]{1,2}\d[\dA-Z]?[ ]\d[A-Z]{2}\b"
    r"|\d{1,6}(?:[ ]\d\d|-\d{3})?[a-zA-Z]?\.?(?![\w:]|[ ./-]\d|,\d)"
)
_CODE = re.compile(r"[A-Z]{2,3}\b(?![.:])")
_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[.’'-])*(?!\w)(?:[ ]\([^\W\d_][\w ]{1,20}\))?")
_FILLED = re.compile(r"[ ]*(?:[\n,.;)]|\Z|[ ]\d|[ ](?:[A-Z]{2}\b|[A-Z]{1,2}\d))")
_BEFORE = re.compile(r"(?<![\w.,/:-])(?!(?:19|20)\d\d[ ])(?:\d{1,6}[ ]){1,2}\Z")
_NO_PARTICLES = STOP_WORDS - {"am", "an", "do", "on"}


@lru_cache(1)
def _patterns() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    tables = load_words("addresses")
    words = tables["words"]
    unit = compiled(r"(?i:<<unit>>)[ ]#?(?=[\w-]{0,6}\d)[\w/-]{1,8}\b", words)
    return unit, tuple(compiled(one, words) for one in tables["anchors"]["patterns"])


def addresses(text: str, known: Known) -> Iterator[Span]:
    """Find addresses, each from a part that is sure to be one to all that belongs to it. They may
    overlap.

    Args:
        text: the document.
        known: tells whether a place has a name; asked about capitalised words beside a sure part.
    """
    unit, anchors = _patterns()
    for anchor in anchors:
        group = "what" if "what" in anchor.groupindex else 0
        for match in anchor.finditer(text):
            start, end = match.span(group)
            number = _BEFORE.search(text, max(0, start - 14), start)
            start = number.start() if number else start
            yield Span(start, _right(text, end, unit, known))


def _right(text: str, end: int, unit: re.Pattern[str], known: Known) -> int:
    """Return the offset where an address ends whose first part ends at ``end``."""
    at, unsure = end, 0
    for _ in range(_MOST_PARTS):
        gap = _JOINT.match(text, at)
        if gap is None:
            break
        start = gap.end()
        sure = unit.match(text, start) or _NUMBER.match(text, start) or _CODE.match(text, start)
        behind = _NAME.match(text, sure.end() + 1) if sure else None
        if sure and not (behind and behind[0].lower().rstrip(".") in MONTHS):
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


def _name(text: str, start: int) -> int | None:
    """Return the offset where a run of capitalised words ends that begins at ``start``; None if
    none begins there."""
    at, stop = start, None
    for _ in range(_NAME_WORDS):
        word = _NAME.match(text, at)
        shown = word.group() if word else ""
        joins = stop and len(shown) < 5 and shown not in _NO_PARTICLES  # "nad", "de la"
        if word is None or (shown[0].islower() and not joins):
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
