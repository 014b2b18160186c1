"""Read exports of other tools: Label Studio's tasks, Presidio's analyzer results, spaCy's DocBin.

Label Studio: ``[{"id", "data": {"text"}, "annotations": [{"result": [...]}]}]``. A result is
``{"id", "type": "labels", "value": {"start", "end", "text", "labels"}}``; a relation labelled COREF
joins two. If there are no annotations, predictions are taken. The short export (``{"text", "label":
[{"start", "end", "labels"}]}``) is read, too. Offsets count UTF-16 units, as Label Studio's editor
does.

Presidio, as its anonymizer service takes them: ``{"text", "analyzer_results": [{"entity_type",
"start", "end", "score"}]}``, as one object, a list, or one per line. The *anonymizer's* results
(``items``) have offsets of its output, and are refused.

DocBin (``.spacy``): the span group "intact", or else "sc", or else the entities."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any, BinaryIO

from intact.domain import Document, IdentifierType, Mention
from intact.errors import DocumentError, FormatError, InputError, require
from intact.formats import base, jsonl
from intact.formats import mentions as annotated

COREFERENCE = "COREF"


class LabelStudioFormat(jsonl.WrittenAsJsonl):
    """Reads and writes Label Studio's tasks."""

    name = "labelstudio"

    def load(self, record: base.Record, annotator: str) -> base.Loaded:
        """Return the document of a Label Studio task, with the chosen annotator's mentions. Its
        text is the "text" of its data, or their only string. Each of its annotations is an
        annotator, called "annotator1" and so on.

        Args:
            record: its ``raw`` is the task.
            annotator: "first", "all" (the union) or a name.

        Raises:
            DocumentError: if it has no text, id or annotations, or a result is not what it must be.
        """
        raw, where = base.check_object(record), record.where
        data = _fields(raw.get("data")) or raw
        doc_id = base.check_id({"id": data.get("doc_id") or raw.get("id")}, where)
        where = f"{where} ({doc_id})"
        strings = [each for key, each in data.items() if isinstance(each, str) and key != "doc_id"]
        only = strings[0] if len(strings) == 1 else None
        text, odd = base.check_text(data.get("text", only), where)
        said: dict[str, list[str]] = defaultdict(list)  # of the mentions of each annotator
        given = _results(raw, where).items()
        layers = {name: _layer(own, text, where, said[name].append) for name, own in given}
        mentions, links, told = annotated.choose_layer(layers, annotator, text, where, said)
        return base.Loaded(Document(doc_id, text, mentions), links, (*odd, *told))

    def write(self, documents: Iterable[Document], losses: base.Losses) -> Iterator[bytes]:
        """Yield a JSON list of Label Studio's tasks with predictions, ready to be imported, as
        bytes, a task at a time; "[]" for no documents.

        Args:
            documents: read once, in order.
            losses: entities that become one, because Label Studio keeps no entity ids, are counted
                here.
        """
        between = b"[\n"
        for document in documents:
            entities = {
                (annotated.surface_entity(m.entity_type, m.text), m.entity_id)
                for m in document.mentions
            }
            apart = len(entities) - len({surface for surface, _ in entities})
            losses["entities of the same type and text, which become one"] += apart
            yield between + base.to_json(_task(document)).encode("utf-8")
            between = b",\n"
        yield b"[]\n" if between == b"[\n" else b"\n]\n"


def _results(raw: Mapping[str, Any], where: str) -> dict[str, list[Any]]:
    """Return the results of a Label Studio task by annotator ("annotator1", "annotator2", ...):
    those of its annotations that were not cancelled, or else of its predictions, or else its labels
    in the short form. Raise a ``DocumentError`` if it has none of these."""
    for key in ("annotations", "completions", "predictions"):
        given = [item for item in _items(raw.get(key)) if isinstance(item, dict)]
        kept = [_items(item.get("result")) for item in given if not item.get("was_cancelled")]
        if kept:
            return {f"annotator{number}": results for number, results in enumerate(kept, start=1)}
    for key in ("label", "labels"):
        if isinstance(raw.get(key), list):
            return {"annotator1": [{"type": "labels", "value": value} for value in raw[key]]}
    remedy = 'Label Studio writes "annotations", "predictions" or (short) "label".'
    raise DocumentError("it has no annotations", where=where, remedy=remedy)


