"""A language model in a process of its own, so that nothing it does can end the user's run."""

import logging
import os
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from intact.english.vocabulary import vocabulary
from intact.errors import IntactError, InternalError, ModelError
from intact.processes import DiedError, WorkerProcess
from intact.protocols import Completion, CompletionRequest

_KILLED_BY: Mapping[str, str] = vocabulary("texts")["killed_by"]


@dataclass(eq=False)
class Worker:
    """The parent's end: a model in a child process, as a ``LanguageModel``. The child is started at
    once, and makes it with ``factory``, which can be pickled; errors that it raises are raised
    here.

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
        self.count([])

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text, in order."""
        return self._ask("count", texts)

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Return one completion for each request, in order."""
        return self._ask("complete", requests)

    def close(self) -> None:
        """End the child, if it runs, and delete the file of its output. The next question starts a
        new child."""
        if self._process is not None:
            self._process.close(grace=0)
            self._process = None
            self._log.close()

    def _ask(self, verb: str, items: Sequence[Any], again: bool = False) -> list[Any]:
        """Have the child call a method of its model, start it if it does not run, and return the
        method's results. The tokens read and written are added up. Raise a ``ModelError`` if the
        child dies again or its engine fails, and INTACT's own errors as they are.

        Args:
            verb: the name of the method.
            items: what it is called with.
            again: whether the child has died of this once, so that a death is an error; one while
                it loads the model always is.
        """
        loading = not self.context_length
        try:
            if self._process is None:
                self._log = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the child)
                make = partial(_ModelService, self.factory, self.arguments)
                self._process = WorkerProcess(make, self._log)
            results, read, written, self.context_length = self._process((verb, [*items]))
        except DiedError as died:
            how = self._how(died.code)
            self.close()
            if -died.code == signal.SIGILL and self.after_sigill is not None:
                logging.getLogger("intact").warning(
                    "the language model's library used an instruction that this processor "
                    "lacks; it goes on without its processor-specific kernels"
                )
                self.arguments = {**self.arguments, **self.after_sigill}
                self.after_sigill = None
                return self._ask(verb, items, again)
            if not (loading or again):
                return self._ask(verb, items, again=True)
            doing = "loading the model" if loading else f"answering {len(items)} requests"
            problem = f"the language model's process ended while {doing}: {how}"
            raise ModelError(problem, where="setting model.path") from None
        except IntactError as error:
            if loading:  # it was not made at all
                self.close()
            if isinstance(error, InternalError):
                raise ModelError(f"the engine failed: {error.problem}") from None
            raise
        self.read, self.written = self.read + read, self.written + written
        return list(results)

    def _how(self, code: int) -> str:
        """Describe the child's death for a message: its exit code or signal, and in brackets the
        last line of its output that names the library, if there is such a line.

        Args:
            code: the exit code, or minus a signal.
        """
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 4096))
        lines = self._log.read().decode("utf-8", "replace").splitlines()
        words = [line.strip() for line in lines if "ggml" in line.lower() or "llama" in line]
        return _KILLED_BY.get(str(-code), how) + "".join(f" ({last[:400]})" for last in words[-1:])


class _ModelService:
    """The child's end; a ``Service``. An answer has results, the tokens read and written for them,
    and how many the model takes together."""

    def __init__(self, factory: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        self._model = factory(**arguments)

    def __call__(self, request: tuple[str, list[Any]]) -> tuple[list[Any], int, int, int]:
        """Call a method of the model, given as (its name, the list that it is called with). Return
        its results, the tokens read and the tokens written for them, and the most tokens that a
        prompt and its answer may take together."""
        (verb, items), model = request, self._model
        read, written = model.read, model.written
        results = list(getattr(model, verb)(items))
        return results, model.read - read, model.written - written, model.context_length

    def close(self) -> None:
        """Do nothing: the model's memory is freed with the process."""
