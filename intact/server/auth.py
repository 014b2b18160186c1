"""What is refused before anything is parsed: by token, host name, and size of the body."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
OPEN = frozenset({"/", "/docs", "/health", "/openapi.json"})
"""Paths that need no token; they tell nothing of any document."""


class AuthMiddleware:
    """An ASGI application around another one; refuses before anything is read or parsed.

    Args:
        token: what clients have to bring as ``Authorization: Bearer TOKEN``; "" asks for none.
        hosts: names by which the server may be called, None for any. A page in a browser that
            has its own name resolve to this machine is refused by that.
        most_bytes: the largest body.
    """

    def __init__(
        self,
        app: Application,
        *,
        token: str,
        hosts: frozenset[str] | None,
        most_bytes: int,
    ) -> None:
        self._app = app
        self._token = token.encode("utf-8")
        self._hosts = hosts
        self._most = most_bytes

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {key.lower(): value for key, value in scope["headers"]}
        send = _unkept(send)
        refusal = self._refusal(scope["path"], headers)
        if refusal is None:
            body = await self._body(headers, receive)
            if body is not None:
                await self._app(scope, _replayed(body, receive), send)
                return
            refusal = (413, f"the body is larger than {self._most} bytes, the limit")
        await _answer(send, *refusal)

    def _refusal(self, path: str, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        if self._hosts is not None and _host(headers.get(b"host", b"")) not in self._hosts:
            return 400, "this server does not go by that name; call it 127.0.0.1 or localhost"
        if not self._token or path in OPEN:
            return None
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token):
            return None
        return 401, "the token is missing or wrong; send Authorization: Bearer TOKEN"

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
        """The whole body, or None if it is too large; never more than that in memory."""
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._most:
            return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body)
            body += message.get("body", b"")
            if len(body) > self._most:
                return None
            if not message.get("more_body", False):
                return bytes(body)


def _unkept(send: Send) -> Send:
    """``send`` for answers that no browser and no proxy on the way may keep."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"cache-control", b"no-store")]
        await send(message)

    return sent


def _host(value: bytes) -> str:
    """The name in a Host header, without its port."""
    name = value.decode("latin-1").lower()
    return name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0]


def _replayed(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _answer(send: Send, status: int, error: str) -> None:
    body = json.dumps({"error": error}).encode("utf-8")
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode("ascii")),
        (b"connection", b"close"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
