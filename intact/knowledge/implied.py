"""What a phrase tells of countries: by names of regions and countries, and by its currency."""

from __future__ import annotations

import re
from collections.abc import Callable

from intact.english.fold import key
from intact.english.quantities import QuantityKind, parse_quantity
from intact.knowledge.geography import World
from intact.knowledge.types import Members

_NAME = re.compile(r"[A-Z][\w’'-]*(?: (?:and |of |the )*[A-Z][\w’'-]*)*")
_ENOUGH = 60
_GENERIC = frozenset({"State", "States"})


class Implied:
    """Reads the countries that a phrase leaves.

    Args:
        world: the countries and regions.
        parts: key of a part's name ("texas") -> code of its country.
        members: what an adjective of a region can stand for (phrase, entity type, how many).
    """

    def __init__(
        self,
        world: World,
        parts: dict[str, str],
        members: Callable[[str, str, int], Members | None],
    ) -> None:
        self._world = world
        self._parts = parts
        self._members = members
        self._regions: dict[str, frozenset[str]] = {}
        for code in world.countries:
            for region in world.regions_of(code):
                for name in filter(None, (region.name, region.adjective)):
                    known = self._regions.get(key(name), frozenset())
                    self._regions[key(name)] = known | {_state(code)}

    def read(self, phrase: str) -> frozenset[str] | None:
        """Codes of the countries that ``phrase`` leaves; None where it tells nothing of them."""
        money = parse_quantity(phrase)
        if money is not None and money.kind is QuantityKind.MONEY:
            # the first two letters of a currency's code are those of its country (ISO 4217)
            return frozenset({money.unit[:2]} & self._world.countries.keys()) or None
        names = (name for name in _NAME.findall(phrase) if name not in _GENERIC)
        told = [left for name in names if (left := self._named(name))]
        return frozenset.intersection(*told) if told else None

    def _named(self, name: str) -> frozenset[str]:
        found = self._regions.get(key(name)) or self._countries(name)
        if not found and key(name) in self._parts:
            return frozenset({self._parts[key(name)]})
        for form in () if found else (name, f"{name}n", name.removesuffix("s")):
            members = self._members(form, "DEM", _ENOUGH)  # the Balkans are Balkan
            listed = members.names if members is not None else ()
            found = found or frozenset().union(*map(self._countries, listed))
        return found

    def _countries(self, name: str) -> frozenset[str]:
        return frozenset(_state(country.code) for country, _ in self._world.find(key(name)))


def _state(code: str) -> str:
    """The State that a country or a part of one belongs to: "GB" of "GB-ENG"."""
    return code.partition("-")[0]
