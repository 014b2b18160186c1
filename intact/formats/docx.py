"""Word's .docx: one document a file. Replaced text changes, formatting stays.

The text is that of the body, headers, footers, foot- and endnotes, a paragraph a line; tracked
changes are settled as if accepted. What readers do not see goes: properties, comments, change
marks, alternative texts, custom data. What goes is counted and told."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import Any

from intact.domain import SanitizedDocument
from intact.errors import require
from intact.formats.archive import check_archive, pack_parts, unpack_parts
from intact.formats.base import Format, Loaded, Record, load_plain, unreadable
from intact.formats.pieces import (
    PERSONAL,
    Piece,
    changes,
    distinctive_words,
    holds_any,
    text_of,
    warn_of,
)

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def _tags(names: str) -> tuple[str, ...]:
    return tuple(f"{W}{name}" for name in names.split())


_TEXT_PARTS = ("/header", "/footer", "/footnotes", "/endnotes")
_PROPERTIES = ("/core-properties", "/extended-properties", "/custom-properties", "/thumbnail")
_PARTS = {
    "comments": ("/comments", "/commentsExtended", "/commentsIds", "/commentsExtensible"),
    "lists of authors": ("/people",),
    "custom data": ("/customXml",),
    "templates": ("/attachedTemplate", "/mailMergeSource", "/mailMergeHeaderSource"),
    "document histories": ("/glossaryDocument", "/keyMapCustomizations"),
    "charts and diagrams": ("/chart", "/chartEx", "/diagramData"),
    "embedded objects": ("/oleObject", "/package", "/control"),
    "embedded documents": ("/aFChunk",),
    "macros": ("/vbaProject",),
}
"""Parts with words that are not read, and their relations."""
_DIAGRAMS = ("/diagramDrawing", "/diagramLayout", "/diagramColors", "/diagramQuickStyle")
"""Further parts of diagrams, which are not counted."""
_GRAPHIC = "{http://schemas.openxmlformats.org/drawingml/2006/main}graphicData"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DELETED = _tags("del moveFrom")
_INSERTED = _tags("ins moveTo")
_HISTORY = _tags(
    "rPrChange pPrChange sectPrChange tblPrChange tblPrExChange trPrChange tcPrChange "
    "tblGridChange numberingChange cellIns cellDel cellMerge moveFromRangeStart moveFromRangeEnd "
    "moveToRangeStart moveToRangeEnd permStart permEnd"
)
_COMMENT_MARKS = _tags("commentRangeStart commentRangeEnd commentReference annotationRef")
_CONTROLS = _tags(
    "dataBinding alias tag date dropDownList comboBox placeholder ffData smartTagPr customXmlPr"
)
_OBJECTS = _tags("object altChunk control")
_WRAPPERS = _tags("smartTag customXml")
_CAPTIONS = _tags("tblCaption tblDescription")
_SETTINGS = _tags(
    "rsids attachedTemplate docVars mailMerge linkStyles activeWritingStyle saveThroughXslt"
)
_FIELDS = frozenset("PAGE NUMPAGES TOC SEQ REF PAGEREF NOTEREF SECTION SECTIONPAGES".split())
"""Fields whose code holds no words: page numbers, references, contents."""
_VML = "{urn:schemas-microsoft-com:vml}"
_NUMBER = re.compile(r"[0-9A-Fa-f.%-]+")
_TEXTS = (f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "\u2011"}


class DocxFormat(Format):
    """Reads a .docx as one document and writes it back with its text sanitised."""

    name = "docx"
    annotated = False
    suffixes = (".docx",)
    beginnings = (b"PK\x03\x04",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its text, without mentions."""
        check_archive(record.raw, record.where, self.name)
        opener = require("docx.package").Package
        with unreadable("not a Word document that can be read", record.where):
            package = opener.open(io.BytesIO(record.raw))
            _ = package.main_document_part.element.body
        gone, kept = _strip(package)
        warnings = (
            *warn_of(gone.items(), "removed"),
            *warn_of(kept.items(), "left as they are, look at them"),
        )
        return load_plain(text_of(_pieces(package)), record.where, warnings, package)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the file with its text edited; its bytes depend on nothing but its content."""
        package = loaded.parsed
        for element, text in changes(_pieces(package), sanitized.edits):
            if element.tag in _TEXTS:
                _fill(element, text)
            elif not text:
                _cut(element)
            else:  # a tab or line break becomes text
                fresh = element.makeelement(f"{W}t")
                element.getparent().replace(element, fresh)
                _fill(fresh, text)
        _silence(package, distinctive_words(loaded.document.text, sanitized.edits))
        draft = io.BytesIO()
        remedy = "It is damaged; save it again in a word processor."
        with unreadable("cannot be written back", record.where, remedy):
            package.save(draft)
        return pack_parts(unpack_parts(draft.getvalue()).items())


def _fill(element: Any, text: str) -> None:
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _pieces(package: Any) -> list[Piece]:
    """Return the pieces of text with their elements, and a line end after each paragraph."""
    found: list[Piece] = []
    for root in _roots(package):
        for paragraph in root.iter(f"{W}p"):
            for element in paragraph.iter(*_TEXTS, *_MARKS):
                text = _MARKS.get(element.tag, element.text or "")
                own = next(element.iterancestors(f"{W}p")) is paragraph
                if text and own and element.getparent().tag != f"{W}tabs":
                    found.append(Piece(text, element))
            found.append(Piece("\n"))
    return found


def _strip(package: Any) -> tuple[Counter[str], Counter[str]]:
    """Take out of a package what readers do not see: (what went, what stays to be looked at)."""
    gone, kept = Counter[str](), Counter[str]()
    gone["sets of properties"] += _drop(package.rels, _PROPERTIES)
    parts = [part for part in package.iter_parts() if hasattr(part, "rels")]
    for part in parts:
        for name, kinds in _PARTS.items():
            gone[name] += _drop(part.rels, kinds)
        _drop(part.rels, _DIAGRAMS)
        for rel in part.rels.values():
            if rel.is_external and rel.target_ref.lower().startswith(PERSONAL):
                gone["mail, telephone and file addresses"] += 1
                rel._target = "about:blank"
        if str(part.partname).endswith("/settings.xml"):
            _remove(_element(part), _SETTINGS)
    for root in _roots(package):
        _strip_tree(root, gone)
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


def _strip_tree(root: Any, gone: Counter[str]) -> None:
    """Take out of a tree what readers do not see, and accept every tracked change."""
    etree = require("lxml.etree")
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction, etree.Entity)
    for element in list(root.iter(*_DELETED)):
        parent = element.getparent()
        if parent is not None:
            gone["tracked changes"] += 1
            deleted_row = parent.tag == f"{W}trPr" and parent.getparent() is not None
            _cut(parent.getparent() if deleted_row else element)
    gone["tracked changes"] += sum(1 for _ in root.iter(*_INSERTED)) + _remove(root, _HISTORY)
    etree.strip_tags(root, *_INSERTED, *_WRAPPERS)
    gone["comment marks"] += _remove(root, _COMMENT_MARKS)
    gone["alternative texts"] += _remove(root, _CAPTIONS)
    _remove(root, _CONTROLS)
    _quiet(root, gone)
    _remove(root, _OBJECTS)
    for graphic in list(root.iter(_GRAPHIC)):
        if any(word in graphic.get("uri", "") for word in ("/chart", "/diagram")):
            shown = list(graphic.iterancestors(f"{W}drawing", _ALTERNATIVES))
            if shown:
                _cut(shown[-1] if shown[-1].tag == _ALTERNATIVES else shown[0])


def _quiet(root: Any, gone: Counter[str]) -> None:
    """Empty alternative texts, drop revision ids, and fields that fetch data."""
    for element in root.iter("*"):
        local = element.tag.rpartition("}")[2]
        if local in ("docPr", "cNvPr"):
            for name in {"descr", "title", "name"}.intersection(element.keys()):
                gone["alternative texts"] += bool(element.get(name)) and name != "name"
                element.set(name, "")
        if element.tag.startswith(_VML):
            for name in ("alt", "title"):
                gone["alternative texts"] += bool(element.attrib.pop(name, ""))
        for name in list(element.attrib):  # when, by whom, and what a pointer shows
            attribute = str(name).rpartition("}")[2]
            if attribute.startswith("rsid") or (local, attribute) == ("hyperlink", "tooltip"):
                del element.attrib[name]
    for element in root.iter(*_tags("instrText fldSimple")):
        code = element.get(f"{W}instr", "") if element.tag == f"{W}fldSimple" else element.text
        words = (code or "").split()
        if words and words[0].upper() not in _FIELDS:
            gone["fields"] += 1
            if element.tag == f"{W}fldSimple":
                element.set(f"{W}instr", " QUOTE ")
            else:
                element.text = ""


def _silence(package: Any, words: frozenset[str]) -> None:
    """Empty addresses, and rename what attributes hold, where a word stands in them that was
    replaced in the text; equal names (a bookmark and what leads to it) stay equal."""
    renamed: dict[str, str] = {}
    for part in list(package.iter_parts()):
        for rel in part.rels.values():
            if rel.is_external and holds_any(rel.target_ref, words):
                rel._target = "about:blank"
        root = _element(part) if "wordprocessingml" in str(part.content_type) else None
        for element in () if root is None else root.iter("*"):
            for name, value in element.attrib.items():
                if not _NUMBER.fullmatch(value) and holds_any(value, words):
                    seen = name == "string" or element.tag == f"{W}lvlText"  # WordArt, list labels
                    fresh = renamed.setdefault(value, f"removed{len(renamed) + 1}")
                    element.set(name, "" if seen else fresh)


def _roots(package: Any) -> list[Any]:
    """Return the elements that hold text: body, then headers, footers, notes in the package's
    order."""
    main = package.main_document_part
    found = (rel for rel in main.rels.values() if not rel.is_external)
    parts = dict.fromkeys(r.target_part for r in found if r.reltype.endswith(_TEXT_PARTS))
    elements = (main.element, *map(_element, parts))
    return [element for element in elements if element is not None]


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


def _remove(root: Any, tags: tuple[str, ...]) -> int:
    """Take the elements of these names out of a tree, and count them."""
    found = list(root.iter(*tags))
    for element in found:
        _cut(element)
    return len(found)


def _cut(element: Any) -> None:
    """Take an element out of its tree, with what is in it; one taken out already stays so."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
