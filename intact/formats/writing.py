"""Writing documents as files of one format or another, and telling what gets lost by it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from intact.domain import Document, IdentifierType, Mention


@dataclass(slots=True)
class Lost:
    """Counts what a format could not hold, by what it is."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, times: int = 1) -> None:
        """``times`` more of ``what``, a plural such as "overlapping mentions"."""
        if times:
            self.counts[what] += times

    def said(self) -> tuple[str, ...]:
        """One line for each kind of loss, in the order first met."""
        return tuple(f"{times} {what}" for what, times in self.counts.items())


@runtime_checkable
class OneFile(Protocol):
    """Writes many documents into one file."""

    name: str
    suffixes: tuple[str, ...]

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """The bytes of the file, a piece at a time."""


@runtime_checkable
class FileEach(Protocol):
    """Writes each document into files of its own."""

    name: str
    suffixes: tuple[str, ...]

    def files(self, document: Document, stem: str, lost: Lost) -> Mapping[str, bytes]:
        """File name -> content; the first name is the document's own."""


def as_object(document: Document) -> dict[str, Any]:
    """A document as INTACT's JSON lines hold it."""
    raw: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.language != "en":
        raw["language"] = document.language
    raw["mentions"] = [
        {
            "id": mention.id,
            "start": mention.span.start,
            "end": mention.span.end,
            "type": mention.entity_type,
            "identifier_type": mention.identifier_type.value,
            "entity_id": mention.entity_id,
        }
        for mention in document.mentions
    ]
    return raw


def own_entity(mention: Mention) -> str:
    """The entity of a mention that says none: its type and text."""
    return f"{mention.entity_type}:{mention.text.casefold()}"


def lose_identifiers(document: Document, lost: Lost) -> None:
    """Counts identifier types that are not what a reader will take them for, QUASI."""
    others = sum(m.identifier_type is not IdentifierType.QUASI for m in document.mentions)
    lost.add("identifier types that are not QUASI", others)


def lose_links(document: Document, lost: Lost) -> None:
    """Counts mentions whose entity a reader will not find: it goes by type and text alone."""
    surfaces: dict[str, set[str]] = defaultdict(set)
    for mention in document.mentions:
        surfaces[mention.entity_id].add(own_entity(mention))
    apart = sum(len(keys) - 1 for keys in surfaces.values())
    lost.add("links between differently written mentions of one entity", apart)
    lose_namesakes(document, lost)


def lose_namesakes(document: Document, lost: Lost) -> None:
    """Counts entities that a reader will take for one because type and text are the same."""
    entities: dict[str, set[str]] = defaultdict(set)
    for mention in document.mentions:
        entities[own_entity(mention)].add(mention.entity_id)
    together = sum(len(ids) - 1 for ids in entities.values())
    lost.add("entities of the same type and text, which become one", together)


def without_overlaps(document: Document, lost: Lost) -> tuple[Mention, ...]:
    """The mentions in text order without those that overlap a kept one; longer ones are kept."""
    kept: list[Mention] = []
    for mention in sorted(document.mentions, key=lambda m: (-len(m.span), m.span, m.id)):
        if any(mention.span.overlaps(other.span) for other in kept):
            lost.add("overlapping mentions, left out (the longer one is kept)")
        else:
            kept.append(mention)
    return tuple(sorted(kept, key=lambda m: m.span))


def same_entity(document: Document) -> Iterator[tuple[Mention, Mention]]:
    """Each later mention of an entity with the entity's first one, in the document's order."""
    first: dict[str, Mention] = {}
    for mention in document.mentions:
        earlier = first.setdefault(mention.entity_id, mention)
        if earlier is not mention:
            yield earlier, mention


def file_stem(doc_id: str, lost: Lost) -> str:
    """A file name for a document; characters that are not safe in one become underscores."""
    safe = re.sub(r"[^\w.\- ]", "_", doc_id).strip(" .")[:120] or "document"
    lost.add("document ids that cannot be file names, changed", int(safe != doc_id))
    return safe
