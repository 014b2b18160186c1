"""Candidates for dates, times, ages and durations.

A ladder of true statements, each wider than the one before: month, part of the year, year, part
of the decade, decade, century for a date; brackets and vague numbers for a duration; and so on.
Every phrase is read back and must contain what the original says, so that the order of a
document's dates is never contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from intact.domain import BY_CONCEPT, PROPER, Candidate, Document, Entity, EntityType, Ladder
from intact.english.agreement import PREPOSITIONS
from intact.english.numbers import number, plain
from intact.english.scan import parse_temporal, read_age, read_time
from intact.english.time import Kind, Temporal
from intact.english.vocabulary import either
from intact.generation.ladder import climb, fixed_ladder
from intact.generation.time_phrases import time_phrases
from intact.knowledge.patterns import Context


class DateGenerator:
    """Generalises DATETIME entities, and dates and ages that go under another type."""

    name = "dates"

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """A ladder for each DATETIME entity whose text can be read.

        Args:
            document: the text around the entities.
            entities: those to be generalised.
        """
        ladders = {}
        for entity in entities:
            if all(_SHORT_AGE.fullmatch(surface) for surface in entity.surfaces):
                ladder = _short_age(document.text, entity)
            elif entity.entity_type == EntityType.DATETIME:
                ladder = _bare_age(document.text, entity) or _time_ladder(document.text, entity)
            elif entity.entity_type in BY_CONCEPT and all(
                _is_date(text) and (entity.entity_type not in PROPER or text[-1].isdigit())
                for text in entity.surfaces
            ):
                ladder = date_ladder(entity.surfaces)
            elif entity.entity_type == EntityType.DEM:
                ladder = _bare_age(document.text, entity)
            else:
                continue
            if ladder:
                ladders[entity.id] = ladder
        return ladders


_SHORT_AGE = re.compile(
    r"(?P<years>\d{1,2}) ?-?(?:yo|y/o|y\.o\.?|yrs?-?old)|(?P<or>\d\d) ?(?:y|[FMfm])"
)
"""An age as notes have it: "61yo", "34 y", "29F"."""
_LASTING = re.compile(r"(?P<length>.+ (?:hour|day|night|week|month|year)s?) (?:in|of) .+")
_AGE_BEFORE = re.compile(r"\bage(?: of|d| is| was|:)?\s$", re.IGNORECASE)
_SAID_BEFORE = re.compile(
    r"\b(?:[A-Z]\w+ (?:is|was)|"
    r"(?:(?:he|she|I|they|who) ?(?:was|were|is|am|are|[’']?s|[’']m|[’']re)|i[’']?m|shes|hes)"
    r"(?: (?:only|now|then|just|about|almost|like))?|turn(?:s|ed)|be) $"
)
_AT_BEFORE = re.compile(r"\b(?:only|at) $", re.IGNORECASE)
_SAID_AFTER = re.compile(
    r"(?:[,;:)”\"]|\.(?!\d)|\s(?:and|but|when|she|he|I|they|who|in|at|with|now|then)\b)|\s*$"
)
_OF_SEVERAL = re.compile(r"\b(?:only|one|first|last|best)\s(?:\w+\s){0,2}(?:of|in)\s$|[\w'’]\s$")
_GROWN = 13  # "at twelve" may be an hour
_HOUR_BEFORE = re.compile(r"\b(?:at|til|till|until|by|before|after|around|about) $", re.IGNORECASE)
_WHOLE_DAY = re.compile(r"(?<![\d.:])(?:1[3-9]|2[0-3]):[0-5]\d(?![\d.])")
_RACE = re.compile(r"\d:\d\d:\d\d")
_CLOCK = re.compile(r"\d\d?:\d\d")


def _is_date(text: str) -> bool:
    """Whether a text is a full date, a year or an age, whatever type it goes under."""
    time = parse_temporal(text)
    return time is not None and time.kind in (Kind.INTERVAL, Kind.AGE)


def _short_age(text: str, entity: Entity) -> Ladder:
    """The ladder of "61yo"; "for 34 y" is no age."""
    first = entity.mentions[0]
    if re.search(rf"\b(?:{either(PREPOSITIONS)}) $", text[: first.span.start][-12:]):
        return _time_ladder(text, entity)
    told = _SHORT_AGE.fullmatch(first.text)
    years = (told["years"] or told["or"]) if told else ""
    kind, after = entity.entity_type, [text[mention.span.end :][:40] for mention in entity.mentions]
    if all(Context(kind, after=each).before_noun for each in after):
        return date_ladder((f"{years}-year-old",))
    return date_ladder((f"aged {years}",))


def _time_ladder(text: str, entity: Entity) -> Ladder:
    """The ladder of a DATETIME entity, read in the light of what stands before it."""
    surfaces = tuple(map(_lasting, entity.surfaces))
    if any(map(_RACE.fullmatch, surfaces)):
        return ()
    if all(map(_CLOCK.fullmatch, surfaces)) and _WHOLE_DAY.search(text):
        surfaces = tuple(f"{surface} hours" for surface in surfaces)  # "10:12" beside "18:40"
    elif all(
        (hour := number(re.sub(r"^(?:about|around) ", "", plain(each).lower()))) and hour < _GROWN
        for each in surfaces
    ):
        start = entity.mentions[0].span.start
        if not _HOUR_BEFORE.search(text, max(0, start - 8), start):
            return date_ladder(surfaces)
        surfaces = tuple(f"{surface} o'clock" for surface in surfaces)
    return date_ladder(surfaces)


def _lasting(text: str) -> str:
    """ "five months in 2023" without the year, in which it does not last; "Age: 34" without ":"."""
    text = re.sub(r"(?<=^Age):(?= \d)", "", text)
    found = _LASTING.fullmatch(text)
    time = parse_temporal(found["length"]) if found else None
    return found["length"] if found and time and time.kind is Kind.DURATION else text


def _bare_age(text: str, entity: Entity) -> Ladder:
    """The ladder of "34" where "age of" or "she was" stands before it; else empty."""
    lead, kept, told = "", False, entity.surfaces[0]
    for mention in entity.mentions:
        start, end = mention.span.start, mention.span.end
        age = read_age(mention.text)
        if age is None or (age.first == age.last and parse_temporal(mention.text) is not None):
            return ()
        told = f"{age.first:.0f}" if age.first == age.last else told
        before = text[max(0, start - 24) : start]
        said = _SAID_AFTER.match(text, end)
        if _AGE_BEFORE.search(before):
            lead = lead or "age of "
        elif said and (
            _SAID_BEFORE.search(before) or (age.first >= _GROWN and _AT_BEFORE.search(before))
        ):
            lead = "aged "
        elif said and _apposed(before, entity.entity_type):
            kept, lead = True, "aged "
        else:
            return ()
    rungs = [rung for rung in date_ladder((f"{lead}{plain(told)}",)) if lead in rung.text]
    if re.search(r"\bat $", text[: entity.mentions[0].span.start][-4:], re.IGNORECASE):
        rungs = rungs[:1] + [rung for rung in rungs[1:] if "between" not in rung.text]
    if kept:
        return tuple(rungs)
    return tuple(replace(rung, text=rung.text.removeprefix(lead)) for rung in rungs)


def _apposed(before: str, entity_type: str) -> bool:
    """Whether a number stands behind a name or word as an age does: "Ann Lee, 29", "Tolu (6)"."""
    if re.search(r"[a-z],? \($|[a-z], $", before):
        return True
    return entity_type == EntityType.DEM and not _OF_SEVERAL.search(before)


def date_ladder(surfaces: Sequence[str], source: str = DateGenerator.name) -> Ladder:
    """The ladder of one thing that is written in these ways, most specific first; may be empty.

    Args:
        surfaces: the texts of one entity's mentions.
        source: what the candidates say they come from.
    """
    stated = [(text, time) for text in surfaces if (time := read_time(text)) is not None]
    if not stated:
        return _unread(surfaces[0])
    text, time = stated[0]
    comparable = [other for _, other in stated if other.kind is time.kind]
    return climb(
        surfaces,
        comparable,
        time_phrases(text, time),
        parse_temporal,
        describe=Temporal.canonical,
        source=source,
    )


_TIME_WORD = re.compile(
    r"\b(?:\d{1,2}|\d{4,}|days?|weeks?|months?|years?|hours?|minutes?|morning|afternoon|evening|night"
    r"|today|yesterday|tomorrow|then|now|christmas|easter|ramadan|new year|midsummer|monsoon"
    r"|seasons?|harvest|holidays?|semester|trimester|term|weekends?|lunch|dinner|breakfast"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)


_FROM_ANOTHER = re.compile(r"\b(?:later|earlier|before|after|afterwards|ago|previously)$", re.I)


def _unread(text: str, source: str = DateGenerator.name) -> Ladder:
    """What can be said of a time that cannot be read: only that it is one."""
    known = fixed_ladder(text, source)
    if known:
        return known
    if _FROM_ANOTHER.search(text):
        return ()
    if not _TIME_WORD.search(plain(text)):
        return ()
    return (Candidate("a certain time", 0, source, "any:-inf/inf"),)
