"""Dates, times, ages, lengths of time, money, measures and counts.

What ``intact.english`` reads, and the rules of ``data/values.toml`` beside it, which are wider:
what they find is masked even where nothing but a label can stand for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from intact.detection.findings import Finding
from intact.detection.vocabulary import compiled, rules, vocabulary
from intact.domain import Span
from intact.english.quantities import QuantityKind
from intact.english.scan import PIECES, Value, scan
from intact.english.time import Granularity, Kind, Temporal

SURE, LIKELY, UNSURE = 0.98, 0.85, 0.55

_BARE_YEAR = re.compile(r"(?:1[5-9]|20)\d\d\Z")
_NOT_YEAR = compiled(vocabulary("courts")["no_year"], {})
_SCHOOL_YEAR = re.compile(r"year \d{1,2}\b", re.IGNORECASE)
_OF_AN_ACT = re.compile(r"\d+ of the \d{4}\b")
_COUNTED = re.compile(rf"\d|\b(?:{PIECES['cardinal']})\b", re.IGNORECASE)
_DATED = re.compile(r"\d|\bcentury\b", re.IGNORECASE)
_WRITTEN = re.compile(r"\d{1,2}[.:]\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d-\d\d")
_CLOCK = re.compile(
    r"(?:\d{1,2}(?:[.:h]\d\d)?(?::\d\d)?[ \u00a0]?(?:[ap]\.?m\.?)?|\d{4} ?h\w*|noon|midnight)\Z"
)


def values(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: "date", "time", "age", "duration", "money", "quantity", and
    "characteristic" for how many children and for an age that is a bare number.

    Args:
        text: any text.
        source: the detector's name.
    """
    for span, value in scan(text, _counts):
        kind, score = _kind(span.of(text), value) or ("quantity", UNSURE)
        topic = text.startswith("about the ", span.start)  # "talked about the winter of 2016"
        start = span.start + len("about ") if topic else span.start
        yield Finding(Span(start, span.end), kind, score, source)
    for rule in rules("values"):
        for found in rule.find(text, source):
            kind = _finer(rule.kind, found.span.of(text))
            if kind:
                yield Finding(found.span, kind, found.score, source)


def _finer(kind: str, shown: str) -> str:
    """What a rule's find is; "" if it is none."""
    if kind == "date":
        return "time" if _CLOCK.match(shown) else "date"
    if kind == "age":
        return "age" if any(map(str.isalpha, shown[:-1])) else "characteristic"
    if kind == "thing":
        return "" if shown.rpartition(" ")[2] in _not_counted() else "quantity"
    return kind


@lru_cache(1)
def _not_counted() -> frozenset[str]:
    return frozenset(vocabulary("values")["not_counted"]["words"].split())


def _counts(text: str, span: Span, value: Value) -> bool:
    kind = _kind(span.of(text), value)
    return kind is not None and (kind[0] == "money" or not _misread(text, span))


def _kind(shown: str, value: Value) -> tuple[str, float] | None:
    """The kind of statement, and how telling it is; None if it tells nothing."""
    if isinstance(value, Temporal):
        return _time(shown, value)
    if value.kind is QuantityKind.MONEY:
        return "money", SURE
    if _OF_AN_ACT.match(shown) or not any(map(str.isdigit, shown)):
        return None
    telling = value.kind in (QuantityKind.MEASURE, QuantityKind.SHARE)
    return ("quantity", UNSURE) if telling else None


def _time(shown: str, value: Temporal) -> tuple[str, float] | None:
    kind = value.kind
    day = kind is Kind.INTERVAL or (kind is Kind.PARTIAL and value.granularity is Granularity.DAY)
    if day and _DATED.search(shown):
        return "date", SURE
    if kind is Kind.CLOCK and _DATED.search(shown):
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
    if not re.fullmatch(r"[\d.:]+", shown):
        return False
    if _BARE_YEAR.match(shown):
        return _NOT_YEAR.search(before) is not None
    return _WRITTEN.fullmatch(shown) is None
