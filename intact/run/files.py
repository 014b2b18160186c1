"""Files: each input found and read once, each output written whole and readable by its owner only,
and conversions between formats."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from intact import errors
from intact.domain import DETECTED, Document
from intact.errors import ConfigError, DocumentError, InputError, RunError, reading, require
from intact.formats import base
from intact.formats.jsonl import JsonlFormat, other_fields
from intact.formats.mentions import OTHERS_MASK, Warn
from intact.formats.outcome import record_file, tab_object
from intact.protocols import Detection, Detector


def writing(what: Path) -> AbstractContextManager[None]:
    """Turn an ``OSError`` in the ``with`` block into a ``RunError`` that names the file and says
    that it "cannot be written", why, and what to do."""
    return errors.refused("cannot be written", what, RunError)


def make_private_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, with mode 0700. A folder that is there
    already keeps its mode."""
    with writing(path):
        for folder in (*reversed(path.parents), path):
            folder.mkdir(mode=0o700, exist_ok=True)


def make_own_folder(path: Path) -> None:
    """Make a private folder that will hold texts; a folder that is there already gets mode 0700,
    too.

    Raises:
        RunError: if somebody else could have prepared what is there: it is a link, no folder, or
            belongs to another user.
    """
    make_private_folder(path)
    with writing(path):
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise RunError("is a link or belongs to somebody else", where=path)
        path.chmod(0o700)


