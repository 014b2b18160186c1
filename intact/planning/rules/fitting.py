"""One phrase fitted to one slot: articles, prepositions, number, genitive, capital.

A sentence part is the phrase and the words before it, which agree with each other. The edit may
widen over an article, a preposition or a repeated word next to the span.
"""

from __future__ import annotations

import re

from intact.domain import BY_CONCEPT, BY_VALUE, ENTITY_TYPES, EntityType, Span, Wording
from intact.english import grammar
from intact.english.grammar import DETERMINERS, MANY, PREPOSITIONS, NounPhrase, owns
from intact.english.sentences import starts_sentence
from intact.english.time import MONTHS
from intact.english.vocabulary import ARTICLES, NEGATION, either, vocabulary, word_sets
from intact.rewriting.slots import ADJECTIVES, NOUNS, PHRASE_END, Slot

NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.definite)
"""Types of which a name is spoken of again with "the"."""
_TIMES = word_sets("grammar", "times")
MOVABLE = _TIMES["movable"]  # prepositions that change with the kind of time or place after them
ROUGHLY = _TIMES["roughly"]  # words before a number that is not exact
_DETERMINED = word_sets("grammar", "determiners")
_NO_ARTICLE_BEHIND = DETERMINERS | MANY | _DETERMINED["bare"] | {"other"}
_NO_ADJECTIVE = PHRASE_END | MANY | NOUNS["apposed"]
_PLACING = MOVABLE | {"near", "outside", "aged", "with"}
_AGES = re.compile(r"(?:aged )?(?:between \d+ and|over|(?P<below>under|less than)) (?P<age>\d+)")
_ALONE: dict[str, str] = vocabulary("grammar")["alone"]
_ADVERB = re.compile(
    r"(?:the )?(?:this|last|next|following|same|previous|preceding) [a-z]+$|(?:every|each) ", re.I
)
_NO_VERB = DETERMINERS | ARTICLES | ROUGHLY | _TIMES["loose"]
_NO_VERB |= {"and", "or", "but", "that", "when", "as"}


class SentencePart:
    """A sentence part in the making: the words before a slot and the phrase.

    Args:
        phrase: as it would stand in mid-sentence.
        label: whether it is a label, which keeps its form.
        start: words before this character may not change.
    """

    def __init__(self, slot: Slot, phrase: NounPhrase, *, label: bool, start: int) -> None:
        self.slot = slot
        self.label = label
        self.phrase = phrase
        self.time = "" if label else phrase.time  # the preposition it takes
        self.words = [word for word in slot.before if word.start >= start]
        self.now = [word.text for word in self.words]
        self.end = slot.span.end  # of the characters that go
        self.moved = ""  # the phrase itself, where a noun of the sentence was put before it

    def low(self, index: int) -> str:
        """Look up the word at ``index`` (negative, from the slot) as it stands, in lower case."""
        return self.now[index].lower() if -index <= len(self.now) else ""

    def last(self) -> int:
        """Find the index of the nearest word still there, or one before the first."""
        there = (at for at, word in enumerate(reversed(self.now), 1) if word)
        return -next(there, len(self.now) + 1)

    def inside(self, index: int) -> bool:
        """Check that the word at ``index`` is one of the span's own."""
        return -index <= len(self.words) and self.words[index].start >= self.slot.span.start

    def put(self, index: int, word: str) -> None:
        """Make a word, given in lower case, stand at ``index``, with the capital that was there.

        Args:
            index: negative, counted from the slot: -1 is the word right before it.
            word: "" takes the word out.
        """
        if -index <= len(self.now) and self.low(index) != word:
            upper = self.words[index].text[:1].isupper() and not self.inside(index)
            self.now[index] = word.capitalize() if upper and word else word

    def drop(self, *indexes: int) -> None:
        """Take words out."""
        for index in indexes:
            self.put(index, "")

    def say(self, rest: str, article: str = "") -> None:
        """Let another phrase stand there.

        Args:
            rest: the phrase without its article.
            article: "a", "the" or "".
        """
        self.phrase = NounPhrase(article, rest)

    @property
    def before(self) -> str:
        """The nearest word still there, in lower case, or ""."""
        return self.low(self.last())


def is_determiner(word: str) -> bool:
    """Recognise an article, a possessive or a genitive."""
    return word in ARTICLES | DETERMINERS or owns(word)


