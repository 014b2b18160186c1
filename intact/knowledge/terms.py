"""Links common nouns, adjectives, and messy phrases that contain them, to the ladders.

The steps, surest first: a pattern of legal or medical writing, the exact name, parts that "and"
joins, and last the head noun of the noun phrase (see ``patterns``). A phrase that no step knows has
no link.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from intact.domain import PROPER
from intact.english import grammar
from intact.english.grammar import plural_phrase, singulars, without_article
from intact.english.reading import Place
from intact.english.vocabulary import denies, word_sets
from intact.english.words import is_acronym, key
from intact.knowledge import Link, Members, Rule, Rung, patterns, upwards
from intact.knowledge.ladders import Node, concept_of, read_ladders
from intact.knowledge.patterns import FORMS, PlacedPhrase, is_title, named_by_itself

_MEMBERS = 32  # kept of each rung
_SHARES = 1_000_000
_NAMES_COUNTED = 4  # of each thing below a rung


def write_terms(
    connection: sqlite3.Connection,
    nodes: Sequence[Node],
    below: Iterable[tuple[str, str, tuple[str, ...]]] = (),
    frequency: Callable[[str], float] = lambda word: 3.0,
) -> None:
    """Write the term tables, with the names that each rung (a phrase of a ladder) can mean,
    likeliest first, and commit.

    Args:
        connection: an empty database; the tables are made in it.
        nodes: of the ladders, parents before children.
        below: what else stands below the nodes: (concept, concept above it, names).
        frequency: Zipf frequency (0 to 8) of an English word.
    """
    connection.executescript(
        Path(__file__).with_name("data").joinpath("terms.sql").read_text("utf-8")
    )
    ids = {node.concept: number for number, node in enumerate(nodes, start=1)}
    things = (*((node.concept, node.parent, node.names) for node in nodes), *below)
    parents = {concept: parent for concept, parent, _ in things if parent}
    members: dict[str, list[tuple[str, float]]] = defaultdict(list)
    totals: dict[str, int] = defaultdict(int)
    for concept, _, names in things:
        weighted = [(name, 10 ** frequency(name.lower())) for name in names[:_NAMES_COUNTED]]
        for above in upwards(parents.get(concept), parents.get):
            totals[above] += 1
            members[above] += weighted
    connection.executemany(
        "INSERT INTO term VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                ids[node.concept],
                node.concept * node.rung,  # an entry's follows from its name
                ids.get(node.parent, 0),
                node.phrase,
                "" if node.plural == plural_phrase(node.phrase) else node.plural,
                node.kind,
                " ".join(node.types),
                "adjective" if node.adjective else "noun",
                node.country,
                int(node.rung),
                totals[node.concept],
            )
            for node in nodes
        ),
    )
    named = sorted(
        (key(name), ids[node.concept], plural, rank)
        for node in nodes
        for plural, each in enumerate((node.names, node.plural_names))
        for rank, name in enumerate(each)
    )
    connection.executemany("INSERT OR IGNORE INTO term_name VALUES (?, ?, ?, ?)", named)
    for concept in members.keys() & ids.keys():
        whole = sum(weight for _, weight in members[concept])
        likeliest = sorted(members[concept], key=lambda row: (-row[1], row[0]))[:_MEMBERS]
        connection.executemany(
            "INSERT INTO term_member VALUES (?, ?, ?, ?)",
            (
                (ids[concept], rank, name, round(weight / whole * _SHARES))
                for rank, (name, weight) in enumerate(likeliest)
            ),
        )
    connection.execute("CREATE INDEX term_concept ON term (concept) WHERE rung = 1")
    connection.commit()


@dataclass(frozen=True, slots=True)
class Term:
    """A node as it is stored; see ``ladders.Node``."""

    id: int
    concept: str
    parent: int
    phrase: str
    plural: str
    kind: str
    types: tuple[str, ...]
    adjective: bool
    country: str
    is_rung: bool
    total: int

    def worded(self, *, plural: bool) -> Rung:
        """Return the term's phrase, in the singular or plural, with its concept, as a rung."""
        return Rung(self.plural if plural else self.phrase, self.concept)


@dataclass(frozen=True, slots=True)
class Hit:
    """A term found by a name, whether the name was in the plural, and the rungs over the term,
    nearest first. ``rank`` is 0 if the name is the term's first."""

    term: Term
    plural: bool
    rank: int
    above: tuple[Term, ...]

    def rungs(self, *, plural: bool) -> tuple[Rung, ...]:
        """Return the rungs (true phrases) over the term, nearest first, in the singular or
        plural."""
        return tuple(each.worded(plural=plural) for each in self.above)


