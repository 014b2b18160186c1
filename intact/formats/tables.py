"""What tables share: which column holds the text, which the id, which the mentions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from intact.domain import Document
from intact.errors import DocumentError, FormatError
from intact.formats.base import Loaded
from intact.formats.exchange import Layer, load, stem
from intact.formats.jsonstream import to_json
from intact.formats.writing import Lost, as_object

TEXT, MENTIONS = "text", "mentions"
_IDS = ("doc_id", "id")
_NAME = re.compile(r"[A-Za-z][a-z0-9_]{0,30}")
"""What is surely a column's name; the first line of a table without names holds somebody's text."""


def text_column(names: Sequence[str], wanted: str, where: str) -> str:
    """The name of the column with the texts: the one asked for, "text", or the only one.

    Raises:
        FormatError: if there is none, or a name comes twice.
    """
    if len(set(names)) < len(names):
        raise FormatError("two columns have the same name", where=where)
    column = wanted or (names[0] if len(names) == 1 else TEXT)
    if column not in names:
        has = f" It has: {', '.join(names)}." if all(map(_NAME.fullmatch, names)) else ""
        raise FormatError(
            f"it has no column {column!r}",
            where=where,
            remedy=f"Name the column: --format csv:COLUMN or parquet:COLUMN.{has}",
        )
    return column


def id_column(names: Sequence[str], text: str) -> str:
    """The name of the column with the ids, or "" if there is none."""
    return next((name for name in _IDS if name in names and name != text), "")


def untouched(names: Sequence[str], text: str) -> tuple[str, ...]:
    """What to say of the columns that stay as they are."""
    others = [n for n in names if n not in (text, MENTIONS, id_column(names, text))]
    if not others:
        return ()
    shown = ", ".join(name[:40] for name in others[:8]) + (", ..." if len(others) > 8 else "")
    return (f"{len(others)} other columns are left as they are: {shown}",)


def load_row(row: Mapping[str, Any], text: str, number: int, where: str) -> Loaded:
    """A row as a document; one without an id is called after file and row.

    Args:
        text: the name of the column with the text; null is an empty text.
        number: of the row, from 1.
    """
    given = row.get(id_column(tuple(row), text)) if id_column(tuple(row), text) else None
    doc_id = f"{stem(where)}-{number}" if given in (None, "") else str(given)
    where = f"{where}, row {number}"
    value = row[text]
    given_mentions = row.get(MENTIONS) if text != MENTIONS else None
    layer = Layer(_mentions(given_mentions, where))
    warnings = untouched(tuple(row), text) if number == 1 else ()
    loaded = load(doc_id, "" if value is None else value, layer, where, warnings=warnings)
    return replace(loaded, marked=given_mentions not in (None, ""))


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


def rows(documents: Iterator[Document], text: str, lost: Lost) -> Iterator[dict[str, str]]:
    """Documents as rows with id, text and mentions."""
    for document in documents:
        raw = as_object(document)
        lost.add("languages", int("language" in raw))
        yield {"id": document.id, text: document.text, MENTIONS: to_json(raw["mentions"])}
