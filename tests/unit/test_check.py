"""``make check`` takes the tests that read what changed."""

from pathlib import Path

import pytest

from tools import check

ROOT = Path(__file__).resolve().parents[2]
TESTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "tests").rglob("test_*.py")
}


def chosen(*changed):
    found = {Path(name).name for name in check.find_tests(changed, TESTS)}
    return found - set(check.ALWAYS)


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("intact/english/quantities.py", {"test_scan.py"}),
        ("intact/verification/rounds.py", {"test_rounds.py", "test_guarantee.py"}),
        ("intact/models/counted.py", {"test_counted.py"}),
        ("tests/system/test_kill.py", {"test_kill.py"}),
        ("prompts/judge.toml", set()),
    ],
)
def test_a_change_brings_its_tests(changed, tests):
    assert tests <= chosen(changed)


def test_nothing_that_is_slow_comes_along_and_no_change_brings_nothing():
    assert "test_kill.py" not in chosen("intact/run/job.py")
    assert chosen() == set()
    assert len(chosen("intact/config.py")) < check.MOST_READERS
