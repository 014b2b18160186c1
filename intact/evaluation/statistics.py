"""Scores from per-document counts: weighted means, bootstrap and Wilson intervals, signatures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intact import __version__
from intact.domain import Score

RESAMPLES = 1000
"""Bootstrap resamples of documents behind each 95 % interval."""

_Z95 = 1.959963984540054
_BLOCK = 100  # resamples drawn at once: bounds memory


@dataclass(frozen=True, slots=True)
class Tally:
    """What one document adds to a mean: a sum over its units, and how many units it has."""

    total: float
    units: float = 1.0


def tally(values: Iterable[tuple[str, float]]) -> dict[str, Tally]:
    """One value a unit with its document's id, summed by document."""
    sums: dict[str, list[float]] = {}
    for key, value in values:
        sums.setdefault(key, []).append(value)
    return {key: Tally(math.fsum(found), len(found)) for key, found in sums.items()}


def mean_score(
    name: str, tallies: Mapping[str, Tally], *, seed: int = 0, **made_with: object
) -> Score:
    """The mean over all units, with a bootstrap interval over documents.

    Documents without units do not count. Without any unit the value is NaN, n is 0.

    Args:
        name: of the score.
        tallies: by document id.
        seed: of the bootstrap.
        made_with: what else the signature tells, by name.
    """
    counted = {key: tally for key, tally in tallies.items() if tally.units > 0}
    values = {key: tally.total / tally.units for key, tally in counted.items()}
    weights = {key: tally.units for key, tally in counted.items()}
    units = sum(weights.values())
    value = sum(tally.total for tally in counted.values()) / units if units else math.nan
    return Score(
        name=name,
        value=value,
        n=round(units),
        signature=sign(name, **made_with, n=round(units), seed=seed),
        interval=bootstrap(list(values.values()), list(weights.values()), seed=seed),
        per_document=values,
        weights={} if all(weight == 1 for weight in weights.values()) else weights,
    )


def bootstrap(
    values: Sequence[float], weights: Sequence[float], *, seed: int = 0
) -> tuple[float, float] | None:
    """95 % percentile interval of the weighted mean, resampling documents.

    None for fewer than two documents.

    Args:
        values: the score of each document.
        weights: units that each score is over.
        seed: of the resampling.
    """
    if len(values) < 2:
        return None
    means = resampled_means(np.asarray(values, float), np.asarray(weights, float), seed)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def resampled_means(
    values: NDArray[np.float64], weights: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Weighted means of ``RESAMPLES`` resamples with replacement, shape (RESAMPLES,).

    Args:
        values: of each document, shape (documents,).
        weights: of each document, shape (documents,).
        seed: the same seed gives the same resamples.
    """
    draw = np.random.default_rng(seed)
    size = len(values)
    means = []
    for _ in range(RESAMPLES // _BLOCK):
        chosen = draw.integers(size, size=(_BLOCK, size))
        means.append((values * weights)[chosen].sum(axis=1) / weights[chosen].sum(axis=1))
    return np.concatenate(means)


def wilson(hits: int, n: int) -> tuple[float, float] | None:
    """Wilson's 95 % interval of a proportion; None for n = 0.

    Args:
        hits: 0 to n.
        n: trials.

    Source: Wilson 1927, as anonymeter reports risks (Giomi et al. 2023, eq. 2-3).
    """
    if n == 0:
        return None
    share, z2 = hits / n, _Z95 * _Z95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired comparison of two scores on the same documents.

    Attributes:
        value: second minus first.
        interval: 95 % bootstrap interval of the difference.
        p: two-sided bootstrap p-value.
        documents: how many documents both scores have.
    """

    value: float
    interval: tuple[float, float] | None
    p: float
    documents: int


def paired_difference(first: Score, second: Score, *, seed: int = 0) -> Difference:
    """Second minus first over the documents both have, resampling documents as pairs.

    Args:
        first: a score with its documents.
        second: another of the same metric.
        seed: of the bootstrap.
    """
    shared = [key for key in first.per_document if key in second.per_document]
    if not shared:
        return Difference(second.value - first.value, None, math.nan, 0)
    arrays = [
        (
            np.array([score.per_document[key] for key in shared], float),
            np.array([score.weights.get(key, 1.0) for key in shared], float),
        )
        for score in (first, second)
    ]
    one, two = (float(np.average(values, weights=weights)) for values, weights in arrays)
    if len(shared) < 2:
        return Difference(two - one, None, math.nan, len(shared))
    one_means, two_means = (resampled_means(v, w, seed) for v, w in arrays)
    differences = two_means - one_means
    low, high = (float(edge) for edge in np.percentile(differences, (2.5, 97.5)))
    below, above = float((differences <= 0).mean()), float((differences >= 0).mean())
    return Difference(two - one, (low, high), min(1.0, 2 * min(below, above)), len(shared))


def sign(metric: str, **parameters: object) -> str:
    """A signature: "tps|encoder:minilm|ic:frequency(en,sum)|n:113|seed:0|intact:0.1.0"."""
    parts = [metric, *(f"{key}:{value}" for key, value in parameters.items())]
    return "|".join([*parts, f"intact:{__version__}"])
