"""Texts in, TAB's JSON out: what the detectors found in each document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intact.domain import Document
from intact.errors import InputError
from intact.formats.base import Record
from intact.formats.jsonstream import to_json
from intact.formats.tab import TabFormat
from intact.protocols import Detected, Detection, Detector
from intact.run.files import AtomicFile
from intact.run.source import SourceFile, opened

LAYER = "intact"
"""The annotator's name under which the mentions stand."""


@dataclass(slots=True)
class Found:
    """What came of it.

    Attributes:
        types: mentions by type.
        sources: mentions by what found them; one found twice counts twice.
        skipped: the errors of documents that were left out.
    """

    documents: int = 0
    mentions: int = 0
    entities: int = 0
    types: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    skipped: list[InputError] = field(default_factory=list)


def detect(
    sources: Sequence[SourceFile],
    out: Path,
    detector: Detector,
    *,
    skip_bad: bool = False,
    warn: Callable[[str], None] = lambda message: None,
    progress: Callable[[int], None] = lambda documents: None,
) -> Found:
    """Writes the documents of ``sources`` with their mentions to ``out``; annotations they have
    are neither used nor kept.

    Raises:
        InputError: if something cannot be read (unless ``skip_bad``), or an id comes twice.
        RunError: if ``out`` cannot be written. Nothing is at its place then.
    """
    found = Found()
    kind = TabFormat()
    file = AtomicFile(out)
    try:
        file.write(kind.header)
        for document in _documents(sources, found, skip_bad=skip_bad):
            detection = detector.detect(document.text)
            for note in detection.notes:
                warn(f"document {document.id}: unsure: {note}")
            _count(found, detection)
            separator = kind.separator if found.documents > 1 else ""
            file.write(separator + to_json(as_tab(document, detection)))
            progress(found.documents)
        file.write(kind.footer)
        file.seal()
        file.publish()
    finally:
        file.discard()
    return found


def as_tab(document: Document, detection: Detection) -> dict[str, Any]:
    """A document in TAB's JSON; each mention also says its kind, score and sources."""
    return {
        "doc_id": document.id,
        "text": document.text,
        "dataset_type": "",
        "meta": {},
        "quality_checked": False,
        "task": "",
        "annotations": {LAYER: {"entity_mentions": [_mention(item) for item in detection.found]}},
        "notes": list(detection.notes),
    }


def _mention(item: Detected) -> Mapping[str, Any]:
    mention = item.mention
    return {
        "entity_type": mention.entity_type,
        "entity_mention_id": mention.id,
        "start_offset": mention.span.start,
        "end_offset": mention.span.end,
        "span_text": mention.text,
        "edit_type": "insert",
        "identifier_type": mention.identifier_type.value,
        "entity_id": mention.entity_id,
        "confidential_status": "NOT_CONFIDENTIAL",
        "kind": item.kind,
        "score": item.score,
        "sources": list(item.sources),
    }


def _count(found: Found, detection: Detection) -> None:
    found.documents += 1
    found.mentions += len(detection.found)
    found.entities += len({item.mention.entity_id for item in detection.found})
    found.types.update(item.mention.entity_type for item in detection.found)
    found.sources.update(source for item in detection.found for source in item.sources)


def _documents(
    sources: Sequence[SourceFile], found: Found, *, skip_bad: bool
) -> Iterator[Document]:
    seen: set[str] = set()
    for source in sources:
        try:
            for document in _of_file(source, found, skip_bad=skip_bad):
                if document.id in seen:
                    problem = InputError(
                        f"there are two documents called {document.id}",
                        where=source.name,
                        remedy="Each document needs an id of its own.",
                    )
                    _skip(problem, found, skip_bad=skip_bad)
                    continue
                seen.add(document.id)
                yield document
        except InputError as error:
            if not skip_bad or error in found.skipped:
                raise
            found.skipped.append(error)


def _of_file(source: SourceFile, found: Found, *, skip_bad: bool) -> Iterator[Document]:
    with opened(source) as handle:
        for record in source.format.records(handle, source.name):
            if not isinstance(record, Record):
                _skip(record, found, skip_bad=skip_bad)
                continue
            try:
                document = source.format.load(record, "first").document
            except InputError as error:
                _skip(error, found, skip_bad=skip_bad)
                continue
            yield document


def _skip(error: InputError, found: Found, *, skip_bad: bool) -> None:
    if not skip_bad:
        raise error
    found.skipped.append(error)
