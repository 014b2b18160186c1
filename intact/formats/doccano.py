"""doccano's JSON lines, in both shapes.

``{"id", "text", "label": [[0, 4, "PER"]]}`` and ``{"id", "text", "entities": [{"id", "label",
"start_offset", "end_offset"}], "relations": [{"from_id", "to_id", "type": "COREF"}]}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from intact.domain import Document
from intact.errors import DocumentError
from intact.formats.base import Loaded, Record, check_id, check_object, check_text
from intact.formats.exchange import JsonExport, Layer, items, load
from intact.formats.jsonstream import to_json
from intact.formats.offsets import Offsets, as_code_points
from intact.formats.writing import Lost, lose_identifiers, lose_namesakes, same_entity

COREFERENCE = "COREF"


@dataclass(frozen=True, slots=True)
class DoccanoFormat(JsonExport):
    """Reads and writes doccano's exports."""

    name: str = "doccano"

    def load(self, record: Record, annotator: str) -> Loaded:
        """The document; see ``Format``."""
        raw, where = check_object(record), record.where
        doc_id = check_id(raw, where)
        where = f"{where} ({doc_id})"
        text, _ = check_text(raw.get("text", raw.get("data")), where)
        raws = [_mention(item, where) for item in _labels(raw, where)]
        spans, odd = as_code_points(text, [Offsets(r["start"], r["end"]) for r in raws])
        raws = [r | {"start": s.start, "end": s.end} for r, s in zip(raws, spans, strict=True)]
        relations = [r for r in items(raw.get("relations")) if isinstance(r, dict)]
        same = [r for r in relations if str(r.get("type")).upper().startswith(COREFERENCE)]
        warnings = [odd] if odd else []
        if len(same) < len(relations):
            warnings.append(f"{len(relations) - len(same)} relations are not used")
        links = [(str(r.get("from_id")), str(r.get("to_id"))) for r in same]
        return load(doc_id, text, Layer(raws, links), where, warnings=warnings)

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """One line a document, in the shape with entities and relations."""
        for document in documents:
            lose_identifiers(document, lost)
            lose_namesakes(document, lost)
            spans = tuple(Offsets(m.span.start, m.span.end) for m in document.mentions)
            drifting = as_code_points(document.text, spans)[0] != spans
            lost.add("texts whose offsets look changed by UTF-16 units", int(drifting))
            yield (to_json(_object(document)) + "\n").encode("utf-8")


def _labels(raw: Mapping[str, Any], where: str) -> list[Any]:
    for key in ("entities", "label", "labels"):
        if isinstance(raw.get(key), list):
            labels: list[Any] = raw[key]
            return labels
    raise DocumentError(
        "its labels are missing", where=where, remedy='doccano writes "label" or "entities".'
    )


def _mention(item: object, where: str) -> dict[str, Any]:
    """A label as a mention."""
    if isinstance(item, list) and len(item) == 3:
        start, end, kind = item
        made: dict[str, Any] = {"start": start, "end": end, "type": kind}
    elif isinstance(item, dict):
        start, end = item.get("start_offset"), item.get("end_offset")
        made = {"start": start, "end": end, "type": item.get("label")}
        made |= {"id": item["id"]} if item.get("id") is not None else {}
    else:
        raise DocumentError("a label is neither [start, end, type] nor an object", where=where)
    if type(made["start"]) is not int or type(made["end"]) is not int:
        raise DocumentError("a label's offsets are not whole numbers", where=where)
    return made


def _object(document: Document) -> dict[str, Any]:
    numbers = {mention.id: n for n, mention in enumerate(document.mentions, start=1)}
    return {
        "id": document.id,
        "text": document.text,
        "entities": [
            {
                "id": numbers[m.id],
                "label": m.entity_type,
                "start_offset": m.span.start,
                "end_offset": m.span.end,
            }
            for m in document.mentions
        ],
        "relations": [
            {
                "id": n,
                "from_id": numbers[other.id],
                "to_id": numbers[first.id],
                "type": COREFERENCE,
            }
            for n, (first, other) in enumerate(same_entity(document), start=1)
        ],
    }
