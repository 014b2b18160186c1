"""PDF and RTF: one document per file, read for its text, written as plain text.

Only the text is taken over: no properties, remarks, attachments or pictures. From a PDF, a line
becomes a line; paragraphs are separated by a blank line, and pages by a form feed."""

import re
from collections.abc import Iterator
from contextlib import closing
from ctypes import c_double
from itertools import pairwise
from statistics import median
from typing import Any

from intact.errors import FormatError, require
from intact.formats import base, neutral, pieces

_GAP = 1.35  # times the usual distance of lines; a line farther away begins a paragraph
# The share of the height of letters from which a gap between them counts as spacing; and how many
# times the median gap an even one may be.
_SPACED, _EVEN = 0.05, 1.5


class PdfFormat(base.UnmarkedFormat):
    """Reads a PDF as one document and writes its text."""

    name, needs = "pdf", "pypdfium2"
    suffixes = (".pdf",)
    beginnings = (b"%PDF-",)
    written_as = ".txt"

    def load(self, record: base.Record, annotator: str) -> base.Loaded:
        """Return the text of all pages, each behind a form feed but the first, as a document
        without mentions. Warnings count what is left out (annotations, pictures, properties,
        attachments), and list pages without text.

        Args:
            record: its ``raw`` is the file.
            annotator: not used: a PDF brings no mentions.

        Raises:
            FormatError: if it is encrypted or damaged, or no page has text (a scan).
        """
        where = record.where
        pdfium, raw = require("pypdfium2"), require("pypdfium2.raw")
        try:
            pdf = pdfium.PdfDocument(record.raw)
        except pdfium.PdfiumError as error:
            locked = "password" in str(error).lower()
            problem = "is encrypted" if locked else "not a PDF that can be read"
            raise FormatError(problem, where=where) from None
        pages = []
        counts = {"annotations and form fields": 0, "pictures": 0}
        with closing(pdf), base.unreadable("is damaged: a page cannot be read", where):
            for page in pdf:
                pages.append(_read_page(page))
                counts["annotations and form fields"] += raw.FPDFPage_GetAnnotCount(page.raw)
                counts["pictures"] += sum(1 for _ in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE]))
                page.close()
            counts["properties"] = sum(map(bool, pdf.get_metadata_dict().values()))
            counts["attachments"] = pdf.count_attachments()
            counts["bookmarks"] = sum(1 for _ in pdf.get_toc())
            counts["page labels"] = sum(bool(pdf.get_page_label(at)) for at in range(len(pdf)))
            counts["layers"] = len(re.findall(rb"/Type\s*/OCG\b", record.raw))
        empty = [str(number) for number, page in enumerate(pages, 1) if not page.strip()]
        if len(empty) == len(pages):
            raise FormatError("has no text; it looks scanned", where=where)
        odd = f"pages without text are left out, they look scanned: {base.listed(empty)}"
        warnings = (*((odd,) if empty else ()), *pieces.warn_of(counts.items(), "removed"))
        text = "\n\f".join(page.rstrip("\n") for page in pages) + "\n"
        return base.load_plain(text, record, warnings)


def _read_page(page: Any) -> str:
    """Return the text of a page, each line ended by a line feed, without blank lines but one before
    each paragraph that a gap separates. Words cut by a hyphen at the end of a line are joined. ""
    for a page without text."""
    text_page = page.get_textpage()
    found = re.finditer(r"[^\S\n]*(\S)[^\n]*", _close_up(text_page))
    full = [line for line in found if line.start(1) < text_page.count_chars()]
    heights = [text_page.get_charbox(line.start(1), loose=True)[1] for line in full]
    text_page.close()
    gaps = [high - low for high, low in pairwise(heights)]
    usual = median([gap for gap in gaps if gap > 0] or [0.0])
    text = ""
    for line, gap in zip((found[0].rstrip("\r") for found in full), [0.0, *gaps], strict=False):
        if text.endswith(("\ufffe\n", "\x02\n", "\u00ad\n")):  # a word cut by a hyphen
            text = text[:-2] + line + "\n"
        else:
            apart = usual and (gap > _GAP * usual or gap < -usual)
            text += ("\n" if apart else "") + line + "\n"
    return "".join(c for c in text if c in "\t\n" or c >= " ").replace("\ufffe", "")


