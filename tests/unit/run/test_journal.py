import random
import resource
import sqlite3
import stat
from dataclasses import replace

import pytest

from intact.errors import RunError
from intact.run.job import Entry
from intact.run.journal import Journal, only_run
from tests.work import limited


def entry(number):
    digest = bytes([number])
    return Entry(digest, f"d{number}", f'{{"text": "ö\n{number}"}}', "[]", {"spans": number}, ["m"])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.sqlite"


def written(path, count):
    journal = Journal(path)
    for number in range(count):
        journal.append(entry(number))
    return journal


def test_entries_come_back(path):
    journal = written(path, 3)
    assert {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()} == {
        "journal.sqlite": 0o600, "journal.sqlite-wal": 0o600,
    }  # fmt: skip
    journal.close()
    journal = Journal(path)
    assert [journal.find(bytes([n])) for n in range(3)] == [entry(n) for n in range(3)]
    assert journal.find(b"x") is None
    journal.append(entry(2))
    assert journal.finished(bytes([1])) == entry(1)
    journal.close()


def test_bytes_come_back_and_what_is_cleared_is_gone(path):
    journal = Journal(path)
    journal.append(Entry(b"a", "d", b"\xff\x00", "[]", {}))
    assert journal.finished(b"a").output == b"\xff\x00"
    journal.close()
    journal = written(path, 1)
    journal.clear()
    assert list(path.parent.iterdir()) == []
    assert journal.find(bytes([0])) is None


def test_what_is_appended_survives_without_being_closed(path, tmp_path):
    journal = written(path, 3)
    copy = tmp_path / "copy"
    copy.mkdir()
    for one in (path, path.with_name("journal.sqlite-wal")):
        (copy / one.name).write_bytes(one.read_bytes())
    assert Journal(copy / path.name).find(bytes([2])) == entry(2)
    journal.close()


def test_a_torn_log_ends_before_the_torn_entry(path, tmp_path):
    journal = written(path, 3)
    log = path.with_name("journal.sqlite-wal").read_bytes()
    counts = set()
    for number, cut in enumerate(range(0, len(log), 997)):
        copy = tmp_path / str(number)
        copy.mkdir()
        (copy / path.name).write_bytes(path.read_bytes())
        (copy / "journal.sqlite-wal").write_bytes(log[:cut])
        one = Journal(copy / path.name)
        held = [one.find(bytes([n])) for n in range(3)]
        counts.add(held.index(None) if None in held else 3)
        assert all(each == entry(n) for n, each in enumerate(held) if each)
        one.close()
    assert counts >= {0, 1, 2}
    journal.close()


def test_damage_is_an_error(path):
    written(path, 1).close()
    table = sqlite3.connect(path)
    table.execute("UPDATE documents SET entry = '{'")
    table.commit()
    table.close()
    journal = Journal(path)
    with pytest.raises(RunError, match="damaged"):
        journal.find(bytes([0]))
    journal.close()
    path.write_bytes(b"something else" * 100)
    with pytest.raises(RunError, match="damaged"):
        Journal(path).find(b"x")
    with pytest.raises(RunError, match="damaged"):
        Journal(path.with_name("none")).finished(b"x")


def test_one_run_at_a_time(tmp_path):
    with only_run(tmp_path), pytest.raises(RunError, match="another run"), only_run(tmp_path):
        pass
    with only_run(tmp_path):
        pass


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_a_planted_link_is_not_followed(path, suffix):
    other = path.with_name("precious")
    other.write_text("mine")
    path.with_name(path.name + suffix).symlink_to(other)
    with pytest.raises(RunError, match="cannot be written"):
        Journal(path).append(entry(0))
    assert other.read_text() == "mine"


def test_a_full_disk_is_told(path):
    journal = written(path, 1)
    with limited(resource.RLIMIT_FSIZE, 10):
        with pytest.raises(RunError, match="cannot be written"):
            journal.append(entry(1))
        journal.close()
    assert Journal(path).find(bytes([0])) == entry(0)


def test_a_journal_without_a_name_leaves_nothing_to_find(tmp_path, monkeypatch):
    for name in ("TMPDIR", "SQLITE_TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    journal = Journal(tmp_path / "journal.sqlite", named=False)
    for number in range(3):
        journal.append(replace(entry(number), output=random.Random(number).randbytes(3_000_000)))
    assert journal.finished(bytes([2])).digest == bytes([2])
    assert not [*tmp_path.iterdir()]
    journal.clear()
