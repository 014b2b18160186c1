"""The inverted index of background facts, asked with AND (Papadopoulou et al., slides in the
papers: "Text anonymization with explicit measures of disclosure risk").

The terms of a document that an individual is known by, taken together, are the narrowest query
that still finds the individual: every other combination of them finds at least as many. So those
who share all of them are the crowd that the individual is hidden in, and the document is
k-anonymous if there are at least k of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from intact.population.features import Featurizer, tokens
from intact.population.index import Population

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTED = 256
"""Individuals with the most terms in common whose crowds are counted one by one."""
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

    def scores(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        """For each text a score of every individual, more is likelier."""
        import numpy as np

        for text in texts:
            terms = self.terms(text)
            shared = np.zeros(self.size)
            for people in terms.values():
                shared[people] += 1
            found = shared - self.size * 2.0
            closest = np.argsort(-shared, kind="stable")[:_LISTED]
            for one in closest[shared[closest] > 0]:
                crowd = self.crowd(terms, int(one))
                found[one] = shared[one] / (1 + shared.max()) - len(crowd)
            yield found

    def one(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The score of every individual for one row of words."""
        return next(iter(self.scores([" ".join(words)])))

    def shares(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """By word: how few share it with the individual, in bits; 0 where it does not itself."""
        import numpy as np

        placed = self._maker.of(self._maker.ids(words), (SPACE,))[SPACE]
        found = np.zeros(len(words))
        rows = self._space.find(placed.features)
        for at, row in zip(placed.first, rows, strict=True):
            people = self._space.postings(int(row)).individuals if row >= 0 else None
            if people is not None and _holds(people, individual):
                found[at] = np.log2((1 + self.size) / len(people))
        return found

    def terms(self, text: str) -> dict[int, NDArray[np.uint32]]:
        """The terms of a text that the index has, and who is known by each."""
        import numpy as np

        self._maker.forget()
        placed = self._maker.of(self._maker.ids(tokens(text)), (SPACE,))[SPACE]
        features = np.unique(placed.features)
        rows = self._space.find(features)
        return {
            int(feature): self._space.postings(int(row)).individuals
            for feature, row in zip(features, rows, strict=True)
            if row >= 0
        }

    @staticmethod
    def crowd(terms: dict[int, NDArray[np.uint32]], individual: int) -> NDArray[np.uint32]:
        """Everybody who is known by all the terms that an individual is known by."""
        import numpy as np

        own = [people for people in terms.values() if _holds(people, individual)]
        own.sort(key=len)
        if not own:
            return np.zeros(0, dtype=np.uint32)
        common = own[0]
        for people in own[1:]:
            if len(common) == 1:
                break
            common = common[np.isin(common, people, assume_unique=True)]
        return common


def _holds(people: NDArray[np.uint32], individual: int) -> bool:
    at = int(people.searchsorted(individual))
    return at < len(people) and int(people[at]) == individual
