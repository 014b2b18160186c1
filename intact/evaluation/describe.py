"""The part of docs/metrics.md that lists the metrics: ``python -m intact.evaluation.describe``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from intact import registry
from intact.evaluation.metric import Metric

_BETTER = {"higher": "More is better", "lower": "Less is better", "": "Neither way is better"}


def describe() -> str:
    """A section for each built-in metric, from its class."""
    return "\n".join(line for name in registry.BUILT_IN["metric"] for line in _section(name))


def _section(name: str) -> Iterator[str]:
    metric = registry.load("metric", name)
    if not (isinstance(metric, type) and issubclass(metric, Metric)):
        return
    yield f"## `{metric.name}`: {metric.title}\n"
    yield f"{' '.join(inspect.cleandoc(metric.__doc__ or '').split())}\n"
    yield f"- {_BETTER[metric.better]}."
    yield f"- Source: {metric.source}."
    yield from (f"- Needs {need}." for need in metric.needs)
    yield ""


if __name__ == "__main__":
    sys.stdout.write(describe())