def fit_article(part: SentencePart, stacked: bool) -> None:
    """Give the phrase the article that its sentence asks for.

    Args:
        part: its article, and the words before it, are changed.
        stacked: whether an adjective of another slot stands directly before.
    """
    slot, phrase, before = part.slot, part.phrase, part.before
    name = slot.named and slot.entity_type in NAMES
    if not phrase.article:
        if before in ARTICLES and _is_determined(part):
            part.drop(part.last())
    elif _has_determiner(part, stacked):
        one = (name and not slot.later) or slot.entity_type in BY_VALUE
        if (before, phrase.article) == ("the", "a") and one and not part.moved:
            part.put(part.last(), "a")
        part.say(phrase.rest)
    elif phrase.article == "a" and before in _DETERMINED["qualities"]:
        part.put(part.last(), grammar.with_indefinite(before))  # "moderate [gout]"
        part.say(phrase.rest)
    elif name and slot.later and before not in ADJECTIVES:
        part.say(phrase.rest, "the")


def _is_determined(part: SentencePart) -> bool:
    """Check if a phrase without an article takes none: "on the [2nd of Feb]" -> "early in the
    year"."""
    slot, phrase = part.slot, part.phrase
    proper = slot.entity_type == EntityType.DATETIME and not phrase.rest[:1].islower()
    return (
        part.time == "free"
        or phrase.first in grammar.QUANTIFIERS | DETERMINERS
        or (part.before == "the" and proper and not slot.place.noun_follows)
    )


def _has_determiner(part: SentencePart, stacked: bool) -> bool:
    """Check if the words before a phrase leave no room for an article."""
    before, slot = part.before, part.slot
    if before in ARTICLES or (stacked and slot.entity_type != EntityType.DATETIME):
        return True
    if before in _NO_ARTICLE_BEHIND:
        return before != "that"  # "said that [two men]"
    second = part.low(part.last() - 1)
    adjective = before in ADJECTIVES or (  # "a white [Toyota]", "his white [coat]"
        part.phrase.article == "a"
        and slot.entity_type in BY_CONCEPT
        and (second in ("a", "an") or not slot.named)
        and before not in _NO_ADJECTIVE
        and before.isalpha()
    )
    return before.isdigit() or owns(before) or (adjective and is_determiner(second))


def _fit_age(part: SentencePart) -> None:
    """ "at the age of [nine]", "left school at [fourteen]" -> "before the age of 18"; "at [forty]"
    -> "aged between 40 and 59"."""
    age, index = _AGES.fullmatch(part.phrase.text), part.last()
    lead = index - 3 if (part.low(index - 1), part.before) == ("age", "of") else index
    if age and age["below"] and part.low(lead) in ("at", "by"):
        part.drop(*range(index, lead - 1, -1))
        part.say(f"before the age of {age['age']}")
    elif age and part.before == "at":
        part.put(index, "aged")


def fit_time(part: SentencePart) -> None:
    """Fit the words before a time to the kind of time that now stands there."""
    kind, slot = part.time, part.slot
    if not kind:
        return
    over = part.last() - (part.before in ARTICLES)
    index = _drop_portion(part, _drop_roughly(part, over))
    if kind == "in" and index == part.last() and _keep_order(part, index):
        return
    word = part.low(index)
    if word in MOVABLE or (slot.ranged and word in ("between", "from")):
        kind = _say_alone(part) if index == part.last() else kind
        part.put(index, "" if kind == "free" else kind)
    elif (
        kind in ("in", "on", "at")
        and word not in PREPOSITIONS | DETERMINERS
        and not slot.possessive
        and (_ADVERB.match(slot.head) or _stands_alone(part))
    ):
        if part.before in ARTICLES:  # "came [this Friday]"
            part.phrase = NounPhrase(part.before[:1].replace("t", "the"), part.phrase.rest)
            part.drop(part.last())
        part.say(f"{_say_alone(part)} {part.phrase.text}")


def _head_entry(part: SentencePart) -> bool:
    """Begin an entry of a log with a time of day, if one stood there: "[09:02] Ann: hello"."""
    daytime = part.phrase.rest.removeprefix("in the ")
    timed = daytime in _PARTS_OF_DAY and part.slot.head[:1].isdigit()
    if heads := timed and part.slot.place.heads_line and part.before not in PREPOSITIONS:
        part.say(daytime.capitalize())
    return heads


