"""Phrases for durations, ages, clock times, weekdays, frequencies and relative times."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from intact.english.numbers import in_words, plain
from intact.english.time import DAYS, RECENTLY, Granularity, Kind, Temporal

_STEPS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
_NAMES = {
    Granularity.SECOND: "second",
    Granularity.MINUTE: "minute",
    Granularity.HOUR: "hour",
    Granularity.DAY: "day",
    Granularity.WEEK: "week",
    Granularity.MONTH: "month",
    Granularity.YEAR: "year",
    Granularity.DECADE: "decade",
    Granularity.CENTURY: "century",
}
_ORDER = tuple(_NAMES)
_ENOUGH = {  # from so many on the next unit is the natural one for "several"
    Granularity.SECOND: 90,
    Granularity.MINUTE: 100,
    Granularity.HOUR: 47,
    Granularity.DAY: 21,
    Granularity.WEEK: 9,
    Granularity.MONTH: 24,
    Granularity.YEAR: 30,
}


@dataclass(frozen=True, slots=True)
class _Form:
    """How a duration stands in its sentence."""

    unit: str  # as it is written after a number above one
    tail: str = ""  # possessive mark, "later", "old"
    hyphen: bool = False
    digits: bool = False

    def of(self, amount: str, unit: str | None = None) -> str:
        """ "two to five" -> "two to five years’", "two- to five-year"."""
        unit = unit or self.unit
        if self.hyphen:
            return f"{amount.replace(' to ', '- to ')}-{unit}{self.tail}"
        return f"{amount} {unit}{'' if self.singular else 's'}{self.tail}"

    @property
    def singular(self) -> bool:
        return self.hyphen


def time_phrases(text: str, time: Temporal) -> Iterator[str]:
    """Phrases for what ``text`` states, most specific first; not all of them need be true.

    Args:
        text: how the time is written.
        time: what it was read as.
    """
    written = plain(text)
    kinds = {
        Kind.DURATION: _duration,
        Kind.AGE: _age,
        Kind.CLOCK: _clock,
        Kind.WEEKDAY: _weekday,
        Kind.MONTH_DAY: _month_day,
        Kind.RELATIVE: _relative,
        Kind.EVERY: _every,
    }
    if time.kind in kinds:
        yield from kinds[time.kind](written, time)


# --- durations --------------------------------------------------------------------------


def _duration(text: str, time: Temporal) -> Iterator[str]:
    form = _form(text, time)
    lead = re.match(r"(?:for|within|after|during|in)\s", text, re.I)
    before = lead[0].lower() if lead else ""
    for amount in _amounts(time, form):
        yield f"{before}{amount}"
    if form.hyphen and time.last <= 1:
        yield "short"
    if not form.hyphen:
        yield f"{before}a certain period{form.tail and '’s'}"


def _form(text: str, time: Temporal) -> _Form:
    mark = re.search(r"(?<=s)'$|'s$", text)
    tail = "’" if mark else ""
    hyphen = re.search(r"\w-(?:minute|hour|day|week|month|year|decade)$", text, re.I)
    bare = re.search(r"\s(?:minute|hour|day|week|month|year)$", text) and time.first > 0
    plural_due = bare and round(time.first / DAYS[time.granularity], 3) != 1
    return _Form(
        _NAMES.get(time.granularity, "year"),
        tail,
        bool(hyphen or plural_due),
        bool(re.match(r"(?:\D*\s)?\d", text)),
    )


def _main_unit(time: Temporal) -> Granularity:
    """The coarsest unit named by a sum such as "six years and eight months"."""
    grain = time.granularity
    for larger in _ORDER[_ORDER.index(grain) + 1 :] if grain in _ORDER else ():
        if larger in (Granularity.WEEK, Granularity.DECADE, Granularity.CENTURY):
            continue
        if time.first / DAYS[larger] >= 1:
            grain = larger
    return grain


def _amounts(time: Temporal, form: _Form) -> Iterator[str]:
    exact = time.first == time.last
    grain = time.granularity
    whole = abs(time.first / DAYS[grain] - round(time.first / DAYS[grain])) < 1e-6
    if exact and (not whole or time.first / DAYS[grain] > _ENOUGH.get(grain, 1e9)):
        grain = _main_unit(time)
    unit = _NAMES[grain]
    low, high = time.first / DAYS[grain], time.last / DAYS[grain]
    if math.isinf(high):
        for step in reversed(_STEPS):
            if 1 <= step < low:
                yield form.of(f"more than {_count(step, form)}", unit)
                break
        yield form.of("many", unit)
    else:
        yield from _brackets(low, high, unit, form)
    yield from _vague(time, grain, form)


def _brackets(low: float, high: float, unit: str, form: _Form) -> Iterator[str]:
    """A close range, then one whose ends are 1, 2 or 5 times a power of ten, strictly outside."""
    count = round(low)
    if low == high and abs(low - count) < 1e-6 and 3 <= count <= 99:
        near = max(1, count // 4)
        last = count + near + near // 2
        yield form.of(f"{_count(count - near, form)} to {_count(last, form)}", unit)
    below = max((step for step in _STEPS if step < low - 1e-6), default=0)
    above = min((step for step in _STEPS if step > high + 1e-6), default=None)
    if above is None:
        return
    if below >= 1 and above / below <= 5 and (below > 1 or high < 2):
        yield form.of(f"{_count(below, form)} to {_count(above, form)}", unit)
    if low <= 1:
        bound = _count(above, form)
        single = form.hyphen or above == 1
        if not form.hyphen:
            yield f"less than {bound} {unit}{'' if single else 's'}{form.tail}"
            if above <= 2:
                yield f"less than {_count(5, form)} {unit}s{form.tail}"


def _vague(time: Temporal, grain: Granularity, form: _Form) -> Iterator[str]:
    larger = grain
    for candidate in _ORDER[_ORDER.index(grain) :]:
        larger = candidate
        if time.first / DAYS[candidate] < _ENOUGH.get(candidate, math.inf):
            break
    unit, count = _NAMES[larger], time.first / DAYS[larger]
    if form.hyphen:
        yield form.of("multi", unit)
        return
    if 2 < count < 4:  # nobody calls two a few, though the word may hold two
        yield form.of("a few", unit)
    if 3 <= count < 10:
        yield form.of("several", unit)
    elif count > 10:
        bound = max(step for step in _STEPS if step < count)
        yield form.of(f"more than {_count(bound, form)}", unit)
    yield form.of("many", unit) if count >= 13 else form.of("a number of", unit)
    yield form.of("a number of", unit)
    yield form.of("a number of", _NAMES[grain])
    if count < 2:  # forty-seven days are no "some months"
        unit = _NAMES[_ORDER[max(0, _ORDER.index(larger) - 1)]]
    yield form.of("some", unit)


def _count(value: float, form: _Form) -> str:
    return f"{value:,g}" if form.digits else in_words(int(value))


# --- ages -------------------------------------------------------------------------------

_OLDEST = 120
_AGE_FORMS = (
    (re.compile(r"(?:at\s)?(?:the\s)?age\sof\s", re.I), "age of {}"),
    (re.compile(r"(?:at\s)?(?:the\s)?age\s", re.I), "age {}"),
    (re.compile(r"aged\s", re.I), "aged {}"),
    (re.compile(r".+-olds?$", re.I), "{}-year-old"),
    (re.compile(r".+\sof\sage$", re.I), "{} years of age"),
    (re.compile(r".+\sold$", re.I), "{} years old"),
)


def _age(text: str, time: Temporal) -> Iterator[str]:
    low, high = int(time.first), int(time.last)
    form = next((form for pattern, form in _AGE_FORMS if pattern.match(text)), "aged {}")
    base, top = low // 10 * 10, high // 10 * 10 + 10
    hyphen, named = form.startswith("{}-"), form.startswith("age ")
    if low == high >= 12:
        near = "{}- to {}" if hyphen else "{} to {}" if named else "between {} and {}"
        yield form.format(near.format(low - 2, low + 2))
    if low >= 10 and high < _OLDEST:
        last = top if hyphen or named or high == top - 1 else top - 1
        ends = (base - 10 * (low == base > 10), last)
        bracket = "{}- to {}" if hyphen else "{} to {}" if named else "between {} and {}"
        yield form.format(bracket.format(*ends))
        if low == high and low > 20:  # two decades, where the years around lie in both
            ends = (base - 10 * (low - base < 2), last + 10 * (base + 8 <= low))
            yield form.format(bracket.format(*ends))
    elif high < 10:
        yield form.format("1- to 10" if hyphen else "less than 10" if named else "under 10")
    if hyphen:
        form = "{}"
    under, over = ("under-", "over-") if hyphen else ("under ", "over ")
    if named:
        under, over = "less than ", "more than "
    if high < 18:
        yield form.format(f"{under}18")
    for bound in (base - 10, base - 20, 18):
        if 18 <= bound < low:
            yield form.format(f"{over}{bound}")
    if not hyphen:
        yield "a certain age"


# --- clock, weekdays ----------------------------------------------------------------------


def _clock(text: str, time: Temporal) -> Iterator[str]:
    low, high = int(time.first), int(time.last)
    one = len(time.spans) == 1
    if time.either:  # "ten past six" is in the morning or in the evening
        hour = (low // 60 - (not low % 60)) % 12
        for size in (2, 3, 4):
            last = (hour + size - 1) % 12 + 1
            yield f"some time between {hour or 12} and {last} o'clock"
    for size in (1, 2, 3) if one and low != high else (1, 3) if one else ():
        start = low // (60 * size) * size
        end = start + size
        if 60 * start < low and high < 60 * end:
            yield f"some time between {_hour(start)} and {_hour(end)}"
            if size > 1:
                break
    if low == high == 720:
        yield "some time in the middle of the day"
    for part in ("early morning", "late morning", "early afternoon", "late afternoon",
                 "early evening", "late evening", "morning", "afternoon", "evening"):  # fmt: skip
        yield f"some time in the {part}"
    yield "some time in the middle of the day"
    yield "some time during the night"
    yield "a certain time"


def _hour(hour: int) -> str:
    if hour % 24 in (0, 12):
        return "noon" if hour == 12 else "midnight"
    return f"{hour if hour < 12 else hour - 12} {'a' if hour < 12 else 'p'}.m."


def _month_day(text: str, time: Temporal) -> Iterator[str]:
    early, late = time.last <= 10, time.first > 20
    yield f"a day {'early in' if early else 'late in' if late else 'in the middle of'} the month"
    yield "a day in the first half of the month"
    yield "a day after the first week of the month"
    yield "a certain day of the month"


def _weekday(text: str, time: Temporal) -> Iterator[str]:
    workday = all(high <= 4 for _, high in time.spans)
    day = "weekday" if workday else "day of the weekend"
    if time.clock is None:
        yield f"a {day}" if workday else "a day at the weekend"
        yield "a certain day"
        return
    part = re.search(r"morning|afternoon|evening|night", text, re.I)
    if part:
        word = part[0].lower()
        yield f"a {'weekday' if workday else 'weekend'} {word}"
        yield f"a certain {word}"
    else:
        yield f"a {day}" if workday else "a day at the weekend"
    yield "a certain time"


# --- relative times, frequencies --------------------------------------------------------------


def _relative(text: str, time: Temporal) -> Iterator[str]:
    way = re.search(r"\b(later|afterwards?|thereafter|late|earlier|before|previously|ago)\b", text)
    low, high = abs(time.first), abs(time.last)
    if way and time.first == time.last and time.first:
        word = {"late": "late", "ago": "ago"}.get(way[0], "later" if time.first > 0 else "earlier")
        length = Temporal(Kind.DURATION, ((low, high),), time.granularity)
        form = _Form(_NAMES[time.granularity], "", digits=bool(re.match(r"\d", text)))
        for amount in _amounts(length, form):
            yield f"{amount} {word}"
    if text.lower().startswith("later"):
        yield "some time later"
        return
    if RECENTLY in (low, high):
        yield "a coming day" if time.last else "a recent day"
        return
    follows = re.search(r"\b(?:next|following|same|previous|preceding|last)\b", text, re.I)
    what = "period" if math.isinf(low) or math.isinf(high) else "date"
    if time.clock and follows:
        yield f"{follows[0].lower()} day"
    if follows and (time.first > 0 or time.last < 0):
        yield f"{'a later' if time.first > 0 else 'an earlier'} {what}"
        return
    if time.first == 0 == time.last:
        yield "the same week"
        yield "the same month"
    elif time.first >= 0:
        if way and way[0] == "late":
            yield "some time late"
            return
        if time.last <= 2:
            yield "shortly afterwards"
        yield "some time later"
        yield "a later date"
    elif time.last <= 0:
        yield "some time earlier"
        yield "an earlier date"
    if not way:  # "a certain time" does not stand for "two weeks later"
        yield "a certain time"


def _every(text: str, time: Temporal) -> Iterator[str]:
    form = _Form(_NAMES[time.granularity], "")
    length = Temporal(Kind.DURATION, time.spans, time.granularity)
    for amount in _amounts(length, form):
        if amount[0].isdigit() or " to " in amount or amount.startswith("a few"):
            yield f"every {amount.removeprefix('a ')}"
    yield "at regular intervals"
