"""Which countries a document is about, from the names and adjectives it uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from intact.english.fold import key, key_words
from intact.knowledge.gazetteer import Gazetteer, Place
from intact.knowledge.heads import Heads
from intact.knowledge.legal_forms import countries_of
from intact.knowledge.types import Votes
from intact.knowledge.world import World

VOTED = 0.01
"""The share of votes from which a document is said to speak of a country."""

ONE_COUNTRY = 0.75
"""The share of votes from which a document is said to speak of one country only."""

SAID = 0.2
"""The sum of votes below which a document says nothing of countries: one or two small towns."""

_TOKEN = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*\.?")
_CLEAR_CITY = 0.3
_UNCLEAR_TOWN = 0.02
_NATIVE_HEAD = 1.0
_STATE = 0.5  # it may be a person's name: "Virginia"
_ELSEWHERE = 1.0
"""Votes kept back for what the document does not say: one word is not yet a country."""
_SHORT = 6  # words; a longer text is read for countries only


class Voting:
    """Counts the country votes of one document's strings.

    Args:
        parts: keys of the names of states of a federation -> ISO code of the country.
    """

    def __init__(
        self, world: World, gazetteer: Gazetteer, heads: Heads, parts: Mapping[str, str]
    ) -> None:
        self._world = world
        self._gazetteer = gazetteer
        self._heads = heads
        self._parts = {name: code for name, code in parts.items() if not world.find(name)}
        self._longest: dict[str, int] = {}
        for text_key in (*world.spelling_keys(), *self._parts):
            first, *rest = text_key.replace("-", " ").split()
            self._longest[first] = max(self._longest.get(first, 0), 1 + len(rest))

    def votes(self, texts: Iterable[str]) -> Votes:
        """ISO code -> share, largest first; the shares of few votes sum to less than 1."""
        counts: dict[str, float] = defaultdict(float)
        for text in texts:
            self._countries(text, counts)
            if text.count(" ") < _SHORT:
                self._towns(text, counts)
                self._native_heads(text, counts)
        total = sum(counts.values()) + _ELSEWHERE
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return {code: count / total for code, count in ranked}

    def _countries(self, text: str, counts: dict[str, float]) -> None:
        tokens = [match[0] for match in _TOKEN.finditer(text)]
        keys = [key(token) for token in tokens]
        at = 0
        while at < len(tokens):
            step = 1
            if tokens[at][0].isupper():
                for size in range(self._longest.get(keys[at], 0), 0, -1):
                    name = " ".join(keys[at : at + size])
                    found = self._world.find(name)
                    if name in self._parts:
                        counts[self._parts[name]] += _STATE
                        step = size
                        break
                    if found:
                        for country, _ in found:
                            counts[country.state] += 1.0 / len(found)
                        step = size
                        break
            at += step

    def _towns(self, text: str, counts: dict[str, float]) -> None:
        for piece in re.split(r"[,()]", text):
            if not piece.strip()[:1].isupper() or self._world.find(key(piece)):
                continue
            places = self._gazetteer.find(key(piece))
            if not places:
                continue
            if clear(places):
                counts[places[0].country] += _CLEAR_CITY
                continue
            weights: dict[str, float] = defaultdict(float)
            for place in places:
                weights[place.country] += max(place.population, 1000)
            total = sum(weights.values())
            for country, weight in weights.items():
                counts[country] += _UNCLEAR_TOWN * weight / total

    def _native_heads(self, text: str, counts: dict[str, float]) -> None:
        for found in self._heads.find(key_words(text), "ORG"):
            if found.name.country and not countries_of(found.name.text):
                counts[found.name.country] += _NATIVE_HEAD


def clear(places: Iterable[Place]) -> bool:
    """Whether the first is a city that nobody would take for one of the others."""
    ranked = sorted((place.population for place in places), reverse=True)
    return ranked[0] >= 100_000 and (len(ranked) == 1 or ranked[0] >= 5 * ranked[1])


def only(votes: Votes) -> str:
    """The country that a document speaks of almost alone, or ""."""
    code = max(votes, key=lambda c: (votes[c], c), default="")
    return code if code and votes[code] >= ONE_COUNTRY else ""
