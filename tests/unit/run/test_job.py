"""Runs on a small corpus with labels only, so that they are fast."""

import json
import resource
import stat
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from intact.config import load_settings
from intact.errors import InputError, InternalError, RunError
from intact.pipeline import build_pipeline
from intact.run.files import find
from intact.run.job import Job
from intact.run.job import run as run_job
from intact.run.work import Performers
from tests.marked import tab_document
from tests.work import limited

SETTINGS = load_settings(None, ["generation.sources=[]", "attack.attackers=[]"])
OTHER_SETTINGS = load_settings(None, ["generation.sources=[]", "run.seed=7"])
FACTORY = partial(build_pipeline, SETTINGS)


def document(number):
    name = f"Secret Person{number}"
    text = f"{name} wrote to {name} in Riga and paid {number} lats."
    return tab_document(f"d{number}", text, (name, "PERSON"), ("Riga", "LOC"))


class Watcher:
    def __init__(self):
        self.read, self.size, self.spans, self.finished = 0, 0, 0, 0
        self.warnings, self.left_out = [], []

    def advanced(self, read, size, spans, documents=1):
        self.read, self.size, self.spans = read, size, self.spans + spans
        self.finished += documents

    def warned(self, message):
        self.warnings.append(message)

    def skipped(self, error):
        self.left_out.append(str(error))


def corpus(tmp_path, count=12, name="in.json"):
    path = tmp_path / name
    path.write_text(json.dumps([document(n) for n in range(count)]))
    return path


def job(source, out, **more):
    return Job(
        sources=find(str(source), None, None, out)[0], out=out, folder=source.is_dir(),
        **{"settings": SETTINGS, "parts": {"kb": "1"}, **more},
    )  # fmt: skip


def run(task, factory, observer, workers=1):
    with closing(Performers(factory, workers)) as performers:
        return run_job(task, performers, observer)


@pytest.fixture
def source(tmp_path):
    return corpus(tmp_path)


@pytest.mark.parametrize("style", ["underscore", "brackets", "readable", "stars"])
def test_persons_numbered_in_several_files_are_told_once(tmp_path, style):
    folder, watcher = tmp_path / "in", Watcher()
    folder.mkdir()
    settings = load_settings(None, ["generation.sources=[]", f"labels.style={style}"])
    for name in ("a", "b"):
        (folder / f"{name}.json").write_text(json.dumps([document(ord(name))]))
        task = job(folder, tmp_path / f"out {name}", settings=settings)
        run(task, partial(build_pipeline, settings), watcher)
        told = [one for one in watcher.warnings if "may be two people" in one]
        assert len(told) == (name == "b" and style != "stars")


