"""One phrase fitted to one slot of its document: articles, prepositions, number, genitive, capital.

The edits may widen over an article, a preposition or a repeated word next to the span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from intact.domain import BY_CONCEPT, BY_VALUE, Edit, EntityType, Span
from intact.english import agreement as grammar
from intact.english import inflect
from intact.english.agreement import ARTICLES, DETERMINERS, MANY, PREPOSITIONS
from intact.english.sentences import starts_sentence
from intact.english.vocabulary import either, vocabulary, word_sets
from intact.english.wordlists import HONORIFICS, KEPT_TITLES
from intact.rewriting.sentence_part import (
    ADJECTIVES,
    MOVABLE,
    NAMES,
    PHRASE_END,
    ROUGHLY,
    SentencePart,
    definable,
    determined,
    fit_article,
    fit_time,
)
from intact.rewriting.slots import Slot

_NOUNS = word_sets("grammar", "nouns")
_HAVING: dict[str, str] = vocabulary("grammar")["having"]
_OWNED: dict[str, str] = vocabulary("grammar")["owned"]
_OWNERS = word_sets("grammar", "limits")["owners"]
_TIMES = word_sets("grammar", "times")
_OPENING_PREPOSITION = re.compile(rf"(?:{either(_TIMES['openers'])})\s(?=[a-z\d])")
"""A preposition whose capital says that a sentence begins, as behind "A:"."""
_NAME = r" [A-Z][\w-]+(?: [A-Z][\w-]+)*"
_NEXT_NOUNS = re.compile(rf"(?:{_NAME}| [a-z]{{3,}})(?![\w’'-])")
"""The words right after that an adjective goes with: " accent", " Criminal Code"."""
_NEXT_WORD = re.compile(r"(?: and(?= [a-z-]+ [a-z]))? (?!and )([a-z][\w-]+)(?![\w’'])")
_OFFICE = re.compile(rf"{_NAME}(?![\w’'-])(?! (?:of|for|on|against) )")
"""The name with a capital right after an adjective, if the noun phrase ends with it."""
_STOP = r"(?=[.,;:)]| (?:and|who|which|that|in|on|at{more})\b)"
_LONE_NOUN = re.compile(" [a-z]{3,}" + _STOP.format(more="|by|from|with"))
"""The one noun right after an adjective, if its noun phrase surely ends with it."""
_PLURAL = re.compile(" [a-z]{3,}s" + _STOP.format(more=""))
_BOUNDS = vocabulary("grammar")["bounds"]
_LEAST, _MOST = (
    re.compile(rf"(?:^|\s)(?P<words>{either(_BOUNDS[side])})$") for side in ("least", "most")
)
_NEGATED = re.compile(rf"\b(?:{either(_BOUNDS['negations'].split())})\b|n[’']t\b")
_RESPECTIVELY = re.compile(either(vocabulary("grammar")["lists"]["ends"]))
_AMOUNTS = re.compile(
    r"(?P<sign>(?:[^\W\d]+ |\W)?)(?P<low>[\d,.]+|[a-z]+(?:-[a-z]+)?) to "
    r"(?P<high>(?:[\d,.]+|[a-z]+(?:-[a-z]+)?)(?P<scale> (?:million|billion|trillion))?)"
    r"(?P<unit>(?: \S.*)?)"
)
"""A range of amounts: "GBP 20 to 50 million", "two to five years"."""
_OWNER = re.compile(rf" (?:{either(_NOUNS['qualified'])})s?['’]")
"""A noun right after that owns what follows: " authorities’"."""


@dataclass(frozen=True, slots=True)
class FittedPhrase:
    """The edits that put a phrase in its slot, one directly after the other.

    Attributes:
        edits: more than one where words of the sentence around the span change their order.
        main: which of them takes the span.
        low, high: where the phrase stands in the new text of all edits together.
    """

    edits: tuple[Edit, ...]
    main: int
    low: int
    high: int

    @property
    def text(self) -> str:
        """What stands there now."""
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
    """The edits that put a phrase in a slot.

    Args:
        text: the original.
        slot: where the phrase has to stand.
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
        _fit_apposition(part)
        _fit_being(part)
        fit_article(part, stacked)
        _fit_owned(part)
        if slot.entity_type == EntityType.DATETIME or part.time == "in":
            fit_time(part)
        _fit_bound(part)
        _fit_repeats(part)
    if part.before in ("a", "an") and part.core[:1].isalnum():
        part.put(part.last(), inflect.indefinite(part.core))
    return _assembled(text, part)


