"""The base class of metrics, and the context that they may use.

A metric is made once and scores one system at a time: the corpus's documents, each with the edits
of that system. Results that depend on the originals alone are kept between systems.
"""

from __future__ import annotations

import math
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from intact import __version__
from intact.domain import Answer, Document, Entity, SanitizedDocument, Score
from intact.english.vocabulary import STOP_WORDS
from intact.errors import require
from intact.evaluation.corpus import MaskedString
from intact.models.encoder import SentenceEncoder
from intact.protocols import Attacker, Embedder

if TYPE_CHECKING:
    from intact.evaluation.reader import ModelReader

Pairs = Sequence[SanitizedDocument]
Units = Iterable[tuple[str, float]]  # document id and value of each item that a mean is over
Typed = Sequence[tuple[str, str, float]]  # the same with the entity type of each in the middle
Weights = Iterable[float]
Vector = NDArray[np.float64]
ALIKE: Weights = repeat(1)
WORD = re.compile(r"[^\W_]+(?:['’\-./][^\W_]+)*")
_SAID = tomllib.loads(Path(__file__).with_name("metrics.toml").read_text("utf-8"))
_FLOOR = 1e-8  # least frequency; below that of every word in wordfreq's large English list


def word_bits(term: str) -> list[float]:
    """Return the information of each content word of a term in bits, in order: -log2 P, at most 27.
    P is a word's frequency in general language (wordfreq), which needs no model. [] if there is no
    word.

    The information of a term is the sum of its words' bits, as if they were independent. Stop words
    count only in a term that has no others. Raise a ``MissingExtraError`` without wordfreq.

    Source: Pilán et al. 2024, eq. 4, with word frequencies in place of a masked language model.
    """
    frequency = require("wordfreq").word_frequency
    words = [word.lower() for word in WORD.findall(term)]
    content = [word for word in words if word not in STOP_WORDS] or words
    return [-math.log2(max(frequency(word, "en"), _FLOOR)) for word in content]


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """Parts that metrics may use. A metric that lacks one raises a ``NotMeasuredError``."""

    embedder: Embedder = field(default_factory=SentenceEncoder)
    background: Mapping[str, str] = field(default_factory=dict)  # individual -> public text
    owner: Callable[[str], str] = str  # document id -> the individual that it is about
    layers: Mapping[str, Sequence[Document]] = field(default_factory=dict)  # one per annotator
    attackers: Mapping[str, Attacker] = field(default_factory=dict)
    judge_guess: Callable[[Answer, Entity], bool] | None = None  # whether the answer is right
    reader: ModelReader | None = None  # a language model that reads both texts
    seed: int = 0
    progress: Callable[[str, int, int], None] = lambda what, done, total: None  # what, done, all
    warn: Callable[[str], None] = lambda message: None  # messages hold no document text


