"""The knowledge base: one read-only file that links names and says what is true of them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from intact.english.grammar import LOCATED, without_article
from intact.english.reading import Place
from intact.english.vocabulary import denies
from intact.english.words import is_acronym, is_english, key
from intact.errors import ResourceError, loading
from intact.knowledge import Link, Members, Rule, Rung, Votes
from intact.knowledge.geography import Gazetteer, Phrases, Voting, World, stands_out
from intact.knowledge.kinds import Lexicon, kind_tree
from intact.knowledge.ladders import Heads
from intact.knowledge.members import Implied, MemberIndex, Sameness
from intact.knowledge.organisations import Organisations
from intact.knowledge.places import Places
from intact.knowledge.terms import Terms

SCHEMA = 5
FILE = Path(__file__).resolve().parent / "knowledge.sqlite"
_DAMAGED = "the knowledge file is damaged"
_REMEDY = "Reinstall INTACT, or make it with: make knowledge"
_CLASS_WORD = 5  # a word that begins this many towns' names is a class word ("Kampung")
_NO_SETTLEMENTS = {"loc/natural-feature", "loc/road", "loc/building"}
_SURE_ACRONYM = 5
_LONGEST = 400  # the most characters of a name or phrase that is looked up


class KnowledgeBase:
    """Links names, words what they are, and reads such words back. Do not share one between threads
    or processes: each opens its own, which is cheap."""

    def __init__(self, connection: sqlite3.Connection, extra: Sequence[Path] = ()) -> None:
        """Read the small tables of an open knowledge file, and join the user's own ladders to them.

        Args:
            connection: of the file; it stays open for look-ups.
            extra: ladder files of the user's own field.
        """
        self._connection = connection
        self._world = World.load(connection)
        self._gazetteer = Gazetteer(connection)
        self._heads = Heads(connection, extra)
        rows = connection.execute(
            "SELECT code, name FROM area WHERE phrase = 'a state' AND country = 'US'"
        )
        self._phrases = Phrases(self._world, dict(rows))
        self._places = Places(self._world, self._gazetteer, self._heads, self._phrases)
        self._organisations = Organisations(self._heads, self._places, self._phrases)
        states = {key(name): code[:2] for code, name in self._phrases.parts.items()}
        self.voting = Voting(self._world, self._gazetteer)
        self.votes = self.voting.votes
        self._members = MemberIndex(self._gazetteer, self._heads, self._phrases)
        self._terms = Terms(connection, extra)
        self.lexicon = Lexicon(connection, kind_tree())
        self.implies = lru_cache(maxsize=8192)(Implied(self._world, states, self.members).read)
        self.aliases = lru_cache(maxsize=8192)(self._aliases)
        self._sameness = Sameness(self._world, self._terms)

    @classmethod
    def open(cls, path: Path | None = None, extra_ladders: Sequence[Path] = ()) -> KnowledgeBase:
        """Open a knowledge file, read-only, and return the knowledge base.

        Args:
            path: the file; None is the shipped one.
            extra_ladders: ladder files of the user's own field, which take precedence over the
                shipped ones.

        Raises:
            ResourceError: if the file is missing, damaged, empty, or of another version.
            ConfigError: if a ladder file cannot be read.
        """
        file = path or FILE
        connection = _connect(file)
        try:
            version = next(connection.execute("PRAGMA user_version"))[0]
            if version != SCHEMA:
                problem = f"the knowledge file has version {version}, this program reads {SCHEMA}"
                raise ResourceError(problem, where=file, remedy=_REMEDY)
            opened = cls(connection, extra_ladders)
            if not opened._world.countries:
                raise ResourceError("the knowledge file is empty", where=file, remedy=_REMEDY)
        except BaseException:
            connection.close()
            raise
        return opened

    def close(self) -> None:
        """Close the file; the knowledge base cannot be used afterwards."""
        self._connection.close()

    def is_shared(self, name: str) -> bool:
        """Tell whether towns or areas of several countries share a name; a country in which all of
        them are far smaller than the largest (less than a twentieth) does not count. False for an
        unknown name."""
        return len(self._gazetteer.countries_of(key(name))) > 1

    def link(
        self, text: str, entity_type: str, votes: Votes, place: Place | None = None
    ) -> Link | None:
        """Return the entry of the knowledge base (its id, kind and country) that a name or phrase
        means in its document; None if that is unknown. An unknown phrase that says where something
        is ("behind the old ice house") is linked as the place behind its preposition, whatever its
        type.

        Args:
            text: the words of a mention; a text of more than 400 characters is unknown.
            entity_type: decides what is looked for first: a place, a body, a term.
            votes: the countries that the document names, which decide between namesakes; {} for
                none.
            place: where it stands; None for a name by itself.
        """
        found = self._link(text, entity_type, votes, place)
        located = None if found else re.match(LOCATED, text)  # "behind [the old ice house]"
        return self._link(text[located.end() :], "LOC", votes, None) if located else found

    def _link(self, text: str, entity_type: str, votes: Votes, place: Place | None) -> Link | None:
        """Return the entry of the knowledge base that a name or phrase means as it stands, by the
        steps of its entity type, surest first; None if no step knows it. See ``link``."""
        if len(text) > _LONGEST:
            return None
        if entity_type == "LOC":
            body = text[:1].isupper() and not any(map(str.isdigit, text))  # "Elm 2, mobile"
            return (
                self._places.link(text, votes)
                or self._terms.link(text, entity_type, place)
                or (self._organisations.link(text, votes) if body else None)
            )
        if entity_type == "ORG":
            return (
                self._places.address(text, votes)
                or self._organisations.link(text, votes)
                or self._places.seat(text, votes)
                or self._terms.link(text, entity_type, place)
            )
        before = place.before if place else ""
        return self._terms.link(text, entity_type, place) or self._organisation(
            text, entity_type, votes, before
        )

    def _organisation(self, text: str, entity_type: str, votes: Votes, before: str) -> Link | None:
        """Return the entry of an organisation whose mention has another entity type; None unless
        its name makes it one. ``before`` is the text before the mention."""
        first = text.partition(" ")[0]
        if denies(text) or (entity_type == "DEM" and (len(text.split()) > 3 or is_acronym(first))):
            return None
        if is_acronym(text) and len(text) < _SURE_ACRONYM and not before.lower().endswith("the "):
            return None  # "PAN", "EAT"
        link = self._organisations.link(text, votes)
        if link is None or link.kind == "family" or link.concept == "org/organisation":
            return None  # the Clan Wex may be a ship; a project is no body
        named = entity_type != "DEM" and text[:1].isupper() and link.rule is not Rule.EXACT
        return None if link.kind == "company" and not named else link  # a car: "Toyota"

    def chain(self, link: Link) -> tuple[Rung, ...]:
        """Return the phrases that are true of a linked name, as they stand in mid-sentence ("a city
        in Turkey"), each once and with the id of what it means, as a rule the most specific first;
        () if none is known."""
        if link.kind == "locality" or link.concept.startswith("geo/"):
            rungs = self._places.chain(link)
        elif link.concept.startswith("org/"):
            rungs = self._organisations.chain(link)
        else:
            return link.rungs
        distinct: dict[str, Rung] = {}
        for rung in rungs:
            distinct.setdefault(rung.text, rung)
        return tuple(distinct.values())

    def members(self, phrase: str, entity_type: str, limit: int) -> Members | None:
        """Return the names that a phrase can mean, likeliest first, with the prior share of each;
        None if the phrase is not known.

        Args:
            phrase: a noun phrase ("a city in Turkey"), with or without its article.
            entity_type: for MISC, terms take precedence over organisations ("an event").
            limit: the most names to list (for each place phrase, 60 are stored).
        """
        if entity_type == "MISC":  # "an event" is no name of an organisation there
            return self._terms.members(phrase, limit) or self._members.members(phrase, limit)
        return self._members.members(phrase, limit) or self._terms.members(phrase, limit)

    def _aliases(self, text: str) -> frozenset[str]:
        """Return all names, folded, of the country or town that a text names, with its adjectives
        and demonyms, and the text itself; only the text, folded, if it is neither."""
        own = key(text)
        countries = [country.code for country, _ in self._world.find(own)]
        names = {own, *(name for code in countries for name in self._world.keys[code])}
        places = self._gazetteer.find(own)
        if places and not countries:
            names.update((places[0].key, *self._gazetteer.aliases_of(places[0])))
        return frozenset(names)

    def tells(self, guess: str, original: str, entity_type: str) -> bool:
        """Tell whether a guess names what the original names, however both word it.

        Args:
            guess: an attacker's words.
            original: the masked words.
            entity_type: the original's; aliases of a town count only for places.
        """
        known = self._sameness.tells(guess, original, entity_type)
        return known or (entity_type == "LOC" and key(guess) in self.aliases(original))

    def identifies(self, word: str) -> bool:
        """Tell whether a folded word of a name identifies by itself.

        Large towns and States do, and so do other towns' names and words that are not English.
        Words that begin many towns' names ("Kampung", "San") and heads of bodies in any language
        ("Krankenhaus") do not, nor do English words that no town is called."""
        own = key(word)
        places = self._gazetteer.find(own)
        if self._world.find(own) or (places and stands_out(places)):
            return True
        if self._heads.find([own], "ORG") or self._gazetteer.begins(own) >= _CLASS_WORD:
            return False
        return bool(places) or not is_english(word)

    def subsumes(self, general: str, specific: str, entity_type: str) -> bool | None:
        """Tell whether a phrase is true of a name or of another phrase; None if that is unknown.

        Args:
            general: the phrase ("a city in Europe").
            specific: the name or phrase that it may cover ("Bergen").
            entity_type: of both.
        """
        link = self.link(specific, entity_type, {})
        if link is None:
            return None
        if key(general) in {key(rung.text) for rung in self.chain(link)}:
            return True
        if link.country and self.lies_elsewhere(general, specific):
            return False
        kind = self._is_kind(general, link, entity_type)
        return self._places.inside(specific, *self._members.read(general)) if kind is None else kind

    def lies_elsewhere(self, phrase: str, name: str) -> bool:
        """Tell whether a phrase names States or a part of the world in which no place of a name
        lies.

        Args:
            phrase: as it would replace the name ("a city in South America"); False if it names
                none.
            name: of a place ("Bergen"); for an unknown place the answer is False.
        """
        link = self.link(name, "LOC", {})
        countries = self.implies(phrase)
        if not countries or link is None or not link.country:
            return False
        lies_in = {link.country, *(place.country for place in self._gazetteer.find(key(name)))}
        return countries.isdisjoint(code.partition("-")[0] for code in lies_in)

    def _is_kind(self, general: str, link: Link, entity_type: str) -> bool | None:
        """Tell whether a linked thing is of the kind that a phrase names; None if that is unknown,
        or if the phrase says more than a kind.

        Args:
            general: the phrase ("a court").
            link: the thing's entry of the knowledge base.
            entity_type: of the phrase.
        """
        if link.concept.startswith(("geo/", "org/", "loc/")):
            return self._has_head(general, link)
        asked = self.link(without_article(general), entity_type, {})
        if asked is None or asked.rule is not Rule.EXACT or link.rule is not Rule.EXACT:
            return None
        own, said = (
            {each.concept, *(rung.concept for rung in self.chain(each))} for each in (link, asked)
        )
        if asked.concept in own and asked.concept != link.concept:
            return True
        return None if own & said else False

    def _has_head(self, general: str, link: Link) -> bool | None:
        """Tell whether a place or an organisation is of the kind that a phrase names ("a court");
        None if that is unknown, or if the phrase also says where it is."""
        noun, scope = self._members.read(without_article(general))
        table, other = ("ORG", "LOC") if link.concept[0] == "o" else ("LOC", "ORG")
        whole, line = self._heads.kind(noun, table)
        if not line and self._heads.kind(noun, other)[1]:
            return False  # a court is no city, and a city no court
        if link.concept.startswith("geo/"):
            country = link.kind == "country" and "loc/settlement" in line
            return False if country or _NO_SETTLEMENTS.intersection(line) else None
        kinds = [head.concept for head in self._heads.line(link.concept)]
        if line and line[0] in kinds:
            return (whole and not scope) or None
        return False if len(line) > 2 and not set(line[:-1]).intersection(kinds) else None


def _connect(file: Path) -> sqlite3.Connection:
    """Open a file read-only, and return the connection. Pages are read when they are needed, so
    queries can raise a ``ResourceError``, too, if the file is damaged."""
    if not file.is_file():
        raise ResourceError("the knowledge file is missing", where=file, remedy=_REMEDY)
    uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    with loading(_DAMAGED, file, _REMEDY, ResourceError):
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False, factory=_Connection)
    connection.file = file
    connection.execute("PRAGMA schema_version")
    return connection


class _Connection(sqlite3.Connection):
    """A connection that reads all rows of a query at once, so that damage shows up there."""

    file = FILE

    def execute(self, *arguments: Any) -> Iterator[Any]:  # type: ignore[override]
        with loading(_DAMAGED, self.file, _REMEDY, ResourceError):
            return iter(list(super().execute(*arguments)))
