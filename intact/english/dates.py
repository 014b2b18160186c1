"""Texts to statements about time, and whether one contains the other.

The parsers read what documents hold and every phrase that the generators write. A text must be
understood whole, else it is None: nothing is concluded from half a date.
"""

from __future__ import annotations

import re
from functools import lru_cache

from intact.english.calendars import days_of, parse_calendar
from intact.english.durations import (
    parse_age,
    parse_anything,
    parse_duration,
    parse_every,
    parse_relative,
)
from intact.english.numerals import normalised
from intact.english.temporal import Granularity, Kind, Temporal, same

__all__ = ["Granularity", "Kind", "Temporal", "canonical", "parse_temporal", "same"]

_READERS = (
    parse_calendar,
    parse_anything,
    parse_age,
    parse_duration,
    parse_every,
    parse_relative,
)
_LONGEST = 200  # characters; no date is longer


def parse_temporal(text: str) -> Temporal | None:
    """What ``text`` says about time, or None if it is not, as a whole, such a statement."""
    if len(text) > _LONGEST:
        return None
    return _parse(normalised(text).strip(" ,;:"))


_HOURS_OR_TIME = re.compile(r"(?:1\d|2[0-3])00\s?(?:hours|hrs)")


@lru_cache(maxsize=65536)
def _parse(text: str) -> Temporal | None:
    if not text or _HOURS_OR_TIME.fullmatch(text):  # "1500 hours": a time of the day or a length
        return None
    for reader in _READERS:
        found = reader(text)
        if found is not None:
            return found
    return None


def canonical(temporal: Temporal) -> str:
    """A canonical form that can be compared: "interval:1996-05-01/1996-05-31", "duration:30/60".

    Dates are written as days, everything else as numbers on the axis of its kind; several ranges
    are joined by commas.
    """
    if temporal.kind is Kind.INTERVAL:
        spans = ",".join(f"{low}/{high}" for low, high in days_of(temporal.spans))
    else:
        spans = ",".join(f"{low:g}/{high:g}" for low, high in temporal.spans)
    return f"{temporal.kind}:{spans}"
