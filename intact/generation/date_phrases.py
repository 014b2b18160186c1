"""Phrases for the periods around a date: month, quarter, half, year, decade, century.

Wordings were chosen by similarity to the original (all-MiniLM-L6-v2) against how often the
original is among the five nearest dates of a corpus: "April–June 1996" is both closer and safer
than "spring 1996" or "early 1996" is for the full day, and needs no hemisphere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from intact.english.calendar import FIRST_DAY, LAST_DAY, MONTH_NAMES
from intact.english.numbers import as_ordinal, plain
from intact.english.time import Granularity, Kind, Temporal

_RANGE_PREFIX = re.compile(r"(?:(?:some\s?time\s)?between|from|during|in|at|on|throughout)\s", re.I)
_BETWEEN = re.compile(r"(?P<word>between|from)\s", re.I)
_BOUND = re.compile(
    r"(?P<word>not later than|no later than|not earlier than|no earlier than|before|until|till|by"
    r"|up to|since|after|as from|as of|from)\s",
    re.I,
)
_YEARS = re.compile(r"(?:tax |financial )?years?\s", re.I)


def date_phrases(text: str, time: Temporal) -> Iterator[str]:
    """Phrases for the dates that ``text`` states, most specific first; not all need be true.

    Args:
        text: how the time is written.
        time: what it was read as.
    """
    text = plain(text)
    if time.kind is Kind.PARTIAL:
        yield from _partial(time)
        return
    bound = _BOUND.match(text)
    if time.first == FIRST_DAY or time.last == LAST_DAY:
        if bound:
            yield from _bounded(bound["word"].lower(), time)
        elif time.last == LAST_DAY:  # "2019 - present"
            yield from _bounded("since", time)
        yield "a certain time"
        return
    first, last = (date.fromordinal(int(day)) for day in (time.first, time.last))
    between = _BETWEEN.match(text)
    lead = "in " if _RANGE_PREFIX.match(text) else ""
    if _YEARS.match(text) and time.granularity >= Granularity.YEAR:
        lead = "years in "
    if between and first.year != last.year:
        yield from _between(between["word"].lower(), first, last)
    for phrase in _periods(first, last):
        yield f"{lead}{phrase}"
    if lead == "years in ":
        yield "certain years"
        return
    last_resort = _any(time, first, last)
    if lead == "in ":
        lead = "on " if last_resort.endswith("date") else "during "
    yield f"{lead}{last_resort}"


def _any(time: Temporal, first: date, last: date) -> str:
    days = last.toordinal() - first.toordinal()
    if len(time.spans) > 1 and time.granularity is Granularity.DAY:
        return "certain dates"
    if days < 1:
        return "a certain date"
    if time.granularity is Granularity.MONTH and days < 31:
        return "a certain month"
    if time.granularity is Granularity.YEAR and days < 366:
        return "a certain year"
    return "a certain period"


def _between(word: str, first: date, last: date) -> Iterator[str]:
    """A range of several years with its ends made coarse."""
    joint = "to" if word == "from" else "and"
    yield f"{word} {_month(first)} {joint} {_month(last)}"
    yield f"{word} {_half(first)} {joint} {_half(last)}"
    yield f"{word} {first.year} {joint} {last.year}"
    early, late = first.year // 10 * 10, last.year // 10 * 10
    if late > early + 10:
        yield f"{word} the {early}s {joint} the {late}s"


def _month(day: date) -> str:
    return f"{MONTH_NAMES[day.month - 1]} {day.year}"


def _half(day: date) -> str:
    return f"the {'first' if day.month < 7 else 'second'} half of {day.year}"


def _periods(first: date, last: date) -> Iterator[str]:
    """The periods that hold both days, finest first; several wordings of one size."""
    if first.year == last.year:
        whole = (last - first).days > 25  # a month or more
        yield from _in_year(first.year, first.month, last.month, whole=whole)
        yield f"{first.year}"
    yield from _years(first.year, last.year)


def _in_year(year: int, first: int, last: int, *, whole: bool) -> Iterator[str]:
    """The month and the parts of a year that hold the months; for mere days only the months.

    A part of a year is told by its months, which are close to any day in them: of all rungs
    it gives a day away most for what it keeps. "In 1996" is read more easily, too.
    """
    yield f"{MONTH_NAMES[first - 1]} {year}" if first == last else f"{months(first, last)} {year}"
    if not whole:
        return
    for size in (3, 4, 6):
        low = (first - 1) // size * size + 1
        if last > low + size - 1:
            continue
        if size == 4:
            part = ("early ", "mid-", "late ")[low // 4]
            yield f"{part}{year}"
        else:
            yield f"{months(low, low + size - 1)} {year}"
    yield f"the {'first' if last < 7 else 'second'} half of {year}"


def months(low: int, high: int) -> str:
    """A run of months: "April–June".

    Args:
        low: the first month, 1 to 12.
        high: the last month, not before it.
    """
    return f"{MONTH_NAMES[low - 1]}–{MONTH_NAMES[high - 1]}"


def _years(first: int, last: int) -> Iterator[str]:
    """Parts of decades, decades and centuries that hold both years."""
    decade, other = first // 10 * 10, last // 10 * 10
    if decade == other:
        low, high = first % 10, last % 10
        parts = [
            f"the {name}{decade}s"
            for name, start, end in (("early ", 0, 3), ("mid-", 4, 6), ("late ", 7, 9))
            if start <= low and high <= end and not _like_century(decade)
        ]
        yield from parts
        if not parts and low // 5 == high // 5 and not _like_century(decade):
            yield f"the {'first' if high < 5 else 'second'} half of the {decade}s"
        yield f"the {decade}s"
        if first == last:
            yield f"the {decade // 20 * 20}s or {decade // 20 * 20 + 10}s"
    elif other == decade + 10:
        yield f"the {_part(first)}{decade}s and {_part(last)}{other}s"
        yield f"the {decade}s and {other}s"
    else:
        yield f"the {decade}s to {other}s"
    century = (first - 1) // 100 + 1
    if century == (last - 1) // 100 + 1:
        yield f"the {as_ordinal(century)} century"


def _like_century(decade: int) -> bool:
    """Whether a decade is named like its century: "the mid-1900s" reads as about 1950."""
    return decade % 100 == 0 and decade < 2000


def _part(year: int) -> str:
    if _like_century(year // 10 * 10):
        return ""
    return "early " if year % 10 < 4 else "mid-" if year % 10 < 7 else "late "


def _bounded(word: str, time: Temporal) -> Iterator[str]:
    """Before or after a date: the same with a coarser date."""
    known = time.last if time.first == FIRST_DAY else time.first
    day = date.fromordinal(int(known))
    for phrase in _periods(day, day):
        yield f"{word} {phrase}"


def _partial(time: Temporal) -> Iterator[str]:
    """Dates without a year; a year is never added."""
    low, high = time.first, time.last
    first, last = (date.fromordinal(date(2000, 1, 1).toordinal() + int(d) - 1) for d in (low, high))
    if first.month == last.month:
        yield MONTH_NAMES[first.month - 1]
    for size in (3, 6):
        start = (first.month - 1) // size * size + 1
        if last.month <= start + size - 1:
            yield months(start, start + size - 1)
    yield f"the {'first' if last.month < 7 else 'second'} half of the year"
    if time.granularity is Granularity.DAY and (first == last or time.either):
        yield "a certain date"
    elif time.granularity is Granularity.MONTH and first.month == last.month:
        yield "a certain month"
    elif time.granularity is Granularity.DAY and len(time.spans) > 1:
        yield "certain dates"
    else:
        yield "a certain time"
