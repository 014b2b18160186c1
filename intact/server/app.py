"""The HTTP interface: POST /sanitize, /detect; GET /health and a page about it all.

By token, host name and size of the body a request is refused before anything is parsed. How many
clients may be connected, and how long a request may take to arrive, is limited."""

import asyncio
import hmac
import re
import resource
import socket
import tomllib
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from typing import Annotated, Any

import h11
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from intact import __version__, errors
from intact.config import Settings
from intact.domain import Document, IdentifierType
from intact.formats import base, outcome
from intact.offline import is_loopback
from intact.server import service

OPEN = frozenset("/ /docs /health /openapi.json /page/style.css /page/script.js".split())
"""Paths that need no token; their answers reveal nothing about any document."""
_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@dataclass(frozen=True, kw_only=True, repr=False)  # it holds a token
class AuthMiddleware:
    """An ASGI application around another one; refuses requests before anything of them is parsed.

    Args:
        app: the other one.
        token: what clients have to send as ``Authorization: Bearer TOKEN``; "" requires none.
        local: whether clients have to address the server by a name of this machine. A page in a
            browser whose own name resolves to this machine is thus refused.
        most_bytes: size of the largest body allowed.
        seconds: how long a body may take to arrive.
        guarded: the beginning of paths that need the token.
    """

    app: ASGIApp = field(kw_only=False)
    token: str
    local: bool
    most_bytes: int
    seconds: float = 20.0
    guarded: str = "/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer it with an error: without the token, to a
        wrong host, with a body that is too large, late or no JSON. Every answer has the headers of
        ``words.toml``: they forbid browsers and proxies to keep it, and its page to ask others."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_headed(message: Message) -> None:
            """Send a message of the answer on; put the headers of every answer into the one that
            begins it."""
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_WORDS["headers"])
            await send(message)

        request = Request(scope, receive)
        try:
            self._check(scope["path"], request.headers)
            body = await asyncio.wait_for(self._body(request), self.seconds)
            if body:  # FastAPI is more lenient, and says less
                base.parse_json(body, "the body")
        except (HTTPException, errors.InputError) as error:
            answer = _answer_to(error)
        except (TimeoutError, ClientDisconnect):
            said = f"the body did not arrive within {self.seconds:g} seconds"
            answer = _answer_to(HTTPException(408, said))
        else:
            first = [{"type": "http.request", "body": body, "more_body": False}]

            async def replay() -> Message:
                return first.pop() if first else await receive()

            await self.app(scope, replay, send_headed)
            return
        answer.headers["Connection"] = "close"
        await answer(scope, receive, send_headed)

    def _check(self, path: str, headers: Headers) -> None:
        """Raise an ``HTTPException`` if the body is compressed (415), the host's name is not
        allowed (400), or a path that needs the token is asked for without it (401); else do
        nothing."""
        name = re.sub(r":\d*\Z", "", headers.get("host", "").lower()).strip("[]")
        if headers.get("content-encoding", "identity") != "identity":
            raise HTTPException(415, "the body is compressed; send it as it is")
        if self.local and not is_loopback(name):
            raise HTTPException(400, _WORDS["unnamed"])
        if not self.token or path in OPEN or not path.startswith(self.guarded):
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("latin-1"), self.token.encode())
        if scheme.lower() != "bearer" or not right:
            raise HTTPException(401, _WORDS["untold"], {"WWW-Authenticate": "Bearer"})

    async def _body(self, request: Request) -> bytes:
        """Return the whole body of a request; raise an ``HTTPException`` (413) if it is larger than
        ``most_bytes``, before more than that and one message of it is in memory."""
        most = self.most_bytes
        too_large = HTTPException(413, f"the body is larger than {most} bytes, the limit")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > most:
            raise too_large
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise too_large
        return bytes(body)


Offset = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class MentionIn(_Body, extra="forbid"):
    """A span of personal information. Offsets are Unicode code points, the end is exclusive."""

    start: Offset
    end: Offset
    type: Name
    """PERSON, CODE, LOC, ORG, DEM, DATETIME, QUANTITY or MISC. A label shows the name of another
    one, which has to be in capitals (MEMBER_NUMBER)."""
    identifier_type: IdentifierType = IdentifierType.QUASI
    entity_id: Name | None = None
    """Mentions with one id are one thing; without any ids, rules decide."""


class DetectRequest(_Body, extra="forbid"):
    """A text to look for personal information in."""

    text: str
    preset: str | None = Field(None, max_length=50)
    """Settings to work under; else those of the server."""


