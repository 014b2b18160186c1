"""The guard: each document's individual becomes one of at least k (Samarati and Sweeney 1998; for
texts Morris et al. 2022, by masking alone).

After the rounds, the sanitised text is held against a population. While the true individual is
among the first k for any attacker, the guard takes the step that lowers their scores most per
information lost: a masked entity one rung up, an unannotated name, date or noun to a true
generalisation, a word to "***". Then every choice that stands is attacked again in the final
text, and the ranks are taken there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from intact.config import Settings
from intact.domain import Document, Guarding, GuardStep, Ladder, SanitizedDocument
from intact.errors import ConfigError, InputError
from intact.protocols import Attacker, Generaliser, Matcher, Selector
from intact.reidentification.features import Featurizer, Ids, ranges, tokens
from intact.reidentification.linkage import LinkageScores
from intact.reidentification.population import Population
from intact.reidentification.ranking import Reidentifier
from intact.selection.state import SelectionState, StatesReader
from intact.selection.units import GuardedParts, guarded_parts

ITSELF = 0.8
"""Share of a document's neighbouring words in its individual's background from which it is held
to be that background itself."""
_TRIES = 5
_AT_ONCE = 4
"""Steps taken before a slow attacker reads the text again."""
_STRICTER = 0.25
"""Standard deviations more, where the real text falls short of the estimate."""


@dataclass(frozen=True, slots=True)
class Opponents:
    """Who has to be misled, on which population.

    Attributes:
        attackers: each has to put k others first.
        also: attackers for which half of k is wanted, where that can be had.
        owner: the individual of a document by its id, as the population calls it.
    """

    population: Population
    attackers: Sequence[Reidentifier]
    also: Sequence[Reidentifier]
    owner: Callable[[str], str]


class GuardedSelector:
    """Another selector, and the guard after it.

    Args:
        inner: chooses the rungs.
        opponents: whom to hide from.
        generaliser: proposes what may stand for unannotated words.
        attackers, matcher: what the rounds attacked with, for the last check.
        settings: the guard's, and those of rewriting and attacks.
        states: reads the States that a document speaks of.

    Raises:
        ConfigError: if the population has no k others.
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
        states: StatesReader | None = None,
    ) -> None:
        self._states = states
        self._inner = inner
        self._opponents = opponents
        self._generaliser = generaliser
        self._attackers = attackers
        self._matcher = matcher
        self._settings = settings
        self._guard = settings.guard
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

        Args:
            document: with its mentions.
            ladders: candidates by entity id.

        Raises:
            InputError: if the population lacks the individual (unless ``guard.absent`` is "ok").
        """
        chosen = self._inner.select(document, ladders)
        name = self._opponents.owner(document.id)
        individual = self._opponents.population.number(name)
        if individual is not None:
            return self._hide(chosen, individual)
        if self._guard.absent == "ok":
            note = "the population lacks its individual: not guarded"
            return replace(chosen, notes=(*chosen.notes, note))
        raise InputError(
            f"the population lacks the individual {name}",
            where=f"document {document.id}",
            remedy="Add it, map documents with guard.protect, or set guard.absent=ok.",
        )

    def _hide(self, chosen: SanitizedDocument, individual: int) -> SanitizedDocument:
        """The guarded document."""
        name, k = self._opponents.population.names[individual], self._guard.k
        featurizer = Featurizer()
        scores = self._scores(featurizer, chosen.text, individual)
        before = scores.ranks()
        if self._known_already(featurizer, chosen.document.text, individual):
            note = "its individual's background is the document itself: nothing can protect it"
            done = Guarding(name, k, before, before)
            return replace(chosen, protected=False, guarding=done, notes=(*chosen.notes, note))
        rungs = {decision.entity.id: decision.chosen for decision in chosen.decisions}
        rendered = self._state(chosen).render(rungs)
        parts = guarded_parts(chosen, rendered, self._generaliser, self._guard)
        if not scores.excess(self._guard.margin).any() and min(before.values()) > k:
            done = Guarding(name, k, before, before, words=parts.content)
            return replace(chosen, guarding=done)
        search = self._search(chosen, parts, featurizer, scores)
        result, after = self._settle(chosen, individual, search)
        if min(after.values()) <= k and self._opponents.also:
            # hiding from those as well may cost what is not there: then from the ensemble only
            scores = self._scores(featurizer, chosen.text, individual, also=False)
            search = self._search(chosen, parts, featurizer, scores)
            result, after = self._settle(chosen, individual, search)
        told = Guarding(
            individual=name,
            k=k,
            before=before,
            after=after,
            steps=tuple(search.steps),
            words_changed=search.changed,
            words=parts.content,
        )
        protected = min(after.values()) > k
        notes = [*chosen.notes, _summary(told)]
        if not protected:
            notes.append(f"not protected: {told.reached} of {k} reached")
        return replace(result, protected=protected, guarding=told, notes=tuple(notes))

    def _scores(
        self, featurizer: Featurizer, text: str, individual: int, *, also: bool = True
    ) -> LinkageScores:
        return LinkageScores(
            self._opponents.attackers,
            individual,
            self._guard.k,
            featurizer,
            featurizer.ids(tokens(text)),
            self._opponents.also if also else (),
        )

    def _known_already(self, featurizer: Featurizer, text: str, individual: int) -> bool:
        """Whether an individual's background is the document itself."""
        own, known = (
            np.unique(featurizer.placed(featurizer.ids(tokens(one)), "adjacent").features)
            for one in (text, self._opponents.population.texts[individual])
        )
        return len(own) >= 3 and float(np.isin(own, known).mean()) >= ITSELF

    def _search(
        self,
        chosen: SanitizedDocument,
        parts: GuardedParts,
        featurizer: Featurizer,
        scores: LinkageScores,
    ) -> _Search:
        limit = self._guard.max_words
        random = None
        if self._guard.order == "random":
            random = Random(f"{self._settings.run.seed}:{chosen.document.id}")
        most = int(limit * parts.content if limit < 1 else limit)
        return _Search(parts, featurizer, scores, most, self._guard.margin, random)

    def _settle(
        self, chosen: SanitizedDocument, individual: int, search: _Search
    ) -> tuple[SanitizedDocument, Mapping[str, int]]:
        """Searches, writes the text, and goes on where the text falls short of the search."""
        base = {decision.entity.id: decision.chosen for decision in chosen.decisions}
        tries = 0
        while True:
            found = search.run()
            rungs = base | search.rungs()
            state = self._state(chosen, search)
            rendered = state.render(rungs)
            due = [entity_id for entity_id, rung in rungs.items() if rung is not None]
            guessed = state.guessed(rendered, rungs, due, self._attackers, self._matcher)
            after = self._scores(Featurizer(), rendered.text, individual).ranks()
            if guessed:
                for entity_id in sorted(guessed):
                    if not search.climb(entity_id):
                        base[entity_id] = state.above(entity_id, base[entity_id])
            elif min(after.values()) > self._guard.k or not found or tries >= _TRIES:
                return state.result(rungs, rendered), after
            else:
                tries += 1
                search.margin += _STRICTER

    def _state(self, chosen: SanitizedDocument, search: _Search | None = None) -> SelectionState:
        decisions = chosen.decisions
        state = SelectionState(
            chosen.document,
            {decision.entity.id: decision.ladder for decision in decisions},
            {decision.entity.id: decision.label for decision in decisions},
            self._settings,
            search.parts.extra(search.choices) if search else (),
            self._states,
        )
        for decision in decisions:
            state.attacks[decision.entity.id] = list(decision.attacks)
        return state


