"""Texts to values: what a phrase says of time or of how much, and whether one holds another.

The parsers read what documents hold and every phrase that the generators write. A phrase must be
understood whole, else it is None: nothing is concluded from half a date.
"""

from __future__ import annotations

import re
from functools import lru_cache

from intact.english.calendar import parse_calendar
from intact.english.durations import (
    parse_age,
    parse_anything,
    parse_duration,
    parse_every,
    parse_relative,
)
from intact.english.numbers import normalised
from intact.english.quantities import Quantity, parse_quantity
from intact.english.time import Temporal

Value = Temporal | Quantity
"""What can be read: both have ``contains``, ``same`` and ``canonical``."""

_READERS = (
    parse_calendar,
    parse_anything,
    parse_age,
    parse_duration,
    parse_every,
    parse_relative,
)
_LONGEST = 200  # characters; no date is longer
_HOURS_OR_TIME = re.compile(r"(?:1\d|2[0-3])00\s?(?:hours|hrs)")


def parse(text: str) -> Value | None:
    """What ``text`` says, as a whole, of time or else of how much; None if of neither."""
    return parse_temporal(text) or parse_quantity(text)


def parse_temporal(text: str) -> Temporal | None:
    """What ``text`` says about time, or None if it is not, as a whole, such a statement."""
    if len(text) > _LONGEST:
        return None
    return _parse(normalised(text).strip(" ,;:"))


def contains(general: Value, specific: Value) -> bool | None:
    """Whether all that ``specific`` may mean lies inside ``general``.

    Args:
        general: the wider value.
        specific: the narrower one.

    Returns:
        None if they do not compare: other kinds, other units, a time and an amount.
    """
    if isinstance(general, Temporal) and isinstance(specific, Temporal):
        return general.contains(specific)
    if isinstance(general, Quantity) and isinstance(specific, Quantity):
        return general.contains(specific)
    return None


@lru_cache(maxsize=65536)
def _parse(text: str) -> Temporal | None:
    if not text or _HOURS_OR_TIME.fullmatch(text):  # "1500 hours": a time of the day or a length
        return None
    for reader in _READERS:
        found = reader(text)
        if found is not None:
            return found
    return None
