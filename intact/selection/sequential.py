"""The published procedure, for comparison: one entity after the other, no final attack.

Pilán et al. 2024, section 3.2: candidates of a span are tried from the most specific on, each in
the document in which the other spans have their selected replacement or, where none is selected
yet, their most specific candidate. The first one not guessed is taken. An earlier choice is not
attacked again when later ones change its context, so nothing is guaranteed for the final text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from intact.config import Settings
from intact.domain import Document, Ladder, SanitizedDocument
from intact.protocols import Attacker, Matcher
from intact.selection.stage import Labeller, Stage


class SequentialSelector:
    """The published selection, by entity, in an order shuffled by ``run.seed``.

    Args:
        attackers: an entity is safe only if all of them fail.
        matcher: decides whether a guess gives the original away.
        labels: what to fall back on.
        settings: attack, selection and rewriting settings.
    """

    name = "sequential"

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
        """The document with, for every entity, the first candidate that was not guessed."""
        stage = Stage(document, ladders, self._labels(document), self._settings)
        rungs = stage.start()
        order = [entity_id for entity_id, rung in rungs.items() if rung is not None]
        Random(f"{self._settings.run.seed}:{document.id}").shuffle(order)
        for entity_id in order:
            while rungs[entity_id] is not None:
                scene = stage.scene(rungs)
                due = [entity_id]
                if not stage.guessed(scene, rungs, due, self._attackers, self._matcher):
                    break
                rungs[entity_id] = stage.above(entity_id, rungs[entity_id])
        return stage.result(rungs, stage.scene(rungs))