class TermStore:
    """One set of term tables, with a cache. Its outermost rungs may continue in a ``shared``
    store."""

    def __init__(self, connection: sqlite3.Connection, shared: TermStore | None = None) -> None:
        """Open a set of term tables; an ``sqlite3.OperationalError`` if there are none."""
        self._connection = connection
        self._shared = shared
        connection.execute("SELECT 1 FROM term LIMIT 1")
        self.hits = lru_cache(maxsize=16384)(self._hits)
        self.term = lru_cache(maxsize=16384)(self._term)

    def by_concept(self, concept: str) -> Term | None:
        """Return the rung with a concept id ("term/lawyer"); None if there is none."""
        query = "SELECT id FROM term WHERE concept = ? AND rung = 1"
        row = next(self._connection.execute(query, (concept,)), None)
        return self.term(row[0]) if row else None

    def above(self, term: Term) -> tuple[Term, ...]:
        """Return the rungs over a term, nearest first, also those of the shared store; () if it is
        outermost."""
        line = [*upwards(term, lambda one: self.term(one.parent) if one.parent else None)]
        same = self._shared.by_concept(line[-1].concept) if self._shared else None
        return (*line[1:], *(self._shared.above(same) if self._shared and same else ()))

    def members(self, term: Term, limit: int, *, plural: bool) -> Members:
        """Return the names that stand below a term, likeliest first, with their prior shares.

        Args:
            term: a rung.
            limit: the most names to list; 32 are stored.
            plural: whether they are put into the plural.
        """
        query = "SELECT name, share FROM term_member WHERE term = ? ORDER BY rank LIMIT ?"
        rows = list(self._connection.execute(query, (term.id, limit)))
        names = tuple(plural_phrase(f"a {name}") if plural else name for name, _ in rows)
        shares = tuple(max(share, 1) / _SHARES for _, share in rows)
        return Members(names, shares, max(term.total, len(names)))

    def _hits(self, name: str) -> tuple[Hit, ...]:
        """Return the terms with a name (folded, see ``key``), the likeliest first; if there are
        none, those of which it is a plural; () if it is unknown."""
        query = (
            "SELECT term, plural, rank FROM term_name WHERE key = ? AND term > 0 "
            "ORDER BY rank, term, plural"
        )
        hits: dict[int, Hit] = {}
        for number, plural, rank in self._connection.execute(query, (name,)):
            term = self.term(number)
            hits.setdefault(number, Hit(term, bool(plural), rank, self.above(term)))
        if hits:
            return tuple(hits.values())
        for hit in (hit for one in singulars(name) for hit in self._hits(one)):
            if not hit.term.adjective and not hit.plural:
                hits.setdefault(hit.term.id, replace(hit, plural=True))
        return tuple(sorted(hits.values(), key=lambda hit: (hit.rank, hit.term.id)))

    def _term(self, number: int) -> Term:
        """Return the term with a number, which must exist; its plural and its concept follow from
        its phrase where they are not stored."""
        own, concept, parent, phrase, plural, kind, types, form, country, rung, total = next(
            self._connection.execute("SELECT * FROM term WHERE id = ?", (number,))
        )
        many, adjective = plural or plural_phrase(phrase), form == "adjective"
        concept = concept or concept_of(without_article(phrase), kind, adjective=adjective)
        fields = (tuple(types.split()), adjective, country, bool(rung), total)
        return Term(own, concept, parent, phrase, many, kind, *fields)


_KINDS = word_sets("grammar", "kinds")
_LANGUAGE = Rung("a language", "term/language")


def is_unsaid(phrase: str) -> bool:
    """Tell whether a rung (a phrase of a ladder) only holds the ladder together, and is never said
    of anybody: "a person of a certain age"."""
    return FORMS["unsaid"].fullmatch(phrase) is not None


