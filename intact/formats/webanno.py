"""WebAnno's and INCEpTION's TSV 3: tokens with stacked annotations, offsets in UTF-16 units.

Written: one span layer, the named entities with ``value`` (type) and ``identifier`` (entity id).
Read: named entities and layers of one's own, of each the feature ``value`` (or the first one);
units below the token (``1-1.1``) count too. Grammar, chains and relations are read over, counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO

from intact.domain import Document, Mention
from intact.errors import FormatError, InputError
from intact.formats.base import Loaded, Record
from intact.formats.exchange import AsJsonl, Layer, load, stem
from intact.formats.offsets import to_utf16
from intact.formats.reading import read_text
from intact.formats.writing import Lost, lose_identifiers

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
_HEADER = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NAMED_ENTITY}|identifier|value\n\n\n"
_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
_SPECIAL = re.compile(r"([\\\[\]|_;*]|->)")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_ITEM = re.compile(r"(?:\\.|[^|\\])+")
_NUMBERED = re.compile(r"((?:\\.|[^\\\[])*)(?:\[(\d+)\])?", re.DOTALL)
_UNIT = re.compile(r"\d+-\d+(\.\d+)?")
_SENTENCE = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b"}
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b"}


@dataclass(frozen=True, slots=True)
class WebannoFormat(AsJsonl):
    """Reads and writes WebAnno TSV 3."""

    name: str = "webanno"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".tsv",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file; see ``Format``."""
        lines = [line.rstrip("\r") for line in read_text(file, where).split("\n")]
        if not lines[0].startswith("#FORMAT=WebAnno TSV 3"):
            raise FormatError(
                "is no WebAnno TSV 3 file",
                where=where,
                remedy='Its first line says "#FORMAT=WebAnno TSV 3.x"; a table is --from csv.',
            )
        yield Record(lines, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The document; see ``Format``."""
        reader = _Reader(record.where)
        for number, line in enumerate(record.raw, start=1):
            reader.line(line, f"{record.where}, line {number}")
        return load(
            stem(record.where),
            reader.text(),
            Layer(reader.mentions()),
            record.where,
            warnings=[f"{n} {what} are not used" for what, n in reader.unused.items() if n],
        )

    def files(self, document: Document, stem: str, lost: Lost) -> Mapping[str, bytes]:
        """The one file of a document."""
        lose_identifiers(document, lost)
        blank = sum(not m.text.strip() for m in document.mentions)
        lost.add("mentions of white space alone, left out", blank)
        loose = sum(m.text != m.text.strip() for m in document.mentions) - blank
        lost.add("mentions changed: white space around them cut off", loose)
        lost.add("texts of white space alone", int(document.text.isspace()))
        return {f"{stem}.tsv": "".join(_written(document)).encode("utf-8")}


class _Reader:
    """Takes the lines one after the other."""

    def __init__(self, where: str) -> None:
        self.unused = {
            "layers of grammar": 0,
            "chains and relations": 0,
            "annotations without a value": 0,
        }
        self._where = where
        self._columns: list[tuple[int, int]] = []  # of each layer: type's and entity's column
        self._width = 3
        self._sentence: str | None = None
        self._parts: list[tuple[int, str]] = []  # (UTF-16 offset, sentence)
        self._spans: dict[str, dict[str, Any]] = {}
        self._lone = 0

    def line(self, line: str, where: str) -> None:
        """Takes one line."""
        if line.startswith("#T_SP="):
            layer, *features = line.removeprefix("#T_SP=").split("|")
            width = max(1, len(features))
            if layer.startswith(_DKPRO) and layer != NAMED_ENTITY:
                self.unused["layers of grammar"] += 1
                self._width += width
                return
            kind = features.index("value") if "value" in features else 0
            entity = features.index("identifier") if "identifier" in features else -1
            self._columns.append(
                (self._width + kind, self._width + entity if entity >= 0 and entity != kind else -1)
            )
            self._width += width
        elif line.startswith(("#T_CH=", "#T_RL=")):
            self.unused["chains and relations"] += 1
            self._width += max(1, line.count("|")) + line.startswith("#T_RL=")
        elif line.startswith("#Text="):
            sentence = _unescaped(line.removeprefix("#Text="))
            fresh = self._sentence is None
            self._sentence = sentence if fresh else f"{self._sentence}\n{sentence}"
        elif line and not line.startswith("#"):
            self._token(line.split("\t"), where)

    def _token(self, cells: list[str], where: str) -> None:
        start, dash, end = cells[1].partition("-") if len(cells) > 2 else ("", "", "")
        if not (_UNIT.fullmatch(cells[0]) and dash and start.isdigit() and end.isdigit()):
            raise FormatError(
                "is no token",
                where=where,
                remedy="A token's line has: sentence-token, start-end, token, annotations.",
            )
        low, high = int(start), int(end)
        if self._sentence is not None:
            shown = _unescaped(cells[2])
            inside = self._sentence.find(shown)
            lead = to_utf16(self._sentence, max(inside, 0))
            self._parts.append((max(0, low - lead), self._sentence))
            self._sentence = None
        for layer, (kind, entity) in enumerate(self._columns):
            kinds = _stack(cells[kind]) if kind < len(cells) else []
            names = _stack(cells[entity]) if 0 <= entity < len(cells) else []
            for at, (value, number) in enumerate(kinds):
                name = names[at][0] if at < len(names) else ""
                self._add(f"{layer}:{number}" if number else "", value, name, (low, high))

    def _add(self, key: str, kind: str, name: str, span: tuple[int, int]) -> None:
        """An annotation on a unit; those that share a number are one over several units."""
        if not kind:
            self.unused["annotations without a value"] += 1
            return
        if not key:
            self._lone += 1
            key = f"lone:{self._lone}"
        found = self._spans.setdefault(
            key,
            {"start": span[0], "end": span[1], "type": kind}
            | ({"entity_id": name} if name else {}),
        )
        found["end"] = max(found["end"], span[1])

    def text(self) -> str:
        """The text; what stands between sentences is taken for line ends."""
        text, units = "", 0
        for start, sentence in self._parts:
            if start < units:
                raise FormatError("its sentences overlap", where=self._where)
            text += "\n" * (start - units) + sentence
            units = start + to_utf16(sentence, len(sentence))
        return text

    def mentions(self) -> list[dict[str, Any]]:
        """The annotations in code points, in text order."""
        points: dict[int, int] = {}
        unit = 0
        text = self.text()
        for at, char in enumerate(text):
            points[unit] = at
            unit += 1 + (ord(char) > 0xFFFF)
        points[unit] = len(text)
        found = [
            raw | {"start": points.get(raw["start"], -1), "end": points.get(raw["end"], -1)}
            for raw in self._spans.values()
        ]
        return sorted(found, key=lambda raw: (raw["start"], raw["end"]))


def _stack(cell: str) -> list[tuple[str, str]]:
    """The (value, number) pairs stacked in a cell; number "" where there is none."""
    found = []
    for item in _ITEM.findall(cell):
        match = _NUMBERED.fullmatch(item)
        value, number = (match[1], match[2] or "") if match else (item, "")
        if value != "_" or number:
            found.append(("" if value in ("*", "_") else _unescaped(value), number))
    return found


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda m: _LETTERS.get(m[1], m[1]), text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).translate(
        {ord(key): value for key, value in _SENTENCE.items() if key != "\\"}
    )


def _written(document: Document) -> Iterator[str]:
    """The file: a sentence a line of the text, tokens cut at the edges of mentions."""
    yield _HEADER
    text = document.text
    mentions = [m for m in document.mentions if m.text.strip()]
    numbers = {m.id: n for n, m in enumerate(mentions, start=1)}
    edges = {at for m in mentions for at in _tight(m)}
    units = 0
    for sentence, (start, end) in enumerate(_sentences(text), start=1):
        shown = text[start:end].translate({ord(key): value for key, value in _SENTENCE.items()})
        yield f"\n#Text={shown}\n" if sentence > 1 else f"#Text={shown}\n"
        number = 0
        for low, high in pairwise(sorted({start, end, *(at for at in edges if start < at < end)})):
            for token in _TOKEN.finditer(text, low, high):
                width = to_utf16(token[0], len(token[0]))
                if not token[0].isspace():
                    number += 1
                    here = [m for m in mentions if _covers(m, token.start())]
                    yield (
                        f"{sentence}-{number}\t{units}-{units + width}\t{_shown(token[0])}\t"
                        f"{_cell(here, numbers, 'entity_id')}\t"
                        f"{_cell(here, numbers, 'entity_type')}\t\n"
                    )
                units += width


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """The lines of a text; blank ones go with the line before, or with the first one."""
    start = at = 0
    full = False
    for line in text.split("\n"):
        if line.strip() and full:
            yield start, at
            start = at
        full = full or bool(line.strip())
        at = min(at + len(line) + 1, len(text))
    if full:
        yield start, len(text)


def _shown(token: str) -> str:
    return token.replace("\\", "\\\\") if token == "\\" else token


def _tight(mention: Mention) -> tuple[int, int]:
    """The edges of a mention without white space around it."""
    start = mention.span.start + len(mention.text) - len(mention.text.lstrip())
    return start, start + len(mention.text.strip())


def _covers(mention: Mention, at: int) -> bool:
    start, end = _tight(mention)
    return start <= at < end


def _cell(here: list[Mention], numbers: Mapping[str, int], field: str) -> str:
    return "|".join(f"{_escaped(getattr(m, field))}[{numbers[m.id]}]" for m in here) or "_"
