"""One phrase fitted to one slot: articles, prepositions, number, genitive, capital.

A sentence part is the phrase and the words before it, on which the rules work in turn. The edits
may widen over an article, a preposition or a repeated word next to the span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from intact.domain import BY_CONCEPT, BY_VALUE, ENTITY_TYPES, Edit, EntityType, Span
from intact.english import grammar
from intact.english.grammar import DETERMINERS, MANY, PREPOSITIONS, owns
from intact.english.sentences import starts_sentence
from intact.english.time import AT_THE_AGE, MIDDLE_AGE
from intact.english.vocabulary import ARTICLES, NEGATION, either, vocabulary, word_sets
from intact.rewriting.occurrences import ADJECTIVES, Slot

NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.definite)
"""Types of which a name is spoken of again with "the"."""
PHRASE_END = PREPOSITIONS | word_sets("grammar", "limits")["phrase_end"]
"""Words that end a noun phrase."""
_DETERMINED = word_sets("grammar", "determiners")
_QUALITIES = _DETERMINED["qualities"]
_TIMES = word_sets("grammar", "times")
MOVABLE = _TIMES["movable"]  # prepositions that change with the kind of time or place after them
ROUGHLY = _TIMES["roughly"]  # words before a number that is not exact
_TIME_OF = "a date in"
"""Words that a coarser time is put behind where "after 1990" would not be true of late 1990."""
_AGES = re.compile(r"(?:between \d+ and|under|over|less than) \d+")
_ADVERB = re.compile(
    r"(?:the )?(?:this|last|next|following|same|previous|preceding) [a-z]+$|(?:every|each) ", re.I
)
_CONJUNCTIONS = {"and", "or", "but", "that", "when"}


class SentencePart:
    """A sentence part in the making: the words before a slot and the phrase.

    Args:
        phrase: as it would stand in mid-sentence.
        label: whether it is a label, which keeps its form.
        start: words before this character may not change.
    """

    def __init__(self, slot: Slot, phrase: str, *, label: bool, start: int) -> None:
        self.slot = slot
        self.label = label
        self.article, self.rest = grammar.split_article(phrase, label=label)  # "a", "the" or ""
        self.bare = not self.article  # whether it came without one
        self.time = "" if label else grammar.time_kind(phrase)  # the preposition it takes
        self.words = [word for word in slot.before if word.start >= start]
        self.now = [word.text for word in self.words]
        self.end = slot.span.end  # of the characters that go
        self.keep_the = False
        self.moved = ""  # the phrase itself, where a noun of the sentence was put before it

    def low(self, index: int) -> str:
        """Look up the word at ``index`` (negative, from the slot) as it stands, in lower case."""
        return self.now[index].lower() if -index <= len(self.now) else ""

    def last(self) -> int:
        """Find the index of the nearest word still there, or one before the first."""
        index = -1
        while -index <= len(self.now) and not self.now[index]:
            index -= 1
        return index

    def put(self, index: int, word: str) -> None:
        """Make a word, given in lower case, stand at ``index``, with the capital that was there.

        Args:
            index: negative, counted from the slot: -1 is the word right before it.
            word: "" takes the word out.
        """
        if -index <= len(self.now) and self.low(index) != word:
            inside = self.words[index].start >= self.slot.span.start
            upper = self.words[index].text[:1].isupper() and not inside
            self.now[index] = word.capitalize() if upper and word else word

    def drop(self, *indexes: int) -> None:
        """Take words out."""
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
        return grammar.head_noun(self.rest).lower()

    @property
    def core(self) -> str:
        """The phrase with its article."""
        if self.article == "a" and not self.label:
            return f"{grammar.indefinite(self.rest)} {self.rest}"
        return f"{self.article} {self.rest}" if self.article else self.rest


def is_determiner(word: str) -> bool:
    """Recognise an article, a possessive or a genitive."""
    return word in ARTICLES | DETERMINERS or owns(word)


def definable(rest: str) -> bool:
    """Check that "the" may point back to a noun phrase: not to "certain country"."""
    return grammar.countable(rest) and not rest.startswith("certain ")


def fit_article(part: SentencePart, stacked: bool) -> None:
    """Give the phrase the article that its sentence asks for.

    Args:
        part: its article, and the words before it, are changed.
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
    elif before in ADJECTIVES:
        if before in _QUALITIES:  # "moderate [a condition]"
            part.put(part.last(), f"{grammar.indefinite(before)} {before}")
            part.article = ""
    elif slot.later and _known(part) and definable(part.rest):
        part.article = "the"


