"""A phrase and the words before it, on which the rules of fitting work in turn.

Here: which article the phrase has, and which preposition a time takes.
"""

from __future__ import annotations

import re

from intact.domain import BY_VALUE, ENTITY_TYPES, EntityType
from intact.english import agreement as grammar
from intact.english import inflect
from intact.english.agreement import ARTICLES, DETERMINERS, MANY, PREPOSITIONS, owns
from intact.english.calendar import WEEKDAY_NAMES
from intact.english.vocabulary import word_sets
from intact.rewriting.slots import Slot

NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.definite)
"""Types of which a name is spoken of again with "the"."""
PHRASE_END = PREPOSITIONS | word_sets("grammar", "limits")["phrase_end"]
"""Words that end a noun phrase."""
_DETERMINED = word_sets("grammar", "determiners")
ADJECTIVES = _DETERMINED["adjectives"]
"""What may stand between a determiner and a noun."""
_QUALITIES = _DETERMINED["qualities"]
_TIMES = word_sets("grammar", "times")
MOVABLE = _TIMES["movable"]
"""Prepositions that change with the kind of time or place after them."""
ROUGHLY = _TIMES["roughly"]
"""What stands before a number that is not exact."""
_TIME_OF = "a date in"
"""What a coarser time is put behind where "after 1990" would not be true of late 1990."""
_VERBAL = re.compile(r"(?:(?<!-)ed|ly|ing)$")
_ADVERB = re.compile(r"(?:the )?(?:this|last|next|following|same|previous|preceding) [a-z]+$", re.I)
_SICK = PREPOSITIONS | {"had", "has", "have", "suffered", "suffers"}


class SentencePart:
    """A sentence part in the making: the words before a slot and the phrase.

    Args:
        slot: where it stands.
        phrase: as it would stand in mid-sentence.
        label: whether it is a label, which keeps its form.
        start: words before this character may not change.

    Attributes:
        article: "a", "the" or "" ("an" is given as "a").
        rest: the phrase without it.
        bare: whether it came without an article.
        time: which preposition the phrase takes; see :func:`intact.english.agreement.time_kind`.
        end: where the characters end that go.
        moved: the phrase itself, where a noun of the sentence has been put before it.
    """

    def __init__(self, slot: Slot, phrase: str, *, label: bool, start: int) -> None:
        self.slot = slot
        self.label = label
        self.article, self.rest = grammar.split_article(phrase, label=label)
        self.bare = not self.article
        self.time = "" if label else grammar.time_kind(phrase)
        self.words = [word for word in slot.before if word.start >= start]
        self.now = [word.text for word in self.words]
        self.end = slot.span.end
        self.keep_the = False
        self.moved = ""

    def low(self, index: int) -> str:
        """The word at ``index`` (negative, from the slot) as it stands now, in lower case."""
        return self.now[index].lower() if -index <= len(self.now) else ""

    def last(self) -> int:
        """Index of the nearest word still there, or one before the first."""
        index = -1
        while -index <= len(self.now) and not self.now[index]:
            index -= 1
        return index

    def put(self, index: int, word: str) -> None:
        """Makes a word stand there, with the capital that was there (a title's goes).

        Args:
            index: negative, from the slot.
            word: in lower case.
        """
        if -index <= len(self.now) and self.low(index) != word:
            inside = self.words[index].start >= self.slot.span.start
            upper = self.words[index].text[:1].isupper() and not inside
            self.now[index] = word.capitalize() if upper and word else word

    def drop(self, *indexes: int) -> None:
        """Takes words out."""
        for index in indexes:
            self.put(index, "")

    @property
    def before(self) -> str:
        """The nearest word still there, in lower case, or ""."""
        return self.low(self.last())

    @property
    def first(self) -> str:
        """The first word of the phrase behind its article, in lower case."""
        return self.rest.split(" ", 1)[0].lower()

    @property
    def head(self) -> str:
        """The noun of the phrase, in lower case."""
        return inflect.head_noun(self.rest).lower()

    @property
    def core(self) -> str:
        """The phrase with its article."""
        if self.article == "a" and not self.label:
            return f"{inflect.indefinite(self.rest)} {self.rest}"
        return f"{self.article} {self.rest}" if self.article else self.rest


def determined(word: str) -> bool:
    """Whether ``word`` is an article, a possessive or a genitive."""
    return word in ARTICLES | DETERMINERS or owns(word)


def definable(rest: str) -> bool:
    """Whether "the" may point back to ``rest``: not to "certain country"."""
    return grammar.countable(rest) and not rest.startswith("certain ")


