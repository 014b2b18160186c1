"""Incomplete runs name what is missing and set the exit code."""

import errno
import io
import json
import os
import signal
import socket
import sys
from contextlib import suppress
from types import SimpleNamespace

import docx
import pytest
from PIL import Image

from intact import cli as command_line
from intact import offline
from intact.cli import sanitize as command
from intact.formats.mentions import UNKNOWN
from intact.run import files
from intact.sanitizing import Pipeline
from tests.unit.cli.conftest import FAST

LETTER = "Ann Lee was born in Tromsø on 3 May 1951. She has rheumatoid arthritis."
GERMAN = (
    "Die Klägerin wurde am dritten Mai in Bergen geboren und arbeitete als Krankenschwester in "
    "einem Krankenhaus, bis sie in den Ruhestand ging. Sie hat zwei Töchter und lebt allein."
)
IN_DOUBT = f"{LETTER} Иван Петров, Москва, Ленинград."


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(LETTER)
    return tmp_path / "in"


def test_unread_files_are_named_and_the_output_lies_beside_the_input(intact, folder, tmp_path):
    (folder / "scan.png").write_bytes(b"\x89PNG")
    (folder / ".hidden").write_text("x")
    code, _, err = intact("sanitize", folder, "-o", tmp_path / "out", "-q", *FAST)
    assert (code, "skipped, in no readable format: 1 file: scan.png" in err) == (1, True)
    (folder / "scan.png").unlink()
    assert intact("sanitize", folder, "-o", tmp_path / "out", "-q", *FAST)[0] == 0
    assert intact("sanitize", folder / "a.txt", "-q", *FAST)[0] == 0
    (folder / "b.csv").write_text("id,text,name\n1,Ann left.,Ann\n")
    command = ("sanitize", folder / "b.csv", "-q", *FAST, "--columns", "text")
    assert "warning: " in (err := intact(*command)[2]) and "go out UNCHANGED: column 3" in err
    assert (folder / "a.sanitized.txt").exists()


def test_columns_that_may_not_go_out_are_told_once_by_name_and_cost_no_work(
    intact, folder, monkeypatch
):
    (folder / "b.csv").write_text("id,text,agent\n" + "1,Ann left.,Bo\n2,Ann came.,Bo\n" * 3)
    seen = []
    monkeypatch.setattr(Pipeline, "sanitize", lambda self, document: seen.append(document))
    code, _, err = intact("sanitize", folder / "b.csv", "-q", "--skip-bad", *FAST)
    said = " ".join(err.split())
    assert (code, seen, said.count("would go out as they are: column 3 (agent).")) == (2, [], 1)
    assert "and 5 more skipped for the same reason" in said


def test_a_type_of_ones_own_is_told_once_and_has_a_label(intact, tmp_path):
    mention = {"start": 7, "end": 12, "type": "MEMBER_NUMBER"}
    rows = [{"id": f"d{n}", "text": "Member MBR-1 rang.", "mentions": [mention]} for n in range(3)]
    place, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    place.write_text("\n".join(map(json.dumps, rows)))
    code, _, err = intact("sanitize", place, "-o", out, *FAST)
    assert (code, " ".join(err.split()).count(f"d0, d1, d2: {UNKNOWN}")) == (0, 1)
    (text,) = {json.loads(line)["sanitized_text"] for line in out.read_text().splitlines()}
    assert text == "Member MEMBER_NUMBER_1 rang."


def test_a_file_without_documents_is_told(intact, folder):
    for name, held in {"none.json": "[]", "none.jsonl": "", "none.csv": "id,text\n"}.items():
        (folder / name).write_text(held)
        code, _, err = intact("sanitize", folder / name, *FAST)
        assert (code, f"{name}: it holds no documents" in " ".join(err.split())) == (0, True)
    assert "holds no documents" not in intact("sanitize", folder / "a.txt", *FAST)[2]


