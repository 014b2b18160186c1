"""Countries and the regions of the world: names, adjectives, what lies in what."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from intact.english.fold import key
from intact.english.inflect import plural_noun
from intact.errors import ConfigError


class Role(StrEnum):
    """How a country's name is used."""

    NAME = "name"
    ADJECTIVE = "adjective"
    DEMONYM = "demonym"


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the world. ``parent`` is "" on a continent."""

    code: str
    name: str
    adjective: str
    parent: str


@dataclass(frozen=True, slots=True)
class Country:
    """A country, territory or part of a country (code "GB-ENG").

    Attributes:
        name: as it stands in a sentence ("the United Kingdom").
        region: code of the smallest region it lies in.
        adjectives: the usual one first; may be empty.
        demonyms: nouns for its people; may be empty.
        others: other names.
        weight: how likely it is to be meant, relative to the others (population and use).
    """

    code: str
    name: str
    region: str
    adjectives: tuple[str, ...] = ()
    demonyms: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    weight: float = 0.0

    @property
    def state(self) -> str:
        """ISO code of the state it is or belongs to."""
        return self.code.partition("-")[0]

    def spellings(self) -> Iterator[tuple[str, Role]]:
        """All its names with their roles, names first."""
        for text in (self.name, *self.others):
            yield text, Role.NAME
        for text in self.adjectives:
            yield text, Role.ADJECTIVE
        for text in self.demonyms:
            yield text, Role.DEMONYM
            yield plural_noun(text), Role.DEMONYM


Spelling = tuple[str, str, str]
"""Key of a name, code of the country, role."""


class World:
    """All countries and regions, small enough to be held in memory.

    Args:
        spelled: the keys of all names, if they are known already.
    """

    def __init__(
        self,
        countries: Mapping[str, Country],
        regions: Mapping[str, Region],
        spelled: Iterable[Spelling] | None = None,
    ) -> None:
        self.countries = countries
        self.regions = regions
        self._by_key: dict[str, list[tuple[Country, Role]]] = {}
        for text_key, code, role in self.spellings() if spelled is None else spelled:
            self._by_key.setdefault(text_key, []).append((countries[code], Role(role)))

    def spellings(self) -> Iterator[Spelling]:
        """Every name's key with the country's code and its role."""
        for country in self.countries.values():
            for text, role in country.spellings():
                yield key(text), country.code, str(role)

    def find(self, text_key: str) -> tuple[tuple[Country, Role], ...]:
        """Countries called ``text_key`` (a key) and in which role, names before adjectives."""
        return tuple(self._by_key.get(text_key, ()))

    def spelling_keys(self) -> Iterator[str]:
        """The keys of all spellings."""
        yield from self._by_key

    def spelled(self, text_key: str) -> frozenset[str]:
        """The keys of all spellings of the countries that ``text_key`` can be."""
        return frozenset(
            key(text) for country, _ in self.find(text_key) for text, _ in country.spellings()
        )

    def region_of(self, code: str) -> Region | None:
        """The smallest region of a country, None if it is not known."""
        country = self.countries.get(code) or self.countries.get(code.partition("-")[0])
        return self.regions.get(country.region) if country else None

    def regions_of(self, code: str) -> tuple[Region, ...]:
        """The regions a country lies in, smallest first (subregion, continent)."""
        found = []
        region = self.region_of(code)
        while region is not None:
            found.append(region)
            region = self.regions.get(region.parent)
        return tuple(found)


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


def read_countries(path: Path, region_of: Mapping[str, str]) -> dict[str, Country]:
    """The countries of a gazetteer file; ``region_of`` maps ISO codes to region codes.

    Raises:
        ConfigError: naming file and line, also where a country has no region.
    """
    countries = {}
    for where, (code, name, adjectives, demonyms, others, region) in _rows(path, 6):
        if not (region or code in region_of):
            raise ConfigError("the country has no region", where=where, remedy="Give a sixth one.")
        countries[code] = Country(
            code,
            name,
            region or region_of[code],
            _cells(adjectives),
            _cells(demonyms),
            _cells(others),
        )
    return countries


def _cells(text: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in text.split(",") if cell.strip())


def _bars(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("|") if part)


def store(connection: sqlite3.Connection, world: World) -> None:
    """Writes the tables ``region`` and ``country``."""
    connection.execute("CREATE TABLE region (code TEXT PRIMARY KEY, name, adjective, parent)")
    connection.execute(
        "CREATE TABLE country (code TEXT PRIMARY KEY, name, region, adjectives, demonyms, others, "
        "weight REAL)"
    )
    connection.execute("CREATE TABLE spelling (position INTEGER PRIMARY KEY, key, code, role)")
    connection.executemany(
        "INSERT INTO spelling (key, code, role) VALUES (?, ?, ?)", list(world.spellings())
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
            for c in world.countries.values()
        ],
    )


def load(connection: sqlite3.Connection) -> World:
    """The world of a knowledge file."""
    regions = {
        row[0]: Region(*row)
        for row in connection.execute("SELECT code, name, adjective, parent FROM region")
    }
    countries = {}
    for code, name, region, adjectives, demonyms, others, weight in connection.execute(
        "SELECT code, name, region, adjectives, demonyms, others, weight FROM country"
    ):
        countries[code] = Country(
            code, name, region, _bars(adjectives), _bars(demonyms), _bars(others), weight
        )
    query = "SELECT key, code, role FROM spelling ORDER BY position"
    return World(countries, regions, connection.execute(query))
