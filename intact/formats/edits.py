"""Edits: what replaces which characters, ``{doc_id: [[start, end, "replacement"], ...]}``.

The exchange format of the TAE evaluator (there "anonymizations"). An item without a third
element suppresses. Written ascending and not overlapping; read in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from intact.domain import Edit, Span
from intact.errors import EditsError
from intact.formats.json_text import read_json, to_json

HEADER = "{\n"
SEPARATOR = ",\n"
FOOTER = "\n}\n"


def render(doc_id: str, edits: tuple[Edit, ...]) -> str:
    """The line of one document.

    Args:
        doc_id: of the document.
        edits: ascending, not overlapping.
    """
    items = [[edit.span.start, edit.span.end, edit.text] for edit in edits]
    return f"{to_json(doc_id)}: {to_json(items)}"


def read_edits(
    path: Path, overlapping: Callable[[str], None] | None = None
) -> dict[str, tuple[Edit, ...]]:
    """The edits of each document, ascending.

    Args:
        path: a JSON file.
        overlapping: told the id of the document of every edit that overlaps the one before it
            and is left out; without it that is an error.

    Raises:
        FormatError: if the file is not readable as JSON.
        EditsError: if it is not an edits file, or edits of one document overlap.
    """
    tree = read_json(path)
    if not isinstance(tree, dict):
        raise EditsError(
            "the top level is not an object",
            where=str(path),
            remedy='Edits are {doc_id: [[start, end, "replacement"], ...]}.',
        )
    return {
        doc_id: tuple(ordered(items, f"{path}, document {doc_id}", overlapping, doc_id))
        for doc_id, items in tree.items()
    }


def check_fit(
    edits: Mapping[str, tuple[Edit, ...]], lengths: Mapping[str, int], where: str
) -> None:
    """Checks edits against the documents they are for.

    Args:
        edits: of each document, ascending, by id.
        lengths: characters of each document, by id.
        where: the name of the edits, for messages.

    Raises:
        EditsError: if they are for an unknown document or reach beyond the end of a text.
    """
    for doc_id, items in edits.items():
        if doc_id not in lengths:
            raise EditsError(
                f"there is no document {doc_id}", where=where, remedy="Is it the same corpus?"
            )
        if items and items[-1].span.end > lengths[doc_id]:
            raise EditsError(
                f"an edit ends at {items[-1].span.end}, the text at {lengths[doc_id]}",
                where=f"{where}, document {doc_id}",
                remedy="Is it the same version of the document?",
            )


def ordered(
    items: Any,
    where: str,
    overlapping: Callable[[str], None] | None = None,
    doc_id: str = "",
) -> Iterator[Edit]:
    """Edits of one document, ascending.

    Args:
        items: lists or tuples of start, end and replacement.
        where: for messages.
        overlapping: see ``read_edits``.
        doc_id: what it is told.
    """
    if not isinstance(items, list):
        raise EditsError("its edits are not a list", where=where)
    edits = sorted(
        (_edit(item, where) for item in items),
        key=lambda edit: (edit.span.start, -edit.span.end),
    )
    end = 0
    for edit in edits:
        if edit.span.start < end:
            if overlapping is not None:
                overlapping(doc_id)
                continue
            raise EditsError(
                f"two edits overlap at offset {edit.span.start}",
                where=where,
                remedy="Each character can be replaced once.",
            )
        end = edit.span.end
        yield edit


def _edit(item: Any, where: str) -> Edit:
    if isinstance(item, list | tuple) and len(item) in (2, 3):
        start, end, text = item if len(item) == 3 else (*item, "")
        if type(start) is type(end) is int and 0 <= start < end and isinstance(text, str):
            return Edit(Span(start, end), text)
    raise EditsError(
        "an edit is not [start, end] or [start, end, replacement] with 0 <= start < end",
        where=where,
    )
