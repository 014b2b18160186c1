"""Plan a document by rules alone."""

from __future__ import annotations

from collections.abc import Sequence

from intact.domain import Document, Entity, Plan
from intact.protocols import Generator, PlanEditor


class RulePlanner:
    """Makes a plan of what generators propose; it cannot mend one, so rungs are climbed.

    Args:
        generator: asked once for all entities of a document.
    """

    name = "rules"

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def plan(
        self, document: Document, entities: Sequence[Entity], *, detected: bool = False
    ) -> Plan:
        """Propose a ladder for each entity; see ``Planner``."""
        return Plan(self._generator.generate(document, entities) if entities else {})

    def edit(self, document: Document, plan: Plan, *, clues: bool = False) -> PlanEditor | None:
        """Return None: rules have nothing to mend a phrase with."""
        return None
