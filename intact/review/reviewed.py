"""A document under review: what is reviewed and released, how the page shows each document (every
entity in its sentences, with the candidates for it), and what a decision changes in one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, islice, pairwise, starmap, takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any

from intact import domain
from intact.domain import Covered, Decision, Document, Doubts, Entity, Outcome, Span, cut_at
from intact.english.sentences import sentences
from intact.english.vocabulary import denies
from intact.english.words import is_ordinary
from intact.evaluation.grammar import places_of_defects
from intact.formats.outcome import COVERED, LABEL, UNTESTED, candidates, evidence_fields, outcomes
from intact.review.decisions import WHY, ReviewLine, text_digest
from intact.review.phrases import RefusedError
from intact.run import files
from intact.run.job import Job

_DOUBTFUL = 0.6
_AROUND = 30  # characters shown on each side of a place in the list of places
# The fields of an entity that its line in the queue has.
BRIEF = "key surfaces type outcome replacement doubtful weak drifted decided concern".split()
DOUBT = "DOUBT"  # the outcome of a place that may hold something the detector missed
_MOST_DOUBTS = 40  # most such places shown for a document; the likeliest are
# By type, the share of its phrases that readers held to be true, of 260 phrases in all.
_TRUE = {"DATETIME": 1.0, "QUANTITY": 1.0, "LOC": 0.98, "ORG": 0.97, "DEM": 0.97, "MISC": 0.83}
_INEXACT = 0.85  # factor where the phrase's entry in the knowledge base is not the whole mention's


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(Job):
    """A release to be: a run, what it is made of, and who decides."""

    source: Path  # a file or a folder
    decisions: Path  # this file and the next need not be there yet
    glossary: Path
    kind: str | None = None  # its format; None chooses by suffix
    by: str  # who decides
    redact: bool = False  # keep original texts out of the file of decisions
    columns: str = ""  # names of tables' text columns, with commas; "" lets the format choose
    originals: bool = False  # whether a release in JSON keeps originals and other fields

    def found(self) -> Review:
        """Return the review with ``sources`` and ``unread`` set to what is in its input by now, and
        with the glossary of its settings, if they name one."""
        how = (self.kind, None, self.out, self.columns)
        sources, unread = files.find(str(self.source), *how, originals=self.originals)
        glossary = self.settings.generation.glossary or self.glossary
        return replace(self, sources=sources, unread=unread, glossary=glossary)


def entity_key(entity: Entity) -> str:
    """Name an entity for the page by the bounds of its first mention ("17-25"), which no decision
    changes."""
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
    made: domain.SanitizedDocument | None = None  # with all decisions; None before it is first made
    offered: Mapping[str, domain.Ladder] = field(default_factory=dict)  # the plan's, by entity id
    sentences: Sequence[Span] = ()  # of its text
    # The results of attacks, by entity key and text of the candidate, also for candidates no longer
    # chosen.
    tried: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    things: list[dict[str, Any]] | None = None  # lines of the queue; None if out of date
    problem: str = ""  # why the document cannot be shown; "" if it can
    opened: bool = False  # whether the page has shown it

    @property
    def now(self) -> domain.SanitizedDocument:
        """The sanitised document as it was last made; it must have been made before."""
        assert self.made is not None
        return self.made

    def candidates(self, decision: Decision) -> domain.Ladder:
        """List all candidates for an entity, whatever is decided on it: a person's own phrase comes
        first, then those that the plan offered, most specific first."""
        offered = self.offered.get(decision.entity.id, ())
        known = {candidate.text for candidate in offered}
        return (*(each for each in decision.ladder if each.text not in known), *offered)

    def decision(self, key: str) -> Decision:
        """Return the decision about an entity (its candidates and what stands for it), by the key
        that the page has of the entity. Raise a ``RefusedError`` if the entity is gone."""
        found = next((d for d in self.now.decisions if entity_key(d.entity) == key), None)
        if found is None:
            raise RefusedError("that is not there any more; look again")
        return found

    def state(self, line: ReviewLine) -> str:
        """Word whether a person's decision that has the last word still holds: "in force", "no
        longer applies" or, for a decision about an earlier text, "the text has changed". The
        document must have been made."""
        if line.digest != text_digest(self.raw.text):
            return WHY["changed"]
        ruling = self.now.decided.get(line.id)
        mentions = self.now.document.mentions if line.action == "mark" else ()
        made = any(m.marked_by == line.id and m.masked for m in mentions)
        return "in force" if made or (ruling and ruling.spans) else "no longer applies"

    def texts(self, line: ReviewLine) -> tuple[str, ...]:
        """List the different original texts that a person's decision is about, in order. If the
        text of the document has changed since, they are those that the decision kept."""
        if line.digest != text_digest(self.raw.text):
            return line.surfaces
        return tuple(dict.fromkeys(span.of(self.raw.text) for span in line.spans))


# Entity key -> (the line that counts, whether it is about this same text).
Decided = Mapping[str, tuple[ReviewLine, bool]]
Cleared = Mapping[Span, ReviewLine]


class DocumentView:
    """A document as the page shows it.

    Args:
        one: ready; the results of its attacks are added to its ``tried``.
        decided: the decisions about its entities.
        cleared: by place, the line that says nothing personal is there.
        guesses: number that an attacker had.
    """

    def __init__(
        self, one: ReviewedDocument, decided: Decided, cleared: Cleared, guesses: int
    ) -> None:
        """Keep the arguments, and look up the sentences and outcomes of the document."""
        self._one, self._decided, self._cleared, self._guesses = one, decided, cleared, guesses
        self._original, self._edits = one.now.document.text, one.now.edits
        self._begins = [sentence.start for sentence in one.sentences]
        self._outcomes = outcomes(one.now)

    def shown(self) -> dict[str, Any]:
        """Return the document as JSON values for the page: its original text, cut at the mentions
        and what is kept; the sanitised text; its entities, those that a person should look at most
        first; and doubtful places."""
        now = self._one.now
        entities = [self._entity(decision) for decision in now.decisions]
        spans = [(m.span, entity_key(d.entity)) for d in now.decisions for m in d.entity.mentions]
        pieces = cut_at(self._original, (*spans, *((at, "kept") for at in now.document.clear)))
        return {
            "id": now.document.id,
            "most_guesses": self._guesses,
            "text": now.text,
            "original": [{"text": text, "key": key or ""} for text, key in pieces if text],
            "entities": sorted(entities, key=lambda entity: -entity["concern"]),
            "doubtful": self._doubtful(),
        }

    def _entity(self, decision: Decision) -> dict[str, Any]:
        """Return an entity as JSON values: its key and type, its places and sentences, what stands
        there, how it was attacked, how much a person should look at it (``concern``, higher first),
        the decision on it, and its candidates. Store the results of attacks in the document."""
        entity, rungs, scores = decision.entity, candidates(decision), self._one.scores
        key, spans = entity_key(entity), {mention.span for mention in entity.mentions}
        score = min(map(scores.__getitem__, scores.keys() & spans), default=1.0)
        line, same = self._decided.get(key, (None, True))
        self._one.tried |= {(key, rung["text"]): rung for rung in rungs if "outcome" in rung}
        chosen = next(rung for rung in rungs if rung.get("chosen"))
        ends = {self._outcomes[mention.id] for mention in entity.mentions}
        outcome = min(ends - {COVERED}, default=COVERED)
        plain = any(map(denies, entity.surfaces)) and not denies(decision.text)
        hedged = outcome != LABEL and plain
        first = 20.0 * (not same) + 2.0 * hedged
        control = max((attack.risk for attack in decision.controls), default=None)
        return {
            "key": key,
            "type": entity.entity_type,
            "surfaces": list(entity.surfaces),
            "places": [self._place(mention.span) for mention in entity.mentions],
            "replacement": decision.text,
            "label": decision.label,
            "outcome": outcome,
            "control": control,
            "doubtful": score < _DOUBTFUL,
            "hedged": hedged,
            "weak": hedged or (decision.evidence is not None and decision.evidence.weak),
            "score": round(score, 2),
            "concern": first + _concern(decision, outcome, chosen, score, control),
            "sentences": list(self._sentences(entity)),
            "drifted": not same,
            "decided": asdict(line) if line and same else None,
            "candidates": [*self._choices(decision)],
        }

    def _choices(self, decision: Decision) -> Iterator[dict[str, Any]]:
        """Yield the candidates of an entity as JSON values, a person's own phrase first, then most
        specific first, each with its evidence and the result of the attack on it, if there was
        one."""
        key = entity_key(decision.entity)
        for each in self._one.candidates(decision):
            found = self._one.tried.get((key, each.text), {})
            guesses = [guess["text"] for guess in found.get("guesses", ())[: self._guesses]]
            yield {
                "text": each.text,
                "source": each.provenance,
                "chosen": decision.chosen is not None and each.text == decision.text,
                "outcome": found.get("outcome", ""),
                "risk": None if found.get("outcome") == Outcome.UNPARSED else found.get("risk"),
                "evidence": evidence_fields(each.evidence) if each.evidence else None,
                "guesses": [*dict.fromkeys(guesses)],
            }

    def _doubtful(self) -> list[dict[str, Any]]:
        """Return the places where the detector may have missed something, the likeliest first and
        at most 40, as JSON values with the fields of entities.

        Places that touch a mention by now are left out. So are everyday words that the dictionary
        has, unless they may be demographic."""
        text, cleared = self._original, self._cleared
        known = Covered(text, (mention.span for mention in self._one.now.document.mentions))
        likely = sorted(self._one.doubts.places, key=lambda place: -min(place.missed, 1.0))
        shown: Iterator[dict[str, Any]] = (
            {
                "key": f"?{span.start}-{span.end}",
                "type": kind,
                "surfaces": [span.of(text)],
                "places": [self._place(span)],
                "replacement": f"line {text.count(chr(10), 0, span.start) + 1}",
                "outcome": DOUBT,
                "score": round(min(missed, 1.0), 2),
                "concern": 0.2 + 3.0 * min(missed, 1.0),
                "sentences": [{"before": self._cut(self._around(span), [span])}],
                "decided": asdict(cleared[span]) if span in cleared else None,
            }
            for span, kind, missed in likely
            if not known.touches(span)
            if kind == domain.EntityType.DEM or not is_ordinary(span.of(text))
        )
        return [*islice(shown, _MOST_DOUBTS)]

    def _place(self, span: Span) -> dict[str, Any]:
        """Return a place as JSON values: its ``start`` and ``end``, and ``words``, its text with 30
        characters on each side and single blanks."""
        text, low, high = self._original, span.start, span.end
        words = (text[max(0, low - _AROUND) : low], span.of(text), text[high : high + _AROUND])
        return {"start": low, "end": high, "words": " ".join("".join(words).split())}

    def _sentences(self, entity: Entity) -> Iterable[dict[str, list[str]]]:
        """Yield {"before": parts, "after": parts} for each sentence that mentions the entity, in
        order: the sentence before and after sanitising, cut at the entity's mentions, so that every
        second part is a mention or its replacement."""
        placed = ((self._around(mention.span), mention.span) for mention in entity.mentions)
        for around, group in groupby(placed, key=itemgetter(0)):
            spans = [span for _, span in group]
            yield {"before": self._cut(around, spans), "after": self._after(around, spans)}

    def _around(self, place: Span) -> Span:
        """Return the span of the sentence that holds a place, without blanks at its ends; if the
        place reaches into further sentences, the span of all of them."""
        sentences = self._one.sentences
        first = sentences[bisect_right(self._begins, place.start) - 1].start
        raw = self._original[first : sentences[bisect_left(self._begins, place.end) - 1].end]
        start = first + len(raw) - len(raw.lstrip())
        return Span(min(start, place.start), max(start + len(raw.strip()), place.end))

    def _after(self, around: Span, places: Sequence[Span]) -> list[str]:
        """Cut a sentence as it is after sanitising. Every second part is a replacement at one of
        the places, and the parts between are the rest with all other replacements; if nothing is
        replaced at the places, the whole sentence is the second part.

        Args:
            around: the span of the sentence in the original.
            places: spans of an entity's mentions in it.
        """
        parts, done = [""], around.start
        first = bisect_right(self._edits, around.start, key=lambda edit: edit.span.end)
        for edit in takewhile(lambda edit: edit.span.start < around.end, self._edits[first:]):
            parts[-1] += self._original[done : edit.span.start]
            if any(map(edit.span.overlaps, places)):
                parts += [edit.text, ""]
            else:
                parts[-1] += edit.text
            done = edit.span.end
        parts[-1] += self._original[done : around.end]
        return parts if len(parts) > 1 else ["", *parts, ""]

    def _cut(self, around: Span, places: Iterable[Span]) -> list[str]:
        """Cut a part of the original at some places; every second piece is a place."""
        return [part for part, _ in cut_at(self._original, ((at, 0) for at in places), around)]


def _concern(
    decision: Decision, outcome: str, chosen: Mapping[str, Any], score: float, control: float | None
) -> float:
    """Return how much a person should look at an entity; 0 or more, higher is more urgent.

    A guessed entity comes first, then doubtful finds and unknown types, then weak evidence, then
    phrases by the probability that they are not true and the risk that they add to the label's. A
    label reveals nothing, so it comes last.

    Args:
        decision: about the entity.
        outcome: of the attack on what is in the text.
        chosen: the candidate that is in the text, as the object that ``candidates`` makes of it.
        score: how sure the detector is, in [0, 1].
        control: the largest risk at the label; None where the label was not attacked.
    """
    guessed = outcome in (Outcome.GUESSED, Outcome.UNPARSED, UNTESTED)
    unsure = score < _DOUBTFUL or decision.entity.entity_type not in domain.ENTITY_TYPES
    concern = 4.0 * guessed + 2.0 * unsure + 1.0 * (outcome == Outcome.CONTEXT)
    if outcome in (LABEL, COVERED):
        return concern + 0.1 * (outcome == LABEL)
    true = _TRUE.get(decision.entity.entity_type, 0.8) * score
    true *= decision.evidence.probability if decision.evidence else 0.0
    if "entry" in chosen and ", exact)" not in chosen["entry"]:
        true *= _INEXACT
    added = max(0.0, float(chosen.get("risk", 0.0)) - (control or 0.0))
    return concern + 3.0 * (1.0 - true) + added


def sentences_and_cells(document: Document) -> list[Span]:
    """Cut the text of a document into the spans of its sentences, in order and without gaps; a
    sentence also ends at the border of a cell."""
    text = document.text
    borders = (one for one in document.kept if not one.of(text).strip())
    ends = {one.end for one in (*sentences(text), *borders)}
    return [*starmap(Span, pairwise(sorted({0, *ends})))]


def language_defects(
    before: domain.SanitizedDocument, after: domain.SanitizedDocument
) -> list[str]:
    """List the defects in language that a change brought in, as "KIND: “the text that shows it”";
    [] if it brought in none. Those that were there before the change are left out.

    Args:
        before: the document before the change.
        after: the document after it.
    """
    both = ([(k, at.of(o.text)) for k, at in places_of_defects(o)] for o in (before, after))
    old, new = map(Counter, both)
    return [f"{kind}: “{shown}”" for kind, shown in new - old]


def tell_regrouped(action: str, before: set[str], stands: set[str]) -> Iterator[str]:
    """Yield messages about the effects of a regrouping (split, join, retype): sorted, a message for
    each phrase that no longer stands, and after a split one for each phrase that stands, as the
    glossary's.

    Args:
        action: of the decision.
        before: the phrases that people had decided on there.
        stands: those that they or a glossary decide on now.
    """
    yield from (f"“{one}” no longer stands here: decide anew." for one in sorted(before - stands))
    rows = stands if action == "split" else ()
    yield from (f"The glossary says “{one}” of it; write an own phrase (e)." for one in rows)