class Terms:
    """Finds the true phrases over a common noun, an adjective or an attribute.

    Args:
        connection: of the knowledge file.
        extra_ladders: ladder files of the user's own field; they take precedence.

    Raises:
        ConfigError: if a ladder file is wrong. sqlite3.OperationalError: if the knowledge file has
            no term tables.
    """

    def __init__(self, connection: sqlite3.Connection, extra_ladders: Sequence[Path] = ()) -> None:
        """Open the term tables of the knowledge file, and make others of the user's ladders, if
        any."""
        self._main = TermStore(connection)
        self._stores = [self._main]
        nodes = read_ladders(extra_ladders)
        if nodes:
            memory = sqlite3.connect(":memory:", check_same_thread=False)
            write_terms(memory, nodes)
            self._stores.insert(0, TermStore(memory, self._main))

    def link(self, text: str, entity_type: str, place: Place | None = None) -> Link | None:
        """Return the knowledge-base entry (id, kind, true phrases) of a common noun, an adjective,
        or a messy phrase that contains one; None if that is not certain.

        Args:
            text: the phrase.
            entity_type: of its mention; senses of that type come first.
            place: where it stands; None for a phrase by itself.
        """
        phrase = PlacedPhrase(entity_type, place or Place(words=text))
        return None if _is_no_term(phrase) else self._linked(phrase)

    def _linked(self, phrase: PlacedPhrase) -> Link | None:
        """Return the first entry that the steps find for a phrase, without rungs (true phrases)
        that are never said; a language if the sentence says that it is one; None if nothing, or no
        rung, is left."""
        linked = next(filter(None, self._links(phrase)), None)
        known = linked.kind != "language" if linked else phrase.text[:1].isupper()
        common = phrase.entity_type in ("DEM", "MISC") and phrase.text != phrase.text.lower()
        if known and common and FORMS["spoken"].search(phrase.place.before):  # "speaks [Ewe]"
            return Link("term/language", phrase.text, "language", Rule.HEAD, rungs=(_LANGUAGE,))
        rungs = tuple(each for each in linked.rungs if not is_unsaid(each.text)) if linked else ()
        return replace(linked, rungs=rungs) if linked and rungs else None

    def _links(self, phrase: PlacedPhrase) -> Iterator[Link | None]:
        """Yield the link that each step finds, or None, surest step first. A step is only taken if
        those before it found nothing."""
        text, place, asked = phrase.text, phrase.place, phrase.asked
        yield self._behind_noun(phrase)
        bare = patterns.without_determiner(text)
        if place.subject:
            yield patterns.predicate(phrase, self._lookup(phrase.entity_type, "a noun"))
            if text[0].islower() and not re.search(r" ha[dsv]", place.subject):
                return  # "he [rings]" names nothing
        if not (self._has_ladder(asked) or self._has_ladder(bare)):
            yield patterns.match(phrase, self._lookup(phrase.entity_type))
        if not (is_title(text) or denies(text)):  # "can't cook"
            yield self._exact(bare, phrase)
            yield self._exact(asked, phrase)
            yield self._joined(asked, phrase)
            yield self._head(asked, phrase)
        yield self._named(named_by_itself(phrase), phrase)

    def members(self, phrase: str, limit: int) -> Members | None:
        """Return the names that a phrase can mean, likeliest first, with their prior shares; None
        if the phrase is no rung with names below it.

        Args:
            phrase: a rung, with or without its article; the shipped ladders take precedence over a
                user's.
            limit: the most names to list; 32 are stored.
        """
        for store in reversed(self._stores):
            hits = store.hits(key(without_article(phrase)))
            own = [hit for hit in hits if phrase in (hit.term.phrase, hit.term.plural)]
            for hit in (*own, *hits):
                if hit.term.total:
                    below = store.members(hit.term, limit, plural=hit.plural)
                    return replace(below, ranked=store is self._main)
        return None

    def _behind_noun(self, phrase: PlacedPhrase) -> Link | None:
        """Return an entry for a name by the noun before it, with that noun and the rungs (true
        phrases) over it: in "the film [Heat]", Heat is a film. None if there is no such noun, or
        the type is not MISC."""
        work = phrase.place.work if phrase.entity_type == "MISC" else None
        if work is None:
            return None
        own = Rung(grammar.with_indefinite(work.noun), f"told/{work.noun}")
        hits = self._hits(key(work.noun), phrase)
        works = (hit for hit in hits if hit.term.kind in _KINDS["works"])
        above = next((hit.rungs(plural=False) for hit in works), ())
        return Link(own.concept, phrase.text, "work", Rule.TOLD, rungs=(own, *above))

    def _named(self, noun: str, phrase: PlacedPhrase) -> Link | None:
        """Return an entry for a name by the noun that its own words say it is, with that noun and
        the rungs (true phrases) over it; None for "" or a noun that no ladder has."""
        for hit in self._hits(key(noun), phrase) if noun else ():
            if not hit.term.adjective:
                own = hit.term.worded(plural=False)
                return _composed(hit.term, phrase.text, (own, *hit.rungs(plural=False)))
        return None

    def _exact(self, text: str, phrase: PlacedPhrase) -> Link | None:
        """Look a text up as the whole name of a term ("baker", "the flu"). Return the entry of the
        likeliest term of that name that is possible there (by the mention's type, capitals, and
        whether a noun follows), with the true phrases above it that fit there, most specific first;
        None if no term has the name, or none with such phrases.

        Args:
            text: the words to look up.
            phrase: the mention in which they stand.
        """
        barred = _barred(text, phrase)
        hits = [hit for hit in self._hits(key(text), phrase) if hit.term.kind not in barred]
        if phrase.entity_type in PROPER and text[:1].isupper():  # "Topaz" is a place, no stone
            hits = [hit for hit in hits if phrase.entity_type in hit.term.types]
        if phrase.place.begins_determined and not phrase.place.noun_follows:
            hits = [hit for hit in hits if not hit.term.adjective]
        if phrase.place.noun_follows and any(hit.term.adjective for hit in hits):
            hits = [hit for hit in hits if hit.term.adjective]
        for hit in hits:
            term = hit.term
            rungs = hit.rungs(plural=hit.plural)
            if term.adjective:
                rungs = _fitting(term, rungs, phrase)
            if rungs:
                return Link(term.concept, text, term.kind, Rule.EXACT, term.country, rungs=rungs)
        return None

    def _joined(self, text: str, phrase: PlacedPhrase) -> Link | None:
        """Return an entry for parts that "and" joins, with the terms (true phrases) that lie over
        all of them, in the plural unless they say what one person is; None if a part is unknown,
        there is but one, or they have no term in common.

        Args:
            text: the words to look up.
            phrase: the mention in which they stand.
        """
        parts = patterns.parts(text)
        found = [self._exact(part, phrase) or self._head(part, phrase) for part in parts]
        links = [*filter(None, found)]
        if len(links) < max(2, len(parts)):
            return None
        common = set[str].intersection(*({each.concept for each in lk.rungs} for lk in links))
        people = all(link.kind == "occupation" for link in links)
        one = people and not any(grammar.NounPhrase.of(part).is_plural for part in parts)
        terms = (self._main.by_concept(each.concept) for each in links[0].rungs)
        known = [term for term in terms if term and term.concept in common]
        if not known:
            return None
        rungs = tuple(term.worded(plural=not one) for term in known)
        return Link(f"{rungs[0].concept}/many", text, "term", Rule.COMPOSITE, rungs=rungs)

    def _head(self, text: str, phrase: PlacedPhrase) -> Link | None:
        """Return an entry for a phrase by the longest part with its head noun that is a name of a
        term, with the rungs (true phrases) over it; None for a type of names, or if no part is one.

        Args:
            text: the words to look up.
            phrase: the mention in which they stand.
        """
        if phrase.entity_type in PROPER:
            return None
        for head, whole in patterns.heads(text):
            named = phrase.proper and not whole
            hits = self._hits(key(head), phrase)
            if hit := next((hit for hit in hits if _may_be_head(hit.term, text, named)), None):
                told = hit.term.kind == "health" and phrase.place.of_another  # "son's [autism]"
                said = (hit.rank == 0 or hit.term.is_rung) and not (whole or told)
                own = (hit.term.worded(plural=hit.plural),) if said else ()
                rungs = own + hit.rungs(plural=hit.plural)
                return _composed(hit.term, text, rungs) if rungs else None
        return None

    def _lookup(self, entity_type: str, words: str = "") -> patterns.Look:
        """Return a function that lists the more general phrases for a part of a phrase, most
        specific first; () if the part is unknown.

        Args:
            entity_type: of the mention.
            words: tell as what the part counts in its place: "a noun", or "" for anything.
        """
        alone = PlacedPhrase(entity_type, Place(words=words))

        def look(part: str) -> tuple[str, ...]:
            """Return the more general phrases for a part, most specific first; () if it is
            unknown."""
            own = PlacedPhrase(entity_type, Place(words=part))
            phrase = own if own.place.owned else alone  # "her children" are no minors
            bare, asked = patterns.without_determiner(part), own.asked
            link = self._exact(bare, phrase) or self._exact(asked, phrase)
            link = link or self._head(asked, phrase)
            rungs = link.rungs if link else ()
            return tuple(each.text for each in rungs if not is_unsaid(each.text))

        return look

    def _has_ladder(self, name: str) -> bool:
        """Tell whether a ladder has exactly this name, with a rung above it, so that no pattern
        need be tried."""
        return any(hit.term.parent for store in self._stores for hit in store.hits(key(name)))

    def _hits(self, name: str, phrase: PlacedPhrase) -> list[Hit]:
        """Return the terms with a name (folded, see ``key``), the likeliest at the place of a
        phrase first; [] if there are none. A child is somebody's child if the sentence says so, and
        else a minor."""
        other = ("term/minor", 1) if phrase.place.owned else ("term/child", 0)
        hits = (hit for store in self._stores for hit in store.hits(name))
        fitting = (hit for hit in hits if (hit.term.concept, hit.rank) != other)
        return sorted(fitting, key=lambda hit: _order(hit, phrase))


