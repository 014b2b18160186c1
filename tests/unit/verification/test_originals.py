"""Number of originals that a phrase about time or number leaves."""

import pytest

from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal, read_value
from intact.verification.rule_attacker import equally_likely


@pytest.mark.parametrize(
    ("phrase", "count"),
    [
        ("May 1996", 31),
        ("February 1996", 29),
        ("1996", 366),
        ("spring 1996", 4),
        ("the 1990s", 10),
        ("between May 1993 and June 1995", 31**2),
        ("several months", 19),
    ],
)
def test_times(phrase, count):
    time = parse_temporal(phrase)
    assert time is not None
    assert equally_likely(time)[0] == count


@pytest.mark.parametrize(("phrase", "kind"), [("one day", "DATETIME"), ("no boats", "QUANTITY")])
def test_a_phrase_that_holds_one_length_or_count_only_is_no_range(phrase, kind):
    assert read_value(phrase, kind) is None


@pytest.mark.parametrize("phrase", ["May 1996", "May", "1996"])
def test_samples_are_originals_of_the_right_grain(phrase):
    time = parse_temporal(phrase)
    samples = equally_likely(time, 3)[1]
    assert len(samples) == 3
    for sample in samples:
        inner = parse_temporal(sample)
        assert inner is not None
        assert time.contains(inner)


def test_samples_lie_at_even_distances_over_all_stretches():
    century, either = map(parse_temporal, ("the 19th century", "3 May or 5 June 1996"))
    assert equally_likely(century, 3)[1] == ("1817", "1851", "1884")
    assert equally_likely(either, 3)[1] == ("3 May 1996", "5 June 1996")


@pytest.mark.parametrize(
    ("phrase", "low", "high"),
    [
        ("50 to 100 persons", 11, 51),
        ("3 to 5 houses", 3, 3),
        ("more than 10 houses", 100, 1000),
        ("50 to 100 million kroner", 11, 51),
    ],
)
def test_quantities(phrase, low, high):
    quantity = parse_quantity(phrase)
    assert quantity is not None
    assert low <= equally_likely(quantity)[0] <= high
