"""brat's standoff: ``letter.txt`` and ``letter.ann``.

Text-bound annotations ``T1\\tPER 0 4\\tJohn`` (parts of discontinuous ones separated by ``;``),
``*\\tEquiv T1 T3`` for mentions of one entity, ``A1\\tIdentifier T1 DIRECT`` for the identifier
type. Offsets are code points. Relations, events and notes are read over and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from intact.domain import Document, IdentifierType, Mention
from intact.errors import DocumentError, InputError
from intact.formats.base import Loaded, Record
from intact.formats.exchange import AsJsonl, Layer, load, stem
from intact.formats.reading import read_text
from intact.formats.standoff import read_beside
from intact.formats.writing import Lost, lose_namesakes, same_entity

ATTRIBUTE = "Identifier"
_KINDS = {"R": "relations", "E": "events", "#": "notes", "N": "normalisations"}
_IDENTIFIERS = frozenset(IdentifierType)
_BOUND = re.compile(r"(\S+) (\d+ \d+(?:;\d+ \d+)*)")


@dataclass(frozen=True, slots=True)
class BratFormat(AsJsonl):
    """Reads and writes brat's pairs of files."""

    name: str = "brat"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".ann",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the pair; see ``Format``."""
        lines = [line.rstrip("\r") for line in read_text(file, where).split("\n")]
        text, _ = read_beside(where, f"{Path(where).stem}.txt")
        yield Record({"lines": lines, "text": text}, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The document; see ``Format``."""
        text, where = record.raw["text"], record.where
        found: list[dict[str, Any]] = []
        links: list[tuple[str, str]] = []
        identifiers: dict[str, str] = {}
        passed: Counter[str] = Counter()
        for number, line in enumerate(record.raw["lines"], start=1):
            key, _, rest = line.partition("\t")
            if key[:1] == "T":
                found += _bound(key, rest, text, f"{where}, line {number}")
            elif key == "*" and rest.startswith("Equiv "):
                first, *others = rest.split()[1:]
                links += [(first, other) for other in others]
            elif key[:1] in ("A", "M"):
                name, target, value = (*rest.split(), "", "", "")[:3]
                if name == ATTRIBUTE and value in _IDENTIFIERS:
                    identifiers[target] = value
                else:
                    passed["attributes"] += 1
            elif line.strip():
                passed[_KINDS.get(key[:1], "other lines")] += 1
        for raw in found:
            if raw["of"] in identifiers:
                raw["identifier_type"] = identifiers[raw["of"]]
        parts = [raw for raw in found if raw["id"] != raw["of"]]
        links += [(raw["of"], raw["id"]) for raw in parts]
        warnings = [f"{n} {what} are not used" for what, n in passed.items()]
        if parts:
            warnings.append(f"{len(parts)} further parts of discontinuous mentions stand alone")
        return load(stem(where), text, Layer(found, links), where, warnings=warnings)

    def files(self, document: Document, stem: str, lost: Lost) -> Mapping[str, bytes]:
        """The two files of a document."""
        lose_namesakes(document, lost)
        keys = {mention.id: f"T{n}" for n, mention in enumerate(document.mentions, start=1)}
        lines = [_line(keys[m.id], m, document.text, lost) for m in document.mentions]
        groups: dict[str, list[str]] = {}
        for first, other in same_entity(document):
            groups.setdefault(keys[first.id], [keys[first.id]]).append(keys[other.id])
        lines += [f"*\tEquiv {' '.join(group)}" for group in groups.values()]
        direct = [m for m in document.mentions if m.identifier_type is not IdentifierType.QUASI]
        lines += [
            f"A{n}\t{ATTRIBUTE} {keys[m.id]} {m.identifier_type}"
            for n, m in enumerate(direct, start=1)
        ]
        content = "".join(f"{line}\n" for line in lines)
        return {
            f"{stem}.ann": content.encode("utf-8"),
            f"{stem}.txt": document.text.encode("utf-8"),
        }


def _bound(key: str, rest: str, text: str, where: str) -> list[dict[str, Any]]:
    """A text-bound annotation; parts with only white space between them are one mention."""
    match = _BOUND.match(rest)
    if match is None:
        raise DocumentError(
            "is no text-bound annotation",
            where=where,
            remedy="brat writes: T1<tab>TYPE START END<tab>text.",
        )
    parts: list[list[int]] = []
    for item in match[2].split(";"):
        start, end = map(int, item.split())
        if parts and start >= parts[-1][1] and not text[parts[-1][1] : start].strip():
            parts[-1][1] = end
        else:
            parts.append([start, end])
    return [
        {"id": key if n == 0 else f"{key}.{n}", "of": key, "type": match[1], "start": s, "end": e}
        for n, (s, e) in enumerate(parts)
    ]


def _line(key: str, mention: Mention, text: str, lost: Lost) -> str:
    """brat keeps mentions off line ends: one that runs over a line's end is written in parts."""
    kind = re.sub(r"[^\w\-]", "_", mention.entity_type)
    lost.add("entity types that brat cannot spell, changed", int(kind != mention.entity_type))
    start, end = mention.span.start, mention.span.end
    pieces = [m.span() for m in re.finditer(r"[^\r\n]+", text[start:end])]
    if len(pieces) < 2 or len(mention.text) != sum(e - s for s, e in pieces) + len(pieces) - 1:
        pieces = [(0, end - start)]
    spans = ";".join(f"{start + s} {start + e}" for s, e in pieces)
    shown = re.sub(r"\s", " ", " ".join(mention.text[s:e] for s, e in pieces))
    return f"{key}\t{kind} {spans}\t{shown}"
