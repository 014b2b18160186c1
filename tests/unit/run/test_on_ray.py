"""Shares of work when workers die and servers are away, with a made-up Ray."""

from types import SimpleNamespace

import pytest

from intact.errors import ConfigError, InternalError, ModelError, RunError
from intact.run.shards import TRIES, Shard, _scheduled, _Worker


class RayError(Exception):
    pass


class FakeRay:
    """Answers at once, in the order of asking; ``script`` tells what each shard's tries give."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, script):
        self.script, self.hired, self.killed, self.asked = script, 0, 0, []

    def start(self):
        self.hired += 1
        return SimpleNamespace(
            ready=SimpleNamespace(remote=lambda: ("ready", object())),
            do=SimpleNamespace(remote=lambda job: (job, object())),
        )

    def wait(self, refs, timeout):
        return refs[:1], refs[1:]

    def get(self, ref):
        if ref[0] == "ready":
            return None
        self.asked.append(ref[0])
        given = self.script.get(ref[0], [])
        answer = given.pop(0) if given else Shard()
        if isinstance(answer, RayError):
            raise answer
        return answer

    def kill(self, worker):
        self.killed += 1


def done(script, jobs=4, workers=2):
    ray = FakeRay(script)
    said = []
    numbers = sorted(
        n for n, _ in _scheduled(ray, ray.start, list("abcdef"[:jobs]), workers, said.append)
    )
    return ray, numbers


def test_every_shard_once():
    ray, numbers = done({})
    assert numbers == [0, 1, 2, 3]
    assert sorted(ray.asked) == ["a", "b", "c", "d"]
    assert ray.hired == ray.killed == 2


def test_what_a_dead_worker_was_at_is_done_by_a_new_one():
    ray, numbers = done({"b": [RayError("SECRET-TEXT")], "d": [RayError()]})
    assert numbers == [0, 1, 2, 3]
    assert sorted(ray.asked) == ["a", "b", "b", "c", "d", "d"]
    assert ray.hired == 4


@pytest.mark.parametrize("error", [ModelError("away"), RunError("no room"), RayError("SECRET")])
def test_after_some_tries_it_stops_and_the_shard_is_incomplete(error):
    with pytest.raises((ModelError, RunError)) as caught:
        done({"b": [error] * TRIES})
    assert "SECRET" not in str(caught.value)
    assert done({"b": [error] * (TRIES - 1)})[1] == [0, 1, 2, 3]


def test_other_errors_stop_at_once():
    with pytest.raises(ConfigError):
        done({"a": [ConfigError("wrong")]})


def test_an_actor_raises_nothing_and_tells_no_text():
    worker = _Worker(lambda: None, 1, "/nowhere", "0.0")
    assert "0.0" in str(worker.ready())
    job = SimpleNamespace(sources=[SimpleNamespace(name="in/a.jsonl")])
    answer = worker.do(job)
    assert isinstance(answer, InternalError)
    assert answer.details == ""
