"""What a phrase can stand for: the inverse of wording, for an attacker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache

from intact.english import words
from intact.english.fold import key
from intact.english.inflect import plural_phrase, without_article
from intact.knowledge.geography import Gazetteer, Phrases
from intact.knowledge.heads import HeadName, Heads
from intact.knowledge.types import Members

_IN = re.compile(r"^(?P<noun>.+?) in (?P<scope>(?:(?! in ).)+)$")
_NATIONALITY = re.compile(r"^(?P<scope>.+) (?:nationality|national|citizen)$")
_GOVERNMENT = re.compile(
    r"^(?:government|administration) of (?:a|the) country(?: in (?P<scope>.+))?$"
)
_BARE = 0.4  # share of organisations that a text names without their town
_HEADS = 24
LONGER = 0.1
"""How much rarer a name is for each further word than its words' frequencies let expect."""
_TOWNS = 40


class MemberIndex:
    """Reads phrases back into names."""

    def __init__(self, gazetteer: Gazetteer, heads: Heads, phrases: Phrases) -> None:
        self._gazetteer = gazetteer
        self._heads = heads
        self._world = phrases.world
        self._phrases = phrases
        self.members = lru_cache(maxsize=8192)(self._members)
        self.usable = lru_cache(maxsize=256)(self._usable)

    @cached_property
    def _scopes(self) -> Mapping[str, str]:
        return {key(name): code for code, name in self._phrases.names()}

    @cached_property
    def _adjectives(self) -> Mapping[str, str]:
        regions = self._world.regions.values()
        return {key(region.adjective): region.code for region in regions if region.adjective}

    @cached_property
    def _nouns(self) -> Mapping[str, str]:
        nouns: dict[str, str] = {}
        for head in self._heads:
            nouns.setdefault(key(without_article(head.phrase)), head.concept)
            nouns.setdefault(key(plural_phrase(head.phrase)), head.concept)
        return nouns

    def _members(self, phrase: str, limit: int) -> Members | None:
        """The likeliest ``limit`` names behind ``phrase``, None if it is not known."""
        bare = key(phrase)
        government = _GOVERNMENT.match(bare)
        if government:
            scope = government["scope"]
            return self._governments(self._scopes.get(key(scope)) if scope else "", limit)
        nationality = _NATIONALITY.match(bare)
        adjective = nationality["scope"] if nationality else bare
        if adjective in self._adjectives:
            return self._gazetteer.pool(self._adjectives[adjective], "nationality", limit)
        noun, scope = self.read(phrase)
        if scope is None:
            return None
        pool = self._gazetteer.pool(scope, noun, limit)
        return pool or self._organisations(noun, scope, limit)

    def read(self, phrase: str) -> tuple[str, str | None]:
        """The bare noun of ``phrase`` and the code of its scope ("" none, None unknown)."""
        bare = key(phrase)
        match = _IN.match(bare)
        if match is None or key(match["scope"]) not in self._scopes:
            return bare, (None if match and bare not in self._nouns else "")
        return match["noun"], self._scopes[key(match["scope"])]

    def _governments(self, scope: str | None, limit: int) -> Members | None:
        pool = None if scope is None else self._gazetteer.pool(scope, "nationality", limit)
        if pool is None:
            return None
        names = tuple(f"{name} Government" for name in pool.names)
        return Members(names, pool.probabilities, pool.total)

    def _organisations(self, noun: str, scope: str, limit: int) -> Members | None:
        concept = self._nouns.get(noun)
        if concept is None:
            return None
        told = words.content_lemmas(noun)  # nobody asks for what the phrase itself says
        longest = noun.count(" ") + 2
        proper: dict[str, float] = {}
        heads: dict[str, float] = {}
        for names in self.usable(concept):
            fitting = [name for name in names if self._fits(name.country, scope)]
            for place, name in enumerate(fitting):
                if name.text.count(" ") <= longest and words.content_lemmas(name.text) <= told:
                    continue
                kind = proper if name.proper else heads
                kind.setdefault(name.text, name.weight / (1 + place))
        share = sum(proper.values()) + sum(heads.values())
        if not share:
            return None
        towns = self._gazetteer.pool(scope, "city", _TOWNS) if scope else None
        scored = {name: weight / share for name, weight in proper.items()}
        likeliest = sorted(heads.items(), key=lambda item: (-item[1], item[0]))[:_HEADS]
        for text, weight in likeliest:
            scored.update(_with_towns(text, weight / share, towns))
        total = len(proper) + len(heads) * (1 + (towns.total if towns else 0))
        ranked = sorted(scored.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return Members(tuple(n for n, _ in ranked), tuple(p for _, p in ranked), total)

    def _usable(self, concept: str) -> tuple[tuple[HeadName, ...], ...]:
        """By head, the names that can be guessed in English, as written and with their prior."""
        return tuple(
            tuple(
                replace(
                    name,
                    text=name.text if name.proper else _title(name.text),
                    weight=name.weight * LONGER ** _rarity(name, head.kind),
                )
                for name in self._heads.names_of(head.concept)
                if not name.plural and (name.proper or name.text.isascii())
            )
            for head in self._heads.below(concept)
            if head.concept != "org/limited-company"  # "Ltd" is no name
        )

    def _fits(self, country: str, scope: str) -> bool:
        """Whether something that only ``country`` has ("": all have it) can lie in ``scope``."""
        if not country or not scope or scope.partition("-")[0] == country:
            return True
        return any(region.code == scope for region in self._world.regions_of(country))


def _rarity(name: HeadName, kind: str) -> int:
    """How often a name is rarer by ``LONGER`` than its words: "EAT" is not "eat"."""
    initials = name.text.isupper() and len(name.text) <= 5
    return len(name.text.split()) - 1 + (kind == "section") + 2 * initials


def _with_towns(head: str, share: float, towns: Members | None) -> dict[str, float]:
    """The head alone and with each town, and their parts of its share."""
    scored = {head: share * _BARE}
    if towns is None:  # it may be any town's
        return scored
    for name, probability in zip(towns.names, towns.probabilities, strict=True):
        scored[f"{name} {head}"] = share * (1 - _BARE) * probability
    return scored


def _title(head: str) -> str:
    small = {"of", "for", "and", "the", "in", "on"}
    return " ".join(w if w in small else w[:1].upper() + w[1:] for w in head.split())
