"""Tell whether a guess is the original. One rule a function, tried in order, named in the record.

The rules follow the matching function of INTACT (Pilán et al. 2024, section 3.2 and appendix):
a guess gives the original away if they share a telling lemma or, for names, four characters;
dates and numbers are compared by value. Words count only where they identify: a class of bodies
("the district court"), the head of a name ("Corby site" for "Bowerhill site"), a saint's title, a
verb, or a foreign word that begins many names ("Kampung") is no identity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from intact.config import AttackSettings
from intact.domain import BY_VALUE, Answer, Entity, EntityType, Guess, Mention, Outcome
from intact.english import words
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal, read_time
from intact.english.time import Kind
from intact.english.vocabulary import ARTICLES, word_sets
from intact.english.words import fold
from intact.protocols import Matcher

_BODIES = word_sets("grammar", "bodies")
_SEVERAL = _BODIES["lower"] | _BODIES["several"]
_CALENDAR = frozenset({Kind.INTERVAL, Kind.PARTIAL})
Rule = Callable[[str, str, str], bool]
"""guess, original, entity type -> whether the original is given away."""


def _normalised(guess: str, original: str, entity_type: str) -> bool:
    """Compare words apart from case, diacritics, articles and titles."""
    wanted = words.normalise(original)
    return bool(wanted) and words.normalise(guess) == wanted


def _date(guess: str, original: str, entity_type: str) -> bool:
    """Compare times: one time, one age (or its bare number), or a guess that lies inside the
    original."""
    if entity_type != EntityType.DATETIME:
        return False
    one, other = parse_temporal(guess), read_time(original)
    if one is None or other is None:
        read, bare = (other, guess) if one is None else (one, original)
        is_age = read is not None and read.kind is Kind.AGE and bare.strip().isdigit()
        return is_age and words.numbers(guess) == words.numbers(original)
    inside = other.kind in _CALENDAR and one.kind in _CALENDAR and other.contains(one)
    return one.same(other) or bool(inside)


def _number(guess: str, original: str, entity_type: str) -> bool:
    """Compare quantities: the same one, or the same numbers and no other unit."""
    if entity_type == EntityType.DATETIME:
        return False
    if entity_type == EntityType.QUANTITY:
        read, known = parse_quantity(guess), parse_quantity(original)
        if read is not None and known is not None and read.same(known):
            return True
    wanted = words.numbers(original)
    if not wanted or words.numbers(guess) != wanted:
        return False
    one, other = (
        {
            word
            for word in words.content_lemmas(text)
            if not words.numbers(word) and not any(map(str.isdigit, word))
        }
        for text in (guess, original)
    )
    return one <= other or other <= one


def _acronym(guess: str, original: str, entity_type: str) -> bool:
    """Check that one is the acronym of the other's capitalised words, case apart."""
    short, other = (fold(one.strip()).replace(".", "") for one in (guess, original))
    return (short.isalpha() and short in words.acronyms(original)) or (
        other.isalpha() and other in words.acronyms(guess)
    )


def is_class(original: str, entity_type: str) -> bool:
    """Tell a class of bodies or places, which gives nobody away, from a name.

    "the district court", "the Court" and "District Court" are classes, of which a State has
    several; "Supreme Court" is a name where there is one.

    Args:
        original: the text of a mention.
        entity_type: of the mention; only of ORG and LOC a text can be a class.
    """
    if entity_type not in (EntityType.ORG, EntityType.LOC) or words.telling_lemmas(original):
        return False
    content = words.content_lemmas(original)
    several = not _SEVERAL.isdisjoint(content)
    return len(content) == 1 or several or bool(content and not words.is_name(original))


def _objects(text: str) -> frozenset[str]:
    """Collect the telling lemmas of a phrase, without its leading verb where others are left:
    "drives the grader" gives only "grader"."""
    first, *rest = words.words(text) or ("",)
    inflected = words.lemma(first) != first and not first.endswith("s")
    verb = rest and first.islower() and (inflected or rest[0] in ARTICLES)
    found = words.telling_lemmas(text.split(first, 1)[1]) if verb else None
    return found or words.telling_lemmas(text)


def _head(text: str) -> str:
    """Find the last telling lemma of a phrase."""
    telling = words.telling_lemmas(text)
    return next((one for one in reversed(words.lemmas(text)) if one in telling), "")


