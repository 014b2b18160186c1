"""Durations, ages, frequencies and relative times: "two years and six months", "aged 34",
"every three months", "two weeks later", "the following day".
"""

from __future__ import annotations

import math
import re

from intact.english.numbers import DIGITS, TENS_PLURAL, VAGUE, WORDS, number, ordinal
from intact.english.time import DAYS, Granularity, Kind, Range, Temporal

UNITS: dict[str, Granularity] = {
    "second": Granularity.SECOND,
    "minute": Granularity.MINUTE,
    "hour": Granularity.HOUR,
    "day": Granularity.DAY,
    "week": Granularity.WEEK,
    "month": Granularity.MONTH,
    "year": Granularity.YEAR,
    "decade": Granularity.DECADE,
    "century": Granularity.CENTURY,
}
_ALIASES = {"centurie": "century", "night": "day", "fortnight": "week", "min": "minute"}
_ALIASES |= {"sec": "second", "hr": "hour", "mth": "month", "wk": "week", "yr": "year"}

_UNIT = r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|fortnights?"
_UNIT += r"|months?|mths?|years?|yrs?|decades?|century|centuries)"
_NUMBER = rf"(?:{DIGITS}|{WORDS}|an?)"
_VAGUE = "|".join(sorted(VAGUE, key=lambda word: -len(word)))
_KIND_OF = r"(?:(?:further|additional|more|other|consecutive|successive|full|whole|calendar|working"
_KIND_OF += r"|long|entire|complete|clear)\s)?"
_ABOUT = r"(?:(?:about|around|approximately|almost|nearly|roughly|some|at least|exactly|just)\s)?"
_TERM = re.compile(
    rf"\s*(?:(?P<low>{_NUMBER})(?:\s?-?\s?(?:-|to|or)\s?-?\s?)(?P<high>{_NUMBER})|(?P<one>{_NUMBER})"
    rf"|(?P<vague>{_VAGUE}))(?P<half>\sand\sa\shalf)?[\s-]*{_KIND_OF}{_UNIT}\b"
    r"(?P<later_half>\sand\sa\shalf)?"
)
_JOIN = re.compile(r"\s*(?:,\s*and\b|,|\band\b)\s*")
_MORE = re.compile(
    r"(?P<more>more than|over|at least|in excess of|upwards of|longer than|no less than)\s|"
    r"(?P<less>less than|under|up to|at most|no more than|not more than|fewer than|within|below"
    r"|shorter than|a maximum of)\s"
)
_BETWEEN = re.compile(r"(?:between|from)\s(?P<low>.+?)\s(?:and|to)\s(?P<high>.+)")
_TAIL = re.compile(r"(?:'s?|'|\s(?:long|in length|or so|altogether|in total|of age))$")
_AGE = re.compile(
    r"(?:at\s)?(?:the\s|an\s)?(?:age\s(?:of\s)?|aged\s)(?P<named>.+?)(?:\syears?(?:\sold)?)?"
    r"|(?:an?\s)?(?P<old>.+?)(?:[\s-]years?[\s-]olds?|\syears\sof\sage)"
    r"|(?:an?\s)?(?P<side>over|under)-(?P<limit>\d+)"
)
_TENS = TENS_PLURAL | {"teens": 10}
_DECADE_OF_LIFE = re.compile(
    r"(?:aged?\s)?(?:in\s)?(?:(?:his|her|their|the)\s)?(?:(?P<part>early|mid|late)[\s-])?"
    rf"(?P<tens>{'|'.join(_TENS)})"
)
_LATER = re.compile(
    r"(?P<what>.*?)\s?(?P<way>later|afterwards?|thereafter|hence|after that|late"
    r"|earlier|before(?:hand)?|previously|ago)"
)
_LATER_IN = re.compile(rf"later\s(?:on\s|in\s)?(?:the|that)\s(?:same\s)?{_UNIT}")
_NEXT = re.compile(
    r"(?:on\s|in\s)?(?:the\s|that\s)?(?P<way>next|following|very next|same|previous|preceding"
    rf"|last)\s(?:very\s|tax\s|financial\s|academic\s|calendar\s)?(?P<what>{_UNIT}"
    r"|(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)|morning|afternoon|evening|night)"
)
_TIMES = {"morning": (0, 720), "afternoon": (720, 1080), "evening": (1080, 1439)}
_NTH = re.compile(rf"(?:the\s)?(?P<nth>[a-z0-9-]+)(?:\sor\s(?P<or>[a-z0-9-]+))?\s{_UNIT}")


def parse_duration(text: str) -> Temporal | None:
    """A duration from a normalised text ("more than two years", "3-5 days"), or None.

    An exact duration holds one value; "between two and three years" a range in days.
    """
    span, grain = _length(text)
    return None if span is None else Temporal(Kind.DURATION, (span,), grain)


