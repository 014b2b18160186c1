"""RTF: one document a file, read for its text, written as plain text without anything hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from intact.errors import FormatError, InputError, require
from intact.formats.base import MOST_PACKED, Loaded, Record, TextFormat, load_plain, read_whole
from intact.formats.pieces import warn_of

_LEFT = {
    "sets of properties": rb"\{\\info\b",
    "pictures": rb"\{\\pict\b",
    "embedded objects": rb"\{\\object\b",
    "comments": rb"\{\\\*\\annotation\b",
    "headers and footers": rb"\{\\(?:header|footer)[lrf]?\b",
    "notes": rb"\{(?:\\\*)?\\footnote\b",
    "text boxes": rb"\\shptxt\b",
}


class RtfFormat(TextFormat):
    """Reads an RTF file as one document and writes its text."""

    name = "rtf"
    suffixes = (".rtf",)
    beginnings = (b"{\\rtf",)
    written_as = ".txt"

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Read the one document of the file."""
        data = read_whole(file, where, MOST_PACKED)
        if not data.lstrip().startswith(b"{\\rtf"):
            raise FormatError("not an RTF file", where=where, remedy="Save it again as RTF.")
        yield Record(data, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its text, without mentions; see ``Format``."""
        striprtf = require("striprtf.striprtf")
        try:
            text = striprtf.rtf_to_text(record.raw.decode("latin-1"), errors="strict")
        except (ValueError, LookupError, IndexError, RecursionError):
            raise FormatError(
                "its text cannot be read", where=record.where, remedy="Save it as .docx or text."
            ) from None
        counts = ((name, len(re.findall(mark, record.raw))) for name, mark in _LEFT.items())
        return load_plain(text, record.where, warn_of(counts, "removed"))
