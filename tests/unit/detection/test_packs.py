"""Findings of the domain packs, one example a rule."""

import dataclasses

import pytest

import intact


def shown(detector, text):
    return [(one.kind, one.mention.text) for one in detector.detect(text).found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[21:04] Jordan: hi\n[21:05] May: hi\n", ("person", "Jordan")),
        ("21:05 - Rose Okafor: hi\n", ("person", "Rose Okafor")),
        ("We live near Tannach farm.", ("place", "Tannach farm")),
        ("She works at the Lensk power plant and at Torvik police station.",
         ("organisation", "Torvik police station")),
        ("The policy is with Heron & Sons.", ("organisation", "Heron & Sons")),
        ("Hi! We're Maren (29, midwife), and new.", ("characteristic", "29")),
        ("Find me, insta maren.of.bodo please", ("code", "maren.of.bodo")),
        ("Call me, bleep 4417.", ("code", "4417")),
        ("She uses a frame.", ("characteristic", "uses a frame")),
        ("BAC .14 at the stop", ("quantity", "14")),
        ("Mon 0712 - a call", ("date", "Mon 0712")),
        ("charged 4,350 kroner twice", ("money", "4,350 kroner")),
        ("a loan of 1 850 000 kr was", ("money", "1 850 000 kr")),
        ("about fifty pounds a day, she", ("money", "fifty pounds a day")),
        ("HR 104, all fine", ("quantity", "104")),
        ("they have two children and", ("characteristic", "two children")),
        ("came five years ago with", ("date", "five years ago")),
        ("in his white Toyota Probox, which", ("other", "white Toyota Probox")),
        ("They meet the second Thursday in June.", ("date", "the second Thursday in June")),
        ("I left home at seventeen.", ("age", "seventeen")),
        ("Name: X    Occupation: school bus driver\n", ("occupation", "school bus driver")),
        ("I lead a team of 14 there.", ("quantity", "14")),
        ("She takes apixaban 5 mg bd again.", ("characteristic", "apixaban 5 mg bd")),
        ("He lay on ward B2 for days.", ("place", "ward B2")),
        ("Nationality: German, Somali\n", ("nationality", "Somali")),
        ("They came at 2215, it says.", ("time", "2215")),
        ("We saw a 52-year-old baker.", ("age", "52-year-old")),
        ("Figures for Q3 2024 fell.", ("date", "Q3 2024")),
        ("Omang 337 219 804", ("code", "337 219 804")),
        ("He lost two fingers there.", ("characteristic", "lost two fingers")),
        ("Color eyes: brown\n", ("characteristic", "brown")),
        ("The week of Oct. 9 was cold.", ("date", "Oct. 9")),
        ("We meet on Saturday the 29th again.", ("date", "Saturday the 29th")),
        ("He works until end August then.", ("date", "end August")),
        ("He pays $1,140 a quarter.", ("money", "$1,140 a quarter")),
        ("It cost 350 som each.", ("money", "350 som")),
        ("I scored 37 in Dynamics.", ("quantity", "37")),
        ("0712 Woke up, all fine\n", ("time", "0712")),
        ("Come on the 27th.", ("date", "the 27th")),
        ("We met at half past two.", ("date", "half past two")),
        ("03/2019 - present  Planner", ("date", "03/2019 - present")),
        ("They pay RM 450 a month.", ("money", "RM 450 a month")),
        ("Pt: Hanrahan, Bríd M.   DOB 14/02/1941\n", ("person", "Hanrahan, Bríd M.")),
    ],
)  # fmt: skip
def test_it_is_found_whole(rules, text, found):
    assert found in shown(rules, text)


@pytest.mark.parametrize(
    "text",
    [
        "The school was closed.",
        "under section 144 of the Act",
        "She joined Year 6 then.",
        "the judge heard a lawyer and a witness",
        "It was the first, and the second, of many.",
        "They took a ten to two majority vote.",
        "At the end of his term.",
        "[10:02] Hello.",
        "RES: Yes, it was.",
        "Sick leave was granted. Language: plain.",
        "P.S. See you there. N.B. Sir/Madam.",
    ],
)
def test_nothing_is_found(rules, text):
    assert shown(rules, text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[10:01] sea_otter7: hello there", "sea_otter7"),
        ("It was posted by u/green_fox88 today.", "green_fox88"),
        ("The gate code is still 4471#, come in.", "4471"),
        ("My father has a pacemaker.", "pacemaker"),
        ("Ann Lee, a dentist from Bergen", "dentist"),
        ("You can call me on 056 770 1234 or write.", "056 770 1234"),
    ],
)
def test_the_tagger_finds_what_no_rule_names(text, shown):
    found = intact.detect(text).found
    inside = range(text.index(shown), text.index(shown) + len(shown))
    masked = {at for one in found for at in range(*dataclasses.astuple(one.mention.span))}
    assert masked.issuperset(at for at in inside if text[at].isalnum())
    assert not any(one.mention.text.startswith("P.S") for one in found)
