"""What people decided: a file of JSON lines that is only ever added to, and what follows from it.

A line belongs to one text (the document's id and the SHA-256 of its text) and to spans of it, so
it holds for every format and every later run. Where the text has changed, only what hides is done
again, and every note says so.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from intact.config import GenerationSettings
from intact.domain import (
    LABEL_ONLY,
    REVIEWER,
    Candidate,
    Document,
    Entity,
    IdentifierType,
    Ladder,
    Mention,
    Span,
)
from intact.errors import FormatError, RunError
from intact.generation.checks import CandidateChecks
from intact.pipeline import DRIFT
from intact.run.files import writing


class Action(StrEnum):
    """What a person may decide."""

    ACCEPT = "accept"
    CHOOSE = "choose"
    PHRASE = "phrase"
    MASK = "mask"
    KEEP = "keep"
    MARK = "mark"
    UNMARK = "unmark"
    UNDO = "undo"


_OF_ENTITY = (Action.ACCEPT, Action.CHOOSE, Action.PHRASE, Action.MASK, Action.KEEP)
"""Of these the last one about an entity counts."""
_HIDES = (Action.MASK, Action.MARK)


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One line of the file.

    Attributes:
        id: unique in the file.
        at, by: when (UTC) and who.
        document, digest: whose text, and its SHA-256.
        spans: of all mentions, in that text.
        surfaces: the different texts at the spans; empty where originals are not to be kept.
        phrase: what is to stand there; "" for the label.
        reason: why something is kept.
        undoes: id of the line that is taken back.
    """

    id: str
    at: str
    by: str
    action: Action
    document: str
    digest: str
    entity_type: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    surfaces: tuple[str, ...] = ()
    phrase: str = ""
    reason: str = ""
    undoes: str = ""


def text_digest(text: str) -> str:
    """The SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class DecisionFile:
    """The file, open for one review at a time; mode 0600. A line survives whatever comes after.

    Args:
        path: made if it is not there.

    Raises:
        RunError: if it cannot be written, or another review has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(path):
            if path.is_symlink():
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._number = os.open(path, flags, 0o600)
            os.fchmod(self._number, 0o600)
        try:
            fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise RunError(
                "another review is writing these decisions",
                where=str(path),
                remedy="Close it, or name another file with --decisions.",
            ) from None
        data = path.read_bytes()
        torn = len(data) - data.rfind(b"\n") - 1
        if torn:  # a line that a killed review did not finish was never answered
            with writing(path):
                os.ftruncate(self._number, len(data) - torn)

    def append(self, line: ReviewLine) -> None:
        """Adds a line; it is on the disk when this returns."""
        shown = {key: value for key, value in asdict(line).items() if value}
        data = (json.dumps(shown, ensure_ascii=False) + "\n").encode("utf-8")
        with writing(self.path):
            if os.write(self._number, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._number)

    def close(self) -> None:
        """Lets others write it."""
        os.close(self._number)