def _known(part: SentencePart) -> bool:
    """Check that a thing that was spoken of before is the same again."""
    slot = part.slot
    if slot.entity_type == EntityType.MISC and not slot.named:  # "[diabetes]", not "a [wound]"
        return part.words[-1:] == [] or part.words[-1].start < slot.span.start
    return slot.named and slot.entity_type in NAMES


def _has_determiner(part: SentencePart, before: str) -> bool:
    """Check if the words before a phrase leave no room for an article."""
    if before in DETERMINERS | MANY | _DETERMINED["bare"] | {"other"}:  # "said that [two men]"
        return before != "that" or not (part.slot.named or part.slot.entity_type in BY_VALUE)
    second = part.low(part.last() - 1)
    return (
        before.isdigit()
        or owns(before)
        or (is_determiner(second) and (before in ADJECTIVES or _modifies(part, before, second)))
    )


def _modifies(part: SentencePart, before: str, second: str) -> bool:
    """Check if the word before belongs to the noun phrase: "an American [writer]"."""
    kind = part.slot.entity_type
    bare = kind == EntityType.DEM or (kind == EntityType.MISC and not part.slot.named)
    described = second in ("a", "an") and part.article == "a" and kind in BY_CONCEPT
    other = PHRASE_END | MANY | _NOUNS["apposed"]
    return (bare or described) and before.replace("-", "").isalpha() and before not in other


def _after_the(part: SentencePart) -> None:
    slot = part.slot
    if part.keep_the or part.article == "the":
        part.article = ""
    elif part.article == "a":
        valued = slot.entity_type in BY_VALUE or not grammar.countable(part.rest)
        if valued or (slot.named and not slot.later and slot.entity_type in NAMES):
            part.put(-1, grammar.indefinite(part.rest))
        part.article = ""
    else:
        low = part.rest[:1].islower()
        # "the [May 1996]"
        alone = slot.entity_type == EntityType.DATETIME and not slot.place.noun_follows
        name = slot.entity_type == EntityType.LOC and part.rest[:1].isupper()
        if (
            (part.first in grammar.QUANTIFIERS and low)
            or part.first in DETERMINERS
            or (name and not slot.qualified)
            or (alone and not low)
        ):
            part.drop(-1)


def _after_a(part: SentencePart) -> None:
    if part.article == "a" or (part.article == "the" and part.slot.place.noun_follows):
        part.article = ""
    elif part.article == "the" or part.first in grammar.QUANTIFIERS | DETERMINERS:
        part.drop(-1)


def _fit_age(part: SentencePart) -> None:
    """ "left school at [fourteen]", "at the age of [nine]" -> "left school aged under 18"."""
    if part.before == "at" and _AGES.fullmatch(part.core):
        part.put(part.last(), "aged")
    elif (part.first == "aged" or part.core == MIDDLE_AGE) and part.low(-1) == "the":
        if part.low(-2) == "at":  # "at the [age of 44]"
            part.drop(-1, -2)
    elif " ".join(part.now[-4:]).lower() == AT_THE_AGE:
        if _AGES.fullmatch(part.core):
            part.drop(-1, -2, -3)
            part.put(-4, "aged")
        elif part.core == MIDDLE_AGE:
            part.drop(-1, -2, -3, -4)


