"""Every phrase that rules offer for a time or an amount can be read back.

``climb`` leaves out what it cannot read, and an attacker does not understand it either, so a new
wording that no parser knows has to fail here.
"""

import pytest

from intact.english.numbers import plain
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal, read_time
from intact.planning.rules.quantities import quantity_phrases
from intact.planning.rules.timeline import BINS
from intact.planning.rules.times import part_of_year, time_phrases

_MONTHS = ("January", "May", "September", "December")
_UNITS = ("minute", "hour", "day", "week", "month", "year", "decade")
_AMOUNTS = ("two", "5", "17", "ninety", "a hundred and four", "2.5")
_NOUNS = ("people", "detainees", "letters", "cars", "flats")
TIMES = [
    *(f"{day} {month} {year}" for day in (1, 17, 30) for month in _MONTHS for year in (1899, 2004)),
    *(f"{month} {year}" for month in _MONTHS for year in (1950, 2019)),
    *(f"{day} {month}" for day in (2, 28) for month in _MONTHS),
    *("1999", "the 1990s", "early 2001", "the nineteenth century", "spring 1996", "03.05.1996"),
    *("between 1996 and 1999", "2001-2003", "from May to July 2004", "3 and 4 May 2010"),
    *(f"{amount} {unit}s" for amount in _AMOUNTS for unit in _UNITS),
    *(f"{amount}-{unit}" for amount in ("two", "six", "10") for unit in _UNITS),
    *(
        "one day",
        "a week",
        "half an hour",
        "two years and three months",
        "five years’",
        "18 months'",
    ),
    *("47 years old", "47-year-old", "aged 12", "age of 7", "three weeks old", "in his forties"),
    *("10 a.m.", "14:35", "half past six", "at about 9 p.m.", "midnight", "Monday", "on Sunday"),
    *("two days later", "three years earlier", "a month ago", "twice a week", "every two months"),
]
AMOUNTS = [
    *(
        f"{mark}{value}"
        for mark in ("EUR ", "€", "$", "£")
        for value in ("5", "370", "12,500", "2 million")
    ),
    *("NOK 45,000", "1,200 Turkish liras", "ten thousand euros", "EUR 3,000 to 4,000", "€12.75"),
    *(f"{amount} {noun}" for amount in ("two", "7", "34", "1,250", "a dozen") for noun in _NOUNS),
    *("12 km", "3.5 metres", "80 kg", "400 ml", "55 square metres", "30 °C", "12 mg"),
    *("5%", "40 per cent", "one third", "half", "12.5 %", "two thirds of the shares"),
    *("the first", "third", "21st", "two-thirds", "3:2", "7 out of 10"),
]


def _unread(texts, read, phrases, parse):
    found = ((text, value) for text in texts if (value := read(text)) is not None)
    return [
        (text, phrase)
        for text, value in found
        for phrase in phrases(plain(text), value)
        if parse(phrase) is None
    ]


@pytest.mark.parametrize(
    ("texts", "read", "phrases", "parse"),
    [
        (TIMES, read_time, time_phrases, parse_temporal),
        (AMOUNTS, parse_quantity, quantity_phrases, parse_quantity),
    ],
)
def test_every_phrase_can_be_read_back(texts, read, phrases, parse):
    assert sum(read(text) is not None for text in texts) > 0.9 * len(texts)
    assert _unread(texts, read, phrases, parse) == []


@pytest.mark.parametrize("way", ["later", "earlier"])
def test_phrases_of_the_timeline_can_be_read_back(way):
    told = [f"{length} {way} in 2004" for _, _, length in BINS]
    told += [f"{part_of_year(month) or 'the second half of '}2004" for month in range(1, 13)]
    assert [phrase for phrase in told if parse_temporal(phrase) is None] == []