def unfitted(slot: Slot, phrase: str) -> FittedPhrase:
    """The phrase as it is in place of the span.

    Args:
        slot: where the phrase has to stand.
        phrase: as it would stand in mid-sentence.
    """
    low = len(slot.opening)
    edit = Edit(slot.span, slot.opening + phrase + slot.closing)
    return FittedPhrase((edit,), 0, low, low + len(phrase))


def _fit_label(part: SentencePart) -> None:
    last, word = part.last(), part.before
    title, _, bare = part.rest.partition(" ")
    if bare and title in KEPT_TITLES.values() and word.rstrip(".") in HONORIFICS | {"the"}:
        part.rest = bare
    inside = -last <= len(part.words) and part.words[last].start >= part.slot.span.start
    if part.article and grammar.owns(word):
        part.article = ""
    elif (part.article and word in ARTICLES | DETERMINERS) or (inside and word in ARTICLES):
        part.drop(last)


def _fit_number(part: SentencePart) -> None:
    """Plural where the original is one, or where a number above one stands before."""
    slot, before = part.slot, part.low(-1)
    if part.article != "a" or slot.entity_type in BY_VALUE or slot.qualified:
        return
    paired = before == "both" and slot.follows.startswith(" and ")
    counted = (before in MANY and not paired) or (before.isdigit() and int(before) > 1)
    if (slot.plural or counted) and grammar.countable(part.rest):
        part.rest, part.article = inflect.plural(part.rest), ""


def _fit_qualified(part: SentencePart) -> None:
    """Moves nouns forward: "the Ankara police" -> "the police of a city in Turkey"."""
    slot = part.slot
    plain = _NEXT_WORD.match(slot.follows) if part.core == "certain" else None
    if plain:  # "the [night] guard" -> "the guard"
        part.end += plain.end()
        part.rest, part.keep_the = plain[1], True
        return
    words, noun = slot.qualified, slot.noun
    trait = slot.entity_type == EntityType.DEM
    preposition = part.first in PREPOSITIONS
    being = part.before.replace("’", "'") in _HAVING
    adverbial = preposition and not being and slot.entity_type in BY_CONCEPT
    determined_by = part.article or part.first in DETERMINERS
    wordy = determined_by or adverbial or inflect.head_end(part.rest) < len(part.rest)
    lone = ""
    if trait and not words and not preposition and part.head in ("country", "state"):
        lone = _following(slot, _LONE_NOUN)  # "a [French] cook and"
        words = noun = lone or _following(slot, _OFFICE)  # "the [French] Criminal Code"
        if not words and re.match(r" (?:[a-z]{3,}|$)", slot.follows):  # "a [French] [composer]"
            part.rest = f"{part.rest}’s"
            part.article = "" if part.article == "a" else part.article
            return
    if trait and adverbial and slot.follows == " ":
        part.rest = "certain"
        return
    if slot.entity_type == EntityType.LOC and not words and _OWNER.match(slot.follows):
        part.rest += "’s"  # "[United Kingdom] authorities’ refusal"
        return
    if adverbial and not words:
        words = noun = _following(slot, _NEXT_NOUNS)
    if not words and part.article == "a" and (trait or slot.entity_type == EntityType.MISC):
        words = noun = _bare_plural(part)  # "breeds [Lagotto] dogs"
    if not words or not slot.named or not wordy:
        return
    part.end += len(words)
    if noun in (part.head, inflect.plural_noun(part.head)):
        if noun != part.head:
            part.rest, part.article = inflect.plural(part.rest), ""
        return
    if part.article == "a" and slot.later and definable(part.rest):
        part.article = "the"
    located = slot.entity_type == EntityType.LOC and noun not in _NOUNS["of_places"]
    link = "" if adverbial else "from " if lone else "in " if located else "of "
    part.moved = part.core
    part.rest = f"{words.strip()} {link}{part.core}"
    before = part.low(-1)
    owned = determined(before) or before in MANY or before in ADJECTIVES
    uncounted = inflect.is_plural_noun(noun.strip()) or noun in _NOUNS["uncounted"]
    part.article = "" if owned or uncounted or lone else "the"
    part.keep_the = True


