"""Ladders of amounts and counts: what is read, and what is said of it."""

import pytest

from intact.domain import Document, Mention, Span
from intact.english.reading import ReadDocument
from intact.planning.rules.quantities import QuantityGenerator, quantity_ladder
from intact.planning.rules.times import date_ladder, is_counted

FIRST = [
    ("RM 180 a month", "more than RM 100 a month"),
    ("₩1.8bn", "more than ₩1 billion"),
    ("£2.3k", "more than £2,000"),
    ("£3.4k", "several thousand pounds"),
    ("Rs. 38,00,000", "several million rupees"),
    ("Rs 4.5 lakh", "hundreds of thousands of Indian rupees"),
    ("4.8 lakhs", "200,000 to 500,000"),
    ("N1.3 million", "more than N1 million"),
    ("kr 18 400", "more than kr 10,000"),
    ("55k", "50,000 to 100,000"),
    ("TL 52.000", "tens of thousands of Turkish liras"),
    ("Kshs. 18,500/-", "more than Kshs. 10,000"),
    ("at least five stab wounds", "more than two stab wounds"),
]


@pytest.mark.parametrize(("text", "expected"), FIRST)
def test_money_is_read_as_it_is_written_in_many_countries(text, expected):
    assert quantity_ladder([text])[0].text == expected


def test_times_may_be_counted():
    assert quantity_ladder(["twice"])[0].text == "more than once"
    assert quantity_ladder(["2 times"])[0].text == "a number of times"
    assert quantity_ladder(["once"])[0].text == "fewer than three times"
    assert not is_counted("six months")
    assert is_counted("six seasons")
    assert date_ladder(["six seasons"]) == date_ladder(["23"]) == ()


@pytest.mark.parametrize(
    ("text", "first"),
    {
        "3/10": "between a quarter and a half of the scale",
        "3 % a month": "less than 25 % a month",
    }.items(),
)
def test_marks_and_rates(text, first):
    assert quantity_ladder([text])[0].text == first


def test_half_more_than_a_number_is_not_read_as_that_number():
    assert not quantity_ladder(["two and a half million dollars"])


def test_a_decimal_that_begins_with_its_point_is_no_whole_number():
    text = "cited DWI, BAC .14. Plate"
    document = Document("d", text, (Mention("m", Span(16, 18), "14", "e", "QUANTITY"),))
    assert not QuantityGenerator().generate(ReadDocument(document), document.entities)


def test_a_bare_number_fits_what_follows():
    texts = {
        "grade 7 piano": "1 to 20",
        "on 3 points": "several",
        "leads a team of nine": "several",
        "of 4.5 days": "one to ten",
    }
    last = {}
    for text, phrase in texts.items():
        number = next(word for word in text.split() if word[0].isdigit() or word == "nine")
        start = text.index(number)
        mention = Mention("m", Span(start, start + len(number)), number, "e", "QUANTITY")
        document = Document("d", text, (mention,))
        ladder = QuantityGenerator().generate(ReadDocument(document), document.entities)["e"]
        told = [rung.text for rung in ladder]
        last[text] = phrase if phrase in told else told
    assert last == texts


@pytest.mark.parametrize(
    ("text", "first"),
    {
        "12": "5 to 50",
        "38": "20 to 50",
        "37.9": "20 to 50",
        "68": "50 to 100",
        "112": "100 to 200",
    }.items(),
)
def test_the_range_of_a_number_alone_leaves_at_least_25_values(text, first):
    assert quantity_ladder([text])[0].text == first
