"""How many equally likely originals a phrase about time or number leaves, and a few of them.

An attacker who reads "May 1996" knows that dates in documents are mostly full days, so 31 are
left. What matters is the granularity that the original may have had, not that of the phrase.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from intact.english.quantities import Quantity, QuantityKind
from intact.english.time import DAYS, Granularity, Kind, Temporal

_QUARTER_HOUR = 15
_MONTH_DAYS = 31
_YEAR_DAYS = 366
_OPEN = 1000  # values that a range without an end leaves


@dataclass(frozen=True, slots=True)
class Spread:
    """Equally likely originals.

    Attributes:
        count: how many there are, at least 1.
        samples: some of them, evenly drawn, as they may have been written.
    """

    count: int
    samples: tuple[str, ...] = ()


def spread(phrase: Temporal, samples: int = 5) -> Spread:
    """The originals that ``phrase`` leaves.

    A date within a month, or within a year told as a whole, was a day; within a part of a year,
    a month; within more than a year, a year. A range told by the months or years of its ends
    had two days or two months. A time of day was a quarter of an hour; everything else was of
    the unit that the phrase itself uses.
    """
    if phrase.kind in (Kind.INTERVAL, Kind.PARTIAL):
        return _calendar(phrase, samples)
    if phrase.kind is Kind.CLOCK:
        return Spread(max(1, phrase.values(Granularity.MINUTE) // _QUARTER_HOUR))
    return Spread(phrase.values(phrase.granularity))


def _calendar(phrase: Temporal, samples: int) -> Spread:
    days = phrase.values(Granularity.DAY)
    if days <= _MONTH_DAYS:
        return Spread(days, _days(phrase, samples))
    if phrase.granularity <= Granularity.MONTH:
        return Spread(_MONTH_DAYS**2)
    if days < _YEAR_DAYS - 1:
        return Spread(phrase.values(Granularity.MONTH), _months(phrase, samples))
    if days <= _YEAR_DAYS:
        return Spread(days, _days(phrase, samples))
    if phrase.granularity is Granularity.YEAR:
        return Spread(12**2)
    return Spread(phrase.values(Granularity.YEAR), _years(phrase, samples))


def _days(phrase: Temporal, samples: int) -> tuple[str, ...]:
    return tuple(f"{day.day} {day:%B %Y}" for day in _points(phrase, samples))


def _months(phrase: Temporal, samples: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{day:%B %Y}" for day in _points(phrase, samples)))


def _years(phrase: Temporal, samples: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(day.year) for day in _points(phrase, samples)))


def _points(phrase: Temporal, samples: int) -> list[date]:
    """Days at even distances over the whole phrase."""
    if phrase.kind is not Kind.INTERVAL:
        return []
    size = phrase.last - phrase.first + 1
    count = min(samples, int(size))
    step = size / count
    return [date.fromordinal(int(phrase.first + step * (i + 0.5))) for i in range(count)]


def is_narrow(phrase: Temporal) -> bool:
    """Whether a date that stands elsewhere in the text is a clue: within a decade at most."""
    return phrase.kind is Kind.INTERVAL and phrase.last - phrase.first <= DAYS[Granularity.DECADE]


def quantity_spread(phrase: Quantity) -> Spread:
    """The originals that a range of numbers leaves.

    Counts and ordinals are whole numbers, shares whole percentages, sums and measures are told
    to two digits of the least value.
    """
    scale = 100.0 if phrase.kind is QuantityKind.SHARE else 1.0 / phrase.factor
    return Spread(math.prod(_values(low * scale, high * scale) for low, high in phrase.ranges))


def _values(low: float, high: float) -> int:
    if math.isinf(high):
        return _OPEN
    least = low if low > 0 else high / 10
    digits = math.floor(math.log10(least)) if least > 0 else 0
    step = max(1.0, 10.0 ** (digits - 1))
    return max(1, math.floor((high - low) / step + 1e-6) + 1)