def _layer(results: list[Any], text: str, where: str, warn: annotated.Warn) -> tuple[Mention, ...]:
    """Return the mentions in an annotator's results, in order, with offsets in code points; those
    that a relation "COREF" joins are one entity. Warn of mentions that contradict others, and of
    the number of results and further labels that are not used. Raise a ``DocumentError`` for
    offsets that are no whole numbers, or a wrong mention."""
    places = {unit: at for at, unit in enumerate(utf16_offsets(text))}
    raws: list[dict[str, Any]] = []
    links: list[tuple[str, str]] = []
    unused = 0
    for number, result in enumerate(map(_fields, results), start=1):
        value = _fields(result.get("value"))
        labels = _items(value.get("labels")) or _items(value.get("hypertextlabels"))
        names = map(str, _items(result.get("labels")) or [COREFERENCE])
        joins = any(name.upper().startswith(COREFERENCE) for name in names)
        if labels:
            start, end = value.get("start"), value.get("end")
            if type(start) is not int or type(end) is not int:
                place = f"{where}, result {number}"
                raise DocumentError("its offsets are not whole numbers", where=place)
            raw = {"id": result.get("id") or f"r{number}", "type": labels[0]}
            raw |= {"start": places.get(start, -1), "end": places.get(end, -1)}
            if isinstance(shown := value.get("text"), str) and shown:
                raw["text"] = shown
            meta = _items(_fields(result.get("meta")).get("text"))
            raw["identifier_type"] = next((kind for kind in IdentifierType if kind in meta), None)
            raws.append(raw)
            unused += len(labels) - 1
        elif joins and result.get("type") == "relation":
            links.append((str(result.get("from_id")), str(result.get("to_id"))))
        else:
            unused += 1
    if unused:
        warn(f"results that are no labelled spans are not used ({unused})")
    return annotated.join_linked(annotated.read_layer(raws, text, where, warn), links)


def _task(document: Document) -> dict[str, Any]:
    """Return a document as a task of Label Studio, with offsets in UTF-16 units: its mentions are
    one prediction, and a relation "COREF" leads from each further mention of an entity to its
    first."""
    offsets = utf16_offsets(document.text)
    result: list[dict[str, Any]] = []
    first: dict[str, str] = {}  # mention of each entity
    relations = []
    for number, mention in enumerate(document.mentions, start=1):
        value: dict[str, Any] = {"text": mention.text, "labels": [mention.entity_type]}
        value |= {"start": offsets[mention.span.start], "end": offsets[mention.span.end]}
        own = {"id": f"m{number}", "from_name": "label", "to_name": "text", "type": "labels"}
        result.append(own | {"value": value, "meta": {"text": [mention.identifier_type.value]}})
        earlier = first.setdefault(mention.entity_id, own["id"])
        if earlier != own["id"]:
            ends = {"type": "relation", "from_id": own["id"], "to_id": earlier}
            relations.append(ends | {"direction": "right", "labels": [COREFERENCE]})
    prediction = {"model_version": "intact", "result": [*result, *relations]}
    data = {"text": document.text, "doc_id": document.id}
    return {"data": data, "predictions": [prediction]}


def _items(value: object) -> list[Any]:
    """Return a value if it is a list, else []."""
    return value if isinstance(value, list) else []


def _fields(value: object) -> Mapping[str, Any]:
    """Return a value if it is a JSON object (a ``dict``), else {}."""
    return value if isinstance(value, dict) else {}


def utf16_offsets(text: str) -> list[int]:
    """Return the UTF-16 offset of each offset in code points, in order, including the end of the
    text: [0, 1, 3] for a letter and an emoji."""
    return [*accumulate((1 + (ord(char) > 0xFFFF) for char in text), initial=0)]


_KEYS = ("analyzer_results", "results", "entities")