def fit_article(part: SentencePart, stacked: bool) -> None:
    """Gives the phrase its article.

    Args:
        part: changed in place.
        stacked: whether an adjective of another slot stands directly before.
    """
    slot, before = part.slot, part.before
    if before == "the":
        _after_the(part)
    elif before in ("a", "an"):
        _after_a(part)
    elif (stacked and slot.entity_type != EntityType.DATETIME) or _has_determiner(part, before):
        part.article = ""
    elif part.article != "a":
        return
    elif _qualifies_noun(part):  # "serious joint [arthritis]"
        part.put(-2, f"{inflect.indefinite(part.low(-2))} {part.low(-2)}")
        part.article = ""
    elif before in ADJECTIVES or re.fullmatch(r"[a-z]+-[a-z]+ed", before):
        _after_adjective(part, before)
    elif slot.later and _known(part) and definable(part.rest):
        part.article = "the"


def _known(part: SentencePart) -> bool:
    """Whether a thing that was spoken of before is the same again."""
    slot = part.slot
    if slot.entity_type == EntityType.MISC and not slot.named:  # "[diabetes]", not "a [wound]"
        return part.words[-1:] == [] or part.words[-1].start < slot.span.start
    language = slot.entity_type == EntityType.DEM and part.head == "language"
    return slot.named and (slot.entity_type in NAMES or language)


def _has_determiner(part: SentencePart, before: str) -> bool:
    """Whether the words before a phrase leave no room for an article."""
    if before in DETERMINERS | MANY | _DETERMINED["bare"] | {"other"}:
        return not _joins_sentences(part)
    second = part.low(part.last() - 1)
    return (
        before.isdigit()
        or (before == "of" and second in _DETERMINED["posts"])
        or owns(before)
        or (before in ADJECTIVES and determined(second))
        or _in_compound(part)
    )


def _joins_sentences(part: SentencePart) -> bool:
    """Whether "that" before the phrase joins sentences: "said that [two men]"."""
    slot = part.slot
    return part.before == "that" and (slot.named or slot.entity_type in BY_VALUE)


def _qualifies_noun(part: SentencePart) -> bool:
    """Whether a quality and a noun stand bare before a common noun: "serious joint [trouble]"."""
    slot, noun = part.slot, part.low(-1)
    return (
        slot.entity_type in (EntityType.DEM, EntityType.MISC)
        and not slot.named
        and len(part.words) > 1
        and part.words[-1].start < slot.span.start
        and part.low(-2) in _QUALITIES
        and noun.isalpha()
        and noun not in PHRASE_END | MANY
        and part.low(-3) in _SICK
    )


def _in_compound(part: SentencePart) -> bool:
    """Whether the original stood bare in its noun phrase: "the most senior female [officer]"."""
    if part.slot.entity_type != EntityType.DEM or part.last() != -1:
        return False
    for index in range(-1, -len(part.now) - 1, -1):
        word = part.low(index)
        if determined(word):
            return index < -1
        alone = word in PHRASE_END | MANY or _VERBAL.search(word)
        if alone or not word.replace("-", "").isalpha():
            return False
    return False


def _after_adjective(part: SentencePart, word: str) -> None:
    """ "moderate [a condition]" -> "a moderate condition", unless another slot holds the "a"."""
    if part.slot.entity_type == EntityType.LOC:
        if word in _DETERMINED["directions"]:
            part.put(part.last(), f"the {word} part of")
    elif part.slot.bridged and all(each.low in ADJECTIVES for each in part.words):
        part.article = ""
    elif word in _QUALITIES or "-" in word:  # "right-sided"
        part.put(part.last(), f"{inflect.indefinite(word)} {word}")
        part.article = ""


def _after_the(part: SentencePart) -> None:
    slot = part.slot
    if part.keep_the or part.article == "the":
        part.article = ""
    elif part.first in PREPOSITIONS and slot.entity_type not in BY_VALUE:  # "in [the laundry]"
        part.drop(-1, -2 if part.low(-2) == part.first else -1)
    elif part.article == "a":
        valued = slot.entity_type in BY_VALUE or not grammar.countable(part.rest)
        if valued or (slot.named and not slot.later and slot.entity_type in NAMES):
            part.put(-1, inflect.indefinite(part.rest))
        part.article = ""
    else:
        low = part.rest[:1].islower()
        alone = slot.entity_type == EntityType.DATETIME and not slot.qualifies  # "the [May 1996]"
        name = slot.entity_type == EntityType.LOC and part.rest[:1].isupper()
        if (
            (part.first in grammar.QUANTIFIERS and low)
            or part.first in DETERMINERS
            or (part.first == "certain" and inflect.is_plural_noun(part.head))
            or (name and not slot.qualified)
            or (alone and not low)
        ):
            part.drop(-1)