class Metric(ABC):
    """A metric with one main score and parts, which are named "main/part". docs/metrics.md states
    its ``source`` (paper and equation) and what it ``needs`` to be given."""

    name: ClassVar[str]
    title: ClassVar[str]
    better: ClassVar[Literal["higher", "lower", ""]]
    source: ClassVar[str]
    needs: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls) -> None:
        """Set the attributes that ``metrics.toml`` has for a metric; metrics of other packages set
        their own."""
        for key, said in _SAID.get(vars(cls).get("name", ""), {}).items():
            setattr(cls, key, said)

    def __init__(self, context: EvaluationContext) -> None:
        self.context = context

    @abstractmethod
    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score one system: return the main score first, then its parts. Raise a
        ``NotMeasuredError`` if the context lacks a part that the metric needs, or the documents
        give nothing to measure."""

    def score(self, pairs: Pairs) -> Score:
        """Score one system; return its main score alone."""
        return self.scores(pairs)[0]

    def mean(
        self, units: Units, part: str = "", weights: Weights = ALIKE, **made_with: object
    ) -> Score:
        """Return a score, the weighted mean over all units of all documents, under this metric's
        name ("name/part"); NaN without units. See ``mean_score``.

        Args:
            units: document id and value of each.
            part: the name of a part; "" for the main score.
            weights: of the units, in their order.
            made_with: what the value depends on (encoder, parameters), for the signature.
        """
        name = f"{self.name}/{part}" if part else self.name
        return mean_score(name, units, weights, seed=self.context.seed, **made_with)

    def by_type(self, found: Typed, part: str = "", **made_with: object) -> tuple[Score, ...]:
        """Return one score for the mean over all units, then one for those of each entity type,
        types in alphabetical order.

        Args:
            found: all units: document id, entity type and value.
            part: the name of a part, "" for the main score; the type's name is added to it.
            made_with: what the values depend on, for the signature.
        """
        scores = []
        for kind in ("", *sorted({kind for _, kind, _ in found})):
            own = ((key, value) for key, of, value in found if kind in ("", of))
            scores.append(self.mean(own, "/".join(filter(None, (part, kind))), ALIKE, **made_with))
        return tuple(scores)


def valued(strings: Sequence[MaskedString], values: Sequence[float]) -> Typed:
    """Combine strings with their values for ``Metric.by_type``: (document id, type, value) of each.

    Args:
        strings: masked strings.
        values: one for each, in order.
    """
    return [(s.document, s.entity_type, value) for s, value in zip(strings, values, strict=True)]


RESAMPLES = 1000  # bootstrap resamples of documents for each 95 % interval
_Z95 = 1.959963984540054
_BLOCK = 100  # resamples drawn at once: bounds memory


def mean_score(
    name: str, units: Units, weights: Weights = ALIKE, *, seed: int = 0, **made_with: object
) -> Score:
    """Return the weighted mean over all units as a score, with a bootstrap interval over documents
    and each document's own mean. The value is NaN if there are no units; the interval is None below
    two documents. Its ``n`` is the sum of the weights, rounded, and its ``weights`` are those sums
    by document, {} if all are 1.

    Args:
        name: of the score, "metric/part".
        units: document id and value of each.
        weights: of the units, in their order; documents whose weights sum to 0 are left out.
        seed: of the bootstrap.
        made_with: what the values depend on (encoder, parameters), for the signature.
    """
    sums: dict[str, float] = {}
    sizes: dict[str, float] = {}
    for (key, one), weight in zip(units, weights, strict=False):
        sums[key] = sums.get(key, 0.0) + one * weight
        sizes[key] = sizes.get(key, 0) + weight
    sizes = {key: size for key, size in sizes.items() if size > 0}
    values, n = {key: sums[key] / size for key, size in sizes.items()}, sum(sizes.values())
    value = sum(sums[key] for key in sizes) / n if n else math.nan
    signature = sign(name, **made_with, n=round(n), seed=seed)
    interval = bootstrap(list(values.values()), list(sizes.values()), seed=seed)
    weighed = {} if all(size == 1 for size in sizes.values()) else sizes
    return Score(name, value, round(n), signature, interval, values, weighed)


def bootstrap(
    values: Sequence[float], weights: Sequence[float], *, seed: int = 0
) -> tuple[float, float] | None:
    """Return the 95 % interval (low, high) of a weighted mean by resampling documents: percentiles
    of the resampled means. None for fewer than two documents.

    Args:
        values: one for each document.
        weights: number of units in each document, above 0.
        seed: of the draw.
    """
    if len(values) < 2:
        return None
    means = resampled_means(np.asarray(values, float), np.asarray(weights, float), seed)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def resampled_means(values: Vector, weights: Vector, seed: int) -> Vector:
    """Draw documents with replacement, ``RESAMPLES`` (1,000) times; return the weighted mean of
    each draw, shape (1000,).

    Args:
        values: shape (documents,).
        weights: shape (documents,), above 0.
        seed: with the same seed and number of documents, the same ones are drawn, so that systems
            can be paired.
    """
    draw = np.random.default_rng(seed)
    means = []
    for _ in range(RESAMPLES // _BLOCK):
        chosen = draw.integers(len(values), size=(_BLOCK, len(values)))
        means.append((values * weights)[chosen].sum(axis=1) / weights[chosen].sum(axis=1))
    return np.concatenate(means)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, (low, high) in [0, 1].

    Args:
        hits: successes, 0 to ``n``.
        n: trials, at least one.

    Source: Wilson 1927, as anonymeter reports risks (Giomi et al. 2023, eq. 2-3).
    """
    share, z2 = hits / n, _Z95 * _Z95
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, round(centre - half, 12)), min(1.0, round(centre + half, 12))


