import resource
import stat

import pytest

from intact.errors import RunError
from intact.run.journal import Entry, Journal, _checksum


def entry(number):
    return Entry(number, f"d{number}", f'{{"text": "ö\n{number}"}}', "[]", {"spans": number})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def written(path, count):
    journal = Journal(path)
    for number in range(count):
        journal.append(entry(number))
    journal.sync()
    journal.close()


def test_entries_come_back(path):
    written(path, 3)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal = Journal(path)
    assert journal.recover() == 3
    journal.append(entry(3))
    assert list(journal.entries()) == [entry(n) for n in range(4)]
    journal.close()


def test_cut_anywhere_it_ends_before_the_torn_line(path):
    written(path, 3)
    whole = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        journal = Journal(path)
        count = journal.recover()
        assert count == sum(end <= cut for end in ends)
        journal.append(entry(count))
        assert list(journal.entries()) == [entry(n) for n in range(count + 1)]
        journal.close()


def test_a_changed_line_ends_it(path):
    written(path, 3)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    journal = Journal(path)
    assert journal.recover() == 1
    journal.close()


def test_damage_after_recovery_is_an_error(path):
    written(path, 2)
    journal = Journal(path)
    assert journal.recover() == 2
    path.write_bytes(path.read_bytes().replace(b"spans", b"spins"))
    with pytest.raises(RunError, match="damaged"):
        list(journal.entries())
    journal.close()


def test_clear_tells_whether_there_was_something(path):
    written(path, 1)
    journal = Journal(path)
    assert journal.clear()
    assert not journal.clear()
    assert journal.recover() == 0
    journal.close()


def test_two_runs_cannot_share_it(path):
    journal = Journal(path)
    with pytest.raises(RunError, match="another run"):
        Journal(path)
    journal.close()
    Journal(path).close()


def test_a_planted_link_is_not_followed(path):
    other = path.with_name("precious")
    other.write_text("mine")
    path.symlink_to(other)
    with pytest.raises(RunError, match="cannot be written"):
        Journal(path)
    assert other.read_text() == "mine"


def test_entries_of_another_version_are_none(path):
    for body in (b'{"number": 0}', b"[]", b'{"number": 0, "more": 1}', b"nonsense"):
        path.write_bytes(_checksum(body) + b" " + body + b"\n")
        journal = Journal(path)
        assert journal.recover() == 0
        journal.close()


def test_a_full_disk_is_told_once(path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    journal = Journal(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(RunError, match="cannot be written"):
            journal.append(entry(0))
        journal.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
