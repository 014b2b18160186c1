"""Find whole addresses: start from a part that is sure to be one (``data/addresses.toml``), and add
what belongs to it on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from intact.detection.patterns import read_forms
from intact.domain import Span
from intact.english.time import MONTHS
from intact.english.vocabulary import STOP_WORDS

Known = Callable[[str], bool]  # tells whether a place has this name
_MOST_PARTS = 12  # the most parts of one address
_NAME_WORDS = 5  # the most words of one name
_NO_PARTICLES = STOP_WORDS - {"am", "an", "do", "on"}
_FORMS, _ANCHORS = read_forms("addresses"), read_forms("addresses", table="anchors")


def addresses(text: str, known: Known) -> Iterator[Span]:
    """Yield the spans of postal addresses, each grown from a part that is certainly one ("12 Elm
    Street", "Flat 3") to the right over all that belongs to it, and to the left over a number that
    is no year. Several may overlap or repeat each other, and they are not in text order.

    Args:
        text: the document.
        known: tells whether a place has the name given; asked about capitalised words to the right
            of a certain part ("Elm Street 12, Newton").
    """
    for anchor in _ANCHORS.values():
        group = "what" if "what" in anchor.groupindex else 0
        for match in anchor.finditer(text):
            start, end = match.span(group)
            number = _FORMS["number_before"].search(text, max(0, start - 14), start)
            yield Span(number.start() if number else start, _end_of_address(text, end, known))


def _end_of_address(text: str, end: int, known: Known) -> int:
    """Return the offset where an address ends whose first part ends at ``end``: behind the last of
    the parts after it that is certain (a flat, number or postcode) or that ``known`` takes for a
    place; ``end`` itself if no such part follows. Other capitalised words belong to it only if such
    a part comes within two of them. A name is a part only before punctuation, a line end, a number
    or a code of capitals ("NY"); a number before a month is none."""
    at, unsure = end, 0
    for _ in range(_MOST_PARTS):
        gap = _FORMS["joint"].match(text, at)
        if gap is None:
            break
        start = gap.end()
        sure = _FORMS["sure"].match(text, start)
        behind = _FORMS["word"].match(text, sure.end() + 1) if sure else None
        if sure and not (behind and behind[0].lower().rstrip(".") in MONTHS):
            at = end = sure.end()
            unsure = 0
            continue
        stop = _end_of_name(text, start)
        if stop is None or not _FORMS["filled"].match(text, stop):
            break
        at = stop
        unsure += 1
        if known(text[start:stop]):
            end, unsure = stop, 0
        if unsure > 2:
            break
    return end


def _end_of_name(text: str, start: int) -> int | None:
    """Return the offset where the run of at most five words that begins at ``start`` ends behind
    its last capitalised word: "Rio de la Plata". None if no capitalised word stands there, or only
    a function word ("The")."""
    at, stop = start, None
    for _ in range(_NAME_WORDS):
        word = _FORMS["word"].match(text, at)
        shown = word.group() if word else ""
        small = shown[:1].islower()
        joins = stop and len(shown) < 5 and shown not in _NO_PARTICLES  # "nad", "de la"
        if word is None or (not joins if small else shown.lower() in STOP_WORDS):
            break
        at = word.end()
        stop = stop if small else at
        if text[at : at + 1] != " ":
            break
        at += 1
    return stop
