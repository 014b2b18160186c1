"""The types of INTACT: spans, mentions, entities, candidates, guesses, replacements.

Offsets are Unicode code points, half-open: ``text[start:end]``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from intact.errors import DocumentError

T = TypeVar("T")
OFFSETS = "Offsets are Unicode code points, end exclusive"


@dataclass(frozen=True, slots=True)
class TypeRow:
    """An entity type: one row of ``ENTITY_TYPES``."""

    name: str  # as mentions carry it ("LOC")
    noun: str  # what readable labels say ("the second place")
    hypernym: str  # a phrase that is true of everything of this type ("a place")
    kind: str  # the detectors' kind, where nothing finer is known ("place")
    generalisable: bool = True  # False where only a label may replace it
    by_value: bool = False  # its mentions are values to read and compute with (dates, amounts)
    identifies: bool = False  # no replacement may contain a text of this type
    proper: bool = False  # every mention of this type is a proper name
    definite: bool = False  # later mentions of it take "the"
    label: str = ""  # the word of its labels where the name says nothing to a reader ("DETAIL")
    aliases: Sequence[str] = ()  # what other tools call it: capitals, underscores


class EntityType:
    """Names of the types that some code treats specially. Elsewhere a type is a plain string; one
    that ``ENTITY_TYPES`` lacks is kept, and only a label can replace it."""

    PERSON = "PERSON"
    CODE = "CODE"
    LOC = "LOC"
    ORG = "ORG"
    DEM = "DEM"
    DATETIME = "DATETIME"
    QUANTITY = "QUANTITY"
    MISC = "MISC"


_TABLE = tomllib.loads(Path(__file__).with_name("entity_types.toml").read_text("utf-8"))
_ROWS = tuple(TypeRow(name, **row) for name, row in _TABLE.items())

# Name -> row. The eight types of the Text Anonymization Benchmark (Pilán et al. 2022).
ENTITY_TYPES: Mapping[str, TypeRow] = {row.name: row for row in _ROWS}
NAME = "NAME"  # the label of a name that may be a person's, a place's or anything's
GENERALISABLE = tuple(row.name for row in _ROWS if row.generalisable)
LABEL_ONLY = frozenset(ENTITY_TYPES) - frozenset(GENERALISABLE)  # they identify directly
BY_VALUE = frozenset(row.name for row in _ROWS if row.by_value)
BY_CONCEPT = frozenset(GENERALISABLE) - BY_VALUE  # generalised by what kind of thing they are
PROPER = frozenset(row.name for row in _ROWS if row.proper)
_NAMED = {alias: row.name for row in _ROWS for alias in (row.name, *row.aliases)}


@cache
def type_row(entity_type: str) -> TypeRow:
    """Return the row of an entity type. An unknown type gets a row of its own that is true of
    everything: the hypernym "a thing", the kind "other", and only a label may replace it."""
    known = ENTITY_TYPES.get(entity_type)
    noun = entity_type.replace("_", " ").lower()
    return known or TypeRow(entity_type, noun, "a thing", "other", generalisable=False)


def type_named(name: str) -> str:
    """Translate another tool's name of an entity type (Presidio's, spaCy's, CoNLL-2003's and
    others), in upper or lower case, to INTACT's ("GPE" to "LOC"). Return an unknown name
    unchanged."""
    return _NAMED.get(name.strip().upper().replace("-", "_").replace(" ", "_"), name)


class IdentifierType(StrEnum):
    """The way a mention identifies: directly, with others, or not at all (left as it is)."""

    DIRECT = "DIRECT"
    QUASI = "QUASI"
    NO_MASK = "NO_MASK"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points, never empty.

    That it is one is checked where offsets come in (``read``, ``Document``) and where a text is
    written (``apply_edits``), not each time that code moves one."""

    start: int
    end: int

    @classmethod
    def read(cls, start: int, end: int) -> Span:
        """Make a span of offsets that a file or a person gave.

        Args:
            start: of the first character.
            end: of the last one, exclusive.

        Raises:
            DocumentError: if it is empty or negative.
        """
        if not 0 <= start < end:
            raise DocumentError(f"span [{start}, {end}) is empty or negative")
        return cls(start, end)

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Return the part of ``text`` at this span."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Check that the two share a character."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Check that every character of ``other`` is in this span."""
        return self.start <= other.start and other.end <= self.end


class Covered:
    """The characters of one text that some spans cover. A question takes time linear in the length
    of the span asked about."""

    def __init__(self, text: str, spans: Iterable[Span] = ()) -> None:
        """Mark the characters of the text that the spans cover; the spans may overlap."""
        self._marks = bytearray(len(text))
        for span in spans:
            self._marks[span.start : span.end] = b"\x01" * (span.end - span.start)

    def touches(self, span: Span) -> bool:
        """Check whether any character of a span is covered."""
        return self._marks.find(1, span.start, span.end) >= 0

    def holds(self, span: Span) -> bool:
        """Check whether every character of a span is covered."""
        return self._marks.find(0, span.start, span.end) < 0

    def free(self, spans: Iterable[Span]) -> list[Span]:
        """List those of some spans of which no character is covered, in their order."""
        return [span for span in spans if not self.touches(span)]

    def held(self, spans: Iterable[Span]) -> list[Span]:
        """List those of some spans of which every character is covered, in their order."""
        return [span for span in spans if self.holds(span)]

    def gaps(self, span: Span) -> list[Span]:
        """List the stretches of a span that are not covered, in order: [] if all of it is, the
        whole span if nothing is."""
        free = re.finditer(b"\0+", self._marks[span.start : span.end])
        return [Span(span.start + gap.start(), span.start + gap.end()) for gap in free]


@dataclass(frozen=True, slots=True)
class Mention:
    """One span of personal information."""

    id: str  # unique in its document
    span: Span
    text: str
    entity_id: str  # the entity that it mentions; mentions of one entity share it
    entity_type: str
    identifier_type: IdentifierType = IdentifierType.QUASI
    clue: str = ""  # the class of clue it was made from, if nobody annotated it (docs/context.md)
    marked_by: str = ""  # the decision by which a person marked it, or "glossary 3" for its line 3

    @property
    def masked(self) -> bool:
        """Check if this mention has to be replaced; one with NO_MASK stays as it is."""
        return self.identifier_type is not IdentifierType.NO_MASK

    @property
    def generalisable(self) -> bool:
        """Check if a truthful generalisation may replace it: it is a quasi-identifier, of no type
        that identifies directly (PERSON, CODE). Else only a label may, or it is not masked. True
        also for an unknown type, which has no generalisation in the end."""
        return self.identifier_type is IdentifierType.QUASI and self.entity_type not in LABEL_ONLY


@dataclass(frozen=True)
class Entity:
    """All masked mentions of one thing in one document, in text order, never empty."""

    id: str
    mentions: tuple[Mention, ...]

    @cached_property
    def entity_type(self) -> str:
        """The entity type of its first mention."""
        return self.mentions[0].entity_type

    @cached_property
    def generalisable(self) -> bool:
        """Check that every mention may be generalised; a single direct identifier among them
        forbids it."""
        return all(mention.generalisable for mention in self.mentions)

    @cached_property
    def surfaces(self) -> tuple[str, ...]:
        """The different texts of its mentions, in order of first appearance."""
        return tuple(dict.fromkeys(mention.text for mention in self.mentions))


DETECTED = "intact"  # the annotator's name for detected mentions


@dataclass(frozen=True)
class Document:
    """A text and its annotated mentions, as one annotator saw them.

    Raises:
        DocumentError: if a mention has no text, or not the text at its span.
    """

    id: str
    text: str
    mentions: tuple[Mention, ...]
    annotator: str = ""
    language: str = "en"
    annotated: bool = True  # False where the mentions still have to be detected
    # left as they are, by a person's wish or as headings: nothing is detected or swept in them
    kept: frozenset[Span] = frozenset()

    def __post_init__(self) -> None:
        for mention in self.mentions:
            start, end = mention.span.start, mention.span.end
            if not 0 <= start < end <= len(self.text) or mention.span.of(self.text) != mention.text:
                problem = "the text at its offsets is not the mention's text"
                where, remedy = f"document {self.id}, mention {mention.id}", f"{OFFSETS}."
                raise DocumentError(problem, where=where, remedy=remedy)

    def with_detected(self, mentions: Iterable[Mention]) -> Document:
        """Return the document as annotated by "intact", with detected mentions in place of its own.

        What lies in ``kept`` is cut off a mention. Each part that is left, in one line and without
        blanks and punctuation at its ends, becomes a mention of its own, with the entity and type
        of the whole: "m1@8", if it begins at 8. Parts without a letter or digit are dropped."""
        kept, own = Covered(self.text, self.kept), list[Mention]()
        for mention in mentions:
            if not kept.touches(mention.span):
                own.append(mention)
                continue
            for gap in kept.gaps(mention.span):
                for part in re.finditer(r"\w(?:.*\w)?", gap.of(self.text)):
                    span = Span(gap.start + part.start(), gap.start + part.end())
                    key = f"{mention.id}@{span.start}"
                    own.append(replace(mention, id=key, span=span, text=part[0]))
        return replace(self, mentions=tuple(own), annotator=DETECTED, annotated=True)

    @cached_property
    def clear(self) -> Mapping[Span, str]:
        """The places that a glossary keeps in clear, each with the number of the glossary's line,
        as text: {Span(4, 9): "3"}."""
        said = {one.span: "" if one.masked else one.marked_by for one in self.mentions}
        return {at: by.split()[1] for at, by in said.items() if by.startswith(Source.GLOSSARY)}

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The entities that have masked mentions, each with these alone and in text order. Entities
        are in the order of their first mentions; of two that begin together, the longer is
        first."""
        groups: dict[str, list[Mention]] = {}
        for mention in sorted(self.mentions, key=lambda m: (m.span.start, -m.span.end, m.id)):
            if mention.masked:
                groups.setdefault(mention.entity_id, []).append(mention)
        return tuple(Entity(key, tuple(mentions)) for key, mentions in groups.items())


