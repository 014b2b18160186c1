"""The meaning of dates, times, ages and durations: inclusive ranges on the axis of their kind."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass
from datetime import date
from enum import IntEnum, StrEnum
from itertools import chain

from intact.english import numbers
from intact.english.vocabulary import either, read_patterns, vocabulary

Ranges = tuple[numbers.Range, ...]

DAYS_A_YEAR = 365.2425
DAYS_A_MONTH = DAYS_A_YEAR / 12
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
    ANY = "any"  # no axis, it contains everything: "a certain date"


Days = Set[tuple[Kind, float]]  # days of the calendar, or of any year (PARTIAL)


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
# The length of one unit of each granularity, in days.
DAYS = dict(
    zip(Granularity, (1 / 86400, 1 / 1440, 1 / 24, 1.0, 7.0, DAYS_A_MONTH, *_YEARS), strict=True)
)


@dataclass(frozen=True, slots=True)
class Temporal:
    """A statement about time."""

    kind: Kind  # its kind, and thereby the axis of spans
    spans: Ranges  # what it contains, ascending, not overlapping, ends inclusive; may be unbounded
    granularity: Granularity  # how fine it is worded ("17 May 1996": DAY)
    clock: Ranges | None = None  # minutes of the day it is bound to besides: "Friday evening"
    either: bool = False  # whether the spans are rival readings: "01/05/1996"

    def contains(self, other: Temporal) -> bool | None:
        """Tell whether everything that another statement may mean lies within this one; None if
        they do not compare, as those of different kinds do not. But "August" contains "17 August
        1996" (the reverse does not compare), and "a certain date" contains everything. False if
        this one is bound to a time of day and the other is not, or reaches beyond it."""
        if self.clock is not None and (other.clock is None or not _inside(other.clock, self.clock)):
            return False
        if self.kind is Kind.ANY:
            return True
        if self.kind is other.kind:
            return _inside(other.spans, self.spans)
        if self.kind is Kind.PARTIAL and other.kind is Kind.INTERVAL:
            return _inside(year_days(other.spans), self.spans)
        return None

    def values(self, of: Granularity) -> int:
        """Return the number of equally likely values of a granularity that the statement contains,
        at least 1: for days, "May 1996" contains 31. Calendar months and years count if any of
        their days is in it, other units by the total length, rounded; of a length or distance,
        whole numbers of units count ("two to four years": 3, for years). Weekdays, days of a month
        and ages (in years) are counted by themselves, whatever the granularity. An unbounded side
        of a length or distance counts as ten times the other end, and as 3,650 days at least; "a
        certain date" as a million."""
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
        ends = (
            (_bounded(high, low) / size, _bounded(low, high) / size) for low, high in self.spans
        )
        held = (math.floor(last + _SLACK) - math.ceil(first - _SLACK) + 1 for first, last in ends)
        return max(1, sum(held))

    def same(self, other: Temporal) -> bool:
        """Tell whether both say the same, in whatever notation. If one has rival readings, one of
        them has to match."""
        if self.kind is not other.kind or self.clock != other.clock:
            return False
        if self.either or other.either:
            return any(span in other.spans for span in self.spans)
        own, others = chain(*self.spans), chain(*other.spans)
        alike = (math.isclose(a, b, abs_tol=_SLACK) for a, b in zip(own, others, strict=False))
        return len(self.spans) == len(other.spans) and all(alike)

    def canonical(self) -> str:
        """Return a text that is equal for equal statements, with the kind and each range as
        "first/last", joined by commas, but no time of day: "interval:1996-05-01/1996-05-31",
        "duration:30/60"; an open end is "inf" or "-inf"."""
        dated = self.kind is Kind.INTERVAL
        write = (lambda end: str(date.fromordinal(int(end)))) if dated else "{:g}".format
        return f"{self.kind}:{','.join('/'.join(map(write, span)) for span in self.spans)}"

    def days(self, *, yearless: bool = False) -> Days:
        """Return the set of (kind, number) for the first and the last day of each range of the
        statement, numbered on the axis of its kind; empty unless it is worded by days.

        Args:
            yearless: whether to add the days of the calendar as days of any year (PARTIAL, 1 to
                366).
        """
        if self.granularity is not Granularity.DAY:
            return set()
        ends = {(self.kind, end) for span in self.spans for end in span}
        of_year = year_days(self.spans) if yearless and self.kind is Kind.INTERVAL else ()
        return ends | {(Kind.PARTIAL, end) for span in of_year for end in span}

    @property
    def first(self) -> float:
        """Return the least value that the statement contains, on the axis of its kind; it may be
        -inf."""
        return self.spans[0][0]

    @property
    def last(self) -> float:
        """Return the greatest value that the statement contains, on the axis of its kind; it may be
        inf."""
        return self.spans[-1][1]


