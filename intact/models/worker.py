"""A language model in a process of its own, so that nothing it does can end the user's run.

Parent and child exchange JSON, one object per line, over the child's standard input and output: no
socket, no pickle. ``python -m intact.models.worker`` is the child.
"""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import IO, Any

from intact import errors
from intact.english.vocabulary import vocabulary
from intact.errors import IntactError, ModelError
from intact.offline import is_offline, offline
from intact.protocols import Completion, CompletionRequest

_KILLED_BY: Mapping[str, str] = vocabulary("texts")["killed_by"]


class Worker:
    """The parent's end: a model in a child process, as a ``LanguageModel``. The child makes it with
    ``factory`` ("module:attribute"); errors that it raises are raised here.

    If the child dies while it answers, it is started once more and asked the same; a second death
    is an error. If it dies of an instruction that the processor lacks (SIGILL), it is started again
    with its arguments overridden by ``after_sigill``.
    """

    def __init__(
        self,
        factory: str,
        arguments: Mapping[str, Any],
        *,
        name: str,
        signature: str,
        after_sigill: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.signature = name, signature
        self.read = self.written = self.retried = self.context_length = 0
        self._factory, self._arguments = factory, dict(arguments)
        self._after_sigill = after_sigill
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes]
        self._open = contextlib.ExitStack()  # ends the child, closes its pipes, and waits
        self._ask("count", [])

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Count the tokens of each text."""
        return [int(number) for number in self._ask("count", list(texts))]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Answer requests in order; see ``LanguageModel``."""
        raw = self._ask("complete", [asdict(request) for request in requests])
        return [Completion(**item) for item in raw]

    def close(self) -> None:
        """End the child."""
        self._process = None
        with contextlib.suppress(OSError):  # what is left in its pipe is not wanted
            self._open.close()

    def _ask(self, verb: str, items: list[Any]) -> list[Any]:
        """Return the child's results. It may die once, but not while it loads the model."""
        loading = not self.context_length
        tries = 1 if loading else 2
        while True:
            try:
                if self._process is None:
                    self._start()
                reply = self._exchange({"verb": verb, "items": items})
                break
            except _DiedError as died:
                self.close()
                code, words = died.args
                if -code == signal.SIGILL and self._after_sigill is not None:
                    logging.getLogger("intact").warning(
                        "the language model's library used an instruction that this processor "
                        "lacks; it goes on without its processor-specific kernels"
                    )
                    self._arguments |= self._after_sigill
                    self._after_sigill = None
                    continue
                tries -= 1
                if not tries:
                    doing = "loading the model" if loading else f"answering {len(items)} requests"
                    how = f"signal {-code}" if code < 0 else f"exit code {code}"
                    how = _KILLED_BY.get(str(-code), how) + (f" ({words})" if words else "")
                    raise ModelError(
                        f"the language model's process ended while {doing}: {how}",
                        where="setting model.path",
                        remedy="Your run is intact and can be resumed. Lower model.context, or try "
                        "another model file.",
                    ) from None
            except IntactError:
                if self.context_length == 0:  # it was not made at all
                    self.close()
                raise
        self.read += reply["read"]
        self.written += reply["written"]
        return list(reply["results"])

    def _start(self) -> None:
        self._stderr = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "intact.models.worker", *["offline"] * is_offline()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        self._process = self._open.enter_context(process)
        self._open.callback(process.kill)
        reply = self._exchange({"factory": self._factory, "arguments": self._arguments})
        self.context_length = int(reply["context_length"])

    def _exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        line = b""
        with contextlib.suppress(BrokenPipeError, ValueError):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if not line.endswith(b"\n"):
            code = process.wait()
            self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - 4096))
            written = self._stderr.read().decode("utf-8", "replace").splitlines()
            own = [line.strip() for line in written if "ggml" in line.lower() or "llama" in line]
            raise _DiedError(code, own[-1][:400] if own else "")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise getattr(errors, reply.pop("error"), ModelError)(reply.pop("problem"), **reply)
        return reply


class _DiedError(Exception):
    """The child has ended: with an exit code or, negative, a signal, and its last words."""


def main() -> None:
    """Run the child: load the model that the first line describes, then answer line by line until
    the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints does not mix with the answers
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    model: Any = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        try:
            if model is None:
                module, _, attribute = message["factory"].partition(":")
                model = getattr(import_module(module), attribute)(**message["arguments"])
                reply: dict[str, Any] = {"context_length": model.context_length}
            else:
                reply = _answer(model, message["verb"], message["items"])
        except Exception as raised:  # noqa: BLE001 (its message may hold document text)
            if isinstance(raised, IntactError):
                error = raised
            elif isinstance(raised, MemoryError):
                error = ModelError("memory ran out", remedy="Lower model.context.")
            else:
                at = traceback.extract_tb(raised.__traceback__)[-1]
                place = f"{type(raised).__name__} in {at.name}, line {at.lineno}"
                error = ModelError(f"the engine failed ({place})")
            reply = {"error": type(error).__name__, "where": error.where}
            reply |= {"problem": error.problem, "remedy": error.remedy}
        output.write(json.dumps(reply).encode() + b"\n")
        output.flush()


def _answer(model: Any, verb: str, items: list[Any]) -> dict[str, Any]:
    read, written = model.read, model.written
    if verb == "complete":
        done = model.complete([CompletionRequest(**item) for item in items])
        results = [asdict(completion) for completion in done]
    else:
        results = list(model.count(items))
    return {"results": results, "read": model.read - read, "written": model.written - written}


def _end_with_parent(parent: int) -> None:
    """End the child once its parent has died, even in the middle of a computation."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    with offline() if sys.argv[1:] else contextlib.nullcontext():
        main()