class PresidioFormat(jsonl.WrittenAsJsonl):
    """Reads Presidio's analyzer results."""

    name = "presidio"

    def records(self, file: BinaryIO, where: str) -> Iterator[base.Record | InputError]:
        """Yield each text with its analyzer results as a ``Record`` whose ``raw`` is the JSON
        object, in order. Its id, for a document that states none, is the file's name with its
        number ("x-2"), or without it if the file is one object over several lines.

        Args:
            file: a list, an object per line, or one object.
            where: the file's path, for messages.

        Raises:
            FormatError: if the rest of the file cannot be read.
        """
        for number, record in enumerate(super().records(file, where), start=1):
            made = base.stem(where) if record.where == where else f"{base.stem(where)}-{number}"
            yield replace(record, id=made) if isinstance(record, base.Record) else record

    def load(self, record: base.Record, annotator: str) -> base.Loaded:
        """Return a text with the analyzer's results as a document.

        Args:
            record: its ``raw`` is the object.
            annotator: not used: the analyzer is the only one.

        Raises:
            DocumentError: if text or results are missing, or the results are the anonymizer's,
                whose offsets are those of its output.
        """
        raw, where = base.check_object(record), record.where
        if "items" in raw and not any(key in raw for key in _KEYS):
            problem = "these are the anonymizer's results, whose offsets are those of its output"
            raise DocumentError(problem, where=where)
        if "entity_type" in raw and "text" not in raw:
            raise DocumentError("these are results without their text", where=where)
        text, _ = base.check_text(raw.get("text"), where)
        results = next((raw[key] for key in _KEYS if isinstance(raw.get(key), list)), None)
        if results is None:
            raise DocumentError("its analyzer_results are missing", where=where)
        given = raw.get("id", raw.get("doc_id"))
        return annotated.load(record.id if given is None else str(given), text, results, where)


_GROUPS = ("intact", "sc")
_IDENTIFIERS = frozenset(IdentifierType)


class DocBinFormat(jsonl.WrittenAsJsonl):
    """Reads DocBin files."""

    name, needs = "docbin", "spacy"
    suffixes = (".spacy",)

    def records(self, file: BinaryIO, where: str) -> Iterator[base.Record | InputError]:
        """Yield each doc of a DocBin, in order, as a ``Record`` whose ``raw`` is (text, mentions as
        in JSON lines). Its id, if it states none, is the file's name, with its number ("x-2") if
        there are several.

        Args:
            file: at most 64 MiB, unpacked at most 256 MiB.
            where: the file's path, for messages.

        Raises:
            FormatError: if it is no DocBin, or larger.
        """
        spacy, tokens = require("spacy"), require("spacy.tokens")
        data, unpacked = base.read_whole(file, where, base.MOST_PACKED), zlib.decompressobj()
        with base.unreadable("not a DocBin file", where):
            plain = unpacked.decompress(data, base.MOST_UNPACKED)
            if unpacked.unconsumed_tail:
                problem = f"unpacks to more than {base.MOST_UNPACKED >> 20} MiB"
                raise FormatError(problem, where=where)
            docs = tokens.DocBin().from_bytes(zlib.compress(plain, 0))
            docs = list(docs.get_docs(spacy.blank("xx").vocab))
        for number, doc in enumerate(docs, start=1):
            made = base.stem(where) if len(docs) == 1 else f"{base.stem(where)}-{number}"
            doc_id = str(doc.user_data.get("id") or made)
            yield base.Record(from_doc(doc), f"{where}, document {number}", doc_id)

    def load(self, record: base.Record, annotator: str) -> base.Loaded:
        """Return the document of a doc and the spans that were read from it.

        Args:
            record: its ``raw`` is (text, mentions), the latter as JSON lines have them.
            annotator: not used: a doc has one annotator.

        Raises:
            DocumentError: if a span is not what it must be.
        """
        text, mentions = record.raw
        return annotated.load(record.id, text, mentions, record.where)


def from_doc(doc: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return (text, mentions as JSON lines have them) of a spaCy ``Doc``. The mentions are those of
    the first of its span groups "intact" and "sc" that holds any, or else its entities."""
    spans = next((doc.spans[key] for key in _GROUPS if doc.spans.get(key)), None)
    mentions = []
    for span in doc.ents if spans is None else spans:
        raw = {"start": span.start_char, "end": span.end_char, "type": span.label_}
        raw |= {"entity_id": span.kb_id_} if span.kb_id_ else {}
        raw |= {"identifier_type": span.id_} if span.id_ in _IDENTIFIERS else {}
        mentions.append(raw)
    return doc.text, mentions
