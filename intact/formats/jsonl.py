"""JSON lines, one document per line; and TAB's JSON, one list.

``{"id": "a", "text": "...", "mentions": [{"start", "end", "type", ...}]}``. TAB's names
(``doc_id``, ``start_offset``, ``end_offset``, ``entity_type``, ``span_text``, ``identifier_type``,
``entity_id``) can be used as well, and ``annotations`` as in TAB in place of ``mentions``. Mentions
without ``entity_id`` are one entity if their types and texts agree. If a line has neither list, or
an empty one, its mentions are detected.

The JSON of the Text Anonymization Benchmark (Pilán et al. 2022) is one list of documents:
``{"doc_id", "text", "annotations": {annotator: {"entity_mentions": [{"entity_type",
"entity_mention_id", "start_offset", "end_offset", "span_text", "identifier_type", "entity_id",
...}]}}, ...}``. Unknown keys and the order of keys are kept.

It is read a document at a time by the standard library's decoder. Faster streaming parsers are no
replacement: yajl (ijson) silently turns half a surrogate pair into "?" and refuses numbers over 64
bits; its pure Python backend takes ten times as long."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, BinaryIO, ClassVar

from intact.domain import Document, SanitizedDocument
from intact.english.words import is_ordinary
from intact.errors import DocumentError, FormatError, InputError
from intact.formats import base, outcome, tables
from intact.formats.mentions import FIELDS, choose_layer, first_annotator, read_layer
from intact.formats.neutral import contents, regexes

CHUNK = 1 << 15  # bytes that are read at a time
_TOO_MUCH = f"{base.TOO_MUCH}, or longer than {base.MOST_BYTES >> 20} MiB"
_PATTERNS = regexes("jsonl")
_SPACE = " \t\r\n"  # what may stand between two tokens of JSON
_READ = frozenset(chain(*FIELDS.values()))  # fields of a mention that are read
_OF_ANNOTATORS, _OF_MENTIONS = "of annotators: ", "of mentions: "
_LAYER, _OURS = outcome.LAYER, contents("jsonl")["ours"]


def iterate_array(file: BinaryIO, where: str) -> Iterator[Any]:
    """Yield the values of a file that holds one JSON array, each as soon as it has been read. Only
    one value and one chunk are in memory at a time. A byte order mark is allowed.

    Args:
        file: UTF-8, at its beginning; no value may be longer than 16 MiB.
        where: the file's path, for messages.

    Raises:
        FormatError: if the file is anything else, with the number of the document, or of the byte
            that is not UTF-8.
    """
    chunks = base.decoded(iter(lambda: file.read(CHUNK), b""), where)
    full = filter(None, (chunk.lstrip(_SPACE) for chunk in chunks))
    text = next(full, "")
    if not text.startswith("["):
        remedy = "TAB is one JSON list; a document a line is JSONL (.jsonl, or --format jsonl)."
        problem = "the top level is not a list of documents" if text else "it is empty"
        raise FormatError(problem, where=where, remedy=remedy)
    text = text[1:].lstrip(_SPACE) or next(full, "")
    at = int(text.startswith("]"))
    number, mark = 1, "]" if at else ","
    while mark == ",":
        found, problem = None, f"expected ',' or ']' after document {number}"
        try:
            value, end = base.DECODER.raw_decode(text, at)
            found = _PATTERNS["mark"].match(text, end)  # none may be in the next chunk
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else _TOO_MUCH
            problem = f"{said}, document {number}"
        if found:
            yield value
            at, number, mark = found.end(), number + 1, found[1]
            continue
        held = len(text) - at
        if held > base.MOST_BYTES:
            problem = f"{_TOO_MUCH}, document {number}"
        elif more := [*islice(chunks, 1 + held // CHUNK)]:
            text, at = (text[at:] + "".join(more)).lstrip(_SPACE), 0
            continue
        raise FormatError(f"not valid JSON ({problem})", where=where)
    if text[at:].strip(_SPACE) or any(chunk.strip(_SPACE) for chunk in chunks):
        raise FormatError("not valid JSON (something follows the end of the list)", where=where)


class JsonlFormat(base.Format):
    """Reads and writes one JSON object per line."""

    name = "jsonl"
    tells = True
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    beginnings = (b"{",)
    separator = "\n"
    footer = "\n"
    _always_annotated: ClassVar[bool] = False

    def records(self, file: BinaryIO, where: str) -> Iterator[base.Record | InputError]:
        """Yield a ``Record`` for each line that is not blank, in order, whose ``raw`` is the JSON
        value of the line; a line that is no JSON is yielded as its error.

        Args:
            file: at its beginning, read a line at a time.
            where: the file's path; the line's number, from 1, is added.

        Raises:
            FormatError: at a line longer than 16 MiB.
        """
        for number, line in enumerate(base.read_lines(file, where), start=1):
            place = f"{where}, line {number}"
            try:
                if line.strip():
                    yield base.Record(base.parse_json(line, place), place)
            except FormatError as error:
                yield error

    def load(self, record: base.Record, annotator: str) -> base.Loaded:
        """Return the document that a JSON object with TAB's annotations, a list of mentions, or
        neither holds. With neither, it has no mentions and is marked as not annotated. Warnings
        tell what is odd about its mentions, and which fields nobody reads.

        Args:
            record: its ``raw`` is the object.
            annotator: for "annotations": "first", "all" (the union) or a name.

        Raises:
            DocumentError: if id, text or a mention is missing or wrong, or there is no such
                annotator.
        """
        raw = base.check_object(record)
        doc_id = base.check_id(raw, record.where)
        where = f"{record.where} ({doc_id})"
        text, odd = base.check_text(raw.get("text"), where)
        annotated, layers = self._always_annotated or "annotations" in raw, {}
        if annotated and not isinstance(given := raw.get("annotations"), dict):
            problem = f"its annotations are {'not an object' if given else 'missing'}"
            raise DocumentError(problem, where=where)
        said: dict[str, list[str]] = defaultdict(list)  # of the mentions of each annotator
        for number, (name, own) in enumerate(outcome.layers_of(raw).items(), start=1):
            place = f"{where}, annotator {number}" if annotated else where
            if annotated and own is None:
                raise DocumentError('its "entity_mentions" are missing', where=place)
            layers[name] = read_layer(own, text, place, said[name].append)
        if self.originals and (others := _list_fields(raw)):
            odd = (*odd, f"other fields are left as they are: {others}")
        if not annotated and not layers:
            return base.Loaded(Document(doc_id, text, (), annotated=False), warnings=odd)
        mentions, links, told = choose_layer(layers, annotator, text, where, said)
        name = first_annotator(layers) if annotator == "first" else annotator
        language = given if isinstance(given := raw.get("language"), str) else "en"
        document = Document(doc_id, text, mentions, name if annotated else "", language)
        return base.Loaded(document, links, (*odd, *told))

    def render(self, record: base.Record, loaded: base.Loaded, sanitized: SanitizedDocument) -> str:
        """Return the object as a line of JSON without a line end, with ``sanitized_text``, what was
        done (``intact``), and the outcome of each mention added. In an object that had no mentions,
        those that were detected are listed.

        Args:
            record: its ``raw`` is the object as it was read; unknown fields stay.
            loaded: its ``links`` say which mention each annotated one became.
            sanitized: the document with what was decided.
        """
        raw = record.raw
        if not loaded.document.annotated:
            made = outcome.decided(sanitized)
            if "annotations" in raw:  # of which none said anything
                found = {"detected": {"entity_mentions": made.pop("mentions")}}
                made["annotations"] = found | raw["annotations"]
            return base.to_json(raw | made)
        ours, fields = outcome.was_ours(raw), outcome.mention_fields(sanitized)

        def enriched(name: str, mentions: list[Any]) -> list[Any]:
            """Return the mentions of one annotator, in order, each with the fields that say how it
            ended added. Mentions in whose place another was taken stay as they were.

            Args:
                name: of the annotator; "mentions" if nobody is named.
                mentions: as the file has them, in order.
            """
            keyed = ((one, loaded.links.get((name, at))) for at, one in enumerate(mentions))
            return [outcome.add(one, fields[key], ours) if key else one for one, key in keyed]

        made = {name: enriched(name, own) for name, own in outcome.layers_of(raw).items()}
        if "annotations" in raw:
            layers = raw["annotations"].items()
            made = {"annotations": {name: one | {_LAYER: made[name]} for name, one in layers}}
        raw = raw | made
        return base.to_json(outcome.add(raw, outcome.document_fields(sanitized, fields), ours))

    def dump(self, document: Document) -> str:
        """Return a document of another format as one line of JSON, without a line end, each mention
        with its words."""
        return base.to_json(outcome.as_object(document, words=True))


class TabFormat(JsonlFormat):
    """Reads and writes TAB's JSON, one document per line."""

    name = "tab"
    suffixes = (".json",)
    beginnings = (b"[",)
    header = "[\n"
    separator = ",\n"
    footer = "\n]\n"
    _always_annotated = True

    def records(self, file: BinaryIO, where: str) -> Iterator[base.Record | InputError]:
        """Yield each document of TAB's JSON list, in order, as a ``Record`` whose ``raw`` is the
        object.

        Args:
            file: at its beginning.
            where: the file's path; the document's number, from 1, is added.

        Raises:
            FormatError: where the list is broken.
        """
        for number, raw in enumerate(iterate_array(file, where), start=1):
            yield base.Record(raw, f"{where}, document {number}")

    def dump(self, document: Document) -> str:
        """Return a document of another format as an object of TAB's list, in JSON on one line, with
        one annotator."""
        return base.to_json(outcome.tab_object(document))


