"""The work on documents in the actors of a Ray cluster (plain Ray Core).

The process that began the run reads, keeps the journal and writes; the actors hold pipelines. No
exception leaves an actor, so no text of a document gets into Ray's logs.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from intact import __version__
from intact.errors import InternalError, RunError, from_exception, loading, require
from intact.formats.mentions import Warn
from intact.processes import Failure, Service
from intact.run.work import Factory, Performers

TRIES = 3  # how many workers may die at one document before the run stops
PATIENCE = 60.0  # seconds without an idle worker before each warning that the cluster has no room


class RayPerformers(Performers):
    """Performs tasks in Ray actors: one actor for each of the ``processes`` times ``at_once``
    documents at work. When an actor dies, another one takes over its task, up to ``TRIES`` times.
    An ``address`` of "" stands for the variable RAY_ADDRESS, and without that starts a cluster on
    this machine; "auto" is the cluster that this machine has. ``warn`` is called with a message as
    long as no actor can be started."""

    def __init__(
        self, address: str, warn: Warn, factory: Factory, processes: int, at_once: int
    ) -> None:
        """Remember the arguments; Ray is reached or started at the first task."""
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
        """Begin a task. Return a function that waits for its result and returns it; errors of a
        document are results, too, and only one that stops the run is raised there. The first task
        reaches or starts Ray and starts all actors (worker processes), or raises a ``RunError``."""
        if self._ray is None:
            self._connect()
            for _ in range(self.size):
                self._hire()
        return super().begin(task)

    def _connect(self) -> None:
        """Connect to Ray at the address, or start it on this machine; raise a ``RunError`` if that
        is not possible, a ``MissingExtraError`` if Ray is not installed. A connection that this
        process has already is used as it is."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray = require("ray")
        if not ray.is_initialized():
            here: dict[str, Any] = {"num_cpus": self._processors, "include_dashboard": False}
            here |= {"object_store_memory": 100 << 20}
            where = {"address": self._address} if self._address else here
            at = self._address or "this machine"
            with loading("Ray cannot be reached or started", at, kind=RunError):
                ray.init(log_to_driver=False, logging_level="error", **where)
            self._ours = True
        self._ray = ray

    def _hire(self) -> None:
        """Start an actor (a worker process); it is put into the queue of idle ones once it is
        ready."""
        kind = self._ray.remote(num_cpus=self._share, max_restarts=0)(Actor)
        actor = kind.remote(self._service, str(Path.cwd()), __version__)
        self._actors.append(actor)
        actor.ready.remote().future().add_done_callback(lambda _: self._idle.put(actor))

    def _perform(self, task: Any) -> Any:
        """Have an idle actor perform a task, and return its result; if the actor dies, have another
        one do it. Raise the error that stops the run, or a ``RunError`` after three deaths."""
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
        raise RunError(f"{TRIES} workers died at one document ({how})")

    def _wait_for_actor(self) -> Any:
        """Take an idle actor out of the queue, and return it; while there is none, wait and warn
        every 60 seconds. Raise a ``RunError`` once the run has ended."""
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
        """End all actors and free what the pipelines hold, without waiting for tasks that have
        begun; also end a cluster that was started here."""
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
    """Performs tasks one after the other with a pipeline that it keeps. Raises nothing."""

    def __init__(self, make: Callable[[], Service], folder: str, version: str) -> None:
        """Go to the folder where the run was begun, if it is there; the service is made at the
        first task."""
        self._make, self._version = make, version
        self._service: Service | None = None
        with suppress(OSError):  # relative paths start at the folder where the run was begun
            os.chdir(folder)

    def ready(self) -> None:
        """Do nothing: that it returns shows that the actor has been started."""

    def answer(self, task: Any) -> Any:
        """Perform a task with the pipeline, which is made at the first one. Return its result, or a
        ``Failure`` with the error that stops the run; raise nothing."""
        try:
            if self._version != __version__:
                both = f"{__version__}, this one {self._version}"
                raise RunError(f"a machine of the cluster has INTACT {both}")
            self._service = self._service or self._make()
            return self._service(task)
        except Exception as error:  # noqa: BLE001  (whatever is raised, Ray would log)
            failure = from_exception(error, "")
            if isinstance(failure, InternalError):
                failure.details = ""  # it may quote a document
            return Failure(failure)
