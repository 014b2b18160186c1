"""A process of its own: it answers, says what went wrong, and dies alone."""

import os
import signal
import sys
from contextlib import closing
from tempfile import TemporaryFile

import pytest

from intact.config import load_settings
from intact.errors import DocumentError
from intact.processes import DiedError, WorkerProcess
from intact.run import work


class Scripted:
    """A service that does what it is asked for."""

    def __call__(self, request):
        if request == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if request == "refuse":
            raise DocumentError("is wrong", where="a document")
        os.write(1, f"{request} ".encode())
        return request.upper()

    def close(self):
        sys.stdout.write("closed")


def test_a_worker_answers_and_what_it_prints_goes_to_its_log():
    with TemporaryFile() as log, closing(WorkerProcess(Scripted, log)) as worker:
        assert [worker("a"), worker("b")] == ["A", "B"]
        log.seek(0)
        assert log.read().split() == [b"a", b"b"]


def test_what_a_worker_printed_last_is_in_its_log():
    with TemporaryFile() as log:
        with closing(WorkerProcess(Scripted, log)) as worker:
            worker("a")
        log.seek(0)
        assert log.read().split() == [b"a", b"closed"]


def test_an_error_is_raised_where_was_asked_and_a_death_tells_its_signal():
    with closing(WorkerProcess(Scripted)) as worker:
        with pytest.raises(DocumentError, match="a document: is wrong"):
            worker("refuse")
        assert worker("still here") == "STILL HERE"
        with pytest.raises(DiedError, match="Run again with --resume") as died:
            worker("die")
    assert died.value.code == -signal.SIGKILL


@pytest.mark.parametrize(
    ("cores", "size", "model", "count"),
    [(8, 0, "", 1), (8, 300_000, "", 2), (8, 10**9, "", 4), (1, 10**9, "", 1),
     (8, 10**9, "some", 1)],
)  # fmt: skip
def test_a_run_takes_as_many_processes_as_help(monkeypatch, cores, size, model, count):
    monkeypatch.setattr(work, "cores", lambda: cores)
    settings = load_settings(None)
    named = settings.model.model_copy(update={"name": model})
    assert work.count_processes(settings.model_copy(update={"model": named}), size) == count
