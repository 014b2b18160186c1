"""Word's .docx and HTML: one document a file. Replaced text changes; formatting and markup stay.

Of a .docx the text is that of the body, headers, footers, foot- and endnotes, a paragraph a line;
tracked changes are settled as if accepted. What readers do not see goes: properties, comments,
change marks, alternative texts, custom data; of HTML also scripts, meta and link elements that say
more than how to show the page, titles and other attributes with words. Addresses that hold a
replaced word are emptied. What goes is counted and told."""

from __future__ import annotations

import io
import re
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any, BinaryIO
from urllib.parse import unquote

from intact.domain import Document, Edit, SanitizedDocument
from intact.errors import FormatError, InputError, require
from intact.formats.base import (
    MOST_PACKED,
    Format,
    Loaded,
    Record,
    check_text,
    decode,
    read_whole,
    stem,
)

_WORD = re.compile(r"[^\W_]{3,}")
_SURE = 5  # letters from which on a word is looked for inside other words


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text. ``real`` says whether it stands in the file, or was added
    between two paragraphs or cells so that they do not run into one another.
    """

    text: str
    real: bool = True


def rewritten(pieces: Sequence[Piece], edits: Sequence[Edit]) -> list[str]:
    """The new text of each piece: a replacement goes where most of what it replaces stood.

    Args:
        pieces: of the document, in order.
        edits: ascending, not overlapping, in the text of all pieces joined.
    """
    starts = [0, *accumulate(len(piece.text) for piece in pieces)]
    new: list[list[str]] = [[] for _ in pieces]
    done = list(starts[:-1])
    for edit in edits:
        first = bisect_right(starts, edit.span.start) - 1
        covered: list[tuple[int, int]] = []  # (how much, minus which)
        for at in range(first, len(pieces)):
            if starts[at] >= edit.span.end:
                break
            low = max(edit.span.start, starts[at])
            high = min(edit.span.end, starts[at + 1])
            new[at].append(pieces[at].text[done[at] - starts[at] : low - starts[at]])
            done[at] = max(high, low)
            if pieces[at].real and high > low:
                covered.append((high - low, -at))
        if covered:
            new[-max(covered)[1]].append(edit.text)
    return [
        "".join(parts) + piece.text[done[at] - starts[at] :]
        for at, (piece, parts) in enumerate(zip(pieces, new, strict=True))
    ]


def distinctive_words(text: str, edits: Iterable[Edit]) -> frozenset[str]:
    """Words that were replaced and may not stay in addresses and names either, folded.

    Those of three letters and more that begin with a capital or hold a digit; and two of them, one
    after the other, written together ("annlee").

    Args:
        text: of the document.
        edits: what was replaced in it.
    """
    found = [
        [
            word.casefold()
            for word in _WORD.findall(edit.span.of(text))
            if word[0].isupper() or any(map(str.isdigit, word))
        ]
        for edit in edits
    ]
    together = (
        each for words in found for a, b in pairwise(words) for each in (f"{a}{b}", f"{b}{a}")
    )
    return frozenset(chain(*found, together))


def holds_any(value: str, words: frozenset[str]) -> bool:
    """Whether one of ``words`` is in ``value``, which may be an address.

    Short words count only where they stand by themselves.

    Args:
        value: an attribute's.
        words: folded.
    """
    folded = unquote(value).casefold()
    alone = frozenset(_WORD.findall(folded))
    return any(word in alone or (len(word) >= _SURE and word in folded) for word in words)


def counted(counts: Iterable[tuple[str, int]], what: str) -> tuple[str, ...]:
    """One warning of what is in ``counts``, or none: "removed: comments (2), authors (1)".

    Args:
        counts: (what, how often).
        what: how the warning begins.
    """
    items = [f"{name} ({times})" for name, times in counts if times]
    return (f"{what}: {', '.join(items)}",) if items else ()


_WORDY = frozenset(
    "title alt placeholder value summary label content srcdoc download cite datetime abbr "
    "standby ping manifest longdesc author nonce".split()
)
_ADDRESSES = frozenset(
    "href src action formaction data poster background srcset xlink:href".split()
)
_PERSONAL = ("mailto:", "tel:", "sms:", "callto:", "file:", "javascript:")
_META = frozenset({"viewport", "robots", "color-scheme", "format-detection", "referrer"})
_LINKS = frozenset({"stylesheet", "icon", "shortcut", "preload", "preconnect", "dns-prefetch"})
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)
_HIDDEN = frozenset({"script", "style"})


class HtmlFormat(Format):
    """Reads an HTML file as one document and writes it back with its text sanitised."""

    name = "html"
    annotated = False
    suffixes = (".html", ".htm", ".xhtml")
    beginnings = (b"<!DOCTYPE html", b"<!doctype html", b"<html")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one page of the file; see ``Format``."""
        yield Record(_decoded(read_whole(file, where), where), where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The text of the page, without mentions; see ``Format``."""
        page = _parsed(record.raw, record.where)
        gone = _strip(page)
        text, odd = check_text("".join(piece.text for piece, _ in _page_pieces(page)), record.where)
        images = len(page.find_all(["img", "svg", "object", "embed", "iframe", "video", "audio"]))
        warnings = (
            *odd,
            *counted(gone.items(), "removed"),
            *counted([("images and embedded objects", images)], "left as they are, look at them"),
        )
        return Loaded(Document(stem(record.where), text, ()), warnings=warnings, parsed=page)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """The page with its text edited, in UTF-8."""
        page, text = loaded.parsed, loaded.document.text
        found = _page_pieces(page)
        new = rewritten([piece for piece, _ in found], sanitized.edits)
        for (piece, node), string in zip(found, new, strict=True):
            if node is not None and string != piece.text:
                node.replace_with(type(node)(string))
        _silence(page, distinctive_words(text, sanitized.edits))
        made: bytes = page.encode("utf-8", formatter="minimal")
        return made


def _decoded(data: bytes, where: str) -> str:
    """The source of a page; in the encoding it declares, else in UTF-8."""
    name = (
        require("bs4.dammit").EncodingDetector.find_declared_encoding(data, is_html=True) or "utf-8"
    )
    if name.lower().replace("-", "") in ("utf8", "utf16", "utf16le", "ascii", "usascii"):
        return decode(data, where)
    try:
        return data.decode(name)
    except LookupError:
        raise FormatError(f"its encoding {name[:40]!r} is unknown", where=where) from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not {name}, as it says it is (byte {error.start})",
            where=where,
            remedy="Save it as UTF-8.",
        ) from None


def _parsed(source: str, where: str) -> Any:
    bs4 = require("bs4")
    try:
        return bs4.BeautifulSoup(source, "html.parser")
    except (bs4.exceptions.ParserRejectedMarkup, RecursionError):
        raise FormatError("cannot be read as HTML", where=where) from None


def _strip(page: Any) -> Counter[str]:
    """Takes out of a page what readers do not see, and counts it."""
    bs4 = require("bs4")
    gone: Counter[str] = Counter()
    hidden = (bs4.Comment, bs4.CData, bs4.ProcessingInstruction, bs4.Declaration)
    for node in page.find_all(string=lambda string: isinstance(string, hidden)):
        gone["comments"] += 1
        node.extract()
    for tag in page.find_all(["script", "meta", "link", "base"]):
        if not _only_shows(tag):
            gone[f"{tag.name} elements"] += 1
            tag.decompose()
    for tag in page.find_all(True):
        for name in [name for name in tag.attrs if _wordy(tag, name)]:
            gone[f"{name} attributes" if name in _WORDY else "other attributes"] += 1
            del tag[name]
        for name in _ADDRESSES & set(tag.attrs):
            if str(tag[name]).strip().lower().startswith(_PERSONAL):
                gone["mail, telephone and script addresses"] += 1
                tag[name] = "#"
    return gone


def _only_shows(tag: Any) -> bool:
    """Whether a meta or link element says nothing but how to show the page."""
    if tag.name == "meta":
        kind = str(tag.get("http-equiv", "")).lower()
        plain = str(tag.get("name", "")).lower() in _META and len(str(tag.get("content"))) < 200
        return tag.has_attr("charset") or kind == "content-type" or plain
    if tag.name == "link":
        return any(str(rel).lower() in _LINKS for rel in tag.get("rel") or [])
    return False


def _wordy(tag: Any, name: str) -> bool:
    """Whether an attribute may hold words about somebody."""
    if tag.name == "meta":
        return name not in ("charset", "name", "content", "http-equiv")
    if tag.name in ("li", "progress", "meter") and name == "value":
        return False
    return name in _WORDY or name.startswith(("data-", "aria-label", "aria-desc", "on", "item"))


def _silence(page: Any, words: frozenset[str]) -> None:
    """Empties every attribute that holds a word that was replaced in the text."""
    for tag in page.find_all(True):
        for name, value in list(tag.attrs.items()):
            joined = " ".join(value) if isinstance(value, list) else str(value)
            if holds_any(joined, words):
                tag[name] = "#" if name in _ADDRESSES else ""
    for tag in page.find_all("style"):
        if holds_any(tag.get_text(), words):
            tag.decompose()


def _page_pieces(page: Any) -> list[tuple[Piece, Any]]:
    """The strings of a page that readers see, and a line end wherever a block begins or ends."""
    bs4 = require("bs4")
    found: list[tuple[Piece, Any]] = []
    block: Any = None
    for node in page.descendants:
        if isinstance(node, bs4.Tag):
            block = None if node.name not in _INLINE else block
            continue
        if not _seen(node, bs4):
            continue
        own = next((p for p in node.parents if p.name not in _INLINE), None)
        if found and own is not block and not found[-1][0].text.endswith("\n"):
            found.append((Piece("\n", real=False), None))
        block = own
        found.append((Piece(str(node)), node))
    return found


def _seen(node: Any, bs4: Any) -> bool:
    other = (bs4.Doctype, bs4.Comment, bs4.CData, bs4.ProcessingInstruction, bs4.Declaration)
    return bool(str(node)) and not isinstance(node, other) and node.parent.name not in _HIDDEN


MOST_UNPACKED = 256 << 20
"""The most a .docx may unpack to, in bytes (256 MiB), all its parts together."""
MOST_PARTS = 5000
"""The most parts (files in the archive) a .docx may have."""
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
_KEPT = {
    "images": ("/image",),
    "charts and diagrams": ("/chart", "/diagramData", "/diagramDrawing", "/chartEx"),
    "embedded objects": ("/oleObject", "/package", "/aFChunk", "/vbaProject"),
}
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
_STEADY = (1980, 1, 1, 0, 0, 0)
"""The date of every part, so that the same input gives the same file."""


class DocxFormat(Format):
    """Reads a .docx as one document and writes it back with its text sanitised."""

    name = "docx"
    annotated = False
    suffixes = (".docx",)
    beginnings = (b"PK\x03\x04",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file; see ``Format``."""
        data = read_whole(file, where, MOST_PACKED)
        _check(data, where)
        yield Record(data, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Its text, without mentions; see ``Format``."""
        package = _opened(record.raw, record.where)
        gone, kept = strip(package)
        pieces = [piece for piece, _ in _pieces(package)]
        text, odd = check_text("".join(piece.text for piece in pieces), record.where)
        warnings = (
            *odd,
            *counted(gone.items(), "removed"),
            *counted(kept.items(), "left as they are, look at them"),
        )
        return Loaded(Document(stem(record.where), text, ()), warnings=warnings, parsed=package)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """The file with its text edited.

        Raises:
            FormatError: if it cannot be written back.
        """
        package = loaded.parsed
        found = _pieces(package)
        new = rewritten([piece for piece, _ in found], sanitized.edits)
        for (piece, element), string in zip(found, new, strict=True):
            if element is not None and string != piece.text:
                _put(element, string)
        silence(package, distinctive_words(loaded.document.text, sanitized.edits))
        return _packed(package, record.where)


def _check(data: bytes, where: str) -> None:
    """Refuses what is no .docx, and archives that unpack to too much, before unpacking them."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise FormatError("not a .docx file (no ZIP archive)", where=where) from None
    size = sum(info.file_size for info in infos)
    if size > MOST_UNPACKED or len(infos) > MOST_PARTS:
        raise FormatError(
            f"unpacks to {size >> 20} MiB in {len(infos)} parts; "
            f"the limit is {MOST_UNPACKED >> 20} MiB in {MOST_PARTS} parts",
            where=where,
            remedy="It may be a ZIP bomb. Save its text in a smaller document.",
        )
    if any(info.flag_bits & 1 for info in infos):
        raise FormatError("is encrypted", where=where, remedy="Save it without a password.")


def _opened(data: bytes, where: str) -> Any:
    opener = require("docx.package").Package
    try:
        package = opener.open(io.BytesIO(data))
        _ = package.main_document_part.element.body
    except Exception as error:  # noqa: BLE001  (zlib, lxml, python-docx: any of them may balk)
        raise FormatError(
            f"not a Word document that can be read ({type(error).__name__})", where=where
        ) from None
    return package


def _pieces(package: Any) -> list[tuple[Piece, Any]]:
    """The pieces of text with their elements, and a line end after each paragraph."""
    found: list[tuple[Piece, Any]] = []
    for root in roots(package):
        for paragraph in root.iter(f"{W}p"):
            own = [
                element
                for element in paragraph.iter(*_TEXTS, *_MARKS)
                if next(element.iterancestors(f"{W}p")) is paragraph
                and element.getparent().tag != f"{W}tabs"
            ]
            for element in own:
                text = _MARKS.get(element.tag, element.text or "")
                if text:
                    found.append((Piece(text), element))
            found.append((Piece("\n", real=False), None))
    return found


def _put(element: Any, text: str) -> None:
    """Gives a text to an element; a tab or line break that was replaced becomes text or goes."""
    if element.tag not in _TEXTS:
        if not text:
            element.getparent().remove(element)
            return
        fresh = element.makeelement(f"{W}t")
        element.getparent().replace(element, fresh)
        element = fresh
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _packed(package: Any, where: str) -> bytes:
    """The package as bytes that depend on nothing but its content."""
    draft, made = io.BytesIO(), io.BytesIO()
    try:
        package.save(draft)
    except Exception as error:  # noqa: BLE001  (relations without a name or an end, and the like)
        raise FormatError(
            f"cannot be written back ({type(error).__name__})",
            where=where,
            remedy="It is damaged; save it again in a word processor.",
        ) from None
    with zipfile.ZipFile(draft) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, _STEADY), old.read(name), zipfile.ZIP_DEFLATED)
    return made.getvalue()


