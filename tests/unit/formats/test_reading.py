"""Files that are read whole, and offsets that count UTF-16 units."""

import io

import pytest

from intact.errors import FormatError
from intact.formats.base import decode, read_whole
from intact.formats.tools import Offsets, as_code_points, to_utf16


def test_text_without_such_characters_is_left_alone():
    spans = (Offsets(0, 99),)
    assert as_code_points("Å ann", spans) == (spans, "")


def test_the_end_of_the_text_decides():
    (span,), said = as_code_points("😀 Bo", [Offsets(2, 4)])
    assert (span.start, span.end) == (2, 4)
    assert said == "offsets counted code points, not UTF-16 units (1)"


def test_half_a_character_is_no_place():
    (span,), _ = as_code_points("a😀b", [Offsets(2, 4, "x")])
    assert (span.start, span.end) in ((-1, 3), (2, 4))


def test_utf16_units():
    assert [to_utf16("a😀b", at) for at in range(4)] == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab\xff", r"not UTF-8 \(byte 2\)"),
        ("Ann".encode("utf-16"), "It looks like UTF-16"),
        (b"PK\x03\x04\xff", "looks like a ZIP archive"),
        (b"abc\0def", "a zero byte at byte 3"),
    ],
)
def test_what_is_no_text(data, said):
    with pytest.raises(FormatError, match=said):
        decode(data, "f")


def test_what_is_too_large():
    with pytest.raises(FormatError, match="larger than 0 MiB"):
        read_whole(io.BytesIO(b"abcd"), "f", most=3)
