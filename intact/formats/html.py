"""HTML and Markdown: one document a file. Replaced text changes, the markup stays: elements, the
marks of code blocks, the targets of links.

What readers do not see goes: comments, scripts, meta and link elements that say more than how to
show the page, titles and other attributes with words. Addresses that hold a replaced word are
emptied. What goes is counted and told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from intact.domain import SanitizedDocument
from intact.errors import FormatError, InputError, require
from intact.formats.base import Format, Loaded, Record, TextFormat, decode, load_plain, read_whole
from intact.formats.pieces import (
    PERSONAL,
    Piece,
    changes,
    distinctive_words,
    holds_any,
    text_of,
    warn_of,
)

_WORDY = frozenset(
    "title alt placeholder value summary label content srcdoc download cite datetime abbr "
    "standby ping manifest longdesc author nonce".split()
)
_ADDRESSES = frozenset(
    "href src action formaction data poster background srcset xlink:href".split()
)
_META = frozenset({"viewport", "robots", "color-scheme", "format-detection", "referrer"})
_AS_TYPED = frozenset({"pre", "textarea", "listing", "xmp"})
_BREAK = re.compile(r"[\r\n\t]")  # shown as a blank, but in elements that show text as typed
_LINKS = frozenset({"stylesheet", "icon", "shortcut", "preload", "preconnect", "dns-prefetch"})
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)


class HtmlFormat(Format):
    """Reads an HTML file as one document and writes it back with its text sanitised."""

    name = "html"
    annotated = False
    suffixes = (".html", ".htm", ".xhtml")
    beginnings = (b"<!DOCTYPE html", b"<!doctype html", b"<html")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield the one page of the file, in the encoding it declares, else in UTF-8."""
        data = read_whole(file, where)
        detector = require("bs4.dammit").EncodingDetector
        name = detector.find_declared_encoding(data, is_html=True) or "utf-8"
        if name.lower().replace("-", "") in ("utf8", "utf16", "utf16le", "ascii", "usascii"):
            yield Record(decode(data, where), where)
            return
        try:
            yield Record(data.decode(name), where)
        except LookupError:
            raise FormatError(f"its encoding {name[:40]!r} is unknown", where=where) from None
        except UnicodeDecodeError as error:
            problem = f"not {name}, as it says it is (byte {error.start})"
            raise FormatError(problem, where=where, remedy="Save it as UTF-8.") from None

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the text of the page, without mentions."""
        bs4 = require("bs4")
        try:
            page = bs4.BeautifulSoup(record.raw, "html.parser")
        except (bs4.exceptions.ParserRejectedMarkup, RecursionError):
            raise FormatError("cannot be read as HTML", where=record.where) from None
        gone = _strip(page)
        images = len(page.find_all(["img", "svg", "object", "embed", "iframe", "video", "audio"]))
        warnings = (
            *warn_of(gone.items(), "removed"),
            *warn_of([("images and embedded objects", images)], "left as they are, look at them"),
        )
        return load_plain(text_of(_page_pieces(page)), record.where, warnings, page)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the page with its text edited, in UTF-8."""
        page, text = loaded.parsed, loaded.document.text
        for node, string in changes(_page_pieces(page), sanitized.edits):
            node.replace_with(type(node)(string))
        words = distinctive_words(text, sanitized.edits)
        for tag in page.find_all(True):
            for name, value in list(tag.attrs.items()):
                if holds_any(" ".join(value) if isinstance(value, list) else str(value), words):
                    tag[name] = "#" if name in _ADDRESSES else ""
        for tag in page.find_all("style"):
            if holds_any(tag.get_text(), words):
                tag.decompose()
        made: bytes = page.encode("utf-8", formatter="minimal")
        return made


def _strip(page: Any) -> Counter[str]:
    """Take out of a page what readers do not see, and count it."""
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
            if str(tag[name]).strip().lower().startswith(PERSONAL):
                gone["mail, telephone and script addresses"] += 1
                tag[name] = "#"
    return gone