def strip(package: Any) -> tuple[Counter[str], Counter[str]]:
    """Takes out of a package what readers do not see: (what went, what stays to be looked at)."""
    gone: Counter[str] = Counter()
    gone["sets of properties"] += _drop(package.rels, _PROPERTIES)
    kept: Counter[str] = Counter()
    parts = [part for part in package.iter_parts() if hasattr(part, "rels")]
    for part in parts:
        for name, kinds in _PARTS.items():
            gone[name] += _drop(part.rels, kinds)
        for name, kinds in _KEPT.items():
            kept[name] += sum(rel.reltype.endswith(kinds) for rel in part.rels.values())
        for rel in part.rels.values():
            if rel.is_external and rel.target_ref.lower().startswith(_PERSONAL):
                gone["mail, telephone and file addresses"] += 1
                rel._target = "about:blank"
    for part in parts:
        if str(part.partname).endswith("/settings.xml"):
            _remove(_element(part), _SETTINGS)
    for root in roots(package):
        _plain(root)
        _settle(root, gone)
        gone["comment marks"] += _remove(root, _COMMENT_MARKS)
        gone["alternative texts"] += _remove(root, _CAPTIONS)
        _remove(root, _CONTROLS)
        _quiet(root, gone)
        kept["pieces of WordArt"] += sum(1 for _ in root.iter(f"{_VML}textpath"))
    return gone, kept


