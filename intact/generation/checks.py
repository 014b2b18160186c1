"""What a candidate must not do: repeat its original, leak it, or name what another span hides.

These checks need no attacker: a candidate that fails one is dropped before any attack.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from intact.config import GenerationSettings
from intact.domain import BY_CONCEPT, BY_VALUE, Document, Entity, EntityType, Ladder
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
_VALUES = {"dates": EntityType.DATETIME, "quantities": EntityType.QUANTITY}
"""What the candidates of these generators say is a time or an amount."""


Aliases = Callable[[str], frozenset[str]]
"""Other names of what a text names, folded ("Turkey": "turkish", "turkiye")."""


def _numbers_of(entity_type: str) -> Callable[[str], frozenset[str] | frozenset[float]]:
    """How numbers are read: in a date a month is one too, and a decade is none."""
    return numbers_in if entity_type in BY_VALUE else words.numbers


def leak(candidate: str, originals: Sequence[str], entity_type: str) -> str:
    """How ``candidate`` gives away one of its own entity's texts: the check's name, or "".

    "equal": the same words. "contains": every content word of the original is in it.
    "numbers": it keeps all numbers of the original (decades are no numbers). "lemma": a
    telling lemma in common. "ngram": four characters of a name in common.

    Args:
        candidate: the phrase.
        originals: the different texts of the entity.
        entity_type: the entity's type.
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


class CandidateChecks:
    """Keeps the candidates of a document that say nothing they must not say.

    Args:
        settings: which checks are on, how long a candidate may be.
        aliases: where other names of places and peoples come from, or None.
    """

    def __init__(self, settings: GenerationSettings, aliases: Aliases | None = None) -> None:
        self._settings = settings
        self._aliases = None if aliases is None else lru_cache(1 << 14)(aliases)

    def of(self, document: Document) -> DocumentChecks:
        """The checks for one document; what its spans hide is indexed once."""
        return DocumentChecks(self._settings, document.entities, self._aliases)


class DocumentChecks:
    """The checks for the candidates of one document.

    What its masked spans hide is indexed once, so that a phrase is checked fast.

    Args:
        settings: which checks are on, how long a candidate may be.
        entities: the masked entities of the document.
        aliases: other names of what a text names, or None.
    """

    def __init__(
        self,
        settings: GenerationSettings,
        entities: Iterable[Entity],
        aliases: Aliases | None = None,
    ) -> None:
        self._settings = settings
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self._exact: list[tuple[re.Pattern[str], str]] = []
        self._beginnings: dict[str, set[str]] = defaultdict(set)
        self._parts: dict[str, set[str]] = defaultdict(set)
        for entity in entities:
            for surface in entity.surfaces:
                self._hide(surface, entity, aliases)

    def problem(self, phrase: str, entity: Entity, source: str = "") -> str:
        """Why a phrase must not stand for an entity: the check's name, or "".

        Besides those of ``leak``: "empty", "long", "discloses".

        Args:
            phrase: as it would stand in mid-sentence.
            entity: one of the document's.
            source: the candidate's; an age is a value whatever type its mention has.
        """
        if not any(map(str.isalnum, phrase)):
            return "empty"
        if len(phrase.split()) > HARD_WORD_LIMIT:
            return "long"
        if self._settings.check_leaks:
            kind = _VALUES.get(source, entity.entity_type)
            found = leak(phrase, entity.surfaces, kind)
            if found:
                return found
        elif any(words.normalise(phrase) == words.normalise(text) for text in entity.surfaces):
            return "equal"
        if self._settings.check_disclosure and self._discloses(phrase, entity.id):
            return "discloses"
        return ""

    def keep(self, ladder: Ladder, entity: Entity) -> Ladder:
        """The rungs without a problem; overlong ones only where nothing shorter is left.

        Args:
            ladder: candidates of the entity.
            entity: one of the document's.
        """
        kept = [rung for rung in ladder if not self.problem(rung.text, entity, rung.source)]
        most = self._settings.max_words
        short = [each for each in kept if each.source in _VALUES or len(each.text.split()) <= most]
        return tuple(short or kept)

    def _hide(
        self,
        surface: str,
        entity: Entity,
        aliases: Aliases | None,
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
        if words.content_lemmas(surface) - GENERIC_HEADS or words.numbers(surface):
            lemmas = _lemmas(surface)
            if lemmas and (len(lemmas) > 1 or len(lemmas[0]) > 1):
                self._phrases[lemmas[0]].append((lemmas, entity_id))
        elif not alias:  # nothing but generic words ("the Court"): as it stands, case included
            pattern = re.compile(rf"(?<!\w){re.escape(surface)}(?!\w)")
            self._exact.append((pattern, entity_id))

    def _hide_name(self, name: str, entity_id: str) -> None:
        self._beginnings[name[:NGRAM]].add(entity_id)
        for part in _parts(name):
            self._parts[part].add(entity_id)

    def _owners(self, name: str) -> set[str]:
        """The owners of hidden names that share a part with ``name``: see ``shared_ngram``."""
        found = set(self._parts.get(name[:NGRAM], ())) if len(name) >= NGRAM else set()
        return found.union(*(self._beginnings.get(part, ()) for part in _parts(name)))

    def _discloses(self, phrase: str, entity_id: str) -> bool:
        """Whether ``phrase`` names what another entity hides."""
        lemmas = _lemmas(phrase)
        return (
            any(
                owner != entity_id and lemmas[start : start + len(secret)] == secret
                for start, first in enumerate(lemmas)
                for secret, owner in self._phrases.get(first, ())
            )
            or any(self._owners(name) - {entity_id} for name in words.name_words(phrase))
            or any(owner != entity_id and pattern.search(phrase) for pattern, owner in self._exact)
        )


def _lemmas(text: str) -> tuple[str, ...]:
    return tuple(words.normalise(" ".join(words.lemmas(text))).split())


def _parts(name: str) -> list[str]:
    return [name[start : start + NGRAM] for start in range(len(name) - NGRAM + 1)]