class Full(io.BytesIO):
    """A standard output on a disk without room."""

    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_at_the_standard_output_is_told(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=Full(), write=None, flush=None))
    assert command_line.run(["sanitize", str(folder / "a.txt"), "-o", "-", "-q", *FAST]) == 2
    said = "the output: cannot be written (No space left on device). See that the disk has room"
    assert said in " ".join(capsys.readouterr().err.split())


def test_pictures_are_told_and_never_all_that_goes_out(intact, tmp_path):
    word, picture, scan = docx.Document(), io.BytesIO(), tmp_path / "scan.docx"
    Image.new("RGB", (40, 40), "white").save(picture, "PNG")
    word.add_picture(picture)
    word.save(scan)
    code, _, err = intact("sanitize", scan, "-q", *FAST)
    assert (code, "has no text, only pictures (1)" in err) == (2, True)
    assert not (tmp_path / "scan.sanitized.docx").exists()
    word.add_paragraph(LETTER)
    word.save(scan)
    code, _, err = intact("sanitize", scan, "-q", *FAST, "--require-certain")
    assert (code, "look at them: pictures (1)" in err) == (3, True)
    (tmp_path / "empty.txt").write_text("")
    assert "per 100 words" not in "".join(intact("sanitize", tmp_path / "empty.txt", *FAST)[1:])


def test_another_language_is_a_hard_stop(intact, folder, tmp_path):
    (folder / "b.txt").write_text(GERMAN)
    asked = ("sanitize", folder, "-o", tmp_path / "out", "-q", *FAST)
    code, _, err = intact(*asked)
    assert (code, "document b: it is not in English" in err) == (3, True)
    assert "Klägerin" not in err and not (tmp_path / "out").exists()
    code, _, err = intact(*asked, "--skip-bad")
    assert (code, "skipped: document b" in err) == (1, True)
    intact(*asked, "--language", "en")
    again = tmp_path / "again"
    code, _, err = intact("sanitize", folder, "-o", again, "-q", *FAST, "--language", "any")
    assert (code, (again / "b.txt").exists()) == (0, True)


def test_doubtful_detection_is_named(intact, tmp_path):
    source = tmp_path / "doubt.txt"
    source.write_text(IN_DOUBT)
    asked = ("sanitize", source, "-o", tmp_path / "o.txt", "-q", *FAST)
    problem = "something may have been missed: 1 document: doubt"
    for more, expected, kind in ((), 0, "warning"), (("--require-certain",), 3, "error"):
        code, _, err = intact(*asked, *more)
        assert (code, f"{kind}: {problem}" in err) == (expected, True)


def test_text_cut_since_it_is_shown_otherwise_is_told(intact, tmp_path):
    (tmp_path / "a.txt").write_text("Ann Lee came from \u202enegreB\u202c in May 1951.\n", "utf-8")
    code, _, err = intact("sanitize", tmp_path / "a.txt", "-o", tmp_path / "b.txt", "-q", *FAST)
    assert code == 0 and "shown otherwise than it stands there: 1 place" in err


def test_what_was_warned_of_stays_on_record(intact, folder, tmp_path):
    (folder / "a.txt").write_text(IN_DOUBT)
    (folder / "scan.png").write_bytes(b"\x89PNG")
    (folder / "t.csv").write_text("id,text,name\n7,Ann Lee lives in Bergen.,Ann\n")
    _, said, err = intact("sanitize", folder, "-o", tmp_path / "out", "--columns", "text", *FAST)
    manifest = json.loads((tmp_path / "out.run" / "manifest.json").read_text())
    assert manifest["unread"] == ["scan.png"]
    kept = {name: notes for one in manifest["input"] for name, notes in one["warnings"].items()}
    assert kept.keys() == {"a", "7"}
    rates = {name: told[0] for one in manifest["input"] for name, told in one["doubts"].items()}
    for name, notes in kept.items():
        assert all(f"({name}): {note}" in err for note in notes)
        assert f"{name}: estimate: {rates[name]:.1f} details missed per 100 words" in said
    record = (tmp_path / "out.run" / "record.jsonl").read_text().splitlines()
    for told in map(json.loads, record):
        assert set(kept[told["id"]]) <= set(told["intact"]["notes"])
        assert told["intact"]["doubts"]["rate"] == rates[told["id"]]


