"""Nothing stands without evidence that it follows from the original, whoever wrote it.

The evidence for a phrase of a plan is arithmetic (a time or an amount that contains the original),
knowledge (the words are linked with certainty, or the kinds agree), the entailment network, a
language model that rejected decoys, or a person. A phrase without evidence is dropped. An entity
all of whose phrases from a model are dropped gets the rules' ladder, as if no model had been asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product, starmap
from typing import TYPE_CHECKING

from intact.domain import (
    BY_VALUE,
    LABEL_ONLY,
    REFUSED,
    AttackFinding,
    Candidate,
    Clue,
    Document,
    DroppedPhrase,
    Entity,
    EntityType,
    Evidence,
    EvidenceKind,
    Ladder,
    Mention,
    Plan,
    Source,
    type_row,
)
from intact.english.quantities import Quantity, QuantityKind
from intact.english.scan import contains, parse
from intact.english.time import Kind, Temporal
from intact.english.vocabulary import NEGATION
from intact.english.words import normalise, says_nothing
from intact.knowledge.base import KnowledgeBase
from intact.protocols import UNBELIEVED, PlanEditor
from intact.verification.second_question import OpenPlace, SecondQuestion

if TYPE_CHECKING:
    from intact.models.entailment import EntailmentNetwork

UNPROVEN = "unproven"  # name of the check: nothing shows that the phrase follows
UNREAD = "unread"  # the original is a value, and the phrase cannot be read as one
CONTRADICTED = "false"  # it lies in another part of the world
COPIED = "copied"  # a model gave the same words to entities of several types
# The least probability, in [0, 1], with which a phrase must follow to stand on the network's word
# alone: a model's phrase, and a phrase that the knowledge base proposed without being sure which
# sense of the words is meant.
_LEAST, _LEAST_PROPOSED = 0.12, 0.15
# The same where what is known of the entity speaks against the phrase, and where the phrase denies
# something that the original does not deny.
_LEAST_AGAINST, _LEAST_DENIED = 0.3, 0.8
_SURE = 0.9  # a link of this certainty is evidence by itself
_OPEN = 0.04  # below this probability, no second question is asked about a phrase
_DECOY = 0.04  # below this probability, a phrase may be a decoy
_DECOYS, _MOST_DECOYS = 2, 8  # decoys shown for a place, and phrases tried as decoys
_READ = 2  # mentions of an entity at which a phrase has to follow
_MOST_FALLEN = 0.5  # if a larger share of a model's phrases fails, its whole plan is dropped
_FEW = 8  # fewer phrases than this are too few to judge a model by
_MEASURED = (QuantityKind.MONEY, QuantityKind.MEASURE)
_NO_READER = "as reader the model lets pass what is not true: what it says is true does not count"
_PERSONS = (Source.REVIEWER, Source.GLOSSARY)
_VALUES = (Source.DATES, Source.QUANTITIES)
_PROPOSED = (Source.KNOWLEDGE, Source.CONTEXT)


Rung = tuple[str, int]  # the id of an entity, and a rung of its ladder


@dataclass(eq=False)
class EvidenceFinder:
    """Finds evidence that the phrases of a plan are true."""

    entailment: Callable[[], EntailmentNetwork]  # makes the network when it is first needed
    knowledge: KnowledgeBase  # what is known of phrases being true of names
    # Makes what asks a model a second question about phrases that are still open; None: there is no
    # model.
    second: Callable[[], SecondQuestion] | None = None

    def prove(self, document: Document, plan: Plan) -> Plan:
        """Return a plan with only those candidates that are shown to be true, each with its
        evidence; those that failed a check are listed in its ``dropped``. The phrases of its clues
        are proved likewise.

        An entity that keeps no candidate, and lost one from a model, gets those of its ladder in
        ``otherwise`` that are shown to be true; an entity with nothing left is absent from
        ``ladders``. If more than half of a model's phrases fail, of eight or more, nothing of the
        model is believed: all its entities get the rules' ladders, no clue, no ``kept`` and no
        earlier note is left, ``believed`` is False, and a note says so. ``otherwise`` comes back
        empty; what fails in it is listed nowhere.

        Args:
            document: for which it was made.
            plan: with the ladders of its entities, its clues, and what rules propose otherwise.
        """
        plan = replace(plan, clues=self._prove_clues(document.text, plan.clues))
        entities = {entity.id: entity for entity in document.entities}
        ladders = plan.ladders
        checked, notes = self.check(document, entities, ladders)
        said = [rung for rung in checked if ladders[rung[0]][rung[1]].source == Source.MODEL]
        fallen = [rung for rung in said if isinstance(checked[rung], str)]
        believed = len(said) < _FEW or len(fallen) <= _MOST_FALLEN * len(said)
        if not believed:
            plan = replace(plan, kept=frozenset(), clues=(), notes=())  # nor what it leaves
            notes += (f"{UNBELIEVED}few phrases of the model are shown to be true, so none stands",)
        standing, dropped = _split_standing(ladders, checked)
        failed = dict.fromkeys(key for key, _ in said if not (believed and standing[key]))
        otherwise = {key: plan.otherwise.get(key, ()) for key in failed}
        rules, _ = _split_standing(otherwise, self.check(document, entities, otherwise)[0])
        standing = {key: ladder for key, ladder in (standing | rules).items() if ladder}
        dropped = {key: (*plan.dropped.get(key, ()), *own) for key, own in dropped.items()}
        return replace(
            plan,
            ladders=standing,
            dropped={**plan.dropped, **dropped},
            notes=(*plan.notes, *notes),
            otherwise={},
            believed=believed,
        )

    def prove_own(self, document: Document, ladders: Mapping[str, Ladder]) -> dict[str, Ladder]:
        """Return ladders with evidence for people's own phrases: for a first candidate that a
        reviewer wrote. If nothing else shows that it is true, the person's word is the evidence.
        All other candidates and ladders come back unchanged.

        Args:
            document: in which the entities stand; phrases of entities that it lacks are not
                checked.
            ladders: by entity id; an own phrase is the first of its ladder.
        """
        entities = {entity.id: entity for entity in document.entities}
        own = {
            key: ladder[:1]
            for key, ladder in ladders.items()
            if ladder and ladder[0].source == Source.REVIEWER and key in entities
        }
        proved, _ = _split_standing(own, self.check(document, entities, own)[0])
        return {**ladders, **{key: (*proved[key], *ladders[key][1:]) for key in own}}

    def _prove_clues(self, text: str, clues: Sequence[Clue]) -> tuple[Clue, ...]:
        """Return the clues (unmarked telling words with vaguer phrases for them), in order, with
        only those phrases that follow from their words with a probability of 0.12 or more, perhaps
        none; the others are added to each clue's ``dropped``."""
        asked = [(clue.span, EntityType.MISC, clue.phrases) for clue in clues]
        if not any(clue.phrases for clue in clues):
            return tuple(clues)
        shares = self.entailment().probabilities(text, asked)
        proved = []
        for clue, own in zip(clues, shares, strict=True):
            stands = {p: share >= _LEAST for p, share in zip(clue.phrases, own, strict=True)}
            fallen = tuple(DroppedPhrase(p, UNPROVEN) for p, holds in stands.items() if not holds)
            kept = tuple(p for p in clue.phrases if stands[p])
            proved.append(replace(clue, phrases=kept, dropped=(*clue.dropped, *fallen)))
        return tuple(proved)

    def check(
        self, document: Document, entities: Mapping[str, Entity], ladders: Mapping[str, Ladder]
    ) -> tuple[dict[Rung, Evidence | str], tuple[str, ...]]:
        """Return, by (entity id, index in its ladder), each candidate's evidence or the name of the
        check that it fails ("unproven", "false", "unread", "copied"); and notes: one if the model
        that was asked a second question is not believed, else (). That a person wrote a candidate
        or decided on it does not count here.

        Args:
            document: in which the entities stand.
            entities: by id, all those that have a ladder.
            ladders: by entity id.
        """
        copied = _copied(ladders, entities)
        found: dict[Rung, Evidence | str] = {}
        open_: dict[Rung, list[tuple[Mention, str]]] = {}
        for key, ladder in ladders.items():
            for at, candidate in enumerate(ladder):
                if (key, normalise(candidate.text)) in copied:
                    found[key, at] = COPIED
                elif (shown := self._shown(entities[key], candidate)) is not None:
                    found[key, at] = shown
                else:
                    open_[key, at] = [*_places(entities[key], candidate)]
        doubtful: dict[Rung, list[tuple[Mention, str]]] = {}
        told = self._shares(document.text, _by_mention(open_))
        for (key, at), places in open_.items():
            candidate = ladders[key][at]
            share = min(map(told.__getitem__, places))  # where it is least likely
            entailed = Evidence(EvidenceKind.ENTAILMENT, round(share, 3))
            holds = share >= self._least(entities[key], candidate)
            found[key, at] = entailed if holds else UNPROVEN
            if not holds and candidate.source == Source.MODEL and share >= _OPEN:
                doubtful[key, at] = places
        if not doubtful or self.second is None:
            return found, ()
        asked = self._open_places(document, doubtful, ladders, entities)
        confirmed = self.second().ask(document, asked)
        if confirmed is None:
            return found, (_NO_READER,)
        for place, those in doubtful.items():
            if {(mention.id, text) for mention, text in those} <= confirmed:
                found[place] = Evidence(EvidenceKind.MODEL)
        return found, ()

    def _open_places(
        self,
        document: Document,
        asked: Mapping[Rung, Sequence[tuple[Mention, str]]],
        ladders: Mapping[str, Ladder],
        entities: Mapping[str, Entity],
    ) -> list[OpenPlace]:
        """Return one place for each mention that a model is to be asked about: its phrases in
        ``asked``, and at most two decoys, phrases of other entities of the same type, as they are
        written there, that hardly follow from the mention's words (with less than 0.04); only the
        first eight such phrases are tried."""
        phrases = _by_mention(asked)
        pool: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        said: dict[str, str] = {}
        for key, ladder in ladders.items():
            for candidate in ladder:
                phrase = normalise(candidate.text)
                said.setdefault(phrase, candidate.text)
                pool[entities[key].entity_type][phrase].add(key)
        others = {}
        for mention in phrases:
            pairs = pool[mention.entity_type].items()
            free = (said[phrase] for phrase, owners in pairs if mention.entity_id not in owners)
            others[mention] = [*free][:_MOST_DECOYS]
        shares = self._shares(document.text, others)
        decoys = {m: [t for t in own if shares[m, t] < _DECOY] for m, own in others.items()}
        return [
            OpenPlace(mention, texts, tuple(decoys[mention][:_DECOYS]))
            for mention, texts in phrases.items()
        ]

    def _shares(
        self, text: str, asked: Mapping[Mention, Sequence[str]]
    ) -> dict[tuple[Mention, str], float]:
        """Return the probability in [0, 1] with which each phrase follows from its mention, by
        (mention, phrase). If there are no phrases: {}, and no network is loaded."""
        if not asked:
            return {}
        places = [(m.span, m.entity_type, texts) for m, texts in asked.items()]
        shares = chain.from_iterable(self.entailment().probabilities(text, places))
        pairs = ((mention, one) for mention, texts in asked.items() for one in texts)
        return dict(zip(pairs, shares, strict=True))

    def _shown(self, entity: Entity, candidate: Candidate) -> Evidence | str | None:
        """Return the evidence for a candidate that can be had without its sentence (from the
        entity's type, by arithmetic, or from the knowledge base), or the name of the check that it
        fails; None if only the sentence can show whether it is true."""
        texts = candidate.texts
        if normalise(candidate.text) == normalise(type_row(entity.entity_type).hypernym):
            return Evidence(EvidenceKind.KNOWLEDGE)  # by the type of the mention
        if entity.entity_type in LABEL_ONLY:
            return UNPROVEN  # nothing here knows names
        if entity.entity_type in BY_VALUE or candidate.source in _VALUES:
            return _by_value(entity, candidate)
        if all(map(says_nothing, texts)):
            return UNPROVEN  # an answer that says nothing proves nothing
        if entity.entity_type != EntityType.DEM and any(map(_measures, texts)):
            return UNREAD  # "the early 2000s" is no court; a trait may be an age
        given = candidate.evidence
        if given is not None and given.probability >= _SURE:
            return given
        if candidate.source in _PROPOSED:
            return None
        elsewhere = starmap(self.knowledge.lies_elsewhere, product(texts, entity.surfaces[:_READ]))
        if entity.entity_type == EntityType.LOC and any(elsewhere):
            return CONTRADICTED
        return Evidence(EvidenceKind.KNOWLEDGE) if self._known(entity, texts) == {True} else None

    def _known(self, entity: Entity, texts: Collection[str]) -> set[bool | None]:
        """Return all different answers of the knowledge base to the question whether a text is true
        of a name, for each text and each of the entity's first two names: True, False, or None
        where it does not know."""
        names = entity.surfaces[:_READ]
        subsumes = self.knowledge.subsumes
        return {subsumes(text, name, entity.entity_type) for text in texts for name in names}

    def _least(self, entity: Entity, candidate: Candidate) -> float:
        """Return the least probability, in [0, 1], with which a candidate must follow to stand on
        the network's word alone: 0.15 for one from the knowledge base or a class of clues, 0.8 if
        it denies something and the original does not, 0.3 if the knowledge base speaks against it,
        else 0.12."""
        if candidate.source in _PROPOSED:
            return _LEAST_PROPOSED
        texts = candidate.texts
        if any(map(NEGATION.search, texts)) and not any(map(NEGATION.search, entity.surfaces)):
            return _LEAST_DENIED
        return _LEAST_AGAINST if False in self._known(entity, texts) else _LEAST


