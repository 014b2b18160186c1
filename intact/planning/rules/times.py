"""Candidates for dates, times, ages and durations: true statements, each wider than the one before.

Every phrase is read back and must contain what the original says, so the order of a document's
dates is never contradicted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

from intact.domain import BY_CONCEPT, PROPER, Candidate, Entity, EntityType, Ladder, Source
from intact.english.grammar import PREPOSITIONS, plural, with_indefinite
from intact.english.numbers import as_ordinal, in_words, number, plain
from intact.english.quantities import QuantityKind, parse_quantity
from intact.english.reading import Place, ReadDocument
from intact.english.scan import parse_temporal, read_age, read_time, said_of
from intact.english.time import (
    DAYS,
    FIRST_DAY,
    FORMS,
    LAST_DAY,
    MIDDLE_AGE,
    MIDDLE_AGED,
    MONTH_NAMES,
    UNITS,
    Granularity,
    Kind,
    Temporal,
)
from intact.english.vocabulary import vocabulary, word_sets
from intact.english.words import is_english
from intact.planning.ladder import climb


class DateGenerator:
    """Generalises DATETIME entities, and dates and ages of other types."""

    def generate(self, read: ReadDocument, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """Map the id of each entity that is a time to its ladder: periods, ages or lengths that
        contain it, most specific first, in the form that fits its places. A DATETIME that cannot be
        read has one vague phrase ("a certain time"). Other entities are absent, and so are names
        and bare numbers that nothing shows to be a time.

        Args:
            read: the document.
            entities: those to propose for; dates and ages of other types are among them.
        """
        ladders = {}
        for entity in entities:
            places = read.places(entity)
            if ladder := _short_age(places) or _typed_ladder(read, entity, places):
                ladders[entity.id] = tuple(_as_placed(ladder, places))
        return ladders


def _typed_ladder(read: ReadDocument, entity: Entity, places: Sequence[Place]) -> Ladder:
    """Build the ladder (phrases, most specific first) of a time. For an entity of another type only
    if all its texts are dates or ages, but no figures alone ("1998"), and of a place or body end in
    a figure ("May 1996"); or, for DEM, MISC and QUANTITY, if it is a bare number that is an age
    here. Else ()."""
    kind = entity.entity_type
    if kind == EntityType.DATETIME:
        return _bare_age(read, entity, places) or _time_ladder(read, places)
    if kind in BY_CONCEPT and all(
        (time := parse_temporal(surface))
        and time.kind in (Kind.INTERVAL, Kind.AGE)
        and (kind not in PROPER or surface[-1].isdigit())
        and (not surface.isdigit() or all(FORMS["year_before"].search(at.before) for at in places))
        for surface in entity.surfaces
    ):
        return date_ladder(entity.surfaces)
    return _bare_age(read, entity, places) if kind in _AGES_GO_UNDER else ()


_AGES_GO_UNDER = (EntityType.DEM, EntityType.MISC, EntityType.QUANTITY)
_DESCRIBED = {"40- to 59-year-old": MIDDLE_AGED}  # before a noun
_PART_OF_YEAR: Mapping[str, str] = vocabulary("time")["part_of_year"]
_ENDING = frozenset({"until", "till"})
_RULING = PREPOSITIONS - word_sets("grammar", "times")["movable"]


def _as_placed(ladder: Ladder, places: Sequence[Place]) -> Iterator[Candidate]:
    """Yield the rungs (phrases) of a ladder in the form that fits all places of the entity: before
    a noun or after a preposition only if each place is so. Left out are those that cannot stand
    before a noun there, and "more than ..." if any place has a bound ("up to")."""
    described, bounded = all(at.noun_follows for at in places), any(map(is_bounded, places))
    leads = {place.before.rstrip().rpartition(" ")[2].lower() for place in places}
    for rung in ladder:
        text = _led(rung.text, leads)
        fits = not (described and text in _PART_OF_YEAR)  # no hearing is "early in the year"
        if fits and not (bounded and text.startswith("more than ")):
            said = _DESCRIBED.get(text, text) if described else text
            yield rung if said == rung.text else replace(rung, text=said)


def _led(text: str, leads: Set[str]) -> str:
    """Return the phrase of a time in the form that it takes behind the words before it: for a
    decade "some time in the 1990s" behind "until" or "till", for "early in the year" and the like
    "the early part of the year" behind other prepositions but "in", "on" and "at". Else it is
    unchanged.

    Args:
        text: the phrase.
        leads: the word right before each place of the time, in lower case; all must ask for the
            form.
    """
    if leads <= _ENDING and text.startswith("the ") and text.endswith("0s"):
        return f"some time in {text}"  # what lasts "until the 1990s" ends as they begin
    return _PART_OF_YEAR.get(text, text) if leads <= _RULING else text


_BOUNDS = tuple(f" {words} " for words in vocabulary("grammar")["bounds"]["closed"])


def is_bounded(place: Place) -> bool:
    """Tell whether the words right before a number bound it, "up to [20]", "longer than [an hour]",
    or for another reason let no "more than" follow: "only [20]", "another [20]", "and [20]"."""
    return f" {place.before}".lower().endswith(_BOUNDS)


_GROWN = 13  # "at twelve" may be an hour
_GROWN_UP, _OLDEST = 25, 120  # no hour and no day of a month; of a time, an age
_NEAR = 8  # characters before a figure that can show it to be an hour


def _short_age(places: Sequence[Place]) -> Ladder:
    """Build the ladder (phrases, most specific first) of an age in short: of "61yo" or "29F" the
    phrases of "aged 61", before a noun those of "61-year-old"; of "70s" after a person those of
    somebody in their seventies. () if a place has another form, or "for" before it: a length, "for
    [34 yo]"."""
    if all(FORMS["age_group"].search(f"{at.before[-_NEAR:]}[{at.words}]") for at in places):
        return date_ladder((f"in their {places[0].words}",))
    words = (FORMS["short_age"].fullmatch(place.words) for place in places)
    if places[0].before.endswith("for ") or not all(words):
        return ()
    years = re.sub(r"\D", "", places[0].words)
    described = all(place.noun_follows for place in places)
    return date_ladder((f"{years}-year-old" if described else f"aged {years}",))


