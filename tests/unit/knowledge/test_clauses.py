"""Clauses said more generally, word by word."""

import pytest

from intact.english.reading import Place
from intact.knowledge.clauses import kept_verbs, widened_clauses

OVER = {
    "a chair": "an item",
    "his van": "a motor vehicle",
    "the Hilux": "",
    "keys": "objects",
    "it": "a field of study",
}


def widened(before, words):
    place = Place(before, words, "")
    look = {key: (over,) for key, over in OVER.items() if over}
    return next(
        widened_clauses(place, lambda part: look.get(part, ())),
        "",
    )


@pytest.mark.parametrize(
    ("before", "words", "expected"),
    [
        ("Then he ", "dropped a chair", "dropped an item"),
        ("He had been ", "sleeping in his van near Leeds", "sleeping in a motor vehicle"),
        ("Then she ", "lost keys and the Hilux", "lost objects"),
        ("He ", "wrote it on a chair", "wrote"),
        ("It has been ", "called off by the Hilux", "called off"),
    ],
)
def test_a_clause_keeps_its_frame_and_ends_before_what_nobody_knows(before, words, expected):
    assert widened(before, words) == expected


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("He did not ", "drop a chair"),
        ("Then he ", "dropped nothing on a chair"),
        ("Then he ", "dropped the Hilux"),
        ("her ", "dropped a chair"),
        ("Then he ", "has the Hilux"),
    ],
)
def test_what_is_denied_or_unknown_gives_no_clause(before, words):
    assert widened(before, words) == ""


def test_a_verb_that_stays_is_in_the_dictionary_form(base):
    assert {"drop", "sleep", "lose"} <= kept_verbs()
    link = base.link("took the ferry", "MISC", {}, Place("Then he ", "took the ferry", ""))
    assert link is not None
    assert all(rung.text.startswith("took ") for rung in link.rungs)
