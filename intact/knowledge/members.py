"""List what a phrase can mean, find the countries that it leaves possible, and tell whether
two texts name the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from intact.english.grammar import plural_phrase, without_article
from intact.english.quantities import QuantityKind, parse_quantity
from intact.english.vocabulary import STOP_WORDS
from intact.english.words import content_lemmas, key, words
from intact.knowledge import Members, Rule
from intact.knowledge.geography import FORMS, Gazetteer, Phrases, World
from intact.knowledge.ladders import Head, Heads
from intact.knowledge.terms import Terms

_BARE = 0.4  # share of organisations that texts name without their town
_HEADS = 24
_LONGER = 0.1  # factor by which each further word makes a name rarer than its words suggest
_TOWNS = 40
_SMALL = frozenset("of for and the in on".split())


class _Usable(NamedTuple):
    """A name of a head that can be guessed in English."""

    text: str  # as it is written
    weight: float  # its prior
    country: str  # see ``HeadName``
    proper: bool
    initial: str  # of its first lemma; "" if that may be another than the first letter


class MemberIndex:
    """Reads phrases back into names."""

    def __init__(self, gazetteer: Gazetteer, heads: Heads, phrases: Phrases) -> None:
        """Keep the sources from which members are read; answers are kept, too.

        Args:
            gazetteer: of the towns and areas.
            heads: the kinds of bodies and places.
            phrases: puts places into words.
        """
        self._gazetteer = gazetteer
        self._heads = heads
        self._world = phrases.world
        regions = self._world.regions.values()
        self._scopes = {key(name): code for code, name in phrases.names.items()}
        self._adjectives = {key(each.adjective): each.code for each in regions if each.adjective}
        self.members = lru_cache(maxsize=8192)(self._members)
        self._usable = lru_cache(maxsize=None)(self._read_usable)  # no more than there are heads

    @cached_property
    def _nouns(self) -> Mapping[str, str]:
        """Map each kind's phrase, in the singular and plural and without article (folded, see
        ``key``), to its concept: "criminal court" to "org/criminal-court"."""
        nouns: dict[str, str] = {}
        for head in self._heads:
            nouns.setdefault(key(without_article(head.phrase)), head.concept)
            nouns.setdefault(key(plural_phrase(head.phrase)), head.concept)
        return nouns

    def _members(self, phrase: str, limit: int) -> Members | None:
        """Return the likeliest names that a phrase can mean, at most ``limit``, with their prior
        shares; None if the phrase is not known."""
        bare = key(phrase)
        nationality = FORMS["national"].match(bare)
        adjective = nationality["scope"] if nationality else bare
        if adjective in self._adjectives:
            return self._gazetteer.pool(self._adjectives[adjective], "nationality", limit)
        noun, scope = self.read(phrase)
        if scope is None:
            return None
        return self._gazetteer.pool(scope, noun, limit) or self._organisations(noun, scope, limit)

    def read(self, phrase: str) -> tuple[str, str | None]:
        """Split a phrase into its bare noun (folded, see ``key``) and the code of its scope:
        ("city", "TR") for "a city in Turkey". If no scope is named, or it is not known, the noun is
        the whole phrase, and the code "" or None: ("city in narnia", None)."""
        bare = key(phrase)
        match = FORMS["scoped"].match(bare)
        if match is None or key(match["scope"]) not in self._scopes:
            return bare, (None if match and bare not in self._nouns else "")
        return match["noun"], self._scopes[key(match["scope"])]

    def _organisations(self, noun: str, scope: str, limit: int) -> Members | None:
        """Return the likeliest names of bodies that a noun can mean in a scope, with their shares:
        names of their own, and kinds with and without the name of a town there. None if the noun is
        no kind of body, or no name of one says more than the noun.

        Args:
            noun: a key ("criminal court").
            scope: code of a country, a part or a region; "" for the world.
            limit: the most names to list.
        """
        concept = self._nouns.get(noun)
        if concept is None:
            return None
        proper: dict[str, float] = {}
        heads: dict[str, float] = {}
        for name, weight in self._below(concept, noun, scope):
            (proper if name.proper else heads).setdefault(name.text, weight)
        share = sum(proper.values()) + sum(heads.values())
        if not share:
            return None
        towns = self._gazetteer.pool(scope, "city", _TOWNS) if scope else None
        scored = {name: weight / share for name, weight in proper.items()}
        for text, weight in sorted(heads.items(), key=lambda item: (-item[1], item[0]))[:_HEADS]:
            scored[text] = weight / share * _BARE
            if towns is not None:  # else it may be any town's
                for town, probability in zip(towns.names, towns.probabilities, strict=True):
                    scored[f"{town} {text}"] = weight / share * (1 - _BARE) * probability
        total = len(proper) + len(heads) * (1 + (towns.total if towns else 0))
        ranked = dict(sorted(scored.items(), key=lambda item: (-item[1], item[0]))[:limit])
        return Members(tuple(ranked), tuple(ranked.values()), total)

    def _below(self, concept: str, noun: str, scope: str) -> Iterator[tuple[_Usable, float]]:
        """Yield the names of a kind of body and of the kinds below it that can lie in a scope and
        say more than the noun itself, each with its weight, of which only the ratio matters: of one
        kind, the first name counts most.

        Args:
            concept: of the kind.
            noun: its words (folded, see ``key``).
            scope: code of a country, a part or a region; "" for the world.
        """
        said = content_lemmas(noun)
        initials, most = {"", *(lemma[0] for lemma in said)}, noun.count(" ") + 2
        below = self._heads.below(concept)
        for head in (head for head in below if head.concept != "org/limited-company"):  # no name
            fitting = (each for each in self._usable(head) if self._fits(each.country, scope))
            for place, name in enumerate(fitting, 1):
                short = name.initial in initials and name.text.count(" ") <= most
                if not (short and content_lemmas(name.text) <= said):
                    yield name, name.weight / place

    def _read_usable(self, head: Head) -> tuple[_Usable, ...]:
        """Return the names of a head (a kind of body) that can be guessed in English, in file
        order; plurals and names in other letters cannot."""
        usable: list[_Usable] = []
        for name in self._heads.names_of(head.concept):
            parts = name.text.split()
            if name.plural or not (name.proper or name.text.isascii()):
                continue
            initials = name.text.isupper() and len(name.text) <= 5  # "EAT" is not "eat"
            rarity = len(parts) - 1 + (head.kind == "section") + 2 * initials
            titled = " ".join(w if w in _SMALL else w[:1].upper() + w[1:] for w in parts)
            shown = name.text if name.proper else titled
            first = shown.split(" ", 1)[0].lower()
            plain = first.isascii() and first.isalpha() and len(first) > 1
            initial = first[0] if plain and first not in STOP_WORDS else ""
            weight = name.weight * _LONGER**rarity
            usable.append(_Usable(shown, weight, name.country, name.proper, initial))
        return tuple(usable)

    def _fits(self, country: str, scope: str) -> bool:
        """Tell whether what belongs to one country ("" for any) can lie in a scope (the code of a
        country, a part or a region; "" for the world)."""
        if not country or not scope or scope.partition("-")[0] == country:
            return True
        return any(region.code == scope for region in self._world.regions_of(country))


_ENOUGH = 60
_GENERIC = frozenset({"State", "States"})


@dataclass(eq=False)
class Implied:
    """Finds the countries that a phrase leaves possible.

    Args:
        world: all countries and regions.
        parts: key of a part's name ("texas") -> code of its country.
        members: called with (adjective of a region, entity type, how many); lists what it can stand
            for.
    """

    world: World
    parts: Mapping[str, str]
    members: Callable[[str, str, int], Members | None]

    @cached_property
    def _regions(self) -> Mapping[str, set[str]]:
        """Map the keys of each region's name and adjective ("western asia") to the ISO codes of its
        States."""
        states: dict[str, set[str]] = defaultdict(set)
        for country in self.world.countries.values():
            for region in self.world.regions_of(country.code):
                for name in filter(None, (region.name, region.adjective)):
                    states[key(name)].add(country.state)
        return dict(states)

    def read(self, phrase: str) -> frozenset[str] | None:
        """Return the ISO codes of the countries that a phrase leaves possible, by its capitalised
        names or its currency: {"TR"} for "a city in Turkey". None if it says nothing of countries;
        empty if its names have no country in common."""
        money = parse_quantity(phrase)
        if money is not None and money.kind is QuantityKind.MONEY:
            # the first two letters of a currency's code are those of its country (ISO 4217)
            return frozenset({money.unit[:2]} & self.world.countries.keys()) or None
        names = (name for name in FORMS["names"].findall(phrase) if name not in _GENERIC)
        implied = [left for name in names if (left := self._named(name))]
        return frozenset(set.intersection(*implied)) if implied else None

    def _named(self, name: str) -> set[str]:
        """Return the ISO codes of the States that a name leaves possible: those of a region or of a
        country, that of a part of a country, or those whose names or demonyms the name stands for;
        empty if it is unknown."""
        countries = self._regions.get(key(name)) or self._countries(name)
        if not countries and key(name) in self.parts:
            return {self.parts[key(name)]}
        for form in () if countries else (name, f"{name}n", name.removesuffix("s")):
            members = self.members(form, "DEM", _ENOUGH)  # the Balkans are Balkan
            listed = members.names if members is not None else ()
            countries = countries or set().union(*map(self._countries, listed))
        return countries

    def _countries(self, name: str) -> set[str]:
        return {country.state for country, _ in self.world.find(key(name))}


_LONGEST = 8  # words of a State's name


class _Naming(NamedTuple):
    """The meaning of a text: the codes of the countries that each of its States may be; its other
    lemmas; whether it is a nationality; and the id of a term."""

    countries: tuple[frozenset[str], ...]
    rest: frozenset[str]
    national: bool
    term: str


class Sameness:
    """Compares texts by the States that they name, in whatever form, and by the terms that they
    mean."""

    def __init__(self, world: World, terms: Terms) -> None:
        """Keep the States and the terms by which texts are compared; readings of texts are kept,
        too."""
        self._world = world
        self._terms = terms
        self._naming = lru_cache(1 << 16)(self._read)

    def tells(self, guess: str, original: str, entity_type: str) -> bool:
        """Tell whether a guess names what the original names: the same State with the same other
        words, a nationality of the same State, or the same term. A part of a State ("England")
        names that State as well.

        Args:
            guess: an attacker's words.
            original: the masked words.
            entity_type: the original's.
        """
        other = self._naming(original, entity_type)
        one = self._naming(guess, entity_type) if other.term or other.countries else other
        if other.term and one.term == other.term:
            return True
        alike = one.rest == other.rest or (one.national and other.national)
        if not other.countries or len(one.countries) != len(other.countries):
            return False
        states = ({*mine, *(code.partition("-")[0] for code in mine)} for mine in one.countries)
        return alike and not any(map(frozenset.isdisjoint, other.countries, states))

    def _read(self, text: str, entity_type: str) -> _Naming:
        """Return the States that a text names, the longest names read first; its other lemmas; and
        the term that it is linked to, with whether that is a nationality. A national of one State
        is linked by that State's adjective."""
        countries, rest = [], []
        left = words(text)
        while left:
            sizes = range(min(_LONGEST, len(left)), 0, -1)
            size = next((n for n in sizes if self._world.find(key(" ".join(left[:n])))), 0)
            if size:
                rows = self._world.find(key(" ".join(left[:size])))
                countries.append(frozenset(country.code for country, _ in rows))
            elif content_lemmas(left[0]):
                rest.append(left[0])
            left = left[size or 1 :]
        link = self._terms.link(text, entity_type)
        if link is None and len(countries) == 1:  # "a national of Turkey"
            for code in sorted(countries[0]):
                for adjective in self._world.countries[code].adjectives[:1]:
                    link = link or self._terms.link(" ".join((adjective, *rest)), entity_type)
        term = link.concept if link is not None and link.rule is Rule.EXACT else ""
        national = link is not None and link.kind == "nationality"
        ordered = tuple(sorted(countries, key=sorted))
        return _Naming(ordered, content_lemmas(" ".join(rest)), national, term)
