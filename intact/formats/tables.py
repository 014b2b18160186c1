"""CSV and Parquet with a column of texts, one document a row; read and written piece by piece.

A column ``mentions`` may hold the mentions as JSON (in Parquet also a list of structs); it is
emptied in a sanitised table, and all other columns stay as they are. The delimiter of CSV is
comma, semicolon, tab or bar, whichever the header has most of.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, BinaryIO

from intact.domain import SanitizedDocument
from intact.errors import DocumentError, FormatError, InputError, require
from intact.formats.base import (
    MOST_BYTES,
    Format,
    Loaded,
    Record,
    check_text,
    stem,
    to_json,
)
from intact.formats.mentions import Layer, load
from intact.formats.pieces import Piece, rewritten

MOST_GROUP = 512 << 20
"""The largest row group of a Parquet file, in bytes when unpacked (512 MiB)."""
_TEXT, _MENTIONS = "text", "mentions"
_IDS = ("doc_id", "id")
_NAME = re.compile(r"[A-Za-z][a-z0-9_]{0,30}")
"""What is surely a column's name; the first line of a table without names holds somebody's text."""
_HEADING = re.compile(r"[^\W\d]\w{0,30}(?:[ ._/-]{1,2}\w{1,20}){0,4}[?:]?|")
"""What may be a column's name."""
_DELIMITERS = ",;\t|"
_BATCH = 256


