"""Limits of connections and of the time that a request may take to arrive, on a real socket."""

import asyncio
import socket
import threading
import time
from functools import partial

import pytest

pytest.importorskip("fastapi")

import uvicorn

from intact.config import load_settings
from intact.server.app import LimitedProtocol, affordable_connections, create_app
from intact.server.service import Limits

HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


async def fine(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def listening():
    """A function that starts a server under limits and returns its port."""
    servers = []

    def start(most, seconds):
        config = uvicorn.Config(
            fine, port=0, lifespan="off", log_level="critical",
            http=partial(LimitedProtocol, most=most, seconds=seconds),
        )  # fmt: skip
        bound = config.bind_socket()
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        servers.append((server, thread))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        return bound.getsockname()[1]

    yield start
    for server, thread in servers:
        server.should_exit = True
        thread.join()


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def test_one_connection_too_many_is_answered_and_the_others_go_on(listening):
    port = listening(most=2, seconds=30)
    with connect(port) as first, connect(port) as second:
        for _ in range(5):
            with connect(port) as third:
                said = third.recv(4096)
                assert said.startswith(b"HTTP/1.1 503 ") and b"retry-after" in said
                assert said.endswith(b'try again later"}') and third.recv(10) == b""
        for one in (first, second):
            one.sendall(HEAD + b"\r\n")
            assert one.recv(4096).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("begun", [b"", HEAD])
def test_a_head_that_does_not_come_ends_the_connection(listening, begun):
    with connect(listening(most=2, seconds=0.2)) as client:
        client.sendall(begun)
        assert client.recv(10) == b""


def test_a_body_that_does_not_come_is_given_up():
    sent = []

    async def receive():
        if receive.first:
            receive.first = False
            return {"type": "http.request", "body": b'{"te', "more_body": True}
        return await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    receive.first = True
    scope = {
        "type": "http", "method": "POST", "path": "/detect", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
    }  # fmt: skip
    app = create_app({"": load_settings()}, limits=Limits(arrival=0.05))
    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 408


def test_connections_leave_open_files_for_work():
    resource = pytest.importorskip("resource")
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert affordable_connections(1) == 1
    assert 2 * affordable_connections(10**9) <= max(2, soft)
