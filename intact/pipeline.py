"""What happens to one document: detect, generate, select. No input or output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from intact.discourse.things import unified
from intact.domain import ENTITY_TYPES, Document, Ladder, SanitizedDocument
from intact.english.words import reads_english
from intact.errors import InputError, LanguageError
from intact.protocols import Detection, Detector, Generator, Reviser, Selector

if TYPE_CHECKING:
    from intact.context.protect import ContextProtection

UNSURE = "unsure: "
"""How notes begin that tell why something may have been missed in a document."""


DRIFT = "not as decided: "
"""How notes begin that tell what could not be done as a person decided."""


class Pipeline:
    """Sanitises documents one at a time; of the last one it keeps the candidates, for a review
    that asks for them after each change.

    Args:
        generator: proposes a ladder per entity.
        selector: chooses among the rungs and rewrites the text.
        detector: finds mentions in raw text; None where documents bring theirs.
        close: frees what the parts hold (a language model's process).
        reviser: what people decided about the documents, if anything.
        context: makes mentions of words that nobody annotated; None leaves them.
        usage: what language models were asked so far.
        english_only: whether documents in other languages are refused.
    """

    def __init__(
        self,
        generator: Generator,
        selector: Selector,
        detector: Detector | None = None,
        close: Callable[[], None] | None = None,
        reviser: Reviser | None = None,
        context: ContextProtection | None = None,
        usage: Callable[[], Mapping[str, float]] = dict,
        *,
        english_only: bool = False,
    ) -> None:
        self._generator = generator
        self._selector = selector
        self._detector = detector
        self._close = close
        self._reviser = reviser
        self._context = context
        self._english_only = english_only
        self._proposed: tuple[Document, Mapping[str, Ladder]] | None = None
        self.usage = usage

    def sanitize(self, document: Document) -> SanitizedDocument:
        """The document with a replacement for every masked mention.

        Raises:
            InputError: if it is not annotated and there is no detector.
            LanguageError: if it is not in English, which is all that the rules know.
        """
        if not document.annotated:
            return self.sanitize_raw(document)
        if self._english_only and not reads_english(document.text):
            raise LanguageError(
                "it is not in English, which is all that is known here",
                remedy="Leave it out; or sanitise it in the knowledge that most will be missed: "
                "run.language=any.",
            )
        document = unified(document)
        if self._context is not None:
            document = self._context.mentions(document)
        if self._reviser is None:
            return self._selector.select(document, self._propose(document))
        document, first = self._reviser.mentions(document)
        ladders, more = self._reviser.ladders(document, self._propose(document))
        done = self._selector.select(document, ladders)
        return replace(done, notes=(*done.notes, *first, *more))

    def _propose(self, document: Document) -> Mapping[str, Ladder]:
        if self._proposed is None or self._proposed[0] != document:
            leave = "" if self._context is None else self._context.own
            ladders = propose(self._generator, document, leave)
            if self._context is not None:
                ladders = self._context.ladders(document, ladders)
            self._proposed = document, ladders
        return self._proposed[1]

    def sanitize_raw(self, document: Document) -> SanitizedDocument:
        """The same for a document that nobody annotated: its mentions are detected first.

        The notes say so, and why something may have been missed (``UNSURE``).

        Raises:
            InputError: if there is no detector.
        """
        try:
            detection = self.detect(document.text)
        except InputError as error:
            raise error.at(f"document {document.id}") from None
        done = self.sanitize(replace(document, mentions=detection.mentions, annotated=True))
        count = len(detection.mentions)
        said = f"{count} mention{'' if count == 1 else 's'} detected, none was annotated"
        unsure = (f"{UNSURE}{note}" for note in detection.notes)
        return replace(done, notes=(said, *unsure, *done.notes))

    def detect(self, text: str) -> Detection:
        """The mentions in raw text.

        Raises:
            InputError: if there is no detector.
        """
        if self._detector is None:
            raise InputError("it has no annotated mentions, and nothing here detects them")
        return self._detector.detect(text)

    def close(self) -> None:
        """Frees what the parts hold; calling it twice does no harm."""
        if self._close is not None:
            self._close()


def propose(generator: Generator, document: Document, leave: str = "") -> Mapping[str, Ladder]:
    """A ladder for each entity that a generalisation may stand for, unattacked.

    Direct identifiers and unknown types have none and end on their label.

    Args:
        generator: asked once for all entities.
        document: what is to be sanitised.
        leave: how ids of entities begin that are left out.
    """
    entities = [
        entity
        for entity in document.entities
        if entity.generalisable and entity.entity_type in ENTITY_TYPES
        if not (leave and entity.id.startswith(leave))
    ]
    return generator.generate(document, entities) if entities else {}