class AtomicFile:
    """A file that appears, whole, when it is published; mode 0600.

    Until then its content is in a hidden file beside it. A killed run leaves that behind, and the
    next run replaces it. It is always made anew, so nothing is ever written through a link or into
    another run's draft.
    """

    def __init__(self, path: Path) -> None:
        """Open a hidden file beside the path (".letter.txt.part"), empty and with mode 0600; one
        that a killed run left there is replaced.

        Raises:
            RunError: if it cannot be made, or a folder, a link or something else that is no regular
                file is at the path.
        """
        self.path = path
        self._draft = path.with_name(f".{path.name}.part")
        with writing(path):
            if path.is_symlink() or (path.exists() and not path.is_file()):
                special = "is no regular file, and is never replaced"
                raise RunError("is a folder" if path.is_dir() else special, where=path)
            self._draft.unlink(missing_ok=True)
            number = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(number, "wb")
            self._identity = os.fstat(number)

    def fill(self, content: str | bytes | Iterable[str | bytes]) -> None:
        """Write all of the content to the hidden file, sync it to the disk, close the file, and
        keep the SHA-256 of the content in ``sha256``: bytes, text (as UTF-8), or pieces of either,
        consumed lazily. Raise a ``RunError`` if it cannot be written; a full disk is an error here,
        not later."""
        done = hashlib.sha256()
        for piece in (content,) if isinstance(content, str | bytes) else content:
            data = piece.encode("utf-8") if isinstance(piece, str) else piece
            done.update(data)
            with writing(self.path):
                self._file.write(data)
        with writing(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        self.sha256 = done.hexdigest()

    def publish(self) -> None:
        """Move the filled file to its place, where it replaces one that is there. Raise a
        ``RunError`` if that is not possible, or if another run has meanwhile begun to write the
        same file."""
        if not self._ours():
            raise RunError("another run is writing the same file", where=self.path)
        with writing(self.path):
            self._draft.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def close(self) -> None:
        """Close and remove the hidden file. After ``publish``, or if another run has replaced it,
        there is nothing to remove."""
        with suppress(OSError):  # what could not be flushed is not wanted either
            self._file.close()
        if self._ours():
            self._draft.unlink()

    def _ours(self) -> bool:
        """Tell whether the hidden file is still there, and is the one that was begun here, not
        another run's of the same name."""
        with suppress(OSError):
            return os.path.samestat(self._draft.lstat(), self._identity)
        return False


def write_private(path: Path, content: str | bytes | Iterable[str | bytes]) -> None:
    """Write a file whole or not at all, readable by its owner only.

    Args:
        path: where; a file that is there is replaced, a link or a folder is not.
        content: bytes, text (written as UTF-8), or pieces of either, consumed lazily.

    Raises:
        RunError: if it cannot be written.
    """
    with closing(AtomicFile(path)) as file:
        file.fill(content)
        file.publish()


def check_writable(*paths: Path | None, into: Path | None = None, new: Iterable[str] = ()) -> None:
    """Check before the work that files can be written after it, and files in a folder. Whatever is
    there stays as it is, and nothing is left behind.

    Args:
        paths: of files; None is passed over.
        into: a folder, which need not exist yet.
        new: names of what will be written into that folder; none of them may be there already,
            because somebody may have filled in or changed what an earlier run wrote.

    Raises:
        RunError: for the first that cannot be written, or that is there already.
    """
    if into is not None:
        there = next(one for one in (into, *into.absolute().parents) if one.exists())
        if not there.is_dir():
            raise RunError("is a file, not a folder", where=there)
        for old in filter(Path.exists, map(into.joinpath, new)):
            raise RunError("is there already, and would be replaced", where=old)
        paths = (*paths, there / ".intact-writable")
    for path in filter(None, paths):
        AtomicFile(path).close()


def check_spared(read: Iterable[Path], out: Path) -> None:
    """Check that an output is none of the files and folders that are read, not even under another
    name (a link).

    Args:
        read: files and folders; they need not exist.
        out: a file or folder; it need not exist.

    Raises:
        InputError: for the first that would be replaced.
    """
    for one in read:
        if out.exists() and one.exists() and out.samefile(one):
            raise InputError("the output is the input", where=one)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read."""

    name: str  # in messages: "in/./a/x.txt" for "a/x.txt" in the folder "in"; see ``base.stem``
    relative: PurePosixPath  # its place under the input folder; without a folder its name
    format: base.Format
    place: Callable[[], Path | int]  # gives its path, or a file descriptor

    @property
    def status(self) -> os.stat_result:
        """The file's size and identity, asked of the system now. Raises an ``InputError`` if the
        file is gone."""
        with reading(self.name):
            return os.stat(self.place())  # noqa: PTH116  (a descriptor, too)

    @classmethod
    def of_file(cls, path: Path, kind: base.Format, folder: Path | None = None) -> SourceFile:
        """Make a source of a file on the disk. Its name in messages is its path, or "in/./a/x.txt"
        for "a/x.txt" in the folder "in".

        Args:
            path: of the file.
            kind: its format.
            folder: the input folder that it lies in; None if the file itself was named.
        """
        relative = PurePosixPath(path.relative_to(folder) if folder else path.name)
        name = f"{folder}/./{relative}" if len(relative.parts) > 1 else str(path)
        return cls(name, relative, kind, lambda: path)

    @classmethod
    def of_stream(cls, stream: BinaryIO, kind: base.Format | None = None) -> SourceFile:
        """Copy a stream that can be read only once to a nameless temporary file, and make a source
        of that, called "standard input".

        Args:
            stream: standard input.
            kind: its format; None decides by content.

        Raises:
            InputError: if there is no room for the copy.
        """
        copy = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the source)

        with errors.refused("cannot be copied to a temporary file", "standard input"):
            shutil.copyfileobj(stream, copy)
            copy.flush()
        kind = kind or base.by_content(copy)
        return cls("standard input", PurePosixPath("input"), kind, copy.fileno)


@dataclass
class SourceReading:
    """One pass over the documents of a file: ``done`` is the number of bytes read so far;
    ``sha256``, in hexadecimal, is there after the last document."""

    source: SourceFile
    done: int = 0
    sha256: str = ""

    def records(self) -> Iterator[base.Record | InputError]:
        """Yield the raw record of each document of the file, in order. What cannot be read gives an
        ``InputError`` in its place, yielded and not raised; one of the file itself is the last.
        Counts the bytes read in ``done``, and sets ``sha256`` at the end."""
        try:
            with opened(self.source) as handle:
                try:
                    for record in self.source.format.records(handle, self.source.name):
                        self.done = handle.tell()
                        yield record
                except InputError as error:
                    yield error
                handle.seek(0)
                self.sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
                self.done = handle.tell()
        except InputError as error:
            yield error


@contextmanager
def opened(source: SourceFile) -> Iterator[BufferedReader]:
    """Open the file of a source for reading bytes, at its beginning, for a ``with`` block. Raise an
    ``InputError`` if that fails."""
    place = source.place()
    with reading(source.name), open(place, "rb", closefd=isinstance(place, Path)) as file:
        file.seek(0)
        yield file


def hash_files(sources: Iterable[SourceFile], unread: Iterable[str] = ()) -> dict[str, str]:
    """Hash files. Return the SHA-256 of each, in hexadecimal, by its path in the input folder (its
    name, if it was named itself).

    Args:
        sources: those that are read; one that cannot be has "" for its hash.
        unread: paths of further files, which all have "".
    """
    hashes = dict.fromkeys((*(str(source.relative) for source in sources), *unread), "")
    for source in sources:
        with suppress(InputError), opened(source) as handle:
            hashes[str(source.relative)] = hashlib.file_digest(handle, "sha256").hexdigest()
    return hashes


def claim_id(doc_id: str, file: str, claimed: dict[str, str]) -> None:
    """Record which file a document's id belongs to; raise an error if another document has the same
    id.

    Args:
        doc_id: the document's id.
        file: the name of its file.
        claimed: names of files by id, so far; the id is added to it.

    Raises:
        DocumentError: if another document has the id.
    """
    if (other := claimed.get(doc_id)) is not None:
        place = f" (the other is in {other})" if other != file else ""
        raise DocumentError(f"there are two documents called {doc_id}{place}", where=file)
    claimed[doc_id] = file


Sources = Sequence[SourceFile]
Found = tuple[tuple[SourceFile, ...], list[str]]


def find(
    given: str,
    format_name: str | None,
    stream: BinaryIO | None,
    out: Path,
    columns: str = "",
    *,
    originals: bool = True,
) -> Found:
    """Find the files to read, each with its format. Return them, and the places of what a folder
    holds besides: files in no readable format, links out of the folder, and folders that cannot be
    opened, but nothing hidden or ``passed_over``. Both are sorted; for a single file or a stream
    the second is [].

    Args:
        given: a file or a folder; ignored where there is a ``stream``.
        format_name: the format; None chooses by suffix, then by content. Where a format is named,
            nobody expects files in another to be read, so only the folders that cannot be opened
            are listed.
        stream: standard input, or None.
        out: where the output is written; never taken as input.
        columns: names of the columns that hold text in tables, separated by commas; "" leaves the
            choice to the format.
        originals: whether outputs that state what was decided keep original texts and other fields.

    Raises:
        InputError: if there is nothing to read, or the output would replace the input.
        ConfigError: if there is no such format, or columns are named and no format has any.
        MissingExtraError: if a package that a format needs is missing.
    """
    kind = base.by_name(format_name) if format_name else None
    if str(out) == "-":
        raise InputError("the output cannot be the standard output")
    sources, unread = _at_path(given, kind, out, stream)
    if columns and not any(source.format.has_columns for source in sources):
        raise ConfigError("there is no table to read", where=f"--columns {columns}")
    for source in sources:
        form = source.format
        form.originals = originals
        if columns and form.has_columns:
            form.column = columns
        require(form.needs)
    return sources, unread


def _at_path(given: str, kind: base.Format | None, out: Path, stream: BinaryIO | None) -> Found:
    """Find the files to read: those of a stream or a file is one, those of a folder are all below
    it that a format reads. Return them, and the places in a folder that are not read.

    Args:
        given: the path; ignored where there is a ``stream``.
        kind: the format; None chooses it for each file.
        out: the output.
        stream: standard input, or None.

    Raises:
        InputError: if there is no such file or folder, or it is the output.
    """
    if stream:
        return (SourceFile.of_stream(stream, kind),), []
    path = Path(given)
    check_spared([path], out)
    if path.is_dir():
        return _in_folder(path, kind, out)
    if path.is_file():
        with reading(path), path.open("rb") as file:
            known = kind or base.by_suffix(path) or base.by_content(file)
        return (SourceFile.of_file(path, known),), []
    if path.exists():
        raise InputError("is neither a file nor a folder", where=given)
    raise InputError("there is no such file or folder", where=given)


def within(folder: Path, *passed: Path) -> Iterator[Path]:
    """Yield the paths of all files and folders below a folder, sorted, except what is hidden (a
    name that begins with a dot) and the folders of runs ("*.run"). A folder that cannot be opened
    is yielded without its content.

    Args:
        folder: where to look, at any depth.
        passed: outputs and the like, which are left out with all below them.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        found += (Path(place, name) for name in (*folders, *names))
        folders[:] = (name for name in folders if not _is_shut(Path(place, name)))
    for path in sorted(found, key=lambda path: path.relative_to(folder).as_posix()):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        above = {path, *path.parents}
        if not (hidden or above & {*passed} or any(one.suffix == ".run" for one in above)):
            yield path


def passed_over(folder: Path, out: Path) -> dict[Path, str]:
    """Find what in a folder is no document; return path -> why: "from an earlier run" for what such
    a run wrote there, "of an open document" for the lock files of office programs.

    Args:
        folder: the input; a file gives {}.
        out: the output of this run, which is not listed.
    """
    there = [*within(folder, out)]
    runs = (path for path in there if record_file(path).with_name("manifest.json").is_file())
    locks = (path for path in there if path.name.startswith("~$"))
    return dict.fromkeys(runs, "from an earlier run") | dict.fromkeys(locks, "of an open document")


def _format_of(path: Path, asked: base.Format | None) -> base.Format | None:
    """Choose the format by which a file of a folder is read; None if the file is not read.

    Without a format that was asked for it is that of the file's suffix. Else it is the one asked
    for, if the suffix is one of that format's, or if that format has no suffix of its own and the
    file is JSON."""
    own = base.by_suffix(path)
    if own is None or asked is None:
        return own
    shared = not asked.suffixes and isinstance(own, JsonlFormat)
    return asked if own.name == asked.name or shared else None


def _in_folder(folder: Path, kind: base.Format | None, out: Path) -> Found:
    """Find the files to read in a folder, at any depth, sorted. Return them, and the paths in the
    folder that are not read, each with the reason if it is a link out of the folder or a folder
    that cannot be opened; where a format was named, only such folders. If two files would give
    their documents the same id ("case.txt", "case.pdf"), the second one's suffix becomes a part of
    its id.

    Args:
        folder: the input.
        kind: the format that was named; None reads files in any.
        out: the output, which is passed over.

    Raises:
        InputError: if the folder cannot be opened, or holds nothing to read.
    """
    sources: list[SourceFile] = []
    unread: list[str] = []
    if _is_shut(folder):
        raise InputError("is a folder that cannot be opened", where=folder)
    for path in within(folder, out, *passed_over(folder, out)):
        form, shut, away = _format_of(path, kind), _is_shut(path), _leads_out(path, folder)
        if form and path.is_file() and not away:
            sources.append(SourceFile.of_file(path, form, folder))
        elif shut or (kind is None and (not path.is_dir() or path.is_symlink())):
            why = " (a link out of the folder)" * away + " (a folder that cannot be opened)" * shut
            unread.append(f"{path.relative_to(folder).as_posix()}{why}")
    if not sources:
        remedy = f"{base.UNREAD_REMEDY} Formats: {base.all_names()}; --format names one."
        raise InputError("the folder holds no documents", where=folder, remedy=remedy)
    known: set[str] = set()  # a second "case" is called "case.pdf"; the first one stays "case"
    for at, source in enumerate(sources):
        alone = not source.format.annotated and source.format.name != "mbox"
        if alone and base.stem(source.name) in known:
            sources[at] = replace(source, name=f"{folder}/././{source.relative}")
        known |= {base.stem(source.name)} if alone else set()
    return tuple(sources), unread


def beside(source: Path) -> Path:
    """Return the path of the output for an input file where the user named none:
    "in/letter.sanitized.txt" for "in/letter.txt". A format that is written as another one has that
    one's suffix."""
    kind = base.by_suffix(source)
    suffix = (kind.written_as if kind else "") or source.suffix
    return source.with_name(f"{source.stem}.sanitized{suffix}")


# How messages describe files in a folder that are not read.
SKIPPED = "skipped, in no readable format"


def _is_shut(path: Path) -> bool:
    """Tell whether a path is a folder that this process may not list or enter."""
    return path.is_dir() and not os.access(path, os.R_OK | os.X_OK)


def _leads_out(path: Path, folder: Path) -> bool:
    """Tell whether a path in a folder is a link to something outside it."""
    return path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())


