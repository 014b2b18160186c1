"""The input of evaluations: corpora, edits, finished texts; and what edits make of each place."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, takewhile
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Indel

from intact import domain
from intact.domain import Covered, Document, Edit, Mention, SanitizedDocument, Span, join_edits
from intact.english.numbers import counted
from intact.errors import DocumentError, EditsError, FormatError, InputError
from intact.formats.base import Record, by_suffix, read, read_documents, read_json
from intact.formats.mentions import Warn, cuts_word
from intact.formats.outcome import read_edits, sanitized_objects


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in file order, and by document id the same document as each annotator marked it."""

    documents: tuple[Document, ...]
    layers: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)


_FINDERS = ("intact", "detected")  # the annotator's names for mentions that INTACT detected


def read_corpus(path: Path, annotator: str = "first", warn: Warn = str) -> Corpus:
    """Read an annotated corpus into memory: its documents in file order, with the mentions of one
    annotator; and as ``layers``, for each document that several annotators marked, the same
    document once for each of them.

    Args:
        path: a file of any format.
        annotator: whose mentions the documents carry: "first", "all" (the union) or a name.
        warn: called with a message if documents were annotated by INTACT or by nobody, so that it
            is unknown what a detector missed.

    Raises:
        InputError: if the file is a folder, has no documents, one of them twice, or one that cannot
            be read.
    """
    if path.is_dir():
        raise InputError("is a folder, and a corpus is one file", where=path)
    documents: dict[str, Document] = {}
    layers: dict[str, tuple[Document, ...]] = {}
    for kind, record, loaded in read_documents(path, annotator=annotator):
        document = loaded.document
        if document.id in documents:
            raise InputError(f"the document {document.id} is there twice", where=path)
        documents[document.id] = document
        raw = record.raw if isinstance(record.raw, dict) else {}
        names = list(raw.get("annotations") or {})
        if len(names) > 1:
            layers[document.id] = tuple(kind.load(record, n).document for n in names)
    if not documents:
        raise InputError("it has no documents", where=path)
    if found := sum(not d.annotated or d.annotator in _FINDERS for d in documents.values()):
        said = "figures are about what INTACT found, if anything; what it missed counts nowhere, "
        said += "and the recall of its own edits means nothing"
        warn(f"{counted(found, 'document')} without annotations by people: {said}")
    return Corpus(tuple(documents.values()), layers)


def read_system(path: Path, name: str, corpus: Corpus, warn: Warn) -> list[SanitizedDocument]:
    """Read the edits of one system, and return the sanitised documents that they make, in the
    corpus's order; these have no replacements and decisions.

    Args:
        path: an edits file; of overlapping edits the first and longest is kept.
        name: of the system, for messages.
        corpus: the originals.
        warn: called with one message that counts the edits left out because they overlapped.

    Raises:
        EditsError: if it is no edits file, a document is unknown or missing, or an edit reaches
            beyond its text.
    """
    edits, overlaps = read_edits(path)
    check_fit(edits, corpus.documents, str(path))
    if overlaps:
        many = f"{overlaps.total()} overlapping edits left out in {len(overlaps)} documents"
        warn(f"{name}: {many} (the longer first one is kept)")
    return [pair(document, edits[document.id]) for document in corpus.documents]


def read_sanitized(path: Path, name: str, corpus: Corpus, warn: Warn) -> list[SanitizedDocument]:
    """Read finished texts, and return them as sanitised documents, in the corpus's order. Where the
    edits of one are missing or do not give its finished text, they are found by comparing both
    texts.

    Args:
        path: an output of ``intact sanitize``, or ``{doc_id: text}``.
        name: of the system, for messages.
        corpus: the originals.
        warn: called with one message if a document comes without edits.

    Raises:
        EditsError: if a document is unknown or missing, or its original text is another one.
        FormatError: if a document has no finished text.
    """
    given = {str(raw.get("doc_id", raw.get("id"))): raw for raw in _objects(path)}
    known = {document.id: document for document in corpus.documents}
    made = {key: _finished(raw, known[key], path) for key, raw in given.items() if key in known}
    check_fit(dict.fromkeys(given, ()), corpus.documents, str(path))
    if any("edits" not in (raw.get("intact") or {}) for raw in given.values()):
        warn(f"{name}: {COMPARED}: figures are not those of --edits")
    return [made[key] for key in known]


