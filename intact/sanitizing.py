"""One document: detect, plan, verify, place, without I/O."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from intact import domain
from intact.discourse.things import States, unified
from intact.english.languages import reads_english
from intact.english.numbers import counted
from intact.english.plain import PlainText, read_plain
from intact.english.reading import ReadDocument
from intact.errors import InternalError, LanguageError
from intact.planning.glossary import Glossary
from intact.planning.ladder import is_labelled
from intact.planning.rules.wording import rewriter_of
from intact.protocols import AGAIN, CUT, UNSURE, Detection, Detector, Planner, Reviser
from intact.rewriting.rewrite import Rewriter
from intact.verification.evidence import EvidenceFinder, ProvenEditor
from intact.verification.rounds import RoundsSelector

if TYPE_CHECKING:
    from intact.context import ContextProtection


StatesReader = Callable[[ReadDocument], States]  # the States that a document mentions


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document before phrases are chosen for it: all that no choice of phrases changes.

    Attributes:
        document: with its mentions, which include those that people marked, and clues.
        plain: its text as a person reads it.
        flat: the document that is verified: the plain text, in which what the plan keeps is not
            masked, and clues that the plan found are mentions.
        plan: the candidates for each entity of ``flat``.
        rewriter: of ``flat``.
        notes: what could not be done as people decided.
    """

    document: domain.Document
    plain: PlainText
    flat: domain.Document
    plan: domain.Plan
    rewriter: Rewriter
    notes: tuple[str, ...] = ()


UNCHANGED = "nothing was to be replaced: the text stays as it is"