def fit_time(part: SentencePart) -> None:
    """Fit the words before a time to the kind of time that now stands there."""
    kind, slot = part.time, part.slot
    if not kind:
        return
    index = _over_article(part)
    index = _drop_portion(part, _drop_roughly(part, index))
    ordered = kind == "in" and index == part.last() and _keep_order(part, index)
    if ordered:
        return
    word = part.low(index)
    movable = word in MOVABLE or (slot.ranged and word in ("between", "from"))
    if movable and kind in ("in", "on", "at", "during"):
        part.put(index, kind)
    elif kind not in ("in", "on", "at", "during") and (movable or word == kind):
        part.drop(index)
    elif (
        kind in ("in", "on", "at")
        and word not in PREPOSITIONS
        and (_ADVERB.match(slot.head) or _stands_alone(part))
        and not slot.possessive
    ):
        if part.before in ARTICLES:  # "came [this Friday]"
            part.article = "the" if part.before == "the" else "a"
            part.drop(part.last())
        part.rest, part.article = f"{kind} {part.core}", ""


def _stands_alone(part: SentencePart) -> bool:
    """Check if a time stands behind a word of the sentence as an adverb: "rang [Tuesday]"."""
    index = part.last()
    word = part.now[index] if part.before else ""
    beside = DETERMINERS | ARTICLES | _CONJUNCTIONS | ROUGHLY | _TIMES["loose"]
    return (
        part.time in ("in", "on")
        and part.slot.entity_type == EntityType.DATETIME
        and not part.slot.place.noun_follows  # "the March 2019 [order]"
        and word.isalpha()
        and word.islower()
        and word not in beside | {"as"}
        and part.words[index].space == " "  # no column of a form
    )


def _keep_order(part: SentencePart, index: int) -> bool:
    """Keep what a time is before or after: "after [27 April 1990]" -> "in or after 1990", which
    is true of late 1990, too."""
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
    """Step over an article, and take out one that goes with a noun of the span."""
    index = part.last()
    noun = part.slot.head[:1].islower() and part.bare and not part.rest[:1].islower()
    if noun and part.low(index) == "the" and part.time == "in":
        part.drop(index)  # "the [night of 12 May]" -> "May"
        return index - 1
    return index - 1 if part.low(index) in ARTICLES else index


def _drop_roughly(part: SentencePart, index: int) -> int:
    """Take out the second half of "at around" and "on or about", which a period makes idle."""
    if part.low(index) not in ROUGHLY:
        return index
    joined = 2 if part.low(index - 1) == "or" else 1
    if part.low(index - joined) not in MOVABLE:
        return index
    part.drop(*range(index, index - joined, -1))
    return index - joined


def _drop_portion(part: SentencePart, index: int) -> int:
    """Take out "early", "the end of" and the like, which need not be true of more than the day."""
    while part.low(index) in ("early", "late", "mid", "mid-"):
        part.drop(index)
        index -= 1
    third, portion, of = (part.low(index + offset) for offset in (-2, -1, 0))
    if of != "of" or portion not in _TIMES["portions"] or third != "the":
        return index
    part.drop(index, index - 1, index - 2)
    return index - 3


_NOUNS = word_sets("grammar", "nouns")
_HAVING: dict[str, str] = vocabulary("grammar")["having"]
_OPENING = re.compile(rf"(?:{either(_TIMES['openers'])}|My|His|Her|Our|Their|Its)\s(?=[a-z\d])")
"""A word whose capital says that a sentence begins, as behind "A:"."""
_NAME = r" [A-Z][\w-]+(?: [A-Z][\w-]+)*"
_NEXT_WORD = re.compile(r"(?: and(?= [a-z-]+ [a-z]))? (?!and )([a-z][\w-]+)(?![\w’'])")
_OFFICE = re.compile(rf"{_NAME}(?![\w’'-])(?! (?:of|for|on|against) )")
"""The name with a capital right after an adjective, if the noun phrase ends with it."""
_LONE_NOUN = re.compile(r" [a-z]{3,}(?=[.,;:)]| (?:and|who|which|that|in|on|at|by|from|with)\b)")
"""The one noun right after an adjective, if its noun phrase surely ends with it."""
_BOUNDS = vocabulary("grammar")["bounds"]
_LEAST, _MOST = (
    re.compile(rf"(?:^|\s)(?P<words>{either(_BOUNDS[side])})$") for side in ("least", "most")
)
_NEGATED_WORDS = 6  # before a phrase, among which a negation governs it
_AMOUNTS = re.compile(
    r"(?P<sign>(?:[^\W\d]+ |\W)?)(?P<low>[\d,.]+|[a-z]+(?:-[a-z]+)?) to "
    r"(?P<high>(?:[\d,.]+|[a-z]+(?:-[a-z]+)?)(?P<scale> (?:million|billion|trillion))?)"
    r"(?P<unit>(?: \S.*)?)"
)
"""A range of amounts: "GBP 20 to 50 million", "two to five years"."""


