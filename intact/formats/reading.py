"""Reading a file that has to be held whole: its size is limited, its encoding is checked."""

from __future__ import annotations

from typing import BinaryIO

from intact.errors import FormatError

MOST_BYTES = 16 << 20
"""The largest text that is read whole, in bytes (16 MiB); TAB, JSONL, CSV and others that hold
many documents are streamed."""
MOST_PACKED = 64 << 20
"""The largest file that is read whole and is not all text, in bytes (64 MiB)."""
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"PK\x03\x04": "a ZIP archive"}


def read_whole(file: BinaryIO, where: str, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file.

    Raises:
        FormatError: if there are more than ``most``.
    """
    data = file.read(most + 1)
    if len(data) > most:
        raise FormatError(
            f"larger than {most >> 20} MiB, which is the limit for files that are read whole",
            where=where,
            remedy="Split it, or give its documents as JSONL, which is streamed.",
        )
    return data


def decode(data: bytes, where: str) -> str:
    """The text of UTF-8 bytes without their byte order mark.

    Raises:
        FormatError: if it is no UTF-8 text; names the first byte that is not (from 0).
    """
    look = next((name for mark, name in _BOMS.items() if data.startswith(mark)), "")
    hint = f"It looks like {look}. " if look else ""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8 (byte {error.start})", where=where, remedy=f"{hint}Save it as UTF-8."
        ) from None
    binary = data.find(b"\0")
    if binary >= 0:
        raise FormatError(
            f"not a text file (a zero byte at byte {binary})",
            where=where,
            remedy=f"{hint}Give text in UTF-8.",
        )
    return text


def read_text(file: BinaryIO, where: str, most: int = MOST_BYTES) -> str:
    """The text of a file; see ``read_whole`` and ``decode``."""
    return decode(read_whole(file, where, most), where)