def merged(spans: list[numbers.Range], step: float = 1.0) -> Ranges:
    """Return ranges in ascending order, those that overlap or lie close to each other joined into
    one.

    Args:
        spans: inclusive ranges in any order.
        step: how far apart two ranges may lie to be joined; 1 for neighbouring days, 0 if they must
            touch.
    """
    joined: list[numbers.Range] = []
    for low, high in sorted(spans):
        near = joined and low <= joined[-1][1] + step
        joined.append((joined[-1][0], max(high, joined.pop()[1])) if near else (low, high))
    return tuple(joined)


def year_days(spans: Ranges) -> Ranges:
    """Return the days of the year that ranges of day numbers touch, as ranges of 1 to 366,
    ascending; days count as in a leap year, so that 1 March is always 61."""
    days: list[numbers.Range] = []
    for low, high in spans:
        if high - low >= 365:
            return ((1, 366),)
        ends = (date.fromordinal(int(end)).replace(year=2000) for end in (low, high))
        start, end = (day.toordinal() - BEFORE_2000 for day in ends)
        days += [(start, end)] if start <= end else [(1, end), (start, 366)]
    return merged(days)


def _inside(inner: Ranges, outer: Ranges) -> bool:
    """Tell whether each range of ``inner`` lies in one of ``outer``, but for errors of rounding."""
    return all(
        any(low - _SLACK <= a and b <= high + _SLACK for low, high in outer) for a, b in inner
    )


def _bounded(near: float, far: float) -> float:
    """Return the end ``far`` of a range; if it is infinite, instead ten times the other end, and
    3,650 at least, with the sign of ``far``."""
    if math.isfinite(far):
        return far
    near = near if math.isfinite(near) else 0.0
    return math.copysign(max(abs(near) * 10, 3650.0), far)


def _periods(span: numbers.Range, of: Granularity) -> range:
    """Return the numbers of the calendar months or years that a range of days touches: a year by
    itself, a month as 12 times its year plus 1 to 12."""
    days = (date.fromordinal(int(end)) for end in span)
    yearly = of is Granularity.YEAR
    first, last = (day.year if yearly else day.year * 12 + day.month for day in days)
    return range(first, last + 1)


def _table(text: str) -> dict[str, int]:
    """Map each word to its place in its line, from 1; words with accents also without them."""
    words: dict[str, int] = {}
    for line in text.strip().splitlines():
        for index, word in enumerate(line.split(), start=1):
            apart = unicodedata.normalize("NFD", word)
            words.setdefault(word, index)
            words.setdefault("".join(c for c in apart if not unicodedata.combining(c)), index)
    return words