class _Search:
    """The step that lowers the attackers' scores most per information lost, again and again, until
    the individual is hidden (Morris et al. 2022, algorithm 1, with more than masks).

    Args:
        parts: what may be changed.
        featurizer: of the document.
        scores: of the attackers.
        most: content words beyond annotated spans that may be changed at most.
        margin: standard deviations below the k-th other that are wanted.
        random: takes steps in random order where given (the random baseline).

    Attributes:
        choices: by unit, what stands there now; -1 is what stood there before the guard.
        steps: those taken, and taken back.
    """

    def __init__(
        self,
        parts: GuardedParts,
        featurizer: Featurizer,
        scores: LinkageScores,
        most: int,
        margin: float,
        random: Random | None,
    ) -> None:
        self.parts = parts
        self.margin = margin
        self.choices = [-1] * len(parts.units)
        self.steps: list[GuardStep] = []
        self._units = parts.units
        self._scores = scores
        self._most = most
        self._random = random
        self._batch = _AT_ONCE if scores.slow else 1
        self._owners = np.array([unit for unit, _ in parts.parts], dtype=np.int64)
        phrases = [words for _, words in parts.parts]
        phrases += [option.words for unit in parts.units for option in unit.options]
        rows = [featurizer.ids(words) for words in phrases]
        self._lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._every = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        sizes = [len(parts.parts), *(len(unit.options) for unit in parts.units)]
        self._first = np.cumsum(sizes, dtype=np.int64)
        scores.move(self._words()[0])
        self._ranks = scores.ranks()

    @property
    def changed(self) -> int:
        """Content words beyond annotated spans that are changed now."""
        return sum(
            unit.changed for unit, at in zip(self._units, self.choices, strict=True) if at >= 0
        )

    def rungs(self) -> dict[str, int | None]:
        """The rungs of the entities that have climbed, None for the label."""
        return {
            unit.id: unit.options[choice].rung
            for unit, choice in zip(self._units, self.choices, strict=True)
            if unit.entity and choice >= 0
        }

    def run(self) -> bool:
        """Takes steps until the individual is hidden; False where that cannot be."""
        while (excess := self._scores.excess(self.margin)).any():
            best = self._best(excess)
            if not best:
                return False
            for unit in best:
                self._step(unit)
        if self._batch == 1:
            self._prune()
        return True

    def climb(self, entity_id: str) -> bool:
        """Takes an entity one rung up; False where it is none of the units."""
        for at, unit in enumerate(self._units):
            if unit.entity and unit.id == entity_id:
                self._step(at)
                return True
        return False

    def _words(self) -> tuple[Ids, Ids]:
        """The document as it is now, and the unit of each word."""
        taken = np.array([*self.choices, -1], dtype=np.int64)[self._owners]
        rows = np.where(taken < 0, np.arange(len(taken)), self._first[self._owners] + taken)
        lengths, starts = self._lengths[rows], np.cumsum(self._lengths) - self._lengths
        return self._every[ranges(starts[rows], lengths)], np.repeat(self._owners, lengths)

    def _step(self, unit: int) -> None:
        self._put(unit, self.choices[unit] + 1)
        self._record(unit)

    def _put(self, unit: int, choice: int) -> None:
        self.choices[unit] = choice
        self._scores.move(self._words()[0])

    def _record(self, at: int) -> None:
        before, self._ranks = self._ranks, self._scores.ranks()
        unit, choice = self._units[at], self.choices[at]
        option = unit.options[choice] if choice >= 0 else None
        self.steps.append(
            GuardStep(
                unit.spans,
                unit.id if unit.entity else "",
                option.text if option else "",
                option.rung if option else None,
                before,
                self._ranks,
                undone=option is None,
            )
        )

    def _best(self, excess: NDArray[np.float64]) -> list[int]:
        """The steps that gain most for what they cost; none where nothing helps."""
        units, room = self._units, self._most - self.changed
        possible = [
            at
            for at, unit in enumerate(units)
            if self.choices[at] + 1 < len(unit.options)
            and (self.choices[at] >= 0 or unit.changed <= room)
        ]
        if self._random is not None:
            return [self._random.choice(possible)] if possible else []
        gains = self._scores.gains(self._words()[1], len(units), excess)
        worth = {at: gains[at] / self._cost(at) for at in possible if gains[at] > 1e-9}
        best = sorted(worth, key=lambda at: (-worth[at], at))[: self._batch]
        return best[:1] + [at for at in best[1:] if units[at].changed * self._batch <= room]

    def _cost(self, unit: int) -> float:
        options, choice = self._units[unit].options, self.choices[unit]
        before = options[choice].loss if choice >= 0 else 0.0
        return max(options[choice + 1].loss - before, 1e-3)

    def _prune(self) -> None:
        """Takes back what turns out not to be needed, the costliest first."""
        taken = [
            at for at, unit in enumerate(self._units) if self.choices[at] >= 0 and not unit.entity
        ]
        taken.sort(key=lambda at: (-self._units[at].options[self.choices[at]].loss, at))
        for at in taken:
            choice = self.choices[at]
            self._put(at, -1)
            if self._scores.excess(self.margin).any():
                self._put(at, choice)
            else:
                self._record(at)


def _summary(guarding: Guarding) -> str:
    """What the guard did, in a line."""
    ranks = ", ".join(
        f"{name} {before} to {guarding.after.get(name, before)}"
        for name, before in guarding.before.items()
    )
    words = f"{guarding.words_changed} of {guarding.words} words beyond the annotations changed"
    return f"guard: rank of the individual by {ranks}; {words}"
