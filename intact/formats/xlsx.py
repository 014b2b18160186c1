"""Excel's .xlsx: a workbook is one document. Only values and their looks are taken over.

The text is the name of each sheet and its cells, each cell on a line after the heading of its
column. Formulas become their values. Properties, comments, names, charts, pictures, macros and
everything else are left out; warnings count them."""

import io
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from datetime import datetime
from itertools import groupby
from typing import Any
from warnings import catch_warnings

from intact.domain import SanitizedDocument
from intact.errors import FormatError, require
from intact.formats.archive import MOST_ELEMENTS, open_archive, pack_parts, unpack_parts
from intact.formats.base import Loaded, Record, UnmarkedFormat, load_plain, unreadable
from intact.formats.neutral import contents, plain_colour, regexes
from intact.formats.pieces import BORDER, Piece, changes, heading, warn_of

_LOOKS = ("font", "fill", "border", "alignment")
_PATTERNS = regexes("xlsx")
_MOST_SIZE = 409  # points


class XlsxFormat(UnmarkedFormat):
    """Reads an .xlsx as one document and writes a workbook with its text sanitised."""

    name, needs = "xlsx", "openpyxl"
    suffixes = (".xlsx",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the names of sheets and the values of cells, each cell on a line after the heading
        of its column, as a document without mentions; warnings count what is removed, and formulas.

        Args:
            record: its ``raw`` is the file; ``parsed`` of the result will be the workbook and its
                pieces.
            annotator: not used: a workbook brings no mentions.

        Raises:
            FormatError: if it is no workbook, is encrypted, or is too large.
        """
        parts = open_archive(record.raw, record.where, self.name)
        with unreadable("not an Excel workbook that can be read", record.where):
            if sum(map(_count_joined, parts.values())) > MOST_ELEMENTS:
                problem = f"merges or links more than {MOST_ELEMENTS:,} cells"
                raise FormatError(problem, where=record.where)
            file = io.BytesIO(record.raw)
            with catch_warnings(record=True, action="always") as odd:
                workbook = require("openpyxl").load_workbook(file, data_only=True, keep_links=False)
        dates = sum("marked as a date" in str(one.message) for one in odd)
        beyond = warn_of([("dates beyond the calendar", dates)], "replaced by #VALUE!")
        pieces, told = _pieces(workbook), (*_warnings(parts), *beyond)
        return load_plain(pieces, record, told, (workbook, pieces))

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the bytes of a new workbook with the edited values, the looks, the sizes and the
        merged cells of the old one.

        Args:
            record: not used.
            loaded: its ``parsed`` are the old workbook and its pieces.
            sanitized: edits of the extracted text.
        """
        workbook, pieces = loaded.parsed
        changed = dict(changes(pieces, sanitized.edits))
        fresh = require("openpyxl").Workbook()
        fresh.remove(fresh.active)
        for number, old in enumerate(workbook.worksheets):
            title = changed.get((number, None), old.title)
            plain = _PATTERNS["not_in_titles"].sub(" ", title).strip("' ")[:31]
            sheet = fresh.create_sheet(plain or "Sheet")
            texts = {place: text for (at, place), text in changed.items() if at == number}
            _copy_sheet(old, sheet, texts)
        draft = io.BytesIO()
        fresh.save(draft)
        parts = unpack_parts(draft.getvalue())
        parts["docProps/core.xml"] = re.sub(
            rb"<(dcterms:\w+|dc:creator)\b[^>]*>[^<]*</\1>", b"", parts["docProps/core.xml"]
        )
        return pack_parts(parts.items())


def _pieces(workbook: Any) -> list[Piece]:
    """Return the text of a workbook in pieces: the name of each sheet, then each of its cells that
    is not empty, row by row, on a line after the heading of its column (the column's text in the
    first row that is not empty, if that row holds texts alone). A piece to replace has the place
    (index of the sheet, from 0, and (row, column) of the cell, from 1); None in place of the cell
    means the sheet's name. Headings and line ends have no place."""
    cells: list[Piece] = []
    for number, sheet in enumerate(workbook.worksheets):
        cells += [Piece("Sheet: "), Piece(sheet.title, (number, None)), BORDER]
        headings: dict[int, str] = {}
        for _, row in groupby(_cells(sheet), lambda cell: cell.row):
            filled = [cell for cell in row if cell.value is not None]
            for cell in filled:
                place = (number, (cell.row, cell.column))
                lead = heading(headings.get(cell.column, ""))
                cells += [lead, Piece(_as_text(cell.value), place), BORDER]
            if filled and not headings:  # the first row that is not empty
                named = all(isinstance(cell.value, str) for cell in filled)
                headings = {0: ""} | {cell.column: cell.value for cell in filled if named}
        cells.append(BORDER)
    return cells


def _cells(sheet: Any) -> list[Any]:
    """Return the cells that a sheet holds, sorted by row and column; cells that are not there are
    not created, as ``iter_rows`` would."""
    return [cell for _, cell in sorted(sheet._cells.items())]


def _count_joined(part: bytes) -> int:
    """Return the number of cells in all ranges of a part (merged cells, links), because openpyxl
    creates each of them; 0 for a part that is no XML."""
    etree, joined = require("lxml.etree"), 0
    bounds = require("openpyxl.utils").range_boundaries
    source, ranges = io.BytesIO(part), ("{*}mergeCell", "{*}hyperlink")
    with suppress(etree.XMLSyntaxError):
        for _, one in etree.iterparse(source, resolve_entities=False, tag=ranges):
            left, top, right, bottom = bounds(one.get("ref"))
            joined += (right - left + 1) * (bottom - top + 1)
    return joined


def _as_text(value: object) -> str:
    """Return a cell's value as text: a date without seconds of zero and a time of midnight
    ("2021-03-04"), a whole number without its decimal point."""
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(":00").removesuffix(" 00:00")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _warnings(parts: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return warnings that count what the parts of an .xlsx file hold besides values and looks:
    what is removed, formulas that become their values, and those that become empty; () if there is
    nothing."""
    words, gone = contents("xlsx"), Counter[str]()
    for part, data in parts.items():
        gone.update(n for n, starts in words["removed"].items() if part.startswith((*starts,)))
        for name, marks in words["marked"].items():
            gone[name] += len(re.findall(rb"<(?:\w+:)?(?:%b)" % "|".join(marks).encode(), data))
    formulas = warn_of([("formulas", gone.pop("formulas"))], "replaced by their values")
    empty = warn_of([("formulas without a kept value", gone.pop("unkept"))], "left empty")
    return (*warn_of(gone.items(), "removed"), *formulas, *empty)


def _whole_size(size: float | None) -> float | None:
    """Return the size of a row or column in whole points, at most 409, which is Excel's limit; None
    for None."""
    return None if size is None else round(min(size, _MOST_SIZE))


def _plain_look(look: Any) -> Any:
    """Return a copy of a look, with its colours and numbers rounded, and its font replaced unless
    it is a common one. Other words in it are Excel's own, since openpyxl accepts no others."""
    tree = look.to_tree(look.tagname)
    for element in tree.iter():
        for name, value in element.attrib.items():
            named = element.tag.endswith("}name") or element.tag == "name"
            if named and value not in contents("looks")["fonts"]:
                element.set(name, "Calibri")
            elif name == "rgb":
                element.set(name, plain_colour(value))
            elif _PATTERNS["number"].fullmatch(value):
                element.set(name, f"{round(min(float(value), _MOST_SIZE), 2):g}")
    return type(look).from_tree(tree)


def _copy_sheet(old: Any, sheet: Any, texts: Mapping[Any, str]) -> None:
    """Fill ``sheet``, a new one, with the cells, looks, sizes and merged cells of ``old``, with
    other texts in some cells, by (row, column)."""
    sheet.sheet_state = old.sheet_state
    sheet.freeze_panes = old.freeze_panes
    for letter, size in old.column_dimensions.items():
        sheet.column_dimensions[letter].width = _whole_size(size.width)
        sheet.column_dimensions[letter].hidden = size.hidden
    for index, size in old.row_dimensions.items():
        sheet.row_dimensions[index].height = _whole_size(size.height)
        sheet.row_dimensions[index].hidden = size.hidden
    for cell in _cells(old):
        if cell.value is None and not cell.has_style:
            continue
        made = sheet.cell(cell.row, cell.column)
        made.value = value = texts.get((cell.row, cell.column), cell.value)
        if isinstance(value, str):  # what looks like a formula is text
            made.data_type = "s"
        if cell.has_style:
            for look in _LOOKS:
                setattr(made, look, _plain_look(copy(getattr(cell, look))))
            plain = _PATTERNS["format"].fullmatch(cell.number_format)
            made.number_format = cell.number_format if plain else "General"
    for merged in old.merged_cells.ranges:
        sheet.merge_cells(str(merged))
