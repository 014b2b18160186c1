"""Clues in the rest of a text."""

import pytest

from intact.domain import Span
from intact.english.scan import parse_temporal
from intact.verification.rule_attacker import Clues


@pytest.mark.parametrize(
    ("name", "stands"),
    [("Tromsø", True), ("tromso", True), ("Trom", False), ("Far Wexham", True), ("Wexham", True)],
)
def test_names_stand_as_whole_words(name, stands):
    assert Clues("He left TROMSØ for Far\nWexham.").standing([name]) == [name] * stands


def test_common_words_and_replacements_are_no_names():
    text = "The thatcher of Far Wexham met a Thatcher."
    assert Clues(text).standing(["Far Wexham", "Thatcher"]) == ["Far Wexham", "Thatcher"]
    assert Clues(text, [Span(33, 42)]).standing(["Thatcher"]) == []
    assert Clues("Far by a wexham").standing(["Far Wexham"]) == []
    assert Clues("the Abbey of Wexham").standing(["Abbey of Wexham"]) == ["Abbey of Wexham"]
    assert Clues("the Court").standing(["Court"]) == []  # tells nothing
    assert set(Clues("When in Far Thule he spoke to Ørjan.").names) >= {"Far Thule", "Ørjan"}


def test_finer_dates_elsewhere_are_found_nearest_first():
    text = "In 1993 and May 1996 and 1998, some time in the 1990s, in 1997; see 1996/97."
    target = Span(text.index("the 1990s"), text.index(", in 1997"))
    phrase = parse_temporal("the 1990s")
    assert phrase is not None
    found = Clues(text).dates_within(phrase, target)
    assert found == ["1997", "1998", "May 1996", "1993"]


@pytest.mark.parametrize("date", ["May 3, 1951", "1951-05-03", "03.05.1951", "third of May 1951"])
def test_dates_are_read_in_whatever_form(date):
    text = f"Born in 1951. The form gives {date}."
    phrase = parse_temporal("1951")
    assert phrase is not None
    assert Clues(text).dates_within(phrase, Span(5, 12)) == [date]


def test_a_date_in_two_forms_is_one():
    text = "Some time in the 1950s; on 3 May 1951; on May 3, 1951; in 1952."
    phrase = parse_temporal("the 1950s")
    assert phrase is not None
    found = Clues(text).dates_within(phrase, Span(13, 22))
    assert found == ["3 May 1951", "1952"]
