"""A folder as many jobs, one for each file, done in any order and anywhere, in the end one run.

Each file, a shard, is an ordinary job with a journal of its own; its manifest, the receipt, comes
last, so a shard is finished when its receipt stands and fits input and settings. Outputs appear
shard by shard. When all receipts stand, one manifest and one file of edits are made of them, the
same as those of a run in one process.

In an object store the same files stand under the same names: each machine works in a temporary
folder of its own, and what is finished is copied, the receipt last (``files.Store``).

The jobs are done in Ray actors (plain Ray Core): ``on_ray``.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from intact import __version__
from intact.errors import (
    ConfigError,
    IntactError,
    InternalError,
    ModelError,
    RunError,
    from_exception,
    require,
)
from intact.formats.outcome import EDITS_FOOTER, EDITS_HEADER, EDITS_SEPARATOR
from intact.run.files import AtomicFile, Ids, make_private_folder
from intact.run.job import (
    SHARDS,
    Job,
    Journal,
    Observer,
    Running,
    Summary,
    journal_of,
    load_manifest,
    run,
)
from intact.run.work import Factory, Performers, add_figures


@dataclass(slots=True)
class Shard:
    """The outcome of one file.

    Attributes:
        receipt: its manifest.
        warnings: what was said on the way; no text.
    """

    receipt: Mapping[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def advanced(self, read: int, size: int, spans: int, documents: int = 1) -> None:
        """See ``Observer``; told when the shard is done."""

    def skipped(self, error: IntactError | str) -> None:
        """See ``Observer``; stands in the receipt."""

    def warned(self, message: str) -> None:
        """See ``Observer``."""
        self.warnings.append(message)


Elsewhere = Callable[[Sequence[Job]], Iterator[tuple[int, Shard]]]
"""Does jobs in any order: yields the number of each with what came of it, or raises."""


def do_shard(job: Job, performers: Performers) -> Shard:
    """Return one file done, or its receipt if it was done before.

    Args:
        performers: what works on its documents; outlives it.

    Raises:
        IntactError: if it cannot be finished; what is finished of it stays in its journal.
    """
    done = Shard()
    with TemporaryDirectory(prefix="intact-") if job.store else nullcontext() as folder:
        if job.store and folder:  # its files lie below another folder, as they do in the store
            root = job.store.root
            job = replace(
                job,
                out=Path(folder) / job.out.relative_to(root),
                records=Path(folder) / job.run_folder.relative_to(root),
                edits=Path(folder) / job.edits.relative_to(root) if job.edits else None,
                store=replace(job.store, root=Path(folder)),
            )
        run(job, performers, done)
        done.receipt = load_manifest(job.manifest) or {}
    return done


def run_in_shards(job: Job, elsewhere: Elsewhere, observer: Observer) -> Summary:
    """Do ``job`` file by file.

    Raises:
        ConfigError: if it is not of a folder.
        IntactError: whatever a shard could not be finished for.
    """
    if not job.folder:
        raise ConfigError(
            "is one file, and what is shared out is the files of a folder",
            where=job.sources[0].name,
            remedy="Split it: intact convert FILE FOLDER --shards N",
        )
    with journal_of(job, _Receipts) as journal:
        return _RunOfShards(job, journal, observer, elsewhere).run()


class _Receipts(Journal):
    """The folder of the shards' receipts and journals."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.with_name(SHARDS))
        self._of_documents = Journal(path)

    def __len__(self) -> int:
        return int(self.path.exists())

    def clear(self) -> None:
        """Remove them from the disk."""
        self._of_documents.clear()


