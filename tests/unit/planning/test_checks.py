"""Checks of candidates: what must not stand in them."""

import pytest

from intact.domain import Candidate, Document, Mention, Span
from intact.planning.ladder import DocumentChecks, leak, numbers_in

ALIASES = {"Turkey": {"turkey", "turkish", "turks", "turkiye"}, "Turkish": {"turkey", "turks"}}


class Base:
    def aliases(self, text):
        return frozenset(ALIASES.get(text, ()))


def document(*mentions):
    text, found = "", []
    for number, (surface, kind) in enumerate(mentions):
        span = Span(len(text), len(text) + len(surface))
        found.append(Mention(f"m{number}", span, surface, f"e{number}", kind))
        text += f"{surface} | "
    return Document("d", text, tuple(found))


def ladder(texts):
    return tuple(Candidate(text, rank, "knowledge") for rank, text in enumerate(texts))


@pytest.mark.parametrize(
    ("candidate", "original", "kind", "found"),
    [
        ("a Turkish city", "Turkey", "LOC", "ngram"),
        ("a hospital nurse", "ward nurse", "DEM", ""),
        ("a tram worker", "tram driver", "DEM", "lemma"),
        ("a former driver", "former tram driver", "DEM", ""),
        ("health-related", "back-related", "DEM", ""),
        ("a tram driver", "former tram driver", "DEM", "lemma"),
        ("a health worker", "nurse", "DEM", ""),
        ("200 million to 2 billion", "TRL 1,000,000,000", "QUANTITY", ""),
        ("a university", "University of Bergen", "ORG", ""),
        ("a foreign ministry", "Foreign and Commonwealth Office", "ORG", ""),
        ("a foreign ministry", "Ministry of Foreign Affairs of Norway", "ORG", ""),
        ("a court in Norway", "Foreign Office of Norway", "ORG", "lemma"),
        ("a district court", "District Court", "ORG", "equal"),
        ("between 1990 and 1995", "1990", "DATETIME", "numbers"),
        ("the 1990s", "1990", "DATETIME", ""),
    ],
)
def test_leaks(candidate, original, kind, found):
    assert leak(candidate, [original], kind) == found


@pytest.mark.parametrize(
    ("others", "phrase", "discloses"),
    [
        ([("Turkey", "LOC")], "a city in Turkey", True),
        ([("Turkish", "DEM")], "a city in Turkey", True),
        ([("the Turkish Bar", "ORG")], "a city in Turkey", True),
        ([("Court", "ORG")], "a court", False),
        ([("court", "ORG")], "a court", True),
        ([("1990", "DATETIME")], "May 1990", True),
        ([("1990", "DATETIME")], "the 1990s", False),
        ([("Western Asia", "LOC")], "a city in Western Asia", True),
        ([("West Africa", "LOC")], "a city in Western Asia", False),
        ([("3 May 1951", "DATETIME")], "a town (1951-05-03)", True),
        ([("3 May 1951", "DATETIME")], "nineteen fifty-one May third", True),
        ([("1951-05-03", "DATETIME")], "one of 3 to 9 May 1951", True),
        ([("3 May 1951", "DATETIME")], "a town since May 1951, or the 4th of May", False),
        ([("Tromsø", "LOC")], "the T r o m s o", True),
        ([("Tromsø", "LOC")], "a T-R-O-M-S-O", True),
        ([("Tromsø", "LOC")], "a t e a m of the U.S.A.", False),
    ],
)
def test_disclosures(others, phrase, discloses):
    made = document(("Sinop", "LOC"), *others)
    checks = DocumentChecks(made.entities, Base().aliases)
    found = checks.problem(phrase, made.entities[0])
    assert (found == "discloses") is discloses


def test_classes_are_no_leak_of_their_names_but_names_are():
    made = document(("Turkey", "LOC"))
    checks = DocumentChecks(made.entities, Base().aliases)
    assert checks.problem("a state in Western Asia", made.entities[0]) == ""
    assert checks.problem("the Turkish state", made.entities[0]) == "ngram"
    made = document(("the Court", "ORG"), ("Lund Assize Bench", "ORG"))
    checks = DocumentChecks(made.entities, lambda text: frozenset({"court"}))
    bench = made.entities[1]
    assert checks.problem("a criminal court", bench) == ""
    assert checks.problem("a part of the Court", bench) == "discloses"


def test_overlong_candidates_stay_only_where_nothing_shorter_is():
    made = document(("Sinop", "LOC"))
    checks = DocumentChecks(made.entities)
    long, short = "a town " + "of the north " * 3 + "by the sea", "a town"
    entity = made.entities[0]
    assert [c.text for c in checks.keep(ladder([long, short]), entity)] == [short]
    assert [c.text for c in checks.keep(ladder([long]), entity)] == [long]
    assert checks.keep(ladder(["a " * 15 + "town"]), entity) == ()


@pytest.mark.parametrize("phrase", ["", " ", "...", "—"])
def test_empty_candidates_are_dropped(phrase):
    made = document(("Sinop", "LOC"))
    assert DocumentChecks(made.entities).problem(phrase, made.entities[0])


def test_a_number_after_a_letter_ends_before_a_mark():
    assert numbers_in("Q2, spring") == numbers_in("Q2") | {"spring"}
    assert numbers_in("section B1.2.") == {"1.2"}
