import pytest

from intact.domain import Document, Entity, IdentifierType, Mention, Span
from intact.planning.rules.quantities import QuantityGenerator, quantity_ladder
from intact.planning.rules.times import DateGenerator, date_ladder

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
    "5 additional days": [
        "4 to 6 additional days",
        "2 to 10 additional days",
        "several additional days",
    ],
    "six months’": ["five to seven months’", "five to ten months’", "several months’"],
    "two-day": ["multi-day"],
    "three-month": ["two- to four-month", "two- to five-month", "multi-month"],
    "two months later": ["a number of months later", "some months later"],
    "three months later": ["two to four months later", "two to five months later"],
    "aged 34": ["aged between 30 and 39", "aged between 20 and 39", "aged over 18"],
    "aged 19": ["aged between 18 and 29", "aged under 30"],
    "54-year-old": ["50- to 59-year-old", "40- to 59-year-old", "over-30"],
    "age of nine": ["age of less than 10", "age of less than 18"],
    "2340 hours": ["some time between 11 p.m. and midnight"],
    "1500 hours": ["a certain time"],
    "Friday": ["a weekday", "a certain day"],
    "Saturday": ["a day at the weekend", "a certain day"],
    "more than 20 years": ["more than 10 years", "many years"],
    "the 4th": ["a day early in the month", "a day in the first half of the month"],
    "Tue 1505": ["some time between 3 p.m. and 4 p.m.", "some time between 3 p.m. and 6 p.m."],
    "noon": ["some time in the middle of the day"],
    "yesterday": ["a recent day"],
    "tmrw at 7.30": ["a coming day"],
    "the week before": ["some time earlier"],
    "New Year's Eve": ["December", "October–December"],
    "28/5": ["May", "April–June", "January–June"],
    "6/2": ["January–June", "a certain date"],
    "Q3 2022": ["July–December 2022", "2022"],
    "03/2019 - present": ["since 2019", "since the late 2010s"],
    "the blizzard of '82": ["the early 1980s", "the 1980s"],
    "twice a week": ["regularly"],
    "8 years 2 months": ["5 to 10 years", "several years"],
}
"""What one text says, and phrases that hold it, most specific first."""

AGES = {
    "DOB 14/02/1989 ([34]) / x": ["aged between 30 and 39", "aged between 20 and 39"],
    "He is [83], and frail": ["between 80 and 89", "between 80 and 99", "over 70"],
    "Ann Lee, [29F], a nurse": ["aged between 20 and 30", "aged between 20 and 39"],
    "My son Tolu ([6]) came": ["aged under 10", "aged under 18"],
    "My mother, who is [over eighty], came": ["over 70", "over 60", "over 18"],
    "the only woman of [nineteen] here": [],
    "she came at [0715], late": [],
}
QUANTITIES = {
    "63 persons": ["50 to 100 persons"],
    "GBP 34 million": ["GBP 20 to 50 million", "GBP 10 to 100 million",
                       "10 to 100 million in a national currency"],
    "two children": ["a number of children"],
    "three children": ["two to five children", "a few children", "several children"],
    "40 % of the flats": ["25 to 50 % of the flats"],
    "two-thirds": ["between a half and three quarters"],
    "47 mph": ["20 to 50 mph", "10 to 50 mph", "10 to 100 mph"],
    "two of the three cottages": ["between a half and three quarters of the cottages"],
    "37 page judgment": ["20- to 50-page judgment"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DATES.items())
def test_dates(text, expected):
    found = [rung.text for rung in date_ladder([text])]
    assert found[: len(expected)] == expected


@pytest.mark.parametrize(("text", "expected"), QUANTITIES.items())
def test_quantities(text, expected):
    found = [rung.text for rung in quantity_ladder([text])]
    assert found[: len(expected)] == expected


def ladder_of(marked, entity_type):
    """The phrases for the first stretch in square brackets."""
    before, shown, after = marked.replace("]", "[", 1).split("[", 2)
    mention = Mention("m", Span(len(before), len(before + shown)), shown, "e", entity_type)
    document = Document("d", before + shown + after, (mention,))
    found = DateGenerator().generate(document, [Entity("e", (mention,))])
    return [rung.text for rung in found.get("e", ())]


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("[61yo] bloke in Hull", "60- to 69-year-old"),
        ("Pt [34 y], fell", "aged between 30 and 39"),
        ("paid for [34 y] now", "26 to 46 years"),
        ("[Age: 34]   Occupation: cook", "age 30 to 39"),
        ("manager for [five months in 2023]", "four to six months"),
        ("a fence (approx [64 m]) was", "a certain time"),
        ("Free from [1.10]. CHF 300", "a certain time"),
        ("It begins at [1.10]. CHF 300", "some time between 1 and 3 o'clock"),
    ],
)
def test_short_ages_and_what_lasts_within_a_date(marked, first):
    assert ladder_of(marked, "DATETIME")[0] == first


