"""Tasks in the actors of a made-up Ray, some of which die."""

from concurrent.futures import Future
from contextlib import closing
from types import SimpleNamespace

import pytest

from intact import __version__
from intact.errors import ConfigError, InternalError, RunError
from intact.run.cluster import TRIES, Actor, RayPerformers


class RayError(Exception):
    pass


class FakeRay:
    """Actors in this process; ``script`` has what is raised or answered for each task in turn."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, script):
        self.script, self.hired, self.killed, self.asked = script, 0, 0, []

    def is_initialized(self):
        return True

    def remote(self, **options):
        return lambda kind: SimpleNamespace(remote=self.hire)

    def hire(self, make, folder, version):
        self.hired += 1
        actor, ready = Actor(make, folder, version), Future()
        ready.set_result(None)
        return SimpleNamespace(
            ready=SimpleNamespace(remote=lambda: SimpleNamespace(future=lambda: ready)),
            answer=SimpleNamespace(remote=lambda task: (actor, task)),
        )

    def get(self, asked):
        actor, task = asked
        self.asked.append(task)
        given = self.script.get(task, [])
        if given and isinstance(given[0], RayError):
            raise given.pop(0)
        return actor.answer(task)

    def kill(self, actor):
        self.killed += 1


def pipeline():
    return SimpleNamespace(close=lambda: None)


def done(monkeypatch, script, factory=pipeline):
    """Return the Ray, and what comes of four tasks with two actors."""
    ray = FakeRay(script)
    monkeypatch.setattr("intact.run.cluster.require", lambda name: ray)
    with closing(RayPerformers("", lambda message: None, factory, 2, 1)) as performers:
        performers._service = lambda: str.upper  # what an actor does with a task
        begun = [performers.begin(task) for task in "abcd"]
        return ray, [result() for result in begun]


def test_every_task_is_done_once_whoever_dies(monkeypatch):
    ray, answers = done(monkeypatch, {})
    assert answers == ["A", "B", "C", "D"]
    assert sorted(ray.asked) == ["a", "b", "c", "d"]
    assert ray.hired == ray.killed == 2
    ray, answers = done(monkeypatch, {"b": [RayError("SECRET")], "d": [RayError()] * (TRIES - 1)})
    assert answers == ["A", "B", "C", "D"]
    assert ray.hired == 2 + TRIES
    with pytest.raises(RunError) as caught:
        done(monkeypatch, {"b": [RayError("SECRET")] * TRIES})
    assert "SECRET" not in str(caught.value)


def test_an_actor_raises_nothing_and_tells_no_text():
    def make():
        raise KeyError("SECRET")

    assert "0.0" in str(Actor(make, "/nowhere", "0.0").answer("task").error)
    failure = Actor(make, "/nowhere", __version__).answer("task").error
    assert isinstance(failure, InternalError)
    assert failure.details == ""

    def misconfigured():
        raise ConfigError("wrong")

    failure = Actor(misconfigured, "/nowhere", __version__).answer("t").error
    assert isinstance(failure, ConfigError)
