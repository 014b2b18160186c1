"""One phrase fitted to one slot: articles, prepositions, number, genitive, capital.

A sentence part is the phrase and the words before it. One table (``english/data/agreement.toml``)
says how they are made to agree. The edit may extend over an article, a preposition or a repeated
word next to the span.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from intact.domain import BY_CONCEPT, BY_VALUE, ENTITY_TYPES, EntityType, Span, Wording
from intact.english import grammar
from intact.english.grammar import DETERMINERS, NounPhrase
from intact.english.numbers import CARDINALS
from intact.english.sentences import starts_sentence
from intact.english.time import MONTHS
from intact.english.vocabulary import (
    ARTICLES,
    NEGATION,
    either,
    filled,
    read_patterns,
    vocabulary,
    word_sets,
)
from intact.rewriting.slots import ADJECTIVES, NOUNS, PHRASE_END, Slot

# The types whose names take "the" when they are mentioned again.
NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.definite)
_TIMES = word_sets("grammar", "times")
MOVABLE = _TIMES["movable"]  # prepositions that change with the kind of time or place after them
_NO_VERB = DETERMINERS | ARTICLES | _TIMES["roughly"] | _TIMES["loose"] | _TIMES["joining"]
# Words that make a thing the only one of its kind; it need not be the only one of a wider kind.
_RESTRICTORS = frozenset("only sole first last oldest eldest youngest".split())
OF_COUNTRIES = "certain country"  # stands for an adjective of any type
LEFT_OUT = "certain"  # stands for words without which their noun is still true
_DEFINITE = (DETERMINERS | ARTICLES) - {"no", "a", "an"}
_PIECES = {"phraseend": either(PHRASE_END), "cardinals": either(CARDINALS), "owner": grammar.OWNER}
_PIECES |= vocabulary("agreement")["pieces"]
_FORMS = read_patterns("agreement", _PIECES)


class SentencePart:
    """A sentence part while it is fitted: the words before a slot, and the phrase.

    Args:
        slot: where the phrase goes.
        phrase: as it would stand in mid-sentence.
        label: whether it is a label, which keeps its form.
        start: words that begin before this character may not change.
        stacked: whether an adjective of another slot stands directly before.
    """

    def __init__(
        self, slot: Slot, phrase: NounPhrase, *, label: bool, start: int, stacked: bool
    ) -> None:
        self.slot = slot
        self.label = label
        self.phrase = phrase
        self.words = [word for word in slot.before if word.start >= start]
        self.now = [
            word.low if self.inside(at) and word.low in ARTICLES else word.text
            for at, word in enumerate(self.words)  # "the film [A Night]"
        ]
        self.end = slot.span.end  # of the characters that go
        self.moved = ""  # the phrase, if a noun of the sentence was put before it
        timed = slot.entity_type == EntityType.DATETIME or _FORMS["ages"].match(phrase.text)
        self.time = phrase.time if timed and not label else ""
        self.stacked = stacked

    def last(self) -> int:
        """Return the index of the nearest word before the phrase that has not been removed, or -1
        if there is none."""
        return max((at for at, word in enumerate(self.now) if word), default=-1)

    def put(self, index: int, word: str) -> None:
        """Replace the word at ``index`` before the phrase by another, given in lower case. It takes
        over the capital of the word that was there, unless that word was in the span.

        Args:
            index: of a word that was there.
            word: "" removes the word.
        """
        if self.now[index].lower() != word:
            upper = self.words[index].text[:1].isupper() and not self.inside(index)
            self.now[index] = word.capitalize() if upper and word else word

    def inside(self, index: int) -> bool:
        """Check whether the word at ``index`` before the phrase lies in the slot's span, so is part
        of the original."""
        return self.words[index].start >= self.slot.span.start

    def say(self, rest: str, article: str = "") -> None:
        """Replace the phrase of the sentence part.

        Args:
            rest: the new phrase without its article.
            article: "a", "the" or "".
        """
        self.phrase = NounPhrase(article, rest)

    @property
    def written(self) -> str:
        """The nearest word before the phrase that has not been removed, in its own case, or ""."""
        return next(filter(None, reversed(self.now)), "")

    @property
    def before(self) -> str:
        """The nearest word before the phrase that has not been removed, in lower case, or ""."""
        return self.written.lower()

    @property
    def being(self) -> str:
        """The form of "have" that matches a form of "be" just before the phrase ("has" for "is");
        "" for another word."""
        return grammar.HAVING.get(self.before.replace("’", "'"), "")

    @property
    def joined(self) -> str:
        """The phrase with the article that stands before it in the sentence ("a", "the" or none)
        instead of its own."""
        return NounPhrase(NounPhrase.of(f"{self.before} x").article, self.phrase.rest).text

    def agree(self, decision: str) -> bool:
        """Make the words before a phrase and the phrase agree, as the first fitting row of a table
        says (``agreement.toml``); both are changed in place. Return whether a row fitted.

        Args:
            decision: the name of a list of rows in the table ("article", "preposition").
        """
        ahead = " ".join(filter(None, self.now)).lower()
        meeting = f"{ahead} |{self.time}| {self.phrase.text}"
        for row in _rows(decision):
            found = row.meets.search(meeting) if self.time or not row.timed else None
            if found and all(bool(shown(self)) is wanted for shown, wanted in row.needs):
                self._follow(row, found)
                return True
        return False

    def _follow(self, row: _Row, found: re.Match[str]) -> None:
        """Change the words before the phrase, and the phrase, in place, as a row of the table says.

        Args:
            row: what then stands there.
            found: where the row's pattern matched.
        """
        groups = found.groupdict("")
        capital = {name.capitalize(): words.capitalize() for name, words in groups.items()}
        known = {**groups, **capital, "part": self, "phrase": self.phrase}
        said = self.phrase if row.said is None else NounPhrase.of(row.said.format_map(known))
        if row.now is not None:
            now, at = NounPhrase.of(row.now.format_map(known)).text, 0
            for index, word in enumerate(self.now):
                if word and found.start("go") <= at < found.end("go"):
                    self.put(index, now)
                    now = ""
                at += len(word) + bool(word)
        self.phrase = said if row.article is None else NounPhrase(row.article, said.rest)


def _is_several(part: SentencePart) -> bool:
    """Check whether a word of the phrase, or the word right after the slot in the original, is a
    plural noun."""
    following = re.match(r"\s?([\w-]*)", part.slot.place.after)
    words = [*part.phrase.rest.split(), *(following.groups() if following else ())]
    return any(map(grammar.is_plural_noun, words))


def _is_running(part: SentencePart) -> bool:
    """Check that a lower-case word and one space stand before the phrase, as in running text but
    not in a heading or a column of a form."""
    return part.written.islower() and part.words[part.last()].space == " "


def _is_active(part: SentencePart) -> bool:
    """Check whether a past form or a form in "-ing", which is no plural noun, stands before the
    phrase."""
    before = part.before
    return grammar.verb_of(before)[1] in ("past", "ing") and not grammar.is_plural_noun(before)


def _is_adverbial(part: SentencePart) -> bool:
    """Check whether a time stands as an adverb after a word of the sentence, "rang [Tuesday]", or
    is one by its own words: "next week", "every day"."""
    word, slot = part.written, part.slot
    alone = (
        part.time in ("in", "on")
        and not slot.place.noun_follows  # "the March 2019 [order]"
        and word.isalpha()
        and word not in _NO_VERB
        and _is_running(part)
    )
    return alone or _FORMS["adverb"].match(slot.head) is not None


_Shown = Callable[[SentencePart], object]
# The conditions that a row of the table may name under "needs", besides the attributes of a part.
_SHOWS: Mapping[str, _Shown] = {
    # of the phrase and the words before
    "own": lambda part: part.before and part.inside(part.last()),  # the nearest stands in the span
    "free": lambda part: part.phrase.time == "free",
    "apposed": lambda part: part.phrase.article and part.before == part.phrase.head,
    "running": _is_running,
    "active": _is_active,
    "adverbial": _is_adverbial,
    # of the original and its place
    "dashed": lambda part: part.slot.place.before.rstrip().endswith(("-", "–")),
    "value": lambda part: part.slot.entity_type in BY_VALUE,
    "concept": lambda part: part.slot.entity_type in BY_CONCEPT,
    "date": lambda part: part.slot.entity_type == EntityType.DATETIME,
    "name": lambda part: part.slot.named and part.slot.entity_type in NAMES,
    "many": lambda part: part.slot.plural and not part.slot.qualified,
    "several": _is_several,
    "restricted": lambda part: part.slot.head.partition(" ")[0] in _RESTRICTORS,
    "month": lambda part: part.slot.head.lower().rstrip(".") in MONTHS,
    "figure": lambda part: part.slot.head[:1].isdigit(),
}


class _Row(NamedTuple):
    """A row of the table of agreement."""

    meets: re.Pattern[str]  # the words before, how the phrase stands as a time, how it begins
    needs: tuple[tuple[_Shown, bool], ...]  # what is shown, and whether it must be
    timed: bool  # whether only a time meets it
    now: str | None = None
    said: str | None = None
    article: str | None = None


@cache
def _rows(decision: str) -> tuple[_Row, ...]:
    """Return the rows of a decision ("article", "preposition") in the table of agreement, in the
    order in which they are tried."""
    found = []
    for row in vocabulary("agreement")[decision]:
        before = row.get("before", "")
        before = before if "(?P<go>" in before else f"(?P<go>{before})"
        start = r"(?<!\S)" if "before" in row else ""
        sides = (before, row.get("time", r"\w*"), row.get("phrase", ""))
        pattern = r"{} \|(?:{})\| (?:{})".format(*(filled(side, _PIECES) for side in sides))
        names = ((need.lstrip("!"), need[0] != "!") for need in row.get("needs", "").split())
        needs = tuple((_SHOWS.get(name) or attrgetter(name), wanted) for name, wanted in names)
        changes = {key: row[key] for key in ("now", "said", "article") if key in row}
        found.append(_Row(re.compile(start + pattern), needs, "time" in row, **changes))
    return tuple(found)


def fit(
    text: str,
    slot: Slot,
    phrase: str,
    *,
    label: bool = False,
    start: int = 0,
    stacked: bool = False,
) -> Wording:
    """Make a phrase's article, preposition, number and capital agree with the sentence around its
    slot. Return the wording: the span that is replaced, perhaps with words next to the slot, and
    the words that then stand there.

    Args:
        text: the original.
        slot: where the phrase goes.
        phrase: as it would stand in mid-sentence.
        label: whether it is a label, which keeps its form.
        start: no character before this offset may be edited (an earlier edit may have extended).
        stacked: whether an adjective of another slot stands directly before.
    """
    read = NounPhrase.of(phrase, label=label)
    part = SentencePart(slot, read, label=label, start=start, stacked=stacked)
    if label:
        part.agree("label")
    else:
        part.agree("number")
        _fit_qualified(part)
        part.agree("only")
        part.agree("article")
        if not part.agree("entry"):
            part.agree("portion")
            part.agree("preposition")
        _fit_bound(part)
        part.agree("doubled")
        part.agree("being")
        part.agree("range")
        _fit_negated(part)
    if part.before in ("a", "an") and part.phrase.text[:1].isalnum():
        part.put(part.last(), grammar.indefinite(part.phrase.text))
    return _assembled(text, part)


def _fit_qualified(part: SentencePart) -> None:
    """Move nouns that follow an adjective to before the phrase: "the [Ankara] police" becomes "the
    police of a city in Turkey". An adjective of which only "certain" is left goes: "the [night]
    guard" becomes "the guard". ``part`` is changed where there are such nouns."""
    slot, phrase = part.slot, part.phrase
    following = re.match(r" ([a-z][\w-]+)", slot.place.after)
    if phrase.text == LEFT_OUT and following:  # "the [night] guard" -> "the guard"
        part.end += following.end()
        part.moved = following[1]
        part.say(part.moved)
        return
    words, whole = slot.qualified, phrase.article or phrase.first in DETERMINERS or phrase.tail
    adjective = slot.entity_type == EntityType.DEM or phrase.rest == OF_COUNTRIES
    if adjective and not words and phrase.head in ("country", "state"):
        words = _fit_adjective(part, following)
    if words and whole:
        _move(part, words)


