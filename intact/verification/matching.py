"""Tell whether a guess is the original. Each rule is a function; they are tried in order, and the
record names the one that applied.

The rules follow the matching function of INTACT (Pilán et al. 2024, section 3.2 and appendix): a
guess gives the original away if they share a telling lemma or, for names, four characters; dates
and numbers are compared by value. Words count only if they identify: a class of bodies ("the
district court"), the head of a name ("Corby site" for "Bowerhill site"), a saint's title, a verb,
or a foreign word that begins many names ("Kampung") does not.
"""

import math
from collections.abc import Callable, Mapping, Sequence
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
# (guess, original, entity type) -> whether the original is given away.
Rule = Callable[[str, str, str], bool]


def _normalised(guess: str, original: str, entity_type: str) -> bool:
    """Return whether a guess has the same words as the original, disregarding case, diacritics,
    articles and titles; False for an original without words."""
    wanted = words.normalise(original)
    return bool(wanted) and words.normalise(guess) == wanted


def _date(guess: str, original: str, entity_type: str) -> bool:
    """Return whether a guess is right as a time: it is the same time; or the same age, one of
    them perhaps as a bare number; or it lies inside the original. False for a type other than
    DATETIME."""
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
    """Return whether a guess is right as a number: it is the same quantity; or it has the same
    numbers, and the other words of one are all among those of the other. False for DATETIME, and
    for originals without a number."""
    if entity_type == EntityType.DATETIME:
        return False
    if entity_type == EntityType.QUANTITY:
        read, known = parse_quantity(guess), parse_quantity(original)
        if read is not None and known is not None and read.same(known):
            return True
    wanted = words.numbers(original)
    if not wanted or words.numbers(guess) != wanted:
        return False
    lemmas = map(words.content_lemmas, (guess, original))
    one, other = (
        {w for w in each if not (words.numbers(w) or any(map(str.isdigit, w)))} for each in lemmas
    )
    return one <= other or other <= one


def _acronym(guess: str, original: str, entity_type: str) -> bool:
    """Return whether one text is the acronym of the other's capitalised words ("NHS"), in any case
    and with or without full stops."""
    short, other = (fold(one.strip()).replace(".", "") for one in (guess, original))
    return (short.isalpha() and short in words.acronyms(original)) or (
        other.isalpha() and other in words.acronyms(guess)
    )


def is_class(original: str, entity_type: str) -> bool:
    """Tell whether a text names only a class of bodies or places, which gives nobody away; False
    for entity types other than ORG and LOC, and for a text with a telling word (one that is neither
    a function word nor generic) or without content words.

    "the district court", "the Court" and "District Court" are classes, of which a State has
    several; "Supreme Court" is a name where there is one.

    Args:
        original: the text of a mention.
        entity_type: of the mention; only a text of type ORG or LOC can be a class.
    """
    if entity_type not in (EntityType.ORG, EntityType.LOC) or words.telling_lemmas(original):
        return False
    content = words.content_lemmas(original)
    several = not _SEVERAL.isdisjoint(content)
    return len(content) == 1 or several or bool(content and not words.is_capitalised(original))


def _objects(text: str) -> frozenset[str]:
    """Return the set of a phrase's telling lemmas (base forms of words that are neither function
    words nor generic), without that of its leading verb if others are left: "drives the grader"
    gives only "grader". A first word in lower case is taken for a verb if it is inflected, but does
    not end in "s", or if an article follows it."""
    first, *rest = words.words(text) or ("",)
    inflected = words.lemma(first) != first and not first.endswith("s")
    verb = rest and first.islower() and (inflected or rest[0] in ARTICLES)
    found = words.telling_lemmas(text.split(first, 1)[1]) if verb else None
    return found or words.telling_lemmas(text)


def _head(text: str) -> str:
    """Return the last telling lemma (base form of a word that is neither a function word nor
    generic) of a phrase; "" if there is none."""
    telling = words.telling_lemmas(text)
    return next((one for one in reversed(words.lemmas(text)) if one in telling), "")


