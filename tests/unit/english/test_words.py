"""Folding, lemmas and the ways two texts can be alike."""

import pytest

from intact.english import words


def test_words_lemmas_acronyms_and_normal_forms():
    assert words.words("the Anglo-Irish bank’s") == ("the", "Anglo", "Irish", "bank")
    assert words.lemmas("Courts and children") == ("court", "and", "child")
    assert words.telling_lemmas("the Bergen District Court's judgment") == {"bergen"}
    assert words.acronyms("Society of Friends of Music") == {"sfm", "sofom"}
    assert words.acronyms("Oslo") == frozenset()
    assert words.is_english("bank")
    assert not words.is_english("")
    assert words.normalise("The Hon. Mr. J. Smith,") == "j smith"
    assert words.normalise("Mr") == "mr"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("three of 12 houses", {3.0, 12.0}),
        ("1,250,000 kroner", {1250000.0}),
        ("in the 1990s, 5th, HJ45", {5.0}),
        ("61yo, 42kg", {61.0, 42.0}),
    ],
)
def test_numbers(text, values):
    assert words.numbers(text) == values


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Turkey", "a Turkish city", "turk"),
        ("Yorkshire", "York", "york"),
        ("Polish", "a police officer", ""),
        ("West Midlands", "a region in England", ""),
        ("the Northern Region", "in Northern Europe", ""),
        ("Oslo", "Oslo", "oslo"),
    ],
)
def test_shared_ngram(name, text, found):
    assert words.shared_ngram(name, text) == found
