"""Where a person decides: the page, the file of decisions, and the certificate."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from intact.config import Settings, sha256
from intact.errors import RunError
from intact.run.work import Factory


def pipeline_factory(settings: Settings, decisions: Path | None) -> Factory:
    """What makes the pipeline of a run, in each of its processes.

    Args:
        settings: of the run.
        decisions: what people decided, if anything.

    Raises:
        RunError: if there is no such file.
    """
    from intact.pipeline import build_pipeline  # start-up

    if decisions is None:
        return partial(build_pipeline, settings)
    if not decisions.is_file():
        raise RunError(
            "there is no such file", where=str(decisions), remedy="intact review writes it."
        )
    from intact.review.decisions import Decisions, read_decisions  # start-up

    made = Decisions(read_decisions(decisions))
    return partial(build_pipeline, settings, made)


def decided_parts(settings: Settings, decisions: Path | None) -> dict[str, str]:
    """What a result depends on beside the settings, the decisions among it.

    Args:
        settings: of the run.
        decisions: their file, if there is one.
    """
    from intact.pipeline import describe_parts  # start-up

    parts = describe_parts(settings)
    if decisions is not None and decisions.exists():
        parts["decisions"] = sha256(decisions)
    return parts
