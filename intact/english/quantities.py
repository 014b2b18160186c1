"""Texts to quantities: money, counts, shares, measures, ordinals; and which contains which.

All of a text must be understood; if not, it is no quantity (None).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from intact.english import numbers
from intact.english.grammar import singular
from intact.english.time import parse_duration
from intact.english.vocabulary import either, read_patterns, vocabulary

_LONGEST = 200
_WORDS = vocabulary("quantities")
_SHORT_RATES: dict[str, str] = _WORDS["short_rates"]


class Currency(NamedTuple):
    """A currency: its ISO 4217 code and its plural name."""

    code: str
    name: str


def _by_writing(table: str, first: int) -> dict[str, list[str]]:
    """Map each way of writing a unit, in lower case, to the cells of its row in a table of units,
    without the last cell, which lists further ways.

    Args:
        table: of ``units.toml``: "currencies" or "measures".
        first: the index of the first cell that is a way of writing the unit.
    """
    rows: dict[str, list[str]] = {}
    for line in vocabulary("units")[table].strip().splitlines():
        *cells, others = line.split("|")
        for written in (*cells[first:], *filter(None, others.split(","))):
            rows.setdefault(written.lower(), cells)
    return rows


CURRENCIES = {
    written: Currency(code, name) for written, (code, name) in _by_writing("currencies", 0).items()
}  # every way of writing a currency, in lower case -> the currency
# Every way of writing a unit, in lower case -> what it measures, and how many base units it is:
# metres, square metres, kilograms, litres, kilometres per hour.
_MEASURES = {
    written: (dimension, float(factor))
    for written, (dimension, factor, _) in _by_writing("measures", 2).items()
}


class QuantityKind(StrEnum):
    """The kind of what is counted or measured."""

    COUNT = "count"
    MONEY = "money"
    MEASURE = "measure"
    SHARE = "share"  # percentages and fractions, as a part of one
    ORDINAL = "ordinal"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity, or a range of them."""

    kind: QuantityKind
    ranges: tuple[numbers.Range, ...]  # inclusive, in base units; several for "2 x 1 cm"
    unit: str = ""  # currency code, dimension of a measure, noun counted; "" means any
    before: str = ""  # text as written before the number ("GBP ")
    after: str = ""  # text as written after it (" other defendants")
    factor: float = 1.0  # size of the written unit in base units

    @property
    def low(self) -> float:
        """Return the least value that the quantity may have, in base units."""
        return min(low for low, _ in self.ranges)

    @property
    def high(self) -> float:
        """Return the greatest value that the quantity may have, in base units; it may be
        infinite."""
        return max(high for _, high in self.ranges)

    def contains(self, other: Quantity) -> bool | None:
        """Check that every value that another quantity may have lies within this one.

        A quantity of several numbers ("2 x 10 cm") reaches from its least to its greatest, unless
        the other has as many. None if they do not compare: of another kind, or of another unit
        than this one has; without a unit, this one takes any ("ten" contains "10 people")."""
        if self.kind is not other.kind or (self.unit and self.unit != other.unit):
            return None
        if 1 < len(self.ranges) == len(other.ranges):
            return all(map(_within, other.ranges, self.ranges))
        hull = (self.low, self.high)
        return all(_within(inner, hull) for inner in other.ranges)

    def same(self, other: Quantity) -> bool:
        """Check whether both are the same quantity, in whatever notation. A missing unit matches
        any."""
        if self.kind is not other.kind or (self.unit and other.unit and self.unit != other.unit):
            return False
        return len(self.ranges) == len(other.ranges) and all(
            _within(a, b) and _within(b, a) for a, b in zip(self.ranges, other.ranges, strict=True)
        )

    def canonical(self) -> str:
        """Return a text that is equal for equal quantities, with each range as "least/greatest" (an
        open end is "inf"), joined by commas, and the unit, but not the kind: "number:50/100
        person", "number:2e+07/5e+07 GBP", "number:0.2/0.2"."""
        spans = ",".join(f"{low:.12g}/{high:.12g}" for low, high in self.ranges)
        return f"number:{spans} {self.unit}".rstrip()