_WORDS = vocabulary("time")
MONTHS = _table(_WORDS["months"])  # months in many languages, in lower case -> 1 to 12
# January to December.
MONTH_NAMES = tuple(word.capitalize() for word in _WORDS["months"].split()[:12])
# Monday to Sunday.
WEEKDAY_NAMES = tuple(word.capitalize() for word in _WORDS["weekdays"].split()[:7])
WEEKDAYS = _table(_WORDS["weekdays"])  # names of weekdays -> 1 (Monday) to 7
SEASONS = _table(_WORDS["seasons"])  # names of seasons -> 1 (spring) to 4
PARTS: dict[str, list[int]] = _WORDS["parts"]
DAY_PARTS: dict[str, list[int]] = _WORDS["day_parts"]

FIRST_DAY = date.min.toordinal()
LAST_DAY = date.max.toordinal()
BEFORE_2000 = date(1999, 12, 31).toordinal()  # days without a year are counted as those of 2000


def day_number(year: int, month: int, day: int) -> int:
    """Return the number of a day of the proleptic Gregorian calendar; 1 January of the year 1 is 1.

    Args:
        year: 1 to 9999.
        month: 1 to 12.
        day: of the month, from 1.

    Raises:
        ValueError: if there is no such day.
    """
    return date(year, month, day).toordinal()


def part_of_day(name: str) -> Ranges:
    """Return the minutes (0 to 1439) of a part of the day ("morning": 0 to 720) as inclusive
    ranges; the night is two. A name that is no key of ``DAY_PARTS`` is a ``KeyError``."""
    return minutes(*DAY_PARTS[name])


def minutes(low: float, high: float) -> Ranges:
    """Return a range of minutes of the day as one inclusive range, or as two if it goes on past
    midnight.

    Args:
        low: the first minute, 0 to 1439.
        high: the last one; 1440 and more is past midnight.
    """
    return ((low, high),) if high < 1440 else ((0, high - 1440), (low, 1439))


_NO_UNITS = (Granularity.SEASON, Granularity.YEARS, Granularity.DECADES)
# Units of time by their names in the singular.
UNITS = {each.name.lower(): each for each in Granularity if each not in _NO_UNITS}

_ABOUT = r"(?:(?:about|around|approximately|almost|nearly|roughly|some|exactly|just)\s)?"
MIDDLE_AGE, MIDDLE_AGED = "in middle age", "middle-aged"
_TENS = numbers.TENS_PLURAL | {"teens": 10}
_Length = tuple[numbers.Range, Granularity]  # a range of days, and the finest unit named
_SOME_TIME = ("", "n", "soon", "shortly", "a little", "little", "some time", "not long", "much")


def parse_duration(text: str) -> Temporal | None:
    """Return a length of time, as a range of days, from a normalised text in lower case ("3-5
    days"); None unless all of the text is one. "More than two years" is 730.485 to infinity, "less
    than two years" 0 to 730.485, "about two years" exactly two."""
    length = _length(text)
    return None if length is None else Temporal(Kind.DURATION, (length[0],), length[1])


def parse_age(text: str) -> Temporal | None:
    """Return an age, as a range of completed years, from a normalised text in lower case ("aged
    34", "34-year-old", "in his thirties": 30 to 39); None unless all of the text is one, as "34" is
    not. "Aged over 50" is 51 to 150, "aged about 50" exactly 50."""
    years = _years_of_age(text)
    return None if years is None else Temporal(Kind.AGE, (years,), Granularity.YEAR)


def _years_of_age(text: str) -> numbers.Range | None:
    """Return the range of completed years that a statement of an age leaves open, both ends
    included: (30, 33) for "in his early thirties"; None unless all of the text is one."""
    if text in (MIDDLE_AGE, MIDDLE_AGED):
        return 40, 59
    decade = FORMS["decade_of_life"].fullmatch(text)
    if decade and text not in _TENS:
        low = _TENS.get(decade["tens"]) or int(decade["tens"][:2])
        first, last = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}.get(decade["part"], (0, 9))
        return low + first, low + last
    baby = FORMS["baby"].fullmatch(text)
    if baby and (count := numbers.number(baby["count"])) is not None:
        years = count // {"month": 12, "week": 52, "day": 365}[baby["unit"]]
        return years, years
    match = FORMS["age"].fullmatch(text)
    if not match:
        return None
    return _count_range(match["named"] or match["old"] or f"{match['side']} {match['limit']}")


