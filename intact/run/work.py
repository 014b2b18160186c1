"""The work on single documents: each is sanitised, warned of and counted, in this process or in
several; results are in input order either way."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from intact import errors
from intact.config import Settings
from intact.domain import Doubts, SanitizedDocument, Source, Span
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.formats import base, mentions, outcome, pieces
from intact.processes import Service, WorkerProcess, cores
from intact.protocols import AGAIN, CUT, DRIFT, REDONE, UNBELIEVED, UNSURE

if TYPE_CHECKING:
    from intact.sanitizing import Pipeline

Factory = Callable[[], "Pipeline"]
Perform = Callable[[Any, "Pipeline"], Any]  # works on a task

TELLING_HEADING = "a heading, which goes out as it is, holds a word that was replaced"
UNSHOWN = "NONE"  # counts mentions whose words have no evidence; there should be none

# Names that outputs keep: ids of documents, places of files. No rule guesses which of them say who
# somebody is ("mark young, 1951" is ordinary words): all are reported except those that, by a small
# list of words, identify nobody.
_PAPERS = "|".join(vocabulary("texts")["papers"])
_WORDS = rf"(?:(?:{_PAPERS})s?|in(?:put)?|out(?:put)?|[ ._()-])*+"
# Names that identify nobody: such words, with at most one letter and four digits ("doc-1", "Page
# 2").
_PLAIN = rf"{_WORDS}[a-z]?{_WORDS}(?:\d{_WORDS}){{0,4}}"
_PLACE = rf"{_PLAIN}(?:/{_PLAIN})*"
_MADE = r"(?:-\d{1,8})?"  # what follows the name of the file in ids that INTACT made
_TOLD = "the output keeps names of the input, which may say who somebody is"
_REMEDIES = {"document id": "change the ids", "file name": "rename the file, or what has its name"}


@dataclass(frozen=True, slots=True)
class Entry:
    """The journal's entry for a finished document."""

    digest: bytes  # of the document as it was read; see ``Task.digest``
    doc_id: str
    output: str | bytes  # its part of the output file
    edits: str  # its line of the edits file
    figures: dict[str, Any]  # counts, no text
    messages: list[str] = field(default_factory=list)  # warnings for the user
    record: str = ""  # the decisions as a JSON line, where the output has no room for them
    doubts: tuple[float, list[str]] | None = None  # the rate probably missed, and what


@dataclass(frozen=True, slots=True)
class Task:
    """One document to work on, or the error with which it could not be read."""

    file: int  # number of its file in the run, from 0
    name: str  # of its file, for messages
    format: base.Format
    record: base.Record | errors.InputError
    annotator: str  # whose mentions; see ``load_record``
    read: int = 0  # bytes of the whole input read so far, with this document

    def digest(self) -> bytes:
        """Hash, to 16 bytes, all of the input that the document's result depends on: its record,
        format, annotator and the stem of its file's name. Raises the record's error if it is
        one."""
        if isinstance(self.record, errors.InputError):
            raise self.record

        def described(value: object) -> str:
            """Return what stands in the hash for a value that JSON does not know: the SHA-256 of
            bytes, else its ``repr``."""
            return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else repr(value)

        form = self.format
        kind = [form.name, form.column, form.originals, self.annotator, base.stem(self.name)]
        where, problem = self.record.where, "it is nested too deeply"
        with errors.loading(problem, where, kind=errors.FormatError):
            shown = json.dumps([*kind, self.record.raw], default=described)
        return hashlib.blake2b(shown.encode("ascii"), digest_size=16).digest()


