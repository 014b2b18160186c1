"""The finished documents of a run: one row for each, under the digest of its input.

The journal lies in the private run folder (mode 0600). It holds content of the outputs, so it is
removed when the run is finished.
"""

import errno
import fcntl
import json
import os
import sqlite3
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from intact.errors import ROOM, RunError
from intact.run import files
from intact.run.work import Entry

_TABLE = "CREATE TABLE IF NOT EXISTS documents (digest BLOB PRIMARY KEY, entry BLOB NOT NULL)"


@contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Lock a run folder for the ``with`` block, so that only one run at a time works in it. Raise a
    ``RunError`` if another one does."""
    with files.writing(folder):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        ours = False
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.path.samestat(os.fstat(number), folder.lstat())
        if not ours:
            raise RunError("another run is writing the same output", where=folder)
        yield
    finally:
        os.close(number)


class Journal:
    """The table of entries in a file, which the first entry creates: SQLite in write-ahead mode.
    Unless it is ``named``, it lies in a file without a name, which vanishes with the process,
    however that ends."""

    def __init__(self, path: Path, *, named: bool = True) -> None:
        """Keep the path; no file is opened or made before the first entry."""
        self.path = path
        self._place = path if named else ""  # SQLite unlinks the file that it makes for ""
        self._opened: sqlite3.Connection | None = None

    def find(self, wanted: bytes) -> Entry | None:
        """Look up the entry of a finished document, by the digest of its input; None if there is
        none. Raise a ``RunError`` if the journal is damaged."""
        if self._opened is None and not self.path.exists():
            return None
        with self._writing():
            query = "SELECT entry FROM documents WHERE digest = ?"
            row = self._table.execute(query, [wanted]).fetchone()
            if row is None:
                return None
            fields = json.loads(zlib.decompress(row[0]))
            if "bytes" in fields:
                fields["output"] = b64decode(fields.pop("bytes"))
            return Entry(**fields | {"digest": wanted})

    def append(self, entry: Entry) -> None:
        """Add the entry of a finished document, unless there is one for its digest. From here on it
        survives the end of the process. Raise a ``RunError`` if it cannot be written."""
        fields = asdict(entry) | {"digest": ""}
        if isinstance(entry.output, bytes):
            fields |= {"output": "", "bytes": b64encode(entry.output).decode("ascii")}
        packed = zlib.compress(json.dumps(fields).encode("ascii"))
        with self._writing():
            added = "INSERT OR IGNORE INTO documents VALUES (?, ?)"
            self._table.execute(added, (entry.digest, packed))

    def finished(self, digest: bytes) -> Entry:
        """Return the entry of a finished document, by the digest of its input; raise a ``RunError``
        if it is no longer there."""
        entry = self.find(digest)
        if entry is None:
            raise self._damaged()
        return entry

    def clear(self) -> None:
        """Close the journal and remove its files from the disk, with all entries."""
        self.close()
        with files.writing(self.path):
            for path in self._files():
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the journal's file; it opens again at the next use. Errors are ignored: whatever
        did not fit on the disk was reported by ``append``."""
        if self._opened is not None:
            with suppress(sqlite3.Error):
                self._opened.close()
            self._opened = None

    def _files(self) -> tuple[Path, ...]:
        """List the journal's file and the three that SQLite may write beside it; none need be
        there."""
        return tuple(Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm", "-journal"))

    @property
    def _table(self) -> sqlite3.Connection:
        """The connection to the table of entries, opened or made at first use; never through a link
        that somebody has put in its place."""
        if self._opened is None:
            if self._place:
                with files.writing(self.path):
                    if any(map(Path.is_symlink, self._files())):
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    number = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                    os.fchmod(number, 0o600)
                    os.close(number)
            self._opened = sqlite3.connect(self._place, isolation_level=None, timeout=0)
            self._opened.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._opened.execute("PRAGMA journal_mode = WAL")
            self._opened.execute("PRAGMA synchronous = NORMAL")
            self._opened.execute("PRAGMA wal_autocheckpoint = 128")  # pages: half a megabyte
            self._opened.execute(_TABLE)
        return self._opened

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn SQLite's errors in the ``with`` block, and those of an unreadable entry, into a
        ``RunError`` that names the file and says what to do."""
        try:
            yield
        except sqlite3.OperationalError:
            raise RunError("cannot be written", where=self.path, remedy=ROOM) from None
        except (sqlite3.DatabaseError, ValueError, TypeError, zlib.error):
            raise self._damaged() from None

    def _damaged(self) -> RunError:
        """Return the error for a journal that cannot be read; its remedy is to remove the
        folder."""
        remedy = f"Remove {self.path.parent} to start over."
        return RunError("the journal is damaged", where=self.path, remedy=remedy)
