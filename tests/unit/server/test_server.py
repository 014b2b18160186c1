"""The HTTP interface: what it answers, what it refuses, what it never says."""

import asyncio
import logging
import os
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi")

from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from intact import cli as command_line
from intact.config import load_settings
from intact.errors import DocumentError, InternalError, ModelError
from intact.formats.base import EMPTY
from intact.formats.mentions import UNKNOWN
from intact.offline import is_loopback
from intact.processes import WorkerProcess
from intact.sanitizing import UNCHANGED
from intact.server.app import _awaited, create_app
from intact.server.service import BusyError, DeadlineError, Limits, SanitizerService

TEXT = "Zelda Quimby of Riga 😀 left on 3 May 1996."
MENTIONS = [
    {"start": 0, "end": 12, "type": "PERSON", "identifier_type": "DIRECT"},
    {"start": 16, "end": 20, "type": "LOC"},
    {"start": 31, "end": 41, "type": "DATETIME"},
]


def test_given_mentions_are_replaced(client):
    answer = client.post("/sanitize", json={"text": TEXT, "mentions": MENTIONS})
    assert answer.status_code == 200
    said = answer.json()
    assert said["text"].startswith("PERSON_1 of LOC_1 😀 left ")
    assert "3 May" not in said["text"]
    assert [m["outcome"] for m in said["mentions"]][:2] == ["LABEL", "LABEL"]
    assert said["detected"] is False
    assert said["protected"] is True
    text = TEXT
    for start, end, new in reversed(said["edits"]):
        text = text[:start] + new + text[end:]
    assert text == said["text"]


def test_without_mentions_they_are_detected(client):
    said = client.post("/sanitize", json={"text": "Write to zelda@example.org."}).json()
    assert said["detected"] is True
    assert "zelda" not in said["text"]
    found = client.post("/detect", json={"text": "Write to zelda@example.org."}).json()
    (mention,) = found["mentions"]
    assert (mention["start"], mention["end"], mention["type"]) == (9, 26, "CODE")


def test_with_an_empty_list_of_mentions_they_are_detected_and_that_is_said(client):
    body = {"text": "Write to zelda@example.org."}
    plain, null, empty = (
        client.post("/sanitize", json=body | more).json()
        for more in ({}, {"mentions": None}, {"mentions": []})
    )
    assert plain == null and (plain["detected"], plain["text"]) == (True, "Write to CODE_1.")
    assert empty == plain | {"notes": [EMPTY, *plain["notes"]]}
    answer = client.post("/sanitize", json={"text": "x" * 50_001, "mentions": []})
    assert answer.status_code == 413


