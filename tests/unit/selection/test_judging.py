"""Outcomes from answers, and choosing again from the record."""

import math

import pytest

from intact.attack.matching import Matching
from intact.config import AttackSettings, MatchSettings, Settings, TypeAttackSettings
from intact.domain import (
    Answer,
    Attack,
    Candidate,
    Decision,
    Entity,
    Guess,
    Mention,
    Outcome,
    Span,
)
from intact.selection.judging import answer_of, judge, recorded
from intact.selection.replay import Replay

MATCHER = Matching(MatchSettings())
ENTITY = Entity(
    "e",
    (
        Mention("1", Span(0, 6), "Bergen", "e", "LOC"),
        Mention("2", Span(9, 21), "Hansa harbour", "e", "LOC"),
    ),
)


def answer(*guesses: tuple[str, float | None], uniform: bool = False) -> Answer:
    made = tuple(
        Guess(text, rank, None if share is None else math.log(share))
        for rank, (text, share) in enumerate(guesses)
    )
    return Answer(made, uniform=uniform)


@pytest.mark.parametrize(
    ("given", "outcome", "rule"),
    [
        (answer(), Outcome.SAFE, ""),
        (answer(("Oslo", None)), Outcome.SAFE, ""),
        (answer(("Oslo", None), ("bergen", None)), Outcome.GUESSED, "normalised"),
        (answer(("Hansa", None)), Outcome.GUESSED, "containment"),
        (answer(("Oslo", 0.5), ("Voss", 0.1)), Outcome.GUESSED, "risk"),
        (answer(("Oslo", 0.5)), Outcome.SAFE, ""),
        (answer(("Bergen", 0.1), uniform=True), Outcome.SAFE, ""),
        (answer(("Oslo", 0.3), ("Voss", 0.3), uniform=True), Outcome.GUESSED, "risk"),
        (Answer((), parsed=False), Outcome.UNPARSED, "unparsed"),
    ],
)
def test_judge(given: Answer, outcome: Outcome, rule: str) -> None:
    settings = AttackSettings(guesses=5, max_risk=0.5)
    verdict = judge(given, ENTITY, MATCHER, settings)
    assert (verdict.outcome, verdict.rule) == (outcome, rule)


def test_only_the_first_k_guesses_count_by_type() -> None:
    given = answer(("Oslo", 0.1), ("Voss", 0.1), ("Bergen", 0.1))
    two = AttackSettings(per_type={"LOC": TypeAttackSettings(guesses=2)})
    assert judge(given, ENTITY, MATCHER, two).outcome is Outcome.SAFE
    assert judge(given, ENTITY, MATCHER, two).risk == pytest.approx(0.2)
    strict = AttackSettings(per_type={"LOC": TypeAttackSettings(guesses=2, max_risk=0.15)})
    assert judge(given, ENTITY, MATCHER, strict).rule == "risk"


def test_an_attack_keeps_the_answer() -> None:
    candidate = Candidate("a port", 0, "knowledge")
    for given in (answer(("Oslo", 0.3), uniform=True), Answer((), parsed=False, note="n")):
        verdict = judge(given, ENTITY, MATCHER, AttackSettings())
        assert answer_of(recorded(given, verdict, ENTITY, candidate, "a")) == given


def record(rank: int, given: Answer) -> Attack:
    candidate = Candidate(f"rung {rank}", rank, "knowledge")
    return recorded(given, judge(given, ENTITY, MATCHER, AttackSettings()), ENTITY, candidate, "a")


def test_replay_under_other_thresholds() -> None:
    ladder = tuple(Candidate(f"rung {rank}", rank, "knowledge") for rank in range(3))
    attacks = (
        record(0, answer(("Oslo", 0.3), ("Bergen", 0.1))),
        record(1, answer(("Oslo", 0.3))),
        record(2, answer(("Oslo", 0.01))),
    )
    decision = Decision(ENTITY, ladder, 1, "LOC_1", attacks)

    def chosen(**changes: object) -> int | None:
        return replay.under(Settings.model_validate(changes))(decision)

    replay = Replay(MATCHER, Settings())
    assert chosen() == 1
    assert chosen(attack={"guesses": 1}) == 0
    assert chosen(attack={"max_risk": 0.2}) == 2
    assert chosen(attack={"max_risk": 0.0}) is None
    assert chosen(selection={"start_rank": 2}) == 2
    assert chosen(selection={"start_rank": 7}) == 2


def test_replay_takes_no_rung_that_was_never_attacked() -> None:
    ladder = tuple(Candidate(f"rung {rank}", rank, "knowledge") for rank in range(2))
    decision = Decision(ENTITY, ladder, 0, "LOC_1", (record(1, answer()),))
    chosen = Replay(MATCHER, Settings()).under(Settings())
    assert chosen(decision) == 1
    assert chosen(Decision(ENTITY, (), None, "LOC_1")) is None
