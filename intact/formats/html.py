"""HTML and Markdown: one document per file. Replaced text changes, the markup stays: elements,
looks, the marks of code blocks.

Attributes stay if they say how an element looks or what belongs together, with names made
meaningless; custom elements become plain ones. What readers do not see is removed: comments,
scripts, everything in a DOCTYPE but its name, titles and other attributes with words; and the
targets of links. Warnings count what was removed."""

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, ClassVar

from intact.domain import SanitizedDocument
from intact.errors import FormatError, InputError, require
from intact.formats import base, pieces
from intact.formats.base import Loaded, Record, decode, load_plain, read_whole
from intact.formats.neutral import Names, clean_picture, contents, plain_css, regexes, style_value

_WORDS = contents("html")
_ADDRESSES = _WORDS["addresses"]
_PATTERNS = regexes("html")


class HtmlFormat(base.UnmarkedFormat):
    """Reads an HTML file as one document and writes it back with its text sanitised."""

    name, needs = "html", "bs4"
    suffixes = (".html", ".htm", ".xhtml")
    beginnings = (b"<!DOCTYPE html", b"<!doctype html", b"<html")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield one ``Record``, whose ``raw`` is the page as text, decoded from the encoding that
        it declares, or else from UTF-8.

        Args:
            file: at most 16 MiB.
            where: the file's path, for messages.

        Raises:
            FormatError: if the file is larger, the encoding is unknown, or the bytes are not in it.
        """
        data = read_whole(file, where)
        detector = require("bs4.dammit").EncodingDetector
        name = detector.find_declared_encoding(data, is_html=True) or "utf-8"
        name = "utf_16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else name
        plain = name.lower().replace("-", "") in ("utf8", "utf16", "utf16le", "ascii", "usascii")
        yield Record(decode(data, where) if plain else base.decode_as(data, name, where), where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the text that a page shows as a document without mentions, and remove what readers
        do not see; warnings count what was removed, and the pictures that stay, unread.

        Args:
            record: its ``raw`` is the decoded page; ``parsed`` of the result will be the stripped
                tree.
            annotator: not used: a page brings no mentions.

        Raises:
            FormatError: if the parser rejects the markup, or the page has pictures and no text.
        """
        source = _PATTERNS["doctype"].sub("<!DOCTYPE html>", record.raw, count=1)
        with base.unreadable("cannot be read as HTML", record.where):
            page = require("bs4").BeautifulSoup(source, "html.parser")
        rest = pieces.Rest()
        _strip(page, rest, record.where)
        doctypes = _PATTERNS["doctype"].findall(record.raw)
        rest.gone["declared entities"] += any("[" in one for one in doctypes)
        return load_plain(_page_pieces(page), record, rest.warnings(), page, rest.kept.total())

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the page as bytes in UTF-8, with its text edited.

        Args:
            record: not used.
            loaded: its ``parsed`` is the stripped tree, which is changed.
            sanitized: edits of the extracted text.
        """
        page = loaded.parsed
        for node, string in pieces.changes(_page_pieces(page), sanitized.edits):
            node.replace_with(type(node)(string))
        return bytes(page.encode("utf-8", formatter="minimal"))


def _strip(page: Any, rest: pieces.Rest, where: str) -> None:
    """Remove from a page, in place, what readers do not see; elements that are not in the standard
    become "span", and names meaningless.

    Args:
        page: is changed.
        rest: counts what is removed, and what stays and should be looked at.
        where: the file's path, for messages.

    Raises:
        FormatError: if it cannot be determined which text a style shows backwards.
    """
    _remove_unseen(page, rest.gone, where)
    names = Names()
    for tag in page.find_all(True):
        if tag.name not in _WORDS["elements"]:
            rest.gone["names of custom elements"] += 1
            tag.name = "span"
        rest.kept["drawings"] += tag.name == "svg"
        if tag.name == "style":
            tag.string = require("bs4").Stylesheet(names.restyle(tag.get_text()))
        for name, value in list(tag.attrs.items()):
            del tag[name]
            shown = " ".join(value) if isinstance(value, list) else str(value)
            stays = _neutral(tag.name, name, shown, names, rest)
            if stays is not None:
                tag[name] = stays


def _remove_unseen(page: Any, gone: Counter[str], where: str) -> None:
    """Remove from a page, in place, the elements that readers do not see, and count them in
    ``gone`` by nouns in the plural; replace what it says of its encoding by UTF-8, and of the width
    at which it is shown by that of the device."""
    bs4 = require("bs4")
    unread = bs4.element.PreformattedString
    for node in page.find_all(string=lambda string: isinstance(string, unread)):
        if node.strip().lower() != "html" or not isinstance(node, bs4.Doctype):
            gone["comments and declarations"] += 1
            node.extract()
    forced = {id(tag): tag for tag in _forced(page, where)}
    gone["texts in a forced direction"] += len(forced)
    for tag in forced.values():
        tag.decompose()
    viewport = page.find("meta", attrs={"name": "viewport"})
    for tag in page.find_all([*_WORDS["removed"]]):
        gone[f"{tag.name} elements"] += tag is not viewport and not tag.has_attr("charset")
        tag.decompose()
    metas = [{"charset": "utf-8"}, {"name": "viewport", "content": "width=device-width"}]
    for told in metas[: 1 + (viewport is not None)]:
        (page.head or page.html or page).insert(0, page.new_tag("meta", attrs=told))


def _forced(page: Any, where: str) -> Iterator[Any]:
    """Yield the elements of a page whose text a style forces into a direction, so that it is shown
    backwards; an element may come more than once.

    Args:
        page: to search.
        where: the file's path, for messages.

    Raises:
        FormatError: if the elements of such a style cannot be determined.
    """
    yield from page.find_all(style=_is_forced)
    for style in page.find_all("style"):
        for rule in _PATTERNS["rule"].finditer(plain_css(style.get_text())):
            if _is_forced(rule[2]):
                chosen = _PATTERNS["pseudo"].sub("", rule[1].rpartition(";")[2])
                try:
                    yield from page.select("!" * ("&" in chosen) or chosen)
                except require("soupsieve").SelectorSyntaxError:
                    problem = "a style forces a direction on text, and on which cannot be read"
                    raise FormatError(problem, where=where) from None


def _is_forced(css: str | None) -> bool:
    """Tell whether style rules force text into a direction, so that it is shown backwards; False
    for None."""
    return _PATTERNS["forced"].search(plain_css(css or "")) is not None


def _neutral(tag: str, name: str, value: str, names: Names, rest: pieces.Rest) -> str | None:
    """Return the value that an attribute keeps, or None if the attribute has to go: names replaced,
    targets of links emptied, looks as they are, pictures cleaned. Count in ``rest`` pictures,
    targets of links and removed words."""
    if name in _ADDRESSES and not value.startswith("#"):
        return _address(tag, value, rest)
    if tag == "meta":
        return value
    if name in _WORDS["renamed"] or name in _ADDRESSES:  # of an address "#name"
        return " ".join(map(names.rename, value.split()))
    if name == "style":
        return names.restyle(value)
    counts = name != "value" or tag in ("li", "progress", "meter")
    stays = style_value(value) if name in _WORDS["neutral"] and counts else None
    rest.gone["attributes with words"] += stays is None
    return stays


def _address(tag: str, value: str, rest: pieces.Rest) -> str | None:
    """Return a harmless value for an attribute that holds an address: "#" for a link, the visible
    pixels, as an address, for a picture that stands in the page itself; None if the attribute has
    to go. Count in ``rest`` a target of a link as gone, and a picture as kept or, if it cannot be
    cleaned, as gone."""
    nowhere = "#" if tag in ("a", "area") else None
    if not value.startswith("data:image/"):
        rest.gone["targets of links"] += 1
        return nowhere
    kind, data = "", b""
    if tag == "img":
        with suppress(ValueError):
            kind, data = clean_picture(b64decode(value.partition(",")[2].encode()))
    (rest.kept if kind else rest.gone)["pictures"] += 1
    return f"data:image/{kind};base64,{b64encode(data).decode()}" if kind else nowhere


def _page_pieces(page: Any) -> list[pieces.Piece]:
    """Return the strings of a page that readers see as pieces, in order, each with its node as its
    place. Where a block begins or ends stands a line end, where a cell does a border; marks of
    notes have no text."""
    bs4 = require("bs4")
    texts: list[pieces.Piece] = []
    block = last = page
    around = {id(page): (page, page, "")}  # each element: its block and cell, its pieces' kind
    for node in page.descendants:
        if isinstance(node, bs4.Tag):
            inline = node.name in _WORDS["inline"]
            own, cell, kind = around[id(node.parent)]
            cell = node if node.name in _WORDS["cells"] else cell
            kind = "raised" if _is_raised(node) else kind
            around[id(node)] = own if inline else node, cell, kind
            block = block if inline else None
            continue
        text = str(node)
        if not text or isinstance(node, bs4.Doctype) or node.parent.name == "style":
            continue
        own, cell, kind = around[id(node.parent)]
        if texts and own is not block and not texts[-1].text.endswith("\n"):
            texts.append(pieces.BORDER if cell is not last else pieces.LINE_END)
        block, last = own, cell
        shown = text if own.name in _WORDS["as_typed"] else _PATTERNS["break"].sub(" ", text)
        texts.append(pieces.Piece(shown, node, kind))
    return [*pieces.without_marks(texts)]


def _is_raised(tag: Any) -> bool:
    """Tell whether an element is set above the line, or is a link to a place in the page itself, as
    marks of notes are."""
    link = tag.name == "a" and len(tag.get("href", "")) > 1 and tag["href"].startswith("#")
    return link or tag.name == "sup" or "super" in tag.get("style", "")


_MARKDOWN = regexes("markdown")


class MarkdownFormat(base.PartlyReadFormat):
    """Reads a Markdown file as one document and writes it back with its words sanitised.

    Targets of links are emptied; names of notes are made meaningless."""

    name = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")

    def split(self, source: str) -> tuple[list[pieces.Piece], tuple[str, ...]]:
        """Return (the pieces of a Markdown file without its comments, in order; warnings): words
        have no kind, targets of links, emptied to "#", the kind "target", and marks of notes, with
        their names replaced, the kind "note". A warning counts comments and targets.

        Args:
            source: the whole file.
        """
        notes, names, done = set(_MARKDOWN["note"].findall(source)), Names(), 0
        parts: list[tuple[str, str]] = []
        kinds: Counter[str] = Counter()
        for found in _MARKDOWN["part"].finditer(source):
            kind = found.lastgroup or ""
            kinds[kind] += 1
            parts.append((source[done : found.start(kind)], ""))
            text, done = found[kind], found.end(kind)
            if kind == "note" and found["name"] in notes:
                parts.append((text.replace(found["name"], names.rename(found["name"])), kind))
            elif kind in ("target", "further"):
                parts.append(("#", "target"))
            elif kind != "remark":
                parts.append((text, ""))
        parts.append((source[done:], ""))
        links = kinds["target"] + kinds["further"]
        gone = {"comments": kinds["remark"], "targets of links": links}
        made = [pieces.Piece(text, at, kind) for at, (text, kind) in enumerate(parts)]
        return made, pieces.warn_of(gone.items(), "removed")
