"""The work behind the HTTP interface, in processes of its own, one document at a time in each.

Knowledge base and models belong to such a process, so documents of different clients never meet.
A request that takes too long is given up: its process is killed, and the next request starts
another one.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Any

from intact.api import link_mentions
from intact.build import build_detector, build_pipeline
from intact.config import Settings
from intact.domain import Document, Edit, SanitizedDocument, Score, Span
from intact.errors import DocumentError, ModelError, RunError
from intact.formats.mentions import Layer, load
from intact.pipeline import Pipeline
from intact.protocols import Detection, Detector
from intact.run.workers import Service, WorkerProcess


class BusyError(Exception):
    """Too many requests wait already, or one has waited too long."""


class DeadlineError(Exception):
    """A request took too long and was given up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the server takes on.

    Attributes:
        most_bytes: of a request's body.
        most_characters: of a text in which mentions are to be detected.
        waiting: requests in the line, those at work included.
        seconds: for a request, from its arrival to its answer.
        workers: processes that work at the same time.
    """

    most_bytes: int = 10 << 20
    most_characters: int = 1_000_000
    waiting: int = 64
    seconds: float = 120.0
    workers: int = 1


class SanitizerService:
    """Worker processes, and the line before them.

    Args:
        make: makes what answers requests, in each worker process; picklable.
        limits: how much to take on.
    """

    def __init__(self, make: Callable[[], Service], limits: Limits) -> None:
        self._make = make
        self._limits = limits
        self._line = 0
        self._idle: SimpleQueue[WorkerProcess] = SimpleQueue()
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="intact")

    async def do(self, method: str, *arguments: Any) -> Any:
        """What a worker answers when the request's turn has come.

        Args:
            method: of ``DocumentService``.
            arguments: its arguments; picklable.

        Raises:
            BusyError: if the line is full, or the request's time passed in it.
            DeadlineError: if the work was not done in time; it has been stopped.
            IntactError: whatever goes wrong; what was not foreseen as an ``InternalError``.
        """
        if self._line >= self._limits.waiting:
            raise BusyError
        self._line += 1
        until = time.monotonic() + self._limits.seconds
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, self._ask, until, (method, arguments)
            )
        finally:
            self._line -= 1

    def _ask(self, until: float, request: tuple[str, tuple[Any, ...]]) -> Any:
        left = until - time.monotonic()
        if left <= 0:
            raise BusyError
        try:
            worker = self._idle.get_nowait()
        except Empty:
            worker = WorkerProcess(self._make)
        usable = True
        try:
            return worker.ask(request, left)
        except TimeoutError:
            usable = False
            raise DeadlineError from None
        except RunError:
            usable = False
            raise ModelError(
                "the process that worked on the request died (killed, or out of memory)",
                remedy="Send the request again; another process takes its place.",
            ) from None
        finally:
            if usable:
                self._idle.put(worker)
            else:
                worker.close(grace=0)

    def close(self) -> None:
        """Ends the processes when what is at work is done."""
        self._threads.shutdown(cancel_futures=True)
        while not self._idle.empty():
            self._idle.get().close()


class DocumentService:
    """What a worker process does for a request.

    Args:
        settings: of every request.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self, request: tuple[str, tuple[Any, ...]]) -> Any:
        """What the method asked for gives."""
        method, arguments = request
        return getattr(self, method)(*arguments)

    @cached_property
    def _pipeline(self) -> Pipeline:
        return build_pipeline(self._settings)

    @cached_property
    def _detector(self) -> Detector:
        return build_detector(self._settings)

    @cached_property
    def _context(self) -> Any:
        from intact.evaluation import EvaluationContext

        return EvaluationContext()

    def sanitize(
        self, text: str, mentions: Sequence[Mapping[str, Any]] | None
    ) -> SanitizedDocument:
        """The document sanitised; its mentions are detected where none are given.

        Args:
            text: the document's.
            mentions: as JSON lines have them, or None.
        """
        document = load("text", text, Layer(list(mentions or ())), "text").document
        if not any("entity_id" in mention for mention in mentions or ()):
            document = link_mentions(document)
        raw = mentions is None
        return (self._pipeline.sanitize_raw if raw else self._pipeline.sanitize)(document)

    def detect(self, text: str) -> Detection:
        """What the text holds."""
        return self._detector.detect(load("text", text, Layer([]), "text").document.text)

    def evaluate(
        self,
        text: str,
        mentions: Sequence[Mapping[str, Any]],
        outcome: str | Sequence[tuple[int, int, str]],
        metrics: Sequence[str],
    ) -> list[Score]:
        """The scores of a sanitised text, or of edits.

        Args:
            text: the original.
            mentions: as JSON lines have them.
            outcome: the sanitised text, or edits (start, end, replacement).
            metrics: names, as in docs/metrics.md.

        Raises:
            DocumentError: if mentions or edits do not fit the text.
        """
        from intact.evaluation.pairs import edits_between, pair
        from intact.evaluation.results import chosen_metrics

        document = load("text", text, Layer(list(mentions)), "text").document
        edits = (
            edits_between(text, outcome) if isinstance(outcome, str) else _edits(document, outcome)
        )
        pairs = [pair(document, edits)]
        chosen = chosen_metrics(metrics, self._context)
        return [score for metric in chosen for score in metric.scores(pairs)]

    def close(self) -> None:
        """Frees the models."""
        if "_pipeline" in vars(self):
            self._pipeline.close()


def finite(value: float) -> float | None:
    """``value``, or None where it is none that JSON can hold."""
    return value if math.isfinite(value) else None


def _edits(document: Document, given: Sequence[tuple[int, int, str]]) -> tuple[Edit, ...]:
    edits = [Edit(Span(start, end), new) for start, end, new in sorted(given)]
    length = len(document.text)
    done = 0
    for edit in edits:
        if edit.span.start < done or edit.span.end > length:
            raise DocumentError(
                f"the edit [{edit.span.start}, {edit.span.end}) overlaps another one "
                f"or ends behind the text of {length} characters",
                where="edits",
            )
        done = edit.span.end
    return tuple(edits)