def _say_alone(part: SentencePart) -> str:
    """Reword a month of which nothing is told where no other word needs it as a noun; return the
    preposition that it takes: "died in [March]" -> "at some point in the year"."""
    said, slot = _ALONE.get(part.phrase.text), part.slot
    noun = slot.possessive or slot.after_genitive or slot.place.noun_follows
    if not said or noun or slot.head.lower().rstrip(".") not in MONTHS:
        return part.time
    part.say(said)
    return "at"


def _stands_alone(part: SentencePart) -> bool:
    """Check if a time stands behind a word of the sentence as an adverb: "rang [Tuesday]"."""
    index = part.last()
    word = part.now[index] if part.before else ""
    return (
        part.time in ("in", "on")
        and not part.slot.place.noun_follows  # "the March 2019 [order]"
        and word.isalpha()
        and word.islower()
        and word not in _NO_VERB
        and part.words[index].space == " "  # no column of a form
    )


def _keep_order(part: SentencePart, index: int) -> bool:
    """Keep what a time is before or after: "after [27 April 1990]" -> "in or after 1990", which
    is true of late 1990, too."""
    word, ahead = part.low(index), part.low(index - 1)
    prior = word == "to" and ahead == "prior"
    if word not in _TIMES["order"] and not prior:
        return False
    if ahead in _TIMES["apart"] or ahead.endswith("ly"):  # "two days after [May]"
        part.say(f"a date in {part.phrase.text}")
        return True
    if not part.slot.place.negation:
        part.say(f"in or {'before' if prior else word} {part.phrase.text}")
        part.drop(*((index, index - 1) if prior else (index,)))
    return True  # "nothing after [28 May]" holds of what comes after all of the period


def _drop_roughly(part: SentencePart, index: int) -> int:
    """Take out the second half of "at around" and "on or about", which a period makes idle."""
    joined = 2 if part.low(index - 1) == "or" else 1
    if part.low(index) not in ROUGHLY or part.low(index - joined) not in MOVABLE:
        return index
    part.drop(*range(index, index - joined, -1))
    return index - joined


def _drop_portion(part: SentencePart, index: int) -> int:
    """Take out "early", "the end of" and the like, which need not be true of more than the day."""
    while part.low(index) in ("early", "late", "mid", "mid-"):
        part.drop(index)
        index -= 1
    if part.low(index) != "of" or part.low(index - 1) not in _TIMES["portions"]:
        return index
    part.drop(index, index - 1, index - 2)
    return index - 3


_RESTRICTORS = frozenset("only sole first last oldest eldest youngest".split())
"""What makes a thing the one of its kind, and need not of a wider kind."""
_PARTS_OF_DAY = frozenset(vocabulary("time")["said_of_the_day"])
_HAVING: dict[str, str] = vocabulary("grammar")["having"]
_OPENING = re.compile(rf"(?:{either(_TIMES['openers'])}|The|My|His|Her|Our|Their|Its)\s(?=[a-z\d])")
"""A word whose capital says that a sentence begins, as behind "A:"."""
_OFFICE = re.compile(r" [A-Z][\w-]+(?: [A-Z][\w-]+)*(?![\w’'-])(?! (?:of|for|on|against) )")
"""The name with a capital right after an adjective, if the noun phrase ends with it."""
_BOUNDS = vocabulary("grammar")["bounds"]
_LEAST, _MOST = (
    re.compile(rf"(?:^|\s)(?P<words>{either(_BOUNDS[side])})$") for side in ("least", "most")
)
_DEFINITE = (DETERMINERS | ARTICLES) - {"no", "a", "an"}
_AMOUNTS = re.compile(
    r"(?P<sign>(?:[^\W\d]+\.? |[^\W\d]*[^\w\s])?)(?P<low>[\d,.]+|(?!up)[a-z]+(?:-[a-z]+)?) to "
    r"(?P<high>(?:[\d,.]+|[a-z]+(?:-[a-z]+)?)(?P<scale> (?:million|billion|trillion))?)"
    r"(?P<unit>(?: \S.*)?)"
)
"""A range of amounts: "GBP 20 to 50 million", "two to five years"."""
_BEFORE_RANGES = (PREPOSITIONS | _TIMES["ranged"]) - {"in", "from", "between"}