def parse_age(text: str) -> Temporal | None:
    """An age in completed years ("aged 34", "34-year-old", "in his thirties"), or None."""
    decade = _DECADE_OF_LIFE.fullmatch(text)
    if decade and text not in _TENS:
        low = _TENS[decade["tens"]]
        first, last = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}.get(decade["part"], (0, 9))
        return Temporal(Kind.AGE, ((low + first, low + last),), Granularity.YEAR)
    match = _AGE.fullmatch(text)
    if not match:
        return None
    if match["side"]:
        span = _count_range(f"{match['side']} {match['limit']}")
    else:
        span = _count_range(match["named"] or match["old"])
    return None if span is None else Temporal(Kind.AGE, (span,), Granularity.YEAR)


def parse_every(text: str) -> Temporal | None:
    """A frequency ("every three months", "every day"), or None."""
    if not text.startswith("every "):
        return None
    what = text.removeprefix("every ")
    if what.startswith("few "):
        what = f"a {what}"
    span, grain = _length(what)
    if span is None:
        span, grain = _length(f"one {what}")
    return None if span is None else Temporal(Kind.EVERY, (span,), grain)


def parse_relative(text: str) -> Temporal | None:
    """A time told from another ("two months later", "the following day"), or None.

    Offsets in days; "several years later" holds a range. A bare "later" is any time after.
    """
    return _next(text) or _offset(text) or _nth(text)


_ANYTHING = re.compile(
    r"(?:(?:at|on|in|for|during)\s)?(?:(?:an?|one|some|the)\s)"
    r"(?:(?:certain|unspecified|given|particular)\s"
    r"(?:date|day|week|month|year|hour|time|period|age|moment)(?:['’]s)?"
    r"|certain\s(?P<part>morning|afternoon|evening|night)|period of time|length of time"
    r"|regular intervals|time|day of the week|time of the day)|(?:at\s)?regular intervals"
    r"|certain (?:dates|years|times)|short|brief"
)
_PARTS_OF_DAY = {
    "morning": ((0.0, 720.0),),
    "afternoon": ((720.0, 1080.0),),
    "evening": ((1080.0, 1439.0),),
    "night": ((0.0, 360.0), (1200.0, 1439.0)),
}


def parse_anything(text: str) -> Temporal | None:
    """A statement that holds every date or duration ("a certain date", "a period of time")."""
    match = _ANYTHING.fullmatch(text)
    if not match:
        return None
    clock = _PARTS_OF_DAY[match["part"]] if match["part"] else None
    return Temporal(Kind.ANY, ((-math.inf, math.inf),), Granularity.CENTURY, clock)


_SET_PHRASES = {
    **{f"a later {what}": (Kind.RELATIVE, 0.0, math.inf) for what in ("date", "day", "period")},
    **{f"an earlier {what}": (Kind.RELATIVE, -math.inf, 0.0) for what in ("date", "day", "period")},
    "a recent day": (Kind.RELATIVE, -366.0, 0.0),
    "a coming day": (Kind.RELATIVE, 0.0, 366.0),
    "a day early in the month": (Kind.MONTH_DAY, 1.0, 12.0),
    "a day in the middle of the month": (Kind.MONTH_DAY, 10.0, 21.0),
    "a day late in the month": (Kind.MONTH_DAY, 20.0, 31.0),
    "a day in the first half of the month": (Kind.MONTH_DAY, 1.0, 16.0),
    "a day after the first week of the month": (Kind.MONTH_DAY, 8.0, 31.0),
    "a certain day of the month": (Kind.MONTH_DAY, 1.0, 31.0),
}


def _next(text: str) -> Temporal | None:
    known = _SET_PHRASES.get(text.removeprefix("on ").removeprefix("at "))
    if known is not None:
        return Temporal(known[0], ((known[1], known[2]),), Granularity.DAY)
    match = _NEXT.fullmatch(text)
    if not match:
        return None
    clock = _TIMES.get(match["what"])
    grain = _unit(match["unit"]) if match["unit"] else Granularity.DAY
    size = DAYS[grain]
    if match["weekday"]:
        if match["way"] == "same":
            return None
        back = match["way"] in ("previous", "preceding", "last")
        return Temporal(Kind.RELATIVE, ((-14.0, -1.0) if back else (1.0, 14.0),), grain)
    step = {"same": 0, "previous": -1, "preceding": -1, "last": -1}.get(match["way"], 1)
    if match["unit"] and match["unit"].endswith("s") and step:  # "the previous years"
        ends = sorted((step * size, step * math.inf))
        return Temporal(Kind.RELATIVE, ((ends[0], ends[1]),), grain)
    if grain <= Granularity.DAY:
        span = (step * size, step * size)
    else:  # the next month begins after up to one month and ends after up to two
        span = ((step - 1) * size, (step + 1) * size)
    return Temporal(Kind.RELATIVE, (span,), grain, (clock,) if clock else None)