def _following(slot: Slot, pattern: re.Pattern[str]) -> str:
    """The words right after a slot that ``pattern`` finds, or ""."""
    found = pattern.match(slot.follows)
    return "" if found is None or found.group().strip() in PHRASE_END else found.group()


def _bare_plural(part: SentencePart) -> str:
    """The plural noun right after a modifier, if it surely is one and "a" cannot go before it."""
    before = part.before
    if (determined(before) and before != "the") or before in MANY | ADJECTIVES:
        return ""
    if not before.isalpha() or before in ("and", "or", "but", "that", "when"):
        return ""
    noun = _following(part.slot, _PLURAL)
    return noun if inflect.is_plural_noun(noun.strip()) else ""


def _fit_apposition(part: SentencePart) -> None:
    """ "the firm Poe & Roe" -> "a law firm"; "the town of Hull" -> "a town in England"."""
    slot = part.slot
    if not part.article or not slot.named or slot.entity_type not in NAMES:
        return
    inside = bool(part.words) and part.words[-1].start >= slot.span.start
    at = -2 if inside and part.low(-1) in ARTICLES else -1
    noun = part.low(at)
    apposed = _NOUNS["apposed"]
    if (noun in apposed or noun == part.head) and part.low(at - 1) == "the":
        part.drop(*range(-1, at - 2, -1))
    elif noun in apposed and slot.bridged and len(part.words) == 1:  # "the Danish firm [X]"
        part.drop(-1)
        part.article = ""
    elif noun == "of" and part.low(-2) in apposed and part.low(-3) == "the":
        part.rest = part.low(-2) + part.rest[inflect.head_end(part.rest) :]
        part.drop(-1, -2, -3)


def _fit_being(part: SentencePart) -> None:
    """ "is [asthmatic]" -> "has a health condition"."""
    having = _HAVING.get(part.before.replace("’", "'"))
    if having and part.first == "with" and part.slot.entity_type in BY_CONCEPT:
        part.put(part.last(), having)
        part.article, part.rest = grammar.split_article(part.rest.partition(" ")[2])
    elif part.before in ("a", "an") and part.first in ("with", "of", "in") and _lone_trait(part):
        part.rest = f"person {part.rest}"  # "one of them a [coeliac]"


def _fit_owned(part: SentencePart) -> None:
    """ "my [steward]" -> "my contact with a certain role", not "my person"."""
    opening = " ".join(part.rest.split(" ")[:2])
    if opening in _OWNED and part.before in _OWNERS:
        part.rest = f"{_OWNED[opening]}{part.rest[len(opening) :]}"


def _lone_trait(part: SentencePart) -> bool:
    """Whether an attribute stands where a noun has to: "a [coeliac]."."""
    trait = part.slot.entity_type == EntityType.DEM
    return trait and not part.moved and not part.slot.qualifies


