"""One run from input to output: one pass over the input, then all files put in place at once.

The journal holds what is finished, so a run that stopped at any moment can be resumed from there.
The manifest states what was asked for, the settings and parts it was made with, and the outcome,
without any text of a document.
"""

import json
import os
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from intact import __version__
from intact.config import Settings
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.errors import InputError, IntactError, RunError, loading
from intact.formats import base
from intact.formats.outcome import EDITS, record_file
from intact.run import files
from intact.run.files import SourceFile
from intact.run.journal import Journal, only_run
from intact.run.work import Entry, Performers, Task, add_figures, unchecked_names
from intact.shipped import sha256

_LOOKAHEAD = 4  # documents, for each one at work, that are read ahead of the one waited for
_MUST_AGREE: Mapping[str, str] = vocabulary("texts")["must_agree"]
_NUMBERED = r"PERSON[_ ]\d|\b[Tt]he first person\b"  # a label of INTACT's own, in any style


class Observer:
    """Hears how a run progresses, without any text of a document. This one ignores everything."""

    def advanced(self, read: int, size: int, spans: int) -> None:
        """Hear that one more document is finished; this method does nothing.

        Args:
            read: bytes of the input read so far.
            size: bytes of the whole input.
            spans: number of masked mentions in this document.
        """

    def warned(self, message: str) -> None:
        """Hear a warning; the same one may come again. This method does nothing."""

    def skipped(self, error: IntactError) -> None:
        """Hear that a document is left out, and the error for which it is. This method does
        nothing."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run to be done."""

    sources: Sequence[SourceFile]
    out: Path  # the output file, or the output folder where the input was a ``folder``
    folder: bool
    settings: Settings
    parts: Mapping[str, str] = field(default_factory=dict)  # signatures of all else that decides
    edits: Path | None = None  # the edits file
    certificate: Path | None = None  # the page about the run, which is written after it
    decisions: Path | None = None  # people's; no output replaces them, nor the glossary
    glossary: Path | None = None  # that a review adds to; it need not be there yet
    resume: bool = False  # take up the run that stopped here
    lasting: bool = True  # False where nobody could resume it: its journal's file has no name
    skip_bad: bool = False  # leave out documents that cannot be read, instead of stopping
    unread: Sequence[str] = ()  # files of the input folder that no format reads
    lost: Sequence[str] = ()  # decisions about documents that the input lacks; holds no text
    check: Callable[[Mapping[str, str]], None] | None = None  # gets the input's hashes, may raise

    @property
    def record(self) -> Path:
        """The file in the run folder that states the decisions where an output has no room for
        them; it holds original text."""
        return record_file(self.out)

    @property
    def size(self) -> int:
        """The bytes of the whole input, asked of the system now."""
        return sum(source.status.st_size for source in self.sources)

    @property
    def run_folder(self) -> Path:
        """The folder of the run's journal, manifest and record."""
        return self.record.parent

    @property
    def manifest(self) -> Path:
        """The path of the manifest in the run folder."""
        return self.run_folder / "manifest.json"

    @property
    def files(self) -> tuple[Path, ...]:
        """The outputs that were named as files, in this order: the output (not a folder), the edits
        file, the certificate. Their folders have to exist."""
        out = None if self.folder else self.out
        return tuple(filter(None, (out, self.edits, self.certificate)))

    def output(self, source: SourceFile) -> Path:
        """Return the path of the output for the documents of an input file. It is ``out`` itself,
        or if that is a folder, the input file's place in it, with the suffix that its format adds
        ("a/x.pdf.txt")."""
        if not self.folder:
            return self.out
        path = self.out / source.relative
        return path.with_name(path.name + source.format.written_as)

    def tells_name(self, source: SourceFile, ids: Iterable[str]) -> bool:
        """Tell whether an output, or a document's id in one, repeats the name of an input file;
        True for an output folder, whose files are named after those of the input.

        Args:
            source: the input file.
            ids: of the documents that are written.
        """
        alike = Path(source.name).stem.casefold() in self.out.name.casefold()
        told = ids if self.edits or source.format.tells else ()
        return alike or self.folder or any(one.startswith(base.stem(source.name)) for one in told)