class Matching:
    """The matcher: all rules in order.

    Args:
        tells: whether a guess (then original, entity type) is the same by knowledge of the world.
        identifies: whether a folded word of a name identifies by itself: a town does, a common
            word and a foreign class word do not; None: all do.
    """

    def __init__(
        self,
        tells: Callable[[str, str, str], bool] | None = None,
        identifies: Callable[[str], bool] | None = None,
    ) -> None:
        self._identifies = identifies or (lambda word: True)
        self._rules: dict[str, Rule] = {
            "exact": lambda guess, original, _: guess.strip() == original.strip(),
            "normalised": _normalised,
            "date": _date,
            "number": _number,
            "acronym": _by_words(_acronym),
            "containment": _by_words(self._contains),
            "lemma": _by_words(self._shares_lemma),
            "ngram": _by_words(self._shares_ngram),
        }
        if tells is not None:
            self._rules["same"] = _by_words(tells)
        self._compare = lru_cache(1 << 17)(self._fired)

    def match(self, guess: Guess, mention: Mention) -> str:
        """Name the first rule by which a guess gives the original away, or "" where it does not.

        Args:
            guess: its text counts, not its probability.
            mention: the original, compared as its entity type asks.
        """
        return self._compare(guess.text, mention.text, mention.entity_type)

    def _fired(self, guess: str, original: str, entity_type: str) -> str:
        if is_class(original, entity_type):
            return ""
        fired = (name for name, rule in self._rules.items() if rule(guess, original, entity_type))
        return next(fired, "")

    def _naming(self, original: str) -> frozenset[str]:
        """Find the lemmas of those words of a name that identify by themselves."""
        names = words.name_words(original)
        return frozenset(
            lemma
            for word, lemma in zip(words.words(original), words.lemmas(original), strict=True)
            if fold(word) in names and self._identifies(fold(word))
        )

    def _contains(self, guess: str, original: str, entity_type: str) -> bool:
        """Check that all words of one stand in the other, in order, and identify."""
        said, wanted = words.normalise(guess), words.normalise(original)
        short, long = sorted((said, wanted), key=len)
        if len(short) < 3 or f" {short} " not in f" {long} ":
            return False
        telling = words.telling_lemmas(short)
        naming = self._naming(original)
        return bool(telling & naming if naming and short == said else telling)

    def _shares_lemma(self, guess: str, original: str, entity_type: str) -> bool:
        """Check that both share a lemma that identifies the original.

        Of a name that is a word which identifies by itself. Where a name or phrase has none, it
        is any telling lemma, unless each has others and the shared one is the head of both."""
        naming = self._naming(original)
        if naming:
            return bool(naming & words.telling_lemmas(guess))
        wanted, said = _objects(original), _objects(guess)
        common = wanted & said
        if not common or not (wanted - common and said - common):
            return bool(common)
        return not words.name_words(original) and common != {_head(original)} & {_head(guess)}

    def _shares_ngram(self, guess: str, original: str, entity_type: str) -> bool:
        """Check that a word which identifies shares four characters with the guess ("Turkey",
        "Turkish")."""
        found = {fold(word): word for word in words.words(original)}
        naming = (found[w] for w in sorted(words.name_words(original)) if self._identifies(w))
        return any(words.shared_ngram(word, guess) for word in naming)


def _by_words(rule: Rule) -> Rule:
    """Keep a rule from dates and quantities, which are compared by value."""
    return lambda guess, original, kind: kind not in BY_VALUE and rule(guess, original, kind)


RISK = "risk"  # the rule's name where no guess matched but their probability was too high
UNPARSED = "unparsed"  # the rule's name where an answer could not be read
STANDING = frozenset({Outcome.SAFE, Outcome.CONTEXT})  # outcomes with which a rung may stand
ADDED_RISK = 0.1
"""Probability by which a candidate that adds nothing may be guessed more than its label."""
_ROUNDING = 1e-9


class Verdict(NamedTuple):
    """An outcome, the rule behind it ("" if safe) and the risk in [0, 1]."""

    outcome: Outcome
    rule: str
    risk: float