def fit(
    text: str,
    slot: Slot,
    phrase: str,
    *,
    label: bool = False,
    start: int = 0,
    stacked: bool = False,
) -> Wording:
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
    part = SentencePart(slot, NounPhrase.of(phrase, label=label), label=label, start=start)
    if label:
        _fit_label(part)
    else:
        _fit_number(part)
        _fit_qualified(part)
        _fit_only(part)
        last = part.last()
        if part.phrase.article and part.before == part.phrase.head and part.low(last - 1) == "the":
            part.drop(last, last - 1)  # "the firm [Poe & Roe]" -> "a law firm"
        fit_article(part, stacked)
        _fit_age(part)
        timed = slot.entity_type == EntityType.DATETIME or _AGES.match(part.phrase.text)
        if timed and not _head_entry(part):
            fit_time(part)
        _fit_bound(part)
        _fit_preposition(part)
        _fit_range(part)
        _fit_negated(part)
    if part.before in ("a", "an") and part.phrase.text[:1].isalnum():
        part.put(part.last(), grammar.indefinite(part.phrase.text))
    return _assembled(text, part)


def _fit_label(part: SentencePart) -> None:
    """Take out the article before a label, but of a noun behind it: "a [French] national"."""
    last, word = part.last(), part.before
    single = word in ("a", "an") and not part.slot.place.noun_follows
    second = part.phrase.article and word in ARTICLES | DETERMINERS  # "the first person"
    if second or (word in ARTICLES and part.inside(last)) or single:
        part.drop(last)


def _fit_number(part: SentencePart) -> None:
    """Make the phrase plural where the original is."""
    slot, phrase = part.slot, part.phrase
    many = slot.plural and not slot.qualified
    if phrase.article == "a" and many and slot.entity_type not in BY_VALUE:
        part.say(grammar.plural(phrase.rest))


def _fit_qualified(part: SentencePart) -> None:
    """Move nouns forward: "the Ankara police" -> "the police of a city in Turkey"."""
    slot, phrase = part.slot, part.phrase
    following = re.match(r" ([a-z][\w-]+)", slot.place.after)
    if phrase.text == "certain" and following:  # "the [night] guard" -> "the guard"
        part.end += following.end()
        part.moved = following[1]
        part.say(part.moved)
        return
    words, whole = slot.qualified, phrase.article or phrase.first in DETERMINERS or phrase.tail
    if slot.entity_type == EntityType.DEM and not words and phrase.head in ("country", "state"):
        office = _OFFICE.match(slot.place.after)  # "the [French] Criminal Code"
        many = following if following and grammar.is_plural_noun(following[1]) else None
        words = next((found[0] for found in (office, many) if found), "")
        if not words and (following or slot.place.after == " "):
            part.say(f"{phrase.rest}’s")  # "a [French] [composer]"
    if words and whole:
        _move(part, words)


def _move(part: SentencePart, words: str) -> None:
    """Put words that follow the slot before the phrase, which then says whose they are."""
    slot, phrase, before = part.slot, part.phrase, part.low(-1)
    part.end += len(words)
    noun = words.rpartition(" ")[2]
    located = slot.entity_type == EntityType.LOC and noun not in NOUNS["of_places"]
    article = "the" if phrase.article == "a" and slot.later else phrase.article
    part.moved = NounPhrase(article, phrase.rest).text
    owned = is_determiner(before) or before in MANY | ADJECTIVES
    article = "" if owned or grammar.is_plural_noun(noun) else "the"
    part.say(f"{words.strip()} {'in' if located else 'of'} {part.moved}", article)


def _fit_only(part: SentencePart) -> None:
    """Let the only one of its kind be one of a wider kind: "the only [Pakistani] woman" -> "an
    [Asian] woman", "his only [son]" -> "his [child]"."""
    last = part.last()
    if part.before in ("only", "sole") and is_determiner(part.low(last - 1)):
        part.drop(last)
    elif part.before != "the" or part.slot.head.partition(" ")[0] not in _RESTRICTORS:
        return
    if part.before == "the":
        following = re.match(r"\s?([\w-]*)", part.slot.place.after)
        words = [*part.phrase.rest.split(), *(following.groups() if following else ())]
        part.put(part.last(), "" if any(map(grammar.is_plural_noun, words)) else "a")


