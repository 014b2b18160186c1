from __future__ import annotations

import pytest

from intact.domain import Document, Entity, IdentifierType, Mention, Span
from intact.generation.dates import DateGenerator, date_ladder
from intact.generation.quantities import QuantityGenerator, quantity_ladder

DATES = {
    "17 May 1994": ["May 1994", "1994", "the mid-1990s"],
    "July 1999": ["mid-1999", "1999", "the late 1990s"],
    "1953": ["the early 1950s", "the 1950s", "the 1940s or 1950s", "the 20th century"],
    "1905": ["the 1900s", "the 1900s or 1910s", "a certain year"],
    "17 August": ["August", "July–September", "July–December", "a certain date"],
    "between 5 May 1997 and 18 April 2000": [
        "between May 1997 and April 2000",
        "between the first half of 1997 and the first half of 2000",
        "between 1997 and 2000",
        "in the late 1990s and early 2000s",
        "in the 1990s and 2000s",
    ],
    "9.40 a.m.": [
        "some time between 9 a.m. and 10 a.m.",
        "some time between 9 a.m. and noon",
        "some time in the morning",
    ],
    "six months’": ["five to seven months’", "five to ten months’", "several months’"],
    "two-day": ["multi-day"],
    "three-month": ["two- to four-month", "two- to five-month", "multi-month"],
    "two months later": ["a number of months later", "some months later"],
    "three months later": ["two to four months later", "two to five months later"],
    "aged 34": ["aged between 32 and 36", "aged between 30 and 39", "aged over 20"],
    "54-year-old": ["52- to 56-year-old", "50- to 60-year-old", "over-40"],
    "age of nine": ["age of less than 10", "age of less than 18"],
    "2340 hours": ["some time between 11 p.m. and midnight"],
    "1500 hours": ["a certain time"],
    "Friday": ["a weekday", "a certain day"],
    "Saturday": ["a day at the weekend", "a certain day"],
    "more than 20 years": ["more than 10 years", "many years"],
}
QUANTITIES = {
    "63 persons": ["50 to 100 persons"],
    "GBP 34 million": [
        "GBP 20 to 50 million",
        "GBP 10 to 100 million",
        "10 to 100 million in a national currency",
    ],
    "two children": ["a number of children"],
    "three children": ["two to five children", "a few children", "several children"],
    "40 % of the flats": ["25 to 50 % of the flats"],
    "two-thirds": ["between a half and three quarters"],
    "47 mph": ["20 to 50 mph", "10 to 50 mph", "10 to 100 mph"],
    "two of the three cottages": ["between a half and three quarters of the cottages"],
    "37 page judgment": ["20- to 50-page judgment"],
}


@pytest.mark.parametrize(("text", "expected"), DATES.items())
def test_dates(text: str, expected: list[str]) -> None:
    found = [rung.text for rung in date_ladder([text])]
    assert found[: len(expected)] == expected


@pytest.mark.parametrize(("text", "expected"), QUANTITIES.items())
def test_quantities(text: str, expected: list[str]) -> None:
    found = [rung.text for rung in quantity_ladder([text])]
    assert found[: len(expected)] == expected


def test_a_year_is_never_invented() -> None:
    for rung in date_ladder(["17 August"]):
        assert not any(character.isdigit() for character in rung.text)


def test_holds_every_way_of_writing_the_same_date() -> None:
    found = [rung.text for rung in date_ladder(["17 May 1996", "1996"])]
    assert "May 1996" not in found
    assert found[0] == "the mid-1990s"


def test_rungs_say_what_they_hold() -> None:
    assert date_ladder(["17 May 1996"])[0].subsumes == "interval:1996-05-01/1996-05-31"
    assert quantity_ladder(["63 persons"])[0].subsumes == "number:50/100 person"


def test_generators_serve_their_own_types() -> None:
    text = "63 persons came on 17 May 1996."
    mentions = (
        Mention("m1", Span(0, 10), "63 persons", "e1", "QUANTITY", IdentifierType.QUASI),
        Mention("m2", Span(19, 30), "17 May 1996", "e2", "DATETIME", IdentifierType.QUASI),
    )
    document = Document("d", text, mentions)
    entities: tuple[Entity, ...] = document.entities
    assert set(DateGenerator().generate(document, entities)) == {"e2"}
    assert set(QuantityGenerator().generate(document, entities)) == {"e1"}
