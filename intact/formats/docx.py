"""Word's .docx: one document a file. Replaced text changes, formatting stays.

The text is that of the body, headers, footers, foot- and endnotes, a paragraph a line; tracked
changes are settled as if accepted. What readers do not see goes: properties, comments, change
marks, alternative texts, custom data. What goes is counted and told."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from intact.domain import SanitizedDocument
from intact.errors import FormatError, require
from intact.formats.archive import ArchiveFormat, pack_parts, unpack_parts
from intact.formats.base import Loaded, Record, load_plain
from intact.formats.pieces import PERSONAL, Piece, changes, distinctive_words, holds_any, warn_of

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT_PARTS = ("/header", "/footer", "/footnotes", "/endnotes")
_PROPERTIES = ("/core-properties", "/extended-properties", "/custom-properties", "/thumbnail")
_PARTS = {
    "comments": ("/comments", "/commentsExtended", "/commentsIds", "/commentsExtensible"),
    "lists of authors": ("/people",),
    "custom data": ("/customXml",),
    "templates": ("/attachedTemplate", "/mailMergeSource", "/mailMergeHeaderSource"),
    "document histories": ("/glossaryDocument", "/keyMapCustomizations"),
}
_OBJECTS = {
    "charts and diagrams": tuple(
        "/chart /chartEx /diagramData /diagramDrawing /diagramLayout /diagramColors "
        "/diagramQuickStyle".split()
    ),
    "embedded objects": ("/oleObject", "/package", "/control"),
    "embedded documents": ("/aFChunk",),
    "macros": ("/vbaProject",),
}
"""Parts with words that are not read, and their relations."""
_MAIN_OBJECTS = ("/chart", "/chartEx", "/diagramData", *(_OBJECTS["embedded objects"]))
_GRAPHIC = "{http://schemas.openxmlformats.org/drawingml/2006/main}graphicData"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DELETED = ("del", "moveFrom")
_INSERTED = ("ins", "moveTo")
_HISTORY = (
    "rPrChange pPrChange sectPrChange tblPrChange tblPrExChange trPrChange tcPrChange "
    "tblGridChange numberingChange cellIns cellDel cellMerge moveFromRangeStart moveFromRangeEnd "
    "moveToRangeStart moveToRangeEnd permStart permEnd"
).split()
_COMMENT_MARKS = "commentRangeStart commentRangeEnd commentReference annotationRef".split()
_CONTROLS = (
    "dataBinding alias tag date dropDownList comboBox placeholder ffData smartTagPr customXmlPr"
).split()
_WRAPPERS = ("smartTag", "customXml")
_CAPTIONS = ["tblCaption", "tblDescription"]
_SETTINGS = (
    "rsids attachedTemplate docVars mailMerge linkStyles activeWritingStyle saveThroughXslt"
).split()
_FIELDS = frozenset("PAGE NUMPAGES TOC SEQ REF PAGEREF NOTEREF SECTION SECTIONPAGES".split())
_ALTERNATIVE = ("descr", "title", "name")
_VML = "{urn:schemas-microsoft-com:vml}"
_NUMBER = re.compile(r"[0-9A-Fa-f.%-]+")
_TEXTS = (f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "\u2011"}


class DocxFormat(ArchiveFormat):
    """Reads a .docx as one document and writes it back with its text sanitised."""

    name = "docx"
    suffixes = (".docx",)
    beginnings = (b"PK\x03\x04",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its text, without mentions; see ``Format``."""
        opener = require("docx.package").Package
        try:
            package = opener.open(io.BytesIO(record.raw))
            _ = package.main_document_part.element.body
        except Exception as error:  # noqa: BLE001  (zlib, lxml, python-docx: any of them may balk)
            raise FormatError(
                f"not a Word document that can be read ({type(error).__name__})", where=record.where
            ) from None
        gone, kept = strip(package)
        warnings = (
            *warn_of(gone.items(), "removed"),
            *warn_of(kept.items(), "left as they are, look at them"),
        )
        text = "".join(piece.text for piece, _ in _pieces(package))
        return load_plain(text, record.where, warnings, package)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the file with its text edited; its bytes depend on nothing but its content."""
        package = loaded.parsed
        for element, string in changes(_pieces(package), sanitized.edits):
            _put(element, string)
        silence(package, distinctive_words(loaded.document.text, sanitized.edits))
        draft = io.BytesIO()
        try:
            package.save(draft)
        except Exception as error:  # noqa: BLE001  (relations without a name or an end, and so on)
            raise FormatError(
                f"cannot be written back ({type(error).__name__})",
                where=record.where,
                remedy="It is damaged; save it again in a word processor.",
            ) from None
        return pack_parts(unpack_parts(draft.getvalue()).items())


def _pieces(package: Any) -> list[tuple[Piece, Any]]:
    """Return the pieces of text with their elements, and a line end after each paragraph."""
    found: list[tuple[Piece, Any]] = []
    for root in roots(package):
        for paragraph in root.iter(f"{W}p"):
            own = [
                element
                for element in paragraph.iter(*_TEXTS, *_MARKS)
                if next(element.iterancestors(f"{W}p")) is paragraph
                and element.getparent().tag != f"{W}tabs"
            ]
            texts = ((_MARKS.get(each.tag, each.text or ""), each) for each in own)
            found += [(Piece(text), element) for text, element in texts if text]
            found.append((Piece("\n", real=False), None))
    return found


def _put(element: Any, text: str) -> None:
    """Give a text to an element; a tab or line break that was replaced becomes text or goes."""
    if element.tag not in _TEXTS:
        if not text:
            element.getparent().remove(element)
            return
        fresh = element.makeelement(f"{W}t")
        element.getparent().replace(element, fresh)
        element = fresh
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def strip(package: Any) -> tuple[Counter[str], Counter[str]]:
    """Take out of a package what readers do not see: (what went, what stays to be looked at)."""
    etree = require("lxml.etree")
    gone: Counter[str] = Counter()
    gone["sets of properties"] += _drop(package.rels, _PROPERTIES)
    kept: Counter[str] = Counter()
    parts = [part for part in package.iter_parts() if hasattr(part, "rels")]
    for part in parts:
        for name, kinds in _PARTS.items():
            gone[name] += _drop(part.rels, kinds)
        for name, kinds in _OBJECTS.items():
            main = sum(rel.reltype.endswith(_MAIN_OBJECTS) for rel in part.rels.values())
            dropped = _drop(part.rels, kinds)
            gone[name] += min(main, dropped) if name == "charts and diagrams" else dropped
        for rel in part.rels.values():
            if rel.is_external and rel.target_ref.lower().startswith(PERSONAL):
                gone["mail, telephone and file addresses"] += 1
                rel._target = "about:blank"
    for part in parts:
        if str(part.partname).endswith("/settings.xml"):
            _remove(_element(part), _SETTINGS)
    for root in roots(package):
        etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction, etree.Entity)
        etree.strip_tags(root, *(f"{W}{name}" for name in _WRAPPERS))
        _accept_changes(root, gone)
        gone["comment marks"] += _remove(root, _COMMENT_MARKS)
        gone["alternative texts"] += _remove(root, _CAPTIONS)
        _remove(root, _CONTROLS)
        _quiet(root, gone)
        _cut_objects(root)
        kept["pieces of WordArt"] += sum(1 for _ in root.iter(f"{_VML}textpath"))
    for part in parts:
        element = _element(part) if "wordprocessingml" in str(part.content_type) else None
        if element is not None:
            used = {
                value
                for each in element.iter("*")
                for name, value in each.attrib.items()
                if name.startswith(_RELATION)
            }
            images = {key for key, rel in part.rels.items() if rel.reltype.endswith("/image")}
            for key in images - used:  # what an object that was cut looked like
                del part.rels[key]
            kept["images"] += len(images & used)
    return gone, kept


def _cut_objects(root: Any) -> None:
    """Take out what shows charts, diagrams, embedded objects and documents."""
    for element in list(root.iter(f"{W}object", f"{W}altChunk", f"{W}control")):
        _cut(element)
    for graphic in list(root.iter(_GRAPHIC)):
        if any(word in graphic.get("uri", "") for word in ("/chart", "/diagram")):
            shown = list(graphic.iterancestors(f"{W}drawing", _ALTERNATIVES))
            if shown:
                _cut(shown[-1] if shown[-1].tag == _ALTERNATIVES else shown[0])


def silence(package: Any, words: frozenset[str]) -> None:
    """Empty addresses, and rename what attributes hold, where a word stands in them that was
    replaced in the text; equal names (a bookmark and what leads to it) stay equal.

    Args:
        words: folded.
    """
    for part in list(package.iter_parts()):
        for rel in part.rels.values():
            if rel.is_external and holds_any(rel.target_ref, words):
                rel._target = "about:blank"
    renamed: dict[str, str] = {}
    for part in [p for p in package.iter_parts() if "wordprocessingml" in str(p.content_type)]:
        root = _element(part)
        for element in () if root is None else root.iter("*"):
            for name, value in element.attrib.items():
                if not _NUMBER.fullmatch(value) and holds_any(value, words):
                    seen = name == "string" or element.tag == f"{W}lvlText"  # WordArt, list labels
                    fresh = renamed.setdefault(value, f"removed{len(renamed) + 1}")
                    element.set(name, "" if seen else fresh)


def roots(package: Any) -> Iterator[Any]:
    """The elements that hold text: body, then headers, footers, notes in the package's order."""
    main = package.main_document_part
    yield main.element
    seen: list[Any] = []
    for rel in main.rels.values():
        if not rel.is_external and rel.reltype.endswith(_TEXT_PARTS):
            element = _element(rel.target_part)
            if element is not None and rel.target_part not in seen:
                seen.append(rel.target_part)
                yield element