def _places(entity: Entity, candidate: Candidate) -> Iterator[tuple[Mention, str]]:
    """Yield the mentions at which a candidate has to follow, each with its words there: every
    different wording at the first mention that has it or, without wordings, the candidate's text at
    the first two mentions. A mention without a wording of its own has the candidate's text; one
    whose wording is "" is passed over."""
    if not candidate.wordings:
        yield from ((mention, candidate.text) for mention in entity.mentions[:_READ])
        return
    seen: set[str] = set()
    for mention in entity.mentions:
        wording = candidate.wordings.get(mention.id)
        text = candidate.text if wording is None else wording.text
        if text and normalise(text) not in seen:
            seen.add(normalise(text))
            yield mention, text


def _by_mention(
    open_: Mapping[Rung, Sequence[tuple[Mention, str]]],
) -> dict[Mention, tuple[str, ...]]:
    """Return the phrases that have to follow at each mention, each once, of all rungs together.

    Args:
        open_: by rung, pairs of a mention and a phrase that has to follow there.
    """
    phrases: dict[Mention, dict[str, None]] = defaultdict(dict)
    for mention, text in chain.from_iterable(open_.values()):
        phrases[mention].setdefault(text)
    return {mention: tuple(texts) for mention, texts in phrases.items()}


def _by_value(entity: Entity, candidate: Candidate) -> Evidence | str:
    """Return evidence of the kind VALUE if all wordings of a candidate contain the original as a
    time or an amount; "false" if one provably does not; "unread" if that cannot be decided. A
    rule's phrase for a time or an amount that says what it ``subsumes`` always contains it."""
    read_back = candidate.source in _VALUES and candidate.subsumes is not None  # by its ladder
    held = {True} if read_back else {_holds(text, entity.surfaces) for text in candidate.texts}
    if held == {True}:
        return Evidence(EvidenceKind.VALUE)
    return CONTRADICTED if False in held else UNREAD


