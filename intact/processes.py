"""A process of its own for work that may die, or has to be given up: requests in, answers out.

Python starts it anew, and it imports nothing of the program that asks. ``serve`` is what it does.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from multiprocessing.connection import Connection, Pipe
from typing import IO, Any, NamedTuple, Protocol

from intact.errors import IntactError, RunError, from_exception
from intact.offline import is_offline, offline

GRACE = 1.0  # seconds that a process has to end by itself when nothing is left to do


class Service(Protocol):
    """The work of a process."""

    def __call__(self, request: Any, /) -> Any:
        """Return the answer to a request."""

    def close(self) -> None:
        """Free what it holds."""


class DiedError(RunError):
    """A process ended before it had answered; ``code`` is its exit status, or minus the signal that
    ended it."""

    code: int = 0


class Failure(NamedTuple):
    """An error on its way from a process to the one that asked."""

    error: IntactError


class WorkerProcess:
    """A process that answers requests with the ``Service`` that ``make`` (picklable) makes in it.
    What it writes to its standard output or error goes to ``log``, if there is one, else to the
    standard error of this process."""

    def __init__(self, make: Callable[[], Service], log: IO[bytes] | None = None) -> None:
        """Start the process and send it ``make``; do not wait until the service is made."""
        requests, self._requests = Pipe(duplex=False)  # a duplex one would be a socket
        self._answers, answers = Pipe(duplex=False)
        ends = (requests.fileno(), answers.fileno())
        begin = f"from intact.processes import serve; serve(*{ends}, guarded={is_offline()})"
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:  # deaf to Ctrl-C from the first moment: the parent decides
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", begin],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                pass_fds=ends,
                stdin=subprocess.DEVNULL,
                stdout=2 if log is None else log,
                stderr=log,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        requests.close()
        answers.close()
        self._send(make)

    def __call__(self, request: Any, /) -> Any:
        """Return the process's answer to a request. Raise the error with which it answered (at the
        first request that of ``make``, if it failed), or a ``DiedError`` if it ended before it
        had."""
        self._send(request)
        try:
            answer = self._answers.recv()
        except (EOFError, OSError):
            died = DiedError("a worker process died (killed, or out of memory)")
            died.code = self._process.wait()
            raise died from None
        if isinstance(answer, Failure):
            raise answer.error
        return answer

    def _send(self, what: Any) -> None:
        """Send an object to the process; do nothing if the process has ended."""
        with suppress(ConnectionError):  # a process that could not start has said why
            self._requests.send(what)

    def hang_up(self) -> None:
        """Close the way for requests, so that the process ends after its present one."""
        self._requests.close()

    def close(self, grace: float = GRACE) -> None:
        """Have the process end after its present request, and wait for that; kill it if it is still
        at work after ``grace`` seconds."""
        self.hang_up()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        self._process.kill()
        self._process.wait()


def serve(reads: int, writes: int, *, guarded: bool) -> None:
    """Answer requests until the other end is closed or the process that started this one has ended;
    then end this process. An error at a request is answered as a ``Failure``; so is one while the
    service is made, which is the last answer.

    Args:
        reads: the descriptor from which what makes a ``Service`` comes, then requests.
        writes: the descriptor for answers, and for errors as a ``Failure`` each.
        guarded: whether connections to other machines are refused.
    """
    requests, answers = Connection(reads, writable=False), Connection(writes, readable=False)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    with offline() if guarded else nullcontext(), suppress(EOFError, ConnectionError):
        try:
            service = requests.recv()()
        except Exception as error:  # noqa: BLE001  (whatever it is, the parent has to get it)
            answers.send(Failure(from_exception(error, "starting a worker")))
            return
        with closing(service):
            while True:
                request = requests.recv()
                try:
                    answer = service(request)
                except Exception as error:  # noqa: BLE001  (as above)
                    answer = Failure(from_exception(error, ""))
                answers.send(answer)
    # all is closed; Python would take every object apart, which lasts up to a second
    sys.stdout.flush()
    os._exit(0)


def _end_with_parent(parent: int) -> None:
    """Wait until the parent process has died, which is seen within a second; then end this process
    with exit status 1, even in mid-computation.

    Args:
        parent: the id of the parent process.
    """
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def idle_cores() -> int:
    """Return the number of cores that this process may use and that are idle now, by the system's
    load; at least 1. Too many threads are far slower than too few (0.3 against 28 tokens/s
    measured for a language model)."""
    return max(1, cores() - round(os.getloadavg()[0] if hasattr(os, "getloadavg") else 0))
