"""Candidates for money, counts, measures and shares.

The phrases are true ranges whose ends are 1, 2 or 5 times a power of ten and never touch the value:
first with the unit as it is written, then vaguer and without it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from intact.domain import BY_CONCEPT, PROPER, Candidate, Entity, EntityType, Ladder, Source
from intact.english.grammar import is_plural_noun, plural, singular
from intact.english.numbers import in_words, plain, whole_number
from intact.english.quantities import CURRENCIES, Quantity, QuantityKind, parse_quantity
from intact.english.reading import Place, ReadDocument
from intact.english.vocabulary import vocabulary
from intact.planning.ladder import climb
from intact.planning.rules.times import date_ladder, is_bounded, is_counted

_STEPS = tuple(digit * 10**power for power in range(-3, 15) for digit in (1, 2, 5))
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
_OTHERS = BY_CONCEPT - PROPER
_TIME = (QuantityKind.MEASURE, "time")
_PRONOUNS = frozenset({"several", "a few", "some", "many"})
_FEW = 20
_FAR, _GUESSED = 4, 5  # times a bound that is still said; guesses at the whole numbers above one
_ALONE = 25  # the least difference between the ends of a range without a noun
_FIGURES = re.compile(r"\d{1,3}")
_NAMED = re.compile(r"(?!(?:an?|per|each|every) )\S")  # "a day" counts nothing that has a name
_NEXT_WORD = re.compile(r"\s?(\w+|%)")


_Say = Callable[[str, Quantity], Iterator[str]]


class QuantityGenerator:
    """Generalises QUANTITY entities, and amounts among those of other types."""

    def generate(self, read: ReadDocument, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """Map the id of each entity that can be read as a quantity to its ladder: ranges and vaguer
        words that contain the value, most specific first. Other entities are absent.

        Args:
            read: the document.
            entities: those to propose for; amounts of other types are among them.
        """
        built = ((one.id, _ladder(read, one, _whole(read.text, one))) for one in entities)
        return {key: ladder for key, ladder in built if ladder}


def _ladder(read: ReadDocument, entity: Entity, surfaces: Sequence[str]) -> Ladder:
    """Build the ladder (phrases, most specific first) of an entity, worded for the noun after it if
    it counts one: "several", before "visitors". () if it is no amount.

    Args:
        read: the document.
        entity: the entity.
        surfaces: the texts of its mentions, with all their digits.
    """
    values = [parse_quantity(text) for text in surfaces]
    if not _is_amount(entity, surfaces, values):
        return ()
    places = read.places(entity)
    bounded = any(map(is_bounded, places))
    ladder = quantity_ladder(surfaces, bounded=bounded)
    if not all(q and q.kind is QuantityKind.COUNT and not q.after for q in values):
        return ladder
    noun = _counted(places, values)
    told = quantity_ladder([text + noun for text in surfaces], bounded=bounded)
    return tuple(
        replace(rung, text=rung.text.removesuffix(noun))
        for rung in (told if noun else _fitting(places, ladder, values))
        if rung.text.endswith(noun)
    )


def _is_amount(entity: Entity, surfaces: Sequence[str], values: Sequence[Quantity | None]) -> bool:
    """Tell whether an entity is an amount. A QUANTITY always is; a DATETIME is if it counts
    something ("six seasons"); a DEM or MISC if it is a sum of money, a length of time, or a number
    of up to three figures; any other type never is.

    Args:
        entity: the entity.
        surfaces: the texts of its mentions.
        values: the same, read; None for what cannot be read.
    """
    if entity.entity_type == EntityType.DATETIME:
        return all(map(is_counted, surfaces))
    if entity.entity_type not in _OTHERS:
        return entity.entity_type == EntityType.QUANTITY
    read = all(q and (q.kind is QuantityKind.MONEY or (q.kind, q.unit) == _TIME) for q in values)
    return read or all(map(_FIGURES.fullmatch, surfaces))


def _counted(places: Sequence[Place], values: Sequence[Quantity | None]) -> str:
    """Return the noun that a whole number counts, with a space before it: " prisoners" for "some
    [thirty] other prisoners", as far as three words on. "" if there is none, or the entity has
    several mentions."""
    behind = re.match(r"(?: [a-z]+){1,3}", places[0].after)
    words = behind[0].split() if behind and len(places) == 1 else ()
    noun = next((f" {each}" for each in words if is_plural_noun(each)), "")
    counted = parse_quantity(f"30{noun}")
    whole = all(value and value.low % 1 == 0 for value in values)
    return noun if whole and counted and counted.kind is QuantityKind.COUNT else ""


def _fitting(
    places: Sequence[Place], ladder: Ladder, values: Sequence[Quantity | None]
) -> Iterator[Candidate]:
    """Yield the rungs (phrases) of a bare number that fit what follows it. Figures are replaced by
    "several", "some" and the like only if they count something: "3 points", not "grade 7", for
    which "1 to 20" is added, if it is a whole number from 2 to 19.

    Args:
        places: of the entity's mentions.
        ladder: its phrases.
        values: its originals, read.
    """
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
            yield Candidate(f"1 to {_FEW}", len(ladder), Source.QUANTITIES)


def _whole(text: str, entity: Entity) -> Sequence[str]:
    """List the entity's different surfaces, each completed by the digits that its annotation has
    cut off."""
    places = [mention.span for mention in entity.mentions]
    whole = (whole_number(text, (0, len(text)), s.start, s.end, glued=False) for s in places)
    return tuple(dict.fromkeys(text[start:end] for start, end in whole))


def quantity_ladder(surfaces: Sequence[str], *, bounded: bool = False) -> Ladder:
    """Build the ladder of one quantity, most specific first; () if it cannot be read. A length of
    time ("five years") gets the phrases of ``date_ladder``.

    Args:
        surfaces: the ways in which it is written.
        bounded: whether the sentence has a bound of its own, as in "up to [20]"; then no phrase
            begins with "more than", unless it is a length of time.
    """
    source = Source.QUANTITIES
    stated = [(text, read) for text in surfaces if (read := parse_quantity(text)) is not None]
    if not stated:
        return ()
    text, first = stated[0]
    if first.unit == "time" and not first.after:
        return date_ladder(surfaces, source)
    comparable = [other for _, other in stated if other.kind is first.kind]
    phrases = quantity_phrases(plain(text), first)
    if bounded:
        phrases = (each for each in phrases if not each.startswith("more than "))
    return climb(surfaces, comparable, phrases, parse_quantity, source)


def quantity_phrases(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for a quantity, most specific first ("several", "more than ten years"). Not all
    need be true. For an ordinal there are none; for "twice" there is only "more than once".

    Args:
        text: as it is written; numbers in words stay words.
        quantity: the same, read.
    """
    kind = quantity.kind
    fitting = (say(text, quantity) for one, fits, say in _SAYS if one is kind and fits(quantity))
    return iter(("more than once",)) if text.lower() == "twice" else next(fitting, iter(()))


