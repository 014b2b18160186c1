"""Reading what evaluations need: corpora, edits, backgrounds, finished texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from intact.domain import Document, Edit, Guarding, SanitizedDocument, Span, apply_edits
from intact.errors import DocumentError, EditsError, FormatError, InputError
from intact.evaluation.pairs import edits_between, pair
from intact.formats.base import Record, by_suffix, read, read_documents, read_json
from intact.formats.outcome import check_fit, read_edits, sanitized_objects

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in file order, and what each annotator saw in them.

    Attributes:
        layers: document id -> one document an annotator.
    """

    documents: tuple[Document, ...]
    layers: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)

    def seen(self) -> list[tuple[Document, ...]]:
        """Of each text one document for each annotator."""
        return [self.layers.get(one.id) or (one,) for one in self.documents]


def read_corpus(path: Path, annotator: str = "first") -> Corpus:
    """The documents of a TAB or JSONL file.

    Args:
        path: the file.
        annotator: "first", "all" or an annotator's name.

    Raises:
        InputError: if it cannot be read, has no documents, or one id twice.
    """
    documents: dict[str, Document] = {}
    layers: dict[str, tuple[Document, ...]] = {}
    for kind, record, loaded in read_documents(path, annotator=annotator):
        document = loaded.document
        if document.id in documents:
            raise InputError(f"the document {document.id} is there twice", where=str(path))
        documents[document.id] = document
        raw = record.raw if isinstance(record.raw, dict) else {}
        names = list(raw.get("annotations") or {})
        if len(names) > 1:
            layers[document.id] = tuple(kind.load(record, n).document for n in names)
    if not documents:
        raise InputError("it has no documents", where=str(path))
    return Corpus(tuple(documents.values()), layers)


def read_system(path: Path, name: str, corpus: Corpus, warn: Warn) -> list[SanitizedDocument]:
    """The corpus under somebody's edits, in the corpus's order.

    Edits that overlap are left out with a counted warning.

    Args:
        path: an edits file.
        name: of the system, for warnings.
        corpus: the originals.
        warn: told of edits left out.

    Raises:
        EditsError: for edits of an unknown document, out of range, or a document without edits.
    """

    overlaps: Counter[str] = Counter()
    edits = read_edits(path, lambda doc_id: overlaps.update([doc_id]))
    check_fit(edits, {document.id: len(document.text) for document in corpus.documents}, str(path))
    check_complete(edits, corpus.documents, str(path))
    if overlaps:
        warn(
            f"{name}: {overlaps.total()} overlapping edits left out "
            f"in {len(overlaps)} documents (the longer first one is kept)"
        )
    return [pair(document, edits[document.id]) for document in corpus.documents]


def read_sanitized(path: Path, corpus: Corpus) -> list[SanitizedDocument]:
    """The corpus as a finished output shows it, its edits as it tells them; where it tells none,
    they are found by comparing texts.

    Args:
        path: ``{doc_id: text}``, or what ``intact sanitize`` wrote (its ``sanitized_text``).
        corpus: the originals.

    Raises:
        EditsError: if a document is unknown or missing, or its original text is another one.
    """
    objects = {str(raw.get("doc_id", raw.get("id"))): raw for raw in _objects(path)}
    known = {document.id: document for document in corpus.documents}
    unknown = next((key for key in objects if key not in known), None)
    if unknown is not None:
        raise EditsError(
            f"there is no document {unknown}", where=str(path), remedy="Is it the same corpus?"
        )
    made = {key: _finished(raw, known[key], path) for key, raw in objects.items()}
    check_complete(made, corpus.documents, str(path))
    return [made[key] for key in known]


def _finished(raw: Mapping[str, Any], document: Document, path: Path) -> SanitizedDocument:
    after, own = raw.get("sanitized_text"), raw.get("intact") or {}
    if not isinstance(after, str):
        raise FormatError(
            f"the document {document.id} has no sanitized_text",
            where=str(path),
            remedy="Give what intact sanitize wrote, or {doc_id: text}.",
        )
    if raw.get("text", document.text) != document.text:
        raise EditsError(
            "its original text is not the corpus's",
            where=f"{path}, document {document.id}",
            remedy="Is it the same version of the corpus?",
        )
    try:
        edits = tuple(Edit(Span(start, end), new) for start, end, new in own["edits"])
        fits = apply_edits(document.text, edits) == after
    except (KeyError, TypeError, ValueError, DocumentError):
        fits = False
    done = pair(document, edits if fits else edits_between(document.text, after))
    told = own.get("guard")
    if not isinstance(told, dict):
        return done
    guarding = Guarding(
        individual=str(told.get("individual", "")),
        k=int(told["k"]),
        before=told["before"],
        after=told["after"],
        words_changed=int(told.get("words_changed", 0)),
        words=int(told.get("words", 0)),
    )
    return replace(done, guarding=guarding)


def check_complete(found: Container[str], documents: Iterable[Document], where: str) -> None:
    """Checks that a system has something for every document.

    Args:
        found: ids of the documents that it has.
        documents: the corpus's.
        where: the system or its file, for messages.

    Raises:
        EditsError: if a document is missing.
    """
    ids = [document.id for document in documents]
    missing = [doc_id for doc_id in ids if doc_id not in found]
    if missing:
        raise EditsError(
            f"{len(missing)} of {len(ids)} documents are missing, the first is {missing[0]}",
            where=where,
            remedy="A document without edits has an empty list.",
        )


def _objects(path: Path) -> list[Mapping[str, Any]]:
    """The objects of a TAB or JSONL output, or of ``{doc_id: text}``."""
    kind = by_suffix(path)
    if kind is not None and kind.name == "tab":
        data = read_json(path)
    elif kind is None or kind.tells:
        return [r.raw for _, r in read(path) if isinstance(r, Record) and isinstance(r.raw, dict)]
    else:
        return sanitized_objects(path)
    if isinstance(data, dict):
        return [{"doc_id": key, "sanitized_text": text} for key, text in data.items()]
    if isinstance(data, list) and all(isinstance(item, dict) for item in data):
        return data
    raise FormatError("the top level is neither a list of documents nor an object", where=str(path))
