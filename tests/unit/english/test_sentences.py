"""Sentence beginnings."""

import pytest

from intact.english.sentences import starts_sentence


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", True),
        ("He left. ", True),
        ("He left.\n\n", True),
        ("HEADING\n\n", True),
        ("he lived in\n", False),
        ("1.  ", True),
        ("yes\n12. ", True),
        ("(a) ", True),
        ("- ", True),
        ("Mr. ", False),
        ("the case v. ", False),
        ("by H. ", False),
        ("He said: “", False),
        ("He left. “", True),
        ("He left.” ", True),
        ("and (", False),
        ("he, ", False),
        ("why? ", True),
    ],
)
def test_where_a_sentence_begins(before: str, expected: bool) -> None:
    assert starts_sentence(f"{before}Hull", len(before)) is expected
