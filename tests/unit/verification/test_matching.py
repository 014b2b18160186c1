"""Each matching rule."""

import pytest

from intact.domain import Guess, Mention, Span
from intact.knowledge.base import KnowledgeBase
from intact.verification.matching import Matching


def fired(guess, original, kind):
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    return Matching().match(Guess(guess, 0), mention)


@pytest.mark.parametrize(
    ("guess", "original", "kind", "rule"),
    [
        ("Oslo", "Oslo", "LOC", "exact"),
        ("the city of oslo", "The City of Oslo", "LOC", "normalised"),
        ("17.01.1955", "17 January 1955", "DATETIME", "date"),
        ("1955", "17 January 1955", "DATETIME", ""),
        ("3 houses", "three houses", "QUANTITY", "number"),
        ("WHO", "World Health Organisation", "ORG", "acronym"),
        ("Turkish", "Turkey", "LOC", "ngram"),
        ("nurses", "nurse", "DEM", "lemma"),
    ],
)
def test_rules(guess, original, kind, rule):
    assert fired(guess, original, kind) == rule


KNOWN = Matching(KnowledgeBase.open().tells, KnowledgeBase.open().identifies)


@pytest.mark.parametrize(
    ("guess", "original", "kind", "rule"),
    [
        ("United Kingdom", "United Kingdom of Great Britain and Northern Ireland", "LOC", "same"),
        ("UK Government", "United Kingdom Government", "ORG", "same"),
        ("United Kingdom", "United Kingdom Government", "ORG", ""),
        ("British national", "United Kingdom national", "DEM", "same"),
        ("Holland", "the Netherlands", "LOC", "same"),
        ("England", "United Kingdom", "LOC", "same"),
        ("United Kingdom", "England", "LOC", ""),
        ("Constantinople", "Istanbul", "LOC", "same"),
        ("heart attack", "stroke", "MISC", ""),
        ("15 October 2019", "15 October", "DATETIME", "date"),
        ("1995", "1994", "DATETIME", ""),
        ("the 1990s", "1994", "DATETIME", ""),
        ("false floor", "false compartment in the fuel tank", "MISC", ""),
    ],
)
def test_guesses_of_the_same_thing(guess, original, kind, rule):
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    assert KNOWN.match(Guess(guess, 0), mention) == rule


@pytest.mark.parametrize(
    ("guess", "original", "kind", "hit"),
    [
        # heads, saints, verbs, foreign class words and classes of bodies are no identity
        ("St Mary's Hospital", "St Michael's Hospital", "ORG", False),
        ("2 Sisters Food Group", "Wiltshire Farm Foods", "ORG", False),
        ("District Court", "the District Court", "ORG", False),
        ("District Court", "Koszalin District Court", "ORG", False),
        ("drives truck", "drives the grader", "MISC", False),
        ("suffered a fall", "suffered a stroke", "MISC", False),
        # what identifies does, however it is worded
        ("St Michael's School", "St Michael's Hospital", "ORG", True),
        ("Bowerhill factory", "Bowerhill site", "LOC", True),
        ("Oslo politidistrikt", "Oslo byrett", "ORG", True),
        ("grader operator", "drives the grader", "MISC", True),
        ("diabetes", "type 2 diabetes", "MISC", True),
        ("6 years old", "6", "DATETIME", True),
        ("7 years old", "6", "DATETIME", False),
        ("20 February", "2/20", "DATETIME", True),
        ("February", "2/20", "DATETIME", False),
    ],
)
def test_only_what_identifies_counts(guess, original, kind, hit):
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    assert bool(KNOWN.match(Guess(guess, 0), mention)) is hit