Manifest = Mapping[str, Any]


def run(job: Job, performers: Performers, observer: Observer) -> Manifest:
    """Do a job: one pass over the input, then all outputs put in place at once. Return the manifest
    of the run, with one key more, ``worked``: False if all outputs were there already. Warn of
    files in the output folder that this run did not write.

    Args:
        job: what is asked for.
        performers: work on documents, in this process, in several, or on a cluster.
        observer: hears how it progresses.

    Raises:
        InputError: if a document cannot be read (unless ``skip_bad``), or there is none at all.
        RunError: if something cannot be written or resumed, or an output would replace a file that
            people decided on or changed.
    """
    check_job(job)
    old = load_manifest(job.manifest) if job.out.exists() else None
    if old is not None and "decisions" in old["parts"] and "decisions" not in job.parts:
        problem = "people decided on it, and it would be replaced without their decisions"
        raise RunError(problem, where=job.out)
    if old is not None and old["finished"] and job.check is None:  # else a person is asked
        there, written = filter(Path.is_file, map(job.output, job.sources)), old["output"].values()
        for path in (one for one in there if sha256(one) not in written):
            raise RunError("it is not what the last run wrote", where=path)
    with _locked_journal(job) as journal:
        done = _Run(job, journal, observer, performers).run()
    written = {*map(Path, done["output"])}
    others = files.within(job.out, job.run_folder) if job.folder else ()
    if names := [str(one) for one in others if one.is_file() and one not in written]:
        said = f"in the output, but not written by this run: {counted(len(names), 'file')}"
        observer.warned(f"{said}: {base.listed(names, width=None)}")
    return done


@contextmanager
def _locked_journal(job: Job) -> Iterator[Journal]:
    """Open the run's journal, locked against other runs, for a ``with`` block, and close it at the
    end. If nothing was put in it, also remove the run folder, if that is empty, and the manifest of
    a run that was not finished."""
    files.make_own_folder(job.run_folder)
    with only_run(job.run_folder):
        journal = Journal(job.run_folder / "journal.sqlite", named=job.lasting)
        try:
            yield journal
        finally:
            journal.close()
            if not journal.path.exists():  # nothing was begun
                with suppress(RunError), files.writing(job.run_folder):
                    manifest = load_manifest(job.manifest)
                    if manifest is not None and not manifest["finished"]:
                        job.manifest.unlink()
                with suppress(OSError):
                    job.run_folder.rmdir()


def check_job(job: Job) -> None:
    """Raise a ``RunError`` now if outputs could not be written at the end: a wrong suffix, a file
    where a folder is needed, a missing folder, two files at one place, or one that would replace an
    input, people's decisions or their glossary."""
    for source in () if job.folder else job.sources:
        _check_suffix(source, job.out)
    if job.folder and job.out.exists() and not job.out.is_dir():
        raise RunError("is a file, but the input is a folder", where=job.out)
    named = [*job.files, *filter(None, (job.decisions, job.glossary))]
    for path in named:
        if not path.parent.is_dir():
            raise RunError(f"there is no folder {path.parent}: create it first", where=path)
        if path.exists() and any(os.path.samestat(one.status, path.stat()) for one in job.sources):
            raise RunError("it would replace the input", where=path)
    paths = [*(map(job.output, job.sources) if job.folder else ()), *named]
    places = Counter(path.absolute() for path in paths)
    for twice in (path for path in paths if places[path.absolute()] > 1):
        raise RunError("two files of the run would be the same", where=twice)


