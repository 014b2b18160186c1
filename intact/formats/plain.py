"""Plain text: one document a file, its name the id. It has no mentions until they are detected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import FormatError, InputError
from intact.formats.base import Loaded, Record, check_text


@dataclass(frozen=True, slots=True)
class PlainFormat:
    """Reads a text file as one document and writes its sanitised text."""

    name: str = "text"
    annotated: bool = False
    suffixes: tuple[str, ...] = (".txt", ".text")
    header: str = ""
    separator: str = ""
    footer: str = ""

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file. Line ends stay as they are; a byte order mark goes.

        Raises:
            FormatError: if it is not UTF-8; names the byte.
        """
        data = file.read()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"not UTF-8 (byte {error.start})", where=where, remedy="Save it as UTF-8."
            ) from None
        yield Record(text, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The text as a document without mentions; see ``Format``."""
        text, odd = check_text(record.raw, record.where)
        return Loaded(Document(PurePath(record.where).stem, text, ()), warnings=odd)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The sanitised text."""
        return sanitized.text
