"""Selection in rounds: every choice that stands has been attacked in the final document.

1. Every entity starts at its most specific rung, direct identifiers at their label.
2. A round attacks the document as it stands for every undecided entity at once.
3. Entities that were guessed step up one rung, past the last one to their label.
4. When none is undecided, those whose text has changed since their attack are attacked again.
   When that changes nothing, every choice has been attacked in the final document.

Rungs only go up, so it ends. After ``selection.max_rounds`` a guessed entity goes straight to
its label, so it ends soon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intact.config import Settings
from intact.domain import Document, Ladder, SanitizedDocument
from intact.protocols import Attacker, Matcher
from intact.selection.replay import attack_all_rungs, record_standing
from intact.selection.stage import Labeller, Scene, Stage
from intact.selection.standing import MaskedNames


class RoundsSelector:
    """The default selector.

    Args:
        attackers: an entity is safe only if all of them fail; put the fast ones first.
        matcher: decides whether a guess gives the original away.
        labels: what to fall back on.
        settings: attack, selection and rewriting settings.
    """

    name = "rounds"

    def __init__(
        self,
        attackers: Sequence[Attacker],
        matcher: Matcher,
        labels: Labeller,
        settings: Settings,
    ) -> None:
        self._attackers = attackers
        self._matcher = matcher
        self._labels = labels
        self._settings = settings

    def select(self, document: Document, ladders: Mapping[str, Ladder]) -> SanitizedDocument:
        """The document with the most specific safe choice for every entity.

        Guarantee: for every entity not on its label, and for every attacker, the last attack
        recorded was made on the text that is returned, and its outcome was SAFE.
        """
        stage = Stage(document, ladders, self._labels(document), self._settings)
        return _Rounds(stage, self._attackers, self._matcher, self._settings).run()


class _Rounds:
    """The state of one selection."""

    def __init__(
        self,
        stage: Stage,
        attackers: Sequence[Attacker],
        matcher: Matcher,
        settings: Settings,
    ) -> None:
        self._stage = stage
        self._attackers = attackers
        self._matcher = matcher
        self._settings = settings.selection
        self._names = MaskedNames(stage.document)
        self._rungs = stage.start()
        self._undecided = {entity_id for entity_id, rung in self._rungs.items() if rung is not None}
        self._safe_in: dict[str, str] = {}
        self._round = 0

    def run(self) -> SanitizedDocument:
        if self._settings.record_all:
            attack_all_rungs(self._stage, self._attackers, self._matcher)
        self._leave_names()
        while True:
            scene = self._stage.scene(self._rungs)
            due = self._due(scene)
            if due:
                self._attack(scene, due)
            elif not self._step_up_names(scene):
                return self._stage.result(self._rungs, scene)

    def _due(self, scene: Scene) -> list[str]:
        """The undecided; if there are none, those not yet safe in this very text."""
        on_rung = [entity_id for entity_id, rung in self._rungs.items() if rung is not None]
        return [entity_id for entity_id in on_rung if entity_id in self._undecided] or [
            entity_id for entity_id in on_rung if self._safe_in.get(entity_id) != scene.text
        ]

    def _attack(self, scene: Scene, due: Sequence[str]) -> None:
        self._round += 1
        fallen = self._stage.guessed(scene, self._rungs, due, self._attackers, self._matcher)
        for entity_id in due:
            if entity_id in fallen:
                self._step_up(entity_id)
            else:
                self._undecided.discard(entity_id)
                self._safe_in[entity_id] = scene.text

    def _step_up(self, entity_id: str) -> None:
        late = self._round >= self._settings.max_rounds
        rung = None if late else self._stage.above(entity_id, self._rungs[entity_id])
        while rung is not None and self._names.named_by(self._stage.candidate(entity_id, rung)):
            record_standing(self._stage, entity_id, rung)
            rung = self._stage.above(entity_id, rung)
        self._rungs[entity_id] = rung
        if rung is None:
            self._undecided.discard(entity_id)
        else:
            self._undecided.add(entity_id)

    def _leave_names(self) -> None:
        """Leaves first rungs that name what is masked before anything is attacked."""
        for entity_id, rung in list(self._rungs.items()):
            if rung is not None and self._names.named_by(self._stage.candidate(entity_id, rung)):
                record_standing(self._stage, entity_id, rung)
                self._step_up(entity_id)

    def _step_up_names(self, scene: Scene) -> bool:
        """Steps up those who have brought a masked name back; whether there were any."""
        found = self._names.brought_in(scene)
        guilty = [entity_id for entity_id in self._rungs if entity_id in found]
        stepped = False
        for entity_id in guilty:
            rung = self._rungs[entity_id]
            if rung is not None:
                record_standing(self._stage, entity_id, rung)
                self._step_up(entity_id)
                stepped = True
        return stepped
