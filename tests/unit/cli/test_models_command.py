import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from intact.cli.console import HINT
from tests.marked import tab_document

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ENVIRONMENT = dict(os.environ, HF_HUB_OFFLINE="1", COLUMNS="120")


def intact(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-c", "from intact.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT | more,
    )


def test_pull_of_what_is_not_there(tmp_path):
    done = intact("models", "pull", "qwen3-4b", HF_HOME=str(tmp_path))
    assert done.returncode == 2 and "HF_HUB_OFFLINE" in done.stderr
    done = intact("models", "pull", "a/b")
    assert done.returncode == 2 and "which file" in done.stderr


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps([tab_document("d", "He lived in Bergen.", ("Bergen", "LOC"))]))
    return path


def test_without_a_model_one_line_says_so_once(document, tmp_path):
    asked = ("sanitize", str(document), "-o", str(tmp_path / "out.json"))
    home = {"XDG_CACHE_HOME": str(tmp_path / "home")}
    assert HINT not in intact(*asked, "--quiet", **home).stderr
    done = intact(*asked, **home)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(HINT) == 1
    assert HINT not in intact(*asked, **home).stderr  # once is enough
    own = tmp_path / "home" / "intact"
    assert [path.stat().st_mode & 0o077 for path in (own, own / "models")] == [0, 0]


def test_a_remote_server_in_a_file_needs_the_user(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('[model]\nbackend = "openai"\nurl = "http://192.0.2.1:9/v1"\ntimeout = 0.5\n')
    done = intact("models", "check", "--config", str(file))
    assert done.returncode == 2 and "--allow-remote" in done.stderr
    done = intact("models", "check", "--config", str(file), "--allow-remote")
    assert "--allow-remote" not in done.stderr and "model.timeout" in done.stderr


class Stub(BaseHTTPRequestHandler):
    """A server whose every answer is the same text, or what the schema orders."""

    text = ""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.text:
            asked = re.findall(r"places (\d[\d, to]*):", body["messages"][0]["content"])
            low, _, high = (asked or [""])[-1].partition(" to ")
            numbers = range(int(low), int(high) + 1) if high else re.findall(r"\d+", low)
            rows = [f"{n} | a place of sort {n} | a place" for n in numbers]
        text = self.text or json.dumps({"lines": rows})
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        choice = {"message": {"content": text}, "finish_reason": "stop"}
        data = json.dumps({"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def server(request):
    """The settings of a server; its text is the parameter."""
    handler = type("Own", (Stub,), {"text": getattr(request, "param", "")})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    address = f"model.url=http://127.0.0.1:{http.server_port}"
    yield ["--set", "model.backend=openai", "--set", address]
    http.shutdown()
    http.server_close()


@pytest.mark.parametrize("server", ["<think>\nMs Secret, let me think"], indirect=True)
def test_a_check_that_nothing_passes_fails_and_says_what_came(server):
    done = intact("models", "check", *server)
    assert done.returncode == 1
    assert "plan" in done.stderr and "think block" in done.stderr
    assert "Secret" not in done.stderr


@pytest.mark.parametrize("server", ["<think>\nMs Secret, let me think"], indirect=True)
def test_a_run_whose_answers_cannot_be_read_stops(server, tmp_path):
    out = tmp_path / "out.json"
    asked = ("sanitize", str(EXAMPLES / "discharge-letter.json"), "-o", str(out), *server)
    done = intact(*asked, "--set", "model.together=1", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 2 and not out.exists()
    assert "could not be read" in done.stderr and "think block" in done.stderr
    assert "Secret" not in done.stderr


def test_a_plan_a_run_and_the_same_for_nothing(server, tmp_path):
    home = {"XDG_CACHE_HOME": str(tmp_path)}
    out = tmp_path / "out.json"
    run = ["sanitize", str(EXAMPLES / "discharge-letter.json"), "-o", str(out), *server]
    plan = [*run, "--plan"]
    done = intact(*plan, **home)
    assert done.returncode == 0, done.stderr
    assert "minutes" in done.stdout
    requests = int(re.search(r"About (\d+) requests", done.stdout)[1])
    assert 2 < requests <= 40
    assert not list(tmp_path.glob("out.json*"))
    first = intact(*run, **home)
    said = re.search(r"Language model: (\d+) requests?, (\d+) answers", first.stdout)
    asked, kept = said.groups()
    assert int(asked) + int(kept) > 2  # what the plan asked is kept
    text = out.read_bytes()
    again = intact(*run, **home)
    assert "Language model: 0 requests" in again.stdout and out.read_bytes() == text
    manifest = json.loads((tmp_path / "out.json.run" / "manifest.json").read_text())
    asked = manifest["figures"]["model"]
    assert asked["requests"] == 0 and asked["kept"] > 2
    costly = intact(*run, "--no-store", **home)
    assert "Language model: 0 requests" not in costly.stdout and " 0 answers kept" in costly.stdout
