"""What the formats of other tools share: mentions from and to their annotations, losses told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, BinaryIO

from intact.domain import Document, Mention, SanitizedDocument, type_named
from intact.errors import InputError
from intact.formats.base import Loaded, Record, check_text
from intact.formats.jsonl import JsonlFormat
from intact.formats.jsonstream import iterate_array, parse_line, to_json
from intact.formats.mentions import choose, read_layer, unknown_types
from intact.formats.outcome import document_fields, mention_fields
from intact.formats.reading import read_whole
from intact.formats.writing import as_object


class AsJsonl:
    """What is decided goes into JSON lines: annotations of other tools have no room for it."""

    header = ""
    separator = "\n"
    footer = "\n"
    written_as = ".jsonl"

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The document as a JSON line with ``sanitized_text`` and each mention's outcome."""
        raw = as_object(loaded.document)
        fields = mention_fields(sanitized)
        raw["mentions"] = [mention | fields[mention["id"]] for mention in raw["mentions"]]
        return to_json(raw | document_fields(sanitized))


class JsonExport(AsJsonl):
    """The same for tools whose exports are JSON: a list, an object a line, or a single object."""

    annotated = True
    suffixes: tuple[str, ...] = ()

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The objects of the file; see ``Format``."""
        return objects(file, where)


@dataclass(frozen=True, slots=True)
class Layer:
    """One annotator's mentions as another tool gives them.

    Attributes:
        raws: mentions as in JSONL; their types are translated to TAB's where they are known.
        links: pairs of mention ids that are the same entity; mentions of one type and text are
            one entity in any case, unless they say their entity themselves.
    """

    raws: Sequence[Mapping[str, Any]]
    links: Iterable[tuple[str, str]] = ()


def load(
    doc_id: str,
    text: object,
    layers: Layer | Mapping[str, Layer],
    where: str,
    annotator: str = "first",
    warnings: Sequence[str] = (),
) -> Loaded:
    """A document from another tool's annotations, of one annotator or of several by name.

    Raises:
        DocumentError: if text or mentions are not what they must be.
    """
    checked, odd = check_text(text, where)
    named = {"": layers} if isinstance(layers, Layer) else layers
    annotator = "first" if isinstance(layers, Layer) else annotator
    read = {name: _joined(layer, checked, where) for name, layer in named.items()}
    mentions, links = choose(read, annotator, where)
    return Loaded(
        Document(doc_id, checked, mentions),
        links,
        warnings=(*odd, *warnings, *unknown_types(mentions)),
    )


def _joined(layer: Layer, text: str, where: str) -> tuple[Mention, ...]:
    return joined(read_layer([_translated(raw) for raw in layer.raws], text, where), layer.links)


def _translated(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = raw.get("type") if isinstance(raw, dict) else None
    return {**raw, "type": type_named(kind)} if isinstance(kind, str) else raw


def joined(mentions: Sequence[Mention], links: Iterable[tuple[str, str]]) -> tuple[Mention, ...]:
    """The mentions with the entities of linked mentions made one (the first one's)."""
    entity = {mention.id: mention.entity_id for mention in mentions}
    first = {mention.entity_id: at for at, mention in reversed(list(enumerate(mentions)))}
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while key in parent:
            key = parent[key]
        return key

    for one, other in links:
        if one in entity and other in entity:
            low, high = sorted((root(entity[one]), root(entity[other])), key=first.__getitem__)
            if low != high:
                parent[high] = low
    return tuple(replace(mention, entity_id=root(mention.entity_id)) for mention in mentions)


def items(value: object) -> list[Any]:
    """What is in a list; nothing where it is none."""
    return value if isinstance(value, list) else []


def fields(value: object) -> Mapping[str, Any]:
    """What is in an object; nothing where it is none."""
    return value if isinstance(value, dict) else {}


def objects(file: BinaryIO, where: str) -> Iterator[Record | InputError]:
    """The JSON objects of a file that holds a list, an object a line, or a single object.

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
        yield Record(parse_line(read_whole(file, where), where), where)
        return
    yield from JsonlFormat().records(file, where)


def stem(where: str) -> str:
    """The id of a document that is called like its file."""
    return PurePath(where).stem or where
