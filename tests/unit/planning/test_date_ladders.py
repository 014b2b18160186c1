import pytest

from intact.domain import Document, Entity, Mention, Span
from intact.english.reading import ReadDocument
from intact.planning.rules.quantities import quantity_ladder
from intact.planning.rules.times import DateGenerator, date_ladder

DATES = {
    "17 May 1994": ["May 1994", "1994", "the mid-1990s"],
    "1953": ["the early 1950s", "the 1950s", "the 1940s or 1950s", "the 20th century"],
    "1969 to 1981": [
        "between the late 1960s and the early 1980s",
        "between the 1960s and the 1980s",
    ],
    "From 1998 until 2012": ["between the late 1990s and the early 2010s"],
    "1961 and 1981": ["the early 1960s and the early 1980s", "the 1960s and the 1980s"],
    "1905": ["the 1900s", "the 1900s or 1910s", "a certain year"],
    "1993–94": ["the 1990s", "the 1980s or 1990s", "the 20th century"],
    "2023": ["the early 2020s", "the 2020s", "the 2010s or 2020s"],
    "1999–2000": ["the 1990s or 2000s", "a certain period"],
    "19th century": ["the 19th or 20th century", "between 1800 and 2000"],
    "mid-13th-century": ["the 13th century", "the 13th or 14th century"],
    "late 19th and early 20th centuries": ["the 19th or 20th century", "between 1800 and 2000"],
    "9th to 10th centuries": ["between the 8th and the 11th century"],
    "895-day-long": ["2- to 5-year", "multi-year"],
    "17 August": ["August", "the middle of the year", "a certain date"],
    "between 5 May 1997 and 18 April 2000": [
        "between May 1997 and April 2000",
        "between the first half of 1997 and the first half of 2000",
    ],
    "9.40 a.m.": ["some time between 9 a.m. and 10 a.m.", "the morning"],
    "three-month": ["two- to four-month", "two- to five-month", "multi-month"],
    "fourteen months": ["more than a year", "more than ten months"],
    "aged 34": ["aged between 30 and 39", "aged between 20 and 39", "aged over 18"],
    "age of nine": ["age of less than 10", "age of less than 18"],
    "Friday": ["a weekday", "a certain day"],
    "aged 19": ["aged between 18 and 29", "aged under 30"],
    "more than 20 years": ["more than 10 years"],
    "03/2019 - present": ["a certain time"],
    "yesterday": ["a recent day"],
    "the 4th": ["a day early in the month", "a day in the first half of the month"],
    "quarter past five": ["some time between 4 and 6 o'clock"],
    "two in the afternoon": ["the early afternoon", "the afternoon"],
    "16/10, 20:41": ["October", "late in the year"],
    "14:06, 21 Nov": ["November", "late in the year"],
    "2 to 3.15 pm": ["the afternoon", "a certain time"],
    "in the mornings": ["at set times of the day"],
    "night shifts": ["shifts"],
    "New Year's Eve": ["December", "late in the year"],
}
"""What one text says, and phrases that hold it, most specific first."""

