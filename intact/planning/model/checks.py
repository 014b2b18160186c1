"""Check by rule what a language model wrote: a phrase that fails keeps the name of its check.

Nothing hidden may be named; dates, ages, amounts and counts that can be read must contain the
original; the words must join their neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from intact.domain import BY_VALUE, Document, Entity, EntityType, Mention, Span
from intact.english import words
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.sentences import starts_sentence
from intact.english.time import Kind
from intact.english.vocabulary import ARTICLES
from intact.planning.ladder import DocumentChecks, StatementT, Subsumes
from intact.planning.model.marking import MarkedPlace
from intact.rewriting.phrase import MOVABLE

_MOST_WORDS = 30
_SINGLING_OUT = frozenset({Kind.INTERVAL, Kind.PARTIAL, Kind.AGE})
_NAMING = frozenset({"equal", "contains", "ngram", "discloses"})
# words of which two beside each other are one too many: "his a son"
_DETERMINING = ARTICLES | {"his", "its", "their", "my", "our", "your", "whose"}
_META = re.compile(r"[\[\]{}<>⟦⟧|_#\ufffd]|https?:", re.I)
_EXPLAINED = {
    "beside": "the words in angle brackets do not stand beside the mark",
    "equal": "it is the original",
    "contains": "it holds the original's words",
    "numbers": "it keeps the original's number",
    "ngram": "it holds a part of the name",
    "lemma": "it holds a telling word of the original",
    "discloses": "it names what another mark hides",
    "false": "it is not true of the original",
    "unread": "its number cannot be read as a range that holds the original",
    "seam": "it doubles a word beside it, or leaves one out",
    "form": "it is no phrase",
    "stays": "a name, date or age may not stay as it is",
    "long": f"it has more than {_MOST_WORDS} words",
}


class PhraseChecks:
    """The checks of one document's phrases.

    Args:
        document: with all its mentions.
        checks: what leaks or discloses.
        entities: those that phrases may stand for.
        subsumes: what a knowledge base knows of a phrase being true of a place.
    """

    def __init__(
        self,
        document: Document,
        checks: DocumentChecks,
        entities: Sequence[Entity],
        subsumes: Subsumes,
    ) -> None:
        self._subsumes = subsumes
        self._text = document.text
        self._checks = checks
        self._entities = {entity.id: entity for entity in entities}
        self._spans = [m.span for m in document.mentions if m.masked]

    def may_stay(self, entity_id: str) -> bool:
        """Return whether a model may leave a thing's words: no named place or body, date or age."""
        entity = self._entities[entity_id]
        if entity.entity_type in (EntityType.LOC, EntityType.ORG):
            return not any(words.is_name(s) and words.telling_lemmas(s) for s in entity.surfaces)
        if entity.entity_type != EntityType.DATETIME:
            return True
        read = [parse_temporal(s) for s in entity.surfaces if any(map(str.isdigit, s))]
        return not any(one is None or one.kind in _SINGLING_OUT for one in read)

    def clue_problem(self, phrase: str) -> str:
        """Return the name of the check that a phrase for unmarked words fails, or ""."""
        if len(phrase.split()) > _MOST_WORDS:
            return "long"
        found = (self._checks.problem(phrase, entity) for entity in self._entities.values())
        return "discloses" if any(one in _NAMING for one in found) else ""

    def confirmed(self, phrase: str, place: MarkedPlace) -> bool:
        """Return whether a knowledge base knows that a phrase is true of a place's thing."""
        entity = self._entities[place.entity_id]
        return any(
            self._subsumes(phrase, name, entity.entity_type) is True for name in entity.surfaces
        )

    def problem(self, phrase: str, place: MarkedPlace, span: Span) -> str:
        """Return the name of the check that a phrase in the place of ``span`` fails, or ""."""
        entity = self._entities[place.entity_id]
        if not any(map(str.isalnum, phrase)) or _META.search(phrase):
            return "form"
        if len(phrase.split()) > _MOST_WORDS:
            return "long"
        own = place.span
        others = (one for one in self._spans if not one.contains(own) and not own.contains(one))
        if any(other.overlaps(span) for other in others):
            return "beside"
        found = ""
        if entity.entity_type == EntityType.DATETIME:
            found = _compared(phrase, entity.surfaces, parse_temporal)
        elif entity.entity_type in BY_VALUE:
            found = _compared(phrase, entity.surfaces, parse_quantity)
        if found:
            return found
        found = self._checks.problem(phrase, entity)
        if found == "lemma" and not any(map(self._is_name, entity.mentions)):
            found = ""  # a word of a class ("son") is no name; the attack says whether it tells
        if found and found != "long":
            return found
        if entity.entity_type == EntityType.LOC and any(
            self._subsumes(phrase, name, EntityType.LOC) is False for name in entity.surfaces
        ):
            return "false"  # where a place lies is known; what kind a body is, the document says
        return "seam" if self._doubles(phrase, span) else ""

    def _is_name(self, mention: Mention) -> bool:
        """Return whether a mention has a capital that not its sentence alone has given it."""
        if not starts_sentence(self._text, mention.span.start):
            return words.is_name(mention.text)
        return bool(words.name_words(mention.text[:1].lower() + mention.text[1:]))

    def _doubles(self, phrase: str, span: Span) -> bool:
        """Return whether a phrase doubles the word before or after it."""
        before = re.search(r"(\w+)\s+\Z", self._text[max(0, span.start - 20) : span.start])
        after = re.match(r"\s+(\w+)", self._text[span.end : span.end + 20])
        said = phrase.lower().split()
        if before is not None:
            last, first = before[1].lower(), said[0]
            if last == first or {last, first} <= _DETERMINING or {last, first} <= MOVABLE:
                return True
        return bool(after and after[1].lower() == said[-1])


def explain_reason(reason: str) -> str:
    """Return why a phrase cannot stand, in words."""
    return _EXPLAINED.get(reason, reason)


def _compared(
    phrase: str, surfaces: Sequence[str], read: Callable[[str], StatementT | None]
) -> str:
    """Return "false" or "equal" where a phrase of time or number cannot stand."""
    said = read(phrase)
    for original in map(read, surfaces):
        if said is not None and original is not None:
            if said.contains(original) is False:
                return "false"
            if original.contains(said):
                return "equal"
    return ""
