"""Attacks reported to an editor, in words that it can act upon."""

from __future__ import annotations

from collections.abc import Collection

from intact.domain import BY_VALUE, AttackFinding, Outcome
from intact.verification.matching import RISK
from intact.verification.state import SHOWN, Rungs, SelectionState

_ELSEWHERE = "also guessed with the place left empty: another place or unmarked words tell it"
_BY_LOT = "also guessed with the place left empty: few values fit there; say less of it"
_ONE_OF = "one of "  # begins guesses at values that are only counted
_CHANCE = "by chance: {} guesses cover {:.0%} of the values that these words leave; widen"


def list_findings(state: SelectionState, hit: Collection[str], rungs: Rungs) -> list[AttackFinding]:
    """List findings (guesses at one entity, and why they were right) for an editor, at most one for
    each entity, in the order of ``rungs``; [] if there is nothing to report.

    For an entity in ``hit``, the finding is the last attack on it that was not SAFE, unless its
    answer had no guesses; for another, except times and amounts, what a model guessed in the last
    attack on it, as SAFE. A finding shows at most five guesses. Words that nobody marked are left
    out, because nobody need guess them: they climb to their vaguest phrase anyhow.

    Args:
        state: holds the attacks.
        hit: ids of the entities that cannot stay as they are; if one was attacked, an attack on it
            must have been other than SAFE.
        rungs: by entity id, the rung that was attacked; entities at their label (None) are left
            out.
    """
    found = (
        _finding(state, key) if key in hit else _unheard(state, key)
        for key, rung in rungs.items()
        if rung is not None and state.attacks[key] and not state.is_unmarked(key)
    )
    return [*filter(None, found)]


def _unheard(state: SelectionState, key: str) -> AttackFinding | None:
    """Return, as a finding with the outcome SAFE, the first five guesses without a probability
    (those of a model) in the last attack on an entity; None if there are none, or for a time or an
    amount."""
    said = [g.text for g in state.attacks[key][-1].guesses if g.logprob is None]
    if not said or state.entities[key].entity_type in BY_VALUE:
        return None
    return AttackFinding(key, tuple(said[:SHOWN]), outcome=Outcome.SAFE)


def _finding(state: SelectionState, key: str) -> AttackFinding | None:
    """Return the last attack on an entity that was not SAFE as a finding: its first five guesses,
    the attacker's note, and a remark where the entity was guessed at its label, too, or by chance;
    of guesses by chance, those such as "one of 31" are left out. None if that attack has no
    guesses. The outcome is CONTEXT or GUESSED, for times and amounts always GUESSED."""
    attack = next(a for a in reversed(state.attacks[key]) if a.outcome is not Outcome.SAFE)
    if not attack.guesses:
        return None
    guesses = tuple(guess.text for guess in attack.guesses[:SHOWN])
    at_label = any(control.outcome is Outcome.GUESSED for control in state.controls[key])
    by_lot = state.entities[key].entity_type in BY_VALUE
    remark = (_BY_LOT if by_lot else _ELSEWHERE) if at_label else ""
    if attack.rule == RISK:
        remark = _CHANCE.format(len(guesses), attack.risk)
        guesses = tuple(guess for guess in guesses if not guess.startswith(_ONE_OF))
    context = attack.outcome is Outcome.CONTEXT and not by_lot
    outcome = Outcome.CONTEXT if context else Outcome.GUESSED
    return AttackFinding(key, guesses, attack.note, remark, outcome)
