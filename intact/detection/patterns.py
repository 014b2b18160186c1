"""Find what is recognised by its form: net addresses, numbers of accounts and files, telephone
numbers, dates, times, ages, money, measures, and whatever the rules of the data files describe.

The rules of ``data/values.toml`` find more than ``intact.english`` reads: their finds are masked
even where only a label can replace them.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from types import ModuleType

from stdnum import iban, luhn

from intact.detection.findings import Finding
from intact.domain import Covered, Span
from intact.english.quantities import CURRENCIES, QuantityKind
from intact.english.scan import PIECES, Value, scan
from intact.english.time import Granularity, Kind, Temporal
from intact.english.vocabulary import filled, read_patterns, vocabulary

# --- words and rules of the data files -------------------------------------------------------

_DATA = Path(__file__).resolve().parent / "data"
load_words = partial(vocabulary, folder=_DATA)  # reads the tables of ``data/<name>.toml``, once
# Domain packs that hold rules: the words of one field. ``courts`` holds none.
PACKS = ("traits", "everyday", "health", "work")
_PIECES = PIECES | {"code": "|".join(sorted({each.code for each in CURRENCIES.values()}))}
# Compiles the patterns of a table of ``data/<name>.toml``.
read_forms = partial(read_patterns, pieces=_PIECES, folder=_DATA)
_LOG = 3  # lines that begin alike, from which a text counts as a log


@dataclass(frozen=True, slots=True)
class CueRule:
    """A pattern, and what it finds: its group "what", or the whole match if that group is missing
    or empty."""

    kind: str
    score: float
    pattern: re.Pattern[str]
    needs: Sequence[str] = ()  # if none of these strings is in a text, the pattern is not tried
    # If fewer than three lines of a text begin with this, the pattern is not tried.
    lines: re.Pattern[str] | None = None
    check: str = "any"  # what else must hold of a match: a name of ``_CHECKS``

    def find(self, text: str, source: str) -> Iterator[Finding]:
        """Yield a finding for each match of the rule's pattern that passes its check, in text
        order: of the group "what" or, if that is missing or empty, of the whole match. Nothing if
        the text has not the strings or lines that the rule needs.

        Args:
            text: the document.
            source: the name that the findings carry.
        """
        if self.needs and not any(word in text for word in self.needs):
            return
        if self.lines is not None and len(self.lines.findall(text)) < _LOG:
            return
        group, holds = "what" if "what" in self.pattern.groupindex else 0, _CHECKS[self.check]
        for match in self.pattern.finditer(text):
            if holds(match[0], text[max(0, match.start() - _BEFORE) : match.start()]):
                own = group if match[group] else 0
                yield Finding(Span(*match.span(own)), self.kind, self.score, source)


@lru_cache(16)
def rules(name: str, table: str = "rule") -> tuple[CueRule, ...]:
    """Read the rules of a table, in order.

    Args:
        name: of a file, ``data/<name>.toml``.
        table: of that file.
    """
    tables, written = load_words(name), ("pattern", "lines")
    pieces = tables.get("pieces", {}) | _PIECES
    return tuple(
        CueRule(**row | {k: re.compile(filled(row[k], pieces)) for k in written if k in row})
        for row in tables[table]
    )


def packs(text: str, source: str) -> Iterator[Finding]:
    """Yield a finding for each match of the rules of all domain packs (traits, everyday life,
    health, work), rule by rule; they may overlap.

    Args:
        text: the document.
        source: the name that the findings carry.
    """
    for name in PACKS:
        for rule in rules(name):
            yield from rule.find(text, source)


# --- dates, times, ages, money, measures -----------------------------------------------------

TOLD, PROBABLE, UNSURE = 0.98, 0.85, 0.55

_NOT_COUNTED = frozenset(load_words("values")["not_counted"]["words"].split())
_FIGURES = read_forms("values")


def values(text: str, source: str) -> Iterator[Finding]:
    """Yield findings of dates, times, ages, durations, money and measures, and of how many children
    there are ("characteristic"): first those that are read as values, then those of rules. They
    may overlap.

    Args:
        text: the document.
        source: the name that the findings carry.
    """

    def counts(text: str, span: Span, value: Value) -> bool:
        """Tell whether a value says something and is not misread.

        Args:
            text: the document.
            span: where the value stands.
            value: what it says.
        """
        kind = _kind(span.of(text), value)
        return kind is not None and (kind[0] == "money" or not _misread(text, span))

    for span, value in scan(text, counts):
        kind, score = _kind(span.of(text), value) or ("quantity", UNSURE)
        figures = Span(span.start, span.start + 4)  # of "paid 1912 in May", too
        told = (figures, "quantity") if is_sum(text, figures) else (span, kind)
        yield Finding(*told, score, source)
    for rule in rules("values"):
        for finding in rule.find(text, source):
            kind = _finer(rule.kind, finding.span.of(text))
            if kind:
                yield Finding(finding.span, kind, finding.score, source)


def _finer(kind: str, shown: str) -> str:
    """Return the final kind of what a rule found: "time" for a date that is an hour,
    "characteristic" for an age without words ("34", "34F"), "quantity" for a counted thing, or ""
    for a thing that is not to be masked ("two cases"). Other kinds stay as they are.

    Args:
        kind: the rule's own kind.
        shown: the text found.
    """
    if kind == "date":
        return "time" if _FIGURES["clock"].match(shown) else "date"
    if kind == "age":
        return "age" if any(map(str.isalpha, shown[:-1])) else "characteristic"
    if kind == "thing":
        return "" if shown.rpartition(" ")[2] in _NOT_COUNTED else "quantity"
    return kind


def _kind(shown: str, value: Value) -> tuple[str, float] | None:
    """Choose the kind of a date, amount or age ("date", "time", "age", "duration", "money",
    "quantity") and the finding's score, how likely such a text is to be personal, in (0, 1]; None
    if it says nothing of anybody, as a date without a digit or century ("in May"), or a bare count.

    Args:
        shown: its text.
        value: the same as it was read.
    """
    kind = value.kind
    if isinstance(value, Temporal):
        day = kind is Kind.PARTIAL and value.granularity is Granularity.DAY
        if (day or kind is Kind.INTERVAL) and _FIGURES["day"].search(shown):
            return "date", TOLD
        if kind is Kind.CLOCK and _FIGURES["day"].search(shown):
            return "time", PROBABLE
        if kind is Kind.AGE:
            return "age", TOLD
        return ("duration", UNSURE) if kind is Kind.DURATION else None
    if kind is QuantityKind.MONEY:
        return "money", TOLD
    telling = kind in (QuantityKind.MEASURE, QuantityKind.SHARE)
    return ("quantity", UNSURE) if telling and any(map(str.isdigit, shown)) else None


def is_sum(text: str, span: Span) -> bool:
    """Tell whether four figures are a sum of money, by the words before them or by what else their
    column or field holds: in "Arrears: 1912" they are no year, and 1340 in that column is no hour.
    False for anything but four figures.

    Args:
        text: the document.
        span: of what may be a year or an hour, or of its first four characters.
    """
    figures = _FIGURES["four"].match(text, span.start)
    if not figures or figures.end() != span.end:
        return False
    told = _FIGURES["sum_before"].search(_line_before(text, span.start)[-_SAID:])
    return told is not None or any(map(_FIGURES["sum"].fullmatch, _column_of(text, span)))


_NEAR, _LINE = 4000, 160  # characters; columns and lines may be as long as the text
_SAID = 48  # characters before a sum that are looked at
_NO_CHANCE = 3  # more numbers than this that count up are no coincidence


def _line_before(text: str, at: int) -> str:
    """Return what stands in a line before an offset, at most its last 160 characters."""
    return text[max(0, at - _LINE) : at].rpartition("\n")[2]


def _column_of(text: str, span: Span) -> list[str]:
    """List the contents of nearby lines that begin with the same heading as the line of some words:
    the cells of their column, or the fields of that name, their own included. [] if the words do
    not stand right after a heading, which ends in a colon and a blank ("Arrears: ").

    Args:
        text: the document.
        span: of the words.
    """
    head = _line_before(text, span.start)
    near = text[max(0, span.start - _NEAR) : span.end + _NEAR]
    return re.findall(rf"(?m)^{re.escape(head)}(.+)$", near) if head.endswith(": ") else []


def numbers_row(text: str, span: Span) -> bool:
    """Tell whether a span is the number of a row of a table: the cells of its column count up by 1,
    in two rows or more from 1 on, or in more than three from another number on.

    Args:
        text: the document.
        span: of what was found.
    """
    column = _column_of(text, span) if span.of(text).isdigit() else []
    first = int(column[0]) if column and column[0].isdecimal() else 0
    counted = [*map(str, range(first, first + len(column)))]
    return column == counted and len(column) > (1 if first == 1 else _NO_CHANCE)


def _misread(text: str, span: Span) -> bool:
    """Tell whether a bare number that looks like a year or a time is something else: a number after
    a word that no year follows, or one with full stops that is not written like a date."""
    shown = span.of(text)
    if _FIGURES["bare_year"].match(shown):
        return bool(_FIGURES["no_year"].search(text, max(0, span.start - 14), span.start))
    return bool(_FIGURES["stops"].fullmatch(shown)) and not _FIGURES["written"].fullmatch(shown)


# --- codes and numbers -----------------------------------------------------------------------

SURE, LIKELY = 0.99, 0.9
# The least letters of a word in base64: of one that decodes to text, and of one that does not.
_ENCODED_FROM, _BINARY_FROM = 12, 40

_FORMS = read_forms("codes")
_LAW = read_forms("courts")["cited"]
# What is nobody's: the clock before a line of a chat, a greeting to a role, fields of forms, what
# clinicians measure, and greetings and closings of letters in other languages.
NOBODYS = read_forms("everyday", table="nobodys")["pattern"]


class PatternFinder:
    """Finds what can be recognised by its form."""

    name = "patterns"

    def find(self, text: str) -> list[Finding]:
        """Return findings of what is recognised by its form alone: telephone numbers, net and other
        addresses, codes and numbers, dates, times, ages and amounts, not in text order. They may
        overlap, but no code overlaps a telephone number or address, and no date or amount a sure
        code."""
        formed = (*rules("codes", "found"), *rules("values", "noted"))
        findings = [*_phones(text), *(one for rule in formed for one in rule.find(text, self.name))]
        taken = Covered(text, (finding.span for finding in findings))
        others = (one for rule in rules("codes", "code") for one in rule.find(text, self.name))
        codes = [one for one in (*_cued(text), *others) if not taken.touches(one.span)]
        sure = Covered(text, (one.span for one in codes if one.score >= LIKELY))
        findings += (one for one in values(text, self.name) if not sure.touches(one.span))
        return [*findings, *codes]


def _phones(text: str) -> Iterator[Finding]:
    """Yield a finding for each telephone number that is valid in Britain or the USA, or with its
    country's code; one that is valid in both is found twice."""
    chunks = list(_FORMS["called"].finditer(text))
    if not chunks:
        return
    from phonenumbers import Leniency, PhoneNumberMatcher  # takes a while

    for chunk in chunks:
        at, shown = chunk.start(), chunk.group()
        dated = re.fullmatch(r"[\d./-]{6,10}", shown) or re.search(r"\d{4}[-/]\d{4}", shown)
        if dated and "+" not in shown:
            continue
        for region in ("GB", "US"):
            for match in PhoneNumberMatcher(shown, region, leniency=Leniency.VALID):
                score = SURE if "+" in shown else LIKELY
                span = Span(at + match.start, at + match.end)
                yield Finding(span, "phone", score, PatternFinder.name)


