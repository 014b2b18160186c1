"""Candidates for money, counts, measures, shares, ordinals and scores.

True brackets with ends at 1, 2 or 5 times a power of ten, never touching the value, first with
the unit as it is written, then vaguer and without it. Every phrase is read back and must contain
the original.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from intact.domain import BY_CONCEPT, PROPER, Candidate, Document, Entity, EntityType, Ladder
from intact.english.grammar import plural
from intact.english.numbers import in_words, plain, whole_number
from intact.english.quantities import CURRENCIES, Quantity, QuantityKind, parse_quantity
from intact.english.scan import scan
from intact.planning.ladder import climb, fixed_ladder
from intact.planning.rules.times import date_ladder, is_counted

_STEPS = tuple(digit * 10**power for power in range(-3, 15) for digit in (1, 2, 5))
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))


class QuantityGenerator:
    """Generalises QUANTITY entities."""

    name = "quantities"

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """A ladder for each QUANTITY entity whose text can be read."""
        ladders: dict[str, Ladder] = {}
        sums: dict[str, Quantity | None] = {}
        for entity in entities:
            surfaces = _whole(document.text, entity)
            amounts = entity.entity_type in _OTHERS and all(map(_is_amount, surfaces))
            counts = entity.entity_type == EntityType.DATETIME and all(map(is_counted, surfaces))
            if entity.entity_type == EntityType.QUANTITY or amounts or counts:
                ladder = quantity_ladder(surfaces)
                if ladder:
                    ladders[entity.id] = ladder
                    sums[entity.id] = parse_quantity(plain(surfaces[0]))
        holders: dict[str, Sequence[str]] = {}
        return {key: _shared(key, ladder, sums, holders) for key, ladder in ladders.items()}


def _shared(
    entity_id: str,
    ladder: Ladder,
    sums: Mapping[str, Quantity | None],
    holders: dict[str, Sequence[str]],
) -> Ladder:
    """Return the ladder of a sum from the first rung on that holds another sum of its document,
    too, if it is one of the first: a range of its own would single it out.

    Args:
        sums: of the document, by entity id.
        holders: the first two entities whose sums a phrase holds; filled in for its phrases.
    """
    for at, rung in enumerate(ladder[:_SHARED]):
        held = parse_quantity(rung.text)
        if held is None or held.kind is not QuantityKind.MONEY:
            break
        if rung.text not in holders:
            inside = (key for key, one in sums.items() if one is not None and held.contains(one))
            holders[rung.text] = tuple(islice(inside, 2))
        if any(key != entity_id for key in holders[rung.text]):
            return ladder[at:]
    return ladder


_SHARED = 2  # ranges of a sum with its unit
_OTHERS = BY_CONCEPT - PROPER
_AMOUNTS = frozenset({QuantityKind.MONEY, QuantityKind.SCORE})


def _is_amount(text: str) -> bool:
    """Return whether a text is a sum or a score, whatever type it goes under."""
    quantity = parse_quantity(text)
    return quantity is not None and quantity.kind in _AMOUNTS


def _whole(text: str, entity: Entity) -> Sequence[str]:
    """The entity's surfaces, each with the digits that its annotation has cut off."""
    bounds = (0, len(text))
    spans = (
        whole_number(text, bounds, each.span.start, each.span.end, glued=False)
        for each in entity.mentions
    )
    return tuple(dict.fromkeys(text[start:end] for start, end in spans))


_DIMENSIONS = {"length": "length", "area": "size", "volume": "volume", "mass": "weight"}


