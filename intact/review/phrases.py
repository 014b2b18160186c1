"""Own phrases of a person: may they stand, are they true."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from intact.domain import Document, Entity
from intact.english.scan import contains, parse
from intact.english.time import Temporal
from intact.errors import InputError
from intact.knowledge.base import KnowledgeBase
from intact.planning.ladder import CandidateChecks

_PROBLEMS = {
    "empty": "it says nothing",
    "long": "it is too long",
    "equal": "it is the original",
    "contains": "it holds every word of the original",
    "numbers": "it keeps the numbers of the original",
    "lemma": "it has a telling word in common with the original",
    "ngram": "it has a part of a name in common with the original",
    "discloses": "it names what another replacement of this document hides",
}
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


class Truth(StrEnum):
    """The truth of an own phrase, as the page and the certificate say it."""

    PROVED = "proved true by rule or by the knowledge base"
    UNKNOWN = "neither proved nor disproved: true on the word of whoever wrote it"
    AGAINST = "contradicted by what is known here"


class RefusedError(InputError):
    """A request that cannot be fulfilled; says why, without text of the document."""


def truth_of(
    phrase: str, surfaces: Sequence[str], entity_type: str, knowledge: KnowledgeBase
) -> Truth:
    """Judge whether a phrase is true of everything that it stands for, as far as is known.

    Args:
        phrase: as it would stand in mid-sentence.
        surfaces: the originals; of none of them nothing is known.
        entity_type: theirs.
        knowledge: asked where the calendar and arithmetic do not tell.
    """
    said, answers = parse(phrase), set()
    for surface in surfaces:
        meant = parse(surface)
        known = contains(said, meant) if said and meant else None
        answers.add(knowledge.subsumes(phrase, surface, entity_type) if known is None else known)
    if False in answers:
        return Truth.AGAINST
    return Truth.PROVED if answers == {True} else Truth.UNKNOWN


def checked_phrase(
    phrase: str, entity: Entity, document: Document, knowledge: KnowledgeBase
) -> Truth:
    """Check that an own phrase may stand, and judge whether it is true.

    Args:
        phrase: as it would stand in mid-sentence.
        entity: what it is to stand for.
        document: with all that is hidden.
        knowledge: says what is true, and what else names are called.

    Raises:
        RefusedError: if it gives away what is hidden, is known not to be true, or is no phrase.
    """
    if problem := CandidateChecks(knowledge.aliases).of(document).problem(phrase, entity):
        raise RefusedError(_PROBLEMS.get(problem, problem))
    if any(phrase.count(left) != phrase.count(right) for left, right in _PAIRS):
        raise RefusedError("a bracket or a quotation mark in it has no counterpart")
    said = parse(phrase)
    if isinstance(said, Temporal) and said.either:
        raise RefusedError("that date can be read in two ways")
    if said and any((one := parse(s)) and contains(one, said) for s in entity.surfaces):
        raise RefusedError(_PROBLEMS["equal"])
    truth = truth_of(phrase, entity.surfaces, entity.entity_type, knowledge)
    if truth is Truth.AGAINST:
        raise RefusedError("it is not true of what stands there, as far as is known")
    return truth
