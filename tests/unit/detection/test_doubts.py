"""Doubts about a document; no remark quotes it."""

import pytest

from intact import sanitize
from intact.detection.doubts import find_doubts
from intact.detection.findings import Finding
from intact.domain import DoubtfulPlace, Doubts, Span
from intact.errors import LanguageError

ENGLISH = "and then she said that it was not for her to say what he had done to them in the end, "


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (ENGLISH * 2 + "so Zorblax and Quennoth and Vrylla left.", "3 words with a capital"),
        (ENGLISH + "so V a s b r o o k left", "1 row of single letters"),
        (ENGLISH + "write to 5550148 about it.", "1 long one"),
        (ENGLISH + "Привет мой друг.", "3 words are in other letters than Latin"),
        ((ENGLISH.upper() + "\n") * 3, "100 % of the lines are in all capitals"),
        ("der Hund und die Katze sind heute nicht gekommen weil es regnet " * 4, "English"),
    ],
)  # fmt: skip
def test_it_doubts(text, wanted):
    remarks = find_doubts(text, (), ())[0]
    assert any(wanted in remark for remark in remarks), remarks
    assert not any(word in remark for remark in remarks for word in ("Zorblax", "Hund", "Привет"))


def test_half_english_documents_are_read_in_part():
    german = "Der Hund und die Katze sind heute nicht gekommen, weil Frau Krause es verboten hat. "
    text = f"{ENGLISH} Ann Lee came from Oslo in May 2019.\n\n{german * 2}"
    done = sanitize(text)
    said = next(note for note in done.notes if "1 paragraph not in English (paragraph 2)" in note)
    assert "illnesses, jobs and places in words may still stand there in clear" in said
    assert "Krause" not in done.text and "der Hund und die Katze".title() not in done.text
    assert "es verboten hat" in done.text
    for foreign in (german * 3, f"# Bericht\n\n{german * 3}"):
        with pytest.raises(LanguageError):
            sanitize(foreign)


def test_a_person_named_in_two_languages_is_one():
    text = (
        "Your tenant, Frau Sabine Hofmann, has lived there since 2015.\n\nWie bereits telefonisch "
        "besprochen, leidet Frau Hofmann seit März 2020 an Multipler Sklerose und kann die Treppe "
        "nicht mehr benutzen.\n\nI hope that Mrs Hofmann can stay in the house.\n"
    )
    done = sanitize(text)
    assert done.text.count("PERSON_1") == 3


def test_an_ordinary_text_is_not_doubted():
    text = "The day was long. We went home and had our tea, and then it was time to go to bed.\n"
    assert find_doubts(text * 3, (), ()) == ((), Doubts())


def test_long_and_short_numbers_are_doubted_by_line():
    text = f"Today.\n{ENGLISH}\n{ENGLISH} write to 5550148 and then to 5550149.\n"
    notes, made = find_doubts(text, (), ())
    assert "numbers may be left: 2 long ones (paragraph 3)" in notes
    assert made.rate > find_doubts(ENGLISH, (), ())[1].rate
    notes, _ = find_doubts(f"{ENGLISH * 2} write to 5550148.\nToday.\n", (), ())
    assert "numbers may be left: 1 long one (paragraph 1)" in notes
    text = f"{ENGLISH} at seven we were 9 of 14, then three of 20.\n"
    notes, made = find_doubts(text, (), ())
    assert made.rate > find_doubts(ENGLISH, (), ())[1].rate + 10
    assert any("short numbers" in note for note in notes)


def test_what_the_tagger_nearly_found_is_counted_by_type_and_line():
    text = f"Today.\n{ENGLISH}\n{ENGLISH}\n"
    found = [
        Finding(Span(at, at + 3), kind, score, source, begins=score)
        for at, kind, score, source in (
            (7, "occupation", 0.4, "tagger"),
            (11, "place", 0.25, "tagger"),
            (11, "occupation", 0.25, "tagger"),
            (100, "place", 0.05, "tagger"),
            (110, "place", 0.45, "knowledge"),
        )
    ]
    _, made = find_doubts(text, found, [Span(111, 112)])
    assert made.places == (
        DoubtfulPlace(Span(7, 10), "DEM", 0.322),
        DoubtfulPlace(Span(11, 14), "DEM", 0.134),
        DoubtfulPlace(Span(11, 14), "LOC", 0.134),
    )
    assert made.left == ("DEM: probably 0.5 mentions (line 2)",)
    twice = find_doubts(text + text, found, [Span(111, 112)])[1]
    assert 0 < made.rate == pytest.approx(2 * twice.rate, abs=0.02)


@pytest.mark.parametrize("stamp", ["[00:03:1{}]", "[03:1{}] ", "00:03:1{}\t", "0:03:1{}.250 "])
def test_time_stamps_of_a_transcript_are_no_doubt(stamp):
    lines = [f"{stamp.format(n)} AB: Well, {ENGLISH}\n" for n in range(9)]
    assert find_doubts("".join(lines), (), ())[0] == ()
    said = find_doubts("".join(lines) + "We had 4 of 5, then 6 of 7.\n", (), ())[0]
    assert said == ("4 short numbers and number words are left (line 10)",)
