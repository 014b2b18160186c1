"""The files of a run in Ray actors (plain Ray Core): see ``shards``."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from intact import __version__
from intact.errors import (
    IntactError,
    InternalError,
    ModelError,
    RunError,
    from_exception,
    require,
)
from intact.run.job import Job
from intact.run.shards import Shard, do_shard
from intact.run.work import Factory, Performers

Warn = Callable[[str], None]
TRIES = 3
"""How often a shard is tried whose worker dies, whose model server is away or whose disk fails."""
PATIENCE = 60.0
"""Seconds without any worker before it is said that the cluster has no room for one."""


def on_ray(
    jobs: Sequence[Job],
    factory: Factory,
    workers: int,
    address: str = "",
    at_once: int = 1,
    warn: Warn = lambda message: None,
) -> Iterator[tuple[int, Shard]]:
    """Does jobs in Ray actors, one at a time in each; see ``run_in_shards``.

    No exception leaves an actor, so that Ray's logs hold no text of one; what a dead worker was at
    is done by another, which goes on from the journal.

    Args:
        jobs: of ``run_in_shards``; their paths lead to the same files on every machine.
        factory: makes the pipeline; picklable.
        workers: actors, each with one processor.
        address: of the cluster ("auto" is the one of this machine); "" starts one here.
        at_once: documents at work in an actor.
        warn: hears what should be known.

    Raises:
        MissingExtraError: if Ray is not installed.
        IntactError: whatever a shard could not be finished for; no further ones are begun.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = require("ray")
    address = address or os.environ.get("RAY_ADDRESS", "")
    ours = not ray.is_initialized()
    if ours:
        where = {"address": address} if address else {
            "num_cpus": workers, "include_dashboard": False, "object_store_memory": 100 << 20,
        }  # fmt: skip
        try:
            ray.init(log_to_driver=False, logging_level="error", **where)
        except Exception as error:  # noqa: BLE001  (what Ray raises if its start takes too long)
            raise RunError(
                f"Ray cannot be reached or started ({type(error).__name__})",
                where=address or "this machine",
                remedy="Is a cluster there (ray status)? See docs/cluster.md.",
            ) from None
    try:
        actor = ray.remote(num_cpus=1, max_restarts=0)(_Worker)
        start = partial(actor.remote, factory, at_once, str(Path.cwd()), __version__)
        yield from _scheduled(ray, start, jobs, min(workers, len(jobs)), warn)
    finally:
        if ours:
            ray.shutdown()


def _scheduled(
    ray: Any, start: Callable[[], Any], jobs: Sequence[Job], workers: int, warn: Warn
) -> Iterator[tuple[int, Shard]]:
    """Gives each worker a job when it is ready, and the next when it has done one."""
    waiting, tries = deque(range(len(jobs))), Counter[int]()
    staff: list[Any] = []
    at_work: dict[Any, tuple[Any, int]] = {}  # -1: it is starting

    def hire() -> None:
        staff.append(start())
        at_work[staff[-1].ready.remote()] = staff[-1], -1

    try:
        for _ in range(workers):
            hire()
        left = len(jobs)
        while left:
            done, _ = ray.wait(list(at_work), timeout=PATIENCE)
            if not done and all(number < 0 for _, number in at_work.values()):
                warn("Ray has no processor free for any worker; still waiting")
            for ref in done:
                worker, number = at_work.pop(ref)
                answer, alive = _answer(ray, ref)
                if isinstance(answer, IntactError):
                    tries[number] += 1
                    again = isinstance(answer, ModelError | RunError) and tries[number] < TRIES
                    if not again:
                        raise answer
                    if number >= 0:
                        waiting.append(number)
                elif answer is not None:
                    left -= 1
                    yield number, answer
                if not alive:
                    hire()
                elif waiting:
                    number = waiting.popleft()
                    at_work[worker.do.remote(jobs[number])] = worker, number
    finally:
        for worker in staff:
            ray.kill(worker)


def _answer(ray: Any, ref: Any) -> tuple[Shard | IntactError | None, bool]:
    """What a worker answered, and whether it is still there."""
    try:
        return ray.get(ref), True
    except ray.exceptions.RayError as error:
        kind = type(error).__name__
        return RunError(
            f"a worker died (killed, out of memory, or with its machine: {kind})",
            remedy="Run again with --resume, and fewer --workers if memory is short.",
        ), False


class _Worker:
    """Does one job after the other with pipelines that it keeps. Raises nothing."""

    def __init__(self, factory: Factory, at_once: int, folder: str, version: str) -> None:
        self._version = version
        with suppress(OSError):  # relative paths are of the folder where the run was begun
            os.chdir(folder)
        self._performers = Performers(factory, at_once=at_once)

    def ready(self) -> RunError | None:
        """What speaks against working here, if anything."""
        if self._version == __version__:
            return None
        return RunError(
            f"a machine of the cluster has INTACT {__version__}, this one {self._version}",
            remedy="Install the same version on all.",
        )

    def do(self, job: Job) -> Shard | IntactError:
        """What came of a job, or what is wrong."""
        try:
            return do_shard(job, self._performers)
        except Exception as error:  # noqa: BLE001  (whatever is raised, Ray would log)
            return _without_text(from_exception(error, job.sources[0].name))


def _without_text(error: IntactError) -> IntactError:
    """The same without what may quote a document."""
    if isinstance(error, InternalError):
        error.details = ""
    return error