# (pattern, phrase): times that cannot be placed, and what is said of them.
UNPLACED: list[tuple[str, str]] = _WORDS["unplaced"]["said"]
_PIECES = {
    "number": rf"(?:{numbers.DIGITS}|{numbers.WORDS}|an?)",
    "tens": "|".join(_TENS),
    "unplaced": "|".join(said for _, said in UNPLACED),
    "ordinalwords": (
        rf"(?:twenty-|thirty-)?(?:{'|'.join(numbers.ORDINALS[:9])})|{'|'.join(numbers.ORDINALS[9:21])}"
    ),
    "tensplural": either(numbers.TENS_PLURAL),
    "months": either(MONTHS),
    "seasons": either(SEASONS),
    "weekdays": either(WEEKDAYS),
}
FORMS = read_patterns("time", _PIECES)  # the forms of dates, ages and durations, by name


def _anything(text: str) -> Temporal | None:
    """Return the statement that contains every date or duration for a phrase that says no more ("a
    certain date", "a period of time"); None for any other text."""
    match = FORMS["anything"].fullmatch(text)
    if not match:
        return None
    clock = part_of_day(match["part"]) if match["part"] else None
    return Temporal(Kind.ANY, ((-math.inf, math.inf),), Granularity.CENTURY, clock)


def _next(text: str) -> Temporal | None:
    """Return the range of days after another time, negative before it, that "the following day" (1
    to 1), "the next month" (0 to two months) or "the previous years" (from -infinity) leaves open;
    for a set phrase, what its table says ("a later date", or the days of a month for "a day early
    in the month"); None for any other text."""
    known = _WORDS["set_phrases"].get(text.removeprefix("on ").removeprefix("at "))
    if known is not None:
        return Temporal(Kind(known[0]), ((known[1], known[2]),), Granularity.DAY)
    match = FORMS["next"].fullmatch(text)
    if not match:
        return None
    clock = part_of_day(match["what"]) if match["what"] in DAY_PARTS else None
    grain = _unit(match["unit"]) if match["unit"] else Granularity.DAY
    size = DAYS[grain]
    step = {"same": 0, "previous": -1, "preceding": -1, "last": -1}.get(match["way"], 1)
    if match["weekday"] and step:
        span = (-14.0, -1.0) if step < 0 else (1.0, 14.0)
    elif match["unit"] and match["unit"].endswith("s") and step:  # "the previous years"
        span = (size, math.inf) if step > 0 else (-math.inf, -size)
    elif grain <= Granularity.DAY:
        span = (step * size, step * size)
    else:  # the next month begins after up to one month and ends after up to two
        span = ((step - 1) * size, (step + 1) * size)
    return Temporal(Kind.RELATIVE, (span,), grain, clock)


def _offset(text: str) -> Temporal | None:
    """Return the range of days after another time, negative before it, of "two months later" or "a
    year before"; from 0 on without end for "soon afterwards" and the like; None for any other
    text."""
    match = FORMS["later"].fullmatch(text)
    if not match:
        return None
    way = -1 if match["way"][:2] in ("ea", "be", "pr", "ag") else 1
    what = match["what"].strip().removeprefix("at a").removeprefix("some time").strip()
    length = ((0.0, math.inf), Granularity.DAY) if what in _SOME_TIME else _length(what)
    if length is None:
        return None
    low, high = sorted(way * end for end in length[0])
    return Temporal(Kind.RELATIVE, ((low, high),), length[1])


def _nth(text: str) -> Temporal | None:
    """Return the range of days after the first one of "the fourth or fifth day": 3 to 4; None for
    any other text."""
    match = FORMS["nth"].fullmatch(text)
    low = numbers.ordinal(match["nth"]) if match else None
    high = numbers.ordinal(match["or"] or match["nth"]) if match else None
    if match is None or low is None or high is None:
        return None
    grain = _unit(match["unit"])
    size = DAYS[grain]
    return Temporal(Kind.RELATIVE, (((low - 1) * size, (high - 1) * size),), grain)


