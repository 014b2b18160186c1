"""Values found in running text, and what holds what."""

import itertools
import re
from pathlib import Path

import pytest

import intact
from intact.english.numbers import CARDINALS, ORDINALS
from intact.english.scan import contains, is_wider, parse, parse_temporal, read_time, scan
from intact.english.time import MONTH_NAMES, WEEKDAYS
from tests.work import count_calls

TEXT = (
    "He paid EUR 3,500 on 3 May 2001, aged 34, after two years and six months; 12 percent of it, "
    "30 men. At 3.40 p.m. he may go. SEK 9,128 (approximately EUR 950) was left."
)


def counts(text, span, value):
    """All but a modal verb."""
    return span.of(text) != "may"


def test_each_kind_is_found_with_its_value():
    found = {span.of(TEXT): value.canonical() for span, value in scan(TEXT, counts)}
    assert found == {
        "EUR 3,500": "number:3500/3500 EUR",
        "3 May 2001": "interval:2001-05-03/2001-05-03",
        "aged 34": "age:34/34",
        "two years and six months": "duration:913.106/913.106",
        "12 percent": "number:0.12/0.12",
        "30": "number:30/30",
        "3.40 p.m.": "clock:940/940",
        "SEK 9,128 (approximately EUR 950)": "number:9128/9128 SEK",
    }


def test_values_ascend_give_way_and_hold_each_other():
    spans = [span for span, _ in scan(TEXT * 3, counts)]
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))
    found = scan("in May 1996 and", lambda text, span, value: span.of(text).isdigit())
    assert [span.of("in May 1996 and") for span, _ in found] == ["1996"]
    assert contains(parse("EUR 10 to 20"), parse("EUR 15")) is True
    assert contains(parse("1995"), parse("3 May 1996")) is False
    assert contains(parse("May 1996"), parse("EUR 15")) is None


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("the 1990s", "May 1996", True),
        ("5 to 100 days", "9 to 50 days", True),
        ("the 1990s", "the 1990s", False),
        ("GBP 0 to 100", "EUR 5 to 10", False),
        ("the 1990s", "1 to 2", False),
    ],
)
def test_a_wider_value_holds_all_of_another_and_more(outer, inner, expected):
    assert is_wider(parse(outer), parse(inner)) is expected


@pytest.mark.parametrize(
    "repeat", ["one hundred ", "EUR ", "May ", "1 ", "twenty-", "of ", "1,", "two years and "]
)
def test_the_scan_is_linear(repeat):
    short, long = ((repeat * length)[:length] for length in (2_000, 8_000))
    scan(short, counts)  # what is compiled once does not count
    few, many = (count_calls(lambda text=text: scan(text, counts)) for text in (short, long))
    assert many < 5.6 * max(100, few)


def test_no_month_weekday_or_row_of_number_words_elsewhere():
    """Months, weekdays, and three number words in a row stand in ``intact.english`` alone."""
    root = Path(intact.__file__).parent
    days = list(WEEKDAYS)[:7]
    names = "|".join([name for name in MONTH_NAMES if name not in ("March", "May")] + days)
    name = re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
    number = "|".join((*CARDINALS, *ORDINALS))
    row = re.compile(rf"\b(?:{number})(?:[| ]+(?:{number})\b){{2}}")
    told = re.compile(r'""".*?"""|#[^\n]*', re.DOTALL)
    held = set()
    for path in root.rglob("*.py"):
        code = told.sub("", path.read_text("utf-8"))
        place = path.relative_to(root).as_posix()
        if not place.startswith(("english/", "detection/names_build")) and (
            name.search(code) or row.search(code)
        ):
            held.add(place)
    assert not held


@pytest.mark.parametrize(
    ("text", "as_if"),
    {
        "nineteen-forty": "the year 1940",
        "twenty-oh-nine": "the year 2009",
        "two thousand and eight": "the year 2008",
        "the second of July, twenty-nineteen": "2 July 2019",
        "the frost of 2021": "2021",
        "ten days in March 2003": "March 2003",
        "the 2024 season": "2024",
        "the years before 2021": None,
        "twenty-two": None,
        "only three years": "three years",
        "nine years and nearly nine months": "nine years and nine months",
        "half an hour": "30 minutes",
        "19 hours 40": "19 hours and 40 minutes",
        "34+2 wks": "34 weeks",
        "3:40 in the afternoon": "3:40 pm",
        "11:52 pm, Tue": "11:52 pm",
        "12/12/23 @ 10.40": "12/12/23",
        "first week of July": "early July",
        "June and July": "June to July",
        "March of that year": "March",
    }.items(),
)
def test_times_are_read_as_people_write_them(text, as_if):
    assert read_time(text) == (as_if and parse_temporal(as_if))
