"""Presidio's analyzer results with their text, as its anonymizer service takes them.

``{"text", "analyzer_results": [{"entity_type", "start", "end", "score"}]}``: one object, a list or
one a line. The *anonymizer's* results (``items``) carry offsets of its output and are refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from intact.domain import Document, IdentifierType, type_row
from intact.errors import DocumentError, InputError
from intact.formats.base import (
    ConversionLosses,
    Loaded,
    Record,
    check_object,
    check_text,
    stem,
)
from intact.formats.json_text import to_json
from intact.formats.jsonl import WrittenAsJsonl, json_objects
from intact.formats.mentions import Layer, count_namesakes, load, surface_entity

_KEYS = ("analyzer_results", "results", "entities")


class PresidioFormat(WrittenAsJsonl):
    """Reads and writes Presidio's analyzer results."""

    name = "presidio"
    shared_suffixes = (".json", ".jsonl")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The texts with their results; one without an id is called after file and number."""
        for number, record in enumerate(json_objects(file, where), start=1):
            if isinstance(record, Record) and isinstance(record.raw, dict):
                made = stem(where) if record.where == where else f"{stem(where)}-{number}"
                given = record.raw.get("id", record.raw.get("doc_id"))
                yield Record({**record.raw, "id": made if given is None else given}, record.where)
            else:
                yield record

    def load(self, record: Record, annotator: str) -> Loaded:
        """The text with its results; see ``Format``."""
        raw, where = check_object(record), record.where
        if "items" in raw and not any(key in raw for key in _KEYS):
            raise DocumentError(
                "these are the anonymizer's results, whose offsets are those of its output",
                where=where,
                remedy="Give the analyzer's results with the original text.",
            )
        if "entity_type" in raw and "text" not in raw:
            raise DocumentError(
                "these are results without their text",
                where=where,
                remedy='Give {"text": ..., "analyzer_results": [...]}.',
            )
        text, _ = check_text(raw.get("text"), where)
        results = next((raw[key] for key in _KEYS if isinstance(raw.get(key), list)), None)
        if results is None:
            raise DocumentError("its analyzer_results are missing", where=where)
        raws = [
            {"start": r.get("start"), "end": r.get("end"), "type": r.get("entity_type")}
            if isinstance(r, dict)
            else r
            for r in results
        ]
        return load(str(raw["id"]), text, Layer(raws), where)

    def write(self, documents: Iterable[Document], losses: ConversionLosses) -> Iterator[bytes]:
        """One object a line, with Presidio's names for the types it knows."""
        for document in documents:
            _count_losses(document, losses)
            results = [
                {
                    "entity_type": type_row(m.entity_type).presidio or m.entity_type,
                    "start": m.span.start,
                    "end": m.span.end,
                    "score": 1.0,
                }
                for m in document.mentions
            ]
            raw = {"id": document.id, "text": document.text, "analyzer_results": results}
            yield (to_json(raw) + "\n").encode("utf-8")


def _count_losses(document: Document, losses: ConversionLosses) -> None:
    """Identifier types, and entities: a reader goes by type and text alone."""
    others = sum(m.identifier_type is not IdentifierType.QUASI for m in document.mentions)
    losses.add("identifier types that are not QUASI", others)
    surfaces: dict[str, set[str]] = defaultdict(set)
    for mention in document.mentions:
        surfaces[mention.entity_id].add(surface_entity(mention.entity_type, mention.text))
    apart = sum(len(keys) - 1 for keys in surfaces.values())
    losses.add("links between differently written mentions of one entity", apart)
    count_namesakes(document, losses)
