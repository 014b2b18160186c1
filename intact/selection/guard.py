"""The guard: each document's individual becomes one of at least k (Samarati and Sweeney 1998; for
texts Morris et al. 2022 and an inverted index of background facts, both by masking alone).

After the rounds, the sanitised text is held against a population. While the true individual is
among the first k for any attacker, the guard takes the step that loosens their hold most per
information lost: a masked entity one rung up, an unannotated name, date or noun to a true
generalisation, a word to "***". Then every choice that stands is attacked again in the final
text, and the ranks are taken there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from intact.config import Settings
from intact.domain import (
    Document,
    Guarding,
    GuardStep,
    Ladder,
    SanitizedDocument,
)
from intact.errors import ConfigError, InputError
from intact.protocols import Attacker, Generaliser, Matcher, Selector
from intact.reidentification.features import Featurizer, counted, tokens
from intact.reidentification.index import Population
from intact.rewriting.occurrences import Occurrence
from intact.rewriting.rewrite import Phrase, RenderedDocument
from intact.selection.descent import Descent, Hold, Layout, Limits, Step, Unit
from intact.selection.pressure import Pressure, Weigher
from intact.selection.reading_pressure import Reader, ReadingPressure, Together
from intact.selection.state import SelectionState
from intact.selection.units import Draft, draft

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ITSELF = 0.8
"""Share of a document's word pairs in its individual's background from which it is held to be
that background itself."""
_TRIES = 5
_AT_ONCE = 4
_STRICTER = 0.25  # standard deviations more, where the real text falls short of the estimate


@dataclass(frozen=True, slots=True)
class Opponents:
    """Who has to be misled, on which population.

    Attributes:
        linear: attackers that words are weighed by.
        readers: attackers that read the text anew after every step.
        owner: the individual of a document by its id, as the population calls it.
        also: attackers for which half of k is wanted, where that can be had.
    """

    population: Population
    linear: Sequence[Weigher]
    readers: Sequence[Reader]
    owner: Callable[[str], str]
    also: Sequence[Weigher] = ()


class GuardedSelector:
    """Another selector, and the guard after it.

    Args:
        inner: chooses the rungs.
        opponents: whom to hide from.
        generaliser: proposes what may stand for unannotated words.
        attackers, matcher: what the rounds attacked with, for the last check.
        settings: the guard's, and those of rewriting and attacks.
    """

    name = "guarded"

    def __init__(
        self,
        inner: Selector,
        opponents: Opponents,
        generaliser: Generaliser,
        attackers: Sequence[Attacker],
        matcher: Matcher,
        settings: Settings,
    ) -> None:
        self._inner = inner
        self._opponents = opponents
        self._generaliser = generaliser
        self._attackers = attackers
        self._matcher = matcher
        self._settings = settings
        self._maker = Featurizer()
        size, k = opponents.population.size, settings.guard.k
        if k >= size:
            raise ConfigError(
                f"nobody can be hidden behind {k} others in a population of {size}",
                where="setting guard.k",
                remedy=f"Set guard.k to {size - 1} at most, or take a larger population."
                if size > 1
                else "Take a larger population.",
            )

    def select(self, document: Document, ladders: Mapping[str, Ladder]) -> SanitizedDocument:
        """The document with its individual hidden, or marked as not protected.

        Raises:
            InputError: if the population lacks the individual (unless ``guard.absent`` is "ok").
        """
        self._maker.forget()
        chosen = self._inner.select(document, ladders)
        name = self._opponents.owner(document.id)
        individual = self._opponents.population.number(name)
        if individual is None:
            if self._settings.guard.absent == "ok":
                return replace(
                    chosen,
                    notes=(*chosen.notes, "the population lacks its individual: not guarded"),
                )
            raise InputError(
                f"the population lacks the individual {name}",
                where=f"document {document.id}",
                remedy="Add it, map documents with guard.protect, or set guard.absent=ok.",
            )
        return _Guarding(self, chosen, individual, name).run()

    # -- what one guarding needs ---------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """All settings."""
        return self._settings

    def layout(self, parts: Draft) -> Layout:
        """The parts of a document as a row of words."""
        return Layout(parts.units, parts.pieces, self._maker)

    @property
    def also(self) -> bool:
        """Whether there are attackers for which half of k is wanted."""
        return bool(self._opponents.also)

    def pressure(self, individual: int, text: str, *, also: bool = True) -> Hold:
        """The attackers' hold on an individual.

        Args:
            also: with those for which half of k is wanted.
        """
        words = self._maker.ids(tokens(text))
        k, opponents = self._settings.guard.k, self._opponents
        beside = opponents.also if also else ()
        holds: list[Hold] = [
            ReadingPressure(reader, individual, k, self._maker, words)
            for reader in opponents.readers
        ]
        if opponents.linear or beside:
            pressure = Pressure(opponents.linear, individual, k, self._maker, words, beside)
            holds.insert(0, pressure)
        return holds[0] if len(holds) == 1 else Together(holds)

    @property
    def batch(self) -> int:
        """Steps to take at once: more than one where reading the text again is slow."""
        return _AT_ONCE if any(reader.slow for reader in self._opponents.readers) else 1

    def ranks(self, text: str, individual: int) -> Mapping[str, int]:
        """Rank of an individual in a finished text, by every attacker; 1 is the first place."""
        return self.pressure(individual, text).ranks()

    def known_already(self, text: str, individual: int) -> bool:
        """Whether an individual's background is the document itself."""
        population = self._opponents.population
        if "pair" not in population.spaces:
            return False
        pairs: NDArray[np.uint64]
        pairs, _ = counted(
            self._maker.of(self._maker.ids(tokens(text)), ("pair",))["pair"].features
        )
        if len(pairs) < 3:
            return False
        held = population.space("pair").held_by(pairs, individual)
        return held >= ITSELF * len(pairs)

    def draft(self, chosen: SanitizedDocument, rendered: RenderedDocument) -> Draft:
        """The document in parts that may change."""
        return draft(chosen, rendered, self._generaliser, self._settings.guard)

    def fallen(
        self, state: SelectionState, rendered: RenderedDocument, rungs: Mapping[str, int | None]
    ) -> set[str]:
        """The entities whose choice does not hold in the text as it stands now."""
        due = [entity_id for entity_id, rung in rungs.items() if rung is not None]
        return state.guessed(rendered, rungs, due, self._attackers, self._matcher)


