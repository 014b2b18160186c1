"""Calendar expressions to days: dates in words, digits and ISO, ranges, lists, decades, seasons.

A text is cut into tokens that must cover it whole (else it is no date), the tokens are grouped
into atoms ("30 January", "3 October 1996") with separators between them, atoms take the month
and year they lack from their neighbours, and ranges join two atoms.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from intact.english.numbers import TENS_PLURAL, ordinal
from intact.english.time import Granularity, Kind, Range, Temporal, leap_day, merged
from intact.english.vocabulary import vocabulary


def _table(text: str) -> dict[str, int]:
    """Each word to its place in its line, counted from 1; accents may be left out."""
    words: dict[str, int] = {}
    for line in text.strip().splitlines():
        for index, word in enumerate(line.split(), start=1):
            words.setdefault(word, index)
            words.setdefault(_bare(word), index)
    return words


def _bare(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


_WORDS = vocabulary("time")
MONTHS = _table(_WORDS["months"])
"""Names of months in many languages, in lower case, to 1 to 12."""
MONTH_NAMES = tuple(word.capitalize() for word in _WORDS["months"].split()[:12])
"""January to December."""
WEEKDAY_NAMES = tuple(word.capitalize() for word in _WORDS["weekdays"].split()[:7])
"""Monday to Sunday."""
WEEKDAYS = _table(_WORDS["weekdays"])
"""Names of weekdays to 1 (Monday) to 7."""
SEASONS = _table(_WORDS["seasons"])
"""Names of seasons to 1 (spring) to 4."""
PARTS: dict[str, list[int]] = _WORDS["parts"]
DAY_PARTS: dict[str, list[int]] = _WORDS["day_parts"]

FIRST_DAY = date.min.toordinal()
LAST_DAY = date.max.toordinal()
_YEARS = (1400, 2101)  # four digits alone: "1105" and "2315" are times of day
_PIVOT = 30  # two-digit years: 30 to 99 are 1930 to 1999, 0 to 29 are 2000 to 2029


class NotADateError(Exception):
    """The text is not a calendar expression."""


def _words(table: Mapping[str, object]) -> str:
    return "|".join(re.escape(word) for word in sorted(table, key=lambda word: (-len(word), word)))


_ORDINAL_WORDS = (
    r"(?:twenty-|thirty-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    r"|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth"
    r"|nineteenth|twentieth|thirtieth"
)
_TOKENS = re.compile(
    r"\s*(?:"
    r"(?P<ymd>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)(?:t[\d:.]+z?)?)"
    r"|(?P<dmy>\d{1,2}(?:-\d{1,2}-|/\d{1,2}/|\.[ ]?\d{1,2}\.[ ]?)(?:\d{4}|\d{2})(?!\d))"
    r"|(?P<meridiem>\d{1,2}(?:[.:]\d{2})?\s?[ap]\.?\s?m\b\.?)"
    r"|(?P<clock>\d{1,2}[.:]\d{2}(?::\d{2})?(?![\d.])(?:\s?(?:hours|hrs|h|o'clock))?"
    r"|\d{1,2}\s?o'clock|\d{1,2}h\d{2}|(?:[01]\d|2[0-3])[0-5]\d\s?(?:hours|hrs|h)\b)"
    r"|(?P<decade>(?:\d{3}0|'?\d0)'?s\b"  # "her twenties" are her age
    r"|(?:(?<=the )|(?<=early )|(?<=mid-)|(?<=late ))(?:" + _words(TENS_PLURAL) + r")\b)"
    r"|(?P<turn>turn of the (?:century|millennium)\b)"
    r"|(?P<part>(?:" + _words(PARTS) + r")\b(?:\s+part\b)?(?:\s*-\s*|\s+of\b|\s+in\b)?"
    r"(?!(?:\s+of)?\s*(?:morning|afternoon|evening|hours|the day)))"
    rf"|(?P<century>(?:\d{{1,2}}(?:st|nd|rd|th)|{_ORDINAL_WORDS})(?=[^,]*\bcentur))"
    r"|(?P<centuries>centur(?:y|ies)\b)"
    r"|(?P<daypart>(?:" + _words(DAY_PARTS) + r")\b)"
    rf"|(?P<ordinal>\d{{1,2}}(?:st|nd|rd|th|er|ère|º|°)\b|\b(?:{_ORDINAL_WORDS})\b)"
    r"|(?P<number>\d{1,4}(?!\d))"
    r"|(?P<month>\b(?:" + _words(MONTHS) + r")\b\.?)"
    r"|(?P<season>\b(?:" + _words(SEASONS) + r")\b)"
    r"|(?P<weekend>\b(?:weekends?|week-end)\b)"
    r"|(?P<working>\b(?:weekdays?|working day)\b)"
    r"|(?P<weekday>\b(?:" + _words(WEEKDAYS) + r")\b)"
    r"|(?P<between>\bbetween\b)"
    r"|(?P<until>\b(?:not later than|no later than|at the latest|before|until|till|by|up to)\b)"
    r"|(?P<since>\b(?:not earlier than|no earlier than|since|after|as from|as of|from)\b)"
    r"|(?P<to>\b(?:to|through|and until)\b|-(?!\s*$)|/)"
    r"|(?P<and>\b(?:and|or|und|et|y|ve)\b|&)"
    r"|(?P<comma>[,;])"
    r"|(?P<yearly>\byears?\b)"
    r"|(?P<filler>\b(?:the|of|in|on|at|de|del|du|den|le|la|about|around|approximately|circa|ca?\.?"
    r"|during|throughout|some time|sometime|an?|certain|dated|roughly|period|both|parts?"
    r"|(?:(?:one|some|several) (?:days?|dates?|weeks|months) )?(?:later|earlier) (?:days? )?in"
    r"|(?:one|some|several) (?:days?|dates?)|(?:days?|dates?) (?:in|of|at|on)|months? of"
    r"|(?:tax|financial|academic|school) years?)\b|[.()])"
    r")\s*"
)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each token of a normalised ``text``.

    Raises:
        NotADateError: if something in it is no part of a calendar expression.
    """
    position = 0
    while position < len(text):
        match = _TOKENS.match(text, position)
        if not match or match.lastgroup is None:
            raise NotADateError
        yield match.lastgroup, match[match.lastgroup].strip()
        position = match.end()


