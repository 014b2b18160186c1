"""Fits one phrase into one slot: articles, prepositions, number, genitive, capital.

The edit may widen over an article, a preposition or a repeated word next to the span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from intact.domain import BY_CONCEPT, BY_VALUE, EntityType
from intact.english import agreement as grammar
from intact.english.agreement import ARTICLES, DETERMINERS, MANY, Form
from intact.english.sentences import starts_sentence
from intact.english.wordlists import HONORIFICS, KEPT_TITLES
from intact.rewriting.articles import (
    ADJECTIVES,
    NAMES,
    OWNERS,
    SMALL_WORDS,
    definable,
    determined,
    fit_article,
)
from intact.rewriting.draft import MOVABLE, ROUGHLY, Draft
from intact.rewriting.moments import fit_time
from intact.rewriting.slots import Slot

_ROUGH = frozenset(
    "about around some several approximately roughly nearly almost more less fewer over under up "
    "between dozens hundreds thousands tens many few".split()
)
_BOUNDS = frozenset("since until till before after by from during between".split())
_UNCOUNTED = frozenset("origin descent law legislation soil".split())
_OF_PLACES = frozenset(
    "police authority authorities government law border municipality council governor mayor "
    "district region province area city town legislation nationality citizenship citizens "
    "citizen nationals national people population residents territory soil coast army".split()
)
_APPOSED = frozenset(
    "firm company newspaper magazine organisation association party group bank ship vessel film "
    "book programme hospital school city town village district province county municipality "
    "region island port suburb hamlet film movie novel opera album song play poem series show "
    "musical painting sculpture magazine journal website quartet symphony brand restaurant".split()
)
_PREPOSITION = re.compile(
    r"(?:On|In|At|From|Since|Between|During|By|Until|Before|After|For|About|Around)\s(?=[a-z\d])"
)
"""A preposition whose capital says that a sentence begins, as behind "A:"."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """An edit of ``[start, end)`` in the original; the phrase stands at ``[low, high)`` in it.

    Where a noun of the sentence has been moved before the phrase, ``[start, before)``,
    ``[before, behind)`` and the rest are edits of their own: the first takes ``text[:low]``, the
    second the rest of the text, the third nothing.
    """

    start: int
    end: int
    text: str
    low: int
    high: int
    parts: tuple[int, int] | None = None


def fit(text: str, slot: Slot, phrase: Form, *, start: int = 0, stacked: bool = False) -> Fitted:
    """The edit that puts ``phrase`` into ``slot``.

    Args:
        text: the original.
        start: no character before it may be edited (an edit before may have widened).
        stacked: whether an adjective of another slot stands directly before.
    """
    draft = Draft(slot, phrase, start)
    if phrase.label:
        _fit_label(draft)
    else:
        _fit_number(draft)
        _fit_attribute(draft)
        _fit_apposition(draft)
        fit_article(draft, stacked)
        if slot.entity_type == EntityType.DATETIME or phrase.time == "in":
            fit_time(draft, phrase)
        _fit_repeats(draft)
    last = draft.last()
    if draft.low(last) in ("a", "an") and draft.core[:1].isalnum():
        draft.put(last, grammar.indefinite(draft.core))
    return _assemble(text, draft)


def plain(slot: Slot, phrase: Form) -> Fitted:
    """The phrase as it is in place of the span, nothing fitted."""
    text = slot.opening + phrase.text + slot.closing
    low = len(slot.opening)
    return Fitted(slot.span.start, slot.span.end, text, low, low + len(phrase.text))


def _fit_label(draft: Draft) -> None:
    last = draft.last()
    word = draft.low(last)
    title, _, bare = draft.rest.partition(" ")
    if bare and title in KEPT_TITLES.values() and word.rstrip(".") in HONORIFICS | {"the"}:
        draft.rest = bare
    inside = -last <= len(draft.words) and draft.words[last].start >= draft.slot.span.start
    if draft.article and word.endswith(OWNERS):
        draft.article = ""
    elif (draft.article and word in ARTICLES | DETERMINERS) or (inside and word in ARTICLES):
        draft.put(last, "")


def _fit_number(draft: Draft) -> None:
    """Plural where the original is one, or where a number above one stands before."""
    if draft.article != "a" or draft.slot.entity_type in BY_VALUE:
        return
    before = draft.low(-1)
    counted = (before in MANY and not _paired(draft)) or (before.isdigit() and int(before) > 1)
    if draft.slot.attributed:
        return
    if (draft.slot.many or counted) and grammar.countable(draft.rest):
        draft.rest = grammar.plural(draft.rest)
        draft.article = ""


def _paired(draft: Draft) -> bool:
    """Whether "both" before the phrase goes with an "and" behind it."""
    return draft.low(-1) == "both" and draft.slot.follows.startswith(" and ")


def _fit_attribute(draft: Draft) -> None:
    """Moves nouns forward: "the Ankara police" -> "the police of a city in Turkey"."""
    slot = draft.slot
    adverbial = draft.first in grammar.PREPOSITIONS and slot.entity_type in BY_CONCEPT
    wordy = draft.article or adverbial or grammar.head_end(draft.rest) < len(draft.rest)
    words, noun = slot.attributed, slot.noun
    country = slot.entity_type == EntityType.DEM and draft.core == "a certain country"
    lone = ""
    if country and not words:
        words = noun = lone = _lone_noun(slot)  # "a [French] cook and"
        if not words:
            words = noun = _office(slot)  # "the [French] Criminal Code"
        if not words and re.match(r" (?:[a-z]{3,}|$)", slot.follows):  # "a [French] [composer]"
            draft.rest = "certain country’s"
            return
    if adverbial and slot.follows == " " and slot.entity_type == EntityType.DEM:
        draft.rest = draft.first = "certain"
        return
    if adverbial and not words:
        words = noun = _next_nouns(slot)
    if not words and draft.article == "a" and slot.entity_type in (EntityType.DEM, EntityType.MISC):
        words = noun = _bare_plural(draft)  # "breeds [Lagotto] dogs"
    if not words or not slot.named or not wordy:
        return
    draft.end += len(words)
    head = draft.rest[: grammar.head_end(draft.rest)].rsplit(" ", 1)[-1].lower()
    if noun in (head, grammar.plural_noun(head)):
        if noun != head:
            draft.rest, draft.article = grammar.plural(draft.rest), ""
        return
    if draft.article == "a" and slot.later and definable(draft.rest):
        draft.article = "the"
    draft.moved = draft.core
    link = "" if adverbial else "from " if lone else "in " if _located(slot) else "of "
    draft.rest = f"{words.strip()} {link}{draft.core}"
    draft.first = noun
    before = draft.low(-1)
    owned = determined(before) or before in MANY or before in ADJECTIVES
    uncounted = grammar.is_plural_noun(noun.strip()) or noun in _UNCOUNTED
    draft.article = "" if owned or uncounted or lone else "the"
    draft.keep_the = True


def _next_nouns(slot: Slot) -> str:
    """The words right after that an adjective goes with: " accent", " Criminal Code"."""
    found = re.match(r" (?:[A-Z][\w-]+(?: [A-Z][\w-]+)*|[a-z]{3,})(?![\w’'-])", slot.follows)
    if found is None or found.group().strip() in SMALL_WORDS:
        return ""
    return found.group()


def _lone_noun(slot: Slot) -> str:
    """The one noun right after an adjective, if its noun phrase surely ends with it; else ""."""
    found = re.match(
        r" ([a-z]{3,})(?=[.,;:)]| (?:and|who|which|that|in|on|at|by|from|with)\b)", slot.follows
    )
    return "" if found is None or found[1] in SMALL_WORDS else found[0].rstrip()


def _office(slot: Slot) -> str:
    """The name with a capital right after an adjective, if the noun phrase ends with it."""
    found = re.match(
        r" [A-Z][\w-]+(?: [A-Z][\w-]+)*(?![\w’'-])(?! (?:of|for|on|against) )", slot.follows
    )
    return found.group() if found else ""


def _bare_plural(draft: Draft) -> str:
    """The plural noun right after a modifier, if it surely is one and "a" cannot go before it."""
    before = draft.low(draft.last())
    if (determined(before) and before != "the") or before in MANY | ADJECTIVES or before.isdigit():
        return ""
    found = re.match(
        r" ([a-z]{3,}s)(?=[.,;:)]| (?:and|who|which|that|in|on|at)\b)", draft.slot.follows
    )
    if found is None or not before.isalpha() or before in ("and", "or", "but", "that", "when"):
        return ""
    return f" {found[1]}" if grammar.is_plural_noun(found[1]) else ""


def _located(slot: Slot) -> bool:
    """Whether the noun is in the place rather than of it: "the school in", "the mayor of"."""
    return slot.entity_type == EntityType.LOC and slot.noun not in _OF_PLACES


def _fit_apposition(draft: Draft) -> None:
    """ "the firm Poe & Roe" -> "a law firm"; "the town of Hull" -> "a town in England"."""
    slot = draft.slot
    if not draft.article or not slot.named or slot.entity_type not in NAMES:
        return
    inside = bool(draft.words) and draft.words[-1].start >= slot.span.start
    at = -2 if inside and draft.low(-1) in ARTICLES else -1
    noun = draft.low(at)
    head = draft.rest[: grammar.head_end(draft.rest)].rsplit(" ", 1)[-1].lower()
    if (noun in _APPOSED or noun == head) and draft.low(at - 1) == "the":
        for index in range(-1, at - 2, -1):
            draft.put(index, "")
    elif noun in _APPOSED and slot.bridged and len(draft.words) == 1:  # "the Danish firm [X]"
        draft.put(-1, "")
        draft.article = ""
    elif noun == "of" and draft.low(-2) in _APPOSED and draft.low(-3) == "the":
        draft.rest = draft.low(-2) + draft.rest[grammar.head_end(draft.rest) :]
        for index in (-1, -2, -3):
            draft.put(index, "")


def _fit_repeats(draft: Draft) -> None:
    """No word twice: neither a preposition before the phrase nor a noun after it."""
    last = draft.last()
    before = draft.low(last)
    first = draft.core.split(" ", 1)[0].lower()
    rough = first in _ROUGH or (draft.article == "a" and draft.first in ("few", "couple", "number"))
    if (
        (before and before == first)
        or (before in ROUGHLY and rough and draft.slot.entity_type in BY_VALUE)
        or (before in MOVABLE and first in ("in", "on", "at", "near", "outside"))
        or (before == "aged" and first == "in")
    ):
        draft.put(last, "")
    elif before in ARTICLES and draft.low(last - 1) == first in _BOUNDS:
        draft.put(last, "")
        draft.put(last - 1, "")
    place = re.search(r" in ([A-Z].*)$", draft.core)
    if place and draft.end == draft.slot.span.end:  # "Paris[, Texas]"
        told = re.match(rf", {re.escape(place[1])}(?![\w’'-])", draft.slot.follows)
        draft.end += len(told.group()) if told else 0
    after = re.match(r" ([\w-]+)(?![\w’'-])", draft.slot.follows)
    final = draft.core.rsplit(" ", 1)[-1].lower()
    if draft.end == draft.slot.span.end and after and after.group(1).lower() == final:
        draft.end += len(after.group())


def _assemble(text: str, draft: Draft) -> Fitted:
    slot = draft.slot
    start = slot.span.start
    for word, now in zip(draft.words, draft.now, strict=True):
        if now != word.text:
            start = min(start, word.start)
            break
    before = "".join(
        now + word.space if now else ("\n" if "\n" in word.space else "")
        for word, now in zip(draft.words, draft.now, strict=True)
        if word.start >= start
    )
    core = draft.core
    if slot.upper and not draft.label:
        core = core.upper()
    prefix = before + slot.opening
    opens = starts_sentence(text, start) or _PREPOSITION.match(text, start) is not None
    if not text[start].islower() and (opens or _written_out(draft, start)):
        if before:
            prefix = before[:1].upper() + before[1:] + slot.opening
        elif not (draft.label and not draft.article):
            core = core[:1].upper() + core[1:]
    shown, end = _genitive(slot, core, draft.end)
    closing = slot.closing
    if shown.endswith("."):  # "3 p.m." at the end of a sentence
        closing = closing.removeprefix(".")
        unmoved = end == slot.span.end and not closing
        end += unmoved and re.match(r"\.(?!\.)", slot.follows) is not None
    low, high = len(prefix), len(prefix) + len(core)
    if draft.moved and shown.startswith(core) and core.lower().endswith(draft.moved.lower()):
        first = min(start, slot.span.start - 1)
        if start >= slot.span.start and first >= 0 and text[first] == " ":
            prefix, low, high = " " + prefix, low + 1, high + 1
            start = first
        if start < slot.span.start and end > slot.span.end:
            low = high - len(draft.moved)
            parts = (slot.span.start, slot.span.end)
            return Fitted(start, end, prefix + shown + closing, low, high, parts)
    if start < slot.span.start and any(" " in now for now in draft.now):  # "a moderate"
        return Fitted(start, end, prefix + shown + closing, low, high, (slot.span.start, end))
    return Fitted(start, end, prefix + shown + closing, low, high)


def _written_out(draft: Draft, start: int) -> bool:
    """Whether a capital stands on a number or time in words: "A: Ten years later ..."."""
    slot = draft.slot
    if slot.entity_type not in BY_VALUE or start != slot.span.start or draft.label:
        return False
    first = re.match(r"([A-Z][a-z]+)(?:-\w+)? [a-z]", slot.head)
    return first is not None and not grammar.is_calendar_name(first[1])


def _genitive(slot: Slot, core: str, end: int) -> tuple[str, int]:
    """The phrase with its genitive mark; a mark right after the span is taken in if it changes."""
    if slot.possessive:
        return grammar.possessive(core, slot.possessive), end
    mark = slot.after_genitive
    if mark and end == slot.span.end:
        shown = grammar.possessive(core, mark[0])
        if shown != core + mark:
            return shown, end + len(mark)
    return core, end
