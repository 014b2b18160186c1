"""Measuring sanitised documents: utility, privacy, truth, language. One metric a class."""

from importlib.util import find_spec

from intact.errors import MissingExtraError

for _module, _package in {
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "wordfreq": "wordfreq",
    "jinja2": "jinja2",
}.items():
    if find_spec(_module) is None:
        raise MissingExtraError.of(_package, "evaluation")

from intact.evaluation.metric import EvaluationContext, Metric  # noqa: E402
from intact.evaluation.results import Results, evaluate  # noqa: E402

__all__ = ["EvaluationContext", "Metric", "Results", "evaluate"]