def _time_ladder(read: ReadDocument, places: Sequence[Place]) -> Ladder:
    """Build the ladder (phrases, most specific first) of a DATETIME entity, reading it with the
    words before it. Figures that may be no hour ("[1.10].", unless behind "at") have one vague
    phrase; () if nothing can be said of it."""
    before = places[0].before[-_NEAR:]
    if not before.lower().endswith("at ") and _is_no_hour(read, places):
        return _unread("")  # "from 1.10." may be a day, "in 4:12:55" a length
    hours = all(FORMS["in_figures"].fullmatch(at.words) and _is_hour(read, at) for at in places)
    surfaces = [*dict.fromkeys(_written_out(read, place, hours) for place in places)]
    spoken = (re.sub(r"^(?:about|around) ", "", plain(each).lower()) for each in surfaces)
    if all((hour := number(each)) and hour < _GROWN for each in spoken) and (
        FORMS["hour_before"].search(before) or FORMS["figure_until"].search(before + surfaces[0])
    ):
        surfaces = [f"{surface} o'clock" for surface in surfaces]
    return date_ladder(surfaces)


def _written_out(read: ReadDocument, place: Place, hours: bool) -> str:
    """Return the text of a time with what the words around it add: "at [age 58]" as "aged 58", four
    figures that are an hour as "07:15 hours", and three or four figures that no reader would take
    for a year alone as "the year 1130", if the document is about years of long ago; else unchanged.

    Args:
        read: the document.
        place: the time.
        hours: whether it is four figures that are an hour.
    """
    words, before = place.words, place.before[-_NEAR:]
    if hours:
        return f"{words[:2]}:{words[2:]} hours"
    if before.lower().removesuffix("the ").endswith("at "):  # "at [the age of 58]"
        return FORMS["age_of"].sub("aged ", words)
    # "12 May 1130" may be half past eleven
    early = FORMS["early_year"].search(words) and _is_of_old(read)
    return FORMS["early_year"].sub(r"the year \g<0>", words) if early else words


def _is_of_old(read: ReadDocument) -> bool:
    """Tell whether a text names years of long ago, 500 to 1799, behind a word such as "in" or
    "born" or in brackets, or any century, and no time of day."""
    return read.shows(FORMS["long_ago"]) and not read.shows(FORMS["clock_told"])


def _is_no_hour(read: ReadDocument, places: Sequence[Place]) -> bool:
    """Tell whether figures may be something other than an hour at each of their places: a day with
    a full stop behind it as well ("[1.10]."), a length ("4:12:55") or, in a document that writes
    whole dates with full stops, also a day without the second one ("[1.10] and")."""
    form = "dotted" if read.shows(FORMS["dotted_date"]) else "no_hour"
    return all(FORMS[form].fullmatch(place.words + place.after[:1]) for place in places)


