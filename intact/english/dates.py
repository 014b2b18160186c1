"""Dates, weekdays and clock times: in words, digits and ISO, ranges, lists, decades, seasons.

A text is cut into tokens that must cover all of it (or it is no date). The tokens are grouped into
atoms ("30 January", "3 October 1996") with separators between them, atoms take the month and year
they lack from their neighbours, and ranges join two atoms.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any

from intact.english import time
from intact.english.numbers import TENS_PLURAL, Range, ordinal
from intact.english.time import Granularity, Kind, Temporal, day_number, merged

_YEARS = (1400, 2101)  # four digits alone are a year in this range; "1105" is a time of day
_PIVOT = 30  # two-digit years: 30 to 99 are 1930 to 1999, 0 to 29 are 2000 to 2029


class _NotADateError(Exception):
    """The text is not a calendar expression."""


def _numeric_date(value: str) -> list[Range]:
    """Return the days that a numeric date ("1/5/1996", "31.12.96") may name, each as a range (day,
    day) of day numbers (1 is 1 January of year 1), ascending: two if day and month may be swapped,
    but never with full stops, where the day stands first. A year below 100 means 1930 to 2029. A
    date that does not exist is an error."""
    first, second, year = map(int, re.findall(r"\d+", value)[:3])
    if year < 100:
        year += 1900 if year >= _PIVOT else 2000
    orders = {(second, first), (second, first) if "." in value else (first, second)}
    days = [day_number(year, month, day) for month, day in orders if month <= 12]
    if not days:
        raise _NotADateError
    return sorted((day, day) for day in days)


def _clock_time(value: str) -> list[Range]:
    """Return the minutes after midnight (0 to 1439) that a clock time may name, each as a range
    (minute, minute), ascending: one if it says which half of the day is meant ("8.45 pm", "20:45",
    "08:45"), else two, twelve hours apart. A time that does not exist ("25:70") is an error."""
    value = re.sub(r"^(\d\d)(\d\d)(?=\s?h)", r"\1:\2", value)
    hour, minute = (int(part) for part in (*re.findall(r"\d+", value), "0")[:2])
    if hour > 24 or minute > 59:
        raise _NotADateError
    half = re.search(r"([ap])\.?\s?m\b", value) if hour <= 12 else None
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    at = hour % 24 * 60 + minute
    if half or hour > 12 or hour == 0 or value.startswith("0") or value.endswith(("s", "h")):
        return [(at, at)]
    return sorted((other, other) for other in {at, (at + 720) % 1440})


def _decade(value: str) -> int:
    """Return the first year of a decade: 1990 for "1990s", "nineties" and "'90s". A decade without
    its century is of the twentieth."""
    word = value.strip("'")
    if word in TENS_PLURAL:
        return 1900 + TENS_PLURAL[word]
    year = int(re.sub(r"\D", "", word))
    return year if year >= 100 else 1900 + year


@dataclass(slots=True)
class _Atom:
    """A date or part of one, while it is being read."""

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
    def dated(self) -> bool:
        """Tell whether the atom says more than a weekday, a time of day and a bare number: it has a
        full date, a day, month, year, decade, century or season, or a part of "the year"."""
        parts = (self.day, self.month, self.year, self.decade, self.century, self.season)
        return bool(self.days or any(parts) or (self.yearly and self.part))

    @property
    def has_year(self) -> bool:
        """Tell whether the year, decade or century of the atom is known, as it is of a full
        date."""
        years = (self.year, self.decade, self.century)
        return bool(self.days) or any(year is not None for year in years)

    @property
    def lacks_year(self) -> bool:
        """Tell whether the atom names a month or a season, but no year, decade or century."""
        return not self.has_year and bool(self.month or self.season)

    @property
    def is_bare(self) -> bool:
        """Tell whether the atom has a number without a month: a day, or the short form of a
        year."""
        return self.number is not None and self.month is None

    @property
    def in_year(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the earliest and the latest (month, day) of a year that the atom may mean. Without
        a month they are of months 0 and 13; without a day they are days 1 and 31."""
        return (self.month or 0, self.day or 1), (self.month or 13, self.day or 31)

    def turn_to_day(self, month: int) -> None:
        """Change the atom in place: its bare number becomes a day of the month (1 to 12) that is
        given."""
        self.day, self.number, self.month = self.number, None, month