class Source(StrEnum):
    """The origin of a phrase. Generators of other packages have names of their own."""

    DATES = "dates"
    QUANTITIES = "quantities"
    KNOWLEDGE = "knowledge"
    GLOSSARY = "glossary"  # a user's own fact; it is always tried
    CONTEXT = "context"  # a phrase for a class of unannotated words
    MODEL = "llm"
    REVIEWER = "reviewer"  # a phrase that a person wrote
    GUARD = "guard"
    LABEL = "label"
    CONTROL = "control"  # a label where attackers are asked at labels: it is never left out
    NESTED = "nested"  # no phrase of its own: a neighbouring replacement's words cover it


class EvidenceKind(StrEnum):
    """The kinds of evidence that a phrase follows from its original. Who wrote the phrase is no
    evidence."""

    VALUE = "VALUE"  # arithmetic: the phrase's time or amount contains the original's
    KNOWLEDGE = "KNOWLEDGE"  # gazetteer, tree of kinds: what the words name is of that kind
    ENTAILMENT = "ENTAILMENT"  # the entailment network, with its probability
    MODEL = "MODEL"  # a language model's answer to a second question; it rejected the decoys
    PERSON = "PERSON"  # a person's word alone, in a review or the glossary: it was not checked


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence that a phrase is true of its original in the original's sentence."""

    kind: EvidenceKind
    probability: float = 1.0  # that the phrase follows, in [0, 1], as this evidence estimates it

    @property
    def weak(self) -> bool:
        """Tell whether a person should look at it: its probability is below 0.5.

        On held-out documents of ``eval/entailment`` that was so for two thirds of the accepted
        phrases that do not follow, and for a quarter of the phrases that editors wrote."""
        return self.probability < 0.5