def quantity_ladder(surfaces: Sequence[str], source: str = QuantityGenerator.name) -> Ladder:
    """The ladder of one quantity written in these ways, most specific first; may be empty.

    Args:
        source: what the candidates say they come from.
    """
    stated = [(text, read) for text in surfaces if (read := parse_quantity(text)) is not None]
    if not stated:
        said = [value for _, value in scan(surfaces[0]) if isinstance(value, Quantity)]
        if [value.kind for value in said] == [QuantityKind.MONEY]:  # "$9,500 pesos", "€9 plus VAT"
            return (Candidate("an amount of money", 0, source),)
        return fixed_ladder(surfaces[0], source)
    text, first = stated[0]
    if first.unit == "time" and not first.after:
        return date_ladder(surfaces, source)
    comparable = [other for _, other in stated if other.kind is first.kind]
    ladder = climb(
        surfaces,
        comparable,
        quantity_phrases(plain(text), first),
        parse_quantity,
        describe=Quantity.canonical,
        source=source,
    )
    if first.kind is QuantityKind.MEASURE and first.unit in _DIMENSIONS:
        return (*ladder, Candidate(f"a certain {_DIMENSIONS[first.unit]}", len(ladder), source))
    return ladder


def quantity_phrases(text: str, quantity: Quantity) -> Iterator[str]:
    """Phrases for what ``text`` states, most specific first; not all of them need be true."""
    kinds = {
        QuantityKind.MONEY: _money,
        QuantityKind.COUNT: _count,
        QuantityKind.MEASURE: _measure,
        QuantityKind.SHARE: _share,
        QuantityKind.ORDINAL: _ordinal,
        QuantityKind.SCORE: _score,
    }
    return kinds[quantity.kind](text, quantity)


# --- brackets -------------------------------------------------------------------------------


def _brackets(low: float, high: float, least: float = 0) -> Iterator[tuple[float, float]]:
    """Ever wider ranges from ``least`` on that hold ``low`` to ``high`` strictly inside."""
    below = [step for step in _STEPS if least <= step < low]
    above = [step for step in _STEPS if step > high]
    if not above:
        return
    for back, on in ((1, 0), (2, 0), (2, 1)):
        if len(below) >= back and len(above) > on:
            yield below[-back], above[on]


def _written(value: float, *, words: bool = False) -> str:
    """A round number: "5,000", "20 million", "five"."""
    if words and value < 100 and value == int(value):
        return in_words(int(value))
    for size, name in _SCALES:
        if value >= size:
            return f"{value / size:g} {name}"
    return f"{value:,g}" if value < 1 else f"{value:,.0f}"


def _range(low: float, high: float, *, words: bool = False) -> str:
    """ "20 to 50 million", "500 to 1,000"."""
    first, last = _written(low, words=words), _written(high, words=words)
    scale = last.rpartition(" ")[2]
    if scale.isalpha() and first.endswith(f" {scale}"):
        first = first.removesuffix(f" {scale}")
    return f"{first} to {last}"


_MAGNITUDES = (
    (24, 99, "dozens of"),
    (200, 999, "several hundred"),
    (2000, 9999, "several thousand"),
    (20_000, 99_999, "tens of thousands of"),
    (200_000, 999_999, "hundreds of thousands of"),
    (2 * 10**6, 10**7 - 1, "several million"),
    (2 * 10**7, 10**8 - 1, "tens of millions of"),
    (2 * 10**8, 10**9 - 1, "hundreds of millions of"),
    (2 * 10**9, 10**10 - 1, "several billion"),
    (2 * 10**10, 10**11 - 1, "tens of billions of"),
    (2 * 10**11, 10**12 - 1, "hundreds of billions of"),
)


def _magnitude(low: float, high: float) -> str:
    return next((words for a, b, words in _MAGNITUDES if a <= low and high <= b), "")


# --- kinds ----------------------------------------------------------------------------------