def silence(package: Any, words: frozenset[str]) -> None:
    """Empties addresses, and renames what attributes hold, where a word stands in them that was
    replaced in the text; equal names (a bookmark and what leads to it) stay equal.

    Args:
        package: python-docx's.
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
    """The root of a part; parts that python-docx keeps as bytes become parts with a root."""
    if hasattr(part, "element"):
        return part.element
    if not str(part.content_type).endswith("+xml"):
        return None
    element = require("docx.oxml.parser").parse_xml(part.blob)
    part.__class__ = require("docx.opc.part").XmlPart  # from now on it is written from its element
    part._element = element
    return element


def _drop(rels: Any, kinds: tuple[str, ...]) -> int:
    """Cuts the relations of these kinds; parts that nothing leads to are not written."""
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
    """Takes an element out of its tree, with what is in it; one taken out already stays so."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _plain(root: Any) -> None:
    """Leaves elements and their text alone: no remarks, instructions, unread entities, wrappers."""
    etree = require("lxml.etree")
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction, etree.Entity)
    etree.strip_tags(root, *(f"{W}{name}" for name in _WRAPPERS))


def _settle(root: Any, gone: Counter[str]) -> None:
    """Accepts every tracked change."""
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
    """Empties alternative texts, drops revision ids, and fields that fetch data."""
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        local = element.tag.rpartition("}")[2]
        if local in ("docPr", "cNvPr"):
            for name in _ALTERNATIVE:
                gone["alternative texts"] += bool(element.get(name)) and name != "name"
                if element.get(name) is not None:
                    element.set(name, "")
        if element.tag.startswith(_VML):
            for name in ("alt", "title"):
                gone["alternative texts"] += bool(element.attrib.pop(name, ""))
        for name in [name for name in element.attrib if _private(str(name), local)]:
            del element.attrib[name]
    for element in root.iter(f"{W}instrText"):
        if _hush(element.text or ""):
            gone["fields"] += 1
            element.text = ""
    for element in root.iter(f"{W}fldSimple"):
        if _hush(element.get(f"{W}instr", "")):
            gone["fields"] += 1
            element.set(f"{W}instr", " QUOTE ")


def _private(name: str, local: str) -> bool:
    """Whether an attribute says when or by whom something was written, or is a tooltip."""
    attribute = name.rpartition("}")[2]
    return attribute.startswith("rsid") or (local == "hyperlink" and attribute == "tooltip")


def _hush(code: str) -> bool:
    """Whether a field's code may hold words: all but page numbers, references and contents."""
    words = code.split()
    return bool(words) and words[0].upper() not in _FIELDS