class SanitizeRequest(DetectRequest):
    """A text to sanitise."""

    mentions: list[MentionIn] | None = Field(None, max_length=100_000)
    """What to replace; without any it is detected."""


class _Placed(_Body):
    start: int
    end: int
    type: str
    identifier_type: IdentifierType
    entity_id: str


class MentionOut(_Placed):
    """A mention and what became of it."""

    replacement: str | None
    """null where nothing was to be replaced."""
    outcome: str
    """SAFE, CONTEXT, LABEL, GUESSED, UNPARSED, UNTESTED, COVERED, NO_MASK."""


class SanitizeResponse(_Body):
    """The sanitised text and how it came about. Offsets are those of the original."""

    text: str
    mentions: list[MentionOut]
    edits: list[tuple[int, int, str]]
    """[start, end, what stands there now]"""
    detected: bool
    """Whether the mentions were detected, not given."""
    protected: bool
    """false: the text could not be protected as asked."""
    notes: list[str]


class DetectedMention(_Placed):
    """A mention that was detected."""

    kind: str
    score: float
    sources: list[str]


class DetectResponse(_Body):
    """The mentions found; that is no promise that there are no others."""

    mentions: list[DetectedMention]
    notes: list[str]


class Problem(_Body):
    """A description of what is wrong; never quotes the text."""

    error: str