@lru_cache(1 << 14)
def parse_quantity(text: str) -> Quantity | None:
    """Return the sum of money, share, measure, length of time, ordinal or count that all of a text
    states, tried in this order; None if it states none, or anything else as well, or has more than
    200 characters. "About 40 people" is exactly 40, and vague words are ranges (see
    ``numbers.leading_amount``)."""
    if len(text) > _LONGEST:
        return None
    text = numbers.plain(text).strip(" ,;:")
    text = _FORMS["half"].sub("0.5 ", _WORDS["times"].get(text.lower(), text))
    text = _FORMS["thousands"].sub(" thousand", text)
    return next((quantity for read in _READERS if (quantity := read(text)) is not None), None)


def _within(inner: numbers.Range, outer: numbers.Range) -> bool:
    """Tell whether a range lies in another one, but for errors of rounding."""
    slack = 1e-9 * max(1.0, abs(inner[0]))
    beyond = inner[1] > outer[1] and not math.isclose(inner[1], outer[1], rel_tol=1e-9)
    return outer[0] <= inner[0] + slack and not beyond


# --- money --------------------------------------------------------------------------------


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern (as text) that matches any of some words, longer ones first; words that
    begin or end with a letter match only as whole words."""
    return rf"(?:\b|(?![^\W\d]))(?:{either(words)})(?:(?<![^\W\d])|(?![^\W\d]))"


def _code(written: str) -> str:
    """Return the ISO 4217 code of a currency, in whatever way it is written. Old and new currencies
    of one name share the newer one's."""
    return CURRENCIES[CURRENCIES[written.lower()].name.lower()].code


def _money(text: str) -> Quantity | None:
    """Return a sum of money: vague ("a six-figure sum"), in local currency, or with its currency;
    None unless all of the text is such a sum."""
    general = _FORMS["sum"].fullmatch(text)
    if general:
        return _sum_of_money(general)
    local = _FORMS["local"].fullmatch(text)
    local_amount = numbers.whole_amount(local["amount"]) if local else None
    if local_amount:
        return Quantity(QuantityKind.MONEY, (local_amount,))
    return _currency_amount(text)


def _sum_of_money(general: re.Match[str]) -> Quantity | None:
    """Return the sum of "a six-figure sum in euros", from 100,000 to a million. Without figures it
    may be any sum (0 to infinity), without a currency of any (unit ""); None for an unknown
    currency."""
    currency = general["currency"] or ""
    if currency and currency.lower() not in CURRENCIES:
        return None
    code = _code(currency) if currency else ""
    digits = numbers.number(general["figures"].lower()) if general["figures"] else None
    low, high = (10 ** (digits - 1), float(10**digits)) if digits else (0.0, math.inf)
    return Quantity(QuantityKind.MONEY, ((low, high),), code)


def _currency_amount(text: str) -> Quantity | None:
    """Return an amount with its currency before or after it ("GBP 20 a week"), of any size if its
    figures cannot be read; None if there is no amount, no currency, or several currencies."""
    head = re.split(r"\s?[(;]", _FORMS["tax"].sub("", text), maxsplit=1)[0].strip(" )")
    head = _FORMS["short_rate"].sub(lambda rate: f" a {_SHORT_RATES[rate['unit'].lower()]}", head)
    head, shillings = _FORMS["shillings"].subn("", head)
    marks = list(_FORMS["currency"].finditer(head))
    codes = list(dict.fromkeys(_code(mark[0]) for mark in marks))
    if len(codes) > 1 or not (marks or shillings):
        return None
    bare = _FORMS["short_scale"].sub(
        lambda scale: f" {_WORDS['scales'][scale[1].lower()]}", _FORMS["currency"].sub(" ", head)
    )
    amount = numbers.leading_amount(" ".join(bare.split()))
    rate = _FORMS["rate"].search(amount[1]) if amount else None
    if rate and amount:
        amount = amount[0], amount[1][: rate.start()]
    if amount is None or amount[1].strip(" .") not in ("", "of"):
        if re.search(r"[^\W\d]", bare) or not re.search(r"\d", bare):
            return None
        amount = (0.0, math.inf), ""  # a sum of which the figures cannot be read
    before = _currency_before(head, marks[0]) if marks else ""
    after = "" if before else f" {marks[-1][0]}" if marks else "/-"
    rated = f" {rate[0].strip()}" if rate else ""
    return Quantity(QuantityKind.MONEY, (amount[0],), "".join(codes), before, after + rated)