class _TableFormat(Format):
    """Base class of tables: the columns that hold text, id and mentions.

    Several columns ("csv:NAME,NOTES") are one text, a cell on a line of its own, so that somebody
    is called the same in all of them.
    """

    has_columns = True

    def _text_columns(self, names: Sequence[str], where: str) -> tuple[str, ...]:
        """Return the names of the columns with the texts: those asked for, "text", or the only one;
        raise ``FormatError`` if there is none, or a name comes twice."""
        if len(set(names)) < len(names):
            raise FormatError("two columns have the same name", where=where)
        if not self.column and not all(map(_HEADING.fullmatch, names)):
            raise FormatError(
                "its first line does not look like names of columns",
                where=where,
                remedy="It would go out as it is. Give the table a line of names, or say which "
                "columns to sanitise: --columns NAME.",
            )
        asked = self.column or (names[0] if len(names) == 1 else _TEXT)
        columns = (asked,) if asked in names else tuple(dict.fromkeys(asked.split(",")))
        for column in columns:
            if column not in names:
                has = f" It has: {', '.join(names)}." if all(map(_NAME.fullmatch, names)) else ""
                raise FormatError(
                    f"it has no column {column!r}",
                    where=where,
                    remedy=f"Name the column, or several with commas: --columns NAME.{has}",
                )
        return columns

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the row as a document; one without an id is called after file and row."""
        row, texts, number = (record.raw[key] for key in ("row", "columns", "number"))
        id_column = _id_column(tuple(row), texts)
        given = row[id_column] if id_column else None
        doc_id = f"{stem(record.where)}-{number}" if given in (None, "") else str(given)
        where = f"{record.where}, row {number}"
        given_mentions = row.get(_MENTIONS) if _MENTIONS not in texts and len(texts) == 1 else None
        layer = Layer(_mentions(given_mentions, where))
        others = _untouched(tuple(row), texts) if number == 1 else ""
        warnings = (f"other columns are left as they are: {others}",) if others else ()
        value = "".join(piece.text for piece in _pieces(record.raw, where))
        loaded = load(doc_id, value, layer, where, warnings=warnings)
        annotated = given_mentions not in (None, "")
        return replace(loaded, document=replace(loaded.document, annotated=annotated))

    def _check_asked(self, record: Record) -> None:
        """Check that no column goes out as it is unless the user has chosen the others; raise
        ``FormatError`` if one would."""
        texts = record.raw["columns"]
        others = _untouched(tuple(record.raw["row"]), texts)
        if others and not self.column:
            raise FormatError(
                f"these columns would go out as they are: {others}",
                where=record.where,
                remedy="Say which columns to sanitise, with commas: --columns "
                f"{','.join(texts)},NAME; --columns {','.join(texts)} leaves the others alone.",
            )


def _pieces(raw: Mapping[str, Any], where: str = "") -> list[Piece]:
    """Return the cells of a row that hold text, with line ends between them that are in none."""
    cells = ["" if raw["row"][name] is None else raw["row"][name] for name in raw["columns"]]
    texts = [Piece(check_text(cell, where)[0]) for cell in cells]
    return [piece for text in texts for piece in (text, Piece("\n", real=False))][:-1]


def _cells(raw: Mapping[str, Any], sanitized: SanitizedDocument) -> list[str]:
    """Return what becomes of the cells that hold text."""
    return rewritten(_pieces(raw), sanitized.edits)[::2]


def _id_column(names: Sequence[str], texts: Sequence[str]) -> str:
    """Return the name of the column with the ids, or "" if there is none."""
    return next((name for name in _IDS if name in names and name not in texts), "")


def _untouched(names: Sequence[str], texts: Sequence[str]) -> str:
    """Return the names of the columns that stay as they are, for messages."""
    others = [n for n in names if n not in (*texts, _MENTIONS, _id_column(names, texts))]
    return ", ".join(name[:40] for name in others[:8]) + (", ..." if len(others) > 8 else "")


def _mentions(value: Any, where: str) -> list[Any]:
    if value is None or value == "":
        return []
    try:
        raws = json.loads(value) if isinstance(value, str) else list(value)
    except (ValueError, TypeError, RecursionError):
        raws = None
    if not isinstance(raws, list):
        raise DocumentError(
            "its mentions are not a JSON list",
            where=where,
            remedy='The column "mentions" holds what JSONL has under "mentions".',
        )
    return raws


class CsvFormat(_TableFormat):
    """Reads and writes CSV; ``column`` names the one with the texts, or several with commas."""

    name = "csv"
    suffixes = (".csv",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield the rows; one with too many or too few cells comes as its error."""
        names, delimiter, table = _opened_csv(file, where)
        columns = self._text_columns(names, where)
        for number, cells in enumerate(_csv_rows(table, where), start=1):
            if len(cells) == len(names):
                row = dict(zip(names, cells, strict=True))
                raw = {"row": row, "columns": columns, "number": number, "delimiter": delimiter}
                yield Record(raw, where)
            elif cells:
                yield DocumentError(
                    f"it has {len(cells)} cells, the header {len(names)}",
                    where=f"{where}, row {number}",
                    remedy="Put cells with line ends or delimiters in double quotes.",
                )

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the row with its text sanitised."""
        self._check_asked(record)
        raw = record.raw
        row = raw["row"] | dict(zip(raw["columns"], _cells(raw, sanitized), strict=True))
        if _MENTIONS in row and _MENTIONS not in raw["columns"]:
            row[_MENTIONS] = ""
        return _csv_line(list(row.values()), raw["delimiter"])

    def assemble(
        self, pieces: Iterable[str | bytes], source: BinaryIO, where: str
    ) -> Iterator[str | bytes]:
        """Yield the header as it was, then the rows."""
        names, delimiter, _ = _opened_csv(source, where)
        yield _csv_line(names, delimiter)
        yield from pieces


def _opened_csv(file: BinaryIO, where: str) -> tuple[list[str], str, Any]:
    """Return the names of the columns, the delimiter, and the reader behind the header."""
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))  # known to all readers
    lines = _lines(file, where)
    header = next(lines, "")
    delimiter = max(_DELIMITERS, key=header.count)
    table = csv.reader(chain([header], lines), delimiter=delimiter, strict=True)
    names = next(_csv_rows(table, where), [])  # none where the file is empty
    if not any(name.strip() for name in names):
        raise FormatError("it is empty", where=where, remedy="Its first line names the columns.")
    return names, delimiter, table


def _csv_rows(table: Any, where: str) -> Iterator[list[str]]:
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
    """Yield the lines as text; names the first byte that is none."""
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


def _csv_line(cells: list[str], delimiter: str) -> str:
    """Return a row; with ``\r\n`` as its end, cells that hold either character are quoted."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