# Hears of each document that is left out as it cannot be read; None: the first such ends all.
Skip = Callable[[InputError], None] | None
_OTHERS = "further annotators (--annotator all takes them together)"


def convert(
    sources: Sources, out: Path, target: base.Format, annotator: str, skip: Skip, warn: Warn
) -> Counter[str]:
    """Convert documents to another format, with their mentions, and write them to one file. Return
    how many there were: {"document": 3, "mention": 41}.

    Args:
        sources: files in any format.
        out: the file to write.
        target: its format.
        annotator: whose mentions: "first", "all" (the union) or a name.
        skip: hears of documents that cannot be read.
        warn: called with what is odd about a document, and with what the format has no room for.

    Raises:
        ConfigError: if the format cannot be written this way.
        InputError: if something cannot be read, and nobody hears of it.
        RunError: if something cannot be written. Then no file is left at ``out``.
    """
    done, losses = Counter[str](), base.Losses()

    def documents() -> Iterator[Document]:
        """Yield each document that can be read. Count it and its mentions in ``done``, and in
        ``losses`` what the target will not hold; warn of what is odd about it."""
        for source, record, loaded in load_documents(sources, annotator, skip):
            document = loaded.document
            done.update(document=1, mention=len(document.mentions))
            for told in (one for one in loaded.warnings if one != OTHERS_MASK):  # counted below
                warn(f"{source.name} ({document.id}): {told}")
            if isinstance(source.format, JsonlFormat):
                losses["further fields"] += len(other_fields(record.raw))
                if annotator != "all":
                    losses[_OTHERS] += len([*record.raw.get("annotations", ())][1:])
            yield document

    write_private(out, target.write(documents(), losses))
    for what, count in (+losses).items():
        warn(f"not kept in {target.name}: {what} ({count})")
    return done