def _currency_before(head: str, mark: re.Match[str]) -> str:
    """Return the currency as it stands before its number, with the blank after it if one belongs
    there ("GBP "); "" if it follows the number.

    Args:
        head: the amount with its currency.
        mark: where the currency stands in it.
    """
    leading, glued = head[: mark.start()], head[mark.end() : mark.end() + 1].isdigit()
    first = not re.search(r"\d|\w{3}", leading) or not leading
    if not first and not re.fullmatch(numbers.ABOUT, leading, re.IGNORECASE):
        return ""
    return mark[0] + " " * ((mark[0][-1].isalpha() or mark[0][-1] == ".") and not glued)


# --- shares -------------------------------------------------------------------------

_TABLES = vocabulary("numbers")
_FRACTIONS: dict[str, int] = _TABLES["fractions"]
_PIECES = {
    "number": numbers.NUMBER,
    "figures": either(numbers.CARDINALS[1:13]),
    "currencies": _alternatives(CURRENCIES),
    "measures": _alternatives(_MEASURES),
    "scales": "|".join(_WORDS["scales"]),
}
_FORMS = read_patterns("quantities", _PIECES)


def _share(text: str) -> Quantity | None:
    """Return the share that all of a text states ("half", "7/10", "20 per cent of it"), as a part
    of one; None if it states none."""
    forms = ((_FORMS[name].fullmatch(text), read) for name, read in _SHARE_FORMS.items())
    return next((read(match) for match, read in forms if match), None)


def _named_share(words: re.Match[str]) -> Quantity | None:
    """Return the range of "most of the land", as a part of one; None for "some" and "part"
    alone."""
    said = words["what"].lower()
    if said in ("some", "part") and not words["rest"]:
        return None
    low, high = _TABLES["shares"][said]
    return _as_share((low, high), words["rest"])


def _percent(percent: re.Match[str]) -> Quantity | None:
    """Return "20 per cent of it" as a part of one (0.2); None if no amount stands before the
    sign."""
    amount = numbers.whole_amount(percent["amount"])
    return amount and _as_share((amount[0] / 100, amount[1] / 100), percent["rest"])


def _part(part: float | None, whole: float | None, rest: str) -> Quantity | None:
    """Return the share that a part is of a whole, from 0 to 1, with the text behind it; None if the
    part is greater, a number is missing, or the whole is 0."""
    if part is None or not whole or part > whole:
        return None
    return _as_share((part / whole, part / whole), rest)


def _ratio(match: re.Match[str]) -> Quantity | None:
    """Return "7/10", a mark, or "3 out of 10" as a part of one; None if it is greater than one."""
    rest = match.groupdict().get("rest", " scale") or " total"
    part, whole = (numbers.number(match[name].lower()) for name in ("a", "b"))
    return _part(part, whole, f" of the{rest}")


def _fraction(fraction: re.Match[str]) -> Quantity | None:
    """Return "two thirds of the land" or "half" as a part of one; None for any other fraction alone
    ("third") and for a place in a list ("third of 48")."""
    rest, part = fraction["rest"] or "", fraction["part"].lower()
    if not fraction["top"] and (re.match(r" of \d", rest) or not (rest or part == "half")):
        return None  # a bare "third" may be an ordinal, "third of 48" is a place in a list
    top = (fraction["top"] or "one").lower()
    above = 1.0 if top in ("a", "an", "one") else numbers.number(top)
    return _part(above, _FRACTIONS.get(part.replace("halves", "half").removesuffix("s")), rest)


_SHARE_FORMS = {
    "share_words": _named_share,
    "percent": _percent,
    "mark": _ratio,
    "out_of": _ratio,
    "fraction": _fraction,
}


def _as_share(span: numbers.Range, rest: str | None) -> Quantity:
    return Quantity(QuantityKind.SHARE, (span,), "", "", rest or "")


# --- measures -------------------------------------------------------------------------------


def _compound(text: str) -> Quantity | None:
    """Return a measure in a unit and a finer one, in base units: "6 lb 1", "5 ft 6 in"; None unless
    all of the text is one."""
    match = _FORMS["compound"].fullmatch(text)
    if not match:
        return None
    unit, size = _WORDS["compounds"][match["unit"].lower()]
    dimension, factor = _MEASURES[unit]
    amount = (int(match["whole"]) + int(match["rest"]) / size) * factor
    return Quantity(QuantityKind.MEASURE, ((amount, amount),), dimension, "", f" {unit}", factor)


