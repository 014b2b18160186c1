"""Attackers that identify the individual of a document, the meaning of their scores, and how the
score of one individual moves while a document changes.

The score of a linear attacker is a sum over the features of a document, so when a word changes,
scores change by the weights of its features. An encoder has to read the document again.

``tfidf`` and ``bm25`` compare the document with whole texts. ``ridge``, ``ridge_grams`` and
``naive_bayes`` are trained on windows of the texts, plain and with names masked, to recognise their
individuals (Manzanares-Salor et al. 2024 and Pilán et al. 2024, 4.2, with linear models).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from intact.errors import ResourceError, require
from intact.protocols import make_part
from intact.reidentification import population as people
from intact.reidentification.population import Counts, Features, Ids, Population, folded_words

# The attackers that the name "all" means; those that a population is too large for are left out.
LINEAR = ("tfidf", "bm25", "ridge", "ridge_grams", "naive_bayes")

TIE = 1e-9  # scores that differ by less are equal; the order of a sum can make such a difference
Scores = NDArray[np.float64]


class Reidentifier(Protocol):
    """Identifies the individuals of documents. Other packages add theirs through entry points of
    the group ``intact.reidentifier``: a callable from a ``Population`` to one of these."""

    name: str

    def scores(self, texts: Sequence[str]) -> Scores:
        """Score every individual for each text, shape (texts, individuals); a higher score is
        likelier."""


def reidentifiers(
    population: Population, names: Sequence[str], *, skip_too_large: bool = False
) -> list[Reidentifier]:
    """Return attackers ready for a population, each once, in the order of the names.

    Args:
        population: the individuals among whom they choose; some attackers are trained on it.
        names: of parts of the kind "reidentifier"; "all" for those in ``LINEAR``, without the ones
            that the population is too large for; "encoder:MODEL" for an encoder.
        skip_too_large: leave out attackers that the population is too large for, even if named.

    Raises:
        ResourceError: if the population is too large for an attacker that was named.
        ConfigError: if there is no attacker of a name.
    """
    made: dict[str, Reidentifier] = {}
    for name in names:
        for each in LINEAR if name == "all" else (name,):
            kind, _, argument = each.partition(":")
            given = population, *filter(None, (argument,))
            try:
                if each not in made:
                    made[each] = make_part("reidentifier", kind, *given)
            except ResourceError:
                if not (skip_too_large or name == "all"):
                    raise
    return list(made.values())


def probabilities(scores: Scores) -> Scores:
    """Return the probability of each individual by an attacker's scores, comparable between
    attackers: a softmax of the scores divided by their standard deviation. All are equal if all
    scores are.

    Args:
        scores: of every individual, shape (individuals,).
    """
    weights = np.exp((scores - scores.max()) / max(float(scores.std()), 1e-12))
    return np.asarray(weights / weights.sum())


def ranking(scores: Scores, top: int) -> list[tuple[int, float]]:
    """List the likeliest individuals, likeliest first, as (number, probability rounded to nine
    decimals); of equal ones the one with the lower number comes first.

    Args:
        scores: of every individual, shape (individuals,).
        top: how many to list at most.
    """
    order = np.argsort(-scores, kind="stable")[:top]
    shares = probabilities(scores)
    return [(int(one), float(round(shares[one], 9))) for one in order]


def others_ahead(scores: Scores, individual: int) -> int:
    """Return how many others score as much as an individual (within ``TIE``), or more. 0 is the
    first place, shared with nobody, so an attacker that cannot tell individuals apart gets no
    credit.

    Args:
        scores: of every individual, shape (individuals,).
        individual: its number.
    """
    return int(np.count_nonzero(scores >= scores[individual] - TIE)) - 1


def combined(scores: Sequence[Scores]) -> Scores:
    """Return the scores of an ensemble, shape (individuals,): for each individual the largest
    probability that any attacker gives it.

    Args:
        scores: of each attacker, shape (individuals,), at least one.
    """
    return np.asarray(np.max([probabilities(each) for each in scores], axis=0))


# Saturation and length correction of BM25 (Robertson and Zaragoza 2009, usual values).
K1, B = 1.5, 0.75
STRENGTH, GRAM_STRENGTH = 0.1, 1.0  # penalties of the ridge regressions: words, character n-grams
SMOOTHING = 0.1  # added to counts by naive Bayes
MOST_WINDOWS = 8_000  # most windows an attacker is trained on: time grows with their cube
# The most weights (features times individuals) that a trained attacker may have.
MOST_NUMBERS = 100_000_000

_NAME = re.compile(r"(?<=[\w,;)] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]*)*|\w*\d(?:[\w.,/-]*\w)?")


@dataclass(eq=False)
class LinearReidentifier:
    """One linear attacker on one population. Features that it does not know count as nothing."""

    name: str
    spaces: tuple[str, ...]
    keys: Features  # ascending
    known: InitVar[Any]  # their weights, shape (features, individuals), sparse or not
    counting: Literal["log", "once", "each"]  # by 1 + ln count, by 1, or by the count

    def __post_init__(self, known: Any) -> None:
        """Keep the number of individuals, and the weights with a last row of zeros, for unknown
        features."""
        self.size: int = known.shape[1]
        if isinstance(known, np.ndarray):
            self._weights: Any = np.vstack((known, np.zeros((1, self.size), known.dtype)))
        else:
            sparse = require("scipy.sparse")
            self._weights = sparse.vstack((known, sparse.csr_array((1, self.size))), "csr")

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Score every individual for each text, shape (texts, individuals); a higher score is
        likelier."""
        rows = [folded_words(text) for text in texts]
        counts = Counts.joined(list(people.count(rows, self.spaces).values()))
        held = counts.matrix.astype(np.float64)
        held.data = self.amounts(held.data)
        scores = held.T @ self.weights(counts.keys)
        return np.asarray(scores if isinstance(scores, np.ndarray) else scores.toarray())

    def weights(self, features: Features) -> Any:
        """Return how strongly each feature speaks for each individual, shape (features,
        individuals), sparse or not; 0 for unknown features."""
        return self._weights[_places(self.keys, features)]

    def lead(self, features: Features, individual: int, rival: int) -> NDArray[np.float64]:
        """Return how much more each feature speaks for an individual than for a rival (the
        difference of their weights), shape (features,).

        Args:
            features: any; unknown ones give 0.
            individual: its number.
            rival: the number of another one.
        """
        rows = _places(self.keys, features)  # of unknown ones the last row, which is zero
        return self._column(individual, rows) - self._column(rival, rows)

    def _column(self, individual: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the weights of one individual in some rows, shape (rows,); 0 in the last row,
        which is that of unknown features.

        Args:
            individual: its number.
            rows: indices of features.
        """
        if isinstance(self._weights, np.ndarray):
            return np.asarray(self._weights[rows, individual], dtype=np.float64)
        held = self._by_individual
        own = slice(held.indptr[individual], held.indptr[individual + 1])
        return np.append(held.data[own], 0.0)[_places(held.indices[own], rows)]

    @cached_property
    def _by_individual(self) -> Any:
        return self._weights.tocsc()  # its rows ascend in each column

    def amounts(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Turn the counts of features in a document into the amounts that multiply their weights,
        by the attacker's way of counting: the count, 1, or 1 + ln count; always 0 for count 0."""
        if self.counting == "each":
            return counts.astype(np.float64)
        if self.counting == "once":
            return (counts > 0).astype(np.float64)
        return np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0)


