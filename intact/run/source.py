"""Where a run's documents come from: a file, a folder or the standard input."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from intact.errors import DocumentError, InputError
from intact.formats.base import Format, Loaded, Record
from intact.formats.known import all_names, by_content, by_name, by_suffix

Warn = Callable[[str], None]
_BESIDE = {".txt": (".ann", ".standoff")}
"""Suffix of a text -> suffixes of annotation files that bring it."""
_SHARED = {
    "doccano": (".jsonl", ".json"),
    "labelstudio": (".json",),
    "presidio": (".json", ".jsonl"),
}
"""Suffixes of formats that have none of their own; taken where the format is asked for."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read.

    Attributes:
        name: how it is called in messages.
        relative: its place under the input folder; its name where the input is one file.
        opener: opens it at its beginning; one reader at a time.
    """

    name: str
    relative: PurePosixPath
    format: Format
    opener: Callable[[], BufferedReader]

    def is_at(self, path: Path) -> bool:
        """Whether ``path`` leads to this file, under whatever name."""
        with opened(self) as handle:
            return os.path.samestat(os.fstat(handle.fileno()), path.stat())

    @classmethod
    def of_file(cls, path: Path, kind: Format, root: Path | None = None) -> SourceFile:
        """A file on the disk, under the input folder ``root`` if there is one."""
        relative = path.relative_to(root) if root else Path(path.name)
        return cls(str(path), PurePosixPath(relative.as_posix()), kind, partial(_file, path))

    @classmethod
    def of_stream(cls, stream: BinaryIO, kind: Format | None = None) -> SourceFile:
        """A stream that can be read once, such as the standard input.

        It is copied to a nameless file that goes with the process.
        """
        copy = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the source)
        try:
            shutil.copyfileobj(stream, copy)
            copy.flush()
        except OSError as error:
            raise InputError(
                f"cannot be copied to a temporary file ({error.strerror})",
                where="standard input",
                remedy="See that there is room, or set TMPDIR to a folder with room.",
            ) from None
        kind = kind or by_content(copy)
        return cls("standard input", PurePosixPath("-"), kind, partial(_reopened, copy))


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What was found in one file.

    Attributes:
        digest: SHA-256 of its bytes, hexadecimal.
        documents: how many documents can be worked on.
        bad: positions of the records that cannot.
        readable: how many records can be read at all; what follows is lost.
        whole: whether all of it can be worked on.
    """

    source: SourceFile
    digest: str
    documents: int
    bad: frozenset[int]
    readable: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """All the work of a run, known before it starts.

    Attributes:
        spans: masked mentions in all documents.
        skipped: the errors of what cannot be worked on.
    """

    files: tuple[FilePlan, ...]
    documents: int
    spans: int
    skipped: tuple[InputError, ...]


def survey(sources: Iterable[SourceFile], annotator: str, *, skip_bad: bool, warn: Warn) -> Plan:
    """Reads and checks every document once, keeping none.

    Raises:
        InputError: at the first thing wrong, unless ``skip_bad``.
    """
    seen: dict[str, str] = {}
    skipped: list[InputError] = []
    files: list[FilePlan] = []
    spans = 0
    for source in sources:
        bad: set[int] = set()
        count = 0
        whole = True
        try:
            for position, found in enumerate(_checked(source, annotator)):
                count = position + 1
                problem = found if isinstance(found, InputError) else _repeated(found, source, seen)
                if problem is None and isinstance(found, Loaded):
                    seen[found.document.id] = source.name
                    spans += sum(mention.masked for mention in found.document.mentions)
                    for warning in found.warnings:
                        warn(f"{source.name} ({found.document.id}): {warning}")
                elif problem is not None:
                    if not skip_bad:
                        raise problem
                    bad.add(position)
                    skipped.append(problem)
        except InputError as error:
            if not skip_bad:
                raise
            skipped.append(error)
            whole = False
        good = count - len(bad)
        whole = whole and not bad
        files.append(FilePlan(source, _digest(source), good, frozenset(bad), count, whole))
    return Plan(tuple(files), sum(f.documents for f in files), spans, tuple(skipped))


