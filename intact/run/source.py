"""Where documents come from: a file, a folder or the standard input; each is read once."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

from intact.errors import DocumentError, InputError
from intact.formats.base import Format, Record, all_names, by_content, by_name, by_suffix
from intact.run.files import Store, is_url


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read.

    Attributes:
        name: how it is called in messages; "in/./a/x.txt" for "a/x.txt" in the input folder "in",
            whose document is called "a/x".
        relative: its place under the input folder; its name where the input is one file.
        place: its path, or a descriptor at its beginning; one reader at a time.
        stored: its size in bytes, if it is in an object store.
    """

    name: str
    relative: PurePosixPath
    format: Format
    place: Callable[[], Path | int]
    stored: int | None = None

    def is_at(self, path: Path) -> bool:
        """Whether ``path`` leads to this file, under whatever name."""
        if self.stored is not None:
            return False
        with opened(self) as handle:
            return os.path.samestat(os.fstat(handle.fileno()), path.stat())

    @property
    def size(self) -> int:
        """Its size in bytes."""
        if self.stored is not None:
            return self.stored
        with opened(self) as handle:
            return os.fstat(handle.fileno()).st_size

    @classmethod
    def of_file(
        cls, path: Path, kind: Format, folder: str = "", stored: int | None = None
    ) -> SourceFile:
        """A file on the disk, or in an object store, where it is copied whenever it is opened.

        Args:
            path: where it is; below ``Path(folder)``, where there is a folder.
            kind: its format.
            folder: the input folder or its URL, if there is one.
            stored: its size in bytes, if it is in an object store.
        """
        root = Path(folder)
        relative = PurePosixPath((path.relative_to(root) if folder else Path(path.name)).as_posix())
        below = len(relative.parts) > 1
        if stored is None:
            return cls(f"{root}/./{relative}" if below else str(path), relative, kind, lambda: path)
        name = f"{folder}/./{relative}" if below else f"{folder}/{relative}"
        return cls(name, relative, kind, partial(Store(folder, root).descriptor, path), stored)

    @classmethod
    def of_stream(cls, stream: BinaryIO, kind: Format | None = None) -> SourceFile:
        """A stream that can be read once, such as the standard input.

        It is copied to a nameless file that goes with the process.

        Args:
            stream: read to its end.
            kind: its format, or None to go by its content.

        Raises:
            InputError: if there is no room for the copy.
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
        return cls("standard input", PurePosixPath("-"), kind, partial(_rewound, copy))


class _HashedFile(io.FileIO):
    """A file that is hashed as it is read from its beginning to its end."""

    def __init__(self, place: Path | int) -> None:
        super().__init__(place, "rb")
        self._hash = hashlib.sha256()
        self.hashed = 0

    def readinto(self, buffer: Any) -> int:
        """Reads, and hashes what follows what is hashed already."""
        at = self.tell()
        count = super().readinto(buffer) or 0
        if at <= self.hashed < at + count:
            self._hash.update(memoryview(buffer)[self.hashed - at : count])
            self.hashed = at + count
        return count

    def digest(self) -> str:
        """The SHA-256 of the whole file, hexadecimal; reads what nobody has read yet."""
        self.seek(self.hashed)
        buffer = bytearray(1 << 20)
        while self.readinto(buffer):
            pass
        return self._hash.hexdigest()


class SourceReading:
    """One pass over a file.

    Attributes:
        whole: whether all of it could be read, so far.
        sha256: of the file, once it has been read.
    """

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.whole = True
        self.sha256 = ""
        self._file: _HashedFile | None = None

    @property
    def done(self) -> int:
        """Bytes that have been read."""
        return self._file.hashed if self._file else 0

    def records(self) -> Iterator[Record | InputError]:
        """Its documents in order, and what is wrong with what cannot be read."""
        try:
            with opened(self.source) as handle:
                self._file = handle.raw
                try:
                    yield from self.source.format.records(handle, self.source.name)
                except InputError as error:
                    yield error
                self.sha256 = self._file.digest()
        except InputError as error:
            yield error


@contextmanager
def opened(source: SourceFile) -> Iterator[BufferedReader[_HashedFile]]:
    """The file of a source, at its beginning.

    Raises:
        InputError: if it cannot be opened or read.
    """
    try:
        with BufferedReader(_HashedFile(source.place())) as file:
            yield file
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=source.name) from None


def digest(source: SourceFile) -> str:
    """The SHA-256 of a file, hexadecimal.

    Raises:
        InputError: if it cannot be read.
    """
    with opened(source) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


class Ids:
    """The ids of documents, each of which may come once.

    Args:
        taken: id -> file of those that came before.
    """

    def __init__(self, taken: Mapping[str, str] | None = None) -> None:
        self._seen: dict[str, str] = dict(taken or {})

    def file(self, doc_id: str) -> str:
        """The file of an id that was seen."""
        return self._seen[doc_id]

    def problem(self, doc_id: str, file: str) -> InputError | None:
        """What is wrong with an id that was seen before; else it is kept.

        Args:
            doc_id: of a document.
            file: the name of its file.
        """
        other = self._seen.setdefault(doc_id, "")
        if not other:
            self._seen[doc_id] = file
            return None
        return DocumentError(
            f"there are two documents called {doc_id}"
            + (f" (the other is in {other})" if other != file else ""),
            where=file,
            remedy="Each document needs an id of its own; without one it is called like its file.",
        )


def _rewound(file: IO[bytes]) -> int:
    file.seek(0)
    return os.dup(file.fileno())


def find(
    given: str, format_name: str | None, stream: BinaryIO | None, out: Path
) -> tuple[SourceFile, ...]:
    """What there is to read.

    Args:
        given: a file, a folder, or the URL of a folder in an object store; of no meaning where
            there is a ``stream``.
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
    if is_url(given):
        return _in_folder(given.rstrip("/"), kind, out)
    path = Path(given)
    if out.exists() and path.exists() and out.samefile(path):
        raise InputError(
            "the output is the input", where=given, remedy="Choose another place with -o."
        )
    if path.is_dir():
        return _in_folder(given, kind, out)
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