class ParquetFormat(_TableFormat):
    """Reads and writes Parquet in batches of rows; ``column`` names the one with the texts, or
    several with commas."""

    name = "parquet"
    suffixes = (".parquet",)
    beginnings = (b"PAR1",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield the rows; see ``Format``."""
        table = _opened_parquet(file, where)
        names = table.schema_arrow.names
        columns = self._text_columns(names, where)
        wanted = {*columns, _MENTIONS, _id_column(names, columns)}
        number = 0
        for batch in _batches(table, [name for name in names if name in wanted], where):
            try:
                rows = batch.to_pylist()
            except ValueError:  # bytes that are no UTF-8, dates beyond the calendar
                raise FormatError("its data cannot be read", where=where) from None
            for row in rows:
                number += 1
                full = {name: row.get(name) for name in names}
                yield Record({"row": full, "columns": columns, "number": number}, where)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the row's number (from 0) and its texts."""
        self._check_asked(record)
        raw = record.raw
        cells = zip(raw["columns"], _cells(raw, sanitized), strict=True)
        made = [None if raw["row"][name] is None else cell for name, cell in cells]
        return to_json([raw["number"] - 1, made])

    def assemble(
        self, pieces: Iterable[str | bytes], source: BinaryIO, where: str
    ) -> Iterator[str | bytes]:
        """Return the table with the rows that came through, their texts sanitised."""
        pyarrow = require("pyarrow")
        table = _opened_parquet(source, where)
        schema = table.schema_arrow
        columns = self._text_columns(schema.names, where)
        waiting = (json.loads(piece) for piece in pieces)

        def batches() -> Iterator[Any]:
            upcoming = next(waiting, None)
            done = 0
            for batch in _batches(table, None, where):
                texts = {}
                while upcoming is not None and upcoming[0] < done + batch.num_rows:
                    texts[upcoming[0] - done] = upcoming[1]
                    upcoming = next(waiting, None)
                done += batch.num_rows
                kept = batch.take(pyarrow.array(list(texts), pyarrow.int64()))
                yield _with_texts(kept, columns, list(texts.values()), pyarrow)
                if upcoming is None:
                    return

        return _written(batches(), schema)


def _written(batches: Iterator[Any], schema: Any) -> Iterator[bytes]:
    """Yield the bytes of a Parquet file with these batches."""
    parquet = require("pyarrow.parquet")
    with tempfile.TemporaryFile() as made:
        with parquet.ParquetWriter(made, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        made.seek(0)
        yield from iter(lambda: made.read(1 << 20), b"")


def _with_texts(
    batch: Any, columns: Sequence[str], texts: Sequence[Sequence[str | None]], pyarrow: Any
) -> Any:
    """Return the batch with other texts, and without mentions, which fit the old ones only."""
    schema = batch.schema
    arrays = list(batch.columns)
    for number, column in enumerate(columns):
        at = schema.get_field_index(column)
        arrays[at] = pyarrow.array([row[number] for row in texts], schema.field(at).type)
    at = schema.get_field_index(_MENTIONS)
    if at >= 0 and _MENTIONS not in columns:
        arrays[at] = pyarrow.nulls(len(texts), schema.field(at).type)
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _opened_parquet(file: BinaryIO, where: str) -> Any:
    pyarrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    try:
        table = parquet.ParquetFile(file)
    except (pyarrow.ArrowException, OSError):
        raise FormatError("not a Parquet file", where=where) from None
    meta = table.metadata
    groups = (meta.row_group(n).total_byte_size for n in range(meta.num_row_groups))
    if max(groups, default=0) > MOST_GROUP:
        raise FormatError(
            f"a row group unpacks to more than {MOST_GROUP >> 20} MiB",
            where=where,
            remedy="Write it in smaller row groups.",
        )
    return table


def _batches(table: Any, columns: list[str] | None, where: str) -> Iterator[Any]:
    pyarrow = require("pyarrow")
    try:
        yield from table.iter_batches(batch_size=_BATCH, columns=columns)
    except (pyarrow.ArrowException, OSError):
        raise FormatError("its data cannot be read", where=where) from None
