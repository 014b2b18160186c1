"""Ledger: what all replacements together tell about a hidden State."""

import pytest

from intact.config import Settings
from intact.discourse.ledger import telling
from intact.discourse.things import States
from intact.domain import Answer, Candidate, Document, Mention, Outcome, Span
from intact.knowledge.base import KnowledgeBase
from intact.planning.ladder import labels
from intact.protocols import Attacker
from intact.verification import state
from intact.verification.matching import Matching
from intact.verification.rounds import RoundsSelector
from tests.marked import rewriter_for

BASE = KnowledgeBase.open()


@pytest.mark.parametrize(
    ("phrase", "some", "count"),
    [
        ("a town in England", {"GB"}, 1),
        ("a Scandinavian national", {"DK", "NO", "SE"}, 3),
        ("a country in Northern Europe", {"GB", "SE", "LT"}, 14),
        ("the government of a country in Europe", {"GB", "FR"}, 55),
        ("GBP 500 to 1,000", {"GB"}, 1),
    ],
)
def test_what_a_phrase_tells_of_countries(phrase, some, count):
    told = BASE.implies(phrase)
    assert told is not None
    assert some <= told
    assert len(told) == count


@pytest.mark.parametrize(
    "phrase", ["a town", "EUR 500", "an amount of money", "May 1996", "PERSON_1"]
)
def test_what_tells_nothing(phrase):
    assert BASE.implies(phrase) is None


def test_the_narrowest_phrases_about_the_state_become_vaguer():
    phrases = {"a": ["a country in Northern Europe"], "b": ["GBP 500 to 1,000"], "c": ["a town"]}
    british, turkish = frozenset({"GB"}), frozenset({"TR"})
    assert telling(phrases, BASE.implies, 4, british) == ["b"]
    assert telling(phrases | {"b": ["an amount of money"]}, BASE.implies, 4, british) == []
    assert telling({"a": phrases["a"]}, BASE.implies, 20, british) == ["a"]
    asian = {"a": ["a country in Western Asia"], "b": phrases["b"]}
    assert telling(asian, BASE.implies, 4, turkish) == []


def test_the_words_of_each_place_count_together():
    worded = {"a": ["a country", "on a visit to a Nordic country", "a state with a royal family"]}
    assert telling(worded, BASE.implies, 8, frozenset({"SE"})) == ["a"]
    assert telling(worded, BASE.implies, 7, frozenset({"SE"})) == []


class Silent(Attacker):
    name = "silent"

    def attack(self, challenges):
        return [Answer(())] * len(challenges)


@pytest.mark.parametrize(
    ("least", "town"), [(4, "a town in Northern Europe"), (20, "a town"), (0, "a town in England")]
)
def test_no_replacement_names_what_another_hides(least, town, monkeypatch):
    text = "The United Kingdom was sued in Bedford over GBP 5,000."
    mentions = (
        Mention("1", Span(4, 18), "United Kingdom", "state", "LOC"),
        Mention("2", Span(31, 38), "Bedford", "town", "LOC"),
        Mention("3", Span(44, 53), "GBP 5,000", "sum", "QUANTITY"),
    )
    told = {
        "state": ("a country in Northern Europe", "a country"),
        "town": ("a town in England", "a town in Northern Europe", "a town"),
        "sum": ("GBP 2,000 to 10,000", "an amount of money"),
    }
    ladders = {
        key: tuple(Candidate(phrase, rank, "knowledge") for rank, phrase in enumerate(phrases))
        for key, phrases in told.items()
    }
    monkeypatch.setattr(state, "LEAST_STATES", least)
    selector = RoundsSelector(
        [Silent()],
        Matching(),
        labels,
        Settings(),
        BASE.implies,
    )
    rewriter = rewriter_for(Document("d", text, mentions), States("GB", {"state": "GB"}))
    result = selector.select(rewriter, ladders)
    decisions = {decision.entity.id: decision for decision in result.decisions}
    assert decisions["town"].text == town
    assert decisions["state"].text == f"a country{' in Northern Europe' * (least < 20)}"
    assert (decisions["sum"].text == "an amount of money") == (least > 0)
    if least:
        first = decisions["town"].attacks[0]
        assert (first.candidate.text, first.rule) == ("a town in England", "states")
        assert first.outcome is Outcome.GUESSED
        assert decisions["town"].attacks[-1].outcome is Outcome.SAFE