def _read(text: str) -> Temporal | Quantity | None:
    """Read a text as a time or an amount. Return None if it is neither, or a time that may be any
    ("a certain time")."""
    value = parse(text)
    return None if isinstance(value, Temporal) and value.kind is Kind.ANY else value


def _measures(text: str) -> bool:
    """Tell whether a text reads as a time, a sum of money or a measure ("the early 2000s"), and so
    cannot stand for a place, a body or another thing; False for a bare count."""
    said = _read(text)
    return isinstance(said, Temporal) or (said is not None and said.kind in _MEASURED)


def _holds(phrase: str, surfaces: Sequence[str]) -> bool | None:
    """Tell whether a phrase contains, as a time or an amount, all originals that can be read as
    one. None if the phrase cannot be read, or no original can, or one does not compare with it."""
    said = _read(phrase)
    if said is None:
        return None
    held = {contains(said, value) for value in map(parse, surfaces) if value is not None}
    return None if not held or None in held else held == {True}


def _copied(
    ladders: Mapping[str, Ladder], entities: Mapping[str, Entity]
) -> frozenset[tuple[str, str]]:
    """Return the phrases that a model gave to entities of more than one type, and which therefore
    count for none of them, as pairs (entity id, normalised phrase)."""
    whole = ((key, one) for key, ladder in ladders.items() for one in ladder)
    said = [(key, normalise(one.text)) for key, one in whole if one.source == Source.MODEL]
    types: dict[str, set[str]] = defaultdict(set)
    for key, plain in said:
        types[plain].add(entities[key].entity_type)
    return frozenset((key, plain) for key, plain in said if len(types[plain]) > 1)