def _numeric_date(value: str, *, year_first: bool) -> list[Range]:
    """The day or, for "01/05/1996", the two days that a numeric date may be."""
    numbers = [int(part) for part in re.findall(r"\d+", value)[:3]]
    if year_first:
        year, month, day = numbers
        return [(date(year, month, day).toordinal(),) * 2]
    first, second, year = numbers
    if year < 100:
        year += 1900 if year >= _PIVOT else 2000
    readings = []
    if second <= 12:
        readings.append(date(year, second, first).toordinal())
    if first <= 12 and first != second and "." not in value:
        readings.append(date(year, first, second).toordinal())
    if not readings:
        raise NotADateError
    return sorted((day, day) for day in readings)


def _clock_time(value: str) -> list[Range]:
    """The minute, or the two minutes twelve hours apart, that a clock time may be."""
    value = re.sub(r"^(\d\d)(\d\d)(?=\s?h)", r"\1:\2", value)
    hour, minute = (int(part) for part in (*re.findall(r"\d+", value), "0")[:2])
    if hour > 24 or minute > 59:
        raise NotADateError
    half = re.search(r"([ap])\.?\s?m\b", value)
    if half:
        if hour > 12:
            half = None
        else:
            hour = hour % 12 + (12 if half[1] == "p" else 0)
    time = hour % 24 * 60 + minute
    certain = half or hour > 12 or hour == 0 or value.startswith("0") or value.endswith(("s", "h"))
    if certain:
        return [(time, time)]
    return sorted((other, other) for other in {time, (time + 720) % 1440})


def _decade(value: str) -> int:
    """The first year of a decade ("1990s", "the nineties", "'90s")."""
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
        """Whether it is a year, decade or century, complete without neighbours."""
        return self.month is None and self.season is None and self.number is None

    @property
    def dated(self) -> bool:
        return (
            bool(self.days)
            or any(
                value is not None
                for value in (
                    self.day,
                    self.month,
                    self.year,
                    self.decade,
                    self.century,
                    self.season,
                )
            )
            or (self.yearly and self.part is not None)
        )