def perform(task: Task, pipeline: Pipeline) -> Entry | errors.IntactError:
    """Sanitise one document. Return the journal's entry for it: its part of the output, its edits,
    figures, warnings and record. An error of this document alone is returned; one that stops the
    run is raised.

    Args:
        task: its record is no error.
        pipeline: does the work.

    Raises:
        IntactError: for what would fail with every document (a model that cannot be reached, a full
            disk).
    """
    record = task.record
    assert isinstance(record, base.Record)
    try:
        digest = task.digest()
        loaded = base.load_record(task.format, record, task.annotator, whole=True)
        loaded = mentions.check_types(loaded, f"{task.name}, document {loaded.document.id}")
    except errors.InputError as error:
        return error
    doc_id = loaded.document.id
    before = Counter(pipeline.usage())
    try:
        done = pipeline.sanitize(loaded.document)
    except Exception as error:
        failure = errors.from_exception(error, where := f"document {doc_id}")
        failure = failure.at(where) if failure is error else failure
        if isinstance(failure, errors.ContextError | errors.LanguageError | errors.InternalError):
            return failure
        raise failure from error
    headings = heading_warnings(done, loaded.document.kept)
    loaded = replace(loaded, warnings=(*loaded.warnings, *headings))
    telling = (UNSURE, DRIFT, AGAIN, CUT)
    messages = [*loaded.warnings, *(note for note in done.notes if note.startswith(telling))]
    named = filter(None, unchecked_names({doc_id: task.name}, [task.name])[:1])
    done = replace(done, notes=(*loaded.warnings, *named, *done.notes))
    tells, originals = task.format.tells, task.format.originals
    try:
        output = task.format.render(record, loaded, done)
        if tells and not originals:
            id_field = "doc_id" if "doc_id" in record.raw else "id"
            output = base.to_json(outcome.without_original(done, id_field))
    except errors.InputError as error:
        return error
    detected = not loaded.document.annotated and loaded.document.text.strip()
    counts = {"detected": int(bool(detected)), "originals": int(tells and originals)}
    facts = pipeline.glossary.count(done.document)
    used = {name: count - before[name] for name, count in pipeline.usage().items()}
    totals = figures(done) | counts | facts | {"model": used}
    edits = outcome.edits_line(doc_id, done.edits)
    record_line = "" if tells and originals else outcome.record_line(done)
    doubts = None if done.doubts is None else (done.doubts.rate, list(done.doubts.left))
    return Entry(digest, doc_id, output, edits, totals, messages, record_line, doubts)


def heading_warnings(done: SanitizedDocument, fixed: Iterable[Span]) -> tuple[str, ...]:
    """Return a warning, always the same text, if the document's headings hold a name or number that
    was replaced elsewhere (three characters or more, with a capital or digit), since no edit
    changes headings; () if none does. A heading that is also a line of the text, as a cell in a
    workbook is, does not count; it is edited there.

    Args:
        done: the document.
        fixed: spans of headings and names of fields in its text.
    """
    text = done.document.text
    named, cells = pieces.distinctive_words(text, done.edits), {*text.splitlines()}
    outside = {span.of(text) for span in fixed if span.of(text).rstrip(" :") not in cells}
    return (TELLING_HEADING,) if any(pieces.holds_any(each, named) for each in outside) else ()