def _check_suffix(source: SourceFile, out: Path) -> None:
    """Raise a ``RunError`` if an output file is a folder, or has the suffix of a format other than
    the one that the documents of its input are written in.

    Args:
        source: the input file.
        out: its output.
    """
    form, given, named = source.format, out.suffix.lower(), base.by_suffix(out)
    suffix = form.written_as or next(iter(form.suffixes), given)
    own = f"{source.relative.stem}.sanitized{suffix}"
    if out.is_dir():
        problem = "is a folder, but the input is a file"
        raise RunError(problem, where=out, remedy=f"Name a file: {out / own}.")
    both_text = isinstance(form, base.TextFormat) and isinstance(named, base.TextFormat)
    kept = given in (*form.suffixes, source.relative.suffix.lower()) or both_text
    if suffix != given if form.written_as else named is not None and not kept:
        problem = f"input in the format {form.name} is written as {suffix}"
        name = own if out.stem == source.relative.stem else out.stem + suffix  # not the input's
        raise RunError(problem, where=out, remedy=f"Call the output {name}.")


@dataclass
class _FileOfRun(files.SourceReading):
    """One input file, and the results for its documents, in order."""

    entries: list[Entry] = field(default_factory=list)  # without what is large
    numbered: bool = False  # whether a label in it numbers a person; each document counts from 1
    failed: list[str] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """Return the file's entry in the manifest: its path, format, SHA-256, counts of documents
        and of skipped ones, the errors of these, and warnings and doubts by document id."""
        source = self.source
        fields: dict[str, Any] = {"file": str(source.relative), "format": source.format.name}
        fields |= {"sha256": self.sha256, "documents": len(self.entries)}
        fields |= {"skipped": len(self.failed), "failed": self.failed}
        fields["warnings"] = {one.doc_id: one.messages for one in self.entries if one.messages}
        return fields | {"doubts": {one.doc_id: one.doubts for one in self.entries if one.doubts}}


