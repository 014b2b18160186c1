"""JSON lines: one document a line.

``{"id": "a", "text": "...", "mentions": [{"start", "end", "type", ...}]}``; the names of TAB
(``doc_id``, ``start_offset``, ``end_offset``, ``entity_type``, ``span_text``,
``identifier_type``, ``entity_id``) serve as well, and ``annotations`` as in TAB instead of
``mentions``. Mentions without ``entity_id`` are one entity where type and text agree. A line
without both has its mentions detected; ``"mentions": []`` says that there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import FormatError, InputError
from intact.formats.base import Loaded, Record, check_id, check_object, check_text
from intact.formats.jsonstream import parse_line, to_json
from intact.formats.mentions import choose, read_layer, unknown_types
from intact.formats.outcome import add, document_fields, mention_fields, was_ours
from intact.formats.tab import enriched, load_annotated
from intact.formats.writing import Lost, as_object


@dataclass(frozen=True, slots=True)
class JsonlFormat:
    """Reads and writes one JSON object a line."""

    name: str = "jsonl"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".jsonl", ".ndjson")
    header: str = ""
    separator: str = "\n"
    footer: str = "\n"

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The lines that hold something; one that is no JSON comes as its error."""
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{where}, line {number}"
            try:
                yield Record(parse_line(line, place), place)
            except FormatError as error:
                yield error

    def load(self, record: Record, annotator: str) -> Loaded:
        """The line as a document; see ``Format``."""
        raw = check_object(record)
        if "annotations" in raw:
            return load_annotated(record, annotator)
        doc_id = check_id(raw, record.where)
        where = f"{record.where} ({doc_id})"
        text, odd = check_text(raw.get("text"), where)
        if "mentions" not in raw:
            return Loaded(Document(doc_id, text, ()), warnings=odd, marked=False)
        layers = {"mentions": read_layer(raw["mentions"], text, where)}
        mentions, links = choose(layers, annotator, where)
        language = raw.get("language")
        document = Document(
            doc_id, text, mentions, language=language if isinstance(language, str) else "en"
        )
        return Loaded(document, links, (*odd, *unknown_types(mentions)))

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The object with ``sanitized_text`` and each mention's outcome added."""
        raw = record.raw
        if "annotations" in raw:
            return to_json(enriched(raw, loaded, sanitized))
        ours = was_ours(raw)
        fields = mention_fields(sanitized)
        if not loaded.marked:
            found = as_object(sanitized.document)["mentions"]
            mentions = [mention | fields[mention["id"]] for mention in found]
            return to_json(raw | {"mentions": mentions} | document_fields(sanitized))
        mentions = [
            add(mention, fields[loaded.links["mentions", at]], ours)
            for at, mention in enumerate(raw["mentions"])
        ]
        return to_json(add({**raw, "mentions": mentions}, document_fields(sanitized), ours))

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """One line a document."""
        return ((to_json(as_object(document)) + "\n").encode("utf-8") for document in documents)
