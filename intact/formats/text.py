"""Plain text: one document a file, its name the id. It has no mentions until they are detected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import InputError
from intact.formats.base import Format, Loaded, Record, check_text, decode, read_whole, stem


class TextFormat(Format):
    """Reads a text file as one document and writes its sanitised text."""

    name = "text"
    annotated = False
    suffixes = (".txt", ".text", ".md", ".markdown", ".eml", ".log", ".rst")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file. Line ends stay as they are; a byte order mark goes.

        Raises:
            FormatError: if it is not UTF-8 (names the byte) or too large.
        """
        yield Record(decode(read_whole(file, where), where), where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The text as a document without mentions; see ``Format``."""
        text, odd = check_text(record.raw, record.where)
        return Loaded(Document(stem(record.where), text, ()), warnings=odd)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The sanitised text."""
        return sanitized.text
