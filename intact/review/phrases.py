"""Own phrases of a person: may they stand, are they true."""

from __future__ import annotations

import re
from itertools import chain, combinations

from intact.domain import BY_VALUE, Candidate, Document, Entity, EntityType, Source
from intact.english.words import INVISIBLE, legible, name_words, spelling, spells_nearly, words
from intact.errors import InputError
from intact.knowledge.kinds import Lexicon
from intact.pipeline import Components
from intact.planning.model.answers import compare_value, explain_reason
from intact.verification.evidence import CONTRADICTED, UNREAD

_RUN = 4  # figures of a number that tell it; a longer name is looked for inside words
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_LETTERS = str.maketrans("oilzeastb", "011234578")  # that look like figures


class RefusedError(InputError):
    """A request that cannot be fulfilled; says why, in no words of the document but those that the
    request itself holds."""


def check_phrase(phrase: str, entity: Entity, document: Document, parts: Components) -> None:
    """Check that an own phrase may stand.

    Args:
        phrase: as it would stand in mid-sentence.
        entity: what it is to stand for.
        document: with all that is hidden.
        parts: say what is true, and what else names are called.

    Raises:
        RefusedError: if it gives away what is hidden, in figures that look like letters, too, is
            known not to be true, or is no phrase.
    """
    given = legible(phrase).split()
    read = " ".join(given)
    checks = parts.checks.of(document)
    if problem := compare_value(read, entity) or checks.problem(read, entity):
        told = next((word for word in given if checks.problem(word, entity)), phrase)
        raise RefusedError(f"{explain_reason(problem)}: “{told}”")
    if told := _find_spelled(phrase, document):
        raise RefusedError(f"{explain_reason('contains')}: “{told}”")
    for first, last in combinations(range(len(given) + 1), 2):
        if compare_value(run := " ".join(given[first:last]), entity) == "equal":
            raise RefusedError(f"{explain_reason('equal')}: “{run}”")
    if any(phrase.count(left) != phrase.count(right) for left, right in _PAIRS):
        raise RefusedError("a bracket or a quotation mark in it has no counterpart")
    if re.search(r"[A-Z]{2,}_\d", phrase.upper()):
        raise RefusedError("it looks like a label; choose the label itself")
    own = {entity.id: (Candidate(phrase, 0, Source.REVIEWER),)}
    found = parts.evidence.check(document, {entity.id: entity}, own)[0][entity.id, 0]
    if found == CONTRADICTED or (found == UNREAD and _names_place(phrase, parts.knowledge.lexicon)):
        raise RefusedError("as far as INTACT knows, it is not true of what stands there")


def check_characters(text: str) -> None:
    """Check that a text holds only what a person sees; a ``RefusedError`` if not."""
    if re.search(f"[{INVISIBLE}]", text) or not all(c.isprintable() for c in text):
        raise RefusedError("it holds characters that nobody can see; type it anew")


def _find_spelled(phrase: str, document: Document) -> str:
    """Find what of a phrase spells what is hidden, in any writing and either way round, or nearly:
    a name, or four figures of a number; "" for nothing."""
    named = (e.surfaces for e in document.entities if e.entity_type not in BY_VALUE)
    numbers = {surface: _figures(surface) for surface in chain(*named)}
    names = {spelling(w) for s, n in numbers.items() for w in (*name_words(s), s if n else "")}
    if near := next((w for w in words(phrase) if spells_nearly(w, names)), ""):
        return near
    runs = {n[at : at + _RUN] for n in numbers.values() for at in range(len(n) - _RUN + 1)}
    said, figures = spelling(phrase), _figures(phrase)
    for spelled, row in ((said, figures), (said[::-1], figures[::-1])):
        told = any(n in spelled if len(n) > _RUN else n == spelled for n in names)
        if told or any(run in row for run in runs):
            return phrase
    return ""


def _figures(text: str) -> str:
    """Take the figures of a text, and the letters for figures beside them ("o77oo")."""
    found = re.findall(r"[^\W\d_]*\d[^\W_]*", legible(text).lower())
    return "".join(filter(str.isdigit, "".join(found).translate(_LETTERS)))


def _names_place(phrase: str, lexicon: Lexicon) -> bool:
    """Tell whether all that a phrase can mean are places."""
    whole, head, _ = lexicon.read(phrase)
    return {t for kind in whole or head for t in lexicon.tree[kind].types} == {EntityType.LOC}