def test_json_can_be_written_without_originals(intact, tab, document, tmp_path):
    given, out = tab(document(meta={"applicant": "Zacharias Topp"})), tmp_path / "out.json"
    _, _, said = intact("sanitize", given, "-o", out, *FAST, "-q")
    assert "--no-original" in said and "Topp" in out.read_text()
    code, told, said = intact("sanitize", given, "-o", out, "--no-original", *FAST)
    assert "out.json.run/record.jsonl holds the originals" in told
    (written,) = json.loads(out.read_text())
    assert (code, "--no-original" in said, "Topp" in out.read_text()) == (0, False, False)
    assert written["doc_id"] == "d1" and written["sanitized_text"].startswith("PERSON_1 of LOC_1")
    assert "Zacharias Topp became PERSON_1" in intact("explain", out)[1]
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"id": "a", "text": "Ann Lee left."}\n{"id": "b", "text": "Bo Ek left."}\n')
    assert intact("sanitize", lines, "-o", tmp_path / "o.jsonl", "--no-original", *FAST)[0] == 0
    texts = [json.loads(one) for one in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [one["sanitized_text"] for one in texts] == ["PERSON_1 left."] * 2


def test_files_of_one_name_in_two_folders_are_two_documents(intact, folder, tmp_path):
    for name in ("b", "c"):
        (folder / name).mkdir()
        (folder / name / "x.md").write_text(f"# Notes\n{LETTER}")
    code, _, err = intact("sanitize", folder, "-o", tmp_path / "out", "-q", *FAST)
    assert code == 0 and err.count("\n") == err.count("PERSON_1 of one file") == 1
    assert (tmp_path / "out" / "c" / "x.md").read_text().startswith("# Notes\nPERSON_1 was born")
    _, said, _ = intact("explain", tmp_path / "out")
    assert [line.split(":")[0] for line in said.splitlines()] == ["a", "b/x", "c/x"]
    (folder / "b" / "x.md").write_bytes(b"\xff")
    _, _, err = intact("sanitize", folder, "-o", tmp_path / "out", "-q", *FAST)
    assert f"{folder}/b/x.md: not UTF-8" in err


def test_the_standard_output_gets_the_text_alone(folder, monkeypatch):
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=held, write=None, flush=None))
    assert command_line.run(["sanitize", str(folder / "a.txt"), "-o", "-"]) == 0
    assert held.getvalue().startswith(b"PERSON_1 was born in a town or city in Norway in 1951.")
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


class Terminal(io.BytesIO):
    """A standard output that somebody looks at."""

    def isatty(self):
        return True


def test_a_terminal_gets_no_packed_file(tmp_path, monkeypatch, capsys):
    document = pytest.importorskip("docx").Document()
    document.add_paragraph("Ann Lee was born in Bergen.")
    document.save(str(tmp_path / "a.docx"))
    for held, code in ((Terminal(), 2), (io.BytesIO(), 0)):
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=held, write=None, flush=None))
        assert command_line.run(["sanitize", str(tmp_path / "a.docx"), "-o", "-"]) == code
        assert held.getvalue()[:2] == (b"" if code else b"PK")
    assert "a terminal cannot show" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_what_is_no_regular_file_is_never_replaced(intact, folder, tmp_path, what):
    place, other = tmp_path / "place", tmp_path / "other.txt"
    other.write_text("precious")
    if what == "link":
        place.symlink_to(other)
    else:
        (os.mkfifo if what == "pipe" else os.mkdir)(place)
    before = place.lstat()
    code, _, err = intact("sanitize", folder / "a.txt", "-o", place, *FAST)
    said = "is a folder, but the input is a file" if what == "folder" else "is no regular file"
    assert (code, said in err) == (2, True)
    assert place.lstat().st_ino == before.st_ino and other.read_text() == "precious"


