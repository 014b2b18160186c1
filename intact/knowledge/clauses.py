"""Say more generally what somebody did or is, word by word: "took my forklift key" -> "took an
object".

A clause keeps its frame. Its verbs become more general ones (``data/verbs.txt``), its noun phrases
what is over their heads; where a word is unknown the clause ends before it, at the last place where
one may end. What is true of a thing is true of its kind, so the result follows from the clause
unless something in it is denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from intact.english.grammar import DETERMINERS, PREPOSITIONS, conjugated, verb_of
from intact.english.reading import Place
from intact.english.vocabulary import ARTICLES, NEGATION, word_sets
from intact.english.words import telling_lemmas
from intact.knowledge.ladders import read_table
from intact.knowledge.patterns import Look

_WORDS = word_sets("grammar", "frames")
_PREPOSITIONS = PREPOSITIONS | _WORDS["particles"]
_PARTICLES, _OWNERS = _WORDS["particles"] | _WORDS["adverbs"], DETERMINERS | ARTICLES
_ENDS = _WORDS["joints"] | _WORDS["ends"] | {"", ",", ";", "."}
_CLOSED = _PREPOSITIONS | _WORDS["helpers"] | _ENDS
_BEFORE_VERB = _WORDS["helpers"] | _WORDS["subjects"]
_BEFORE_ING = _CLOSED | _BEFORE_VERB | _WORDS["objects"]
_LEVELS = 3  # how many steps up all noun phrases go together
_MOST = 20  # words of a clause


@cache
def kept_verbs() -> frozenset[str]:
    """Collect the verbs so common that a clause may keep them, in the dictionary form."""
    return frozenset(verb for verb, said in _verbs().items() if verb == said)


@cache
def _verbs() -> Mapping[str, str]:
    """Read what each verb becomes; one that may stay becomes itself."""
    rows = ((said, verb) for said, verbs in read_table("verbs") for verb in verbs.split())
    return {verb: verb if said == "=" else said for said, verb in rows}


def widened_clauses(place: Place, look: Look) -> Iterator[str]:
    """Yield ever wider clauses that follow from the words of a place; none where its frame is not
    understood, or something is denied.

    Args:
        place: of words that hold a verb, at their beginning or behind a subject.
        look: finds the phrases over a noun phrase, most specific first.
    """
    denied = place.negated or NEGATION.search(place.words)
    if denied or not 1 < len(place.words.split()) < _MOST:
        return
    said = _Clause(place, look).read()
    levels = ([words[min(level, len(words) - 1)] for words in said] for level in range(_LEVELS))
    yield from filter(None, dict.fromkeys(map(" ".join, levels)))


class _Clause:
    """Reads a clause from its first word on, and writes the wider one.

    Args:
        place: of its words; what stands before tells the form of its verb.
        look: see ``widened_clauses``.
    """

    def __init__(self, place: Place, look: Look) -> None:
        self._before, self._look = place.before, look
        self._words = re.findall(r"[,;.]|[^\s,;.]+", place.words)
        self._at = 0  # the word to be read
        self._out: list[tuple[str, ...]] = []  # what is said, each the most specific first
        self._told = False  # whether anything but a light verb is said

    def read(self) -> list[tuple[str, ...]]:
        """Write the clause that follows, for each of its parts the ways to say it, the most
        specific first; none where no clause does."""
        if not self._predicate():
            return []
        ends = len(self._out) if self._told else 0
        if self._next() in _PREPOSITIONS:
            self._take()
            if self._noun_phrase():
                ends = len(self._out)
        return self._out[:ends]

    def _next(self, on: int = 0) -> str:
        """Look at the next word, or one further on, in lower case; "" behind the last."""
        return "".join(self._words[self._at + on : self._at + on + 1]).lower()

    def _take(self, said: str = "") -> None:
        """Write the next word, or what is said for it."""
        self._out.append((said or self._words[self._at],))
        self._at += 1

    def _said(self) -> str:
        """Put together what stands before the next word in the wider clause."""
        return self._before + "".join(f"{words[0]} " for words in self._out)

    def _ahead(self) -> str:
        """Find the word, in lower case, behind which the next one stands in the wider clause."""
        return self._said().rstrip().rpartition(" ")[2].lower()

    def _predicate(self) -> bool:
        """Read a verb with its helpers and its object; tell whether it is understood."""
        while self._next() in _BEFORE_VERB:
            self._take()
        verb, form = verb_of(self._next(), self._said())
        general = _verbs().get(verb, "")
        if not general or self._words[self._at][:1].isupper() or not self._takes_verb(form):
            being = self._ahead() in _WORDS["being"]
            return being and self._next() in _OWNERS and self._noun_phrase()
        behind = "perfect" if form == "passive" else form
        self._take("" if general == verb else conjugated(general, behind))
        self._told |= general.partition(" ")[0] not in _WORDS["light"]
        if self._next() in _PARTICLES and self._next(1) in _CLOSED:  # "[called off by them]"
            if general != verb:
                return False
            self._take()
            self._told = True
        return self._next() in _CLOSED or self._noun_phrase()

    def _takes_verb(self, form: str) -> bool:
        """Tell whether the form of a verb fits behind what stands before it."""
        ahead = self._ahead()
        if form == "ing":  # no noun as in "a visiting [sourcing director]"
            return not ahead.isalpha() or ahead in _BEFORE_ING
        if form == "plain":
            return ahead in _WORDS["before_plain"]
        return form in ("perfect", "passive") or ahead not in _OWNERS | _PREPOSITIONS

    def _phrase(self) -> list[str]:
        """Take the words of a phrase: all up to a word that can be in none."""
        start = self._at
        while self._next() not in _CLOSED:
            self._at += 1
        return self._words[start : self._at]

    def _noun_phrase(self) -> bool:
        """Read a noun phrase; tell whether something is known of it."""
        over = self._over(" ".join(self._phrase()))
        if over:
            self._out.append(over)
            self._told = True
        return bool(over)

    def _over(self, phrase: str) -> tuple[str, ...]:
        """Find what is said over a noun phrase: of its number, and none of its telling words."""
        named = phrase[:1].isupper() or phrase.rpartition(" ")[2][:1].isupper()
        if named or phrase.endswith(("'s", "’s")):
            return ()  # "said [the Our Father]"
        one, telling = phrase.startswith(("a ", "an ")), telling_lemmas(phrase)
        return tuple(
            each
            for each in self._look(phrase)
            if one <= each.startswith(("a ", "an ")) and not telling_lemmas(each) & telling
        )