def judge(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> Verdict:
    """Decide if an attacker's answer gives an entity away.

    Guessed if one of the first k guesses, held to be right with ``min_risk`` or more, matches any
    of its mentions, or if the probability that one of them is right exceeds ``max_risk``. For
    uniform answers (draws from equally likely values) only the probability counts; a guessed month
    of a hidden day is right for one of its days. What could not be read, or names nothing, is never
    safe.

    Args:
        answer: guesses, the likeliest first.
        entity: the original, with all its mentions.
        matcher: decides if a guess is a mention.
        settings: k is ``guesses``; with ``min_risk`` and ``max_risk``, both in [0, 1].

    Source: Pilán et al. 2024, section 3.2, for the match among the first k; the two thresholds are
    our own.
    """
    guesses = answer.guesses[: settings.guesses]
    least = settings.min_risk - _ROUNDING
    told = [one for one in guesses if one.logprob is None or math.exp(one.logprob) >= least]
    rule = "" if answer.uniform else first_match(told, entity, matcher)
    risk = probability(guesses, entity if answer.uniform else None)
    if not rule and not answer.parsed:
        return Verdict(Outcome.UNPARSED, UNPARSED, 1.0)
    if not rule and risk > settings.max_risk + _ROUNDING:
        rule = RISK
    return Verdict(Outcome.GUESSED if rule else Outcome.SAFE, rule, risk)


def adds_nothing(
    answer: Answer, control: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings
) -> bool:
    """Check that who guesses an entity from a candidate guesses it no worse from its label.

    Compared by the probabilities of right guesses where the attacker gives any, else by how much of
    the entity the best guess names: guesses are a set, in which a right one may stand anywhere.

    Args:
        answer: to the candidate.
        control: the same attacker's answer to the label.
        entity: the original, with all its mentions.
        matcher: decides if a guess is a mention.
        settings: as for ``judge``.

    Returns:
        True where the label is guessed, too, and the candidate at most ``ADDED_RISK`` likelier, or
            no
        more of it.
    """
    if not is_guessed(control, entity, matcher, settings):
        return False
    if all(any(g.logprob is not None for g in each.guesses) for each in (answer, control)):
        risk, known = (judge(one, entity, matcher, settings).risk for one in (answer, control))
        return risk - known <= ADDED_RISK + _ROUNDING
    return _best(control, entity, matcher) >= _best(answer, entity, matcher)


def is_guessed(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> bool:
    """Check that an answer can be read and gives the entity away.

    Args:
        answer: an attacker's.
        entity: the original, with all its mentions.
        matcher: decides if a guess is a mention.
        settings: as for ``judge``.
    """
    return judge(answer, entity, matcher, settings).outcome is Outcome.GUESSED


def rank_of_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> int:
    """Count the wrong guesses before the first right one; all of them if none is right.

    Args:
        guesses: the likeliest first.
        entity: the original; a match of any mention is right.
        matcher: decides if a guess is a mention.
    """
    right = (at for at, one in enumerate(guesses) if first_match([one], entity, matcher))
    return next(right, len(guesses))


def _best(answer: Answer, entity: Entity, matcher: Matcher) -> float:
    """Measure how much of an entity the best guess names: of names the share of words it shares."""
    shares = []
    for guess, mention in product(answer.guesses, _distinct(entity)):
        rule, whole = matcher.match(guess, mention), words.content_lemmas(mention.text)
        shared = len(whole & words.content_lemmas(guess.text)) / max(1, len(whole))
        shares.append(shared if rule in ("lemma", "containment") else float(bool(rule)))
    return max(shares)


def probability(guesses: Sequence[Guess], entity: Entity | None = None) -> float:
    """Sum up the probability that one of several guesses is right; at most 1.

    Args:
        guesses: those without a probability count as nothing.
        entity: the original, where its length counts: of a guessed period that is longer than a
            hidden date, the share that the date fills is counted. None counts all of each guess.
    """
    hidden = _days(entity.mentions[0].text) if entity and entity.entity_type in BY_VALUE else 0.0
    shares = (
        math.exp(guess.logprob) * (min(1.0, hidden / days) if days else 1.0)
        for guess in guesses
        if guess.logprob is not None
        for days in [_days(guess.text) if hidden else 0.0]
    )
    return min(1.0, math.fsum(shares))


def _days(text: str) -> float:
    """Count the days that a date holds, of a year where it names none; 0 for what is no date."""
    value = read_time(text)
    if value is None or value.kind not in _CALENDAR:
        return 0.0
    return sum(high - low + 1 for low, high in value.spans[: 1 if value.either else None])


def first_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> str:
    """Name the rule by which the first right guess is right, or "" if none is.

    Args:
        guesses: the likeliest first.
        entity: the original; a match of any mention is right.
        matcher: decides if a guess is a mention.
    """
    pairs = product(guesses, _distinct(entity))
    return next((rule for pair in pairs if (rule := matcher.match(*pair))), "")


def _distinct(entity: Entity) -> list[Mention]:
    """Pick one mention of each wording and type of an entity: what guesses are compared with."""
    return [*{(mention.text, mention.entity_type): mention for mention in entity.mentions}.values()]
