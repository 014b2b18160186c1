"""Pools: what every phrase can stand for in every scope, sorted by prior at build time."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from intact.english.inflect import without_article
from intact.knowledge.gazetteer import PHRASES, Place, PlaceKind
from intact.knowledge.world import Country, World

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
    places: Iterable[Place],
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
        kept = members[:KEPT]
        rows.append(
            (
                scope,
                phrase,
                len(members),
                round(sum(weight for weight, _ in members), 6),
                "\n".join(name for _, name in kept),
                "\n".join(f"{weight:.6g}" for weight, _ in kept),
            )
        )
    connection.executemany("INSERT INTO pool VALUES (?, ?, ?, ?, ?, ?)", rows)


def _phrases(place: Place) -> tuple[str, ...]:
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
