"""The HTTP backend against a faulty server of our own, and imitations of others."""

import json
import logging
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from intact.config import ModelSettings
from intact.errors import ConfigError, ContextError, ModelError
from intact.models import openai
from intact.models.openai import OpenAIModel, is_local_url
from intact.models.reading import by_number, read_rows
from intact.protocols import CompletionRequest


def answer(text="1 | a\n2 | b"):
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


class Server:
    """Answers as its script says; keeps what it was asked."""

    def __init__(self, script, probed):
        self.bodies: list[dict[str, Any]] = []
        self.probes: list[dict[str, Any]] = []
        lock = threading.Lock()
        bodies, probes = self.bodies, self.probes

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                body = json.loads(raw) | {"_path": self.path}
                harmless = openai._HARMLESS.question in str(body.get("messages"))
                with lock:
                    (probes if harmless else bodies).append(body)
                    number = len(bodies) - 1
                reply = probed(body) if harmless else script(number, body)
                if reply == "hang":
                    time.sleep(1.5)
                elif reply == "cut":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
                    self.connection.shutdown(socket.SHUT_RDWR)
                else:
                    status, content, *headers = reply
                    if not isinstance(content, bytes):
                        content = json.dumps(content).encode()
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(content)))
                    for name, value in (headers[0] if headers else {}).items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def serve():
    opened = []

    def start(script, probed=lambda _body: answer("1 | red\n2 | blue"), **settings):
        server = Server(script, probed)
        naps = []
        chosen = {"backend": "openai", "url": server.url, "timeout": 0.5, "parallel": 4} | settings
        model = OpenAIModel(ModelSettings(**chosen), sleep=naps.append)
        opened.extend((model, server))
        return model, server, naps

    yield start
    for one in opened:
        if isinstance(one, OpenAIModel):
            one.close()
        else:
            one.http.shutdown()
            one.http.server_close()


ASK = [CompletionRequest("shared ", f"question {n}", places=(1, 2), seed=n) for n in range(6)]


def test_answers_come_in_order(serve):
    def script(_number, body):
        return answer(f"{body['messages'][0]['content']}\nb")

    model, server, _ = serve(script)
    done = model.complete(ASK)
    assert [one.text for one in done] == [f"shared question {n}\nb" for n in range(6)]
    assert (done[0].prompt_tokens, done[0].answer_tokens) == (7, 3)
    body = server.bodies[0]
    assert body["_path"] == "/v1/chat/completions"
    assert (body["seed"], body["max_tokens"]) == (0, 160)
    assert ["response_format" in probe for probe in server.probes] == [True, False]


def test_the_first_of_each_prefix_goes_alone(serve):
    begun, alone = [], []

    def script(number, _body):
        begun.append(number)
        if number == 0:
            time.sleep(0.2)
            alone.append(len(begun))
        return answer()

    model, _, _ = serve(script)
    model.complete(ASK)
    assert alone == [1]


@pytest.mark.parametrize(
    "fault",
    [(500, {}), (503, b"busy"), (429, {}), "hang", "cut", (200, b"<html>"), (200, {"error": {}})],
)
def test_faults_are_tried_again_later_and_later(serve, fault):
    model, server, naps = serve(
        lambda number, _body: fault if number < 2 else answer("1 | a\n2 | b")
    )
    assert model.complete(ASK[:1])[0].text == "1 | a\n2 | b"
    assert len(server.bodies) == 3
    assert naps == [0.5, 1.0]


def test_a_fault_that_lasts_names_the_setting(serve, monkeypatch):
    monkeypatch.setattr(openai, "RETRIES", 2)
    model, server, _ = serve(lambda *_: (500, {}))
    with pytest.raises(ModelError, match=r"model\.url: the server failed 3 times.*500"):
        model.complete(ASK[:1])
    assert len(server.bodies) == 3 and model.retried == 2
    monkeypatch.setattr(openai, "RETRIES", 0)
    model, _, _ = serve(lambda *_: answer(), lambda _: "hang", timeout=0.1)
    with pytest.raises(ModelError, match=r"within 0\.1 s"):
        model.complete(ASK[:1])


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = ModelSettings(backend="openai", url=f"http://127.0.0.1:{port}/v1")
    naps = []
    model = OpenAIModel(settings, sleep=naps.append)
    with pytest.raises(ModelError, match=r"ConnectError.*Is it running"):
        model.complete(ASK[:1])
    assert naps == [0.5, 1.0]  # a server that was never there is not waited for
    model.close()