def _is_hour(read: ReadDocument, place: Place) -> bool:
    """Tell whether four figures are an hour. In a document that writes hours so, all are, except a
    likely year (1900 to 2059) in mid-line. Elsewhere those with a leading zero ("0715") are, and
    those below 1760, unless the words before announce a year, or the text names years of long ago
    and no hours."""
    if read.shows(FORMS["hours_in_figures"]):
        return place.before[-1:] in ("", "\n") or not "1900" <= place.words < "2060"
    early = place.words < "1760" and not FORMS["year_before"].search(place.before)
    return place.words[0] == "0" or (early and not _is_of_old(read))


def _bare_age(read: ReadDocument, entity: Entity, places: Sequence[Place]) -> Ladder:
    """Build the ladder of an age that is a bare number or range ("34", "thirty-four", "30-34"), if
    at each place the words around it show that it is one ("age of", "she was", "Ann Lee, 29"), or
    if it was marked as a time and is none; else (). The phrases have "aged" only where no word
    before them stands for it: "between 30 and 39" for "she was [34]", "aged between 30 and 39" for
    "Ann Lee, [34]"."""
    leads, told = [], entity.surfaces[0]
    for place, mention in zip(places, entity.mentions, strict=True):
        age, time = read_age(place.words), parse_temporal(place.words)
        if age is None or (time and (age.first == age.last or time.kind is Kind.CLOCK)):
            return ()  # "8.15-8.40" is no age
        if re.search(r"\d[.,]\d", place.words):
            return ()  # nor is a score of 0.6114
        told = f"{age.first:.0f}" if age.first == age.last else told
        people = (each.span.end for each in read.document.mentions if each.entity_type == "PERSON")
        theirs = mention.span.start - 2 in people  # "[Ewan Gow] (71)", but "Platelets (61)"
        leads.append(_age_lead(place, age, EntityType.DEM if theirs else entity.entity_type))
    if None in leads:
        return ()
    lead = leads[-1] or "aged "
    ladder = date_ladder((f"{lead}{plain(told)}",))
    rungs = [rung for rung in ladder if lead in rung.text or rung.text == MIDDLE_AGE]
    lead = "" if "" in leads else lead
    return tuple(replace(rung, text=rung.text.removeprefix(lead)) for rung in rungs)


def _age_lead(place: Place, age: Temporal, entity_type: str) -> str | None:
    """Return the words that stand before an age, or are meant: "age of ", "aged "; "" if there are
    none, as in "Ann Lee, 29"; None if the number may be no age.

    Args:
        place: the number, with the text around it.
        age: the same, read.
        entity_type: of the mention; DEM if it stands in brackets after a person.
    """
    sides, named = f"{place.before}|{place.after}", FORMS["age_before"].search(place.before)
    if named:
        return "aged " if named[0][3] == "d" else "age of "
    grown = age.first >= _GROWN and FORMS["behind_at"].search(sides)
    if grown or FORMS["behind_subject"].search(sides) or FORMS["young_at"].search(sides):
        return "aged "
    if FORMS["said_after"].match(place.after) and _apposed(place.before, entity_type):
        return ""
    timed = entity_type == EntityType.DATETIME and _GROWN_UP <= age.first <= age.last < _OLDEST
    return "aged " if timed and not FORMS["counted"].search(sides) else None


def _apposed(before: str, entity_type: str) -> bool:
    """Tell whether a number follows a word as an age does: "Ann Lee, 29", "Tolu (6)". A QUANTITY
    never does; a DEM does after anything but a word and a blank."""
    if re.search(r"[a-z\d],? \($|[a-z], $|\b[A-Z]\w+, now $|\(\d{1,2}(?:,| and) $", before):
        return entity_type != EntityType.QUANTITY
    return entity_type == EntityType.DEM and not FORMS["of_several"].search(before)


def date_ladder(surfaces: Sequence[str], source: str = Source.DATES) -> Ladder:
    """Build the ladder of one time: phrases that contain it, most specific first, with ranks from
    0, or from 1 if the first is wide already ("more than a year"). A time that cannot be read has
    one vague phrase, such as "a certain time"; () for a name, a bare number, a counted time ("six
    seasons"), or if nothing true can be said of it.

    Args:
        surfaces: the ways in which it is written, at least one; of a length the word "for" is left
            out.
        source: the source that the candidates carry; it is always "dates" if the time cannot be
            read.
    """
    lengths = [re.sub(r"^for ", "", text, flags=re.IGNORECASE) for text in surfaces]
    if all((time := read_time(text)) and time.kind is Kind.DURATION for text in lengths):
        surfaces = lengths  # "for" stays in the sentence
    stated = [(text, time) for text in surfaces if (time := read_time(text)) is not None]
    if not stated:
        return _unread(surfaces[0])
    text, time = stated[0]
    comparable = [other for _, other in stated if other.kind is time.kind]
    phrases = time_phrases(text, time)
    ladder = climb(surfaces, comparable, phrases, parse_temporal, source)
    if _begins_wide(time, "".join(rung.text for rung in ladder[:1])):
        ladder = tuple(replace(rung, rank=rung.rank + 1) for rung in ladder)
    if ladder and ladder[-1].text == "a certain time":
        return (*ladder[:-1], replace(ladder[-1], text=said_of(text)))
    return ladder


