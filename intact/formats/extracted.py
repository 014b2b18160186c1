"""PDF and RTF: one document a file, read for its text, written as plain text.

Nothing but the text is taken over: no properties, remarks, attachments, pictures. In a PDF a line
is a line, a blank line stands between paragraphs, a form feed between pages."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median
from typing import Any

from intact.errors import FormatError, require
from intact.formats.base import Format, Loaded, Record, load_plain
from intact.formats.neutral import contents
from intact.formats.pieces import warn_of

_GAP = 1.35  # of the usual distance of two lines; what is farther away begins a paragraph
_SCANNED = "Make its text readable first (OCR, such as ocrmypdf), or give its text."


class PdfFormat(Format):
    """Reads a PDF as one document and writes its text."""

    name = "pdf"
    suffixes = (".pdf",)
    annotated = False
    beginnings = (b"%PDF-",)
    written_as = ".txt"

    def load(self, record: Record, annotator: str) -> Loaded:
        """Extract the text of all pages. Annotations, pictures, properties and attachments are
        counted.

        Args:
            record: its ``raw`` is the file.
            annotator: not used: a PDF brings no mentions.

        Raises:
            FormatError: if it is encrypted or damaged, or no page holds text (a scan).
        """
        where = record.where
        pdfium, raw = require("pypdfium2"), require("pypdfium2.raw")
        try:
            pdf = pdfium.PdfDocument(record.raw)
        except pdfium.PdfiumError as error:
            if "password" in str(error).lower():
                remedy = "Save it without a password."
                raise FormatError("is encrypted", where=where, remedy=remedy) from None
            raise FormatError("not a PDF that can be read", where=where) from None
        pages = []
        counts = {"annotations and form fields": 0, "pictures": 0}
        try:
            for page in pdf:
                pages.append(_read_page(page))
                counts["annotations and form fields"] += raw.FPDFPage_GetAnnotCount(page.raw)
                counts["pictures"] += sum(1 for _ in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE]))
                page.close()
            counts["properties"] = sum(map(bool, pdf.get_metadata_dict().values()))
            counts["attachments"] = pdf.count_attachments()
        except pdfium.PdfiumError:
            raise FormatError("is damaged: a page cannot be read", where=where) from None
        finally:
            pdf.close()
        empty = [str(number) for number, page in enumerate(pages, 1) if not page.strip()]
        if len(empty) == len(pages):
            raise FormatError("has no text; it looks scanned", where=where, remedy=_SCANNED)
        warnings = warn_of(counts.items(), "removed")
        if empty:
            numbers = ", ".join(empty[:20]) + (", ..." if len(empty) > 20 else "")
            scanned = f"pages without text are left out, they look scanned: {numbers}"
            warnings = (scanned, *warnings)
        text = "\n\f".join(page.rstrip("\n") for page in pages) + "\n"
        return load_plain(text, where, warnings)


def _read_page(page: Any) -> str:
    """Read the text of a page, a blank line before each paragraph that a gap sets apart."""
    text_page = page.get_textpage()
    lines: list[tuple[str, float]] = []  # (text, height of its first character on the page)
    at = 0
    for line in text_page.get_text_range().split("\n"):
        text = line.rstrip("\r")
        first = at + len(text) - len(text.lstrip())
        if text.strip() and first < text_page.count_chars():
            lines.append((text, text_page.get_charbox(first, loose=True)[1]))
        at += len(line) + 1
    text_page.close()
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


class RtfFormat(Format):
    """Reads an RTF file as one document and writes its text."""

    name = "rtf"
    suffixes = (".rtf",)
    annotated = False
    beginnings = (b"{\\rtf",)
    written_as = ".txt"

    def load(self, record: Record, annotator: str) -> Loaded:
        """Extract the text of an RTF file; what is left behind is counted.

        Args:
            record: its ``raw`` is the file.
            annotator: not used: RTF brings no mentions.

        Raises:
            FormatError: if it is no RTF, or its text cannot be read.
        """
        data, where = record.raw, record.where
        if not data.lstrip().startswith(b"{\\rtf"):
            raise FormatError("not an RTF file", where=where, remedy="Save it again as RTF.")
        try:
            text = require("striprtf.striprtf").rtf_to_text(data.decode("latin-1"), errors="strict")
        except (ValueError, LookupError, IndexError, RecursionError):
            remedy = "Save it as .docx or text."
            raise FormatError("its text cannot be read", where=where, remedy=remedy) from None
        left = contents("rtf")["removed"].items()
        counts = ((name, len(re.findall("|".join(mark).encode(), data))) for name, mark in left)
        return load_plain(text, where, warn_of(counts, "removed"))