def _after_a(part: SentencePart) -> None:
    qualifies = part.slot.qualifies
    if part.article == "a" or (part.article == "the" and qualifies):
        part.article = ""
    elif (
        part.article == "the"
        or part.first in grammar.QUANTIFIERS | DETERMINERS
        or (inflect.is_plural_noun(part.head) and not qualifies)
    ):
        part.drop(-1)


def fit_time(part: SentencePart) -> None:
    """Fits the words before a time to the kind of time that now stands there.

    Args:
        part: changed in place.
    """
    kind, slot = part.time, part.slot
    if not kind or _come_again(part):
        return
    index = _over_article(part)
    if part.low(index) in ("once", "twice") and part.core == "at regular intervals":
        part.drop(index)
    index = _drop_portion(part, _drop_roughly(part, index), kind)
    if kind == "in" and index == part.last() and _keep_order(part, index):
        return
    word = part.low(index)
    movable = word in MOVABLE or (slot.ranged and word in ("between", "from"))
    if kind == "in" and (word.capitalize() in WEEKDAY_NAMES or word in _TIMES["before_in"]):
        part.rest, part.article = f"in {part.core}", ""
    elif word == "of" and kind == "in" and part.low(index - 1) in _TIMES["day_parts"]:
        part.put(index, "in")
        if part.low(index - 2) == "the":
            part.put(index - 2, inflect.indefinite(part.low(index - 1)))
    elif word == "dated" and kind == "in" and part.core.startswith("the "):
        part.put(index, "dated in")
    elif movable and kind in ("in", "on", "at", "during"):
        part.put(index, kind)
    elif kind not in ("in", "on", "at", "during") and (movable or word == kind):
        part.drop(index)
    elif kind == "between" and word in _TIMES["loose"]:
        part.rest, part.article = f"some time {part.core}", ""
    elif kind in ("in", "on", "at") and word not in PREPOSITIONS and _is_adverb(slot):
        if part.before in ARTICLES:
            part.article = "the" if part.before == "the" else "a"
            part.drop(part.last())
        part.rest, part.article = f"{kind} {part.core}", ""


def _is_adverb(slot: Slot) -> bool:
    """Whether a time stands without a preposition: "came [this Friday]"."""
    return _ADVERB.match(slot.head) is not None and not slot.possessive


def _come_again(part: SentencePart) -> bool:
    """ "every [second day]" -> "at regular intervals"."""
    if part.before != "every":
        return False
    part.drop(part.last())
    part.rest, part.article = "at regular intervals", ""
    return True


def _keep_order(part: SentencePart, index: int) -> bool:
    """ "after [27 April 1990]" -> "in or after 1990", which is true of late 1990, too."""
    word = part.low(index)
    prior = word == "to" and part.low(index - 1) == "prior"
    if word not in _TIMES["order"] and not prior:
        return False
    ahead = part.low(index - 1)
    if not prior and (ahead in _TIMES["apart"] or ahead.endswith("ly")):  # "two days after [May]"
        part.rest, part.article = f"{_TIME_OF} {part.core}", ""
        return True
    part.rest, part.article = f"in or {'before' if prior else word} {part.core}", ""
    part.drop(*((index, index - 1) if prior else (index,)))
    return True


def _over_article(part: SentencePart) -> int:
    """Steps over an article, and takes out one that goes with a noun of the span."""
    index = part.last()
    noun = part.slot.head[:1].islower() and part.bare and not part.rest[:1].islower()
    if noun and part.low(index) == "the" and part.time == "in":
        part.drop(index)  # "the [night of 12 May]" -> "May"
        return index - 1
    return index - 1 if part.low(index) in ARTICLES else index


def _drop_roughly(part: SentencePart, index: int) -> int:
    """Takes out the second half of "at around" and "on or about", which a period makes idle."""
    if part.low(index) not in ROUGHLY:
        return index
    joined = 2 if part.low(index - 1) == "or" else 1
    if part.low(index - joined) not in MOVABLE:
        return index
    part.drop(*range(index, index - joined, -1))
    return index - joined


def _drop_portion(part: SentencePart, index: int, kind: str) -> int:
    """Takes out "early", "the end of" and the like, which need not be true of more than the day."""
    while part.low(index) in ("early", "late", "mid", "mid-"):
        part.drop(index)
        index -= 1
    third, portion, of = (part.low(index + offset) for offset in (-2, -1, 0))
    if of != "of" or portion not in _TIMES["portions"] or third != "the":
        return index
    before = part.low(index - 3)
    plain_date = kind == "in" and not part.rest[:1].islower() and not part.article
    if before in ("by", "until") and portion == "end" and plain_date:
        return index
    part.drop(index, index - 1, index - 2)
    if before in ("at", "towards", "around", "in", "during") and kind in ("in", "on", "at"):
        part.put(index - 3, kind)
    return index - 3