def test_what_stays_in_clear_and_unknown_types_are_said(client):
    mention = {"start": 9, "end": 26, "type": "CODE", "identifier_type": "NO_MASK"}
    body = {"text": "Write to zelda@example.org.", "mentions": [mention]}
    said = client.post("/sanitize", json=body).json()
    assert (said["text"], said["notes"]) == (body["text"], [UNCHANGED])
    body["mentions"] = [{"start": 9, "end": 26, "type": "MEMBER"}]
    said = client.post("/sanitize", json=body).json()
    assert (said["text"], said["notes"]) == ("Write to MEMBER_1.", [f"{UNKNOWN}: MEMBER"])


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/sanitize", {"text": TEXT, "mentions": [{"start": 0, "end": 99, "type": "LOC"}]},
         "lie outside the text"),
        ("/sanitize", {"text": TEXT, "mentions": [{"start": 4, "end": 4, "type": "LOC"}]}, "empty"),
        ("/sanitize", {"text": TEXT, "mentions": [{"start": -4, "end": 4, "type": "LOC"}]},
         "body.mentions.0.start"),
        ("/sanitize", {"text": TEXT, "mentions": [{"start": False, "end": True, "type": "LOC"}]},
         "body.mentions.0.start: Input should be a valid integer"),
        ("/sanitize", {"text": TEXT, "mentions": [{"start": 0, "end": 3, "type": "Zelda"}]},
         "its type is unknown and not in capitals"),
        ("/sanitize", {"txt": TEXT}, "body.text: Field required"),
        ("/sanitize", {"text": TEXT, "seed": 3}, "body: Extra inputs"),
        ("/sanitize", {"text": TEXT, TEXT: 3}, "body: Extra inputs"),
        ("/sanitize", {"text": TEXT, "Zelda": 3}, "body: Extra inputs"),
        ("/sanitize", {"text": TEXT, "mentions": [
            {"start": 0, "end": 1, "type": "LOC", "Zelda": 3}]}, "body.mentions.0: Extra inputs"),
        ("/sanitize", {"text": 5}, "valid string"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_without_the_text(client, path, body, said):
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert "Zelda" not in answer.text


@pytest.mark.parametrize("content", [b"{", b'{"text": "\\ud800"}', b"\xff\xfe", b'"Zelda"', b""])
def test_bodies_that_are_no_request(client, content):
    answer = client.post("/sanitize", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert "Zelda" not in answer.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"text": Zelda}', "not valid JSON (Expecting value, line 1, column 10)"),
        (b'{"text": "Zelda", "text": "x"}', "an object has the same name twice: its names 1 and 2"),
        (b'{"text": "Zelda", "mentions": NaN}', "a number is none (NaN), infinite or too large"),
        (b'{"text": "Zelda \xff"}', "not UTF-8 (byte 16)"),
        (b'{"text": ' + b"[" * 9000, "nested too deeply"),
        (b'{"text": ' + b"9" * 5000, "a number too long"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_json_is_told_why(client, body, said):
    for path in ("/sanitize", "/detect"):
        head = {"content-type": "application/json"}
        answer = client.post(path, content=body, headers=head)
        assert answer.status_code == 422 and "Zelda" not in answer.text
        assert answer.json()["error"].startswith("the body: ") and said in answer.json()["error"]


def test_other_origins_and_hosts_are_refused(client):
    body = '{"text": "Zelda"}'
    answer = client.post("/sanitize", content=body, headers={"content-type": "text/plain"})
    assert answer.status_code == 422
    assert client.get("/health", headers={"host": "localhost:9"}).json()["status"] == "ok"
    assert client.get("/health", headers={"host": "[::1]:8000"}).status_code == 200
    for host in (
        "evil.example",
        "[::1]evil",
        "[::1].evil:80",
        "localhost:80.evil",
        "localhost.evil",
    ):
        assert client.get("/health", headers={"host": host}).status_code == 400


def test_large_bodies_and_long_texts_are_refused(client):
    answer = client.post("/sanitize", json={"text": "x" * 100_000})
    assert answer.status_code == 413
    chunked = client.post("/sanitize", content=(b"x" * 1000 for _ in range(200)))
    assert chunked.status_code == 413
    assert "100000 bytes" in chunked.json()["error"]
    for path in ("/detect", "/sanitize"):
        answer = client.post(path, json={"text": "x" * 50_001})
        assert answer.status_code == 413
        assert "at most 50000" in answer.json()["error"]
    at = {"start": 0, "end": 9, "type": "MISC"}
    marked = client.post("/sanitize", json={"text": "x" * 50_001, "mentions": [at]})
    assert marked.status_code == 200


def test_the_page_needs_nothing_from_elsewhere(client):
    page = client.get("/").text
    assert "POST /sanitize" in page
    assert not re.findall(r"(?:src|href)=['\"](?!openapi\.json|page/)", page)
    for file in re.findall(r"page/\w+\.\w+", page):
        assert client.get(f"/{file}").status_code == 200
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert client.get("/docs").text == page
    assert set(client.get("/openapi.json").json()["paths"]) == {
        "/sanitize", "/detect", "/health",
    }  # fmt: skip


def test_the_token_is_asked_for():
    app = create_app({"": load_settings()}, token="t" * 20, local=False)
    with TestClient(app, base_url="http://anything.example") as client:
        for path in ("/health", "/", "/page/style.css", "/page/script.js"):
            assert client.get(path).status_code == 200
        for headers in ({}, {"authorization": "Bearer x"}, {"authorization": "t" * 20}):
            answer = client.post("/detect", json={"text": "x"}, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        good = {"authorization": f"Bearer {'t' * 20}"}
        assert client.post("/detect", json={}, headers=good).status_code == 422


def test_eight_clients_at_once_get_their_own_documents(client):
    def ask(number):
        name = f"Client{'abcdefgh'[number] * 6}"
        answers = []
        for turn in range(5):
            text = f"{name} wrote letter {turn} to us."
            mention = {"start": 0, "end": len(name), "type": "MISC" if turn % 2 else "PERSON"}
            marked = {"text": f"{text} {number}-{turn}", "mentions": [mention]}
            answers.append(client.post("/sanitize", json=marked).json())
        return number, answers

    with ThreadPoolExecutor(8) as pool:
        for number, answers in pool.map(ask, range(8)):
            for turn, answer in enumerate(answers):
                label = "NAME_1" if turn % 2 else "PERSON_1"
                assert answer["text"] == f"{label} wrote letter {turn} to us. {number}-{turn}"


class Scripted:
    """A service that does what it is asked for, in a process of its own."""

    def __call__(self, request):
        method, arguments = request
        if method == "sleep":
            time.sleep(*arguments)
        elif method == "die":
            os._exit(9)
        elif method == "raise":
            raise ValueError(f"cannot work on {TEXT}")
        elif method == "refuse":
            raise DocumentError("is wrong")
        return os.getpid()

    def close(self):
        pass


@pytest.fixture
def service():
    made = []

    def make(**limits):
        made.append(SanitizerService(Scripted, Limits(**limits)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def ended(pid):
    """Return true when a process has ended and been waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_the_header_lacks_or_says_too_much_is_named(client):
    body = b'{"text": "Ann left."}'
    bare = client.post("/detect", content=body)
    assert (bare.status_code, "Content-Type: application/json" in bare.text) == (422, True)
    packed = client.post("/detect", content=body, headers={"Content-Encoding": "gzip"})
    assert (packed.status_code, "compressed" in packed.text) == (415, True)


def test_a_full_line_is_said(service):
    made = service(waiting=2)

    async def crowd():
        work = [made.do("sleep", 0.05) for _ in range(3)]
        return list(await asyncio.gather(*work, return_exceptions=True))

    outcomes = asyncio.run(crowd())
    assert sum(isinstance(outcome, BusyError) for outcome in outcomes) == 1


def test_who_waits_has_half_of_the_time_and_is_told_how_long_it_was(service):
    made = service()

    async def crowd():
        await made.do("pid")  # the process is there, however long it took
        made.limits = Limits(seconds=6.0)
        first = asyncio.ensure_future(made.do("sleep", 2))
        await asyncio.sleep(0.1)
        work = [made.do("sleep", 600), made.do("pid")]
        return await asyncio.gather(first, *work, return_exceptions=True)

    _, late, waiting = asyncio.run(crowd())
    assert isinstance(waiting, BusyError)
    assert isinstance(late, DeadlineError)
    said = r"given up after 6 seconds, 2 of them in the line\. Send it later"
    assert re.match(said, str(late))


def test_what_takes_too_long_is_really_stopped_and_the_next_one_is_served(service):
    made = service()
    first = asyncio.run(made.do("pid"))
    made.limits = Limits(seconds=2.0)
    with pytest.raises(DeadlineError):
        asyncio.run(made.do("sleep", 600))
    assert ended(first)
    made.limits = Limits()
    assert asyncio.run(made.do("pid")) != first


class _Signals:
    """Answers whether Ctrl-C would reach it."""

    def __init__(self):
        self.from_the_start = signal.pthread_sigmask(signal.SIG_BLOCK, [])

    def __call__(self, request):
        return signal.SIGINT in self.from_the_start

    def close(self):
        pass


def test_a_worker_is_deaf_to_ctrl_c_and_who_waits_hears_that_the_server_ends():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with closing(WorkerProcess(_Signals)) as worker:
        assert worker(None)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before

    async def ended():
        request = SimpleNamespace(receive=asyncio.Event().wait)
        waiting = asyncio.ensure_future(_awaited(request, asyncio.sleep(600)))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await waiting

    with pytest.raises(HTTPException, match="the server is being ended"):
        asyncio.run(ended())


def test_a_worker_that_dies_is_replaced_and_errors_quote_no_text(service):
    made = service()
    with pytest.raises(ModelError, match="died"):
        asyncio.run(made.do("die"))
    assert asyncio.run(made.do("pid"))
    made = service()
    with pytest.raises(DocumentError, match="is wrong"):
        asyncio.run(made.do("refuse"))
    with pytest.raises(InternalError, match=r"internal error \(ValueError") as caught:
        asyncio.run(made.do("raise"))
    assert "Zelda" not in str(caught.value)


def test_a_request_names_its_preset(client):
    said = {
        preset: client.post("/sanitize", json={"text": TEXT, "preset": preset}).json()["text"]
        for preset in (None, "labels", "dates")
    }
    assert said[None] == said["labels"] and "DATETIME_1" in said["labels"]
    assert "1996" in said["dates"]
    found = client.post("/detect", json={"text": TEXT, "preset": "labels"})
    assert found.json()["mentions"]
    answer = client.post("/detect", json={"text": TEXT, "preset": "Zelda"})
    assert answer.status_code == 422 and "dates, labels" in answer.json()["error"]
    assert "Zelda" not in answer.text


def test_what_nobody_waits_for_is_given_up(service):
    made = service()
    first = asyncio.run(made.do("pid"))

    async def leaves():
        work = asyncio.ensure_future(made.do("sleep", 600))
        await asyncio.sleep(0.5)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        return await made.do("pid")

    assert asyncio.run(leaves()) != first
    assert ended(first)


def test_a_client_that_hangs_up_is_noticed(client):
    events = iter([{"type": "http.request", "body": b'{"text": "x"}', "more_body": False}])
    sent = []

    async def receive():
        return next(events, {"type": "http.disconnect"})

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/detect", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
    }  # fmt: skip
    asyncio.run(create_app({"": load_settings()})(scope, receive, send))
    assert sent[0]["status"] == 499


def test_neither_logs_nor_ids_hold_the_text(client, caplog, capsys):
    with caplog.at_level(logging.DEBUG):
        client.post("/sanitize", json={"text": TEXT, "mentions": MENTIONS})
        client.post("/sanitize", json={"text": TEXT, "mentions": [{"start": 0}]})
    captured = capsys.readouterr()
    assert "Zelda" not in caplog.text + captured.out + captured.err
    mention = {"start": 0, "end": 12, "type": "PERSON", "identifier_type": "DIRECT"}
    answer = client.post("/sanitize", json={"text": TEXT, "mentions": [mention]})
    assert "quimby" not in answer.text.lower()


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("127.0.0.9", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.4", False), ("example.org", False)],
)  # fmt: skip
def test_only_loopback_needs_no_token(host, local):
    assert is_loopback(host) is local


def test_a_port_that_is_taken_is_an_error(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert command_line.run(["serve", "--port", str(port)]) == 2
    assert f"port {port}: cannot listen (Address already in use). Take" in capsys.readouterr().err


def test_other_machines_need_a_token_that_is_long(capsys, monkeypatch):
    monkeypatch.delenv("INTACT_TOKEN", raising=False)
    assert command_line.run(["serve", "--host", "0.0.0.0"]) == 2
    assert "INTACT_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("INTACT_TOKEN", "short")
    assert command_line.run(["serve", "--host", "0.0.0.0"]) == 2
    assert "fewer than 16 characters" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/", "/health", "/nowhere"])
def test_no_answer_may_be_kept(client, path):
    assert client.get(path).headers["cache-control"] == "no-store"
