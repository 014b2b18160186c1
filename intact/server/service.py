"""The work for the HTTP interface, in processes of its own, one document at a time in each.

Each process has its own knowledge base and models, so documents of different clients never meet. A
request that takes too long, or whose client has hung up, is given up: its process is killed, and
the next request starts another one."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from intact.config import Settings
from intact.domain import SanitizedDocument
from intact.errors import IntactError, ModelError, RunError, refused
from intact.formats.base import EMPTY, check_text
from intact.formats.mentions import check_types, load
from intact.pipeline import build_pipeline
from intact.processes import Service, WorkerProcess
from intact.protocols import Detection
from intact.sanitizing import Pipeline

_MOST_WAITING = 0.5  # share of its time that a request may wait for its turn; the rest is for work
_BUSY = "too many requests wait; try again later"


class BusyError(IntactError):
    """Too many requests are waiting already, or one has waited too long."""


class DeadlineError(IntactError):
    """A request took too long and was given up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the server."""

    most_bytes: int = 10 << 20  # of a request's body
    most_characters: int = 200_000  # of a text in which mentions are to be detected
    waiting: int = 64  # most requests in the queue, including those at work
    seconds: float = 120.0  # for a request, from its arrival to its answer
    workers: int = 1  # number of processes that work at the same time
    connections: int = 128  # clients at one time; see ``affordable_connections``
    arrival: float = 20.0  # seconds for the head of a request to arrive, and as many for its body


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a port of this machine.

    Args:
        host: the address to listen at.
        port: 0 takes a free one.

    Raises:
        RunError: if the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with refused("cannot listen", f"port {port}", RunError):
        return socket.create_server((host, port), family=family)


class SanitizerService:
    """Worker processes, and the queue in front of them. The picklable ``make`` makes the service in
    each that answers requests."""

    def __init__(self, make: Callable[[], Service], limits: Limits) -> None:
        self._make, self.limits = make, limits
        self._line = 0
        self._idle: list[WorkerProcess] = []
        self._turns = asyncio.Semaphore(limits.workers)
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="intact")

    async def do(self, method: str, *arguments: Any) -> Any:
        """Return the answer of a worker process to a request, when it is the request's turn. If
        cancelled, the work stops.

        Args:
            method: name of a method of ``DocumentService``.
            arguments: of the method; picklable.

        Raises:
            BusyError: if the queue is full, or the request's turn did not come in time.
            DeadlineError: if the work was not done in time; it has been stopped.
            IntactError: the error that the worker met; an ``InternalError`` if it was not foreseen.
        """
        if self._line >= self.limits.waiting:
            raise BusyError(_BUSY)
        self._line += 1
        worker, usable, turn = None, False, False
        loop, seconds = asyncio.get_running_loop(), self.limits.seconds
        begun = come = loop.time()
        try:
            async with asyncio.timeout_at(come + _MOST_WAITING * seconds):
                turn = await self._turns.acquire()
            begun = loop.time()
            async with asyncio.timeout_at(come + seconds):
                worker = self._idle.pop() if self._idle else WorkerProcess(self._make)
                answer = await loop.run_in_executor(self._threads, worker, (method, arguments))
                usable = True
                return answer
        except TimeoutError:
            if not turn:
                raise BusyError(_BUSY) from None
            problem = f"given up after {seconds:g} seconds, {begun - come:.0f} of them in the line"
            raise DeadlineError(problem, remedy="Send it later, or a shorter text.") from None
        except RunError:
            problem = "the process that worked on the request died (killed, or out of memory)"
            raise ModelError(problem) from None
        except IntactError:
            usable = True
            raise
        finally:
            self._line -= 1
            if worker is not None and usable:
                self._idle.append(worker)
            elif worker is not None:
                worker.close(grace=0)
            if turn:
                self._turns.release()

    def close(self) -> None:
        """End the worker processes after their present requests; requests that wait are
        cancelled."""
        self._threads.shutdown(cancel_futures=True)
        while self._idle:
            self._idle.pop().close()


class DocumentService:
    """The work of a worker process for a request.

    Args:
        settings: by the name of a preset; "" for requests that name none.
    """

    def __init__(self, settings: Mapping[str, Settings]) -> None:
        self._settings = settings
        self._pipelines: dict[str, Pipeline] = {}

    def __call__(self, request: tuple[str, tuple[Any, ...]]) -> Any:
        """Call the method that a request names, as (name of a method, its arguments), and return
        its result."""
        method, arguments = request
        return getattr(self, method)(*arguments)

    def _pipeline(self, preset: str) -> Pipeline:
        """Return the pipeline for a preset, made when it is first asked for and then kept; before
        one with a language model is made, all others are closed."""
        if preset not in self._pipelines:
            settings = self._settings[preset]
            if settings.has_model:  # never two models in memory
                self.close()
            self._pipelines[preset] = build_pipeline(settings)
        return self._pipelines[preset]

    def sanitize(
        self, preset: str, text: str, mentions: Sequence[Mapping[str, Any]] | None
    ) -> SanitizedDocument:
        """Return one text, sanitised; what was odd about its mentions, or that an empty list was
        given, comes first in its notes.

        Args:
            preset: names the settings; "" for those of the server.
            text: of the client.
            mentions: as in JSON lines; if there are none they are detected.

        Raises:
            DocumentError: if text or mentions are wrong.
        """
        loaded = check_types(load("text", text, [*(mentions or ())], "text"), "mentions")
        done = self._pipeline(preset).sanitize(replace(loaded.document, annotated=bool(mentions)))
        return replace(done, notes=(*loaded.warnings, *((EMPTY,) * (mentions == [])), *done.notes))

    def detect(self, preset: str, text: str) -> Detection:
        """Return the mentions that are detected in one text, with notes and doubts about what was
        missed.

        Args:
            preset: names the settings; "" for those of the server.
            text: of the client.

        Raises:
            DocumentError: if the text is too long, or holds half a surrogate pair.
        """
        return self._pipeline(preset).detect(check_text(text, "text")[0])

    def close(self) -> None:
        """Free all pipelines, with their models; the next request makes them anew."""
        while self._pipelines:
            self._pipelines.popitem()[1].close()
