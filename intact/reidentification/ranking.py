"""Whom an attacker takes a document to be of: individuals by rank, with probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from intact.reidentification.features import Featurizer, counted, tokens
from intact.reidentification.linear import SCHEMES, LinearAttacker, affordable, linear_attacker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intact.reidentification.index import Population

RETRIEVAL = ("tfidf", "pairs", "bm25", "discriminant")
"""What the name "retrieval" stands for; those that a population cannot afford are left out."""
BESIDE_WINDOWS = ("tfidf", "bm25")
"""What it stands for where attackers trained on windows do the rest."""


TIE = 1e-9
"""Scores that differ by less are equal: sums made in another order may."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One attacker's answer for one document, the likeliest first.

    Attributes:
        individuals: numbers of individuals.
        probabilities: parallel, descending, of all individuals together at most 1.
    """

    individuals: tuple[int, ...]
    probabilities: tuple[float, ...]


class Reidentifier(Protocol):
    """Tells whose documents are."""

    name: str

    def scores(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        """For each text a score of every individual, more is likelier; batched inside."""


class Retrieval:
    """A linear attacker on whole texts.

    Args:
        attacker: what weighs the features.
    """

    def __init__(self, attacker: LinearAttacker) -> None:
        self.name = attacker.name
        self.linear = attacker
        self._maker = Featurizer()

    def scores(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        """For each text a score of every individual, more is likelier."""
        import numpy as np

        attacker = self.linear
        for text in texts:
            total = np.zeros(attacker.size)
            self._maker.forget()
            ids = self._maker.ids(tokens(text))
            for space, placed in self._maker.of(ids, attacker.spaces).items():
                features, counts = counted(placed.features)
                attacker.weigh(space, features, attacker.amounts(counts), total)
            yield total


def reidentifiers(
    population: Population, names: Sequence[str], *, windows: bool = False
) -> list[Reidentifier]:
    """The attackers called ``names``: of ``linear.SCHEMES``, "retrieval" for all of these,
    "boolean", or "encoder" (also "encoder:FOLDER" for one that was trained).

    Args:
        windows: whether attackers trained on windows stand beside them; then "retrieval" is
            ``BESIDE_WINDOWS``.

    Raises:
        ConfigError: if there is none of that name.
    """
    found: dict[str, Reidentifier] = {}
    for name in names:
        group = BESIDE_WINDOWS if windows else RETRIEVAL
        for each in retrieval_names(population, group) if name == "retrieval" else (name,):
            found.setdefault(each, _made(population, each))
    return list(found.values())


def retrieval_names(population: Population, group: Sequence[str] = RETRIEVAL) -> tuple[str, ...]:
    """The linear attackers that a population can afford."""
    return tuple(name for name in group if affordable(population, SCHEMES[name]))


def _made(population: Population, name: str) -> Reidentifier:
    kind, _, folder = name.partition(":")
    if kind == "boolean":
        from intact.reidentification.boolean import BooleanAttacker

        return BooleanAttacker(population)
    if kind == "encoder":
        from intact.reidentification.encoder import EncoderAttacker

        return EncoderAttacker(population, folder or None)
    return Retrieval(linear_attacker(population, name))


def probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """A softmax of standardised scores: attackers with different scales become comparable."""
    import numpy as np

    spread = float(scores.std())
    if spread < 1e-12:
        return np.full(len(scores), 1 / len(scores))
    found = np.exp((scores - scores.max()) / spread)
    shares: NDArray[np.float64] = found / found.sum()
    return shares


def ranking(scores: NDArray[np.float64], top: int) -> Ranking:
    """The ``top`` individuals by score; of equal ones the first."""
    import numpy as np

    top = min(top, len(scores))
    if top < len(scores):
        floor = np.partition(scores, len(scores) - top)[len(scores) - top]
        among = np.flatnonzero(scores >= floor)
    else:
        among = np.arange(len(scores))
    order = among[np.argsort(-scores[among], kind="stable")][:top]
    shares = probabilities(scores)[order]
    return Ranking(tuple(map(int, order)), tuple(float(round(share, 9)) for share in shares))


def rank_of(scores: NDArray[np.float64], individual: int) -> int:
    """How many others score as much or more: 0 is the first place, not shared with anyone."""
    import numpy as np

    return int(np.count_nonzero(scores >= scores[individual] - TIE)) - 1


def together(rankings: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The ensemble: each individual's largest probability by any attacker, as scores."""
    import numpy as np

    best: NDArray[np.float64] = np.max([probabilities(scores) for scores in rankings], axis=0)
    return best