@dataclass(frozen=True, slots=True)
class FittedPhrase:
    """The edits that put a phrase in its slot, one directly after the other."""

    edits: tuple[Edit, ...]  # several where words around the span change their order
    main: int  # which of them takes the span
    low: int  # where the phrase stands in the new text of all edits together
    high: int

    @property
    def text(self) -> str:
        """The words that stand there now."""
        return "".join(edit.text for edit in self.edits)


def fit(
    text: str,
    slot: Slot,
    phrase: str,
    *,
    label: bool = False,
    start: int = 0,
    stacked: bool = False,
) -> FittedPhrase:
    """Put a phrase in its slot: make article, preposition, number and capital agree with the
    sentence.

    Args:
        text: the original.
        slot: where the phrase goes.
        phrase: as it would stand in mid-sentence.
        label: whether it is a label, which keeps its form.
        start: no character before it may be edited (an edit before may have widened).
        stacked: whether an adjective of another slot stands directly before.
    """
    part = SentencePart(slot, phrase, label=label, start=start)
    if label:
        _fit_label(part)
    else:
        _fit_number(part)
        _fit_qualified(part)
        _fit_being(part)
        last = part.last()
        if part.article and part.before == part.head and part.low(last - 1) == "the":
            part.drop(last, last - 1)  # "the firm [Poe & Roe]" -> "a law firm"
        fit_article(part, stacked)
        _fit_age(part)
        if slot.entity_type == EntityType.DATETIME or part.time == "in" or _AGES.match(part.core):
            fit_time(part)
        _fit_bound(part)
        _fit_repeats(part)
        _fit_negated(part)
    if part.before in ("a", "an") and part.core[:1].isalnum():
        part.put(part.last(), grammar.indefinite(part.core))
    return _assembled(text, part)


def unfitted(slot: Slot, phrase: str) -> FittedPhrase:
    """Put a phrase in place of a span as it is; only the span's own brackets stay.

    Args:
        slot: where the phrase goes.
        phrase: not changed, whatever the sentence asks for.
    """
    low = len(slot.opening)
    edit = Edit(slot.span, slot.opening + phrase + slot.closing)
    return FittedPhrase((edit,), 0, low, low + len(phrase))


def _fit_label(part: SentencePart) -> None:
    """Take out the article before a label, but of a noun behind it: "a [French] national"."""
    last, word = part.last(), part.before
    inside = -last <= len(part.words) and part.words[last].start >= part.slot.span.start
    single = word in ("a", "an") and not part.slot.place.noun_follows
    if (part.article and word in ARTICLES | DETERMINERS) or (word in ARTICLES and inside) or single:
        part.drop(last)


def _fit_number(part: SentencePart) -> None:
    """Make the phrase plural where the original is, or a number above one stands before."""
    slot, before = part.slot, part.low(-1)
    if part.article != "a" or slot.entity_type in BY_VALUE or slot.qualified:
        return
    counted = before in MANY or (before.isdecimal() and int(before) > 1)
    if (slot.plural or counted) and grammar.countable(part.rest):
        part.rest, part.article = grammar.plural(part.rest), ""


