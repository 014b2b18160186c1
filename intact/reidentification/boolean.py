"""The inverted index of background facts, asked with AND (Papadopoulou et al., slides in the
papers: "Text anonymization with explicit measures of disclosure risk").

The terms of a document that an individual is known by, taken together, are the narrowest query
that still finds the individual: every other combination of them finds at least as many. So those
who share all of them are the crowd that the individual is hidden in, and the document is
k-anonymous if there are at least k of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intact.reidentification.features import Featurizer, tokens
from intact.reidentification.index import Population

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTED = 256
"""Individuals with the most terms in common whose crowds are counted."""
_COMPARED = 4096
"""Individuals that they are compared with at most."""
SPACE = "word"


class BooleanAttacker:
    """Ranks individuals by the crowd that the document's terms leave them in.

    The score of an individual is minus the number of others who share all terms that it shares
    with the document, then the number of those terms. Of large populations only the individuals
    with most terms in common are looked at closely; others come after them.
    """

    name = "boolean"
    slow = False

    def __init__(self, population: Population) -> None:
        self.size = population.size
        self._space = population.space(SPACE)
        self._maker = Featurizer()
        self._bits: tuple[int, dict[int, float]] = (-1, {})

    def scores(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        """For each text a score of every individual, more is likelier."""
        import numpy as np

        for text in texts:
            known = self._known(text)
            shared = np.bincount(known.individuals, minlength=self.size)
            found = shared.astype(np.float64) - self.size * 2.0
            closest = _closest(shared)
            crowds = known.crowds(shared, closest)
            found[closest] = shared[closest] / (1 + shared.max()) - crowds
            yield found

    def one(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The score of every individual for one row of words."""
        return next(iter(self.scores([" ".join(words)])))

    def shares(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """By word: how few share it with the individual, in bits; 0 where it does not itself."""
        import numpy as np

        placed = self._maker.of(self._maker.ids(words), (SPACE,))[SPACE]
        found = np.zeros(len(words))
        found[placed.first] = [self._rarity(int(each), individual) for each in placed.features]
        return found

    def crowds(self, text: str, individuals: Sequence[int]) -> list[int]:
        """How many have all the terms of ``text`` that an individual has; itself included."""
        import numpy as np

        known = self._known(text)
        shared = np.bincount(known.individuals, minlength=self.size)
        return [int(size) for size in known.crowds(shared, np.array(individuals))]

    def _rarity(self, feature: int, individual: int) -> float:
        """Bits by which a term narrows the crowd of an individual; remembered for the last."""
        import numpy as np

        if self._bits[0] != individual:
            self._bits = (individual, {})
        known = self._bits[1]
        if feature not in known:
            row = int(self._space.find(np.array([feature], dtype=np.uint64))[0])
            known[feature] = 0.0
            if row >= 0 and _holds(people := self._space.postings(row).individuals, individual):
                known[feature] = float(np.log2((1 + self.size) / len(people)))
        return known[feature]

    def _known(self, text: str) -> _Known:
        """The terms of a text that the index has, and who is known by each."""
        import numpy as np

        self._maker.forget()
        placed = self._maker.of(self._maker.ids(tokens(text)), (SPACE,))[SPACE]
        rows = self._space.find(np.unique(placed.features))
        people = [self._space.postings(int(row)).individuals for row in rows[rows >= 0]]
        every = np.concatenate(people) if people else np.zeros(0, dtype=np.uint32)
        return _Known(np.repeat(np.arange(len(people)), [len(p) for p in people]), every)


@dataclass(frozen=True, slots=True)
class _Known:
    """Who is known by which term of a document.

    Attributes:
        terms, individuals: one pair each; terms ascend.
    """

    terms: NDArray[np.int64]
    individuals: NDArray[np.uint32]

    def crowds(self, shared: NDArray[np.int64], closest: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many have all the terms that each of some individuals has.

        Args:
            shared: how many terms each individual has.
            closest: whose crowds are counted; 0 for one without any term.
        """
        import numpy as np

        found = np.zeros(len(closest), dtype=np.int64)
        some = np.flatnonzero(shared[closest] > 0)
        if not len(some):
            return found
        own = closest[some]
        among = np.flatnonzero(shared >= shared[own].min())
        column = np.full(len(shared), -1)
        column[among] = np.arange(len(among))
        at = column[self.individuals]
        held = np.zeros((int(self.terms[-1]) + 1, len(among)), dtype=np.float32)
        held[self.terms[at >= 0], at[at >= 0]] = 1
        common = held[:, column[own]].T @ held  # whole numbers: exact
        found[some] = (common == shared[own, None]).sum(axis=1)
        return found


def _closest(shared: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those with the most terms; without the last ones where too many have as many as they."""
    import numpy as np

    found = np.argsort(-shared, kind="stable")[:_LISTED]
    found = found[shared[found] > 0]
    if len(found) and np.count_nonzero(shared >= shared[found[-1]]) > _COMPARED:
        found = found[shared[found] > shared[found[-1]]]
    return found


def _holds(people: NDArray[np.uint32], individual: int) -> bool:
    at = int(people.searchsorted(individual))
    return at < len(people) and int(people[at]) == individual
