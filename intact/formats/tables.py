"""CSV and Parquet with a column of texts, one document per row; read and written piece by piece.

A column ``mentions`` may hold the mentions as JSON (in Parquet also a list of structs). It is
emptied in a sanitised table, and all other columns stay as they are. The delimiter of CSV is comma,
semicolon, tab or bar, whichever occurs most in the header."""

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
from intact.english.words import is_ordinary
from intact.errors import DocumentError, FormatError, InputError, loading, require
from intact.formats import base, neutral
from intact.formats.base import MOST_BYTES, Format, Loaded, Record, check_text, stem, to_json
from intact.formats.mentions import load
from intact.formats.pieces import BORDER, Piece, changes, fixed, heading, text_of, warn_of
from intact.protocols import UNSURE

MOST_GROUP = 512 << 20  # the most bytes to which a row group of a Parquet file may unpack
_TEXT, _MENTIONS = "text", "mentions"
_IDS = ("doc_id", "id")
_PATTERNS = neutral.regexes("tables")
_DELIMITERS = ",;\t|"
_BATCH, _MARK = 256, "\0"  # rows; before a header that was read


_ANEW = "labels are counted anew in each row: PERSON_1 of two rows may be two people"


class _TableFormat(Format):
    """The base class of tables: the columns that hold text, id and mentions.

    Several columns ("csv:NAME,NOTES") make one text, with each cell on a line of its own after its
    column's heading: so a person is the same in all of them, and "Slough" is read as a town. Cells
    of the column "text", and cells with mentions given, are read without a heading.
    """

    has_columns = True

    def _text_columns(self, names: Sequence[str], where: str) -> tuple[str, ...]:
        """Return the names of the columns with the texts: those asked for, in that order, or else
        the only one, or "text". Raise a ``FormatError`` if one is missing, or two columns have the
        same name."""
        if len(set(names)) < len(names):
            raise FormatError("two columns have the same name", where=where)
        asked = self.column or (names[0] if len(names) == 1 else _TEXT)
        columns = (asked,) if asked in names else tuple(dict.fromkeys(asked.split(",")))
        for column in columns:
            if column not in names:
                problem = f"it has no column {column!r} among its {len(names)}"
                raise FormatError(problem, where=where)
        return columns

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the document of a row; several columns of text make one text, with a cell on each
        line. Warnings come with certain rows only: with row 1, of columns that go out unchanged;
        with row 2, that labels start anew in each row.

        Args:
            record: its ``raw`` holds "row" (cells by column), "columns" (those with text) and
                "number" (from 1), from which the id of a row without one is made; row 0 are the
                headings.
            annotator: not used: a table has one annotator.

        Raises:
            DocumentError: if a cell of text or the mentions are not what they must be.
        """
        row, texts, number = (record.raw[key] for key in ("row", "columns", "number"))
        given = row.get(_id_column(row, texts)) if number else ""
        doc_id = f"{stem(record.where)}-{number}" if given in (None, "") else str(given)
        where = f"{record.where}, row {number}"
        mentions = _given(record.raw)
        others = _untouched(record) if number == 1 else ""
        said = f"these columns go out UNCHANGED: {others}" if others else _ANEW * (number == 2)
        if not number:
            at = base.listed([f"column {n}" for n, name in enumerate(row, 1) if name in texts])
            said = f"{UNSURE}headings that may name somebody; look at what stays of them: {at}"
        gone = warn_of([("remarks on columns", record.raw.get("remarks", 0))], "removed")
        pieces = _pieces(record.raw, where)
        annotated = mentions not in (None, "")
        loaded = load(doc_id, text_of(pieces), mentions if annotated else [], where)
        document = replace(loaded.document, annotated=annotated, kept=fixed(pieces))
        warnings = (*loaded.warnings, *filter(None, (said,)), *gone)
        return replace(loaded, document=document, warnings=warnings)

    def _edited(self, record: Record, sanitized: SanitizedDocument) -> dict[str, Any]:
        """Return the cells of a row by column, its texts sanitised; headings stay unique. Raise a
        ``FormatError`` if a column would be released unchanged and the user has not chosen the
        columns to sanitise."""
        others = _untouched(record)
        if others and not self.column:
            problem = f"these columns would go out as they are: {others}"
            raise FormatError(problem, where=record.where)
        row: dict[str, Any] = dict(record.raw["row"])
        for name, cell in changes(_pieces(record.raw), sanitized.edits):
            taken = not record.raw["number"] and cell in row.values()
            row[name] = f"{cell} ({[*row].index(name) + 1})" if taken else cell
        return row


def is_heading(name: str, alone: bool = False) -> bool:
    """Tell whether a column's name is a heading of ordinary words, and not perhaps somebody's name.

    Args:
        name: in the first line.
        alone: whether it is the only column; such a table may well have no headings, and begin with
            a name.
    """
    words = re.findall(r"[^\W\d_]+", _PATTERNS["seam"].sub(" ", name))
    named = alone and any(word[0].isupper() for word in words[1:])
    formed = _PATTERNS["heading"].fullmatch(name) is not None
    return formed and all(map(is_ordinary, words)) and not named


def _shown(name: str) -> str:
    """Return a heading as a person reads it: its words separated by blanks, those that are no
    ordinary words with a capital ("Annelise mood" for "annelise_mood")."""
    words = _PATTERNS["seam"].sub(" ", name).split(" ")
    return " ".join(w if is_ordinary(w) else w[:1].upper() + w[1:] for w in words)


def _unread(names: Sequence[str]) -> list[str]:
    """Return the headings that may name somebody, in order."""
    return [name for name in names if not is_heading(name, len(names) == 1)]


def _headings(names: Sequence[str], where: str, delimiter: str = "") -> Iterator[Record]:
    """Yield one ``Record``, the headings as row 0, those that may name somebody as its texts;
    nothing if none may."""
    if unread := _unread(names):
        row = {name: name for name in names}
        yield Record({"row": row, "columns": unread, "number": 0, "delimiter": delimiter}, where)


def _given(raw: Mapping[str, Any]) -> Any:
    """Return the mentions of a row as they stand in its column "mentions"; None if it has none, has
    several columns of text, or is the row of headings."""
    row, texts = raw["row"], raw["columns"]
    own = raw["number"] and _MENTIONS not in texts and len(texts) == 1
    return row.get(_MENTIONS) if own else None


def _pieces(raw: Mapping[str, Any], where: str = "") -> list[Piece]:
    """Return the text of a row in pieces, in the order of its columns of text: each cell, whose
    place is its column, after its heading, with borders between cells. There are no headings before
    the column "text", empty cells and cells with mentions given, and in row 0, the headings
    themselves. Raise a ``DocumentError`` for a cell that is no text."""
    cell_pieces: list[Piece] = []
    bare = _given(raw) not in (None, "") or not raw["number"]
    for name in raw["columns"]:
        cell = "" if raw["row"][name] is None else raw["row"][name]
        lead = heading(name if cell and name != _TEXT and not bare and is_heading(name) else "")
        shown = cell if raw["number"] else _shown(cell)
        cell_pieces += [lead, Piece(check_text(shown, where)[0], name), BORDER]
    return cell_pieces[:-1]


def _id_column(names: Iterable[str], texts: Sequence[str]) -> str | None:
    """Return the name of the column with the ids, "doc_id" or else "id"; None if there is none that
    is no column of text."""
    return next((name for name in _IDS if name in names and name not in texts), None)


def _untouched(record: Record) -> str:
    """Return the columns of a row that stay as they are, joined by commas for messages: "column 3
    (age)", without the name if that may be somebody's; "" if there are none, and for the row of
    headings."""
    row, texts = record.raw["row"], record.raw["columns"]
    known = (*texts, _MENTIONS, _id_column(row, texts))
    unread = dict.fromkeys(_unread([*row]), "")
    rest = [f"column {n}{unread.get(k, f' ({k})')}" for n, k in enumerate(row, 1) if k not in known]
    return base.listed(rest, width=None) if record.raw["number"] else ""


class CsvFormat(_TableFormat):
    """Reads and writes CSV. ``column`` names the column with the texts, or several with commas."""

    name = "csv"
    suffixes = (".csv", ".tsv")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield each row that is not empty as a ``Record``, in order; before them, as row 0, the
        headings if some may name somebody. A row with too many or too few cells is yielded as its
        error.

        Args:
            file: UTF-8, at its beginning; the first line names the columns.
            where: the file's path, for messages.

        Raises:
            FormatError: if there is no header, a column is missing, or the CSV is not valid.
        """
        names, delimiter, table = _opened_csv(file, where)
        columns = self._text_columns(names, where)
        yield from _headings(names, where, delimiter)
        for number, cells in enumerate(_csv_rows(table, where), start=1):
            if len(cells) == len(names):
                row = dict(zip(names, cells, strict=True))
                raw = {"row": row, "columns": columns, "number": number, "delimiter": delimiter}
                yield Record(raw, where)
            elif cells:
                problem = f"it has {len(cells)} cells, the header {len(names)}"
                yield DocumentError(problem, where=f"{where}, row {number}")

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the row as a line of CSV, with its texts sanitised and its mentions emptied; the
        row of headings is marked by a zero character before it.

        Args:
            record: the row as it was read.
            loaded: not used.
            sanitized: edits of the row's text.

        Raises:
            FormatError: if columns would be released unchanged that the user did not choose to
                leave alone.
        """
        row, number = self._edited(record, sanitized), record.raw["number"]
        if number and _MENTIONS in row and _MENTIONS not in record.raw["columns"]:
            row[_MENTIONS] = ""
        return ("" if number else _MARK) + _csv_line([*row.values()], record.raw["delimiter"])

    def assemble(self, pieces: base.Rendered, source: BinaryIO, where: str) -> base.Output:
        """Yield the lines of the table: the header, sanitised, or with "column 2" in the place of a
        heading that may name somebody and was not sanitised; then the rows.

        Args:
            pieces: rows as ``render`` wrote them; the first is the header if that was read as a
                row.
            source: the input at its beginning; names and delimiter are read from it.
            where: the input's path, for messages.
        """
        names, delimiter, _ = _opened_csv(source, where)
        unread, rows = _unread(names), iter(pieces)
        first = [next(rows, "")] if unread else []
        if first and str(first[0]).startswith(_MARK):
            yield str(first.pop())[1:]
        else:
            shown = (f"column {n}" if name in unread else name for n, name in enumerate(names, 1))
            yield _csv_line([*shown], delimiter)
        yield from chain(first, rows)


def _opened_csv(file: BinaryIO, where: str) -> tuple[list[str], str, Any]:
    """Return (the names of a CSV file's columns, its delimiter, the reader of its further rows).
    Raise a ``FormatError`` if it has no header."""
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))  # known to all readers
    lines = base.decoded(base.read_lines(file, where), where)
    header = next(lines, "")
    delimiter = max(_DELIMITERS, key=header.count)
    table = csv.reader(chain([header], lines), delimiter=delimiter, strict=True)
    names = next(_csv_rows(table, where), [])  # none where the file is empty
    if not any(name.strip() for name in names):
        raise FormatError("it is empty", where=where, remedy="Its first line names the columns.")
    return names, delimiter, table


def _csv_rows(table: Any, where: str) -> Iterator[list[str]]:
    """Yield the cells of each further row that a reader of CSV holds; raise a ``FormatError`` that
    names the line if it is no CSV."""
    try:
        yield from table
    except csv.Error:
        raise FormatError(f"is not valid CSV (line {table.line_num})", where=where) from None


def _csv_line(cells: list[str], delimiter: str) -> str:
    """Return a row of CSV that ends in a line feed. Cells that contain a carriage return or line
    feed are quoted."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


class ParquetFormat(_TableFormat):
    """Reads and writes Parquet in batches of rows. ``column`` names the column with the texts, or
    several with commas."""

    name, needs = "parquet", "pyarrow"
    suffixes = (".parquet",)
    beginnings = (b"PAR1",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield each row as a ``Record``, in order; before them, as row 0, the headings if some may
        name somebody. Rows are read in batches, and only of columns that are needed; the cells of
        others are None.

        Args:
            file: at its beginning, seekable.
            where: the file's path, for messages.

        Raises:
            FormatError: if it is no Parquet file, a row group unpacks to more than 512 MiB, a
                column is missing, or its data cannot be read.
        """
        table = _opened_parquet(file, where)
        names = table.schema_arrow.names
        columns = self._text_columns(names, where)
        wanted = {*columns, _MENTIONS, _id_column(names, columns)}
        yield from _headings(names, where)
        said = sum(map(_count_remarks, table.schema_arrow), len(table.schema_arrow.metadata or ()))
        rows = _parquet_rows(table, [name for name in names if name in wanted], where)
        for number, row in enumerate(rows, start=1):
            full = {name: row.get(name) for name in names}
            own = {"number": number, "remarks": said * (number == 1)}
            yield Record({"row": full, "columns": columns, **own}, where)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return [row's number (from 0; -1 for the headings), its sanitised texts by columns of
        text] as JSON, for ``assemble`` to put into the table.

        Args:
            record: the row as it was read.
            loaded: not used.
            sanitized: edits of the row's text.

        Raises:
            FormatError: if columns would be released unchanged that the user did not choose to
                leave alone.
        """
        row = self._edited(record, sanitized)
        return to_json([record.raw["number"] - 1, [row[name] for name in record.raw["columns"]]])

    def assemble(self, pieces: base.Rendered, source: BinaryIO, where: str) -> base.Output:
        """Yield the bytes of a Parquet file with the rows that were sanitised. It has no mentions,
        which only fit the old texts, and no remarks on columns (metadata).

        Args:
            pieces: what ``render`` wrote, in the order of rows; a missing row was not sanitised.
            source: the input at its beginning; the other columns are copied from it.
            where: the input's path, for messages.
        """
        pyarrow, parquet = require("pyarrow"), require("pyarrow.parquet")
        table = _opened_parquet(source, where)
        old, text = table.schema_arrow, pyarrow.string()
        columns = self._text_columns(old.names, where)
        emptied = {_MENTIONS} & {*old.names} - {*columns}
        waiting = (json.loads(piece) for piece in pieces)
        upcoming, done = next(waiting, None), 0
        unread = _unread(old.names)
        called = {name: f"column {n}" for n, name in enumerate(old.names, 1) if name in unread}
        if upcoming is not None and upcoming[0] < 0:
            called, upcoming = dict(zip(called, upcoming[1], strict=True)), next(waiting, None)
        types = ((own.name, text if own.name in emptied else own.type) for own in old)
        schema = pyarrow.schema([(called.get(name, name), kind) for name, kind in types])
        flat = not any(map(pyarrow.types.is_nested, schema.types))  # types keep remarks inside
        with tempfile.TemporaryFile() as made:
            with parquet.ParquetWriter(made, schema, store_schema=flat) as writer:
                for batch in _batches(table, None, where):
                    texts = {}
                    while upcoming is not None and upcoming[0] < done + batch.num_rows:
                        texts[upcoming[0] - done] = upcoming[1]
                        upcoming = next(waiting, None)
                    done += batch.num_rows
                    kept = batch.take(pyarrow.array(list(texts), pyarrow.int64())).columns
                    cells = dict(zip(columns, zip(*texts.values(), strict=True), strict=False))
                    cells |= {name: (None,) * len(texts) for name in emptied}
                    for name, column in cells.items():
                        at = old.get_field_index(name)
                        kept[at] = pyarrow.array(column, schema.types[at])
                    writer.write_batch(pyarrow.RecordBatch.from_arrays(kept, schema=schema))
                    if upcoming is None:
                        break
            made.seek(0)
            yield from iter(lambda: made.read(1 << 20), b"")


def _count_remarks(field: Any) -> int:
    """Return the number of remarks (metadata) on a Parquet column, and on the fields inside it; ids
    of fields do not count."""
    inner = (field.type.field(at) for at in range(field.type.num_fields))
    return sum(map(_count_remarks, inner), len({*(field.metadata or ())} - {b"PARQUET:field_id"}))


def _opened_parquet(file: BinaryIO, where: str) -> Any:
    """Return a Parquet file, opened; raise a ``FormatError`` if it is none, or a group of its rows
    unpacks to more than 512 MiB."""
    with base.unreadable("not a Parquet file", where):
        table = require("pyarrow.parquet").ParquetFile(file)
    meta = table.metadata
    groups = (meta.row_group(n).total_byte_size for n in range(meta.num_row_groups))
    if max(groups, default=0) > MOST_GROUP:
        raise FormatError(f"a row group unpacks to more than {MOST_GROUP >> 20} MiB", where=where)
    return table


def _parquet_rows(table: Any, columns: list[str], where: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a Parquet file, each its cells by column; raise a ``FormatError`` if they
    cannot be read."""
    for batch in _batches(table, columns, where):
        with base.unreadable("its data cannot be read", where):
            rows = batch.to_pylist()  # fails at what is no UTF-8, dates beyond the calendar
        yield from rows


def _batches(table: Any, columns: list[str] | None, where: str) -> Iterator[Any]:
    """Yield the rows of a Parquet file, of some columns or (None) of all, in batches of at most
    256; raise a ``FormatError`` if they cannot be read."""
    with loading("its data cannot be read", where, kind=FormatError):
        yield from table.iter_batches(batch_size=_BATCH, columns=columns)
