"""Limit how many clients may be connected, and how long a request may take to arrive."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_BUSY = json.dumps({"error": "too many connections; try again later"}).encode("ascii")
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"content-type: application/json\r\n"
    b"content-length: %d\r\n"
    b"cache-control: no-store\r\n"
    b"retry-after: 5\r\n"
    b"connection: close\r\n\r\n"
    b"%s"
) % (len(_BUSY), _BUSY)


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP/1.1 with a limit of connections and of the time that a head may take.

    Args:
        most: connections at one time; one more is answered 503 and closed.
        seconds: from the connection, or from the first byte of a further request, to the end of
            its head; then the connection is closed.
    """

    def __init__(self, *, most: int, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self._most = most
        self._seconds = seconds
        self._until_head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or refuse it where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            transport.write(_REFUSAL)
            transport.close()
        else:
            self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Read ``data``; wait for the rest of a head that it begins."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._forget_head()
        elif self._until_head is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget_head()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._until_head = self.loop.call_later(self._seconds, self.transport.close)

    def _forget_head(self) -> None:
        if self._until_head is not None:
            self._until_head.cancel()
            self._until_head = None


def affordable_connections(wanted: int) -> int:
    """Return how many of ``wanted`` connections the limit of open files allows: half of it.

    The other half is left to files, to worker processes, and to connections that are refused.
    """
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return wanted
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft // 2))