def _brackets(low: float, high: float, least: float = 0) -> Iterator[tuple[float, float]]:
    """Yield up to three ranges, each wider than the one before, that contain ``low`` to ``high``
    strictly inside. Their ends are 1, 2 or 5 times a power of ten; none begins below ``least``."""
    below = [step for step in _STEPS if least <= step < low]
    above = [step for step in _STEPS if step > high]
    for back, on in ((1, 0), (2, 0), (2, 1)):
        if len(below) >= back and len(above) > on:
            yield below[-back], above[on]


def _more_than(number: float, before: str = "", *, words: bool = False) -> Sequence[str]:
    """List "more than twenty", "more than ten", with ``before`` in front of the number: the round
    numbers below it, the closest first, none below a quarter of it. A reader stumbles over one
    bound less often than over both ends of a range (fits: 92 and 46 %). () where few whole numbers
    lie between: of twelve, five guesses at "more than ten" would find it."""
    below = [step for step in _STEPS if max(1, number / _FAR) < step < number]
    if not below or number - below[-1] <= _GUESSED:
        return ()
    return [f"more than {before}{_written(step, words=words)}" for step in reversed(below)]


def _written(value: float, *, words: bool = False) -> str:
    """Write a round number: "5,000", "20 million", "five" (below 100, if ``words``)."""
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


