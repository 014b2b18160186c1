"""PDF and RTF: one document a file, read for its text, written as plain text.

Nothing but the text is taken over: no properties, remarks, attachments, pictures. In a PDF a line
is a line, a blank line stands between paragraphs, a form feed between pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Any, BinaryIO

from intact.errors import FormatError, InputError, require
from intact.formats.base import MOST_PACKED, Loaded, Record, TextFormat, load_plain, read_whole
from intact.formats.pieces import warn_of

_GAP = 1.35  # of the usual distance of two lines; what is farther away begins a paragraph
_SCANNED = "Make its text readable first (OCR, such as ocrmypdf), or give its text."


class PdfFormat(TextFormat):
    """Reads a PDF as one document and writes its text."""

    name = "pdf"
    suffixes = (".pdf",)
    beginnings = (b"%PDF-",)
    written_as = ".txt"

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Read the one document of the file."""
        data = read_whole(file, where, MOST_PACKED)
        pdfium = require("pypdfium2")
        try:
            pdf = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            if "password" in str(error).lower():
                raise FormatError(
                    "is encrypted", where=where, remedy="Save it without a password."
                ) from None
            raise FormatError("not a PDF that can be read", where=where) from None
        try:
            yield Record(_read_pdf(pdf, where), where)
        except pdfium.PdfiumError:
            raise FormatError("is damaged: a page cannot be read", where=where) from None
        finally:
            pdf.close()

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its text, without mentions; see ``Format``."""
        return load_plain(record.raw["text"], record.where, record.raw["warnings"])


def _read_pdf(pdf: Any, where: str) -> dict[str, Any]:
    """Return the text of all pages and what is left out; raise ``FormatError`` if no page has
    text."""
    pages, empty = [], []
    counts = {"annotations and form fields": 0, "pictures": 0}
    raw = require("pypdfium2.raw")
    for number in range(len(pdf)):
        page = pdf[number]
        pages.append(_read_page(page))
        if not pages[-1].strip():
            empty.append(number + 1)
        counts["annotations and form fields"] += raw.FPDFPage_GetAnnotCount(page.raw)
        counts["pictures"] += sum(1 for _ in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE]))
        page.close()
    if len(empty) == len(pages):
        raise FormatError("has no text; it looks scanned", where=where, remedy=_SCANNED)
    counts["properties"] = sum(map(bool, pdf.get_metadata_dict().values()))
    counts["attachments"] = pdf.count_attachments()
    numbers = ", ".join(map(str, empty[:20])) + (", ..." if len(empty) > 20 else "")
    missing = (f"pages without text are left out, they look scanned: {numbers}",) if empty else ()
    text = "\n\f".join(page.rstrip("\n") for page in pages) + "\n"
    return {"text": text, "warnings": [*missing, *warn_of(counts.items(), "removed")]}


def _read_page(page: Any) -> str:
    """Return the text of a page, a blank line before each paragraph that a gap sets apart."""
    found = page.get_textpage()
    lines: list[tuple[str, float]] = []  # (text, height of its first character on the page)
    at = 0
    whole = found.get_text_range()
    for line in whole.split("\n"):
        text = line.rstrip("\r")
        first = at + len(text) - len(text.lstrip())
        if text.strip() and first < found.count_chars():
            lines.append((text, found.get_charbox(first, loose=True)[1]))
        at += len(line) + 1
    found.close()
    gaps = [high - low for (_, high), (_, low) in pairwise(lines)]
    usual = median([gap for gap in gaps if gap > 0] or [0.0])
    text = ""
    for (line, _), gap in zip(lines, [0.0, *gaps], strict=False):
        if text.endswith(("\ufffe\n", "\x02\n", "\u00ad\n")):  # a word cut by a hyphen
            text = text[:-2] + line + "\n"
        else:
            apart = usual and (gap > _GAP * usual or gap < -usual)
            text += ("\n" if apart else "") + line + "\n"
    return "".join(c for c in text if c in "\t\n" or c >= " ").replace("\ufffe", "")


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
