"""Which format a file is in: by the name given, by its suffix, or by how it begins."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from intact import registry
from intact.formats.base import Format


def by_name(name: str) -> Format:
    """The format called ``name``.

    Raises:
        ConfigError: if there is none.
    """
    made: Format = registry.load("format", name)()
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
    start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    file.seek(0)
    return by_name({b"[": "tab", b"{": "jsonl"}.get(start, "text"))
