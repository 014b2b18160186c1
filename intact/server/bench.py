"""The work behind the HTTP interface, one document after the other in a thread of its own.

The knowledge base and models belong to that thread; requests wait in line. So documents of
different clients never meet.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeVar

from intact.api import link_mentions
from intact.build import build_detector, build_pipeline
from intact.config import Settings
from intact.domain import Document, Edit, SanitizedDocument, Score, Span
from intact.errors import DocumentError, IntactError, InternalError
from intact.formats.mentions import Layer, load
from intact.pipeline import Pipeline
from intact.protocols import Detection, Detector

Result = TypeVar("Result")


class BusyError(Exception):
    """Too many requests wait already."""


class Bench:
    """Does one thing at a time.

    Args:
        waiting: how many requests may be in the line, the one at work included.
    """

    def __init__(self, settings: Settings, waiting: int) -> None:
        self._settings = settings
        self._most = waiting
        self._line = 0

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix="intact")

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

    async def do(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """The result of ``work`` when its turn has come.

        Raises:
            BusyError: if the line is full.
            IntactError: whatever goes wrong; what was not foreseen as an ``InternalError``.
        """
        if self._line >= self._most:
            raise BusyError
        self._line += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, _guarded, work, *arguments
            )
        finally:
            self._line -= 1

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
        """Ends the thread when what is at work is done, and frees the models.

        The next request would start anew.
        """
        thread = self.__dict__.pop("_thread", None)
        if thread is not None:
            thread.submit(self._free).result()
            thread.shutdown(cancel_futures=True)

    def _free(self) -> None:
        pipeline = self.__dict__.pop("_pipeline", None)
        self.__dict__.pop("_detector", None)
        if pipeline is not None:
            pipeline.close()


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


def _guarded(work: Callable[..., Result], *arguments: Any) -> Result:
    try:
        return work(*arguments)
    except IntactError:
        raise
    except Exception as error:
        raise InternalError.of(error, "the server") from error
