"""A person's own phrases: whether they may be used, and whether they are true."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from intact.domain import BY_VALUE, Candidate, Document, Entity, EntityType, Source
from intact.english import numbers, scan, time, words
from intact.errors import InputError
from intact.pipeline import Components
from intact.planning.ladder import DocumentChecks
from intact.planning.model.answers import explain_reason
from intact.verification.evidence import CONTRADICTED, UNREAD

_RUN = 4  # digits that identify a number; names longer than this are also found inside words
_WORD = r"[^\W\d_]{3,}(?:-[^\W\d_]+)?"
_SHORTEN = ". If more was found than is personal, take it for no find (d), then hide the rest (f)"
_TIMES = {*time.Kind} - {time.Kind.AGE, time.Kind.RELATIVE, time.Kind.ANY}  # points and lengths
_LETTERS = str.maketrans("oilzeastb", "011234578")  # letters that look like digits


class RefusedError(InputError):
    """A request cannot be fulfilled. The message says why; it quotes no words of the document
    except those that the request itself holds."""


def refuse_if(wrong: object, why: str) -> None:
    """Raise a ``RefusedError`` with a message if a condition holds; else do nothing.

    Args:
        wrong: the condition, which holds if it is true in Python's sense.
        why: the message.
    """
    if wrong:
        raise RefusedError(why)


def check_phrase(phrase: str, entity: Entity, document: Document, parts: Components) -> None:
    """Raise a ``RefusedError`` if a person's own phrase may not replace an entity; else do nothing.

    Args:
        phrase: as it would be in the middle of a sentence. Its numbers are compared with any
            separators, and in words, too ("41 500", "two fifteen").
        entity: what it is to replace.
        document: with everything that is hidden.
        parts: know what is true, and other names of what is hidden.

    Raises:
        RefusedError: if the phrase gives away what is hidden (also by letters that look like
            digits), is known not to be true, looks like a label ("PERSON_1"), or has a bracket or
            quotation mark without its counterpart.
    """
    if told := disclosed(phrase, entity, document, parts.checks(document.entities)):
        long = entity.entity_type not in BY_VALUE and " " in entity.surfaces[0]
        raise RefusedError(f"{told}{_SHORTEN * long}")
    unpaired = any(
        phrase.count(left) != phrase.count(right) for left, right in ("()", "[]", "“”", "«»")
    )
    refuse_if(unpaired, "a bracket or a quotation mark in it has no counterpart")
    label = re.search(r"[A-Z]{2,}_\d", phrase.upper())
    refuse_if(label, "it looks like a label: mask it (m), or join it with what has that (g)")
    own = {entity.id: (Candidate(phrase, 0, Source.REVIEWER),)}
    found = parts.evidence.check(document, {entity.id: entity}, own)[0][entity.id, 0]
    untrue = found == CONTRADICTED and entity.entity_type not in BY_VALUE  # values: see disclosed
    whole, head, _ = (lexicon := parts.knowledge.lexicon).read(phrase)
    kinds = {kind for one in whole or head for kind in lexicon.tree[one].types}
    untrue |= found == UNREAD and kinds == {EntityType.LOC}  # all that it can mean is a place
    refuse_if(untrue, "as far as INTACT knows, it is not true of what stands there")


def disclosed(phrase: str, entity: Entity, document: Document, checks: DocumentChecks) -> str:
    """Return the reason why a person's phrase gives something hidden away, exactly or nearly
    spelled, with the shortest part of the phrase that does: "REASON: “in Leeds”"; "" if it gives
    nothing away.

    Args:
        phrase: as it would be in the middle of a sentence, typed or read from a file.
        entity: what it is to replace.
        document: with everything that is hidden.
        checks: of that document.
    """
    given = words.legible(phrase).split()
    read = re.sub(r"(?<=\d)k\b", " thousand", " ".join(given))
    said = read if len(figures := _figures(phrase)) < 3 else figures  # of a time of day
    if (value := _compare(read, entity)) == "wider":  # a time or an amount, whatever its type
        dated = (replace(one, entity_type=EntityType.DATETIME) for one in entity.mentions)
        value, entity = "", Entity(entity.id, tuple(dated))
    whole = value or checks.problem(read, entity)
    ends = combinations(range(len(given) + 1), 2)
    runs = sorted((" ".join(given[a:b]) for a, b in ends), key=len)
    if problem := whole or checks.problem(said, entity):
        same = {problem, "equal"} if problem == "contains" else {problem}  # "in [Leeds]"
        found = (o for o in runs if same & {checks.problem(o, entity), _compare(o, entity)})
        return f"{explain_reason(problem)}: “{next(found, phrase)}”"
    others = [one for one in document.entities if one.id != entity.id]
    for problem, hidden in (("contains", [entity]), ("discloses", others)):
        if whole := _find_spelled(phrase, hidden):
            parts = (_find_spelled(run, hidden) for run in runs)
            return f"{explain_reason(problem)}: “{next(filter(None, parts), whole)}”"
    for run in (*runs, f"{said[:-2]}:{said[-2:]}"):
        if _compare(run, entity) == "equal":
            return f"{explain_reason('equal')}: “{run}”"
    return ""


def _compare(phrase: str, entity: Entity) -> str:
    """Compare the times or amounts that a phrase states with the originals of an entity, in all
    their readings; the person knows which reading is meant.

    Returns:
        "false" if the phrase holds no reading of some original, "equal" if it states one, or
            something within one, "wider" if it holds more than one of them, and "" if they cannot
            be compared.
    """
    found, all_said = "", _readings(phrase)
    for readings in map(_readings, entity.surfaces if all_said else ()):
        held = [_holds(said, one) for said in all_said for one in readings]
        if held and not any(one is not False for one in held):
            return "false"
        if any(scan.contains(one, said) for said in all_said for one in readings):
            return "equal"
        found = "wider" if True in held else found
    return found


def _holds(said: scan.Value, one: scan.Value) -> bool | None:
    """Return True if all of a value lies within what is said, False if not, and None if that cannot
    be told; a length of time never holds a point of time, nor the other way round.

    Args:
        said: the wider value, as a phrase states it.
        one: the value that may lie within it.
    """
    apart = {time.Kind.DURATION} < {said.kind, one.kind} & _TIMES
    return False if apart else scan.contains(said, one)


def _readings(text: str) -> list[scan.Value]:
    """List the times and amounts that a text may mean: "10/3" may be two days, "40s" may be an age,
    too. [] if it means none."""
    value, age = scan.read_time(text) or scan.parse(text), scan.read_time(f"in his {text}")
    if isinstance(value, time.Temporal) and value.either:
        return [replace(value, spans=(one,), either=False) for one in value.spans]
    aged = age if age and age.kind is time.Kind.AGE else None
    return [one for one in (value, aged) if one]


def check_characters(text: str) -> None:
    """Raise a ``RefusedError`` if a text holds characters that nobody can see (zero-width,
    control)."""
    hidden = re.search(f"[{words.INVISIBLE}]", text) or not all(c.isprintable() for c in text)
    refuse_if(hidden, "it holds characters that nobody can see; type it anew")


def _find_spelled(phrase: str, hidden: Iterable[Entity]) -> str:
    """Return the word of a phrase, or the whole phrase, that spells something hidden, in any
    writing, forwards or backwards, or nearly; "" if nothing does.

    Hidden are a name, its initials, four digits of a number, or another word whose letters stand
    apart, are reversed or differ by one; entities with values (dates, amounts) are passed over."""
    named = {s for e in hidden if e.entity_type not in BY_VALUE for s in e.surfaces}
    names = {w for s in named for w in (*words.name_words(s), s if _figures(s) else "")}
    names = {*map(words.spelling, names)}
    plain = {words.spelling(w) for s in named for w in words.telling_lemmas(s) if len(w) > _RUN}
    apart = "".join(re.findall(r"(?<!\w)\w(?!\w)", words.legible(phrase)))
    runs = {n[at : at + _RUN] for n in map(_figures, named) for at in range(len(n) - _RUN + 1)}
    said, figures = words.spelling(phrase), _figures(phrase)
    ways, rows = f"{said} {said[::-1]}", f"{figures} {figures[::-1]}"
    odd = f"{rows} {said[::-1]} {words.spelling(apart)}"
    told = any(n in (ways if len(n) > _RUN else ways.split()) for n in names)
    hard = any((told, *(part in odd for part in plain | runs)))
    return _find_near(phrase, apart, named, names | plain) or phrase * hard


def _find_near(phrase: str, apart: str, named: set[str], far: set[str]) -> str:
    """Return the first word of a phrase that is nearly one of some spelled words, or the initials
    of a name; "" if none is.

    Args:
        phrase: its words may have marks in them ("B*rrow").
        apart: the phrase's single letters, joined.
        named: the names.
        far: the spelled words.
    """
    forms = {form for name in named for form in (name, words.normalise(name).title())}
    initials = {words.spelling(each) for form in forms for each in words.acronyms(form)}
    capitals = "".join(filter(str.isupper, apart))
    given: list[str] = [capitals, *words.words(phrase), *re.findall(r"\w\S*\w", phrase)]
    short = {word for word in filter(str.isupper, given) if words.spelling(word) in initials}
    return next((word for word in given if word in short or words.spells_nearly(word, far)), "")


def _figures(text: str) -> str:
    """Return the digits of a text in a row ("215" for "two fifteen"): those written, those of
    numbers in words, and those that letters look like beside digits ("o77oo"); "" if there are
    none."""
    said = words.legible(text).lower()
    plain = re.sub(_WORD, lambda m: m[0] if (n := numbers.number(m[0])) is None else f"{n:g}", said)
    found = re.findall(r"[^\W\d_]*\d[^\W_]*", plain)
    return "".join(filter(str.isdigit, "".join(found).translate(_LETTERS)))
