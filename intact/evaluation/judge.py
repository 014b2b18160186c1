"""The learned judge: logistic regression over ``judge_features``, calibrated on human judgments,
and proofs where there are some.

The weights are in judge_weights.json and hold numbers only. eval/judgments/train.py makes them and
prints how well they agree with people on documents that were not trained on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.errors import ResourceError
from intact.evaluation.judge_features import Subsumes, features
from intact.evaluation.truth import Replaced, Verdict
from intact.protocols import Embedder

PROVED = {"truthful": ("covers", 0.95), "less_specific": ("strictly_covers", 0.9)}
"""Where containment is proved, a verdict is at least this: the share of such replacements that
people agreed on (94 % and 89 % of 69 and 61)."""

WEIGHTS = Path(__file__).with_name("judge_weights.json")


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic regression: P = 1 / (1 + exp(-(bias + sum of weight * feature)))."""

    bias: float
    weights: Mapping[str, float]

    def probability(self, row: Mapping[str, float]) -> float:
        """P for one row of features; features without a weight count nothing."""
        total = self.bias + math.fsum(
            weight * row.get(name, 0.0) for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-total)) if total > -700 else 0.0


class LearnedJudge:
    """Judges replacements as people did. What stands for nothing is judged neither.

    Args:
        embedder: the encoder that the weights were made with.
        subsumes: the knowledge base's verdict, where there is one.
        weights: another weights file.

    Raises:
        ResourceError: if the weights cannot be read.
    """

    def __init__(
        self, embedder: Embedder, subsumes: Subsumes | None = None, weights: Path = WEIGHTS
    ) -> None:
        self._embedder = embedder
        self._subsumes = subsumes
        data = _read(weights)
        self.name = f"learned({data['encoder']},{data['version']})"
        self._truthful = Logistic(**data["truthful"])
        self._less_specific = Logistic(**data["less_specific"])

    def judge(self, items: Sequence[Replaced]) -> Sequence[Verdict]:
        """One verdict each, in order; equal items are judged once."""
        distinct = list(dict.fromkeys(items))
        names, values = features(distinct, self._embedder, self._subsumes)
        rows = (dict(zip(names, row, strict=True)) for row in values)
        verdicts = {
            item: Verdict(
                settled("truthful", self._truthful.probability(row), row),
                settled("less_specific", self._less_specific.probability(row), row),
            )
            for item, row in zip(distinct, rows, strict=True)
        }
        return [verdicts[item] for item in items]


def settled(target: str, probability: float, row: Mapping[str, float]) -> float:
    """``probability`` of a verdict, raised where ``row`` holds the proof of it."""
    feature, least = PROVED[target]
    return max(probability, least) if row[feature] > 0 else probability


def _read(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise ResourceError(
            "the judge's weights cannot be read",
            where=str(path),
            remedy="Reinstall INTACT, or make them with eval/judgments/train.py.",
        ) from None
    return data
