"""Written numbers to values: digits in English and continental notation, and English words."""

from __future__ import annotations

import re
import unicodedata

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SMALL |= {"a": 1, "an": 1, "nil": 0, "no": 0}
_LARGE = {
    "hundred": 100,
    "dozen": 12,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "m": 10**6,
    "bn": 10**9,
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        (
            "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh "
            "twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
        ).split()
    )
} | {f"{word[:-1]}ieth": 10 * value for value, word in enumerate(_TENS, start=2)}
_ORDINALS |= {"hundredth": 100, "thousandth": 1000}

DIGITS = r"\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?(?![\d])|\d+(?:[.,]\d+)?"
"""Regular expression of a number in digits, grouped or not, with decimals or not."""

_WORD = "|".join(
    sorted(
        (word for word in (*_SMALL, *_LARGE) if len(word) > 2), key=lambda word: (-len(word), word)
    )
)
WORDS = rf"(?:an?[ ])?(?:{_WORD})(?:(?:[ ]?-[ ]?|[ ]and[ ]|[ ])(?:{_WORD}))*"
"""Regular expression of a number in English words (``number`` decides whether it makes sense)."""

_GROUPED = re.compile(r"\d{1,3}(?:([ ,.'])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?")
_PLAIN = re.compile(r"\d+(?:\.\d+|,\d{1,2})?")
_ORDINAL_DIGITS = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_DASHES |= {ord("’"): "'", ord("‘"): "'", ord("´"): "'", ord("ʼ"): "'"}


def plain(text: str) -> str:
    """``text`` with plain dashes, apostrophes and single spaces, trimmed; case is kept."""
    text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return " ".join(text.replace("\u00ad", "").split())


def normalised(text: str) -> str:
    """``plain`` in lower case."""
    return plain(text).lower()


_MORE_DIGITS = re.compile(r"[.,]?\d(?:[\d.,]*\d)?")
_FEWER_DIGITS = re.compile(r"\d(?:[\d.,]*\d)?[.,]?\Z")
_CLOSED_LATE = re.compile(r"\)\d*")


def whole_number(
    text: str, bounds: tuple[int, int], start: int, end: int, *, glued: bool = True
) -> tuple[int, int]:
    """The span ``[start, end)`` of ``text``, widened where it cuts a number: "[1,2]00".

    Args:
        bounds: how far it may widen.
        glued: take in digits that stick to a word or bracket as well: "[12 euros (EUR)]0".
    """
    floor, limit = bounds
    if text[start].isdigit():
        before = _FEWER_DIGITS.search(text, floor, start)
        start = before.start() if before and start > floor else start
    if text[end - 1].isdigit() or (glued and text[end : end + 1].isdigit()):
        more = _MORE_DIGITS.match(text, end, limit)
        end = more.end() if more else end
        if more and text.count("(", start, end) > text.count(")", start, end):
            closed = _CLOSED_LATE.match(text, end, limit)
            end = closed.end() if closed else end
    return start, end


def number(text: str) -> float | None:
    """The value of a whole number expression ("1,103", "11.590.000", "forty-three"), or None.

    A comma or full stop before exactly three final digits separates thousands; otherwise it is
    a decimal sign.
    """
    text = text.strip()
    head, _, scale = text.rpartition(" ")
    if head and scale in _LARGE and head[0].isdigit():
        value = _digits(head)
        return None if value is None else value * _LARGE[scale]
    if text[:1].isdigit():
        return _digits(text)
    return _words(text)


def ordinal(text: str) -> int | None:
    """The value of an ordinal ("22nd", "twenty-third"), or None."""
    match = _ORDINAL_DIGITS.fullmatch(text)
    if match:
        return int(match[1])
    head, _, tail = text.replace("-", " ").strip().rpartition(" ")
    if tail not in _ORDINALS:
        return None
    if not head:
        return _ORDINALS[tail]
    tens = _words(head)
    unit = _ORDINALS[tail]
    if tens is None or tens % 10 or tens >= 100 or unit >= 10:
        return None
    return int(tens) + unit


def _digits(text: str) -> float | None:
    grouped = _GROUPED.fullmatch(text)
    if grouped:
        separator = grouped[1]
        whole = text.replace(separator, "") if text.count(separator) else text
        return float(whole.replace(",", "."))
    if _PLAIN.fullmatch(text):
        return float(text.replace(",", "."))
    return None


def _words(text: str) -> float | None:
    if text.endswith(" and a half"):
        value = _words(text.removesuffix(" and a half"))
        return None if value is None else value + 0.5
    total, current, last = 0, 0, 10**13
    seen = False
    for word in re.split(r"[ -]+", text.strip()):
        if word == "and" and seen:
            continue
        if word in _SMALL:
            value = _SMALL[word]
            if seen and last < 100 and not (last >= 20 and value < 10):
                return None
            current += value
            last = value
        elif word in _LARGE and word not in ("m", "bn"):
            scale = _LARGE[word]
            if scale <= 100:
                current = max(current, 1) * scale
            else:
                total += max(current, 1) * scale
                current = 0
            last = 10**13 if scale > 12 else 12
        else:
            return None
        seen = True
    return float(total + current) if seen else None


def in_words(value: int) -> str:
    """``value`` in words below a hundred, in digits with thousands separators from there on."""
    if value < 20:
        return _UNITS[value]
    if value < 100:
        tens, unit = divmod(value, 10)
        return _TENS[tens - 2] + (f"-{_UNITS[unit]}" if unit else "")
    return f"{value:,}"