def _fit_qualified(part: SentencePart) -> None:
    """Move nouns forward: "the Ankara police" -> "the police of a city in Turkey"."""
    slot = part.slot
    plain = _NEXT_WORD.match(slot.place.after) if part.core == "certain" else None
    if plain:  # "the [night] guard" -> "the guard"
        part.end += plain.end()
        part.rest, part.keep_the = plain[1], True
        return
    words, noun = slot.qualified, slot.noun
    trait = slot.entity_type == EntityType.DEM
    determined = part.article or part.first in DETERMINERS
    wordy = determined or grammar.head_end(part.rest) < len(part.rest)
    lone = ""
    if trait and not words and part.head in ("country", "state"):
        lone = _following(slot, _LONE_NOUN)  # "a [French] cook and"
        words = noun = lone or _following(slot, _OFFICE)  # "the [French] Criminal Code"
        if not words and re.match(r" (?:[a-z]{3,}|$)", slot.place.after):  # "a [French] [composer]"
            part.rest = f"{part.rest}’s"
            part.article = "" if part.article == "a" else part.article
            return
    if not words or not slot.named or not wordy:
        return
    part.end += len(words)
    if part.article == "a" and slot.later and definable(part.rest):
        part.article = "the"
    located = slot.entity_type == EntityType.LOC and noun not in _NOUNS["of_places"]
    link = "from " if lone else "in " if located else "of "
    part.moved = part.core
    part.rest = f"{words.strip()} {link}{part.core}"
    before = part.low(-1)
    owned = is_determiner(before) or before in MANY or before in ADJECTIVES
    several = grammar.is_plural_noun(noun.strip())
    part.article = "" if owned or several or lone else "the"
    part.keep_the = True


def _following(slot: Slot, pattern: re.Pattern[str]) -> str:
    """Find the words right after a slot that ``pattern`` matches, or ""."""
    found = pattern.match(slot.place.after)
    return "" if found is None or found.group().strip() in PHRASE_END else found.group()


def _fit_being(part: SentencePart) -> None:
    """Let somebody have what he was: "is [asthmatic]" -> "has a health condition"."""
    having = _HAVING.get(part.before.replace("’", "'"))
    if having and part.first == "with" and part.slot.entity_type in BY_CONCEPT:
        part.put(part.last(), having)
        part.article, part.rest = grammar.split_article(part.rest.partition(" ")[2])


def _fit_bound(part: SentencePart) -> None:
    """Keep one end of a range behind a bound: "more than [50 to 100]" -> "more than 50", "up to
    [20 to 50 kg]" -> "up to 50 kg"."""
    if part.slot.entity_type not in BY_VALUE:
        return
    amounts = _AMOUNTS.fullmatch(part.core)
    if part.before == "within" and part.first in _TIMES["unbounded"]:  # "within [many hours]"
        unit = part.rest.rpartition(" ")[2]
        part.rest = f"some {unit if grammar.is_plural_noun(unit) else grammar.plural(unit)}"
    before = " ".join(part.now).lower()
    least, most = _LEAST.search(before), _MOST.search(before)
    said = max(filter(None, (least, most)), key=lambda found: len(found["words"]), default=None)
    if amounts is None or said is None:
        return
    negated = NEGATION.search(before, 0, said.start("words")) is not None
    lower = (said is least) != negated
    amount = amounts["low" if lower else "high"]
    scaled = amounts["scale"] and lower and not re.search(r"\d{4}|,", amount)
    unit = amounts["unit"]
    if amount in ("1", "one"):
        noun, _, rest = unit.strip().partition(" ")
        unit = f" {grammar.singular(noun)} {rest}".rstrip()
    scale = amounts["scale"] if scaled else ""
    part.rest = f"{said['words']} {amounts['sign']}{amount}{scale}{unit}"
    part.article = ""
    for _ in said["words"].split():
        part.drop(part.last())


def _fit_repeats(part: SentencePart) -> None:
    """Take out what would stand twice: a preposition before the phrase, a noun after it."""
    last, before = part.last(), part.before
    first = part.core.split(" ", 1)[0].lower()
    number = part.article == "a" and part.first in ("few", "couple", "number")
    inexact = number or first.partition("-")[0] in _TIMES["rough"] or _AMOUNTS.fullmatch(part.core)
    rough = inexact and part.slot.entity_type in BY_VALUE
    inside = last == -1 and bool(part.words) and part.words[-1].start >= part.slot.span.start
    if (
        (before and before == first)
        or (inside and before in PREPOSITIONS and first in PREPOSITIONS)
        or (before in ROUGHLY and rough)
        or (before in MOVABLE and first in ("in", "on", "at", "near", "outside", "aged"))
    ):
        part.drop(last)
    elif before in ARTICLES and part.low(last - 1) == first in _TIMES["bounds"]:
        part.drop(last, last - 1)


