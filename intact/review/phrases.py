"""Own phrases of a person: may they stand, are they true."""

from __future__ import annotations

from intact.domain import Candidate, Document, Entity, Source
from intact.english.scan import contains, parse
from intact.english.time import Temporal
from intact.errors import InputError
from intact.pipeline import Components
from intact.planning.model.answers import explain_reason
from intact.verification.evidence import CONTRADICTED

_FORM = ("", "empty", "long")  # what is wrong with a phrase, but with none of its words
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


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
        RefusedError: if it gives away what is hidden, is known not to be true, or is no phrase.
    """
    checks = parts.checks.of(document)
    if problem := checks.problem(phrase, entity):
        tells = (word for word in phrase.split() if checks.problem(word, entity) not in _FORM)
        raise RefusedError(f"{explain_reason(problem)}: “{next(tells, phrase)}”")
    if any(phrase.count(left) != phrase.count(right) for left, right in _PAIRS):
        raise RefusedError("a bracket or a quotation mark in it has no counterpart")
    said = parse(phrase)
    if isinstance(said, Temporal) and said.either:
        raise RefusedError("that date can be read in two ways")
    if said and any((one := parse(s)) and contains(one, said) for s in entity.surfaces):
        raise RefusedError(explain_reason("equal"))
    own = {entity.id: (Candidate(phrase, 0, Source.REVIEWER),)}
    checked, _ = parts.evidence.check(document, {entity.id: entity}, own)
    if checked[entity.id, 0] == CONTRADICTED:
        raise RefusedError("it is not true of what stands there, as far as is known")
