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
def test_rules(guess, original, kind, rule):
    assert fired(guess, original, kind) == rule


@pytest.mark.parametrize("kind", ["LOC", "DATETIME", "QUANTITY", "MISC"])
def test_any_text_is_compared(kind):
    for guess, original in (("", "x"), ("a", "the"), ("3", "3 May 1996"), ("🙂", "Oslo")):
        assert isinstance(fired(guess, original, kind), str)


KNOWN = Matching(KnowledgeBase.open().tells, KnowledgeBase.open().identifies)


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
def test_guesses_of_the_same_thing(guess, original, kind, rule):
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    assert KNOWN.match(Guess(guess, 0), mention) == rule


@pytest.mark.parametrize(
    ("guess", "original", "kind", "hit"),
    [
        # heads, saints, verbs, foreign class words and classes of bodies are no identity
        ("Kampung Melor", "Kampung Pida Empat", "LOC", False),
        ("St Mary's", "St Michael's", "ORG", False),
        ("St Mary's Hospital", "St Michael's Hospital", "ORG", False),
        ("Corby site", "Bowerhill site", "LOC", False),
        ("the site", "Bowerhill site", "LOC", False),
        ("2 Sisters Food Group", "Wiltshire Farm Foods", "ORG", False),
        ("District Court", "the district court", "ORG", False),
        ("District Court", "the District Court", "ORG", False),
        ("Court of Appeal", "the Court of Appeal", "ORG", False),
        ("District Court", "Koszalin District Court", "ORG", False),
        ("drives truck", "drives the grader", "MISC", False),
        ("ran the diner", "ran the friendship centre", "MISC", False),
        ("suffered a fall", "suffered a stroke", "MISC", False),
        ("surgical nurse", "psychiatric nurse", "DEM", False),
        ("Red Crescent", "Red Cross", "ORG", False),
        ("Sankt Gallen", "Sankt Pölten", "LOC", False),
        ("Banco de Chile", "Banco Santander", "ORG", False),
        ("Kuala Terengganu", "Kuala Lumpur", "LOC", False),
        # what identifies does, however it is worded
        ("St Michael's School", "St Michael's Hospital", "ORG", True),
        ("Bowerhill factory", "Bowerhill site", "LOC", True),
        ("Oslo politidistrikt", "Oslo byrett", "ORG", True),
        ("Haukeland Hotell", "Haukeland University Hospital", "ORG", True),
        ("Wiltshire Dairies", "Wiltshire Farm Foods", "ORG", True),
        ("Turkish", "Republic of Turkey", "LOC", True),
        ("Bath Rugby", "Bath Abbey", "ORG", True),
        ("survived a stroke", "suffered a stroke", "MISC", True),
        ("grader operator", "drives the grader", "MISC", True),
        ("a psychiatric nurse", "psychiatric nurse", "DEM", True),
        ("diabetes", "type 2 diabetes", "MISC", True),
        ("Supreme Court", "the Supreme Court", "ORG", True),
        ("Koszalin", "Koszalin District Court", "ORG", True),
        ("the Red Cross", "Red Cross", "ORG", True),
        ("6 years old", "6", "DATETIME", True),
        ("7 years old", "6", "DATETIME", False),
        ("6 years old", "6", "QUANTITY", True),
    ],
)
def test_only_what_identifies_counts(guess, original, kind, hit):
    mention = Mention("m", Span(0, len(original)), original, "e", kind)
    assert bool(KNOWN.match(Guess(guess, 0), mention)) is hit
