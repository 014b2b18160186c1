"""Words for what is known: a phrase with its geography, from the country out to the continent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from intact.english.fold import slug
from intact.english.inflect import without_article
from intact.knowledge.types import Rung
from intact.knowledge.world import World


class Phrases:
    """Puts phrases into their geography.

    Args:
        parts: names of the parts of countries that have no entry of their own ("US-TX").
    """

    def __init__(self, world: World, parts: Mapping[str, str]) -> None:
        self.world = world
        self._parts = parts

    def scopes(self, country: str, part: str = "") -> Iterator[tuple[str, str]]:
        """Code and name of what a place lies in: part, country, region, continent."""
        if part and part != country:
            name = self._name(part)
            if name:
                yield part, name
        if country:
            name = self._name(country)
            if name:
                yield country, name
        for region in self.world.regions_of(country):
            yield region.code, region.name

    def names(self) -> Iterator[tuple[str, str]]:
        """Code and name of every scope there is."""
        for region in self.world.regions.values():
            yield region.code, region.name
        for country in self.world.countries.values():
            yield country.code, country.name
        yield from self._parts.items()

    def parts(self) -> Mapping[str, str]:
        """Names of the parts of countries that have no entry of their own, by code."""
        return self._parts

    def _name(self, code: str) -> str:
        country = self.world.countries.get(code)
        return country.name if country else self._parts.get(code, "")

    def located(self, phrase: str, country: str, part: str = "") -> Iterator[Rung]:
        """``phrase`` in ever larger surroundings, at last alone."""
        kind = slug(without_article(phrase))
        for code, name in self.scopes(country, part):
            yield Rung(f"{phrase} in {name}", f"{kind}@{code}")
        yield Rung(phrase, f"{kind}@")

    def regional(self, phrase: str, country: str) -> Iterator[Rung]:
        """As ``located``, without the country itself."""
        kind = slug(without_article(phrase))
        for region in self.world.regions_of(country):
            yield Rung(f"{phrase} in {region.name}", f"{kind}@{region.code}")
        yield Rung(phrase, f"{kind}@")

    def adjectives(self, country: str) -> Iterator[Rung]:
        """Adjectives for the regions of a country ("Western Asian", "Asian")."""
        for region in self.world.regions_of(country):
            if region.adjective:
                yield Rung(region.adjective, f"adjective@{region.code}")


def distinct(rungs: Iterable[Rung]) -> tuple[Rung, ...]:
    """The rungs without repeated texts, in order."""
    seen: dict[str, Rung] = {}
    for rung in rungs:
        seen.setdefault(rung.text, rung)
    return tuple(seen.values())
