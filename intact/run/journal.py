"""The journal of a run: one checksummed line per finished document, in input order.

A line is ``checksum SPACE json``. A run killed in the middle of a line leaves a torn one, which
fails its checksum: the journal ends before it. The journal holds what goes into the output,
so it is private (mode 0600) and is removed when the run is done, unless asked to stay.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from intact.errors import RunError
from intact.run.files import writing


@dataclass(frozen=True, slots=True)
class Entry:
    """What a finished document leaves.

    Attributes:
        number: of the document in the run, from 0.
        output: its part of the output file.
        edits: its line of the edits file.
        figures: counts, no text.
        doubts: why something may have been missed in the document; no text.
    """

    number: int
    doc_id: str
    output: str
    edits: str
    figures: dict[str, Any]
    doubts: list[str] = field(default_factory=list)


class Journal:
    """An append-only file of entries, locked while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(path):
            number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            os.fchmod(number, 0o600)
        self._file = os.fdopen(number, "r+b")
        if not self._locked():
            self._file.close()
            raise RunError(
                "another run is writing the same output",
                where=str(path.parent),
                remedy="Wait for it or choose another output.",
            )

    def _locked(self) -> bool:
        """Locks the file, if nobody else has locked it, or removed it in the meantime."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except OSError:
            return False

    def recover(self) -> int:
        """Finds the entries that are whole, cuts off the rest, and counts them."""
        count = end = 0
        self._file.seek(0)
        for line in self._file:
            entry = _parse(line)
            if entry is None or entry.number != count:
                break
            count += 1
            end += len(line)
        with writing(self.path):
            self._file.truncate(end)
            self._file.seek(end)
        return count

    def clear(self) -> bool:
        """Forgets everything; tells whether there was something."""
        with writing(self.path):
            size = self._file.seek(0, os.SEEK_END)
            self._file.truncate(0)
            self._file.seek(0)
        return size > 0

    def append(self, entry: Entry) -> None:
        """Adds an entry; it survives the process from here on."""
        body = json.dumps(asdict(entry)).encode("ascii")
        with writing(self.path):
            self._file.write(_checksum(body) + b" " + body + b"\n")
            self._file.flush()

    def sync(self) -> None:
        """Brings the journal to the disk, so that it survives the machine too."""
        with writing(self.path):
            os.fsync(self._file.fileno())

    def entries(self) -> Iterator[Entry]:
        """All entries from the first, one at a time.

        Raises:
            RunError: if the file was changed by others.
        """
        self._file.seek(0)
        for line in self._file:
            entry = _parse(line)
            if entry is None:
                raise RunError(
                    "the journal is damaged", where=str(self.path), remedy="Run without --resume."
                )
            yield entry

    def close(self) -> None:
        """Releases the file and its lock."""
        with suppress(OSError):  # what found no room was told when it was appended
            self._file.close()


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8).hexdigest().encode("ascii")


def _parse(line: bytes) -> Entry | None:
    checksum, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != _checksum(body):
        return None
    try:
        return Entry(**json.loads(body))
    except (TypeError, ValueError):  # of another version
        return None
