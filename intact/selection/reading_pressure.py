"""The hold of attackers that read the text anew after every step, and several holds together.

An encoder's or an inverted index's score is no sum over words: what a word adds is what the
attacker itself says of it (an encoder by its gradient).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from intact.reidentification.features import Featurizer
from intact.reidentification.ranking import rank_of
from intact.selection.descent import Hold
from intact.selection.pressure import excess, kth_other

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class Reader(Protocol):
    """An attacker that reads rows of words and knows about what each adds."""

    name: str
    slow: bool

    def one(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The score of every individual."""

    def shares(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """About how much each word raises an individual's score over a rival's."""


class ReadingPressure:
    """One such attacker's hold on one individual; see ``descent.Hold``.

    Args:
        attacker: who reads.
        individual: the true one.
        k: how many others have to come before it.
        maker: knows which words the ids stand for.
        words: the document as it stands.
    """

    def __init__(
        self,
        attacker: Reader,
        individual: int,
        k: int,
        maker: Featurizer,
        words: NDArray[np.int64],
    ) -> None:
        self._attacker = attacker
        self._individual = individual
        self._k = k
        self._maker = maker
        self.move(words)

    def learn(self, words: NDArray[np.int64]) -> None:
        """Nothing is to be prepared."""

    def move(self, words: NDArray[np.int64]) -> None:
        """The document stands as ``words`` now; it is read when it is asked about."""
        self._words = self._maker.spelled(words)
        self._read: NDArray[np.float64] | None = None

    @property
    def _scores(self) -> NDArray[np.float64]:
        if self._read is None:
            self._read = self._attacker.one(self._words)
        return self._read

    def ranks(self) -> Mapping[str, int]:
        """Rank of the true individual; 1 is the first place."""
        return {self._attacker.name: rank_of(self._scores, self._individual) + 1}

    def excess(self, margin: float) -> NDArray[np.float64]:
        """How far the individual stands too high."""
        import numpy as np

        return np.array([excess(self._scores, self._individual, self._k, margin)])

    def gains(
        self, owner: NDArray[np.int64], units: int, excess: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """About what each unit's words add, as ``pressure.Pressure.gains`` says it."""
        import numpy as np

        if excess[0] <= 0:
            return np.zeros(units)
        rival = kth_other(self._scores, self._individual, self._k)
        shares = self._attacker.shares(self._words, self._individual, rival)
        spread = max(float(self._scores.std()), 1e-12)
        found = np.bincount(owner % (units + 1), shares, units + 1)[:units]
        return np.asarray(excess[0] * np.clip(found / spread, None, excess[0]), dtype=np.float64)


class Together:
    """Several holds as one."""

    def __init__(self, holds: Sequence[Hold]) -> None:
        self._holds = holds

    def learn(self, words: NDArray[np.int64]) -> None:
        """These words may come into the document."""
        for hold in self._holds:
            hold.learn(words)

    def move(self, words: NDArray[np.int64]) -> None:
        """The document stands as ``words`` now."""
        for hold in self._holds:
            hold.move(words)

    def ranks(self) -> Mapping[str, int]:
        """Rank of the true individual by attacker; 1 is the first place."""
        return {name: rank for hold in self._holds for name, rank in hold.ranks().items()}

    def excess(self, margin: float) -> NDArray[np.float64]:
        """By attacker: how far the individual stands too high."""
        import numpy as np

        return np.concatenate([hold.excess(margin) for hold in self._holds])

    def gains(
        self, owner: NDArray[np.int64], units: int, excess: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What each unit's words add to all of them."""
        import numpy as np

        total, start = np.zeros(units), 0
        for hold in self._holds:
            size = len(hold.excess(0.0))
            total += hold.gains(owner, units, excess[start : start + size])
            start += size
        return total
