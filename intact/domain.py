"""The types of INTACT: spans, mentions, entities, candidates, guesses, replacements.

All types are frozen and slotted, and nothing here reads or writes anything.
Offsets are Unicode code points, half-open: ``text[start:end]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from intact.errors import DocumentError


@dataclass(frozen=True, slots=True)
class TypeRow:
    """An entity type: one row of ``ENTITY_TYPES``.

    Attributes:
        name: as mentions carry it ("LOC").
        noun: what readable labels say ("the second place").
        hypernym: a phrase that is true of everything of this type ("a place").
        kind: the detectors' kind of it where no more is known ("place").
        generalisable: False where only a label may stand for it.
        by_value: told by a value that is read and computed with (a date, an amount).
        identifies: its strings are names or numbers that must not stand in any replacement.
        proper: only proper names are of this type.
        definite: what has this type is spoken of again with "the".
        presidio: what Presidio calls it, where that is not ``name``.
        aliases: what other tools call it, in capitals, underscores between the words.
    """

    name: str
    noun: str
    hypernym: str
    kind: str
    generalisable: bool = True
    by_value: bool = False
    identifies: bool = False
    proper: bool = False
    definite: bool = False
    presidio: str = ""
    aliases: tuple[str, ...] = ()


class EntityType:
    """Names of the types that some code treats apart. A plain string stands for a type everywhere;
    one that ``ENTITY_TYPES`` lacks is kept and ends on its label."""

    PERSON = "PERSON"
    CODE = "CODE"
    LOC = "LOC"
    ORG = "ORG"
    DEM = "DEM"
    DATETIME = "DATETIME"
    QUANTITY = "QUANTITY"
    MISC = "MISC"


_ROWS = (
    TypeRow(
        EntityType.PERSON, "person", "a person", "person",
        generalisable=False, identifies=True, proper=True,
        aliases=("PER", "PERSONS", "PERSON_NAME", "NAME", "PATIENT", "DOCTOR"),
    ),
    TypeRow(
        EntityType.CODE, "reference", "a reference", "code",
        generalisable=False, identifies=True,
        aliases=(
            "EMAIL", "EMAIL_ADDRESS", "PHONE", "PHONE_NUMBER", "CREDIT_CARD", "CRYPTO", "IBAN",
            "IBAN_CODE", "IP", "IP_ADDRESS", "MAC_ADDRESS", "URL", "USERNAME", "PASSWORD", "ID",
            "US_SSN", "US_BANK_NUMBER", "US_DRIVER_LICENSE", "US_ITIN", "US_PASSPORT", "UK_NHS",
            "UK_NINO", "US_NPI", "US_MBI", "MEDICAL_LICENSE", "ES_NIF", "ES_NIE",
            "IT_FISCAL_CODE", "IT_DRIVER_LICENSE", "IT_VAT_CODE", "IT_PASSPORT",
            "IT_IDENTITY_CARD", "PL_PESEL", "SG_NRIC_FIN", "SG_UEN", "AU_ABN", "AU_ACN", "AU_TFN",
            "AU_MEDICARE", "IN_PAN", "IN_AADHAAR", "IN_VEHICLE_REGISTRATION", "IN_VOTER",
            "IN_PASSPORT", "FI_PERSONAL_IDENTITY_CODE", "KR_RRN", "TH_TNIN",
        ),
    ),
    TypeRow(
        EntityType.LOC, "place", "a place", "place",
        identifies=True, proper=True, definite=True, presidio="LOCATION",
        aliases=(
            "GPE", "LOCATION", "PLACE", "ADDRESS", "FAC", "FACILITY", "CITY", "COUNTRY", "STREET",
        ),
    ),
    TypeRow(
        EntityType.ORG, "organisation", "an organisation", "organisation",
        identifies=True, proper=True, definite=True, presidio="ORGANIZATION",
        aliases=("ORGANIZATION", "ORGANISATION", "COMPANY", "INSTITUTION"),
    ),
    TypeRow(
        EntityType.DEM, "characteristic", "a kind of person", "characteristic",
        identifies=True, presidio="NRP",
        aliases=("NORP", "NRP", "LANGUAGE", "NATIONALITY", "PROFESSION", "OCCUPATION", "TITLE"),
    ),
    TypeRow(
        EntityType.DATETIME, "time", "a time", "date",
        by_value=True, presidio="DATE_TIME",
        aliases=("DATE", "TIME", "DATE_TIME", "DURATION", "AGE"),
    ),
    TypeRow(
        EntityType.QUANTITY, "quantity", "an amount", "quantity",
        by_value=True,
        aliases=("MONEY", "PERCENT", "CARDINAL", "NUMBER"),
    ),
    TypeRow(
        EntityType.MISC, "particular", "a thing", "other",
        definite=True,
        aliases=("EVENT", "LAW", "PRODUCT", "WORK_OF_ART", "OTHER"),
    ),
)  # fmt: skip

ENTITY_TYPES: Mapping[str, TypeRow] = {row.name: row for row in _ROWS}
"""Name -> row. The eight types of the Text Anonymization Benchmark (Pilán et al. 2022)."""
GENERALISABLE = tuple(row.name for row in _ROWS if row.generalisable)
"""Types for which a generalisation may stand."""
LABEL_ONLY = frozenset(ENTITY_TYPES) - frozenset(GENERALISABLE)
"""Types whose entities identify directly: only a label may stand for them."""
BY_VALUE = frozenset(row.name for row in _ROWS if row.by_value)
"""Types told by a value: dates and amounts."""
BY_CONCEPT = frozenset(GENERALISABLE) - BY_VALUE
"""Types told by what a thing is: places, organisations, characteristics, particulars."""
PROPER = frozenset(row.name for row in _ROWS if row.proper)
"""Types of proper names only."""

_NAMED = {alias: row.name for row in _ROWS for alias in (row.name, *row.aliases)}


def type_row(entity_type: str) -> TypeRow:
    """Return the row of a type; for an unknown one a row that holds for everything."""
    known = ENTITY_TYPES.get(entity_type)
    noun = entity_type.replace("_", " ").lower()
    return known or TypeRow(entity_type, noun, "a thing", "other", generalisable=False)


def type_named(name: str) -> str:
    """Return the type that another tool calls ``name``, or ``name`` itself where that is not known.

    Knows the names that Presidio, spaCy (OntoNotes), CoNLL-2003, doccano's and Textwash's users
    give; upper or lower case, hyphens or underscores.
    """
    return _NAMED.get(name.strip().upper().replace("-", "_").replace(" ", "_"), name)


class IdentifierType(StrEnum):
    """The way a mention identifies: directly, with others, or not at all (left as it is)."""

    DIRECT = "DIRECT"
    QUASI = "QUASI"
    NO_MASK = "NO_MASK"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points, never empty."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise DocumentError(
                f"span [{self.start}, {self.end}) is empty or negative",
                remedy="Offsets are code points with 0 <= start < end.",
            )

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Return the characters of ``text`` in this span."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Return whether the two share a character."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Return whether every character of ``other`` is in this span."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Mention:
    """One span of personal information.

    Attributes:
        id: unique in its document.
        entity_id: what it is a mention of, in its document.
        clue: the class of words it was made of where nobody annotated it (docs/context.md).
        marked_by: the id of the decision by which a person marked it in a review.
    """

    id: str
    span: Span
    text: str
    entity_id: str
    entity_type: str
    identifier_type: IdentifierType = IdentifierType.QUASI
    clue: str = ""
    marked_by: str = ""

    @property
    def masked(self) -> bool:
        """Return whether this mention has to be replaced."""
        return self.identifier_type is not IdentifierType.NO_MASK

    @property
    def generalisable(self) -> bool:
        """Return whether a truthful generalisation may stand for it; else only a label may."""
        return self.identifier_type is IdentifierType.QUASI and self.entity_type not in LABEL_ONLY


@dataclass(frozen=True, slots=True)
class Entity:
    """All masked mentions of one thing in one document, in text order, never empty."""

    id: str
    mentions: tuple[Mention, ...]

    @property
    def entity_type(self) -> str:
        """The type of the first mention."""
        return self.mentions[0].entity_type

    @property
    def generalisable(self) -> bool:
        """Return whether every mention may be generalised: one direct mention makes the entity
        direct."""
        return all(mention.generalisable for mention in self.mentions)

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The different texts of its mentions, in order of first appearance."""
        return tuple(dict.fromkeys(mention.text for mention in self.mentions))


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its annotated mentions, as one annotator saw them.

    Attributes:
        annotated: whether somebody said what the mentions are, be they none; else they have to be
            detected before the document is sanitised.
        kept: places that a person wants left as they are: no unannotated name is replaced there.

    Raises:
        DocumentError: if a mention's text is not what stands at its span.
    """

    id: str
    text: str
    mentions: tuple[Mention, ...]
    annotator: str = ""
    language: str = "en"
    annotated: bool = True
    kept: frozenset[Span] = frozenset()

    def __post_init__(self) -> None:
        for mention in self.mentions:
            if self.text[mention.span.start : mention.span.end] != mention.text:
                raise DocumentError(
                    "the text at its offsets is not the mention's text",
                    where=f"document {self.id}, mention {mention.id}",
                    remedy="Offsets are code points, end exclusive.",
                )

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The masked entities in order of their first mention (then the longer first)."""
        groups: dict[str, list[Mention]] = {}
        for mention in sorted(self.mentions, key=lambda m: (m.span.start, -m.span.end, m.id)):
            if mention.masked:
                groups.setdefault(mention.entity_id, []).append(mention)
        return tuple(Entity(key, tuple(mentions)) for key, mentions in groups.items())

    def with_text(self, text: str) -> Document:
        """Return the same in another text, in which everything stands at the same offsets."""
        if text == self.text:
            return self
        mentions = tuple(replace(m, text=m.span.of(text)) for m in self.mentions)
        return replace(self, text=text, mentions=mentions)