class _Run:
    """A run that is begun or resumed, and finished with a manifest."""

    def __init__(
        self, job: Job, journal: Journal, observer: Observer, performers: Performers
    ) -> None:
        """Keep the arguments, and begin a list of results for each input file; nothing is read
        yet."""
        self.job, self.journal, self.observer = job, journal, observer
        self.figures: dict[str, Any] = {}
        self.unchecked = ""
        self._performers = performers
        self._files = [_FileOfRun(source) for source in job.sources]

    def run(self) -> dict[str, Any]:
        """Do the job: work on the input, write the outputs and the manifest, and clear the journal.
        Return the manifest with ``worked`` True. If all outputs of the run that is resumed are
        still right, only clear the journal, and return its manifest with ``worked`` False."""
        job = self.job
        files.check_writable(*job.files)
        begun: dict[str, Any] = {"version": __version__, "settings": job.settings.decisive}
        kept = any(one.format.originals for one in job.sources)
        parts = {**job.parts, **({} if kept else {"original": "left out"})}
        begun |= {"parts": dict(sorted(parts.items())), "finished": False}
        old = self._earlier(begun)
        if old is not None and old["finished"] and self._stands(old):
            self.journal.clear()
            return old | {"worked": False}
        _save(begun, job)
        self._work()
        if job.check is not None:
            now = {str(f.source.relative): f.sha256 for f in self._files}
            job.check(now | dict.fromkeys(job.unread, ""))
        described = [file.describe() for file in self._files]
        skipped = sum(file["skipped"] for file in described)
        if skipped and not any(file["documents"] for file in described):
            raise InputError("nothing of the input can be worked on")
        begun |= {"input": described, "unread": [*job.unread], "lost": [*job.lost]}
        begun |= {"skip_bad": job.skip_bad, "figures": self.figures, "unchecked": self.unchecked}
        begun |= {"finished": True, "skipped": skipped, "output": self._publish()}
        _save(begun, job)
        self.journal.clear()
        return begun | {"worked": True}

    def _earlier(self, begun: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the manifest of an earlier run in this folder if it is to be resumed; None if it
        is not, or there is none. Warn if an earlier run stopped here and its results are taken up
        all the same.

        The journal keeps the documents that are finished, except after a finished run that is not
        to be resumed, when it is cleared. Raise a ``RunError`` if the earlier run was made with
        other settings or parts, or its manifest is gone.

        Args:
            begun: the manifest of this run so far.
        """
        job, folder, old = self.job, str(self.job.run_folder), None
        with nullcontext() if job.resume else suppress(RunError):
            old = load_manifest(job.manifest)
        if not job.resume and (
            (old is not None and old["finished"]) or not self.journal.path.exists()
        ):
            self.journal.clear()
            return None
        if old is not None:
            same = {key for key in begun if json.dumps(old.get(key)) == json.dumps(begun[key])}
            if changed := [name for key, name in _MUST_AGREE.items() if key not in same]:
                problem = f"cannot resume: {' and '.join(changed)} changed since the run began"
                raise RunError(problem, where=folder)
        elif self.journal.path.exists():
            why = "cannot be taken up because its manifest is gone"
            raise RunError(f"an earlier run stopped here, and {why}", where=folder)
        if not job.resume:
            self.observer.warned("an earlier run stopped here; what did not change is taken up")
        return old if job.resume else None

    def _stands(self, old: Mapping[str, Any]) -> bool:
        """Tell whether all outputs that are asked for are still as a finished run wrote them, and
        none of its documents was left out that now has to be worked on. Raise a ``RunError`` if the
        input has changed since.

        Args:
            old: the manifest of that run.
        """
        job = self.job
        if files.hash_files(job.sources) != {one["file"]: one["sha256"] for one in old["input"]}:
            problem = "cannot resume: the input changed since the run ended"
            raise RunError(problem, where=job.run_folder)
        asked = job.edits is None or str(job.edits) in old["output"]
        if not asked or (old["skipped"] and not job.skip_bad):
            return False
        written = ((Path(name), one) for name, one in old["output"].items())
        return all(path.is_file() and sha256(path) == one for path, one in written)

    def _work(self) -> None:
        """Work through the input once: put the result of each document in the journal, and without
        its texts in its file's list, sum up the figures, and warn at the end. An error of a
        document is raised, or with ``skip_bad`` listed and reported."""
        job = self.job
        size, claimed = job.size, dict[str, str]()
        for task, result in self._begun():
            answer = result()
            file = self._files[task.file]
            try:
                if isinstance(answer, IntactError):
                    raise answer
                files.claim_id(answer.doc_id, task.name, claimed)
            except IntactError as error:
                if not job.skip_bad:
                    raise
                file.failed.append(str(error))
                self.observer.skipped(error)
                continue
            self.journal.append(answer)
            file.entries.append(replace(answer, output="", edits="", figures={}, record=""))
            file.numbered |= bool(re.search(_NUMBERED, answer.edits))
            self.figures = add_figures(self.figures, answer.figures)
            self.observer.advanced(task.read, size, answer.figures["spans"])

        self._warn(claimed)

    def _warn(self, claimed: Mapping[str, str]) -> None:
        """Give the observer each warning once, with the documents that it is about: names that the
        outputs keep, persons numbered anew in each document, files without documents, and warnings
        of documents.

        Args:
            claimed: names of files by the ids of the documents that were finished.
        """
        written = (file.source for file in self._files if file.entries or not file.failed)
        told = (source.name for source in written if self.job.tells_name(source, claimed))
        self.unchecked, names = unchecked_names(claimed, told)
        if names:
            self.observer.warned(f"{self.unchecked} ({base.listed(names, width=None)})")
        glossary = self.job.settings.generation.glossary
        if sum(file.numbered for file in self._files) > 1 and not glossary:
            self.observer.warned(vocabulary("texts")["told"]["people"])
        for file in self._files:
            if not (file.entries or file.failed):
                self.observer.warned(f"{file.source.name}: it holds no documents")
        about = defaultdict(list)
        for entry in chain(*(file.entries for file in self._files)):
            for message in entry.messages:
                about[message].append(entry.doc_id)
        for message, ids in about.items():
            where = base.listed(ids, most=5) if ids[1:] else f"{claimed[ids[0]]} ({ids[0]})"
            self.observer.warned(f"{where}: {message}")

    def _tasks(self) -> Iterator[Task]:
        """Yield a task for each document of the input in order; the task of one that cannot be read
        has the error in place of its record."""
        job, before = self.job, 0
        annotator = job.settings.run.annotator
        for number, file in enumerate(self._files):
            name, kind = file.source.name, file.source.format
            for record in file.records():
                yield Task(number, name, kind, record, annotator, before + file.done)
            before += file.done

    def _begun(self) -> Iterator[tuple[Task, Callable[[], Entry | IntactError]]]:
        """Begin the tasks in order, several ahead of the one yielded. Yield each task, in order, as
        (task, a function that waits for its result and returns it, or returns the error of its
        document). A task whose result is in the journal is not begun: its function returns that."""
        performers = self._performers
        ahead = _LOOKAHEAD * performers.size if performers.size > 1 else 0
        waiting: deque[tuple[Task, Callable[[], Entry | IntactError]]] = deque()
        for task in self._tasks():
            try:
                known = self.journal.find(task.digest())
                done = performers.begin(task) if known is None else partial(lambda one: one, known)
            except InputError as error:
                done = partial(lambda one: one, error)
            waiting.append((task, done))
            if len(waiting) > ahead:
                yield waiting.popleft()
        yield from waiting

    def _publish(self) -> dict[str, str]:
        """Write the output files from the journal, and only when all are written put them in place.
        Return the SHA-256 of each, in hexadecimal, by its path; the record of decisions is not
        among them, and is removed if it is empty."""
        job, drafts = self.job, list[files.AtomicFile]()

        def finished(some: Iterable[_FileOfRun] = self._files) -> Iterator[Entry]:
            """Yield the results of some files' documents from the journal, in order."""
            return (self.journal.finished(one.digest) for file in some for one in file.entries)

        with ExitStack() as discarded:

            def draft(path: Path, content: Iterable[str | bytes]) -> None:
                """Write an output to a hidden file, and add it to those that are put in place
                later.

                Args:
                    path: its place.
                    content: consumed at once.
                """
                drafts.append(discarded.enter_context(closing(files.AtomicFile(path))))
                drafts[-1].fill(content)

            if job.edits:
                draft(job.edits, EDITS.assemble((one.edits for one in finished()), BytesIO(), ""))
            for file in self._files:
                if file.failed and not file.entries:  # nothing of it came through
                    continue
                path, form = job.output(file.source), file.source.format
                files.make_private_folder(path.parent)
                own = (one.output for one in finished([file]))
                with files.opened(file.source) as handle:
                    draft(path, form.assemble(own, handle, file.source.name))
            told = finished() if job.settings.run.keep_record else ()
            draft(job.record, (f"{one.record}\n" for one in told if one.record))
            for each in drafts:
                each.publish()
            with files.writing(job.record):
                if not job.record.stat().st_size:
                    job.record.unlink()
        return {str(each.path): each.sha256 for each in drafts[:-1]}


def _save(manifest: Mapping[str, Any], job: Job) -> None:
    """Write a manifest to the run folder of a job as JSON, in place of the one that is there."""
    files.write_private(job.manifest, json.dumps(manifest, indent=2, ensure_ascii=True) + "\n")


def load_manifest(path: Path) -> dict[str, Any] | None:
    """Load the manifest of a run, a JSON object; None if the file is not there. Raise a
    ``RunError`` if it is damaged."""
    if not path.exists():
        return None
    with loading("the manifest is damaged", path, kind=RunError):
        manifest: dict[str, Any] = json.loads(path.read_bytes())
        wanted = {"figures": dict, "output": dict, "input": list, "skipped": int}
        wanted = {"finished": bool} | (wanted if manifest["finished"] else {})
        if not all(isinstance(manifest[key], kind) for key, kind in wanted.items()):
            raise TypeError
    return manifest
