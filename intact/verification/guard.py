"""The guard: at least k others come before each document's individual (Samarati and Sweeney 1998
have it one of k; for texts Morris et al. 2022, by masking alone).

After the rounds, the sanitised text is held against a population. While the true individual is
among the first k for tfidf or bm25, the guard takes the step that lowers their scores most per
information lost: a masked entity one rung up, an unannotated name, date or noun to a true
generalisation, a word to "***". Then every choice that stands is attacked again in the final
text, and the ranks are taken there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intact.domain import Candidate, Guarding, Ladder, SanitizedDocument
from intact.errors import ConfigError, InputError
from intact.protocols import Generaliser, PlanEditor
from intact.reidentification.attackers import LinkageScores, Reidentifier
from intact.reidentification.population import Featurizer, Ids, Population, folded_words, ranges
from intact.rewriting.rewrite import Rewriter
from intact.verification.rounds import RoundsSelector
from intact.verification.state import SelectionState
from intact.verification.units import GuardedParts, guarded_parts

# If this share of the pairs of neighbouring words of a document, or more, stands in its
# individual's background, the document is taken to be that background itself.
ITSELF = 0.8
_TRIES = 5
ENSEMBLE: tuple[str, ...] = ("tfidf", "bm25")  # attackers of which every one has to be misled
# Further attackers; for these, half of k is enough.
LESSER: tuple[str, ...] = ("ridge", "ridge_grams", "naive_bayes")
Reidentifiers = Sequence[Reidentifier]
_STRICTER = 0.25  # standard deviations more, where the real text falls short of the estimate


@dataclass(kw_only=True)
class GuardedSelector(RoundsSelector):
    """Selects in rounds, and then guards the result: its attackers attack the guarded text as well.
    A ``ConfigError`` if the population has no k others."""

    population: Population
    reidentifiers: Reidentifiers  # each of them has to put k others first
    lesser: Reidentifiers  # attackers for which half of k is wanted, where that can be had
    owner: Callable[[str], str]  # the individual of a document's id, as the population calls it
    generaliser: Generaliser  # proposes replacements of unannotated words

    def __post_init__(self) -> None:
        """Raise a ``ConfigError`` if the population has no k others beside an individual
        (``guard.k`` is its size or more)."""
        size, k = self.population.size, self.settings.guard.k
        if k >= size:
            smaller = f"Set guard.k to {size - 1} at most, or take" if size > 1 else "Take"
            problem = f"nobody can be hidden behind {k} others in a population of {size}"
            remedy = f"{smaller} a larger population."
            raise ConfigError(problem, where="setting guard.k", remedy=remedy)

    def select(
        self, rewriter: Rewriter, ladders: Mapping[str, Ladder], editor: PlanEditor | None = None
    ) -> SanitizedDocument:
        """Return a document sanitised so that at least k others of the population come before its
        individual, for each attacker that re-identifies. If that cannot be done, it comes back
        marked as not ``protected``; if the population lacks the individual and that is allowed,
        unguarded, with a note.

        Args:
            rewriter: of the document, with its mentions.
            ladders: candidates by entity id.
            editor: mends what the rounds before the guard guess; None: guessed entities climb.

        Raises:
            InputError: if the population lacks the individual (unless ``guard.absent`` is "ok").
        """
        chosen = super().select(rewriter, ladders, editor)
        if chosen.document != rewriter.document:  # a revision found words that nobody had marked
            rewriter = rewriter.of(chosen.document)
        name = self.owner(chosen.document.id)
        individual = self.population.number(name)
        if individual is not None:
            return self._hide(chosen, individual, rewriter)
        if self.settings.guard.absent == "ok":
            note = "the population lacks its individual: not guarded"
            return replace(chosen, notes=(*chosen.notes, note))
        problem = f"the population lacks the individual {name}"
        remedy = "Add it, map documents with guard.protect, or set guard.absent=ok."
        raise InputError(problem, where=f"document {chosen.document.id}", remedy=remedy)

    def _hide(
        self, chosen: SanitizedDocument, individual: int, rewriter: Rewriter
    ) -> SanitizedDocument:
        """Return a selected document, changed until k others come before its individual, with the
        record of the guard (ranks before and after, words changed) and a note that sums it up. If k
        others come first already, and half as many for the lesser attackers, only the record is
        added. If k is not reached, or the text is the individual's background itself, it is marked
        as not ``protected``.

        Args:
            chosen: the document as it was selected.
            individual: its number in the population.
            rewriter: of the same document.
        """
        name, k = self.population.names[individual], self.settings.guard.k
        featurizer = Featurizer()
        scores = self._scores(featurizer, chosen.text, individual, self.lesser)
        before = scores.ranks()
        own, known = (
            np.unique(featurizer.placed(featurizer.ids(folded_words(one)), "adjacent").features)
            for one in (chosen.document.text, self.population.texts[individual])
        )
        if len(own) >= 3 and float(np.isin(own, known).mean()) >= ITSELF:
            note = "its individual's background is the document itself: nothing can protect it"
            done = Guarding(name, k, before, before)
            return replace(chosen, protected=False, guarding=done, notes=(*chosen.notes, note))
        rungs = {decision.entity.id: decision.chosen for decision in chosen.decisions}
        parts = guarded_parts(chosen, self._state(chosen, rewriter).render(rungs), self.generaliser)
        if not scores.excess(0.0).any() and min(before.values()) > k:
            done = Guarding(name, k, before, before, words=parts.content)
            return replace(chosen, guarding=done)
        limit = self.settings.guard.max_words
        most = int(limit * parts.content if limit < 1 else limit)
        for lesser in dict.fromkeys((tuple(self.lesser), ())):
            # hiding from the lesser as well may cost what is not there: then from the others only
            scores = self._scores(featurizer, chosen.text, individual, lesser)
            search = _Search(parts, featurizer, scores, most)
            result, after = self._settle(chosen, individual, search, rewriter)
            if min(after.values()) > k:
                break
        done = Guarding(
            name, k, before, after, tuple(search.rungs()), search.changed, parts.content
        )
        protected, notes = done.reached >= k, (*chosen.notes, _summary(done))
        notes += () if protected else (f"not protected: {done.reached} of {k} reached",)
        return replace(result, protected=protected, guarding=done, notes=notes)

    def _scores(
        self, featurizer: Featurizer, text: str, individual: int, lesser: Reidentifiers = ()
    ) -> LinkageScores:
        """Return the scores of all individuals for a text, by the attackers that have to be misled
        and by ``lesser`` ones, whose ranks are not reported.

        Args:
            featurizer: numbers the words; one for each document.
            text: the sanitised text.
            individual: the number of the individual to hide.
            lesser: attackers for which half of k is enough.
        """
        k, words = self.settings.guard.k, featurizer.ids(folded_words(text))
        return LinkageScores(self.reidentifiers, individual, k, featurizer, words, lesser)

    def _settle(
        self, chosen: SanitizedDocument, individual: int, search: _Search, rewriter: Rewriter
    ) -> tuple[SanitizedDocument, Mapping[str, int]]:
        """Return the document with the replacements that a search finds, attacked anew, and the
        rank of the individual in its text by attacker, 1 being the first place.

        While an entity is guessed in the new text, it takes a vaguer rung; while the ranks there
        fall short of the search's estimate, the search aims further, up to five times. Then, or if
        the search finds no step that helps, the document comes back as it is, even if the
        individual is not hidden. The search is left with the choices it made."""
        base = {decision.entity.id: decision.chosen for decision in chosen.decisions}
        tries = 0
        while True:
            found = search.run()
            rungs = base | search.rungs()
            extra = search.parts.extra(search.choices)
            wider = replace(rewriter, places=[*rewriter.places, *(place for place, _ in extra)])
            phrases = {occurrence.entity_id: phrase for occurrence, phrase in extra}
            state = self._state(chosen, wider, phrases)
            rendered = state.render(rungs)
            guessed = state.attack(rendered, rungs, rungs, self.attackers)
            after = self._scores(Featurizer(), rendered.text, individual).ranks()
            if guessed:
                for entity_id in sorted(guessed):
                    if not search.climb(entity_id):
                        base[entity_id] = state.above(entity_id, base[entity_id])
            elif min(after.values()) > self.settings.guard.k or not found or tries >= _TRIES:
                return state.result(rungs, rendered), after
            else:
                tries += 1
                search.margin += _STRICTER

    def _state(
        self,
        chosen: SanitizedDocument,
        rewriter: Rewriter,
        phrases: Mapping[str, Candidate] | None = None,
    ) -> SelectionState:
        """Make the state of a document from its decisions, with every attack so far, so that it can
        be rendered and attacked again.

        Args:
            chosen: the document as it was selected.
            rewriter: of the same document, perhaps with further words to replace.
            phrases: for those words, by the ids that the rewriter gives them.
        """
        labels = {decision.entity.id: decision.label for decision in chosen.decisions}
        ladders = {decision.entity.id: decision.ladder for decision in chosen.decisions}
        given = (lambda _: labels, self.settings, self.matcher)
        state = SelectionState(rewriter, ladders, *given, phrases)
        state.attacks |= {each.entity.id: [*each.attacks] for each in chosen.decisions}
        return state


class _Search:
    """A search for the replacements that hide the individual. It takes, again and again, the step
    that lowers the attackers' scores most per information lost (Morris et al. 2022, algorithm 1,
    with more than masks).

    Args:
        most: content words beyond annotated spans that may be changed at most.
    """

    def __init__(
        self, parts: GuardedParts, featurizer: Featurizer, scores: LinkageScores, most: int
    ) -> None:
        """Number the words of all parts and options, set every unit to the text before the guard
        (choice -1), and move the scores to that text."""
        self.parts = parts
        self.margin = 0.0  # standard deviations below the k-th other that are wanted
        self.choices = [-1] * len(parts.units)  # -1 is what stood there before the guard
        self._units, self._scores, self._most = parts.units, scores, most
        self._owners = np.array([unit for unit, _ in parts.parts], dtype=np.int64)
        phrases = [words for _, words in parts.parts]
        phrases += [option.words for unit in parts.units for option in unit.options]
        rows = [featurizer.ids(words) for words in phrases]
        self._lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._every = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        sizes = [len(parts.parts), *(len(unit.options) for unit in parts.units)]
        self._first = np.cumsum(sizes, dtype=np.int64)
        scores.move(self._words()[0])

    @property
    def changed(self) -> int:
        """Return the number of content words beyond annotated spans that are changed now."""
        pairs = zip(self._units, self.choices, strict=True)
        return sum(unit.changed for unit, choice in pairs if choice >= 0)

    def rungs(self) -> dict[str, int | None]:
        """Return, by entity id, the rung of each entity that the search has moved; None is the
        label."""
        pairs = zip(self._units, self.choices, strict=True)
        moved = ((unit, choice) for unit, choice in pairs if unit.entity and choice >= 0)
        return {unit.id: unit.options[choice].rung for unit, choice in moved}

    def run(self) -> bool:
        """Replace words, one step after the other, until the individual is hidden, then take back
        steps that were not needed, and return True. Return False, with the steps left as they are,
        if no further step helps."""
        while (excess := self._scores.excess(self.margin)).any():
            best = self._best(excess)
            if best is None:
                return False
            self._put(best, self.choices[best] + 1)
        self._prune()
        return True

    def climb(self, entity_id: str) -> bool:
        """Make an entity's next option stand, a vaguer rung or at last its label, and return True.
        Return False, and change nothing, if the entity is none of the units that may change. It
        must not be at its label already."""
        found = [at for at, one in enumerate(self._units) if one.entity and one.id == entity_id]
        for at in found:
            self._put(at, self.choices[at] + 1)
        return bool(found)

    def _words(self) -> tuple[Ids, Ids]:
        """Return the document's words as it is now, as numbers of the featurizer, in text order;
        and for each word the index of its unit (words that change together), -1 for none."""
        taken = np.array([*self.choices, -1], dtype=np.int64)[self._owners]
        rows = np.where(taken < 0, np.arange(len(taken)), self._first[self._owners] + taken)
        lengths, starts = self._lengths[rows], np.cumsum(self._lengths) - self._lengths
        return self._every[ranges(starts[rows], lengths)], np.repeat(self._owners, lengths)

    def _put(self, unit: int, choice: int) -> None:
        """Make an option of a unit (words that change together) the one that stands, and update the
        attackers' scores.

        Args:
            unit: its index.
            choice: the index of the option; -1 for what stood there before the guard.
        """
        self.choices[unit] = choice
        self._scores.move(self._words()[0])

    def _best(self, excess: NDArray[np.float64]) -> int | None:
        """Return the index of the unit (words that change together) whose next option lowers the
        scores most for the information it loses; of equal units the first; None if no step that
        ``most`` allows lowers them.

        Args:
            excess: of each attacker, as ``LinkageScores.excess`` returns it.
        """
        units, room = self._units, self._most - self.changed
        gains = self._scores.gains(self._words()[1], len(units), excess)
        worth = {}
        for at, (unit, choice) in enumerate(zip(units, self.choices, strict=True)):
            possible = choice + 1 < len(unit.options) and (choice >= 0 or unit.changed <= room)
            if possible and gains[at] > 1e-9:
                before = unit.options[choice].loss if choice >= 0 else 0.0
                worth[at] = gains[at] / max(unit.options[choice + 1].loss - before, 1e-3)
        return min(worth, key=lambda at: (-worth[at], at), default=None)

    def _prune(self) -> None:
        """Put back the words that stood there before the guard at each unannotated place where the
        individual stays hidden without the change, trying the costliest changes first."""
        moved = [at for at, choice in enumerate(self.choices) if choice >= 0]
        taken = [at for at in moved if not self._units[at].entity]
        for at in sorted(taken, key=lambda at: -self._units[at].options[self.choices[at]].loss):
            choice = self.choices[at]
            self._put(at, -1)
            if self._scores.excess(self.margin).any():
                self._put(at, choice)


def _summary(guarding: Guarding) -> str:
    """Return one line for a note: how the rank of the individual moved by each attacker ("tfidf 1
    to 12"), and how many of the words beyond the annotations were changed."""
    after = guarding.after
    told = (f"{name} {rank} to {after.get(name, rank)}" for name, rank in guarding.before.items())
    ranks = ", ".join(told)
    words = f"{guarding.words_changed} of {guarding.words} words beyond the annotations changed"
    return f"guard: rank of the individual by {ranks}, by others not promised; {words}"