AGES = {
    "DOB 14/02/1989 ([34]) / x": ["aged between 30 and 39", "aged between 20 and 39"],
    "He is [83], and frail": ["over 80", "over 60", "over 18"],
    "Photographs aged 3 and [6] in it": ["under 10", "under 18"],
    "Tamsin, [38] · Totnes": ["aged between 30 and 39", "aged between 20 and 39", "aged over 18"],
    "My son Tolu ([6]) came": ["aged under 10", "aged under 18"],
    "My mother, who is [over eighty], came": ["over 60", "over 18"],
    "she came at [0715], late": [],
}
QUANTITIES = {
    "63 persons": ["dozens of persons"],
    "71": ["50 to 100"],
    "$36": ["more than $20"],
    "$23": ["$20 to 50"],  # of "more than $20" five guesses would find it
    "€41,750 plus VAT": ["tens of thousands of euros", "€10,000 to 100,000"],
    "€352 p/w": ["several hundred euros a week", "more than €100 a week"],
    "900.- a month": ["more than 500/- a month"],
    "approx 1 a month": ["fewer than three a month", "fewer than five a month"],
    "sixty yards": ["dozens of yards", "more than twenty yards"],  # its x is no "by"
    "5' 6\"": ["5 to 10 feet"],
    "6 lb 1": ["5 to 10 lb"],
    "5 ft 9 in (1.75 m)": ["5 to 10 feet"],
    "one kilometre": ["less than two kilometres", "less than five kilometres"],
    "80mm": ["more than 50 mm"],
    "GH₵20": ["more than GH₵10"],
    "GBP 34 million": ["tens of millions of pounds sterling",
                       "tens of millions in local currency",
                       "more than 10 million in local currency"],
    "three children": ["two to five children", "a few children", "several children"],
    "two-thirds": ["between a half and three quarters"],
    "47 mph": ["more than 20 mph"],
    "two of the three cottages": ["between a half and three quarters of the cottages"],
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
    found = DateGenerator().generate(ReadDocument(document), [Entity("e", (mention,))])
    return [rung.text for rung in found.get("e", ())]


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("[61yo] bloke in Hull", "60- to 69-year-old"),
        ("paid for [34 y] now", "several decades"),
        ("no longer than [16 years] in", "many years"),  # no "longer than more than ten years"
        ("sat until [1957], then", "some time in the late 1950s"),
        ("Joe Tynan, [70s], vetted", "aged over 60"),
        ("he was [in his early 40s]. ", "between 30 and 49"),
        ("worked there in the [70s]. ", "the 20th century"),
        ("a fence (approx [64 m]) was", "a certain time"),
        ("Free from [1.10]. CHF 300", "a certain time"),
        ("[5/2]  Both rents on time", "the first half of the year"),
        ("It begins at [1.10]. CHF 300", "some time between 1 and 3 o'clock"),
        ("I am [27F], QA engineer", "aged between 20 and 29"),
        ("Back 4:30 pm, DONE [1710], msg left", "some time between 5 p.m. and 6 p.m."),  # no year
        ("When / where: [1442], windward mark", "some time between 2 p.m. and 3 p.m."),
        ("the house of [1642]", "the early 1640s"),
        ("Marie Bonheur ([1758] – 8 August 1858)", "the late 1750s"),
        ("a vita written about [1240] by a canon, who died in 1251,", "the early 1240s"),
        ("date 06/08/24 arr [1040] dep 1125", "some time between 10 a.m. and 11 a.m."),
        ("in the 12th century the flood (dated to [1174]) was", "the mid-1170s"),
        ("she died on [1 April 1187] there", "the late 1180s"),
        ("king ([r. 1068–1091]) of", "between the late 1060s and the early 1090s"),
        ("elected in 861, worked until [868], then", "the 9th century"),
        ("a poet ([fl. 1430s]) of", "the 15th century"),
        ("it was built in [1808 BC] or", "ancient times"),
        ("for [200 days] he", "5 to 10 months"),
        ("drove for [about 250], then", "a certain time"),
        ("made her debut at [age 19] in", "aged between 18 and 29"),
        ("in the office, [8.15-8.40]. Then", "some time between 8 and 10 o'clock"),
        ("Ramp down [1728]. At 1735 it moved", "some time between 5 p.m. and 6 p.m."),
        (
            "1605  Sent to site.\n[1942]  At scene.\n2010 Left.\n",
            "some time between 7 p.m. and 8 p.m.",
        ),
    ],
)
def test_short_ages_and_times_in_figures(marked, first):
    assert ladder_of(marked, "DATETIME")[0] == first


@pytest.mark.parametrize(("marked", "expected"), AGES.items())
def test_a_bare_number_is_an_age_where_its_sentence_says_so(marked, expected):
    found = ladder_of(marked, "DEM")
    assert found[: len(expected)] == expected
    assert bool(found) == bool(expected)


def test_a_year_marked_as_a_characteristic_is_a_year_where_its_sentence_says_so():
    assert "the 1940s or 1950s" in ladder_of("The applicant was born in [1948].", "DEM")
    assert not ladder_of("He drives a [1948] saloon.", "MISC")


@pytest.mark.parametrize(
    ("marked", "age"),
    [
        ("4. Age: [47]. Married", True),
        ("He’s [44], for heaven's sake", True),
        ("was released at [18] without a match", True),
        ("was married at [thirteen] to a knight", True),
        ("It was sold at [18] to 20 a piece", False),
        ("My brother is [29] and still out", True),
        ("Platelets (Lund) ([61])", False),
        ("The price was [29]. He", False),
        ("There was [29], then", False),
        ("Ewa was [0.6114], then", False),
        ("was diagnosed with ADHD at [four] by", True),
        ("We meet at [four] by", False),
    ],
)
def test_an_age_may_go_under_amounts(marked, age):
    assert bool(ladder_of(marked, "QUANTITY")) == age


@pytest.mark.parametrize(
    ("marked", "age"),
    [
        ("Ewa Gow, then [51], fell from it", True),
        ("Idwal died at [59] of a stroke", True),
        ("Me [45], her", True),
        ("Sex: [27] / M", True),
        ("Come at [18] of", False),
        ("It was in [84]. He", False),
        ("the [45]-minute turn", False),
        ("worked [45] years", False),
    ],
)
def test_a_bare_number_that_is_a_time_and_no_hour_is_an_age(marked, age):
    assert bool(ladder_of(marked, "DATETIME")) == age