def _fit_adjective(part: SentencePart, following: re.Match[str] | None) -> str:
    """Say a country where an adjective stood: "the [French] house" becomes "a certain country’s
    house", "who is [French]" becomes "who is of a certain country", unless nouns have to be moved.
    ``part`` is changed. Return the nouns after it that are to be moved before the phrase ("two
    [French] officers"), with the blank before them; "" if there are none."""
    place, phrase = part.slot.place, part.phrase
    hyphened = place.before.endswith("-") or place.after.startswith("-")
    if hyphened or place.spoken:  # "anti-[French] songs", "speaks [French]"
        part.say(phrase.rest if hyphened else f"the language of {phrase.text}")
        return ""
    words = _nouns_without_article(place.after, following)
    if not words and (following or place.after == " " or not place.determined):
        alone = place.after != " " and not place.noun_follows  # "who is [French]"
        part.say(f"of {phrase.text}" if alone else f"{phrase.rest}’s")
    return words


def _nouns_without_article(after: str, following: re.Match[str] | None) -> str:
    """Return the nouns right after an adjective, with the blank before them, if they need no
    article: a name, "the [French] Criminal Code", or several things, "two [French] officers"; else
    "".

    Args:
        after: the text after the adjective.
        following: the match of the word that follows, if it is in lower case.
    """
    several = following if following and grammar.is_plural_noun(following[1]) else None
    found = _FORMS["office"].match(after) or several
    return found[0] if found else ""