def detect(
    sources: Sources, detector: Detector, skip: Skip, warn: Warn, *, whole: bool
) -> Iterator[tuple[Document, Detection]]:
    """Yield (document, detection) for each document, in order: the document has the mentions that
    the detector found in place of its own, and the detection has the evidence for them.

    Args:
        sources: files in any format.
        detector: reads each text.
        skip: hears of documents that cannot be read.
        warn: called with a message for each reason why the detector is unsure of a document.
        whole: refuse tables with columns that nobody chose, too.

    Raises:
        InputError: if something cannot be read, or an id comes twice, and nobody hears of it.
    """
    for _, _, loaded in load_documents(sources, "first", skip, whole=whole):
        document = loaded.document
        detection = detector.detect(document.text, document.kept)
        for note in detection.notes:
            warn(f"document {document.id}: unsure: {note}")
        yield replace(document, mentions=detection.mentions), detection


def as_tab(found: tuple[Document, Detection]) -> str:
    """Return a line of JSON for a document and what was detected in it: an object as in the Text
    Anonymization Benchmark (TAB), with one annotator, "intact". Each kind, score and list of
    sources is a further field of its mention; the notes are in ``notes``."""
    document, detection = found
    raw = tab_object(replace(document, annotator=DETECTED))
    own = raw["annotations"][DETECTED]["entity_mentions"]
    for mention, item in zip(own, detection.found, strict=True):
        mention |= {"edit_type": "insert", "confidential_status": "NOT_CONFIDENTIAL"}
        mention |= {"kind": item.kind, "score": item.score, "sources": list(item.sources)}
    beside = {"dataset_type": "", "meta": {}, "quality_checked": False, "task": ""}
    return base.to_json(raw | beside | {"notes": list(detection.notes)})


def load_documents(
    sources: Sources, annotator: str, skip: Skip = None, *, whole: bool = False
) -> Iterator[tuple[SourceFile, base.Record, base.Loaded]]:
    """Load the documents of several files in order. Yield each as (its file, its raw record, the
    document with warnings about it).

    Args:
        sources: the files.
        annotator: whose mentions: "first", "all" (the union) or a name.
        skip: hears of documents that cannot be read.
        whole: refuse tables with columns that nobody chose, too.

    Raises:
        InputError: at a document that cannot be read or whose id comes twice, if nobody hears of
            it.
    """
    claimed: dict[str, str] = {}
    for source in sources:
        for record in SourceReading(source).records():
            try:
                if isinstance(record, InputError):
                    raise record
                loaded = base.load_record(source.format, record, annotator, whole=whole)
                claim_id(loaded.document.id, source.name, claimed)
            except InputError as error:
                if skip is None:
                    raise
                skip(error)
            else:
                yield source, record, loaded
