"""Days and times that are no whole dates: weekdays, months, holidays, "last week", clock times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from intact.detection.findings import Finding
from intact.domain import Span

SURE, LIKELY, UNSURE = 0.98, 0.8, 0.55

_DAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_PART = "morning|afternoon|evening|night|lunchtime|noon"
_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a|a few|several|\\d{1,3}"
_UNIT = "minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|years?|decades?"
_FEAST = (
    "Christmas|Xmas|Easter|Ramadan|Eid(?: al-\\w+)?|Diwali|Hanukkah|Passover|Yom Kippur|Pentecost"
    "|Good Friday|Ash Wednesday|Palm Sunday|Thanksgiving|Halloween|Midsummer|Nowruz|Epiphany"
)
_DAYS = (
    "New Year['’]?s|Boxing|Ascension|Valentine['’]?s|Mother['’]?s|Father['’]?s|Labou?r|Independence"
    "|Memorial|Veterans|Anzac|ANZAC|Australia|Canada|Bastille|St Patrick['’]?s|All Saints['’]?"
)
_PATTERNS = (
    (rf"\b(?:{_DAY})s?(?: (?:{_PART}))?\b", LIKELY),
    (r"\b(?:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun),?(?= \d)", LIKELY),
    (
        rf"(?:(?<=\b[Ii]n )|(?<=\bsince )|(?<=\buntil )|(?<=\bby )|(?<=\bfrom )|(?<=\bfor )"
        rf"|(?<=\bof )|(?<=\bto )|(?<=\btill )"
        rf"|(?<=\bduring )|(?<=\band ))(?:early |late |mid[- ])?(?:{_MONTH})\b(?! [a-z]+ (?:be"
        rf"|have)\b)",
        LIKELY,
    ),
    (
        rf"\b(?:[Ll]ast|[Nn]ext|[Tt]he previous|[Tt]he following) (?:(?i:{_DAY}|{_MONTH})"
        rf"|week|weekend|month|year|spring|summer"
        r"|autumn|winter|night|Christmas|Easter)\b",
        UNSURE,
    ),
    (rf"\b(?:{_NUMBER}) (?:{_UNIT}) (?:ago|earlier|before that|later)\b", LIKELY),
    (
        rf"\b(?:half an? (?:century|hour|day|year|decade)|(?:{_NUMBER}) (?:and a half )?nights)\b",
        UNSURE,
    ),
    (
        r"\b[Yy]esterday\b|\b[Tt]omorrow\b|\b[Tt]he day (?:before yesterday|after tomorrow)\b",
        UNSURE,
    ),
    (
        rf"\b(?:(?:{_FEAST})(?: (?:Day|Eve|Monday|Sunday|week))?|(?:{_DAYS}) (?:Day|Eve))\b"
        r"(?: (?:19|20)\d\d\b)?",
        LIKELY,
    ),
    (r"(?<![\w.,:/£$€-])(?:[01]?\d|2[0-3])(?:[.:][0-5]\d)?[ \u00a0]?(?:[ap]\.m\.|[ap]m\b)", SURE),
    (r"(?<![\w.,:/£$€-])(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\w:/]|[.,]\d)", LIKELY),
    (r"(?<![\w.,:/£$€-])(?<=at )(?:[01]?\d|2[0-3])[.:h][0-5]\d(?![\w:/]|[.,]\d)", LIKELY),
    (r"\b(?:[01]\d|2[0-3])[0-5]\d[ ]?(?:hours|hrs|h)\b", SURE),
    (r"(?<=\bat )(?:noon|midnight)\b", UNSURE),
    (
        r"\b(?:19|20)\d\d-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:[.]\d+)?)?(?:Z"
        r"|[+-]\d\d:?\d\d)?",
        SURE,
    ),
    (
        r"(?<![\w/.-])(?:0?[1-9]|[12]\d|3[01])[/.-](?:0?[1-9]|1[0-2])[/.-](?:19|20)?\d\d(?![\w/-]"
        r"|[.]\d)",
        SURE,
    ),
    (
        r"(?<![\w/.-])(?:0?[1-9]|1[0-2])[/-](?:0?[1-9]|[12]\d|3[01])[/-](?:19|20)?\d\d(?![\w/-]"
        r"|[.]\d)",
        SURE,
    ),
    (
        r"(?:(?<=\bon )|(?<=\bsince )|(?<=\buntil )|(?<=\bby ))the (?:(?:thir|four|fif|six|seven"
        r"|eigh"
        r"|nine)teenth|(?:twenty-|thirty-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth"
        r"|ninth)|tenth|eleventh|twelfth|twentieth|thirtieth)(?: of the month)?(?=[,.;]|$)",
        UNSURE,
    ),
)
_CLOCK = re.compile(
    r"(?:\d{1,2}(?:[.:h]\d\d)?(?::\d\d)?[ \u00a0]?(?:[ap]\.?m\.?)?|\d{4} ?h\w*|noon|midnight)\Z"
)
_BRIEF = re.compile(
    r"(?<![\w/.-])\d{1,2}(?:st|nd|rd|th)? (?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov"
    r"|dec)\b\.?",
    re.IGNORECASE,
)
_AGE = (
    (r"(?<=[^\W\d_], )(?:1[0-9]|[2-9]\d)(?=, |\.\s|\)|$)", 0.6),
    (
        r"\b(?!Article|Section|Rule|Art|Law|No|Act|Chapter|Part|Annex)[A-Z][\w-]{1,40}"
        r" \((?P<what>[1-9]\d?)\)",
        0.6,
    ),
    (
        r"\b(?:[1-9]\d?)[ ]?(?:yo|y/o|yrs?|yr[- ]old|years?[- ]old|months?[- ]old|M|F|m/o)\b(?!"
        r" \d)",
        LIKELY,
    ),
    (
        r"\b(?:[Ii]['’]?m|[Ii] am|is|was|turned|turns|turning|aged) (?P<what>[1-9]\d)\b(?=[,.;)]|"
        r" and | when |\n|$)",
        LIKELY,
    ),
    (
        r"\b(?:[1-9]\d?(?:st|nd|rd|th)|(?:eigh|twen|thir|for|fif|six|seven|nine)\w*th) birthday\b",
        LIKELY,
    ),
    (
        r"\bin (?:his|her|their|my) (?:early |late |mid[- ])?(?P<what>(?:teens|twenties|thirties"
        r"|forties|fifties|sixties|seventies|eighties|nineties))\b",
        LIKELY,
    ),
)


def occasions(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: "date", "time" and "age".

    Args:
        text: any.
        source: the detector's name.
    """
    for pattern, score in _compiled(_PATTERNS):
        for match in pattern.finditer(text):
            kind = "time" if _CLOCK.match(match.group()) else "date"
            yield Finding(Span(*match.span()), kind, score, source)
    for match in _BRIEF.finditer(text):
        yield Finding(Span(*match.span()), "date", LIKELY, source)
    for pattern, score in _compiled(_AGE):
        for match in pattern.finditer(text):
            group = "what" if "what" in pattern.groupindex else 0
            span = Span(*match.span(group))
            told = any(char.isalpha() for char in span.of(text)[:-1])
            yield Finding(span, "age" if told else "characteristic", score, source)


def _compiled(table: tuple[tuple[str, float], ...]) -> Iterator[tuple[re.Pattern[str], float]]:
    return ((re.compile(pattern), score) for pattern, score in table)
