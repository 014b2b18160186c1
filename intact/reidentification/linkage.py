"""How highly attackers score one individual while a document changes word by word.

The score of a linear attacker is a sum over features. When words change, only the features that
came or went are weighed, so scores and ranks stay exact without scoring the population anew. An
encoder reads the document again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from intact.reidentification.features import Features, Featurizer, Ids, Placed
from intact.reidentification.linear import LinearReidentifier
from intact.reidentification.ranking import Reidentifier, Scores, rank_of

Counted = tuple[Features, Ids]
"""Distinct features, ascending, and how often each is there."""


@runtime_checkable
class Reading(Protocol):
    """A ``Reidentifier`` that reads the text anew, and knows about what each word adds."""

    name: str

    def scores(self, texts: Sequence[str]) -> Scores:
        """Shape (texts, individuals)."""

    def leads(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """About how much each word raises an individual's score over a rival's."""


class AttackerState(ABC):
    """The scores of one attacker for the document as it is now.

    Args:
        name: of the attacker.
        individual: the true one.
        k: how many others have to come before it.
    """

    def __init__(self, name: str, individual: int, k: int) -> None:
        self.name = name
        self.individual = individual
        self._k = k

    scores: Any
    """Of every individual."""

    @cached_property
    def rival(self) -> int:
        """The k-th of the others by score; of equal ones the first."""
        most = min(self._k + 1, len(self.scores))
        floor = np.partition(self.scores, len(self.scores) - most)[len(self.scores) - most]
        best = np.flatnonzero(self.scores >= floor)
        best = best[np.lexsort((best, -self.scores[best]))]
        return int(best[best != self.individual][: self._k][-1])

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the scores."""
        return max(float(self.scores.std()), 1e-12)

    def changed(self) -> None:
        """The scores are other ones now."""
        self.__dict__.pop("rival", None)
        self.__dict__.pop("deviation", None)

    @property
    def rank(self) -> int:
        """Of the true individual; 1 is the first place."""
        return rank_of(self.scores, self.individual) + 1

    def excess(self, margin: float) -> float:
        """Standard deviations by which the individual scores too high; 0 is low enough.

        Args:
            margin: standard deviations that it has to score below the k-th other.
        """
        over = float(self.scores[self.individual] - self.scores[self.rival])
        if over <= -margin * self.deviation and self.rank > self._k:
            return 0.0
        return max(over / self.deviation + margin, 1e-6)

    @abstractmethod
    def shares(self, document: LinkageScores, owner: Ids, units: int) -> NDArray[np.float64]:
        """The lead over the k-th other that each unit's words make, the last for all others'."""


class _LinearState(AttackerState):
    def __init__(self, attacker: LinearReidentifier, individual: int, k: int) -> None:
        super().__init__(attacker.name, individual, k)
        self.attacker = attacker
        self.scores = np.zeros(attacker.size)

    def weigh(self, features: Features, before: Ids, after: Ids) -> None:
        """Some features are in the document so often now."""
        amounts = self.attacker.amounts(after) - self.attacker.amounts(before)
        self.scores += self.attacker.change(features, amounts)
        self.changed()

    def shares(self, document: LinkageScores, owner: Ids, units: int) -> NDArray[np.float64]:
        total = np.zeros(units + 1)
        for space in self.attacker.spaces:
            placed, (features, counts) = document.placed[space], document.counts[space]
            lead = self.attacker.lead(features, self.individual, self.rival)
            each = lead * self.attacker.amounts(counts) / np.maximum(counts, 1)
            values = each[np.searchsorted(features, placed.features)]
            first, last = owner[placed.first], owner[placed.last]
            total += np.bincount(first % (units + 1), values, units + 1)
            other = first != last
            total += np.bincount(last[other] % (units + 1), values[other], units + 1)
        return total


