import math

import numpy as np
import pytest

from intact.domain import Score
from intact.evaluation.metric import (
    PERMUTATIONS,
    bootstrap,
    mean_score,
    paired_difference,
    wilson,
)


def test_mean_is_weighted_by_units_and_of_nothing_no_number():
    score = mean_score("x", [("a", 0.25)] * 4 + [("b", 1), ("c", 1)], [1, 1, 1, 1, 1, 0])
    assert score.value == pytest.approx(2 / 5)
    assert score.n == 5
    assert (score.per_document, score.weights) == ({"a": 0.25, "b": 1.0}, {"a": 4, "b": 1})
    score = mean_score("x", [])
    assert math.isnan(score.value)
    assert score.n == 0
    assert score.interval is None


def test_intervals_by_hand_and_by_bootstrap():
    low, high = wilson(5, 10)
    assert (low, high) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert [wilson(0, n)[0] for n in range(1, 200)] == [0.0] * 199
    assert wilson(10, 10)[1] == pytest.approx(1.0)
    values = [0.1, 0.4, 0.5, 0.9, 0.3, 0.2]
    first = bootstrap(values, [1] * 6, seed=3)
    assert first == bootstrap(values, [1] * 6, seed=3)
    assert first != bootstrap(values, [1] * 6, seed=4)
    assert first[0] < np.mean(values) < first[1]
    assert bootstrap([1.0, 1.0], [1, 1]) == (1.0, 1.0)


def test_paired_difference():
    documents = {f"d{index}": index / 20 for index in range(20)}
    better = {key: value + 0.1 for key, value in documents.items()}
    one = Score("x", 0, 20, "", per_document=documents)
    two = Score("x", 0, 20, "", per_document=better)
    found = paired_difference(one, two)
    assert found.value == pytest.approx(0.1)
    assert found.interval == pytest.approx((0.1, 0.1))
    assert found.p == pytest.approx(1 / PERMUTATIONS, rel=0.01)
    assert found.documents == 20
    assert paired_difference(one, one).p == 1.0
    nothing = Score("x", 0.3, 1, "", per_document={})
    assert math.isnan(paired_difference(one, nothing).p)


def test_both_means_are_over_the_documents_that_both_have():
    one = Score("x", 0.5, 4, "", None, {"a": 0.2, "b": 0.8, "c": 0.5}, {"a": 1.0, "b": 1.0, "c": 2})
    two = Score("x", 0.9, 2, "", None, {"a": 0.9, "c": 0.9, "e": 0.9}, {"a": 3.0, "c": 1.0, "e": 1})
    assert paired_difference(one, two).means == pytest.approx((0.4, 0.9))
    other = Score("x", 0.1, 1, "", None, {"f": 0.1})
    assert paired_difference(one, other).means == (0.5, 0.1)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ((1, 1), 2 / 4),
        ((0.1, 0.2, 0.1, 0.3, 0.2), 2 / 32),  # all one way, and no asterisk
        ((0.1, 0.2, 0.1, 0.3, 0.2, 0.1), 2 / 64),
        ((1, 2, -3.000001), 1.0),  # as rounded in results.json
        ((3, 2, -1), 4 / 8),  # 4, 6 and their opposites
        ((0, 0, 0), 1.0),
    ],
)
def test_p_is_the_share_of_exchanges_that_differ_as_much(differences, p):
    keys = range(len(differences))
    one = Score("x", 0, 9, "", per_document={str(key): 0.5 for key in keys})
    better = {str(key): 0.5 + differences[key] for key in keys}
    assert paired_difference(one, Score("x", 0, 9, "", per_document=better)).p == p


@pytest.mark.parametrize("documents", [4, 9, 18])
def test_p_is_that_of_scipy(documents):
    test = pytest.importorskip("scipy.stats").permutation_test
    values = np.random.default_rng(documents).random((2, documents)).round(3)
    values[1] += 0.15
    one, two = (Score("x", 0, 9, "", None, dict(enumerate(own))) for own in values)
    wanted = test(
        values,
        lambda a, b, axis: (b - a).mean(axis=axis),
        permutation_type="samples",
        n_resamples=2**documents,
        batch=10_000,
    )
    drawn = 0.02 if documents > 13 else 1e-9
    assert paired_difference(one, two).p == pytest.approx(wanted.pvalue, abs=drawn)


def test_documents_are_exchanged_with_their_weights():
    weights = {"a": 3.0, "b": 1.0, "c": 1.0}
    one = Score("x", 0, 9, "", None, {"a": 0.0, "b": 1.0, "c": 0.0}, weights)
    two = Score("x", 0, 9, "", None, {"a": 1.0, "b": 0.0, "c": 1.0}, weights)
    assert paired_difference(one, two).p == 6 / 8  # 5, 3 and 3 fifths of 5, 3, 3 and 1
