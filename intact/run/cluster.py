"""The work on documents in the actors of a Ray cluster (plain Ray Core).

The process that began the run reads, keeps the journal and writes; the actors hold pipelines. No
exception leaves an actor, so that Ray's logs hold no text of one.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from intact import __version__
from intact.errors import InternalError, RunError, from_exception, loading, require
from intact.run.work import Factory, Failure, Performers, Service

Warn = Callable[[str], None]
TRIES = 3  # how many workers may die at one document
PATIENCE = 60.0  # seconds without any worker before it is said that the cluster has no room for one


class RayPerformers(Performers):
    """Performs tasks in Ray actors, one for each processor and document ``at_once`` at work on it;
    what a dead one was at is done by another. An ``address`` of "" starts a cluster here, "auto" is
    the one of this machine; ``warn`` is told where no actor can be started."""

    def __init__(
        self, factory: Factory, processes: int, at_once: int, address: str, warn: Warn
    ) -> None:
        super().__init__(factory, 1, processes * at_once)
        self._ray: Any = None
        self._ours = self._closed = False
        self._processors = processes
        self._share = 1 / at_once
        self._address = address or os.environ.get("RAY_ADDRESS", "")
        self._warn = warn
        self._actors: list[Any] = []
        self._idle: SimpleQueue[Any] = SimpleQueue()

    def begin(self, task: Any) -> Callable[[], Any]:
        """Begin a task; for the first one Ray is reached, or started, or a ``RunError`` raised."""
        if self._ray is None:
            self._connect()
            for _ in range(self.size):
                self._hire()
        return super().begin(task)

    def _connect(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray = require("ray")
        if not ray.is_initialized():
            where = {"address": self._address} if self._address else {
                "num_cpus": self._processors, "include_dashboard": False,
                "object_store_memory": 100 << 20,
            }  # fmt: skip
            at = self._address or "this machine"
            with loading("Ray cannot be reached or started", at, kind=RunError):
                ray.init(log_to_driver=False, logging_level="error", **where)
            self._ours = True
        self._ray = ray

    def _hire(self) -> None:
        """Start an actor, which is idle when it is ready."""
        kind = self._ray.remote(num_cpus=self._share, max_restarts=0)(Actor)
        actor = kind.remote(self._service, str(Path.cwd()), __version__)
        self._actors.append(actor)
        actor.ready.remote().future().add_done_callback(lambda _: self._idle.put(actor))

    def _perform(self, task: Any) -> Any:
        for _ in range(TRIES):
            actor = self._wait_for_actor()
            try:
                answer = self._ray.get(actor.answer.remote(task))
            except self._ray.exceptions.RayError as error:
                died = type(error).__name__
                if not self._closed:
                    self._hire()
                continue
            self._idle.put(actor)
            if isinstance(answer, Failure):
                raise answer.error
            return answer
        how = f"killed, out of memory, or with their machine: {died}"
        remedy = "Run again with --resume, and fewer --workers if memory is short."
        raise RunError(f"{TRIES} workers died at one document ({how})", remedy=remedy)

    def _wait_for_actor(self) -> Any:
        while True:
            try:
                actor = self._idle.get(timeout=PATIENCE)
            except Empty:
                self._warn("Ray has no processor free for a further worker; still waiting")
                continue
            if self._closed:
                raise RunError("the run has ended")
            return actor

    def close(self) -> None:
        """Free what the pipelines hold; what is begun is given up."""
        self._closed = True
        for _ in range(self.size):
            self._idle.put(None)
        for actor in self._actors:
            self._ray.kill(actor)
        super().close()
        if self._threads is not None:
            self._threads.shutdown()
        if self._ours:
            self._ray.shutdown()


class Actor:
    """Answers tasks one after the other with a pipeline that it keeps. Raises nothing."""

    def __init__(self, make: Callable[[], Service], folder: str, version: str) -> None:
        self._make, self._version = make, version
        self._service: Service | None = None
        with suppress(OSError):  # relative paths are of the folder where the run was begun
            os.chdir(folder)

    def ready(self) -> None:
        """Answer as soon as the actor has been started."""

    def answer(self, task: Any) -> Any:
        """Perform a task; give its result, or the error that stops the run as a ``Failure``."""
        try:
            if self._version != __version__:
                other = f"a machine of the cluster has INTACT {__version__}"
                problem = f"{other}, this one {self._version}"
                raise RunError(problem, remedy="Install the same version on all.")
            self._service = self._service or self._make()
            return self._service(task)
        except Exception as error:  # noqa: BLE001  (whatever is raised, Ray would log)
            failure = from_exception(error, "")
            if isinstance(failure, InternalError):
                failure.details = ""  # it may quote a document
            return Failure(failure)
