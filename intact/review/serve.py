"""A review, served to this machine's browser until it is ended."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from intact.config import Settings
from intact.errors import RunError
from intact.review.app import review_app
from intact.review.release import certify, decided_parts, pipeline_factory
from intact.review.session import Review, ReviewSession
from intact.run.job import Job, run
from intact.run.shards import Shard

_PATIENCE = 3.0
"""Seconds that the address waits for the first document, so that the page has it at once."""


def serve_review(review: Review, port: int, say: Callable[[str], None]) -> None:
    """Serves a page at 127.0.0.1 until the process is told to end.

    Args:
        review: what to show.
        port: 0 takes a free one.
        say: told the address and where the decisions are.
    """
    session = ReviewSession(review)
    try:
        session.prepare(_PATIENCE)
        token = secrets.token_urlsafe(24)
        with _listening(port) as listening:
            say(f"Review: http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
            say(f"Decisions: {review.decisions} (Ctrl-C ends the review; nothing is lost.)")
            config = uvicorn.Config(
                review_app(session, token, lambda: released(review, session.settings)),
                access_log=False,
                log_level="critical",
                server_header=False,
                timeout_graceful_shutdown=3,
            )
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        session.close()


def _listening(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
    except OSError as error:
        made.close()
        raise RunError(
            f"cannot listen ({error.strerror})",
            where=f"port {port}",
            remedy="Take another port; 0 takes a free one.",
        ) from None
    return made


def released(review: Review, settings: Settings) -> dict[str, Any]:
    """Writes the output with the decisions as they stand; says where, and what is in it.

    Args:
        review: what is reviewed.
        settings: with the glossary as it is now.
    """
    job = Job(
        sources=review.files(),
        out=review.out,
        folder=review.source.is_dir(),
        annotator=settings.run.annotator,
        settings=settings.decisive,
        parts=decided_parts(settings, review.decisions),
        keep_journal=settings.run.keep_journal,
        keep_record=settings.run.keep_record,
    )
    told = run(job, pipeline_factory(settings, review.decisions), Shard()).figures
    if review.certified is not None:
        certify(job, review.decisions, review.certified)
    notes = [f"not as decided: document {one}" for one in told.get("drifted", {})]
    notes += [f"not protected: document {one}" for one in told.get("unprotected_documents", {})]
    written = [str(one) for one in (review.out, review.certified) if one is not None]
    return {"out": ", ".join(written), "outcomes": told.get("outcomes", {}), "notes": notes}