def _move(part: SentencePart, words: str) -> None:
    """Put nouns that follow the slot before the phrase, which then says whose they are or where:
    "[a city] police" becomes "the police of a city". ``part`` is changed.

    Args:
        part: with the phrase.
        words: the nouns, with the blank before them.
    """
    slot, phrase = part.slot, part.phrase
    part.end += len(words)
    noun = words.rpartition(" ")[2]
    place = slot.entity_type == EntityType.LOC and phrase.rest != OF_COUNTRIES
    located = place and noun not in NOUNS["of_places"]
    article = "the" if phrase.article == "a" and slot.later else phrase.article
    part.moved = NounPhrase(article, phrase.rest).text
    article = "" if part.before in ADJECTIVES or grammar.is_plural_noun(noun) else "the"
    part.say(f"{words.strip()} {'in' if located else 'of'} {part.moved}", article)


def _fit_bound(part: SentencePart) -> None:
    """Keep only one end of a range of amounts after a bound: "more than [50 to 100]" becomes "more
    than 50", "up to [20 to 50 kg]" becomes "up to 50 kg". After a negation that precedes the bound
    it is the other end. ``part`` is changed; other phrases stay."""
    if part.slot.entity_type not in BY_VALUE:
        return
    amounts = _FORMS["amounts"].fullmatch(part.phrase.text)
    before = " ".join(part.now).lower()
    least, most = _FORMS["least"].search(before), _FORMS["most"].search(before)
    said = max(filter(None, (least, most)), key=lambda found: len(found["words"]), default=None)
    if amounts is None or said is None:
        return
    negated = NEGATION.search(before, 0, said.start("words")) is not None
    lower = (said is least) != negated
    amount = amounts["low" if lower else "high"]
    scale = amounts["scale"] if lower and not re.search(r"\d{4}|,", amount) else ""
    unit = amounts["unit"]
    if amount in ("1", "one"):
        noun, _, rest = unit.strip().partition(" ")
        unit = f" {grammar.singular(noun)} {rest}".rstrip()
    part.say(f"{said['words']} {amounts['sign']}{amount}{scale}{unit}")
    for _ in said["words"].split():
        part.put(part.last(), "")