def _is_base64(word: str) -> bool:
    """Tell whether a word is base64, of a length that four divides: of a text, if it is padded with
    "=" or has twelve characters or more, with digits or capitals as words do not have them; of
    binary data, if it has these and forty characters or more."""
    odd = any(map(str.isdigit, word)) or not (word[1:].islower() or word.isupper())
    if len(word) % 4 or not (word.endswith("=") or (odd and len(word) >= _ENCODED_FROM)):
        return False
    with suppress(ValueError):
        return b64decode(word).decode("utf-8").isprintable()
    return odd and len(word) >= _BINARY_FROM


def _is_ip(shown: str) -> bool:
    """Tell whether a text is an IP address (version 4 or 6) of more than four characters."""
    with suppress(ValueError):
        ip_address(shown)
        return len(shown) > 4  # no "::1", and no clock times
    return False


def _is_card(text: str) -> bool:
    """Check the check digit of a card number (ISO/IEC 7812, Luhn's rule); False if all digits are
    the same."""
    digits = "".join(filter(str.isdigit, text))
    return len(set(digits)) > 1 and luhn.is_valid(digits)


@lru_cache(1)
def _personal_schemes() -> tuple[ModuleType, ...]:
    """Return the modules of stdnum that check numbers of persons (social security, tax)."""
    return tuple(import_module(f"stdnum.{name}") for name in load_words("codes")["persons"].split())


