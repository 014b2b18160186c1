"""Sentence beginnings."""

import textwrap

import pytest

from intact.domain import Edit, Span, apply_edits
from intact.english.sentences import starts_sentence, unwrapped, wrapped


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


@pytest.mark.parametrize(
    "text",
    [
        "My father is a retired\nbus driver from Cork.\n",
        "Ann Lee was seen at St. Vincent's\r\nUniversity Hospital by her\r\ndoctor, Ian Roe.",
        textwrap.fill("Dr Ann Lee met John Hill in Port Elizabeth on 3 May 2019. " * 4, 50),
    ],
)
def test_wrapped_lines_are_one(text):
    flat = unwrapped(text)
    assert len(flat) == len(text) and flat.split() == text.split()
    assert "\n" not in flat.rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ann Lee\nBorn: 3 May 1951\nPlace: Leeds",
        "ana: so i went to the doctor\nbob: and what did she say",
        "He left the house.\nshe stayed at home.",
        "Ann Lee lives in Leeds\n\nand works in York",
    ],
)
def test_other_lines_stay_apart(text):
    assert unwrapped(text) == text


def test_a_replacement_keeps_the_lines():
    text = "is a retired\nbus driver, John\nHill said"
    flat = text.replace("\n", " ")
    edits = [Edit(Span(5, 23), "former worker"), Edit(Span(25, 34), "PERSON_1")]
    done = apply_edits(text, wrapped(text, flat, edits))
    assert done == "is a former\nworker, PERSON_1\nsaid"
    assert [*wrapped(text, text, edits)] == edits