def test_what_cannot_be_written_is_found_before_the_work(intact, folder, tmp_path, monkeypatch):
    def work(*_arguments):
        raise AssertionError("it worked first")

    monkeypatch.setattr(command.Performers, "begin", work)
    nowhere = tmp_path / "none" / "page.html"
    code, _, err = intact(
        "sanitize", folder / "a.txt", "-o", tmp_path / "o.txt", "--certificate", nowhere
    )
    assert (code, "create it first" in err) == (2, True)
    own = tmp_path / "a.decisions"
    own.touch()
    own_too = ("--decisions", own, "--certificate", own)
    code, _, err = intact("sanitize", folder / "a.txt", "-o", tmp_path / "o.txt", *own_too)
    assert (code, "the output is the input" in err) == (2, True)


@pytest.fixture
def signals():
    """Puts back how the signals that end a command are handled."""
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("signals")
def test_a_run_that_is_ended_says_how_to_resume(intact, folder, tmp_path, monkeypatch, ends):
    monkeypatch.setattr(command, "run", lambda *_: os.kill(os.getpid(), ends))
    monkeypatch.setattr(sys, "argv", ["intact", "sanitize", "in", "-o", "out"])
    command_line.end_by_signals()
    code, _, err = intact("sanitize", folder / "a.txt", "-o", tmp_path / "o.txt", *FAST)
    assert (code, "intact sanitize in -o out --resume" in err) == (128 + ends, True)


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("name", ["convert", "detect"])
def test_a_command_that_is_ended_leaves_no_draft(intact, tab, document, monkeypatch, name, ends):
    source = tab(document())
    out = source.with_name("out.json")
    seen = []

    def claim(*_arguments):
        seen.extend(one.name for one in source.parent.glob(".*.part"))
        os.kill(os.getpid(), ends)

    monkeypatch.setattr(files, "claim_id", claim)
    command_line.end_by_signals()
    code, _, _ = intact(name, source, *(["-o"] if name == "detect" else []), out)
    assert (code, seen) == (128 + ends, [".out.json.part"])
    assert [one.name for one in source.parent.iterdir()] == ["in.json"]


@pytest.mark.usefixtures("signals")
def test_what_nohup_has_ignored_stays_so(intact, folder, tmp_path, monkeypatch):
    def run(*_arguments):
        os.kill(os.getpid(), signal.SIGHUP)
        return {"figures": {}, "worked": True, "skipped": 0}

    monkeypatch.setattr(command, "run", run)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    command_line.end_by_signals()
    assert intact("sanitize", folder / "a.txt", "-o", tmp_path / "o.txt", *FAST)[0] == 0


def test_no_connection_leaves_this_machine(intact, folder, tmp_path, monkeypatch):
    tried = []

    def work(*_arguments):
        for host in ("192.0.2.1", "example.org"):
            with suppress(OSError):
                socket.create_connection((host, 80), timeout=0.1)
                tried.append(host)
        assert offline.is_offline()
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname()).close()
        raise KeyboardInterrupt

    real = socket.socket.connect
    monkeypatch.setattr(command, "run", work)
    assert intact("sanitize", folder / "a.txt", "-o", tmp_path / "o.txt", *FAST)[0] == 130
    assert tried == [] and socket.socket.connect is real and not offline.is_offline()


def test_nothing_is_kept_unasked_and_purge_removes_it(intact, tab, document, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    corpus, edits = tab(document()), tmp_path / "edits.json"
    edits.write_text(json.dumps({"d1": []}))
    asked = ("evaluate", corpus, "--edits", edits, "-o", tmp_path / "r", "--metrics", "tps", "-q")
    assert intact(*asked)[0] == 0
    assert not (tmp_path / "home").exists()
    place = tmp_path / "home" / "intact" / "answers.sqlite"
    place.parent.mkdir(parents=True)
    place.touch()
    assert intact("cache", "purge")[1] == f"1 removed from {place.parent}.\n"
    assert not list((tmp_path / "home" / "intact").iterdir())