def _fit_negated(part: SentencePart) -> None:
    """Keep a phrase true that a negation governs. "no [neurology ward]" becomes "no hospital ward
    of a certain kind", as there may be others; "not paid to [widowers]" becomes "not paid to
    certain people". ``part`` is changed; where nothing is denied it stays."""
    phrase, (ahead, word, *between) = part.phrase, part.slot.place.negation or ("", "")
    if not word or _stays_true(part) or not _DEFINITE.isdisjoint([*between[:-1], part.before]):
        return
    near = len(between) + sum(map(part.inside, range(len(part.now))))
    being = grammar.HAVING.keys() & {part.before, ahead, *between[:1]}
    if near < 2 and (being or (word == "no" and not phrase.article)):
        part.say(f"{phrase.rest} of a certain kind", phrase.article)
    elif phrase.article == "a" or part.before in ("a", "an") or grammar.is_plural_noun(phrase.head):
        part.say(f"certain {phrase.rest}", phrase.article)


def _stays_true(part: SentencePart) -> bool:
    """Check whether a phrase is true under a negation as it is, because it means one certain thing
    ("the court") or no kind of thing (a name, a number, a value)."""
    phrase, slot = part.phrase, part.slot
    return (
        slot.entity_type not in BY_CONCEPT
        or "the" in (phrase.article, part.before)
        or phrase.first in PHRASE_END | DETERMINERS
        or bool(part.moved)
        or slot.place.noun_follows
        or "certain " in phrase.rest
        or not phrase.rest[:1].islower()  # a name or a number
    )


