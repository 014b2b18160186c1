"""Candidates from the knowledge base: for mentions, and for words that no annotation marks.

Unmarked words get only candidates that are sure to be true. A name needs an exact link whose
geography is certain; a common noun needs a curated ladder, and places where a noun phrase fits;
dates that can be read are widened. Everything else has no ladder.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from intact.discourse.things import court_rank
from intact.domain import (
    BY_CONCEPT,
    PROPER,
    Candidate,
    Document,
    Entity,
    EntityType,
    Evidence,
    EvidenceKind,
    Ladder,
    Mention,
    Source,
    type_row,
)
from intact.english.grammar import plural
from intact.english.numbers import number
from intact.english.reading import Place, ReadDocument
from intact.english.scan import parse, parse_temporal
from intact.english.vocabulary import (
    GENERIC_HEADS,
    NEGATION,
    STOP_WORDS,
    denies,
    either,
    read_patterns,
    word_sets,
)
from intact.english.words import GENITIVE, is_english, is_name_like, lemma, name_words
from intact.knowledge import Link, Rule, Rung, Votes
from intact.knowledge.base import KnowledgeBase
from intact.knowledge.kinds import KindTree, Lexicon
from intact.planning.ladder import Checker
from intact.planning.rules.times import date_ladder
from intact.protocols import KindReader, UnmarkedWords

_READ = 2  # mentions of an entity whose sentences are read
# Probabilities of a kind, as the sentences make it:
_RULED_OUT = 0.03  # below this, the kind is not meant, whatever the word can mean
_UNLIKELY = 0.08  # below this, it is not meant if the mention's type is another
_LIKELY = 0.3  # from here on, it may replace a more special one that is ruled out
_FAR_LESS = 0.1  # below this share of another likely sense of the word, it is not meant
_SURE_KIND = 0.9  # enough where the words say nothing: strictly right in 94 % of new documents
# a number, a date or a code under a wrong type
_NO_NAME = re.compile(r"[\W\d]+(?:[A-Z][a-z]+[\W\d]+)?|(?:[A-Z][a-z]+ )?[A-Z]{2,}-\d{3,}")
_SURENESS = {rule: rank for rank, rule in enumerate(Rule)}
_Name = tuple[str, Place]  # and where it stands
_Heard = tuple[Mapping[str, float], str]  # the kinds' likelihoods, the slot of all mentions or ""


@dataclass(frozen=True, slots=True)
class _Known:
    """All that is known of an entity, from its words and, if they were read, from its sentences."""

    link: Link | None  # of its words
    rungs: tuple[Rung, ...]  # what may be said of it
    heard: Mapping[str, float] | None = None  # how likely the sentences make each kind


class KnowledgeGenerator:
    """Links each entity, by all its names and words, to what it is: to what its words are taken
    for, if the sentence allows it, and to what the sentence says if the words say nothing.

    Args:
        base: the knowledge base.
        reader: says what kind each mention is of in its sentence.
    """

    def __init__(self, base: KnowledgeBase, reader: KindReader) -> None:
        self._base = base
        self._reader = reader

    def generate(self, read: ReadDocument, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """Map the id of each entity of a type that is generalised by kind to its ladder, phrases
        from its words and its sentences, most specific first. Entities of which nothing is known
        are absent.

        Args:
            read: the document; definitions and countries are read from it, too.
            entities: those to propose for; for types generalised by value nothing is proposed.
        """
        asked = [entity for entity in entities if entity.entity_type in BY_CONCEPT]
        votes = self._votes(read, asked)
        known = {e.id: self._known(read, e, votes[e.id]) for e in asked}
        known |= self._read(read, asked, known)
        ladders = {e.id: tuple(self._ladder(e, known[e.id])) for e in asked}
        return {key: ladder for key, ladder in ladders.items() if ladder}

    def _read(
        self, read: ReadDocument, entities: Sequence[Entity], known: Mapping[str, _Known]
    ) -> dict[str, _Known]:
        """Map the ids of those entities whose words are ambiguous, contradict the type or say
        nothing to what is known of them after their sentences have been read, too. Other entities,
        and all places, are absent.

        Args:
            read: the document.
            entities: those asked for.
            known: what their words say, by id.
        """
        named = [entity for entity in entities if entity.entity_type != EntityType.LOC]
        doubts = {entity.id: self._doubt(entity, known[entity.id]) for entity in named}
        asked = [e for e in named if doubts[e.id] or not known[e.id].rungs]
        readings = self._readings(read.document, asked, known)
        return {
            e.id: self._heard(e, read.places(e), known[e.id], doubts[e.id], heard)
            for e, heard in zip(asked, readings, strict=True)
        }

    def _heard(
        self, entity: Entity, places: Sequence[Place], known: _Known, doubt: float, heard: _Heard
    ) -> _Known:
        """Return what is known of an entity whose sentences have been read: the phrases that the
        sentences allow or, if the words say nothing, those of a kind that the sentences are sure
        of; and how likely they make each kind.

        Args:
            entity: the entity.
            places: of its mentions.
            known: from its words.
            doubt: the least probability that the sentences must give to what the words say; 0 if
                the words are not doubted.
            heard: the probability of each kind in the sentences, and the slot of all mentions, or
                "".
        """
        lexicon, rungs, (shares, filled) = self._base.lexicon, known.rungs, heard
        if doubt:
            kind = lexicon.kind_of(rung.text for rung in rungs)
            others = lexicon.rivals(entity.surfaces[0], kind)
            rival = max((shares.get(other, 0.0) for other in others), default=0.0)
            least = max(doubt, _FAR_LESS * rival if rival >= _LIKELY else 0.0)
            rungs = allowed_rungs(lexicon, rungs, shares, least)
        slot = worded_slot(places, filled)
        if not rungs and slot:
            top = not doubt and not any(map(is_name_like, entity.surfaces))
            rungs = surest_rungs(lexicon.tree, entity.entity_type, shares, slot, top=top)
        return _Known(known.link, rungs, shares)

    def _doubt(self, entity: Entity, known: _Known) -> float:
        """Return the least probability that the sentences must give to what an entity's words say:
        more, the plainer the words contradict the type. 0.3 for a body or place with the words of
        something else (a firm called "Kent Law"); 0.08 for other contradictions, unless the words
        match exactly; 0.03 for ambiguous words, and for those of which only the head noun is known,
        except in a name; else 0, and so if the words say nothing or the document itself says what
        the entity is."""
        lexicon, own, link = self._base.lexicon, entity.entity_type, known.link
        kind = lexicon.kind_of(rung.text for rung in known.rungs)
        if not kind or not link or link.rule is Rule.TOLD:
            return 0.0
        types = lexicon.tree[kind].types
        if own not in types and not (own == EntityType.ORG and EntityType.DEM in types):
            # a body may go by its officer: "the Governor"
            if own in PROPER and PROPER.isdisjoint(types):
                return _LIKELY  # a firm called "Kent Law", a pub called "the Bulldog"
            if link.rule is not Rule.EXACT:
                return _UNLIKELY
        headed = own not in PROPER and link.rule is Rule.HEAD
        return _RULED_OUT if headed or any(map(lexicon.is_ambiguous, entity.surfaces)) else 0.0

    def _readings(
        self, document: Document, entities: Sequence[Entity], known: Mapping[str, _Known]
    ) -> list[_Heard]:
        """Return, for each entity, a mapping of kinds to their probabilities, as the mean over its
        first two mentions, and the slot (how it stands in the sentence, as "nominal") that all its
        mentions fill; "" if they differ or are more than two.

        Args:
            document: with the sentences.
            entities: those to read.
            known: what their words say, by id.
        """
        mentions = [mention for entity in entities for mention in entity.mentions[:_READ]]
        taken = (known[mention.entity_id].rungs for mention in mentions)
        kinds = [self._base.lexicon.kind_of(rung.text for rung in rungs) for rungs in taken]
        means = {entity.id: defaultdict[str, float](float) for entity in entities}
        counts = Counter(mention.entity_id for mention in mentions)
        slots = defaultdict[str, set[str]](set)
        read = self._reader.read(document, mentions, kinds)
        for mention, reading in zip(mentions, read, strict=True):
            slots[mention.entity_id].add(reading.slot)
            for kind, share in reading.kinds.items():
                means[mention.entity_id][kind] += share / counts[mention.entity_id]
        one = {e.id: len(e.mentions) <= _READ and len(slots[e.id]) == 1 for e in entities}
        return [(means[e.id], slots[e.id].pop() if one[e.id] else "") for e in entities]

    def _votes(self, read: ReadDocument, entities: Sequence[Entity]) -> Mapping[str, Votes]:
        """Map the id of each entity to the shares (country code -> share) of the countries that the
        document names. Persons do not count (Jordan the man), and neither does, for itself, a place
        that shares its name with others: its largest namesake would win."""
        mentions = read.document.mentions
        surfaces = [each.text for each in mentions if each.entity_type in BY_CONCEPT]
        people = {each.text for each in mentions if each.entity_type == EntityType.PERSON}
        names = rf"(?<!\w)(?:{either(people)})(?!\w)"
        text = re.sub(names, "–", read.text) if people else read.text
        voting = self._base.voting
        counted = {one: voting.counts(one) for one in {text, *surfaces}}
        votes = voting.shares(counted[one] for one in (text, *surfaces))
        own = {}
        for each in (one for one in entities if one.entity_type == EntityType.LOC):
            if any(map(self._base.is_shared, each.surfaces)):
                others = (one for one in surfaces if one not in each.surfaces)
                own[each.id] = voting.shares(counted[one] for one in (text, *others))
        return {entity.id: own.get(entity.id, votes) for entity in entities}

    def _known(self, read: ReadDocument, entity: Entity, votes: Votes) -> _Known:
        """Return what the words of an entity say of it: their link to the knowledge base, and those
        of its phrases that are also true of the longer names that the entity may be short for."""
        first = {mention.text: mention.span for mention in reversed(entity.mentions)}
        names = [(name, read.place(first[name])) for name in entity.surfaces]
        known = self._best(names, entity.entity_type, votes)
        longer = ([(long, Place(words=long))] for long in _longer(read, entity))
        others = [self._best(name, entity.entity_type, votes).rungs for name in longer]
        shared = [{rung.text for rung in rungs} for rungs in others]
        rungs = tuple(rung for rung in known.rungs if all(rung.text in each for each in shared))
        return replace(known, rungs=rungs)

    def _ladder(self, entity: Entity, known: _Known) -> Iterator[Candidate]:
        """Yield candidates from what is known of an entity, perhaps only its type, most specific
        first. Each carries as evidence its probability: 1 if it is surely true, else what the
        sentences give to its kind."""
        link, kind_of, heard = known.link, self._base.lexicon.kind_of, known.heard or {}
        rungs = (*_levelled(entity, known.rungs), *_last_resort(entity, known.rungs))
        entry = f"{link.name} ({link.kind}, {link.rule})" if link is not None else ""
        sure = self._is_sure(entity, known, rungs)
        for rank, rung in enumerate(rungs):
            likely = 1.0 if sure else min(heard.get(kind_of((rung.text,)), 0.0), 1.0)
            shown = Evidence(EvidenceKind.KNOWLEDGE, round(likely, 3))
            said = (rung.text, rank, Source.KNOWLEDGE, f"concept:{rung.concept}", entry)
            yield Candidate(*said, evidence=shown)

    def _is_sure(self, entity: Entity, known: _Known, rungs: Sequence[Rung]) -> bool:
        """Tell whether what the words of an entity say is true whatever the sentence says. If not,
        a phrase is as probable as the sentence makes the kind that it names."""
        lexicon, link = self._base.lexicon, known.link
        if link is not None and link.rule is Rule.TOLD:
            return True
        if link is None or link.concept.startswith("geo/"):
            return link is not None and entity.entity_type == EntityType.LOC
        if link.kind == "nationality":  # "Jordan's" may be a person's
            return link.rule is Rule.EXACT and not GENITIVE.search(link.name)
        kind = lexicon.kind_of(rung.text for rung in rungs)
        if not kind or entity.entity_type not in lexicon.tree[kind].types:
            return False
        if entity.entity_type in PROPER:  # a noun of the name itself: "Ankara Regional Court"
            return known.heard is None
        return link.rule is Rule.EXACT and not any(map(lexicon.is_ambiguous, entity.surfaces))

    def _best(self, names: Iterable[_Name], entity_type: str, votes: Votes) -> _Known:
        """Choose the surest link to the knowledge base among several names of one entity, and its
        phrases; of equally sure ones, that with the most phrases. If one name makes it a
        government, it is not taken for the country whose name it also has. The link is None, and
        the phrases are (), if no name is known."""
        found: list[tuple[Link, tuple[Rung, ...]]] = []
        for name, place in names:
            link = self._base.link(name, entity_type, votes, place)
            if link is not None and (chain := self._base.chain(link)):
                found.append((link, chain))
        governments = [known for known in found if known[0].kind.startswith("government")]
        best = min(
            governments or found,
            key=lambda known: (
                _SURENESS[known[0].rule] + 10 * known[0].ambiguous,
                known[0].kind == "language",  # "Korean (native)" beside a nationality
                -len(known[1]),
            ),
            default=(None, ()),
        )
        return _Known(*best)


def allowed_rungs(
    lexicon: Lexicon,
    rungs: tuple[Rung, ...],
    shares: Mapping[str, float],
    least: float = _RULED_OUT,
) -> tuple[Rung, ...]:
    """Return the rungs (phrases) that the sentences of an entity allow: all of them, unless the
    first kind that they name is ruled out (less probable than ``least``). Then keep the first rung
    whose kind is likely (0.3 or more), and those rungs above it that name no kind or an allowed
    one; () if there is none.

    Args:
        lexicon: knows which phrase means which kind.
        rungs: most specific first.
        shares: kind -> probability in the sentences; empty if nobody read them, and then all rungs
            stay.
        least: the least probability with which a kind is allowed, in (0, 1).
    """
    kinds = [lexicon.kind_of((rung.text,)) for rung in rungs]
    first = next((kind for kind in kinds if kind), "")
    if not shares or not first or shares.get(first, 0.0) >= least:
        return rungs
    likely = (at for at, kind in enumerate(kinds) if shares.get(kind, 0.0) >= _LIKELY)
    at = next(likely, len(rungs))
    return tuple(
        rung
        for rung, kind in zip(rungs[at:], kinds[at:], strict=True)
        if not kind or shares.get(kind, 0.0) >= least
    )


def surest_rungs(
    tree: KindTree, entity_type: str, shares: Mapping[str, float], slot: str, *, top: bool
) -> tuple[Rung, ...]:
    """Return a phrase for the deepest kind that the sentences are sure of (0.9 or more), and for
    those above it, most specific first, worded as the slot asks. () if they are sure of none.

    Args:
        tree: of all kinds.
        entity_type: kinds that mentions of this type cannot be are left out.
        shares: kind -> probability in the entity's sentences.
        slot: where it stands, see ``worded_slot``; a kind without a wording for it is left out.
        top: whether to include the top of the tree.
    """
    sure = (kind for kind, share in shares.items() if share >= _SURE_KIND)
    deepest = max(sure, key=lambda kind: len(tree.path(kind)), default="")
    path = tree.path(deepest) if deepest else ()
    said = (
        (kind.id, kind.plural if slot == "plural" else kind.worded(slot))
        for kind in (path if top else path[:-1])
        if entity_type in kind.types
    )
    return tuple(Rung(words, f"kind/{kind}") for kind, words in said if words)


def _is_no_kind(words: str) -> bool:
    """Tell whether words say how many, how old or when, or what is not so ("not deaf"), so that
    they name no kind of thing."""
    alone = " " not in words and number(words.lower()) is not None
    told = denies(words) or NEGATION.search(words) is not None
    return alone or told or parse_temporal(words) is not None


def worded_slot(places: Sequence[Place], slot: str) -> str:
    """Return the name of the wording of a kind that fits the places of an entity: "noun" (after a
    determiner), "bare", "plural", "adj", "pred" (after "is") or "field"; "" if none does, or the
    words are a number, a time or a negation.

    Args:
        places: of an entity's mentions, which must agree.
        slot: what the network that reads kinds has read for them: "nominal", "clause", "verb",
            "pred" ...
    """
    if any(_is_no_kind(each.words) or parse(each.words) for each in places):
        return ""
    if slot == "nominal":
        determined = {place.determined for place in places}
        return "" if len(determined) > 1 else "noun" if determined.pop() else "bare"
    return "" if slot in ("clause", "verb") else slot


def _longer(read: ReadDocument, entity: Entity) -> set[str]:
    """Return the longer names of bodies in the document, without "the", that end in the one generic
    word that a body goes by ("the Council"): "Aberdeen City Council". Empty for a body with a name
    of its own and for anything else."""
    short = {surface.removeprefix("the ") for surface in entity.surfaces}
    own = any(" " in name or name_words(name) for name in short)
    if own or entity.entity_type != EntityType.ORG:
        return set()
    ends = tuple(f" {name}" for name in short)
    names = (each.text for each in read.document.mentions if each.entity_type == EntityType.ORG)
    return {name.removeprefix("the ") for name in names if name.removeprefix("the ").endswith(ends)}


def _levelled(entity: Entity, rungs: tuple[Rung, ...]) -> tuple[Rung, ...]:
    """Insert "a higher court" or "a lower court", as the names of a court say, right after the
    first rung (phrase) that speaks of an appeal or, without one, right before "a court". The rungs
    are returned unchanged if "a court" or the names' rank is missing, or the phrase is there
    already."""
    said, level = [rung.text for rung in rungs], court_rank(entity)
    rung = Rung(f"a {level} court", f"org/{level}-court")
    if not level or "a court" not in said or rung.text in said:
        return rungs
    at = next((at for at, text in enumerate(said) if " appeal" in text), said.index("a court") - 1)
    return (*rungs[: at + 1], rung, *rungs[at + 1 :])


def _last_resort(entity: Entity, rungs: Sequence[Rung]) -> tuple[Rung, ...]:
    """Return a last rung (phrase) that only says what the type says ("an organisation"), for a
    place or body of which nothing is known, unless its first text looks like a number, a date or a
    code; else ()."""
    row = type_row(entity.entity_type)
    named = row.proper and not _NO_NAME.fullmatch(entity.surfaces[0].strip())
    return (Rung(row.hypernym, f"{row.noun}@"),) if named and not rungs else ()


_SURE = frozenset({Rule.EXACT, Rule.AFFIX})
_UNMARKED = word_sets("grammar", "unmarked")
_FORMS = read_patterns("unmarked", {"negation": NEGATION.pattern})
_LAW = ("a written law", "a source of law")
_LEFT_OUT = ("certain",)  # the rewriter leaves such an adjective out


class UnmarkedGenerator:
    """Proposes phrases for words that nobody marked, including dates and amounts, for the guard.

    Args:
        base: the knowledge base.
        checks: find what a phrase must not say.
    """

    def __init__(self, base: KnowledgeBase, checks: Checker) -> None:
        self._base = base
        self._checks = checks

    def propose(
        self, document: Document, unmarked: Sequence[UnmarkedWords]
    ) -> Mapping[str, tuple[str, Sequence[str]]]:
        """Map the key of those unmarked words of which something is known for sure to an entity
        type and true phrases, most specific first; others are absent.

        Args:
            document: with all that is hidden.
            unmarked: words with all their places; a phrase must fit all of these.
        """
        read, votes = ReadDocument(document), self._base.votes([document.text])
        checks = self._checks(document.entities)
        found = {}
        for words in unmarked:
            places = [*map(read.place, words.spans)]
            kind, phrases = next(self._proposals(words, places, votes), ("", ()))
            key = f"guard:{words.key}"
            pairs = zip(words.spans, places, strict=True)
            mentions = (Mention(f"{key}:{s.start}", s, at.words, key, kind) for s, at in pairs)
            entity = Entity(key, tuple(mentions))
            if kept := [each for each in phrases if not checks.problem(each, entity)]:
                found[words.key] = kind, kept
        return found

    def _proposals(
        self, words: UnmarkedWords, places: Sequence[Place], votes: Votes
    ) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the entity type and phrases for unmarked words, by what they are: a date, a name, a
        modifier ("certain", which is left out later) or a noun. Nothing if they fit one of their
        places badly."""
        if words.kind == "date":  # a year is often part of a law's name
            bare = (each for each in places if each.words.isdigit())
            if all(_FORMS["before_year"].search(each.before) for each in bare):
                surfaces = tuple(dict.fromkeys(each.words for each in places))
                yield EntityType.DATETIME, [rung.text for rung in date_ladder(surfaces)]
        elif words.kind == "name":  # not in "her Commanding Officer"
            if not any(each.owner or _inner(each) for each in places):
                yield from self._name(places, votes)
        elif words.kind == "word" and all(map(_is_modifier, places)):
            yield EntityType.MISC, _LEFT_OUT
        elif words.kind == "word" and all(each.noun_ends for each in places):
            yield EntityType.MISC, self._noun(places)

    def _name(self, places: Sequence[Place], votes: Votes) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the entity type and phrases of an unmarked name: of a law ("a written law"), or of
        an exactly linked place, body or people. The first pair counts; () as its phrases says that
        nothing may stand for the name. Nothing for a heading and for what is not sure."""
        surface = places[0].words
        words = surface.lower().split()
        if len(words) > 1 and surface.isupper():
            return  # a heading
        if words[-1].isdigit():
            words.pop()
        if not _UNMARKED["rules"].isdisjoint(words):
            named = len(words) > 1 and words[-1] in ("act", "code")
            yield EntityType.MISC, _LAW if named else ()
        for kind in (EntityType.LOC, EntityType.ORG, EntityType.DEM):
            link = self._base.link(surface, kind, votes, places[0])
            if link is not None and not link.ambiguous and _sure_name(link, kind, words):
                qualifies = any(_FORMS["qualified"].match(each.after) for each in places)
                yield kind, () if qualifies and kind == EntityType.ORG else self._phrases(link)

    def _noun(self, places: Sequence[Place]) -> Sequence[str]:
        """Return the phrases of a noun of the knowledge base that has one sure sense, if they are
        the same for all its forms in the document; else ()."""
        found = set()
        for place in places:
            surface = place.words
            low, base = surface.lower(), lemma(surface)
            link = self._base.link(surface, EntityType.MISC, {}, place)
            if link is None or link.rule is not Rule.EXACT or link.ambiguous:
                return ()
            phrases, offence = self._phrases(link), link.kind == "offence"
            sure = base in _UNMARKED["one_sense"] or _is_sure_kind(link.kind, phrases)
            sure = sure and _UNMARKED["many_senses"].isdisjoint((low, base))
            if not sure or not link.concept.startswith("term/"):
                return ()
            if offence and place.after.startswith(" to "):
                return ()  # a conspiracy to do something
            many = offence or base != low
            found.add(tuple(each for each in phrases if _fits(place, link, each, many=many)))
        return found.pop() if len(found) == 1 else ()

    def _phrases(self, link: Link) -> list[str]:
        """List the phrases for what a name or noun is linked to, most specific first."""
        return [rung.text for rung in self._base.chain(link)]


def _is_sure_kind(kind: str, phrases: Sequence[str]) -> bool:
    """Tell whether nouns of a kind almost certainly have the sense of their phrases: offences that
    are unlawful acts, some kinds that are listed, and things with three phrases or more."""
    if kind == "offence":
        return "an unlawful act" in phrases
    return kind in _UNMARKED["sure_kinds"] or (kind == "thing" and len(phrases) > 2)


def _sure_name(link: Link, kind: str, words: Sequence[str]) -> bool:
    """Tell whether the entry of the knowledge base that a name is linked to is almost certainly
    meant: by the rule that linked them (exactly, for places and people), and by the entry's kind; a
    body's name must be several words with a class word as its head ("court of appeal").

    Args:
        link: the entry.
        kind: the entity type as which the name was looked up: LOC, ORG, or another, and then it
            must name an occupation, in several words.
        words: of the name, in lower case.
    """
    if kind == EntityType.LOC:
        sure = link.rule in _SURE and link.concept.startswith("geo/")
        return sure and link.kind in _UNMARKED["places"]
    if kind == EntityType.ORG:
        headed = ("of" in words or words[-1] in GENERIC_HEADS) and words[-1] != "government"
        head = words[words.index("of") - 1] if "of" in words else words[-1]
        one = lemma(head) == head and "and the" not in " ".join(words)
        return len(words) > 1 and headed and one and link.concept.startswith("org/")
    titled = len(words) > 1 and link.kind == "occupation" and "and" not in words
    return link.rule in _SURE and titled


def _is_modifier(place: Place) -> bool:
    """Tell whether an adjective may be left out at its place, because what is true of the thing
    with it is true of the thing ("an agricultural plot" is a plot). Adjectives whose plural is a
    word, and so may be nouns, are not left out."""
    clause = re.split(r"[.;:]\s", place.before)[-1]
    return bool(
        _FORMS["modifier"].fullmatch(place.words)
        and place.words not in _UNMARKED["not_of_the_kind"]
        and not is_english(plural(place.words))
        and (place.determiner or place.governed)
        and place.noun_follows
        and place.after.startswith(" ")
        and not _FORMS["turned"].search(clause)
    )


def _fits(place: Place, link: Link, phrase: str, *, many: bool) -> bool:
    """Tell whether a phrase says something ("a thing" does not) and can stand at a place of the
    sentence: after an article or possessive, with an article of its own behind "a"; or bare, behind
    a preposition, where the noun is a plural or an offence. No phrase can where a professional has
    an owner ("her doctor").

    Args:
        place: the words in the sentence.
        link: what the words were linked to in the knowledge base.
        phrase: to stand there.
        many: whether the words are a plural or an offence.
    """
    if _FORMS["vague"].search(phrase):
        return False
    if not place.determiner:
        return many and place.governed
    if place.owner and link.kind == "occupation":
        return False
    return phrase.startswith(("a ", "an ")) or place.determiner not in ("a", "an")


def _inner(place: Place) -> bool:
    """Tell whether a name is part of a longer one: "Northern Ireland (Provisions) Act"."""
    ahead = re.search(r"(?:^|[\s(“\"])([^\W\d_]+)([-‑ /])$", place.before)
    joined = ahead is not None and (
        ahead[2] != " " or (ahead[1][0].isupper() and ahead[1].lower() not in STOP_WORDS)
    )
    return joined or bool(_FORMS["inner"].match(place.after))
