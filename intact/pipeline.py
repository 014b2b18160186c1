"""What happens to one document: detect, generate, select. No input or output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from intact.domain import Document, EntityType, Ladder, SanitizedDocument
from intact.protocols import Detector, Generator, Selector


class Pipeline:
    """Sanitises documents one at a time; keeps nothing from one to the next.

    Args:
        generator: proposes a ladder per entity.
        selector: chooses among the rungs and rewrites the text.
        detector: finds mentions in documents that have none; None where documents bring theirs.
        close: frees what the parts hold (a language model's process).
    """

    def __init__(
        self,
        generator: Generator,
        selector: Selector,
        detector: Detector | None = None,
        close: Callable[[], None] | None = None,
    ) -> None:
        self._generator = generator
        self._selector = selector
        self._detector = detector
        self._close = close

    def sanitize(self, document: Document) -> SanitizedDocument:
        """The document with a replacement for every masked mention."""
        document = self._with_mentions(document)
        return self._selector.select(document, propose(self._generator, document))

    def close(self) -> None:
        """Frees what the parts hold; calling it twice does no harm."""
        if self._close is not None:
            self._close()

    def _with_mentions(self, document: Document) -> Document:
        if document.mentions or self._detector is None:
            return document
        return replace(document, mentions=tuple(self._detector.detect(document.text)))


def propose(generator: Generator, document: Document) -> Mapping[str, Ladder]:
    """A ladder for each entity that a generalisation may stand for, unattacked.

    Direct identifiers and unknown types have none and end on their label.
    """
    entities = [
        entity
        for entity in document.entities
        if entity.generalisable and entity.entity_type in EntityType.ALL
    ]
    return generator.generate(document, entities) if entities else {}
