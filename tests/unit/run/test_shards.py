"""A folder file by file comes to the same as in one go. Without Ray: the files are done here."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from intact.config import sha256
from intact.errors import (
    ConfigError,
    DocumentError,
    InputError,
    InternalError,
    ModelError,
    RunError,
)
from intact.run.files import Store, find, left_out
from intact.run.job import Job, run
from intact.run.shards import do_shard, run_in_shards
from intact.run.work import Performers

from .test_job import FACTORY, SETTINGS, Watcher, document


class Here:
    """Does shards in this process, the last one first, until the ``stop``-th."""

    def __init__(self, stop=99, factory=FACTORY):
        self.stop, self.factory, self.done = stop, factory, []

    def __call__(self, jobs):
        with closing(Performers(self.factory)) as performers:
            for number in reversed(range(len(jobs))):
                if len(self.done) == self.stop:
                    raise ModelError("the server is away")
                self.done.append(jobs[number].sources[0].relative.name)
                yield number, do_shard(jobs[number], performers)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps([document(n) for n in range(4)]))
    (folder / "b.jsonl").write_text("")
    (folder / "t.txt").write_text("Write to zelda@example.org.")
    (folder / "u.txt").write_text("Write to bo@example.org.")
    (folder / "deep" / "c.jsonl").write_text(json.dumps(document(4)) + "\n")
    return folder


def job(folder, out, **more):
    return Job(
        sources=find(str(folder), None, None, out), out=out, folder=folder.is_dir(),
        edits=out.with_suffix(".edits"), annotator="first",
        settings=SETTINGS.model_dump(mode="json"), **more,
    )  # fmt: skip


def results(task):
    """Every byte that a run leaves."""
    folder = task.out.parent
    places = [task.out, task.edits, task.run_folder]
    files = [f for place in places for f in ([place] if place.is_file() else place.rglob("*"))]
    return {str(f.relative_to(folder)): f.read_bytes() for f in files if f.is_file()}


def whole(task, tmp_path):
    """Run the same job in one process; return its files."""
    run(task, FACTORY, Watcher())
    made = results(task)
    for name in made:
        (task.out.parent / name).unlink()
    return made


def test_the_same_bytes_and_nothing_else_is_left(tmp_path, folder):
    task = job(folder, tmp_path / "out")
    expected = whole(task, tmp_path)
    summary = run_in_shards(task, Here(), Watcher())
    assert results(task) == expected
    assert summary.figures["documents"] == 7
    again = Here()
    assert not run_in_shards(replace(task, resume=True), again, Watcher()).worked
    assert again.done == []


@pytest.mark.parametrize("resume", [True, False])
def test_stopped_it_goes_on_with_the_shards_that_are_left(tmp_path, folder, resume):
    task = job(folder, tmp_path / "out", resume=resume)
    expected = whole(task, tmp_path)
    with pytest.raises(ModelError):
        run_in_shards(task, Here(stop=2), Watcher())
    assert json.loads(task.manifest.read_text())["finished"] is False
    outputs = sorted(p.name for p in task.out.rglob("*") if p.is_file())
    assert outputs == ["t.txt", "u.txt"]

    watcher = Watcher()
    run_in_shards(task, Here(factory=wary), watcher)
    assert results(task) == expected
    assert bool(watcher.warnings) != resume


def test_a_shard_whose_input_changed_is_done_again(tmp_path, folder):
    task = job(folder, tmp_path / "out")
    with pytest.raises(ModelError):
        run_in_shards(task, Here(stop=2), Watcher())
    (folder / "u.txt").write_text("Write to ann@example.org.")
    run_in_shards(task, Here(), Watcher())
    told = json.loads(task.manifest.read_text())["input"][-1]
    assert told["sha256"] == sha256(folder / "u.txt")


def test_bad_documents_are_listed_with_place_and_reason(tmp_path, folder):
    bad = document(7)
    bad["annotations"]["a"]["entity_mentions"][0]["end_offset"] = 10_000
    (folder / "x.jsonl").write_text(
        "\n".join([json.dumps(document(6)), "{broken", json.dumps(bad), '{"doc_id": "t"}'])
    )
    task = job(folder, tmp_path / "out", skip_bad=True)
    expected = whole(task, tmp_path)
    watcher = Watcher()
    assert run_in_shards(task, Here(), watcher).skipped == 3
    assert results(task) == expected
    (told,) = (f for f in json.loads(task.manifest.read_text())["input"] if f["skipped"])
    assert told["failed"] == watcher.left_out
    assert [line.split(":")[0].rpartition("/")[2] for line in told["failed"]] == [
        "x.jsonl, line 2", "x.jsonl, line 3 (d7), a, mention m0", "x.jsonl, line 4 (t)",
    ]  # fmt: skip
    with pytest.raises(InputError) as caught:
        run_in_shards(replace(task, skip_bad=False), Here(), Watcher())
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize("skip_bad", [True, False])
def test_one_id_in_two_files(tmp_path, folder, skip_bad):
    lines = [json.dumps(document(n)) + "\n" for n in (0, 8)]
    (folder / "z.jsonl").write_text("".join(lines))
    task = job(folder, tmp_path / "out", skip_bad=skip_bad)
    if not skip_bad:
        with pytest.raises(DocumentError, match=r"two documents called d0 \(the other is in"):
            run_in_shards(task, Here(), Watcher())
        return
    expected = whole(task, tmp_path)
    watcher = Watcher()
    run_in_shards(task, Here(), watcher)
    assert results(task) == expected
    assert len(watcher.left_out) == 1


def test_a_journal_of_the_other_kind_does_not_stay(tmp_path, folder):
    task = job(folder, tmp_path / "out")
    with pytest.raises(ModelError):
        run_in_shards(task, Here(stop=1), Watcher())
    run(replace(task, resume=True), FACTORY, Watcher())
    assert sorted(p.name for p in task.run_folder.iterdir()) == ["manifest.json", "record.jsonl"]


def test_one_file_is_to_be_split(tmp_path, folder):
    with pytest.raises(ConfigError, match="--shards"):
        run_in_shards(job(folder / "a.json", tmp_path / "out.json"), Here(), Watcher())


def wary():
    """A pipeline that cannot detect: the texts are done."""
    made = FACTORY()
    made.detect = None
    return made


def faulty():
    """A pipeline with a fault at one document."""
    made = FACTORY()
    sanitize = made.sanitize

    def fall(document):
        if document.id == "d2":
            raise KeyError(document.text)
        return sanitize(document)

    made.sanitize = fall
    return made


def test_a_fault_of_ours_is_left_out_like_a_bad_document(tmp_path, folder):
    task = job(folder, tmp_path / "out", skip_bad=True)
    watcher = Watcher()
    summary = run_in_shards(task, Here(factory=faulty), watcher)
    assert (summary.skipped, summary.figures["documents"]) == (1, 6)
    assert "document d2: internal error (KeyError" in watcher.left_out[0]
    assert "Secret" not in task.manifest.read_text()
    with pytest.raises(InternalError):
        run_in_shards(replace(task, skip_bad=False), Here(factory=faulty), Watcher())


@pytest.fixture
def store(tmp_path):
    """Files of an object store in memory, and the folder here whose files are copied to it."""
    files = pytest.importorskip("fsspec").filesystem("memory")
    files.store.clear()
    (tmp_path / "driver").mkdir()
    return files, Store("memory://data", tmp_path / "driver")


def stored(folder, store, **more):
    """The job of a folder, when it and the output lie in an object store."""
    files, there = store
    for path in filter(Path.is_file, folder.rglob("*")):
        files.pipe(f"data/in/{path.relative_to(folder)}", path.read_bytes())
    task = job(folder, there.root / "out", store=there, **more)
    edits = there.root.parent / "driver.edits"
    return replace(task, sources=find("memory://data/in/", None, None, task.out), edits=edits)


def results_in(store, task):
    """The same as ``results``, of an object store."""
    files = {n[6:]: f.getvalue() for n, f in store[0].store.items() if n[:9] != "/data/in/"}
    name = "out.run/manifest.json"
    edits = task.edits.read_bytes()
    return files | {"out.edits": edits, name: files[name].replace(b"memory://data/", b"")}


def as_there(expected, tmp_path):
    """Return the files of a run here, with the names of things there."""
    manifest = expected["out.run/manifest.json"].decode()
    manifest = manifest.replace(f"{tmp_path}/out.edits", f"{tmp_path}/driver.edits")
    return expected | {
        "out.run/manifest.json": manifest.replace(f"{tmp_path}/out/", "out/").encode()
    }


def test_an_object_store_gets_the_same_bytes(tmp_path, folder, store):
    expected = as_there(whole(job(folder, tmp_path / "out"), tmp_path), tmp_path)
    task = stored(folder, store)
    put = []
    there = store[0]
    move = type(there).mv
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            type(there), "mv", lambda self, a, b: (put.append((a, b)), move(self, a, b))
        )
        run_in_shards(task, Here(), Watcher())
    assert results_in(store, task) == expected
    assert [
        p.name for p in task.out.parent.rglob("*") if p.is_file() and p.name != "manifest.json"
    ] == ["record.jsonl"], "of texts nothing stays here"
    assert all(a == f"{b.rpartition('/')[0]}/.{b.rpartition('/')[2]}.part" for a, b in put)
    of_text = [b.removeprefix("/data/") for _, b in put if "u.txt" in b]
    assert of_text == [
        "out.run/shards/u.txt.run/manifest.json", "out.run/shards/u.txt.edits", "out/u.txt",
        "out.run/shards/u.txt.run/record.jsonl", "out.run/shards/u.txt.run/manifest.json",
    ]  # fmt: skip
    again = Here()
    assert not run_in_shards(replace(task, resume=True), again, Watcher()).worked
    assert again.done == []
    there.pipe("data/out/u.txt", b"changed")
    run_in_shards(replace(task, resume=True), again, Watcher())
    assert results_in(store, task) == expected


def test_in_an_object_store_finished_shards_are_not_done_again(tmp_path, folder, store):
    expected = as_there(whole(job(folder, tmp_path / "out"), tmp_path), tmp_path)
    task = stored(folder, store)
    with pytest.raises(ModelError):
        run_in_shards(task, Here(stop=2), Watcher())
    outputs = [name for name in store[0].find("data/out") if "/." not in name]
    assert outputs == ["/data/out/t.txt", "/data/out/u.txt"]

    with pytest.raises(RunError, match="the configuration changed"):
        run_in_shards(replace(task, settings={"x": 1}, resume=True), Here(), Watcher())
    run_in_shards(replace(task, resume=True), Here(factory=wary), Watcher())
    assert results_in(store, task) == expected


@pytest.mark.parametrize("skip_bad", [True, False])
def test_one_id_in_two_files_of_an_object_store(tmp_path, folder, store, skip_bad):
    (folder / "z.jsonl").write_text("".join(json.dumps(document(n)) + "\n" for n in (0, 8)))
    task = stored(folder, store, skip_bad=skip_bad)
    if not skip_bad:
        with pytest.raises(DocumentError, match="two documents called d0"):
            run_in_shards(task, Here(), Watcher())
        return
    watcher = Watcher()
    run_in_shards(task, Here(), watcher)
    assert len(watcher.left_out) == 1
    assert store[0].cat("data/out/z.jsonl").count(b"\n") == 1


def test_what_is_not_read_in_an_object_store_is_told(folder, store):
    (folder / "x.png").write_bytes(b"")
    (folder / "old.run").mkdir()
    (folder / "old.run" / "record.jsonl").write_text("{}")
    task = stored(folder, store)
    assert [str(source.relative) for source in task.sources] == [
        "a.json", "b.jsonl", "deep/c.jsonl", "t.txt", "u.txt",
    ]  # fmt: skip
    assert left_out("memory://data/in", task.sources, task.out) == ["x.png"]
    with pytest.raises(InputError, match="the folder holds no documents"):
        find("memory://data/nothing", None, None, task.out)


def test_a_store_that_refuses_stops_the_run_without_its_words(folder, store, monkeypatch):
    def fall(self, *arguments, **options):
        raise PermissionError("SECRET")

    task = stored(folder, store)
    monkeypatch.setattr(type(store[0]), "put_file", fall)
    with pytest.raises(RunError, match=r"refuses \(PermissionError\)") as caught:
        run_in_shards(task, Here(), Watcher())
    assert "SECRET" not in str(caught.value)
