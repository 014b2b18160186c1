"""Candidates for money, counts, measures, shares, ordinals and scores.

True brackets with ends at 1, 2 or 5 times a power of ten, never touching the value, first with
the unit as it is written, then vaguer and without it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from intact.domain import BY_CONCEPT, PROPER, Candidate, Entity, EntityType, Ladder
from intact.english.grammar import is_plural_noun, plural, singular
from intact.english.numbers import in_words, plain, whole_number
from intact.english.quantities import CURRENCIES, Quantity, QuantityKind, parse_quantity
from intact.english.reading import Place, ReadDocument
from intact.english.scan import scan
from intact.english.vocabulary import vocabulary
from intact.planning.ladder import climb
from intact.planning.rules.times import date_ladder, is_counted

_STEPS = tuple(digit * 10**power for power in range(-3, 15) for digit in (1, 2, 5))
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
_SHARED = 2  # ranges of a sum with its unit
_OTHERS = BY_CONCEPT - PROPER
_AMOUNTS = frozenset({QuantityKind.MONEY, QuantityKind.SCORE})
_PRONOUNS = frozenset({"several", "a few", "some", "many"})
_FEW = 20
_ALONE = 25  # values that the range of a number without a noun leaves at least
_FIGURES = re.compile(r"\d{1,3}")
_RATE = re.compile(r"(?:an?|per|each|every) ")
_BOUNDS = tuple(f" {words} " for words in vocabulary("grammar")["bounds"]["closed"])
_NEXT_WORD = re.compile(r"\s?(\w+|%)")


class QuantityGenerator:
    """Generalises QUANTITY entities."""

    name = "quantities"

    def generate(self, read: ReadDocument, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """Propose for each entity that can be read as a quantity ranges that hold it.

        The ladder of a sum begins with the first rung that holds another sum of the document, too,
        if it is one of the first: a range of its own would single it out.

        Args:
            read: the document.
            entities: those to propose for; amounts that go under another type are among them.
        """
        ladders: dict[str, Ladder] = {}
        sums: dict[str, Quantity] = {}
        for entity in entities:
            surfaces = _whole(read.text, entity)
            values = [parse_quantity(text) for text in surfaces]
            figures = all(map(_FIGURES.fullmatch, surfaces))
            amounts = entity.entity_type in _OTHERS and all(q and _is_amount(q) for q in values)
            amounts = amounts or (entity.entity_type in _OTHERS and figures)
            counts = entity.entity_type == EntityType.DATETIME and all(map(is_counted, surfaces))
            if entity.entity_type == EntityType.QUANTITY or amounts or counts:
                places = read.places(entity)
                bounded = any(f" {place.before}".lower().endswith(_BOUNDS) for place in places)
                ladder = quantity_ladder(surfaces, bounded=bounded)
                if all(q and q.kind is QuantityKind.COUNT and not q.after for q in values):
                    noun = _counted(places, values)
                    told = quantity_ladder([text + noun for text in surfaces], bounded=bounded)
                    ladder = tuple(
                        replace(rung, text=rung.text.removesuffix(noun))
                        for rung in (told if noun else _fitting(places, ladder, values))
                        if rung.text.endswith(noun)
                    )
                if ladder:
                    ladders[entity.id] = ladder
                    if (first := parse_quantity(plain(surfaces[0]))) is not None:
                        sums[entity.id] = first
        holders: dict[str, Sequence[str]] = {}  # the first two entities whose sums a phrase holds
        for key, ladder in ladders.items():
            for at, rung in enumerate(ladder[:_SHARED]):
                held = parse_quantity(rung.text)
                if held is None or held.kind is not QuantityKind.MONEY:
                    break
                if rung.text not in holders:
                    inside = (other for other, one in sums.items() if held.contains(one))
                    holders[rung.text] = tuple(islice(inside, 2))
                if any(other != key for other in holders[rung.text]):
                    ladders[key] = ladder[at:]
                    break
        return ladders


def _is_amount(read: Quantity) -> bool:
    """Tell whether this may stand under another type than QUANTITY: a sum, a score, a time."""
    timed = read.kind is QuantityKind.MEASURE and read.unit == "time"
    return read.kind in _AMOUNTS or timed


def _counted(places: Sequence[Place], values: Sequence[Quantity | None]) -> str:
    """Find the noun that a whole number counts, up to two words on: "some thirty [other
    prisoners]"."""
    behind = re.match(r"(?: [a-z]+){1,3}", places[0].after)
    words = behind[0].split() if behind and len(places) == 1 else ()
    noun = next((f" {each}" for each in words if is_plural_noun(each)), "")
    counted = parse_quantity(f"30{noun}")
    whole = all(value and value.low % 1 == 0 for value in values)
    return noun if whole and counted and counted.kind is QuantityKind.COUNT else ""


