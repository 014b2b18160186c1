"""Amounts at the start of a text: numbers, ranges of numbers and vague words, to ranges."""

from __future__ import annotations

import math
import re

from intact.english.durations import VAGUE
from intact.english.numerals import DIGITS, WORDS, number
from intact.english.temporal import Range

_SLACK = 1e-6  # what "more than" leaves out, relative

NUMBER = rf"(?:{DIGITS}|{WORDS})(?:\s(?:hundred|thousand|million|billion|trillion))?"
ABOUT = (
    r"(?:(?:about|around|approximately|approx\.?|almost|nearly|roughly|some|circa|ca?\.?|at least"
    r"|exactly|just|a total of|the sum of|an estimated|estimated)\s)*"
)
_MORE = r"more than|over|at least|in excess of|upwards of|no less than|no fewer than"
_LESS = r"less than|under|up to|at most|no more than|not more than|fewer than|below|a maximum of"
_AMOUNT = re.compile(
    rf"{ABOUT}(?:(?P<more>{_MORE})\s|(?P<less>{_LESS})\s)?(?:between\s|from\s)?"
    rf"(?:(?P<low>{NUMBER})\s?-?\s?(?:-|to\b|and\b|or\b)\s?(?P<high>{NUMBER})|(?P<one>{NUMBER}))",
    re.IGNORECASE,
)
_SCALES = {
    "hundred": 100.0,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
_SCALE_WORDS = "|".join(_SCALES)
_MANY = re.compile(
    rf"(?P<how>several|a few|few|many|some)\s(?P<scale>{_SCALE_WORDS}|dozen)(?:s of)?"
    rf"|(?P<tens>(?:tens|hundreds) of )?(?P<scales>dozen|{_SCALE_WORDS})s(?: of)?"
    r"|(?P<vague>a handful of|few or no|a large number of"
    r"|a great many|any number of"
    rf"|{'|'.join(sorted(VAGUE, key=lambda word: -len(word)))})",
    re.IGNORECASE,
)
_VAGUE_COUNTS: dict[str, Range] = {
    **VAGUE,
    "a handful of": (2, 9),
    "few or no": (0, 9),
    "a large number of": (10, math.inf),
    "a great many": (50, math.inf),
    "any number of": (0, math.inf),
}


def amount(text: str) -> tuple[Range, str] | None:
    """The range that ``text`` begins with, and the rest of it."""
    match = _AMOUNT.match(text)
    if match and (match["one"] or match["low"]):
        span = _read(match)
        if span is not None:
            return span, text[match.end() :]
    match = _MANY.match(re.sub(rf"^{ABOUT}(?=\w)", "", text)) or _MANY.match(text)
    if not match:
        return None
    rest = match.string[match.end() :]
    if match["vague"]:
        return _VAGUE_COUNTS[match["vague"].lower()], rest
    scale = (match["scale"] or match["scales"]).lower()
    size = 12.0 if scale == "dozen" else _SCALES[scale]
    if match["tens"]:
        size *= 10 if match["tens"].lower().startswith("tens") else 100
    low, high = (24.0, 99.0) if scale == "dozen" else (2 * size, 10 * size - 0.01)
    return (low, math.inf if (match["how"] or "").lower() == "some" else high), rest


def _read(match: re.Match[str]) -> Range | None:
    if match["one"]:
        value = number(match["one"].lower())
        if value is None:
            return None
        low = high = value
    else:
        first, last = number(match["low"].lower()), number(match["high"].lower())
        if first is None or last is None:
            return None
        scale = re.search(rf"({_SCALE_WORDS})$", match["high"].lower())
        if scale and first < last / 100 and not re.search(_SCALE_WORDS, match["low"].lower()):
            first *= _SCALES[scale[1]]
        if first > last:
            joined = number(f"{match['low']}-{match['high']}".lower())  # "twenty-five"
            if joined is None:
                return None
            first = last = joined
        low, high = first, last
    inclusive = (match["more"] or match["less"] or "").lower() in _INCLUSIVE
    strict = 0.0 if inclusive else _SLACK * max(1.0, high)
    if match["more"]:
        return low + strict, math.inf
    return (0.0, high - strict) if match["less"] else (low, high)


_INCLUSIVE = {"at least", "no less than", "no fewer than", "up to", "at most", "no more than"}
_INCLUSIVE |= {"not more than", "a maximum of"}
