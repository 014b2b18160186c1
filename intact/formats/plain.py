"""Plain text: one document a file, its name the id. It has no mentions until they are detected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import InputError
from intact.formats.base import Loaded, Record, check_text
from intact.formats.reading import read_text
from intact.formats.writing import Lost


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
            FormatError: if it is not UTF-8 (names the byte) or too large.
        """
        yield Record(read_text(file, where), where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The text as a document without mentions; see ``Format``."""
        text, odd = check_text(record.raw, record.where)
        return Loaded(Document(PurePath(record.where).stem, text, ()), warnings=odd)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The sanitised text."""
        return sanitized.text

    def files(self, document: Document, stem: str, lost: Lost) -> Mapping[str, bytes]:
        """The text alone."""
        lost.add("mentions, which plain text has no room for", len(document.mentions))
        return {f"{stem}.txt": document.text.encode("utf-8")}
