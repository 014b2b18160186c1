"""The HTTP backend against a faulty server of our own, and a real one on a tiny model."""

import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import Any

import httpx
import pytest

from intact.config import ModelSettings
from intact.errors import ConfigError, ContextError, ModelError
from intact.models import openai
from intact.models.openai import OpenAIModel, is_loopback, line_grammar
from intact.protocols import CompletionRequest, ScoreRequest

Reply = tuple[int, Any]


def answer(text: str = "a\nb", tokens: list[tuple[str, float]] | None = None) -> Reply:
    choice: dict[str, Any] = {"message": {"content": text}, "finish_reason": "stop"}
    if tokens:
        choice["logprobs"] = {"content": [{"token": t, "logprob": p} for t, p in tokens]}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


class Server:
    """Answers as its script says; keeps what it was asked."""

    def __init__(self, script: Callable[[int, dict[str, Any]], Reply | str]) -> None:
        self.bodies: list[dict[str, Any]] = []
        lock = threading.Lock()
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    bodies.append(json.loads(raw) | {"_path": self.path, "_at": time.monotonic()})
                    number = len(bodies) - 1
                reply = script(number, bodies[number])
                if reply == "hang":
                    time.sleep(1.5)
                elif reply == "cut":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
                    self.connection.shutdown(socket.SHUT_RDWR)
                else:
                    status, content = reply
                    payload = (
                        content if isinstance(content, bytes) else json.dumps(content).encode()
                    )
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(payload)))
                    self.end_headers()
                    self.wfile.write(payload)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[OpenAIModel, Server, list[float]]]]:
    opened: list[Any] = []

    def start(script: Any, **settings: Any) -> tuple[OpenAIModel, Server, list[float]]:
        server = Server(script)
        naps: list[float] = []
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


ASK = [CompletionRequest("shared ", f"question {n}", lines=2, seed=n) for n in range(6)]


def test_answers_come_in_order_with_their_probabilities(serve) -> None:
    def script(_number, body):
        asked = body["messages"][0]["content"]
        return answer(f"{asked}\nb", [("x", -1.0), ("\n", -0.5), ("b", -0.25)])

    model, server, _ = serve(script)
    done = model.complete(ASK)
    assert [one.text for one in done] == [f"shared question {n}\nb" for n in range(6)]
    assert done[0].logprobs == (-1.5, -0.25)
    assert (done[0].prompt_tokens, done[0].answer_tokens) == (7, 3)
    body = server.bodies[0]
    assert body["_path"] == "/v1/chat/completions"
    assert (body["seed"], body["max_tokens"]) == (0, 160)
    assert "root ::=" in body["grammar"]


def test_the_first_of_each_prefix_goes_alone(serve) -> None:
    def script(number, _body):
        if number == 0:
            time.sleep(0.2)
        return answer()

    model, server, _ = serve(script)
    model.complete(ASK)
    times = [body["_at"] for body in server.bodies]
    assert min(times[1:]) - times[0] >= 0.19


def test_several_requests_are_under_way_at_once(serve) -> None:
    barrier = threading.Barrier(4, timeout=5)

    def script(number, _body):
        if 1 <= number <= 4:
            barrier.wait()
        return answer()

    model, _, _ = serve(script, timeout=6.0)
    assert len(model.complete(ASK[:5])) == 5


@pytest.mark.parametrize(
    "fault", [(500, {}), (503, b"busy"), (429, {}), "hang", "cut", (200, b"<html>")]
)
def test_faults_are_tried_again_later_and_later(serve, fault) -> None:
    model, server, naps = serve(lambda number, _body: fault if number < 2 else answer("a\nb"))
    assert model.complete(ASK[:1])[0].text == "a\nb"
    assert len(server.bodies) == 3
    assert naps == [0.5, 1.0]


def test_a_fault_that_lasts_names_the_setting(serve) -> None:
    model, server, _ = serve(lambda *_: (500, {}), retries=2)
    with pytest.raises(ModelError, match=r"model\.url: the server failed 3 times.*500"):
        model.complete(ASK[:1])
    assert len(server.bodies) == 3
    model, _, _ = serve(lambda *_: "hang", retries=0, timeout=0.1)
    with pytest.raises(ModelError, match=r"within 0\.1 s"):
        model.complete(ASK[:1])


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = ModelSettings(backend="openai", url=f"http://127.0.0.1:{port}/v1", retries=1)
    model = OpenAIModel(settings, sleep=lambda _s: None)
    with pytest.raises(ModelError, match=r"ConnectError.*Is it running"):
        model.complete(ASK[:1])
    model.close()


@pytest.mark.parametrize(
    "garbage",
    [{}, {"choices": []}, {"choices": [{"message": {"content": 3}}]}, {"choices": "x"}, [1]],
)
def test_garbage_is_an_error_without_its_text(serve, garbage) -> None:
    model, _, _ = serve(lambda *_: (200, garbage))
    with pytest.raises(ModelError, match="OpenAI"):
        model.complete(ASK[:1])


def test_refusals_say_what_to_set(serve) -> None:
    for status, hint in ((401, "api_key_env"), (404, "model.name")):
        model, _, _ = serve(lambda *_, status=status: (status, {}))
        with pytest.raises(ModelError, match=hint):
            model.complete(ASK[:1])
    too_long = (400, {"error": {"message": "maximum context length is 2048 tokens"}})
    model, _, _ = serve(lambda *_: too_long)
    with pytest.raises(ContextError, match=r"model\.context"):
        model.complete(ASK[:1])