@dataclass(eq=False)
class Pipeline:
    """Sanitises documents one at a time; no document depends on those before it."""

    planner: Planner  # proposes the candidates for each entity
    selector: RoundsSelector  # verifies: attacks the text, chooses among the rungs, places words
    detector: Callable[[], Detector]  # returns the detector of raw text, which is made once
    # Frees what the parts hold (a language model's process); calling it twice does no harm.
    close: Callable[[], None] = lambda: None
    reviser: Reviser | None = None  # what people decided about the documents, if anything
    # Makes mentions of words that nobody annotated; None leaves them.
    context: ContextProtection | None = None
    usage: Callable[[], Mapping[str, float]] = dict  # what language models were asked so far
    states: StatesReader = lambda _: States()
    english_only: bool = False  # whether documents in other languages are refused
    # The selector for documents whose model plan is not believed; None: ``selector``.
    without_model: RoundsSelector | None = None
    # Finds what shows that phrases are true; None: nobody looks for it.
    evidence: EvidenceFinder | None = None
    glossary: Glossary = Glossary(())  # noqa: RUF009  (facts of a user; nothing changes it)

    def sanitize(self, document: domain.Document) -> domain.SanitizedDocument:
        """Sanitise a document, and return it with its edits, decisions and notes.

        It is detected, planned, verified and placed. If nobody annotated the document, its mentions
        are detected first; the notes then say so, and why something may have been missed
        (``UNSURE``). If nothing is replaced in an annotated one, a note says so (``UNCHANGED``).

        Raises:
            LanguageError: if nothing of it is in English and the settings accept English only.
        """
        if document.annotated:
            done = self.finish(self.plan(document))
            return replace(done, notes=(*done.notes, *((UNCHANGED,) * (not done.edits))))
        detection = self.detect(document.text, document.kept)
        done = self.finish(self.plan(document.with_detected(detection.mentions), detected=True))
        said = f"{counted(len(detection.mentions), 'mention')} detected, none was annotated"
        unsure = (f"{UNSURE}{note}" for note in detection.notes)
        doubts = detection.doubts if document.text.strip() else None
        return replace(done, notes=(said, *unsure, *done.notes), doubts=doubts)

    def plan(
        self,
        document: domain.Document,
        *,
        detected: bool = False,
        earlier: PlannedDocument | None = None,
    ) -> PlannedDocument:
        """Plan a document, before anything is attacked. Return it with its mentions joined to
        entities and those of the glossary, people's decisions and context clues added; the
        candidates for each entity, most specific first; and what places them.

        Args:
            document: with its mentions.
            detected: whether a program found the mentions. If so, words that reveal nothing may be
                left as they are, except where people review the document and decide that.
            earlier: an earlier plan of it. It is returned, with new notes, if people's decisions
                have left the document and its mentions as they were then.

        Raises:
            LanguageError: if nothing of it is in English and the settings accept English only.
        """
        self.check_language(document.text)
        plain = read_plain(document.text, document.kept)
        flat = plain.read(document)
        joined = unified(flat, self.glossary.exact(flat))
        if joined is not flat:
            owner = {m.id: m.entity_id for m in joined.mentions}
            own = (replace(m, entity_id=owner[m.id]) for m in document.mentions)
            document = replace(document, mentions=tuple(own))
        notes = (AGAIN,) * is_labelled(document.text)
        if self.context is not None:
            document = self.context.mentions(document)
        document = self.glossary.keep(document, plain)
        if self.reviser is not None:
            document, more = self.reviser.mentions(document)
            notes += more
        if earlier is not None and earlier.document == document:
            return replace(earlier, notes=notes)
        flat = plain.read(document)
        read = ReadDocument(flat)
        decides = detected and self.reviser is None
        plan = self.planner.plan(read, planned_entities(flat.entities), detected=decides)
        plan = self.evidence.prove(flat, plan) if self.evidence else plan
        if self.context is not None:
            plan = plan.with_clues(flat)
            flat = plan.document or flat
            plan = replace(plan, ladders=self.context.ladders(document, plan.ladders))
        if self.reviser is None:  # what people review, no program keeps
            flat = without(flat, plan.kept)
        read = read.of(flat)
        rewriter = rewriter_of(read, self.states(read))
        return PlannedDocument(document, plain, flat, plan, rewriter, notes)

    def check_language(self, text: str) -> None:
        """Raise a ``LanguageError`` if nothing of a text is in English and the settings accept
        English only; else do nothing."""
        if self.english_only and not reads_english(text):
            raise LanguageError("it is not in English, the only language that INTACT reads")

    def finish(self, planned: PlannedDocument) -> domain.SanitizedDocument:
        """Attack a planned document and return it sanitised: at each entity the most specific
        phrase that withstood every attack or that a person chose, else its label.

        Raises:
            InternalError: if the record would claim what the text does not show.
        """
        document, flat, plan = planned.document, planned.flat, planned.plan
        notes: tuple[str, ...] = (*plan.notes, *planned.notes)
        decided: Mapping[str, domain.Ruling] = {}
        if self.reviser is not None:
            ladders, decided, more = self.reviser.ladders(document, plan.ladders)
            if self.evidence is not None:
                ladders = self.evidence.prove_own(flat, ladders)
            plan, notes = replace(plan, ladders=ladders), (*notes, *more)
        clues = self.context is not None
        editor = self.planner.edit(flat, plan, clues=clues) if plan.believed else None
        if editor is not None and self.evidence is not None:
            editor = ProvenEditor(editor, flat, self.evidence)
        selector = (None if plan.believed else self.without_model) or self.selector
        done = selector.select(planned.rewriter, plan.ladders, editor)
        told = (*done.clues, *(c for c in plan.clues if c.dropped or not clues))
        left = tuple({clue.span: clue for clue in told}.values())
        if left:
            notes += (f"{len(left)} passages outside the mentions may tell who is meant",)
        decisions = (
            replace(d, dropped=(*plan.dropped.get(d.entity.id, ()), *d.dropped))
            for d in done.decisions
        )
        ids = {decision.entity.id for decision in done.decisions}
        stay = {key: phrases for key, phrases in plan.dropped.items() if key not in ids}
        notes = (*done.notes, *notes, *dict.fromkeys(self.glossary.notes(flat, plan)))
        done = replace(done, decisions=tuple(decisions), clues=left, dropped=stay, notes=notes)
        plain = planned.plain.text == document.text
        done = done if plain else lead_back(done, planned)
        return released(replace(done, decided={**self.glossary.rulings(done), **decided}))

    def detect(self, text: str, kept: Iterable[domain.Span] = ()) -> Detection:
        """Detect the mentions in raw text. Return them in text order with the evidence for each,
        notes on why the detectors are unsure, and an estimate of what was missed.

        Args:
            text: in English.
            kept: spans of headings and of borders between cells; the text before one and the text
                after it are never read as one line.
        """
        return self.detector().detect(text, kept)