def _is_no_term(phrase: PlacedPhrase) -> bool:
    """Tell whether a phrase can have no term (a true phrase of a ladder) over it: a date, the end
    of a word, a fragment, or something denied."""
    text, place = phrase.text, phrase.place
    return (
        place.before[-1:] == "-"
        or patterns.is_date(text)
        or (len(text) < 3 and not text.isupper())  # "Ma" is no degree
        or (place.negated and not text[:1].isupper())
    )  # who is "not a nurse" may yet be a health professional


def _barred(text: str, phrase: PlacedPhrase) -> frozenset[str]:
    """Return the kinds of terms that a name cannot be of ("food"): "FIR" is no tree, the dog
    Biscuit no food.

    Args:
        text: the words to look up.
        phrase: the mention in which they stand.
    """
    natural = _KINDS["natural"] if is_acronym(text) else frozenset[str]()
    named = phrase.proper and (" " not in text or phrase.place.quoted)
    return natural | (_KINDS["never_named"] if named else frozenset())


def _may_be_head(term: Term, text: str, named: bool) -> bool:
    """Tell whether a term may be the head of a phrase.

    Args:
        term: what the phrase's head noun can mean.
        text: the phrase.
        named: whether the phrase is only part of a name: "Fade Republic" is no state, "Valley Home
            Nursing" no science.
    """
    if term.adjective or (term.kind == "language" and not term.is_rung):
        return False
    if term.kind in _KINDS["bodily"] and text.count(" ") and not text[1:].islower():
        return False
    return not (named and term.kind in _KINDS["never_named"] | _KINDS["no_names_head"])