def _split_standing(
    ladders: Mapping[str, Ladder], checked: Mapping[Rung, Evidence | str]
) -> tuple[dict[str, Ladder], dict[str, tuple[DroppedPhrase, ...]]]:
    """Split ladders into the candidates that stand, with their evidence, and the phrases that are
    dropped; return both by entity id, in the order of the ladder. Every entity has a ladder,
    perhaps (); one that loses nothing is absent from the second mapping. A phrase that a person
    wrote or decided on stands on their word if there is no better evidence.

    Args:
        ladders: by entity id.
        checked: by (entity id, index in its ladder), the evidence, or the name of the failed check.
    """
    standing: dict[str, Ladder] = {}
    dropped: dict[str, tuple[DroppedPhrase, ...]] = {}
    for key, ladder in ladders.items():
        standing[key] = ()
        for at, one in enumerate(ladder):
            told = _granted(one, checked[key, at])
            if isinstance(told, Evidence):
                standing[key] += (one if told == one.evidence else replace(one, evidence=told),)
            else:
                fallen = DroppedPhrase(one.text, told, one.source)
                dropped[key] = (*dropped.get(key, ()), fallen)
    return standing, dropped


def _granted(candidate: Candidate, found: Evidence | str) -> Evidence | str:
    """Return the evidence with which a candidate stands, or the name of the check that it fails.

    Args:
        candidate: if a person decided on it or wrote it, that person's word stands in for evidence
            that is missing or weak. A glossary's phrase that is refused fails by "discloses".
        found: the evidence or the failed check that was found without regard to people.
    """
    if candidate.source == Source.GLOSSARY and candidate.evidence == REFUSED:
        return "discloses"
    if not (candidate.decided or candidate.source in _PERSONS):
        return found
    shown = isinstance(found, Evidence) and not found.weak
    return found if shown else Evidence(EvidenceKind.PERSON)


class ProvenEditor:
    """Passes on those phrases of an editor's revisions that are shown to be true.

    Args:
        editor: mends a plan.
        document: with all its mentions.
        evidence: finds what shows that phrases are true.
    """

    def __init__(self, editor: PlanEditor, document: Document, evidence: EvidenceFinder) -> None:
        self._editor, self._document, self._evidence = editor, document, evidence

    def revise(self, placed: Mapping[str, Candidate], findings: Sequence[AttackFinding]) -> Plan:
        """Return the editor's revised plan with only those phrases that are shown to be true, each
        with its evidence (as ``EvidenceFinder.prove`` does). If the plan has a document of its own,
        phrases are proved in that one from then on.

        Args:
            placed: the candidate that stands for each entity; entities at their label are absent.
            findings: what was guessed, and from which words.
        """
        plan = self._editor.revise(placed, findings)
        self._document = plan.document or self._document
        return self._evidence.prove(self._document, plan)