def parse_calendar(text: str) -> Temporal | None:
    """The dates, weekdays or clock times that a normalised text (lower case) states, or None."""
    try:
        return _build(*_atoms(text))
    except (NotADateError, ValueError, OverflowError):
        return None


def _atoms(text: str) -> tuple[list[_Atom], list[str], str]:
    """Atoms, the separators between them ("and", "to", "comma"), and what bounds the whole."""
    atoms, separators, bound = [_Atom()], [], ""
    for token, value in _tokens(text):
        name = token
        if name in ("between", "until", "since"):
            if len(atoms) > 1 or not atoms[0].empty:
                name = "to" if name == "until" else "filler"
            elif bound:
                raise NotADateError
            else:
                bound = name
        if name in ("and", "to", "comma"):
            if not atoms[-1].empty:
                atoms.append(_Atom())
                separators.append(name)
            elif separators and separators[-1] == "comma":
                separators[-1] = name
            continue
        if name not in ("between", "until", "since", "filler"):
            _take(atoms[-1], name, value)
    if atoms[-1].empty:
        atoms.pop()
        separators = separators[: max(0, len(atoms) - 1)]
    return *_joined(atoms, separators), bound


def _joined(atoms: list[_Atom], separators: list[str]) -> tuple[list[_Atom], list[str]]:
    """Joins what only a comma parts: "January 27, 1989", "Monday, 9 January", "7 May, at 4.55"."""
    kept, between = atoms[:1], []
    for separator, atom in zip(separators, atoms[1:], strict=True):
        last = kept[-1]
        year_only = (
            atom == _Atom(year=atom.year, yearly=atom.yearly)
            and last.year is None
            and last.month is not None
        )
        clock_only = not atom.dated and atom.number is None and bool(atom.clock) and not last.clock
        weekday_only = not last.dated and last.weekdays is not None and last.number is None
        if separator == "comma" and (year_only or clock_only or (weekday_only and atom.dated)):
            last.year = atom.year if year_only else last.year
            last.clock = atom.clock if clock_only else last.clock
            if weekday_only and not clock_only:
                kept[-1] = atom
        else:
            kept.append(atom)
            between.append(separator)
    return kept, between


def _once(atom: _Atom, **values: object) -> None:
    for name, value in values.items():
        if getattr(atom, name) not in (None, []):
            raise NotADateError
        setattr(atom, name, value)


_SIMPLE: dict[str, Callable[[str], dict[str, object]]] = {
    "decade": lambda value: {"decade": _decade(value)},
    "century": lambda value: {"century": ordinal(value)},
    "turn": lambda value: {"days": [(_day(1995, 1, 1), _day(2005, 12, 31))]},
    "part": lambda value: {"part": PARTS[re.sub(r"\s+part\b|\s*-\s*$|\s+of$|\s+in$", "", value)]},
    "ordinal": lambda value: {"number": _ordinal_day(value)},
    "month": lambda value: {"month": MONTHS[value.rstrip(".")]},
    "season": lambda value: {"season": SEASONS[value]},
    "weekend": lambda value: {"weekdays": (5, 6)},
    "working": lambda value: {"weekdays": (0, 4)},
    "weekday": lambda value: {"weekdays": (WEEKDAYS[value] - 1,) * 2},
}
"""What a token puts into its atom."""


def _take(atom: _Atom, name: str, value: str) -> None:
    """Puts one token into ``atom``."""
    if name in _SIMPLE:
        _once(atom, **_SIMPLE[name](value))
    elif name in ("ymd", "dmy"):
        days = _numeric_date(value, year_first=name == "ymd")
        _once(atom, days=days)
        atom.either = len(days) > 1
    elif name in ("clock", "meridiem"):
        clock = _clock_time(value)
        _once(atom, clock=clock)
        atom.either = atom.either or (len(clock) > 1 and not atom.dated)
    elif name == "daypart":
        low, high = DAY_PARTS[value]
        _once(atom, clock=[(low, high)] if high < 1440 else [(0, high - 1440), (low, 1439)])
    elif name == "number":
        year = len(value) == 4 and _YEARS[0] <= int(value) < _YEARS[1]
        _once(atom, **{"year" if year else "number": int(value)})
    elif name == "yearly":
        atom.yearly = True
    if atom.number is not None and atom.month is not None and atom.day is None:
        atom.day, atom.number = atom.number, None