class Matching:
    """The matcher: all rules, in order.

    Args:
        tells: called with (guess, original, entity type), but never for times and amounts; tells
            whether both are the same thing as far as the knowledge base knows; None leaves the rule
            out.
        identifies: tells whether a folded word of a name identifies by itself: a town does, a
            common word and a foreign class word do not; None: all do.
    """

    def __init__(
        self,
        tells: Callable[[str, str, str], bool] | None = None,
        identifies: Callable[[str], bool] | None = None,
    ) -> None:
        """Set up the rules in the order in which they are tried, and caches for names and
        comparisons."""
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
        self._naming = lru_cache(1 << 14)(self._names_in)
        self._compare = lru_cache(1 << 17)(self._fired)

    def match(self, guess: Guess, mention: Mention) -> str:
        """Return the name of the first rule by which a guess gives the original away ("exact",
        "normalised", "date", "number", "acronym", "containment", "lemma", "ngram" or "same"); "" if
        none does, or if the original is only a class of bodies or places ("the Court").

        Args:
            guess: its text counts, not its probability.
            mention: the original; its entity type decides how it is compared.
        """
        return self._compare(guess.text, mention.text, mention.entity_type)

    def _fired(self, guess: str, original: str, entity_type: str) -> str:
        """Return the name of the first rule by which a guess gives an original away; "" if none
        does, or if the original is only a class of bodies or places ("the Court")."""
        if is_class(original, entity_type):
            return ""
        fired = (name for name, rule in self._rules.items() if rule(guess, original, entity_type))
        return next(fired, "")

    def _names_in(self, original: str) -> Mapping[str, str]:
        """Return the words of a name that identify by themselves (a town's name does, "Road" does
        not), as they are written, each with its lemma; {} if it has none."""
        names = frozenset(filter(self._identifies, words.name_words(original)))
        return {word: words.lemma(word) for word in words.words(original) if fold(word) in names}

    def _contains(self, guess: str, original: str, entity_type: str) -> bool:
        """Return whether all words of one text are in the other, side by side and in order, and
        one of them identifies the original. False if the shorter text has fewer than three
        characters."""
        said, wanted = words.normalise(guess), words.normalise(original)
        short, long = sorted((said, wanted), key=len)
        if len(short) < 3 or f" {short} " not in f" {long} ":
            return False
        telling = words.telling_lemmas(short)
        naming = self._naming(original).values()
        return not telling.isdisjoint(naming if naming and short == said else telling)

    def _shares_lemma(self, guess: str, original: str, entity_type: str) -> bool:
        """Return whether guess and original share a lemma that identifies the original.

        For a name with words that identify by themselves, the shared lemma must be one of these.
        Otherwise any telling lemma will do, unless each has further ones and either the shared one
        is the head of both or the original has capitalised words of a name."""
        if naming := self._naming(original):
            return not words.telling_lemmas(guess).isdisjoint(naming.values())
        wanted, said = _objects(original), _objects(guess)
        common = wanted & said
        if not common or not (wanted - common and said - common):
            return bool(common)
        return not words.name_words(original) and common != {_head(original)} & {_head(guess)}

    def _shares_ngram(self, guess: str, original: str, entity_type: str) -> bool:
        """Return whether a word of the original that identifies by itself shares four characters
        with the guess ("Turkey", "Turkish")."""
        return any(words.shared_ngram(word, guess) for word in self._naming(original))


def _by_words(rule: Rule) -> Rule:
    """Return a rule that says what the given one says, but False for dates and quantities, which
    are compared by value."""
    return lambda guess, original, kind: kind not in BY_VALUE and rule(guess, original, kind)


RISK = "risk"  # the rule's name where no guess matched but their probability was too high
UNPARSED = "unparsed"  # the rule's name where an answer could not be read
STANDING = frozenset({Outcome.SAFE, Outcome.CONTEXT})  # outcomes with which a rung may stand
# The probability by which a candidate may be guessed more easily than its label and still count as
# adding nothing.
ADDED_RISK = 0.1
_ROUNDING = 1e-9


class Verdict(NamedTuple):
    """An outcome, the rule that decided it ("" if safe) and the risk in [0, 1]."""

    outcome: Outcome
    rule: str
    risk: float


