"""CSV with a column of texts, one document a row; streamed.

Comma, semicolon, tab or bar, whichever the header has most of. A column ``mentions`` may hold
the mentions as JSON; it is emptied in a sanitised table, and all other columns stay as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import DocumentError, FormatError, InputError
from intact.formats.base import Loaded, Record
from intact.formats.reading import MOST_BYTES
from intact.formats.tables import MENTIONS, TEXT, load_row, rows, text_column
from intact.formats.writing import Lost

_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """Reads and writes tables; ``column`` names the one with the texts."""

    column: str = ""
    name: str = "csv"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".csv",)
    header: str = ""
    separator: str = ""
    footer: str = ""

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The rows; one with too many or too few cells comes as its error."""
        names, delimiter, table = _opened(file, where)
        column = text_column(names, self.column, where)
        for number, cells in enumerate(_rows(table, where), start=1):
            if len(cells) == len(names):
                raw = {"names": names, "cells": cells, "number": number, "delimiter": delimiter}
                yield Record(raw | {"column": column}, where)
            elif cells:
                yield DocumentError(
                    f"it has {len(cells)} cells, the header {len(names)}",
                    where=f"{where}, row {number}",
                    remedy="Put cells with line ends or delimiters in double quotes.",
                )

    def load(self, record: Record, annotator: str) -> Loaded:
        """The row as a document; see ``Format``."""
        raw = record.raw
        row = dict(zip(raw["names"], raw["cells"], strict=True))
        return load_row(row, raw["column"], raw["number"], record.where)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The row with its text sanitised."""
        raw = record.raw
        row = dict(zip(raw["names"], raw["cells"], strict=True)) | {raw["column"]: sanitized.text}
        if MENTIONS in row and raw["column"] != MENTIONS:
            row[MENTIONS] = ""
        return _line(list(row.values()), raw["delimiter"])

    def assemble(self, source: BinaryIO, where: str, pieces: Iterator[str]) -> Iterator[bytes]:
        """The header as it was, then the rows."""
        names, delimiter, _ = _opened(source, where)
        yield _line(names, delimiter).encode("utf-8")
        for piece in pieces:
            yield piece.encode("utf-8")

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """A table with id, text and mentions."""
        column = self.column or TEXT
        yield _line(["id", column, MENTIONS], ",").encode("utf-8")
        for row in rows(iter(documents), column, lost):
            yield _line(list(row.values()), ",").encode("utf-8")


def _opened(file: BinaryIO, where: str) -> tuple[list[str], str, Any]:
    """The names of the columns, the delimiter, and the reader behind the header."""
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))  # known to all readers
    lines = _lines(file, where)
    header = next(lines, "")
    delimiter = max(_DELIMITERS, key=header.count)
    table = csv.reader(chain([header], lines), delimiter=delimiter, strict=True)
    names = next(_rows(table, where), [])
    if not any(name.strip() for name in names):
        raise FormatError("it is empty", where=where, remedy="Its first line names the columns.")
    return names, delimiter, table


def _rows(table: Any, where: str) -> Iterator[list[str]]:
    try:
        yield from table
    except csv.Error:
        raise FormatError(
            f"is not valid CSV (line {table.line_num})",
            where=where,
            remedy="Cells with quotes, delimiters or line ends stand in double quotes, "
            "and quotes in them are doubled.",
        ) from None


def _lines(file: BinaryIO, where: str) -> Iterator[str]:
    """The lines as text; names the first byte that is none."""
    done = 0
    while line := file.readline(MOST_BYTES + 1):
        if len(line) > MOST_BYTES:
            raise FormatError(f"a line is longer than {MOST_BYTES >> 20} MiB", where=where)
        try:
            yield line.decode("utf-8" if done else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"not UTF-8 (byte {done + error.start})", where=where, remedy="Save it as UTF-8."
            ) from None
        done += len(line)


def _line(cells: list[str], delimiter: str) -> str:
    """A row; with ``\\r\\n`` as its end, cells that hold either character are quoted."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"
