"""Private, atomic files: they are whole or not there, and nobody else may read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intact.errors import RunError


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
    """Makes a folder that only its owner may enter.

    Raises:
        RunError: if that cannot be done.
    """
    with writing(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


class AtomicFile:
    """A file that appears, whole, when it is published; mode 0600.

    Until then its content is in a hidden file beside it, which a killed run leaves behind and the
    next one overwrites.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._draft = path.with_name(f".{path.name}.part")
        with writing(path):
            number = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.fchmod(number, 0o600)
            self._file = os.fdopen(number, "wb")

    def write(self, content: str | bytes) -> None:
        """Adds bytes, or text in UTF-8."""
        data = content.encode("utf-8") if isinstance(content, str) else content
        with writing(self.path):
            self._file.write(data)

    def seal(self) -> None:
        """Brings everything to the disk; what fails for lack of room fails here."""
        with writing(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def publish(self) -> None:
        """Puts the sealed file in its place."""
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
            self._draft.unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """Writes a small private file atomically.

    Raises:
        RunError: if that cannot be done.
    """
    file = AtomicFile(path)
    try:
        file.write(text)
        file.seal()
        file.publish()
    finally:
        file.discard()
