"""Which countries a document is about, and which of several namesakes it therefore means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from intact.english.fold import key, key_words
from intact.knowledge.geography import Gazetteer, Place, PlaceKind, World
from intact.knowledge.heads import Heads, countries_of
from intact.knowledge.types import Link, Rule, Votes

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
            if clear([place for place in places if place.key == key(piece)] or places):
                counts[max(places, key=size_of).country] += _CLEAR_CITY
                continue
            weights: dict[str, float] = defaultdict(float)
            for place in places:
                share = 1.0 if place.key == key(piece) else _ALIAS_SHARE
                weights[place.country] += share * max(place.population, 1000)
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


LARGE = 1_000_000
"""A town of this size is told with its country even where the document never speaks of it."""

ABROAD = 0.2
"""The share of votes below which a document's place is rather elsewhere than in that country."""

SUPPORT = 1_000
"""Votes times inhabitants that a place in a country below ``ABROAD`` must have."""

_ROUNDING = 1e-9
_ALIAS_SHARE = 0.05  # how often another name means a town, compared with its own
_ALONE_FROM = 10_000  # inhabitants of a place whose name no other has
_GIVEN_OFTEN = re.compile(r"(?:la|el|le|los|las|san|santa|santo|sao|saint|st) ")
"""How names begin that settlements of many countries have, most of which no list holds."""
_KNOWN_ABROAD = 2_000  # inhabitants; a smaller namesake in a country never spoken of is chance
_AREA_AS = 20_000  # inhabitants that an area counts for when a namesake town competes


def choose(text_key: str, places: Sequence[Place], votes: Votes) -> Link | None:
    """The place that a document with these votes means by a name; None if there is none.

    A namesake in a country that the document hardly speaks of must be large. Where it is not,
    its geography is not told, or the name is not taken for it at all.

    Args:
        text_key: the name as a key.
        places: all places called so.
    """
    if not places:
        return None

    def size(place: Place) -> float:
        return size_of(place) * (1.0 if place.key == text_key else _ALIAS_SHARE)

    said = sum(votes.values())
    own = _UNCLEAR_TOWN * (1.0 - said) * (1.0 + _ROUNDING)  # what the name alone brought in
    least = max(VOTED * said, own if said >= SAID and len(places) == 1 else 0.0)
    inside = [place for place in places if votes.get(place.country, 0.0) > least]
    if inside and said >= SAID:
        best = max(inside, key=lambda p: (votes[p.country] * size(p) ** 0.5, p.part))
        share = votes[best.country] / said
        if share >= ABROAD or share * size_of(best) >= SUPPORT:
            return linked(best, part=not _rivals(best, inside))
    best = max(places, key=size)
    if said >= SAID and size_of(best) < _KNOWN_ABROAD:
        return None
    known = said < SAID or (best.kind is PlaceKind.AREA and best.part)  # "Texas"
    sure = best.population >= LARGE or (known and _leading(best, places))
    return linked(best, ambiguous=not sure, part=not _rivals(best, places))


def size_of(place: Place) -> int:
    """Inhabitants; what an area counts for."""
    return _AREA_AS if place.kind is PlaceKind.AREA else max(place.population, 100)


def _leading(best: Place, places: Iterable[Place]) -> bool:
    """Whether the name is its country's alone, but for places abroad a fifth of its size."""
    size = size_of(best)
    others = (place for place in places if place.country != best.country)
    alone = size >= _ALONE_FROM and not _GIVEN_OFTEN.match(best.key)
    return alone and all(5 * size_of(other) <= size for other in others)


def _rivals(best: Place, others: Iterable[Place]) -> bool:
    """Whether other parts of the same country have a namesake of a fifth of its size."""
    return any(
        other.part != best.part
        and other.country == best.country
        and other.key == best.key
        and 5 * size_of(other) >= size_of(best)
        for other in others
    )


def linked(
    place: Place, rule: Rule = Rule.EXACT, *, ambiguous: bool = False, part: bool = True
) -> Link:
    """The link to a place.

    Args:
        ambiguous: whether its geography is not sure.
        part: whether the part of its country is sure.
    """
    return Link(
        place.concept,
        place.name,
        str(place.kind),
        rule,
        place.country,
        f"geo/{place.part}" if place.part and part else "",
        ambiguous,
    )


def of_a_saint(tokens: Sequence[str], at: int) -> bool:
    """Whether the word is a person's name in a longer one: "St Mary's Church".

    Args:
        tokens: the words of the longer name.
        at: position of the word among them.
    """
    return tokens[at].endswith(("'s", "’s")) or (
        at > 0 and tokens[at - 1].rstrip(".") in ("St", "Saint", "San", "Santa")
    )


def doubtful(name: str, link: Link, votes: Votes) -> bool:
    """Whether one word of a longer name need not mean its place: "Car", "Riverside".

    Args:
        name: the word as it stands.
        link: the place it would mean.
        votes: the countries that the document speaks of.
    """
    if link.kind == PlaceKind.CITY:
        return not votes.get(link.country)
    return len(name) == 3 and link.kind == "country" and not name.isupper()
