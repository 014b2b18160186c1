"""How many equally likely originals a phrase about time or number leaves, and a few of them.

An attacker who reads "May 1996" knows that dates in documents are mostly full days, so 31 are
left. What matters is the granularity that the original may have had, not that of the phrase.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from intact.english.quantities import Quantity, QuantityKind
from intact.english.scan import Value
from intact.english.time import DAYS, Granularity, Kind, Temporal

_QUARTER_HOUR = 15
_MONTH_DAYS = 31
_YEAR_DAYS = 366
_OPEN = 1000  # values that a range without an end leaves


@dataclass(frozen=True, slots=True)
class EquallyLikely:
    """Equally likely originals.

    Attributes:
        count: how many there are, at least 1.
        samples: some of them, evenly drawn, as they may have been written.
    """

    count: int
    samples: tuple[str, ...] = ()


def equally_likely(phrase: Value, samples: int = 5) -> EquallyLikely:
    """The originals that ``phrase`` leaves.

    A date within a month, or within a year told as a whole, was a day; within a part of a year,
    a month; within more than a year, a year. A range told by the months or years of its ends
    had two days or two months. A time of day was a quarter of an hour. Counts and ordinals are
    whole numbers, shares whole percentages, sums and measures are told to two digits of the
    least value. Everything else was of the unit that the phrase itself uses.

    Args:
        phrase: a time or an amount.
        samples: how many originals to write out at most.
    """
    if isinstance(phrase, Quantity):
        scale = 100.0 if phrase.kind is QuantityKind.SHARE else 1.0 / phrase.factor
        ranges = (_two_digit_values(low * scale, high * scale) for low, high in phrase.ranges)
        return EquallyLikely(math.prod(ranges))
    if phrase.kind is Kind.CLOCK:
        return EquallyLikely(max(1, phrase.values(Granularity.MINUTE) // _QUARTER_HOUR))
    if phrase.kind not in (Kind.INTERVAL, Kind.PARTIAL):
        return EquallyLikely(phrase.values(phrase.granularity))
    days = phrase.values(Granularity.DAY)
    if days > _MONTH_DAYS and phrase.granularity <= Granularity.MONTH:
        return EquallyLikely(_MONTH_DAYS**2)
    if days <= _MONTH_DAYS or _YEAR_DAYS - 1 <= days <= _YEAR_DAYS:
        return EquallyLikely(days, _written(phrase, samples, "{0.day} {0:%B %Y}"))
    if days < _YEAR_DAYS:
        return EquallyLikely(
            phrase.values(Granularity.MONTH), _written(phrase, samples, "{0:%B %Y}")
        )
    if phrase.granularity is Granularity.YEAR:
        return EquallyLikely(12**2)
    return EquallyLikely(phrase.values(Granularity.YEAR), _written(phrase, samples, "{0.year}"))


def _written(phrase: Temporal, samples: int, form: str) -> tuple[str, ...]:
    """Days at even distances over the whole phrase, written as originals may have been."""
    if phrase.kind is not Kind.INTERVAL:
        return ()
    size = phrase.last - phrase.first + 1
    count = min(samples, int(size))
    step = size / count
    days = (date.fromordinal(int(phrase.first + step * (i + 0.5))) for i in range(count))
    return tuple(dict.fromkeys(form.format(day) for day in days))


def is_narrow(phrase: Temporal) -> bool:
    """Whether a date that stands elsewhere in the text is a clue: within a decade at most."""
    return phrase.kind is Kind.INTERVAL and phrase.last - phrase.first <= DAYS[Granularity.DECADE]


def _two_digit_values(low: float, high: float) -> int:
    """How many values of two digits lie between ``low`` and ``high``."""
    if math.isinf(high):
        return _OPEN
    least = low if low > 0 else high / 10
    digits = math.floor(math.log10(least)) if least > 0 else 0
    step = max(1.0, 10.0 ** (digits - 1))
    return max(1, math.floor((high - low) / step + 1e-6) + 1)
