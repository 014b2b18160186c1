"""What an attacker's answer means for the rung it attacked. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from intact.config import AttackSettings
from intact.domain import Answer, Attack, Candidate, Entity, Guess, Outcome
from intact.protocols import Matcher

RISK = "risk"
"""The rule's name where no guess matched but their probability was too high."""


_ROUNDING = 1e-9

UNPARSED = "unparsed"
"""The rule's name where an answer could not be read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, the rule behind it ("" if safe) and the risk in [0, 1]."""

    outcome: Outcome
    rule: str
    risk: float


def judge(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> Verdict:
    """Whether ``answer`` gives ``entity`` away.

    Guessed if one of the first k guesses matches any of its mentions, or if the probability
    that one of them is right exceeds ``max_risk``. For uniform answers (draws from equally
    likely values, a closed pool) only the probability counts. Where the probabilities are a
    model's own belief, only those of matching guesses count. What could not be read is never
    safe.
    """
    if not answer.parsed:
        return Verdict(Outcome.UNPARSED, UNPARSED, 1.0)
    pool = answer.uniform and answer.belief
    guesses = answer.guesses[: None if pool else settings.guesses_for(entity.entity_type)]
    rule = "" if answer.uniform else first_match(guesses, entity, matcher)
    if answer.belief:
        guesses = tuple(guess for guess in guesses if first_match([guess], entity, matcher))
    risk = probability(guesses)
    if not rule and risk > settings.max_risk_for(entity.entity_type) + _ROUNDING:
        rule = RISK
    return Verdict(Outcome.GUESSED if rule else Outcome.SAFE, rule, risk)


def probability(guesses: Sequence[Guess]) -> float:
    """The summed probability of ``guesses``; those without one count as nothing."""
    known = (guess.logprob for guess in guesses if guess.logprob is not None)
    return min(1.0, math.fsum(math.exp(logprob) for logprob in known))


def first_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> str:
    """The rule of the first guess that matches a mention of ``entity``, or ""."""
    distinct = {(mention.text, mention.entity_type): mention for mention in entity.mentions}
    for guess in guesses:
        for mention in distinct.values():
            rule = matcher.match(guess, mention)
            if rule:
                return rule
    return ""


def recorded(
    answer: Answer, verdict: Verdict, entity: Entity, candidate: Candidate, attacker: str
) -> Attack:
    """The record of one attack."""
    return Attack(
        entity_id=entity.id,
        candidate=candidate,
        attacker=attacker,
        guesses=answer.guesses,
        outcome=verdict.outcome,
        rule=verdict.rule,
        risk=verdict.risk,
        uniform=answer.uniform,
        belief=answer.belief,
        note=answer.note,
    )