_BEFORE = 30  # characters
# By name, what must hold of the words that a rule finds and of those before them.
_CHECKS: Mapping[str, Callable[[str, str], bool]] = {
    "any": lambda shown, before: True,
    "base64": lambda shown, before: _is_base64(shown),
    "ip": lambda shown, before: _is_ip(shown),
    "iban": lambda shown, before: iban.is_valid(shown),
    "card": lambda shown, before: _is_card(shown),
    "account": lambda shown, before: bool(_FORMS["account_cue"].search(before)),
    "person": lambda shown, before: any(one.is_valid(shown) for one in _personal_schemes()),
    "uncited": lambda shown, before: not (_LAW.search(before) or _FORMS["no_code"].match(shown)),
}


def _cued(text: str) -> Iterator[Finding]:
    """Yield findings of the numbers of files, cases and passports that follow a word for them
    ("case no. 12/04 and 13/04"), in text order; none for cited laws, nor for a single digit."""
    for cued in _FORMS["cued"].finditer(text):
        code = None if _LAW.search(text, max(0, cued.start() - _BEFORE), cued.start()) else cued
        while code:
            if not code["code"].isdigit() or len(code["code"]) > 1:
                yield Finding(Span(*code.span("code")), "code", LIKELY, PatternFinder.name)
            more = _FORMS["more"].match(text, code.end())
            code = more if more and re.search(r"\d{3}|/", more["code"]) else None
