"""Patterns made of words."""

import re

import pytest

from intact.english.vocabulary import either


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
