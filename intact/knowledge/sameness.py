"""Whether two texts name the same thing, however they word it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from intact.english.fold import key
from intact.english.words import content_lemmas, words
from intact.knowledge.geography import World
from intact.knowledge.terms import Terms
from intact.knowledge.types import Rule

_LONGEST = 8  # words of a State's name


class _Naming(NamedTuple):
    """A text with the codes of the countries that its States may be, and its other lemmas."""

    countries: tuple[frozenset[str], ...]
    rest: frozenset[str]
    national: bool
    term: str


class Sameness:
    """Compares texts by the States that they name, in whatever form, and by the node of a term.

    Args:
        world: the countries and their spellings.
        terms: links terms to their nodes.
    """

    def __init__(self, world: World, terms: Terms) -> None:
        self._world = world
        self._terms = terms
        self._naming = lru_cache(1 << 16)(self._read)

    def tells(self, guess: str, original: str, entity_type: str) -> bool:
        """Whether ``guess`` names what ``original`` names: the same State with the same other
        words, a nationality of the same State, or a term with the same node. A part of a State
        ("England") names that State as well.

        Args:
            guess: a name or phrase.
            original: what it is compared with.
            entity_type: the type that both go under.
        """
        one, other = self._naming(guess, entity_type), self._naming(original, entity_type)
        if one.term and one.term == other.term:
            return True
        if not other.countries or len(one.countries) != len(other.countries):
            return False
        if one.rest != other.rest and not (one.national and other.national):
            return False
        pairs = zip(one.countries, other.countries, strict=True)
        return all(mine & theirs or _parts(mine) & theirs for mine, theirs in pairs)

    def _read(self, text: str, entity_type: str) -> _Naming:
        countries, rest = [], []
        left = words(text)
        while left:
            for size in range(min(_LONGEST, len(left)), 0, -1):
                found = self._world.find(key(" ".join(left[:size])))
                if found:
                    countries.append(frozenset(country.code for country, _ in found))
                    break
            else:
                size = 1
                if content_lemmas(left[0]):
                    rest.append(left[0])
            left = left[size:]
        link = self._terms.link(text, entity_type)
        if link is None and len(countries) == 1:  # "a national of Turkey"
            for code in sorted(countries[0]):
                for adjective in self._world.countries[code].adjectives[:1]:
                    link = link or self._terms.link(" ".join((adjective, *rest)), entity_type)
        term = link.concept if link is not None and link.rule is Rule.EXACT else ""
        national = link is not None and link.kind == "nationality"
        ordered = tuple(sorted(countries, key=sorted))
        return _Naming(ordered, content_lemmas(" ".join(rest)), national, term)


def _parts(codes: frozenset[str]) -> frozenset[str]:
    """The States that countries with codes of parts ("GB-ENG") belong to."""
    return frozenset(code.partition("-")[0] for code in codes if "-" in code)
