"""From one format to another, with what gets lost on the way counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intact.domain import Document
from intact.errors import ConfigError, DocumentError, InputError
from intact.formats.base import Format, Record
from intact.formats.writing import FileEach, Lost, OneFile, file_stem
from intact.run.files import AtomicFile, make_private_folder
from intact.run.source import SourceFile, opened

_OF_DOCUMENTS = frozenset(
    "id doc_id text language mentions annotations data label labels entities relations predictions "
    "analyzer_results results text_file sha256".split()
)
_OF_TAB_MENTIONS = frozenset(
    "entity_type entity_mention_id start_offset end_offset span_text identifier_type entity_id "
    "id start end text type label".split()
)


@dataclass(slots=True)
class Conversion:
    """What came of it.

    Attributes:
        lost: what the new format cannot hold, and what of the old one is not taken over.
        skipped: the errors of documents that were left out.
        warnings: what is odd, by document.
    """

    documents: int = 0
    mentions: int = 0
    lost: Lost = field(default_factory=Lost)
    skipped: list[InputError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


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
        out: a file; for formats with a file (or two) a document also a folder.

    Raises:
        ConfigError: if the format cannot be written this way.
        InputError: if something cannot be read (unless ``skip_bad``).
        RunError: if something cannot be written. Nothing is at its place then.
    """
    done = Conversion()
    documents = _documents(sources, annotator, done, skip_bad=skip_bad)
    files: list[AtomicFile] = []
    try:
        if isinstance(target, OneFile):
            files.append(AtomicFile(out))
            for piece in target.pieces(documents, done.lost):
                files[-1].write(piece)
            files[-1].seal()
        elif isinstance(target, FileEach):
            _write_each(documents, out, target, files, done)
        else:
            raise ConfigError(
                f"{target.name} can only be written where it was read",
                remedy="intact sanitize keeps the format of its input; convert to another one.",
            )
        for file in files:
            file.publish()
    finally:
        for file in files:
            file.discard()
    return done


def _write_each(
    documents: Iterator[Document],
    out: Path,
    target: FileEach,
    files: list[AtomicFile],
    done: Conversion,
) -> None:
    """A file, or several of one name, a document."""
    single = out.suffix.lower() in target.suffixes
    folder = out.parent if single else out
    if not single:
        make_private_folder(folder)
    taken: set[str] = set()
    for document in documents:
        if single and taken:
            raise ConfigError(
                f"{target.name} holds one document a file, and there are several",
                where=str(out),
                remedy="Name a folder.",
            )
        stem = out.stem if single else file_stem(document.id, done.lost)
        while stem.casefold() in taken:
            stem += "_"
        taken.add(stem.casefold())
        for name, content in target.files(document, stem, done.lost).items():
            if single and name != out.name:
                _spare(folder / name, content)
            file = AtomicFile(folder / name)
            files.append(file)
            file.write(content)
            file.seal()


def _spare(path: Path, content: bytes) -> None:
    """Refuses to write over another text that happens to lie beside the output."""
    with suppress(OSError):
        if path.read_bytes() != content:
            raise ConfigError(
                "a file of another content is there, where the text has to go",
                where=str(path),
                remedy="Choose another name for the output, or move that file.",
            )


def _documents(
    sources: Sequence[SourceFile], annotator: str, done: Conversion, *, skip_bad: bool
) -> Iterator[Document]:
    """The documents in order, counted; what is wrong is raised or noted."""
    seen: set[str] = set()

    def bad(error: InputError) -> None:
        if not skip_bad:
            raise error
        done.skipped.append(error)

    for source in sources:
        kind = source.format
        try:
            with opened(source) as handle:
                for record in kind.records(handle, source.name):
                    if isinstance(record, InputError):
                        bad(record)
                        continue
                    try:
                        loaded = kind.load(record, annotator)
                        document = loaded.document
                        if document.id in seen:
                            raise DocumentError(
                                f"there are two documents called {document.id}",
                                where=source.name,
                                remedy="Each document needs an id of its own.",
                            )
                    except InputError as error:
                        bad(error)
                        continue
                    seen.add(document.id)
                    done.documents += 1
                    done.mentions += len(document.mentions)
                    done.warnings += [
                        f"{source.name} ({document.id}): {warning}" for warning in loaded.warnings
                    ]
                    _left_behind(record, annotator, done.lost)
                    yield document
        except InputError as error:
            if error in done.skipped:
                raise
            bad(error)


def _left_behind(record: Record, annotator: str, lost: Lost) -> None:
    """Counts what an object holds beside the document: other annotators, further fields."""
    raw: Any = record.raw
    if not isinstance(raw, dict):
        return
    layers = raw.get("annotations")
    if isinstance(layers, dict):
        if annotator != "all":
            lost.add("further annotators (--annotator all takes them together)", len(layers) - 1)
        mentions = [m for layer in layers.values() for m in layer.get("entity_mentions", ())]
    else:
        mentions = raw.get("mentions") or []
        layers = None
    with suppress(TypeError):
        further = sum(len(set(mention) - _OF_TAB_MENTIONS) for mention in mentions)
        lost.add("further fields of mentions", further)
    if layers is not None or "mentions" in raw:
        lost.add("further fields of documents", len(set(raw) - _OF_DOCUMENTS))