def _in_folder(given: str, kind: Format | None, out: Path) -> tuple[SourceFile, ...]:
    found = []
    for path, stored in _within(given, out):
        its_own = by_suffix(path)
        if its_own is None or (stored is None and not path.is_file()):
            continue
        if kind is None or its_own.name == kind.name or path.suffix in kind.shared_suffixes:
            found.append(SourceFile.of_file(path, kind or its_own, given, stored))
    if not found:
        raise InputError(
            "the folder holds no documents",
            where=given,
            remedy=f"Formats: {all_names()}; those without a suffix of their own need --format.",
        )
    return tuple(found)


def beside(source: Path) -> Path:
    """Where the output goes if nobody says where: "letter.sanitized.txt" beside "letter.txt"."""
    return source.with_name(f"{source.stem}.sanitized{source.suffix}")


def left_out(given: str, sources: Sequence[SourceFile], out: Path) -> list[str]:
    """The files of a folder that are not read, by their places in it; what is hidden, and what
    runs have written, apart.

    Args:
        given: the folder, or its URL.
        sources: what is read of it.
        out: where the output goes.
    """
    read = {source.relative.as_posix() for source in sources}
    return [
        place
        for path, _ in _within(given, out)
        if not path.is_dir() or path.is_symlink()
        if (place := path.relative_to(given).as_posix()) not in read
    ]


def _within(given: str, out: Path) -> Iterator[tuple[Path, int | None]]:
    """What lies in a folder, but for what is hidden and what runs have written; with its size where
    it is in an object store."""
    folder = Path(given)
    found: Mapping[Path, int | None] = (
        Store(given, folder).sizes() if is_url(given) else dict.fromkeys(folder.rglob("*"))
    )
    for path in sorted(found, key=lambda path: path.relative_to(folder).as_posix()):
        hidden = any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts)
        above = (path, *path.parents)
        if not hidden and out not in above and not any(one.suffix == ".run" for one in above):
            yield path, found[path]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long for one
        return False
