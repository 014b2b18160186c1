"""Same input, configuration and seed: same bytes, on any day and in any company."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def documents():
    return [json.loads(path.read_text("utf-8"))[0] for path in sorted(EXAMPLES.glob("*.json"))]


def sanitized(folder, documents, hash_seed="0", *options):
    source = folder / "in.json"
    source.write_text(json.dumps(documents))
    command = [sys.executable, "-m", "intact", "sanitize", source, "-o", folder / "out.json", "-q"]
    subprocess.run(
        [str(part) for part in (*command, *options)],
        check=True, env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )  # fmt: skip
    return (folder / "out.json").read_bytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory, documents):
    return sanitized(tmp_path_factory.mktemp("expected"), documents)


def test_whatever_the_hashes_the_workers_the_order_and_the_company(tmp_path, documents, expected):
    assert sanitized(tmp_path, documents, "1") == expected
    assert sanitized(tmp_path, documents, "2", "--workers", "2") == expected
    backwards = json.loads(sanitized(tmp_path, documents[::-1]))
    assert backwards[::-1] == json.loads(expected)
    alone = json.loads(sanitized(tmp_path, documents[2:3]))
    assert alone == json.loads(expected)[2:3]