def judge(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> Verdict:
    """Decide whether an attacker's answer gives an entity away. Return the outcome (GUESSED, SAFE
    or UNPARSED), the rule that decided it ("" if safe), and the risk: the probability in [0, 1]
    that one of the first k guesses is right.

    GUESSED means that one of the first k guesses, held to be right with a probability of
    ``min_risk`` or more (or of none), matches any of the entity's mentions, or that the risk
    exceeds ``max_risk`` (rule "risk"). For uniform answers (draws from equally likely values) only
    the risk counts; a guessed month is right for a hidden day with the share that the day has of
    it. An answer that could not be read is never safe: UNPARSED, with the risk 1. One that was read
    and has no guesses is SAFE.

    Args:
        answer: guesses, the likeliest first.
        entity: the original, with all its mentions.
        matcher: decides whether a guess gives a mention away.
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
    """Check whether an attacker who guesses an entity from a candidate guesses it no worse from its
    label, so that the candidate adds nothing.

    The risks are compared (as ``judge`` returns them) if both answers give probabilities. If not,
    the shares of the entity that the best guesses name are: guesses of a model are a set, in which
    the right one may stand anywhere.

    Args:
        answer: to the candidate, with at least one guess.
        control: the same attacker's answer to the label.
        entity: the original, with all its mentions.
        matcher: decides whether a guess gives a mention away.
        settings: as for ``judge``.

    Returns:
        True if the label is guessed, too, and the candidate is no more than ``ADDED_RISK`` (0.1)
            likelier to be guessed, or no more of the entity is named; else False.
    """
    if not is_guessed(control, entity, matcher, settings):
        return False
    if all(any(g.logprob is not None for g in each.guesses) for each in (answer, control)):
        risk, known = (judge(one, entity, matcher, settings).risk for one in (answer, control))
        return risk - known <= ADDED_RISK + _ROUNDING
    return _best(control, entity, matcher) >= _best(answer, entity, matcher)


def is_guessed(answer: Answer, entity: Entity, matcher: Matcher, settings: AttackSettings) -> bool:
    """Check whether an answer gives the entity away, by a guess or by the risk that it states.

    Args:
        answer: an attacker's.
        entity: the original, with all its mentions.
        matcher: decides whether a guess gives a mention away.
        settings: as for ``judge``.
    """
    return judge(answer, entity, matcher, settings).outcome is Outcome.GUESSED


def rank_of_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> int:
    """Return how many wrong guesses stand before the first right one: 0 if the first is right, the
    number of all guesses if none is.

    Args:
        guesses: the likeliest first.
        entity: the original; a guess that matches any mention is right.
        matcher: decides whether a guess gives a mention away.
    """
    right = (at for at, one in enumerate(guesses) if first_match([one], entity, matcher))
    return next(right, len(guesses))


def _best(answer: Answer, entity: Entity, matcher: Matcher) -> float:
    """Return how much of an entity the best guess of an answer names, in [0, 1]: for a match by
    lemma or containment the share of the mention's content words, for any other match 1, for none
    0. The answer must have a guess."""
    shares = []
    for guess, mention in product(answer.guesses, _distinct(entity)):
        rule, whole = matcher.match(guess, mention), words.content_lemmas(mention.text)
        shared = len(whole & words.content_lemmas(guess.text)) / max(1, len(whole))
        shares.append(shared if rule in ("lemma", "containment") else float(bool(rule)))
    return max(shares)


def probability(guesses: Sequence[Guess], entity: Entity | None = None) -> float:
    """Return the probability that one of the guesses is right: the sum of their probabilities, at
    most 1; 0 without guesses.

    Args:
        guesses: those without a probability count as 0.
        entity: the original, if its length counts: a guessed period that is longer than a hidden
            date then counts only with the share that the date fills. None: each guess counts in
            full.
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
    """Return the number of days that a date covers ("May 1996": 31), within one year if it names
    none; 0 if the text is no date."""
    value = read_time(text)
    if value is None or value.kind not in _CALENDAR:
        return 0.0
    return sum(high - low + 1 for low, high in value.spans[: 1 if value.either else None])


def first_match(guesses: Sequence[Guess], entity: Entity, matcher: Matcher) -> str:
    """Return the name of the rule by which the first right guess is right, or "" if none is.

    Args:
        guesses: the likeliest first.
        entity: the original; a guess that matches any mention is right.
        matcher: decides whether a guess gives a mention away.
    """
    pairs = product(guesses, _distinct(entity))
    return next((rule for pair in pairs if (rule := matcher.match(*pair))), "")


def _distinct(entity: Entity) -> list[Mention]:
    """List the mentions of an entity that guesses are compared with: one of each text and type, in
    the order in which these first appear."""
    return [*{(mention.text, mention.entity_type): mention for mention in entity.mentions}.values()]