def test_an_amount_behind_somebodys_name_is_an_age():
    text = "His aunt, Ewa Gow (71), left"
    who = Mention("p", Span(10, 17), "Ewa Gow", "p", "PERSON")
    age = Mention("m", Span(19, 21), "71", "e", "QUANTITY")
    for mentions, ages in (((who, age), True), ((age,), False)):
        read = ReadDocument(Document("d", text, mentions))
        assert bool(DateGenerator().generate(read, [Entity("e", (age,))])) is ages


@pytest.mark.parametrize(
    ("text", "first"),
    {
        "it is the [same day] ": "the same week",
        "on [day 4] he": "a certain day",
        "[most evenings] and": "regularly",
        "on [Fridays]. ": "one day of the week",
        "[Tue, Thu] he acts": "some days of the week",
        "from [Wednesday to Saturday] she": "some days of the week",
        "on [Independence Day]. ": "a holiday",
        "not seen since [his mother's death] ": "an event",
        "we talked [until half past four], ": "until a certain time",
        "call again [in two weeks]. ": "a certain time",
        "he left [in sixty-three] for": "a certain year",
        "he pays [every Christmas]. ": "regularly",
        "she wakes [four or five times a night] and": "regularly",
        "[twice daily] after": "regularly",
        "he was hit [twice]. ": "more than once",
        "he came [on two occasions in July]. ": "more than once",
        "due in [week 29]. ": "a certain week",
        "born [on the feast of Saint Brigid] in": "a holiday",
        "Next: [13 June, 14h]. ": "June",
        "in [FY 2022] we": "the early 2020s",
        "he is [fourteen months old] and": "under 10 years old",
    }.items(),
)
def test_informal_times(text, first):
    assert ladder_of(text, "DATETIME")[0] == first


def test_rungs_hold_every_way_of_writing_and_invent_no_year():
    for rung in date_ladder(["17 August"]):
        assert not any(character.isdigit() for character in rung.text)
    found = [rung.text for rung in date_ladder(["17 May 1996", "1996"])]
    assert "May 1996" not in found
    assert found[0] == "the mid-1990s"
    assert date_ladder(["17 May 1996"])[0].subsumes == "interval:1996-05-01/1996-05-31"
    assert quantity_ladder(["63 persons"])[0].subsumes == "number:24/99 person"


def test_a_date_is_one_under_any_type():
    mention = Mention("m", Span(0, 11), "31 May 1999", "e", "ORG")
    document = Document("d", "31 May 1999 was fine.", (mention,))
    assert (
        DateGenerator().generate(ReadDocument(document), document.entities)["e"][0].text
        == "May 1999"
    )


@pytest.mark.parametrize(("text", "last"), [("Thurso", None), ("Thurs", "a certain day")])
def test_a_name_taken_for_a_time_is_none(text, last):
    ladder = date_ladder([text])
    assert (ladder[-1].text if ladder else None) == last


def test_what_is_unread_is_told_by_its_kind():
    assert date_ladder(["2/8/24"])[-1].text == "a certain date"


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (("2/9", "20/2"), "a certain date"),
        (("6.09", "27.09.2019"), "a certain time"),
        (("6.09", "27.09"), "some time between 6 and 8 o'clock"),
    ],
)
def test_figures_that_may_be_another_time_are_told_by_what_holds_both(times, expected):
    """Let no hour be read where the document writes its dates so."""
    text = "\n".join(times)
    spans = [Span(text.index(time), text.index(time) + len(time)) for time in times]
    mentions = tuple(
        Mention(f"m{at}", span, span.of(text), f"e{at}", "DATETIME")
        for at, span in enumerate(spans)
    )
    document = Document("d", text, mentions)
    found = DateGenerator().generate(ReadDocument(document), document.entities)
    assert found["e0"][0].text == expected


def test_hours_and_minutes_are_said_at_one_level():
    rungs = [{r.rank: r.text for r in date_ladder((s,))} for s in ("2 a.m.", "2.40 a.m.", "02:05")]
    assert {ladder[1] for ladder in rungs} == {"the small hours"}


def test_september_is_not_late_in_the_year():
    for day, told in (
        ("2 September", "the second half of the year"),
        ("2 October", "late in the year"),
    ):
        assert told in [rung.text for rung in date_ladder((day,))][:2]
    assert "late 2019" not in [rung.text for rung in date_ladder(("September 2019",))]


@pytest.mark.parametrize(
    ("text", "first"),
    {
        "on [30 hours] a week": "more than 20 hours",
        "a course of [120 hours] in": "more than 100 hours",
        "for [90 minutes] and": "more than an hour",
    }.items(),
)
def test_hours_stay_hours(text, first):
    assert first in ladder_of(text, "DATETIME")[:3]
