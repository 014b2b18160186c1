"""Towns and areas in the knowledge file: look-up by key, and what a phrase can stand for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from intact.knowledge.types import Members


class PlaceKind(StrEnum):
    """What a place is; the size classes are by inhabitants."""

    CAPITAL = "capital"
    CITY = "city"
    TOWN_OR_CITY = "town or city"
    TOWN = "town"
    VILLAGE = "village"
    UNSIZED = "unsized"
    DISTRICT = "district"
    AREA = "area"
    COUNTRY = "country"


PHRASES: Mapping[PlaceKind, str] = {
    PlaceKind.CAPITAL: "a capital city",
    PlaceKind.CITY: "a city",
    PlaceKind.TOWN_OR_CITY: "a town or city",
    PlaceKind.TOWN: "a town",
    PlaceKind.VILLAGE: "a town or village",
    PlaceKind.UNSIZED: "a town or village",
    PlaceKind.DISTRICT: "a town or district",
    PlaceKind.AREA: "a region",
    PlaceKind.COUNTRY: "a country",
}
"""The phrase for each kind, without its geography."""

CITY_FROM = 100_000
MIXED_FROM = 20_000
TOWN_FROM = 3_000


def size_class(population: int) -> PlaceKind:
    """The kind of a town by its inhabitants (0: not known)."""
    if population >= CITY_FROM:
        return PlaceKind.CITY
    if population >= MIXED_FROM:
        return PlaceKind.TOWN_OR_CITY
    if population >= TOWN_FROM:
        return PlaceKind.TOWN
    return PlaceKind.VILLAGE if population else PlaceKind.UNSIZED


@dataclass(frozen=True, slots=True)
class Place:
    """A town or an area.

    Attributes:
        key: the key of its own name (not of the alias it was found by).
        country: ISO code.
        part: code of the part of the country it lies in ("GB-ENG", "US-TX"), or "".
        phrase: what it is, with its article ("a county").
    """

    key: str
    name: str
    country: str
    part: str
    kind: PlaceKind
    population: int
    phrase: str

    @property
    def concept(self) -> str:
        """Canonical id."""
        return f"geo/{self.part or self.country}/{self.key.replace(' ', '-')}"


def create(connection: sqlite3.Connection) -> None:
    """Makes the empty tables."""
    connection.executescript(
        "CREATE TABLE city (key TEXT, country TEXT, part TEXT, kind TEXT, population INTEGER, "
        "name TEXT, PRIMARY KEY (key, country, part)) WITHOUT ROWID;"
        "CREATE TABLE alias (key TEXT, own TEXT, country TEXT, part TEXT, "
        "PRIMARY KEY (key, own, country, part)) WITHOUT ROWID;"
        "CREATE INDEX alias_own ON alias (own, country, part);"
        "CREATE TABLE area (key TEXT, country TEXT, code TEXT, name TEXT, phrase TEXT, "
        "PRIMARY KEY (key, country, code)) WITHOUT ROWID;"
        "CREATE TABLE pool (scope TEXT, phrase TEXT, total INTEGER, weight REAL, names TEXT, "
        "weights TEXT, PRIMARY KEY (scope, phrase)) WITHOUT ROWID;"
    )


_KIND_CODES = {kind: kind.value[:2] for kind in PlaceKind}
_KIND_CODES[PlaceKind.TOWN_OR_CITY] = "tc"
_KINDS = {code: kind for kind, code in _KIND_CODES.items()}


def add_places(connection: sqlite3.Connection, places: Iterable[Place]) -> None:
    """Writes towns; where two have the same key, country and part, the larger one stays."""
    best: dict[tuple[str, str, str], Place] = {}
    for place in places:
        row = (place.key, place.country, place.part)
        if row not in best or (place.population, place.name) > (
            best[row].population,
            best[row].name,
        ):
            best[row] = place
    connection.executemany(
        "INSERT INTO city VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                *row,
                _KIND_CODES[place.kind],
                place.population,
                None if place.name == place.key.title() else place.name,
            )
            for row, place in sorted(best.items())
        ],
    )


class Gazetteer:
    """The towns and areas of an open knowledge file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.find = lru_cache(maxsize=16384)(self._find)
        self.pool = lru_cache(maxsize=4096)(self._pool)

    def _find(self, text_key: str) -> tuple[Place, ...]:
        """Places called ``text_key``: towns by population (aliases last), then areas."""
        query = "SELECT key, country, part, kind, population, name FROM city WHERE key = ?"
        rows = self._connection.execute(query, (text_key,)).fetchall()
        own = sorted((_place(row) for row in rows), key=lambda place: -place.population)
        query = (
            "SELECT city.key, city.country, city.part, kind, population, name FROM alias JOIN city "
            "ON city.key = own AND city.country = alias.country AND city.part = alias.part "
            "WHERE alias.key = ?"
        )
        rows = self._connection.execute(query, (text_key,)).fetchall()
        others = sorted((_place(row) for row in rows), key=lambda place: -place.population)
        query = "SELECT key, country, code, name, phrase FROM area WHERE key = ?"
        areas = [
            Place(own_key, name, country, code, PlaceKind.AREA, 0, phrase)
            for own_key, country, code, name, phrase in self._connection.execute(query, (text_key,))
        ]
        return (*own, *others, *areas)

    def like(self, prefix: str, length: int, spread: int) -> tuple[str, ...]:
        """Keys of towns that start with ``prefix`` and are ``length`` ± ``spread`` long."""
        query = (
            "SELECT DISTINCT key FROM city WHERE key >= ? AND key < ? "
            "AND length(key) BETWEEN ? AND ? ORDER BY key"
        )
        bounds = (prefix, prefix + "\U0010ffff", length - spread, length + spread)
        return tuple(found for (found,) in self._connection.execute(query, bounds))

    def aliases_of(self, place: Place) -> tuple[str, ...]:
        """Keys of the other names of a town."""
        query = "SELECT key FROM alias WHERE own = ? AND country = ? AND part = ? ORDER BY key"
        row = (place.key, place.country, place.part)
        return tuple(found for (found,) in self._connection.execute(query, row))

    def _pool(self, scope: str, phrase: str, limit: int) -> Members | None:
        """What ``phrase`` ("city") can stand for in ``scope`` ("TR", "145", "" the world)."""
        query = "SELECT total, weight, names, weights FROM pool WHERE scope = ? AND phrase = ?"
        row = self._connection.execute(query, (scope, phrase)).fetchone()
        if row is None:
            return None
        total, weight, names, weights = row
        shares = [float(share) / weight for share in weights.split("\n")[:limit]]
        return Members(tuple(names.split("\n")[:limit]), tuple(shares), total)


def _place(row: Sequence[object]) -> Place:
    own_key, country, part, code, population, name = row
    kind = _KINDS[str(code)]
    return Place(
        str(own_key),
        str(name or str(own_key).title()),
        str(country),
        str(part),
        kind,
        int(str(population)),
        PHRASES[kind],
    )
