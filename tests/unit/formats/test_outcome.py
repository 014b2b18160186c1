"""Outcomes that an output lists for each mention."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from intact.domain import (
    Attack,
    Candidate,
    Clue,
    Decision,
    Document,
    DoubtfulPlace,
    Doubts,
    DroppedPhrase,
    Edit,
    Evidence,
    EvidenceKind,
    Guarding,
    Guess,
    IdentifierType,
    Mention,
    Outcome,
    Replacement,
    SanitizedDocument,
    Span,
    Wording,
)
from intact.formats import outcome
from intact.formats.base import Record
from intact.formats.jsonl import JsonlFormat
from intact.formats.outcome import (
    add,
    as_object,
    candidates,
    mention_fields,
    mentions_of_output,
    outcomes,
    record_line,
    without_original,
)

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
    first, second = mentions_of_output({"mentions": raws})
    assert first["candidates"] == second["candidates"] == candidates(decision)


@pytest.mark.parametrize("annotated", [True, False])
def test_how_each_mention_ended_is_worked_out_once_for_a_document(monkeypatch, annotated):
    calls = []
    monkeypatch.setattr(outcome, "outcomes", lambda done: calls.append(done) or outcomes(done))
    done = decided(None)
    record = Record(as_object(done.document), "f")
    loaded = JsonlFormat().load(record, "first")
    document = replace(loaded.document, annotated=annotated)
    JsonlFormat().render(record, replace(loaded, document=document), done)
    assert calls == [done]


def test_what_an_earlier_run_wrote_of_candidates_does_not_stay():
    assert add({"candidates_at": [1, 2], "x": 1}, {"candidates": []}, True) == {
        "x": 1, "candidates": [],
    }  # fmt: skip


DOCS = Path(__file__).resolve().parents[3] / "docs"
SCHEMA = json.loads((DOCS / "output.schema.json").read_text("utf-8"))


def everything():
    """A document with all that an output can tell of one."""
    done = decided(0, attack(0, Outcome.SAFE), attack(0, Outcome.GUESSED, "llm", rule="exact"))
    mentions = (replace(OUTER, clue="norm"), replace(INNER, marked_by="7"), LEFT)
    document, dropped = replace(done.document, mentions=mentions), (DroppedPhrase("a", "numbers"),)
    shown = Evidence(EvidenceKind.ENTAILMENT, 0.9)
    wordings = {"m1": Wording(OUTER.span, "a university")}
    rung = replace(LADDER[0], evidence=shown, entry="Riga (exact)", wordings=wordings)
    first = replace(done.decisions[0], ladder=(rung,), dropped=dropped)
    guesses, note = (Guess("Riga", 0, -0.1), Guess("Wex", 1)), "read in 2 windows"
    attacks = tuple(replace(a, candidate=rung, guesses=guesses, note=note) for a in first.attacks)
    first = replace(first, attacks=attacks, controls=attacks[:1])
    ranks = {"tfidf": 3}
    return replace(
        done,
        document=document,
        decisions=(first, *done.decisions[1:]),
        notes=("unannotated occurrences replaced: 1",),
        replacements=(
            *done.replacements,
            Replacement(LEFT.span, "LOC_2", "e3"),
            Replacement(LEFT.span, "***", "guard", origin="guard"),
        ),
        guarding=Guarding("somebody", 2, ranks, ranks, ("e1",), 1, 4),
        doubts=Doubts(0.5, ("1 in line 1",), (DoubtfulPlace(LEFT.span, "LOC", 0.3),)),
        clues=(Clue(LEFT.span, ("a country",), dropped),),
        dropped={"e3": dropped},
    )


def test_the_published_schema_describes_all_that_is_written():
    Draft202012Validator.check_schema(SCHEMA)
    schema = Draft202012Validator(SCHEMA)
    told = json.loads(record_line(everything()))
    schema.validate(told)
    schema.validate(without_original(everything(), "doc_id"))
    said = SCHEMA["$defs"]
    assert told["intact"].keys() == said["record"]["properties"].keys()
    rungs = [rung for mention in told["mentions"] for rung in mention.get("candidates", ())]
    assert set().union(*rungs) == said["ladder"]["items"]["properties"].keys()
    of_mentions = said["mention"]["properties"].keys() - {"candidates_at"}
    assert set().union(*told["mentions"]) >= of_mentions


@pytest.mark.parametrize("name", ["intact", "mentions"])
def test_what_the_schema_does_not_know_is_refused(name):
    told = json.loads(record_line(everything()))
    place = told["intact"] if name == "intact" else told["mentions"][0]["candidates"][0]
    place["new"] = 1
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate(told)
