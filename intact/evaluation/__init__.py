"""Measurements of sanitised documents: utility, privacy, truth, language. Each metric is a
class."""

from intact.evaluation.metric import EvaluationContext, Metric
from intact.evaluation.results import Results, evaluate

__all__ = ["EvaluationContext", "Metric", "Results", "evaluate"]
