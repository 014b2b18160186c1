import pytest

from intact.english.numbers import as_ordinal, whole_number
from intact.english.quantities import parse_quantity

READ = {
    "three": "number:3/3",
    "63 persons": "number:63/63 person",
    "fifteen other passengers": "number:15/15 passenger",
    "twenty three boats": "number:23/23 boat",
    "no children": "number:0/0 child",
    "50 to 100 persons": "number:50/100 person",
    "between 50 and 60 goats": "number:50/60 goat",
    "GBP 34 million": "number:34000000/34000000 GBP",
    "GBP 20 to 50 million": "number:20000000/50000000 GBP",
    "EUR 500,000 to 1 million": "number:500000/1000000 EUR",
    "£1,250": "number:1250/1250 GBP",
    "SEK 9,128 (approximately EUR 950)": "number:9128/9128 SEK",
    "12.590.000 Turkish liras (TRL)": "number:12590000/12590000 TRY",
    "4,952.51 pounds sterling": "number:4952.51/4952.51 GBP",
    "a five-figure sum": "number:10000/100000",
    "0.5 cm": "number:0.005/0.005 length",
    "2 x 1 cm": "number:0.02/0.02,0.01/0.01 length",
    "fifteen by five centimetres": "number:0.15/0.15,0.05/0.05 length",
    "47 mph": "number:75.639168/75.639168 speed",
    "1,103 sq. m": "number:1103/1103 area",
    "six years’ imprisonment": "number:2191.455/2191.455 time",
    "40 % of the shares": "number:0.4/0.4",
    "two-thirds": "number:0.666666666667/0.666666666667",
    "two of the three cottages": "number:0.666666666667/0.666666666667",
    "22nd session": "number:22/22 session",
    "sixth": "number:6/6",
    "four votes to three": "number:4/4,3/3 vote",
    "20- to 50-page report": "number:20/50 page report",
}


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_reads(text, expected):
    found = parse_quantity(text)
    assert found.canonical() == expected


@pytest.mark.parametrize("text", ["", "house", "GBP", "cm", "x", "(", "by", "§§", "of the"])
def test_leaves_alone_what_is_no_quantity(text):
    assert parse_quantity(text) is None


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("50 to 100 persons", "63 persons", True),
        ("50 to 100 persons", "120 persons", False),
        ("50 to 100 persons", "63 goats", None),
        ("several", "three", True),
        ("a sum of money", "GBP 34 million", True),
        ("a five-figure sum", "SEK 34,000", True),
        ("GBP 20 to 50 million", "SEK 34 million", None),
        ("less than 5 cm", "2 x 1 cm", True),
        ("less than half of the flats", "40 % of the flats", True),
        ("more than 20 persons", "20 persons", False),
        ("at least 20 persons", "20 persons", True),
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
        ("paid 12 euros (EUR0)0 in", 5, 18, "12 euros (EUR0)0"),
        ("paid 18,514, in", 5, 11, "18,514"),
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
