"""Measuring sanitised documents: utility, privacy, truth, language. One metric a class."""

from intact.evaluation.metric import EvaluationContext, Metric
from intact.evaluation.results import Results, evaluate

__all__ = ["EvaluationContext", "Metric", "Results", "evaluate"]
