"""Other ways in which texts write what a profile says: dates, parts of names, countries.

The variants of the inverted index of background facts: dates in the notations of running text,
first, middle and last names apart, nationality and country, official and usual country names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Protocol

_ISO = re.compile(r"[+]?(\d{4})-(\d{2})-(\d{2})(?:T[\d:]+Z?)?")
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,5}")
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_OFFICIAL = {
    "hellenic republic": "Greece",
    "french republic": "France",
    "italian republic": "Italy",
    "federal republic of germany": "Germany",
    "kingdom of spain": "Spain",
    "portuguese republic": "Portugal",
    "republic of turkey": "Turkey",
    "republic of poland": "Poland",
    "republic of austria": "Austria",
    "swiss confederation": "Switzerland",
    "kingdom of the netherlands": "Netherlands",
    "kingdom of belgium": "Belgium",
    "kingdom of sweden": "Sweden",
    "kingdom of norway": "Norway",
    "kingdom of denmark": "Denmark",
    "republic of finland": "Finland",
    "russian federation": "Russia",
    "people's republic of china": "China",
    "republic of korea": "South Korea",
    "republic of india": "India",
    "united states of america": "United States",
    "united kingdom of great britain and northern ireland": "United Kingdom",
    "commonwealth of australia": "Australia",
    "united mexican states": "Mexico",
    "argentine republic": "Argentina",
    "federative republic of brazil": "Brazil",
}
_LONGEST = 60


class Aliases(Protocol):
    """What variance needs of the knowledge base."""

    def aliases(self, text: str) -> frozenset[str]:
        """Other names of what ``text`` names, folded ("Turkey": "turkish", "turkiye")."""


class Variance:
    """The variants of a profile's values.

    Args:
        aliases: where nationalities and other country names come from, or None.
    """

    def __init__(self, aliases: Aliases | None = None) -> None:
        self._aliases = aliases

    def __call__(self, value: str) -> Iterator[str]:
        """Other ways to write ``value``; none for long texts."""
        dated = _ISO.fullmatch(value)
        if dated:
            yield from dates(*map(int, dated.groups()))
            return
        if len(value) > _LONGEST:
            return
        if _NAME.fullmatch(value) and value[:1].isupper():
            yield from name_parts(value)
        usual = _OFFICIAL.get(value.lower())
        if usual:
            yield usual
        for alias in sorted(self._aliases.aliases(value)) if self._aliases else ():
            if alias != value.lower():
                yield alias


def dates(year: int, month: int, day: int) -> Iterator[str]:
    """A date in the notations of running text, then month and year, then the year.

    Wikidata writes 00 for a month or day that is not known.
    """
    if not 1 <= month <= 12:
        yield str(year)
        return
    name = _MONTHS[month - 1]
    if _exists(year, month, day):
        yield f"{day} {name} {year}"
        yield f"{name} {day}, {year}"
        yield f"{day:02}.{month:02}.{year}"
        yield f"{day:02}/{month:02}/{year}"
    yield f"{name} {year}"
    yield str(year)


def name_parts(name: str) -> Iterator[str]:
    """First, middle and last names apart, and the first with the last."""
    parts = name.split()
    yield from parts
    if len(parts) > 2:
        yield f"{parts[0]} {parts[-1]}"


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
