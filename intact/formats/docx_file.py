"""Word's .docx: one document a file. Replaced text changes; formatting and layout stay.

The text is that of the body, headers, footers, foot- and endnotes, a paragraph a line. Tracked
changes are settled as if accepted. What readers do not see goes: properties, comments, change
marks, alternative texts, custom data (see ``docx_strip``). What goes is counted and told.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import FormatError, InputError, MissingExtraError
from intact.formats import docx_strip
from intact.formats.base import Loaded, Record, check_text
from intact.formats.docx_strip import W
from intact.formats.exchange import stem
from intact.formats.markup import Piece, counted, pack, rewritten, telling, unpack
from intact.formats.reading import MOST_PACKED, read_whole

MOST_UNPACKED = 256 << 20
"""The most a .docx may unpack to, in bytes (256 MiB), all its parts together."""
MOST_PARTS = 5000
"""The most parts (files in the archive) a .docx may have."""
_TEXTS = (f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "\u2011"}
_STEADY = (1980, 1, 1, 0, 0, 0)
"""The date of every part, so that the same input gives the same file."""


@dataclass(frozen=True, slots=True)
class DocxFormat:
    """Reads a .docx as one document and writes it back with its text sanitised."""

    name: str = "docx"
    annotated: bool = False
    suffixes: tuple[str, ...] = (".docx",)
    header: str = ""
    separator: str = ""
    footer: str = ""

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file; see ``Format``."""
        data = read_whole(file, where, MOST_PACKED)
        _check(data, where)
        yield Record(data, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Its text, without mentions; see ``Format``."""
        package = _opened(record.raw, record.where)
        gone, kept = docx_strip.strip(package)
        pieces = [piece for piece, _ in _pieces(package)]
        text, odd = check_text("".join(piece.text for piece in pieces), record.where)
        warnings = (
            *odd,
            *counted(gone.items(), "removed"),
            *counted(kept.items(), "left as they are, look at them"),
        )
        return Loaded(Document(stem(record.where), text, ()), warnings=warnings)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The edits, which ``assemble`` carries out."""
        return pack(sanitized)

    def assemble(self, source: BinaryIO, where: str, pieces: Iterator[str]) -> Iterator[bytes]:
        """The file with its text edited."""
        data = read_whole(source, where, MOST_PACKED)
        _check(data, where)
        package = _opened(data, where)
        docx_strip.strip(package)
        for packed in pieces:
            edits = unpack(packed)
            found = _pieces(package)
            text = "".join(piece.text for piece, _ in found)
            new = rewritten([piece for piece, _ in found], edits)
            for (piece, element), string in zip(found, new, strict=True):
                if element is not None and string != piece.text:
                    _put(element, string)
            docx_strip.silence(package, telling(text, edits))
            yield _packed(package, where)


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
    try:
        from docx.package import Package
    except ImportError:
        raise MissingExtraError.of("python-docx", "formats") from None
    try:
        package = Package.open(io.BytesIO(data))
        _ = package.main_document_part.element.body
    except Exception as error:  # noqa: BLE001  (zlib, lxml, python-docx: any of them may balk)
        raise FormatError(
            f"not a Word document that can be read ({type(error).__name__})", where=where
        ) from None
    return package


def _pieces(package: Any) -> list[tuple[Piece, Any]]:
    """The pieces of text with their elements, and a line end after each paragraph."""
    found: list[tuple[Piece, Any]] = []
    for root in docx_strip.roots(package):
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
