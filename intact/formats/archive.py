"""Files that are ZIP archives of parts (.docx, .xlsx, .odt): checked before they are unpacked,
their trees emptied of what nobody reads, and written so that the same content gives the same
bytes."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from intact.errors import FormatError, require
from intact.formats.neutral import is_plain

MOST_UNPACKED = 256 << 20  # bytes that all parts of an archive may unpack to
MOST_PARTS = 5000  # files in an archive
_STEADY = (1980, 1, 1, 0, 0, 0)  # of every part: the same input gives the same file
_MAIN = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "odt": "content.xml"}


def check_archive(data: bytes, where: str, kind: str) -> None:
    """Refuse, before anything is unpacked, an archive that cannot be read safely.

    Args:
        data: the whole file.
        where: the file's name, for messages.
        kind: the format that it should have: "docx", "xlsx" or "odt".

    Raises:
        FormatError: if it is no ZIP archive or one of another kind, is encrypted, or would unpack
            to more than 256 MiB or 5,000 parts.
    """
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
    if size > MOST_UNPACKED or len(infos) > MOST_PARTS:
        most = f"the limit is {MOST_UNPACKED >> 20} MiB in {MOST_PARTS} parts"
        problem = f"unpacks to {size >> 20} MiB in {len(infos)} parts; {most}"
        remedy = "It may be a ZIP bomb. Save its text in a smaller document."
        raise FormatError(problem, where=where, remedy=remedy)
    if any(info.flag_bits & 1 for info in infos):
        raise FormatError("is encrypted", where=where, remedy="Save it without a password.")
    names = {info.filename for info in infos}
    other = next((k for k, main in _MAIN.items() if k != kind and main in names), "")
    if _MAIN[kind] not in names and other:
        problem = f"not a .{kind} file (it looks like .{other})"
        remedy = f"Give it the suffix .{other}, or say --format {other}."
        raise FormatError(problem, where=where, remedy=remedy)


def pack_parts(parts: Iterable[tuple[str, bytes]]) -> bytes:
    """Pack parts (name, content) into an archive whose bytes depend on nothing else.

    OpenDocument's "mimetype" is not compressed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, _STEADY), content, method)
    return made.getvalue()


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError),
    *(ValueError, RuntimeError),  # encrypted, or compressed in an unknown way
)


def unpack_parts(data: bytes, where: str = "") -> dict[str, bytes]:
    """Unpack an archive into its parts, by name.

    Args:
        data: the whole file, which ``check_archive`` has passed.
        where: the file's name, for messages.

    Raises:
        FormatError: if a part is damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except _DAMAGED:
        raise FormatError("one of its parts is damaged", where=where) from None


def neutralise(
    root: Any,
    spaces: tuple[str, ...],
    value_of: Callable[[Any, str, str], str | None],
    is_read: Callable[[Any], bool],
) -> int:
    """Take out of a tree elements and attributes of unknown namespaces, and all text that is not
    read; give every attribute the value that it may have. Return how many texts were taken out.

    Args:
        root: what is in an unknown element stays.
        spaces: how known namespaces begin.
        value_of: of an element, an attribute's local name and its value, the value or None.
        is_read: whether the text in an element is read.
    """
    etree, known = require("lxml.etree"), tuple(f"{{{space}" for space in spaces)
    plain = etree._Element  # python-docx gives "text" another meaning
    for element in root.iter("*"):
        if not element.tag.startswith(known):
            element.tag = "unknown"
    etree.strip_tags(root, "unknown", etree.Comment, etree.ProcessingInstruction, etree.Entity)
    gone = 0
    for element in root.iter("*"):
        own = [(name, *name.rpartition("}")[::2], value) for name, value in element.attrib.items()]
        values = {
            name: value_of(element, local, value)
            for name, space, local, value in own
            if not space or space.startswith(known)
        }
        element.attrib.clear()
        element.attrib.update({name: value for name, value in values.items() if value is not None})
        for place, around in ((plain.text, element), (plain.tail, element.getparent())):
            text = place.__get__(element) or ""
            figure = re.fullmatch(r"\s*-?\d{1,9}\s*", text)  # a place on the page
            if around is not None and not (is_read(around) or figure or is_plain(text)):
                place.__set__(element, None)
                gone += 1
    ignorable = next((v for n, v in root.attrib.items() if n.endswith("}Ignorable")), "")
    etree.cleanup_namespaces(root, keep_ns_prefixes=ignorable.split())
    return gone
