"""Word's .docx: one document a file. Replaced text changes; formatting and layout stay.

The text is that of the body, headers, footers, foot- and endnotes, a paragraph a line. Tracked
changes are settled as if accepted. What readers do not see goes: properties, comments, change
marks, alternative texts, custom data (see ``word_hidden``). What goes is counted and told.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import FormatError, InputError, require
from intact.formats import word_hidden
from intact.formats.base import MOST_PACKED, Format, Loaded, Record, check_text, read_whole, stem
from intact.formats.markup import Piece, counted, distinctive_words, rewritten
from intact.formats.word_hidden import W

MOST_UNPACKED = 256 << 20
"""The most a .docx may unpack to, in bytes (256 MiB), all its parts together."""
MOST_PARTS = 5000
"""The most parts (files in the archive) a .docx may have."""
_TEXTS = (f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "\u2011"}
_STEADY = (1980, 1, 1, 0, 0, 0)
"""The date of every part, so that the same input gives the same file."""


class DocxFormat(Format):
    """Reads a .docx as one document and writes it back with its text sanitised."""

    name = "docx"
    annotated = False
    suffixes = (".docx",)
    beginnings = (b"PK\x03\x04",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file; see ``Format``."""
        data = read_whole(file, where, MOST_PACKED)
        _check(data, where)
        yield Record(data, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Its text, without mentions; see ``Format``."""
        package = _opened(record.raw, record.where)
        gone, kept = word_hidden.strip(package)
        pieces = [piece for piece, _ in _pieces(package)]
        text, odd = check_text("".join(piece.text for piece in pieces), record.where)
        warnings = (
            *odd,
            *counted(gone.items(), "removed"),
            *counted(kept.items(), "left as they are, look at them"),
        )
        return Loaded(Document(stem(record.where), text, ()), warnings=warnings, parsed=package)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """The file with its text edited.

        Raises:
            FormatError: if it cannot be written back.
        """
        package = loaded.parsed
        found = _pieces(package)
        new = rewritten([piece for piece, _ in found], sanitized.edits)
        for (piece, element), string in zip(found, new, strict=True):
            if element is not None and string != piece.text:
                _put(element, string)
        word_hidden.silence(package, distinctive_words(loaded.document.text, sanitized.edits))
        return _packed(package, record.where)


def _check(data: bytes, where: str) -> None:
    """Refuses what is no .docx, and archives that unpack to too much, before unpacking them."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise FormatError("not a .docx file (no ZIP archive)", where=where) from None
    size = sum(info.file_size for info in infos)
    if size > MOST_UNPACKED or len(infos) > MOST_PARTS:
        raise FormatError(
            f"unpacks to {size >> 20} MiB in {len(infos)} parts; "
            f"the limit is {MOST_UNPACKED >> 20} MiB in {MOST_PARTS} parts",
            where=where,
            remedy="It may be a ZIP bomb. Save its text in a smaller document.",
        )
    if any(info.flag_bits & 1 for info in infos):
        raise FormatError("is encrypted", where=where, remedy="Save it without a password.")


def _opened(data: bytes, where: str) -> Any:
    opener = require("docx.package").Package
    try:
        package = opener.open(io.BytesIO(data))
        _ = package.main_document_part.element.body
    except Exception as error:  # noqa: BLE001  (zlib, lxml, python-docx: any of them may balk)
        raise FormatError(
            f"not a Word document that can be read ({type(error).__name__})", where=where
        ) from None
    return package


def _pieces(package: Any) -> list[tuple[Piece, Any]]:
    """The pieces of text with their elements, and a line end after each paragraph."""
    found: list[tuple[Piece, Any]] = []
    for root in word_hidden.roots(package):
        for paragraph in root.iter(f"{W}p"):
            own = [
                element
                for element in paragraph.iter(*_TEXTS, *_MARKS)
                if next(element.iterancestors(f"{W}p")) is paragraph
                and element.getparent().tag != f"{W}tabs"
            ]
            for element in own:
                text = _MARKS.get(element.tag, element.text or "")
                if text:
                    found.append((Piece(text), element))
            found.append((Piece("\n", real=False), None))
    return found


def _put(element: Any, text: str) -> None:
    """Gives a text to an element; a tab or line break that was replaced becomes text or goes."""
    if element.tag not in _TEXTS:
        if not text:
            element.getparent().remove(element)
            return
        fresh = element.makeelement(f"{W}t")
        element.getparent().replace(element, fresh)
        element = fresh
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _packed(package: Any, where: str) -> bytes:
    """The package as bytes that depend on nothing but its content."""
    draft, made = io.BytesIO(), io.BytesIO()
    try:
        package.save(draft)
    except Exception as error:  # noqa: BLE001  (relations without a name or an end, and the like)
        raise FormatError(
            f"cannot be written back ({type(error).__name__})",
            where=where,
            remedy="It is damaged; save it again in a word processor.",
        ) from None
    with zipfile.ZipFile(draft) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, _STEADY), old.read(name), zipfile.ZIP_DEFLATED)
    return made.getvalue()
