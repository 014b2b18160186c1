"""Sentence beginnings."""

import pytest

from intact.english.sentences import starts_sentence


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", True),
        ("He left. ", True),
        ("He left.\n\n", True),
        ("he lived in\n", False),
        ("1.  ", True),
        ("yes\n[23:05] ", True),
        ("at 23:05 ", False),
        ("- ", True),
        ("Mr. ", False),
        ("by H. ", False),
        ("He said: “", False),
        ("He left. “", True),
        ("He left.” ", True),
        ("and (", False),
    ],
)
def test_where_a_sentence_begins(before, expected):
    assert starts_sentence(f"{before}Hull", len(before)) is expected
