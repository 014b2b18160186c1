"""Files that are read whole, and offsets that count UTF-16 units."""

import io

import pytest

from intact.errors import FormatError
from intact.formats.base import decode, read_whole
from intact.formats.tools import utf16_offsets


def test_what_is_too_large_and_utf16_units():
    assert utf16_offsets("a😀b") == [0, 1, 3, 4]
    with pytest.raises(FormatError, match="larger than 0 MiB"):
        read_whole(io.BytesIO(b"abcd"), "f", most=3)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab\xff", r"not UTF-8 \(byte 2\)"),
        ("Ann".encode("utf-16"), "it looks like UTF-16"),
        (b"PK\x03\x04\xff", "looks like a ZIP archive"),
        (b"\x89PNG\xff", "picture.*OCR program"),
        (b"\xd0\xcf\x11\xe0", r"older Office.*\.docx"),
        (b"abc\0def", "a zero byte at byte 3"),
    ],
)
def test_what_is_no_text(data, said):
    with pytest.raises(FormatError, match=said):
        decode(data, "f")
