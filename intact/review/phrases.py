"""Own phrases of a person: may they stand, are they true."""

from __future__ import annotations

from itertools import combinations

from intact.domain import Candidate, Document, Entity, EntityType, Source
from intact.english.words import words
from intact.errors import InputError
from intact.knowledge.kinds import Lexicon
from intact.pipeline import Components
from intact.planning.model.answers import compare_value, explain_reason
from intact.verification.evidence import CONTRADICTED, UNREAD

_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_AS_LETTERS = [{}, *(str.maketrans("01345", f"o{one}eas") for one in "li")]
"""What figures can be read as in words: as they stand, and as the letters they look like."""


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
    checks, given = parts.checks.of(document), phrase.split()
    if problem := compare_value(phrase, entity):
        raise RefusedError(f"{explain_reason(problem)}: “{phrase}”")
    for letters in _AS_LETTERS:
        meant = " ".join(w if w.isdigit() else w.translate(letters) for w in given)
        if problem := checks.problem(meant, entity):
            pairs = zip(words(phrase), words(meant), strict=False)
            tells = (word for word, one in pairs if checks.problem(one, entity))
            raise RefusedError(f"{explain_reason(problem)}: “{next(tells, phrase)}”")
    for first, last in combinations(range(len(given) + 1), 2):
        if compare_value(run := " ".join(given[first:last]), entity) == "equal":
            raise RefusedError(f"{explain_reason('equal')}: “{run}”")
    if any(phrase.count(left) != phrase.count(right) for left, right in _PAIRS):
        raise RefusedError("a bracket or a quotation mark in it has no counterpart")
    own = {entity.id: (Candidate(phrase, 0, Source.REVIEWER),)}
    found = parts.evidence.check(document, {entity.id: entity}, own)[0][entity.id, 0]
    if found == CONTRADICTED or (found == UNREAD and _names_place(phrase, parts.knowledge.lexicon)):
        raise RefusedError("as far as INTACT knows, it is not true of what stands there")


def _names_place(phrase: str, lexicon: Lexicon) -> bool:
    """Tell whether all that a phrase can mean are places."""
    whole, head, _ = lexicon.read(phrase)
    return {t for kind in whole or head for t in lexicon.tree[kind].types} == {EntityType.LOC}
