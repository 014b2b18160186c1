"""Written numbers to values: digits in English and continental notation, English words, ranges."""

from __future__ import annotations

import math
import re
import unicodedata

from intact.english.vocabulary import either, read_patterns, vocabulary

Range = tuple[float, float]  # least and greatest value, both included

_TABLES = vocabulary("numbers")
_UNITS: list[str] = _TABLES["small"].split()
_TENS: list[str] = _TABLES["tens"].split()
_BY_TEN = dict(zip(_TENS, range(20, 100, 10), strict=True))
_SMALL: dict[str, int] = {word: at for at, word in enumerate(_UNITS)} | _BY_TEN | _TABLES["also"]
# Words for large numbers, and "dozen" -> what they multiply by.
LARGE: dict[str, int] = _TABLES["large"]
_ORDINAL_WORDS: list[str] = _TABLES["ordinals"].split()
_TENTHS = {f"{word[:-1]}ieth": value for word, value in _BY_TEN.items()}
_ORDINALS = {word: at for at, word in enumerate(_ORDINAL_WORDS)} | _TENTHS
_ORDINALS |= _TABLES["large_ordinals"]
# "twenties" to "nineties" -> 20 to 90, for decades and ages.
TENS_PLURAL = {f"{word[:-1]}ies": value for word, value in _BY_TEN.items()}
CARDINALS = (*_UNITS[1:], *_TENS, "hundred", "thousand", "million", "billion")
ORDINALS = (*_ORDINAL_WORDS[1:], *_TENTHS)  # first to nineteenth, twentieth to ninetieth
_LAKHS = r"\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d{1,2})?(?!\d)"  # as in India: "28,00,000"
# A regular expression of a number in digits, in any country's notation.
DIGIT_GROUPS = _LAKHS + r"|\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"

# A regular expression of a number in digits, with or without grouping and decimals.
DIGITS = _LAKHS + r"|\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?(?![\d])|\d+(?:[.,]\d+)?"

# A number of two words: "thirty-one".
COMPOUND = re.compile(rf"(?:{'|'.join(_TENS)})-(?:{'|'.join(_UNITS[1:10])})\b", re.IGNORECASE)
_WORD = either(word for word in (*_SMALL, *LARGE) if len(word) > 2)
# A regular expression of a number in English words (``number`` decides whether it makes sense).
WORDS = rf"(?:an?[ ])?(?:{_WORD})(?:(?:[ ]?-[ ]?|[ ]and[ ]|[ ])(?:{_WORD})){{0,14}}"

_PLAIN = str.maketrans(_TABLES["typography"])


def plain(text: str) -> str:
    """Return a text with plain dashes, apostrophes and blanks in place of typographic ones, other
    variants of characters as their plain ones (Unicode NFKC: "²" is "2"), each run of white space
    as one blank, trimmed, without soft hyphens. Case and double quotes are kept."""
    text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return " ".join(text.replace("\u00ad", "").split())


def normalised(text: str) -> str:
    """Return a text in lower case, with plain dashes, apostrophes and single blanks; see
    ``plain``."""
    return plain(text).lower()


_LONGEST = 100  # digits of a number that are looked for before a span


def whole_number(
    text: str, bounds: tuple[int, int], start: int, end: int, *, glued: bool = True
) -> tuple[int, int]:
    """Return the start and end of a span, widened to the whole number if it cuts one: from "1,2" to
    all of "1,200", from "three" to "twenty-three".

    Args:
        text: the document.
        bounds: the least start and the greatest end.
        start: of the span, which is never empty.
        end: of the span, exclusive.
        glued: also include digits that stick to a word or bracket: "[12 euros (EUR)]0".
    """
    floor, limit = bounds
    fewer = FORMS["fewer_digits"] if text[start].isdigit() else FORMS["tens_before"]
    before = fewer.search(text, max(floor, start - _LONGEST), start)
    start = before.start() if before and start > floor else start
    if text[end - 1].isdigit() or (glued and text[end : end + 1].isdigit()):
        more = FORMS["more_digits"].match(text, end, limit)
        end = more.end() if more else end
    return start, end


def number(text: str) -> float | None:
    """Return the value of a number in digits or lower-case English words ("1,103", "11.590.000",
    "forty-three", "2.5 million"; also "a" as 1, "no" as 0, "dozen" as 12); None if the text is
    anything else, as "Forty", "-5" and "" are. A comma or full stop before exactly three final
    digits separates thousands."""
    text = text.strip()
    head, _, scale = text.rpartition(" ")
    if head and scale in LARGE and head[0].isdigit():
        value = _digits(head)
        return None if value is None else value * LARGE[scale]
    if text[:1].isdigit() or re.match(r"\.\d", text):
        return _digits(f"0{text}" if text[0] == "." else text)
    return _words(text)


def as_ordinal(number: int, *, spelled_to: int = 0) -> str:
    """Return a number as an ordinal: "21st", or in words ("third") up to ``spelled_to``.

    Args:
        number: from 1.
        spelled_to: the greatest number to write in words; at most 19.
    """
    if number <= spelled_to:
        return _ORDINAL_WORDS[number]
    teens = 10 <= number % 100 <= 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def ordinal(text: str) -> int | None:
    """Return the number of an ordinal in lower case: 22 for "22nd", 23 for "twenty-third"; None if
    the text is anything else. In words, none beyond "ninety-ninth" but "hundredth" and "thousandth"
    is read."""
    match = FORMS["ordinal"].fullmatch(text)
    if match:
        return int(match[1])
    head, _, tail = text.replace("-", " ").strip().rpartition(" ")
    unit = _ORDINALS.get(tail)
    if unit is None or not head:
        return unit
    tens = _words(head)
    return None if tens is None or tens % 10 or tens >= 100 or unit >= 10 else int(tens) + unit


