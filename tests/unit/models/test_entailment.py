"""The entailment network on its shipped weights."""

from intact.domain import Span
from intact.models import entailment
from intact.models.entailment import load_entailment

TEXT = "She has worked as a dentist in Leeds since the spring."
DENTIST, LEEDS = Span(20, 27), Span(31, 36)


def test_what_follows_is_likelier_than_what_does_not():
    asked = [
        (DENTIST, "DEM", ["health professional", "lawyer", "zebra"]),
        (LEEDS, "LOC", ["a city", "a hospital"]),
    ]
    [[health, lawyer, zebra], [city, hospital]] = load_entailment().probabilities(TEXT, asked)
    assert health > lawyer > zebra
    assert city > hospital
    assert all(0 <= share <= 1 for share in (health, lawyer, zebra, city, hospital))


def test_a_phrase_is_judged_alike_whatever_is_asked_beside_it():
    alone = load_entailment().probabilities(TEXT, [(DENTIST, "DEM", ["lawyer"])])[0][0]
    beside = load_entailment().probabilities(TEXT, [(DENTIST, "DEM", ["a singer", "lawyer"])])[0][1]
    assert abs(alone - beside) < 1e-4


def test_a_full_memory_forgets_nothing_that_is_asked_now(monkeypatch):
    monkeypatch.setattr(entailment, "_REMEMBERED", 2)
    for phrases in (["a lawyer", "a singer"], ["a singer", "a cook"], ["a cook", "a lawyer"]):
        assert len(load_entailment().probabilities(TEXT, [(DENTIST, "DEM", phrases)])[0]) == 2


def test_nothing_asked_is_nothing_answered():
    assert load_entailment().probabilities(TEXT, [(DENTIST, "DEM", [])]) == [[]]
