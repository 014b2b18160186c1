"""Processes that work beside this one, each on one thing at a time; dead ones are noticed."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Protocol

from intact.errors import IntactError, RunError, from_exception
from intact.offline import is_offline, offline

GRACE = 1.0
"""Seconds for a worker to end by itself, once there is nothing more to do."""


class Service(Protocol):
    """What a worker process does."""

    def __call__(self, request: Any, /) -> Any:
        """The answer to a request."""

    def close(self) -> None:
        """Frees what it holds."""


class WorkerProcess:
    """A process that answers requests one after the other, and ends with this one.

    Args:
        make: makes what answers; called in the process; picklable.
    """

    def __init__(self, make: Callable[[], Service]) -> None:
        context = get_context("spawn")
        requests, self._requests = context.Pipe(duplex=False)  # a duplex one would be a socket
        self._answers, answers = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_serve, args=(requests, answers, make, is_offline()), daemon=True
        )
        self._process.start()
        requests.close()
        answers.close()

    def ask(self, request: Any, seconds: float | None = None) -> Any:
        """The answer to a request.

        Args:
            request: picklable.
            seconds: how long to wait; None for ever.

        Raises:
            TimeoutError: if there was none in time; the worker is still at it.
            RunError: if the worker died.
            IntactError: what went wrong in the worker.
        """
        with suppress(ConnectionError):  # a worker that could not start has said why
            self._requests.send(request)
        try:
            if not self._answers.poll(seconds):
                raise TimeoutError
            answer = self._answers.recv()
        except (EOFError, ConnectionError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise RunError(
                "a worker process died (killed, or out of memory)",
                remedy="Run again with --resume, and fewer --workers if memory is short.",
            ) from None
        if isinstance(answer, _Failure):
            raise answer.error
        return answer

    def __call__(self, request: Any, /) -> Any:
        """The answer to a request, however long it takes; see ``ask``."""
        return self.ask(request)

    def hang_up(self) -> None:
        """Lets the process end when it has answered."""
        self._requests.close()

    def kill(self) -> None:
        """Gives up what the process is at; whoever waits for that is told that it died."""
        self._process.kill()

    def close(self, grace: float = GRACE) -> None:
        """Ends the process; what it is at is given up after ``grace`` seconds."""
        self.hang_up()
        self._process.join(grace)
        self._process.kill()
        self._process.join()
        self._answers.close()


class _Failure:
    """An error on its way to the process that asked."""

    def __init__(self, error: IntactError) -> None:
        self.error = error


def _serve(
    requests: Connection, answers: Connection, make: Callable[[], Service], guarded: bool
) -> None:
    """Answers requests until the one who asks hangs up, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    with offline() if guarded else nullcontext(), suppress(EOFError, ConnectionError):
        try:
            service = make()
        except Exception as error:  # noqa: BLE001  (whatever it is, the parent has to hear of it)
            answers.send(_Failure(from_exception(error, "starting a worker")))
            return
        with closing(service):
            while True:
                request = requests.recv()
                try:
                    answer = service(request)
                except Exception as error:  # noqa: BLE001  (as above)
                    answer = _Failure(from_exception(error, ""))
                answers.send(answer)
