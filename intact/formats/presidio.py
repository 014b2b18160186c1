"""Presidio's analyzer results with their text, as its anonymizer service takes them.

``{"text", "analyzer_results": [{"entity_type", "start", "end", "score"}]}``: one object, a list or
one a line; a bare list of results belongs to the text file of the same name beside it. The
*anonymizer's* results (``items``) carry offsets of its output and are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from intact.domain import Document, type_row
from intact.errors import DocumentError, InputError
from intact.formats.base import Loaded, Record, check_object, check_text
from intact.formats.exchange import AsJsonl, Layer, load, objects, stem
from intact.formats.jsonstream import to_json
from intact.formats.standoff import read_beside
from intact.formats.writing import Lost, lose_identifiers, lose_links

_KEYS = ("analyzer_results", "results", "entities")


@dataclass(frozen=True, slots=True)
class PresidioFormat(AsJsonl):
    """Reads and writes Presidio's analyzer results."""

    name: str = "presidio"
    annotated: bool = True
    suffixes: tuple[str, ...] = ()

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The texts with their results; see ``Format``."""
        bare: list[Any] = []
        for record in objects(file, where):
            if isinstance(record, InputError) or not _is_result(record.raw):
                yield record
            else:
                bare.append(record.raw)
        if bare:
            text, _ = read_beside(where, f"{Path(where).stem}.txt")
            yield Record({"id": stem(where), "text": text, "analyzer_results": bare}, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The text with its results; see ``Format``."""
        raw, where = check_object(record), record.where
        if "items" in raw and not any(key in raw for key in _KEYS):
            raise DocumentError(
                "these are the anonymizer's results, whose offsets are those of its output",
                where=where,
                remedy="Give the analyzer's results with the original text.",
            )
        text, _ = check_text(raw.get("text"), where)
        results = next((raw[key] for key in _KEYS if isinstance(raw.get(key), list)), None)
        if results is None:
            raise DocumentError("its analyzer_results are missing", where=where)
        given = raw.get("id", raw.get("doc_id"))
        number = where.rpartition(" ")[2] if ", " in where else ""
        made = f"{stem(where.partition(', ')[0])}-{number}" if number else stem(where)
        raws = [
            {"start": r.get("start"), "end": r.get("end"), "type": r.get("entity_type")}
            if isinstance(r, dict)
            else r
            for r in results
        ]
        return load(str(made if given is None else given), text, Layer(raws), where)

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """One object a line, with Presidio's names for the types it knows."""
        for document in documents:
            lose_identifiers(document, lost)
            lose_links(document, lost)
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


def _is_result(raw: object) -> bool:
    return isinstance(raw, dict) and "entity_type" in raw and "text" not in raw
