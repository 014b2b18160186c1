"""How strongly attackers hold one individual, and what each word adds to their hold.

The attackers are linear: a score is a sum over features. When words change, only the features
that came or went are weighed, for every individual, so scores and ranks stay exact without
scoring the population anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from intact.reidentification.features import Featurizer, Placed, counted
from intact.reidentification.ranking import rank_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RIVALS = 128
"""Individuals with the highest scores at the start, of each attacker, whose weights are kept."""


class Weigher(Protocol):
    """An attacker whose score is a sum over features; see ``population.linear.LinearAttacker``."""

    name: str
    spaces: tuple[str, ...]
    size: int

    def weigh(
        self,
        space: str,
        features: NDArray[np.uint64],
        amounts: NDArray[np.float64],
        onto: NDArray[np.float64],
    ) -> None:
        """Adds to scores what some features say of each individual."""

    def columns(
        self, space: str, features: NDArray[np.uint64], lookup: NDArray[np.int32]
    ) -> NDArray[np.float32]:
        """What each feature says of some individuals."""

    def amounts(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much a feature weighs by its count in the document."""


class _Hold:
    """What one attacker makes of the document as it stands.

    Attributes:
        scores: of every individual, exact.
        weights: space -> weight of each first feature for each kept individual; empty until
            first asked for.
    """

    def __init__(self, attacker: Weigher, individual: int, k: int) -> None:
        import numpy as np

        self.attacker = attacker
        self.scores = np.zeros(attacker.size)
        self.weights: dict[str, NDArray[np.float32]] = {}
        self.near: NDArray[np.int64] | None = None
        self._individual = individual
        self._k = k
        self._rival: int | None = None
        self._spread: float | None = None

    def weigh(self, space: str, features: NDArray[np.uint64], change: NDArray[np.float64]) -> None:
        """Features weigh so much more, or less, in the document."""
        self.attacker.weigh(space, features, change, self.scores)
        self._rival = self._spread = None

    @property
    def rival(self) -> int:
        """The k-th other by score."""
        if self._rival is None:
            self._rival = kth_other(self.scores, self._individual, self._k, self.near)
        return self._rival

    @property
    def spread(self) -> float:
        """Standard deviation of the scores."""
        if self._spread is None:
            self._spread = max(float(self.scores.std()), 1e-12)
        return self._spread

    def excess(self, margin: float) -> float:
        """Standard deviations by which the individual stands too high; 0 is low enough."""
        return _excess(self.scores, self._individual, self._k, margin, self.rival, self.spread)


