"""The work on single documents, in this process or in several, in input order either way."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from intact.domain import Guarding, SanitizedDocument
from intact.errors import IntactError, InternalError, RunError
from intact.formats import edits
from intact.formats.base import Format, Record
from intact.formats.outcome import COVERED, LABEL, outcomes
from intact.pipeline import UNSURE, Pipeline
from intact.run.journal import Entry

Factory = Callable[[], Pipeline]
LOOKAHEAD = 4
"""How many documents per worker may wait for an earlier one to finish."""
GRACE = 1.0
"""Seconds for a worker to end by itself, once there is nothing more to do."""


@dataclass(frozen=True, slots=True)
class Task:
    """One document to work on."""

    number: int
    format: Format
    record: Record
    annotator: str


def perform(task: Task, pipeline: Pipeline) -> Entry:
    """Sanitises one document.

    Raises:
        InternalError: for anything that INTACT did not foresee.
    """
    loaded = task.format.load(task.record, task.annotator)
    doc_id = loaded.document.id
    try:
        annotated = task.format.annotated and loaded.marked
        sanitize = pipeline.sanitize if annotated else pipeline.sanitize_raw
        done = sanitize(loaded.document)
        return Entry(
            number=task.number,
            doc_id=doc_id,
            output=task.format.render(task.record, loaded, done),
            edits=edits.render(doc_id, done.edits),
            figures={**figures(done), "detected": int(not annotated)},
            doubts=[note for note in done.notes if note.startswith(UNSURE)],
        )
    except IntactError as error:
        raise error.at(f"document {doc_id}") from error
    except Exception as error:
        raise InternalError.of(error, f"document {doc_id}") from error


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
        "guard": _guard_figures(done.guarding),
    }


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
    """The sum of two documents' figures, key by key, keys sorted."""
    both: dict[str, Any] = {}
    for key in sorted({**total, **more}):
        left, right = total.get(key), more.get(key)
        if isinstance(left, dict) or isinstance(right, dict):
            both[key] = add_figures(left or {}, right or {})
        else:
            both[key] = (left or 0) + (right or 0)
    return both


def perform_all(tasks: Iterator[Task], factory: Factory, workers: int) -> Iterator[Entry]:
    """The entries of all tasks, in order.

    Args:
        factory: makes the pipeline, once per process; must be picklable.
        workers: 1 works in this process.
    """
    if workers > 1:
        yield from _in_processes(tasks, factory, workers)
        return
    with closing(factory()) as pipeline:
        for task in tasks:
            yield perform(task, pipeline)


def _in_processes(tasks: Iterator[Task], factory: Factory, workers: int) -> Iterator[Entry]:
    with _started(factory, workers) as lines:
        idle = list(lines)
        busy: list[_Line] = []
        ready: dict[int, Entry] = {}
        upcoming = next(tasks, None)
        expected = upcoming.number if upcoming else 0
        while upcoming or busy or ready:
            while upcoming and idle and upcoming.number - expected < LOOKAHEAD * workers:
                line = idle.pop()
                line.writer.send(upcoming)
                busy.append(line)
                upcoming = next(tasks, None)
            answering = wait([line.reader for line in busy])
            for line in [line for line in busy if line.reader in answering]:
                entry = _received(line.reader)
                ready[entry.number] = entry
                busy.remove(line)
                idle.append(line)
            while expected in ready:
                yield ready.pop(expected)
                expected += 1


class _Line(NamedTuple):
    """One end of what two processes speak through: two pipes, for a duplex one is a socket."""

    reader: Connection
    writer: Connection

    def close(self) -> None:
        self.reader.close()
        self.writer.close()


def _received(reader: Connection) -> Entry:
    try:
        answer = reader.recv()
    except (EOFError, ConnectionError):
        raise RunError(
            "a worker process died (killed, or out of memory)",
            remedy="Run again with --resume, and fewer --workers if memory is short.",
        ) from None
    if isinstance(answer, IntactError):
        raise answer
    assert isinstance(answer, Entry)
    return answer


@contextmanager
def _started(factory: Factory, workers: int) -> Iterator[list[_Line]]:
    context = get_context("spawn")
    processes = []
    lines: list[_Line] = []
    try:
        for _ in range(workers):
            tasks, orders = context.Pipe(duplex=False)
            answers, replies = context.Pipe(duplex=False)
            theirs = _Line(tasks, replies)
            process = context.Process(target=_serve, args=(theirs, factory), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            lines.append(_Line(answers, orders))
        yield lines
    finally:
        for line in lines:
            line.close()
        for process in processes:
            process.join(GRACE)
            process.terminate()
            process.join()


def _serve(line: _Line, factory: Factory) -> None:
    """A worker: answers tasks until its parent hangs up, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    try:
        with closing(factory()) as pipeline:
            while True:
                try:
                    answer: Entry | IntactError = perform(line.reader.recv(), pipeline)
                except IntactError as error:
                    answer = error
                line.writer.send(answer)
    except (EOFError, ConnectionError):
        return
    except IntactError as error:
        line.writer.send(error)
    except Exception as error:  # noqa: BLE001  (whatever it is, the parent has to hear of it)
        line.writer.send(InternalError.of(error, "starting a worker"))