def lead_back(done: domain.SanitizedDocument, planned: PlannedDocument) -> domain.SanitizedDocument:
    """Return the result for the plain text carried over to the text as it was given, with edits
    that also remove the characters of it that nobody sees. A note counts the runs of these that no
    other edit took.

    Args:
        done: of the plain text.
        planned: the document; its text differs from the plain text.
    """
    plain, text = planned.plain, planned.document.text
    edits = plain.edit(done.edits)
    done = replace(done, edits=(), document=plain.lead_back(done.document))
    done = plain.lead_back(done) if len(plain.at) > 1 else done
    odd = plain.hidden()
    changed = (one.span for one in (*edits, *done.replacements))
    unseen = set(domain.Covered(text, odd).held(changed))
    kept = [edit for edit in edits if edit.span not in unseen]
    taken = domain.Covered(text, (edit.span for edit in kept))
    hidden = [rest for span in odd for rest in taken.gaps(span)]
    if hidden:
        done = replace(done, notes=(*done.notes, f"{CUT}{counted(len(hidden), 'place')}"))
    own = (
        replace(r, text="", origin=domain.Source.NESTED) if r.span in unseen else r
        for r in done.replacements
    )
    edits = *kept, *(domain.Edit(span, "") for span in hidden)
    return replace(done, edits=tuple(sorted(edits, key=lambda e: e.span)), replacements=tuple(own))


def released(done: domain.SanitizedDocument) -> domain.SanitizedDocument:
    """Return a sanitised document unchanged, after checking that all that its record says was
    replaced is replaced in its text.

    Raises:
        InternalError: if a character of a masked mention or of a recorded place stays, or if the
            text at a place is not what the record says.
    """
    placed = {edit.span: edit.text for edit in done.edits}
    masked = (m.span for entity in done.document.entities for m in entity.mentions)
    recorded = [*masked, *(r.span for r in done.replacements)]
    stays = len(recorded) - len(domain.Covered(done.document.text, placed).held(recorded))
    other = (r for r in done.replacements if placed.get(r.span, "").split() != r.text.split())
    if lost := stays + sum(bool(one.text) for one in other):
        raise InternalError(f"{counted(lost, 'recorded replacement')} would not stand in its text")
    return done


def planned_entities(entities: Iterable[domain.Entity]) -> list[domain.Entity]:
    """List, in order, those entities for which a phrase may stand. Direct identifiers (names of
    people, codes) and entities of unknown types are left out: only a label replaces these."""
    own = (entity for entity in entities if entity.generalisable)
    return [entity for entity in own if entity.entity_type in domain.ENTITY_TYPES]


def without(document: domain.Document, kept: Collection[str]) -> domain.Document:
    """Return the document with the mentions of some entities unmasked (NO_MASK), so that they stay
    as they are; the document itself if there are no such entities.

    Args:
        document: with its mentions.
        kept: ids of the entities; their mentions are no longer masked.
    """
    said, no = document.mentions, domain.IdentifierType.NO_MASK
    mentions = (replace(m, identifier_type=no) if m.entity_id in kept else m for m in said)
    return replace(document, mentions=tuple(mentions)) if kept else document
