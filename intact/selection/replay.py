"""Choosing again from recorded attacks, under other thresholds, without attacking.

The recorded guesses were made in the documents of their own run, so a replayed choice is an
estimate for tuning; a run under the chosen thresholds gives the guarantee.
"""

from __future__ import annotations

from dataclasses import replace

from intact.config import Settings
from intact.domain import Decision, Outcome
from intact.protocols import Matcher
from intact.selection.judging import answer_of, judge
from intact.selection.standing import STANDING


def replayed(decision: Decision, matcher: Matcher, settings: Settings) -> Decision:
    """``decision`` as it would have been under ``settings``, by its recorded attacks.

    A rung is safe if every recorded attack on it is judged safe; one that was never attacked
    (``selection.record_all`` was off) is not.
    """
    ladder = decision.ladder
    if not ladder:
        return decision
    start = settings.selection.start_rank_for(decision.entity.entity_type)
    rungs = range(min(start, len(ladder) - 1), len(ladder))
    chosen = next((rung for rung in rungs if _safe(decision, rung, matcher, settings)), None)
    return replace(decision, chosen=chosen)


def _safe(decision: Decision, rung: int, matcher: Matcher, settings: Settings) -> bool:
    attacks = [attack for attack in decision.attacks if attack.candidate.rank == rung]
    return bool(attacks) and all(
        attack.attacker != STANDING
        and judge(answer_of(attack), decision.entity, matcher, settings.attack).outcome
        is Outcome.SAFE
        for attack in attacks
    )
