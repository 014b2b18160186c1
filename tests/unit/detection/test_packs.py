"""What the rules of the domain packs, and those for everyday writing, find."""

import pytest

from intact.build import build_detector
from intact.config import load_settings


@pytest.fixture(scope="module")
def shown():
    detector = build_detector(load_settings(None, ["detection.detectors=['patterns','knowledge']"]))
    return lambda text: [(one.kind, one.mention.text) for one in detector.detect(text).found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[10:01] sea_otter7: hello there", ("code", "sea_otter7")),
        ("[21:04] Jordan: hi\n[21:05] May: hi\n", ("person", "Jordan")),
        ("21:05 - Rose Okafor: hi\n", ("person", "Rose Okafor")),
        ("She flew TK 1951 from Istanbul.", ("code", "TK 1951")),
        ("We talked about the winter of 2016 again.", ("date", "the winter of 2016")),
        ("It was posted by u/green_fox88 today.", ("code", "u/green_fox88")),
        ("We live near Tannach farm.", ("place", "Tannach farm")),
        ("She works at the Lensk power plant and at Torvik police station.",
         ("organisation", "Torvik police station")),
        ("The policy is with Heron & Sons.", ("organisation", "Heron & Sons")),
        ("Hi! We're Maren (29, midwife), and new.", ("characteristic", "29")),
        ("<lil_possum7> i am here", ("code", "lil_possum7")),
        ("The gate code is still 4471#, come in.", ("code", "4471#")),
        ("My plan is 00417739-02, I think.", ("code", "00417739-02")),
        ("Find me, insta maren.of.bodo please", ("code", "maren.of.bodo")),
        ("Omang 337 219 804", ("code", "337 219 804")),
        ("The car 191-WX-4408 hit us.", ("code", "191-WX-4408")),
        ("Call me, bleep 4417.", ("code", "4417")),
        ("We sailed from Clark's Harbour again.", ("place", "Clark's Harbour")),
        ("She uses a frame.", ("characteristic", "uses a frame")),
        ("He lost two fingers there.", ("characteristic", "lost two fingers")),
        ("Color eyes: brown\n", ("characteristic", "brown")),
        ("BAC .14 at the stop", ("quantity", "14")),
        ("Mon 0712 - a call", ("date", "Mon 0712")),
        ("The week of Oct. 9 was cold.", ("date", "Oct. 9")),
        ("They meet the second Thursday in June.", ("date", "the second Thursday in June")),
        ("We meet on Saturday the 29th again.", ("date", "Saturday the 29th")),
        ("He works until end August then.", ("date", "end August")),
        ("I left home at seventeen.", ("age", "seventeen")),
        ("She is thirty-four, like me.", ("age", "thirty-four")),
        ("He pays $1,140 a quarter.", ("money", "$1,140 a quarter")),
        ("It cost 350 som each.", ("money", "350 som")),
        ("I scored 37 in Dynamics.", ("quantity", "37")),
        ("RUT: 12.884.317-6", ("code", "12.884.317-6")),
        ("We took flight BA 2263 out.", ("code", "BA 2263")),
        ("I was shown exhibit SJF/3 there.", ("code", "SJF/3")),
        ("He paid rakeshk.9@okdmb by mistake.", ("code", "rakeshk.9@okdmb")),
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
