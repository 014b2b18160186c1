"""The document as it stands with a rung chosen for every entity, and attacks on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from intact.config import Settings
from intact.domain import (
    Answer,
    Attack,
    Candidate,
    Challenge,
    Decision,
    Document,
    Entity,
    Ladder,
    Outcome,
    SanitizedDocument,
    Span,
    Standing,
)
from intact.protocols import Attacker, Matcher
from intact.rewriting.nesting import Occurrence
from intact.rewriting.rewrite import Phrase, Rendered, Rewriter
from intact.rewriting.sweep import occurrences
from intact.selection.judging import judge, recorded

Labeller = Callable[[Document], Mapping[str, str]]
"""The label of every masked entity by its id."""

Rungs = Mapping[str, int | None]
"""The rung taken by each entity; None is the label."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The sanitised text under one choice of rungs, and where every entity stands in it."""

    rendered: Rendered
    standing: tuple[Standing, ...]

    @property
    def text(self) -> str:
        """The sanitised text."""
        return self.rendered.text

    def place(self, entity_id: str) -> Span | None:
        """The first place where something stands for the entity, or None."""
        return next(iter(self.rendered.targets.get(entity_id, ())), None)


class Stage:
    """One document under selection: its ladders, the scenes they make, every attack so far.

    Args:
        document: what is sanitised.
        ladders: candidates by entity id; entities that are absent get their label.
        labels: what to fall back on, by entity id.
        settings: rewriting, attack and selection settings.
        extra: further places that must go, with ids of their own and phrases.
    """

    def __init__(
        self,
        document: Document,
        ladders: Mapping[str, Ladder],
        labels: Mapping[str, str],
        settings: Settings,
        extra: Sequence[tuple[Occurrence, Phrase]] = (),
    ) -> None:
        self.document = document
        self.entities = {entity.id: entity for entity in document.entities}
        self.ladders = {
            entity.id: ladders.get(entity.id, ()) if entity.generalisable else ()
            for entity in self.entities.values()
        }
        self.labels = labels
        self.attacks: dict[str, list[Attack]] = {entity_id: [] for entity_id in self.entities}
        self._settings = settings
        self._order = {entity_id: number for number, entity_id in enumerate(self.entities)}
        self._extra = {occurrence.entity_id: phrase for occurrence, phrase in extra}
        found = occurrences(document, sweep=settings.rewrite.sweep)
        self._rewriter = Rewriter(
            document,
            (*found, *(occurrence for occurrence, _ in extra)),
            agreement=settings.rewrite.agreement,
        )

    def start(self) -> dict[str, int | None]:
        """The rungs that selection begins with; an entity without candidates has its label."""
        selection = self._settings.selection
        return {
            entity.id: min(selection.start_rank_for(entity.entity_type), len(ladder) - 1)
            if (ladder := self.ladders[entity.id])
            else None
            for entity in self.entities.values()
        }

    def above(self, entity_id: str, rung: int | None) -> int | None:
        """The rung above ``rung``; past the last one it is the label."""
        if rung is None or rung + 1 >= len(self.ladders[entity_id]):
            return None
        return rung + 1

    def candidate(self, entity_id: str, rung: int) -> Candidate:
        """The candidate on a rung."""
        return self.ladders[entity_id][rung]

    def scene(self, rungs: Rungs) -> Scene:
        """The document as it stands under ``rungs``."""
        rendered = self._rewriter.render(
            {entity_id: self._phrase(entity_id, rung) for entity_id, rung in rungs.items()}
            | self._extra
        )
        standing = [
            Standing(span, self._order[entity_id], self._height(entity_id, rungs), not ladder)
            for entity_id, spans in rendered.targets.items()
            if entity_id in self.entities
            for ladder in (self.ladders[entity_id],)
            for span in spans
        ]
        standing.sort(key=lambda place: place.span)
        return Scene(rendered, tuple(standing))

    def _height(self, entity_id: str, rungs: Rungs) -> int:
        rung = rungs[entity_id]
        return len(self.ladders[entity_id]) if rung is None else rung

    def _phrase(self, entity_id: str, rung: int | None) -> Phrase:
        if rung is None:
            return Phrase(self.labels[entity_id], "label")
        candidate = self.candidate(entity_id, rung)
        return Phrase(candidate.text, candidate.source)

    def guessed(
        self,
        scene: Scene,
        rungs: Rungs,
        due: Iterable[str],
        attackers: Sequence[Attacker],
        matcher: Matcher,
    ) -> set[str]:
        """Attacks the entities ``due`` in ``scene``; returns those that one attacker guessed.

        Every attack is recorded. An attacker is not asked for what one before it has guessed.
        An entity that stands nowhere (nested in another's span) cannot be attacked.
        """
        places = {entity_id: scene.place(entity_id) for entity_id in due}
        left = [entity_id for entity_id, place in places.items() if place is not None]
        fallen: set[str] = set()
        for attacker in attackers:
            left = [entity_id for entity_id in left if entity_id not in fallen]
            challenges = [
                self._challenge(scene, entity_id, places[entity_id]) for entity_id in left
            ]
            answers = list(attacker.attack(challenges)) if challenges else []
            answers += [Answer((), parsed=False)] * (len(left) - len(answers))
            for entity_id, answer in zip(left, answers, strict=False):
                rung = rungs[entity_id]
                if rung is not None and self._record(entity_id, rung, answer, attacker, matcher):
                    fallen.add(entity_id)
        return fallen

    def _challenge(self, scene: Scene, entity_id: str, place: Span | None) -> Challenge:
        if place is None:
            raise ValueError(entity_id)
        entity = self.entities[entity_id]
        return Challenge(
            text=scene.text,
            target=place,
            entity_type=entity.entity_type,
            standing=scene.standing,
            pool=self._pool(entity),
        )

    def _pool(self, entity: Entity) -> tuple[str, ...]:
        """Originals of the same type in this document, the right one among them, sorted.

        They take up half of the pool at most; attackers fill it with what they know.
        """
        attack = self._settings.attack
        if attack.kind == "guess":
            return ()
        others = [
            other.mentions[0].text
            for other in self.entities.values()
            if other.entity_type == entity.entity_type and other.id != entity.id
        ]
        return tuple(sorted({entity.mentions[0].text, *others[: attack.decoys // 2]}))

    def _record(
        self, entity_id: str, rung: int, answer: Answer, attacker: Attacker, matcher: Matcher
    ) -> bool:
        entity = self.entities[entity_id]
        verdict = judge(answer, entity, matcher, self._settings.attack)
        attack = recorded(answer, verdict, entity, self.candidate(entity_id, rung), attacker.name)
        self.attacks[entity_id].append(attack)
        return verdict.outcome is not Outcome.SAFE

    def result(self, rungs: Rungs, scene: Scene, notes: tuple[str, ...] = ()) -> SanitizedDocument:
        """The sanitised document with its decisions."""
        decisions = {
            entity.id: Decision(
                entity=entity,
                ladder=self.ladders[entity.id],
                chosen=rungs[entity.id],
                label=self.labels[entity.id],
                attacks=tuple(self.attacks[entity.id]),
            )
            for entity in self.entities.values()
        }
        replacements = scene.rendered.replacements
        swept = sum(not r.mention_id and r.entity_id in self.entities for r in replacements)
        counted = (f"{swept} unannotated occurrences replaced",) if swept else ()
        return SanitizedDocument(
            document=self.document,
            edits=scene.rendered.edits,
            replacements=replacements,
            decisions=tuple(decisions.values()),
            notes=(*counted, *notes),
        )