class Pressure:
    """The attackers' hold on one individual in one document, word by word.

    Args:
        attackers: linear attackers on one population.
        individual: the true one.
        k: how many others have to come before it.
        maker: of features.
        words: the document as it stands, as ids of the maker.
        also: attackers for which half as many have to, and of which no rank is told.
    """

    def __init__(
        self,
        attackers: Sequence[Weigher],
        individual: int,
        k: int,
        maker: Featurizer,
        words: NDArray[np.int64],
        also: Sequence[Weigher] = (),
    ) -> None:
        self._individual = individual
        self._k = k
        self._maker = maker
        self._spaces = tuple(dict.fromkeys(s for each in (*attackers, *also) for s in each.spaces))
        self._placed = maker.of(words, self._spaces)
        self._counts = {space: counted(p.features) for space, p in self._placed.items()}
        self._first = {space: features for space, (features, _) in self._counts.items()}
        self._column: NDArray[np.int32] | None = None
        self._told = len(attackers)
        self._holds = [_Hold(each, individual, k) for each in attackers]
        self._holds += [_Hold(each, individual, (k + 1) // 2) for each in also]
        for hold in self._holds:
            for space in hold.attacker.spaces:
                features, counts = self._counts[space]
                hold.weigh(space, features, hold.attacker.amounts(counts))

    def learn(self, words: NDArray[np.int64]) -> None:
        """Keeps the weights of words that may come into the document, and of those in it."""
        import numpy as np

        columns = self._columns()
        for space, placed in self._maker.of(words, self._spaces).items():
            known = self._first[space]
            fresh = np.setdiff1d(placed.features, known)
            order = np.argsort(np.concatenate((known, fresh)), kind="stable")
            self._first[space] = np.concatenate((known, fresh))[order]
            for hold in self._holds:
                if space in hold.weights:
                    more = hold.attacker.columns(space, fresh, columns)
                    hold.weights[space] = np.concatenate((hold.weights[space], more))[order]

    def _columns(self) -> NDArray[np.int32]:
        """Individual -> column of the weights that are kept, or -1; kept when first asked for."""
        if self._column is None:
            self._column = self._kept()
            for hold in self._holds:
                hold.weights = {
                    space: hold.attacker.columns(space, self._first[space], self._column)
                    for space in hold.attacker.spaces
                }
        return self._column

    def _kept(self) -> NDArray[np.int32]:
        """Individual -> column, or -1: those who score highest, and the true one."""
        import numpy as np

        size = len(self._holds[0].scores)
        column = np.full(size, -1, dtype=np.int32)
        most = min(size, max(_RIVALS, 2 * self._k))
        for hold in self._holds:
            hold.near = np.argpartition(hold.scores, size - most)[size - most :]
        kept = np.unique(np.concatenate([*(h.near for h in self._holds), [self._individual]]))
        column[kept] = np.arange(len(kept))
        return column

    def move(self, words: NDArray[np.int64]) -> None:
        """The document stands as ``words`` now."""
        import numpy as np

        self._placed = self._maker.of(words, self._spaces)
        for space, placed in self._placed.items():
            old, new = self._counts[space], counted(placed.features)
            keys = np.union1d(old[0], new[0])
            before, after = _at(keys, *old), _at(keys, *new)
            changed = before != after
            if changed.any():
                self._weigh(space, keys[changed], before[changed], after[changed])
            self._counts[space] = new

    def _weigh(
        self,
        space: str,
        features: NDArray[np.uint64],
        before: NDArray[np.int64],
        after: NDArray[np.int64],
    ) -> None:
        for hold in self._holds:
            each = hold.attacker
            if space in each.spaces:
                hold.weigh(space, features, each.amounts(after) - each.amounts(before))

    def ranks(self) -> dict[str, int]:
        """Rank of the true individual by attacker; 1 is the first place."""
        return {
            hold.attacker.name: rank_of(hold.scores, self._individual) + 1
            for hold in self._holds[: self._told]
        }

    def excess(self, margin: float) -> NDArray[np.float64]:
        """By attacker: standard deviations by which the individual stands too high; 0 is enough.

        Args:
            margin: standard deviations that it has to stand below the k-th other.
        """
        import numpy as np

        return np.array([hold.excess(margin) for hold in self._holds])

    def gains(
        self, owner: NDArray[np.int64], units: int, excess: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What each unit's words add to the hold: standard deviations, at most the excess, times
        the excess, so that who holds strongest counts most.

        Args:
            owner: unit of each word of the document, or -1.
            units: how many there are.
            excess: as :meth:`excess` gives it.
        """
        import numpy as np

        total = np.zeros(units)
        self._columns()
        for hold, over in zip(self._holds, excess, strict=True):
            if over <= 0:
                continue
            mine = np.zeros(units + 1)
            for space, weights in hold.weights.items():
                mine += self._shares(hold, space, weights, owner, units)
            total += over * np.clip(mine[:units] / hold.spread, None, over)
        return total

    def _shares(
        self,
        hold: _Hold,
        space: str,
        weights: NDArray[np.float32],
        owner: NDArray[np.int64],
        units: int,
    ) -> NDArray[np.float64]:
        """The margin that each unit's features of one space make, over the k-th other."""
        import numpy as np

        column = self._columns()
        placed: Placed = self._placed[space]
        features, counts = self._counts[space]
        rows = np.searchsorted(self._first[space], features)
        rows[rows == len(self._first[space])] = 0
        known = self._first[space][rows] == features if len(features) else rows.astype(bool)
        rival = column[hold.rival]
        theirs = weights[:, rival] if rival >= 0 else 0.0
        lead = (weights[:, column[self._individual]] - theirs)[rows] * known
        each = lead * hold.attacker.amounts(counts) / np.maximum(counts, 1)
        values = each[np.searchsorted(features, placed.features)]
        first, last = owner[placed.first], owner[placed.last]
        shares = np.bincount(first % (units + 1), values, units + 1).astype(np.float64)
        other = first != last
        shares += np.bincount(last[other] % (units + 1), values[other], units + 1)
        return shares


def excess(scores: NDArray[np.float64], individual: int, k: int, margin: float) -> float:
    """Standard deviations by which an individual stands too high; 0 is low enough."""
    spread = max(float(scores.std()), 1e-12)
    return _excess(scores, individual, k, margin, kth_other(scores, individual, k), spread)


def _excess(
    scores: NDArray[np.float64], individual: int, k: int, margin: float, rival: int, spread: float
) -> float:
    over = float(scores[individual] - scores[rival])
    if over <= -margin * spread and rank_of(scores, individual) >= k:
        return 0.0
    return max(over / spread + margin, 1e-6)


def kth_other(
    scores: NDArray[np.float64],
    individual: int,
    k: int,
    near: NDArray[np.int64] | None = None,
) -> int:
    """The k-th of the others by score.

    Args:
        near: more than k individuals likely to score high; makes large populations quick.
    """
    import numpy as np

    some = scores if near is None or len(near) <= k else scores[near]
    most = min(k + 1, len(some))
    floor = np.partition(some, len(some) - most)[len(some) - most]
    best = np.flatnonzero(scores >= floor)
    best = best[np.lexsort((best, -scores[best]))]
    others = best[best != individual][:k]
    return int(others[-1])


def _at(
    keys: NDArray[np.uint64], features: NDArray[np.uint64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    import numpy as np

    found = np.zeros(len(keys), dtype=np.int64)
    found[np.searchsorted(keys, features)] = counts
    return found