def _element(part: Any) -> Any:
    """Return the root of a part; parts that python-docx keeps as bytes become parts with a root."""
    if hasattr(part, "element"):
        return part.element
    if not str(part.content_type).endswith("+xml"):
        return None
    element = require("docx.oxml.parser").parse_xml(part.blob)
    part.__class__ = require("docx.opc.part").XmlPart  # from now on it is written from its element
    part._element = element
    return element


def _drop(rels: Any, kinds: tuple[str, ...]) -> int:
    """Cut the relations of these kinds; parts that nothing leads to are not written."""
    keys = [key for key, rel in rels.items() if rel.reltype.endswith(kinds)]
    for key in keys:
        del rels[key]
    return len(keys)


def _remove(root: Any, names: list[str]) -> int:
    found = list(root.iter(*(f"{W}{name}" for name in names)))
    for element in found:
        _cut(element)
    return len(found)


def _cut(element: Any) -> None:
    """Take an element out of its tree, with what is in it; one taken out already stays so."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _accept_changes(root: Any, gone: Counter[str]) -> None:
    """Accept every tracked change."""
    for element in list(root.iter(*(f"{W}{name}" for name in _DELETED))):
        parent = element.getparent()
        if parent is None:
            continue
        gone["tracked changes"] += 1
        deleted_row = parent.tag == f"{W}trPr" and parent.getparent() is not None
        _cut(parent.getparent() if deleted_row else element)
    for element in list(root.iter(*(f"{W}{name}" for name in _INSERTED))):
        parent = element.getparent()
        gone["tracked changes"] += 1
        at = parent.index(element)
        for child in list(element):
            parent.insert(at, child)
            at += 1
        parent.remove(element)
    gone["tracked changes"] += _remove(root, _HISTORY)


def _quiet(root: Any, gone: Counter[str]) -> None:
    """Empty alternative texts, drop revision ids, and fields that fetch data."""
    for element in root.iter("*"):
        local = element.tag.rpartition("}")[2]
        if local in ("docPr", "cNvPr"):
            for name in _ALTERNATIVE:
                gone["alternative texts"] += bool(element.get(name)) and name != "name"
                if element.get(name) is not None:
                    element.set(name, "")
        if element.tag.startswith(_VML):
            for name in ("alt", "title"):
                gone["alternative texts"] += bool(element.attrib.pop(name, ""))
        for name in list(element.attrib):  # when, by whom, and what a pointer shows
            attribute = str(name).rpartition("}")[2]
            if attribute.startswith("rsid") or (local, attribute) == ("hyperlink", "tooltip"):
                del element.attrib[name]
    for element in root.iter(f"{W}instrText"):
        if _hush(element.text or ""):
            gone["fields"] += 1
            element.text = ""
    for element in root.iter(f"{W}fldSimple"):
        if _hush(element.get(f"{W}instr", "")):
            gone["fields"] += 1
            element.set(f"{W}instr", " QUOTE ")


def _hush(code: str) -> bool:
    """Return whether a field's code may hold words: all but page numbers, references and
    contents."""
    words = code.split()
    return bool(words) and words[0].upper() not in _FIELDS