def _fit_bound(part: SentencePart) -> None:
    """ "more than [50 to 100]" -> "more than 50", "up to [20 to 50 kg]" -> "up to 50 kg"."""
    if part.slot.entity_type not in BY_VALUE:
        return
    amounts = _AMOUNTS.fullmatch(part.core)
    if part.before == "within" and part.first in _TIMES["unbounded"]:  # "within [many hours]"
        part.rest = f"some {part.rest.rpartition(' ')[2]}"
    before = " ".join(part.now).lower()
    least, most = _LEAST.search(before), _MOST.search(before)
    said = max(filter(None, (least, most)), key=lambda found: len(found["words"]), default=None)
    if amounts is None or said is None:
        return
    negated = _NEGATED.search(before, 0, said.start("words")) is not None
    lower = (said is least) != negated
    amount = amounts["low" if lower else "high"]
    scaled = amounts["scale"] and lower and not re.search(r"\d{4}|,", amount)
    unit = amounts["unit"]
    if amount in ("1", "one"):
        noun, _, rest = unit.strip().partition(" ")
        unit = f" {inflect.singular(noun)} {rest}".rstrip()
    scale = amounts["scale"] if scaled else ""
    part.rest = f"{said['words']} {amounts['sign']}{amount}{scale}{unit}"
    part.article = ""
    for _ in said["words"].split():
        part.drop(part.last())


def _fit_repeats(part: SentencePart) -> None:
    """No word twice: neither a preposition before the phrase nor a noun after it."""
    last, before, follows = part.last(), part.before, part.slot.follows
    first = part.core.split(" ", 1)[0].lower()
    number = part.article == "a" and part.first in ("few", "couple", "number")
    inexact = number or first.partition("-")[0] in _TIMES["rough"] or _AMOUNTS.fullmatch(part.core)
    rough = inexact and part.slot.entity_type in BY_VALUE
    if (
        (before and before == first)
        or (before in ROUGHLY and rough)
        or (before in MOVABLE and first in ("in", "on", "at", "near", "outside", "aged"))
        or (before == "aged" and first == "in")
    ):
        part.drop(last)
    elif before in ARTICLES and part.low(last - 1) == first in _TIMES["bounds"]:
        part.drop(last, last - 1)
    where = re.search(r" in ([A-Z].*)$", part.core)
    if where and part.end == part.slot.span.end:  # "Paris[, Texas]"
        told = re.match(rf", {re.escape(where[1])}(?![\w’'-])", follows)
        part.end += len(told.group()) if told else 0
    each = _RESPECTIVELY.match(follows)
    if each and part.slot.ranged and part.time == "in":  # "on [8 and 28 June] respectively"
        part.end += each.end()
    after = re.match(r" ([\w-]+)(?![\w’'-])", follows)
    final = part.core.rsplit(" ", 1)[-1].lower()
    if part.end == part.slot.span.end and after and after[1].lower() == final:
        part.end += len(after.group())


def _assembled(text: str, part: SentencePart) -> FittedPhrase:
    """The edits for the words before a slot, the phrase and what follows, as they stand now."""
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
    opens = starts_sentence(text, start) or _OPENING_PREPOSITION.match(text, start) is not None
    if not text[start].islower() and (opens or _written_out(part, start)):
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
        end += unmoved and re.match(r"\.(?!\.)", slot.follows) is not None
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


def _written_out(part: SentencePart, start: int) -> bool:
    """Whether a capital stands on a number or time in words: "A: Ten years later ..."."""
    slot = part.slot
    if slot.entity_type not in BY_VALUE or start != slot.span.start or part.label:
        return False
    first = re.match(r"([A-Z][a-z]+)(?:-\w+)? [a-z]", slot.head)
    return first is not None and not grammar.is_calendar_name(first[1])


def _genitive(slot: Slot, core: str, end: int) -> tuple[str, int]:
    """The phrase with its genitive mark; a mark right after the span is taken in if it changes."""
    if slot.possessive:
        return inflect.possessive(core, slot.possessive), end
    mark = slot.after_genitive
    if mark and end == slot.span.end:
        shown = inflect.possessive(core, mark[0])
        if shown != core + mark:
            return shown, end + len(mark)
    return core, end
