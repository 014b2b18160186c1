"""Killed or interrupted at any moment, a run is taken up again and ends with the same bytes."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COPIES = 8
ROUNDS = 5


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The examples, several times over, as one corpus."""
    documents = []
    for copy in range(COPIES):
        for path in sorted(EXAMPLES.glob("*.json")):
            (document,) = json.loads(path.read_text("utf-8"))
            documents.append({**document, "doc_id": f"{document['doc_id']}-{copy}"})
    path = tmp_path_factory.mktemp("corpus") / "in.json"
    path.write_text(json.dumps(documents))
    return path


@pytest.fixture(scope="module", autouse=True)
def interrupts_are_heeded():
    """Shells start what runs in the background with interrupts ignored; children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(source, folder, *options):
    command = [sys.executable, "-m", "intact", "sanitize", source, "-o", folder / "out.json",
               "--edits", folder / "edits.json", "--set", "generation.sources=[]",
               "--set", "attack.attackers=[]", *options]  # fmt: skip
    return subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def finished(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def results(folder):
    names = ("out.json", "edits.json", "out.json.run/manifest.json")
    contents = [(folder / name).read_bytes() for name in names]
    contents[2] = contents[2].replace(str(folder).encode(), b"")
    left = sorted(path.name for path in (*folder.iterdir(), *(folder / "out.json.run").iterdir()))
    assert left == ["edits.json", "manifest.json", "out.json", "out.json.run"]
    return contents


@pytest.fixture(scope="module")
def whole(source, tmp_path_factory):
    """Run without interruption; return what it writes and its seconds."""
    folder = tmp_path_factory.mktemp("whole")
    began = time.monotonic()
    finished(start(source, folder))
    return results(folder), time.monotonic() - began


def journalled(folder):
    """Entries of a run at work, or killed; read from a copy, which locks nothing."""
    with tempfile.TemporaryDirectory() as copy:
        for path in (folder / "out.json.run").glob("journal.sqlite*"):
            with suppress(FileNotFoundError):
                shutil.copy(path, copy)
        try:
            table = sqlite3.connect(Path(copy) / "journal.sqlite")
            return table.execute("SELECT count(*) FROM documents").fetchone()[0]
        except sqlite3.DatabaseError:
            return 0


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_random_moments(source, whole, tmp_path, workers):
    expected, seconds = whole
    rng = random.Random(workers)
    partial = 0
    for number in range(ROUNDS // workers):
        folder = tmp_path / str(number)
        folder.mkdir()
        process = start(source, folder, "--workers", workers)
        if number % 2:
            time.sleep(rng.uniform(0.1, 1.0) * seconds)
        else:
            reached = rng.randrange(1, COPIES * 6)
            while journalled(folder) < reached and process.poll() is None:
                time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        partial += 0 < journalled(folder) < COPIES * 9
        finished(start(source, folder, "--workers", workers, "--resume"))
        assert results(folder) == expected
    assert partial or workers > 1, "no kill hit the middle of the work"


def test_workers_end_with_their_parent(source, tmp_path):
    process = start(source, tmp_path, "--workers", "2")
    while not journalled(tmp_path) and process.poll() is None:
        time.sleep(0.01)
    children = _children(process.pid)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "workers outlive their parent"
        time.sleep(0.05)


def _children(pid):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_it_says_how_to_go_on(source, whole, tmp_path, workers):
    process = start(source, tmp_path, "--workers", workers)
    while journalled(tmp_path) < 3 and process.poll() is None:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "--resume" in err
    finished(start(source, tmp_path, "--workers", workers, "--resume"))
    assert results(tmp_path) == whole[0]