def test_features_that_a_server_refuses_are_left_out_from_then_on(serve) -> None:
    def script(_number, body):
        return (422, {}) if "grammar" in body or "logprobs" in body else answer()

    model, server, _ = serve(script)
    model.complete(ASK)
    assert "seed" in server.bodies[-1]
    assert "grammar" not in server.bodies[-1] and "top_logprobs" not in server.bodies[-1]
    assert len(server.bodies) == 8


def test_null_content_is_an_empty_answer(serve) -> None:
    model, _, _ = serve(lambda *_: (200, {"choices": [{"message": {"content": None}}]}))
    assert model.complete(ASK[:1])[0].text == ""


def test_scores_need_a_template_and_an_echo(serve) -> None:
    pytest.importorskip("jinja2")
    model, _, _ = serve(lambda *_: answer())
    assert not model.scores
    with pytest.raises(ModelError, match=r"model\.template"):
        model.score([ScoreRequest("a", "b", ("c",))])

    def script(_number, body):
        prompt = body["prompt"]
        tokens = [prompt[:-6], prompt[-6:-3], prompt[-3:], "more"]
        found = {"tokens": tokens, "token_logprobs": [None, -1.0, -2.0, -7.0]}
        return 200, {"choices": [{"logprobs": found}]}

    model, _, _ = serve(script, template="chatml")
    assert model.scores
    assert model.score([ScoreRequest("a", "b", ("Ankara", "Zagreb"))]) == [(-3.0, -3.0)]
    model, _, _ = serve(lambda *_: answer(), template="chatml")
    with pytest.raises(ModelError, match="no log-probabilities"):
        model.score([ScoreRequest("a", "b", ("c",))])


def test_only_loopback_is_silent(caplog) -> None:
    with caplog.at_level(logging.WARNING, "intact"):
        OpenAIModel(ModelSettings(backend="openai")).close()
        assert not caplog.records
        remote = ModelSettings(backend="openai", url="http://example.org/v1", allow_remote=True)
        OpenAIModel(remote).close()
    assert "not on this machine" in caplog.text


def test_another_machine_is_refused_unless_it_is_allowed() -> None:
    with pytest.raises(ConfigError, match=r"model\.url: example\.org .*--allow-remote"):
        OpenAIModel(ModelSettings(backend="openai", url="http://example.org/v1"))


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://127.0.0.1.example.org", False),
        ("http://10.0.0.7:8000", False),
    ],
)
def test_loopback(url: str, local: bool) -> None:
    assert is_loopback(url) is local


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://127.0.0.1", "http://"])
def test_no_address(url: str) -> None:
    with pytest.raises(ConfigError, match=r"model\.url"):
        is_loopback(url)


def test_a_key_is_sent_and_never_shown(serve, monkeypatch) -> None:
    monkeypatch.setenv("INTACT_API_KEY", "secret-key")
    model, _, _ = serve(lambda *_: (403, {}))
    assert model._client.headers["Authorization"] == "Bearer secret-key"
    with pytest.raises(ModelError) as caught:
        model.complete(ASK[:1])
    assert "secret-key" not in str(caught.value)


# -- a real server ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alternative", "tokens"),
    [
        ("Kraków", ["K", "r", "a", "k", "", "", "w"]),  # llama_cpp.server
        ("Kraków", ["Kra", "k", "\ufffd", "\ufffd", "w"]),
        ("Kraków", ["Krak", "bytes:\\xc3", "bytes:\\xb3", "w"]),
        ("£20", ["", "", "2", "0"]),
        ("£20", ["£", "20"]),
        ("Ö", ["", ""]),
    ],
)
def test_letters_of_several_tokens_are_scored_whole(alternative, tokens) -> None:
    echoed = ["<s>", "guess", ":\n", *tokens]
    logprobs = [None, -50.0, -50.0] + [-1.0] * len(tokens)
    assert openai._sum_of_tail(echoed, logprobs, alternative) == -float(len(tokens))


@pytest.fixture(scope="module")
def real(gguf_file) -> Iterator[str]:
    if find_spec("llama_cpp") is None or find_spec("starlette_context") is None:
        pytest.skip("llama_cpp.server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(gguf_file)]
    command += ["--port", str(port), "--n_ctx", "1024", "--n_threads", "1", "--logits_all", "true"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}/v1"
        for _ in range(300):
            try:
                httpx.get(f"{url}/models", trust_env=False)
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield url
        process.terminate()


def test_a_real_server_answers_and_scores(real: str) -> None:
    settings = ModelSettings(
        backend="openai", url=real, template="chatml", parallel=2, timeout=60, context=1024
    )
    model = OpenAIModel(settings)
    requests = [
        CompletionRequest(
            "the city court\n", f"guess {n}", lines=2, max_tokens=300, temperature=0.5
        )
        for n in range(3)
    ]
    for done in model.complete(requests):
        if done.finished:
            assert done.text.count("\n") == 1 and len(done.logprobs) == 2
        assert done.prompt_tokens > 5 and done.answer_tokens > 0
    [scores] = model.score(
        [ScoreRequest("the city court\n", "guess", ("Ankara", "the court", "Łódź"))]
    )
    assert all(score < 0 for score in scores) and len(set(scores)) == 3
    model.close()


def test_the_grammar_is_gbnf() -> None:
    pytest.importorskip("llama_cpp")
    from llama_cpp import LlamaGrammar

    assert LlamaGrammar.from_string(line_grammar(5), verbose=False)