def unchecked_names(ids: Mapping[str, str], files: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Find the ids of documents and paths of files that the output keeps and that may say who
    somebody is; names like "doc-1" or "Page 2" are passed over. Return a warning that counts them,
    and the list of them, ids first; "" and () if there are none.

    Args:
        ids: ids of documents, including those that INTACT made, each with the name of its file.
        files: names of the files, as messages have them.
    """
    rests = {one: one.removeprefix(base.stem(file)) for one, file in ids.items()}
    made = {one for one, rest in rests.items() if re.fullmatch(_MADE, rest)}
    own = [one for one in ids if one not in made and not re.fullmatch(_PLAIN, one.casefold())]
    places = (file.rpartition("/./" if "/./" in file else "/")[2] for file in files)
    bare = {place: place.casefold().removesuffix(base.common_suffix(place)) for place in places}
    odd = [place for place, one in bare.items() if not re.fullmatch(_PLACE, one)]
    counts = {thing: len(them) for thing, them in zip(_REMEDIES, (own, odd), strict=True) if them}
    shown = " and ".join(counted(count, thing) for thing, count in counts.items())
    remedies = "; ".join(_REMEDIES[thing] for thing in counts)
    return f"{_TOLD} ({remedies}): {shown}" if shown else "", (*own, *odd)


def figures(done: SanitizedDocument) -> dict[str, Any]:
    """Count what the manifest of a run has of one document. Return numbers, or counts by name
    ("spans": 12, "outcomes": {"SAFE": 9, "LABEL": 3}), without any text; ``add_figures`` sums them
    up."""
    masked = [mention for mention in done.document.mentions if mention.masked]
    ends = outcome.outcomes(done)
    labelled = Counter(m.entity_type for m in masked if ends[m.id] == outcome.LABEL)
    chosen = [*_chosen(done, ends)]
    dropped = [*(one.dropped for one in done.decisions), *(one.dropped for one in done.clues)]
    return {
        "documents": 1,
        "spans": len(masked),
        "spans_per_type": dict(Counter(m.entity_type for m in masked)),
        "labels_per_type": dict(labelled),
        "outcomes": dict(Counter(ends[m.id] for m in masked)),
        "rungs": dict(Counter(rung for rung, _ in chosen)),
        "evidence": dict(Counter(kind for _, kind in chosen)),
        "unbelieved": _noted(done, UNBELIEVED),
        "swept": sum(not r.mention_id for r in done.replacements),
        "dropped": sum(
            one.source == Source.MODEL for own in (*dropped, *done.dropped.values()) for one in own
        ),
        "words": len(done.document.text.split()),
        "words_changed": sum(len(e.span.of(done.document.text).split()) for e in done.edits),
        "unprotected_documents": {} if done.protected else {done.document.id: 1},
        **_decided(done),
        "unused": sum(n.startswith(DRIFT) and REDONE not in n for n in done.notes),
        "drifted": _noted(done, DRIFT),
        "doubtful": _noted(done, UNSURE),
    }


def _chosen(done: SanitizedDocument, ends: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (rank of the phrase as text, kind of evidence for it) for each mention that was
    replaced by a phrase, entity by entity; the kind is "NONE" where there is no evidence."""
    for decision in done.decisions:
        if decision.chosen is not None:
            rung = str(decision.ladder[decision.chosen].rank)
            kind = decision.evidence.kind if decision.evidence else UNSHOWN
            for mention in decision.entity.mentions:
                if ends[mention.id] != outcome.COVERED:
                    yield rung, kind


def _decided(done: SanitizedDocument) -> dict[str, Any]:
    """Count places that were decided on. Return {"decided": {id: places}, "clear": places}: for
    each decision of a person, by its id, and each line of the glossary ("glossary 3"), the places
    where it has the last word; and how many places the glossary keeps in clear. Places are
    mentions, and spans where something may have been missed."""
    places = {mention.span for mention in done.document.mentions}
    places.update(place.span for place in (done.doubts or Doubts()).places)
    taken, counts = set[Span](), Counter[str]()
    for key, one in [*done.decided.items()][::-1]:  # people's come after the glossary's
        counts[key] = len((one.spans & places) - (set() if one.beside else taken))
        taken |= set() if one.beside else one.spans
    lines = {f"{Source.GLOSSARY} {line}" for line in done.document.clear.values()}
    return {"decided": dict(+counts), "clear": sum(counts[line] for line in lines)}


def _noted(done: SanitizedDocument, kind: str) -> dict[str, int]:
    """Count the notes of a document that begin with ``kind``: {id of the document: count}; {} if
    there are none."""
    return dict(Counter(done.document.id for note in done.notes if note.startswith(kind)))


def add_figures(total: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Add up the figures of documents, key by key, and in nested dicts likewise. Return a new dict
    with its keys sorted; a key that only one of them has keeps its value.

    Args:
        total: of the documents so far; {} for none.
        more: of one more document: numbers, or dicts of figures in turn.
    """
    both: dict[str, Any] = {}
    for key in sorted({**total, **more}):
        left, right = total.get(key), more.get(key)
        nested = isinstance(left, dict) or isinstance(right, dict)
        both[key] = add_figures(left or {}, right or {}) if nested else (left or 0) + (right or 0)
    return both


def count_processes(settings: Settings, size: int) -> int:
    """Return how many processes a run is worth: one, and one more for each whole 200 kB of input,
    but no more than the cores, and than four, because each takes some 250 MB of memory and half a
    second to start. It is one with a language model, which takes nearly all of the time.

    Args:
        settings: of the run.
        size: bytes of its input.
    """
    return 1 if settings.has_model else min(4, 1 + size // 200_000, cores())


class _Sanitizing:
    """Performs tasks with a pipeline of its own; a ``Service``."""

    def __init__(self, factory: Factory, perform: Perform) -> None:
        """Make the pipeline."""
        self._pipeline = factory()
        self._perform = perform

    def __call__(self, task: Any) -> Any:
        return self._perform(task, self._pipeline)

    def close(self) -> None:
        """Free what the pipeline holds."""
        self._pipeline.close()


class Performers:
    """Performs tasks, several at a time; serves any number of runs until it is closed. The
    picklable ``factory`` makes a pipeline for each of ``processes`` processes or, if that is 1, for
    each of ``at_once`` threads."""

    def __init__(
        self, factory: Factory, processes: int = 1, at_once: int = 1, perform: Perform = perform
    ) -> None:
        """Keep the arguments, and make the threads if there is to be more than one; pipelines are
        made at their first task."""
        self._service: Callable[[], Service] = partial(_Sanitizing, factory, perform)
        self._alone = processes > 1
        self.size = processes if processes > 1 else at_once
        self._own = threading.local()
        self._made: list[Service] = []
        self._threads = ThreadPoolExecutor(self.size) if self.size > 1 else None

    def begin(self, task: Any) -> Callable[[], Any]:
        """Begin a task. Return a function that waits for its result and returns it, or raises an
        error that stops the run. With one process and thread, the task is done only when that
        function is called."""
        work = partial(self._perform, task)
        return work if self._threads is None else self._threads.submit(work).result

    def _perform(self, task: Any) -> Any:
        """Perform a task with the calling thread's own pipeline or process, which is made at its
        first task; return the result."""
        if not hasattr(self._own, "service"):
            self._own.service = WorkerProcess(self._service) if self._alone else self._service()
            self._made.append(self._own.service)
        return self._own.service(task)

    def close(self) -> None:
        """Free what the pipelines hold and end the processes; tasks that have not begun are
        dropped, and processes at work are killed after a second."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        for service in self._made:
            if isinstance(service, WorkerProcess):
                service.hang_up()
        for service in self._made:  # a thread may be making another one at this moment
            service.close()
            if service is self._made[-1] and self._threads is not None:
                self._threads.shutdown()


def shared_out(settings: Settings, processes: int) -> tuple[Settings, int]:
    """Share a server's ``model.parallel`` (answers at a time) among processes, and each share among
    the documents that a process works on at once, as many as the whole square root of the share.
    Return the settings, in which ``model.parallel`` is what one document may ask for, and that
    number of documents: 16 for one process gives 4 and 4.

    Args:
        settings: of the run; unless the model is a server's they are returned unchanged, with 1.
        processes: how many share.
    """
    if settings.model.backend != "openai" or not settings.model.shown:
        return settings, 1
    share = max(1, settings.model.parallel // processes)
    documents = math.isqrt(share)
    model = settings.model.model_copy(update={"parallel": share // documents})
    return settings.model_copy(update={"model": model}), documents
