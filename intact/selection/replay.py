"""Recording attacks on every rung, and choosing again from the record under other thresholds.

The recorded guesses are made in documents of their own, where all entities stand on the same
rung, so a replayed choice is an estimate for tuning; a run under the thresholds taken gives the
guarantee.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from intact.config import Settings
from intact.domain import Decision, Document, Ladder, Outcome, SanitizedDocument
from intact.protocols import Matcher
from intact.selection.judging import answer_of, judge
from intact.selection.masked_names import NAME_REINTRODUCED, MaskedNames
from intact.selection.state import AttackSelector


class Recorder(AttackSelector):
    """A selector that attacks every rung and takes the most specific ones: for the record only."""

    name = "recorder"

    def select(self, document: Document, ladders: Mapping[str, Ladder]) -> SanitizedDocument:
        """The document on its first rungs, with an attack recorded on every rung.

        Args:
            document: what is sanitised.
            ladders: candidates by entity id; entities that are absent get their label.
        """
        state = self._begin(document, ladders)
        names = MaskedNames(document)
        for entity_id, ladder in state.ladders.items():
            for rung, candidate in enumerate(ladder):
                if names.named_by(candidate):
                    state.record_reintroduced(entity_id, rung)
        state.attack_all_rungs(self._attackers, self._matcher)
        rungs = state.start()
        return state.result(rungs, state.render(rungs))


class Replay:
    """Chooses rungs from recorded attacks.

    Guesses are matched once for every number of guesses; a setting then only compares numbers.

    Args:
        matcher: decides whether a guess gives the original away.
        settings: of the run that recorded; those replayed differ in thresholds alone.
    """

    def __init__(self, matcher: Matcher, settings: Settings) -> None:
        self._matcher = matcher
        self._settings = settings
        self._known: dict[tuple[int, int], list[float]] = {}

    def under(self, settings: Settings) -> Callable[[Decision], int | None]:
        """The rung that ``settings`` take of an entity; None is the label.

        A rung is safe if every recorded attack on it is; one never attacked is not.
        """
        attack, selection = settings.attack, settings.selection

        @cache
        def thresholds(kind: str) -> tuple[int, float, int]:
            start = selection.start_rank_for(kind)
            return attack.guesses_for(kind), attack.max_risk_for(kind), start

        def chosen(decision: Decision) -> int | None:
            if not decision.ladder:
                return None
            guesses, most, start = thresholds(decision.entity.entity_type)
            risks = self._risks(decision, guesses)
            rungs = range(min(start, len(risks) - 1), len(risks))
            return next((rung for rung in rungs if risks[rung] <= most), None)

        return chosen

    def _risks(self, decision: Decision, guesses: int) -> list[float]:
        """Risk of each rung with so many guesses; above 1 where a guess was right, an answer
        was unreadable, or nobody attacked."""
        key = (id(decision), guesses)
        if key not in self._known:
            self._known[key] = self._judge(decision, guesses)
        return self._known[key]

    def _judge(self, decision: Decision, guesses: int) -> list[float]:
        update = {"guesses": guesses, "max_risk": 1.0, "per_type": {}}
        lenient = self._settings.attack.model_copy(update=update)
        risks = [-1.0] * len(decision.ladder)
        for attack in decision.attacks:
            at = attack.candidate.rank
            verdict = judge(answer_of(attack), decision.entity, self._matcher, lenient)
            unsafe = attack.attacker == NAME_REINTRODUCED or verdict.outcome is not Outcome.SAFE
            risks[at] = max(risks[at], 2.0 if unsafe else verdict.risk)
        return [2.0 if risk < 0 else risk for risk in risks]
