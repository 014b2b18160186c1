"""The geography of the knowledge file: how it is read, how it is put into words, and how one of
several places of the same name is chosen."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import chain

from intact.english.grammar import without_article
from intact.english.quantities import CURRENCIES
from intact.english.vocabulary import read_patterns
from intact.english.words import fold, key, slug
from intact.knowledge import Link, Members, Rule, Rung, Votes, upwards
from intact.knowledge.ladders import read_table


class Role(StrEnum):
    """The roles of a country's names."""

    NAME = "name"
    ADJECTIVE = "adjective"
    DEMONYM = "demonym"


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the world. ``parent`` is the code of the next larger one, "" for a continent."""

    code: str
    name: str
    adjective: str
    parent: str


@dataclass(frozen=True, slots=True)
class Country:
    """A country, territory or part of a country (code "GB-ENG")."""

    code: str
    name: str  # as it stands in a sentence ("the United Kingdom")
    region: str  # code of the smallest region it lies in
    adjectives: tuple[str, ...] = ()  # the usual one first; may be empty
    weight: float = 0.0  # how likely it is to be meant, relative to the others (population and use)

    @property
    def state(self) -> str:
        """Return the ISO code of the State that the country is or belongs to: "GB" for "GB-ENG"."""
        return self.code.partition("-")[0]


@dataclass(frozen=True, eq=False)
class World:
    """All countries and regions, small enough to be held in memory.

    Args:
        countries: by code.
        regions: by code.
        by_key: key of a name -> the countries with that name, and the name's role; it alone is
            searched.
        keys: code of a country -> the keys of its names, adjectives and demonyms.
    """

    countries: Mapping[str, Country]
    regions: Mapping[str, Region]
    by_key: Mapping[str, Sequence[tuple[Country, Role]]] = field(default_factory=dict)
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def load(cls, connection: sqlite3.Connection) -> World:
        """Return all countries and regions of a knowledge file, with the keys of their names."""
        rows = connection.execute("SELECT code, name, adjective, parent FROM region")
        regions = {row[0]: Region(*row) for row in rows}
        query = "SELECT code, name, region, adjectives, weight FROM country"
        countries = {
            code: Country(code, name, region, tuple(filter(None, adjectives.split("|"))), weight)
            for code, name, region, adjectives, weight in connection.execute(query)
        }
        by_key: dict[str, list[tuple[Country, Role]]] = defaultdict(list)
        keys: dict[str, list[str]] = defaultdict(list)
        query = "SELECT key, code, role FROM spelling ORDER BY position"
        for text_key, code, role in connection.execute(query):
            by_key[text_key].append((countries[code], Role(role)))
            keys[code].append(text_key)
        return cls(countries, regions, by_key, keys)

    def find(self, text_key: str) -> Sequence[tuple[Country, Role]]:
        """Return the countries with a name (folded, see ``key``), each with the name's role (name,
        adjective or demonym), names before adjectives; () if there are none."""
        return self.by_key.get(text_key, ())

    def regions_of(self, code: str) -> tuple[Region, ...]:
        """Return the regions of the world that a country lies in, smallest first (subregion,
        continent); () for an unknown code."""
        country = self.countries.get(code) or self.countries.get(code.partition("-")[0])
        smallest = self.regions.get(country.region) if country else None
        return tuple(upwards(smallest, lambda region: self.regions.get(region.parent)))


# Countries whose parts English texts name in place of the country: "Guelph, Ontario".
FEDERATIONS = frozenset({"AU", "CA", "IN", "PK", "US"})


class PlaceKind(StrEnum):
    """The kinds of places. Sizes are by inhabitants."""

    CAPITAL = "capital"
    CITY = "city"
    TOWN_OR_CITY = "town or city"
    TOWN = "town"
    VILLAGE = "village"
    UNSIZED = "unsized"
    DISTRICT = "district"
    AREA = "area"


_SIZES = ("capital city", "city", "town or city", "town", *("town or village",) * 2)
_PHRASES = (f"a {size}" for size in (*_SIZES, "town or district", "region"))
# The phrase for each kind, without a location.
PHRASES: Mapping[PlaceKind, str] = dict(zip(PlaceKind, _PHRASES, strict=True))


@dataclass(frozen=True, slots=True)
class TownOrArea:
    """A town or an area."""

    key: str  # the key of its own name (not of the alias it was found by)
    name: str
    country: str  # ISO code
    part: str  # code of the part of the country it lies in ("GB-ENG", "US-TX"), or ""
    kind: PlaceKind
    population: int  # inhabitants
    phrase: str  # what it is, with its article ("a county")

    @property
    def concept(self) -> str:
        """Return the canonical id of the place, with the code of the part of the country if it is
        known, and else of the country: "geo/NO/bergen", "geo/GB-ENG/leeds"."""
        return f"geo/{self.part or self.country}/{self.key.replace(' ', '-')}"

    def lies_in(self, country: str, part: str) -> bool:
        """Tell whether the place may lie in a country, and in a part of it; it may lie in any part
        if its own is unknown.

        Args:
            country: its ISO code.
            part: the code of the part, or "" for any.
        """
        return self.country == country and (not part or self.part in ("", part))


KIND_CODES = {kind: kind.value[:2] for kind in PlaceKind}
KIND_CODES[PlaceKind.TOWN_OR_CITY] = "tc"
_KINDS = {code: kind for kind, code in KIND_CODES.items()}


class Gazetteer:
    """The towns and areas of an open knowledge file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read towns and areas from an open knowledge file, when they are asked for, and keep the
        answers."""
        self._connection = connection
        self.find = lru_cache(maxsize=16384)(self._find)
        self.pool = lru_cache(maxsize=4096)(self._pool)

    def _find(self, text_key: str) -> tuple[TownOrArea, ...]:
        """Return the places with a name (folded, see ``key``): towns, the largest first, those of
        which it is another name last; then areas. () if there are none."""
        query = (
            "SELECT 0, -population, key, country, part, name, kind, population, '' "
            "FROM city WHERE key = ?1 UNION ALL "
            "SELECT 1, -population, city.key, city.country, city.part, name, kind, population, '' "
            "FROM alias JOIN city ON city.key = own AND city.country = alias.country "
            "AND city.part = alias.part WHERE alias.key = ?1 UNION ALL "
            "SELECT 2, 0, key, country, code, name, 'ar', population, phrase "
            "FROM area WHERE key = ?1 ORDER BY 1, 2, 3, 4, 5"
        )
        found = self._connection.execute(query, (text_key,))
        return tuple(
            TownOrArea(own, name or own.title(), country, part, kind, people, said or PHRASES[kind])
            for _, _, own, country, part, name, code, people, said in found
            for kind in [_KINDS[code]]
        )

    def federated(self) -> dict[str, str]:
        """Map the name (folded, see ``key``) of each part of a federation ("texas") to the ISO code
        of its country, if parts of only one country have it."""
        listed = ", ".join("?" * len(FEDERATIONS))
        query = f"SELECT key, country, phrase FROM area WHERE code != '' AND country IN ({listed})"
        found: dict[str, set[str]] = defaultdict(set)
        for name, country, phrase in self._connection.execute(query, sorted(FEDERATIONS)):
            if FORMS["holds_towns"].search(phrase):  # no suburb tells a country as States do
                found[name].add(country)
        return {name: min(each) for name, each in found.items() if len(each) == 1}

    def aliases_of(self, place: TownOrArea) -> tuple[str, ...]:
        """Return the keys of a town's other names; () if it has none."""
        query = "SELECT others FROM city WHERE key = ? AND country = ? AND part = ?"
        kept = next(self._connection.execute(query, (place.key, place.country, place.part)), None)
        return tuple(kept[0].split("\n")) if kept and kept[0] else ()

    def countries_of(self, text_key: str) -> list[str]:
        """Return the ISO codes, ascending, of the countries where a town or an area has a name
        (folded, see ``key``), without those where all that have it are far smaller (less than a
        twentieth) than the largest; [] if none has it."""
        towns = self.find(text_key)
        largest = max((town.population for town in towns), default=0)
        return sorted({t.country for t in towns if _FAR_SMALLER * t.population >= largest})

    def begins(self, text_key: str) -> int:
        """Return the number of towns' names of several words that begin with a word (folded, see
        ``key``)."""
        query = "SELECT count(DISTINCT key) FROM city WHERE key > ? AND key < ?"
        return int(next(self._connection.execute(query, (f"{text_key} ", f"{text_key}!")))[0])

    def _pool(self, scope: str, phrase: str, limit: int) -> Members | None:
        """Return the names that a noun in a scope can stand for, likeliest first, with their prior
        shares; None if none are stored.

        Args:
            scope: code of a country, a part or a region ("TR", "145"); "" for the world.
            phrase: the noun ("city").
            limit: the most names to list.
        """
        query = "SELECT total, weight, members FROM pool WHERE scope = ? AND phrase = ?"
        if not (row := next(self._connection.execute(query, (scope, phrase)), None)):
            return None
        total, weight, packed = row
        kept = [line.split(" ", 1) for line in zlib.decompress(packed).decode().split("\n")[:limit]]
        shares = tuple(float(share) / weight for share, _ in kept)
        return Members(tuple(name for _, name in kept), shares, total)


