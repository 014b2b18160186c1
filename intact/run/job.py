"""One run from input to output: survey, work, publish; or take up where another one stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from intact.errors import InputError, RunError
from intact.formats import edits
from intact.formats.base import Assembling
from intact.run import manifest as manifests
from intact.run.files import AtomicFile, make_own_folder, make_private_folder, writing
from intact.run.journal import Journal
from intact.run.source import FilePlan, Plan, SourceFile, opened, records, survey
from intact.run.work import Factory, Task, add_figures, perform_all


class Observer(Protocol):
    """Hears how a run goes. Nothing it hears contains document text."""

    def planned(self, documents: int, spans: int, done: int) -> None:
        """The work is known: so much in all, ``done`` documents are there from before."""

    def advanced(self, spans: int) -> None:
        """One more document is finished."""

    def warned(self, message: str) -> None:
        """Something is odd."""

    def skipped(self, error: InputError) -> None:
        """A document is left out."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to run.

    Attributes:
        out: the output file, or the output folder where ``folder``.
        folder: whether the input was a folder.
        edits: where to write the edits, if anywhere.
        detects: whether the pipeline finds mentions in documents that bring none.
        annotator: "first", "all" or a name.
        settings: the resolved configuration, as it goes into the manifest.
        parts: name -> version or hash of everything else the output depends on.
        keep_journal: keeps the journal, which holds the texts, after success.
    """

    sources: Sequence[SourceFile]
    out: Path
    folder: bool
    annotator: str
    settings: Mapping[str, Any]
    parts: Mapping[str, str] = field(default_factory=dict)
    edits: Path | None = None
    detects: bool = False
    workers: int = 1
    resume: bool = False
    skip_bad: bool = False
    keep_journal: bool = False

    @property
    def run_folder(self) -> Path:
        """Where journal and manifest lie: beside the output."""
        return self.out.with_name(f"{self.out.name}.run")

    @property
    def manifest(self) -> Path:
        """The manifest's file."""
        return self.run_folder / "manifest.json"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are named as outputs."""
        return tuple(path for path in (None if self.folder else self.out, self.edits) if path)


@dataclass(frozen=True, slots=True)
class Summary:
    """What came of a run.

    Attributes:
        figures: counts over all documents (see ``work.figures``).
        skipped: how many documents or files were left out.
        worked: False if everything was there already.
    """

    figures: Mapping[str, Any]
    skipped: int
    worked: bool = True


def run(job: Job, factory: Factory, observer: Observer) -> Summary:
    """Does ``job``; nothing is at its place before everything is done.

    Args:
        factory: makes the pipeline; picklable.

    Raises:
        InputError: if a document is not what it must be (unless ``skip_bad``).
        RunError: if something cannot be written or resumed.
    """
    _check(job)
    make_own_folder(job.run_folder)
    journal = Journal(job.run_folder / "journal.jsonl")
    try:
        return _run(job, factory, journal, observer)
    finally:
        _tidy(job, journal)
        journal.close()


def _run(job: Job, factory: Factory, journal: Journal, observer: Observer) -> Summary:
    for path in job.files:
        AtomicFile(path).discard()  # fails now, not after the work, where it cannot be written
    plan = survey(job.sources, job.annotator, skip_bad=job.skip_bad, warn=observer.warned)
    _check_places(job, plan)
    for error in plan.skipped:
        observer.skipped(error)
    if plan.skipped and not plan.documents:
        raise InputError("nothing of the input can be worked on")
    manifest = manifests.describe(
        plan,
        settings=job.settings,
        parts=job.parts,
        skip_bad=job.skip_bad,
    )
    old = manifests.load(job.manifest) if job.resume else None
    if old is not None:
        manifests.check_same(old, manifest, str(job.run_folder))
        if old["finished"] and _stands(job, plan, old):
            observer.planned(plan.documents, plan.spans, plan.documents)
            return Summary(old["figures"], len(plan.skipped), worked=False)
    else:
        if journal.clear():
            way_out = "its manifest is gone" if job.resume else "--resume would have taken it up"
            observer.warned(f"an earlier run left its journal; starting over ({way_out})")
        manifests.save(manifest, job.manifest)
    _work(job, plan, factory, journal, observer)
    summary = _publish(job, plan, journal, manifest)
    if not job.keep_journal:
        journal.clear()
    return summary


def _tidy(job: Job, journal: Journal) -> None:
    """Removes an empty journal and, where nothing was begun or finished, the run folder."""
    with writing(job.run_folder):
        if journal.path.stat().st_size:
            return
        journal.path.unlink()
        manifest = None
        with suppress(RunError):
            manifest = manifests.load(job.manifest)
        if manifest is not None and not manifest["finished"]:
            job.manifest.unlink()
        with suppress(OSError):
            job.run_folder.rmdir()


def _check(job: Job) -> None:
    """Fails at once where the end could not be reached."""
    unmarked = [source.name for source in job.sources if not source.format.annotated]
    if unmarked and not job.detects:
        raise InputError(
            "plain text has no annotated mentions, and nothing here detects them",
            where=unmarked[0],
            remedy="Give annotated documents: TAB's JSON or JSONL (see docs/tutorial.md).",
        )
    for source in job.sources:
        suffix = getattr(source.format, "written_as", job.out.suffix)
        if not job.folder and suffix != job.out.suffix:
            raise RunError(
                f"what is decided does not fit into {source.format.name}; it is written as JSONL",
                where=str(job.out),
                remedy=f"Call the output {job.out.stem}{suffix}.",
            )
    if job.folder and job.out.exists() and not job.out.is_dir():
        raise RunError("is a file, but the input is a folder", where=str(job.out))
    for path in job.files:
        if path.exists() and not path.is_file():
            raise RunError("is not a file that can be replaced", where=str(path))
        if not path.parent.is_dir():
            raise RunError("cannot be written, its folder is not there", where=str(path))
        if path.exists() and any(source.is_at(path) for source in job.sources):
            raise RunError("it would replace the input", where=str(path))


def _check_places(job: Job, plan: Plan) -> None:
    """Fails where two outputs would be one file."""
    paths = [path for _, path in _outputs(job, plan)] + ([job.edits] if job.edits else [])
    places = Counter(path.absolute() for path in paths)
    twice = next((path for path in paths if places[path.absolute()] > 1), None)
    if twice is not None:
        raise RunError(
            "two outputs would be the same file",
            where=str(twice),
            remedy="Choose another place for the edits, or rename an input.",
        )


def _work(job: Job, plan: Plan, factory: Factory, journal: Journal, observer: Observer) -> None:
    done = journal.recover()
    observer.planned(plan.documents, plan.spans, done)
    if done == plan.documents:
        return
    tasks = (
        Task(number, kind, record, job.annotator) for number, kind, record in records(plan, done)
    )
    for entry in perform_all(tasks, factory, min(job.workers, plan.documents - done)):
        journal.append(entry)
        for doubt in entry.doubts:
            observer.warned(f"document {entry.doc_id}: {doubt}")
        observer.advanced(entry.figures["spans"])
    journal.sync()


def _publish(job: Job, plan: Plan, journal: Journal, manifest: Mapping[str, Any]) -> Summary:
    """Makes the output files of the journal and puts all of them in place, then says so."""
    figures: dict[str, Any] = {}
    entries = journal.entries()
    paths = _outputs(job, plan)
    files: list[AtomicFile] = []
    try:
        edits_file = AtomicFile(job.edits) if job.edits else None
        if edits_file:
            files.append(edits_file)
            edits_file.write(edits.HEADER)
        between = ""

        def outputs(documents: int) -> Iterator[str]:
            nonlocal between, figures
            for entry in islice(entries, documents):
                if edits_file:
                    edits_file.write(between + entry.edits)
                    between = edits.SEPARATOR
                figures = add_figures(figures, entry.figures)
                yield entry.output

        for plan_file, path in paths:
            if job.folder:
                make_private_folder(path.parent)
            file = AtomicFile(path)
            files.append(file)
            for content in _content(plan_file, outputs(plan_file.documents)):
                file.write(content)
            file.seal()
        if edits_file:
            edits_file.write(edits.FOOTER)
            edits_file.seal()
        for file in files:
            file.publish()
    finally:
        for file in files:
            file.discard()
    hashes = {str(file.path): manifests.sha256(file.path) for file in files}
    manifests.save(manifests.finish(manifest, figures, hashes), job.manifest)
    return Summary(figures, len(plan.skipped))


def _content(file: FilePlan, outputs: Iterator[str]) -> Iterator[str | bytes]:
    """What an output file holds: the documents put together as its format does it."""
    kind = file.source.format
    if isinstance(kind, Assembling):
        with opened(file.source) as handle:
            yield from kind.assemble(handle, file.source.name, outputs)
        return
    yield kind.header
    for position, output in enumerate(outputs):
        yield (kind.separator if position else "") + output
    yield kind.footer


def _outputs(job: Job, plan: Plan) -> list[tuple[FilePlan, Path]]:
    """What is written, and where; nothing for a file of which nothing came through."""
    found = []
    for file in plan.files:
        kind, path = file.source.format, job.out
        if job.folder:
            path = job.out / file.source.relative
            suffix = getattr(kind, "written_as", "")
            path = path.with_name(path.name + suffix) if suffix else path
        if file.documents or file.whole:
            found.append((file, path))
    return found


def _stands(job: Job, plan: Plan, old: Mapping[str, Any]) -> bool:
    """Whether everything asked for was written by that run and is still as it was."""
    wanted = [*(path for _, path in _outputs(job, plan)), *([job.edits] if job.edits else [])]
    return all(
        str(path) in old["output"]
        and path.is_file()
        and manifests.sha256(path) == old["output"][str(path)]
        for path in wanted
    )
