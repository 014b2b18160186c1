"""Ladders of dates and quantities are true, widen, and keep no whole set of numbers."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from intact.english.numbers import in_words
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.time import MONTH_NAMES
from intact.planning.ladder import numbers_in
from intact.planning.rules.quantities import quantity_ladder
from intact.planning.rules.times import date_ladder

SAY_NO_AMOUNT = {f"a certain {what}" for what in ("length", "size", "volume", "weight")}
"""The last rungs of measures: true of all."""

DAYS = st.dates(date(1700, 1, 1), date(2100, 12, 31))


def _long(day):
    return f"{day.day} {MONTH_NAMES[day.month - 1]} {day.year}"


STATED = st.one_of(
    DAYS.map(_long),
    DAYS.map(lambda day: f"{day:%d/%m/%Y}"),
    DAYS.map(date.isoformat),
    DAYS.map(lambda day: f"{MONTH_NAMES[day.month - 1]} {day.year}"),
    DAYS.map(lambda day: f"{day.day} {MONTH_NAMES[day.month - 1]}"),
    DAYS.map(lambda day: f"{day.year}"),
    st.tuples(DAYS, DAYS).map(lambda two: f"between {_long(min(two))} and {_long(max(two))}"),
    st.tuples(DAYS, DAYS).map(lambda two: f"{_long(two[0])} and {_long(two[1])}"),
    st.tuples(st.integers(1, 400), st.sampled_from("hours days weeks months years".split())).map(
        lambda pair: f"{pair[0]} {pair[1]}"
    ),
    st.tuples(st.integers(2, 99), st.sampled_from("day week month year".split())).map(
        lambda pair: f"{in_words(pair[0])}-{pair[1]}"
    ),
    st.tuples(st.integers(2, 99), st.sampled_from("days weeks months years".split())).map(
        lambda pair: f"{in_words(pair[0])} {pair[1]} later"
    ),
    st.integers(0, 110).map(lambda age: f"aged {age}"),
    st.tuples(st.integers(1, 12), st.integers(0, 59), st.sampled_from(["a.m.", "p.m."])).map(
        lambda time: f"{time[0]}.{time[1]:02d} {time[2]}"
    ),
)
COUNTED = st.one_of(
    st.integers(0, 10**13).map(lambda value: f"GBP {value:,}"),
    st.decimals(0, 10**7, places=2).map(lambda value: f"{value:,} euros"),
    st.integers(0, 10**6).map(lambda value: f"{value:,} persons"),
    st.integers(0, 99).map(lambda value: f"{in_words(value)} boats"),
    st.integers(0, 100).map(lambda value: f"{value} % of the shares"),
    st.integers(1, 5000).map(lambda value: f"{value} km"),
    st.integers(1, 99).map(in_words),
)


@settings(max_examples=300, deadline=None)
@given(STATED)
def test_date_ladders_are_true_and_widen(text):
    _is_true_and_widens(text, date_ladder([text]), parse_temporal)


@settings(max_examples=300, deadline=None)
@given(COUNTED)
def test_quantity_ladders_are_true_and_widen(text):
    _is_true_and_widens(text, quantity_ladder([text]), parse_quantity)


def _is_true_and_widens(text, ladder, parse):
    original = parse(text)
    assert original is not None
    assert ladder
    below = original
    for rung in ladder[:-1] if ladder[-1].text in SAY_NO_AMOUNT else ladder:
        said = parse(rung.text)
        assert said.contains(original)
        assert said.contains(below)
        assert not below.contains(said)
        below = said
    _keeps_no_secret(text, ladder)


def _keeps_no_secret(text, ladder):
    numbers = numbers_in(text)
    first = ladder[0].rank
    assert first in (0, 1)  # 1 where nothing as fine as of another value is said: of a full hour
    for rank, rung in enumerate(ladder, start=first):
        assert rung.rank == rank
        assert not numbers or not numbers <= numbers_in(rung.text)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.from_regex(r"[0-9a-z .,/:–-]{1,30}", fullmatch=True)))
def test_no_text_breaks_the_parsers(text):
    parse_temporal(text)
    parse_quantity(text)
    date_ladder([text])
    quantity_ladder([text])


WORDS = st.lists(
    st.sampled_from(
        "17 1996 May between and to 1990s the early mid- first half of century 20th 9.30 a.m. "
        "Friday two years months later every aged 34 - , ( ) % GBP million cm x by no some several "
        "summer next day 03/04/1999 since until in".split()
    ),
    max_size=8,
).map(" ".join)


@settings(max_examples=500, deadline=None)
@given(WORDS)
def test_no_word_salad_breaks_the_parsers(text):
    found = parse_temporal(text)
    if found is not None:
        assert found.contains(found)
        assert all(low <= high for low, high in found.spans)
    quantity = parse_quantity(text)
    if quantity is not None:
        assert quantity.contains(quantity)
    date_ladder([text])
    quantity_ladder([text])
