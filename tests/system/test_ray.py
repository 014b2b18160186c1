"""``--on ray``: the bytes of one machine; nothing is lost with actors and drivers that die."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.json"))
RULES = ("--set", "generation.sources=[]", "--set", "attack.attackers=[]")


def corpus(folder, shards=4, copies=3):
    """So many files of nine small documents, several times over."""
    folder.mkdir()
    documents = [json.loads(path.read_text("utf-8"))[0] for path in EXAMPLES]
    for number in range(shards):
        with (folder / f"{number}.jsonl").open("w") as file:
            for at, document in enumerate(documents * copies):
                file.write(json.dumps({**document, "doc_id": f"{number}-{at}"}) + "\n")
    return folder


def command(source, out, *options):
    words = [sys.executable, "-m", "intact", "sanitize", source, "-o", out, *RULES, *options]
    return [str(word) for word in words]


def results(out, edits=None):
    """Every byte of outputs and manifest."""
    manifest = (out.parent / f"{out.name}.run" / "manifest.json").read_bytes()
    files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    left = [p.name for p in (out.parent / f"{out.name}.run").iterdir()]
    assert left == ["manifest.json"]
    return files, manifest, edits and edits.read_bytes()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Ray with two processors, and the folder of its logs."""
    folder = Path("/tmp") / f"intact-ray-{os.getpid()}"  # sockets need a short path
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # At Ray's niceness of 15, tests beside these leave actors no time.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  (Ray's spelling)
    ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False,
        _temp_dir=str(folder),
    )  # fmt: skip
    yield ray.get_runtime_context().gcs_address, folder
    ray.shutdown()
    subprocess.run(["rm", "-rf", folder], check=False)


def run(words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


def on_ray(cluster, source, out, *options):
    return command(
        source, out, "--on", "ray", "--ray-address", cluster[0], "--workers", "2", *options
    )


def test_the_bytes_of_one_machine_and_again_nothing_to_do(cluster, tmp_path):
    source = corpus(tmp_path / "in", 3, 1)
    for out in (tmp_path / "here" / "out", tmp_path / "there" / "out"):
        out.parent.mkdir()
    local, there = tmp_path / "here" / "out", tmp_path / "there" / "out"
    done = run(command(source, local, "--edits", local.parent / "e.json"))
    assert done.returncode == 0, done.stderr
    words = on_ray(cluster, source, there, "--edits", there.parent / "e.json")
    done = run(words)
    assert done.returncode == 0, done.stderr
    expected = results(local, local.parent / "e.json")
    made = results(there, there.parent / "e.json")
    assert made[0] == expected[0]
    assert made[1] == expected[1].replace(b"/here/", b"/there/")
    assert made[2] == expected[2]
    again = run([*words, "--resume"])
    assert again.returncode == 0
    assert "all there already" in again.stdout


def test_poisoned_documents_are_listed_and_no_log_holds_their_text(cluster, tmp_path):
    source = corpus(tmp_path / "in", 2, 1)
    lines = (source / "1.jsonl").read_text().splitlines()[:6]
    bad = json.loads(lines[1])
    bad["annotations"]["annotator1"] = {"entity_mentions": [
        {"entity_type": "PERSON", "entity_mention_id": "m", "start_offset": 0, "end_offset": 9**6,
         "span_text": "SECRET-TEXT", "identifier_type": "DIRECT", "entity_id": "e"}]}  # fmt: skip
    lines[1] = json.dumps(bad)
    lines[2] = '{"doc_id": "SECRET-TEXT'
    lines[3] = '{"doc_id": "no-text", "annotations": {}, "x": "SECRET-TEXT"}'
    lines[4] = '{"text": "SECRET-TEXT", "mentions": []}'
    (source / "1.jsonl").write_text("\n".join(lines))
    words = on_ray(cluster, source, tmp_path / "out")
    stopped = run(words)
    assert stopped.returncode == 2
    done = run([*words, "--skip-bad"])
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("skipped:") == 4
    manifest = json.loads((tmp_path / "out.run" / "manifest.json").read_text())
    (file,) = (one for one in manifest["input"] if one["skipped"])
    assert file["documents"] == 2
    assert [f"line {n}" in line for n, line in zip((2, 3, 4, 5), file["failed"], strict=True)]
    words_of_text = json.loads(lines[0])["text"][:60].encode()
    for text in (b"SECRET-TEXT", words_of_text):
        assert text not in (stopped.stderr + done.stderr + done.stdout).encode()
        logs = [path for path in cluster[1].rglob("*") if path.is_file() and not path.is_socket()]
        assert len(logs) > 5
        assert not [path.name for path in logs if text in path.read_bytes()]


def actors():
    """The processes of INTACT's actors."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::Actor"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def until(condition, seconds=200):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_killed_actor_and_a_killed_driver_lose_nothing(cluster, tmp_path):
    source = corpus(tmp_path / "in", 4, 5)
    assert run(command(source, tmp_path / "whole" / "out")).returncode == 0
    out = tmp_path / "killed" / "out"
    journal = tmp_path / "killed" / "out.run" / "journal.sqlite-wal"
    before = set(actors())
    driver = subprocess.Popen(
        on_ray(cluster, source, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(lambda: journal.exists() and journal.stat().st_size)
    size = journal.stat().st_size
    os.kill(next(iter(set(actors()) - before)), signal.SIGKILL)
    until(lambda: driver.poll() is not None or journal.stat().st_size > 2 * size)
    driver.kill()
    driver.communicate()
    assert not out.exists(), "the kill hit the middle of the work"
    until(lambda: not set(actors()) - before)
    done = run(on_ray(cluster, source, out, "--resume"))
    assert done.returncode == 0, done.stderr
    whole, made = results(tmp_path / "whole" / "out"), results(out)
    assert made[0] == whole[0]
    assert made[1] == whole[1].replace(b"/whole/", b"/killed/")


def test_a_data_set_does_not_wait_for_ever(cluster, tmp_path):
    """Actors that hold all processors would leave none for the tasks that read and write."""
    pytest.importorskip("ray.data")
    parquet = pytest.importorskip("pyarrow.parquet")
    from intact.integrations.tables import BatchSanitizer

    rows = [{"n": n, "text": f"Write to z{n}@example.org."} for n in range(200)]
    rows[7]["text"] = None
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ray.data.DataContext.get_current().enable_progress_bars = False
    sanitizer = BatchSanitizer(workers=2, overrides=RULES[1::2])
    made = sanitizer.map_dataset(ray.data.read_json(str(path)))
    made.write_parquet(str(tmp_path / "out"))
    table = sorted(parquet.read_table(tmp_path / "out").to_pylist(), key=lambda row: row["n"])
    assert [row["n"] for row in table] == list(range(200))
    assert {row["intact_status"] for row in table} == {"done"}
    assert table[3]["sanitized_text"] == "Write to CODE_1."
    assert table[7]["sanitized_text"] is None
    assert "text" not in table[0]