def parse_calendar(text: str) -> Temporal | None:
    """Return the dates, or else the weekdays or clock times, that a normalised text (plain
    characters, lower case) states, as one statement about time; None if it states anything else as
    well, or a date that does not exist.

    "Since 1996" reaches from the first day of 1996 to the end of the year 9999, "until 1996" from
    the year 1 to the last day of 1996; "after" and "before" leave 1996 out. "About" is skipped."""
    try:
        return _build(*_atoms(text))
    except (_NotADateError, ValueError, OverflowError):
        return None


def _atoms(text: str) -> tuple[list[_Atom], list[str], str]:
    """Split a text into atoms (single dates, weekdays or clock times, in text order), the
    separators between them ("and", "to" or "comma", one fewer than atoms), and the word that bounds
    them all ("between", "until", "since", "before", "after" or ""). A word that belongs to no date
    is an error."""
    atoms, separators, bound = [_Atom()], [], ""
    position = 0
    while position < len(text):
        match = time.FORMS["tokens"].match(text, position)
        if not match or match.lastgroup is None:
            raise _NotADateError
        position = match.end()
        name = match.lastgroup
        if name in ("between", "until", "since", "before", "after"):
            if len(atoms) > 1 or atoms[0] != _Atom():
                name = "to" if name in ("until", "before") else "filler"
            elif bound:
                raise _NotADateError
            else:
                bound = name
        if name in ("and", "to", "comma"):
            if atoms[-1] != _Atom():
                atoms.append(_Atom())
                separators.append(name)
            elif separators and separators[-1] == "comma":
                separators[-1] = name
        elif name == "yearly":
            atoms[-1].yearly = True
        elif name in _FIELDS:
            _take(atoms[-1], name, match[name].strip())
    if atoms[-1] == _Atom():
        atoms.pop()
        separators = separators[: max(0, len(atoms) - 1)]
    return *_joined(atoms, separators), bound


def _joined(atoms: list[_Atom], separators: list[str]) -> tuple[list[_Atom], list[str]]:
    """Join neighbouring atoms (single dates) that only a comma separates, if the one completes the
    other: "January 27, 1989", "Monday, 9 January", "7 May, at 4.55". Return the atoms and the
    separators that are left between them."""
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
    """Return one atom for two (single dates) that only a comma separates, if the second is just the
    year or the time of the first, or the first just the weekday of the second, which is dropped;
    None if not."""
    bare_year = second == _Atom(year=second.year, yearly=second.yearly)
    if bare_year and first.year is None and first.month is not None:
        return replace(first, year=second.year)
    if second.clock and not first.clock and not second.dated and second.number is None:
        return replace(first, clock=second.clock)
    weekday = first.weekdays is not None and not first.dated and first.number is None
    return second if weekday and second.dated else None


_FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "ymd": ("days", lambda value: [(day_number(*map(int, re.findall(r"\d+", value)[:3])),) * 2]),
    "dmy": ("days", _numeric_date),
    "clock": ("clock", _clock_time),
    "daypart": ("clock", lambda value: list(time.part_of_day(value))),
    "decade": ("decade", _decade),
    "century": ("century", ordinal),
    "part": ("part", lambda value: time.PARTS[time.FORMS["part_tail"].sub("", value)]),
    "ordinal": ("number", lambda value: ordinal(re.sub(r"(?<=\d)\D+$", "th", value))),
    "month": ("month", lambda value: time.MONTHS[value.strip("./-")]),
    "season": ("season", time.SEASONS.get),
    "weekend": ("weekdays", lambda value: (5, 6)),
    "working": ("weekdays", lambda value: (0, 4)),
    "weekday": ("weekdays", lambda value: (time.WEEKDAYS[value] - 1,) * 2),
    "number": ("number", int),
}  # token -> the field of an atom that it fills, and the function that reads it


def _take(atom: _Atom, name: str, value: str) -> None:
    """Put one token into an atom (a date while it is read), in place. A field that is filled
    already is an error.

    Args:
        atom: it is changed.
        name: of the token, a key of ``_FIELDS`` ("month").
        value: the words of the token ("may").
    """
    field_name, read = _FIELDS[name]
    reading = read(value)
    # "the year 1240"
    if name == "number" and (100 if atom.yearly else _YEARS[0]) <= reading < _YEARS[1]:
        field_name = "year"
    if getattr(atom, field_name) not in (None, []):
        raise _NotADateError
    setattr(atom, field_name, reading)
    if name in ("ymd", "dmy"):
        atom.either = len(reading) > 1
    elif name == "clock":
        atom.either = atom.either or (len(reading) > 1 and not atom.dated)
    if atom.number is not None and atom.month is not None and atom.day is None:
        atom.day, atom.number = atom.number, None


