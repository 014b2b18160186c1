"""Label Studio's tasks: ``[{"id", "data": {"text"}, "annotations": [{"result": [...]}]}]``.

A result is ``{"id", "type": "labels", "value": {"start", "end", "text", "labels"}}``; a relation
labelled COREF joins two. Without annotations, predictions count. The short export
(``{"text", "label": [{"start", "end", "labels"}]}``) is read too. Offsets are written as Label
Studio's editor counts, in UTF-16 units; what is read is repaired by the text that comes with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from intact.domain import Document, IdentifierType
from intact.errors import DocumentError
from intact.formats.base import Loaded, Record, check_id, check_object, check_text
from intact.formats.exchange import JsonExport, Layer, fields, items, load
from intact.formats.jsonstream import to_json
from intact.formats.offsets import Offsets, as_code_points, to_utf16
from intact.formats.writing import Lost, lose_namesakes, same_entity

COREFERENCE = "COREF"


@dataclass(frozen=True, slots=True)
class LabelStudioFormat(JsonExport):
    """Reads and writes Label Studio's tasks."""

    name: str = "labelstudio"

    def load(self, record: Record, annotator: str) -> Loaded:
        """The task; each of its annotations is an annotator; see ``Format``."""
        raw, where = check_object(record), record.where
        given = raw.get("data")
        data: Mapping[str, Any] = given if isinstance(given, dict) else raw
        doc_id = check_id({"id": data.get("doc_id") or raw.get("id")}, where)
        where = f"{where} ({doc_id})"
        text, _ = check_text(_text(data), where)
        warnings: list[str] = []
        layers = {
            name: _layer(results, text, where, warnings)
            for name, results in _results(raw, where).items()
        }
        return load(doc_id, text, layers, where, annotator, list(dict.fromkeys(warnings)))

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """A list of tasks with predictions, ready to be imported."""
        between = b"[\n"
        for document in documents:
            lose_namesakes(document, lost)
            yield between + to_json(_task(document)).encode("utf-8")
            between = b",\n"
        yield b"[]\n" if between == b"[\n" else b"\n]\n"


def _text(data: Mapping[str, Any]) -> object:
    strings = [value for key, value in data.items() if isinstance(value, str) and key != "doc_id"]
    return data.get("text", strings[0] if len(strings) == 1 else None)


def _results(raw: Mapping[str, Any], where: str) -> dict[str, list[Any]]:
    """Annotator -> results."""
    for key in ("annotations", "completions", "predictions"):
        given = [item for item in items(raw.get(key)) if isinstance(item, dict)]
        kept = [item for item in given if not item.get("was_cancelled")]
        if kept:
            return {
                f"annotator{n}": items(item.get("result")) for n, item in enumerate(kept, start=1)
            }
    for key in ("label", "labels"):
        if isinstance(raw.get(key), list):
            return {"annotator1": [{"type": "labels", "value": value} for value in raw[key]]}
    raise DocumentError(
        "it has no annotations",
        where=where,
        remedy='Label Studio writes "annotations", "predictions" or (short) "label".',
    )


def _layer(results: list[Any], text: str, where: str, warnings: list[str]) -> Layer:
    raws: list[dict[str, Any]] = []
    spans: list[Offsets] = []
    links: list[tuple[str, str]] = []
    unused = 0
    for number, result in enumerate(map(fields, results), start=1):
        value = fields(result.get("value"))
        labels = items(value.get("labels")) or items(value.get("hypertextlabels"))
        if labels:
            spans.append(_offsets(value, f"{where}, result {number}"))
            told = items(fields(result.get("meta")).get("text"))
            raw = {"id": result.get("id") or f"r{number}", "type": labels[0]}
            identifier = next((kind for kind in IdentifierType if kind in told), None)
            raws.append(raw | ({"identifier_type": identifier} if identifier else {}))
            unused += len(labels) - 1
        elif result.get("type") == "relation":
            names = [str(label).upper() for label in items(result.get("labels")) or [COREFERENCE]]
            if any(name.startswith(COREFERENCE) for name in names):
                links.append((str(result.get("from_id")), str(result.get("to_id"))))
            else:
                unused += 1
        else:
            unused += 1
    fitted, odd = as_code_points(text, spans, units=True)
    warnings += [odd] if odd else []
    warnings += [f"{unused} results that are no labelled spans are not used"] if unused else []
    placed = [
        raw | {"start": s.start, "end": s.end} | ({"text": s.text} if s.text else {})
        for raw, s in zip(raws, fitted, strict=True)
    ]
    return Layer(placed, links)


def _offsets(value: Mapping[str, Any], where: str) -> Offsets:
    start, end, text = value.get("start"), value.get("end"), value.get("text")
    if type(start) is not int or type(end) is not int:
        raise DocumentError("its offsets are not whole numbers", where=where)
    return Offsets(start, end, text if isinstance(text, str) else "")


def _task(document: Document) -> dict[str, Any]:
    numbers = {mention.id: f"m{n}" for n, mention in enumerate(document.mentions, start=1)}
    result: list[dict[str, Any]] = [
        {
            "id": numbers[m.id],
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {
                "start": to_utf16(document.text, m.span.start),
                "end": to_utf16(document.text, m.span.end),
                "text": m.text,
                "labels": [m.entity_type],
            },
            "meta": {"text": [m.identifier_type.value]},
        }
        for m in document.mentions
    ]
    result += [
        {
            "type": "relation",
            "from_id": numbers[other.id],
            "to_id": numbers[first.id],
            "direction": "right",
            "labels": [COREFERENCE],
        }
        for first, other in same_entity(document)
    ]
    return {
        "data": {"text": document.text, "doc_id": document.id},
        "predictions": [{"model_version": "intact", "result": result}],
    }