class Phrases:
    """Adds locations to phrases.

    Args:
        world: all countries and regions.
        parts: code -> name of the parts of countries that have no entry of their own ("US-TX").

    ``names`` holds the name of every region, country and part by its code.
    """

    def __init__(self, world: World, parts: Mapping[str, str]) -> None:
        """Keep the countries and parts, and read which places lie on another continent than their
        country."""
        self.world = world
        self.parts = parts
        self.names = {code: region.name for code, region in world.regions.items()}
        self.names |= {code: country.name for code, country in world.countries.items()}
        self.names |= parts
        self._elsewhere = {code: names.split(", ") for code, names in read_table("elsewhere")}

    def scopes(self, country: str, part: str = "") -> Iterator[tuple[str, str]]:
        """Yield what a place lies in, smallest first, as (code, name): part, country, region,
        continent. What is unknown or "" is left out.

        Args:
            country: an ISO code.
            part: code of the part of the country ("GB-ENG"), or "".
        """
        for code in dict.fromkeys((part, country)):
            if code in self.names:
                yield code, self.names[code]
        for region in self.world.regions_of(country):
            yield region.code, region.name

    def located(self, phrase: str, country: str, part: str = "", place: str = "") -> Iterator[Rung]:
        """Yield a phrase with larger and larger locations ("a town in Kent", "a town in England"),
        and last without one; each as a rung, with the id of what it means.

        Args:
            phrase: with its article ("a town").
            country: an ISO code.
            part: code of the part of the country, or "".
            place: name of the place itself; one that lies on another continent than its country
                gets no regions.
        """
        kind = slug(without_article(phrase))
        apart = fold(place) in self._elsewhere.get(country, ())
        for code, name in self.scopes(country, part):
            if not (apart and code in self.world.regions):
                yield Rung(f"{phrase} in {name}", f"{kind}@{code}")
        yield Rung(phrase, f"{kind}@")

    def in_regions(self, phrase: str, country: str, place: str = "") -> Iterator[Rung]:
        """Yield a phrase with its region, then with its continent, and last without a location ("a
        country in Western Asia", "a country in Asia", "a country"), but never with the country
        itself; each as a rung, with the id of what it means.

        Args:
            phrase: with its article ("a country").
            country: an ISO code.
            place: name of the place itself, or "".
        """
        rungs = self.located(phrase, country, "", place)
        return (rung for rung in rungs if not rung.concept.endswith(f"@{country}"))


