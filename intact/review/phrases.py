"""Whether a phrase that a person wrote may stand for what it is to hide."""

from __future__ import annotations

from intact.config import GenerationSettings
from intact.domain import Document, Entity, SanitizedDocument
from intact.english.scan import contains, parse
from intact.english.time import Temporal
from intact.errors import InputError
from intact.evaluation.grammar import places_of_defects
from intact.generation.ladder import CandidateChecks
from intact.knowledge.base import KnowledgeBase

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
_TRUE = "By what is known here, it is true."
_UNKNOWN = "Whether it is true is not known here: it is yours to answer for."


class RefusedError(InputError):
    """What a person asked for cannot be done; says why, without text of the document."""


def checked_phrase(
    phrase: str,
    entity: Entity,
    document: Document,
    settings: GenerationSettings,
    knowledge: KnowledgeBase,
) -> str:
    """What is known of an own phrase, in words, if it may stand.

    Args:
        phrase: as it would stand in mid-sentence.
        entity: for which it is to stand.
        document: with all that is hidden.
        settings: which checks are on.
        knowledge: what is known of the world.

    Raises:
        RefusedError: if it gives away what is hidden, is known not to be true, or is no phrase.
    """
    problem = CandidateChecks(settings, knowledge.aliases).of(document).problem(phrase, entity)
    if problem:
        raise RefusedError(_PROBLEMS.get(problem, problem))
    if any(phrase.count(left) != phrase.count(right) for left, right in _PAIRS):
        raise RefusedError("a bracket or a quotation mark in it has no counterpart")
    said, true = parse(phrase), []
    if isinstance(said, Temporal) and said.either:
        raise RefusedError("that date can be read in two ways")
    for surface in entity.surfaces:
        meant = parse(surface)
        if said and meant and contains(meant, said):
            raise RefusedError(_PROBLEMS["equal"])
        known = contains(said, meant) if said and meant else None
        if known is None:
            known = knowledge.subsumes(phrase, surface, entity.entity_type)
        if known is False:
            raise RefusedError("it is not true of what stands there, as far as is known")
        true.append(known)
    return _TRUE if all(true) else _UNKNOWN


def language_defects(before: SanitizedDocument, after: SanitizedDocument) -> list[str]:
    """Kinds of language defects that a change brought in, with what shows each.

    Args:
        before: the document before the change.
        after: the document after it.
    """
    old = [(kind, span.of(before.text)) for kind, span in places_of_defects(before)]
    text = after.text
    new = [(kind, span.of(text)) for kind, span in places_of_defects(after)]
    for one in old:
        if one in new:
            new.remove(one)
    return list(dict.fromkeys(f"{kind}: “{shown}”" for kind, shown in new))