def _list_fields(raw: Mapping[str, Any]) -> str:
    """Return the names of the fields of a JSON object that nobody reads, each once, joined by
    commas for a message; a field whose name may be somebody's appears as its number. "" if there
    are none."""
    shown = dict.fromkeys(_name_of_field(raw, name) for name in other_fields(raw))
    return base.listed([*shown], width=None)


def _name_of_field(raw: Mapping[str, Any], name: str) -> str:
    """Return the name of a field for a message; if the name may be somebody's, "field 3" (its
    position in the object, from 1) or "a field of an annotator or mention" instead."""
    own = f"field {[*raw].index(name) + 1}" if name in raw else "a field of an annotator or mention"
    bare = name.removeprefix(_OF_ANNOTATORS).removeprefix(_OF_MENTIONS)
    return name if tables.is_heading(bare) else own


def other_fields(raw: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields of a document's JSON object that nobody reads: its own in
    order, then "of annotators: NAME" and "of mentions: NAME", each sorted. Fields that INTACT wrote
    in an earlier run are not among them."""
    ours = _OURS if outcome.was_ours(raw) else frozenset[str]()
    known = {"text", "doc_id" if "doc_id" in raw else "id"}
    known.add("annotations" if "annotations" in raw else "mentions")
    known |= {"language"} if raw.get("language") == "en" else set()
    mentions = [*chain(*outcome.layers_of(raw).values())]
    names = re.findall(r"[^\W\d_]{3,}", " ".join(str(one.get("entity_id", "")) for one in mentions))
    read = _READ - ({"entity_id"} if not all(map(is_ordinary, names)) else set())
    parts = (
        (_OF_ANNOTATORS, raw.get("annotations", {}).values(), {_LAYER}),
        (_OF_MENTIONS, mentions, read | ours),
    )
    fields = [name for name in raw if name not in known | ours]
    for kind, ones, own in parts:
        fields += (f"{kind}{name}" for name in sorted({*chain(*ones)} - own))
    return fields


class WrittenAsJsonl(base.Format):
    """A format of another tool, whose annotations have no room for what was decided."""

    separator = footer = "\n"
    tells = True
    written_as = ".jsonl"

    def records(self, file: BinaryIO, where: str) -> Iterator[base.Record | InputError]:
        """Yield a ``Record`` for each JSON object of a file that holds a list, an object per line,
        or a single object, in order; what cannot be read is yielded as its error.

        Args:
            file: at its beginning.
            where: the file's path, for messages.

        Raises:
            FormatError: if the rest of the file cannot be read.
        """
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        file.seek(0)
        full = (line for line in base.read_lines(file, where) if line.strip())
        first = b"" if start == b"[" else next(full, b"")
        file.seek(0)
        if start == b"[":
            yield from TabFormat().records(file, where)
        elif first.strip() == b"{" or not first.rstrip().endswith(b"}"):
            # one object over many lines
            yield base.Record(base.parse_json(base.read_whole(file, where), where), where)
        else:
            yield from JsonlFormat().records(file, where)

    def render(self, record: base.Record, loaded: base.Loaded, sanitized: SanitizedDocument) -> str:
        """Return the document as a JSON line without a line end: its text, its mentions with their
        outcomes, ``sanitized_text``, and what else was decided.

        Args:
            record: not used: the other tool's fields are not taken over.
            loaded: not used.
            sanitized: the document with what was decided.
        """
        return outcome.record_line(sanitized)