def _money(text: str, quantity: Quantity) -> Iterator[str]:
    low, high = quantity.low, quantity.high
    name = next((c.name for c in CURRENCIES.values() if c.code == quantity.unit), "")
    before = quantity.before
    after = quantity.after or (f" {name}" if name and not before else "")
    if math.isfinite(high):
        ranges = [*_brackets(low, high)]
        if 2 < high < 10:  # of four dollars more than ten have to be left
            ranges.append((1, 20))
        power = 10 ** (len(str(int(low))) - 1)
        if 10 <= power < low and high < 10 * power:
            ranges = [*ranges[:1], (power, 10 * power), *ranges[1:]]
        yield from (f"{before}{_range(*ends)}{after}" for ends in ranges)
        if quantity.unit not in (
            "EUR",
            "",
        ):  # the currency may be that of a State which is hidden elsewhere
            yield from (f"{_range(*ends)} in a national currency" for ends in ranges)
    if name:
        yield f"an amount in {name}"
    yield "an amount of money"


_QUALIFYING = re.compile(r"-(?!odd|strong)[a-z]|\s(?:page|man|member|storey) \w")


def _count(text: str, quantity: Quantity) -> Iterator[str]:
    low, high = quantity.low, quantity.high
    noun = quantity.after.strip(" -")
    if low > 1 and _QUALIFYING.match(quantity.after):
        yield from _attribute(low, high, noun)
        return
    words = not re.match(r"\D*\d", text) or high <= 10
    if low == high and low in (0, 1):
        yield from _fewest(int(low), noun)
        return
    if high < 1 and noun:  # "half a tablet a day"
        unit, _, rest = noun.partition(" ")
        for bound in ("five", "ten", "twenty"):
            yield f"less than {bound} {plural(unit)} {rest}".strip()
        return
    many = f" {noun}" if noun else ""
    brackets = [
        f"{_range(first, last, words=words and last < 100)}{many}"
        for first, last in _brackets(low, high, least=1)
    ][2 if low >= 10 and not noun else 0 :]  # a number alone has few like it
    if low > 2:  # "one to five" would leave nothing to guess; "a few" says more naturally as much
        yield from brackets[:1]
    magnitude = _magnitude(low, high)
    if magnitude:
        yield f"{magnitude}{many}" if noun else magnitude.removesuffix(" of")
    if low >= 3 and high <= 9 and low % 1 == 0:  # nobody calls two or 3.9 a few
        yield f"a few{many}"
        yield f"several{many}"
    yield from brackets[1:]
    below = max((step for step in _STEPS if 1 < step < low), default=0)
    if below:
        yield f"more than {_written(below, words=words)}{many}"
    if low >= 30:
        yield f"many{many}"
    if noun:
        yield f"a number of{many}"
    if noun or low % 1 == 0:  # "scored [1.5]" is no "some"
        yield f"some{many}"


def _fewest(value: int, noun: str) -> Iterator[str]:
    """None or one of something."""
    if value == 1:
        many = plural(noun) if noun else ""
        if many:
            yield f"one or more {many}"
        for bound in ("three", "five", "ten", "twenty"):
            yield f"fewer than {bound} {many}".strip()
        return
    for words in ("fewer than three", "fewer than five", "few or no"):
        yield f"{words} {noun}".strip()


def _attribute(low: float, high: float, noun: str) -> Iterator[str]:
    """Yield what qualifies a noun: "37 page judgment", "two-bedroom flat"."""
    unit, _, rest = noun.partition(" ")
    for first, last in _brackets(low, high, least=1):
        yield f"{_written(first)}- to {_written(last)}-{unit} {rest}".strip()
    yield f"multi-{unit} {rest}".strip()