def _ordinal_day(value: str) -> int | None:
    digits = re.match(r"\d+", value)
    return int(digits[0]) if digits else ordinal(value)


def _day(year: int, month: int, day: int) -> int:
    return date(year, month, day).toordinal()


def _build(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    if not atoms or atoms[0].empty:
        raise NotADateError
    if any(atom.dated for atom in atoms) or any(atom.number is not None for atom in atoms):
        return _dates(atoms, separators, bound)
    if bound == "since" and separators == ["to"]:
        bound = ""
    if bound in ("until", "since"):
        raise NotADateError
    if all(atom.weekdays for atom in atoms):
        return _weekdays(atoms, separators)
    if all(atom.clock for atom in atoms):
        return _clocks(atoms, separators, bound)
    raise NotADateError


def _weekdays(atoms: list[_Atom], separators: list[str]) -> Temporal:
    if "to" in separators:
        raise NotADateError
    spans = merged([atom.weekdays for atom in atoms if atom.weekdays is not None])
    clock = merged(atoms[0].clock) if len(atoms) == 1 and atoms[0].clock else None
    return Temporal(Kind.WEEKDAY, spans, Granularity.DAY, clock)


def _clocks(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    if len(atoms) == 1:
        atom = atoms[0]
        fine = all(high - low < 1 for low, high in atom.clock)
        grain = Granularity.MINUTE if fine else Granularity.HOUR
        spans = merged(atom.clock, step=1 if not fine else 0)
        return Temporal(Kind.CLOCK, spans, grain, either=atom.either and len(spans) > 1)
    ranged = separators == ["to"] or (bound == "between" and separators == ["and"])
    if not ranged:
        return Temporal(
            Kind.CLOCK, merged([s for atom in atoms for s in atom.clock], 0), Granularity.MINUTE
        )
    if all(atom.either and len(atom.clock) > 1 for atom in atoms):
        length = (atoms[1].clock[0][0] - atoms[0].clock[0][0]) % 720
        ends = [(start, start + length) for start, _ in atoms[0].clock]
        spans = merged(
            [(low, min(high, 1439)) for low, high in ends]
            + [(0, high - 1440) for _, high in ends if high >= 1440]
        )
        return Temporal(Kind.CLOCK, spans, Granularity.HOUR, either=True)
    low, high = atoms[0].clock[0][0], atoms[1].clock[-1][1] or 1439
    spans = ((low, high),) if low <= high else ((0, high), (low, 1439))
    return Temporal(Kind.CLOCK, spans, Granularity.HOUR)


def _dates(atoms: list[_Atom], separators: list[str], bound: str) -> Temporal:
    _inherit(atoms, separators)
    years = [bool(a.days) or None not in (a.year or a.decade or a.century,) for a in atoms]
    if any(years) and not all(years):
        raise NotADateError
    read = [_interval(atom) if all(years) else _partial(atom) for atom in atoms]
    grain = min(grain for _, grain in read)
    spans: list[Range] = list(read[0][0])
    for (days, _), separator in zip(read[1:], separators, strict=True):
        if separator == "to" or (bound == "between" and separator == "and" and len(read) == 2):
            low, high = spans.pop()[0], days[-1][1]
            if low > high and all(years):
                raise NotADateError
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
    """Gives atoms the month and year that they share with their neighbours."""
    for index in range(len(atoms) - 2, -1, -1):
        atom, right = atoms[index], atoms[index + 1]
        if atom.days or atom.decade or atom.century:
            continue
        if atom.number is not None and atom.month is None and atom.year is None and right.month:
            atom.day, atom.number, atom.month = atom.number, None, right.month
        if atom.year is None and (atom.month or atom.season) and right.year is not None:
            atom.year = right.year
            later = (
                (atom.month, atom.day or 1) > (right.month, right.day or 31)
                if (atom.month and right.month)
                else False
            )
            if later and separators[index] == "to":
                atom.year -= 1
        if atom.part and atom.coarse and atom.year is None:
            atom.year, atom.decade, atom.century = right.year, right.decade, right.century
    for left, atom in itertools.pairwise(atoms):
        if atom.days:
            continue
        if atom.number is not None and atom.month is None and left.year and left.coarse:
            atom.year, atom.number = _short_year(left.year, atom.number), None
        elif atom.number is not None and atom.month is None and left.month and left.day:
            atom.day, atom.number, atom.month = atom.number, None, left.month
        if atom.year is None and (atom.month or atom.season) and left.year:
            atom.year = left.year


def _short_year(year: int, short: int) -> int:
    """The year that "64" is after 1963, or "6" after 1995."""
    size = 10 if short < 10 else 100
    later = year - year % size + short
    return later if later > year else later + size


def _interval(atom: _Atom) -> tuple[list[Range], Granularity]:
    """The days of an atom that has a year."""
    if atom.number is not None:
        raise NotADateError
    if atom.days:
        turn = atom.days[0][1] - atom.days[0][0] > 1
        return atom.days, Granularity.YEARS if turn else Granularity.DAY
    if atom.century is not None:
        return _years((atom.century - 1) * 100 + 1, 100, atom.part)
    if atom.decade is not None:
        return _years(atom.decade, 10, atom.part)
    year = atom.year
    if year is None or (atom.weekdays and not atom.month):  # "Tue 1505" is a time of day
        raise NotADateError
    if atom.month and atom.day:
        day = _day(year, atom.month, atom.day)
        return [(day, day)], Granularity.DAY
    if atom.month:
        low, high, grain = _month_part(year, atom.month, atom.part)
        return [(_day(year, atom.month, low), _day(year, atom.month, high))], grain
    if atom.season:
        return [_season(year, atom.season)], Granularity.SEASON
    first, last = atom.part or (0, 12)
    grain = Granularity.SEASON if atom.part else Granularity.YEAR
    return [(_day(year, first + 1, 1), _day(year, last, monthrange(year, last)[1]))], grain


def _years(
    first: int, length: int, part: tuple[int, int] | None
) -> tuple[list[Range], Granularity]:
    """A decade or century, or a part of one. Thirds of a decade are 4, 3 and 3 years."""
    low, high = part or (0, 12)
    start = first + -(-low * length // 12)
    end = first + -(-high * length // 12) - 1
    if length == 10:
        grain = Granularity.YEARS if part else Granularity.DECADE
    else:
        start, end = first + low * length // 12, first + high * length // 12 - 1
        grain = Granularity.DECADES if part else Granularity.CENTURY
    return [(_day(start, 1, 1), _day(end, 12, 31))], grain


def _month_part(
    year: int, month: int, part: tuple[int, int] | None
) -> tuple[int, int, Granularity]:
    length = monthrange(year, month)[1]
    if part is None:
        return 1, length, Granularity.MONTH
    low, high = part
    end = length if high == 12 else high * 30 // 12
    return low * 30 // 12 + 1, end, Granularity.WEEK


def _season(year: int, season: int) -> Range:
    """A season as widely as it is understood: meteorological or astronomical, from the first day of
    the one to the last of the other. The winter of a year may be the one it begins or ends with."""
    if season == 4:
        return (_day(year - 1, 12, 1), _day(year + 1, 3, 21))
    month = 3 * season
    return (_day(year, month, 1), _day(year, month + 3, 23))


def _partial(atom: _Atom) -> tuple[list[Range], Granularity]:
    """The days of the year of an atom without a year."""
    if atom.number is not None or atom.days:
        raise NotADateError
    if atom.month and atom.day:
        day = leap_day(atom.month, atom.day)
        return [(day, day)], Granularity.DAY
    if atom.month:
        low, high, grain = _month_part(2000, atom.month, atom.part)
        return [(leap_day(atom.month, low), leap_day(atom.month, high))], grain
    if atom.season == 4:
        return [(1, leap_day(3, 21)), (leap_day(12, 1), 366)], Granularity.SEASON
    if atom.season:
        month = 3 * atom.season
        return [(leap_day(month, 1), leap_day(month + 3, 23))], Granularity.SEASON
    if atom.part and atom.yearly:
        low, last = atom.part
        end = leap_day(last, monthrange(2000, last)[1])
        return [(leap_day(low + 1, 1), end)], Granularity.SEASON
    raise NotADateError
