"""Timeline: dates that would read alike are told apart by their order."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Span
from intact.english.scan import parse_temporal
from intact.planning.rules.timeline import BINS, Timeline
from intact.rewriting.occurrences import Occurrence
from intact.rewriting.slots import slots

FORM = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}")
MONTHS = [date(2000, number, 1).strftime("%B") for number in range(1, 13)]


def told(text, phrase=""):
    """Return each date's name in ``text``, "" where it keeps its own phrase."""
    found = [(Span(*match.span()), match[0][-4:]) for match in FORM.finditer(text)]
    masked = [Occurrence(span, f"e{span.start}", entity_type="DATETIME") for span, _ in found]
    return Timeline(text, slots(text, masked)).reword([phrase or year for _, year in found])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On 3 May 2004 he fell. On 5 May 2004 he was seen. On 20 May 2004 he left.",
         ["", "some days later", "some weeks later in 2004"]),
        ("On 3 May 2004 he fell. On 9 July 2004 he sued. On 9 July 2005 he won.",
         ["", "some months later", ""]),
        ("On 3 May 2004 he fell. On 3 May 2004 he sued.", ["", "that day"]),
        ("He sat between 1 April and 3 May 2004. By a judgment of 3 May 2004 he won.", ["", ""]),
        ("On 3 May 2004 he fell. On 1 May 2004 he had drunk.", ["", "some days earlier"]),
        # "after" and its like need a point in time
        ("On 3 May 2004 he fell. After 5 May 2004 he was ill.", ["", "mid-2004"]),
        # two in a row do not read alike
        ("On 3 January 2004 he fell. On 9 March 2004 he sued. On 9 June 2004 he won.",
         ["", "some months later", "some months after that"]),
        # a reader may count from either of two dates before
        ("On 3 May 2004, not 9 May 2004, he fell. On 5 July 2004 he sued.",
         ["", "mid-2004", "some time later in 2004"]),
        ("On 3 May 2004, not 9 May 2004, he fell. On 10 May 2004 he sued.",
         ["", "mid-2004", "soon afterwards"]),
        ("On 3 May 2004 he fell. Dated 4 May 2004 it was.", ["", "later in 2004"]),
        # papers are told by the part of the year, nights are not
        ("On 3 May 2004 he fell. By a judgment of 9 July 2004 he won.",
         ["", "mid-2004"]),
        ("On 3 May 2004 he fell. In the night of 9 July 2004 he rose.",
         ["", "a later date in 2004"]),
        # births, laws, quotations and lists keep their own phrase
        ("On 3 May 2004 he fell. The Act of 9 July 2004 says so.", ["", ""]),
        ("On 3 May 2004 he fell, and on 9 July 2004, 10 July 2004 and 12 July 2004.", [""] * 4),
        # another time between them would be what the reader counts from
        ("On 3 May 2004 he fell. Two days later he rose. On 9 May 2004 he left.", ["", "mid-2004"]),
        # the year is said again where the reader may have forgotten it
        (f"On 3 May 2004 he fell. {'He lay there. ' * 30}On 5 May 2004 he was seen.",
         ["", "some days later in 2004"]),
        # a heading begins anew
    ],
)  # fmt: skip
def test_dates_of_one_year_say_how_they_follow(text, expected):
    assert told(text) == expected


YEARLESS = re.compile(r"\d{1,2} [A-Z][a-z]+(?! \d{4})")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4 May\nHe fell.\n9 May\nHe rose.\n11 May\nHe left.\n",
         ["", "some days later", "some days after that"]),
        ("Ann\n4 May\nHi.\nBo\n5 May\nHi.\nCy\n5 May\nBye.\n",
         ["", "a later date", "the same day"]),
        ("On 4 May he fell. In 2003 he sued. On 9 May he rose.", ["", ""]),
        ("He fell (4 May) and rose (9 May).", ["", ""]),
        ("He cried on 4 May. Please come on 9 May.", ["", "a later date"]),
        ("On 9 May he fell. On 4 May he rose.", ["", ""]),  # of the next year, perhaps
        ("After 4 May he fell. Between 9 May and 11 June he rose.", ["", "", ""]),
    ],
)  # fmt: skip
def test_dates_without_a_year_say_how_they_follow_if_they_do(text, expected):
    found = [Span(*match.span()) for match in YEARLESS.finditer(text)]
    masked = [Occurrence(span, f"e{span.start}", entity_type="DATETIME") for span in found]
    timeline = Timeline(text, slots(text, masked), dated=False)
    said = timeline.reword(["the middle of the year"] * len(found))
    assert said == expected


def test_a_decade_is_not_named_again():
    text = "On 3 May 2004 he fell. On 9 May 2004 he sued. On 9 November 2004 he won."
    assert told(text, "the 2000s") == ["", "some days later", "some months later"]


@given(
    st.lists(st.integers(0, 500), min_size=2, max_size=12),
    st.lists(
        st.sampled_from(["On", "It ended on", "Until", "Dated", "After"]), min_size=12, max_size=12
    ),
)
def test_what_is_said_holds_against_the_date_before(days, openings):
    start = date(2003, 3, 1)
    when = [start + timedelta(days=day) for day in days]
    text = " ".join(
        f"{opening} {day.day} {MONTHS[day.month - 1]} {day.year} it was."
        for opening, day in zip(openings, when, strict=False)
    )
    for before, day, phrase in zip(when, when[1:], told(text)[1:], strict=False):
        gap = (day - before).days
        for low, high, length in BINS:
            assert not phrase.startswith(length) or low <= abs(gap) <= high
        if "later" in phrase or "earlier" in phrase:
            assert gap > 0 if "later" in phrase else gap < 0
        if " in " in phrase:
            assert phrase.endswith(f" in {day.year}")
        if phrase[:4] in {"earl", "mid-", "late"} and phrase[-4:].isdigit() and "in" not in phrase:
            assert int(phrase[-4:]) == day.year


@pytest.mark.parametrize("way", ["some days later", "some months earlier", "a later day", "later"])
def test_what_is_said_of_a_year_is_read_as_the_year(way):
    time, year = parse_temporal(f"{way} in 2004"), parse_temporal("2004")
    assert time is not None and year is not None and time.canonical() == year.canonical()