def records(plan: Plan, start: int = 0) -> Iterator[tuple[int, Format, Record]]:
    """The good records with their number in the run, from number ``start`` on."""
    number = 0
    for file in plan.files:
        if number + file.documents <= start:
            number += file.documents
            continue
        with opened(file.source) as handle:
            found = islice(file.source.format.records(handle, file.source.name), file.readable)
            for position, record in enumerate(found):
                if position in file.bad or isinstance(record, InputError):
                    continue
                if number >= start:
                    yield number, file.source.format, record
                number += 1


def _checked(source: SourceFile, annotator: str) -> Iterator[Loaded | InputError]:
    with opened(source) as handle:
        for record in source.format.records(handle, source.name):
            if isinstance(record, InputError):
                yield record
                continue
            try:
                yield source.format.load(record, annotator)
            except InputError as error:
                yield error


def _repeated(found: Loaded, source: SourceFile, seen: dict[str, str]) -> InputError | None:
    doc_id = found.document.id
    if doc_id not in seen:
        return None
    other = seen[doc_id]
    return DocumentError(
        f"there are two documents called {doc_id}"
        + (f" (the other is in {other})" if other != source.name else ""),
        where=source.name,
        remedy="Each document needs an id of its own; without one it is called like its file.",
    )


@contextmanager
def opened(source: SourceFile) -> Iterator[BufferedReader]:
    """The file of a source, at its beginning.

    Raises:
        InputError: if it cannot be opened or read.
    """
    try:
        with source.opener() as file:
            yield file
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=source.name) from None


def _file(path: Path) -> BufferedReader:
    return path.open("rb")


def _reopened(file: IO[bytes]) -> BufferedReader:
    file.seek(0)
    return os.fdopen(os.dup(file.fileno()), "rb")


def _digest(source: SourceFile) -> str:
    with opened(source) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def find(
    given: str, format_name: str | None, stream: BinaryIO | None, out: Path
) -> tuple[SourceFile, ...]:
    """What there is to read.

    Args:
        given: a file or a folder; of no meaning where there is a ``stream``.
        format_name: the format, or None to go by suffix, then by content.
        stream: the standard input, if that is what to read.
        out: where the output goes; it is never taken for input.

    Raises:
        InputError: if there is nothing to read, or the output would replace the input.
        ConfigError: if there is no such format.
    """
    kind = by_name(format_name) if format_name else None
    if str(out) == "-":
        raise InputError("the output cannot be the standard output", remedy="Name a file.")
    if stream is not None:
        return (SourceFile.of_stream(stream, kind),)
    path = Path(given)
    if out.exists() and path.exists() and out.samefile(path):
        raise InputError(
            "the output is the input", where=given, remedy="Choose another place with -o."
        )
    if path.is_dir():
        return _in_folder(path, kind, out)
    if not _is_file(path):
        if not path.exists():
            raise InputError("there is no such file or folder", where=given)
        raise InputError(
            "is neither a file nor a folder",
            where=given,
            remedy='For a pipe, use "-" as the input.',
        )
    return (SourceFile.of_file(path, kind or by_suffix(path) or _by_content(path)),)


def _by_content(path: Path) -> Format:
    try:
        with path.open("rb") as file:
            return by_content(file)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None


def _in_folder(folder: Path, kind: Format | None, out: Path) -> tuple[SourceFile, ...]:
    found = []
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        hidden = any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts)
        written = out in path.parents or any(parent.suffix == ".run" for parent in path.parents)
        its_own = by_suffix(path)
        if hidden or written or its_own is None or not path.is_file():
            continue
        if any(_is_file(path.with_suffix(suffix)) for suffix in _BESIDE.get(path.suffix, ())):
            continue  # the text of an annotation file, which is read with it
        if kind is None or its_own.name == kind.name or path.suffix in _shared(kind):
            found.append(SourceFile.of_file(path, kind or its_own, folder))
    if not found:
        raise InputError(
            "the folder holds no documents",
            where=str(folder),
            remedy=f"Formats: {all_names()}; those without a suffix of their own need --format.",
        )
    return tuple(found)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long for one
        return False


def _shared(kind: Format) -> tuple[str, ...]:
    return _SHARED.get(kind.name, ())
