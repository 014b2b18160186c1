import pytest

from intact.english.numbers import as_ordinal, whole_number
from intact.english.quantities import parse_quantity

READ = {
    "three": "number:3/3",
    "fifteen other passengers": "number:15/15 passenger",
    "no children": "number:0/0 child",
    "no more than five goats": "number:0/5 goat",
    "no fewer than 40 goats": "number:40/inf goat",
    "at least 40 goats": "number:40/inf goat",
    "one or more goats": "number:1/inf goat",
    "between 50 and 60 goats": "number:50/60 goat",
    "GBP 20 to 50 million": "number:20000000/50000000 GBP",
    "12.590.000 Turkish liras (TRL)": "number:12590000/12590000 TRY",
    "47 mph": "number:75.639168/75.639168 speed",
    "six years’ imprisonment": "number:2191.455/2191.455 time",
    "two-thirds": "number:0.666666666667/0.666666666667",
    "two of the three cottages": "number:0.666666666667/0.666666666667",
    "22nd session": "number:22/22 session",
    "20- to 50-page report": "number:20/50 page report",
}


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_reads(text, expected):
    found = parse_quantity(text)
    assert found.canonical() == expected


@pytest.mark.parametrize(
    "text", ["83 B+", "", "house", "GBP", "cm", "x", "(", "by", "§§", "of the"]
)
def test_leaves_alone_what_is_no_quantity(text):
    assert parse_quantity(text) is None


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("50 to 100 persons", "63 persons", True),
        ("50 to 100 persons", "63 goats", None),
        ("several", "three", True),
        ("1,000 to 10,000", "twenty-six hundred", True),
        ("10 to 1,000", "twenty-six hundred", False),
        ("a sum of money", "GBP 34 million", True),
        ("GBP 20 to 50 million", "SEK 34 million", None),
        ("less than 5 cm", "2 x 1 cm", True),
        ("less than half of the flats", "40 % of the flats", True),
        ("more than 20 persons", "20 persons", False),
    ],
)
def test_containment(wide, narrow, expected):
    one, other = parse_quantity(wide), parse_quantity(narrow)
    assert other is not None
    assert one.contains(other) is expected


@pytest.mark.parametrize(
    ("text", "start", "end", "whole"),
    [
        ("paid 18,514 in", 5, 10, "18,514"),
        ("paid 12 euros (EUR)0 in", 5, 19, "12 euros (EUR)0"),
        ("paid 12 euros (EUR0)0 in", 5, 18, "12 euros (EUR0"),
        ("paid 1800 in", 7, 9, "1800"),
    ],
)
def test_a_cut_number_is_taken_whole(text, start, end, whole):
    low, high = whole_number(text, (0, len(text)), start, end)
    assert text[low:high] == whole


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, "first"), (12, "twelfth"), (13, "13th"), (21, "21st"), (112, "112th")],
)
def test_numbers_as_ordinals(number, expected):
    assert as_ordinal(number, spelled_to=12) == expected
