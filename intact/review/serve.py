"""A review, served to this machine's browser until it is ended."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from intact.config import Settings
from intact.errors import RunError
from intact.review.app import review_app
from intact.review.release import certify, decided_parts, pipeline_factory
from intact.review.session import ReviewSession
from intact.run.job import Job, run
from intact.run.shards import Shard
from intact.run.source import SourceFile, find

_PATIENCE = 3.0
"""Seconds that the address waits for the first document, so that the page has it at once."""


@dataclass(frozen=True, slots=True)
class Review:
    """What is reviewed, and where everything lies.

    Attributes:
        source: a file or a folder.
        kind: its format, or None to go by suffix.
        out: what release writes.
        by: who decides.
        redact: keep no originals in the decisions.
        certified: where release writes the certificate, if anywhere.
        glossary: where facts go that are to hold always.
        other: decisions of another person, to compare with.
    """

    source: Path
    kind: str | None
    out: Path
    decisions: Path
    settings: Settings
    by: str
    redact: bool = False
    certified: Path | None = None
    glossary: Path | None = None
    other: Path | None = None

    def files(self) -> tuple[SourceFile, ...]:
        """What there is to read."""
        return find(str(self.source), self.kind, None, self.out)

    def session(self) -> ReviewSession:
        """The review, opened; close it."""
        return ReviewSession(
            self.files(),
            self.settings,
            self.decisions,
            self.by,
            redact=self.redact,
            glossary=self.glossary,
            other=self.other,
        )

    def release(self, settings: Settings) -> dict[str, Any]:
        """Writes the output with the decisions as they stand; says where, and what is in it.

        Args:
            settings: with the glossary as it is now.
        """
        job = Job(
            sources=self.files(),
            out=self.out,
            folder=self.source.is_dir(),
            annotator=settings.run.annotator,
            settings=settings.decisive,
            parts=decided_parts(settings, self.decisions),
            keep_journal=settings.run.keep_journal,
            keep_record=settings.run.keep_record,
        )
        told = run(job, pipeline_factory(settings, self.decisions), Shard()).figures
        if self.certified is not None:
            certify(job, self.decisions, self.certified)
        notes = [f"not as decided: document {one}" for one in told.get("drifted", {})]
        notes += [f"not protected: document {one}" for one in told.get("unprotected_documents", {})]
        written = [str(one) for one in (self.out, self.certified) if one is not None]
        return {"out": ", ".join(written), "outcomes": told.get("outcomes", {}), "notes": notes}


def serve_review(review: Review, port: int, say: Callable[[str], None]) -> None:
    """Serves a page at 127.0.0.1 until the process is told to end.

    Args:
        review: what to show.
        port: 0 takes a free one.
        say: told the address and where the decisions are.
    """
    session = review.session()
    try:
        session.prepare(_PATIENCE)
        token = secrets.token_urlsafe(24)
        with _listening(port) as listening:
            say(f"Review: http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
            say(f"Decisions: {review.decisions} (Ctrl-C ends the review; nothing is lost.)")
            config = uvicorn.Config(
                review_app(session, token, lambda: review.release(session.settings)),
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
