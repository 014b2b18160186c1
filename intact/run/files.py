"""Private, atomic files: they are whole or not there, and nobody else may read them; and copies of
them in an object store."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.errors import IntactError, RunError, require


@contextmanager
def writing(what: Path) -> Iterator[None]:
    """Turns what the system refuses into an error that names the file and the way on."""
    try:
        yield
    except OSError as error:
        raise RunError(
            f"cannot be written ({error.strerror or type(error).__name__})",
            where=str(what),
            remedy="See that the folder is there, may be written and has room; "
            "then run again with --resume.",
        ) from None


def make_private_folder(path: Path) -> None:
    """Makes a folder that only its owner may enter; one that is there stays as it is.

    Raises:
        RunError: if that cannot be done.
    """
    with writing(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_own_folder(path: Path) -> None:
    """The same for a folder that will hold texts: one that is there is made private, too.

    Raises:
        RunError: if that cannot be done, or others could have prepared it: it is a link, or theirs.
    """
    make_private_folder(path)
    with writing(path):
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise RunError(
                "is a link or belongs to somebody else",
                where=str(path),
                remedy="It would hold your texts. Choose another output, or remove it.",
            )
        path.chmod(0o700)


class AtomicFile:
    """A file that appears, whole, when it is published; mode 0600.

    Until then its content is in a hidden file beside it, which a killed run leaves behind and the
    next one replaces. That file is always a new one: what stands in its place (a link somewhere
    else, the draft of a run at work) is never written into.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hash = hashlib.sha256()
        self._draft = path.with_name(f".{path.name}.part")
        with writing(path):
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise RunError(
                    "is no regular file, and is never replaced by one",
                    where=str(path),
                    remedy='Name a file; "-o -" of intact sanitize is the standard output.',
                )
            self._draft.unlink(missing_ok=True)
            number = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(number, "wb")
            self._identity = os.fstat(number)

    def write(self, content: str | bytes) -> None:
        """Adds bytes, or text in UTF-8."""
        data = content.encode("utf-8") if isinstance(content, str) else content
        self._hash.update(data)
        with writing(self.path):
            self._file.write(data)

    @property
    def sha256(self) -> str:
        """The SHA-256 of what was written, hexadecimal."""
        return self._hash.hexdigest()

    def seal(self) -> None:
        """Brings everything to the disk; what fails for lack of room fails here."""
        with writing(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def publish(self) -> None:
        """Puts the sealed file in its place.

        Raises:
            RunError: if that cannot be done, or another run has begun to write the same file.
        """
        if not self._ours():
            raise RunError("another run is writing the same file", where=str(self.path))
        with writing(self.path):
            self._draft.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def discard(self) -> None:
        """Leaves nothing behind; does no harm after ``publish``."""
        try:
            self._file.close()
        except OSError:  # what could not be flushed is not wanted either
            pass
        finally:
            if self._ours():
                self._draft.unlink()

    def _ours(self) -> bool:
        """Whether the draft is there, and the one that was begun here."""
        try:
            return os.path.samestat(self._draft.lstat(), self._identity)
        except OSError:
            return False


def write_private(path: Path, content: str | bytes | Iterable[str | bytes]) -> None:
    """Writes a private file atomically.

    Args:
        path: its place.
        content: whole, or in pieces that are consumed lazily.

    Raises:
        RunError: if that cannot be done.
    """
    file = AtomicFile(path)
    try:
        for piece in (content,) if isinstance(content, str | bytes) else content:
            file.write(piece)
        file.seal()
        file.publish()
    finally:
        file.discard()


def check_writable(*paths: Path | None, folder: Path | None = None) -> None:
    """Fails now where something could not be written after the work; leaves nothing behind.

    Args:
        paths: files to come; None is passed over.
        folder: to write into, or to make.

    Raises:
        RunError: if a file cannot be written, or the folder not made or entered.
    """
    if folder is not None:
        there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
        paths = (*paths, there / ".intact-writable")
    for path in filter(None, paths):
        AtomicFile(path).discard()


def sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal.

    Raises:
        RunError: if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"cannot be read ({error.strerror})", where=str(path)) from None


def is_url(place: str) -> bool:
    """Whether a folder is named as one of an object store ("s3://bucket/in")."""
    return "://" in place


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of an object store, through fsspec, and the folder here that it is a copy of.

    A file appears there, whole, when all of it has arrived under a temporary key.

    Attributes:
        url: of the folder ("s3://bucket/data").
        root: the folder here; what lies outside of it is not copied.
    """

    url: str
    root: Path

    def called(self, path: Path) -> str:
        """The URL of a file; its path, if it lies outside."""
        below = path.is_relative_to(self.root)
        return f"{self.url}/{path.relative_to(self.root).as_posix()}" if below else str(path)

    def sizes(self) -> dict[Path, int | None]:
        """The bytes of each file there."""
        with self._reached(self.root) as (files, folder):
            found = files.find(folder, detail=True)
            return {self.root / name[len(folder) + 1 :]: found[name]["size"] for name in found}

    def descriptor(self, path: Path) -> int:
        """A nameless copy of a file there, at its beginning."""
        with self._reached(path) as (files, key), tempfile.TemporaryFile() as copy:
            with files.open(key, "rb") as file:
                shutil.copyfileobj(file, copy)
            copy.seek(0)
            return os.dup(copy.fileno())

    def sha256(self, path: Path) -> str | None:
        """The SHA-256 of the copy of a file, hexadecimal; None if there is none."""
        try:
            with os.fdopen(self.descriptor(path), "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            return None

    def get(self, path: Path) -> None:
        """Brings a file here, if it is there and lies inside."""
        with suppress(FileNotFoundError), self._reached(path) as (files, key):
            make_private_folder(path.parent)
            write_private(path, files.cat_file(key))

    def put(self, path: Path) -> None:
        """Copies a file that is finished; one outside stays where it is."""
        if path.is_relative_to(self.root):
            with self._reached(path) as (files, key):
                folder, _, name = key.rpartition("/")
                files.makedirs(folder, exist_ok=True)
                files.put_file(str(path), f"{folder}/.{name}.part")
                files.mv(f"{folder}/.{name}.part", key)

    def remove(self, path: Path) -> None:
        """Removes the copy of a file, or of a folder with all that is in it."""
        with suppress(FileNotFoundError), self._reached(path) as (files, key):
            files.rm(key, recursive=True)

    @contextmanager
    def _reached(self, path: Path) -> Iterator[tuple[Any, str]]:
        """The file system, and the key of a file; turns what it raises into an error of ours."""
        url = self.called(path).removesuffix("/.")
        try:
            files, key = require("fsspec").core.url_to_fs(url, use_listings_cache=False)
            yield files, key
        except (FileNotFoundError, IntactError):
            raise
        except Exception as error:  # noqa: BLE001  (each kind of store has errors of its own)
            raise RunError(
                f"the object store refuses ({type(error).__name__})",
                where=url,
                remedy="May every machine read and write there, and has it the store's package "
                "(s3fs, gcsfs, adlfs)? See docs/cluster.md.",
            ) from None