class _RunOfShards(Running):
    """A run whose files are done elsewhere."""

    def __init__(
        self, job: Job, journal: Journal, observer: Observer, elsewhere: Elsewhere
    ) -> None:
        super().__init__(job, journal, observer)
        self._elsewhere = elsewhere
        folder = journal.path
        self._jobs = [
            replace(
                job,
                sources=(source,),
                out=job.output(source),
                folder=False,
                edits=folder / f"{source.relative}.edits" if job.edits else None,
                workers=1,
                resume=True,
                records=folder / f"{source.relative}.run",
                shard=True,
            )
            for source in job.sources
        ]
        self._receipts: dict[int, Mapping[str, Any]] = {}

    def work(self) -> None:
        """Have the shards done, those anew whose documents came in an earlier file as well."""
        make_private_folder(self.journal.path)
        for one in self._jobs:
            make_private_folder(one.run_folder.parent)
        sizes = [source.size for source in self.job.sources]
        read = 0
        for number, done in self._elsewhere(self._jobs):
            self._receipts[number] = done.receipt
            for message in done.warnings:
                self.observer.warned(message)
            (file,), figures = done.receipt["input"], done.receipt["figures"]
            for message in file["failed"]:
                self.observer.skipped(message)
            read += sizes[number]
            self.observer.advanced(read, sum(sizes), figures.get("spans", 0), file["documents"])
        self._part_twins()
        for number in range(len(self._jobs)):
            self.figures = add_figures(self.figures, self._receipts[number]["figures"])

    def _part_twins(self) -> None:
        """Find ids that come in two files; leave the later document out, where that is wanted;
        raise ``DocumentError`` if there are any, and bad documents are not to be left out."""
        seen = Ids()
        again: dict[int, dict[str, str]] = {}
        for number, source in enumerate(self.job.sources):
            for doc_id in self._receipts[number]["input"][0].get("ids", ()):
                problem = seen.problem(doc_id, source.name)
                if problem is not None and not self.job.skip_bad:
                    raise problem
                if problem is not None:
                    again.setdefault(number, {})[doc_id] = seen.file(doc_id)
        numbers = list(again)
        for job in (self._jobs[number] for number in numbers):
            job.manifest.unlink(missing_ok=True)
            if job.store:
                job.store.remove(job.manifest)
        jobs = [replace(self._jobs[number], taken=again[number]) for number in numbers]
        for at, done in self._elsewhere(jobs) if jobs else ():
            number = numbers[at]
            before = {*self._receipts[number]["input"][0]["failed"]}
            self._receipts[number] = done.receipt
            for message in done.receipt["input"][0]["failed"]:
                if message not in before:
                    self.observer.skipped(message)

    def describe_files(self) -> Sequence[Mapping[str, Any]]:
        """See ``Running``."""
        files = (self._receipts[number]["input"][0] for number in range(len(self._jobs)))
        return [{key: value for key, value in file.items() if key != "ids"} for file in files]

    def publish(self) -> dict[str, str]:
        """Join the shards' edits and records; all else is at its place."""
        done: dict[str, str] = {}
        for number, job in enumerate(self._jobs):
            done |= self._receipts[number]["output"]
            if job.edits:
                done.pop(job.called(job.edits), None)
            if job.store:
                job.store.get(job.record)
                job.store.get(job.edits or job.record)
        records = [job.record for job in self._jobs if job.record.exists()]
        self.job.remove(self.job.record)
        if records:
            _join(records, self.job.record)
            self.job.copied(self.job.record)
        if self.job.edits is None:
            return done
        lines = [job.edits for job in self._jobs if job.edits is not None]
        sha256 = _join(lines, self.job.edits, EDITS_HEADER, EDITS_SEPARATOR, EDITS_FOOTER)
        return {self.job.called(self.job.edits): sha256} | done

    def _forget(self) -> None:
        super()._forget()
        if self.job.store:
            self.job.store.remove(self.journal.path)


def _join(
    parts: Sequence[Path], path: Path, header: str = "", separator: str = "", footer: str = ""
) -> str:
    """Make one file of several that begin, separate and end alike; its SHA-256."""
    file = AtomicFile(path)
    try:
        file.write(header)
        between = ""
        for part in parts:
            text = part.read_text("utf-8")
            lines = text[len(header) : len(text) - len(footer)]
            file.write(between + lines if lines else "")
            between = separator if lines else between
        file.write(footer)
        file.seal()
        file.publish()
    finally:
        file.discard()
    return file.sha256


Warn = Callable[[str], None]
TRIES = 3
"""How often a shard is tried whose worker dies, whose model server is away or whose disk fails."""
PATIENCE = 60.0
"""Seconds without any worker before it is said that the cluster has no room for one."""


