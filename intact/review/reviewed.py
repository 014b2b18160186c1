"""The subject of a review, each of its documents, and the changes that a decision makes to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, starmap
from pathlib import Path
from typing import Any

from intact.domain import Decision, Document, Doubts, Entity, Ladder, SanitizedDocument, Span
from intact.english.sentences import sentences
from intact.evaluation.grammar import places_of_defects
from intact.review.decisions import ReviewLine, text_digest
from intact.review.phrases import RefusedError
from intact.run import files
from intact.run.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(Job):
    """A release to be: a run, what it is made of, and who decides."""

    source: Path  # a file or a folder
    decisions: Path  # the file may not be there yet
    kind: str | None = None  # its format; None chooses by suffix
    by: str  # who decides
    redact: bool = False  # keep original texts out of the file of decisions
    columns: str = ""  # names of tables' text columns, with commas; "" lets the format choose
    originals: bool = False  # whether a release in JSON keeps originals and other fields

    def found(self) -> Review:
        """Return the review with everything that is in its source by now, and with the glossary of
        its settings, if they name one."""
        how = (self.kind, None, self.out, self.columns)
        sources, unread = files.find(str(self.source), *how, originals=self.originals)
        glossary = self.settings.generation.glossary or self.glossary
        return replace(self, sources=sources, unread=unread, glossary=glossary)


def entity_key(entity: Entity) -> str:
    """Name an entity for the page by the bounds of its first mention, which no decision changes."""
    span = entity.mentions[0].span
    return f"{span.start}-{span.end}"


@dataclass(slots=True)
class ReviewedDocument:
    """A document under review."""

    raw: Document  # as it was read
    file: str  # the name of its file
    place: tuple[str, str]  # the hash of the file, and the document's number in it, from 1
    warnings: tuple[str, ...] = ()  # what of the input stays in clear or is left out; no text
    found: Document | None = None  # the document with its mentions, before any decision
    notes: tuple[str, ...] = ()  # why detection may have missed something
    scores: Mapping[Span, float] = field(default_factory=dict)  # the detector's, in [0, 1]
    doubts: Doubts = field(default_factory=Doubts)  # what detection probably missed
    made: SanitizedDocument | None = None  # with all decisions; None before it is first made
    offered: Mapping[str, Ladder] = field(default_factory=dict)  # the plan's, by entity id
    sentences: Sequence[Span] = ()  # of its text
    tried: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """The results of attacks, by entity key and text of the candidate, also for candidates no
    longer chosen."""
    things: list[dict[str, Any]] | None = None  # lines of the queue; None if out of date
    problem: str = ""  # why the document cannot be shown; "" if it can
    opened: bool = False  # whether the page has shown it

    @property
    def now(self) -> SanitizedDocument:
        """The document as it was last ``made``. It must be ready."""
        assert self.made is not None
        return self.made

    def candidates(self, decision: Decision) -> Ladder:
        """List the candidates of an entity whatever is decided; a person's own phrase comes
        first."""
        offered = self.offered.get(decision.entity.id, ())
        known = {candidate.text for candidate in offered}
        return (*(each for each in decision.ladder if each.text not in known), *offered)

    def decision(self, key: str) -> Decision:
        """Look up the decision about an entity by its key. Raises a ``RefusedError`` if the entity
        is gone."""
        found = next((d for d in self.now.decisions if entity_key(d.entity) == key), None)
        if found is None:
            raise RefusedError("that is not there any more; look again")
        return found

    def state(self, line: ReviewLine) -> str:
        """Word whether a decision that has the last word still holds. The document must be
        ready."""
        if line.digest != text_digest(self.raw.text):
            return "the text has changed"
        ruling = self.now.decided.get(line.id)
        mentions = self.now.document.mentions if line.action == "mark" else ()
        made = any(m.marked_by == line.id and m.masked for m in mentions)
        return "in force" if made or (ruling and ruling.spans) else "no longer applies"

    def texts(self, line: ReviewLine) -> tuple[str, ...]:
        """List the different original texts that a line is about, in order. If the text has changed
        they are those that the line kept."""
        if line.digest != text_digest(self.raw.text):
            return line.surfaces
        return tuple(dict.fromkeys(span.of(self.raw.text) for span in line.spans))


def sentences_and_cells(document: Document) -> list[Span]:
    """Cut the text of a document into its sentences; a sentence also ends at the border of a
    cell."""
    text = document.text
    borders = (one for one in document.kept if not one.of(text).strip())
    ends = {one.end for one in (*sentences(text), *borders)}
    return [*starmap(Span, pairwise(sorted({0, *ends})))]


def language_defects(before: SanitizedDocument, after: SanitizedDocument) -> list[str]:
    """List the defects in language that a change brought in: the kind of each, and the text that
    shows it.

    Args:
        before: the document before the change.
        after: the document after it.
    """
    both = ([(k, at.of(o.text)) for k, at in places_of_defects(o)] for o in (before, after))
    old, new = map(Counter, both)
    return [f"{kind}: “{shown}”" for kind, shown in new - old]


def tell_regrouped(action: str, before: set[str], stands: set[str]) -> Iterator[str]:
    """Yield messages about the effects of a regrouping: phrases that no longer hold, and the
    glossary's words for a part that was split off.

    Args:
        action: of the decision.
        before: the phrases that people had decided on there.
        stands: those that they or a glossary decide on now.
    """
    yield from (f"“{one}” no longer stands here: decide anew." for one in sorted(before - stands))
    rows = stands if action == "split" else ()
    yield from (f"The glossary says “{one}” of it; write an own phrase (e)." for one in rows)
