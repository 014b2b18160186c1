"""What a date, a time, an age or a duration says: ranges on the axis of its kind.

Every kind has one axis, and a statement is a set of inclusive ranges on it:

======== ============================================= =========================
kind     axis                                          example
======== ============================================= =========================
interval proleptic Gregorian day number (date.toordinal) "May 1996": its 31 days
partial  day of a leap year, 1 to 366 (no year said)   "17 August", "the summer"
clock    minute of the day, 0 to 1439                  "8.45 pm", "the morning"
weekday  0 (Monday) to 6                               "Friday", "the weekend"
monthday day of a month, 1 to 31                       "the 4th"
age      completed years                               "aged 34"
duration days (a month is a twelfth of 365.2425 days)  "two years and six months"
relative days after something else, negative before    "the following day"
every    days between two events                       "every three months"
any      none: holds everything                        "a certain date"
======== ============================================= =========================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from enum import IntEnum, StrEnum

Range = tuple[float, float]
Ranges = tuple[Range, ...]

DAYS_A_YEAR = 365.2425
DAYS_A_MONTH = DAYS_A_YEAR / 12
RECENTLY = 62.0
"""Within so many days lie "yesterday", "last week" and "next month"."""
_SLACK = 1e-6  # days; conversions between units are not exact


class Kind(StrEnum):
    """What sort of statement it is, which is also its axis."""

    INTERVAL = "interval"
    PARTIAL = "partial"
    CLOCK = "clock"
    WEEKDAY = "weekday"
    MONTH_DAY = "monthday"
    AGE = "age"
    DURATION = "duration"
    RELATIVE = "relative"
    EVERY = "every"
    ANY = "any"


class Granularity(IntEnum):
    """How fine a statement is; larger is coarser."""

    SECOND = 0
    MINUTE = 1
    HOUR = 2
    DAY = 3
    WEEK = 4
    MONTH = 5
    SEASON = 6  # any part of a year: season, quarter, third, half
    YEAR = 7
    YEARS = 8  # a part of a decade, or a few years
    DECADE = 9
    DECADES = 10  # a part of a century
    CENTURY = 11


DAYS: dict[Granularity, float] = {
    Granularity.SECOND: 1 / 86400,
    Granularity.MINUTE: 1 / 1440,
    Granularity.HOUR: 1 / 24,
    Granularity.DAY: 1.0,
    Granularity.WEEK: 7.0,
    Granularity.MONTH: DAYS_A_MONTH,
    Granularity.SEASON: DAYS_A_YEAR / 4,
    Granularity.YEAR: DAYS_A_YEAR,
    Granularity.YEARS: DAYS_A_YEAR * 3,
    Granularity.DECADE: DAYS_A_YEAR * 10,
    Granularity.DECADES: DAYS_A_YEAR * 33,
    Granularity.CENTURY: DAYS_A_YEAR * 100,
}
"""Length of one unit of each granularity, in days."""


@dataclass(frozen=True, slots=True)
class Temporal:
    """A statement about time.

    Attributes:
        kind: its kind, and thereby the axis of ``spans``.
        spans: what it holds, ascending, not overlapping, ends inclusive; may be unbounded.
        granularity: how fine it is worded ("17 May 1996": DAY).
        clock: minutes of the day it is bound to besides ("Friday evening"), or None.
        either: True if the spans are rival readings of an ambiguous notation ("01/05/1996")
            rather than several dates.
    """

    kind: Kind
    spans: Ranges
    granularity: Granularity
    clock: Ranges | None = None
    either: bool = False

    def contains(self, other: Temporal) -> bool | None:
        """Whether all that ``other`` may mean lies inside this; None if they do not compare.

        A statement without a year holds the matching days of every year, so "August"
        contains "17 August 1996"; the reverse does not compare.
        """
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
        """How many equally likely values of granularity ``of`` it holds, at least 1.

        "May 1996" holds 31 days and 1 month. An unbounded side counts as ten times the other,
        and "a certain date" as a million.
        """
        if self.kind is Kind.ANY:
            return 1_000_000
        if self.kind in (Kind.WEEKDAY, Kind.MONTH_DAY, Kind.AGE):
            return max(1, sum(int(_bounded(low, high) - low) + 1 for low, high in self.spans))
        if self.kind is Kind.CLOCK:
            minutes = sum(high - low + 1 for low, high in self.spans)
            return max(1, round(minutes * DAYS[Granularity.MINUTE] / DAYS[of]))
        if self.kind is Kind.INTERVAL and of is Granularity.MONTH:
            return len({key for span in self.spans for key in _months(span)})
        if self.kind is Kind.INTERVAL and of is Granularity.YEAR:
            return len({key for span in self.spans for key in _years(span)})
        size = DAYS[of]
        if self.kind in (Kind.INTERVAL, Kind.PARTIAL):
            return max(1, round(sum(high - low + 1 for low, high in self.spans) / size))
        return max(
            1,
            sum(
                math.floor(_bounded(low, high) / size + _SLACK)
                - math.ceil(_bounded(high, low) / size - _SLACK)
                + 1
                for low, high in self.spans
            ),
        )

    def same(self, other: Temporal) -> bool:
        """Whether both say the same in whatever notation."""
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
        """A form that can be compared: "interval:1996-05-01/1996-05-31", "duration:30/60".

        Dates are written as days, everything else as numbers on the axis of its kind; several
        ranges are joined by commas.
        """
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
    """``spans`` ascending, those that overlap or lie within ``step`` of each other joined.

    Args:
        spans: in any order.
        step: the distance of neighbours that leave no gap, 1 for whole numbers.
    """
    joined: list[Range] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1] + step:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def leap_day(month: int, day: int) -> int:
    """Day of a leap year, 1 to 366.

    Args:
        month: 1 to 12.
        day: of the month, from 1.
    """
    return date(2000, month, day).timetuple().tm_yday


def year_days(spans: Ranges) -> Ranges:
    """Days of the year that ranges of day numbers touch."""
    days: list[Range] = []
    for low, high in spans:
        if high - low >= 365:
            return ((1, 366),)
        first, last = (date.fromordinal(int(end)) for end in (low, high))
        start, end = (leap_day(day.month, day.day) for day in (first, last))
        days += [(start, end)] if start <= end else [(1, end), (start, 366)]
    return merged(days)


def _inside(inner: Ranges, outer: Ranges) -> bool:
    return all(
        any(low - _SLACK <= a and b <= high + _SLACK for low, high in outer) for a, b in inner
    )


def _bounded(near: float, far: float) -> float:
    """``far``, or where it is infinite ten times ``near``."""
    if math.isfinite(far):
        return far
    near = near if math.isfinite(near) else 0.0
    return math.copysign(max(abs(near) * 10, 3650.0), far)


def _months(span: Range) -> range:
    first, last = (date.fromordinal(int(end)) for end in span)
    return range(first.year * 12 + first.month, last.year * 12 + last.month + 1)


def _years(span: Range) -> range:
    first, last = (date.fromordinal(int(end)).year for end in span)
    return range(first, last + 1)
