"""Files that are ZIP archives of parts (.docx, .xlsx, .odt): checked before they are unpacked,
their trees cleared of what nobody reads, and written so that the same content gives the same bytes.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from intact.errors import FormatError, require
from intact.formats import base, neutral, pieces

MOST_PARTS = 5000  # files in an archive
MOST_ELEMENTS = 2_000_000  # elements in all parts of an archive
_MARKUP = rb"[\xef\xbb\xbf\xfe\xff\0\s]*<"  # how a part in XML begins, whatever its name
_STEADY = (1980, 1, 1, 0, 0, 0)  # time of every part, so that equal input gives equal files
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_MAIN = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "odt": "content.xml"}


def open_archive(data: bytes, where: str, kind: str) -> dict[str, bytes]:
    """Return the contents of a ZIP archive's parts by their names; refuse an archive that cannot be
    read safely, or has another format.

    Args:
        data: the whole file.
        where: the file's name, for messages.
        kind: the format that it should have: "docx", "xlsx" or "odt".

    Raises:
        FormatError: if the file is empty, no ZIP archive or one of another kind, is encrypted,
            would unpack to more than 256 MiB or 5,000 parts, holds more than 2,000,000 elements, or
            declares a document type, whose entities may stand for text.
    """
    if not data:
        raise FormatError("is empty (0 bytes)", where=where)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        problem = f"not a .{kind} file (an older format of Office, or encrypted)"
        remedy = f"Save it as .{kind}, without a password."
        raise FormatError(problem, where=where, remedy=remedy)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise FormatError(f"not a .{kind} file (no ZIP archive)", where=where) from None
    size = sum(info.file_size for info in infos)
    if size > base.MOST_UNPACKED or len(infos) > MOST_PARTS:
        most = f"the limit is {base.MOST_UNPACKED >> 20} MiB in {MOST_PARTS} parts"
        raise FormatError(f"unpacks to {size >> 20} MiB in {len(infos)} parts; {most}", where=where)
    if any(info.flag_bits & 1 for info in infos):
        raise FormatError("is encrypted", where=where)
    names = {info.filename for info in infos}
    other = next((k for k in (kind, *_MAIN) if _MAIN[k] in names), kind)
    if other != kind:
        problem = f"not a .{kind} file (it looks like .{other})"
        remedy = f"Give it the suffix .{other}, or say --format {other}."
        raise FormatError(problem, where=where, remedy=remedy)
    parts = unpack_parts(data, where)
    _check_xml(parts, where)
    return parts


def _check_xml(parts: Mapping[str, bytes], where: str) -> None:
    """Raise a ``FormatError`` if a part declares a document type or an entity, or if all parts
    together hold more than 2,000,000 elements."""
    elements = 0
    for name, packed in parts.items():
        part = packed.replace(b"\0", b"") if re.match(_MARKUP, packed) else b""  # UTF-16 has zeros
        read = name.endswith((".xml", ".rels")) and "META-INF/" not in name
        if b"<!ENTITY" in part or (read and b"<!DOCTYPE" in part):
            problem = "declares a document type, whose entities may stand for text"
            raise FormatError(problem, where=where)
        elements += part.count(b"<") - part.count(b"</")
    if elements > MOST_ELEMENTS:
        problem = f"holds more than {MOST_ELEMENTS:,} elements (paragraphs, words, cells)"
        raise FormatError(problem, where=where, remedy="Split it, or save its text alone.")


def pack_parts(parts: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the bytes of a ZIP archive with the given parts, each (name, content), in their order;
    equal parts give equal bytes. OpenDocument's "mimetype" is not compressed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, _STEADY), content, method)
    return made.getvalue()


def unpack_parts(data: bytes, where: str = "") -> dict[str, bytes]:
    """Return the contents of an archive's parts by their names, unchecked.

    Args:
        data: the whole file, not too large.
        where: the file's name, for messages.

    Raises:
        FormatError: if a part is damaged.
    """
    file = io.BytesIO(data)
    with base.unreadable("one of its parts is damaged", where), zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def remove_elements(root: Any, tags: Sequence[str]) -> int:
    """Remove elements from a tree, in place, with all that they contain, but not the text behind
    them; return how many there were. Of OpenDocument's pairs that mark a stretch only one counts.

    Args:
        root: of the tree.
        tags: names of the elements, with their namespaces.
    """
    ends = ("-end", "change-start")
    count = sum(not element.tag.endswith(ends) for element in root.iter(*tags))
    require("lxml.etree").strip_elements(root, *tags, with_tail=False)
    return count


def _is_known(tag: str, name: str) -> bool:
    """Tell whether an element or attribute may stay in a file: its name is in the standard of the
    format, or it is ``xml:space``.

    Args:
        tag: its full name, "{namespace}local".
        name: of the format: "docx" or "odt".
    """
    space, _, local = tag[1:].rpartition("}")
    names = neutral.contents(name, "schemas")["names"]
    return (space in neutral.namespaces(name) and local in names) or tag == SPACE or tag in names


# Called with an element, an attribute's local name and its value; returns the value that the
# attribute keeps, or None if it has to go.
ValueOf = Callable[[Any, str, str], str | None]
# Called with a tree; returns its texts that are read, each (element, "text" or "tail").
TextsOf = Callable[[Any], Iterable[tuple[Any, str]]]


def neutralise(root: Any, name: str, rest: pieces.Rest, value_of: ValueOf, read: TextsOf) -> Any:
    """Return a copy of a tree with only the elements and attributes of its standard, each attribute
    with a value that it may have, and without the texts that are not read, unless they only say how
    something looks. The tree itself loses its unknown elements, but not their content.

    Args:
        root: the tree; do not use it again.
        name: the format, whose standard is in ``contents.toml`` and ``schemas.toml``.
        rest: the texts that are left out are counted in it.
        value_of: of the format: what each attribute keeps.
        read: of the format: the texts that stay.
    """
    etree, spaces = require("lxml.etree"), neutral.namespaces(name)
    for element in root.iter("*"):
        if not _is_known(element.tag, name):
            element.tag = "unknown"
    etree.strip_tags(root, "unknown", etree.Comment, etree.ProcessingInstruction, etree.Entity)
    shown, plain = set(read(root)), etree._Element
    copies: dict[Any, Any] = {}
    for element in root.iter("*"):
        own = [(n, value_of(element, n.rpartition("}")[2], v)) for n, v in element.attrib.items()]
        stays = {n: v for n, v in own if v is not None and _is_known(n, name)}
        if element is root:
            prefixes = {prefix: space for space, prefix in spaces.items()}
            copies[root] = root.makeelement(root.tag, stays, prefixes)
        else:
            copies[element] = etree.SubElement(copies[element.getparent()], element.tag, stays)
        for place in ("text", "tail"):  # python-docx gives "text" another meaning
            text = getattr(plain, place).__get__(element) or ""
            if text.strip(" \t\r\n") and (element, place) not in shown:
                text = neutral.style_value(text)
                rest.gone["texts that are not shown"] += text is None
            getattr(plain, place).__set__(copies[element], text or None)
    return copies[root]
