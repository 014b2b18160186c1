"""Selection in rounds: every choice that stands has been attacked in the final document.

1. Every entity starts at its most specific rung, direct identifiers at their label. Here and
   after each step, phrases that together leave too few States step up (``discourse.ledger``), and
   so does what names anything masked, before anybody is shown the text.
2. A round attacks the document as it stands. Rules attack the undecided first, one attacker after
   the other; where an editor revises the plan, all attackers are asked about everything at once.
3. What was guessed is revised, in an editor's first rounds (``MOST_REVISIONS``), and so is what
   the same attacker guesses at the label as well; else it steps up one rung.
4. What is guessed no worse at the label is told by the context: its rung adds nothing and stands.
   Past its last rung an entity goes to its label; but where the label is guessed, too, to the
   rung that told least; of a model's, to words that say no more than the label, if there are any.
   A range of the rules is asked of no model, and so is tried even after the last revision.
5. When none is undecided, those whose text has changed since their attack are attacked again.
   When that changes nothing, every choice has been attacked in the final document.

Rungs only go up, but for what settles on the least told; so it ends. After ``MOST_ROUNDS`` a
guessed entity goes straight there or to its label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intact.config import Settings
from intact.discourse.ledger import Implies
from intact.domain import Ladder, SanitizedDocument
from intact.protocols import Attacker, Matcher, PlanEditor
from intact.rewriting.rewrite import Rewriter
from intact.verification.state import (
    NAME_REINTRODUCED,
    Labeller,
    MaskedNames,
    Rungs,
    SelectionState,
)

MOST_ROUNDS = 40  # from then on a guessed entity climbs no more
MOST_REVISIONS = {"full": 2, "quick": 1}
"""By effort, how many attacks an editor mends; what the next hits climbs no more. A quick plan is
mended after the rules' attack, so that a model attacks once."""

Wave = tuple[Sequence[Attacker], dict[str, tuple[int | None, str]]]
"""Attackers that are asked together, and by entity the rung and text that last withstood them."""


@dataclass
class RoundsSelector:
    """The default selector."""

    attackers: Sequence[Attacker]  # all of them have to fail; put the fast ones first
    matcher: Matcher
    labels: Labeller
    settings: Settings
    implies: Implies | None = None  # what a phrase tells of countries, for ``LEAST_STATES``

    def select(
        self,
        rewriter: Rewriter,
        ladders: Mapping[str, Ladder],
        editor: PlanEditor | None = None,
    ) -> SanitizedDocument:
        """Sanitise a document with the most specific safe choice for every entity.

        Guarantee: for every entity not on its label, and for every attacker, the last attack
        recorded was made on the text that is returned, or, with an editor, on one that differs from
        it only in phrases that became labels afterwards, or words that say no more. Its outcome was
        SAFE; or CONTEXT: the attacker guessed it there, but no more than ``matching.ADDED_RISK``
        likelier, or no more of it, than when it was asked once at the label; or it guessed
        something of it at the label, every rung was guessed, and the one that told least stands; or
        the entity is unmarked words, whose vaguest phrase says less than they did; or a person
        decided on it.

        Args:
            rewriter: of the document, with its mentions.
            ladders: candidates by entity id; entities that are absent get their label.
            editor: mends what an attack hits; None: rungs are climbed.

        Source: Pilán et al. 2024, section 3.3, for the choice of the most specific candidate that
        no guess hits; attacks in rounds on the whole text are our own.
        """
        state = SelectionState(rewriter, ladders, self.labels, self.settings, implies=self.implies)
        names = MaskedNames(rewriter.document)
        rungs = state.above_ledger(state.start())
        together = [self.attackers] if editor else [[one] for one in self.attackers]
        waves: list[Wave] = [(attackers, {}) for attackers in together or [[]]]
        effort = self.settings.model_named("proposer").effort
        most = MOST_REVISIONS[effort] + 1 if editor else MOST_ROUNDS
        rounds = 0
        while True:
            rendered = state.render(rungs)
            fallen = {key for key in names.reintroduced(rendered) if rungs.get(key) is not None}
            for key in fallen:
                state.record_as_guessed(key, rungs[key] or 0, NAME_REINTRODUCED)
            moved: dict[str, int | None] = {}
            if not fallen:
                (attackers, withstood), keys = _due(waves, rungs, rendered.text, editor is not None)
                if not keys:
                    return state.result(rungs, rendered)
                if editor and rounds >= most:
                    state.settled.update(rungs)
                rounds += 1
                asked = attackers
                if editor and effort == "quick" and rounds == 1:
                    asked = [one for one in attackers if not one.reads_wordings]
                complete = len(asked) == len(attackers)
                last = complete and attackers is waves[-1][0]
                fallen = state.guessed(rendered, rungs, keys, asked, self.matcher, last)
                if complete:
                    held = (key for key in keys if key not in fallen)
                    withstood |= {key: (rungs[key], rendered.text) for key in held}
                if editor and rounds < most:
                    findings = state.findings(fallen | state.guessed_at_label(rungs), rungs)
                    plan = editor.revise(state.standing(rungs), findings)
                    moved |= state.extend(plan, rungs)
            for key in fallen - moved.keys():
                above = state.above(key, rungs[key])
                moved[key] = above if rounds < most or state.is_counted(key, above) else None
                if moved[key] is None:
                    moved[key] = state.settle(key, self.matcher)
                if editor and state.stands_told(key, rungs[key], moved[key], self.attackers[-1]):
                    waves[-1][1][key] = (rungs[key], rendered.text)
            before, rungs = rungs, state.above_ledger(rungs | moved)
            changed = {key: rung for key, rung in rungs.items() if rung != before.get(key)}
            empty = {k for k, rung in changed.items() if rung is None or state.is_label(k, rung)}
            counted = {k for k, rung in changed.items() if state.is_counted(k, rung)} - empty
            if editor and rounds >= most and changed.keys() == empty | counted:
                text = state.render(rungs).text  # it says less than what was attacked
                safe = waves[0][1]
                known = (key for key in safe if safe[key] == (rungs[key], rendered.text))
                safe |= {key: (rungs[key], text) for key in empty.union(known) - counted}


def _due(
    waves: Sequence[Wave], rungs: Rungs, text: str, all_at_once: bool
) -> tuple[Wave, list[str]]:
    """Pick the first wave that has anything to attack, and the entities it attacks.

    Those are the undecided, unless all are attacked at once, else what is not yet safe in this
    text."""
    for wave in waves:
        safe = wave[1]
        due = [
            key for key, rung in rungs.items() if rung is not None and safe.get(key) != (rung, text)
        ]
        undecided = [key for key in due if key not in safe or safe[key][0] != rungs[key]]
        if due:
            return wave, due if all_at_once else undecided or due
    return waves[-1], []
