"""Texts to values: what is said of time or of amounts, and whether one value contains another.

All of a phrase must be understood; if not, it is no value (None). ``scan`` looks for runs of words
that can belong to a value, and takes from each run, from left to right, the longest part that is
understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from sys import maxsize

from intact.domain import Covered, EntityType, Span
from intact.english import numbers, time
from intact.english.dates import parse_calendar
from intact.english.quantities import CURRENCIES, Quantity, parse_quantity
from intact.english.time import Granularity, Kind, Temporal, parse_age
from intact.english.vocabulary import either, read_patterns, read_rules, vocabulary

Value = Temporal | Quantity  # what can be read: both have contains, same and canonical

_READERS = (parse_calendar, *time.READERS)
_LONGEST = 200  # characters; no date is longer


def parse(text: str) -> Value | None:
    """Return the time, or else the amount, that all of a text states, in any case; None if it
    states neither, or anything else as well."""
    return parse_temporal(text) or parse_quantity(text)


def read_value(phrase: str, entity_type: str) -> Value | None:
    """Return the range of times or amounts that a phrase leaves open. None if it is neither, or
    states a single length or number ("one day" is any day, and "no children" is nobody's number).

    Args:
        phrase: a replacement, or words of the text.
        entity_type: types other than DATETIME and QUANTITY have no values.
    """
    if entity_type == EntityType.DATETIME:
        when = parse_temporal(phrase)
        single = when is not None and when.kind is Kind.DURATION and when.first == when.last
        return None if single else when
    if entity_type != EntityType.QUANTITY:
        return None
    amount = parse_quantity(phrase)
    return None if amount is None or amount.low == amount.high else amount


@lru_cache(1 << 16)
def parse_temporal(text: str) -> Temporal | None:
    """Return the date, clock time, age, length of time or distance from another time ("two days
    later") that all of a text states, in any case; None if it states none, or anything else as
    well, or has more than 200 characters. "About two years" is exactly two, and "a certain date"
    contains every time."""
    return None if len(text) > _LONGEST else _parse(numbers.normalised(text).strip(" ,;:"))


def contains(general: Value, specific: Value) -> bool | None:
    """Check whether everything that one value may mean lies within another. None if they do not
    compare: other kinds, other units, a time and an amount.

    Args:
        general: the value that may contain the other.
        specific: the value that may lie in it.
    """
    if isinstance(general, Temporal):
        return general.contains(specific) if isinstance(specific, Temporal) else None
    return general.contains(specific) if isinstance(specific, Quantity) else None


def is_wider(general: Value, specific: Value) -> bool:
    """Check whether everything that one value may mean lies within another, but not the reverse.

    Args:
        general: the value that may contain the other.
        specific: the value that may lie in it.
    """
    return contains(general, specific) is True and not contains(specific, general)


@lru_cache(maxsize=65536)
def _parse(text: str) -> Temporal | None:
    """Return the statement about time that all of a normalised text (lower case) is; None if it is
    none."""
    if not text or _FORMS["hours_or_time"].fullmatch(text):
        return None
    text = _FORMS["bare_hour"].sub(r"\1 o'clock \2", text)
    return next((read for reader in _READERS if (read := reader(text)) is not None), None)


# --- informal times -------------------------------------------------------------------------

_WORDS = vocabulary("time")
_DAYS_RESPELT, _RESPELLINGS = (read_rules(_WORDS["informal"][of]) for of in ("days", "written"))
_OLDEST = 120


@lru_cache(maxsize=4096)
def read_time(text: str) -> Temporal | None:
    """Return the time that a text which is known to be one states: as ``parse_temporal`` does, and
    also for "'87", "28/5", "the 4th", "Q3 2022", for a feast ("Halloween") and for a date with
    words around it ("the frost of 2021"); None if nothing is certain."""
    whole = parse_temporal(text)
    if whole is not None or len(text) > _LONGEST:
        return whole
    written = numbers.normalised(text).strip(" ,;:")
    written = _FORMS["spoken_clock"].sub(_clock_in_figures, written)
    written = _FORMS["spoken_year"].sub(_year_in_figures, written)
    for pattern, new in _RESPELLINGS:
        written = pattern.sub(new, written)
    written = _FORMS["month_of"].sub(
        lambda m: f"{time.MONTH_NAMES[int(m[1]) - 1]} {m[2]}".lower(), written
    )
    day = _FORMS["of_month"].fullmatch(written)
    if day:
        return Temporal(Kind.MONTH_DAY, ((int(day[1]),) * 2,), Granularity.DAY)
    within = _FORMS["within"].fullmatch(written)  # "the frost of 2021", "ten days in March 2003"
    told = within["date"] or within["year"] if within else ""
    return _parse(written) or _day_and_month(written) or _parse(told)


_PARTS_OF_HOUR = {"half": 30, "quarter": 15, "a quarter": 15}


def _clock_in_figures(match: re.Match[str]) -> str:
    """Return the time of day of a match in figures: "2:40 pm" for "twenty to three in the
    afternoon"; the match as it stands if it is no such time."""
    hour, said = numbers.number(match["hour"]), match["part"] or ""
    minute = _PARTS_OF_HOUR.get(said) or numbers.number(said) or 0
    if not (said or match["half"] or match["day"]) or hour is None:
        return match[0]
    if match["way"] == "to":
        hour, minute = (hour - 2) % 12 + 1, 60 - minute
    half = {"morning": " am", "afternoon": " pm", "evening": " pm"}.get(match["day"] or "", "")
    return f"{hour:.0f}:{minute:02.0f}{half or match['half'] or ''}".replace(" o'clock", "")


def _year_in_figures(match: re.Match[str]) -> str:
    """Return the year of a match in figures, after "the year " at the start of the text: "1940" for
    "nineteen-forty", "2009" for "twenty-oh-nine"; the match as it stands if it is no year."""
    rest = numbers.number(match["rest"] or "") or 0
    century = numbers.number(match["century"] or "")
    lead = "" if match.start() else "the year "
    if century is None or rest >= 100 or (rest < 10) != bool(match["oh"]):
        return match[0] if century else f"{lead}{numbers.number(match['thousands']):.0f}"
    return f"{lead}{100 * century + rest:.0f}"


@lru_cache(1)
def _unplaced() -> list[tuple[re.Pattern[str], str]]:
    """Return (pattern, phrase) for each kind of time that has no place in the calendar: what
    matches all of such a time ("christmas eve"), and the vague phrase that is true of it ("a
    holiday")."""
    short = "mon tue tues wed weds thu thur thurs fri sat sun".split()
    days = f"(?:{either((*map(str.lower, time.WEEKDAY_NAMES), *short))})s?"
    named = {key: words.lower() for key, words in _WORDS["feasts"].items()} | {"weekdays": days}
    return read_rules(time.UNPLACED, named)


def said_of(text: str) -> str:
    """Return a vague phrase for a text that is known to be a time but cannot be read: "a holiday"
    for "Christmas", "a certain time" for what is unknown. "Before", "after" and the like stay:
    "after a holiday"."""
    written = numbers.normalised(text).strip(" ,;:.")
    lead = _FORMS["from_then"].match(written)
    start = lead.end() if lead else 0
    phrases = (said for pattern, said in _unplaced() if pattern.fullmatch(written, start))
    return written[:start] + next(phrases, "a certain time")


def read_age(text: str) -> Temporal | None:
    """Return the age in completed years that a text which is known to state one states ("34", "aged
    34"); None if nothing is certain, or the age is 120 or more."""
    age = parse_age(f"aged {numbers.normalised(text)}") or parse_age(numbers.normalised(text))
    return age if age is not None and age.first < _OLDEST else None


def _day_and_month(text: str) -> Temporal | None:
    """Return the day of any year that a text of day and month states ("28/5", "28.5."): both
    readings of "6/2"; None if the text is anything else."""
    if not _FORMS["day_and_month"].fullmatch(text):
        return None
    day = parse_calendar(f"{text}/2000" if "/" in text else f"{text.removesuffix('.')}.2000")
    return day and replace(day, kind=Kind.PARTIAL, spans=time.year_days(day.spans))


# --- values in a text -----------------------------------------------------------------------

_RUN: dict[str, str] = _WORDS["run"]

PIECES: dict[str, str] = {
    "month": "|".join(time.MONTH_NAMES),
    "shortmonth": "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec",
    "weekday": "|".join(time.WEEKDAY_NAMES),
    "cardinal": either(numbers.CARDINALS),
    "ordinal": either(numbers.ORDINALS),
    "digits": numbers.DIGIT_GROUPS,
    "feast": _WORDS["feasts"]["feasts"],
    "day_of": _WORDS["feasts"]["days"],
}  # alternatives of words, for the patterns of those who look for more than values

_CODES = {currency.code for currency in CURRENCIES.values()} | {"TRL", "YTL"}
_NAMES = [name for name in CURRENCIES if name not in map(str.lower, _CODES)]
_NO_START = frozenset(_RUN["no_start"].split())
_NO_END = frozenset(_RUN["no_end"].split())
_MOST = 12  # words of one value
_FORMS = read_patterns(
    "scan",
    {
        **{name: words for name, words in {**PIECES, **_RUN}.items() if name.isalpha()},
        "words": numbers.WORDS,
        "hours": either(numbers.CARDINALS[1:13]),
        "number": f"{PIECES['cardinal']}|first|second|third|half",
        "months": either(time.MONTHS),
        "code": "|".join(sorted(_CODES)),
        "signs": either(name for name in _NAMES if not name[-1].isalpha()),
        "currency": either(name for name in _NAMES if name[-1].isalpha()).replace(r"\ ", r"\s"),
        "nth": rf"(?:(?:twenty|thirty)-)?(?:{PIECES['ordinal']})",
    },
)
_TYPOGRAPHY = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013", "-"))

Accept = Callable[[str, Span, Value], bool]


def scan(text: str, counts: Accept) -> list[tuple[Span, Value]]:
    """List the dates, times, ages, durations, numbers and amounts in a text, each as (span, value),
    in text order.

    Args:
        text: any text.
        counts: called with the text (with plain dashes), the span and the value; tells whether the
            value counts. If not, shorter parts are tried.
    """
    plain = text.translate(_TYPOGRAPHY)
    values: list[tuple[Span, Value]] = []
    for match in _FORMS["money"].finditer(plain):
        amount, span = parse_quantity(match.group()), Span(*match.span())
        if amount is not None and counts(plain, span, amount):
            values.append((span, amount))
    for run in _runs(plain, [span for span, _ in values]):
        values += _values(plain, run, counts)
    return sorted(values, key=lambda item: item[0])


def find_dates(text: str, start: int = 0, end: int = maxsize) -> Iterator[tuple[Span, Temporal]]:
    """Yield (span, date) for the days, months and years of the calendar that are written out in a
    text, in whatever form, in text order; each date of a range or list by itself. Days and months
    without a year are left out.

    Args:
        text: any text.
        start: the offset where to begin.
        end: the offset where to stop at the latest.
    """
    for match in _FORMS["date"].finditer(text, start, end):
        when = parse_temporal(match.group())
        if when is not None and when.kind is Kind.INTERVAL:
            yield Span(*match.span()), when


def find_days(text: str) -> Iterator[tuple[Span, Temporal]]:
    """Yield (span, date) for the days of the calendar that a text names, with their year or
    without, in whatever notation and also as a range ("7 to 9 December"); then those of
    ``find_dates``, so that some come twice."""
    for match in _FORMS["day"].finditer(text):
        written = numbers.normalised(match.group())
        for pattern, new in _DAYS_RESPELT:
            written = pattern.sub(new, written)
        when = read_time(written)
        if when is not None and when.kind in (Kind.INTERVAL, Kind.PARTIAL):
            yield Span(*match.span()), when
    yield from find_dates(text)


def _values(text: str, run: list[Span], counts: Accept) -> Iterator[tuple[Span, Value]]:
    """Yield (span, value) for the values in a run of words from left to right: at each word the
    longest part that is understood and that ``counts`` accepts.

    Args:
        text: the text in which the run stands.
        run: the spans of its words.
        counts: called with the text, the span and the value; tells whether the value counts.
    """
    at = 0
    while at < len(run):
        starts = run[at].of(text).lower() not in _NO_START
        following = at + 1
        for end in range(min(len(run), at + _MOST), at, -1) if starts else ():
            if run[end - 1].of(text).lower() in _NO_END:
                continue
            span = Span(run[at].start, run[end - 1].end)
            value = parse(span.of(text))
            if value is not None and counts(text, span, value):
                dotted = text.startswith(".", span.end) and _FORMS["half_day"].search(span.of(text))
                yield Span(span.start, span.end + bool(dotted)), value
                following = end
                break
        at = following


def _runs(text: str, taken: list[Span]) -> list[list[Span]]:
    """List the runs of neighbouring words that can belong to a value (a time or an amount), each as
    the spans of its words, in text order. Runs without a word that shows a value, such as a figure,
    are left out, and so are words in a span of ``taken``."""
    tokens = (Span(*match.span()) for match in _FORMS["token"].finditer(text))
    runs = [list[tuple[Span, bool]]()]
    for start, word in ((one.start, one.of(text)) for one in Covered(text, taken).free(tokens)):
        length, tells = _run_word(word)
        gap = _FORMS["gap"].match(text, runs[-1][-1][0].end, start) if runs[-1] else True
        if not (length and gap):
            runs.append([])
        if length:
            runs[-1].append((Span(start, start + length), tells))
    return [[span for span, _ in run] for run in runs if any(tells for _, tells in run)]


@lru_cache(1 << 14)
def _run_word(word: str) -> tuple[int, bool]:
    """Return how many characters of a word, from its start, can belong to a value (a time or an
    amount), and whether the word shows that a value is there; (0, False) if it cannot belong to
    one."""
    match = _FORMS["run_word"].fullmatch(word.rstrip(".:!?")) or _FORMS["run_word"].fullmatch(word)
    return (len(match[0]), match.lastgroup in ("digit", "name", "unit")) if match else (0, False)