PERMUTATIONS = 10_000  # exchanges for each p: all of them (up to 13 documents), or drawn ones
_ROUNDED = 1e-6  # precision of results.json; differences that differ by less are equal


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first score on the same documents, with both means, the 95 % interval by
    bootstrap (None below two documents), and p by an exact test (then NaN)."""

    value: float
    means: tuple[float, float]
    interval: tuple[float, float] | None
    p: float
    documents: int


def paired_difference(first: Score, second: Score, *, seed: int = 0) -> Difference:
    """Compare two systems on the documents that both have. Return the second mean minus the first,
    both means, the 95 % interval, p, and the number of shared documents.

    If they share no document, or are not scored by document, their whole scores are subtracted.
    Below two shared documents the interval is None and p is NaN.

    Args:
        first: the score of one system.
        second: the score of another, by the same metric.
        seed: of the exchanges, and of the bootstrap, which draws the same documents for both
            systems.
    """
    shared = [key for key in first.per_document if key in second.per_document]
    both, (one, two) = (first, second), (first.value, second.value)
    values = np.array([[each.per_document[key] for key in shared] for each in both], np.float64)
    weights = np.array([[each.weights.get(key, 1.0) for key in shared] for each in both])
    if shared:
        one, two = map(float, np.average(values, axis=1, weights=weights))
    if len(shared) < 2:
        return Difference(two - one, (one, two), None, math.nan, len(shared))
    one_means, two_means = map(resampled_means, values, weights, repeat(seed))
    low, high = map(float, np.percentile(two_means - one_means, (2.5, 97.5)))
    p = _exchanged(np.stack((values * weights, weights), axis=-1), seed)
    return Difference(two - one, (one, two), (low, high), p, len(shared))


def _exchanged(sums: Vector, seed: int) -> float:
    """Exchange two systems in some of their documents, in all ways or in many drawn ones. Return
    the share of the ways in which they differ at least as much as they do, in either direction
    (sign-flip test). The actual way is always among them, so the share is never 0.

    Args:
        sums: of values and of weights, shape (2, documents, 2).
        seed: of the draw, where there are more than ``PERMUTATIONS`` ways.

    Source: Fisher 1935; with drawn ways, Phipson and Smyth 2010.
    """
    gap, n = sums[1] - sums[0], sums.shape[1]
    if 2**n <= PERMUTATIONS:
        moved = (np.arange(2**n)[:, None] >> np.arange(n) & 1) @ gap
    else:
        draw = np.random.default_rng(seed)
        blocks = (draw.integers(2, size=(_BLOCK, n)) @ gap for _ in range(PERMUTATIONS // _BLOCK))
        moved = np.concatenate([np.zeros((1, 2)), *blocks])
    one, two = (sums[0].sum(axis=0) + moved).T, (sums[1].sum(axis=0) - moved).T
    differences = np.abs(two[0] / two[1] - one[0] / one[1])
    return float((differences >= differences[0] - _ROUNDED).mean())


def sign(metric: str, **parameters: object) -> str:
    """Return a signature: "tps|encoder:minilm|ic:frequency(en,sum)|n:113|seed:0|intact:0.1.0".

    Args:
        metric: the score's name.
        parameters: everything that its value depends on, in the order to be shown, but for
            INTACT's version, which is added at the end.
    """
    parts = [metric, *(f"{key}:{value}" for key, value in parameters.items())]
    return "|".join([*parts, f"intact:{__version__}"])


_OF_THE_RUN = ("n", "layers", "seed", "intact")


def comparable_parts(score: Score) -> set[str]:
    """Return those parts of a score's signature that must be equal for two scores to be comparable:
    all except the numbers of units and layers, the seed and the version."""
    parts = score.signature.split("|")
    return {part for part in parts if part.partition(":")[0] not in _OF_THE_RUN}