class _ReadingState(AttackerState):
    def __init__(self, attacker: Reading, individual: int, k: int) -> None:
        super().__init__(attacker.name, individual, k)
        self._attacker = attacker
        self._words: list[str] = []

    def read(self, words: list[str]) -> None:
        """The document is ``words`` now; it is read when it is asked about."""
        self._words = words
        self.__dict__.pop("scores", None)
        self.changed()

    @cached_property
    def scores(self) -> Any:
        """Of every individual."""
        return self._attacker.scores([" ".join(self._words)])[0]

    def shares(self, document: LinkageScores, owner: Ids, units: int) -> NDArray[np.float64]:
        leads = self._attacker.leads(self._words, self.individual, self.rival)
        return np.bincount(owner % (units + 1), leads, units + 1).astype(np.float64)


class LinkageScores:
    """The scores of some attackers for one individual in one document.

    Args:
        attackers: on one population.
        individual: the true one.
        k: how many others have to come before it.
        featurizer: of the document.
        words: the document as it is, as ids of the featurizer.
        also: attackers for which half as many have to, and of which no rank is told.

    Attributes:
        placed, counts: feature space -> the document's features.
    """

    def __init__(
        self,
        attackers: Sequence[Reidentifier],
        individual: int,
        k: int,
        featurizer: Featurizer,
        words: Ids,
        also: Sequence[Reidentifier] = (),
    ) -> None:
        self._featurizer = featurizer
        self._told = len(attackers)
        self._states = [_state(each, individual, k) for each in attackers]
        self._states += [_state(each, individual, (k + 1) // 2) for each in also]
        self._linear = [each for each in self._states if isinstance(each, _LinearState)]
        self._readers = [each for each in self._states if isinstance(each, _ReadingState)]
        self.slow = bool(self._readers)
        self.placed: dict[str, Placed] = {}
        spaces = dict.fromkeys(space for each in self._linear for space in each.attacker.spaces)
        nothing = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        self.counts: dict[str, Counted] = dict.fromkeys(spaces, nothing)
        self.move(words)

    def move(self, words: Ids) -> None:
        """The document is ``words`` now."""
        for space, old in self.counts.items():
            self.placed[space] = self._featurizer.placed(words, space)
            new = np.unique(self.placed[space].features, return_counts=True)
            keys = np.union1d(old[0], new[0])
            before, after = _at(keys, old), _at(keys, new)
            changed = before != after
            if changed.any():
                for each in self._linear:
                    if space in each.attacker.spaces:
                        each.weigh(keys[changed], before[changed], after[changed])
            self.counts[space] = new
        for reader in self._readers:
            reader.read(self._featurizer.spelled(words))

    def ranks(self) -> Mapping[str, int]:
        """Rank of the true individual by attacker; 1 is the first place."""
        return {each.name: each.rank for each in self._states[: self._told]}

    def excess(self, margin: float) -> NDArray[np.float64]:
        """By attacker: standard deviations by which the individual scores too high; 0 is enough.

        Args:
            margin: standard deviations that it has to score below the k-th other.
        """
        return np.array([each.excess(margin) for each in self._states])

    def gains(self, owner: Ids, units: int, excess: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each unit's words add to the scores: standard deviations, at most the excess,
        times the excess, so that who scores the individual highest counts most.

        Args:
            owner: unit of each word of the document, or -1.
            units: how many there are.
            excess: as :meth:`excess` gives it.
        """
        total = np.zeros(units)
        for each, over in zip(self._states, excess, strict=True):
            if over > 0:
                shares = each.shares(self, owner, units)[:units]
                total += over * np.clip(shares / each.deviation, None, over)
        return total


def _state(attacker: Reidentifier, individual: int, k: int) -> AttackerState:
    if hasattr(attacker, "lead"):  # a LinearReidentifier, or as good as one
        return _LinearState(cast(LinearReidentifier, attacker), individual, k)
    if isinstance(attacker, Reading):
        return _ReadingState(attacker, individual, k)
    raise TypeError(f"the attacker {attacker.name} cannot guide a guard")


def _at(keys: Features, counted: Counted) -> Ids:
    """The counts of ``keys``, 0 for those that are not counted."""
    found = np.zeros(len(keys), dtype=np.int64)
    found[np.searchsorted(keys, counted[0])] = counted[1]
    return found
