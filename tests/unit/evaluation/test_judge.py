import json
import math

import pytest

from intact.errors import NotMeasuredError, ResourceError
from intact.evaluation.judge import WEIGHTS, LearnedJudge, Logistic
from intact.evaluation.judge_features import contained, features
from intact.evaluation.metric import EvaluationContext
from intact.evaluation.truth import Replaced
from intact.evaluation.truthfulness import LessSpecific, Truthful


def test_logistic_by_hand() -> None:
    model = Logistic(-1.0, {"a": 2.0, "b": -1.0})
    assert model.probability({"a": 1.0, "b": 0.5}) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert model.probability({}) == pytest.approx(1 / (1 + math.e))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("3 May 1996", "May 1996", 1.0),
        ("3 May 1996", "June 1996", -1.0),
        ("three", "between two and five", 1.0),
        ("London", "a city", 0.0),
    ],
)
def test_what_can_be_proved(before: str, after: str, verdict: float) -> None:
    assert contained(Replaced(before, after, "DATETIME")) == verdict


def test_the_knowledge_base_is_asked() -> None:
    item = Replaced("London", "a city in England", "LOC")
    assert contained(item, lambda general, specific, kind: True) == 1.0


def test_features_are_numbers_with_one_name_each(encoder) -> None:
    items = [Replaced("London", "a city", "LOC"), Replaced("1996", "DATETIME_1", "DATETIME")]
    names, rows = features(items, encoder)
    assert len(names) == len(set(names)) == len(rows[0]) == len(rows[1])
    assert all(math.isfinite(value) for row in rows for value in row)
    assert features([], encoder) == ([], [])


def test_weights_hold_only_names_of_features_and_numbers(encoder) -> None:
    data = json.loads(WEIGHTS.read_text())
    names, _ = features([Replaced("London", "a city", "LOC")], encoder)
    for target in ("truthful", "less_specific"):
        assert set(data[target]["weights"]) == set(names)
        assert all(isinstance(value, float) for value in data[target]["weights"].values())


def test_equal_items_are_judged_alike(encoder) -> None:
    item = Replaced("London", "a city", "LOC")
    one, two = LearnedJudge(encoder).judge([item, item])
    assert one == two
    assert 0 < one.truthful < 1


def test_metrics_leave_out_names_and_what_is_gone(encoder, replaced) -> None:
    context = EvaluationContext(encoder, judge=LearnedJudge(encoder))
    found = Truthful(context).scores([replaced("x", "a city", "", "y", "a city")])
    assert {score.name for score in found} == {"truthful", "truthful/LOC"}
    assert found[0].n == 2
    assert LessSpecific(context).score([replaced("x", "a city", "", "y", "a city")]).n == 2


def test_without_a_judge_it_is_not_measured(context, replaced) -> None:
    with pytest.raises(NotMeasuredError):
        Truthful(context).scores([replaced("x", "a city", "", "y", "a city")])


def test_broken_weights_are_an_error(encoder, tmp_path) -> None:
    with pytest.raises(ResourceError):
        LearnedJudge(encoder, weights=tmp_path / "none.json")
