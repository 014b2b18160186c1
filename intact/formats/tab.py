"""The JSON of the Text Anonymization Benchmark (Pilán et al. 2022): one list of documents.

``{"doc_id", "text", "annotations": {annotator: {"entity_mentions": [{"entity_type",
"entity_mention_id", "start_offset", "end_offset", "span_text", "identifier_type",
"entity_id", ...}]}}, ...}``. Unknown keys and the order of keys are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import DocumentError, InputError
from intact.formats.base import (
    ConversionLosses,
    Format,
    Loaded,
    Record,
    check_id,
    check_object,
    check_text,
)
from intact.formats.json_text import iterate_array, to_json
from intact.formats.mentions import choose, read_layer, unknown_types
from intact.formats.outcome import add, document_fields, mention_fields, was_ours


class TabFormat(Format):
    """Reads and writes TAB's JSON, one document a line."""

    name = "tab"
    tells = True
    suffixes = (".json",)
    beginnings = (b"[",)
    header = "[\n"
    separator = ",\n"
    footer = "\n]\n"

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The documents of the list; see ``Format``."""
        for number, raw in enumerate(iterate_array(file, where), start=1):
            yield Record(raw, f"{where}, document {number}")

    def load(self, record: Record, annotator: str) -> Loaded:
        """The record as a document; see ``Format``."""
        return load_annotated(record, annotator)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The object with ``sanitized_text`` and each mention's outcome added."""
        return to_json(enriched(record.raw, loaded, sanitized))

    def write(self, documents: Iterable[Document], losses: ConversionLosses) -> Iterator[bytes]:
        """The list of documents, each with one annotator."""
        between = self.header
        for document in documents:
            yield (between + to_json(_object(document))).encode("utf-8")
            between = self.separator
        yield (self.footer if between == self.separator else "[]\n").encode("utf-8")


def load_annotated(record: Record, annotator: str) -> Loaded:
    """The document in an object with TAB's ``annotations``.

    Args:
        record: of TAB or JSON lines.
        annotator: "first", "all" (the union) or a name.

    Raises:
        DocumentError: if it is not what it must be.
    """
    raw = check_object(record)
    doc_id = check_id(raw, record.where)
    where = f"{record.where} ({doc_id})"
    text, odd = check_text(raw.get("text"), where)
    layers = {
        name: read_layer(_mentions(layer, f"{where}, {name}"), text, f"{where}, {name}")
        for name, layer in _annotations(raw, where).items()
    }
    mentions, links = choose(layers, annotator, where)
    language = raw.get("language")
    document = Document(
        doc_id,
        text,
        mentions,
        annotator=annotator if annotator != "first" else next(iter(layers)),
        language=language if isinstance(language, str) else "en",
    )
    return Loaded(document, links, (*odd, *unknown_types(mentions)))


def _annotations(raw: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    annotations = raw.get("annotations")
    if not isinstance(annotations, dict):
        raise DocumentError(
            "its annotations are missing",
            where=where,
            remedy='It needs "annotations": {annotator: {"entity_mentions": [...]}}; '
            "for another tool's export name its format (labelstudio, presidio).",
        )
    return annotations


def _mentions(layer: object, where: str) -> object:
    if not isinstance(layer, dict) or "entity_mentions" not in layer:
        raise DocumentError('its "entity_mentions" are missing', where=where)
    return layer["entity_mentions"]


def enriched(raw: Mapping[str, Any], loaded: Loaded, sanitized: SanitizedDocument) -> Any:
    """A TAB object with everything it had and what was decided.

    Args:
        raw: the object as it was read.
        loaded: what ``load_annotated`` made of it.
        sanitized: what came of the document.
    """
    ours = was_ours(raw)
    fields = mention_fields(sanitized)
    annotations = {}
    for name, layer in raw["annotations"].items():
        mentions = [
            add(mention, fields[loaded.links[name, at]], ours)
            if (name, at) in loaded.links
            else mention
            for at, mention in enumerate(layer["entity_mentions"])
        ]
        annotations[name] = {**layer, "entity_mentions": mentions}
    return add({**raw, "annotations": annotations}, document_fields(sanitized), ours)


def _object(document: Document) -> dict[str, Any]:
    """A document as TAB holds it."""
    raw: dict[str, Any] = {"doc_id": document.id, "text": document.text}
    if document.language != "en":
        raw["language"] = document.language
    mentions = [
        {
            "entity_type": mention.entity_type,
            "entity_mention_id": mention.id,
            "start_offset": mention.span.start,
            "end_offset": mention.span.end,
            "span_text": mention.text,
            "identifier_type": mention.identifier_type.value,
            "entity_id": mention.entity_id,
        }
        for mention in document.mentions
    ]
    annotator = document.annotator or "annotator1"
    return {**raw, "annotations": {annotator: {"entity_mentions": mentions}}}
