import pytest

from intact.discourse.amounts import compare, is_comparison
from intact.domain import Span
from intact.english.quantities import parse_quantity

EUROS = "EUR 1,000 to 10,000"


@pytest.mark.parametrize(
    ("marked", "phrases", "second"),
    [
        ("valued at [EUR 6,000] and sold for [EUR 1,500]", (EUROS, EUROS), "a smaller sum"),
        ("is [EUR 6,000] and not [EUR 8,000]", ("more than EUR 5,000", EUROS), "a larger sum"),
        ("[nine witnesses], then [six witnesses]", ("a few witnesses",) * 2, "fewer witnesses"),
        ("for [ten years], then [six years]", ("some years",) * 2, "a shorter period"),
        ("got [six years' imprisonment] or [nine years' imprisonment]",
         ("several years’ imprisonment",) * 2, "a longer term of imprisonment"),
        # other units, sentences and values that phrases tell apart; the same value; a label
        ("paid [EUR 6,000] and [SEK 1,500]", (EUROS, "SEK 1,000 to 10,000"), ""),
        ("paid [EUR 6,000]. He got [EUR 1,500].", (EUROS, EUROS), ""),
        ("paid [EUR 6,000] and [EUR 150]", (EUROS, "EUR 100 to 500"), ""),
        ("paid [EUR 6,000] and [6,000 euros]", (EUROS, EUROS), ""),
        ("for [some days] and [a year]", ("some days", "more than a week"), ""),
        ("paid [EUR 6,000] and [EUR 1,500]", (EUROS, ""), ""),
        ("a [two-day] stay and a [three-day] stay", ("multi-day",) * 2, ""),  # no noun
    ],
)  # fmt: skip
def test_the_second_of_two_amounts_that_may_read_alike_says_which_is_more(marked, phrases, second):
    pieces = marked.replace("]", "[").split("[")
    starts = [sum(map(len, pieces[:at])) for at in range(len(pieces))]
    amounts = [
        (Span(starts[at], starts[at] + len(pieces[at])), parse_quantity(pieces[at]))
        for at in (1, 3)
    ]
    assert compare("".join(pieces), amounts, phrases) == ["", second]


def test_a_comparison_is_recognised():
    assert is_comparison("a smaller sum")
    assert is_comparison("Fewer witnesses")
    assert not is_comparison("more than ten")
