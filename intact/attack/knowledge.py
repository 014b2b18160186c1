"""The rule-based attacker: ranks what a phrase can stand for by prior and context.

It knows what the knowledge base knows and reads nothing but the sanitised text. Names are ranked
by prior (population, frequency), by the countries that the text still speaks of, and by whether
they stand in the text unmasked. For phrases about time and number it gives the share of the
equally likely values that the guesses cover.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from intact.attack.clues import Clues
from intact.attack.originals import EquallyLikely, equally_likely, is_narrow
from intact.config import AttackSettings
from intact.discourse.phrase_book import plainly
from intact.discourse.timeline import follows
from intact.domain import Answer, Challenge, EntityType, Guess
from intact.english import words
from intact.english.inflect import indefinite
from intact.english.quantities import parse_quantity
from intact.english.scan import Value, parse_temporal
from intact.english.wordlists import SAYS_NOTHING
from intact.knowledge import Members, Votes
from intact.knowledge.base import KnowledgeBase

GUESSES = 10
"""Guesses in one answer, so that other thresholds can be tried on the record."""

LISTED = 50
"""Names that are weighed by clues."""

VOTE_TRUST = 0.7
"""How surely a place lies in one of the countries that the text speaks of."""

UNMASKED_BOOST = 20.0
"""How much likelier a name becomes by standing in the text unmasked."""

REGION_VOTE = 0.5
"""What naming a region counts for its countries together, where naming a country counts 1."""

UNSEEN = 50.0
"""How many more originals an open class (organisations, traits) has than are known."""

DATE_TRUST = 0.4
"""How surely a masked date is one of the finer dates that stand in the text."""

_NO_IDEA = Answer(())
_UNREAD = Answer((), read=False)
_LISTED_IN_FULL = ("geo/", "term/adj/nationality/")
_DETERMINER = re.compile(r"\A(?:the|an?|his|her|its|their|this|that) (?=.)")
_PREPOSITION = re.compile(r"\A(?:in|on|at|of|from|by|since|until|during|for) (?=.)")
_REGION = re.compile(r" in (?:the )?[A-Z].*\Z")
_GENITIVE = re.compile(r"['’]s$")


class KnowledgeAttacker:
    """Attacks with the knowledge base.

    Args:
        base: the knowledge base.
        settings: how often it may guess; it never records fewer guesses than ``GUESSES``.
    """

    name = "knowledge"
    reads_labels = False  # a label says nothing to it

    def __init__(self, base: KnowledgeBase, settings: AttackSettings | None = None) -> None:
        self._base = base
        self._guesses = _most_guesses(settings or AttackSettings())
        self._country = lru_cache(1 << 16)(self._country_of)
        self._listed = lru_cache(1 << 14)(self._is_place)
        self._members = lru_cache(1 << 14)(self._members_of)
        self._regions = lru_cache(1 << 14)(self._countries_in)
        self._any_of = lru_cache(1 << 14)(self._answer_to_value)

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """One answer per challenge; no guesses where the phrase says nothing to it."""
        read: dict[int, tuple[Clues, Votes]] = {}
        answers = []
        for challenge in challenges:
            key = id(challenge.text)
            if key not in read:
                replaced = [place.span for place in challenge.placed] or [challenge.target]
                clues = Clues(challenge.text, replaced)
                read[key] = clues, self._votes(clues)
            answers.append(self._answer(challenge, *read[key]))
        return answers

    def _votes(self, clues: Clues) -> Votes:
        """Votes for countries, by their own names and by those of the regions they lie in."""
        named = self._base.votes((" ; ".join(clues.names),))
        heard = math.fsum(named.values())
        votes = defaultdict(float, {country: vote / heard for country, vote in named.items()})
        for name in clues.names:
            for country, share in self._regions(name) if words.name_words(name) else ():
                votes[country] += REGION_VOTE * share
        total = math.fsum(votes.values())
        return {country: vote / total for country, vote in votes.items()}

    def _answer(self, challenge: Challenge, clues: Clues, votes: Votes) -> Answer:
        phrase = plainly(" ".join(challenge.replacement.split()))
        if challenge.entity_type == EntityType.DATETIME:
            # "the same day" leaves at least what the date before it leaves
            following = follows(phrase)
            time = clues.date_before(challenge.target) if following else parse_temporal(phrase)
            near = (
                clues.dates_within(time, challenge.target)
                if time and not following and is_narrow(time)
                else ()
            )
            if near:
                share = DATE_TRUST / len(near)
                return Answer(_ranked([(date.text, share) for date in near[: self._guesses]]))
            return self._any_of(time)
        if challenge.entity_type == EntityType.QUANTITY:
            return self._any_of(parse_quantity(phrase))
        within = self._within(phrase, challenge)
        if within:
            weights: dict[str, float] = defaultdict(float)
            for there in within:
                known = self._weighed(there, challenge.entity_type, {}, clues)
                for name, share in known.items():
                    weights[name] += share / len(within)
            return self._likeliest(weights)
        members = self._members(phrase, challenge.entity_type)
        if members is None or not members.names:
            return _NO_IDEA if words.normalise(phrase) in SAYS_NOTHING else _UNREAD
        if not members.ranked:
            return self._uniform(EquallyLikely(members.total + int(UNSEEN), members.names))
        votes = votes if self._is_located(phrase) else {}
        return self._likeliest(self._weighed(members, challenge.entity_type, votes, clues))

    def _likeliest(self, weights: Mapping[str, float]) -> Answer:
        return Answer(_ranked(sorted(weights.items(), key=lambda item: -item[1])[: self._guesses]))

    def _within(self, phrase: str, challenge: Challenge) -> list[Members]:
        """What the phrase can stand for in each State that the attacker is told of."""
        if challenge.entity_type not in (EntityType.LOC, EntityType.ORG):
            return []
        kind = _REGION.sub("", phrase)
        found = [
            self._members(f"{kind} in {name}", challenge.entity_type)
            for code in challenge.given
            if (name := self._base.country_name(code))
        ]
        return [members for members in found if members and members.names and members.ranked]

    def _answer_to_value(self, value: Value | None) -> Answer:
        return _UNREAD if value is None else self._uniform(equally_likely(value, self._guesses))

    def _uniform(self, originals: EquallyLikely) -> Answer:
        count = originals.count
        texts = [*originals.samples, *[f"one of {count}"] * self._guesses]
        shown = texts[: min(self._guesses, count)]
        return Answer(_ranked([(text, 1.0 / count) for text in shown]), uniform=True)

    def _weighed(
        self, members: Members, entity_type: str, votes: Votes, clues: Clues
    ) -> Mapping[str, float]:
        """Probabilities of the listed members, given the clues in the text."""
        prior: dict[str, float] = defaultdict(float)  # namesakes count together
        for name, share in zip(members.names, members.probabilities, strict=True):
            if words.content_lemmas(name):
                prior[name] += share
        if not self._listed(members.names[0], entity_type):
            known = members.total / (members.total + UNSEEN)
            prior = {name: known * share for name, share in prior.items()}
        unlisted = max(0.0, 1.0 - math.fsum(prior.values()))
        weights = {
            name: weight * (UNMASKED_BOOST if _is_left(name, clues) else 1.0)
            for name, weight in self._voted(prior, entity_type, votes).items()
        }
        total = math.fsum(weights.values()) + unlisted
        return {name: weight / total for name, weight in weights.items()}

    def _voted(
        self, prior: Mapping[str, float], entity_type: str, votes: Votes
    ) -> Mapping[str, float]:
        """The prior mixed with one in which countries have the share of their votes."""
        if not votes:
            return prior
        shares: dict[str, float] = defaultdict(float)
        countries = {name: self._country(name, entity_type) for name in prior}
        for name, country in countries.items():
            if country in votes:
                shares[country] += prior[name]
        heard = math.fsum(votes[country] for country in shares)
        if len(set(countries.values())) < 2 or not heard:
            return prior
        listed = math.fsum(prior.values())
        return {
            name: (1 - VOTE_TRUST) * weight
            + VOTE_TRUST
            * listed
            * (votes[country] / heard * weight / shares[country] if country in shares else 0.0)
            for name, weight in prior.items()
            for country in (countries[name],)
        }

    def _countries_in(self, region: str) -> tuple[tuple[str, float], ...]:
        """The countries of a region that ``region`` names or is the adjective of, and shares."""
        members = self._base.members(f"a country in {region}", EntityType.LOC, LISTED)
        kind = EntityType.LOC
        if members is None:
            kind = EntityType.DEM
            members = self._base.members(region, kind, LISTED)
        if members is None or not self._listed(members.names[0], kind):
            return ()
        known = zip(members.names, members.probabilities, strict=True)
        return tuple(
            (country, share) for name, share in known if (country := self._country(name, kind))
        )

    def _is_located(self, phrase: str) -> bool:
        """Whether the phrase itself tells where.

        What the rest of the text tells of countries would help against a bare label as well,
        so it is not held against "a country".
        """
        core = _DETERMINER.sub("", phrase[:1].lower() + phrase[1:], count=1)
        name = core if core[:1].isupper() else phrase
        return bool(words.name_words(core)) or (name.istitle() and bool(self._regions(name)))

    def _is_place(self, name: str, entity_type: str) -> bool:
        """Whether it is one of a class that the knowledge base lists in full."""
        link = self._base.link(name, entity_type, {})
        return link is not None and link.concept.startswith(_LISTED_IN_FULL)

    def _country_of(self, name: str, entity_type: str) -> str:
        link = self._base.link(name, entity_type, {})
        return link.country if link is not None else ""

    def _members_of(self, phrase: str, entity_type: str) -> Members | None:
        """The members of the phrase, however articles and prepositions have changed with it.

        None also where the phrase says no more than a label does.
        """
        if words.normalise(phrase) in SAYS_NOTHING:
            return None
        for variant in variants(phrase):
            members = self._base.members(variant, entity_type, LISTED)
            if members is not None:
                return members
        return None


def _is_left(name: str, clues: Clues) -> bool:
    """Whether a name, not just a generic word, stands in the text unmasked."""
    return bool(words.telling_lemmas(name)) and clues.stands(name)


def _most_guesses(settings: AttackSettings) -> int:
    own = [each.guesses for each in settings.per_type.values() if each.guesses is not None]
    return max(GUESSES, settings.guesses, *own)


def variants(phrase: str) -> tuple[str, ...]:
    """``phrase`` as it may have stood in its ladder: "In the city" -> "a city" among others."""
    core = _PREPOSITION.sub("", phrase[:1].lower() + phrase[1:], count=1)
    core = _GENITIVE.sub("", _DETERMINER.sub("", core, count=1))
    proper = phrase[:1].upper() + phrase[1:]
    general = f"{indefinite(core)} {core}"
    return tuple(dict.fromkeys((phrase, general, core, f"the {core}", proper)))


def _ranked(weighed: Sequence[tuple[str, float]]) -> tuple[Guess, ...]:
    return tuple(
        Guess(text, rank, math.log(min(1.0, max(weight, 1e-12))))
        for rank, (text, weight) in enumerate(weighed)
    )