class _Guarding:
    """The guarding of one document."""

    def __init__(
        self, guard: GuardedSelector, chosen: SanitizedDocument, individual: int, name: str
    ) -> None:
        self._guard = guard
        self._chosen = chosen
        self._individual = individual
        self._name = name
        self._settings = guard.settings
        self._k = self._settings.guard.k
        self._rungs = {d.entity.id: d.chosen for d in chosen.decisions}

    def run(self) -> SanitizedDocument:
        """The finished document."""
        chosen, guard = self._chosen, self._guard
        pressure = guard.pressure(self._individual, chosen.text)
        before = pressure.ranks()
        if guard.known_already(chosen.document.text, self._individual):
            note = "its individual's background is the document itself: nothing can protect it"
            done = Guarding(self._name, self._k, before, before)
            return replace(chosen, protected=False, guarding=done, notes=(*chosen.notes, note))
        parts = guard.draft(chosen, self._state(()).render(self._rungs))
        if not pressure.excess(self._margin).any() and min(before.values()) > self._k:
            done = Guarding(self._name, self._k, before, before, words=parts.content)
            return replace(chosen, guarding=done)
        return self._search(pressure, parts, before)

    def _search(self, pressure: Hold, parts: Draft, before: Mapping[str, int]) -> SanitizedDocument:
        limit = self._settings.guard.max_words
        most = int(limit * parts.content if limit < 1 else limit)
        limits = Limits(most, self._margin, self._guard.batch)
        rungs = dict(self._rungs)
        descent = Descent(self._guard.layout(parts), pressure, limits, self._random())
        result, after = self._settle(descent, parts, limits)
        if min(after.values()) <= self._k and self._guard.also:
            # what they cost is not there: then for those of the ensemble only
            self._rungs = rungs
            pressure = self._guard.pressure(self._individual, self._chosen.text, also=False)
            descent = Descent(self._guard.layout(parts), pressure, limits, self._random())
            result, after = self._settle(descent, parts, limits)
        reached = min(after.values()) > self._k
        guarding = Guarding(
            individual=self._name,
            k=self._k,
            before=before,
            after=after,
            steps=tuple(_step(parts.units[step.unit], step) for step in descent.path),
            words_changed=descent.changed,
            words=parts.content,
        )
        notes = (*self._chosen.notes, _said(guarding))
        if not reached:
            notes = (*notes, f"not protected: {guarding.reached} of {self._k} reached")
        return replace(result, protected=reached, guarding=guarding, notes=notes)

    @property
    def _margin(self) -> float:
        return self._settings.guard.margin

    def _random(self) -> Random | None:
        if self._settings.guard.order == "greedy":
            return None
        return Random(f"{self._settings.run.seed}:{self._chosen.document.id}")

    def _settle(
        self, descent: Descent, parts: Draft, limits: Limits
    ) -> tuple[SanitizedDocument, Mapping[str, int]]:
        """Searches, writes the text, and goes on where the text falls short of the search."""
        tries = 0
        while True:
            found = descent.run()
            if found and limits.batch == 1:
                descent.prune()
            rungs = self._climbed(parts, descent.choices)
            state = self._state(parts.extra(descent.choices))
            rendered = state.render(rungs)
            guessed = self._guard.fallen(state, rendered, rungs)
            after = self._guard.ranks(rendered.text, self._individual)
            if guessed:
                self._step_up(guessed, descent, parts, state)
            elif min(after.values()) > self._k or not found or tries >= _TRIES:
                break
            else:
                tries += 1
                descent.limits = replace(limits, margin=descent.limits.margin + _STRICTER)
        return state.result(rungs, rendered), after

    def _step_up(
        self, guessed: set[str], descent: Descent, parts: Draft, state: SelectionState
    ) -> None:
        """Entities that an attacker guesses in the guarded text go up one rung."""
        numbers = {unit.id: at for at, unit in enumerate(parts.units) if unit.entity}
        for entity_id in sorted(guessed):
            if entity_id in numbers:
                descent.step(numbers[entity_id])
            else:
                self._rungs[entity_id] = state.above(entity_id, self._rungs[entity_id])

    def _climbed(self, parts: Draft, choices: Sequence[int]) -> dict[str, int | None]:
        rungs = dict(self._rungs)
        for unit, choice in zip(parts.units, choices, strict=True):
            if unit.entity and choice >= 0:
                rungs[unit.id] = unit.options[choice].rung
        return rungs

    def _state(self, extra: Sequence[tuple[Occurrence, Phrase]]) -> SelectionState:
        decisions = self._chosen.decisions
        state = SelectionState(
            self._chosen.document,
            {d.entity.id: d.ladder for d in decisions},
            {d.entity.id: d.label for d in decisions},
            self._settings,
            extra,
        )
        for decision in decisions:
            state.attacks[decision.entity.id] = list(decision.attacks)
        return state


def _said(guarding: Guarding) -> str:
    """What the guard did, in a line."""
    ranks = ", ".join(
        f"{name} {before} to {guarding.after.get(name, before)}"
        for name, before in guarding.before.items()
    )
    words = f"{guarding.words_changed} of {guarding.words} words beyond the annotations changed"
    return f"guard: rank of the individual by {ranks}; {words}"


def _step(unit: Unit, step: Step) -> GuardStep:
    option = unit.options[step.choice] if step.choice >= 0 else None
    return GuardStep(
        unit.spans,
        unit.id if unit.entity else "",
        option.text if option else "",
        option.rung if option else None,
        step.before,
        step.after,
        undone=option is None,
    )