def test_too_many_requests_are_waited_for_as_the_server_says(serve):
    busy = {"error": {"code": "rate_limit_exceeded"}}

    def script(number, _body):
        if number < 2:
            return 429, busy, {"Retry-After": "17" if number == 0 else "soon"}
        return answer()

    model, _, naps = serve(script)
    model.complete(ASK[:1])
    assert naps == [17.0, 1.0]
    assert model._gate._open == 1  # of four at a time; it opens again one by one


def test_a_server_is_waited_for_for_minutes_and_not_where_money_ran_out(serve):
    model, _, naps = serve(lambda *_: (503, {}))
    with pytest.raises(ModelError, match="10 times"):
        model.complete(ASK[:1])
    assert 120 < sum(naps) < 300
    broke = {"error": {"message": "pay for Ms Secret", "code": "insufficient_quota"}}
    model, server, naps = serve(lambda *_: (429, broke))
    with pytest.raises(ModelError, match=r"status 429, code insufficient_quota") as caught:
        model.complete(ASK[:1])
    assert not naps and len(server.bodies) == 1 and "Secret" not in str(caught.value)


@pytest.mark.parametrize(
    "garbage",
    [{}, {"choices": []}, {"choices": [{"message": {"content": 3}}]}, {"choices": "x"}, [1]],
)
def test_garbage_is_an_error_without_its_text(serve, garbage):
    model, _, _ = serve(lambda *_: (200, garbage))
    with pytest.raises(ModelError, match="OpenAI"):
        model.complete(ASK[:1])


def test_refusals_say_what_to_set(serve):
    for status, hint in ((401, "api_key_env"), (404, "model.name")):
        model, _, _ = serve(lambda *_, status=status: (status, {}))
        with pytest.raises(ModelError, match=hint):
            model.complete(ASK[:1])
    too_long = (400, {"error": {"message": "maximum context length is 2048 tokens"}})
    model, _, _ = serve(lambda *_: too_long)
    with pytest.raises(ContextError, match=r"model\.context"):
        model.complete(ASK[:1])


# -- how the servers in docs/models.md answer ----------------------------------------


def refuses(name, message="", code="unsupported_parameter"):
    error = {"message": message or f"Unknown parameter: '{name}'.", "param": name, "code": code}
    return 400, {"error": error | {"type": "invalid_request_error"}}


def as_json(body):
    """An answer as the schema orders it."""
    names = body["response_format"]["json_schema"]["schema"]["required"]
    return answer(json.dumps({n: [] if n == "also" else "a colour | another" for n in names}))


def ollama(body):
    """Heeds response_format and reasoning_effort, passes over what it does not know."""
    if body.get("reasoning_effort") != "none":
        return answer("")  # all in the thoughts
    return as_json(body) if "response_format" in body else answer("1 | a\n2 | b")


def vllm(body):
    """Heeds response_format and chat_template_kwargs; knows low, medium and high effort."""
    if body.get("reasoning_effort") not in (None, "low", "medium", "high"):
        said = [{"type": "literal_error", "loc": ["body", "reasoning_effort"], "msg": "Input ..."}]
        return 400, {"error": {"message": str(said), "type": "Bad Request", "code": 400}}
    thinks = body.get("chat_template_kwargs") != {"enable_thinking": False}
    return answer("<think>x") if thinks else as_json(body)


def old_llama_server(body):
    """Has trouble with a schema in response_format (its issue 11847)."""
    if "response_format" in body:
        said = 'Either "json_schema" or "grammar" can be specified, but not both'
        return 400, {"error": {"code": 400, "message": said, "type": "invalid_request_error"}}
    return answer("Sure! Here are two:\n\n- 1 | red\n- 2 | blue")


def hosted(body):
    """Refuses all that it does not know, one by one, as hosted reasoning models do."""
    if "chat_template_kwargs" in body:
        return refuses("chat_template_kwargs", code="unknown_parameter")
    if "max_tokens" in body:
        said = "Unsupported parameter: 'max_tokens' is not supported with this model. "
        return refuses("max_tokens", f"{said}Use 'max_completion_tokens' instead.")
    if body.get("reasoning_effort") == "none":
        return refuses("reasoning_effort", "Unsupported value: 'none'", "unsupported_value")
    return refuses("temperature") if "temperature" in body else as_json(body)


def plain_only(body):
    """Takes every field and heeds none."""
    return answer("Sure!\n\n1 | red\n2 | blue")