@pytest.mark.parametrize(("marked", "expected"), AGES.items())
def test_a_bare_number_is_an_age_where_its_sentence_says_so(marked, expected):
    found = ladder_of(marked, "DEM")
    assert found[: len(expected)] == expected
    assert bool(found) == bool(expected)


def test_a_time_of_day_beside_one_after_noon_is_told_as_written():
    found = ladder_of("[10:12] hello 18:40 bye", "DATETIME")
    assert found[1] == "some time between 9 a.m. and noon"


def test_a_time_to_the_second_may_be_how_long_a_race_took():
    found = ladder_of("ran the marathon in [4:12:55]; ", "DATETIME")
    assert found[:2] == ["2 to 5 hours", "several hours"]


@pytest.mark.parametrize(
    ("text", "first"),
    {
        "on [day 4] he": "a certain day",
        "[week 43]. Ed": "a certain week",
        "[most evenings] and": "regularly",
        "report [every second Monday]. ": "regularly",
        "eyes [every autumn] at": "regularly",
        "works [three days a week] for": "regularly",
        "on [Fridays]. ": "certain days of the week",
        "as I am [every Mon, Wed and Fri]. ": "certain days of the week",
        "since [last winter] (": "a certain season",
        "on [Independence Day]. ": "a holiday",
        "it is the [same day] ": "the same week",
        "left [before the water festival]. ": "before a holiday",
        "since [the operation on his valve] in": "a certain time",
        "passed in [96]. ": "the mid-1990s",
        "In [fifty-six], what": "the mid-1950s",
        "Date: [11 Dec 45]¶": "December 1945",
        "Next: [13 June, 14h]. ": "June",
        "go [twice in a week] and": "regularly",
        "in [the first week of July] we": "July–September",
        "the [blizzard of 1982] here": "the early 1980s",
        "came at [midnight] and": "some time during the night",
        "call after [6pm local time], or": "some time in the late afternoon",
        "open [3:30–4:45 p.m.] on": "some time between 3 p.m. and 6 p.m.",
        "in [FY 2022] we": "the early 2020s",
        "born 3.5.1999, on leave until [16.11]. She": "November",
        "he is [fourteen months old] and": "under 10 years old",
    }.items(),
)
def test_informal_times(text, first):
    assert ladder_of(text, "DATETIME")[0] == first


def test_months_behind_until_are_a_stretch():
    assert ladder_of("stay until [March]. ", "DATETIME")[0] == "some time between January and June"
    assert ladder_of("come in [March]. ", "DATETIME")[0] == "January–June"


def test_years_behind_by_are_not_over():
    assert ladder_of("sign it by [12 May 2024]. ", "DATETIME")[1] == "some time in 2024"
    assert ladder_of("sign it in [May 2024]. ", "DATETIME")[0].endswith("2024")


def test_two_readings_of_a_date_are_one_date():
    assert date_ladder(["2/8/24"])[-1].text == "a certain date"


def test_a_year_is_never_invented():
    for rung in date_ladder(["17 August"]):
        assert not any(character.isdigit() for character in rung.text)


def test_holds_every_way_of_writing_the_same_date():
    found = [rung.text for rung in date_ladder(["17 May 1996", "1996"])]
    assert "May 1996" not in found
    assert found[0] == "the mid-1990s"


def test_rungs_say_what_they_hold():
    assert date_ladder(["17 May 1996"])[0].subsumes == "interval:1996-05-01/1996-05-31"
    assert quantity_ladder(["63 persons"])[0].subsumes == "number:50/100 person"


def test_a_term_ends_with_a_certain_period():
    assert date_ladder(["one year’s"])[-1].text == "a certain period’s"


def test_measures_end_with_what_they_measure():
    assert quantity_ladder(["0.5 x 1 cm"])[-1].text == "a certain length"


def test_a_date_is_one_under_any_type():
    mention = Mention("m", Span(0, 11), "31 May 1999", "e", "ORG")
    document = Document("d", "31 May 1999 was fine.", (mention,))
    assert DateGenerator().generate(document, document.entities)["e"][0].text == "May 1999"


def test_generators_serve_their_own_types():
    text = "63 persons came on 17 May 1996."
    mentions = (
        Mention("m1", Span(0, 10), "63 persons", "e1", "QUANTITY", IdentifierType.QUASI),
        Mention("m2", Span(19, 30), "17 May 1996", "e2", "DATETIME", IdentifierType.QUASI),
    )
    document = Document("d", text, mentions)
    entities = document.entities
    assert set(DateGenerator().generate(document, entities)) == {"e2"}
    assert set(QuantityGenerator().generate(document, entities)) == {"e1"}


@pytest.mark.parametrize("text", ["forty-seven days", "42 days", "one year"])
def test_some_months_are_two_at_least(text):
    assert not {"some months", "some years"} & {rung.text for rung in date_ladder([text])}


@pytest.mark.parametrize(("text", "last"), [("Thurso", None), ("Thurs", "a certain day")])
def test_a_name_taken_for_a_time_is_none(text, last):
    ladder = date_ladder([text])
    assert (ladder[-1].text if ladder else None) == last
