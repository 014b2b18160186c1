import pytest

from intact.english.scan import parse_temporal
from intact.english.time import Granularity

DAYS = {
    "17 May 1996": "interval:1996-05-17/1996-05-17",
    "1996-05-17": "interval:1996-05-17/1996-05-17",
    "17 Mayıs 1996": "interval:1996-05-17/1996-05-17",
    "17/May/1996": "interval:1996-05-17/1996-05-17",
    "17-May-1996": "interval:1996-05-17/1996-05-17",
    "Friday, 17 May 1996": "interval:1996-05-17/1996-05-17",
    "3 and 9 June 2001": "interval:2001-06-03/2001-06-03,2001-06-09/2001-06-09",
    "8–10 July 1996": "interval:1996-07-08/1996-07-10",
    "between 2 March 1993 and 9 December 1994": "interval:1993-03-02/1994-12-09",
    "from 30 December to 4 January 1997": "interval:1996-12-30/1997-01-04",
    "May 1996": "interval:1996-05-01/1996-05-31",
    "1996": "interval:1996-01-01/1996-12-31",
    "the years 1997/8 and 1998/9": "interval:1997-01-01/1999-12-31",
    "the mid-1990s": "interval:1994-01-01/1996-12-31",
    "the late 1980s and early 1990s": "interval:1987-01-01/1993-12-31",
    "the nineties": "interval:1990-01-01/1999-12-31",
    "the 20th century": "interval:1901-01-01/2000-12-31",
    "not later than 3 March 1980": "interval:0001-01-01/1980-03-03",
    "until 1996": "interval:0001-01-01/1996-12-31",
    "before 1996": "interval:0001-01-01/1995-12-31",
    "after 3 May 1996": "interval:1996-05-04/9999-12-31",
    "17 August": "partial:230/230",
    "9 a.m.": "clock:540/540",
    "10.30": "clock:630/630,1350/1350",
    "between 9 a.m. and noon": "clock:540/720",
    "in her thirties": "age:30/39",
    "aged between 30 and 39": "age:30/39",
    "seventeen and twenty-three years old": "age:17/23",
    "aged over 50": "age:51/150",
    "before the age of 18": "age:0/17",
    "aged 34": "age:34/34",
    "an age of over 50": "age:51/150",
    "two years and six months": "duration:913.106/913.106",
    "between two and three years": "duration:730.485/1095.73",
    "more than 20 years": "duration:7304.85/inf",
    "two- to five-month": "duration:60.8738/152.184",
    "the following day": "relative:1/1",
    "six weeks earlier": "relative:-42/-42",
    "a certain date": "any:-inf/inf",
}


@pytest.mark.parametrize(("text", "expected"), DAYS.items())
def test_reads(text, expected):
    found = parse_temporal(text)
    assert found.canonical() == expected


@pytest.mark.parametrize(
    "text",
    ["", "second", "May we", "31 February 1996", "16", "the house", "10 to 2", "two", "99/99/1999",
     "between", "1996 Olympics", "½", "abdominal region"],
)  # fmt: skip
def test_leaves_alone_what_is_no_date(text):
    assert parse_temporal(text) is None


def test_ambiguous_digits_are_both_days():
    found = parse_temporal("01/05/1996")
    assert found.either
    assert found.values(Granularity.DAY) == 2
    january = parse_temporal("January 1996")
    assert january.contains(found) is False


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("May 1996", "17 May 1996", True),
        ("17 May 1996", "May 1996", False),
        ("May 1996", "17 June 1996", False),
        ("1996", "17 August", None),
        ("the 1990s", "between 2 March 1993 and 9 December 1994", True),
        ("several years", "two years and six months", True),
        ("a few weeks", "17 May 1996", None),
        ("a weekday evening", "Friday evening", True),
        ("a certain date", "17 May 1996", True),
        ("August", "17 August 1996", True),
        ("late December", "December 28", True),
    ],
)
def test_containment(wide, narrow, expected):
    one, other = parse_temporal(wide), parse_temporal(narrow)
    assert other is not None
    assert one.contains(other) is expected


@pytest.mark.parametrize(
    ("text", "of", "values"),
    [
        ("May 1996", Granularity.DAY, 31),
        ("1996", Granularity.MONTH, 12),
        ("between two and five years", Granularity.YEAR, 4),
        ("some time in the afternoon", Granularity.HOUR, 6),
    ],
)
def test_values(text, of, values):
    assert parse_temporal(text).values(of) == values
