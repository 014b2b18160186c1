import ast
import json
import subprocess
import sys

import pytest

from intact.errors import NotMeasuredError, ResourceError
from intact.evaluation.corpus import MaskedString
from intact.evaluation.judge import (
    WEIGHTS,
    LearnedJudge,
    LessSpecific,
    Truthful,
    judgment_features,
)
from intact.evaluation.metric import EvaluationContext


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("3 May 1996", "May 1996", 1.0),
        ("3 May 1996", "June 1996", -1.0),
        ("three", "between two and five", 1.0),
        ("London", "a city", 0.0),
    ],
)
def test_what_can_be_proved(encoder, before, after, verdict):
    [row] = judgment_features([MaskedString(before, after, "DATETIME")], encoder)
    assert row["covers"] == verdict


def test_a_proof_outweighs_the_regression(encoder, tmp_path):
    doubting = {"bias": -9.0, "weights": {}}
    weights = tmp_path / "weights.json"
    both = {"truthful": doubting, "less_specific": doubting}
    weights.write_text(json.dumps({"version": 1, "encoder": "letters"} | both))
    judge = LearnedJudge(encoder, weights)
    items = [
        MaskedString("3 May 1996", "May 1996", "DATETIME"),
        MaskedString("Bonn", "city", "LOC"),
    ]
    for target, least in (("truthful", 0.95), ("less_specific", 0.9)):
        proved, other = judge.judge(items, target)
        assert proved == least
        assert other < 0.01


JUDGING = """
import sys
from intact.domain import Document, Edit, IdentifierType, Mention, Span
from intact.evaluation import evaluate

london = Mention("m", Span(3, 9), "London", "e", "LOC", IdentifierType.QUASI)
document = Document("d", "In London.", (london,))
edits = {"d": [Edit(Span(3, 9), "a city in England")]}
scores = evaluate([document], {"x": edits}, ["truthful", "less_specific"]).systems["x"]
assert scores["truthful"].n == scores["less_specific"].n == 1
print(sorted(name for name in sys.modules if name.startswith("intact.")))
"""


def test_the_judge_never_asks_our_own_knowledge():
    """Neither the judge nor anything that calls it loads the knowledge base or a generator."""
    done = subprocess.run(
        [sys.executable, "-c", JUDGING], capture_output=True, text=True, check=True
    )
    loaded = ast.literal_eval(done.stdout.splitlines()[-1])
    assert "intact.evaluation.judge" in loaded
    own = ("intact.knowledge", "intact.planning", "intact.verification", "intact.pipeline")
    assert [name for name in loaded if name.startswith(own)] == []


def test_weights_hold_only_names_of_features_and_numbers(encoder):
    data = json.loads(WEIGHTS.read_text())
    [names] = judgment_features([MaskedString("London", "a city", "LOC")], encoder)
    for target in ("truthful", "less_specific"):
        assert set(data[target]["weights"]) == set(names)
        assert all(isinstance(value, float) for value in data[target]["weights"].values())


def test_names_and_what_is_gone_are_left_out_and_another_encoder_measures_nothing(
    encoder, replaced, context
):
    encoder.name = "minilm"
    context = EvaluationContext(encoder)
    found = Truthful(context).scores([replaced("x", "a city", "", "y", "a city")])
    assert {score.name for score in found} == {"truthful", "truthful/LOC"}
    assert found[0].n == 2
    assert LessSpecific(context).score([replaced("x", "a city", "", "y", "a city")]).n == 2


def test_with_another_encoder_or_no_weights_it_is_not_measured(context, replaced, tmp_path):
    with pytest.raises(NotMeasuredError, match="--encoder minilm"):
        Truthful(context).scores([replaced("x", "a city", "", "y", "a city")])
    with pytest.raises(ResourceError):
        LearnedJudge(context.embedder, weights=tmp_path / "none.json")
