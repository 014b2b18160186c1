"""Is a guess the original? One rule per function, tried in order, named in the record.

The rules follow the matching function of INTACT (Pilán et al. 2024, section 3.2 and appendix):
a guess gives the original away if they share a telling lemma or, for names, four characters;
a date only if the whole date is guessed. Here dates and numbers are compared by value, so that
"17.01.1955" is "17 January 1955" and "three" is "3".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from intact.domain import BY_VALUE, EntityType, Guess, Mention
from intact.english import words
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.english.words import fold

NGRAM = 4
"""Letters that names must share to give the original away."""
_CALENDAR = frozenset({Kind.INTERVAL, Kind.PARTIAL})
Rule = Callable[[str, str, str], bool]
"""guess, original, entity type -> whether the original is given away."""


def _exact(guess: str, original: str, entity_type: str) -> bool:
    """The same characters, blanks around them apart."""
    return guess.strip() == original.strip()


def _normalised(guess: str, original: str, entity_type: str) -> bool:
    """The same words; case, diacritics, punctuation, articles and titles apart."""
    wanted = words.normalise(original)
    return bool(wanted) and words.normalise(guess) == wanted


def _date(guess: str, original: str, entity_type: str) -> bool:
    """The same interval, duration, age or time of day in whatever notation, or a date inside
    the original: "June 1994" in "1994", "15 October 2019" as "15 October"."""
    if entity_type != EntityType.DATETIME:
        return False
    one, other = parse_temporal(guess), parse_temporal(original)
    if one is None or other is None:  # an age may be told as a bare number
        bare = other is not None and other.kind is Kind.AGE and guess.strip().isdigit()
        return bare and words.numbers(guess) == words.numbers(original)
    inside = other.kind in _CALENDAR and one.kind in _CALENDAR and other.contains(one)
    return one.same(other) or bool(inside)


def _number(guess: str, original: str, entity_type: str) -> bool:
    """The same quantity in whatever notation, or the same numbers and no other unit."""
    if entity_type == EntityType.DATETIME:
        return False
    if entity_type == EntityType.QUANTITY:
        read, known = parse_quantity(guess), parse_quantity(original)
        if read is not None and known is not None and read.same(known):
            return True
    wanted = words.numbers(original)
    if not wanted or words.numbers(guess) != wanted:
        return False
    one, other = _unit(guess), _unit(original)
    return one <= other or other <= one


def _unit(text: str) -> frozenset[str]:
    spelled = {word for word in words.content_lemmas(text) if not words.numbers(word)}
    return frozenset(word for word in spelled if not any(map(str.isdigit, word)))


def _acronym(guess: str, original: str, entity_type: str) -> bool:
    """One is the acronym of the other's capitalised words; case apart."""
    if entity_type in BY_VALUE:
        return False
    for short, long in ((guess, original), (original, guess)):
        letters = fold(short.strip()).replace(".", "")
        if letters.isalpha() and letters in words.acronyms(long):
            return True
    return False


def _containment(guess: str, original: str, entity_type: str) -> bool:
    """All words of one stand in the other, in order, and tell something."""
    if entity_type in BY_VALUE:
        return False
    short, long = sorted((words.normalise(guess), words.normalise(original)), key=len)
    inside = len(short) >= 3 and f" {short} " in f" {long} "
    return inside and bool(words.telling_lemmas(short))


def _lemma(guess: str, original: str, entity_type: str) -> bool:
    """A lemma in common that is no function word, generic head or word of every document."""
    common = words.telling_lemmas(original) & words.telling_lemmas(guess)
    return entity_type not in BY_VALUE and bool(common)


def _ngram(guess: str, original: str, entity_type: str) -> bool:
    """Four characters in common between words of a name ("Turkey", "Turkish")."""
    return entity_type not in BY_VALUE and bool(words.shared_ngram(original, guess, NGRAM))


def _same(
    tells: Callable[[str, str, str], bool], guess: str, original: str, entity_type: str
) -> bool:
    """Both name the same thing as far as is known: Holland is the Netherlands."""
    return entity_type not in BY_VALUE and tells(guess, original, entity_type)


RULES: dict[str, Rule] = {
    "exact": _exact,
    "normalised": _normalised,
    "date": _date,
    "number": _number,
    "acronym": _acronym,
    "containment": _containment,
    "lemma": _lemma,
    "ngram": _ngram,
}
"""The rules of words by the names they have in the record, surest first; "same" asks the
knowledge base, last."""


class Matching:
    """The matcher: all rules in order.

    Args:
        tells: whether a guess names what the original names (guess, original, entity type),
            by knowledge of the world; None for the words alone.
    """

    def __init__(self, tells: Callable[[str, str, str], bool] | None = None) -> None:
        self._rules: dict[str, Rule] = dict(RULES)
        if tells is not None:
            self._rules["same"] = partial(_same, tells)
        self._compare = lru_cache(1 << 17)(self._fired)

    def match(self, guess: Guess, mention: Mention) -> str:
        """The name of the first rule that fires, or "".

        Args:
            guess: an attacker's guess.
            mention: the original.
        """
        return self._compare(guess.text, mention.text, mention.entity_type)

    def _fired(self, guess: str, original: str, entity_type: str) -> str:
        fired = (name for name, rule in self._rules.items() if rule(guess, original, entity_type))
        return next(fired, "")