def _composed(term: Term, text: str, rungs: tuple[Rung, ...]) -> Link:
    """Return the entry of a text that contains the name of a term, with the rungs (true phrases)
    given."""
    concept = f"{term.concept}/{patterns.concept(text)}"
    return Link(concept, text, term.kind, Rule.HEAD, rungs=rungs)


def _order(hit: Hit, phrase: PlacedPhrase) -> tuple[int, ...]:
    """Return the sort key of a sense of a word, the likeliest smallest: a language if the sentence
    asks for one, the mention's own type, adjective or noun as the sentence asks, and then by
    rank."""
    term, place = hit.term, phrase.place
    spoken = phrase.entity_type == "MISC" or place.spoken
    counted = hit.plural or place.begins_determined  # "Filipinos" are people
    language = term.kind == "language" and spoken and not (place.noun_follows or counted)
    noun = counted or (place.after and place.articled)
    adjective = place.noun_follows or (term.kind in _KINDS["before_noun"] and not noun)
    return (
        int(not language),
        int(phrase.entity_type not in term.types),
        int(phrase.entity_type == "DEM" and term.kind == "thing"),
        int(term.adjective != adjective),
        int(term.kind == "language"),
        hit.rank,
        term.id,
    )


def _fitting(term: Term, rungs: tuple[Rung, ...], phrase: PlacedPhrase) -> tuple[Rung, ...]:
    """Return those adjectives over a term, nearest first, that fit where the original stands:
    before a noun, or after a verb; for a nationality, a vague one last. () if an article asks for a
    noun.

    Args:
        term: the original's.
        rungs: the adjectives over it.
        phrase: the original at its place.
    """
    place = phrase.place
    attributive = place.noun_follows if place.after else term.phrase[:1].isupper()
    noun = place.articled or place.before.endswith("only ")  # "the only Ibibio"
    if attributive:
        fit = tuple(each for each in rungs if not FORMS["postpositive"].match(each.text))
        return fit + (Rung("a certain country", "geo/any"),) * (term.kind == "nationality")
    if term.kind == "nationality":
        # "an [Egyptian] who"
        return (*rungs, Rung(f"{'a person ' * noun}of a particular nationality", "geo/any"))
    if place.articled:
        return ()  # an article asks for a noun
    region = not (noun or place.spoken) and rungs and FORMS["of_region"].match(rungs[-1].text)
    return (*rungs, Rung("of a particular origin", "geo/any")) if region else rungs
