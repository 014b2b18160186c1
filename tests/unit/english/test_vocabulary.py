"""Patterns made of words."""

import re

import pytest

from intact.english.vocabulary import either, filled


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (("may", "march", "mar"), "march", "march"),
        (("Bergen", "bergen kommune", "Bergen by night"), "BERGEN KOMMUNE", "BERGEN KOMMUNE"),
        (("s.a.", "s", "sa"), "s.a", "s"),
        (("€", "euro", "eur", ""), "EUROS", "EURO"),
        (("€", "euro", ""), "x", ""),
        ((), "x", ""),
    ],
)
def test_the_longest_of_several_words_is_matched_in_either_case(words, text, found):
    assert re.match(f"(?i)(?:{either(words)})", text)[0] == found


def test_a_piece_may_name_pieces_that_stand_behind_it():
    pieces = {"day_of": "{number}\n\\. {month}", "number": r"\d{1,2}", "month": "May|June"}
    assert filled("(?:{day_of})", pieces) == r"(?:\d{1,2}\. May|June)"


def test_a_list_of_a_data_file_is_a_piece_by_its_path():
    assert filled("(?:{words.names.jr})s?", {}) == f"(?:{either(['jr', 'jnr', 'junior'])})s?"
