"""The page of a review over HTTP, for one person, on this machine, in one browser."""

import hmac
import secrets
from collections.abc import Callable, Sequence
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, FastAPI
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from intact.errors import InputError
from intact.review.decisions import Action
from intact.review.release import release
from intact.review.reviewed import Review
from intact.review.session import DecisionRequest, ReviewSession
from intact.server.app import AuthMiddleware, add_error_handlers, run_server
from intact.server.service import listen

_PAGE = Path(__file__).with_name("page")
_MOST = 16 << 20  # bytes of a request; those that confirm a release may name all documents


def review_app(session: ReviewSession, token: str) -> AuthMiddleware:
    """Build the ASGI application of a review: its page at "/", and the requests of the page under
    "/api/".

    Args:
        session: the documents, and the decisions about them.
        token: opens the review once. From then on the page has a key, which the browser keeps for
            this host and port only; a cookie would be sent to all ports of the machine.
    """
    app, left = FastAPI(docs_url=None, redoc_url=None, openapi_url=None), [token]
    secret = secrets.token_urlsafe(32)
    add_error_handlers(app)

    @app.post("/open")
    async def opened(token: str = "") -> dict[str, str]:
        """Return the key of the page as {"secret": key}, once, for the right token; a wrong or used
        one gets the status 401."""
        if not left or not hmac.compare_digest(token.encode(), left[0].encode()):
            raise HTTPException(HTTPStatus.UNAUTHORIZED, "the address works once, in one browser")
        left.clear()
        return {"secret": secret}

    app.get("/api/overview")(session.overview)

    @app.get("/api/documents/{number}")
    def document(number: int) -> Response:
        """Return a document under review as JSON, by its number from 0."""
        return JSONResponse(session.document(_checked(session, number)))

    @app.post("/api/documents/{number}/decide")
    def decide(number: int, body: DecisionRequest) -> Response:
        """Take a decision, or take one back, and return the changed document as JSON.

        Args:
            number: of the document, from 0.
            body: what is decided, and of which entity or places.
        """
        number = _checked(session, number)
        if body.action is Action.UNDO:
            return JSONResponse(session.undo(number, body.text))
        return JSONResponse(session.decide(number, body))

    @app.get("/api/audit")
    def audit() -> Response:
        """Return all decisions as a CSV file for download."""
        named = {"Content-Disposition": 'attachment; filename="decisions.csv"'}
        return Response(session.audit(), media_type="text/csv; charset=utf-8", headers=named)

    @app.post("/api/release")
    def released(
        confirmed: Annotated[Sequence[str], Body()] = (), state: Annotated[str, Body()] = ""
    ) -> dict[str, Any]:
        """Write the release and return its places and counts; or write nothing, and return the
        questions that have to be confirmed first, with the state that they are about.

        Args:
            confirmed: the questions that a person has confirmed, word for word.
            state: the state that they were asked about.
        """
        return release(session, confirmed, state)

    app.mount("/", StaticFiles(directory=_PAGE, html=True))
    return AuthMiddleware(app, token=secret, local=True, most_bytes=_MOST, guarded="/api/")


def _checked(session: ReviewSession, number: int) -> int:
    """Return the number of a document unchanged; raise an ``InputError`` if there is no such
    document."""
    if not 0 <= number < len(session.documents):
        raise InputError("there is no such document")
    return number


def serve_review(review: Review, port: int, say: Callable[[str], None]) -> None:
    """Serve the page of a review at 127.0.0.1 until the process is told to end.

    Args:
        review: what is reviewed, and the places of its files.
        port: 0 takes a free one.
        say: called with lines for the user: the address, and the place of the decisions.

    Raises:
        RunError: if the port is taken, or a file cannot be written.
        InputError: if the documents cannot be read.
    """
    with closing(ReviewSession(review)) as session:
        session.prepare()
        token = secrets.token_urlsafe(24)
        app = review_app(session, token)
        with listen("127.0.0.1", port) as listening:
            say(f"Review: http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
            say(f"Decisions: {review.decisions} (Ctrl-C ends the review; nothing is lost.)")
            try:
                run_server(app, listening, log_level="critical", timeout_graceful_shutdown=3)
            finally:
                say("\nThe review has ended. The same command takes it up again.")