def read_decisions(path: Path) -> list[ReviewLine]:
    """The lines of a file, none where it is not there; an unfinished last line is left out.

    Raises:
        FormatError: if a line is none.
        RunError: if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError(f"cannot be read ({error.strerror})", where=str(path)) from None
    whole = data[: data.rfind(b"\n") + 1].splitlines()
    return [_line(raw, f"{path}, line {number}") for number, raw in enumerate(whole, start=1)]


def _line(raw: bytes, where: str) -> ReviewLine:
    try:
        values: dict[str, Any] = json.loads(raw)
        values["action"] = Action(values["action"])
        values["spans"] = tuple((int(a), int(b)) for a, b in values.get("spans", ()))
        values["surfaces"] = tuple(map(str, values.get("surfaces", ())))
        return ReviewLine(**values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise FormatError(
            "it is no decision",
            where=where,
            remedy="Give the file that intact review wrote.",
        ) from None


def in_force(lines: Iterable[ReviewLine]) -> list[ReviewLine]:
    """The lines that count, in order: not taken back, nor followed by another about the same."""
    given = list(lines)
    undone = {line.undoes for line in given if line.action is Action.UNDO}
    kept: list[ReviewLine] = []
    for line in given:
        if line.action is Action.UNDO or line.id in undone:
            continue
        if line.action in _OF_ENTITY:
            kept = [other for other in kept if not _same_entity(line, other)]
        kept.append(line)
    return kept


def _same_entity(one: ReviewLine, other: ReviewLine) -> bool:
    return (
        other.action in _OF_ENTITY
        and (one.document, one.digest) == (other.document, other.digest)
        and not set(one.spans).isdisjoint(other.spans)
    )


class Decisions:
    """What follows from the lines of a file; a ``Reviser``.

    Args:
        lines: of the file, in order.
        settings: which checks an own phrase has to pass.
    """

    def __init__(self, lines: Iterable[ReviewLine], settings: GenerationSettings) -> None:
        self.lines = list(lines)
        self._checks = CandidateChecks(settings)

    @property
    def documents(self) -> frozenset[str]:
        """Ids of the documents that something is decided about."""
        return frozenset(line.document for line in in_force(self.lines))

    def about(self, document: Document) -> list[ReviewLine]:
        """The lines that count for a document, in order."""
        return in_force(line for line in self.lines if line.document == document.id)

    def mentions(self, document: Document) -> tuple[Document, tuple[str, ...]]:
        """The document with what people marked, unmarked, and want kept as it is."""
        digest, notes = text_digest(document.text), []
        for line in self.about(document):
            same = line.digest == digest
            if not same and line.action in (Action.UNMARK, Action.KEEP):
                notes.append(f"{DRIFT}{line.id} ({line.action}): the text changed, it stays hidden")
            elif line.action is Action.MARK:
                spans = line.spans if same else _found(document.text, line.surfaces)
                document = marked(document, spans, line.entity_type, line.id)
                if not same:
                    notes.append(_changed(line, done=bool(spans)))
            elif line.action is Action.UNMARK:
                gone = set(line.spans)
                left = (m for m in document.mentions if (m.span.start, m.span.end) not in gone)
                document = replace(document, mentions=tuple(left))
            elif line.action is Action.KEEP:
                document = _kept(document, set(line.spans))
        return document, tuple(notes)

    def ladders(
        self, document: Document, ladders: Mapping[str, Ladder]
    ) -> tuple[Mapping[str, Ladder], tuple[str, ...]]:
        """The ladders with what people chose (source ``REVIEWER``) or masked."""
        digest, notes = text_digest(document.text), []
        entities, checks = document.entities, self._checks.of(document)
        changed = dict(ladders)
        for line in self.about(document):
            if line.action not in _OF_ENTITY or line.action is Action.KEEP:
                continue
            same = line.digest == digest
            entity = next(_of_line(entities, line, same=same), None)
            if entity is None:
                notes.append(_changed(line, done=False))
                continue
            if not same:
                notes.append(_changed(line, done=True))
            if line.phrase and (problem := checks.problem(line.phrase, entity)):
                notes.append(f"{DRIFT}{line.id} ({line.action}): {problem}; it has its label")
                changed[entity.id] = ()
            else:
                changed[entity.id] = chosen_first(changed.get(entity.id, ()), line.phrase)
        return changed, tuple(notes)


def marked(
    document: Document, spans: Sequence[tuple[int, int]], entity_type: str, line_id: str
) -> Document:
    """The document with further mentions of one entity; what a masked mention covers stays.

    Args:
        spans: of the new mentions.
        entity_type: theirs.
        line_id: of the decision; their ids are made of it.
    """
    direct = entity_type in LABEL_ONLY
    kind = IdentifierType.DIRECT if direct else IdentifierType.QUASI
    known = [mention.span for mention in document.mentions if mention.masked]
    new = [
        Mention(f"{line_id}:{start}", span, span.of(document.text), line_id, entity_type, kind)
        for start, end in spans
        for span in [Span(start, end)]
        if not any(other.contains(span) for other in known)
    ]
    return replace(document, mentions=(*document.mentions, *new))


def chosen_first(ladder: Ladder, phrase: str) -> Ladder:
    """The ladder with a phrase that a person decided on; none for the label.

    Args:
        ladder: the entity's.
        phrase: one of its candidates, an own one, or "" for the label.
    """
    if not phrase:
        return ()
    if all(candidate.text != phrase for candidate in ladder):
        ladder = (Candidate(phrase, 0, REVIEWER), *ladder)
    return tuple(
        replace(one, rank=rank, source=REVIEWER if one.text == phrase else one.source)
        for rank, one in enumerate(ladder)
    )


def _kept(document: Document, spans: set[tuple[int, int]]) -> Document:
    """The document with the mentions at ``spans`` left as they are."""
    return replace(
        document,
        mentions=tuple(
            replace(mention, identifier_type=IdentifierType.NO_MASK)
            if (mention.span.start, mention.span.end) in spans
            else mention
            for mention in document.mentions
        ),
    )


def _of_line(entities: Sequence[Entity], line: ReviewLine, *, same: bool) -> Iterator[Entity]:
    """The entities that a line is about: by place, or by text where the text has changed."""
    spans, surfaces = set(line.spans), set(line.surfaces)
    for entity in entities:
        if same and any((m.span.start, m.span.end) in spans for m in entity.mentions):
            yield entity
        alike = entity.entity_type == line.entity_type and surfaces == set(entity.surfaces)
        if not same and surfaces and alike:
            yield entity


def places_of(text: str, part: str) -> tuple[tuple[int, int], ...]:
    """Where ``part`` stands in ``text`` in whole words.

    Args:
        text: the whole text.
        part: some words of it.
    """
    whole = rf"(?<!\w){re.escape(part)}(?!\w)"
    return tuple(match.span() for match in re.finditer(whole, text)) if part else ()


def _found(text: str, surfaces: Iterable[str]) -> tuple[tuple[int, int], ...]:
    return tuple(place for surface in surfaces for place in places_of(text, surface))


def _changed(line: ReviewLine, *, done: bool) -> str:
    what = "done again, but look at it" if done else "it was not found any more"
    return f"{DRIFT}{line.id} ({line.action}): the text changed, {what}"
