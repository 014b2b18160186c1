"""Whose a document is: attackers by name, and what their scores mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from intact import registry
from intact.errors import ResourceError
from intact.reidentification.population import Population

LINEAR = ("tfidf", "bm25", "ridge", "ridge_grams", "naive_bayes")
"""What the name "all" stands for; those that a population is too large for are left out."""

TIE = 1e-9
"""Scores that differ by less are equal: sums made in another order may."""

Scores = NDArray[np.float64]


class Reidentifier(Protocol):
    """Tells whose documents are. Other packages add theirs through entry points of the group
    ``intact.reidentifier``: a callable from a ``Population`` to one of these."""

    name: str

    def scores(self, texts: Sequence[str]) -> Scores:
        """Shape (len(texts), individuals of the population); more is likelier."""


def reidentifiers(
    population: Population, names: Sequence[str], *, skip_too_large: bool = False
) -> list[Reidentifier]:
    """The attackers called ``names``, made ready for a population.

    Args:
        population: whose individuals they rank.
        names: of the registry; "all" for all linear ones that the population allows,
            "encoder:MODEL" for an encoder of a name or folder.
        skip_too_large: leave out what the population is too large for.

    Raises:
        ConfigError: if there is none of that name.
        ResourceError: if the population is too large for one.
    """
    found: dict[str, Reidentifier] = {}
    for name in names:
        for each in LINEAR if name == "all" else (name,):
            kind, _, argument = each.partition(":")
            given = (population, argument) if argument else (population,)
            try:
                if each not in found:
                    found[each] = registry.make("reidentifier", kind, *given)
            except ResourceError:
                if not (skip_too_large or name == "all"):
                    raise
    return list(found.values())


def probabilities(scores: Scores) -> Scores:
    """A softmax of standardised scores: attackers with different scales become comparable."""
    spread = float(scores.std())
    if spread < 1e-12:
        return np.full(len(scores), 1 / len(scores))
    found = np.exp((scores - scores.max()) / spread)
    shares: Scores = found / found.sum()
    return shares


def ranking(scores: Scores, top: int) -> list[tuple[int, float]]:
    """The likeliest individuals with their probabilities; of equal ones the first.

    Args:
        scores: of all individuals for one document.
        top: how many are wanted, at least 1.
    """
    order = np.argsort(-scores, kind="stable")[:top]
    shares = probabilities(scores)
    return [(int(one), float(round(shares[one], 9))) for one in order]


def rank_of(scores: Scores, individual: int) -> int:
    """How many others score as much or more: 0 is the first place, not shared with anyone, so
    that an attacker that cannot tell individuals apart gets no credit.

    Args:
        scores: of all individuals for one document.
        individual: the number of one.
    """
    return int(np.count_nonzero(scores >= scores[individual] - TIE)) - 1


def combined(scores: Sequence[Scores]) -> Scores:
    """The ensemble: each individual's largest probability by any attacker, as scores."""
    best: Scores = np.max([probabilities(each) for each in scores], axis=0)
    return best