def _begins_wide(time: Temporal, first: str) -> bool:
    """Tell whether the first phrase of a time is as wide as a later one of a year, or of an hour
    with its minutes: a bound such as "more than a year" or "over 60", "several years", a part of
    the day, a century.

    Args:
        time: the original.
        first: its first phrase.
    """
    told = {Kind.DURATION: ("more than ", "several "), Kind.AGE: ("over ", "aged over ")}
    hour = time.kind is Kind.CLOCK and "between" not in first
    wide = first.startswith(told.get(time.kind, ()))
    return hour or wide or time.granularity >= Granularity.DECADES


def is_counted(text: str) -> bool:
    """Tell whether a time counts something that is no unit of time, in two words ("six seasons"),
    or is the length of something: "four years' imprisonment"."""
    amount = parse_quantity(text)
    if amount is None or amount.kind is not QuantityKind.COUNT:
        return amount is not None and amount.unit == "time" and amount.after != ""
    return re.fullmatch(r"\S+ [a-z]+s", text) is not None


def _unread(text: str) -> Ladder:
    """Build the ladder of a time that cannot be read: one phrase that hardly says more than that it
    is a time; () for a name (one capitalised word that is not English: "Thurso"), a bare number or
    a counted time."""
    name = text.isalpha() and text[0].isupper() and not is_english(text)  # no time: "Thurso"
    if name or text.isdigit() or is_counted(text):
        return ()
    return (Candidate(said_of(text), 0, Source.DATES, "any:-inf/inf"),)


# --- phrases, most specific first -----------------------------------------------------------
# The wordings of periods around a date were chosen by similarity to the original
# (all-MiniLM-L6-v2) against how often the original is among the five nearest dates of a corpus:
# for the full day "April–June 1996" is closer and safer than "spring 1996" or "early 1996".

_STEPS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
_NAMES = {grain: name for name, grain in UNITS.items()}
_ORDER = tuple(_NAMES)
_TOLD_IN = frozenset(_ORDER[1:7]) - {Granularity.WEEK}
# By unit, from seconds to years: from this many on, the next larger unit is the natural one for
# "several".
_ENOUGH = dict(zip(_ORDER, (90, 100, 47, 21, 9, 24, 30), strict=False))


@dataclass(frozen=True, slots=True)
class _Form:
    """The grammatical form of a duration in its sentence."""

    tail: str = ""  # possessive mark
    hyphen: bool = False
    digits: bool = False

    def of(self, amount: str, unit: str) -> str:
        """Write an amount of time: "two to five" as "two to five years’" or "two- to five-year".

        Args:
            amount: "two to five", "several".
            unit: in the singular.
        """
        if self.hyphen:
            return f"{amount.replace(' to ', '- to ')}-{unit}{self.tail}"
        return f"{amount} {plural(unit)}{self.tail}"

    def count(self, value: float) -> str:
        """Write a number as the original writes numbers: in figures ("1,000") or in words
        ("five")."""
        return f"{value:,g}" if self.digits else in_words(int(value))


def time_phrases(text: str, time: Temporal) -> Iterator[str]:
    """Yield phrases for a time, most specific first, none for "a certain date" and other times of
    the kind ANY. Not all of them need be true.

    Args:
        text: as it is written, with the words that lead it ("by", "for").
        time: the same, read.
    """
    kinds = {
        Kind.INTERVAL: _dates,
        Kind.PARTIAL: _partial,
        Kind.DURATION: _duration,
        Kind.AGE: _age,
        Kind.CLOCK: _clock,
        Kind.WEEKDAY: _weekday,
        Kind.MONTH_DAY: lambda *_: iter(vocabulary("time")["said_of_the_month"]),
        Kind.RELATIVE: _relative,
    }
    if time.kind in kinds:
        yield from kinds[time.kind](plain(text), time)


def _duration(text: str, time: Temporal) -> Iterator[str]:
    """Yield phrases for a length of time in the form of ``text`` (possessive, hyphened, in
    figures), most specific first; last "a certain period", unless it is hyphened. Not all need be
    true."""
    hyphen = re.search(r"\w-(?:minute|hour|day|week|month|year|decade)(?:-long)?$", text, re.I)
    form = _Form(
        tail="’" if re.search(r"(?<=s)'$|'s$", text) else "",
        hyphen=bool(hyphen),
        digits=bool(re.match(r"(?:\D*\s)?\d", text)),
    )
    yield from _amounts(time, form)
    if not form.hyphen:
        yield f"a certain period{form.tail and '’s'}"


