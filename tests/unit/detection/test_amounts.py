"""Money, measures, counts, occasions and traits as people write them."""

import pytest

from intact.config import load_settings
from intact.pipeline import build_detector


@pytest.fixture(scope="module")
def detector():
    return build_detector(load_settings(None, ["detection.detectors=['patterns','knowledge']"]))


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("charged 4,350 kroner twice", "money", "4,350 kroner"),
        ("about 12 400 zł plus VAT", "money", "12 400 zł"),
        ("a loan of 1 850 000 kr was", "money", "1 850 000 kr"),
        ("about fifty pounds a day, she", "money", "fifty pounds a day"),
        ("lost 15,000 Jamaican dollars then", "money", "15,000 Jamaican dollars"),
        ("with some 200 people in", "quantity", "some 200 people"),
        ("HR 104, all fine", "quantity", "104"),
        ("they have two children and", "characteristic", "two children"),
        ("came five years ago with", "date", "five years ago"),
        ("has gestational diabetes since", "characteristic", "gestational diabetes"),
        ("I am seven months pregnant and", "characteristic", "seven months pregnant"),
        ("in his white Toyota Probox, which", "other", "white Toyota Probox"),
        ("an der Lindenstraße 8 in", "address", "Lindenstraße 8"),
    ],
)
def test_finds(detector, text, kind, shown):
    found = {(i.kind, i.mention.text) for i in detector.detect(text).found}
    assert (kind, shown) in found


@pytest.mark.parametrize(
    "text",
    [
        "under section 144 of the Act",
        "She joined Year 6 then.",
        "the judge heard a lawyer and a witness",
        "It was the first, and the second, of many.",
        "they had no complaint",
    ],
)
def test_leaves(detector, text):
    assert [i.mention.text for i in detector.detect(text).found] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("called, a self-employed dentist from Bergen", "self-employed dentist"),
        ("Ann Lee, a dentist from Bergen", "dentist"),
        ("Yours\n\nAnn\nBranch manager\n", "Branch manager"),
    ],
)
def test_the_tagger_finds_jobs_that_nothing_announces(text, shown):
    found = build_detector(load_settings()).detect(text).found
    masked = "".join(c for i in found for c in i.mention.text)
    assert all(word in masked for word in shown.split())
