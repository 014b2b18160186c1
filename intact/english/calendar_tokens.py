"""Calendar expressions to tokens, and the tokens in digits to days and minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date

from intact.english.calendar_words import DAY_PARTS, DECADES, MONTHS, PARTS, SEASONS, WEEKDAYS
from intact.english.temporal import Range

_PIVOT = 30  # two-digit years: 30 to 99 are 1930 to 1999, 0 to 29 are 2000 to 2029


class NotADateError(Exception):
    """The text is not a calendar expression."""


def _words(table: Mapping[str, object]) -> str:
    return "|".join(re.escape(word) for word in sorted(table, key=lambda word: (-len(word), word)))


_ORDINAL_WORDS = (
    r"(?:twenty-|thirty-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    r"|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth"
    r"|nineteenth|twentieth|thirtieth"
)
_TOKENS = re.compile(
    r"\s*(?:"
    r"(?P<ymd>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)(?:t[\d:.]+z?)?)"
    r"|(?P<dmy>\d{1,2}(?:-\d{1,2}-|/\d{1,2}/|\.[ ]?\d{1,2}\.[ ]?)(?:\d{4}|\d{2})(?!\d))"
    r"|(?P<meridiem>\d{1,2}(?:[.:]\d{2})?\s?[ap]\.?\s?m\b\.?)"
    r"|(?P<clock>\d{1,2}[.:]\d{2}(?::\d{2})?(?![\d.])(?:\s?(?:hours|hrs|h|o'clock))?"
    r"|\d{1,2}\s?o'clock|\d{1,2}h\d{2}|(?:[01]\d|2[0-3])[0-5]\d\s?(?:hours|hrs|h)\b)"
    r"|(?P<decade>(?:\d{3}0|'?\d0)'?s\b|\b(?:" + _words(DECADES) + r")\b)"
    r"|(?P<turn>turn of the (?:century|millennium)\b)"
    r"|(?P<part>(?:" + _words(PARTS) + r")\b(?:\s+part\b)?(?:\s*-\s*|\s+of\b|\s+in\b)?"
    r"(?!(?:\s+of)?\s*(?:morning|afternoon|evening|hours|the day)))"
    rf"|(?P<century>(?:\d{{1,2}}(?:st|nd|rd|th)|{_ORDINAL_WORDS})(?=[^,]*\bcentur))"
    r"|(?P<centuries>centur(?:y|ies)\b)"
    r"|(?P<daypart>(?:" + _words(DAY_PARTS) + r")\b)"
    rf"|(?P<ordinal>\d{{1,2}}(?:st|nd|rd|th|er|ère|º|°)\b|\b(?:{_ORDINAL_WORDS})\b)"
    r"|(?P<number>\d{1,4}(?!\d))"
    r"|(?P<month>\b(?:" + _words(MONTHS) + r")\b\.?)"
    r"|(?P<season>\b(?:" + _words(SEASONS) + r")\b)"
    r"|(?P<weekend>\b(?:weekends?|week-end)\b)"
    r"|(?P<working>\b(?:weekdays?|working day)\b)"
    r"|(?P<weekday>\b(?:" + _words(WEEKDAYS) + r")\b)"
    r"|(?P<between>\bbetween\b)"
    r"|(?P<until>\b(?:not later than|no later than|at the latest|before|until|till|by|up to)\b)"
    r"|(?P<since>\b(?:not earlier than|no earlier than|since|after|as from|as of|from)\b)"
    r"|(?P<to>\b(?:to|through|and until)\b|-(?!\s*$)|/)"
    r"|(?P<and>\b(?:and|or|und|et|y|ve)\b|&)"
    r"|(?P<comma>[,;])"
    r"|(?P<yearly>\byears?\b)"
    r"|(?P<filler>\b(?:the|of|in|on|at|de|del|du|den|le|la|about|around|approximately|circa|ca?\.?"
    r"|during|throughout|some time|sometime|an?|certain|dated|roughly|period|both|parts?"
    r"|(?:one|some|several) (?:days?|dates?)|(?:days?|dates?) (?:in|of|at|on)|months? of"
    r"|(?:tax|financial|academic|school) years?)\b|[.()])"
    r")\s*"
)


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each token of a normalised ``text``.

    Raises:
        NotADateError: if something in it is no part of a calendar expression.
    """
    position = 0
    while position < len(text):
        match = _TOKENS.match(text, position)
        if not match or match.lastgroup is None:
            raise NotADateError
        yield match.lastgroup, match[match.lastgroup].strip()
        position = match.end()


def numeric_date(value: str, *, year_first: bool) -> list[Range]:
    """The day or, for "01/05/1996", the two days that a numeric date may be."""
    numbers = [int(part) for part in re.findall(r"\d+", value)[:3]]
    if year_first:
        year, month, day = numbers
        return [(date(year, month, day).toordinal(),) * 2]
    first, second, year = numbers
    if year < 100:
        year += 1900 if year >= _PIVOT else 2000
    readings = []
    if second <= 12:
        readings.append(date(year, second, first).toordinal())
    if first <= 12 and first != second and "." not in value:
        readings.append(date(year, first, second).toordinal())
    if not readings:
        raise NotADateError
    return sorted((day, day) for day in readings)


def clock_time(value: str) -> list[Range]:
    """The minute, or the two minutes twelve hours apart, that a clock time may be."""
    value = re.sub(r"^(\d\d)(\d\d)(?=\s?h)", r"\1:\2", value)
    hour, minute = (int(part) for part in (*re.findall(r"\d+", value), "0")[:2])
    if hour > 24 or minute > 59:
        raise NotADateError
    half = re.search(r"([ap])\.?\s?m\b", value)
    if half:
        if hour > 12:
            half = None
        else:
            hour = hour % 12 + (12 if half[1] == "p" else 0)
    time = hour % 24 * 60 + minute
    certain = half or hour > 12 or hour == 0 or value.startswith("0") or value.endswith(("s", "h"))
    if certain:
        return [(time, time)]
    return sorted((other, other) for other in {time, (time + 720) % 1440})


def decade(value: str) -> int:
    """The first year of a decade ("1990s", "the nineties", "'90s")."""
    word = value.strip("'")
    if word in DECADES:
        return 1900 + DECADES[word]
    year = int(re.sub(r"\D", "", word))
    return year if year >= 100 else 1900 + year