# The evidence of a user's own phrase that may not stand in this document, because it names what is
# hidden there.
REFUSED = Evidence(EvidenceKind.PERSON, 0.0)


@dataclass(frozen=True, slots=True)
class Wording:
    """The words that replace one mention, at one rung of its entity's ladder."""

    span: Span  # in the original: the mention and the words replaced with it ("on the")
    text: str  # "" where another mention's words cover this one, too
    # Ids of the entities that the words refer to ("a third of that sum"). The words may stand only
    # while each of those has a phrase and not its label.
    leans_on: tuple[str, ...] = ()
    said: Span | None = None  # where in ``text`` the candidate's phrase is; None: it is all of it


@dataclass(frozen=True, slots=True)
class Candidate:
    """A generalisation of an entity: a noun phrase that is true of it."""

    text: str  # as it would stand in mid-sentence ("a city in Turkey", "May 1996")
    rank: int  # 0 is the most specific rung of the ladder
    source: str  # the generator that proposed it: a ``Source``, or another package's name
    # What it covers, in a canonical form that can be compared: "interval:1996-05-01/1996-05-31",
    # "number:50/100", "concept:geo/TR"; None where that is not known.
    subsumes: str | None = None
    entry: str = ""  # what the original was matched with, for a reader: "Bergen (city, exact)"
    # By mention id, for the mentions that a planner worded; at others, rules fit ``text``.
    wordings: Mapping[str, Wording] = field(default_factory=dict, hash=False)
    decided: bool = False  # a person chose it: it is attacked, but stays even if it is guessed
    evidence: Evidence | None = None  # None: nothing shows that it is true, and it may not stand

    @property
    def texts(self) -> frozenset[str]:
        """The candidate's phrase, and all words that a planner wrote for it at a mention; never
        ""."""
        return frozenset({self.text, *(one.text for one in self.wordings.values())} - {""})

    @property
    def provenance(self) -> str:
        """Its source as records name it: the source alone ("knowledge"), or "reviewer, knowledge"
        where a person chose a phrase of that source."""
        if not self.decided or self.source == Source.REVIEWER:
            return self.source
        return f"{Source.REVIEWER}, {self.source}"