def strict_and_silent(body):
    """Refuses without saying what."""
    known = {"messages", "max_tokens", "temperature", "stream", "model", "_path"}
    return answer("1 | a\n2 | b") if set(body) <= known else (422, {})


@pytest.mark.parametrize(
    ("server", "schema", "sent", "not_sent"),
    [
        (ollama, True, {"reasoning_effort": "none"}, ()),
        (vllm, True, {"reasoning_effort": "low", "seed": 0}, ()),
        (old_llama_server, False, {"seed": 0}, ("response_format",)),
        (hosted, True, {"reasoning_effort": "minimal"},
         ("max_tokens", "temperature", "chat_template_kwargs")),
        (plain_only, False, {"seed": 0}, ("response_format",)),
        (strict_and_silent, False, {"temperature": 0.0}, ("seed",)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_what_a_server_takes_is_found_once_and_kept(serve, server, schema, sent, not_sent):
    model, heard, _ = serve(lambda _number, body: server(body), server)
    done = model.complete(ASK)
    assert model._fields.schema is schema
    found = [by_number(read_rows(one.text), frozenset(ASK[0].places)) for one in done]
    assert all(set(cells) == {1, 2} for cells in found)
    assert {name: heard.bodies[0].get(name) for name in sent} == sent
    assert not set(not_sent) & set(heard.bodies[0])
    probes = len(heard.probes)
    model.complete(ASK)
    assert len(heard.probes) == probes <= 9 and len(heard.bodies) == 12


def test_lines_in_json_are_read_and_free_text_is_left_free(serve):
    model, heard, _ = serve(lambda _number, body: ollama(body), ollama)
    done = model.complete([CompletionRequest("", "go", places=(1, 2)), CompletionRequest("", "x")])
    rows = by_number(read_rows(done[0].text), frozenset((1, 2)))
    assert rows == dict.fromkeys((1, 2), ("a colour", "another"))
    asked = {body["messages"][0]["content"][:2]: body for body in heard.bodies}
    assert "JSON" in asked["go"]["messages"][0]["content"]
    assert "response_format" not in asked["x"]


def test_fields_of_ones_own_lie_over_all(serve):
    extra = {"reasoning_effort": "high", "top_k": 20}
    model, heard, _ = serve(lambda *_: answer(), extra=extra, thinking_tokens=500)
    model.complete(ASK[:1])
    body = heard.bodies[0]
    assert (body["reasoning_effort"], body["top_k"], body["max_tokens"]) == ("high", 20, 660)


@pytest.mark.parametrize(
    "refusal",
    [
        (400, {"error": {"code": "content_filter", "param": "prompt", "message": "Ms Secret"}}),
        (200, {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
        (200, {"choices": [{"message": {"content": None, "refusal": "I will not"}}]}),
    ],
)
def test_a_refused_question_is_no_answer_and_not_the_end(serve, refusal):
    def script(_number, body):
        return refusal if "question 3" in str(body["messages"]) else answer()

    model, heard, _ = serve(script)
    done = model.complete(ASK)
    assert [bool(one.refused) for one in done] == [number == 3 for number in range(6)]
    assert done[3].text == "" and "Secret" not in done[3].refused
    assert "seed" in heard.bodies[-1]


def test_only_loopback_is_silent_and_needs_no_leave(caplog):
    with caplog.at_level(logging.WARNING, "intact"):
        OpenAIModel(ModelSettings(backend="openai")).close()
        assert not caplog.records
        remote = ModelSettings(backend="openai", url="http://example.org/v1", allow_remote=True)
        OpenAIModel(remote).close()
    assert "not on this machine" in caplog.text
    with pytest.raises(ConfigError, match=r"model\.url: example\.org .*--allow-remote"):
        OpenAIModel(ModelSettings(backend="openai", url="http://example.org/v1"))


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://127.0.0.1.example.org", False),
    ],
)
def test_loopback(url, local):
    assert is_local_url(url) is local


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://127.0.0.1", "http://"])
def test_no_address(url):
    with pytest.raises(ConfigError, match=r"model\.url"):
        is_local_url(url)


def test_a_key_is_sent_and_never_shown(serve, monkeypatch):
    monkeypatch.setenv("INTACT_API_KEY", "secret-key")
    model, _, _ = serve(lambda *_: (403, {}))
    assert model._client.headers["Authorization"] == "Bearer secret-key"
    with pytest.raises(ModelError) as caught:
        model.complete(ASK[:1])
    assert "secret-key" not in str(caught.value)
