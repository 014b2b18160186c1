"""A language model in a process of its own, so that nothing it does can end the user's run."""

import logging
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from intact.english.vocabulary import vocabulary
from intact.errors import IntactError, ModelError
from intact.processes import DiedError, WorkerProcess
from intact.protocols import Completion, CompletionRequest

_KILLED_BY: Mapping[str, str] = vocabulary("texts")["killed_by"]


@dataclass(eq=False)
class Worker:
    """The parent's end: a model in a child process, as a ``LanguageModel``. The child makes it with
    ``factory``, which can be pickled; errors that it raises are raised here.

    If the child dies while it answers, it is started once more and asked the same; a second death
    is an error. If it dies of an instruction that the processor lacks (SIGILL), it is started again
    with its arguments overridden by ``after_sigill``.
    """

    factory: Callable[..., Any]
    arguments: Mapping[str, Any]
    name: str
    signature: str
    after_sigill: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self.read = self.written = self.retried = self.context_length = 0
        self._process: WorkerProcess | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as this)
        self.count([])

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Count the tokens of each text."""
        return self._ask("count", texts)

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Answer requests in order; see ``LanguageModel``."""
        return self._ask("complete", requests)

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._process.close(grace=0)
            self._process = None

    def _ask(self, verb: str, items: Sequence[Any]) -> list[Any]:
        """Return the child's results. It may die once, but not while it loads the model."""
        loading = not self.context_length
        tries = 1 if loading else 2
        while True:
            try:
                if self._process is None:
                    make = partial(_ModelService, self.factory, self.arguments)
                    self._process = WorkerProcess(make, self._log)
                results, read, written, self.context_length = self._process((verb, [*items]))
            except DiedError as died:
                self.close()
                if -died.code == signal.SIGILL and self.after_sigill is not None:
                    logging.getLogger("intact").warning(
                        "the language model's library used an instruction that this processor "
                        "lacks; it goes on without its processor-specific kernels"
                    )
                    self.arguments = {**self.arguments, **self.after_sigill}
                    self.after_sigill = None
                    continue
                tries -= 1
                if not tries:
                    doing = "loading the model" if loading else f"answering {len(items)} requests"
                    problem = f"the language model's process ended while {doing}"
                    how = f"{problem}: {self._how(died.code)}"
                    raise ModelError(how, where="setting model.path") from None
            except IntactError:
                if loading:  # it was not made at all
                    self.close()
                raise
            else:
                self.read, self.written = self.read + read, self.written + written
                return list(results)

    def _how(self, code: int) -> str:
        """Say how the child ended, with the library's last words, if there are any."""
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 4096))
        lines = self._log.read().decode("utf-8", "replace").splitlines()
        words = [line.strip() for line in lines if "ggml" in line.lower() or "llama" in line]
        return _KILLED_BY.get(str(-code), how) + "".join(f" ({last[:400]})" for last in words[-1:])


class _ModelService:
    """The child's end; a ``Service``. An answer has results, the tokens read and written for them,
    and how many the model takes together."""

    def __init__(self, factory: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        with _engine_errors():
            self._model = factory(**arguments)

    def __call__(self, request: tuple[str, list[Any]]) -> tuple[list[Any], int, int, int]:
        (verb, items), model = request, self._model
        read, written = model.read, model.written
        with _engine_errors():
            results = list(getattr(model, verb)(items))
        return results, model.read - read, model.written - written, model.context_length

    def close(self) -> None:
        """Leave the model to the system."""


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Turn what an engine raises, whose message may hold document text, into a ``ModelError``."""
    try:
        yield
    except IntactError:
        raise
    except MemoryError:
        raise ModelError("memory ran out") from None
    except Exception as error:  # noqa: BLE001  (engines raise anything)
        at = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {at.name}, line {at.lineno}"
        raise ModelError(f"the engine failed ({place})") from None
