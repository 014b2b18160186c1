"""The subject of a review, each of its documents, and what a decision changed in one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from pathlib import Path
from typing import Any

from intact.config import Settings
from intact.domain import Decision, Document, Doubts, Entity, Ladder, SanitizedDocument, Span
from intact.english.sentences import sentences
from intact.evaluation.grammar import places_of_defects
from intact.review.decisions import ReviewLine, text_digest
from intact.review.phrases import RefusedError
from intact.run import files
from intact.run.job import Job


@dataclass(frozen=True, slots=True)
class Review:
    """The subject of a review, and where its files lie."""

    source: Path  # a file or a folder
    kind: str | None  # its format, or None to go by suffix
    out: Path  # what release writes
    decisions: Path
    settings: Settings
    by: str  # who decides
    redact: bool = False  # keep no originals in the decisions
    certified: Path | None = None  # where release writes the certificate, if anywhere
    glossary: Path | None = None  # where facts go that are to hold always
    columns: str = ""  # of tables, with the text, with commas; "" leaves it to the format
    originals: bool = False  # whether a release in JSON keeps originals and other fields
    skip_bad: bool = False  # leave out documents that cannot be read

    def job(self) -> Job:
        """Describe the run that a release is, with all that lies in the source by now."""
        how = (self.kind, None, self.out, self.columns, self.settings.formats.links)
        sources, unread = files.find(str(self.source), *how, originals=self.originals)
        return Job(sources, self.out, self.source.is_dir(), self.settings, unread=unread)


def entity_key(entity: Entity) -> str:
    """Name an entity for the page by where it first stands, which no decision changes."""
    span = entity.mentions[0].span
    return f"{span.start}-{span.end}"


@dataclass(slots=True)
class ReviewedDocument:
    """A document under review."""

    raw: Document  # as it was read
    file: str  # the name of its file
    place: tuple[str, str]  # the hash of that, and its number there, from 1
    warnings: tuple[str, ...] = ()  # what of the input is left in clear or was taken out; no text
    found: Document | None = None  # with its mentions, before any decision
    notes: tuple[str, ...] = ()  # why detection may have missed something
    scores: Mapping[Span, float] = field(default_factory=dict)  # of detected mentions
    doubts: Doubts = field(default_factory=Doubts)  # what detection probably missed
    made: SanitizedDocument | None = None  # with all decisions; None until it is ready first
    offered: Mapping[str, Ladder] = field(default_factory=dict)  # by entity id, whatever is decided
    sentences: Sequence[Span] = ()  # of its text
    tried: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """What attacks found, by place and candidate, whatever stands there now."""
    things: list[dict[str, Any]] | None = None  # as the queue has them; None until it is read again
    problem: str = ""  # why it cannot be shown
    opened: bool = False  # whether the page showed it

    @property
    def now(self) -> SanitizedDocument:
        """The document as it was ``made``, once it is ready."""
        assert self.made is not None
        return self.made

    def candidates(self, decision: Decision) -> Ladder:
        """List the candidates of an entity whatever is decided, an own phrase before them."""
        offered = self.offered.get(decision.entity.id, ())
        known = {candidate.text for candidate in offered}
        return (*(each for each in decision.ladder if each.text not in known), *offered)

    def decision(self, key: str) -> Decision:
        """Look up what stands for an entity; raise a ``RefusedError`` if it is gone."""
        found = next((d for d in self.now.decisions if entity_key(d.entity) == key), None)
        if found is None:
            raise RefusedError("that is not there any more; look again")
        return found

    def state(self, line: ReviewLine) -> str:
        """Say whether a decision that is the last word still holds, once it is ready."""
        if line.digest != text_digest(self.raw.text):
            return "the text has changed"
        ruling = self.now.decided.get(line.id)
        mentions = self.now.document.mentions if line.action == "mark" else ()
        made = any(m.marked_by == line.id and m.masked for m in mentions)
        return "in force" if made or (ruling and ruling.spans) else "no longer applies"

    def texts(self, line: ReviewLine) -> tuple[str, ...]:
        """List the different texts that a line is about, as they stand in the original."""
        if line.digest != text_digest(self.raw.text):
            return line.surfaces
        return tuple(dict.fromkeys(span.of(self.raw.text) for span in line.spans))


def sentences_and_cells(document: Document) -> list[Span]:
    """Cut the text of a document into its sentences, which end at the borders of cells, too."""
    text = document.text
    borders = (one for one in document.kept if not one.of(text).strip())
    ends = {one.end for one in (*sentences(text), *borders)}
    return [*starmap(Span, pairwise(sorted({0, *ends})))]


def language_defects(before: SanitizedDocument, after: SanitizedDocument) -> list[str]:
    """List the kinds of language defects that a change brought in, with what shows each.

    Args:
        before: the document as it was.
        after: as it is.
    """
    both = ([(k, at.of(o.text)) for k, at in places_of_defects(o)] for o in (before, after))
    old, new = map(Counter, both)
    return [f"{kind}: “{shown}”" for kind, shown in new - old]


def tell_regrouped(action: str, before: set[str], stands: set[str]) -> Iterator[str]:
    """Tell what a change of what is one thing took away, and what a glossary says of a part that
    was split off.

    Args:
        action: of the decision.
        before: the phrases that people had decided on there.
        stands: those that they or a glossary decide on now.
    """
    yield from (f"“{one}” no longer stands here: decide anew." for one in sorted(before - stands))
    rows = stands if action == "split" else ()
    yield from (f"The glossary says “{one}” of it; write an own phrase (e)." for one in rows)