_SAID: Mapping[str, Sequence[tuple[float, float, str]]] = vocabulary("quantities")["said"]


def _magnitude(low: float, high: float) -> str:
    """Return the words for the order of magnitude that a range of numbers lies in: "dozens of",
    "several thousand"; "" if there are none."""
    return next((words for a, b, words in _SAID["magnitudes"] if a <= low and high <= b), "")


def _money(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for a sum, most specific first: orders of magnitude, bounds and ranges in its
    currency, the same in local currency (but not for euros), its currency alone, "an amount of
    money". Not all need be true.

    Args:
        text: as it is written; not used.
        quantity: the same, read.
    """
    low, high = quantity.low, quantity.high
    name = next((c.name for c in CURRENCIES.values() if c.code == quantity.unit), "")
    before, after = quantity.before, quantity.after
    said = name if before.strip().isalpha() else name.removesuffix(" sterling").rpartition(" ")[2]
    magnitude = _magnitude(low, high) if name and low >= 100 else ""
    if magnitude:
        yield f"{magnitude} {said}{after}" if before else f"{magnitude}{after}"
    ends = [(before, after)]  # of what is written; the currency may be that of a hidden State
    if quantity.unit not in ("EUR", ""):
        ends.append(("", " in local currency"))
        yield from _before("in local currency", magnitude.removesuffix(" of"))
    if math.isfinite(high):
        yield from (f"{each}{last}" for first, last in ends for each in _more_than(low, first))
        wide = [(1, 20)] * (2 < high < 10)  # of four dollars more than ten have to be left
        ranges = (*_brackets(low, high), *wide)
        yield from (f"{first}{_range(*each)}{last}" for first, last in ends for each in ranges)
    if name:
        yield f"an amount in {name}"
    yield "an amount of money"


def _one_or_none(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield what is said of none or one: "fewer than three", "fewer than five", "fewer than ten",
    "fewer than twenty", each before the noun that is counted, in the plural, if there is one."""
    noun = quantity.after.strip(" -")
    bounds = (f"fewer than {bound}" for bound in ("three", "five", "ten", "twenty"))
    return _before(plural(noun) if _NAMED.match(noun) else noun, *bounds)


def _before(noun: str, *said: str) -> Iterator[str]:
    """Yield phrases with a noun put after each ("several metres"), or as they are if the noun is
    ""; a phrase "" is left out."""
    return (f"{each} {noun}".rstrip() for each in said if each)


def _count(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for a number of things, most specific first, each with the noun that it counts,
    if there is one: magnitudes ("dozens of"), lower bounds, ranges, "a few" and "several" (3 to 9),
    "many" (from 30 on), "a number of" (only before a noun; for two of them "more than one") and
    "some". Not all need be true."""
    low, high, noun = quantity.low, quantity.high, quantity.after.strip(" -")
    words, whole = not re.match(r"\D*\d", text) or high <= 10, low % 1 == 0
    brackets = [
        _range(first, last, words=words and last < 100)
        for first, last in _brackets(low, high, least=1)
        if noun or low < 10 or last - first >= _ALONE  # a number alone has few like it
    ]
    magnitude = _magnitude(low, high) if noun else ""  # nobody says a range where there is a word
    counts = is_plural_noun(noun.partition(" ")[0])
    below = max((step for step in _STEPS if 1 < step < low), default=0)
    more = f"more than {_written(below, words=words)}" * bool(below)
    few = whole and 3 <= low <= high <= 9  # nobody calls two or 3.9 a few
    yield from _before(
        noun,
        magnitude or more * (low > 10) * counts,
        *(_more_than(low, words=words) if counts else ()),
        # "one to five" would leave nothing to guess; "a few" says more naturally as much
        *brackets[: low > 2],
        *("a few", "several")[: 2 * few],
        *brackets[1:],
        more,
        "many" * (low >= 30),
    )
    if _NAMED.match(noun):
        pair = low == high == 2 and noun != "times" and is_plural_noun(noun)
        yield f"more than one {singular(noun)}" if pair else f"a number of {noun}"
    yield from _before(noun, "some" * bool(noun or whole))  # "scored [1.5]" is no "some"


def _measure(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for a measure in its own unit, most specific first: lower bounds, ranges,
    "several", magnitudes, then upper bounds."""
    factor, unit = quantity.factor, quantity.after.strip(" -")
    low, high = quantity.low / factor, quantity.high / factor
    words = not re.match(r"\D*\d", text)
    if low == 1 and quantity.after[:1] == " " and len(unit) > 3:  # "one mile", not "one-mile", "km"
        unit = plural(unit)
    magnitude = _magnitude(low, high) if unit else ""
    natural = quantity.unit == "length" and factor > 0.5 and is_plural_noun(unit)
    ranges = (
        f"less than {_written(last, words=words)}"  # "less than 10 cm" rather than "0.5 to 10 cm"
        if first < 1 <= last
        else _range(first, last, words=words and first >= 1)
        for first, last in _brackets(low, high)
    )
    few = 3 <= low <= high <= 9
    above = (step for step in [step for step in _STEPS if step > high][:3] if step >= 1)
    return _before(
        unit,
        magnitude * natural,
        *_more_than(low, words=words),
        *ranges,
        *("a few", "several")[: 2 * few],
        magnitude,
        *(f"less than {_written(bound, words=words)}" for bound in above),
    )


def _term(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield "several years' imprisonment" for "six years' imprisonment": wider and wider lengths,
    each with the noun."""
    noun = quantity.after.strip()
    for rung in date_ladder([re.sub(rf"\s?(?:of )?{re.escape(noun)}$", "", text)]):
        if not (rung.subsumes or "").startswith("any"):
            yield f"{rung.text} {noun}"


_PERCENTAGES = ((0, 25), (25, 50), (50, 75), (75, 100), (0, 50), (50, 100))


def _share(text: str, quantity: Quantity) -> Iterator[str]:
    """Yield phrases for a share, most specific first: percentages as percentages, others as
    fractions in words; last "a certain share"."""
    low, high = quantity.low, quantity.high
    rest = quantity.after
    unit = re.search(r"\d(\s?(?:%|per cent|percent))", text)
    if unit:
        fit = [(a, b) for a, b in _PERCENTAGES if a < 100 * low and 100 * high < b]
        bounds = [f"{a} to {b}" if a else f"less than {b}" for a, b in fit]
        yield from (f"{each}{unit[1]}{rest}" for each in bounds)
    else:
        parts = (*_SAID["fractions"], (0.5, 1.0, "most" if rest else "more than half"))
        yield from (f"{words}{rest}" for a, b, words in parts if a < low and high < b)
    if high < 1:
        yield f"a part{rest}"
    yield f"a certain share{rest}"


# Which function words which quantity: the first row of its kind whose condition holds.
_SAYS: Sequence[tuple[QuantityKind, Callable[[Quantity], object], _Say]] = (
    (QuantityKind.MONEY, bool, _money),
    (QuantityKind.COUNT, lambda q: q.low == q.high and q.low in (0, 1), _one_or_none),
    (QuantityKind.COUNT, bool, _count),
    (QuantityKind.MEASURE, lambda q: q.unit == "time", _term),
    (QuantityKind.MEASURE, bool, _measure),
    (QuantityKind.SHARE, bool, _share),
)
