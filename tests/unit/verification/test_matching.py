"""Each matching rule."""

import pytest

from intact.domain import Guess, Mention, Span
from intact.knowledge.base import KnowledgeBase
from intact.verification.matching import RULES, Matching


def fired(guess: str, original: str, kind: str) -> str:
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    return Matching().match(Guess(guess, 0), mention)


@pytest.mark.parametrize(
    ("guess", "original", "kind", "rule"),
    [
        ("Oslo", "Oslo", "LOC", "exact"),
        ("the city of oslo", "The City of Oslo", "LOC", "normalised"),
        ("diyarbakir", "Diyarbakır", "LOC", "normalised"),
        ("17.01.1955", "17 January 1955", "DATETIME", "date"),
        ("1955-01-17", "January 17, 1955", "DATETIME", "date"),
        ("January 1955", "17 January 1955", "DATETIME", ""),
        ("1955", "17 January 1955", "DATETIME", ""),
        ("three", "3", "QUANTITY", "number"),
        ("3 houses", "three houses", "QUANTITY", "number"),
        ("3 cars", "three houses", "QUANTITY", ""),
        ("50 persons", "63 persons", "QUANTITY", ""),
        ("WHO", "World Health Organisation", "ORG", "acronym"),
        ("World Health Organisation", "who", "ORG", "acronym"),
        ("Bergen", "Bergen District Court", "ORG", "containment"),
        ("the Bergen harbour authority", "a harbour in Bergen", "ORG", "lemma"),
        ("Turkish", "Turkey", "LOC", "ngram"),
        ("the High Court", "Bergen District Court", "ORG", ""),
        ("a court", "the City Court", "ORG", ""),
        ("nurses", "nurse", "DEM", "lemma"),
    ],
)
def test_rules(guess: str, original: str, kind: str, rule: str) -> None:
    assert fired(guess, original, kind) == rule


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
@pytest.mark.parametrize("kind", ["LOC", "DATETIME", "QUANTITY", "MISC"])
def test_rules_take_any_text(rule: object, kind: str) -> None:
    for guess, original in (("", ""), ("a", "the"), ("3", "3 May 1996"), ("🙂", "Oslo")):
        assert rule(guess, original, kind) in (True, False)  # type: ignore[operator]


KNOWN = Matching(KnowledgeBase.open().tells)


@pytest.mark.parametrize(
    ("guess", "original", "kind", "rule"),
    [
        ("UK", "United Kingdom of Great Britain and Northern Ireland", "LOC", "same"),
        ("United Kingdom", "United Kingdom of Great Britain and Northern Ireland", "LOC", "same"),
        ("Government of the United Kingdom", "United Kingdom Government", "ORG", "same"),
        ("UK Government", "United Kingdom Government", "ORG", "same"),
        ("British Government", "United Kingdom Government", "ORG", "same"),
        ("French Government", "United Kingdom Government", "ORG", ""),
        ("United Kingdom", "United Kingdom Government", "ORG", ""),
        ("British national", "United Kingdom national", "DEM", "same"),
        ("UK citizen", "United Kingdom national", "DEM", "same"),
        ("a British citizen", "a national of the United Kingdom", "DEM", "same"),
        ("Danish national", "United Kingdom national", "DEM", ""),
        ("Holland", "the Netherlands", "LOC", "same"),
        ("America", "United States", "LOC", "same"),
        ("the States", "United States", "LOC", "same"),
        ("England", "United Kingdom", "LOC", "same"),
        ("United Kingdom", "England", "LOC", ""),
        ("Constantinople", "Istanbul", "LOC", "same"),
        ("hypertension", "high blood pressure", "MISC", "same"),
        ("hashish", "cannabis resin", "MISC", "same"),
        ("dressmaker", "seamstress", "DEM", "same"),
        ("cerebrovascular accident", "stroke", "MISC", "same"),
        ("heart attack", "stroke", "MISC", ""),
        ("15 October 2019", "15 October", "DATETIME", "date"),
        ("16 October 2019", "15 October", "DATETIME", ""),
        ("1 January 1994", "1994", "DATETIME", "date"),
        ("June 1994", "1994", "DATETIME", "date"),
        ("early 1994", "1994", "DATETIME", "date"),
        ("1995", "1994", "DATETIME", ""),
        ("71", "71-year-old", "DATETIME", "date"),
        ("70", "71-year-old", "DATETIME", ""),
        ("71 years old", "71-year-old", "DATETIME", "date"),
        ("the 1990s", "1994", "DATETIME", ""),
        ("1994", "1 January 1994", "DATETIME", ""),
        ("15 October", "15 October 2019", "DATETIME", ""),
        ("HMP Wandsworth", "HMP Verne", "ORG", ""),
        ("Hospital de Santa Maria", "Centro Hospitalar do Alto Mondego", "ORG", ""),
        ("false floor", "false compartment in the fuel tank", "MISC", ""),
    ],
)
def test_guesses_of_the_same_thing(guess: str, original: str, kind: str, rule: str) -> None:
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    assert KNOWN.match(Guess(guess, 0), mention) == rule
