"""Documents as they are read, written in another format or with the mentions that were detected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from intact.domain import Document
from intact.errors import ConfigError, InputError, RunError
from intact.formats.base import ConversionLosses, Format, Loaded, Record
from intact.formats.json_text import to_json
from intact.formats.jsonl import TabFormat, tab_object
from intact.protocols import Detection, Detector
from intact.run.files import make_private_folder, write_private
from intact.run.source import Ids, SourceFile, SourceReading

DETECTED = "intact"
"""The annotator's name under which detected mentions stand."""
_WHOLE = ("jsonl", "tab")
"""Formats that hold each other's documents with all their fields."""
_OF_DOCUMENTS = frozenset(
    "id doc_id text language mentions annotations data label labels predictions "
    "analyzer_results results entities".split()
)
_OF_MENTIONS = frozenset(
    "entity_type entity_mention_id start_offset end_offset span_text identifier_type entity_id "
    "id start end text type label".split()
)


@dataclass(slots=True)
class Conversion:
    """What came of it.

    Attributes:
        losses: what the new format cannot hold, and what of the old one is not taken over.
        skipped: the errors of documents that were left out.
        warnings: what is odd, by document.
        types: detected mentions by type.
        doubts: of each document what may be left: how many words, id, remarks.
        unsure: how many documents the detector is unsure of.
    """

    documents: int = 0
    mentions: int = 0
    entities: int = 0
    losses: ConversionLosses = field(default_factory=ConversionLosses)
    skipped: list[InputError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    types: Counter[str] = field(default_factory=Counter)
    doubts: list[tuple[float, str, tuple[str, ...]]] = field(default_factory=list)
    unsure: int = 0


def convert(
    sources: Sequence[SourceFile],
    out: Path,
    target: Format,
    annotator: str = "first",
    *,
    skip_bad: bool = False,
) -> Conversion:
    """Writes the documents of ``sources`` to ``out`` in the format ``target``.

    Args:
        sources: what to read.
        out: a file.
        target: the format to write.
        annotator: "first", "all" (the union) or an annotator's name.
        skip_bad: leaves out what cannot be read.

    Raises:
        ConfigError: if the format cannot be written this way.
        InputError: if something cannot be read (unless ``skip_bad``).
        RunError: if something cannot be written. Nothing is at its place then.
    """
    done = Conversion()

    def documents() -> Iterator[Document]:
        for name, record, loaded in _loaded(sources, annotator, done, skip_bad=skip_bad):
            document = loaded.document
            done.documents += 1
            done.mentions += len(document.mentions)
            done.warnings += [f"{name} ({document.id}): {warning}" for warning in loaded.warnings]
            _left_behind(record.raw, annotator, done.losses)
            yield document

    write_private(out, target.write(documents(), done.losses))
    return done


def split(sources: Sequence[SourceFile], out: Path, target: Format, shards: int) -> Conversion:
    """Writes documents to a folder of files of about equal size, in order, all fields kept.

    Args:
        sources: what to read.
        out: a folder; the files in it are ``00000.jsonl`` and so on.
        target: "jsonl" or "tab".
        shards: how many files; fewer where there are fewer documents, or some are very long.

    Raises:
        ConfigError: if a document cannot be written in this format as it is.
        InputError: if something cannot be read.
        RunError: if the folder is not empty, or something cannot be written.
    """
    for source in sources:
        if target.name not in _WHOLE or source.format.name not in _WHOLE:
            raise ConfigError(
                "only jsonl and tab are split, into jsonl or tab",
                where=source.name,
                remedy="Convert it to JSONL first.",
            )
    make_private_folder(out)
    if any(out.iterdir()):
        raise RunError("is not empty", where=str(out), remedy="Name a new folder.")
    sizes = [len(piece) for piece in _pieces(sources)]
    before = accumulate(sizes, initial=0)
    numbers = (at * shards // max(1, sum(sizes)) for at in before)
    parts = groupby(zip(numbers, _pieces(sources), strict=False), lambda item: item[0])
    for number, (_, items) in enumerate(parts):
        path = out / f"{number:05}{target.suffixes[0]}"
        pieces = (piece for _, piece in items)
        write_private(path, target.assemble(pieces, BytesIO(), path.name))
    return Conversion(documents=len(sizes))


def _pieces(sources: Sequence[SourceFile]) -> Iterator[str]:
    """Each document as its file holds it."""
    for source in sources:
        for record in SourceReading(source).records():
            if isinstance(record, InputError):
                raise record
            yield to_json(record.raw)


def detect(
    sources: Sequence[SourceFile],
    out: Path,
    detector: Detector,
    *,
    skip_bad: bool = False,
    warn: Callable[[str], None] = lambda message: None,
) -> Conversion:
    """Writes the documents of ``sources`` with their mentions to ``out``, in TAB's JSON;
    annotations they have are neither used nor kept.

    Args:
        sources: what to read.
        out: a file.
        detector: what finds the mentions.
        skip_bad: leaves out what cannot be read.
        warn: hears why the detector is unsure of a document; no text.

    Raises:
        InputError: if something cannot be read (unless ``skip_bad``), or an id comes twice.
        RunError: if ``out`` cannot be written. Nothing is at its place then.
    """
    done = Conversion()

    def pieces() -> Iterator[str]:
        kind = TabFormat()
        yield kind.header
        for _, _, loaded in _loaded(sources, "first", done, skip_bad=skip_bad):
            document = loaded.document
            detection = detector.detect(document.text)
            for note in detection.notes:
                warn(f"document {document.id}: unsure: {note}")
            done.doubts.append(
                (detection.doubtful, document.id, (*detection.notes, *detection.left))
            )
            done.unsure += bool(detection.notes)
            found = [item.mention for item in detection.found]
            done.mentions += len(found)
            done.entities += len({mention.entity_id for mention in found})
            done.types.update(mention.entity_type for mention in found)
            separator = kind.separator if done.documents else ""
            done.documents += 1
            yield separator + to_json(as_tab(document, detection))
        yield kind.footer

    write_private(out, pieces())
    return done


def as_tab(document: Document, detection: Detection) -> dict[str, Any]:
    """A document in TAB's JSON; each mention also says its kind, score and sources.

    Args:
        document: its text counts, its mentions do not.
        detection: what was found in it.
    """
    mentions = tuple(item.mention for item in detection.found)
    raw = tab_object(replace(document, mentions=mentions, annotator=DETECTED))
    for told, item in zip(
        raw["annotations"][DETECTED]["entity_mentions"], detection.found, strict=True
    ):
        told.update(
            edit_type="insert",
            confidential_status="NOT_CONFIDENTIAL",
            kind=item.kind,
            score=item.score,
            sources=list(item.sources),
        )
    beside = {"dataset_type": "", "meta": {}, "quality_checked": False, "task": ""}
    return raw | beside | {"notes": list(detection.notes)}


def _loaded(
    sources: Sequence[SourceFile], annotator: str, done: Conversion, *, skip_bad: bool
) -> Iterator[tuple[str, Record, Loaded]]:
    """The documents in order with the names of their files; what is wrong is raised or noted."""
    ids = Ids()
    for source in sources:
        for record in SourceReading(source).records():
            try:
                if isinstance(record, InputError):
                    raise record
                loaded = source.format.load(record, annotator)
                problem = ids.problem(loaded.document.id, source.name)
                if problem:
                    raise problem
            except InputError as error:
                if not skip_bad:
                    raise
                done.skipped.append(error)
            else:
                yield source.name, record, loaded


def _left_behind(raw: Any, annotator: str, losses: ConversionLosses) -> None:
    """Counts what an object holds beside the document: other annotators, further fields."""
    if not isinstance(raw, dict):
        return
    layers = raw.get("annotations")
    if isinstance(layers, dict):
        if annotator != "all":
            losses.add("further annotators (--annotator all takes them together)", len(layers) - 1)
        mentions = [m for layer in layers.values() for m in layer.get("entity_mentions", ())]
    elif "mentions" in raw:
        mentions = raw["mentions"] or []
    else:
        return
    with suppress(TypeError):
        further = sum(len(set(mention) - _OF_MENTIONS) for mention in mentions)
        losses.add("further fields of mentions", further)
    losses.add("further fields of documents", len(set(raw) - _OF_DOCUMENTS))
