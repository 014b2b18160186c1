"""OpenDocument text (.odt): one document per file. Replaced text changes, formatting stays.

The text is that of the body, headers, footers and notes, one paragraph per line. Only text and
styles are taken over. Properties, settings, comments, the history of changes (treated as accepted),
targets of links, pictures and embedded objects are left out, and warnings count them; names of
styles and bookmarks are made meaningless."""

import re
from collections.abc import Container, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from intact.domain import SanitizedDocument
from intact.errors import FormatError, require
from intact.formats import archive, neutral, pieces
from intact.formats.base import Loaded, Record, UnmarkedFormat, load_plain, unreadable

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_SPACES = ("office", "text", "table", "drawing", "style")
_OFFICE, _TEXT, _TABLE, _DRAW, _STYLE = (_NS % name for name in _SPACES)
_DRAWN = tuple(f"{_DRAW}{name}" for name in ("custom-shape", "path", "polyline", "polygon"))
_XLINK = "{http://www.w3.org/1999/xlink}href"
_MIME = b"application/vnd.oasis.opendocument.text"
_PARTS = ("content.xml", "styles.xml")
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_MARKS = {f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n", f"{_TEXT}s": " "}
_WORDS = neutral.contents("odt")
_VALUES = neutral.contents("odt", "schemas")["values"]
_MANIFEST = Path(__file__).with_name("manifest.xml")  # of what is written


class OdtFormat(UnmarkedFormat):
    """Reads an OpenDocument text as one document and writes it back with its text sanitised."""

    name, needs = "odt", "lxml"
    suffixes = (".odt",)
    beginnings = (b"PK\x03\x04\x14\x00\x00\x08\x00\x00mimetype",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the text of body, headers, footers and notes as a document without mentions,
        without what readers do not see; warnings count what was removed. A file without text gives
        a warning, even if it has pictures.

        Args:
            record: its ``raw`` is the file; ``parsed`` of the result will be the stripped trees, by
                part.
            annotator: not used: an OpenDocument brings no mentions.

        Raises:
            FormatError: if it is no OpenDocument text, is encrypted or damaged.
        """
        data, where = record.raw, record.where
        parts = archive.open_archive(data, where, self.name)
        if b"encryption-data" in parts.get("META-INF/manifest.xml", b""):
            raise FormatError("is encrypted", where=where)
        etree = require("lxml.etree")
        with unreadable("not an .odt file that can be read", where):
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            roots = {n: etree.fromstring(parts[n], parser) for n in _PARTS if n in parts}
        body = roots.get("content.xml")
        if body is None or body.find(f"{_OFFICE}body/{_OFFICE}text") is None:
            raise FormatError("not an .odt file (it has no text)", where=where)
        rest, value_of = pieces.Rest(), partial(_value_of, neutral.Names())
        for name, root in roots.items():
            _strip(root, rest)
            roots[name] = archive.neutralise(root, "odt", rest, value_of, _texts)
        own = (*_PARTS, "mimetype", "META-INF/manifest.xml")
        others = [name for name in parts if name not in own and not name.endswith("/")]
        rest.gone["document properties"] += sum("meta.xml" in name for name in others)
        further = [n for n in others if n != "meta.xml" and not n.startswith("Pictures/")]
        rest.gone["further parts (objects, settings, previews)"] += len(further)
        return load_plain(_pieces(roots), record, rest.warnings(), roots)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the bytes of an OpenDocument of text and styles only, with its text edited.

        Args:
            record: not used.
            loaded: its ``parsed`` are the stripped trees, which are changed.
            sanitized: edits of the extracted text.
        """
        etree, roots = require("lxml.etree"), loaded.parsed
        for (element, place), text in pieces.changes(_pieces(roots), sanitized.edits):
            if place == "mark":  # a tab, line break or row of spaces
                element.text, element.tag = text, "replaced"
            else:
                setattr(element, place, text)
        for root in roots.values():
            etree.strip_tags(root, "replaced")
        declared = {"encoding": "UTF-8", "xml_declaration": True}
        parts = ((name, etree.tostring(root, **declared)) for name, root in roots.items())
        manifest = ("META-INF/manifest.xml", _MANIFEST.read_bytes())
        return archive.pack_parts([("mimetype", _MIME), *parts, manifest])


def _strip(root: Any, rest: pieces.Rest) -> None:
    """Remove from a tree, in place, what readers do not see, and what is no text; drawn shapes
    become rectangles, and targets of links "#".

    Args:
        root: is changed.
        rest: counts what is removed, and what stays and should be looked at.
    """
    for name, tags in _WORDS["removed"].items():
        full = [(_NS % space) + local for space, local in (tag.split(":") for tag in tags)]
        rest.gone[name] += archive.remove_elements(root, full)
    for drawn in root.iter(*_DRAWN):
        rest.gone["outlines of drawn shapes"] += drawn.tag != _DRAWN[0]
        drawn.tag = f"{_DRAW}rect"
    for element in root.iter("*"):
        rest.gone["formulas"] += f"{_TABLE}formula" in element.attrib
        if not element.get(_XLINK, "#").startswith("#"):
            element.set(_XLINK, "#")
            rest.gone["targets of links"] += 1


def _value_of(names: neutral.Names, element: Any, attribute: str, value: str) -> str | None:
    """Return the value that an attribute keeps: as it is, if it only says how something looks, or
    "" or a stand-in ("name3") if it is a name or may hold words; None if the attribute has to
    go."""
    if attribute in _WORDS["values"] or element.tag == f"{_TEXT}bibliography-mark":
        return None
    if attribute == "href":
        return names.rename(value) if value.startswith("#") else value
    if attribute in ("prefix", "suffix", "num-prefix", "num-suffix", "char", "bullet-char"):
        return neutral.style_value(value) or ""
    if attribute.startswith("font-family"):
        return value if value.strip("'") in neutral.contents("looks")["fonts"] else None
    if attribute.startswith("font-name") or attribute.rpartition("-")[2] in _WORDS["names"]:
        return names.rename(value)
    return value if value in _VALUES else neutral.style_value(value)


def _texts(root: Any) -> Iterator[tuple[Any, str]]:
    """Yield the places of the texts of a tree that readers see, in reading order: (element, "text"
    or "tail"), or (element, "mark") for a tab, line break or row of blanks."""
    return (piece.place for piece in _pieces({"": root}) if piece.place)


def _pieces(roots: dict[str, Any]) -> list[pieces.Piece]:
    """Return the text of the trees in pieces in reading order, one paragraph per line; nested
    paragraphs come after the one around them, and marks of notes have no text. The place of a piece
    is (element, "text" or "tail"), or (element, "mark") for the whole element."""
    trees, found = [*roots.values()], list[pieces.Piece]()
    raised = {
        looks.getparent().get(f"{_STYLE}name")
        for looks in (each for tree in trees for each in tree.iter(f"{_STYLE}text-properties"))
        if re.match("super|[1-9]", looks.get(f"{_STYLE}text-position", ""))  # "33% 58%"
    }
    for paragraph in (each for tree in trees for each in tree.iter(*_PARAGRAPHS)):
        goes_on = getattr(paragraph.getnext(), "tag", "") in _PARAGRAPHS
        found += _of_paragraph(paragraph, raised)
        found.append(pieces.LINE_END if goes_on else pieces.BORDER)
    return [*pieces.without_marks(found)]


def _of_paragraph(element: Any, raised: Container[str], kind: str = "") -> Iterator[pieces.Piece]:
    """Yield the pieces of text inside an element, in order, except those of paragraphs in it
    (boxes, notes). The place of a piece is (element, "text", "tail" or "mark"); a row of blanks
    counts as at most 200.

    Args:
        element: the element.
        raised: names of the styles of text above the line.
        kind: of the pieces around it: "raised" or "".
    """
    own = element.get(f"{_TEXT}style-name") in raised or element.tag == f"{_TEXT}note-citation"
    within = "raised" if own else kind
    if element.text:
        yield pieces.Piece(element.text, (element, "text"), within)
    for child in element:
        if child.tag in _MARKS:
            times = child.get(f"{_TEXT}c", "1")
            count = min(int(times), 200) if times.isdecimal() else 1
            yield pieces.Piece(_MARKS[child.tag] * count, (child, "mark"), within)
        elif child.tag not in _PARAGRAPHS:
            yield from _of_paragraph(child, raised, within)
        if child.tail:
            yield pieces.Piece(child.tail, (child, "tail"), within)
