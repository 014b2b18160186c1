"""CoNLL's columns with IOB tags: a token a line, its tag last, an empty line after a sentence.

Read: IOB1, IOB2, IOBES and BILOU; ``-DOCSTART-`` begins a document. Written: IOB2. The format
keeps tokens, not the text: a text read from it has one space between tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO

from intact.domain import Document, Mention
from intact.errors import FormatError, InputError
from intact.formats.base import Loaded, Record
from intact.formats.exchange import AsJsonl, Layer, load, stem
from intact.formats.reading import read_text
from intact.formats.writing import Lost, lose_identifiers, lose_links, without_overlaps

_START = "-DOCSTART-"
_COMMENT = re.compile(r"# ?(?:newdoc|newpar|sent_id|text|id|doc_id)\b")
_DOC_ID = re.compile(r"# ?(?:newdoc id|id|doc_id) = (.+)")
_TAG = re.compile(r"([BIOESLU])(?:[-_](.+))?$")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_TOKEN_OR_LINE = re.compile(r"\w+|[^\w\s]|\n")


@dataclass(frozen=True, slots=True)
class ConllFormat(AsJsonl):
    """Reads and writes tagged tokens."""

    name: str = "conll"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".conll", ".iob", ".bio")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The documents of the file; see ``Format``."""
        found: list[tuple[str, list[tuple[str, str]]]] = []  # (id, rows)
        for number, line in enumerate(read_text(file, where).split("\n"), start=1):
            row = line.rstrip("\r")
            if row.startswith(_START) or row.startswith("# newdoc"):
                if found and not found[-1][1]:
                    found.pop()
                found.append(("", []))
            if not found:
                found.append(("", []))
            name = _DOC_ID.match(row)
            if name:
                found[-1] = (name[1].strip(), found[-1][1])
            elif not row.strip():
                found[-1][1].append(("", ""))
            elif not row.startswith(_START) and not _COMMENT.match(row):
                found[-1][1].append(_columns(row, f"{where}, line {number}"))
        full = [item for item in found if any(token for token, _ in item[1])]
        for number, (doc_id, rows) in enumerate(full, start=1):
            made = stem(where) if len(full) == 1 else f"{stem(where)}-{number}"
            yield Record({"id": doc_id or made, "rows": rows}, f"{where}, document {number}")

    def load(self, record: Record, annotator: str) -> Loaded:
        """The tokens as a text with mentions; see ``Format``."""
        text, raws = _joined(record.raw["rows"])
        return load(record.raw["id"], text, Layer(raws), record.where)

    def pieces(self, documents: Iterable[Document], lost: Lost) -> Iterator[bytes]:
        """The documents one after the other."""
        for document in documents:
            lose_identifiers(document, lost)
            lose_links(document, lost)
            lost.add("document ids")
            rows = [*_rows(document, without_overlaps(document, lost), lost), ("", "")]
            kept, _ = _joined(rows)
            if not kept:
                lost.add("texts without a word, left out")
                continue
            lost.add("texts whose spacing is not kept", int(kept != document.text))
            lines = "".join(f"{token}\t{tag}\n" if token else "\n" for token, tag in rows)
            yield f"{_START}\tO\n\n{lines}".encode()


def _columns(row: str, where: str) -> tuple[str, str]:
    """Token and tag of a line."""
    columns = row.split("\t") if "\t" in row else row.split()
    tag = columns[-1].strip()
    if len(columns) < 2 or not columns[0].strip() or not _TAG.match(tag):
        raise FormatError(
            "is not a token and its tag",
            where=where,
            remedy="Tags are O, B-TYPE, I-TYPE (also E-, S-, L-, U-).",
        )
    return columns[0].strip(), tag


def _joined(rows: list[tuple[str, str]]) -> tuple[str, list[dict[str, Any]]]:
    """Text and mentions of tagged tokens."""
    text = ""
    raws: list[dict[str, Any]] = []
    running = ""  # type of the mention that the next token may go on with
    for token, tag in rows:
        if not token:
            running = ""
            text += "\n" if text and not text.endswith("\n") else ""
            continue
        start = len(text) + int(bool(text) and not text.endswith("\n"))
        text = text.ljust(start) + token
        match = _TAG.match(tag)
        prefix, kind = (match[1], match[2] or "MISC") if match else ("O", "")
        if prefix == "O":
            running = ""
            continue
        if prefix in "BSU" or running != kind:
            raws.append({"start": start, "type": kind})
        raws[-1]["end"] = len(text)
        running = "" if prefix in "ESLU" else kind
    return text.rstrip("\n"), raws


def _rows(
    document: Document, mentions: tuple[Mention, ...], lost: Lost
) -> Iterator[tuple[str, str]]:
    """Tokens with their tags; ("", "") where a sentence ends."""
    text = document.text
    edges = sorted({0, len(text), *(at for m in mentions for at in (m.span.start, m.span.end))})
    inside = {m.span.start: m for m in mentions}
    for start, end in pairwise(edges):
        mention = inside.get(start)
        if mention is None:
            for match in _TOKEN_OR_LINE.finditer(text, start, end):
                yield ("", "") if match[0] == "\n" else (match[0], "O")
            continue
        tokens = _TOKEN.findall(text, start, end)
        kind = re.sub(r"\s", "_", mention.entity_type)
        loose = bool(tokens) and mention.text != mention.text.strip()
        lost.add("mentions changed: white space around them cut off", int(loose))
        lost.add("mentions without a word, left out", int(not tokens))
        lost.add("entity types with white space, changed", int(kind != mention.entity_type))
        for number, token in enumerate(tokens):
            yield token, f"{'I' if number else 'B'}-{kind}"
