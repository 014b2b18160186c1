"""One review: the documents of an input, what is decided about them, what becomes of that."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from intact.build import Components, build_pipeline
from intact.config import Settings
from intact.discourse.things import unified
from intact.domain import ENTITY_TYPES, Decision, Document, Entity, SanitizedDocument, Span
from intact.english.scan import contains, parse
from intact.english.time import Temporal
from intact.errors import InputError
from intact.generation.checks import CandidateChecks
from intact.pipeline import UNSURE
from intact.review.decisions import (
    Action,
    DecisionFile,
    Decisions,
    ReviewLine,
    places_of,
    read_decisions,
    text_digest,
)
from intact.review.view import entity_key, seen
from intact.run.source import SourceFile, SourceReading

_MOST = 300
"""Characters of a phrase, a reason, or missed text."""
_PROBLEMS = {
    "empty": "it says nothing",
    "long": "it is too long",
    "equal": "it is the original",
    "contains": "it holds every word of the original",
    "numbers": "it keeps the numbers of the original",
    "lemma": "it has a telling word in common with the original",
    "ngram": "it has a part of a name in common with the original",
    "discloses": "it names what another replacement of this document hides",
}


class RefusedError(InputError):
    """What a person asked for cannot be done; says why, without text of the document."""


@dataclass(slots=True)
class ReviewedDocument:
    """A document under review.

    Attributes:
        raw: as it was read.
        found: with its mentions, annotated or detected, before any decision.
        notes: why detection may have missed something.
        scores: of detected mentions, by span.
        first: what became of it before any decision.
        now: what becomes of it with all decisions.
        around: the sentences of the places that were shown.
    """

    raw: Document
    found: Document | None = None
    notes: tuple[str, ...] = ()
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)
    first: SanitizedDocument | None = None
    now: SanitizedDocument | None = None
    around: dict[Span, Span] = field(default_factory=dict)


class ReviewSession:
    """The documents of an input, and the file of decisions about them.

    Every method may be called from any thread; one works at a time.

    Args:
        sources: what to review.
        settings: of the run.
        path: of the decisions.
        by: who decides.
        redact: keep no text of the documents in the decisions.
    """

    def __init__(
        self,
        sources: Sequence[SourceFile],
        settings: Settings,
        path: Path,
        by: str,
        *,
        redact: bool = False,
    ) -> None:
        self.settings = settings
        self.by = by
        self._redact = redact
        self._lock = Lock()
        self.documents = [ReviewedDocument(document) for document in _read(sources, settings)]
        if not self.documents:
            raise InputError("the input holds no document")
        self._file = DecisionFile(path)
        try:
            self.decisions = Decisions(read_decisions(path), settings.generation)
            self._pipeline = build_pipeline(settings, self.decisions)
        except BaseException:
            self._file.close()
            raise

    @cached_property
    def _components(self) -> Components:
        return Components(self.settings)

    def close(self) -> None:
        """Lets go of the file and the models."""
        with self._lock:
            self._pipeline.close()
            self._file.close()

    def overview(self) -> dict[str, Any]:
        """All documents, with how much of each is decided; of those not read yet only the id."""
        return {
            "by": self.by,
            "types": list(ENTITY_TYPES),
            "documents": [self._summary(one) for one in self.documents],
        }

    def _summary(self, one: ReviewedDocument) -> dict[str, Any]:
        if one.now is None:
            return {"id": one.raw.id, "ready": False}
        decided = self._decided(one)
        keys = {entity_key(decision.entity) for decision in one.now.decisions}
        return {
            "id": one.raw.id,
            "ready": True,
            "entities": len(keys),
            "decided": len(keys & decided.keys()),
            "doubts": len(one.notes),
        }

    def document(self, number: int) -> dict[str, Any]:
        """A document as the page shows it.

        Args:
            number: from 0.
        """
        with self._lock:
            return self._view(self._ready(number))

    def decide(self, number: int, action: Action, key: str, text: str, kind: str) -> dict[str, Any]:
        """Decides, writes that down, and says what became of the document.

        Args:
            number: of the document, from 0.
            action: anything but ``UNDO``.
            key: of the entity; "" where text is marked.
            text: the candidate, own phrase, reason or missed text that it takes.
            kind: the type of marked text.

        Raises:
            RefusedError: if it cannot be done; nothing is written then.
        """
        with self._lock:
            one = self._ready(number)
            if len(text) > _MOST:
                raise RefusedError(f"that is longer than {_MOST} characters")
            line = self._line(one, action, key, " ".join(text.split()), kind)
            return self._add(one, line)

    def undo(self, number: int) -> dict[str, Any]:
        """Takes back the last decision about a document that still counts.

        Args:
            number: of the document, from 0.
        """
        with self._lock:
            one = self._ready(number)
            undone = {line.undoes for line in self.decisions.lines}
            mine = [
                line
                for line in self.decisions.lines
                if line.document == one.raw.id
                and line.action is not Action.UNDO
                and line.id not in undone
            ]
            if not mine:
                raise RefusedError("there is nothing to undo")
            return self._add(one, self._new(one, Action.UNDO, undoes=mine[-1].id))

    def _add(self, one: ReviewedDocument, line: ReviewLine) -> dict[str, Any]:
        """Writes a line and redoes the document, unless that fails."""
        assert one.now is not None
        before = one.now
        self.decisions.lines.append(line)
        try:
            self._redo(one)
            self._file.append(line)
        except BaseException:
            self.decisions.lines.remove(line)
            one.now = before
            raise
        return self._view(one) | {"moved": _moved(before, one.now, line)}

    def _ready(self, number: int) -> ReviewedDocument:
        """The document, sanitised if it is not yet."""
        one = self.documents[number]
        if one.now is None:
            document = one.raw
            if not document.annotated:
                detection = self._pipeline.detect(document.text)
                one.notes = tuple(f"{UNSURE}{note}" for note in detection.notes)
                one.scores = {
                    (item.mention.span.start, item.mention.span.end): item.score
                    for item in detection.found
                }
                document = replace(document, mentions=detection.mentions, annotated=True)
            one.found = unified(document)
            lines, self.decisions.lines = self.decisions.lines, []
            try:
                one.first = self._pipeline.sanitize(one.found)
            finally:
                self.decisions.lines = lines
            one.now = one.first
            if one.raw.id in self.decisions.documents:
                self._redo(one)
        return one

    def _redo(self, one: ReviewedDocument) -> None:
        assert one.found is not None
        one.now = self._pipeline.sanitize(one.found)

    def _line(
        self, one: ReviewedDocument, action: Action, key: str, text: str, kind: str
    ) -> ReviewLine:
        assert one.now is not None
        if action is Action.MARK:
            return self._marking(one, text, kind)
        decision = next((d for d in one.now.decisions if entity_key(d.entity) == key), None)
        if decision is None:
            raise RefusedError("that is not there any more; look again")
        phrase = reason = ""
        if action is Action.ACCEPT:
            phrase = "" if decision.chosen is None else decision.text
        elif action is Action.CHOOSE:
            assert one.first is not None
            if text not in {one.text for one in known_candidates(one.first, decision)}:
                raise RefusedError("that is none of its candidates; look again")
            phrase = text
        elif action is Action.PHRASE:
            self._check(one.now.document, decision.entity, text)
            phrase = text
        elif action is Action.KEEP:
            if not any(map(str.isalnum, text)):
                raise RefusedError("say why it may stay as it is")
            reason = text
        return self._new(one, action, decision.entity, phrase=phrase, reason=reason)

    def _marking(self, one: ReviewedDocument, text: str, kind: str) -> ReviewLine:
        assert one.now is not None
        if kind not in ENTITY_TYPES:
            raise RefusedError("say of what type it is")
        places = places_of(one.raw.text, text)
        masked = [mention.span for mention in one.now.document.mentions if mention.masked]
        if not places:
            raise RefusedError("that does not stand in the document, letter by letter")
        if all(any(s.start <= a and b <= s.end for s in masked) for a, b in places):
            raise RefusedError("it is replaced already wherever it stands")
        surfaces = () if self._redact else (text,)
        return self._new(one, Action.MARK, kind=kind, spans=places, surfaces=surfaces)

    def _check(self, document: Document, entity: Entity, phrase: str) -> None:
        """Whether an own phrase may stand for an entity.

        Raises:
            RefusedError: if it gives away what is hidden, or is known not to be true.
        """
        knowledge = self._components.knowledge
        checks = CandidateChecks(self.settings.generation, knowledge.aliases).of(document)
        problem = checks.problem(phrase, entity)
        if problem:
            raise RefusedError(_PROBLEMS.get(problem, problem))
        said = parse(phrase)
        for surface in entity.surfaces:
            meant = parse(surface)
            if isinstance(said, Temporal) and said.either:
                raise RefusedError("that date can be read in two ways")
            if said and meant and contains(meant, said):
                raise RefusedError(_PROBLEMS["equal"])
            false = said and meant and contains(said, meant) is False
            if false or knowledge.subsumes(phrase, surface, entity.entity_type) is False:
                raise RefusedError("it is not true of what stands there, as far as is known")

    def _new(
        self,
        one: ReviewedDocument,
        action: Action,
        entity: Entity | None = None,
        *,
        kind: str = "",
        spans: tuple[tuple[int, int], ...] = (),
        surfaces: tuple[str, ...] = (),
        phrase: str = "",
        reason: str = "",
        undoes: str = "",
    ) -> ReviewLine:
        if entity is not None:
            kind = entity.entity_type
            spans = tuple((m.span.start, m.span.end) for m in entity.mentions)
            surfaces = () if self._redact else entity.surfaces
        return ReviewLine(
            id=secrets.token_hex(4),
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            by=self.by,
            action=action,
            document=one.raw.id,
            digest=text_digest(one.raw.text),
            entity_type=kind,
            spans=spans,
            surfaces=surfaces,
            phrase=phrase,
            reason=reason,
            undoes=undoes,
        )

    def _decided(self, one: ReviewedDocument) -> dict[str, ReviewLine]:
        """Entity key -> what counts of what was decided about it."""
        assert one.now is not None
        lines = self.decisions.about(one.raw)
        digest = text_digest(one.raw.text)
        return {
            entity_key(decision.entity): line
            for decision in one.now.decisions
            for line in lines
            if line.digest == digest
            and not {(m.span.start, m.span.end) for m in decision.entity.mentions}.isdisjoint(
                line.spans
            )
        }

    def _view(self, one: ReviewedDocument) -> dict[str, Any]:
        assert one.now is not None
        assert one.first is not None
        shown = seen(
            one.now,
            {
                entity_key(d.entity): replace(d, ladder=known_candidates(one.first, d), chosen=None)
                for d in one.now.decisions
            },
            self._decided(one),
            one.scores,
            self.settings.attack,
            one.around,
        )
        set_aside = [
            {
                "action": line.action,
                "text": _place(one.raw, line),
                "by": line.by,
                "why": line.reason,
            }
            for line in self.decisions.about(one.raw)
            if line.action in (Action.KEEP, Action.UNMARK)
        ]
        notes = [*one.notes, *one.now.notes]
        return shown | {"notes": notes, "aside": set_aside, "summary": self._summary(one)}


def known_candidates(first: SanitizedDocument, decision: Decision) -> tuple[Any, ...]:
    """The candidates of an entity: those proposed before any decision where none are left.

    Args:
        first: the document before any decision.
        decision: of the entity now.
    """
    places = {m.span for m in decision.entity.mentions}
    for other in first.decisions:
        if any(m.span in places for m in other.entity.mentions) and other.ladder:
            own = [one for one in decision.ladder if one.text not in {c.text for c in other.ladder}]
            return (*own, *other.ladder)
    return decision.ladder


def _place(document: Document, line: ReviewLine) -> str:
    start, end = line.spans[0]
    return document.text[start:end] if line.digest == text_digest(document.text) else ""


def _moved(
    before: SanitizedDocument, after: SanitizedDocument, line: ReviewLine
) -> list[dict[str, str]]:
    """What else stands there now for other entities than the one decided on."""
    then = {m.span: d for d in before.decisions for m in d.entity.mentions}
    moved = []
    for decision in after.decisions:
        first = decision.entity.mentions[0].span
        old = then.get(first)
        about = (first.start, first.end) in line.spans
        if old is not None and old.text != decision.text and not about:
            key = entity_key(decision.entity)
            moved.append({"key": key, "before": old.text, "after": decision.text})
    return moved


def _read(sources: Sequence[SourceFile], settings: Settings) -> Iterator[Document]:
    for source in sources:
        for record in SourceReading(source).records():
            if isinstance(record, InputError):
                raise record
            loaded = source.format.load(record, settings.run.annotator)
            yield replace(loaded.document, annotated=source.format.annotated and loaded.marked)