def _offset(text: str) -> Temporal | None:
    within = _LATER_IN.fullmatch(text)
    if within:
        grain = _unit(within["unit"])
        last = DAYS[grain] if grain > Granularity.DAY else 0.0
        return Temporal(Kind.RELATIVE, ((0.0, last),), grain)
    match = _LATER.fullmatch(text)
    if not match:
        return None
    way = -1 if match["way"][:2] in ("ea", "be", "pr", "ag") else 1
    what = match["what"].strip().removeprefix("at a").removeprefix("some time").strip()
    if what in ("", "n", "soon", "shortly", "a little", "little", "some time", "not long", "much"):
        low, high = (0.0, math.inf)
        grain = Granularity.DAY
    else:
        span, grain = _length(what)
        if span is None:
            return None
        low, high = span
    ends = sorted((way * low, way * high))
    return Temporal(Kind.RELATIVE, ((ends[0], ends[1]),), grain)


def _nth(text: str) -> Temporal | None:
    """The "fourth or fifth day" of something."""
    match = _NTH.fullmatch(text)
    if not match:
        return None
    low = ordinal(match["nth"])
    high = ordinal(match["or"]) if match["or"] else low
    if low is None or high is None:
        return None
    grain = _unit(match["unit"])
    size = DAYS[grain]
    return Temporal(Kind.RELATIVE, (((low - 1) * size, (high - 1) * size),), grain)


def _length(text: str) -> tuple[Range | None, Granularity]:
    """A range of days and the finest unit named."""
    text = _TAIL.sub("", text.strip()).rstrip("'")
    between = _BETWEEN.fullmatch(text)
    if between:
        high, grain = _length(between["high"])
        low, low_grain = _length(between["low"])
        if low is None and high is not None:
            unit = re.search(rf"{_UNIT}$", between["high"])
            low, low_grain = _length(f"{between['low']} {unit[0]}") if unit else (None, grain)
        if low is None or high is None or low[0] > high[1]:
            return None, grain
        return (low[0], high[1]), min(grain, low_grain)
    bound = _MORE.match(text)
    rest = text[bound.end() :] if bound else text
    span, grain = _sum(rest)
    if span is None and not bound:
        span, grain = _sum(re.sub(rf"^{_ABOUT}", "", rest))
    if span is not None and bound:
        span = (span[0], math.inf) if bound["more"] else (0.0, span[1])
    return span, grain


def _sum(text: str) -> tuple[Range | None, Granularity]:
    """Terms added up: "two years, six months and three days"."""
    low = high = 0.0
    grain, position = Granularity.CENTURY, 0
    while True:
        match = _TERM.match(text, position)
        span = _term(match) if match else None
        if match is None or span is None:
            return None, Granularity.DAY
        unit = _unit(match["unit"])
        size = DAYS[unit] * (2 if match["unit"].startswith("fortnight") else 1)
        low, high, grain = low + span[0] * size, high + span[1] * size, min(grain, unit)
        position = match.end()
        if position == len(text):
            return (low, high), grain
        join = _JOIN.match(text, position)
        if not join:
            return None, Granularity.DAY
        position = join.end()


def _term(match: re.Match[str]) -> Range | None:
    half = 0.5 if match["half"] or match["later_half"] else 0.0
    if match["vague"]:
        return VAGUE[match["vague"]]
    one = match["one"] or f"{match['low']}-{match['high']}"  # "twenty-five" is one number
    value = None if one[0].isdigit() and not match["one"] else number(one)
    if value is not None or match["one"]:
        return None if value is None else (value + half, value + half)
    low, high = number(match["low"]), number(match["high"])
    return None if low is None or high is None or low > high else (low, high)


def _unit(word: str) -> Granularity:
    word = word.removesuffix("s")
    return UNITS[_ALIASES.get(word, word)]


def _count_range(text: str) -> Range | None:
    """A number or range of numbers: "34", "between 30 and 39", "over 50"."""
    text = re.sub(rf"^{_ABOUT}", "", text.strip())
    between = re.fullmatch(r"(?:(?:between|from)\s)?(.+?)-?\s?(?:-|\bto\b|\band\b)\s?(.+)", text)
    exact = number(text)
    if exact is not None:
        return exact, exact
    if between:
        low, high = number(between[1]), number(between[2])
        return None if low is None or high is None or low > high else (low, high)
    bound = _MORE.match(text)
    value = number(text[bound.end() :]) if bound else None
    if bound is None or value is None:
        return None
    inclusive = bound[0].strip() in ("at least", "at most", "up to", "no more than", "no less than")
    step = 0 if inclusive else 1
    return (value + step, 150.0) if bound["more"] else (0.0, value - step)