def _close_up(page: Any) -> str:
    """Return the characters of a page, with null characters in place of blanks and line breaks that
    were wrongly guessed inside words: between spaced letters, and before a ligature in a line that
    runs up or down. A page of more than 65,536 characters may be returned as it is."""
    text = str(page.get_text_range())
    if len(text) != page.count_chars():  # characters beyond the first 65,536 count twice
        return text
    shown, end = list(text), 0
    for line in text.splitlines(keepends=True):
        wrong = [*_inside_words(page, line, end)]
        end += len(line)
        if line.endswith("\r\n") and line[-3:-2] > " " and _goes_on(page, end):
            wrong += (end - 2, end - 1)
        for at in wrong:
            shown[at] = "\0"
    return "".join(shown)


def _inside_words(page: Any, line: str, start: int) -> Iterator[int]:
    """Yield, ascending, the offsets on the page of guessed blanks between spaced letters of a line:
    in a row of letters with even gaps, all guessed blanks except the wider ones between words.

    Args:
        page: its characters.
        line: of its text.
        start: offset on the page where the line begins.
    """
    guessed = require("pypdfium2.raw").FPDFText_IsGenerated
    words = [(start + match.start(), match[0]) for match in re.finditer(r"\S+", line)]
    if not any(guessed(page, at - 1) for at, _ in words[1:]):
        return
    # gaps, each with the offset of its blank or -1; words that begin with a letter; the last box
    row, letters, last = list[tuple[int, float]](), 0, list[Any]()
    for at, word in (*words, (0, "")):
        boxes = [page.get_charbox(each, loose=True) for each in range(at, at + len(word))]
        gaps = [(b[0] - a[2]) / max(b[3] - b[1], 0.01) for a, b in pairwise([*last, *boxes])]
        near = len(last) > 0 and guessed(page, at - 1)
        inner = gaps[len(last) :]
        if not word or (inner[near:] and median(inner) < _SPACED):  # two letters may be kerned
            yield from _even(row) if letters > 2 else ()
            row, letters, last = [], 0, []
        else:
            row += [(at - 1, gaps[0])] if near else []
            row += ((-1, gap) for gap in inner)
            letters, last = letters + word[0].isalpha(), boxes[-1:]


def _even(row: list[tuple[int, float]]) -> Iterator[int]:
    """Yield the offsets of the blanks in a row of spaced letters that are hardly wider than the
    gaps between letters, in order; none if the letters are not spaced.

    Args:
        row: (offset of a blank, or -1 between two letters of a word; width of the gap in heights of
            letters).
    """
    gaps = sorted(gap for _, gap in row)
    if len(gaps) > 2 and gaps[len(gaps) // 4] > _SPACED and median(gaps) < 1:
        most = _EVEN * median(gaps) + 2 * _SPACED
        yield from (blank for blank, gap in row if blank >= 0 and 0 < gap < most)


def _goes_on(page: Any, at: int) -> bool:
    """Tell whether the line break that ends at an offset stands inside a word. In a line that runs
    up or down the page pdfium breaks before a ligature ("fi"): its two letters have one origin, and
    lie on the base line of the letter before the break.

    Args:
        page: of a PDF.
        at: index of the character behind the break.
    """
    raw = require("pypdfium2.raw")

    def place(each: int) -> tuple[float, float, float]:
        """Return the angle of a character, given by its offset, in radians, and the x and y of its
        origin."""
        x, y = c_double(), c_double()
        raw.FPDFText_GetCharOrigin(page, each, x, y)
        return raw.FPDFText_GetCharAngle(page, each), x.value, y.value

    (way, line, _), one, two = map(place, (at - 3, at, at + 1))
    return one == two and way == one[0] and round(way / 1.57) % 2 == 1 and abs(line - one[1]) < 2


class RtfFormat(base.UnmarkedFormat):
    """Reads an RTF file as one document and writes its text."""

    name, needs = "rtf", "striprtf"
    suffixes = (".rtf",)
    beginnings = (b"{\\rtf",)
    written_as = ".txt"

    def load(self, record: base.Record, annotator: str) -> base.Loaded:
        """Return the text of an RTF file as a document without mentions; warnings count what is
        left out.

        Args:
            record: its ``raw`` is the file.
            annotator: not used: RTF brings no mentions.

        Raises:
            FormatError: if it is no RTF, or its text cannot be read.
        """
        data, where = record.raw, record.where
        if not data.lstrip().startswith(b"{\\rtf"):
            raise FormatError("not an RTF file", where=where)
        with base.unreadable("its text cannot be read", where):
            text = require("striprtf.striprtf").rtf_to_text(data.decode("latin-1"), errors="strict")
        left = neutral.contents("rtf")["removed"].items()
        counts = ((name, len(re.findall("|".join(mark).encode(), data))) for name, mark in left)
        return base.load_plain(text, record, pieces.warn_of(counts, "removed"))
