"""The journal of a run: one row for each finished document, kept under the digest of its input.

One SQLite table in write-ahead mode, in the private run folder (mode 0600). A row that has been
appended survives the end of the process at any moment. The journal holds what goes into the
output, so it is removed when the run is done, unless asked to stay.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intact.errors import RunError
from intact.run.files import writing

_TABLE = """
CREATE TABLE IF NOT EXISTS entries (
    digest BLOB PRIMARY KEY, doc_id TEXT NOT NULL, output BLOB NOT NULL, edits BLOB NOT NULL,
    figures TEXT NOT NULL, messages TEXT NOT NULL, record BLOB NOT NULL
)
"""


SHARDS = "shards"
"""Where the receipts of a run's files lie, if each is a job of its own (see ``shards``)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a finished document leaves.

    Attributes:
        digest: of the document as it was read; see ``work.Task``.
        output: its part of the output file.
        edits: its line of the edits file.
        figures: counts, no text.
        messages: what is odd about it, and why something may have been missed; no text.
        record: what was decided, as a JSON line, where the output has no room for it.
    """

    digest: bytes
    doc_id: str
    output: str | bytes
    edits: str
    figures: dict[str, Any]
    messages: list[str] = field(default_factory=list)
    record: str = ""


@contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Locks a run folder, so that one run at a time works in it.

    Raises:
        RunError: if another run does, or the folder was removed in the meantime.
    """
    with writing(folder):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.path.samestat(os.fstat(number), folder.lstat())
        except OSError:
            ours = False
        if not ours:
            raise RunError(
                "another run is writing the same output",
                where=str(folder),
                remedy="Wait for it or choose another output.",
            )
        yield
    finally:
        os.close(number)


class Journal:
    """The table of entries; made by its first entry."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: sqlite3.Connection | None = None

    def __len__(self) -> int:
        if self._opened is None and not self.path.exists():
            return 0
        with self._writing():
            return int(self._table.execute("SELECT count(*) FROM entries").fetchone()[0])

    def find(self, wanted: bytes) -> Entry | None:
        """The entry of what has this digest, if it is finished.

        Raises:
            RunError: if the journal is damaged.
        """
        if self._opened is None and not self.path.exists():
            return None
        with self._writing():
            row = self._table.execute("SELECT * FROM entries WHERE digest = ?", [wanted]).fetchone()
            if row is None:
                return None
            digest, doc_id, output, edits, figures, messages, record = row
            told = json.loads(figures), json.loads(messages), str(_unpacked(record))
            return Entry(digest, doc_id, _unpacked(output), str(_unpacked(edits)), *told)

    def append(self, entry: Entry) -> bool:
        """Adds an entry, unless it is there; it survives the process from here on.

        Raises:
            RunError: if there is no room for it.
        """
        row = (
            entry.digest,
            entry.doc_id,
            _packed(entry.output),
            _packed(entry.edits),
            json.dumps(entry.figures),
            json.dumps(entry.messages),
            _packed(entry.record),
        )
        with self._writing():
            done = self._table.execute(
                "INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row
            )
        return done.rowcount > 0

    def finished(self, digest: bytes) -> Entry:
        """The entry of a document that is finished.

        Raises:
            RunError: if it is not there any more.
        """
        entry = self.find(digest)
        if entry is None:
            raise self._damaged()
        return entry

    def clear(self) -> None:
        """Removes the journal from the disk, and what other kinds of journal left in the folder."""
        self.close()
        with writing(self.path):
            for path in self._files():
                path.unlink(missing_ok=True)
            if self.path.with_name(SHARDS).exists():
                shutil.rmtree(self.path.with_name(SHARDS))

    def close(self) -> None:
        """Closes the table; what found no room was told when it was appended."""
        if self._opened is not None:
            with suppress(sqlite3.Error):
                self._opened.close()
            self._opened = None

    def _files(self) -> tuple[Path, ...]:
        """The table, and what SQLite writes beside it."""
        return tuple(Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm", "-journal"))

    @property
    def _table(self) -> sqlite3.Connection:
        """The table, opened; never through a link that somebody has put in its place."""
        if self._opened is None:
            with writing(self.path):
                for path in self._files():
                    if path.is_symlink():
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                number = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                os.fchmod(number, 0o600)
                os.close(number)
            self._opened = sqlite3.connect(self.path, isolation_level=None, timeout=0)
            self._opened.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._opened.execute("PRAGMA journal_mode = WAL")
            self._opened.execute("PRAGMA synchronous = NORMAL")
            self._opened.execute("PRAGMA wal_autocheckpoint = 128")  # pages: half a megabyte
            self._opened.execute(_TABLE)
        return self._opened

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turns what SQLite refuses into an error that names the file and the way on."""
        try:
            yield
        except sqlite3.OperationalError:
            raise RunError(
                "cannot be written",
                where=str(self.path),
                remedy="See that the disk has room; then run again with --resume.",
            ) from None
        except (sqlite3.DatabaseError, ValueError, zlib.error):
            raise self._damaged() from None

    def _damaged(self) -> RunError:
        return RunError(
            "the journal is damaged",
            where=str(self.path),
            remedy=f"Remove {self.path.parent} to start over.",
        )


def _packed(content: str | bytes) -> bytes:
    """A third to a tenth of the room, with a first letter that says what it was."""
    plain = b"t" + content.encode() if isinstance(content, str) else b"b" + content
    return zlib.compress(plain)


def _unpacked(packed: bytes) -> str | bytes:
    plain = zlib.decompress(packed)
    return plain[1:].decode() if plain[:1] == b"t" else plain[1:]