def _fit_negated(part: SentencePart) -> None:
    """Keep a negated phrase true: "no [neurology ward]" -> "no hospital ward of a certain kind",
    as there may be others; "not paid to [widowers]" -> "not paid to certain people"."""
    definite = "the" in (part.article, part.before) or part.first in PHRASE_END | DETERMINERS
    told = definite or part.moved or part.slot.place.noun_follows or "certain " in part.rest
    if part.slot.entity_type not in BY_CONCEPT or told or not part.rest[:1].islower():
        return
    near = 0
    for index in range(part.last(), -_NEGATED_WORDS - 1, -1):
        if index < -len(part.now) or (index < -1 and part.words[index].space.strip(" ")):
            return
        word = part.low(index)
        inside = -index <= len(part.words) and part.words[index].start >= part.slot.span.start
        outer = not inside and word not in ("no", "a", "an")
        if word in _CONJUNCTIONS or (outer and word in DETERMINERS | ARTICLES):
            return
        if NEGATION.fullmatch(word):
            break
        near += 1
    else:
        return
    one = part.article == "a" or part.before in ("a", "an")
    being = {part.before, part.low(index - 1), part.low(index + 1)} & _HAVING.keys()
    if near < 2 and (being or (part.low(index) == "no" and not part.article)):
        part.rest = f"{part.rest} of a certain kind"
    elif one or grammar.is_plural_noun(part.head):
        part.rest = f"certain {part.rest}"


def _assembled(text: str, part: SentencePart) -> FittedPhrase:
    """Write the edits for the words before a slot, the phrase and what follows."""
    slot = part.slot
    words = list(zip(part.words, part.now, strict=True))
    start = min([slot.span.start, *(word.start for word, now in words if now != word.text)])
    prefix = "".join(
        now + word.space if now else ("\n" if "\n" in word.space else "")
        for word, now in words
        if word.start >= start
    )
    core = part.core
    if slot.upper and not part.label:
        core = core.upper()
    opens = starts_sentence(text, start) or _OPENING.match(text, start) is not None
    opens = opens or (text[start - 1 : start], slot.place.after[:1]) == ("\n", ":")  # of a roster
    if not text[start].islower() and opens:
        if prefix:
            prefix = prefix[:1].upper() + prefix[1:]
        elif not (part.label and not part.article):
            core = core[:1].upper() + core[1:]
    prefix += slot.opening
    shown, end = _genitive(slot, core, part.end)
    closing = slot.closing
    if shown.endswith("."):  # "3 p.m." at the end of a sentence
        closing = closing.removeprefix(".")
        unmoved = end == slot.span.end and not closing
        end += unmoved and re.match(r"\.(?!\.)", slot.place.after) is not None
    low, high = len(prefix), len(prefix) + len(core)
    first = slot.span.start
    cut = 0  # what goes before the span is an edit of its own
    if part.moved and shown.startswith(core) and core.lower().endswith(part.moved.lower()):
        if start == first > 0 and text[start - 1] == " ":
            prefix, low, high, start = " " + prefix, low + 1, high + 1, start - 1
        elif start < first and end > slot.span.end:
            cut = low
        low = high - len(part.moved) if end > slot.span.end else low
    elif start < first and any(" " in now for now in part.now):  # "a moderate"
        cut = low
    whole = prefix + shown + closing
    if not cut:
        return FittedPhrase((Edit(Span(start, end), whole),), 0, low, high)
    edits = (Edit(Span(start, first), whole[:cut]), Edit(Span(first, end), whole[cut:]))
    return FittedPhrase(edits, 1, low, high)


def _genitive(slot: Slot, core: str, end: int) -> tuple[str, int]:
    """Add the genitive mark to a phrase, and take in one after the span if it changes."""
    if slot.possessive:
        return grammar.possessive(core, slot.possessive), end
    mark = slot.after_genitive
    if mark and end == slot.span.end:
        shown = grammar.possessive(core, mark[0])
        if shown != core + mark:
            return shown, end + len(mark)
    return core, end