def _digits(text: str) -> float | None:
    """Return the value of a number in digits, grouped or with decimals ("1,103", "2.5"); None if
    the text is anything else."""
    grouped = FORMS["grouped"].fullmatch(text)
    if not grouped and not FORMS["plain"].fullmatch(text):
        return None
    return float((text.replace(grouped[1] or ",", "") if grouped else text).replace(",", "."))


def _words(text: str) -> float | None:
    """Return the value of a number in English words in lower case; None if a word is no number, or
    numbers stand side by side as in no number ("twenty thirty"). "and" is skipped."""
    total, current, last = 0, 0, 10**13
    for position, word in enumerate(re.split(r"[ -]+", text.strip())):
        if word == "and" and position:
            continue
        if word in _SMALL:
            value = _SMALL[word]
            if last < 100 and not (last >= 20 and value < 10):
                return None
            current += value
            last = value
        elif word in LARGE and word not in ("m", "bn"):
            scale = LARGE[word]
            if scale <= 100:
                current = max(current, 1) * scale
            else:
                total += max(current, 1) * scale
                current = 0
            last = 10**13 if scale > 12 else 12
        else:
            return None
    return float(total + current)


def in_words(value: int) -> str:
    """Write a number, 0 or more: below a hundred in words ("forty-three"), else in digits with
    commas between thousands."""
    if value < 20:
        return _UNITS[value]
    if value < 100:
        tens, unit = divmod(value, 10)
        return _TENS[tens - 2] + (f"-{_UNITS[unit]}" if unit else "")
    return f"{value:,}"


# --- ranges --------------------------------------------------------------------------------

# A vague word -> the range that it may stand for, both ends included; so wide that nobody would
# object.
VAGUE: dict[str, Range] = {word: (low, high) for word, (low, high) in _TABLES["vague"].items()}
_VAGUE_COUNTS = VAGUE | {word: (low, high) for word, (low, high) in _TABLES["vague_counts"].items()}

_SLACK = 1e-6  # what "more than" leaves out, relative

NUMBER = rf"(?:{DIGITS}|{WORDS})(?:\s(?:hundred|thousand|lakhs?|million|crores?|billion|trillion))?"
ABOUT: str = _TABLES["about"]
_SCALES = {word: float(size) for word, size in LARGE.items() if size >= 100 and len(word) > 2}
_SCALE_WORDS = "|".join(_SCALES)
_PIECES = {
    "digits": DIGITS,
    "words": WORDS,
    "large": "|".join(LARGE),
    "number": NUMBER,
    "about": ABOUT,
    "tens": "|".join(_TENS),
    "units": "|".join(_UNITS[1:10]),
    "scales": _SCALE_WORDS,
    "vague": either(_VAGUE_COUNTS),
}
FORMS = read_patterns("numbers", _PIECES)


def leading_amount(text: str) -> tuple[Range, str] | None:
    """Return the range of numbers that a text in any case begins with, both ends included, and the
    rest of the text as it stands: ((5, 5), " dogs") for "five dogs", ((4, 9), " cats") for "4-9
    cats". None if it begins with no number ("a dog", "no dogs"), or with a range that descends.

    A vague count is a wide range: (2, 20) for "several dogs", (4, inf) for "many", (24, 99) for
    "dozens of", (2000, 9999.99) for "several thousand". An end may be infinite, and a bound is left
    out if the words exclude it: (5.000005, inf) for "more than five", (0, 4.999995) for "less than
    five", (0, 5) for "up to five", (5, inf) for "at least five". "About", "nearly", "exactly" and
    the like before a number are skipped, so that "about five" is (5, 5)."""
    match = FORMS["amount"].match(text)
    span = _read(match) if match else None
    if match and span is not None:
        return span, text[match.end() :]
    match = FORMS["many"].match(re.sub(rf"^{ABOUT}(?=\w)", "", text)) or FORMS["many"].match(text)
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


def whole_amount(text: str, edges: str = " ") -> Range | None:
    """Read all of a text as a range of numbers, both ends included: (5, 5) for "five" and "about
    five", (4, 9) for "4-9", (2, 20) for "several"; None if it is anything else. See
    ``leading_amount``.

    Args:
        text: an amount without what is counted.
        edges: characters that may stand behind it.
    """
    read = leading_amount(text)
    return read[0] if read and not read[1].strip(edges) else None


def _read(match: re.Match[str]) -> Range | None:
    """Return the range of numbers of a match of the form "amount", both ends included: from 0 on
    after "less than", to infinity after "more than"; a scale that only the last number has counts
    for both ("2 to 5 million"). None if its numbers cannot be read, or descend."""
    written = [(match["one"] or match[end]).lower() for end in ("low", "high")]
    low, high = map(number, written)
    if low is None or high is None:
        return None
    scale = re.search(rf"({_SCALE_WORDS})$", written[1])
    if scale and low < high / 100 and not re.search(_SCALE_WORDS, written[0]):
        low *= _SCALES[scale[1]]
    if low > high:
        return None
    strict = 0.0 if match["least"] or match["most"] else _SLACK * max(1.0, high)
    if match["more"]:
        return low + strict, math.inf
    return (0.0, high - strict) if match["less"] else (low, high)


def counted(number: int, thing: str) -> str:
    """Write a count with its noun: "1 document", "2 documents".

    Args:
        number: 0 or more.
        thing: in the singular; its plural ends in s.
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