def _fitting(
    places: Sequence[Place], ladder: Ladder, values: Sequence[Quantity | None]
) -> Iterator[Candidate]:
    """Yield the rungs of a bare number that fit what follows: figures are no "several" unless that
    is counted: "3 points", not "grade 7"."""
    after = [_NEXT_WORD.match(place.after) for place in places]
    counts = all(
        place.words[0].isalpha() or (word and is_plural_noun(word[1].lower()))
        for place, word in zip(places, after, strict=True)
    )
    if counts:
        yield from ladder
    else:
        yield from (rung for rung in ladder if rung.text not in _PRONOUNS)
        if all(value and value.low in range(2, _FEW) for value in values):
            yield Candidate(f"1 to {_FEW}", len(ladder), QuantityGenerator.name)


def _whole(text: str, entity: Entity) -> Sequence[str]:
    """List the entity's surfaces, each with the digits that its annotation has cut off."""
    places = [mention.span for mention in entity.mentions]
    whole = (whole_number(text, (0, len(text)), s.start, s.end, glued=False) for s in places)
    return tuple(dict.fromkeys(text[start:end] for start, end in whole))


def quantity_ladder(surfaces: Sequence[str], *, bounded: bool = False) -> Ladder:
    """Build the ladder of one quantity, most specific first; () if it cannot be read.

    Args:
        surfaces: the ways in which it is written.
        bounded: whether the sentence has a bound of its own, as in "up to [20]".
    """
    source = QuantityGenerator.name
    stated = [(text, read) for text in surfaces if (read := parse_quantity(text)) is not None]
    if not stated:
        said = [value for _, value in scan(surfaces[0]) if isinstance(value, Quantity)]
        if [value.kind for value in said] == [QuantityKind.MONEY]:  # "$9,500 pesos", "€9 plus VAT"
            return (Candidate("an amount of money", 0, source),)
        return ()
    text, first = stated[0]
    if first.unit == "time" and not first.after:
        return date_ladder(surfaces, source)
    comparable = [other for _, other in stated if other.kind is first.kind]
    phrases = quantity_phrases(plain(text), first)
    if bounded:
        phrases = (each for each in phrases if not each.startswith("more than "))
    return climb(surfaces, comparable, phrases, parse_quantity, Quantity.canonical, source)


