"""What the rules of the domain packs, and those for everyday writing, find."""

import pytest

from intact.build import build_detector
from intact.config import load_settings


@pytest.fixture(scope="module")
def shown():
    detector = build_detector(load_settings())
    return lambda text: [(one.kind, one.mention.text) for one in detector.detect(text).found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[10:01] sea_otter7: hello there", ("code", "sea_otter7")),
        ("It was posted by u/green_fox88 today.", ("code", "u/green_fox88")),
        ("We live near Tannach farm.", ("place", "Tannach farm")),
        ("She works at the Lensk power plant and at Torvik police station.",
         ("organisation", "Torvik police station")),
        ("The policy is with Heron & Sons.", ("organisation", "Heron & Sons")),
        ("RUT: 12.884.317-6", ("code", "12.884.317-6")),
        ("We took flight BA 2263 out.", ("code", "BA 2263")),
        ("I was shown exhibit SJF/3 there.", ("code", "SJF/3")),
        ("He paid rakeshk.9@okdmb by mistake.", ("code", "rakeshk.9@okdmb")),
        ("From: Nurul Izzah binti Ahmad\n", ("person", "Nurul Izzah binti Ahmad")),
        ("My father has a pacemaker.", ("characteristic", "pacemaker")),
        ("He is deaf in the right ear.", ("characteristic", "deaf in the right ear")),
        ("Name: X    Occupation: school bus driver\n", ("occupation", "school bus driver")),
        ("I lead a team of 14 there.", ("quantity", "14")),
        ("We saw a 52-year-old baker.", ("age", "52-year-old")),
        ("She was eleven. Then it began.", ("age", "eleven")),
        ("Come on the 27th.", ("date", "the 27th")),
        ("We met at half past two.", ("date", "half past two")),
        ("03/2019 - present  Planner", ("date", "03/2019 - present")),
        ("Figures for Q3 2024 fell.", ("date", "Q3 2024")),
        ("They pay RM 450 a month.", ("money", "RM 450 a month")),
        ("It cost ₹3.5 lakh.", ("money", "₹3.5 lakh")),
        ("She smokes about ten cigarettes a day.", ("quantity", "about ten cigarettes a day")),
    ],
)  # fmt: skip
def test_it_is_found_whole(shown, text, found):
    assert found in shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "The school was closed.",
        "They took a ten to two majority vote.",
        "At the end of his term.",
        "[10:02] Hello.",
        "RES: Yes, it was.",
    ],
)
def test_nothing_is_found(shown, text):
    assert shown(text) == []
