"""The review by a person: the page, the file of decisions, and the certificate."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from intact.config import Settings, sha256
from intact.errors import RunError
from intact.run.work import Factory


def pipeline_factory(settings: Settings, decisions: Path) -> Factory:
    """Return what makes the pipeline of a run with people's decisions, in each of its processes.

    Raises:
        RunError: if there is no such file.
    """
    from intact.pipeline import build_pipeline  # start-up
    from intact.review.decisions import Decisions, read_decisions  # start-up

    if not decisions.is_file():
        raise RunError(
            "there is no such file", where=str(decisions), remedy="intact review writes it."
        )
    made = Decisions(read_decisions(decisions))
    return partial(build_pipeline, settings, made)


def decided_parts(settings: Settings, decisions: Path) -> dict[str, str]:
    """Return what a result depends on beside the settings, the decisions among it."""
    from intact.pipeline import describe_parts  # start-up

    parts = describe_parts(settings)
    return parts | ({"decisions": sha256(decisions)} if decisions.exists() else {})
