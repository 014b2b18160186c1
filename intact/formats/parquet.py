"""Parquet with a column of texts, one document a row; read and written in batches of rows.

A column ``mentions`` may hold the mentions (JSON, or a list of structs); it is emptied in a
sanitised table, and all other columns stay as they are.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from intact.domain import Document, SanitizedDocument
from intact.errors import FormatError, InputError, MissingExtraError
from intact.formats.base import Loaded, Record
from intact.formats.jsonstream import to_json
from intact.formats.tables import MENTIONS, TEXT, id_column, load_row, rows, text_column
from intact.formats.writing import Lost

MOST_GROUP = 512 << 20
"""The largest row group, in bytes when unpacked (512 MiB)."""
_BATCH = 256


@dataclass(frozen=True, slots=True)
class ParquetFormat:
    """Reads and writes tables; ``column`` names the one with the texts."""

    column: str = ""
    name: str = "parquet"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".parquet",)
    header: str = ""
    separator: str = ""
    footer: str = ""

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The rows; see ``Format``."""
        table = _opened(file, where)
        names = table.schema_arrow.names
        column = text_column(names, self.column, where)
        wanted = {column, MENTIONS, id_column(names, column)}
        number = 0
        for batch in _batches(table, [name for name in names if name in wanted], where):
            for row in _listed(batch, where):
                number += 1
                full = {name: row.get(name) for name in names}
                yield Record({"row": full, "column": column, "number": number}, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The row as a document; see ``Format``."""
        return load_row(record.raw["row"], record.raw["column"], record.raw["number"], record.where)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The row's number (from 0) and its text."""
        missing = record.raw["row"][record.raw["column"]] is None
        return to_json([record.raw["number"] - 1, None if missing else sanitized.text])

    def assemble(self, source: BinaryIO, where: str, pieces: Iterator[str]) -> Iterator[bytes]:
        """The table with the rows that came through, their texts sanitised."""
        pyarrow, parquet = _pyarrow()
        table = _opened(source, where)
        schema = table.schema_arrow
        column = text_column(schema.names, self.column, where)
        waiting = (json.loads(piece) for piece in pieces)
        upcoming = next(waiting, None)
        with tempfile.TemporaryFile() as made:
            with parquet.ParquetWriter(made, schema) as writer:
                done = 0
                for batch in _batches(table, None, where):
                    texts = {}
                    while upcoming is not None and upcoming[0] < done + batch.num_rows:
                        texts[upcoming[0] - done] = upcoming[1]
                        upcoming = next(waiting, None)
                    done += batch.num_rows
                    kept = batch.take(pyarrow.array(list(texts), pyarrow.int64()))
                    writer.write_batch(_with(kept, column, list(texts.values()), pyarrow))
                    if upcoming is None:
                        break
            made.seek(0)
            yield from iter(lambda: made.read(1 << 20), b"")

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """A table with id, text and mentions."""
        pyarrow, parquet = _pyarrow()
        column = self.column or TEXT
        schema = pyarrow.schema([(n, pyarrow.string()) for n in ("id", column, MENTIONS)])
        found = rows(iter(documents), column, lost)
        with tempfile.TemporaryFile() as made:
            with parquet.ParquetWriter(made, schema) as writer:
                while batch := list(islice(found, _BATCH)):
                    writer.write_batch(pyarrow.RecordBatch.from_pylist(batch, schema=schema))
            made.seek(0)
            yield from iter(lambda: made.read(1 << 20), b"")


def _with(batch: Any, column: str, texts: list[str | None], pyarrow: Any) -> Any:
    """The batch with other texts, and without mentions, which fit the old ones only."""
    schema = batch.schema
    arrays = list(batch.columns)
    at = schema.get_field_index(column)
    arrays[at] = pyarrow.array(texts, schema.field(at).type)
    at = schema.get_field_index(MENTIONS)
    if at >= 0 and column != MENTIONS:
        arrays[at] = pyarrow.nulls(len(texts), schema.field(at).type)
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _opened(file: BinaryIO, where: str) -> Any:
    pyarrow, parquet = _pyarrow()
    try:
        table = parquet.ParquetFile(file)
    except (pyarrow.ArrowException, OSError):
        raise FormatError("not a Parquet file", where=where) from None
    meta = table.metadata
    largest = max(
        (meta.row_group(n).total_byte_size for n in range(meta.num_row_groups)), default=0
    )
    if largest > MOST_GROUP:
        raise FormatError(
            f"a row group unpacks to more than {MOST_GROUP >> 20} MiB",
            where=where,
            remedy="Write it in smaller row groups.",
        )
    return table


def _batches(table: Any, columns: list[str] | None, where: str) -> Iterator[Any]:
    pyarrow, _ = _pyarrow()
    try:
        yield from table.iter_batches(batch_size=_BATCH, columns=columns)
    except (pyarrow.ArrowException, OSError):
        raise FormatError("its data cannot be read", where=where) from None


def _listed(batch: Any, where: str) -> list[Any]:
    try:
        rows: list[Any] = batch.to_pylist()
    except ValueError:  # bytes that are no UTF-8, dates beyond the calendar
        raise FormatError("its data cannot be read", where=where) from None
    return rows


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError.of("pyarrow", "formats") from None
    return pyarrow, parquet
