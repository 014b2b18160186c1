"""Opening a knowledge file, so that damage in it is told as such, wherever it is met."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from intact.errors import ResourceError

REMEDY = "Reinstall INTACT, or make it with: python -m intact.knowledge.build"
Result = TypeVar("Result")


def connect(file: Path) -> sqlite3.Connection:
    """A read-only connection to ``file``. SQLite reads pages as they are needed, so its queries,
    too, raise ``ResourceError`` where the file is damaged.

    Raises:
        ResourceError: if it is missing or no SQLite file.
    """
    if not file.is_file():
        raise ResourceError("the knowledge file is missing", where=str(file), remedy=REMEDY)
    uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    connection = _told(str(file), _Connection, uri, uri=True, check_same_thread=False)
    connection.where = str(file)
    connection.execute("PRAGMA schema_version").fetchone()
    return connection


class _Cursor(sqlite3.Cursor):
    connection: _Connection

    def execute(self, *arguments: Any) -> _Cursor:
        _told(self.connection.where, super().execute, *arguments)
        return self

    def fetchone(self) -> Any:
        return _told(self.connection.where, super().fetchone)

    def fetchall(self) -> list[Any]:
        return _told(self.connection.where, super().fetchall)

    def __next__(self) -> Any:
        return _told(self.connection.where, super().__next__)


class _Connection(sqlite3.Connection):
    where = ""

    def execute(self, *arguments: Any) -> _Cursor:
        return self.cursor(_Cursor).execute(*arguments)


def _told(where: str, work: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    try:
        return work(*arguments, **options)
    except sqlite3.DatabaseError as error:
        raise ResourceError(
            f"the knowledge file is damaged ({type(error).__name__})", where=where, remedy=REMEDY
        ) from None
