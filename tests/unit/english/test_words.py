"""Folding, lemmas and the ways two texts can be alike."""

import pytest

from intact.english import words


def test_hyphens_divide_words_and_possessives_go():
    assert words.words("the Anglo-Irish bank’s") == ("the", "Anglo", "Irish", "bank")


def test_lemmas_are_dictionary_forms():
    assert words.lemmas("Courts and children") == ("court", "and", "child")


def test_telling_lemmas_leave_out_heads_and_everyday_words():
    assert words.telling_lemmas("the Bergen District Court's judgment") == {"bergen"}


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
        ("West Midlands", "a region in England", ""),
        ("the Northern Region", "in Northern Europe", ""),
        ("Oslo", "Oslo", "oslo"),
    ],
)
def test_shared_ngram(name, text, found):
    assert words.shared_ngram(name, text) == found


def test_acronyms_with_and_without_small_words():
    assert words.acronyms("Society of Friends of Music") == {"sfm", "sofom"}
    assert words.acronyms("Oslo") == frozenset()


def test_normalise_drops_articles_titles_and_punctuation():
    assert words.normalise("The Hon. Mr. J. Smith,") == "j smith"
    assert words.normalise("Mr") == "mr"