def _length(text: str) -> _Length | None:
    """Return the range of days of a length of time, both ends included and possibly infinite, and
    the finest unit named: ((14, 14), WEEK) for "two weeks"; None unless the text, as a whole, is a
    length. "About" before a length is skipped."""
    text = FORMS["tail"].sub("", text.strip()).rstrip("'")
    between = FORMS["between"].fullmatch(text)
    if between:
        high, unit = _length(between["high"]), FORMS["unit_end"].search(between["high"])
        low = _length(between["low"]) or (unit and _length(f"{between['low']} {unit[0]}"))
        if low is None or high is None or low[0][0] > high[0][1]:
            return None
        return (low[0][0], high[0][1]), min(low[1], high[1])
    bound = FORMS["more"].match(text)
    if bound is None:
        return _sum(text) or _sum(re.sub(rf"^{_ABOUT}", "", text))
    length = _sum(text[bound.end() :])
    if length is None:
        return None
    return (length[0][0], math.inf) if bound["more"] else (0.0, length[0][1]), length[1]


def _sum(text: str) -> _Length | None:
    """Return the sum of terms in days, as a range, and the finest unit named: "two years, six
    months and three days"; None if one of them cannot be read."""
    low = high = 0.0
    grain, position = Granularity.CENTURY, 0
    while True:
        match = FORMS["term"].match(text, position)
        span = _term(match) if match else None
        if match is None or span is None:
            return None
        unit = _unit(match["unit"])
        size = DAYS[unit] * (2 if match["unit"].startswith("fortnight") else 1)
        low, high, grain = low + span[0] * size, high + span[1] * size, min(grain, unit)
        position = match.end()
        if position == len(text):
            return (low, high), grain
        join = FORMS["join"].match(text, position)
        if not join:
            return None
        position = join.end()


def _term(match: re.Match[str]) -> numbers.Range | None:
    """Return the number of one term of a length of time, without its unit, as a range: (2.5, 2.5)
    for "two and a half", a wider one for "several"; None if it cannot be read."""
    half = 0.5 if match["half"] or match["later_half"] else 0.0
    if match["vague"]:
        return numbers.VAGUE[match["vague"]]
    one = match["one"] or f"{match['low']}-{match['high']}"  # "twenty-five" is one number
    value = None if one[0].isdigit() and not match["one"] else numbers.number(one)
    if value is not None or match["one"]:
        return None if value is None else (value + half, value + half)
    low, high = numbers.number(match["low"]), numbers.number(match["high"])
    return None if low is None or high is None or low > high else (low, high)


def _unit(word: str) -> Granularity:
    """Return the unit of time that a word names, in the singular or plural, in full or short
    ("yrs"); a word that is no unit is a ``KeyError``."""
    word = word.removesuffix("s")
    return UNITS[_WORDS["aliases"].get(word, word)]


def _count_range(text: str) -> numbers.Range | None:
    """Return the range of completed years that a number or range leaves open, both ends included:
    (34, 34) for "34" and "about 34", (30, 39) for "between 30 and 39", (51, 150) for "over 50";
    None unless all of the text is one."""
    text = re.sub(r"(?<!hundred) and ", " to ", text.replace("before the age of", "under"))
    amount = numbers.whole_amount(text.strip(), " -")
    if amount is None:
        return None
    low, high = amount
    return math.floor(low) if low == high else math.ceil(low), math.floor(min(high, 150))


# Of all forms but dates of the calendar, in the order in which they are tried; those of ``_next``,
# ``_offset`` and ``_nth`` are in days after another time.
READERS = (_anything, parse_age, parse_duration, _next, _offset, _nth)
