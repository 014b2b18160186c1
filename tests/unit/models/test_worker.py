"""The process that a language model runs in, with a stub in place of the library."""

import logging
import signal
from importlib import import_module

import pytest

from intact.errors import ModelError
from intact.models.worker import Worker
from intact.protocols import CompletionRequest

STUB = """
import builtins, os, signal
from intact.protocols import Completion

class Model:
    context_length, read, written = 100, 0, 0

    def __init__(self, dies_at):
        self.dies_at = dies_at
        self.die("load")

    def die(self, moment):
        if moment in self.dies_at:
            how = self.dies_at[moment]
            if isinstance(how, str):
                raise getattr(builtins, how)("Ms Secret")
            os.kill(os.getpid(), how)

    def count(self, texts):
        return [len(text) for text in texts]

    def complete(self, requests):
        self.die("complete")
        return [Completion(request.question) for request in requests]

def make(dies_at, extra_buffers=True):
    return Model(dies_at if extra_buffers else {})
"""
ASKED = [CompletionRequest("", "a"), CompletionRequest("", "b")]


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts a worker with the stub; closes it after the test."""
    (tmp_path / "stub_of_a_model.py").write_text(STUB)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    opened = []

    def starter(after_sigill=None, **dies_at):
        opened.append(
            Worker(
                import_module("stub_of_a_model").make,
                {"dies_at": dies_at},
                name="stub",
                signature="stub",
                after_sigill=after_sigill,
            )
        )
        return opened[-1]

    yield starter
    for worker in opened:
        worker.close()


@pytest.mark.parametrize("moment", ["load", "complete"])
def test_an_unknown_instruction_is_survived_once_without_extra_buffers(start, caplog, moment):
    with caplog.at_level(logging.WARNING, "intact"):
        worker = start({"extra_buffers": False}, **{moment: signal.SIGILL})
        for _ in range(3):
            assert [done.text for done in worker.complete(ASKED)] == ["a", "b"]
    [record] = caplog.records
    assert "processor" in record.message


def test_a_death_without_a_remedy_is_an_error(start):
    with pytest.raises(ModelError, match=r"loading.*another processor"):
        start(load=signal.SIGILL)
    worker = start({"dies_at": {"complete": signal.SIGILL}}, complete=signal.SIGILL)
    with pytest.raises(ModelError, match=r"answering 2 requests.*another processor"):
        worker.complete(ASKED)
    worker = start({"extra_buffers": False}, complete=signal.SIGABRT)
    with pytest.raises(ModelError, match="aborted"):
        worker.complete(ASKED)
    assert worker.count(["abc"]) == [3]  # it starts again when it is asked again


@pytest.mark.parametrize("moment", ["load", "complete"])
@pytest.mark.parametrize("fault", ["KeyError", "MemoryError"])
def test_what_an_engine_raises_is_told_without_its_words(start, moment, fault):
    with pytest.raises(ModelError, match=rf"failed: .*{fault} at \S+\)\. If memory") as caught:
        start(**{moment: fault}).complete(ASKED)
    assert "Secret" not in str(caught.value)


def test_what_a_child_wrote_is_deleted_with_it(start):
    worker = start()
    log = worker._log
    worker.close()
    worker.close()
    assert log.closed
    assert worker.count(["abc"]) == [3] and worker._log is not log
