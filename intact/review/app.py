"""The page of a review over HTTP, for one person, on this machine, in one browser; its release."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel

from intact.errors import InputError, RunError
from intact.review.certificate import certify
from intact.review.decisions import Action, decided_parts, pipeline_factory
from intact.review.session import Review, ReviewSession
from intact.run.files import left_out
from intact.run.job import Job, Observer, run
from intact.server.app import LOOPBACK, AuthMiddleware, add_error_handlers, problem

_PAGE = Path(__file__).with_name("page")
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_MOST_BYTES = 64 << 10
_OURS = "x-intact"  # a header that a page of another origin cannot send without asking

Next = Callable[[Request], Awaitable[Response]]


class ReleaseRequest(BaseModel):
    """The questions of a release that a person has confirmed, word for word."""

    confirmed: list[str] = []


class DecisionRequest(BaseModel):
    """A person's decision; see ``ReviewSession.decide``."""

    action: Action
    key: str = ""
    text: str = ""
    type: str = ""
    places: list[tuple[int, int]] = []


def review_app(
    session: ReviewSession, token: str, release: Callable[[Sequence[str]], dict[str, Any]]
) -> AuthMiddleware:
    """Return the ASGI application.

    Args:
        token: opens the page once; the browser has a cookie from then on.
        release: writes the output and says where, or asks what is not confirmed yet.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    _let_in(app, token)
    add_error_handlers(app)

    @app.get("/api/overview")
    def overview() -> dict[str, Any]:
        return session.overview()

    @app.get("/api/documents/{number}")
    def document(number: int) -> Response:
        return JSONResponse(session.document(_checked(session, number)))

    @app.post("/api/documents/{number}/decide")
    def decide(number: int, body: DecisionRequest) -> Response:
        number, action = _checked(session, number), body.action
        if action is Action.UNDO:
            return JSONResponse(session.undo(number, body.text))
        asked = (body.key, body.text, body.type, body.places)
        return JSONResponse(session.decide(number, action, *asked))

    @app.get("/api/audit")
    def audit() -> Response:
        named = {"Content-Disposition": 'attachment; filename="decisions.csv"'}
        return Response(session.audit(), media_type="text/csv; charset=utf-8", headers=named)

    @app.post("/api/release")
    def released(body: ReleaseRequest) -> dict[str, Any]:
        return release(body.confirmed)

    app.mount("/", StaticFiles(directory=_PAGE, html=True))
    return AuthMiddleware(app, token="", hosts=LOOPBACK, most_bytes=_MOST_BYTES)


def _checked(session: ReviewSession, number: int) -> int:
    if not 0 <= number < len(session.documents):
        raise InputError("there is no such document")
    return number


def _let_in(app: FastAPI, token: str) -> None:
    """Let in who has the token, once, and then who has the cookie it was changed for."""
    cookie, secret = f"intact-{secrets.token_hex(4)}", secrets.token_urlsafe(32)
    left = [token]

    @app.middleware("http")
    async def guard(request: Request, go_on: Next) -> Response:
        given = request.query_params.get("token", "")
        known = hmac.compare_digest(request.cookies.get(cookie, "").encode(), secret.encode())
        answer: Response
        if given and left and hmac.compare_digest(given.encode(), left[0].encode()):
            left.clear()
            answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
            answer.set_cookie(cookie, secret, httponly=True, samesite="strict", path="/")
        elif given and known:
            answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        elif not known:
            how = "open the address that intact review printed; it works once, in one browser"
            answer = problem(HTTPStatus.UNAUTHORIZED, how)
        elif request.method == "POST" and _OURS not in request.headers:
            answer = problem(HTTPStatus.FORBIDDEN, "only the page itself may ask for that")
        else:
            answer = await go_on(request)
        answer.headers.update(_HEADERS)
        return answer


_PATIENCE = 3.0  # seconds the address waits for the first document, so that the page has it at once


def serve_review(review: Review, port: int, say: Callable[[str], None]) -> None:
    """Serve a page at 127.0.0.1 until the process is told to end.

    Args:
        port: 0 takes a free one.
        say: told the address and where the decisions are.
    """
    with closing(ReviewSession(review)) as session:
        session.prepare(_PATIENCE)
        token = secrets.token_urlsafe(24)
        with _listening(port) as listening:
            say(f"Review: http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
            say(f"Decisions: {review.decisions} (Ctrl-C ends the review; nothing is lost.)")
            config = uvicorn.Config(
                review_app(session, token, partial(release, session)),
                access_log=False,
                log_level="critical",
                server_header=False,
                timeout_graceful_shutdown=3,
            )
            uvicorn.Server(config).run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        refused = f"cannot listen ({os.strerror(error.errno or 0)})"
        remedy = "Take another port; 0 takes a free one."
        raise RunError(refused, where=f"port {port}", remedy=remedy) from None


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
        settings=settings,
        parts=decided_parts(settings, review.decisions),
        unread=left_out(review.source, review.kind, sources, review.out),
    )
    figures = run(job, pipeline_factory(settings, review.decisions), Observer()).figures
    if review.certified is not None:
        certify(job, review.decisions, review.certified, confirmed_by=session.by)
    notes = [f"not as decided: document {one}" for one in figures.get("drifted", {})]
    notes += [f"not protected: document {one}" for one in figures.get("unprotected_documents", {})]
    written = [str(one) for one in (review.out, review.certified) if one is not None]
    return {"out": ", ".join(written), "outcomes": figures.get("outcomes", {}), "notes": notes}