# Patterns of how places, addresses, bodies and sums of money are written.
FORMS = read_patterns("places")
ONE_COUNTRY = 0.75  # from this share of votes, a document is about one country only

_VOTED = 0.01  # from this share of votes, it names a country at all
_SAID = 0.2  # below this sum of votes, it says nothing of countries: one or two small towns
_CLEAR_CITY = 0.3
_UNCLEAR_TOWN = 0.02
_CURRENCY = 1.0
_EVERYWHERE = frozenset({"EUR", "USD", "XEU", "XAF", "XOF", "XPF", "XCD", "SHS"})  # of no country
_ADDRESS = 3.0  # more than a country of the area's name: "Macon, Georgia"
_STATE = 0.5  # it may be a person's name: "Virginia"
_ELSEWHERE = 1.0  # votes reserved for what is not named: one word does not yet make a country
_SHORT = 6  # words; in a longer text only countries are looked for, and no towns


class Voting:
    """Counts the country votes of one document's texts."""

    def __init__(self, world: World, gazetteer: Gazetteer) -> None:
        """Collect the names by which a text can name a country.

        Args:
            world: all countries and regions.
            gazetteer: of the towns and areas.
        """
        self._world = world
        self._gazetteer = gazetteer
        self._named = {name: {code: _STATE} for name, code in gazetteer.federated().items()}
        for name, rows in world.by_key.items():
            states = Counter(country.state for country, _ in rows)
            self._named[name] = {state: count / len(rows) for state, count in states.items()}
        self._longest: dict[str, int] = {}
        for text_key in self._named:
            first, *rest = text_key.replace("-", " ").split()
            self._longest[first] = max(self._longest.get(first, 0), 1 + len(rest))

    def votes(self, texts: Iterable[str]) -> Votes:
        """Return each country that the texts of one document name, by its ISO code, with its share
        of all votes and one more (so that the shares sum to less than 1), largest first; {} if they
        name none."""
        return self.shares(map(self.counts, texts))

    def counts(self, text: str) -> Votes:
        """Return the votes of one text, above 0, for each country that it names by its name, its
        money or a town, by ISO code; {} if it names none. Towns count in a text of up to six words,
        and in any if what they lie in follows ("Macon, Georgia")."""
        counts: dict[str, float] = defaultdict(float)
        self._countries(text, counts)
        self._payers(text, counts)
        self._addressed(text, counts)
        if text.count(" ") < _SHORT:
            self._towns(text, counts)
        return counts

    @staticmethod
    def shares(counted: Iterable[Votes]) -> Votes:
        """Add up the votes of several texts. Return each country, by its ISO code, with its share
        of all votes and one more, largest first; {} if there are none."""
        counts: dict[str, float] = defaultdict(float)
        for code, count in chain.from_iterable(each.items() for each in counted):
            counts[code] += count
        total = sum(counts.values()) + _ELSEWHERE
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return {code: count / total for code, count in ranked}

    def _countries(self, text: str, counts: dict[str, float]) -> None:
        """Add to ``counts``, by ISO code, a vote for each country that a text names, each by the
        longest name at its place; a name that several have is shared out."""
        tokens = FORMS["token"].findall(text)
        done = 0
        for at, token in enumerate(tokens):
            if at >= done and token[0].isupper():
                keys = [*map(key, tokens[at : at + self._longest.get(key(token), 0)])]
                sizes = range(len(keys), 0, -1)
                size = next((n for n in sizes if " ".join(keys[:n]) in self._named), 0)
                for code, share in self._named.get(" ".join(keys[:size]), {}).items():
                    counts[code] += share
                done = at + size

    @staticmethod
    def _payers(text: str, counts: dict[str, float]) -> None:
        """Add to ``counts``, by ISO code, a vote for each country whose money a text mentions, each
        currency once."""
        signs = {match[1] or match[2] for match in FORMS["sum"].finditer(text)}
        paid = {CURRENCIES[sign.lower()].code for sign in signs if sign.lower() in CURRENCIES}
        for code in paid - _EVERYWHERE:
            counts[code[:2]] += _CURRENCY

    def _addressed(self, text: str, counts: dict[str, float]) -> None:
        """Add to ``counts``, by ISO code, the votes for countries of towns that are followed by
        what they lie in: "Macon, Georgia"."""
        for match in FORMS["addressed"].finditer(text):
            around = self._around(key(match["around"]))
            places = self._gazetteer.find(key(match["town"])) if around else ()
            towns = [place for place in places if place.kind is not PlaceKind.AREA]
            for country, part in around:
                if any(town.lies_in(country, part) for town in towns):
                    counts[country] += _ADDRESS

    def _around(self, name: str) -> set[tuple[str, str]]:
        """Return the countries and areas with a name (folded, see ``key``), as (ISO code, code of
        the part or "")."""
        found = (place for place in self._gazetteer.find(name) if place.kind is PlaceKind.AREA)
        areas = (area for area in found if FORMS["holds_towns"].search(area.phrase))
        countries = {(country.code, "") for country, _ in self._world.find(name)}
        return countries | {(area.country, area.part) for area in areas}

    def _towns(self, text: str, counts: dict[str, float]) -> None:
        """Add to ``counts``, by ISO code, the votes for countries of the towns and areas that a
        short text consists of, piece by piece between commas and brackets: most for a city that
        nobody would take for another, little and shared out by inhabitants for the rest."""
        for piece in re.split(r"[,()]", text):
            if not piece.strip()[:1].isupper() or self._world.find(key(piece)):
                continue
            places = self._gazetteer.find(key(piece))
            if not places:
                continue
            if stands_out([place for place in places if _is_called(place, key(piece))] or places):
                counts[max(places, key=size_of).country] += _CLEAR_CITY
                continue
            weights: dict[str, float] = defaultdict(float)
            for place in places:
                share = 1.0 if _is_called(place, key(piece)) else _ALIAS_SHARE
                weights[place.country] += share * max(place.population, 1000)
            total = sum(weights.values())
            for country, weight in weights.items():
                counts[country] += _UNCLEAR_TOWN * weight / total