def _only_shows(tag: Any) -> bool:
    """Return whether a meta or link element says nothing but how to show the page."""
    if tag.name == "meta":
        kind = str(tag.get("http-equiv", "")).lower()
        plain = str(tag.get("name", "")).lower() in _META and len(str(tag.get("content"))) < 200
        return tag.has_attr("charset") or kind == "content-type" or plain
    if tag.name == "link":
        return any(str(rel).lower() in _LINKS for rel in tag.get("rel") or [])
    return False


def _wordy(tag: Any, name: str) -> bool:
    """Return whether an attribute may hold words about somebody."""
    if tag.name == "meta":
        return name not in ("charset", "name", "content", "http-equiv")
    if tag.name in ("li", "progress", "meter") and name == "value":
        return False
    return name in _WORDY or name.startswith(("data-", "aria-label", "aria-desc", "on", "item"))


def _page_pieces(page: Any) -> list[Piece]:
    """Return the strings of a page that readers see, with their nodes, and a line end wherever a
    block begins or ends."""
    bs4 = require("bs4")
    found: list[Piece] = []
    block: Any = None
    for node in page.descendants:
        if isinstance(node, bs4.Tag):
            block = None if node.name not in _INLINE else block
            continue
        text = str(node)
        if not text or isinstance(node, bs4.Doctype) or node.parent.name == "style":
            continue
        own = next(parent for parent in node.parents if parent.name not in _INLINE)
        if found and own is not block and not found[-1].text.endswith("\n"):
            found.append(Piece("\n"))
        block = own
        found.append(Piece(text if own.name in _AS_TYPED else _BREAK.sub(" ", text), node))
    return found


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^\n]*\n?")
_REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
_TARGET = re.compile(
    r"(?<=\]\()[ ]*(<[^>\n]*>|[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)|"
    r"(?m:^ {0,3}\[[^\]\n]+\]:[ ]*)(<[^>\n]*>|\S+)"
)


class MarkdownFormat(TextFormat):
    """Reads a Markdown file as one document and writes it back with its words sanitised."""

    name = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its words, without mentions."""
        parts, remarks = _split_markdown(record.raw)
        gone = warn_of([("comments", remarks)], "removed")
        words = "".join(text for text, seen in parts if seen)
        return load_plain(words, record.where, gone, parts)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the file with its words edited, and names of code blocks and targets of links
        emptied that tell one of them."""
        parts = [text for text, _ in loaded.parsed]
        pieces = [Piece(text, at) for at, (text, seen) in enumerate(loaded.parsed) if seen]
        for at, text in changes(pieces, sanitized.edits):
            parts[at] = text
        words = distinctive_words(loaded.document.text, sanitized.edits)
        for at, (text, seen) in enumerate(loaded.parsed):
            if seen:
                continue
            fence = _FENCE.fullmatch(text)
            personal = text.strip(" <").lower().startswith((*PERSONAL, "data:"))
            if holds_any(text, words) or (personal and not fence):
                parts[at] = f"{fence[1]}\n" if fence else "#"
        return "".join(parts)


def _split_markdown(source: str) -> tuple[list[tuple[str, bool]], int]:
    """Return the file in pieces, each with whether it is words, and how many remarks it had."""
    parts: list[tuple[str, bool]] = []
    remarks = 0
    fence, prose = "", ""

    def end_of_prose() -> int:
        plain, count = _REMARK.subn("", prose)
        at = 0
        for target in _TARGET.finditer(plain):
            start, end = target.span(1 if target[1] is not None else 2)
            parts.extend([(plain[at:start], True), (plain[start:end], False)])
            at = end
        parts.append((plain[at:], True))
        return count

    for line in source.splitlines(keepends=True):
        mark = _FENCE.fullmatch(line)
        closes = bool(fence) and mark is not None and mark[1].startswith(fence)
        if mark and (closes or not fence):
            remarks += 0 if fence else end_of_prose()
            prose, fence = "", "" if closes else mark[1]
            parts.append((line, False))
        elif fence:
            parts.append((line, True))
        else:
            prose += line
    return parts, remarks + end_of_prose()