def _fit_bound(part: SentencePart) -> None:
    """Keep one end of a range behind a bound: "more than [50 to 100]" -> "more than 50", "up to
    [20 to 50 kg]" -> "up to 50 kg"."""
    if part.slot.entity_type not in BY_VALUE:
        return
    if part.before == "within" and part.phrase.first in _TIMES["unbounded"]:  # "[many hours]"
        part.say(f"some {grammar.plural(part.phrase.rest.rpartition(' ')[2])}")
    amounts = _AMOUNTS.fullmatch(part.phrase.text)
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
    part.say(f"{said['words']} {amounts['sign']}{amount}{scale}{unit}")
    for _ in said["words"].split():
        part.drop(part.last())


def _fit_preposition(part: SentencePart) -> None:
    """Let the word before go with what the phrase begins with: take out what would stand twice, and
    let somebody have what he was: "is [asthmatic]", "is [on dialysis]" -> "has a condition"."""
    phrase = part.phrase
    first = phrase.text.split(" ", 1)[0].lower()
    number = phrase.article == "a" and phrase.first in ("few", "couple", "number")
    rough = number or first.partition("-")[0] in _TIMES["rough"]
    inexact = part.slot.entity_type in BY_VALUE and (rough or _AMOUNTS.fullmatch(phrase.text))
    if part.before and (
        part.before == first
        or (part.before in ROUGHLY and inexact)
        or (part.before in MOVABLE and first in _PLACING)
    ):
        part.drop(part.last())
    elif part.before in ARTICLES and part.low(part.last() - 1) == first in _TIMES["bounds"]:
        part.drop(part.last(), part.last() - 1)
    having = _HAVING.get(part.before.replace("’", "'")) if first == "with" else None
    if having:
        part.put(part.last(), having)
        part.phrase = NounPhrase.of(phrase.rest.partition(" ")[2])


def _fit_range(part: SentencePart) -> None:
    """Say a range as a sentence does: "heard [five to twenty witnesses]" -> "heard between five and
    twenty witnesses"; a form or list keeps it, and so do "the" and "from"."""
    amounts, before = _AMOUNTS.fullmatch(part.phrase.text), part.before
    written = part.now[part.last()] if before else ""
    verb = grammar.verb_of(before)[1] in ("past", "ing") and not grammar.is_plural_noun(before)
    if not amounts or not written.islower() or part.words[part.last()].space != " ":
        return
    sign, named = amounts["sign"], amounts["sign"] or amounts["unit"]  # no "age of between"
    if named and (verb or before in _BEFORE_RANGES):
        lead, sign = (sign, "") if sign[:-1].islower() else ("", sign)
        ends = f"{sign}{amounts['low']} and {sign}{amounts['high']}{amounts['unit']}"
        part.say(f"{lead}between {ends}")


def _fit_negated(part: SentencePart) -> None:
    """Keep a negated phrase true: "no [neurology ward]" -> "no hospital ward of a certain kind",
    as there may be others; "not paid to [widowers]" -> "not paid to certain people"."""
    phrase, (ahead, word, *between) = part.phrase, part.slot.place.negation or ("", "")
    if not word or _is_told(part) or not _DEFINITE.isdisjoint([*between[:-1], part.before]):
        return
    near = len(between) + sum(map(part.inside, range(-len(part.now), 0)))
    being = _HAVING.keys() & {part.before, ahead, *between[:1]}
    if near < 2 and (being or (word == "no" and not phrase.article)):
        part.say(f"{phrase.rest} of a certain kind", phrase.article)
    elif phrase.article == "a" or part.before in ("a", "an") or grammar.is_plural_noun(phrase.head):
        part.say(f"certain {phrase.rest}", phrase.article)


def _is_told(part: SentencePart) -> bool:
    """Check that a negated phrase stays true: that it is one certain thing, or no kind of thing."""
    phrase, slot = part.phrase, part.slot
    return (
        slot.entity_type not in BY_CONCEPT
        or "the" in (phrase.article, part.before)
        or phrase.first in PHRASE_END | DETERMINERS
        or bool(part.moved)
        or slot.place.noun_follows
        or "certain " in phrase.rest
        or not phrase.rest[:1].islower()
    )


def _assembled(text: str, part: SentencePart) -> Wording:
    """Write the edit for the words before a slot, the phrase and what follows."""
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
    opens = starts_sentence(text, start) or _OPENING.match(text, start) is not None
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
    """Add the genitive mark to a phrase, and take in one after the span if it changes."""
    if slot.possessive:
        return grammar.possessive(core, slot.possessive), end
    mark = slot.after_genitive
    if mark:
        shown = grammar.possessive(core, mark[0])
        if shown != core + mark:
            return shown, end + len(mark)
    return core, end
