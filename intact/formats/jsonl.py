"""JSON lines, one document a line; and TAB's JSON, one list.

``{"id": "a", "text": "...", "mentions": [{"start", "end", "type", ...}]}``; the names of TAB
(``doc_id``, ``start_offset``, ``end_offset``, ``entity_type``, ``span_text``,
``identifier_type``, ``entity_id``) serve as well, and ``annotations`` as in TAB instead of
``mentions``. Mentions without ``entity_id`` are one entity where type and text agree. A line
without both has its mentions detected; ``"mentions": []`` says that there are none.

The JSON of the Text Anonymization Benchmark (Pilán et al. 2022) is one list of documents:

``{"doc_id", "text", "annotations": {annotator: {"entity_mentions": [{"entity_type",
"entity_mention_id", "start_offset", "end_offset", "span_text", "identifier_type",
"entity_id", ...}]}}, ...}``. Unknown keys and the order of keys are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import DocumentError, FormatError, InputError
from intact.formats.base import (
    ConversionLosses,
    Format,
    Loaded,
    Record,
    check_id,
    check_object,
    check_text,
    read_whole,
)
from intact.formats.json_text import iterate_array, parse_json, to_json
from intact.formats.mentions import as_object, choose, read_layer, unknown_types
from intact.formats.outcome import add, document_fields, mention_fields, was_ours


class JsonlFormat(Format):
    """Reads and writes one JSON object a line."""

    name = "jsonl"
    tells = True
    suffixes = (".jsonl", ".ndjson")
    beginnings = (b"{",)
    separator = "\n"
    footer = "\n"

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The lines that hold something; one that is no JSON comes as its error."""
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{where}, line {number}"
            try:
                yield Record(parse_json(line, place), place)
            except FormatError as error:
                yield error

    def load(self, record: Record, annotator: str) -> Loaded:
        """The line as a document; see ``Format``."""
        return _loaded(record, annotator, "annotations" in check_object(record))

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The object with ``sanitized_text`` and each mention's outcome added."""
        raw = record.raw
        if "annotations" in raw:
            return to_json(_enriched(raw, loaded, sanitized))
        if not loaded.marked:
            return to_json(raw | _decided(sanitized))
        ours = was_ours(raw)
        fields = mention_fields(sanitized)
        mentions = [
            add(mention, fields[loaded.links["mentions", at]], ours)
            for at, mention in enumerate(raw["mentions"])
        ]
        return to_json(add({**raw, "mentions": mentions}, document_fields(sanitized), ours))

    def write(self, documents: Iterable[Document], losses: ConversionLosses) -> Iterator[bytes]:
        """One line a document."""
        return ((to_json(as_object(document)) + "\n").encode("utf-8") for document in documents)


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
        return _loaded(record, annotator, True)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The object with ``sanitized_text`` and each mention's outcome added."""
        return to_json(_enriched(record.raw, loaded, sanitized))

    def write(self, documents: Iterable[Document], losses: ConversionLosses) -> Iterator[bytes]:
        """The list of documents, each with one annotator."""
        between = self.header
        for document in documents:
            yield (between + to_json(tab_object(document))).encode("utf-8")
            between = self.separator
        yield (self.footer if between == self.separator else "[]\n").encode("utf-8")


def _loaded(record: Record, annotator: str, annotated: bool) -> Loaded:
    """The document in an object with TAB's ``annotations``, with ``mentions``, or with neither."""
    raw = check_object(record)
    doc_id = check_id(raw, record.where)
    where = f"{record.where} ({doc_id})"
    text, odd = check_text(raw.get("text"), where)
    if annotated:
        layers = {
            name: read_layer(_mentions(layer, f"{where}, {name}"), text, f"{where}, {name}")
            for name, layer in _annotations(raw, where).items()
        }
    elif "mentions" in raw:
        layers = {"mentions": read_layer(raw["mentions"], text, where)}
    else:
        return Loaded(Document(doc_id, text, ()), warnings=odd, marked=False)
    mentions, links = choose(layers, annotator, where)
    name = next(iter(layers)) if annotator == "first" else annotator
    language = raw.get("language")
    document = Document(
        doc_id,
        text,
        mentions,
        annotator=name if annotated else "",
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


def _enriched(raw: Mapping[str, Any], loaded: Loaded, sanitized: SanitizedDocument) -> Any:
    """A TAB object with everything it had and what was decided."""
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


def tab_object(document: Document) -> dict[str, Any]:
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


class WrittenAsJsonl(Format):
    """A format of another tool, whose annotations have no room for what is decided."""

    separator = "\n"
    footer = "\n"
    tells = True
    written_as = ".jsonl"

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The document as a JSON line with ``sanitized_text`` and each mention's outcome."""
        return told(sanitized)


def told(sanitized: SanitizedDocument) -> str:
    """The document as a JSON line with what was decided."""
    return to_json(as_object(sanitized.document) | _decided(sanitized))


def _decided(sanitized: SanitizedDocument) -> dict[str, object]:
    """The mentions with their outcomes, and what is said of the document."""
    fields = mention_fields(sanitized)
    found = as_object(sanitized.document)["mentions"]
    return {"mentions": [mention | fields[mention["id"]] for mention in found]} | document_fields(
        sanitized
    )


def json_objects(file: BinaryIO, where: str) -> Iterator[Record | InputError]:
    """The JSON objects of a file that holds a list, an object a line, or a single object.

    Args:
        file: at its beginning.
        where: the name of the file, for messages.

    Raises:
        FormatError: if the rest of the file cannot be read.
    """
    start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    file.seek(0)
    if start == b"[":
        for number, raw in enumerate(iterate_array(file, where), start=1):
            yield Record(raw, f"{where}, document {number}")
        return
    first = next((line for line in file if line.strip()), b"")
    file.seek(0)
    if first.strip() == b"{" or not first.rstrip().endswith(b"}"):  # one object over many lines
        yield Record(parse_json(read_whole(file, where), where), where)
        return
    yield from JsonlFormat().records(file, where)