def stands_out(places: Iterable[TownOrArea]) -> bool:
    """Tell whether the largest of some places, at least one, is a city that nobody would take for
    one of the others: it has 100,000 inhabitants or more, and five times as many as any other."""
    largest, *others = sorted(places, key=size_of, reverse=True)
    alone = all(largest.population >= 5 * other.population for other in others)
    return largest.kind is not PlaceKind.AREA and largest.population >= 100_000 and alone


def only(votes: Votes) -> str:
    """Return the ISO code of the country that has at least three quarters of a document's votes; ""
    if none has."""
    code = max(votes, key=lambda c: (votes[c], c), default="")
    return code if code and votes[code] >= ONE_COUNTRY else ""


_FAR_SMALLER = 20  # nobody means a namesake of a town that is this many times smaller

_FAR = 6  # a place must have this many times the inhabitants of each namesake abroad
_LARGE = 1_000_000  # from this size, a town's country is stated though the text never names it
_ABROAD = 0.2  # below this share of votes, a place is likelier elsewhere than in that country
_SUPPORT = 1_000  # votes times inhabitants that a place in a country below ``_ABROAD`` must have
_ROUNDING = 1e-9
_ALIAS_SHARE = 0.05  # how often another name means a town, compared with its own
_ALONE_FROM = 10_000  # the least inhabitants of a place that counts as the only one meant
_KNOWN_ABROAD = 2_000  # inhabitants; a smaller namesake in a country never named is coincidence


