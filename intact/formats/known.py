"""Which format a file is in: by the name given, by its suffix, or by how it begins."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from intact import registry
from intact.errors import ConfigError
from intact.formats.base import Format

_TABLES = ("csv", "parquet")
_BEGINNINGS = (
    (b"[", "tab"),
    (b"{", "jsonl"),
    (b"#FORMAT=WebAnno", "webanno"),
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "docx"),
    (b"<!DOCTYPE html", "html"),
    (b"<!doctype html", "html"),
    (b"<html", "html"),
)


def by_name(name: str) -> Format:
    """The format called ``name``; ``csv:COLUMN`` names the column with the texts.

    Raises:
        ConfigError: if there is none.
    """
    plain, colon, column = name.partition(":")
    factory = registry.load("format", plain)
    if colon and plain not in _TABLES:
        raise ConfigError(
            f"the format {plain} has no columns", remedy=f"Those that have: {', '.join(_TABLES)}."
        )
    made: Format = factory(column) if column else factory()
    return made


def by_suffix(path: Path) -> Format | None:
    """The format whose files end like ``path``, or None."""
    formats = (by_name(name) for name in registry.names("format"))
    return next((kind for kind in formats if path.suffix.lower() in kind.suffixes), None)


def by_content(file: IO[bytes]) -> Format:
    """The format that ``file`` looks like: a list is TAB, an object a line is JSONL, else text.

    The file is left at its beginning.
    """
    file.seek(0)
    start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    return by_name(next((name for mark, name in _BEGINNINGS if start.startswith(mark)), "text"))


def all_names() -> str:
    """The names of all formats, for messages."""
    return ", ".join(registry.names("format"))
