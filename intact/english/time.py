"""The meaning of dates, times, ages and durations: inclusive ranges on the axis of their kind."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from enum import IntEnum, StrEnum
from typing import Any

from intact.english.numbers import (
    DIGITS,
    ORDINALS,
    TENS_PLURAL,
    VAGUE,
    WORDS,
    Range,
    number,
    ordinal,
)
from intact.english.vocabulary import either, read_patterns, vocabulary

Ranges = tuple[Range, ...]

DAYS_A_YEAR = 365.2425
DAYS_A_MONTH = DAYS_A_YEAR / 12
RECENTLY = 62.0  # within so many days lie "yesterday", "last week" and "next month"
_SLACK = 1e-6  # days; conversions between units are not exact


class Kind(StrEnum):
    """The kind of a statement, which is also its axis."""

    INTERVAL = "interval"  # proleptic Gregorian day number (date.toordinal): "May 1996", 31 days
    PARTIAL = "partial"  # day of a leap year, 1 to 366 (no year said): "17 August", "the summer"
    CLOCK = "clock"  # minute of the day, 0 to 1439: "8.45 pm", "the morning"
    WEEKDAY = "weekday"  # 0 (Monday) to 6: "Friday", "the weekend"
    MONTH_DAY = "monthday"  # day of a month, 1 to 31: "the 4th"
    AGE = "age"  # completed years: "aged 34"
    DURATION = "duration"  # days (a month is a twelfth of 365.2425 days): "two years"
    RELATIVE = "relative"  # days after something else, negative before: "the following day"
    EVERY = "every"  # days between two events: "every three months"
    ANY = "any"  # none, it holds everything: "a certain date"


class Granularity(IntEnum):
    """The grain of a statement; larger is coarser."""

    SECOND = 0
    MINUTE = 1
    HOUR = 2
    DAY = 3
    WEEK = 4
    MONTH = 5
    SEASON = 6  # any part of a year, not only a season: quarter, third, half, "mid-1987"
    YEAR = 7
    YEARS = 8  # a part of a decade, or a few years
    DECADE = 9
    DECADES = 10  # a part of a century
    CENTURY = 11


_YEARS = tuple(DAYS_A_YEAR * years for years in (1 / 4, 1, 3, 10, 33, 100))
DAYS = dict(
    zip(Granularity, (1 / 86400, 1 / 1440, 1 / 24, 1.0, 7.0, DAYS_A_MONTH, *_YEARS), strict=True)
)
"""The length of one unit of each granularity, in days."""


@dataclass(frozen=True, slots=True)
class Temporal:
    """A statement about time."""

    kind: Kind  # its kind, and thereby the axis of spans
    spans: Ranges  # what it holds, ascending, not overlapping, ends inclusive; may be unbounded
    granularity: Granularity  # how fine it is worded ("17 May 1996": DAY)
    clock: Ranges | None = None  # minutes of the day it is bound to besides: "Friday evening"
    either: bool = False  # whether the spans are rival readings: "01/05/1996"

    def contains(self, other: Temporal) -> bool | None:
        """Check that all that another statement may mean lies inside this one; None if they do
        not compare. "August" contains "17 August 1996"; the reverse does not compare."""
        if self.clock is not None and (other.clock is None or not _inside(other.clock, self.clock)):
            return False
        if self.kind is Kind.ANY:
            return True
        if self.kind is other.kind:
            return _inside(other.spans, self.spans)
        if self.kind is Kind.PARTIAL and other.kind is Kind.INTERVAL:
            return _inside(_year_days(other.spans), self.spans)
        return None

    def values(self, of: Granularity) -> int:
        """Count the equally likely values of a granularity that it holds: "May 1996" 31 days. An
        unbounded side counts as ten times the other, "a certain date" as a million."""
        if self.kind is Kind.ANY:
            return 1_000_000
        if self.kind in (Kind.WEEKDAY, Kind.MONTH_DAY, Kind.AGE):
            return max(1, sum(int(_bounded(low, high) - low) + 1 for low, high in self.spans))
        if self.kind is Kind.INTERVAL and of in (Granularity.MONTH, Granularity.YEAR):
            return len({period for span in self.spans for period in _periods(span, of)})
        size = DAYS[of]
        if self.kind in (Kind.INTERVAL, Kind.PARTIAL, Kind.CLOCK):
            one = DAYS[Granularity.MINUTE] if self.kind is Kind.CLOCK else 1.0
            return max(1, round(sum(high - low + 1 for low, high in self.spans) * one / size))
        held = 0
        for low, high in self.spans:
            last = math.floor(_bounded(low, high) / size + _SLACK)
            held += last - math.ceil(_bounded(high, low) / size - _SLACK) + 1
        return max(1, held)

    def same(self, other: Temporal) -> bool:
        """Check that both say the same in whatever notation."""
        if self.kind is not other.kind or self.clock != other.clock:
            return False
        if self.either or other.either:
            return any(span in other.spans for span in self.spans)
        return len(self.spans) == len(other.spans) and all(
            math.isclose(a, b, abs_tol=_SLACK)
            for left, right in zip(self.spans, other.spans, strict=True)
            for a, b in zip(left, right, strict=True)
        )

    def canonical(self) -> str:
        """Write it so that it can be compared: "interval:1996-05-01/1996-05-31",
        "duration:30/60"."""
        if self.kind is Kind.INTERVAL:
            days = (tuple(date.fromordinal(int(end)) for end in span) for span in self.spans)
            spans = ",".join(f"{low}/{high}" for low, high in days)
        else:
            spans = ",".join(f"{low:g}/{high:g}" for low, high in self.spans)
        return f"{self.kind}:{spans}"

    @property
    def first(self) -> float:
        """The least value held."""
        return self.spans[0][0]

    @property
    def last(self) -> float:
        """The greatest value held."""
        return self.spans[-1][1]


def merged(spans: list[Range], step: float = 1.0) -> Ranges:
    """Sort ranges, and join those that overlap or lie close to each other.

    Args:
        spans: inclusive ranges in any order.
        step: how far apart two may lie and still be one; 1 for days, 0 for what must overlap.
    """
    joined: list[Range] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1] + step:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def _year_days(spans: Ranges) -> Ranges:
    """List the days of the year that ranges of day numbers touch."""
    days: list[Range] = []
    for low, high in spans:
        if high - low >= 365:
            return ((1, 366),)
        first, last = (date.fromordinal(int(end)) for end in (low, high))
        start, end = (_day(2000, day.month, day.day) - _BEFORE_2000 for day in (first, last))
        days += [(start, end)] if start <= end else [(1, end), (start, 366)]
    return merged(days)


def _inside(inner: Ranges, outer: Ranges) -> bool:
    return all(
        any(low - _SLACK <= a and b <= high + _SLACK for low, high in outer) for a, b in inner
    )


def _bounded(near: float, far: float) -> float:
    """Bound an end of a range: where it is infinite, at ten times the other."""
    if math.isfinite(far):
        return far
    near = near if math.isfinite(near) else 0.0
    return math.copysign(max(abs(near) * 10, 3650.0), far)


def _periods(span: Range, of: Granularity) -> range:
    """Number the months or years of the calendar that a range of days touches."""
    days = (date.fromordinal(int(end)) for end in span)
    yearly = of is Granularity.YEAR
    first, last = (day.year if yearly else day.year * 12 + day.month for day in days)
    return range(first, last + 1)


# --- dates in words, digits and ISO, ranges, lists, decades, seasons ------------------------
# A text is cut into tokens that must cover it whole (else it is no date), the tokens are grouped
# into atoms ("30 January", "3 October 1996") with separators between them, atoms take the month
# and year they lack from their neighbours, and ranges join two atoms.


def _table(text: str) -> dict[str, int]:
    """Number each word by its place in its line, from 1; accents may be left out."""
    words: dict[str, int] = {}
    for line in text.strip().splitlines():
        for index, word in enumerate(line.split(), start=1):
            apart = unicodedata.normalize("NFD", word)
            words.setdefault(word, index)
            words.setdefault("".join(c for c in apart if not unicodedata.combining(c)), index)
    return words


_WORDS = vocabulary("time")
MONTHS = _table(_WORDS["months"])  # names of months in many languages, in lower case, to 1 to 12
MONTH_NAMES = tuple(word.capitalize() for word in _WORDS["months"].split()[:12])
"""January to December."""
WEEKDAY_NAMES = tuple(word.capitalize() for word in _WORDS["weekdays"].split()[:7])
"""Monday to Sunday."""
WEEKDAYS = _table(_WORDS["weekdays"])  # names of weekdays to 1 (Monday) to 7
SEASONS = _table(_WORDS["seasons"])  # names of seasons to 1 (spring) to 4
PARTS: dict[str, list[int]] = _WORDS["parts"]
DAY_PARTS: dict[str, list[int]] = _WORDS["day_parts"]

FIRST_DAY = date.min.toordinal()
LAST_DAY = date.max.toordinal()
_YEARS = (1400, 2101)  # four digits alone: "1105" and "2315" are times of day
_PIVOT = 30  # two-digit years: 30 to 99 are 1930 to 1999, 0 to 29 are 2000 to 2029
_BEFORE_2000 = date(1999, 12, 31).toordinal()


class _NotADateError(Exception):
    """The text is not a calendar expression."""


def _iso_date(value: str) -> list[Range]:
    year, month, day = map(int, re.findall(r"\d+", value)[:3])
    return [(_day(year, month, day),) * 2]


def _numeric_date(value: str) -> list[Range]:
    """Read the day or, for "01/05/1996", the two days that a numeric date may be."""
    first, second, year = map(int, re.findall(r"\d+", value)[:3])
    if year < 100:
        year += 1900 if year >= _PIVOT else 2000
    readings = []
    if second <= 12:
        readings.append(_day(year, second, first))
    if first <= 12 and first != second and "." not in value:
        readings.append(_day(year, first, second))
    if not readings:
        raise _NotADateError
    return sorted((day, day) for day in readings)


def _clock_time(value: str) -> list[Range]:
    """Read the minute, or the two minutes twelve hours apart, that a clock time may be."""
    value = re.sub(r"^(\d\d)(\d\d)(?=\s?h)", r"\1:\2", value)
    hour, minute = (int(part) for part in (*re.findall(r"\d+", value), "0")[:2])
    if hour > 24 or minute > 59:
        raise _NotADateError
    half = re.search(r"([ap])\.?\s?m\b", value) if hour <= 12 else None
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    time = hour % 24 * 60 + minute
    certain = half or hour > 12 or hour == 0 or value.startswith("0") or value.endswith(("s", "h"))
    if certain:
        return [(time, time)]
    return sorted((other, other) for other in {time, (time + 720) % 1440})


def _decade(value: str) -> int:
    """Read the first year of a decade ("1990s", "the nineties", "'90s")."""
    word = value.strip("'")
    if word in TENS_PLURAL:
        return 1900 + TENS_PLURAL[word]
    year = int(re.sub(r"\D", "", word))
    return year if year >= 100 else 1900 + year


# --- atoms --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Atom:
    """One date or part of one, being read."""

    days: list[Range] = field(default_factory=list)  # complete dates
    day: int | None = None
    month: int | None = None
    year: int | None = None
    part: tuple[int, int] | None = None
    decade: int | None = None
    century: int | None = None
    season: int | None = None
    weekdays: tuple[int, int] | None = None
    clock: list[Range] = field(default_factory=list)
    number: int | None = None  # a bare number: a day, or the short form of a year
    yearly: bool = False  # the word "year" stands there
    either: bool = False

    @property
    def empty(self) -> bool:
        return self == _Atom()

    @property
    def coarse(self) -> bool:
        """Tell a year, decade or century, complete without neighbours, from a part of a date."""
        return self.month is None and self.season is None and self.number is None

    @property
    def dated(self) -> bool:
        parts = (self.day, self.month, self.year, self.decade, self.century, self.season)
        return bool(self.days or any(parts) or (self.yearly and self.part))


def parse_calendar(text: str) -> Temporal | None:
    """Read the dates, weekdays or clock times that a normalised text (lower case) states; None
    if it states something else, too."""
    try:
        return _build(*_atoms(text))
    except (_NotADateError, ValueError, OverflowError):
        return None


def _atoms(text: str) -> tuple[list[_Atom], list[str], str]:
    """Split a text into atoms, the separators between them ("and", "to", "comma"), and what
    bounds the whole."""
    atoms, separators, bound = [_Atom()], [], ""
    position = 0
    while position < len(text):
        match = _FORMS["tokens"].match(text, position)
        if not match or match.lastgroup is None:
            raise _NotADateError
        position = match.end()
        name = match.lastgroup
        if name in ("between", "until", "since"):
            if len(atoms) > 1 or not atoms[0].empty:
                name = "to" if name == "until" else "filler"
            elif bound:
                raise _NotADateError
            else:
                bound = name
        if name in ("and", "to", "comma"):
            if not atoms[-1].empty:
                atoms.append(_Atom())
                separators.append(name)
            elif separators and separators[-1] == "comma":
                separators[-1] = name
        elif name == "yearly":
            atoms[-1].yearly = True
        elif name in _FIELDS:
            _take(atoms[-1], name, match[name].strip())
    if atoms[-1].empty:
        atoms.pop()
        separators = separators[: max(0, len(atoms) - 1)]
    return *_joined(atoms, separators), bound


def _joined(atoms: list[_Atom], separators: list[str]) -> tuple[list[_Atom], list[str]]:
    """Join what only a comma parts: "January 27, 1989", "Monday, 9 January", "7 May, at 4.55"."""
    kept, between = atoms[:1], []
    for separator, atom in zip(separators, atoms[1:], strict=True):
        joined = _as_one(kept[-1], atom) if separator == "comma" else None
        if joined is None:
            kept.append(atom)
            between.append(separator)
        else:
            kept[-1] = joined
    return kept, between


def _as_one(first: _Atom, second: _Atom) -> _Atom | None:
    """Join two atoms that only a comma parts, where the second is but the year or the time of the
    first, or the first but the weekday of the second; else None."""
    bare_year = second == _Atom(year=second.year, yearly=second.yearly)
    if bare_year and first.year is None and first.month is not None:
        return replace(first, year=second.year)
    if second.clock and not first.clock and not second.dated and second.number is None:
        return replace(first, clock=second.clock)
    weekday = first.weekdays is not None and not first.dated and first.number is None
    return second if weekday and second.dated else None


_FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "ymd": ("days", _iso_date),
    "dmy": ("days", _numeric_date),
    "clock": ("clock", _clock_time),
    "meridiem": ("clock", _clock_time),
    "daypart": ("clock", lambda value: list(_part_of_day(value))),
    "decade": ("decade", _decade),
    "century": ("century", ordinal),
    "part": ("part", lambda value: PARTS[re.sub(r"\s+part\b|\s*-\s*$|\s+(?:of|in)$", "", value)]),
    "ordinal": ("number", lambda value: ordinal(re.sub(r"(?<=\d)\D+$", "th", value))),
    "month": ("month", lambda value: MONTHS[value.rstrip(".")]),
    "season": ("season", SEASONS.get),
    "weekend": ("weekdays", lambda value: (5, 6)),
    "working": ("weekdays", lambda value: (0, 4)),
    "weekday": ("weekdays", lambda value: (WEEKDAYS[value] - 1,) * 2),
    "number": ("number", int),
}  # the field of an atom that a token fills, and how it is read


def _take(atom: _Atom, name: str, value: str) -> None:
    """Put one token into an atom."""
    field_name, read = _FIELDS[name]
    reading = read(value)
    if name == "number" and len(value) == 4 and _YEARS[0] <= reading < _YEARS[1]:
        field_name = "year"
    if getattr(atom, field_name) not in (None, []):
        raise _NotADateError
    setattr(atom, field_name, reading)
    if name in ("ymd", "dmy"):
        atom.either = len(reading) > 1
    elif name in ("clock", "meridiem"):
        atom.either = atom.either or (len(reading) > 1 and not atom.dated)
    if atom.number is not None and atom.month is not None and atom.day is None:
        atom.day, atom.number = atom.number, None


def _part_of_day(name: str) -> Ranges:
    low, high = DAY_PARTS[name]
    return ((low, high),) if high < 1440 else ((0, high - 1440), (low, 1439))


def _day(year: int, month: int, day: int) -> int:
    return date(year, month, day).toordinal()


def _build(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    if not atoms or atoms[0].empty:
        raise _NotADateError
    if any(atom.dated for atom in atoms) or any(atom.number is not None for atom in atoms):
        return _dates(atoms, separators, bound)
    if bound in ("until", "since"):
        raise _NotADateError
    if "to" not in separators and all(atom.weekdays for atom in atoms):
        spans = merged([atom.weekdays for atom in atoms if atom.weekdays is not None])
        clock = merged(atoms[0].clock) if len(atoms) == 1 and atoms[0].clock else None
        return Temporal(Kind.WEEKDAY, spans, Granularity.DAY, clock)
    if all(atom.clock for atom in atoms):
        return _clocks(atoms, separators, bound)
    raise _NotADateError


def _clock(atom: _Atom) -> Temporal:
    fine = all(high - low < 1 for low, high in atom.clock)
    grain = Granularity.MINUTE if fine else Granularity.HOUR
    spans = merged(atom.clock, step=0 if fine else 1)
    return Temporal(Kind.CLOCK, spans, grain, either=atom.either and len(spans) > 1)


def _clocks(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    if len(atoms) == 1:
        return _clock(atoms[0])
    if separators != ["to"] and not (bound == "between" and separators == ["and"]):
        spans = merged([span for atom in atoms for span in atom.clock], 0)
        return Temporal(Kind.CLOCK, spans, Granularity.MINUTE)
    if all(atom.either and len(atom.clock) > 1 for atom in atoms):
        length = (atoms[1].clock[0][0] - atoms[0].clock[0][0]) % 720
        ends = [(start, start + length) for start, _ in atoms[0].clock]
        late: list[Range] = [(0, high - 1440) for _, high in ends if high >= 1440]
        spans = merged([*((low, min(high, 1439)) for low, high in ends), *late])
        return Temporal(Kind.CLOCK, spans, Granularity.HOUR, either=True)
    high = atoms[1].clock[-1][1] or 1439
    low = min((start for start, _ in atoms[0].clock), key=lambda start: (high - start) % 1440)
    spans = ((low, high),) if low <= high else ((0, high), (low, 1439))
    return Temporal(Kind.CLOCK, spans, Granularity.HOUR)


def _dates(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    _inherit(atoms, separators)
    years = [bool(a.days) or None not in (a.year or a.decade or a.century,) for a in atoms]
    if any(years) and not all(years):
        raise _NotADateError
    read = [_interval(atom) if all(years) else _partial(atom) for atom in atoms]
    grain = min(grain for _, grain in read)
    spans: list[Range] = list(read[0][0])
    for (days, _), separator in zip(read[1:], separators, strict=True):
        if separator == "to" or (bound == "between" and separator == "and" and len(read) == 2):
            low, high = spans.pop()[0], days[-1][1]
            if low > high and all(years):
                raise _NotADateError
            spans += [(low, high)] if low <= high else [(1, high), (low, 366)]
        else:
            spans += days
    either = len(atoms) == 1 and atoms[0].either
    clock = merged(atoms[0].clock) if len(atoms) == 1 and atoms[0].clock else None
    joined = tuple(sorted(spans)) if either else merged(spans)
    if separators and "to" in separators:
        bound = ""
    if bound in ("until", "since"):
        ends = (FIRST_DAY, LAST_DAY) if all(years) else (1, 366)
        joined = ((ends[0], joined[-1][1]),) if bound == "until" else ((joined[0][0], ends[1]),)
    kind = Kind.INTERVAL if all(years) else Kind.PARTIAL
    return Temporal(kind, joined, grain, clock, either)


def _inherit(atoms: list[_Atom], separators: list[str]) -> None:
    """Give atoms the month and year that they share with their neighbours."""
    for index in range(len(atoms) - 2, -1, -1):
        atom, right = atoms[index], atoms[index + 1]
        if atom.days or atom.decade or atom.century:
            continue
        if atom.number is not None and atom.month is None and atom.year is None and right.month:
            atom.day, atom.number, atom.month = atom.number, None, right.month
        if atom.year is None and (atom.month or atom.season) and right.year is not None:
            atom.year = right.year
            ranged = separators[index] == "to" and atom.month and right.month
            if ranged and (atom.month, atom.day or 1) > (right.month, right.day or 31):
                atom.year -= 1
        if atom.part and atom.coarse and atom.year is None:
            atom.year, atom.decade, atom.century = right.year, right.decade, right.century
    for left, atom in itertools.pairwise(atoms):
        if atom.days:
            continue
        if atom.number is not None and atom.month is None and left.year and left.coarse:
            size = 10 if atom.number < 10 else 100  # "64" after 1963, or "6" after 1995
            later = left.year - left.year % size + atom.number
            atom.year, atom.number = later if later > left.year else later + size, None
        elif atom.number is not None and atom.month is None and left.month and left.day:
            atom.day, atom.number, atom.month = atom.number, None, left.month
        if atom.year is None and (atom.month or atom.season) and left.year:
            atom.year = left.year


def _interval(atom: _Atom) -> tuple[list[Range], Granularity]:
    """Read the days of an atom that has a year."""
    if atom.number is not None:
        raise _NotADateError
    if atom.days:
        return atom.days, Granularity.DAY
    if atom.century is not None:
        return _years((atom.century - 1) * 100 + 1, 100, atom.part)
    if atom.decade is not None:
        return _years(atom.decade, 10, atom.part)
    year = atom.year
    if year is None or (atom.weekdays and not atom.month):  # "Tue 1505" is a time of day
        raise _NotADateError
    if atom.month:
        return _in_month(year, atom.month, atom.day, atom.part)
    if atom.season == 4:  # the winters of 1987: December 1986 to March 1988
        return [(_day(year - 1, 12, 1), _day(year + 1, 3, 21))], Granularity.SEASON
    if atom.season:  # meteorological or astronomical
        month = 3 * atom.season
        return [(_day(year, month, 1), _day(year, month + 3, 23))], Granularity.SEASON
    first, last = atom.part or (0, 12)
    grain = Granularity.SEASON if atom.part else Granularity.YEAR
    return [(_day(year, first + 1, 1), _day(year, last, monthrange(year, last)[1]))], grain


def _in_month(
    year: int, month: int, day: int | None, part: tuple[int, int] | None
) -> tuple[list[Range], Granularity]:
    """Read a day of a month, the month, or a part of it."""
    if day:
        return [(_day(year, month, day),) * 2], Granularity.DAY
    low, high = (twelfth * 30 // 12 for twelfth in part or (0, 12))
    last = monthrange(year, month)[1] if high == 30 else high
    grain = Granularity.WEEK if part else Granularity.MONTH
    return [(_day(year, month, low + 1), _day(year, month, last))], grain


def _years(
    first: int, length: int, part: tuple[int, int] | None
) -> tuple[list[Range], Granularity]:
    """Read a decade or century, or a part of one. Thirds of a decade are 4, 3 and 3 years."""
    decade = length == 10
    cuts = (twelfth * length / 12 for twelfth in part or (0, 12))
    start, end = (first + (math.ceil(cut) if decade else math.floor(cut)) for cut in cuts)
    if decade:
        grain = Granularity.YEARS if part else Granularity.DECADE
    else:
        grain = Granularity.DECADES if part else Granularity.CENTURY
    return [(_day(start, 1, 1), _day(end - 1, 12, 31))], grain


def _partial(atom: _Atom) -> tuple[list[Range], Granularity]:
    """Read the days of the year of an atom without a year."""
    if atom.days or not (atom.month or atom.season or (atom.part and atom.yearly)):
        raise _NotADateError
    days, grain = _interval(replace(atom, year=2000, weekdays=None))
    if atom.season == 4 and not atom.month:
        return [(1, 81), (336, 366)], grain  # to 21 March, from 1 December
    return [(low - _BEFORE_2000, high - _BEFORE_2000) for low, high in days], grain


# --- durations, ages, frequencies, relative times -------------------------------------------

_NO_UNITS = (Granularity.SEASON, Granularity.YEARS, Granularity.DECADES)
UNITS = {each.name.lower(): each for each in Granularity if each not in _NO_UNITS}
"""Units of time by their names in the singular."""
_ALIASES = {"centurie": "century", "night": "day", "fortnight": "week", "min": "minute"}
_ALIASES |= {"sec": "second", "hr": "hour", "mth": "month", "wk": "week", "yr": "year"}

_ABOUT = r"(?:(?:about|around|approximately|almost|nearly|roughly|some|at least|exactly|just)\s)?"
MIDDLE_AGE, MIDDLE_AGED = "in middle age", "middle-aged"
_TENS = TENS_PLURAL | {"teens": 10}
_SOME_TIME = ("", "n", "soon", "shortly", "a little", "little", "some time", "not long", "much")


def parse_duration(text: str) -> Temporal | None:
    """Read a duration in days from a normalised text ("more than two years", "3-5 days"), or
    None."""
    span, grain = _length(text)
    return None if span is None else Temporal(Kind.DURATION, (span,), grain)


def parse_age(text: str) -> Temporal | None:
    """Read an age in completed years ("aged 34", "34-year-old", "in his thirties"), or None."""
    if text in (MIDDLE_AGE, MIDDLE_AGED):
        return Temporal(Kind.AGE, ((40, 59),), Granularity.YEAR)
    decade = _FORMS["decade_of_life"].fullmatch(text)
    if decade and text not in _TENS:
        low = _TENS[decade["tens"]]
        first, last = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}.get(decade["part"], (0, 9))
        return Temporal(Kind.AGE, ((low + first, low + last),), Granularity.YEAR)
    baby = _FORMS["baby"].fullmatch(text)
    if baby and (count := number(baby["count"])) is not None:
        years = count // {"month": 12, "week": 52, "day": 365}[baby["unit"]]
        return Temporal(Kind.AGE, ((years, years),), Granularity.YEAR)
    match = _FORMS["age"].fullmatch(text)
    if not match:
        return None
    if match["side"]:
        span = _count_range(f"{match['side']} {match['limit']}")
    else:
        span = _count_range(match["named"] or match["old"])
    return None if span is None else Temporal(Kind.AGE, (span,), Granularity.YEAR)


def parse_every(text: str) -> Temporal | None:
    """Read a frequency ("every three months", "every day"), or None."""
    if not text.startswith("every "):
        return None
    what = text.removeprefix("every ")
    if what.startswith("few "):
        what = f"a {what}"
    span, grain = _length(what)
    if span is None:
        span, grain = _length(f"one {what}")
    return None if span is None else Temporal(Kind.EVERY, (span,), grain)


def parse_relative(text: str) -> Temporal | None:
    """Read a time told from another in days ("two months later", "the following day"), or None."""
    return _next(text) or _offset(text) or _nth(text)


UNPLACED: list[tuple[str, str]] = _WORDS["unplaced"]["said"]
"""Patterns over times that cannot be placed, and what is said of them."""
_PIECES = {
    "number": rf"(?:{DIGITS}|{WORDS}|an?)",
    "vague": either(VAGUE),
    "tens": "|".join(_TENS),
    "unplaced": "|".join(said for _, said in UNPLACED),
    "ordinalwords": (
        rf"(?:twenty-|thirty-)?(?:{'|'.join(ORDINALS[:9])})|{'|'.join(ORDINALS[9:21])}"
    ),
    "tensplural": either(TENS_PLURAL),
    "parts": either(PARTS),
    "dayparts": either(DAY_PARTS),
    "months": either(MONTHS),
    "seasons": either(SEASONS),
    "weekdays": either(WEEKDAYS),
}
_FORMS = read_patterns("time", _PIECES)


def parse_anything(text: str) -> Temporal | None:
    """Read a statement that holds every date or duration ("a certain date", "a period of time")."""
    match = _FORMS["anything"].fullmatch(text)
    if not match:
        return None
    clock = _part_of_day(match["part"]) if match["part"] else None
    return Temporal(Kind.ANY, ((-math.inf, math.inf),), Granularity.CENTURY, clock)


def _next(text: str) -> Temporal | None:
    known = _WORDS["set_phrases"].get(text.removeprefix("on ").removeprefix("at "))
    if known is not None:
        return Temporal(Kind(known[0]), ((known[1], known[2]),), Granularity.DAY)
    match = _FORMS["next"].fullmatch(text)
    if not match:
        return None
    clock = _part_of_day(match["what"]) if match["what"] in DAY_PARTS else None
    grain = _unit(match["unit"]) if match["unit"] else Granularity.DAY
    size = DAYS[grain]
    step = {"same": 0, "previous": -1, "preceding": -1, "last": -1}.get(match["way"], 1)
    if match["weekday"]:
        if not step:
            return None
        span = (-14.0, -1.0) if step < 0 else (1.0, 14.0)
    elif match["unit"] and match["unit"].endswith("s") and step:  # "the previous years"
        span = (size, math.inf) if step > 0 else (-math.inf, -size)
    elif grain <= Granularity.DAY:
        span = (step * size, step * size)
    else:  # the next month begins after up to one month and ends after up to two
        span = ((step - 1) * size, (step + 1) * size)
    return Temporal(Kind.RELATIVE, (span,), grain, clock)


def _offset(text: str) -> Temporal | None:
    within = _FORMS["later_in"].fullmatch(text)
    if within:
        grain = _unit(within["unit"])
        last = DAYS[grain] if grain > Granularity.DAY else 0.0
        return Temporal(Kind.RELATIVE, ((0.0, last),), grain)
    match = _FORMS["later"].fullmatch(text)
    if not match:
        return None
    way = -1 if match["way"][:2] in ("ea", "be", "pr", "ag") else 1
    what = match["what"].strip().removeprefix("at a").removeprefix("some time").strip()
    span, grain = ((0.0, math.inf), Granularity.DAY) if what in _SOME_TIME else _length(what)
    if span is None:
        return None
    low, high = sorted(way * end for end in span)
    return Temporal(Kind.RELATIVE, ((low, high),), grain)


def _nth(text: str) -> Temporal | None:
    """Read the "fourth or fifth day" of something."""
    match = _FORMS["nth"].fullmatch(text)
    low = ordinal(match["nth"]) if match else None
    high = ordinal(match["or"] or match["nth"]) if match else None
    if match is None or low is None or high is None:
        return None
    grain = _unit(match["unit"])
    size = DAYS[grain]
    return Temporal(Kind.RELATIVE, (((low - 1) * size, (high - 1) * size),), grain)


def _length(text: str) -> tuple[Range | None, Granularity]:
    """Read a range of days and the finest unit named."""
    text = _FORMS["tail"].sub("", text.strip()).rstrip("'")
    between = _FORMS["between"].fullmatch(text)
    if between:
        high, grain = _length(between["high"])
        low, low_grain = _length(between["low"])
        if low is None and high is not None:
            unit = _FORMS["unit_end"].search(between["high"])
            low, low_grain = _length(f"{between['low']} {unit[0]}") if unit else (None, grain)
        if low is None or high is None or low[0] > high[1]:
            return None, grain
        return (low[0], high[1]), min(grain, low_grain)
    bound = _FORMS["more"].match(text)
    rest = text[bound.end() :] if bound else text
    span, grain = _sum(rest)
    if span is None and not bound:
        span, grain = _sum(re.sub(rf"^{_ABOUT}", "", rest))
    if span is not None and bound:
        span = (span[0], math.inf) if bound["more"] else (0.0, span[1])
    return span, grain


def _sum(text: str) -> tuple[Range | None, Granularity]:
    """Add up terms: "two years, six months and three days"."""
    low = high = 0.0
    grain, position = Granularity.CENTURY, 0
    while True:
        match = _FORMS["term"].match(text, position)
        span = _term(match) if match else None
        if match is None or span is None:
            return None, Granularity.DAY
        unit = _unit(match["unit"])
        size = DAYS[unit] * (2 if match["unit"].startswith("fortnight") else 1)
        low, high, grain = low + span[0] * size, high + span[1] * size, min(grain, unit)
        position = match.end()
        if position == len(text):
            return (low, high), grain
        join = _FORMS["join"].match(text, position)
        if not join:
            return None, Granularity.DAY
        position = join.end()


def _term(match: re.Match[str]) -> Range | None:
    half = 0.5 if match["half"] or match["later_half"] else 0.0
    if match["vague"]:
        return VAGUE[match["vague"]]
    one = match["one"] or f"{match['low']}-{match['high']}"  # "twenty-five" is one number
    value = None if one[0].isdigit() and not match["one"] else number(one)
    if value is not None or match["one"]:
        return None if value is None else (value + half, value + half)
    low, high = number(match["low"]), number(match["high"])
    return None if low is None or high is None or low > high else (low, high)


def _unit(word: str) -> Granularity:
    word = word.removesuffix("s")
    return UNITS[_ALIASES.get(word, word)]


def _count_range(text: str) -> Range | None:
    """Read a number or range of numbers: "34", "between 30 and 39", "over 50"."""
    text = re.sub(rf"^{_ABOUT}", "", text.strip())
    between = re.fullmatch(r"(?:(?:between|from)\s)?(.+?)-?\s?(?:-|\bto\b|\band\b)\s?(.+)", text)
    exact = number(text)
    if exact is not None:
        return exact, exact
    if between:
        low, high = number(between[1]), number(between[2])
        return None if low is None or high is None or low > high else (low, high)
    bound = _FORMS["more"].match(text)
    value = number(text[bound.end() :]) if bound else None
    if bound is None or value is None:
        return None
    inclusive = bound[0].strip() in ("at least", "at most", "up to", "no more than", "no less than")
    step = 0 if inclusive else 1
    return (value + step, 150.0) if bound["more"] else (0.0, value - step)
