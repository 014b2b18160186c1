"""Judges what an attacker's answer means for the rung it attacked. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from intact.config import AttackSettings
from intact.domain import BY_VALUE, Answer, Entity, Guess, Mention, Outcome
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.english.words import content_lemmas
from intact.protocols import Matcher

RISK = "risk"
"""The rule's name where no guess matched but their probability was too high."""
UNPARSED = "unparsed"
"""The rule's name where an answer could not be read."""
STANDING = frozenset({Outcome.SAFE, Outcome.CONTEXT})
"""Outcomes with which a rung may stand."""
ADDED_RISK = 0.1
"""Probability by which a candidate that adds nothing may be guessed more than its label."""
_ROUNDING = 1e-9


class Verdict(NamedTuple):
    """An outcome, the rule behind it ("" if safe) and the risk in [0, 1]."""

    outcome: Outcome
    rule: str
    risk: float


def judge(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> Verdict:
    """Return whether ``answer`` gives ``entity`` away.

    Guessed if one of the first k guesses, held to be right with ``min_risk`` or more, matches any
    of its mentions, or if the probability that one of them is right exceeds ``max_risk``. For
    uniform answers (draws from equally likely values) only the probability counts;
    a guessed month of a hidden day is right for one of its days. What could not be read, or names
    nothing, is never safe.

    Args:
        answer: what an attacker said, likeliest guess first.
        matcher: decides whether a guess gives a mention away.
        settings: how many guesses count, and which risk is too high.
    """
    guesses = answer.guesses[: settings.guesses]
    least = settings.min_risk - _ROUNDING
    told = [one for one in guesses if one.logprob is None or math.exp(one.logprob) >= least]
    rule = "" if answer.uniform else first_match(told, entity, matcher)
    risk = probability(guesses, entity if answer.uniform else None)
    if not rule and not answer.parsed:
        return Verdict(Outcome.UNPARSED, UNPARSED, 1.0)
    if not rule and risk > settings.max_risk + _ROUNDING:
        rule = RISK
    return Verdict(Outcome.GUESSED if rule else Outcome.SAFE, rule, risk)


def adds_nothing(
    answer: Answer, control: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings
) -> bool:
    """Return whether who guesses ``entity`` from a candidate guesses it no worse from its label.

    Compared by the probabilities of right guesses where the attacker gives any, else by how much
    of the entity the best guess names: guesses are a set, in which a right one may stand anywhere.

    Args:
        answer: to the candidate, which gives the entity away.
        matcher: decides whether a guess gives a mention away.
    """
    if not is_guessed(control, entity, matcher, settings):
        return False
    if all(any(g.logprob is not None for g in each.guesses) for each in (answer, control)):
        added, known = (judge(one, entity, matcher, settings).risk for one in (answer, control))
        added -= known
        return added <= ADDED_RISK + _ROUNDING
    return _best(control, entity, matcher) >= _best(answer, entity, matcher)


def is_guessed(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> bool:
    """Return whether ``judge`` finds the entity guessed, by an answer that can be read."""
    return judge(answer, entity, matcher, settings).outcome is Outcome.GUESSED


def rank_of_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> int:
    """Return the place of the first guess that matches a mention; the last one if none does."""
    right = (at for at, one in enumerate(guesses) if first_match([one], entity, matcher))
    return next(right, len(guesses))


def _best(answer: Answer, entity: Entity, matcher: Matcher) -> float:
    """Return how much of an entity the best guess names; its rank is chance."""
    return max(
        _named(guess, mention, matcher) for guess in answer.guesses for mention in _distinct(entity)
    )


def _named(guess: Guess, mention: Mention, matcher: Matcher) -> float:
    """Return the share of a mention that a guess names: of names that share words those words'
    share."""
    rule, whole = matcher.match(guess, mention), content_lemmas(mention.text)
    if rule in ("lemma", "containment"):
        return len(whole & content_lemmas(guess.text)) / max(1, len(whole))
    return float(bool(rule))


def probability(guesses: Sequence[Guess], entity: Entity | None = None) -> float:
    """Return the summed probability of ``guesses``; those without one count as nothing.

    Args:
        guesses: with natural log-probabilities.
        entity: what was hidden; a guessed period that is longer than a hidden one counts with
            the share of it that was hidden.
    """
    hidden = _days(entity.mentions[0].text) if entity and entity.entity_type in BY_VALUE else 0.0
    shares = (
        math.exp(guess.logprob) * (min(1.0, hidden / days) if days else 1.0)
        for guess in guesses
        if guess.logprob is not None
        for days in [_days(guess.text) if hidden else 0.0]
    )
    return min(1.0, math.fsum(shares))


def _days(text: str) -> float:
    """Return the days that a date holds, of a year where it names none; 0 for what is no date."""
    value = parse_temporal(text)
    if value is None or value.kind not in (Kind.INTERVAL, Kind.PARTIAL) or value.either:
        return 0.0
    return sum(high - low + 1 for low, high in value.spans)


def first_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> str:
    """Return the rule of the first guess that matches a mention, or "".

    Args:
        guesses: likeliest first.
        matcher: decides whether a guess gives a mention away.
    """
    distinct = _distinct(entity)
    for guess in guesses:
        for mention in distinct:
            rule = matcher.match(guess, mention)
            if rule:
                return rule
    return ""


def _distinct(entity: Entity) -> list[Mention]:
    """Return a mention for each wording and type of an entity: what guesses are compared with."""
    return [*{(mention.text, mention.entity_type): mention for mention in entity.mentions}.values()]
