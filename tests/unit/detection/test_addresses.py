"""Addresses are found whole, however many lines they take."""

import pytest

from intact.detection.addresses import addresses
from intact.detection.boundaries import tidy

KNOWN = {"Rotterdam", "Las Cruces", "Norway", "Turku"}


@pytest.mark.parametrize(
    ("before", "address", "after"),
    [
        ("She moved to ", "Flat 3, 14 Quarry Road, Leeds LS2 7AB", ". It rains."),
        ("Bill to: Olga Brandt\n   ", "3120 Puistokatu 9 Apt. 44\n   TURKU\n   20100", "\n\nPhone"),
        ("Send it to ", "PSC 204, Box 117\nAPO AE 09021", ". Thanks"),
        ("Meet me at ", "the corner of Linnégatan 12 and Wallace Pass", " at six"),
        ("> ", "88 Fjordveien 3\n> Suite 2\n> Bodø\n> Norway 8003", "\n> Regards"),
        ("Address: ", "RFD 2 Box 19, Las Cruces", ", where he farms"),
    ],
)
def test_an_address_is_found_whole(before, address, after):
    text = before + address + after
    spans = addresses(text, lambda name: name.title() in KNOWN)
    covered = bytearray(len(text))
    for span in filter(None, (tidy(text, one) for one in spans)):
        covered[span.start : span.end] = b"\1" * len(span)
    inside = covered[len(before) : len(before) + len(address)].rstrip(b"\0")
    assert b"\0" not in inside
    assert len(inside) == len(address)
    assert not any(covered[: len(before)])
    assert not any(covered[len(before) + len(address) :])


@pytest.mark.parametrize(
    "text",
    [
        "On 12 March 2004 the Court sat in Room.",
        "Article 6 of Protocol 12 applies.",
    ],
)
def test_no_address(text):
    assert list(addresses(text, lambda name: False)) == []


def test_what_stands_behind_a_flat_in_a_sentence_is_not_taken():
    text = "He left Flat 3, Maria Lopez said."
    assert [span.of(text) for span in addresses(text, lambda name: False)] == ["Flat 3"]