def _measure(text: str) -> Quantity | None:
    """Return the measure of one or several amounts with their unit, each as a range in base units:
    "80 mm", "2 x 1 cm", "5 to 6 ft"; None unless all of the text is one."""
    text = _FORMS["twice"].sub("", text)
    match = _FORMS["measure"].fullmatch(_FORMS["glued"].sub(" ", text))
    sides = _sides(_FORMS["by"].split(match["amount"]), " -") if match else None
    if not match or not sides:
        return None
    dimension, factor = _MEASURES[match["unit"].lower()]
    ranges = tuple((low * factor, high * factor) for low, high in sides)
    rest = re.sub(r"\s?\(.*$", "", text[match.end("amount") :])
    return Quantity(QuantityKind.MEASURE, ranges, dimension, "", rest, factor)


def _bare_measure(text: str) -> Quantity | None:
    """Return a measure without its unit: the sides of a thing ("2 x 3"), or a blood pressure; None
    unless all of the text is one."""
    pressure = _FORMS["pressure"].fullmatch(text)
    parts = [part for part in pressure.groups() if part] if pressure else _FORMS["by"].split(text)
    sides = _sides(parts, " ") if len(parts) > 1 else None
    unit = "pressure" if pressure else ""
    return Quantity(QuantityKind.MEASURE, sides, unit) if sides else None


def _sides(parts: Iterable[str], edges: str) -> tuple[numbers.Range, ...] | None:
    """Read each text as one range of numbers; None if one of them is no amount.

    Args:
        parts: amounts.
        edges: characters that may stand behind each of them.
    """
    amounts = [numbers.whole_amount(part, edges) for part in parts]
    return None if None in amounts else tuple(filter(None, amounts))


def _time(text: str) -> Quantity | None:
    """Return a length of time in days, alone or of a sentence: "two years", "three years'
    imprisonment"; None unless all of the text is one."""
    term = _FORMS["term"].fullmatch(text)
    length = parse_duration((term["length"] if term else text).lower())
    if length is None:
        return None
    after = f" {term['noun']}" if term else ""
    return Quantity(QuantityKind.MEASURE, length.spans, "time", "", after)


# --- ordinals, counts -----------------------------------------------------------------------


def _ordinal(text: str) -> Quantity | None:
    """Return a place in an order, counted from 1: "the third floor", "one of the first members" (1
    to 5), "one of the members" and "a certain member" (1 to infinity), with what is counted as its
    unit; None unless all of the text is one."""
    several = _FORMS["one_of"].fullmatch(text)
    if several:
        last = 5.0 if several["first"] else math.inf
        return Quantity(QuantityKind.ORDINAL, ((1.0, last),), _noun(several["rest"]))
    match = _FORMS["ordinal"].fullmatch(text)
    value = numbers.ordinal(match["nth"].lower()) if match else None
    if match is None or value is None:
        return None
    unit = _noun(match["rest"] or "")
    return Quantity(QuantityKind.ORDINAL, ((value, value),), unit, "", match["rest"] or "")


def _count(text: str) -> Quantity | None:
    """Return a number, with or without what is counted, which is its unit: "ten", "no children"
    (0); None unless all of the text is one."""
    text = re.sub(r"(?i)^no\b(?=\s(?!more|less|fewer)\w)", "0", text)
    text = re.sub(r"^one or more\b", "at least one", text)
    amount = numbers.leading_amount(text)
    if amount is None:
        return None
    rest = _FORMS["noun"].fullmatch(amount[1])
    if rest is None or amount[1].startswith(" and "):  # "two and a half million"
        return None
    after = amount[1] if not amount[1].strip().startswith("(") else ""
    return Quantity(QuantityKind.COUNT, (amount[0],), _noun(rest["noun"]), "", after)


def _noun(text: str) -> str:
    """Return the noun of what is counted, in lower case and the singular, without "other" and the
    like: "defendant" for " other defendants"; "" if there is none."""
    words = _FORMS["modifiers"].sub("", text.lower()).strip(" -").split()
    if not words:
        return ""
    words[-1] = singular(words[-1])
    return " ".join(words)


_READERS = (_money, _share, _compound, _measure, _bare_measure, _time, _ordinal, _count)