def _places(keys: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of each wanted key among ascending ones; for an unknown key the number of
    keys.

    Args:
        keys: ascending.
        wanted: in any order.
    """
    last = len(keys)
    places = np.minimum(np.searchsorted(keys, wanted), max(last - 1, 0))
    return np.where(keys[places] == wanted, places, last) if last else places


def tfidf(population: Population) -> LinearReidentifier:
    """Return the attacker that compares TF-IDF vectors (logarithmic counts) of words and
    neighbouring words by cosine."""
    spaces = ("word", "pair", "adjacent")
    counts = Counts.joined([population.spaces[space] for space in spaces])
    vectors, idf = _vectors(counts)
    known = require("scipy.sparse").csr_array(vectors.T)
    known.data *= np.repeat(idf, np.diff(known.indptr))
    return LinearReidentifier("tfidf", spaces, counts.keys, known, "log")


def bm25(population: Population) -> LinearReidentifier:
    """Return the attacker that uses the document as a query to BM25 (the word-matching model of
    Morris et al. 2022, 5)."""
    counts = population.spaces["word"]
    known = require("scipy.sparse").csr_array(counts.matrix, dtype=np.float64)
    spread = np.diff(known.indptr)
    idf = np.log1p((population.size - spread + 0.5) / (spread + 0.5))
    full = K1 * (1 - B + B * population.lengths / population.lengths.mean())
    known.data *= np.repeat(idf, spread) * (K1 + 1) / (known.data + full[known.indices])
    return LinearReidentifier("bm25", ("word",), counts.keys, known, "once")


def ridge(population: Population) -> LinearReidentifier:
    """Return an attacker trained to predict the individual of a window from words and neighbouring
    words by ridge regression. Raise a ``ResourceError`` if the population is too large."""
    return _ridge("ridge", population, ("word", "pair", "adjacent"), STRENGTH)


def ridge_grams(population: Population) -> LinearReidentifier:
    """Return an attacker trained to predict the individual of a window from the character n-grams
    of its words by ridge regression. Raise a ``ResourceError`` if the population is too large."""
    return _ridge("ridge_grams", population, ("gram",), GRAM_STRENGTH)


def naive_bayes(population: Population) -> LinearReidentifier:
    """Return an attacker by complement naive Bayes, trained on the words of windows (Rennie et al.
    2003). Raise a ``ResourceError`` if the population is too large."""
    counts, owners = _windows(population, ("word",), "naive_bayes")
    vectors, idf = _vectors(counts)
    rows = np.zeros((0, population.size))
    if len(counts.keys):
        bayes = require("sklearn.naive_bayes").ComplementNB(alpha=SMOOTHING)
        rows = bayes.fit(vectors, owners).feature_log_prob_.T
    rows = ((rows - rows.mean(axis=1, keepdims=True)) * idf[:, None]).astype(np.float32)
    return LinearReidentifier("naive_bayes", ("word",), counts.keys, rows, "each")


def _ridge(
    name: str, population: Population, spaces: tuple[str, ...], strength: float
) -> LinearReidentifier:
    """Return an attacker trained by ridge regression, solved in its dual form, with as many
    unknowns as windows. Raise a ``ResourceError`` if the population is too large.

    Args:
        name: of the attacker.
        population: whose windows it learns.
        spaces: the features that it reads.
        strength: of the penalty.
    """
    counts, owners = _windows(population, spaces, name)
    vectors, idf = _vectors(counts)
    wanted = (owners[:, None] == np.arange(population.size)).astype(np.float64)
    kernel = (vectors @ vectors.T).toarray()
    kernel[np.diag_indices_from(kernel)] += strength
    duals = np.linalg.solve(kernel, wanted - wanted.mean(axis=0)).astype(np.float32)
    rows = (vectors.T.astype(np.float32) @ duals) * idf[:, None].astype(np.float32)
    return LinearReidentifier(name, spaces, counts.keys, rows, "log")


def _vectors(counts: Counts) -> tuple[Any, NDArray[np.float64]]:
    """Return TF-IDF vectors of length 1, shape (texts, features), sparse; and the IDF of each
    feature, shape (features,)."""
    sparse = require("scipy.sparse")
    if not len(counts.keys):
        return sparse.csr_array((counts.matrix.shape[1], 0)), np.zeros(0)
    transformer = require("sklearn.feature_extraction.text").TfidfTransformer(sublinear_tf=True)
    vectors = transformer.fit_transform(counts.matrix.T.astype(np.float64))
    return sparse.csr_array(vectors), transformer.idf_


def _windows(population: Population, spaces: Sequence[str], name: str) -> tuple[Counts, Ids]:
    """Count the features in windows of all texts, plain and with names masked. Return the counts,
    shape (features, windows), and the number of each window's individual. A ``ResourceError`` if
    there are too many windows or weights.

    Args:
        population: the individuals and their texts.
        spaces: the kinds of features to count.
        name: of the attacker, for the message.
    """
    rows: list[Sequence[str]] = []
    owners: list[int] = []
    for owner, text in enumerate(population.texts):
        for copy in (text, masked_copy(text)):
            own = people.windows(folded_words(copy))
            rows += own
            owners += [owner] * len(own)
        if len(rows) > MOST_WINDOWS:
            raise ResourceError(f"the population is too large for {name}")
    counts = Counts.joined(list(people.count(rows, spaces).values()))
    if len(counts.keys) * population.size > MOST_NUMBERS:
        raise ResourceError(f"the population is too large for {name}")
    return counts, np.array(owners)


def masked_copy(text: str) -> str:
    """Return a text with names and words with a digit ("B2", "3.45") cut out; the white space
    around them stays. Names are runs of capitalised words that come after a word, comma, semicolon
    or closing bracket and a space, and so begin no sentence."""
    return _NAME.sub("", text)


Counted = tuple[Features, Ids]  # distinct features, ascending, and the count of each


class AttackerState:
    """The scores of one attacker for the document as it is now. The goal is that ``k`` others come
    before the individual."""

    def __init__(self, attacker: Any, individual: int, k: int) -> None:
        """Keep the attacker, the individual and k; the scores of all individuals begin at 0."""
        self.attacker, self.name = attacker, attacker.name
        self.individual, self._k = individual, k
        self.scores = np.zeros(attacker.size)  # of every individual

    @cached_property
    def rival(self) -> int:
        """Return the number of the other individual with the k-th highest score; of equal scores
        the lower number counts as higher; with fewer than k others, the last of them."""
        most = min(self._k + 1, len(self.scores))
        floor = np.partition(self.scores, len(self.scores) - most)[len(self.scores) - most]
        best = np.flatnonzero(self.scores >= floor)
        best = best[np.lexsort((best, -self.scores[best]))]
        return int(best[best != self.individual][: self._k][-1])

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the scores, at least 1e-12."""
        return max(float(self.scores.std()), 1e-12)

    @property
    def rank(self) -> int:
        """Return the rank of the true individual; 1 is the first place, and others with an equal
        score come before it."""
        return others_ahead(self.scores, self.individual) + 1

    def excess(self, margin: float) -> float:
        """Return by how many standard deviations the individual scores too high: above the rival's
        score less ``margin`` of them. 0 if it is that far below the rival, and k others come first;
        else at least 1e-6."""
        over = float(self.scores[self.individual] - self.scores[self.rival])
        if over <= -margin * self.deviation and self.rank > self._k:
            return 0.0
        return max(over / self.deviation + margin, 1e-6)

    def weigh(self, features: Features, before: Ids, after: Ids) -> None:
        """Update the scores of all individuals for features whose counts in the document have
        changed.

        Args:
            features: those that changed, distinct.
            before: the count of each before.
            after: the count of each now.
        """
        amounts = self.attacker.amounts(after) - self.attacker.amounts(before)
        self.scores += amounts @ self.attacker.weights(features)
        for worked_out in ("rival", "deviation"):  # cached values of the scores before
            self.__dict__.pop(worked_out, None)

    def shares(self, document: LinkageScores, owner: Ids, units: int) -> NDArray[np.float64]:
        """Return the part of the individual's lead over the k-th other that the words of each unit
        (words that change together) cause, shape (units + 1,). The last number is the part of all
        other words.

        Args:
            document: the features as they are now.
            owner: the unit of each word, -1 for none, shape (words,). A feature of two words counts
                for both units.
            units: how many there are.
        """
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


class LinkageScores:
    """The scores of several linear attackers for one individual in a document, whose features are
    ``placed``. The goal is that ``k`` others come before the individual, or half as many for the
    ``lesser`` attackers, whose ranks are not reported."""

    def __init__(
        self,
        attackers: Sequence[Reidentifier],
        individual: int,
        k: int,
        featurizer: people.Featurizer,
        words: Ids,
        lesser: Sequence[Reidentifier] = (),
    ) -> None:
        """Make a state for each attacker, the lesser ones last and with half of k (rounded up), and
        score the document's words."""
        self._featurizer = featurizer
        self._reported = len(attackers)
        self._states = [AttackerState(each, individual, k) for each in attackers]
        self._states += [AttackerState(each, individual, (k + 1) // 2) for each in lesser]
        self.placed: dict[str, people.Placed] = {}
        spaces = dict.fromkeys(space for each in self._states for space in each.attacker.spaces)
        nothing = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        self.counts: dict[str, Counted] = dict.fromkeys(spaces, nothing)
        self.move(words)

    def move(self, words: Ids) -> None:
        """Update the scores of all attackers, each against the one individual, to the document as
        it is now.

        Args:
            words: the ids of all its words, in order.
        """
        for space, old in self.counts.items():
            self.placed[space] = self._featurizer.placed(words, space)
            new = np.unique(self.placed[space].features, return_counts=True)
            keys = np.union1d(old[0], new[0])
            before, after = _at(keys, old), _at(keys, new)
            changed = before != after
            if changed.any():
                for each in self._states:
                    if space in each.attacker.spaces:
                        each.weigh(keys[changed], before[changed], after[changed])
            self.counts[space] = new

    def ranks(self) -> Mapping[str, int]:
        """Return the rank of the true individual by the name of each attacker, the lesser ones left
        out; 1 is the first place, and others with an equal score come before the individual."""
        return {each.name: each.rank for each in self._states[: self._reported]}

    def excess(self, margin: float) -> NDArray[np.float64]:
        """Return, for each attacker, the lesser ones last, by how many standard deviations the
        individual scores too high, 0 if it is hidden; see ``AttackerState.excess``."""
        return np.array([each.excess(margin) for each in self._states])

    def gains(self, owner: Ids, units: int, excess: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much the words of each unit (words that change together) add to the scores
        that are too high, shape (units,). For each attacker, a unit's share is taken in standard
        deviations, at most the excess, and multiplied by the excess; so the attacker with whom the
        individual scores highest counts most. A number below 0 means that the words lower these
        scores.

        Args:
            owner: the unit of each word, -1 for none, shape (words,).
            units: how many there are.
            excess: by attacker, as ``excess`` returns it.
        """
        total = np.zeros(units)
        for each, over in zip(self._states, excess, strict=True):
            if over > 0:
                shares = each.shares(self, owner, units)[:units]
                total += over * np.clip(shares / each.deviation, None, over)
        return total


def _at(keys: Features, counted: Counted) -> Ids:
    """Return the count of each feature, in the order of ``keys``; 0 for those that are not counted.

    Args:
        keys: features, ascending, with all that are counted.
        counted: some of them, and their counts.
    """
    counts = np.zeros(len(keys), dtype=np.int64)
    counts[np.searchsorted(keys, counted[0])] = counted[1]
    return counts