def _amounts(time: Temporal, form: _Form) -> Iterator[str]:
    """Yield phrases for a length of time, most specific first: if it is longer than one of the next
    larger unit, "more than a year" (for 14 months; not for hours or years, nor before a noun); else
    ranges around it or, from 13 units on, a lower bound; then vague words. A single length of very
    many units (over 90 seconds, 100 minutes, 21 days, 9 weeks, 24 months) is told in a larger unit,
    but not one of hours."""
    grain = time.granularity
    count = time.first / DAYS[grain]
    worked = grain is Granularity.HOUR  # hours of work or of a course are no days
    many = count > _ENOUGH.get(grain, math.inf) and not worked
    if many and time.first == time.last:  # "six years and eight months" are given in years
        grain = max([grain, *(unit for unit in _TOLD_IN if time.first / DAYS[unit] >= 1)])
    unit = _NAMES[grain]
    low, high = time.first / DAYS[grain], time.last / DAYS[grain]
    coarser = () if worked else _ORDER[_ORDER.index(grain) + 1 :][:1]  # 14 months: "over a year"
    if coarser and time.first > DAYS[coarser[0]] and grain < Granularity.YEAR and not form.hyphen:
        yield f"more than {with_indefinite(_NAMES[coarser[0]])}{form.tail and '’s'}"
    else:
        few = form.hyphen or low < 13
        yield from _brackets(low, high, unit, form) if few else _many(low, unit, form)
    yield from _vague(time, grain, form)


def _many(count: float, unit: str, form: _Form) -> Iterator[str]:
    """Yield what is said of more than ten units of time: for 30 to 99 years "several decades", then
    the closest lower bound ("more than ten weeks"), and from 13 on "many weeks"."""
    if unit == "year" and 30 <= count < 100:
        yield form.of("several", "decade")
    bound = max(step for step in _STEPS if step < count)
    yield form.of(f"more than {form.count(bound)}", unit)
    if count >= 13:
        yield form.of("many", unit)