def quantity_phrases(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for a quantity, most specific first; not all need be true.

    Args:
        text: as it is written; numbers in words stay words.
        quantity: the same, read.
    """
    kinds = {
        QuantityKind.MONEY: _money,
        QuantityKind.COUNT: _count,
        QuantityKind.MEASURE: _measure,
        QuantityKind.SHARE: _share,
        QuantityKind.ORDINAL: _ordinal,
        QuantityKind.SCORE: _score,
    }
    if quantity.kind is QuantityKind.COUNT and _RATE.match(quantity.after.strip()):
        return _rate(text, quantity)
    return kinds[quantity.kind](text, quantity)


def _brackets(low: float, high: float, least: float = 0) -> Iterator[tuple[float, float]]:
    """Yield ever wider ranges from ``least`` on that hold ``low`` to ``high`` strictly inside."""
    below = [step for step in _STEPS if least <= step < low]
    above = [step for step in _STEPS if step > high]
    for back, on in ((1, 0), (2, 0), (2, 1)):
        if len(below) >= back and len(above) > on:
            yield below[-back], above[on]


def _written(value: float, *, words: bool = False) -> str:
    """Write a round number: "5,000", "20 million", "five"."""
    if words and value < 100 and value == int(value):
        return in_words(int(value))
    for size, name in _SCALES:
        if value >= size:
            return f"{value / size:g} {name}"
    return f"{value:,g}" if value < 1 else f"{value:,.0f}"


def _range(low: float, high: float, *, words: bool = False) -> str:
    """Write a range: "20 to 50 million", "500 to 1,000"."""
    first, last = _written(low, words=words), _written(high, words=words)
    _, space, scale = last.rpartition(" ")
    return f"{first.removesuffix(space + scale) if space else first} to {last}"


_MAGNITUDES: Sequence[tuple[float, float, str]] = vocabulary("quantities")["said"]["magnitudes"]


def _magnitude(low: float, high: float) -> str:
    return next((words for a, b, words in _MAGNITUDES if a <= low and high <= b), "")


def _money(text: str, quantity: Quantity) -> Iterator[str]:
    low, high = quantity.low, quantity.high
    name = next((c.name for c in CURRENCIES.values() if c.code == quantity.unit), "")
    before, after = quantity.before, quantity.after
    said = name if before.strip().isalpha() else name.removesuffix(" sterling").rpartition(" ")[2]
    if name and low >= 100 and (magnitude := _magnitude(low, high)):
        yield f"{magnitude} {said}{after}" if before else f"{magnitude}{after}"
    power = 10 ** (len(str(int(low))) - 1)
    if low >= 100 and power < low and high < 2 * power:  # nobody says a range
        yield f"more than {before}{_written(power)}{after}"
        yield f"more than {_written(power)} in the currency concerned"
    if math.isfinite(high):
        ranges = [*_brackets(low, high)]
        if 2 < high < 10:  # of four dollars more than ten have to be left
            ranges.append((1, 20))
        if 10 <= power < low and high < 10 * power:
            ranges = [*ranges[:1], (power, 10 * power), *ranges[1:]]
        yield from (f"{before}{_range(*ends)}{after}" for ends in ranges)
        if quantity.unit not in ("EUR", ""):  # it may be that of a State which is hidden elsewhere
            yield from (f"{_range(*ends)} in the currency concerned" for ends in ranges)
    if name:
        yield f"an amount in {name}"
    yield "an amount of money"


_QUALIFYING = re.compile(r"-(?!odd|strong)[a-z]|\s(?:page|man|member|storey) \w")


def _count(text: str, quantity: Quantity) -> Iterator[str]:
    low, high = quantity.low, quantity.high
    noun = quantity.after.strip(" -")
    unit, _, rest = noun.partition(" ")
    if low > 1 and _QUALIFYING.match(quantity.after):  # "37 page judgment", "two-bedroom flat"
        for first, last in _brackets(low, high, least=1):
            yield f"{_written(first)}- to {_written(last)}-{unit} {rest}".strip()
        return
    words = not re.match(r"\D*\d", text) or high <= 10
    if low == high and low in (0, 1):
        several = plural(noun) if noun else ""
        few = ("fewer than three", "fewer than five", "fewer than ten", "fewer than twenty")
        yield from (f"{words} {several}".strip() for words in few)
        return
    many = f" {noun}" if noun else ""
    brackets = [
        f"{_range(first, last, words=words and last < 100)}{many}"
        for first, last in _brackets(low, high, least=1)
        if noun or low < 10 or last - first >= _ALONE  # a number alone has few like it
    ]
    below = max((step for step in _STEPS if 1 < step < low), default=0)
    magnitude = _magnitude(low, high) if noun else ""  # nobody says a range where there is a word
    if magnitude or (low > 10 and is_plural_noun(unit)):
        yield f"{magnitude or f'more than {_written(below, words=words)}'}{many}"
    if low > 2:  # "one to five" would leave nothing to guess; "a few" says more naturally as much
        yield from brackets[:1]
    if low >= 3 and high <= 9 and low % 1 == 0:  # nobody calls two or 3.9 a few
        yield f"a few{many}"
        yield f"several{many}"
    yield from brackets[1:]
    if below:
        yield f"more than {_written(below, words=words)}{many}"
    if low >= 30:
        yield f"many{many}"
    if noun:
        pair = low == high == 2 and noun != "times" and is_plural_noun(noun)
        yield f"more than one {singular(noun)}" if pair else f"a number of{many}"
    if noun or low % 1 == 0:  # "scored [1.5]" is no "some"
        yield f"some{many}"


def _rate(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for so many "a day", which counts nothing that has a name."""
    low, high = quantity.low, quantity.high
    for first, last in _brackets(low, high, least=1):
        yield f"{_range(first, last)}{quantity.after}"
    for bound in (step for step in _STEPS if step > max(high, 2)):
        yield f"fewer than {_written(bound, words=True)}{quantity.after}"
        if bound > _FEW:
            return


def _measure(text: str, quantity: Quantity) -> Iterator[str]:
    factor = quantity.factor
    low, high = quantity.low / factor, quantity.high / factor
    unit = quantity.after.strip(" -")
    words = not re.match(r"\D*\d", text)
    if quantity.unit == "time":
        yield from _term(text, quantity.after.strip())
        return
    if not unit and len(quantity.ranges) > 1:  # "seven by three", the unit outside the span
        joint = " over " if quantity.unit == "pressure" else " by "
        sides = ([*_brackets(*each)] for each in quantity.ranges)
        for found in [*zip(*sides, strict=False)][:2]:
            yield joint.join(_range(*ends, words=words) for ends in found)
        return
    tail = f" {unit}" if unit else ""
    magnitude = _magnitude(low, high) if unit else ""
    said = [f"{magnitude}{tail}"] if magnitude else []
    yield from said if quantity.unit == "length" and factor > 0.5 and is_plural_noun(unit) else ()
    for first, last in _brackets(low, high):
        if first < 1 <= last:  # "less than 10 cm" rather than "0.5 to 10 cm"
            yield f"less than {_written(last, words=words)}{tail}"
        else:
            yield f"{_range(first, last, words=words and first >= 1)}{tail}"
    if low >= 3 and high <= 9:
        yield f"a few{tail}"
        yield f"several{tail}"
    yield from said
    above = [step for step in _STEPS if step > high]
    for bound in above[:3]:
        if bound >= 1:
            yield f"less than {_written(bound, words=words)}{tail}"
    below = [step for step in _STEPS if step < low]
    if below and below[-1] >= 1:
        yield f"more than {_written(below[-1], words=words)}{tail}"


def _term(text: str, noun: str) -> Iterator[str]:
    """Yield "six years' imprisonment" with its length as a duration."""
    for rung in date_ladder([re.sub(rf"\s?(?:of )?{re.escape(noun)}$", "", text)]):
        if not (rung.subsumes or "").startswith("any"):
            yield f"{rung.text} {noun}"


_FRACTIONS: Sequence[tuple[float, float, str]] = vocabulary("quantities")["said"]["fractions"]
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
    (first, _), (second, _) = quantity.ranges
    if "vote" in text and first > second:
        yield "a majority of votes"
