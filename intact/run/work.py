"""The work on single documents, in this process or in several, in input order either way."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

from intact.domain import Guarding, SanitizedDocument
from intact.errors import FormatError, InputError, IntactError, from_exception
from intact.formats import edits
from intact.formats.base import Format, Record, stem
from intact.formats.outcome import COVERED, LABEL, outcomes
from intact.pipeline import DRIFT, UNSURE, Pipeline
from intact.run.journal import Entry
from intact.run.workers import WorkerProcess

Factory = Callable[[], Pipeline]
Known = Callable[["Task"], Entry | InputError | None]
LOOKAHEAD = 4
"""How many documents per worker may be read ahead of the one that is waited for."""


@dataclass(frozen=True, slots=True)
class Task:
    """One document to work on.

    Attributes:
        file: number of its file in the run, from 0.
        name: of its file, for messages.
        record: the document, or what is wrong with it.
        annotator: whose mentions.
        read: bytes of the input that had been read when it came.
    """

    file: int
    name: str
    format: Format
    record: Record | InputError
    annotator: str
    read: int = 0

    def digest(self) -> bytes:
        """16 bytes that stand for all of the input that the document's result depends on.

        Raises:
            InputError: if the record is an error, or nested too deeply.
        """
        if isinstance(self.record, InputError):
            raise self.record
        kind = [self.format.name, self.format.column, self.annotator, stem(self.name)]
        try:
            described = json.dumps([*kind, self.record.raw], default=_described)
        except (RecursionError, ValueError):
            raise FormatError("it is nested too deeply", where=self.record.where) from None
        return hashlib.blake2b(described.encode("ascii"), digest_size=16).digest()


def _described(value: object) -> str:
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else repr(value)


def perform(task: Task, pipeline: Pipeline) -> Entry | InputError:
    """One document sanitised, or what is wrong with it.

    Args:
        task: a document without an error.
        pipeline: what sanitises it.

    Raises:
        IntactError: if something else than the document is wrong.
    """
    record = task.record
    assert isinstance(record, Record)
    try:
        digest, loaded = task.digest(), task.format.load(record, task.annotator)
    except InputError as error:
        return error
    doc_id = loaded.document.id
    annotated = task.format.annotated and loaded.marked
    try:
        done = (pipeline.sanitize if annotated else pipeline.sanitize_raw)(loaded.document)
    except IntactError as error:
        raise error.at(f"document {doc_id}") from error
    except Exception as error:
        raise from_exception(error, f"document {doc_id}") from error
    try:
        output = task.format.render(record, loaded, done)
    except InputError as error:
        return error
    warnings = [f"{task.name} ({doc_id}): {warning}" for warning in loaded.warnings]
    unsure = [
        f"document {doc_id}: {note}" for note in done.notes if note.startswith((UNSURE, DRIFT))
    ]
    return Entry(
        digest=digest,
        doc_id=doc_id,
        output=output,
        edits=edits.render(doc_id, done.edits),
        figures={**figures(done), "detected": int(not annotated)},
        messages=warnings + unsure,
    )


def figures(done: SanitizedDocument) -> dict[str, Any]:
    """Counts of one document, to be summed over a run."""
    masked = [mention for mention in done.document.mentions if mention.masked]
    ends = outcomes(done)
    rungs: Counter[str] = Counter()
    for decision in done.decisions:
        if decision.chosen is not None:
            rung = str(decision.ladder[decision.chosen].rank)
            rungs[rung] += sum(ends[m.id] != COVERED for m in decision.entity.mentions)
    text = done.document.text
    return {
        "documents": 1,
        "spans": len(masked),
        "spans_per_type": dict(Counter(m.entity_type for m in masked)),
        "labels_per_type": dict(Counter(m.entity_type for m in masked if ends[m.id] == LABEL)),
        "outcomes": dict(Counter(ends[m.id] for m in masked)),
        "rungs": dict(rungs),
        "swept": sum(not r.mention_id for r in done.replacements),
        "edits": len(done.edits),
        "words": len(text.split()),
        "words_changed": sum(len(edit.span.of(text).split()) for edit in done.edits),
        "unprotected": int(not done.protected),
        "unprotected_documents": {} if done.protected else {done.document.id: 1},
        "drifted": _drifted(done),
        "guard": _guard_figures(done.guarding),
    }


def _drifted(done: SanitizedDocument) -> dict[str, int]:
    """How much was not done as a person decided, under the document's id; nothing where all was."""
    count = sum(note.startswith(DRIFT) for note in done.notes)
    return {done.document.id: count} if count else {}


def _guard_figures(guarding: Guarding | None) -> dict[str, int]:
    if guarding is None:
        return {}
    return {
        "documents": 1,
        "steps": len(guarding.steps),
        "words": guarding.words,
        "words_changed": guarding.words_changed,
    }


def add_figures(total: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """The sum of two documents' figures, key by key, keys sorted.

    Args:
        total: of ``figures``, or {}.
        more: of ``figures``.
    """
    both: dict[str, Any] = {}
    for key in sorted({**total, **more}):
        left, right = total.get(key), more.get(key)
        if isinstance(left, dict) or isinstance(right, dict):
            both[key] = add_figures(left or {}, right or {})
        else:
            both[key] = (left or 0) + (right or 0)
    return both


def perform_all(
    tasks: Iterable[Task], known: Known, factory: Factory, workers: int
) -> Iterator[tuple[Task, Entry | InputError]]:
    """Each task with its entry, or with what is wrong with its document, in order.

    Args:
        tasks: consumed lazily.
        known: what came of a task that needs no work (any more), else None.
        factory: makes the pipeline, once per process; must be picklable.
        workers: 1 works in this process.

    Raises:
        RunError: if a worker process died.
        IntactError: whatever stops the run.
    """
    if workers > 1:
        yield from _in_processes(tasks, known, factory, workers)
        return
    with closing(_Sanitizing(factory)) as sanitize:
        for task in tasks:
            yield task, known(task) or sanitize(task)


class _Sanitizing:
    """Performs tasks; a ``Service``."""

    def __init__(self, factory: Factory) -> None:
        self._pipeline = factory()

    def __call__(self, task: Task) -> Entry | InputError:
        return perform(task, self._pipeline)

    def close(self) -> None:
        """Frees what the pipeline holds."""
        self._pipeline.close()


def _in_processes(
    tasks: Iterable[Task], known: Known, factory: Factory, workers: int
) -> Iterator[tuple[Task, Entry | InputError]]:
    processes = [WorkerProcess(partial(_Sanitizing, factory)) for _ in range(workers)]
    idle: SimpleQueue[WorkerProcess] = SimpleQueue()
    for process in processes:
        idle.put(process)

    def work(task: Task) -> Entry | InputError:
        process = idle.get()
        try:
            answer: Entry | InputError = process.ask(task)
            return answer
        finally:
            idle.put(process)

    waiting: deque[tuple[Task, Future[Entry | InputError]]] = deque()
    threads = ThreadPoolExecutor(workers)
    try:
        for task in tasks:
            waiting.append((task, _answered(known(task)) or threads.submit(work, task)))
            if len(waiting) > LOOKAHEAD * workers:
                earliest, answer = waiting.popleft()
                yield earliest, answer.result()
        for task, answer in waiting:
            yield task, answer.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.hang_up()
        for process in processes:
            process.close()
        threads.shutdown()


def _answered(answer: Entry | InputError | None) -> Future[Entry | InputError] | None:
    if answer is None:
        return None
    future: Future[Entry | InputError] = Future()
    future.set_result(answer)
    return future
