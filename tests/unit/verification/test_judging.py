"""Outcomes from answers, and choosing again from the record."""

import math

import pytest

from intact.config import AttackSettings
from intact.domain import Answer, Entity, Guess, Mention, Outcome, Span
from intact.verification.matching import Matching, adds_nothing, judge

MATCHER = Matching()
ENTITY = Entity(
    "e",
    (
        Mention("1", Span(0, 6), "Bergen", "e", "LOC"),
        Mention("2", Span(9, 21), "Hansa harbour", "e", "LOC"),
    ),
)


def answer(*guesses, uniform=False):
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
def test_judge(given, outcome, rule):
    settings = AttackSettings(guesses=5, max_risk=0.5)
    verdict = judge(given, ENTITY, MATCHER, settings)
    assert (verdict.outcome, verdict.rule) == (outcome, rule)


def test_only_the_first_likely_guesses_count():
    given = answer(("Oslo", 0.1), ("Voss", 0.1), ("Bergen", 0.1))
    two = AttackSettings(guesses=2)
    assert judge(given, ENTITY, MATCHER, two).outcome is Outcome.SAFE
    assert judge(given, ENTITY, MATCHER, two).risk == pytest.approx(0.2)
    strict = AttackSettings(guesses=2, max_risk=0.15)
    assert judge(given, ENTITY, MATCHER, strict).rule == "risk"
    rare, likely = answer(("Bergen", 0.04)), answer(("Bergen", 0.05))
    settings = AttackSettings(min_risk=0.05)
    assert judge(rare, ENTITY, MATCHER, settings).outcome is Outcome.SAFE
    assert judge(likely, ENTITY, MATCHER, settings).outcome is Outcome.GUESSED
    assert judge(rare, ENTITY, MATCHER, AttackSettings(min_risk=0)).outcome is Outcome.GUESSED


@pytest.mark.parametrize(
    ("name", "given", "outcome"),
    [
        ("the Court", "Court", Outcome.SAFE),  # its kind is all that it says
        ("Supreme Court", "Supreme Court", Outcome.GUESSED),
    ],
)
def test_who_guesses_the_mere_kind_of_a_body_has_found_none(name, given, outcome):
    body = Entity("e", (Mention("1", Span(0, len(name)), name, "e", "ORG"),))
    verdict = judge(answer((given, 0.3)), body, MATCHER, AttackSettings())
    assert verdict.outcome is outcome


def test_a_guessed_month_of_a_hidden_day_counts_for_one_of_its_days():
    guesses = tuple(
        Guess(f"{month} 1997", rank, math.log(0.25))
        for rank, month in enumerate(["September", "October", "November", "December"])
    )
    given = Answer(guesses, uniform=True)
    day, day_alone, month = (
        judge(given, Entity("e", (hidden,)), MATCHER, AttackSettings())
        for hidden in (
            Mention("1", Span(0, 17), "15 September 1997", "e", "DATETIME"),
            Mention("1", Span(0, 12), "15 September", "e", "DATETIME"),
            Mention("1", Span(0, 14), "September 1997", "e", "DATETIME"),
        )
    )
    assert day.outcome is Outcome.SAFE
    assert day.risk < 0.05
    assert day_alone == day
    assert month.outcome is Outcome.GUESSED
    assert month.risk > 0.9


@pytest.mark.parametrize(
    ("rung", "label", "nothing"),
    [
        (("denture broken", "denture lost"), ("dentures loose", "denture lost"), False),
        (("drive trucks", "drive road trains"), ("drive trucks", "drive road trains"), True),
    ],
)
def test_half_of_a_thing_at_its_label_is_no_excuse_for_the_whole(rung, label, nothing):
    names = ("denture broken", "sings boleros", "drive road trains")
    [name] = [name for name in names if name.startswith(rung[0][:5])]
    entity = Entity("e", (Mention("1", Span(0, len(name)), name, "e", "DEM"),))
    at_rung, at_label = (answer(*((text, None) for text in each)) for each in (rung, label))
    assert adds_nothing(at_rung, at_label, entity, MATCHER, AttackSettings()) is nothing
