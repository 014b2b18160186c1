"""Dates, times, ages, lengths of time and money, as the parsers of ``intact.english`` read them.

A run of words that can belong to such a statement is looked for; of each run the longest part
that a parser understands whole is taken, from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from intact.detection.amounts import amounts
from intact.detection.findings import Finding
from intact.detection.occasions import occasions
from intact.domain import Span
from intact.english.quantities import CURRENCIES, QuantityKind, parse_quantity
from intact.english.scan import parse_temporal
from intact.english.time import Granularity, Kind

SURE, LIKELY, UNSURE = 0.98, 0.85, 0.55
_NO_START = frozenset("of and to from the in at a by x per".split())
_NO_END = frozenset("of and to the from in between about some over under a by x at".split())
_LONGEST = 12  # words; no statement is longer

_NUMBER = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    "|hundred|thousand|million|billion|first|second|third|half"
)
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_UNIT = "second|minute|hour|day|week|fortnight|month|year|decade|century|centurie"
_PART = (
    "early|late|mid|beginning|end|spring|summer|autumn|winter|morning|afternoon|evening|night"
    "|noon|midnight"
)
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MEASURE = (
    "percent|per|cent|%|kg|kilograms?|kilos?|grams?|tonnes?|tons?|km|kilometres?|metres?|cm|mm|litres?"
    "|miles?|hectares?|sq\\.?|square|m²|acres?|x|by"
)
_GLUE = (
    "of|and|to|between|from|the|age|aged|old|years?-old|in|about|approximately|some|over|under"
    "|nearly|at|a\\.m|p\\.m|am|pm|o['’]clock|ad|bc"
)
_RUN_WORD = re.compile(
    rf"(?P<digit>[£$€]?\d[\d.,:/-]*(?:st|nd|rd|th|s|%|k|m|bn|kg|km|cm|mm)?|(?:{_NUMBER})(?:-(?:{_NUMBER}|{_UNIT}s?))*)"
    rf"|(?P<name>{_MONTH}|{_WEEKDAY})|(?P<unit>{_UNIT})s?(?:['’]s?)?|(?P<part>{_PART})"
    rf"|(?P<measure>{_MEASURE})|(?P<glue>{_GLUE})",
    re.IGNORECASE,
)
_AMOUNT = r"\d[\d.,]*\d|\d"
_SCALE = r"(?:[ \u00a0](?:thousand|million|billion))?"
_TYPOGRAPHY = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-"})
_TOKEN = re.compile(r"[^\s,;()\[\]“”\"]+")
_GAP = re.compile(r"(?:[ \t\u00a0\u202f]|,[ \u00a0])\Z")
_BARE_YEAR = re.compile(r"(?:1[5-9]|20)\d\d\Z")
_NOT_YEAR = re.compile(
    r"(?:\b(?:nos?|law|act|article|section|paragraph|para|page|rule|§)\.?\s*|[§#/£$€]\s?)\Z",
    re.IGNORECASE,
)
_SCHOOL_YEAR = re.compile(r"year \d{1,2}\b", re.IGNORECASE)
_OF_AN_ACT = re.compile(r"\d+ of the \d{4}\b")
_HALF_DAY = re.compile(r"\b[ap]\.m\Z", re.IGNORECASE)
_COUNTED = re.compile(rf"\d|\b(?!second|half|first|third)(?:{_NUMBER})\b", re.IGNORECASE)
_PLAIN_DAYS = re.compile(r"\d|\bcentury\b", re.IGNORECASE)
_TELLING = {Kind.INTERVAL: SURE, Kind.PARTIAL: SURE, Kind.CLOCK: SURE, Kind.AGE: SURE}


def measures(text: str, source: str) -> Iterator[Finding]:
    """What ``text`` says in dates, times, ages, lengths of time, money and measures.

    Args:
        text: any.
        source: the detector's name.
    """
    text = text.translate(_TYPOGRAPHY)
    for match in _money().finditer(text):
        yield Finding(Span(*match.span()), "money", SURE, source)
    yield from amounts(text, source)
    yield from occasions(text, source)
    for run in _runs(text):
        at = 0
        while at < len(run):
            if run[at].of(text).lower() in _NO_START:
                at += 1
                continue
            for end in range(min(len(run), at + _LONGEST), at, -1):
                if run[end - 1].of(text).lower() in _NO_END:
                    continue
                span = Span(run[at].start, run[end - 1].end)
                kind = _kind(span.of(text))
                if kind is not None and not _misread(text, span):
                    dotted = text.startswith(".", span.end) and _HALF_DAY.search(span.of(text))
                    span = Span(span.start, span.end + bool(dotted))
                    yield Finding(span, kind[0], kind[1], source)
                    at = end
                    break
            else:
                at += 1


@lru_cache(1)
def _money() -> re.Pattern[str]:
    """Amounts with a currency before or behind, and in brackets what they are in another."""
    codes = sorted({currency.code for currency in CURRENCIES.values()} | {"TRL", "YTL"})
    short = {code.lower() for code in codes}
    names = sorted((name for name in CURRENCIES if name not in short), key=lambda n: (-len(n), n))
    signs = "|".join(re.escape(name) for name in names if not name[-1].isalpha())
    words = "|".join(re.escape(name).replace(r"\ ", r"\s") for name in names if name[-1].isalpha())
    code = rf"(?:{'|'.join(codes)})"
    about = r"(?:(?:approximately|about|some|almost|nearly|around)\s)?"
    front = rf"(?:{code}[ \u00a0]?|(?:{signs})[ \u00a0]?)(?:{_AMOUNT}){_SCALE}"
    back = rf"(?:{_AMOUNT}){_SCALE}[ \u00a0](?:{code}\b|(?i:{words})\b)"
    one = rf"{about}(?:{front}|{back})(?:[ ]\([“\"]?{code}[”\"]?\))?"
    return re.compile(rf"(?<![\w.,]){one}(?:[ ]\({one}(?: at the time)?\))?")


def _runs(text: str) -> Iterator[list[Span]]:
    """Words side by side that can belong to a date, a length or an amount, with a telling one."""
    run: list[Span] = []
    telling = False
    for match in _TOKEN.finditer(text):
        word = match.group().rstrip(".:!?")
        found = _RUN_WORD.fullmatch(word) or _RUN_WORD.fullmatch(match.group())
        span = Span(match.start(), match.start() + len(found.group())) if found else None
        if span is None or (run and not _GAP.match(text[run[-1].end : span.start])):
            if telling:
                yield run
            run, telling = [], False
        if span is not None and found is not None:
            run.append(span)
            telling = telling or found.lastgroup in ("digit", "name", "unit")
    if telling:
        yield run


@lru_cache(1 << 14)
def _kind(shown: str) -> tuple[str, float] | None:
    """The kind of statement, and how telling it is; None if it is none."""
    temporal = parse_temporal(shown)
    if temporal is not None:
        return _temporal_kind(shown, temporal.kind, temporal.granularity)
    quantity = parse_quantity(shown)
    if quantity is None or not any(char.isdigit() for char in shown) or _OF_AN_ACT.match(shown):
        return None
    if quantity.kind in (QuantityKind.MEASURE, QuantityKind.SHARE):
        return "quantity", UNSURE
    return None


def _temporal_kind(shown: str, kind: Kind, granularity: Granularity) -> tuple[str, float] | None:
    if kind is Kind.INTERVAL and _PLAIN_DAYS.search(shown):
        return "date", SURE
    if kind is Kind.PARTIAL and granularity is Granularity.DAY and _PLAIN_DAYS.search(shown):
        return "date", SURE
    if kind is Kind.CLOCK and _PLAIN_DAYS.search(shown):
        return "time", LIKELY
    if kind is Kind.AGE:
        return "age", SURE
    if kind is Kind.DURATION and _COUNTED.search(shown) and " the " not in shown:
        return "duration", UNSURE
    return None


def _misread(text: str, span: Span) -> bool:
    """Whether a bare number that looks like a year or a time is something else here."""
    shown = span.of(text)
    before, after = text[max(0, span.start - 14) : span.start], text[span.end : span.end + 2]
    if re.match(r"[\w/§]|[.,:-]\d", after) or re.search(r"[\w/§-]\Z", before):
        return True
    if _SCHOOL_YEAR.match(shown):
        return True
    bare = re.fullmatch(r"[\d.:]+", shown)
    if not bare:
        return False
    if _BARE_YEAR.match(shown):
        return _NOT_YEAR.search(before) is not None
    return (
        re.fullmatch(r"\d{1,2}[.:]\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d-\d\d", shown)
        is None
    )
