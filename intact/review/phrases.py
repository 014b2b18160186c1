"""Own phrases of a person: may they stand, are they true."""

from __future__ import annotations

import re
from itertools import combinations

from intact.domain import BY_VALUE, Candidate, Document, Entity, EntityType, Source
from intact.english.words import INVISIBLE, legible, name_words, spelling
from intact.errors import InputError
from intact.knowledge.kinds import Lexicon
from intact.pipeline import Components
from intact.planning.model.answers import compare_value, explain_reason
from intact.verification.evidence import CONTRADICTED, UNREAD

_RUN = 4  # figures of a number that tell it; a longer name is looked for inside words
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_LETTERS = str.maketrans("01345", "oieas")  # that figures in words look like


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
    checks, given = parts.checks.of(document), legible(phrase).split()
    read = " ".join(given)
    if problem := compare_value(read, entity):
        raise RefusedError(f"{explain_reason(problem)}: “{phrase}”")
    for meant in (read, " ".join(w if w.isdigit() else w.translate(_LETTERS) for w in given)):
        if problem := checks.problem(meant, entity):
            told = (word for word in given if checks.problem(word.translate(_LETTERS), entity))
            raise RefusedError(f"{explain_reason(problem)}: “{next(told, phrase)}”")
    if _spells(phrase, document):
        raise RefusedError(f"{explain_reason('contains')}: “{phrase}”")
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


def _spells(phrase: str, document: Document) -> bool:
    """Tell whether a phrase spells what is hidden, in any writing and either way round: a name, or
    four figures of a number."""
    said, figures = spelling(phrase), _figures(phrase)
    kinds = (e for e in document.entities if e.entity_type not in BY_VALUE)
    numbers = {surface: _figures(surface) for entity in kinds for surface in entity.surfaces}
    names = {spelling(w) for s, n in numbers.items() for w in (*name_words(s), s if n else "")}
    runs = {n[at : at + _RUN] for n in numbers.values() for at in range(len(n) - _RUN + 1)}
    ways = [(said, figures), (said[::-1], figures[::-1])]
    told = (
        name in said if len(name) > _RUN else name == said for name in names for said, _ in ways
    )
    return any(told) or any(run in figures for run in runs for _, figures in ways)


def _figures(text: str) -> str:
    return "".join(filter(str.isdigit, legible(text)))


def _names_place(phrase: str, lexicon: Lexicon) -> bool:
    """Tell whether all that a phrase can mean are places."""
    whole, head, _ = lexicon.read(phrase)
    return {t for kind in whole or head for t in lexicon.tree[kind].types} == {EntityType.LOC}
