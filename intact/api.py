"""The names that ``import intact`` offers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, overload

from intact.config import Config, load_settings
from intact.domain import Document, SanitizedDocument
from intact.errors import ConfigError, InputError, LanguageError
from intact.formats import base
from intact.pipeline import Components, build_detector, build_pipeline
from intact.protocols import Detection
from intact.run.files import claim_id, find, load_documents, write_private


class Sanitizer(AbstractContextManager["Sanitizer"]):
    """A pipeline that is kept for many texts. Close it when done, best by ``with``.

    >>> with Sanitizer("strict") as sanitizer:
    ...     print(sanitizer.sanitize("Ann Lee was born on 3 May 1971.").text)
    PERSON_1 was born in the early 1970s.

    Args:
        config: a preset's name ("strict"), a TOML file, ready settings, or None.
        overrides: settings on top, such as ``"attack.max_risk=0.3"``; not with ready settings.
        allow_remote: whether ``model.url`` may point to another machine; see ``load_settings``.

    Raises:
        ConfigError: for a wrong configuration.
        ResourceError: if the knowledge base cannot be opened.
        ModelError: if the language model cannot be loaded.
    """

    def __init__(
        self, config: Config = None, overrides: Sequence[str] = (), *, allow_remote: bool = False
    ) -> None:
        self.settings = load_settings(config, overrides, allow_remote=allow_remote)
        self._pipeline = build_pipeline(self.settings)

    def sanitize(self, document: Document | str, doc_id: str = "text") -> SanitizedDocument:
        """Sanitise one text or document. Return the document with its edits, replacements,
        decisions and notes; its ``text`` is the sanitised text.

        Args:
            document: a string is raw text. Its mentions are detected first, and so are those of a
                ``Document`` that is not ``annotated``; the notes then say so.
            doc_id: the id of the document made from a raw text.

        Raises:
            InputError: if it is neither; a ``DocumentError`` for a string longer than 16 Mi
                characters or with half a surrogate pair.
            LanguageError: if it is not in English and the settings take nothing else.
            ModelError: if a language model is set and fails.
        """
        if isinstance(document, str):
            document = Document(doc_id, base.check_text(document, doc_id)[0], (), annotated=False)
        if not isinstance(document, Document):
            given = type(document).__name__
            raise InputError(f"{given} is neither a text nor a Document", where=doc_id)
        try:
            return self._pipeline.sanitize(document)
        except LanguageError as error:
            raise error.at(document.id) from None

    def detect(self, text: str) -> Detection:
        """Detect the personal information in a text: return the mentions in text order, each with
        its kind, score and detectors; notes on why the detectors are unsure; and an estimate of the
        mentions that were missed. A text in another language than English is not refused: a note
        says so.

        Raises:
            DocumentError: if it is no string, is longer than 16 Mi characters, or holds half a
                surrogate pair.
            MissingExtraError: if a package that a detector needs is not installed.
        """
        return self._pipeline.detect(base.check_text(text, "text")[0])

    def close(self) -> None:
        """Free what the pipeline holds (a language model's process). Calling it twice does no
        harm."""
        self._pipeline.close()

    def __exit__(self, *_error: object) -> None:
        self.close()


@overload
def sanitize(  # type: ignore[overload-overlap]  # a string is an iterable of strings, too
    documents: Document | str,
    config: Config = ...,
    overrides: Sequence[str] = ...,
    *,
    allow_remote: bool = ...,
) -> SanitizedDocument: ...


@overload
def sanitize(
    documents: Iterable[Document | str],
    config: Config = ...,
    overrides: Sequence[str] = ...,
    *,
    allow_remote: bool = ...,
) -> Iterator[SanitizedDocument]: ...


def sanitize(
    documents: Document | str | Iterable[Document | str],
    config: Config = None,
    overrides: Sequence[str] = (),
    *,
    allow_remote: bool = False,
) -> SanitizedDocument | Iterator[SanitizedDocument]:
    """Sanitise one text or document, or many, one at a time, as they are asked for. Return each
    document with its edits, replacements, decisions and notes; its ``text`` is the sanitised text.
    The id of a document made of a string is "text", of several "text1", "text2" and so on.

    An error at one of many ends the iterator: those before it were yielded, those after it are not
    sanitised. To go on after a bad one, keep a ``Sanitizer`` and catch the ``InputError`` of each
    of its ``sanitize``.

    Args:
        documents: one string or ``Document`` gives one ``SanitizedDocument``; several give an
            iterator and are consumed lazily. A string is raw text: its mentions are detected first,
            as the notes then say, as are those of a ``Document`` that is not ``annotated``.
        config: a preset's name ("strict"), a TOML file, ready settings, or None.
        overrides: settings on top, such as ``"attack.max_risk=0.3"``; not with ready settings.
        allow_remote: whether ``model.url`` may be of another machine; see ``load_settings``.

    Raises:
        ConfigError: for a wrong configuration, at the call, before any document is read.
        InputError: for what is neither a text nor a document: at the call, or at its place.
        LanguageError: for what is not in English, likewise, if the settings take nothing else.
        ResourceError: if the knowledge base cannot be opened, at the call.
        ModelError: if the language model cannot be loaded, at the call, or fails, at its place.
    """
    sanitizer = Sanitizer(config, overrides, allow_remote=allow_remote)
    if isinstance(documents, str | bytes | Document) or not isinstance(documents, Iterable):
        with sanitizer:
            return sanitizer.sanitize(documents)
    return _each(sanitizer, documents)


def _each(sanitizer: Sanitizer, documents: Iterable[Document | str]) -> Iterator[SanitizedDocument]:
    """Yield each document sanitised, in order, as it is asked for; a text that is a string has the
    id "text1", "text2" and so on, by its place among all. Close the sanitizer at the end, or at an
    error."""
    with sanitizer:
        for number, document in enumerate(documents, start=1):
            yield sanitizer.sanitize(document, f"text{number}")


def detect(text: str, config: Config = None, overrides: Sequence[str] = ()) -> Detection:
    """Detect the personal information in a text: return the mentions in text order, each with its
    kind, score and detectors; notes on why the detectors are unsure; and an estimate of the
    mentions that were missed.

    For many texts, keep a ``Sanitizer`` and call its ``detect``.

    Args:
        text: raw, in English; another language is not refused, but a note says so.
        config: a preset's name, a TOML file, ready settings, or None.
        overrides: settings on top; not with ready settings.

    Raises:
        ConfigError: for a wrong configuration.
        DocumentError: if it is no string, is longer than 16 Mi characters, or holds half a
            surrogate pair.
        MissingExtraError: if a package that a detector needs is not installed.
    """
    detector = build_detector(Components(load_settings(config, overrides)))
    return detector.detect(base.check_text(text, "text")[0])


def load(path: str | Path, kind: str = "", annotator: str = "first") -> Iterator[Document]:
    """Load the documents of a file in any format, or of all files in a folder in the order of their
    paths; yield them one at a time. What no format reads in a folder is passed over, and so are
    hidden files (".name") and what runs of INTACT wrote there.

    If a file does not say what the mentions of a document are, the document is not ``annotated``:
    ``sanitize`` then detects them.

    Args:
        path: a file, or a folder with all below it.
        kind: the format's name (docs/formats.md); "" chooses by suffix, then by content.
        annotator: "first", "all" (the union) or an annotator's name.

    Raises:
        ConfigError: if there is no such format, at the call.
        MissingExtraError: if a package that a format needs is not installed, at the call.
        InputError: at the call, if there is no such file or folder, or nothing to read in it; later
            at the first document that cannot be read or whose id comes twice.
    """
    sources, _ = find(str(path), kind or None, None, Path(os.devnull))
    return (loaded.document for _, _, loaded in load_documents(sources, annotator))


def save(
    documents: Document | SanitizedDocument | Iterable[Document | SanitizedDocument],
    path: str | Path,
    kind: str = "",
) -> None:
    """Write documents to a file, which appears whole or not at all. Only its owner can read it.

    For a ``SanitizedDocument`` the file says what was decided, as ``intact sanitize`` writes it,
    beside the original where the format holds mentions; for a ``Document`` it holds text and
    mentions.

    Args:
        documents: one or several, all of one class; consumed lazily.
        path: the file; an existing one is replaced, but a link or a folder is not (``RunError``).
        kind: the format's name (docs/formats.md); "" chooses by suffix.

    Raises:
        ConfigError: if there is no such format, or it cannot be written this way.
        InputError: if one is no document, or two have the same id.
        RunError: if the file cannot be written.
    """
    target = Path(path)
    form = base.by_name(kind) if kind else base.by_suffix(target)
    if form is None:
        problem = f"no format has files that end like {target.name}"
        raise ConfigError(problem, where=path, remedy=f"Name one of: {base.all_names()}.")
    given = _checked(documents if isinstance(documents, Iterable) else [documents], str(path))
    first = next(given, None)
    every = given if first is None else chain((first,), given)
    content: Iterator[str | bytes] = form.write(every, base.Losses())
    if isinstance(first, SanitizedDocument):
        content = form.assemble(_rendered(form, every), BytesIO(), str(path))
    write_private(target, content)


def _checked(documents: Any, where: str) -> Iterator[Any]:
    """Yield each document as it is. Raise an ``InputError`` at the first that is no document, or
    has the id of an earlier one.

    Args:
        documents: ``Document`` or ``SanitizedDocument`` each.
        where: the file that they will be in, for the message.
    """
    claimed: dict[str, str] = {}
    for number, one in enumerate(documents, start=1):
        if not isinstance(one, Document | SanitizedDocument):
            raise InputError(f"{type(one).__name__} is no document", where=f"document {number}")
        document = one.document if isinstance(one, SanitizedDocument) else one
        claim_id(document.id, where, claimed)
        yield one


def _rendered(form: base.Format, documents: Iterable[SanitizedDocument]) -> Iterator[str | bytes]:
    """Yield each document as ``form`` holds it, in order and one at a time: its original text and
    mentions, with the sanitised text and what was decided added. Plain text, Markdown and subtitles
    hold the sanitised text alone.

    Raises:
        ConfigError: if the format is written as another one (a PDF as text), or holds one document
            a file and there is a second.
    """
    for number, done in enumerate(documents, start=1):
        document = done.document
        if form.written_as or (number > 1 and not form.separator):
            several = "holds one document a file, and there are several"
            problem = "cannot hold what was decided" if form.written_as else several
            raise ConfigError(f"{form.name} {problem}", remedy="Write .jsonl or .json.")
        if isinstance(form, base.TextFormat):
            yield done.text
            continue
        record = base.Record(json.loads(form.dump(document)), document.id)
        yield form.render(record, form.load(record, "first"), done)