def test_a_run_writes_everything_privately(tmp_path, source):
    watcher = Watcher()
    task = job(source, tmp_path / "out.json", edits=tmp_path / "edits.json")
    manifest = run(task, FACTORY, watcher)
    assert (manifest["figures"]["documents"], manifest["figures"]["spans"]) == (12, 24)
    assert manifest["figures"]["swept"] == 12
    assert (watcher.spans, watcher.finished) == (24, 12)
    assert watcher.read == watcher.size == source.stat().st_size
    after = json.loads(task.out.read_text())
    edits = json.loads(task.edits.read_text())
    for number, doc in enumerate(after):
        text = doc["text"]
        for start, end, replacement in reversed(edits[f"d{number}"]):
            text = text[:start] + replacement + text[end:]
        assert text == doc["sanitized_text"]
        assert "Secret" not in text
    assert sorted(p.name for p in task.run_folder.iterdir()) == ["manifest.json"]
    for path in (task.out, task.edits, task.run_folder / "manifest.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(task.run_folder.stat().st_mode) == 0o700
    text = task.manifest.read_text()
    assert "Secret" not in text and "Riga" not in text
    manifest = json.loads(text)
    assert manifest["finished"] is True and manifest["parts"] == {"kb": "1"}
    assert manifest["settings"]["attack"]["guesses"] == SETTINGS.attack.guesses
    assert manifest["input"][0]["documents"] == 12
    assert len(manifest["output"][str(task.out)]) == len(manifest["input"][0]["sha256"]) == 64


class Stopping(Watcher):
    """Stops the run after some documents, as Ctrl-C does."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def advanced(self, read, size, spans):
        super().advanced(read, size, spans)
        if self.finished == self.after:
            raise KeyboardInterrupt


class Counting:
    """Builds pipelines and counts what goes through them."""

    def __init__(self):
        self.documents = 0

    def __call__(self):
        pipeline = FACTORY()
        sanitize = pipeline.sanitize

        def counted(document):
            self.documents += 1
            return sanitize(document)

        pipeline.sanitize = counted
        return pipeline


def outcome(task):
    return [p.read_bytes() for p in (task.out, task.edits, task.run_folder / "manifest.json")]


@pytest.mark.parametrize("flag", [True, False])
def test_taken_up_anywhere_the_bytes_are_the_same_and_nothing_is_done_twice(tmp_path, source, flag):
    task = job(source, tmp_path / "out.json", edits=tmp_path / "edits.json")
    run(task, FACTORY, Watcher())
    expected = outcome(task)
    for after in (1, 5, 11, 12):
        for path in (*task.files, *task.run_folder.iterdir()):
            path.unlink()
        with pytest.raises(KeyboardInterrupt):
            run(task, FACTORY, Stopping(after))
        assert not task.out.exists()
        factory, watcher = Counting(), Watcher()
        again = job(source, task.out, edits=task.edits, resume=flag)
        run(again, factory, watcher)
        assert (factory.documents, watcher.finished) == (12 - after, 12)
        assert outcome(task) == expected
        told = [one for one in watcher.warnings if "an earlier run stopped here" in one]
        what = "what did not change is taken up"  # which may be nothing
        assert told == ([] if flag else [f"an earlier run stopped here; {what}"])


def test_a_document_that_was_mended_is_all_that_is_done_anew(tmp_path, source):
    documents = [document(n) for n in range(12)]
    documents[7]["annotations"]["a"]["entity_mentions"][0]["end_offset"] = 10_000
    source.write_text(json.dumps(documents))
    out = tmp_path / "out.json"
    with pytest.raises(InputError, match=r"document 8 \(d7\)"):
        run(job(source, out), FACTORY, Watcher())
    corpus(tmp_path)
    factory = Counting()
    run(job(source, out, resume=True), factory, Watcher())
    assert factory.documents == 5
    again = tmp_path / "again.json"
    run(job(source, again), FACTORY, Watcher())
    assert out.read_bytes() == again.read_bytes()


def test_a_journal_is_never_discarded_for_a_forgotten_flag(tmp_path, source):
    out = tmp_path / "out.json"
    with pytest.raises(KeyboardInterrupt):
        run(job(source, out), FACTORY, Stopping(5))
    begun = job(source, out)
    other = job(source, out, settings=OTHER_SETTINGS)
    with pytest.raises(RunError, match="the configuration changed since the run began"):
        run(other, FACTORY, Watcher())
    manifest = begun.manifest.read_bytes()
    begun.manifest.unlink()
    for resume in (True, False):
        with pytest.raises(RunError, match="its manifest is gone"):
            run(job(source, out, resume=resume), FACTORY, Watcher())
    begun.manifest.write_bytes(manifest)
    factory = Counting()
    run(begun, factory, Watcher())
    assert factory.documents == 7


def test_resuming_what_is_done_does_nothing(tmp_path, source):
    out = tmp_path / "out.json"
    first = run(job(source, out), FACTORY, Watcher())
    before = out.stat().st_mtime_ns
    watcher = Watcher()
    second = run(job(source, out, resume=True), FACTORY, watcher)
    assert (watcher.finished, second) == (0, first | {"worked": False})
    assert out.stat().st_mtime_ns == before
    out.unlink()
    assert run(job(source, out, resume=True), FACTORY, Watcher())["worked"]
    assert json.loads(out.read_text())


@pytest.mark.parametrize("resume", [True, False])
def test_what_somebody_changed_is_not_replaced(tmp_path, source, resume):
    out = tmp_path / "out.json"
    run(job(source, out), FACTORY, Watcher())
    run(job(source, out, settings=OTHER_SETTINGS), FACTORY, Watcher())  # nobody touched it
    out.write_text("by hand")
    with pytest.raises(RunError, match="not what the last run wrote"):
        run(job(source, out, resume=resume), FACTORY, Watcher())
    assert out.read_text() == "by hand"
    out.rename(tmp_path / "mine.json")
    assert run(job(source, out), FACTORY, Watcher())["worked"]


def test_resume_without_a_run_begins_one(tmp_path, source):
    assert run(job(source, tmp_path / "out.json", resume=True), FACTORY, Watcher())["worked"]


def test_resume_refuses_another_input_config_or_part(tmp_path, source):
    out = tmp_path / "out.json"
    run(job(source, out), FACTORY, Watcher())
    changed = job(source, out, resume=True, settings=OTHER_SETTINGS, parts={"kb": "2"})
    with pytest.raises(RunError, match=r"the configuration and the knowledge base .* changed"):
        run(changed, FACTORY, Watcher())
    corpus(tmp_path, 5)
    with pytest.raises(RunError, match="the input changed"):
        run(job(source, out, resume=True), FACTORY, Watcher())


def test_folders_keep_their_shape(tmp_path):
    folder = tmp_path / "in"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps([document(1), document(2)]))
    (folder / "deep" / "b.jsonl").write_text(json.dumps(document(3)) + "\n")
    (folder / "deep" / ".hidden" / "c.json").write_text("nonsense")
    (folder / "notes.png").write_text("nonsense")
    task = job(folder, folder / "out", edits=tmp_path / "edits.json")
    run(task, FACTORY, Watcher())
    again = job(folder, folder / "out")
    assert [s.relative.as_posix() for s in again.sources] == ["a.json", "deep/b.jsonl"]
    assert len(json.loads((task.out / "a.json").read_text())) == 2
    assert json.loads((task.out / "deep" / "b.jsonl").read_text())["sanitized_text"]
    assert list(json.loads(task.edits.read_text())) == ["d1", "d2", "d3"]


def test_bad_documents_stop_the_run_or_are_left_out(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    bad = document(2)
    bad["annotations"]["a"]["entity_mentions"][0]["end_offset"] = 10_000
    (folder / "a.jsonl").write_text(
        "\n".join([json.dumps(document(1)), json.dumps(bad), "{", json.dumps(document(1)),
                   json.dumps(document(3))])
    )  # fmt: skip
    (folder / "b.json").write_text("[" + json.dumps(document(4)) + ", {")
    (folder / "c.json").write_text("{}")
    (folder / "d.json").write_text(json.dumps([document(5)]))
    out = tmp_path / "out"
    with pytest.raises(InputError, match=r"a\.jsonl, line 2"):
        run(job(folder, out), FACTORY, Watcher())
    assert not out.exists()
    for workers in (1, 2):
        watcher = Watcher()
        manifest = run(job(folder, out, skip_bad=True), FACTORY, watcher, workers)
        assert manifest["skipped"] == len(watcher.left_out) == 5
        assert manifest["figures"]["documents"] == 4
        assert [line.split(": ")[0].rpartition("/")[2] for line in watcher.left_out] == [
            "a.jsonl, line 2 (d2), annotator 1, mention 1 (m0)",
            "a.jsonl, line 3", "a.jsonl", "b.json", "c.json",
        ]  # fmt: skip
        assert not any("Secret" in line for line in watcher.left_out)
        assert len((out / "a.jsonl").read_text().splitlines()) == 2
        assert len(json.loads((out / "b.json").read_text())) == 1


class Fake:
    usage = dict

    def close(self):
        pass


class Broken(Fake):
    """A pipeline with a fault that quotes the document."""

    def sanitize(self, document):
        raise KeyError(document.text)


class Dying(Fake):
    def sanitize(self, document):
        import os

        os._exit(9)


@pytest.mark.parametrize("workers", [1, 2])
def test_unforeseen_errors_do_not_quote_the_document(tmp_path, source, workers):
    with pytest.raises(InternalError, match=r"document d\d+: internal error \(KeyError") as caught:
        run(job(source, tmp_path / "out.json"), Broken, Watcher(), workers)
    assert "Secret" not in str(caught.value)
    assert "Secret" in caught.value.details
    assert not (tmp_path / "out.json").exists()


def test_workers_that_die_or_cannot_start_are_errors(tmp_path, source):
    with pytest.raises(RunError, match="worker process died"):
        run(job(source, tmp_path / "out.json"), Dying, Watcher(), 2)
    with pytest.raises(InternalError, match="starting a worker"):
        run(job(source, tmp_path / "out.json"), partial(int, "x"), Watcher(), 2)


@pytest.mark.parametrize(
    ("out", "edits", "said"),
    [
        ("in.json", None, "the output is the input"),
        ("folder", None, "is a folder, but the input is a file"),
        ("none/out.json", None, "create it first"),
        ("out.json", "none/edits.json", "create it first"),
        ("out.json", "out.json", "the same"),
        ("out.json", "in.json", "would replace the input"),
        ("out.json", "link.json", "would replace the input"),
        ("-", None, "cannot be the standard output"),
    ],
)
def test_outputs_that_cannot_be(tmp_path, source, out, edits, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.json").symlink_to(source)
    before = source.read_bytes()
    place = Path(out) if out == "-" else tmp_path / out
    with pytest.raises((RunError, InputError), match=said):
        run(job(source, place, edits=edits and tmp_path / edits), FACTORY, Watcher())
    assert source.read_bytes() == before
    assert not (tmp_path / "out.json").exists()
    assert not (tmp_path / "out.json.run").exists()


def test_edits_that_would_be_one_of_the_outputs(tmp_path):
    (tmp_path / "in").mkdir()
    source = corpus(tmp_path, name="in/a.json")
    (tmp_path / "out").mkdir()
    asked = job(source.parent, tmp_path / "out", edits=tmp_path / "out" / "a.json")
    with pytest.raises(RunError, match="two files of the run would be the same"):
        run(asked, FACTORY, Watcher())
    assert list((tmp_path / "out").iterdir()) == []


def test_a_run_folder_that_others_prepared_is_not_used(tmp_path, source):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out.json.run").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="is a link or belongs to somebody else"):
        run(job(source, tmp_path / "out.json"), FACTORY, Watcher())
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "out.json.run").unlink()
    (tmp_path / "out.json.run").mkdir(mode=0o755)
    run(job(source, tmp_path / "out.json"), FACTORY, Watcher())
    assert stat.S_IMODE((tmp_path / "out.json.run").stat().st_mode) == 0o700


def test_a_second_run_on_the_same_output_leaves_the_first_alone(tmp_path, source):
    made = job(source, tmp_path / "out.json", edits=tmp_path / "edits.json")

    class Intruding(Watcher):
        def advanced(self, read, size, spans):
            super().advanced(read, size, spans)
            with pytest.raises(RunError, match="another run is writing the same output"):
                run(made, FACTORY, Watcher())

    watcher = Intruding()
    run(made, FACTORY, watcher)
    assert watcher.finished == 12
    assert len(json.loads((tmp_path / "out.json").read_text())) == 12


def test_more_files_than_may_be_open(tmp_path):
    (tmp_path / "in").mkdir()
    used = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(30):
        (tmp_path / "in" / f"{number}.txt").write_text("Riga")
    with limited(resource.RLIMIT_NOFILE, used + 20):
        run(job(tmp_path / "in", tmp_path / "out"), FACTORY, Watcher())
    assert len(list((tmp_path / "out").iterdir())) == 30


def test_a_file_of_which_nothing_comes_through_has_no_output(tmp_path):
    docx = pytest.importorskip("docx")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Riga")
    (folder / "b.txt").write_bytes(b"\xff")
    (folder / "names.csv").write_text("id,text\n")
    docx.Document().save(folder / "c.docx")
    data = (folder / "c.docx").read_bytes()
    (folder / "c.docx").write_bytes(data[:300] + bytes(50) + data[350:])
    watcher = Watcher()
    asked = job(folder, tmp_path / "out", skip_bad=True)
    assert run(asked, FACTORY, watcher)["skipped"] == len(watcher.left_out) == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "names.csv"]
    (folder / "a.txt").unlink()
    (folder / "names.csv").unlink()
    with pytest.raises(InputError, match="nothing of the input can be worked on"):
        run(job(folder, tmp_path / "out2", skip_bad=True), FACTORY, watcher)
    assert not (tmp_path / "out2.run").exists()


@pytest.mark.parametrize("content", ["{", "{}", '{"finished": true}', "[" * 100_000, "\udc80"])
def test_manifests_that_are_none(tmp_path, source, content):
    (tmp_path / "out.json.run").mkdir()
    manifest = tmp_path / "out.json.run" / "manifest.json"
    manifest.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(RunError, match="the manifest is damaged"):
        run(job(source, tmp_path / "out.json", resume=True), FACTORY, Watcher())


def test_memory_does_not_grow_with_the_corpus(tmp_path):
    """The parent holds neither all documents nor all results."""
    import tracemalloc

    peaks = []
    for count in (330, 30, 330):  # the first fills what is kept for all runs
        source = corpus(tmp_path, count)
        tracemalloc.start()
        run(job(source, tmp_path / "out.json"), FACTORY, Watcher())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 1_450_000


def test_what_this_run_did_not_write_is_named(tmp_path):
    folder, out, watcher = tmp_path / "in", tmp_path / "out", Watcher()
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("Riga.")
    for _ in range(2):
        sources, _ = find(str(folder), None, None, out)
        run(Job(sources, out, folder=True, settings=SETTINGS), FACTORY, watcher)
        (folder / "b.txt").unlink(missing_ok=True)
    told = [one for one in watcher.warnings if "not written by this run" in one]
    assert told == [f"in the output, but not written by this run: 1 file: {out / 'b.txt'}"]