def on_ray(
    jobs: Sequence[Job],
    factory: Factory,
    workers: int,
    address: str = "",
    at_once: int = 1,
    warn: Warn = lambda message: None,
) -> Iterator[tuple[int, Shard]]:
    """Do jobs in Ray actors, one at a time in each; an ``Elsewhere``.

    No exception leaves an actor, so that Ray's logs hold no text of one; what a dead worker was at
    is done by another, which goes on from the journal.

    Args:
        jobs: of ``run_in_shards``; their paths lead to the same files on every machine.
        workers: actors, each with one processor.
        address: of the cluster ("auto" is the one of this machine); "" starts one here.
        at_once: documents at work in an actor.

    Raises:
        MissingExtraError: if Ray is not installed.
        IntactError: whatever a shard could not be finished for; no further ones are begun.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = require("ray")
    address = address or os.environ.get("RAY_ADDRESS", "")
    ours = not ray.is_initialized()
    if ours:
        where = {"address": address} if address else {
            "num_cpus": workers, "include_dashboard": False, "object_store_memory": 100 << 20,
        }  # fmt: skip
        try:
            ray.init(log_to_driver=False, logging_level="error", **where)
        except Exception as error:  # noqa: BLE001  (what Ray raises if its start takes too long)
            raise RunError(
                f"Ray cannot be reached or started ({type(error).__name__})",
                where=address or "this machine",
                remedy="Is a cluster there (ray status)? See docs/cluster.md.",
            ) from None
    try:
        actor = ray.remote(num_cpus=1, max_restarts=0)(_Worker)
        start = partial(actor.remote, factory, at_once, str(Path.cwd()), __version__)
        yield from _scheduled(ray, start, jobs, min(workers, len(jobs)), warn)
    finally:
        if ours:
            ray.shutdown()


def _scheduled(
    ray: Any, start: Callable[[], Any], jobs: Sequence[Job], workers: int, warn: Warn
) -> Iterator[tuple[int, Shard]]:
    """Give each worker a job when it is ready, and the next when it has done one."""
    waiting, tries = deque(range(len(jobs))), Counter[int]()
    staff: list[Any] = []
    at_work: dict[Any, tuple[Any, int]] = {}  # -1: it is starting

    def hire() -> None:
        staff.append(start())
        at_work[staff[-1].ready.remote()] = staff[-1], -1

    try:
        for _ in range(workers):
            hire()
        left = len(jobs)
        while left:
            done, _ = ray.wait(list(at_work), timeout=PATIENCE)
            if not done and all(number < 0 for _, number in at_work.values()):
                warn("Ray has no processor free for any worker; still waiting")
            for ref in done:
                worker, number = at_work.pop(ref)
                answer, alive = _answer(ray, ref)
                if isinstance(answer, IntactError):
                    tries[number] += 1
                    again = isinstance(answer, ModelError | RunError) and tries[number] < TRIES
                    if not again:
                        raise answer
                    if number >= 0:
                        waiting.append(number)
                elif answer is not None:
                    left -= 1
                    yield number, answer
                if not alive:
                    hire()
                elif waiting:
                    number = waiting.popleft()
                    at_work[worker.do.remote(jobs[number])] = worker, number
    finally:
        for worker in staff:
            ray.kill(worker)


def _answer(ray: Any, ref: Any) -> tuple[Shard | IntactError | None, bool]:
    """Return what a worker answered, and whether it is still there."""
    try:
        return ray.get(ref), True
    except ray.exceptions.RayError as error:
        kind = type(error).__name__
        return RunError(
            f"a worker died (killed, out of memory, or with its machine: {kind})",
            remedy="Run again with --resume, and fewer --workers if memory is short.",
        ), False


class _Worker:
    """Does one job after the other with pipelines that it keeps. Raises nothing."""

    def __init__(self, factory: Factory, at_once: int, folder: str, version: str) -> None:
        self._version = version
        with suppress(OSError):  # relative paths are of the folder where the run was begun
            os.chdir(folder)
        self._performers = Performers(factory, at_once=at_once)

    def ready(self) -> RunError | None:
        """Return what speaks against working here, if anything."""
        if self._version == __version__:
            return None
        return RunError(
            f"a machine of the cluster has INTACT {__version__}, this one {self._version}",
            remedy="Install the same version on all.",
        )

    def do(self, job: Job) -> Shard | IntactError:
        """Return what came of a job, or what is wrong."""
        try:
            return do_shard(job, self._performers)
        except Exception as error:  # noqa: BLE001  (whatever is raised, Ray would log)
            failure = from_exception(error, job.sources[0].name)
            if isinstance(failure, InternalError):
                failure.details = ""  # it may quote a document
            return failure