class Source(StrEnum):
    """The origin of a phrase. Generators of other packages have names of their own."""

    DATES = "dates"
    QUANTITIES = "quantities"
    KNOWLEDGE = "knowledge"
    GLOSSARY = "glossary"
    """A user's own fact; it is always tried."""
    CONTEXT = "context"
    """A phrase for a class of unannotated words."""
    MODEL = "llm"
    REVIEWER = "reviewer"
    """A phrase that a person wrote."""
    GUARD = "guard"
    LABEL = "label"
    NESTED = "nested"
    """Another replacement's words say it, too."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words that stand at one mention, at one rung of its entity's ladder.

    Attributes:
        span: the characters of the original that go: the mention's, and what the words take in
            to its left and right ("on the", "a").
        text: the words that stand there; "" where another mention's words say it, too.
        leans_on: ids of the entities that the words speak of ("a third of that sum"): they may
            stand only beside a phrase of those, not beside their label.
    """

    span: Span
    text: str
    leans_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A generalisation of an entity: a noun phrase that is true of it.

    Attributes:
        text: the phrase as it would stand in mid-sentence ("a city in Turkey", "May 1996").
        rank: 0 is the most specific rung of the ladder.
        source: the generator that proposed it: a ``Source``, or another package's name.
        subsumes: what it covers, where that is known, in a canonical form that can be
            compared: "interval:1996-05-01/1996-05-31", "number:50/100", "concept:geo/TR".
        entry: what the original was matched with in the knowledge base, for a reader: "Bergen
            (city, exact)".
        wordings: by the id of a mention the words that stand there, where a planner wrote them;
            elsewhere ``text`` is fitted to the sentence by rules.
        decided: whether a person chose it: it is attacked, but stays where it is.
    """

    text: str
    rank: int
    source: str
    subsumes: str | None = None
    entry: str = ""
    wordings: Mapping[str, Wording] = field(default_factory=dict, hash=False)
    decided: bool = False

    @property
    def provenance(self) -> str:
        """Its source as records say it: "reviewer, knowledge" where a person chose it."""
        if not self.decided or self.source == Source.REVIEWER:
            return self.source
        return f"{Source.REVIEWER}, {self.source}"


Ladder = tuple[Candidate, ...]
"""Candidates of one entity, ranks 0, 1, 2 ..., most specific first; may be empty."""


@dataclass(frozen=True, slots=True)
class DroppedPhrase:
    """A phrase that a planner offered and that cannot stand.

    Attributes:
        text: the phrase.
        reason: the name of the check that it failed ("numbers", "discloses", "seam").
    """

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Clue:
    """Unmarked words that give something away, and vaguer ones that may stand for them.

    Attributes:
        span: where they stand in the original text.
        phrases: from telling to vague; () where nothing true was offered.
        dropped: phrases that failed a check.
    """

    span: Span
    phrases: tuple[str, ...] = ()
    dropped: tuple[DroppedPhrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The candidates for each thing of one document, before anything is attacked.

    Attributes:
        ladders: by entity id, most telling candidate first; an entity without one has its label.
        kept: ids of entities whose words stay, because they tell nothing about anybody.
        dropped: by entity id the phrases that failed a check.
        clues: unmarked words that give something away.
        notes: counted remarks without document text.
        document: the planned document with clues as mentions, where a revision made some; None
            where its mentions are as before.
    """

    ladders: Mapping[str, Ladder]
    kept: frozenset[str] = frozenset()
    dropped: Mapping[str, tuple[DroppedPhrase, ...]] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()
    notes: tuple[str, ...] = ()
    document: Document | None = None

    def with_clues(self, document: Document) -> Plan:
        """Return the plan with its clues as things that have a ladder, and as mentions.

        Args:
            document: as it was planned; its mentions stay. Clues without a phrase stay clues.
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
    """The outcome of an attack. UNPARSED is never safe.

    CONTEXT: guessed, but as well at the label: told by the context, whatever stands there.
    """

    SAFE = "SAFE"
    CONTEXT = "CONTEXT"
    GUESSED = "GUESSED"
    UNPARSED = "UNPARSED"


@dataclass(frozen=True, slots=True)
class AttackFinding:
    """The guesses of an attack at a thing.

    Attributes:
        entity_id: the thing.
        guesses: likeliest first.
        telling: the words of the text that told the attacker, in its own words.
        remark: the cause where it is not the phrase itself, in words; else "".
        outcome: GUESSED; CONTEXT where the phrase itself adds nothing to what the rest tells; SAFE
            where no rule finds that a guess gives the thing away.
    """

    entity_id: str
    guesses: tuple[str, ...]
    telling: str = ""
    remark: str = ""
    outcome: Outcome = Outcome.GUESSED


@dataclass(frozen=True, slots=True)
class PlacedReplacement:
    """One place of a sanitised text that a replacement takes.

    Attributes:
        span: the characters of the sanitised text that the replacement takes.
        entity: a number that all places of one entity share and no other entity has; the same
            in every round (the entity's place in the order of first mentions).
        rung: how many rungs the entity has climbed so far; its label is above all rungs.
        label_only: whether nothing but a label could stand here (a direct identifier).
    """

    span: Span
    entity: int
    rung: int = 0
    label_only: bool = False


@dataclass(frozen=True, slots=True)
class Challenge:
    """All that an attacker may see: the sanitised text and where the target stands in it.

    It has no field for the original. Challenges of one round share one ``text`` and one
    ``placed``, so that a model reads the document once.

    Attributes:
        text: the sanitised text.
        target: where the replacement under attack stands (the first place of a wording).
        entity_type: the target's type.
        placed: every place of the text that a replacement takes, ascending; empty where only
            the target is known.
    """

    text: str
    target: Span
    entity_type: str
    placed: tuple[PlacedReplacement, ...] = ()

    @property
    def replacement(self) -> str:
        """The words at the target."""
        return self.target.of(self.text)


@dataclass(frozen=True, slots=True)
class Guess:
    """One guess of the original. ``rank`` 0 is the likeliest; ``logprob`` is natural, <= 0."""

    text: str
    rank: int
    logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An attacker's answer to one challenge, likeliest guess first.

    Attributes:
        guesses: ranked guesses; none means that the attacker has no idea.
        parsed: False if the answer could not be read; such an answer is never safe.
        uniform: True if the guesses are draws from equally likely values (days of a month):
            then only their probability counts, not whether one happens to be right.
        read: False if the attacker cannot read what stands there, and so has not attacked it.
        note: what the record should say of this answer ("read in 3 windows"), and the clues that a
            model names.
    """

    guesses: tuple[Guess, ...]
    parsed: bool = True
    uniform: bool = False
    read: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Attack:
    """The record of one attack on one rung of one entity.

    Attributes:
        candidate: the rung attacked.
        attacker: the attacker's name.
        guesses: its ranked guesses, as given.
        outcome: SAFE, CONTEXT, GUESSED or UNPARSED.
        rule: the name of the matching rule that fired, "risk" if the probability was too
            high, "" if safe.
        risk: probability in [0, 1] that one of the first k guesses is right.
        note: the answer's note.
    """

    candidate: Candidate
    attacker: str
    guesses: tuple[Guess, ...]
    outcome: Outcome
    rule: str = ""
    risk: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one entity: its ladder, the rung taken, every attack on the way.

    Attributes:
        chosen: index into ``ladder``, or None for the label.
        label: the entity's label ("PERSON_1"), always there to fall back on.
        controls: attacks on the label in its place, one for each attacker that guessed a rung.
        dropped: phrases that failed a check before anything was attacked.
    """

    entity: Entity
    ladder: Ladder
    chosen: int | None
    label: str
    attacks: tuple[Attack, ...] = ()
    controls: tuple[Attack, ...] = ()
    dropped: tuple[DroppedPhrase, ...] = ()

    @property
    def text(self) -> str:
        """The phrase that stands for the entity, before it is fitted into its sentences."""
        return self.label if self.chosen is None else self.ladder[self.chosen].text

    @property
    def origin(self) -> str:
        """The source of the choice: a candidate's, or "label"."""
        return Source.LABEL if self.chosen is None else self.ladder[self.chosen].provenance


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of the original text, and what stands for them."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """The words for one mention (or for one unannotated occurrence of its entity).

    Attributes:
        span: the original characters replaced; may be wider than the mention where an
            article or preposition had to change with it.
        text: what stands there now ("" where a neighbouring replacement covers it too).
        entity_id: the entity it belongs to.
        mention_id: the annotated mention, or "" for an occurrence found by the sweep.
        origin: a candidate's ``provenance``, or "label", "nested", "guard".
    """

    span: Span
    text: str
    entity_id: str
    mention_id: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class GuardStep:
    """One step of the guard: a masked entity one rung up, or further words replaced.

    Attributes:
        spans: where, in the original text; for an entity, its mentions.
        entity_id: the masked entity, or "" for words that no annotation marks.
        text: what stands there now ("***" where nothing truthful is known).
        rung: of the ladder, or None for the label or "***".
        before, after: rank of the true individual by attacker, 1 is the first place.
        undone: whether earlier steps here turned out not to be needed and were taken back.
    """

    spans: tuple[Span, ...]
    entity_id: str
    text: str
    rung: int | None
    before: Mapping[str, int]
    after: Mapping[str, int]
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Guarding:
    """The guard's work on one document and what it reached.

    Attributes:
        individual: the true individual, as the population calls it.
        k: how many others had to come before it, for every attacker.
        before, after: rank of the true individual by attacker in the text as it was before and
            as it is returned, 1 is the first place.
        steps: in the order taken.
        words_changed: content words beyond the annotated spans that were replaced.
        words: content words beyond the annotated spans.
    """

    individual: str
    k: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    steps: tuple[GuardStep, ...] = ()
    words_changed: int = 0
    words: int = 0

    @property
    def reached(self) -> int:
        """The number of others that come before the true individual, for every attacker."""
        return min(self.after.values(), default=1) - 1


class DoubtfulPlace(NamedTuple):
    """A place of a text that may hold a mention that was missed.

    Attributes:
        span: its characters.
        entity_type: the likeliest type; "" where nothing says which.
        missed: how many mentions probably begin there, above 0.
    """

    span: Span
    entity_type: str
    missed: float


@dataclass(frozen=True, slots=True)
class Doubts:
    """Mentions that detection probably missed. None is no promise that all were found.

    Attributes:
        rate: mentions probably missed for each hundred content words, 0 or more.
        left: by type, how many were probably missed, and in which lines; no words of the text.
        places: where they probably are, ascending.
    """

    rate: float = 0.0
    left: tuple[str, ...] = ()
    places: tuple[DoubtfulPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class SanitizedDocument:
    """A document with its replacements. The sanitised text is derived, never stored.

    Attributes:
        edits: ascending, not overlapping; applied to the document's text they give ``text``.
        replacements: one per masked mention and swept occurrence, in text order.
        decisions: one per entity, in order of first mention.
        notes: counted remarks without document text ("2 unannotated occurrences replaced").
        protected: False if the document could not be protected as asked.
        guarding: what the guard did, where there was one.
        doubts: what detection probably missed; None where the mentions were annotated.
        clues: words outside the mentions that may tell who is meant, and that were left.
        dropped: by entity id the phrases that failed a check for things that stay as they are;
            those of all others are in ``decisions``.
    """

    document: Document
    edits: tuple[Edit, ...]
    replacements: tuple[Replacement, ...]
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()
    protected: bool = True
    guarding: Guarding | None = None
    doubts: Doubts | None = None
    clues: tuple[Clue, ...] = ()
    dropped: Mapping[str, tuple[DroppedPhrase, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The sanitised text."""
        return apply_edits(self.document.text, self.edits)


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value with what is needed to trace and compare it.

    Attributes:
        value: the score.
        interval: 95 % interval (low, high), or None where there is none.
        n: how many units were scored.
        per_document: the score of each document by id.
        weights: units that each document's score is over; empty where all count the same. The
            value is the weighted mean of the documents' scores.
        signature: metric, model and revision, parameters, n, seed, version.
    """

    name: str
    value: float
    n: int
    signature: str
    interval: tuple[float, float] | None = None
    per_document: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """Return a text with edits applied.

    Args:
        edits: ascending and not overlapping.

    Raises:
        DocumentError: if they are not.
    """
    parts: list[str] = []
    done = 0
    for edit in edits:
        if edit.span.start < done or edit.span.end > len(text):
            raise DocumentError(
                f"edit [{edit.span.start}, {edit.span.end}) overlaps or is out of range",
                remedy="Edits must be ascending, not overlapping, and inside the text.",
            )
        parts += (text[done : edit.span.start], edit.text)
        done = edit.span.end
    parts.append(text[done:])
    return "".join(parts)
