"""The HTTP interface: POST /sanitize, /detect, /evaluate; GET /health and a page about it all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from intact import __version__
from intact.config import Settings
from intact.domain import Mention, SanitizedDocument
from intact.errors import ContextError, InputError, IntactError, MissingExtraError, ModelError
from intact.formats.outcome import mention_fields
from intact.server.auth import LOOPBACK, AuthMiddleware
from intact.server.page import POLICY, page
from intact.server.schemas import (
    DetectedMention,
    DetectRequest,
    DetectResponse,
    EvaluateRequest,
    EvaluateResponse,
    Health,
    MentionOut,
    Problem,
    SanitizeRequest,
    SanitizeResponse,
    ScoreOut,
)
from intact.server.service import (
    BusyError,
    DeadlineError,
    DocumentService,
    Limits,
    SanitizerService,
    finite,
)

_FIELD = re.compile(r"\w{1,20}")
"""What may be told of a field that does not exist: its name is the client's, and could be text."""
_GONE = 499
"""The status of what nobody hears any more."""
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The body is no UTF-8, or the host's name is wrong."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    413: {"model": Problem, "description": "The body or the text is too large."},
    422: {"model": Problem, "description": "The request, the text or its mentions are wrong."},
    500: {"model": Problem, "description": "A fault of INTACT, or of a model."},
    501: {"model": Problem, "description": "A package that this needs is not installed."},
    503: {"model": Problem, "description": "Too many requests wait; try again later."},
    504: {"model": Problem, "description": "The request took too long and was given up."},
}


def create_app(
    settings: Settings,
    *,
    presets: Mapping[str, Settings] | None = None,
    token: str = "",
    local: bool = True,
    limits: Limits | None = None,
) -> AuthMiddleware:
    """The ASGI application.

    Args:
        settings: of every request that names no preset.
        presets: the settings that a request may name instead.
        token: what clients have to bring; "" asks for none.
        local: whether it may only be called by this machine's own names.
        limits: how much it takes on.
    """
    limits, presets = limits or Limits(), presets or {}
    service = SanitizerService(partial(DocumentService, {**presets, "": settings}), limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="INTACT",
        version=__version__,
        description="Truthful text sanitisation: personal information becomes the most specific "
        "statement that is still true and safe. Offsets are Unicode code points, ends exclusive.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=_PROBLEMS,
    )
    _routes(app, service, limits, sorted(presets))
    _errors(app)
    return AuthMiddleware(
        app,
        token=token,
        hosts=LOOPBACK if local else None,
        most_bytes=limits.most_bytes,
    )


def _routes(
    app: FastAPI, service: SanitizerService, limits: Limits, presets: Sequence[str]
) -> None:
    def chosen(preset: str | None) -> str:
        if preset is None or preset in presets:
            return preset or ""
        raise HTTPException(422, f"preset: there is none of that name; {', '.join(presets)}")

    @app.post("/sanitize")
    async def sanitize(body: SanitizeRequest, request: Request) -> SanitizeResponse:
        """Replaces personal information; finds it first, if the request does not say where."""
        mentions = None if body.mentions is None else _raws(body.mentions)
        if mentions is None:
            _check_length(body.text, limits)
        preset = chosen(body.preset)
        done = await _awaited(request, service.do("sanitize", preset, body.text, mentions))
        return _sanitized(done, detected=body.mentions is None)

    @app.post("/detect")
    async def detect(body: DetectRequest, request: Request) -> DetectResponse:
        """Finds personal information. It is no promise that it is all there is."""
        _check_length(body.text, limits)
        found = await _awaited(request, service.do("detect", chosen(body.preset), body.text))
        mentions = [
            DetectedMention(
                **_placed(item.mention), kind=item.kind, score=item.score, sources=item.sources
            )
            for item in found.found
        ]
        return DetectResponse(mentions=mentions, notes=list(found.notes))

    @app.post("/evaluate")
    async def evaluate(body: EvaluateRequest, request: Request) -> EvaluateResponse:
        """Scores a sanitised text: what is left, how much was changed, how much meaning is kept."""
        outcome = body.edits if body.sanitized_text is None else body.sanitized_text
        wanted = body.text, _raws(body.mentions), outcome, body.metrics
        scores = await _awaited(request, service.do("evaluate", *wanted))
        return EvaluateResponse(
            scores=[
                ScoreOut(name=s.name, value=finite(s.value), n=s.n, signature=s.signature)
                for s in scores
            ]
        )

    @app.get("/health")
    async def health() -> Health:
        """Says that the server is there."""
        return Health(status="ok", version=__version__)

    @app.get("/docs", include_in_schema=False)
    @app.get("/", include_in_schema=False)
    async def docs() -> HTMLResponse:
        told = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
        return HTMLResponse(page(app.openapi(), presets), headers=told)


async def _awaited(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """What the work gives. It is given up where the client does not wait for it."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    task, left = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise HTTPException(_GONE, "nobody waits for the answer")
        return task.result()
    finally:
        task.cancel()
        left.cancel()


def _check_length(text: str, limits: Limits) -> None:
    if len(text) > limits.most_characters:
        raise HTTPException(
            413,
            f"the text has {len(text)} characters; at most {limits.most_characters} are searched "
            "for mentions. Send it in parts, or with its mentions",
        )


def _errors(app: FastAPI) -> None:
    """Every error as {"error": ...}, without any of the request in it."""

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if _FIELD.fullmatch(str(part)))
        return _problem(422, f"{place}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)

    @app.exception_handler(BusyError)
    async def _(request: Request, error: BusyError) -> JSONResponse:
        answer = _problem(503, "too many requests wait; try again later")
        answer.headers["Retry-After"] = "5"
        return answer

    @app.exception_handler(DeadlineError)
    async def _(request: Request, error: DeadlineError) -> JSONResponse:
        return _problem(504, "the request took too long and was given up; send a shorter text")

    @app.exception_handler(IntactError)
    async def _(request: Request, error: IntactError) -> JSONResponse:
        return _problem(_status(error), str(error))


def _status(error: IntactError) -> int:
    if isinstance(error, InputError | ContextError):
        return 422
    if isinstance(error, MissingExtraError):
        return 501
    return 503 if isinstance(error, ModelError) else 500


def _problem(status: int, error: str) -> JSONResponse:
    return JSONResponse({"error": error}, status_code=status)


def _raws(mentions: Any) -> list[dict[str, Any]]:
    return [mention.model_dump(mode="json", exclude_none=True) for mention in mentions]


def _placed(mention: Mention) -> dict[str, Any]:
    return {
        "start": mention.span.start,
        "end": mention.span.end,
        "type": mention.entity_type,
        "identifier_type": mention.identifier_type,
        "entity_id": mention.entity_id,
    }


def _sanitized(done: SanitizedDocument, *, detected: bool) -> SanitizeResponse:
    fields = mention_fields(done)
    return SanitizeResponse(
        text=done.text,
        mentions=[
            MentionOut(
                **_placed(mention),
                replacement=fields[mention.id]["replacement"],
                outcome=fields[mention.id]["outcome"],
            )
            for mention in done.document.mentions
        ],
        edits=[(edit.span.start, edit.span.end, edit.text) for edit in done.edits],
        detected=detected,
        protected=done.protected,
        notes=list(done.notes),
    )
