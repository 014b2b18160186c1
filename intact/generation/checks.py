"""What a candidate must not do: repeat its original, leak it, or name what another span hides.

These checks need no attacker: a candidate that fails one is dropped before any attack.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Protocol

from intact.config import GenerationSettings
from intact.domain import BY_CONCEPT, BY_VALUE, Candidate, Document, Entity, EntityType, Ladder
from intact.english import words
from intact.english.fold import fold
from intact.english.wordlists import GENERIC_HEADS
from intact.generation.rungs import numbers_in

NGRAM = 4
"""Characters that a candidate and a masked name must not share."""

HARD_WORD_LIMIT = 14
"""Longer candidates are dropped even if nothing shorter is there."""

_HIDING_NAMES = BY_CONCEPT | {EntityType.PERSON}
_SHORTEST_STANDING = 4


class Aliases(Protocol):
    """What the checks need of the knowledge base."""

    def aliases(self, text: str) -> frozenset[str]:
        """Other names of what ``text`` names, folded ("Turkey": "turkish", "turkiye")."""


def _numbers_of(entity_type: str) -> Callable[[str], frozenset[str] | frozenset[float]]:
    """How numbers are read: in a date a month is one too, and a decade is none."""
    return numbers_in if entity_type == EntityType.DATETIME else words.numbers


def leak(candidate: str, originals: Sequence[str], entity_type: str) -> str:
    """How ``candidate`` gives away one of its own entity's texts: the check's name, or "".

    "equal": the same words. "contains": every content word of the original is in it.
    "numbers": it keeps all numbers of the original (decades are no numbers). "lemma": a
    telling lemma in common. "ngram": four characters of a name in common.
    """
    for original in originals:
        if words.normalise(candidate) == words.normalise(original):
            return "equal"
        read = _numbers_of(entity_type)
        if read(original) and read(original) <= read(candidate):
            return "numbers"
        if entity_type in BY_VALUE:
            continue
        content = words.content_lemmas(original)
        if content and content <= words.content_lemmas(candidate):
            return "contains"
        if words.shared_lemma(candidate, original):
            return "lemma"
        if words.shared_ngram(original, candidate, NGRAM):
            return "ngram"
    return ""


class Secrets:
    """What the masked spans of one document hide, indexed so that a phrase is checked fast.

    Args:
        entities: the masked entities of the document.
        aliases: other names of what a text names, or None.
    """

    def __init__(
        self,
        entities: Iterable[Entity],
        aliases: Callable[[str], frozenset[str]] | None = None,
    ) -> None:
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self._exact: list[tuple[re.Pattern[str], str]] = []
        self._beginnings: dict[str, set[str]] = defaultdict(set)
        self._parts: dict[str, set[str]] = defaultdict(set)
        for entity in entities:
            for surface in entity.surfaces:
                self._hide(surface, entity, aliases)

    def _hide(
        self,
        surface: str,
        entity: Entity,
        aliases: Callable[[str], frozenset[str]] | None,
    ) -> None:
        self._hide_phrase(surface, entity.id)
        if entity.entity_type not in _HIDING_NAMES:
            return
        names = words.name_words(surface)
        for name in names:
            self._hide_name(name, entity.id)
        if aliases is None:
            return
        asked = [surface, *(word for word in words.words(surface) if fold(word) in names)]
        for text in dict.fromkeys(asked):
            for alias in sorted(aliases(text) - {fold(text)}):
                self._hide_phrase(alias, entity.id, alias=True)
                for name in words.name_words(alias.title()):
                    self._hide_name(name, entity.id)

    def _hide_phrase(self, surface: str, entity_id: str, alias: bool = False) -> None:
        """A whole text that must not stand in another entity's candidate."""
        if len(surface) < _SHORTEST_STANDING and not alias and not surface.isupper():
            return
        if alias or words.content_lemmas(surface) - GENERIC_HEADS or words.numbers(surface):
            lemmas = tuple(words.normalise(" ".join(words.lemmas(surface))).split())
            if lemmas and (len(lemmas) > 1 or len(lemmas[0]) > 1):
                self._phrases[lemmas[0]].append((lemmas, entity_id))
        else:  # nothing but generic words ("the Court"): only as it stands, case included
            pattern = re.compile(rf"(?<!\w){re.escape(surface)}(?!\w)")
            self._exact.append((pattern, entity_id))

    def disclosed(self, phrase: str, entity_id: str) -> str:
        """The id of another entity whose secret ``phrase`` names, or ""."""
        lemmas = tuple(words.normalise(" ".join(words.lemmas(phrase))).split())
        for start, first in enumerate(lemmas):
            for secret, owner in self._phrases.get(first, ()):
                if owner != entity_id and lemmas[start : start + len(secret)] == secret:
                    return owner
        for name in sorted(words.name_words(phrase)):
            owner = self._named(name, entity_id)
            if owner:
                return owner
        for pattern, owner in self._exact:
            if owner != entity_id and pattern.search(phrase):
                return owner
        return ""

    def _hide_name(self, name: str, entity_id: str) -> None:
        self._beginnings[name[:NGRAM]].add(entity_id)
        for part in _parts(name):
            self._parts[part].add(entity_id)

    def _named(self, name: str, entity_id: str) -> str:
        """The owner of a hidden name that shares a part with ``name``: see ``shared_ngram``."""
        found = set(self._parts.get(name[:NGRAM], ())) if len(name) >= NGRAM else set()
        for part in _parts(name):
            found |= self._beginnings.get(part, set())
        return min(found - {entity_id}, default="")


def _parts(name: str) -> list[str]:
    return [name[start : start + NGRAM] for start in range(len(name) - NGRAM + 1)]


class CandidateChecks:
    """Keeps the candidates of a document that say nothing they must not say.

    Args:
        settings: which checks are on, how long a candidate may be.
        base: where other names of places and peoples come from, or None.
    """

    def __init__(self, settings: GenerationSettings, base: Aliases | None = None) -> None:
        self._settings = settings
        self._aliases = None if base is None else lru_cache(1 << 14)(base.aliases)

    def of(self, document: Document) -> DocumentChecks:
        """The checks for one document; what its spans hide is indexed once."""
        return DocumentChecks(self._settings, Secrets(document.entities, self._aliases))


class DocumentChecks:
    """The checks for the candidates of one document."""

    def __init__(self, settings: GenerationSettings, secrets: Secrets) -> None:
        self._settings = settings
        self._secrets = secrets

    def problem(self, phrase: str, entity: Entity) -> str:
        """Why ``phrase`` must not stand for ``entity``: the check's name, or "".

        Besides those of ``leak``: "empty", "long", "discloses".
        """
        if not any(map(str.isalnum, phrase)):
            return "empty"
        if len(phrase.split()) > HARD_WORD_LIMIT:
            return "long"
        if self._settings.check_leaks:
            found = leak(phrase, entity.surfaces, entity.entity_type)
            if found:
                return found
        elif any(words.normalise(phrase) == words.normalise(text) for text in entity.surfaces):
            return "equal"
        if self._settings.check_disclosure and self._secrets.disclosed(phrase, entity.id):
            return "discloses"
        return ""

    def keep(self, ladder: Ladder, entity: Entity) -> Ladder:
        """The rungs without a problem; overlong ones only where nothing shorter is left."""
        kept = [candidate for candidate in ladder if not self.problem(candidate.text, entity)]
        short = [candidate for candidate in kept if self._is_short(candidate)]
        return tuple(short or kept)

    def _is_short(self, candidate: Candidate) -> bool:
        return len(candidate.text.split()) <= self._settings.max_words
