"""The published procedure, for comparison: one entity after the other, no final attack.

Pilán et al. 2024, section 3.2: candidates of a span are tried from the most specific on, each in
the document in which the other spans have their selected replacement or, where none is selected
yet, their most specific candidate. The first one not guessed is taken. An earlier choice is not
attacked again when later ones change its context, so nothing is guaranteed for the final text.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from intact.domain import Document, Ladder, SanitizedDocument
from intact.selection.state import AttackSelector


class SequentialSelector(AttackSelector):
    """The published selection, by entity, in an order shuffled by ``run.seed``."""

    name = "sequential"

    def select(self, document: Document, ladders: Mapping[str, Ladder]) -> SanitizedDocument:
        """The document with, for every entity, the first candidate that was not guessed.

        Args:
            document: what is sanitised.
            ladders: candidates by entity id; entities that are absent get their label.
        """
        state = self._begin(document, ladders)
        rungs = state.start()
        order = [entity_id for entity_id, rung in rungs.items() if rung is not None]
        Random(f"{self._settings.run.seed}:{document.id}").shuffle(order)
        for entity_id in order:
            while rungs[entity_id] is not None:
                rendered = state.render(rungs)
                due = [entity_id]
                if not state.guessed(rendered, rungs, due, self._attackers, self._matcher):
                    break
                rungs[entity_id] = state.above(entity_id, rungs[entity_id])
        return state.result(rungs, state.render(rungs))
