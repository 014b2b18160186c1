"""OpenDocument text (.odt): one document a file. Replaced text changes, formatting stays.

The text is that of the body, headers, footers and notes, a paragraph a line. Only text and styles
are taken over: properties, settings, comments, the history of changes (settled as if accepted),
pictures and embedded objects are left behind, counted and told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from intact.domain import SanitizedDocument
from intact.errors import FormatError, require
from intact.formats.archive import check_archive, pack_parts, unpack_parts
from intact.formats.base import Format, Loaded, Record, load_plain
from intact.formats.pieces import (
    PERSONAL,
    Piece,
    changes,
    distinctive_words,
    holds_any,
    text_of,
    warn_of,
)

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_OFFICE, _TEXT, _TABLE = (_NS % name for name in ("office", "text", "table"))
_XLINK = "{http://www.w3.org/1999/xlink}href"
_MIME = b"application/vnd.oasis.opendocument.text"
_PARTS = ("content.xml", "styles.xml")
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_MARKS = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n", f"{_TEXT}s": " "}
_GONE = {
    "comments": "office:annotation office:annotation-end",
    "tracked changes": "text:tracked-changes text:change text:change-start text:change-end",
    "pictures": "drawing:image drawing:fill-image",
    "embedded objects": "drawing:object drawing:object-ole drawing:plugin drawing:applet "
    "drawing:floating-frame",
    "scripts and forms": "office:scripts office:event-listeners office:forms drawing:control",
    "variables": "text:variable-decls text:user-field-decls text:dde-connection-decls office:meta",
    "alternative texts": "svg-compatible:title svg-compatible:desc",
}
_VALUES = ("value", "date-value", "time-value", "string-value", "boolean-value", "value-type")
_MANIFEST = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest '
    'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_MIME.decode()}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/>'
    "</manifest:manifest>\n"
)


class OdtFormat(Format):
    """Reads an OpenDocument text as one document and writes it back with its text sanitised."""

    name = "odt"
    annotated = False
    suffixes = (".odt",)
    beginnings = (b"PK\x03\x04\x14\x00\x00\x08\x00\x00mimetype",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its text, without mentions."""
        data, where = record.raw, record.where
        check_archive(data, where, self.name)
        parts = unpack_parts(data, where)
        if b"encryption-data" in parts.get("META-INF/manifest.xml", b""):
            raise FormatError("is encrypted", where=where, remedy="Save it without a password.")
        etree = require("lxml.etree")
        try:
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            roots = {n: etree.fromstring(parts[n], parser) for n in _PARTS if n in parts}
        except etree.XMLSyntaxError:
            raise FormatError("not an .odt file that can be read", where=where) from None
        body = roots.get("content.xml")
        if body is None or body.find(f"{_OFFICE}body/{_OFFICE}text") is None:
            raise FormatError("not an .odt file (it has no text)", where=where)
        gone: Counter[str] = Counter()
        for root in roots.values():
            _strip(root, gone)
        own = (*_PARTS, "mimetype", "META-INF/manifest.xml")
        others = [name for name in parts if name not in own and not name.endswith("/")]
        gone["sets of properties"] += sum("meta.xml" in name for name in others)
        gone["further parts (objects, settings, previews)"] += sum(
            not name.startswith("Pictures/") and name != "meta.xml" for name in others
        )
        return load_plain(text_of(_pieces(roots)), where, warn_of(gone.items(), "removed"), roots)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the file with its text edited."""
        etree, roots = require("lxml.etree"), loaded.parsed
        for (element, place), text in changes(_pieces(roots), sanitized.edits):
            if place == "mark":  # a tab, line break or row of spaces
                element.text, element.tag = text, "replaced"
            else:
                setattr(element, place, text)
        for root in roots.values():
            etree.strip_tags(root, "replaced")
        words = distinctive_words(loaded.document.text, sanitized.edits)
        renamed: dict[str, str] = {}  # equal names stay equal
        for element in (each for root in roots.values() for each in root.iter()):
            for name, value in element.attrib.items():
                if holds_any(value, words):
                    fresh = renamed.setdefault(value, f"removed{len(renamed) + 1}")
                    element.set(name, "#" if name == _XLINK else fresh)
        parts = [("mimetype", _MIME)]
        for name, root in roots.items():
            parts.append((name, etree.tostring(root, encoding="UTF-8", xml_declaration=True)))
        return pack_parts([*parts, ("META-INF/manifest.xml", _MANIFEST.encode())])


def _strip(root: Any, gone: Counter[str]) -> None:
    """Take out of a tree what readers do not see, and what is no text."""
    etree = require("lxml.etree")
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction, etree.Entity)
    for name, tags in _GONE.items():
        pairs = (tag.split(":") for tag in tags.split())
        full = [(_NS % space) + local for space, local in pairs]
        found = (element.tag for element in root.iter(*full))
        gone[name] += sum(not tag.endswith(("-end", "change-start")) for tag in found)
        etree.strip_elements(root, *full, with_tail=False)
    for element in root.iter():
        if element.tag == f"{_TABLE}table-cell":
            gone["formulas"] += element.attrib.pop(f"{_TABLE}formula", None) is not None
        for name in _VALUES:
            element.attrib.pop(f"{_OFFICE}{name}", None)
        if element.get(_XLINK, "").lower().startswith(PERSONAL):
            gone["mail, telephone and file addresses"] += 1
            element.set(_XLINK, "#")


def _pieces(roots: dict[str, Any]) -> list[Piece]:
    """Return the pieces of text in reading order, a line a paragraph; nested ones after theirs.
    Their place is an element and "text", "tail" or "mark", all of it."""
    found: list[Piece] = []
    for paragraph in (each for root in roots.values() for each in root.iter(*_PARAGRAPHS)):
        found += [*_of_paragraph(paragraph), Piece("\n")]
    return found


def _of_paragraph(element: Any) -> Iterator[Piece]:
    """Yield the pieces inside an element, but for those of paragraphs in it (boxes, notes)."""
    if element.text:
        yield Piece(element.text, (element, "text"))
    for child in element:
        if child.tag in _MARKS:
            times = child.get(f"{_TEXT}c", "1")
            count = min(int(times), 200) if times.isdecimal() else 1
            yield Piece(_MARKS[child.tag] * count, (child, "mark"))
        elif child.tag not in _PARAGRAPHS:
            yield from _of_paragraph(child)
        if child.tail:
            yield Piece(child.tail, (child, "tail"))
