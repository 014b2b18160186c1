"""The release of a review: what a person is asked before it, and the run that writes the output."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from intact.review import decided_parts, pipeline_factory
from intact.review.certificate import certify
from intact.review.session import ReviewSession
from intact.run.job import Job, Observer, run


def release_questions(session: ReviewSession) -> list[str]:
    """Return what has to be confirmed before the output is written."""
    asked, review = session.questions(), session.review
    for path in filter(None, (review.out, review.certified)):
        if path.exists():
            at = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(" ", "minutes")
            asked.append(f"It is replaced: {path}, written {at[:16]} UTC")
    return asked


def release(session: ReviewSession, confirmed: Sequence[str]) -> dict[str, Any]:
    """Write the output with the decisions as they stand, once every question is confirmed.

    Args:
        session: the documents and decisions; its settings have the glossary as it is now.
        confirmed: questions that a person has confirmed, word for word.

    Returns:
        ``questions``, if one is not confirmed: nothing is written then. Else ``out``, where it was
        written, ``outcomes`` and ``notes``.
    """
    asked = release_questions(session)
    if not set(asked) <= set(confirmed):
        return {"questions": asked}
    review, settings = session.review, session.settings
    sources = review.files()
    job = Job(
        sources=sources,
        out=review.out,
        folder=review.source.is_dir(),
        annotator=settings.run.annotator,
        settings=settings.decisive,
        parts=decided_parts(settings, review.decisions),
        unread=review.unread(sources),
        keep_record=settings.run.keep_record,
    )
    figures = run(job, pipeline_factory(settings, review.decisions), Observer()).figures
    if review.certified is not None:
        certify(job, review.decisions, review.certified, confirmed_by=session.by)
    notes = [f"not as decided: document {one}" for one in figures.get("drifted", {})]
    notes += [f"not protected: document {one}" for one in figures.get("unprotected_documents", {})]
    written = [str(one) for one in (review.out, review.certified) if one is not None]
    return {"out": ", ".join(written), "outcomes": figures.get("outcomes", {}), "notes": notes}
