import os
import resource
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from intact.config import Settings
from intact.errors import InputError, RunError
from intact.formats.base import stem
from intact.run.files import (
    AtomicFile,
    find,
    make_private_folder,
    passed_over,
    write_private,
)
from intact.run.job import Job, check_job
from intact.run.work import unchecked_names
from tests.work import limited


def test_a_file_is_there_only_when_published(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("old")
    file = AtomicFile(path)
    file.fill("né\r\nw")
    assert path.read_text() == "old"
    file.publish()
    file.close()
    assert path.read_bytes() == "né\r\nw".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_folders_are_private_and_planted_links_not_followed(tmp_path):
    make_private_folder(tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    make_private_folder(tmp_path / "a")
    (tmp_path / "b").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        make_private_folder(tmp_path / "b")
    other = tmp_path / "precious"
    other.write_text("mine")
    other.chmod(0o644)
    (tmp_path / ".out.json.part").symlink_to(other)
    write_private(tmp_path / "out.json", "new")
    assert (tmp_path / "out.json").read_text() == "new"
    assert (other.read_text(), stat.S_IMODE(other.stat().st_mode)) == ("mine", 0o644)


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("old")
    with (
        limited(resource.RLIMIT_FSIZE, 1000),
        pytest.raises(RunError, match="cannot be written"),
    ):
        write_private(path, "x" * 100_000)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_two_that_write_one_file_never_mix(tmp_path):
    first, second = AtomicFile(tmp_path / "out"), AtomicFile(tmp_path / "out")
    first.fill("first")
    with pytest.raises(RunError, match="another run is writing the same file"):
        first.publish()
    first.close()
    second.fill(["sec", b"ond"])
    second.publish()
    assert (tmp_path / "out").read_text() == "second"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_second_file_of_one_name_is_called_with_its_suffix(tmp_path):
    folder = tmp_path / "in"
    for name in ("a/letter.txt", "b/letter.txt", "letter.jsonl", "letter.mbox", "letter.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    assert len(find(str(folder), None, None, tmp_path / "out")[0]) == 5
    (folder / "a/letter.docx").write_text("")
    found, _ = find(str(folder), None, None, tmp_path / "out")
    assert [stem(one.name) for one in found] == [
        "a/letter", "a/letter.txt", "b/letter", "letter", "letter", "letter",
    ]  # fmt: skip
    assert unchecked_names({"a/letter.txt": found[1].name}, ())[0] == ""


def test_named_columns_leave_what_was_said_of_originals(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("id,text\n1,Ann\n")
    out = tmp_path / "out.csv"
    (found,), _ = find(str(table), None, None, out, "text", originals=False)
    form = found.format
    assert (form.column, form.originals) == ("text", False)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("labelstudio", ["a.json", "b.jsonl"]),
        ("presidio", ["a.json", "b.jsonl"]),
        ("jsonl", ["b.jsonl"]),
        ("csv", ["c.csv"]),
    ],
)
def test_a_format_without_a_suffix_of_its_own_reads_the_json_of_a_folder(tmp_path, asked, read):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.json", "b.jsonl", "c.csv", "d.txt"):
        (folder / name).write_text("x")
    found, _ = find(str(folder), asked, None, tmp_path / "out")
    assert [source.relative.as_posix() for source in found] == read


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("b")
    (folder / "b.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "c.txt").symlink_to(folder / "a.txt")
    out = tmp_path / "out"
    found, unread = find(str(folder), None, None, out)
    assert [source.relative.as_posix() for source in found] == ["a.txt", "c.txt"]
    assert unread == ["b.txt (a link out of the folder)"]


def test_outputs_of_earlier_runs_and_locks_are_passed_over_and_told(tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out"
    for name in ("a.txt", "~$b.docx", "c.sanitized.txt", "c.sanitized.txt.run/manifest.json"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("a")
    for name in ("old/a.txt", "old.run/manifest.json", "plain/a.txt", "plain.run/other.json"):
        (folder / name).parent.mkdir()
        (folder / name).write_text("a")
    found, unread = find(str(folder), None, None, out)
    assert [source.relative.as_posix() for source in found] == ["a.txt", "plain/a.txt"]
    assert unread == []
    why = {path.name: reason for path, reason in passed_over(folder, out).items()}
    earlier, lock = "from an earlier run", "of an open document"
    assert why == {"c.sanitized.txt": earlier, "old": earlier, "~$b.docx": lock}
    (source,), _ = find(str(folder / "old"), None, None, out)  # named itself, it is read
    assert source.relative.as_posix() == "a.txt"


def test_folders_that_cannot_be_opened_are_named(tmp_path, monkeypatch):
    (tmp_path / "in" / "shut").mkdir(parents=True)
    (tmp_path / "in" / "open").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a")
    monkeypatch.setattr("os.access", lambda path, _mode: path.name != "shut")
    out = tmp_path / "out"
    _, unread = find(str(tmp_path / "in"), None, None, out)
    assert unread == ["shut (a folder that cannot be opened)"]


def test_of_a_folder_that_may_only_be_listed_nothing_else_is_asked(tmp_path, monkeypatch):
    folder, out, real = tmp_path / "in", tmp_path / "out", os.stat
    (folder / "shut" / "below").mkdir(parents=True)
    for name in ("a.txt", "shut/b.txt", "shut/below/c.txt"):
        (folder / name).write_text("a")

    def refusing(path, *more, **named):
        if "shut" in Path(str(path)).parent.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *more, **named)

    monkeypatch.setattr("os.stat", refusing)
    monkeypatch.setattr("os.access", lambda path, _mode: Path(path).name != "shut")
    for kind in (None, "text"):
        found, unread = find(str(folder), kind, None, out)
        assert [source.relative.as_posix() for source in found] == ["a.txt"]
        assert unread == ["shut (a folder that cannot be opened)"]
    with pytest.raises(InputError, match="shut: is a folder that cannot be opened"):
        find(str(folder / "shut"), None, None, out)


SUFFIXES = {"x.docx": True, "x.json": True, "x.md": False, "x.txt": False, "x": False}


@pytest.mark.parametrize(("name", "wrong"), SUFFIXES.items())
def test_text_is_not_written_as_something_else(tmp_path, name, wrong):
    source = tmp_path / "a.txt"
    source.write_text("Ann Lee")
    out = tmp_path / name
    job = Job(find(str(source), None, None, out)[0], out, folder=False, settings=Settings())
    with pytest.raises(RunError, match=r"Call the output x\.txt") if wrong else nullcontext():
        check_job(job)


def test_folders_in_between_are_private_too(tmp_path):
    make_private_folder(tmp_path / "a" / "b" / "c")
    made = (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c")
    assert {stat.S_IMODE(one.stat().st_mode) for one in made} == {0o700}