def _assembled(text: str, part: SentencePart) -> Wording:
    """Return the wording of a slot: the span from the first changed word before the slot to the end
    of what goes, and its new text (the words before, the phrase with capital and genitive, brackets
    that stay), and where the phrase is in it."""
    slot = part.slot
    words = list(zip(part.words, part.now, strict=True))
    start = min([slot.span.start, *(word.start for word, now in words if now != word.text)])
    prefix = "".join(
        now + word.space if now else ("\n" if "\n" in word.space else "")
        for word, now in words
        if word.start >= start
    )
    core = part.phrase.text
    if slot.upper and not part.label:
        core = core.upper()
    opens = starts_sentence(text, start) or _FORMS["opening"].match(text, start) is not None
    opens = opens or (text[start - 1 : start], slot.place.after[:1]) == ("\n", ":")  # of a roster
    if not text[start].islower() and opens:
        if prefix:
            prefix = prefix[:1].upper() + prefix[1:]
        elif not part.label or part.phrase.article:
            core = core[:1].upper() + core[1:]
    prefix += slot.opening
    shown, end = _genitive(slot, core, part.end)
    high = len(prefix) + len(core)
    low = high - len(part.moved or core)
    said = Span(low, high) if low < high else None
    return Wording(Span(start, end), prefix + shown + slot.closing, said=said)


def _genitive(slot: Slot, core: str, end: int) -> tuple[str, int]:
    """Add the genitive mark to a phrase, if the original has one. Return the phrase and the offset
    where the edit ends, which is after a mark behind the span if that changes.

    Args:
        slot: where the phrase goes.
        core: the phrase.
        end: the offset where the edit ends so far.
    """
    if slot.possessive:
        return grammar.possessive(core, slot.possessive), end
    mark = slot.after_genitive
    if mark:
        shown = grammar.possessive(core, mark[0])
        if shown != core + mark:
            return shown, end + len(mark)
    return core, end