def choose_place(text_key: str, places: Sequence[TownOrArea], votes: Votes) -> Link | None:
    """Return the knowledge-base entry (id, kind, country) of that of several namesakes which a
    document means; None if it means none.

    A namesake in a country that the document hardly names must be large. If it is not, its country
    is not stated (the entry is ``ambiguous``), or the name is not taken for that place at all. The
    part of the country is left out if a namesake in another part has a fifth of its inhabitants or
    more.

    Args:
        text_key: the key of the name; a place of which it is another name weighs less.
        places: all places with that name; of none, none is meant.
        votes: the countries that the document names; {} for none.
    """
    if not places:
        return None

    def size(place: TownOrArea) -> float:
        return size_of(place) * (1.0 if _is_called(place, text_key) else _ALIAS_SHARE)

    said = sum(votes.values())
    own = _UNCLEAR_TOWN * (1.0 - said) * (1.0 + _ROUNDING)  # what the name alone brought in
    least = max(_VOTED * said, own if said >= _SAID and len(places) == 1 else 0.0)
    inside = [place for place in places if votes.get(place.country, 0.0) > least]
    if inside and said >= _SAID:
        best = max(inside, key=lambda p: (votes[p.country] * size(p) ** 0.5, p.part))
        share = votes[best.country] / said
        if share >= _ABROAD or share * size_of(best) >= _SUPPORT:
            return linked(best, part=not _rivals(best, inside))
    best = max(places, key=size)
    if said >= _SAID and size_of(best) < _KNOWN_ABROAD:
        return None
    known = said < _SAID or (best.kind is PlaceKind.AREA and best.part)  # "Texas"
    sure = _is_large(best) or (known and _leading(best, places))
    return linked(best, ambiguous=not sure, part=not _rivals(best, places))


def _is_called(place: TownOrArea, name: str) -> bool:
    """Tell whether a name (folded, see ``key``) is a place's own, or one word of it (Hull, Kingston
    upon Hull); no other name of the place counts."""
    return name == place.key or name in place.key.split()


def size_of(place: TownOrArea) -> int:
    """Return a place's inhabitants, 100 at least."""
    return max(place.population, 100)


def _is_large(place: TownOrArea) -> bool:
    """Tell whether a town is so large (a million) that everybody knows its country."""
    return place.kind is not PlaceKind.AREA and place.population >= _LARGE


def _leading(best: TownOrArea, places: Iterable[TownOrArea]) -> bool:
    """Tell whether a place is the only one meant by its name: it has 10,000 inhabitants or more,
    its name is no common one ("San ..."), and other countries have only far smaller namesakes (a
    sixth at most)."""
    size = size_of(best)
    others = (place for place in places if place.country != best.country)
    alone = size >= _ALONE_FROM and not FORMS["given_often"].match(best.key)
    return alone and all(_FAR * size_of(other) <= size for other in others)


def _rivals(best: TownOrArea, others: Iterable[TownOrArea]) -> bool:
    """Tell whether another part of the same country has a namesake of at least a fifth of a place's
    inhabitants.

    Args:
        best: the place.
        others: places to compare it with, itself included or not.
    """
    return any(
        other.part != best.part
        and other.country == best.country
        and other.key == best.key
        and 5 * size_of(other) >= size_of(best)
        for other in others
    )


def linked(
    place: TownOrArea, rule: Rule = Rule.EXACT, *, ambiguous: bool = False, part: bool = True
) -> Link:
    """Return the knowledge-base entry (id, kind, country) for a place.

    Args:
        place: what is linked to.
        rule: how sure the link is.
        ambiguous: whether its geography is too uncertain to be stated.
        part: whether the part of the country is stated, too.
    """
    spot = place.country, place.part if part else ""
    return Link(place.concept, place.name, str(place.kind), rule, *spot, ambiguous)