def create_app(
    settings: Mapping[str, Settings],
    *,
    token: str = "",
    local: bool = True,
    limits: service.Limits | None = None,
) -> AuthMiddleware:
    """Return the ASGI application that answers requests, guarded by token, host name and size of
    the body. Its worker processes start when the first requests come, and end with it.

    Args:
        settings: by the names that requests may give; "" for requests that name no preset.
        token: what clients have to send; "" requires none.
        local: whether only this machine's own names may be used to address it.
        limits: of sizes, times and clients; None is the defaults.
    """
    limits = limits or service.Limits()
    workers = service.SanitizerService(partial(service.DocumentService, settings), limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        """Run the application; end its worker processes when it ends."""
        yield
        workers.close()

    app = FastAPI(
        title="INTACT",
        version=__version__,
        description=_WORDS["about"],
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses={n: {"model": Problem, "description": s} for n, s in _WORDS["problems"].items()},
    )
    _add_routes(app, workers, sorted(filter(None, settings)))
    add_error_handlers(app)
    most, seconds = limits.most_bytes, limits.arrival
    return AuthMiddleware(app, token=token, local=local, most_bytes=most, seconds=seconds)


def _add_routes(app: FastAPI, workers: service.SanitizerService, presets: Sequence[str]) -> None:
    """Add to an application, in place, the routes ``/sanitize``, ``/detect``, ``/health`` and the
    page."""

    def chosen(preset: str | None) -> str:
        """Return the name of the settings asked for, "" for the server's; raise an
        ``HTTPException`` (422) for an unknown name."""
        if preset is None or preset in presets:
            return preset or ""
        raise HTTPException(422, f"preset: there is none of that name; {', '.join(presets)}")

    def check_length(text: str) -> None:
        """Raise an ``HTTPException`` (413) for a text that is too long to be searched for
        mentions."""
        if len(text) > (most := workers.limits.most_characters):
            searched = f"the text has {len(text)} characters; at most {most} are searched for"
            raise HTTPException(413, f"{searched} mentions. Send it in parts, or with its mentions")

    @app.post("/sanitize")
    async def sanitize(body: SanitizeRequest, request: Request) -> SanitizeResponse:
        """Replaces personal information; finds it first, if the request does not say where.

        \f
        Args:
            body: of the request, checked.
            request: given up where its client hangs up.
        """
        given = body.model_dump(mode="json", exclude_none=True)
        if not (mentions := given.get("mentions")):
            check_length(body.text)
        preset = chosen(body.preset)
        done = await _awaited(request, workers.do("sanitize", preset, body.text, mentions))
        told = outcome.decided(done)
        how = told["intact"] | {"mentions": told["mentions"], "detected": not mentions}
        return SanitizeResponse(text=done.text, **how)

    @app.post("/detect")
    async def detect(body: DetectRequest, request: Request) -> DetectResponse:
        """Finds personal information. It is no promise that it is all there is.

        \f
        Args:
            body: of the request, checked.
            request: given up where its client hangs up.
        """
        check_length(body.text)
        detection = await _awaited(request, workers.do("detect", chosen(body.preset), body.text))
        placed = outcome.as_object(Document("text", body.text, detection.mentions))["mentions"]
        mentions = [at | asdict(one) for at, one in zip(placed, detection.found, strict=True)]
        return DetectResponse(mentions=mentions, notes=detection.notes)

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Says that the server is there, and its version."""
        return {"status": "ok", "version": __version__}

    @app.get("/docs", include_in_schema=False)
    @app.get("/", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page(presets))

    app.mount("/page", StaticFiles(directory=Path(__file__).with_name("page")))


async def _awaited(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """Wait for work and return its result. If the client hangs up first, cancel it and raise an
    ``HTTPException`` (499); if the server is being ended, one with status 503."""

    async def gone() -> None:
        """Return when the client has hung up."""
        while (await request.receive())["type"] != "http.disconnect":
            pass

    task, left = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise HTTPException(499, "nobody waits for the answer")
        return task.result()
    except asyncio.CancelledError:
        raise HTTPException(503, "the server is being ended; send the request again") from None
    finally:
        task.cancel()
        left.cancel()


def add_error_handlers(app: FastAPI) -> None:
    """Have an application answer every error as {"error": ...} with the status of its kind (422 for
    a body that is not as it must be), without anything of the request in it."""

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> JSONResponse:
        """Return the answer to a body that is not as it must be (422): the field concerned and what
        is wrong with it, or that it is not marked as JSON."""
        first = error.errors()[0]
        if "json" not in request.headers.get("content-type", ""):
            return _answer_to(HTTPException(422, _WORDS["unlabelled"]))
        own = first["loc"][: -1 if first["type"] == "extra_forbidden" else None]  # not the client's
        return _answer_to(HTTPException(422, f"{'.'.join(map(str, own))}: {first['msg']}"))

    @app.exception_handler(HTTPException)
    @app.exception_handler(errors.IntactError)
    async def _(request: Request, error: HTTPException | errors.IntactError) -> JSONResponse:
        return _answer_to(error)


def _answer_to(error: HTTPException | errors.IntactError) -> JSONResponse:
    """Return the JSON answer {"error": message} for an error, with its status (500 if its kind has
    none), without anything of the request in it. Where too many requests wait, it says to come
    again in 5 seconds."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)
    known = map(_WORDS["statuses"].get, (kind.__name__ for kind in type(error).__mro__))
    status = next(filter(None, known), 500)
    later = {"Retry-After": "5"} if isinstance(error, service.BusyError) else None
    return JSONResponse({"error": str(error)}, status, later)


def page(presets: Sequence[str]) -> str:
    """Return the HTML page, whose form sanitises a text and offers the presets with the given
    names."""
    options = "".join(f"<option>{escape(name)}</option>" for name in presets)
    shown = Template(Path(__file__).with_name("page.html").read_text("utf-8"))
    return shown.substitute(version=__version__, about=escape(_WORDS["about"]), presets=options)


_FULL = _answer_to(service.BusyError("too many connections; try again later"))
_FULL.headers.update({"Cache-Control": "no-store", "Connection": "close"})
_HEAD = b"".join(b"%s: %s\r\n" % one for one in _FULL.raw_headers)
_REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\n%s\r\n%s" % (_HEAD, _FULL.body)


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP/1.1 with a limit on connections and on the time that a head may take.

    Args:
        most: connections at one time; a further one is answered with status 503 and closed.
        seconds: how long the head of a request may take, from the connection or from the first byte
            of a later request; after that the connection is closed.
    """

    def __init__(self, *, most: int, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self._most, self._seconds = most, seconds

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, and start the time limit for the head of its first request; if there
        are too many connections, answer it with status 503 and close it."""
        super().connection_made(transport)
        self._expect_head()
        if len(self.connections) > self._most:
            transport.write(_REFUSAL)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Process ``data``, unless the connection is being closed; if the data ends within the head
        of a request, start the time limit for the rest, else stop it."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._until_head.cancel()
        elif self._until_head.cancelled():
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time limit of the connection, which is closed."""
        self._until_head.cancel()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        """Start the time limit for the head of a request: when it is over, the connection is
        closed."""
        self._until_head = self.loop.call_later(self._seconds, self.transport.close)


def affordable_connections(wanted: int) -> int:
    """Return the wanted number of connections, at most half of the process's limit on open files,
    but not below 1. The other half is left for files, worker processes, and connections that are
    refused.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft // 2))


def run_server(app: ASGIApp, bound: socket.socket, **options: Any) -> None:
    """Serve an application until the process is told to end; then return. No request is logged.

    Args:
        app: of ASGI.
        bound: the socket; see ``listen``.
        options: of uvicorn.
    """
    config = uvicorn.Config(app, access_log=False, server_header=False, **options)
    uvicorn.Server(config).run(sockets=[bound])