def _measure(text: str, quantity: Quantity) -> Iterator[str]:
    factor = quantity.factor
    low, high = quantity.low / factor, quantity.high / factor
    unit = quantity.after.strip(" -")
    words = not re.match(r"\D*\d", text)
    if quantity.unit == "time":
        yield from _term(text, quantity)
        return
    single = unit in ("centimetre", "metre", "kilometre", "mile", "inch", "gram")
    if single and high <= 1:
        unit, single = plural(unit), False
    if not unit and len(quantity.ranges) > 1:
        yield from _sides(quantity, words=words)
        return
    tail = f" {unit}" if unit else ""
    for first, last in _brackets(low, high):
        yield _bracket(first, last, tail, words=words)
    if low >= 3 and high <= 9 and not single:
        yield f"a few{tail}"
    if low >= 3 and high <= 9 and not single:
        yield f"several{tail}"
    magnitude = _magnitude(low, high)
    if magnitude and unit:
        yield f"{magnitude}{tail}"
    above = [step for step in _STEPS if step > high]
    for bound in above[:3]:
        if bound >= 1:
            yield f"less than {_written(bound, words=words)}{tail if bound > 1 else _one(tail)}"
    below = [step for step in _STEPS if step < low]
    if below and below[-1] >= 1:
        yield f"more than {_written(below[-1], words=words)}{tail}"


def _bracket(first: float, last: float, tail: str, *, words: bool) -> str:
    """ "2 to 5 km"; "less than 10 cm" rather than "0.5 to 10 cm"."""
    if first < 1 <= last:
        return f"less than {_written(last, words=words)}{tail if last > 1 else _one(tail)}"
    return f"{_range(first, last, words=words and first >= 1)}{tail}"


def _sides(quantity: Quantity, *, words: bool) -> Iterator[str]:
    """ "seven by three", the unit outside the span."""
    for size in (0, 1):
        ranges = [list(_brackets(low, high)) for low, high in quantity.ranges]
        if all(len(found) > size for found in ranges):
            joint = " over " if quantity.unit == "pressure" else " by "
            yield joint.join(_range(*found[size], words=words) for found in ranges)


def _one(tail: str) -> str:
    return tail.removesuffix("s") if tail.endswith("metres") else tail


def _term(text: str, quantity: Quantity) -> Iterator[str]:
    """ "six years' imprisonment": the length as a duration, the noun kept."""
    noun = quantity.after.strip()
    head = re.sub(rf"\s?(?:of )?{re.escape(noun)}$", "", text)
    for rung in date_ladder([head]):
        if rung.subsumes is None or not rung.subsumes.startswith("any"):
            yield f"{rung.text} {noun}"


_FRACTIONS = (
    (0.0, 0.25, "less than a quarter"),
    (0.25, 0.5, "between a quarter and a half"),
    (0.5, 0.75, "between a half and three quarters"),
    (0.75, 1.0, "more than three quarters"),
    (0.0, 0.5, "less than half"),
)
_PERCENTAGES = ((0, 25), (25, 50), (50, 75), (75, 100), (0, 50), (50, 100))


def _share(text: str, quantity: Quantity) -> Iterator[str]:
    low, high = quantity.low, quantity.high
    rest = quantity.after
    unit = re.search(r"\d(\s?(?:%|per cent|percent))", text)
    if unit:
        fit = [(a, b) for a, b in _PERCENTAGES if a < 100 * low and 100 * high < b]
        bounds = [f"{a} to {b}" if a else f"less than {b}" for a, b in fit]
        yield from (f"{each}{unit[1]}{rest}" for each in bounds)
    else:
        most = (0.5, 1.0, "most" if rest else "more than half")
        yield from (f"{words}{rest}" for a, b, words in (*_FRACTIONS, most) if a < low and high < b)
    if high < 1:
        yield f"a part{rest}"
    yield f"a certain share{rest}"


def _ordinal(text: str, quantity: Quantity) -> Iterator[str]:
    noun = quantity.after.strip()
    if not noun:
        return
    if 1 < quantity.high <= 4:
        yield f"one of the first {plural(noun)}"
    yield f"one of the {plural(noun)}"
    yield f"a certain {noun}"


def _score(text: str, quantity: Quantity) -> Iterator[str]:
    votes = re.search(r"\b(votes?|points?|goals?)\b", text)
    if len(quantity.ranges) != 2:
        return
    (first, _), (second, _) = quantity.ranges
    if votes and first > second:
        yield "a majority of votes"
    elif first > second:
        yield "a larger to a smaller number"
