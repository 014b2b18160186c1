"""Selection in rounds: every choice that stands has been attacked in the final document.

1. Every entity starts at its most specific rung, direct identifiers at their label. Here and
   after each step, phrases that together leave too few States step up (``discourse.ledger``).
2. A round attacks the document as it stands for every undecided entity at once. Each attacker
   is asked only when those before it fail at everything, so that a model is asked about a text
   that the rules have settled.
3. Entities that were guessed step up one rung, past the last one to their label; but for those
   that the same attacker guesses no worse at their label: there the rung adds nothing, stands,
   and is recorded as told by the context. What was guessed at every rung, but is not with another
   entity's phrase one rung up, is tried again, once, and that other one steps up: it told.
4. When none is undecided, those whose text has changed since their attack are attacked again.
   When that changes nothing, every choice has been attacked in the final document.

But for that, rungs only go up, so it ends. After ``MOST_ROUNDS`` a guessed entity goes
straight to its label, so it ends soon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from intact.domain import Document, Ladder, SanitizedDocument
from intact.protocols import Attacker, PlanEditor
from intact.rewriting.rewrite import Rewriter
from intact.verification.state import (
    BLAMED,
    NAME_REINTRODUCED,
    AttackSelector,
    MaskedNames,
    Rungs,
    SelectionState,
)

MOST_ROUNDS = 40
"""From then on a guessed entity goes straight to its label."""

MOST_REPAIRS = 1
"""How often an editor mends what was hit, before rungs are climbed."""
MOST_EDITED = 3
"""The same as ``MOST_ROUNDS`` where an editor mends: each attack is a request to a model."""


class RoundsSelector(AttackSelector):
    """The default selector."""

    name = "rounds"

    def select(
        self,
        document: Document,
        ladders: Mapping[str, Ladder],
        rewriter: Rewriter | None = None,
        editor: PlanEditor | None = None,
    ) -> SanitizedDocument:
        """Return the document with the most specific safe choice for every entity.

        Guarantee: for every entity not on its label, and for every attacker, the last attack
        recorded was made on the text that is returned, and its outcome was SAFE; or CONTEXT: the
        attacker guessed it there, but no more than ``judging.ADDED_RISK`` likelier, or no earlier,
        than when it was asked once at the label;
        or a person decided on it.

        Args:
            document: what is sanitised.
            ladders: candidates by entity id; entities that are absent get their label.
            rewriter: of this document, where it is made already.
            editor: mends what an attack hits, and reads the text once more; None: rungs are
                climbed.
        """
        if editor is not None:
            return self._select_edited(document, ladders, editor, rewriter)
        state, names = self._begin(document, ladders, rewriter), MaskedNames(document)
        rungs = state.above_ledger(state.start())
        first, tried = dict(rungs), set[str]()  # where entities began, and which were tried again
        one_by_one = [[attacker] for attacker in self._attackers] or [[]]
        # by attacker the rung and the text in which an entity last withstood
        safe: list[dict[str, tuple[int | None, str]]] = [{} for _ in one_by_one]
        rounds = 0
        while True:
            rendered = state.render(rungs)
            fallen = {key for key in names.reintroduced(rendered) if rungs.get(key) is not None}
            for key in fallen:
                state.record_as_guessed(key, rungs[key] or 0, NAME_REINTRODUCED)
            for withstood, attackers in zip(safe, one_by_one, strict=True) if not fallen else ():
                due = _due(rungs, withstood, rendered.text)
                if due:
                    rounds += 1
                    last = attackers is one_by_one[-1]
                    fallen = state.guessed(rendered, rungs, due, attackers, self._matcher, last)
                    held = (key for key in due if key not in fallen)
                    withstood |= {key: (rungs[key], rendered.text) for key in held}
                    spent = fallen - tried if rounds < MOST_ROUNDS else set()
                    again = self._blame(state, rungs, spent, attackers)
                    rungs |= {key: first[key] for key in again}
                    tried |= again
                    fallen -= again
                    break
            else:
                if not fallen:
                    return state.result(rungs, rendered)
            for key in fallen:
                rungs[key] = None if rounds >= MOST_ROUNDS else state.above(key, rungs[key])
            rungs = state.above_ledger(rungs)

    def _select_edited(
        self,
        document: Document,
        ladders: Mapping[str, Ladder],
        editor: PlanEditor,
        rewriter: Rewriter | None,
    ) -> SanitizedDocument:
        """Attack, repair, proofread, attack again, then climb.

        Every attacker sees every text, so that what all of them hit is repaired at once. The text
        is read once more before its last attacks; after that rungs are only climbed, and each
        text that this makes is attacked again.
        """
        state, names = self._begin(document, ladders, rewriter), MaskedNames(document)
        rungs = state.above_ledger(state.start())
        safe: dict[str, tuple[int | None, str]] = {}
        repairs = rounds = 0
        read = False
        while True:
            rendered = state.render(rungs)
            fallen = {key for key in names.reintroduced(rendered) if rungs.get(key) is not None}
            for key in fallen:
                state.record_as_guessed(key, rungs[key] or 0, NAME_REINTRODUCED)
            on_rung = [key for key, rung in rungs.items() if rung is not None]
            due = [key for key in on_rung if safe.get(key) != (rungs[key], rendered.text)]
            if not fallen and due:
                rounds += 1
                fallen = state.guessed(rendered, rungs, due, self._attackers, self._matcher)
                safe |= {key: (rungs[key], rendered.text) for key in due if key not in fallen}
            if fallen and repairs < MOST_REPAIRS:
                repairs += 1
                state.extend(editor.repair(state.standing(rungs), state.findings(fallen)), rungs)
            for key in fallen:
                rungs[key] = None if rounds >= MOST_EDITED else state.above(key, rungs[key])
            if not read and (not fallen or repairs >= MOST_REPAIRS):
                read = True
                mended = state.extend(editor.proofread(state.standing(rungs)), rungs)
                rungs |= {key: state.above(key, rungs[key]) for key in mended}
                fallen |= mended
            if not fallen:
                return state.result(rungs, rendered)
            rungs = state.above_ledger(rungs)

    def _blame(
        self,
        state: SelectionState,
        rungs: dict[str, int | None],
        fallen: Collection[str],
        attackers: Sequence[Attacker],
    ) -> set[str]:
        """Return those of the fallen that another one's phrase gave away; that one steps up."""
        blamed: dict[str, set[str]] = defaultdict(set)
        for key in fallen:
            other = state.to_blame(key, rungs) if state.is_last(key, rungs[key]) else None
            if other is not None:
                blamed[other].add(key)
        relieved: set[str] = set()
        for other, keys in blamed.items():
            higher = rungs | {other: state.above(other, rungs[other])}
            found = state.guessed(state.render(higher), higher, keys, attackers, self._matcher)
            if found < keys:
                state.record_as_guessed(other, rungs[other] or 0, BLAMED)
                rungs[other] = higher[other]
                relieved |= keys - found
        return relieved


def _due(rungs: Rungs, safe: Mapping[str, tuple[int | None, str]], text: str) -> list[str]:
    """Return the undecided; if there are none, those not yet safe in this very text."""
    on_rung = {key: rung for key, rung in rungs.items() if rung is not None}
    undecided = [key for key, rung in on_rung.items() if safe.get(key, (None, ""))[0] != rung]
    return undecided or [key for key in on_rung if safe[key][1] != text]
