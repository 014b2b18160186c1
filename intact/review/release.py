"""What a review releases: the same run that ``intact sanitize --decisions`` makes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from intact.build import build_pipeline, describe_parts
from intact.config import Settings
from intact.errors import IntactError, RunError
from intact.run.files import sha256, write_private
from intact.run.job import Job, load_manifest, run
from intact.run.source import SourceFile
from intact.run.work import Factory


def pipeline_factory(settings: Settings, decisions: Path | None) -> Factory:
    """What makes the pipeline of a run, in each of its processes.

    Args:
        settings: of the run.
        decisions: what people decided, if anything.

    Raises:
        RunError: if there is no such file.
    """
    if decisions is None:
        return partial(build_pipeline, settings)
    if not decisions.is_file():
        raise RunError(
            "there is no such file", where=str(decisions), remedy="intact review writes it."
        )
    from intact.review.decisions import Decisions, read_decisions  # start-up

    made = Decisions(read_decisions(decisions), settings.generation)
    return partial(build_pipeline, settings, made)


def decided_parts(settings: Settings, decisions: Path | None) -> dict[str, str]:
    """What a result depends on beside the settings, the decisions among it.

    Args:
        settings: of the run.
        decisions: their file, if there is one.
    """
    parts = describe_parts(settings)
    if decisions is not None and decisions.exists():
        parts["decisions"] = sha256(decisions)
    return parts


def certify(job: Job, decisions: Path | None, path: Path) -> None:
    """Writes the certificate of a run that is finished.

    Args:
        job: the run.
        decisions: what people decided, if anything.
        path: of the certificate.
    """
    from intact.review.certificate import certificate, record  # start-up
    from intact.review.decisions import read_decisions

    manifest = load_manifest(job.manifest)
    if manifest is None or not manifest["finished"]:
        raise RunError("the run left no manifest", where=str(job.manifest))
    outputs = dict(manifest["output"])
    if str(path) in outputs:
        raise RunError("it would replace the output", where=str(path))
    outputs.pop(str(job.edits), None)
    lines = [] if decisions is None else read_decisions(decisions)
    write_private(path, certificate(record({**manifest, "output": outputs}, lines)))


def released(
    sources: Sequence[SourceFile],
    out: Path,
    folder: bool,
    settings: Settings,
    decisions: Path,
    certified: Path | None,
) -> dict[str, Any]:
    """Writes the output with the decisions as they stand, and says where and what is in it.

    Args:
        sources: the input.
        out: a file, or a folder.
        folder: whether the input is a folder.
        settings: of the run.
        decisions: their file.
        certified: where to write the certificate, if anywhere.
    """
    job = Job(
        sources=sources,
        out=out,
        folder=folder,
        annotator=settings.run.annotator,
        settings=settings.decisive,
        parts=decided_parts(settings, decisions),
        keep_journal=settings.run.keep_journal,
        keep_record=settings.run.keep_record,
    )
    summary = run(job, pipeline_factory(settings, decisions), Unheard())
    if certified is not None:
        certify(job, decisions, certified)
    figures = summary.figures
    notes = [f"not as decided: document {one}" for one in figures.get("drifted", {})]
    notes += [f"not protected: document {one}" for one in figures.get("unprotected_documents", {})]
    written = [str(one) for one in (out, certified) if one is not None]
    return {"out": ", ".join(written), "outcomes": figures.get("outcomes", {}), "notes": notes}


class Unheard:
    """An ``Observer`` that nobody listens to."""

    def advanced(self, read: int, size: int, spans: int, documents: int = 1) -> None:
        """See ``Observer``."""

    def warned(self, message: str) -> None:
        """See ``Observer``."""

    def skipped(self, error: IntactError | str) -> None:
        """See ``Observer``."""