def _build(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    """Return the dates, weekdays or clock times that atoms (single dates) state, as one statement
    about time. Atoms that state none of these, or several kinds of them, are an error."""
    if not atoms or atoms[0] == _Atom():
        raise _NotADateError
    if any(atom.dated for atom in atoms) or any(atom.number is not None for atom in atoms):
        return _dates(atoms, separators, bound)
    if bound not in ("", "between"):
        raise _NotADateError
    if "to" not in separators and all(atom.weekdays for atom in atoms):
        spans = merged([atom.weekdays for atom in atoms if atom.weekdays is not None])
        return Temporal(Kind.WEEKDAY, spans, Granularity.DAY, merged(_only(atoms).clock) or None)
    if all(atom.clock for atom in atoms):
        return _clocks(atoms, separators, bound)
    raise _NotADateError


def _clock(atom: _Atom) -> Temporal:
    """Return the minutes of the day (0 to 1439) that one clock time, or a part of the day ("the
    morning"), may name, as a statement about time: to the minute for a clock time, else to the
    hour."""
    fine = all(high - low < 1 for low, high in atom.clock)
    grain = Granularity.MINUTE if fine else Granularity.HOUR
    spans = merged(atom.clock, step=0 if fine else 1)
    return Temporal(Kind.CLOCK, spans, grain, either=atom.either and len(spans) > 1)


def _clocks(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    """Return the minutes of the day (0 to 1439), as a statement about time, of one clock time, of a
    list of them, or of the range from one to another, which may go past midnight: to the minute for
    clock times and lists, to the hour for a range and for a single part of the day ("the
    morning")."""
    if len(atoms) == 1:
        return _clock(atoms[0])
    if separators != ["to"] and not (bound == "between" and separators == ["and"]):
        spans = merged([span for atom in atoms for span in atom.clock], 0)
        return Temporal(Kind.CLOCK, spans, Granularity.MINUTE)
    if all(atom.either and len(atom.clock) > 1 for atom in atoms):
        length = (atoms[1].clock[0][0] - atoms[0].clock[0][0]) % 720
        ranges = (time.minutes(start, start + length) for start, _ in atoms[0].clock)
        spans = merged([*chain(*ranges)])
        return Temporal(Kind.CLOCK, spans, Granularity.HOUR, either=True)
    high = atoms[1].clock[-1][1] or 1439
    low = min((start for start, _ in atoms[0].clock), key=lambda start: (high - start) % 1440)
    spans = time.minutes(low, high if low <= high else high + 1440)
    return Temporal(Kind.CLOCK, spans, Granularity.HOUR)


def _dates(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    """Return the days of a date, a list or a range of dates, as one statement about time: as days
    of the calendar, or as days of any year if none has a year. It is an error if only some have
    one."""
    _inherit(atoms, separators)
    if len({atom.has_year for atom in atoms}) > 1:
        raise _NotADateError
    kind = Kind.INTERVAL if atoms[0].has_year else Kind.PARTIAL
    read = [_interval(atom) if atom.has_year else _partial(atom) for atom in atoms]
    spans: list[Range] = list(read[0][0])
    for (days, _), separator in zip(read[1:], separators, strict=True):
        if separator == "to" or (bound == "between" and separators == ["and"]):
            low, high = spans.pop()[0], days[-1][1]
            if low > high:  # from December to March, without a year, names no days
                raise _NotADateError
            spans.append((low, high))
        else:
            spans += days
    joined = tuple(sorted(spans)) if _only(atoms).either else merged(spans)
    first, last, low, high = *_AXES[kind], joined[0][0], joined[-1][1]
    bounded = {"until": (first, high), "since": (low, last)}
    bounded |= {"before": (first, max(first, low - 1)), "after": (min(last, high + 1), last)}
    if bound in bounded and "to" not in separators:
        joined = (bounded[bound],)
    grain = min(grain for _, grain in read)
    return Temporal(kind, joined, grain, merged(_only(atoms).clock) or None, _only(atoms).either)


_AXES = {Kind.INTERVAL: (time.FIRST_DAY, time.LAST_DAY), Kind.PARTIAL: (1, 366)}


def _only(atoms: list[_Atom]) -> _Atom:
    """Return the only atom (a single date); an empty one if there are several."""
    return atoms[0] if len(atoms) == 1 else _Atom()


def _inherit(atoms: list[_Atom], separators: list[str]) -> None:
    """Complete atoms (single dates) in place by the month and year that they share with their
    neighbours ("7 and [9 May 1996]"): first with the following one, then with the preceding one."""
    neighbours = list(pairwise(atoms))
    for (atom, right), separator in zip(neighbours[::-1], separators[::-1], strict=True):
        if atom.is_bare and not atom.has_year and right.month:
            atom.turn_to_day(right.month)
        if atom.lacks_year and right.year is not None:
            # "December to March 1996"
            atom.year = right.year - (separator == "to" and atom.in_year[0] > right.in_year[1])
    for before, atom in neighbours:
        _take_from_preceding(atom, before)


def _take_from_preceding(atom: _Atom, left: _Atom) -> None:
    """Complete an atom (a single date) in place by the one before it, ``left``: its bare number
    becomes a later year of that decade or century, or a day of that month; its month or season gets
    that year."""
    whole = left.month is None and left.season is None and left.number is None
    if atom.is_bare and left.year and whole:
        number = atom.number or 0
        size = 10 if number < 10 else 100  # "64" after 1963, or "6" after 1995
        later = left.year - left.year % size + number
        atom.year, atom.number = later if later > left.year else later + size, None
    elif atom.is_bare and left.month and left.day:
        atom.turn_to_day(left.month)
    if atom.lacks_year and left.year:
        atom.year = left.year


_Days = tuple[list[Range], Granularity]  # ranges of days, and how fine they are worded


def _interval(atom: _Atom) -> _Days:
    """Return the days of an atom (a single date) that has a year, as ranges of day numbers (1 is 1
    January of year 1), with their granularity: of a month or a year, its first to its last day. An
    atom without a year, or with a number that is neither day nor year, is an error."""
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
        return _in_month(atom, year, atom.month)
    if atom.season == 4:  # the winters of 1987: December 1986 to March 1988
        return [(day_number(year - 1, 12, 1), day_number(year + 1, 3, 21))], Granularity.SEASON
    if atom.season:  # meteorological or astronomical
        month = 3 * atom.season
        return [(day_number(year, month, 1), day_number(year, month + 3, 23))], Granularity.SEASON
    first, last = atom.part or (0, 12)
    grain = Granularity.SEASON if atom.part else Granularity.YEAR
    days = day_number(year, first + 1, 1), day_number(year, last, monthrange(year, last)[1])
    return [days], grain


def _in_month(atom: _Atom, year: int, month: int) -> _Days:
    """Return the days that an atom (a single date) names in a month, as one range of day numbers,
    with their granularity: the day, the part ("early May"), or the whole month."""
    if atom.day:
        return [(day_number(year, month, atom.day),) * 2], Granularity.DAY
    low, high = (twelfth * 30 // 12 for twelfth in atom.part or (0, 12))
    last = monthrange(year, month)[1] if high == 30 else high
    grain = Granularity.WEEK if atom.part else Granularity.MONTH
    return [(day_number(year, month, low + 1), day_number(year, month, last))], grain


_OF_YEARS = {
    10: (Granularity.DECADE, Granularity.YEARS, math.ceil),
    100: (Granularity.CENTURY, Granularity.DECADES, math.floor),
}  # number of years -> its grain, the grain of a part of it, and how the part's ends are rounded


def _years(first: int, length: int, part: tuple[int, int] | None) -> _Days:
    """Return the days of a decade or century, or of a part of it, as one range of day numbers, with
    their granularity. Thirds of a decade are 4, 3 and 3 years.

    Args:
        first: its first year.
        length: 10 or 100 years.
        part: the part's beginning and end in twelfths of the whole; None for all of it.
    """
    whole, of_part, cut = _OF_YEARS[length]
    start, end = (first + cut(twelfth * length / 12) for twelfth in part or (0, 12))
    return [(day_number(start, 1, 1), day_number(end - 1, 12, 31))], of_part if part else whole


def _partial(atom: _Atom) -> _Days:
    """Return the days of the year (ranges of 1 to 366, as in a leap year) that an atom (a single
    date) without a year names, with their granularity; an atom that names none is an error."""
    if atom.days or not (atom.month or atom.season or (atom.part and atom.yearly)):
        raise _NotADateError
    days, grain = _interval(replace(atom, year=2000, weekdays=None))
    if atom.season == 4 and not atom.month:
        return [(1, 81), (336, 366)], grain  # to 21 March, from 1 December
    return [(low - time.BEFORE_2000, high - time.BEFORE_2000) for low, high in days], grain
