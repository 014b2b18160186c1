"""Outcomes that an output lists for each mention."""

import math

from intact.domain import (
    Attack,
    Candidate,
    Decision,
    Document,
    Edit,
    Guess,
    IdentifierType,
    Mention,
    Outcome,
    Replacement,
    SanitizedDocument,
    Span,
)
from intact.formats.outcome import add, candidates, mention_fields, outcomes, with_candidates

TEXT = "University of Riga, Latvia"
OUTER = Mention("m1", Span(0, 18), TEXT[:18], "e1", "ORG")
INNER = Mention("m2", Span(14, 18), "Riga", "e2", "LOC")
LEFT = Mention("m3", Span(20, 26), "Latvia", "e3", "LOC", IdentifierType.NO_MASK)
LADDER = (
    Candidate("a university in Latvia", 0, "knowledge"),
    Candidate("a university", 1, "knowledge"),
)


def attack(rung, outcome, attacker="knowledge", risk=0.2, guesses=(), rule=""):
    return Attack(LADDER[rung], attacker, guesses, outcome, rule, risk)


def decided(chosen, *attacks):
    document = Document("d", TEXT, (OUTER, INNER, LEFT))
    outer, inner = document.entities
    decision = Decision(outer, LADDER, chosen, "ORG_1", attacks)
    return SanitizedDocument(
        document,
        edits=(Edit(OUTER.span, decision.text),),
        replacements=(
            Replacement(OUTER.span, decision.text, "e1", "m1"),
            Replacement(INNER.span, "", "e2", "m2", "nested"),
        ),
        decisions=(decision, Decision(inner, (), None, "LOC_1")),
    )


def test_the_worst_of_the_last_attacks_is_the_outcome():
    safe = attack(1, Outcome.SAFE)
    assert outcomes(decided(1, safe)) == {"m1": "SAFE", "m2": "COVERED", "m3": "NO_MASK"}
    assert outcomes(decided(None, safe))["m1"] == "LABEL"
    assert outcomes(decided(0, safe))["m1"] == "UNTESTED"
    guessed, safe = attack(1, Outcome.GUESSED), attack(1, Outcome.SAFE)
    assert outcomes(decided(1, guessed, safe))["m1"] == "SAFE"
    assert outcomes(decided(1, safe, guessed))["m1"] == "GUESSED"
    unparsed = attack(1, Outcome.UNPARSED, "llm")
    assert outcomes(decided(1, unparsed, safe))["m1"] == "UNPARSED"


def test_candidates_tell_what_was_tried():
    guess = Guess("Riga University", 0, math.log(0.25))
    fallen = attack(0, Outcome.GUESSED, guesses=(guess, Guess("x", 1)), rule="lemma", risk=0.5)
    first, second, label = candidates(decided(1, fallen, attack(1, Outcome.SAFE)).decisions[0])
    assert first == {
        "text": "a university in Latvia", "rank": 0, "source": "knowledge",
        "attacker": "knowledge", "outcome": "GUESSED", "rule": "lemma", "risk": 0.5,
        "guesses": [{"text": "Riga University", "p": 0.25}, {"text": "x", "p": None}],
    }  # fmt: skip
    assert second["chosen"] and second["outcome"] == "SAFE" and "attacks" not in second
    assert label == {"text": "ORG_1", "rank": 2, "source": "label"}


def test_fields():
    fields = mention_fields(decided(None))
    assert fields["m1"]["replacement"] == "ORG_1"
    assert fields["m1"]["candidates"][-1]["chosen"]
    assert fields["m2"]["replacement"] == ""
    assert fields["m3"] == {"replacement": None, "candidates": [], "outcome": "NO_MASK"}


def test_the_ladder_stands_at_the_first_mention_and_is_found_from_all():
    document = Document("d", "Riga, Riga", (
        Mention("a", Span(0, 4), "Riga", "e", "LOC"), Mention("b", Span(6, 10), "Riga", "e", "LOC"),
    ))  # fmt: skip
    decision = Decision(document.entities[0], LADDER, 1, "LOC_1")
    places = [Replacement(m.span, "a town", "e", m.id) for m in document.mentions]
    fields = mention_fields(
        SanitizedDocument(document, (), replacements=tuple(places), decisions=(decision,))
    )
    assert len(fields["a"]["candidates"]) == 3
    assert fields["b"] == {"replacement": "a town", "candidates_at": [0, 4], "outcome": "UNTESTED"}
    raws = [
        {"start": 0, "end": 4} | fields["a"],
        {"start_offset": 6, "end_offset": 10} | fields["b"],
    ]
    first, second = with_candidates(raws)
    assert first["candidates"] == second["candidates"] == candidates(decision)


def test_what_an_earlier_run_wrote_of_candidates_does_not_stay():
    assert add({"candidates_at": [1, 2], "x": 1}, {"candidates": []}, True) == {
        "x": 1, "candidates": [],
    }  # fmt: skip
