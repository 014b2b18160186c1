import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from intact.models.load import HINT

ENVIRONMENT = dict(os.environ, HF_HUB_OFFLINE="1", COLUMNS="120")


def intact(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from intact.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT | more,
    )


def test_list_shows_the_table() -> None:
    done = intact("models", "list")
    assert done.returncode == 0
    assert "mistral-7b-v0.2" in done.stdout and "Apache-2.0" in done.stdout


def test_path_and_pull_of_what_is_not_there(tmp_path: Path) -> None:
    done = intact("models", "path", "qwen3-4b", HF_HOME=str(tmp_path))
    assert done.returncode == 2 and "models pull" in done.stderr
    done = intact("models", "pull", "qwen3-4b", HF_HOME=str(tmp_path))
    assert done.returncode == 2 and "HF_HUB_OFFLINE" in done.stderr
    done = intact("models", "pull", "a/b")
    assert done.returncode == 2 and "which file" in done.stderr


@pytest.fixture
def document(tmp_path: Path) -> Path:
    mention = {
        "entity_type": "LOC",
        "entity_mention_id": "m",
        "start_offset": 12,
        "end_offset": 18,
        "span_text": "Bergen",
        "identifier_type": "QUASI",
        "entity_id": "e",
    }
    path = tmp_path / "in.json"
    annotations = {"a": {"entity_mentions": [mention]}}
    text = "He lived in Bergen."
    path.write_text(json.dumps([{"doc_id": "d", "text": text, "annotations": annotations}]))
    return path


def test_without_a_model_one_line_says_so(document: Path, tmp_path: Path) -> None:
    done = intact("sanitize", str(document), "-o", str(tmp_path / "out.json"))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(HINT) == 1
    quiet = intact("sanitize", str(document), "-o", str(tmp_path / "out.json"), "--quiet")
    assert HINT not in quiet.stderr


def test_a_wrong_model_stops_before_anything_is_written(document: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = intact("sanitize", str(document), "-o", str(out), "--set", "model.path=/none.gguf")
    assert done.returncode == 2
    assert "model.path" in done.stderr
    assert not list(tmp_path.glob("out.json*"))


def test_a_remote_server_in_a_file_needs_the_user(tmp_path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[model]\nbackend = "openai"\nurl = "http://192.0.2.1:9/v1"\nretries = 0\ntimeout = 0.5\n'
    )
    done = intact("models", "check", "--config", str(file))
    assert done.returncode == 2 and "--allow-remote" in done.stderr
    done = intact("models", "check", "--config", str(file), "--allow-remote")
    assert "--allow-remote" not in done.stderr and "model.timeout" in done.stderr
