"""Selection in rounds: in the end every choice has been attacked in the final document.

1. Every entity starts at its most specific rung, direct identifiers at their label. At the start
   and after each step, phrases that together leave too few States step up (``discourse.ledger``),
   and so do phrases that name anything masked, before an attacker sees the text.
2. A round attacks the document as it stands. Without an editor, one attacker after the other
   attacks, first the entities that are undecided; with an editor, all attackers are asked about
   everything at once.
3. In an editor's first rounds (``MOST_REVISIONS``) it revises what was guessed, and what the same
   attacker guesses at the label as well. Later, and without an editor, what was guessed steps up
   one rung.
4. If an entity is guessed no worse at its label, the context gives it away: its rung adds nothing,
   and is kept. An entity past its last rung gets its label. But if the label is guessed, too, the
   entity gets the rung that revealed least; with a model's ladder, words that say no more
   than the label, if there are any. The rules' ranges are tried even after the last revision,
   because no model is asked about them.
5. When none is undecided, entities whose text has changed since their attack are attacked again.
   When that changes nothing, every choice has been attacked in the final document.

Rungs only go up, except when an entity settles on the rung that revealed least; so this ends. After
``MOST_ROUNDS`` a guessed entity moves straight there or to its label.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intact.config import Settings
from intact.discourse.ledger import Implies
from intact.domain import Ladder, SanitizedDocument
from intact.protocols import Attacker, Labeller, Matcher, PlanEditor
from intact.rewriting.rewrite import RenderedDocument, Rewriter
from intact.verification.findings import list_findings
from intact.verification.masked_names import MaskedNames
from intact.verification.state import NAME_REINTRODUCED, SelectionState

MOST_ROUNDS = 40  # after this many, a guessed entity no longer climbs rung by rung
# By effort, how often an editor mends what attacks guess; after that, what is guessed settles. A
# quick plan is mended after the rules' attack, so that a model attacks only once.
MOST_REVISIONS = {"full": 2, "quick": 1}

# Attackers that are asked together; and, by entity, the rung and the text that last withstood them.
Wave = tuple[Sequence[Attacker], dict[str, tuple[int | None, str]]]


@dataclass
class RoundsSelector:
    """The default selector."""

    attackers: Sequence[Attacker]  # all of them have to fail; put the fast ones first
    matcher: Matcher
    labels: Labeller
    settings: Settings
    implies: Implies | None = None  # what a phrase reveals of countries, for ``LEAST_STATES``

    def select(
        self, rewriter: Rewriter, ladders: Mapping[str, Ladder], editor: PlanEditor | None = None
    ) -> SanitizedDocument:
        """Sanitise a document with the most specific safe choice for every entity.

        Guarantee: for every entity that is not at its label, and for every attacker, the last
        attack recorded was made on the text that is returned; or, with an editor, on a text that
        differs from it only in phrases that became labels afterwards, or in words that say no more.
        The outcome of that attack was SAFE or CONTEXT. CONTEXT means one of these: the attacker
        guessed the entity there, but no more than ``matching.ADDED_RISK`` likelier, or no more of
        it, than when it was asked once at the label; or it guessed something of the entity at the
        label, every rung was guessed, and the rung that revealed least stands; or the entity is
        unmarked words, whose vaguest phrase says less than they did; or a person decided on it.

        Args:
            rewriter: of the document, with its mentions.
            ladders: candidates by entity id; entities that are absent get their label.
            editor: mends what an attack guesses; None: guessed entities climb.

        Source: Pilán et al. 2024, section 3.3, for the choice of the most specific candidate that
        no guess hits; attacks in rounds on the whole text are our own.
        """
        given = (self.labels, self.settings, self.matcher)
        state = SelectionState(rewriter, ladders, *given, implies=self.implies)
        return _Rounds(self, state, editor).finish()


class _Rounds:
    """The rounds of one document; see ``RoundsSelector.select``."""

    def __init__(
        self, selector: RoundsSelector, state: SelectionState, editor: PlanEditor | None
    ) -> None:
        """Put every entity on its first rung, raised until the phrases can stand together, and
        group the attackers in waves: all in one with an editor, else each by itself."""
        self.state, self.editor = state, editor
        self.attackers, self.names = selector.attackers, MaskedNames(state.document.entities)
        self.rungs = state.raised_to_agree(state.start())
        together = [self.attackers] if editor else [[one] for one in self.attackers]
        self.waves: list[Wave] = [(attackers, {}) for attackers in together or [[]]]
        effort = selector.settings.model_named("proposer").effort
        self.quick = editor is not None and effort == "quick"
        self.most = MOST_REVISIONS[effort] + 1 if editor else MOST_ROUNDS
        self.rounds = 0

    def finish(self) -> SanitizedDocument:
        """Attack, revise and climb until nothing changes; return the sanitised document with every
        decision."""
        while True:
            rendered = self.state.render(self.rungs)
            fallen = self._naming(rendered)
            moved: dict[str, int | None] = {}
            if not fallen:
                wave, keys = self._due(rendered.text)
                if not keys:
                    return self.state.result(self.rungs, rendered)
                fallen = self._attack(wave, keys, rendered)
                moved |= self._revise(fallen)
            moved |= self._climb(fallen - moved.keys(), rendered.text)
            self._move(moved, rendered.text)

    def _naming(self, rendered: RenderedDocument) -> set[str]:
        """Return the ids of the entities whose phrases name what is masked, and record them as
        guessed; no attacker needs to see them. Entities at their label are not among them."""
        named = self.names.reintroduced(rendered)
        fallen = {key for key in named if self.rungs.get(key) is not None}
        for key in fallen:
            self.state.record_by_rule(key, self.rungs[key] or 0, NAME_REINTRODUCED)
        return fallen

    def _due(self, text: str) -> tuple[Wave, list[str]]:
        """Return the first wave (attackers that are asked together) with something to attack, and
        the ids of the entities to attack; if no wave has any, the last wave and [].

        Due are the entities with a phrase that have not withstood the wave in this very text. If no
        editor is asked, and some of them have not withstood it with their present phrase in any
        text, only these are returned."""
        chosen = [(key, rung) for key, rung in self.rungs.items() if rung is not None]
        for wave in self.waves:
            safe = wave[1]
            due = [key for key, rung in chosen if safe.get(key) != (rung, text)]
            undecided = [key for key in due if key not in safe or safe[key][0] != self.rungs[key]]
            if due:
                return wave, due if self.editor else undecided or due
        return self.waves[-1], []

    def _attack(self, wave: Wave, keys: Sequence[str], rendered: RenderedDocument) -> set[str]:
        """Let a wave (attackers that are asked together) attack entities, and return the ids of
        those that it guesses; the wave keeps a record of those that withstood. In the first round
        of a quick plan, attackers that read wordings (models) are not asked, and none counts as
        having withstood. The round is counted; from the second round after an editor's last
        revision, every entity counts as settled where it stands."""
        (attackers, withstood), rungs = wave, self.rungs
        if self.editor and self.rounds >= self.most:
            self.state.settled.update(rungs)
        self.rounds += 1
        spared = self.quick and self.rounds == 1
        asked = [one for one in attackers if not (spared and one.reads_wordings)]
        complete = len(asked) == len(attackers)
        last = complete and wave is self.waves[-1]
        fallen = self.state.attack(rendered, rungs, keys, asked, last)
        if complete:
            withstood |= {key: (rungs[key], rendered.text) for key in keys if key not in fallen}
        return fallen

    def _revise(self, fallen: set[str]) -> dict[str, int | None]:
        """Let the editor mend what was guessed, and what stands although it was guessed (CONTEXT);
        put its phrases into the ladders, and return, by entity id, the first new rung of each
        entity that it mended; {} without an editor or after its last revision."""
        if self.editor is None or self.rounds >= self.most:
            return {}
        told = fallen | self.state.guessed_at_label(self.rungs)
        findings = list_findings(self.state, told, self.rungs)
        plan = self.editor.revise(self.state.standing(self.rungs), findings)
        return self.state.extend(plan, self.rungs)

    def _climb(self, fallen: set[str], text: str) -> dict[str, int | None]:
        """Return, by entity id, where each guessed entity is to stand: the next rung; or, past the
        last rung or the last round, the rung where it settles, None for its label. Ranges of times
        and amounts are climbed even after the last round. With an editor, an entity that settles
        where all attackers have just attacked it is recorded as given away by the context, and
        counts as having withstood."""
        moved: dict[str, int | None] = {}
        for key in fallen:
            own, above = self.rungs[key], self.state.above(key, self.rungs[key])
            climbs = self.rounds < self.most or self.state.is_counted(key, above)
            moved[key] = above if climbs else None
            if moved[key] is None:
                moved[key] = self.state.settle(key)
            if self.editor and self.state.record_context(key, own, moved[key], self.attackers[-1]):
                self.waves[-1][1][key] = (own, text)
        return moved

    def _move(self, moved: dict[str, int | None], attacked: str) -> None:
        """Put entities on new rungs, raised until their phrases can stand together. After the last
        revision, a text that differs from the one attacked only in labels, or in words that say no
        more, counts as attacked.

        Args:
            moved: the new rung of each entity that moves, by id; None is the label.
            attacked: the text that was attacked.
        """
        state, before = self.state, self.rungs
        self.rungs = state.raised_to_agree(before | moved)
        changed = {key: rung for key, rung in self.rungs.items() if rung != before.get(key)}
        empty = {k for k, rung in changed.items() if rung is None or state.is_label(k, rung)}
        counted = {k for k, rung in changed.items() if state.is_counted(k, rung)} - empty
        if self.editor and self.rounds >= self.most and changed.keys() == empty | counted:
            text, safe = state.render(self.rungs).text, self.waves[0][1]
            known = (key for key in safe if safe[key] == (self.rungs[key], attacked))
            safe |= {key: (self.rungs[key], text) for key in empty.union(known) - counted}