# Candidates of one entity, ranks 0, 1, 2 ..., most specific first; may be empty.
Ladder = tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class DroppedPhrase:
    """A phrase that a planner offered and that cannot stand."""

    text: str
    reason: str  # the name of the check that it failed ("numbers", "discloses", "unproven")
    source: str = Source.MODEL  # who offered it, as ``Candidate.source``


@dataclass(frozen=True, slots=True)
class Clue:
    """Unmarked words that give something away, and vaguer ones that may replace them."""

    span: Span
    phrases: tuple[str, ...] = ()  # most specific first; () where nothing true was offered
    dropped: tuple[DroppedPhrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The candidates for each entity of one document, before anything is attacked."""

    ladders: Mapping[str, Ladder]  # by entity id; an entity without one has its label
    kept: frozenset[str] = frozenset()  # ids of entities left in clear, as they reveal nothing
    dropped: Mapping[str, tuple[DroppedPhrase, ...]] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()
    notes: tuple[str, ...] = ()  # counted remarks without document text
    document: Document | None = None  # with clues as mentions; None where none were made
    # By entity id, the ladders that rules propose. They are used where nothing shows that a model's
    # phrases are true.
    otherwise: Mapping[str, Ladder] = field(default_factory=dict)
    believed: bool = True  # False where most of a model's phrases failed: none is trusted then

    def with_clues(self, document: Document) -> Plan:
        """Return the plan with a document in which each clue (unmarked words that give something
        away) that has phrases is a mention and an entity of its own ("clue 1", "clue 2"), with
        these phrases as its candidates, most specific first. Numbers go on from the clues that are
        mentions already. A clue without phrases becomes no mention; ``clues`` still lists all, but
        the dropped phrases of the others move to ``dropped``.

        Args:
            document: of the plan; it is not changed. The new mentions come behind its own.
        """
        mentions, ladders = list(document.mentions), dict(self.ladders)
        dropped = dict(self.dropped)
        known = sum(mention.clue == "model" for mention in mentions)
        for number, clue in enumerate((c for c in self.clues if c.phrases), known + 1):
            key = f"clue {number}"
            words = clue.span.of(document.text)
            mentions.append(Mention(key, clue.span, words, key, EntityType.MISC, clue="model"))
            ladders[key] = tuple(
                Candidate(text, rank, Source.MODEL, wordings={key: Wording(clue.span, text)})
                for rank, text in enumerate(clue.phrases)
            )
            if clue.dropped:
                dropped[key] = clue.dropped
        clues = tuple(replace(clue, dropped=()) if clue.phrases else clue for clue in self.clues)
        document = replace(document, mentions=tuple(mentions))
        return replace(self, ladders=ladders, dropped=dropped, clues=clues, document=document)


class Outcome(StrEnum):
    """The outcome of an attack. UNPARSED is never safe."""

    SAFE = "SAFE"
    CONTEXT = "CONTEXT"  # guessed, but at the label as well: the rest of the text reveals it
    GUESSED = "GUESSED"
    UNPARSED = "UNPARSED"


@dataclass(frozen=True, slots=True)
class AttackFinding:
    """The guesses that an attack made at one entity."""

    entity_id: str
    guesses: tuple[str, ...]  # likeliest first
    telling: str = ""  # the words of the text that gave it away, as the attacker put them
    remark: str = ""  # the cause in words, where it is not the phrase itself
    outcome: Outcome = Outcome.GUESSED  # SAFE where no rule finds that a guess gives it away


@dataclass(frozen=True, slots=True)
class PlacedReplacement:
    """One place of a sanitised text that a replacement takes."""

    span: Span  # of the sanitised text
    entity: int  # its number in the order of first mentions, from 0; the same in every round
    label_only: bool = False  # nothing but a label could be put here (a direct identifier)


@dataclass(frozen=True)
class Challenge:
    """All that an attacker may see: the sanitised text and where the target is in it.

    It has no field for the original. Challenges of one round share ``text`` and ``placed``, so that
    a model reads the document once.
    """

    text: str  # the sanitised text
    target: Span  # where the replacement under attack stands (the first place of a wording)
    entity_type: str
    placed: tuple[PlacedReplacement, ...] = ()  # every replacement, ascending, where known

    @cached_property
    def replacement(self) -> str:
        """The words of the sanitised text at the target."""
        return self.target.of(self.text)

    @cached_property
    def standing(self) -> frozenset[str]:
        """The different texts at the places of all replacements; the target's is among them."""
        return frozenset(place.span.of(self.text) for place in self.placed)


@dataclass(frozen=True, slots=True)
class Guess:
    """One guess of the original."""

    text: str
    rank: int  # 0 is the likeliest
    logprob: float | None = None  # natural, <= 0


@dataclass(frozen=True, slots=True)
class Answer:
    """An attacker's answer to one challenge."""

    guesses: tuple[Guess, ...]  # likeliest first; none means that the attacker has no idea
    parsed: bool = True  # False where it could not be read, which is never safe
    # The guesses are draws from equally likely values (days of a month): only their probability
    # counts, not whether one happens to be right.
    uniform: bool = False
    read: bool = True  # False where the attacker cannot read the words, and so has not attacked
    note: str = ""  # for the record ("read in 3 windows"), with the clues that a model names


@dataclass(frozen=True, slots=True)
class Attack:
    """The record of one attack on one rung of one entity."""

    candidate: Candidate
    attacker: str
    guesses: tuple[Guess, ...]
    outcome: Outcome
    rule: str = ""  # the matching rule that fired, "risk" if the probability was too high
    risk: float = 0.0  # probability in [0, 1] that one of the first k guesses is right
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one entity: its ladder, the rung taken, every attack on the way."""

    entity: Entity
    ladder: Ladder
    chosen: int | None  # index into ``ladder``, or None for the label
    label: str
    attacks: tuple[Attack, ...] = ()
    controls: tuple[Attack, ...] = ()  # on the label, one by each attacker that guessed a rung
    dropped: tuple[DroppedPhrase, ...] = ()  # failed a check before anything was attacked

    @property
    def text(self) -> str:
        """The phrase, or else the label, that replaces the entity, before it is fitted into its
        sentences."""
        return self.label if self.chosen is None else self.ladder[self.chosen].text

    @property
    def evidence(self) -> Evidence | None:
        """Evidence that the chosen phrase is true; None for a label, which says nothing, and for a
        phrase without evidence."""
        return None if self.chosen is None else self.ladder[self.chosen].evidence

    @property
    def origin(self) -> str:
        """The source of what replaces the entity: its candidate's ``provenance``, or "label"."""
        return Source.LABEL if self.chosen is None else self.ladder[self.chosen].provenance


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of the original text, and their replacement."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """The words for one mention (or for one unannotated occurrence of its entity)."""

    span: Span  # may be wider than the mention where an article or preposition had to change
    text: str  # "" where a neighbouring replacement covers it too
    entity_id: str
    mention_id: str = ""  # "" for an occurrence found by the sweep
    origin: str = ""  # a candidate's ``provenance``, or "label", "nested", "guard"


@dataclass(frozen=True, slots=True)
class Guarding:
    """The guard's work on one document and what it reached."""

    individual: str  # the true individual, as the population calls it
    k: int  # how many others had to come before it, for each attacker of ``before``
    before: Mapping[str, int]  # rank of the true individual by attacker, 1 is the first place
    after: Mapping[str, int]
    raised: tuple[str, ...] = ()  # ids of the entities for which it took a vaguer rung
    words_changed: int = 0  # content words beyond the annotated spans that were replaced
    words: int = 0  # content words beyond the annotated spans

    @property
    def reached(self) -> int:
        """The number of others of the population that come before the document's true individual
        after the guard's work, with the attacker for which they are fewest; 0 without attackers."""
        return min(self.after.values(), default=1) - 1


class DoubtfulPlace(NamedTuple):
    """A place of a text that may hold a mention that was missed."""

    span: Span
    entity_type: str  # the likeliest type; "" where nothing says which
    missed: float  # expected number of missed mentions that begin there, above 0


@dataclass(frozen=True, slots=True)
class Doubts:
    """An estimate of the mentions that detection missed. If it names none, that is no promise that
    all were found."""

    rate: float = 0.0  # expected missed mentions per hundred content words
    left: tuple[str, ...] = ()  # by type, how many and in which lines; no words of the text
    places: tuple[DoubtfulPlace, ...] = ()  # ascending


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision of a person or of a line of the glossary, and the places where it settles what
    stands."""

    told: str  # what was decided, by whom, when and why; only a reason may quote the document
    spans: frozenset[Span]  # places of the original
    beside: bool = False  # True where it does not decide the replacement (a split, a look)


@dataclass(frozen=True, slots=True)
class SanitizedDocument:
    """A document with its replacements. The sanitised text is derived, never stored."""

    document: Document
    edits: tuple[Edit, ...]  # ascending, not overlapping
    replacements: tuple[Replacement, ...]  # one per mention and swept occurrence, in text order
    decisions: tuple[Decision, ...]  # one per entity, in order of first mention
    notes: tuple[str, ...] = ()  # counted remarks without document text
    protected: bool = True  # False where it could not be protected as asked
    guarding: Guarding | None = None
    doubts: Doubts | None = None  # None where the mentions were annotated
    clues: tuple[Clue, ...] = ()  # words outside the mentions that may reveal somebody, left as is
    # By entity id, for entities that stay as they are; those of others are in ``decisions``.
    dropped: Mapping[str, tuple[DroppedPhrase, ...]] = field(default_factory=dict)
    # By the id of a person's decision, or by "glossary 3" for line 3 of the glossary.
    decided: Mapping[str, Ruling] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The sanitised text."""
        return apply_edits(self.document.text, self.edits)


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value with what is needed to trace and compare it."""

    name: str
    value: float  # the weighted mean of the documents' scores
    n: int  # units that were scored
    signature: str  # metric, model and revision, parameters, n, seed, version
    interval: tuple[float, float] | None = None  # 95 % interval (low, high)
    per_document: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)  # empty: all count the same

    def __str__(self) -> str:
        """Return the value, with its interval if it has one: "0.843 (0.801–0.880)"."""
        interval = "" if self.interval is None else " ({:.3f}–{:.3f})".format(*self.interval)
        return f"{self.value:.3f}{interval}"


def join_edits(text: str, edits: Iterable[Edit], blanks: str | None = None) -> list[Edit]:
    """Return the edits with neighbours joined into one where nothing, or nothing but blanks, lies
    between them. These blanks become a part of the joined edit's text.

    Args:
        text: the original.
        edits: ascending, not overlapping.
        blanks: the characters that count as blanks; None: all white space.
    """
    joined: list[Edit] = []
    for edit in edits:
        gap = text[joined[-1].span.end : edit.span.start] if joined else "x"
        if gap.strip(blanks):
            joined.append(edit)
        else:
            last = joined.pop()
            joined.append(Edit(Span(last.span.start, edit.span.end), last.text + gap + edit.text))
    return joined


def gaps_between(spans: Sequence[Span], length: int) -> list[tuple[int, int]]:
    """List the stretches of a text that no span covers, as (start, end), in order; empty ones are
    left out, so that [] means that all is covered.

    Args:
        spans: ascending, not overlapping.
        length: of the text.
    """
    starts, ends = [0, *(span.end for span in spans)], [*(span.start for span in spans), length]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def cut_at(
    text: str, spans: Iterable[tuple[Span, T]], part: Span | None = None
) -> Iterator[tuple[str, T | None]]:
    """Cut a text at the bounds of spans. Yield (text, partner) in order: each span's text with the
    span's partner, and the text before, between and after them, which may be empty, with None. All
    texts together are the whole text.

    Args:
        text: the original.
        spans: in any order, each with a partner of any type; of spans that overlap, the one that
            begins first counts, of two that begin together the longer.
        part: yield only this part of the text, and cut only at spans inside it; None: the whole
            text.
    """
    done, end = (part.start, part.end) if part else (0, len(text))
    for span, what in sorted(spans, key=lambda one: (one[0].start, -one[0].end)):
        if done <= span.start and span.end <= end:
            yield text[done : span.start], None
            yield span.of(text), what
            done = span.end
    yield text[done:end], None


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """Return a text with the text of each edit in place of the characters at its span.

    Args:
        text: the original.
        edits: ascending, not overlapping.

    Raises:
        DocumentError: if the span of an edit is empty, overlaps another or is out of range.
    """
    done = 0
    for edit in edits:
        if not done <= edit.span.start < edit.span.end <= len(text):
            at = f"[{edit.span.start}, {edit.span.end})"
            raise DocumentError(f"edit {at} is empty, overlaps or is out of range")
        done = edit.span.end
    pieces = cut_at(text, ((edit.span, edit.text) for edit in edits))
    return "".join(piece if new is None else new for piece, new in pieces)