def _brackets(low: float, high: float, unit: str, form: _Form) -> Iterator[str]:
    """Yield for 3 to 99 whole units a close range, a quarter less to about a third more ("nine to
    sixteen years" for twelve); then a wider one whose ends are 1, 2 or 5 times a power of ten, if
    its upper end is at most five times the lower ("two to ten years" for five); and for lengths of
    at most one unit "less than two hours", "less than five hours". Some give nothing.

    Args:
        low: the least number of units, from the original.
        high: the greatest.
        unit: in the singular.
        form: how the words stand.
    """
    count = round(low)
    if low == high and abs(low - count) < 1e-6 and 3 <= count <= 99:
        near = max(1, count // 4)
        first, last = count - near, count + near + near // 2
        yield form.of(f"{form.count(first)} to {form.count(last)}", unit)
    below = max((step for step in _STEPS if step < low - 1e-6), default=0)
    above = min((step for step in _STEPS if step > high + 1e-6), default=None)
    if above is None:
        return
    if below >= 1 and above / below <= 5 and (below > 1 or high < 2):
        yield form.of(f"{form.count(below)} to {form.count(above)}", unit)
    if low <= 1 and not form.hyphen:  # an hour is hardly "some minutes"
        yield f"less than {form.count(above)} {unit}{'' if above == 1 else 's'}{form.tail}"
        if above <= 2:
            yield f"less than {form.count(5)} {unit}s{form.tail}"


def _vague(time: Temporal, grain: Granularity, form: _Form) -> Iterator[str]:
    """Yield vague words for a length of time, most specific first: "a few", "several" or lower
    bounds and "many", "a number of", "some", and for fewer than 2.5 units "less than twenty"; only
    "multi-year" and the like before a noun with a hyphen. The unit is the smallest from ``grain``
    on of which there are not too many ("several decades" for forty years); a few phrases have
    ``grain`` itself."""
    coarser = _ORDER[_ORDER.index(grain) :]
    fits = (each for each in coarser if time.first / DAYS[each] < _ENOUGH.get(each, math.inf))
    larger = grain if grain is Granularity.HOUR else next(fits, _ORDER[-1])
    unit, count = _NAMES[larger], time.first / DAYS[larger]
    if form.hyphen:
        yield form.of("multi", unit)
        return
    if 2 < count < 4:  # nobody calls two a few, though the word may hold two
        yield form.of("a few", unit)
    if 3 <= count < 10:
        yield form.of("several", unit)
    elif count > 10:
        yield from _many(count, unit, form)
    yield form.of("a number of", unit)
    yield form.of("a number of", _NAMES[grain])
    if count < 2 and time.first == time.last:  # forty-seven days are no "some months"
        unit = _NAMES[_ORDER[max(0, _ORDER.index(larger) - 1)]]
    yield form.of("some", unit)
    if time.last < 2.5 * DAYS[grain]:  # of "some years" there are hardly ten
        yield f"less than {form.count(20)} {_NAMES[grain]}s{form.tail}"


_AGE_FORMS = [(re.compile(found, re.I), form) for found, form in vocabulary("time")["age_forms"]]


# By the style of a form of age: the pattern of a range, the word for children, and what upper and
# lower bounds begin with.
_AGE_STYLES: Mapping[str, Sequence[str]] = vocabulary("time")["age_styles"]


def _age(text: str, time: Temporal) -> Iterator[str]:
    """Yield ranges of ages, closest first ("aged between 30 and 39"), and for old age before these
    its lower bounds ("over 60"), which readers prefer; then "under" and "over" other ages and, but
    for the form "34-year-old", "a certain age". All ages in a range get the same ranges, except its
    first and its last. Not all phrases need be true.

    Args:
        text: as it is written; the phrases have its form ("34-year-old": "30- to 39-year-old").
        time: the same, read.
    """
    low, high = int(time.first), int(time.last)
    form = next((form for pattern, form in _AGE_FORMS if pattern.match(text)), "aged {}")
    style = "year-old" if form.startswith("{}-") else "age" if form.startswith("age ") else ""
    between, child, under, over = _AGE_STYLES[style]
    if not style:
        yield from (form.format(f"{over}{bound}") for bound in (80, 60) if low > bound)
    for ends in _age_ranges(low, high):
        if (form, ends) == ("aged {}", (40, 59)):
            yield MIDDLE_AGE
        yield form.format(between.format(*ends))
    yield form.format(child)
    if style == "year-old":
        form = "{}"
    yield form.format(f"{under}{18 if high < 18 else 30}")
    base = low // 10 * 10
    for bound in (base - 10, base - 20, 18):
        if 18 <= bound < low:
            yield form.format(f"{over}{bound}")
    if style != "year-old":
        yield "a certain age"


def _age_ranges(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges that contain the ages from ``low`` to ``high``, both ends included, the
    closest first. From 21 on these are blocks of ten and of twenty years, which reach further where
    an age is at their end: 34 gives (30, 39) and (20, 39), but 39 gives (30, 40) and (20, 40). Ages
    that begin at 20 or below get (18, 29) or (10, 17) if they lie within it, else none; so do those
    of 120 and more."""
    if low <= 20 or high >= _OLDEST:
        yield from (ends for ends in ((18, 29), (10, 17)) if ends[0] <= low and high <= ends[1])
        return
    for size in (10, 20):
        start, end = low // size * size, high // size * size + size - 1
        yield start - 10 * (low == start), end + (high == end)


def _clock(text: str, time: Temporal) -> Iterator[str]:
    """Yield phrases for a time of day, most specific first: "some time between 5 p.m. and 6 p.m.",
    parts of the day ("the evening"), "a certain time". Not all need be true."""
    low, high = int(time.first), int(time.last)
    one = len(time.spans) == 1
    if time.either:  # "ten past six" is in the morning or in the evening
        hour = (low // 60 - (not low % 60)) % 12
        for first in (hour, hour - 1):  # an end may be a number of "quarter past five"
            for size in (2, 3, 4):
                last = (first + size - 1) % 12 + 1
                yield f"some time between {first % 12 or 12} and {last} o'clock"
    if low == high and low in (0, 720):
        yield f"some time {'in the middle of the day' if low else 'during the night'}"
    hour = low // 60
    if one and 60 * hour < low and high < 60 * hour + 60:
        yield f"some time between {_hour(hour)} and {_hour(hour + 1)}"
    yield from (f"the {part}" for part in vocabulary("time")["said_of_the_day"])
    yield "some time in the middle of the day"
    yield "some time during the night"
    yield "a certain time"


def _hour(hour: int) -> str:
    """Write an hour, counted from 0, as "5 p.m."."""
    return f"{hour % 12 or 12} {'a' if hour % 24 < 12 else 'p'}.m."


def _weekday(text: str, time: Temporal) -> Iterator[str]:
    """Yield phrases for a day of the week: "a weekday" or "a day at the weekend" (also for "the
    weekend"), then "a certain day", or "a certain time" if an hour is given; for several days only
    "some days of the week"."""
    if time.first != time.last and not text.lower().endswith("weekend"):
        yield "some days of the week"
    else:
        yield "a weekday" if time.last <= 4 else "a day at the weekend"
        yield "a certain day" if time.clock is None else "a certain time"


def _relative(text: str, time: Temporal) -> Iterator[str]:
    """Yield phrases for a time relative to another, most specific first; not all need be true.

    * Of "two weeks later", one exact distance with "later", "afterwards", "late", "earlier",
      "before", "previously" or "ago", first wider distances: "some weeks later". They end in "late"
      or "ago" where the original does, else in "later" or "earlier". Then "some time later" and "a
      later date".
    * Of such a word alone, or with an inexact distance, only "some time later" and "a later date".
    * Of "the following day" ("next", "previous" and the like, wholly after or before) only "a later
      date".
    * Of "the same day" only "the same week" and "a certain time".
    * Of anything else, as "two weeks after that", "some time later", "a later date" and "a certain
      time".

    Of a time that begins before the other one, "earlier" stands in all of these instead of "later".

    Args:
        text: of the time.
        time: the same as it was read, of the kind RELATIVE.
    """
    way = re.search(r"\b(later|afterwards?|thereafter|late|earlier|before|previously|ago)\b", text)
    order = "later" if time.first >= 0 else "earlier"
    word = way[0] if way and way[0] in ("late", "ago") else order
    if way and time.first == time.last and time.first:
        length = Temporal(Kind.DURATION, ((abs(time.first),) * 2,), time.granularity)
        form = _Form(digits=text[0].isdigit())
        yield from (f"{amount} {word}" for amount in _amounts(length, form))
    follows = re.search(r"\b(?:next|following|same|previous|preceding|last)\b", text, re.I)
    other = f"{with_indefinite(order)} date"
    if follows and (time.first > 0 or time.last < 0):
        yield other
    else:
        now = time.first == 0 == time.last
        yield from ("the same week",) if now else (f"some time {word}", other)
        if not way:  # "a certain time" cannot replace "two weeks later"
            yield "a certain time"


def _dates(text: str, time: Temporal) -> Iterator[str]:
    """Yield periods around a date or a range of dates, most specific first, and last "a certain
    date" or the like; only "a certain time" if it has no beginning or no end. They are led by "in"
    (the last by "during") where the original begins with a preposition such as "during", "on" or
    "from". Not all contain the whole range."""
    if time.first == FIRST_DAY or time.last == LAST_DAY:
        yield "a certain time"
        return
    first, last = (date.fromordinal(int(day)) for day in (time.first, time.last))
    between = FORMS["range_word"].match(text)
    if between and first.year != last.year:
        yield from _between(between["word"].lower(), first, last)
    lead = "in " * bool(FORMS["range_lead"].match(text))
    told = _centuries if time.granularity >= Granularity.DECADES else _periods
    for phrase in told(first, last):
        ranged = phrase.startswith("between") and len(time.spans) == 1
        yield phrase if ranged else f"{lead}{phrase.removeprefix('between ')}"
    yield f"{lead and 'during '}{_any(time, first, last)}"


def _any(time: Temporal, first: date, last: date) -> str:
    """Name a date or period without saying when: "a certain date", "certain dates", "a certain
    month", "a certain year", "a certain period"."""
    if len(time.spans) > 1 and time.granularity is Granularity.DAY and not time.either:
        return "certain dates"
    named = {Granularity.MONTH: (31, "month"), Granularity.YEAR: (366, "year")}
    longest, name = named.get(time.granularity, (1, "date"))
    single = time.either or (last - first).days < longest
    return f"a certain {name if single else 'period'}"


def _between(word: str, first: date, last: date) -> Iterator[str]:
    """Yield a range over several years with its ends made coarser: "between May 1996 and June
    1999", by halves of years, "between 1996 and 1999".

    Args:
        word: "between" or "from", which opens the range.
        first: its first day.
        last: its last day.
    """
    joint = "to" if word == "from" else "and"
    months = (f"{MONTH_NAMES[day.month - 1]} {day.year}" for day in (first, last))
    yield f"{word} {f' {joint} '.join(months)}"
    yield f"{word} {_half(first.month)} {first.year} {joint} {_half(last.month)} {last.year}"
    yield f"{word} {first.year} {joint} {last.year}"


def _half(month: int) -> str:
    """Name the half of the year that a month (1 to 12) is in: "the first half of"."""
    return f"the {'first' if month < 7 else 'second'} half of"


def part_of_year(month: int) -> str:
    """Name the third of a year that a month (1 to 12) is in, "early", "mid" or "late", with the
    blank or hyphen that stands before the year ("early 1996", "mid-1996"); "" for September,
    because four of ten readers found "late" untrue of it."""
    return "" if month == 9 else ("early ", "mid-", "late ")[(month - 1) // 4]


def _periods(first: date, last: date) -> Iterator[str]:
    """Yield periods around a run of days, finest first: its months ("May 1996", "April–June 1996");
    for a month or more the quarter, part ("early 1996") and half of the year that its first day is
    in; its year; parts of decades, decades and the century. Not all contain the last day.

    A part of a year reveals a lot about a day for what it keeps, so a single day only gets its
    months and then its year.

    Args:
        first: its first day.
        last: its last day.
    """
    year, low, high = first.year, first.month, last.month
    if year == last.year:
        yield f"{MONTH_NAMES[low - 1] if low == high else _months(low, high)} {year}"
        if (last - first).days > 25:  # a month or more
            quarter = (low - 1) // 3 * 3 + 1
            yield f"{_months(quarter, quarter + 2)} {year}"
            if part := part_of_year(low):
                yield f"{part}{year}"
            yield f"{_half(low)} {year}"
        yield f"{year}"
    yield from _years(year, last.year)


def _months(low: int, high: int) -> str:
    """Write a run of months (1 to 12): "April–June"."""
    return f"{MONTH_NAMES[low - 1]}–{MONTH_NAMES[high - 1]}"


def _years(first: int, last: int) -> Iterator[str]:
    """Yield the parts of decades, decades and centuries around both years, finest first: "the
    mid-1990s", "the 1990s" and, of at most two years in a row, "the 1980s or 1990s"; of two decades
    "the late 1980s and the mid-1990s", with "between" if others lie in between; last the century of
    the first year, "the 20th century"."""
    decade, other = first // 10 * 10, last // 10 * 10
    if decade == other:
        yield f"the {_part(first)}{decade}s"
        yield f"the {decade}s"
        if last - first < 2:  # a year, or a season over two
            pair = min(decade // 20 * 20, 2010)  # nobody names a decade to come
            yield f"the {pair}s or {pair + 10}s"
    elif last - first == 1:
        yield f"the {decade}s or {other}s"
    else:
        lead = "between " * (other > decade + 10)
        yield f"{lead}the {_part(first)}{decade}s and the {_part(last)}{other}s"
        yield f"{lead}the {decade}s and the {other}s"
    yield f"the {as_ordinal((first - 1) // 100 + 1)} century"


def _centuries(first: date, last: date) -> Iterator[str]:
    """Yield the century of the first day, then wider and wider periods around it: "the 18th
    century", "the 17th or 18th century", "between 1600 and 1800", "between the 17th and the 19th
    century". If the second day is in a later century, only the last surely contains both."""
    low, high = ((day.year - 1) // 100 + 1 for day in (first, last))
    yield f"the {as_ordinal(low)} century"
    start = low - (low % 2 == 0 or high > 20)  # nobody names a century to come
    yield f"the {as_ordinal(start)} or {as_ordinal(start + 1)} century"
    yield f"between {start - 1}00 and {start + 1}00"  # the other century may be hidden near by
    yield f"between the {as_ordinal(low - 1)} and the {as_ordinal(high + 1)} century"


def _part(year: int) -> str:
    """Name the part of its decade that a year is in, "early" (years 0 to 3), "mid" (4 to 6) or
    "late", with the blank or hyphen that stands before the decade; "" in the first decade of a
    century before 2000, because "the mid-1900s" reads as about 1950."""
    if year // 10 % 10 == 0 and year < 2000:
        return ""
    return "early " if year % 10 < 4 else "mid-" if year % 10 < 7 else "late "


def _partial(text: str, time: Temporal) -> Iterator[str]:
    """Yield phrases for dates without a year, most specific first: "May", "the middle of the year",
    "the first half of the year", and "a certain date", "a certain month" or "a certain time". None
    adds a year; not all need be true."""
    start = date(2000, 1, 1).toordinal() - 1
    first, last = (date.fromordinal(start + int(day)) for day in (time.first, time.last))
    yield MONTH_NAMES[first.month - 1]
    named = first.month == last.month and time.granularity >= Granularity.MONTH
    if not named and part_of_year(first.month):
        yield [*_PART_OF_YEAR][(first.month - 1) // 4]
    yield f"{_half(last.month)} the year"
    if time.granularity is Granularity.DAY and (first == last or time.either):
        yield "a certain date"
    elif time.granularity is Granularity.MONTH and first.month == last.month:
        yield "a certain month"
    else:
        yield "a certain time"