def _finished(raw: Mapping[str, Any], document: Document, path: Path) -> SanitizedDocument:
    """Return a sanitised document made of an original and its finished text. Where the record's
    edits are missing or do not give that text, they are found by comparing both, and a note says
    so.

    Args:
        raw: the object of the document in the output.
        document: the original.
        path: of the output, for messages.

    Raises:
        FormatError: if there is no finished text.
        EditsError: if the output's original is another text.
    """
    after, own = raw.get("sanitized_text"), raw.get("intact") or {}
    if not isinstance(after, str):
        raise FormatError(f"the document {document.id} has no sanitized_text", where=path)
    if raw.get("text", document.text) != document.text:
        problem = "its original text is not the corpus's"
        raise EditsError(problem, where=f"{path}, document {document.id}")
    try:
        edits = tuple(Edit(Span.read(start, end), new) for start, end, new in own["edits"])
        fits = domain.apply_edits(document.text, edits) == after
    except (KeyError, TypeError, ValueError, DocumentError):
        fits = False
    done = pair(document, edits if fits else edits_between(document.text, after))
    return done if fits else replace(done, notes=(COMPARED,))


def seems_unrelated(one: SanitizedDocument) -> bool:
    """Tell whether edits look as if they were made for another text: most unmarked words change, or
    most edits begin or end inside words. Up to two such words or edits are never enough."""
    text, spans = one.document.text, [edit.span for edit in one.edits]
    masked = Covered(text, (each.span for each in one.document.mentions if each.masked))
    words = [Span(*found.span()) for found in re.finditer(r"\w+", text)]
    free = [word for word in words if not masked.touches(word)]
    lost = sum(map(Covered(text, spans).touches, free))
    cut = sum(cuts_word(text, span) for span in spans)
    return lost > max(2, len(free) // 2) or cut > max(2, len(spans) // 2)


def check_fit(
    edits: Mapping[str, Sequence[Edit]], documents: Iterable[Document], where: str
) -> None:
    """Raise an error unless edits are for documents that exist and end within them, and no document
    lacks them.

    Args:
        edits: by document id, in ascending order.
        documents: the corpus.
        where: the file or system, for messages.

    Raises:
        EditsError: for the first document that does not fit; or for missing ones, with their
            number.
    """
    ends = {document.id: len(document.text) for document in documents}
    for doc_id, items in edits.items():
        if doc_id not in ends:
            raise EditsError(f"there is no document {doc_id}", where=where)
        if items and items[-1].span.end > ends[doc_id]:
            problem = f"an edit ends at {items[-1].span.end}, the text at {ends[doc_id]}"
            raise EditsError(problem, where=f"{where}, document {doc_id}")
    if missing := [doc_id for doc_id in ends if doc_id not in edits]:
        problem = f"{len(missing)} of {len(ends)} documents are missing, the first is {missing[0]}"
        raise EditsError(problem, where=where)


def _objects(path: Path) -> list[Mapping[str, Any]]:
    """Return the JSON object of each document in an output file, in order; for a file ``{doc_id:
    text}`` objects with "doc_id" and "sanitized_text"."""
    kind = by_suffix(path)
    if kind is not None and not kind.tells:
        return list(sanitized_objects(path).values())
    if kind is not None and kind.name == "tab" and isinstance(data := read_json(path), dict):
        return [{"doc_id": key, "sanitized_text": text} for key, text in data.items()]
    return [r.raw for _, r in read(path) if isinstance(r, Record) and isinstance(r.raw, dict)]


COMPARED = "edits were found by comparing texts"  # note on a document that came without edits

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")  # every character is in one


def pair(document: Document, edits: Sequence[Edit]) -> SanitizedDocument:
    """Return the sanitised document that edits by any system make. Its replacements and decisions
    are empty, as nothing else is known.

    Args:
        document: the original with its mentions.
        edits: ascending, not overlapping.
    """
    return SanitizedDocument(document, tuple(edits), (), ())


_CONTEXT = 70  # characters on each side, as many as the human judges saw


@dataclass(frozen=True, slots=True)
class MaskedString:
    """A masked mention (``before``) and its replacement in the edited text (``after``); "" if it is
    deleted."""

    before: str
    after: str
    entity_type: str
    left: str = ""  # the original text before it and, as ``right``, after it; up to 70 characters
    right: str = ""
    document: str = ""

    @property
    def attackable(self) -> bool:
        """Tell whether a reader could guess the masked string at all: False for the types PERSON
        and CODE, which only ever become labels."""
        return self.entity_type not in domain.LABEL_ONLY


def masked_strings(pairs: Sequence[SanitizedDocument]) -> list[MaskedString]:
    """List every masked mention with its replacement, its type and up to 70 characters of the
    original on each side: documents in the order given, mentions in text order."""
    strings = []
    for one in pairs:
        for m in sorted(one.document.mentions, key=lambda mention: mention.span):
            if m.masked:
                text, (start, end) = one.document.text, (m.span.start, m.span.end)
                after = projection(text, one.edits, m.span)
                around = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
                own = (m.text, after, m.entity_type, *around, one.document.id)
                strings.append(MaskedString(*own))
    return strings


@dataclass(frozen=True, slots=True)
class TouchedRegion:
    """A stretch of the original, the text there after the edits, the indices of its units, and
    whether an edit overlaps it."""

    span: Span
    after: str
    units: tuple[int, ...]
    touched: bool


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans sorted, with those that overlap merged into one. Spans that only touch stay
    apart."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged


def regions(text: str, units: Sequence[Span], edits: Sequence[Edit]) -> tuple[TouchedRegion, ...]:
    """Group the units of a text, so that units which one edit covers together are compared
    together. Return the groups in text order, each with the text there after the edits; a unit
    without an edit is a group of its own, and edits that overlap no unit make none.

    Args:
        text: the original.
        units: terms or mentions; ascending, not overlapping.
        edits: ascending, not overlapping.
    """
    starts, ends = [unit.start for unit in units], [unit.end for unit in units]
    reached = []
    for edit in edits:
        inside = units[bisect_right(ends, edit.span.start) : bisect_left(starts, edit.span.end)]
        spans = (edit.span, *inside[:1], *inside[-1:])
        reached.append(Span(min(s.start for s in spans), max(s.end for s in spans)))
    found: list[TouchedRegion] = []
    for span in merge_spans(reached):
        if held := range(bisect_left(starts, span.start), bisect_right(ends, span.end)):
            found.append(TouchedRegion(span, projection(text, edits, span), (*held,), True))
    free = {*range(len(units))}.difference(*(region.units for region in found))
    found += (TouchedRegion(units[at], units[at].of(text), (at,), False) for at in free)
    return tuple(sorted(found, key=lambda region: region.span))


def projection(text: str, edits: Sequence[Edit], span: Span) -> str:
    """Return the edited text that corresponds to a stretch of the original.

    Args:
        text: the original.
        edits: ascending, not overlapping; the text of one that overlaps the stretch is included
            whole.
        span: the stretch; what is between the edits in it stays as it was.
    """
    first = bisect_right(edits, span.start, key=lambda edit: edit.span.end)
    parts: list[str] = []
    done = span.start
    for edit in takewhile(lambda edit: edit.span.start < span.end, islice(edits, first, None)):
        parts += (text[done : edit.span.start], edit.text)
        done = edit.span.end
    return "".join([*parts, text[done : span.end]])


def new_places(edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Return where the replacement of each edit is in the edited text, as (start, end), in the
    order of the edits; both are equal for a deletion.

    Args:
        edits: ascending, not overlapping.
    """
    places, shift = [], 0
    for edit in edits:
        start = edit.span.start + shift
        places.append((start, start + len(edit.text)))
        shift += len(edit.text) - len(edit.span)
    return places


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Return edits of whole words, ascending, that turn a text into another with as few words
    changed as possible; () if both are equal. Changes with nothing or only white space between them
    are one edit; an insertion takes in the character beside it.

    Args:
        before: the original, in which the edits' spans are; not "".
        after: the finished text.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    at, to = ([0, *accumulate(map(len, tokens))] for tokens in (old, new))  # where each begins
    found = (
        Edit(Span(at[op.src_start], at[op.src_end]), after[to[op.dest_start] : to[op.dest_end]])
        for op in Indel.opcodes(old, new)
        if op.tag != "equal"
    )
    return tuple(_covering(before, edit) for edit in join_edits(before, found))


def _covering(text: str, edit: Edit) -> Edit:
    """Return an edit without the white space at its ends that it keeps; one that only inserts is
    widened by the character before it, or, at the beginning of the text, by the one after it.

    Args:
        text: the original; not "".
        edit: of it; its span may be empty.
    """
    start, end, new = edit.span.start, edit.span.end, edit.text
    while start < end and new and text[start].isspace() and new[0] == text[start]:
        start, new = start + 1, new[1:]
    while start < end and new and text[end - 1].isspace() and new[-1] == text[end - 1]:
        end, new = end - 1, new[:-1]
    if start < end:
        return Edit(Span(start, end), new)
    if start > 0:
        return Edit(Span(start - 1, start), text[start - 1] + new)
    return Edit(Span(0, 1), new + text[:1])


def entity_labels(document: Document) -> tuple[Edit, ...]:
    """Return the edits of the plainest system, ascending: each masked mention is replaced by the
    name of its type."""
    return edits_of(document, lambda mention: mention.entity_type)


def edits_of(document: Document, replace: Callable[[Mention], str]) -> tuple[Edit, ...]:
    """Return one edit for each masked mention, ascending and not overlapping; a mention inside an
    earlier edit gets none, and one that begins in it is replaced from its end on.

    Args:
        document: with its mentions.
        replace: gives the words for a mention.
    """
    edits: list[Edit] = []
    done = 0
    for mention in sorted(document.mentions, key=lambda m: (m.span.start, -m.span.end)):
        if not mention.masked or mention.span.end <= done:
            continue
        span = Span(max(done, mention.span.start), mention.span.end)
        edits.append(Edit(span, replace(mention)))
        done = span.end
    return tuple(edits)
