"""Measuring sanitised documents: utility, privacy, truth, language. One metric a class."""

from importlib.util import find_spec

from intact.errors import MissingExtraError

for _module in ("numpy", "scipy", "sklearn", "wordfreq", "jinja2"):
    if find_spec(_module) is None:
        raise MissingExtraError.of_module(_module)

from intact.evaluation.metric import EvaluationContext, Metric  # noqa: E402
from intact.evaluation.results import Results, evaluate  # noqa: E402

__all__ = ["EvaluationContext", "Metric", "Results", "evaluate"]
