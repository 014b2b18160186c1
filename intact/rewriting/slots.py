"""The slots of a document: each place to be replaced, with all that its sentence requires of a
phrase."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from intact.domain import BY_CONCEPT, EntityType, Span
from intact.english.grammar import LOCATED, PREPOSITIONS, NounPhrase
from intact.english.numbers import whole_number
from intact.english.reading import AROUND, Place
from intact.english.sentences import VERSUS, line_is_upper
from intact.english.vocabulary import either, read_patterns, word_sets
from intact.english.words import GENITIVE
from intact.rewriting.occurrences import Occurrence

# Words that may stand between a determiner and a noun.
ADJECTIVES = word_sets("grammar", "determiners")["adjectives"]
NOUNS = word_sets("grammar", "nouns")
_LEFT_WINDOW = 96
# Words that end a noun phrase.
PHRASE_END = PREPOSITIONS | word_sets("grammar", "limits")["phrase_end"]
_FORMS = read_patterns(
    "slots",
    {
        "openers": either(map(str.capitalize, word_sets("grammar", "sentence")["openers"])),
        "phraseend": either(PHRASE_END),
        "located": LOCATED,
    },
)
_BRACKETS = {" (": ")", " (the ": ")", " (“": "”)", ' ("': '")', " [": "]", " (‘": "’)"}
_PAIRS = {"(": ")", "[": "]", "“": "”", "‘": "’", '"': '"', "«": "»", "{": "}"}


@dataclass(frozen=True)
class Word:
    """A word before a span, the white space after it, and where it starts."""

    text: str
    space: str
    start: int

    @cached_property
    def low(self) -> str:
        """The word in lower case."""
        return self.text.lower()


@dataclass(frozen=True, eq=False)
class Slot:
    """A place in the text where a phrase has to fit."""

    occurrence: Occurrence  # the text there in the original
    span: Span  # the characters to be replaced
    before: tuple[Word, ...]  # up to five directly before, nearest last; those inside count
    opening: str  # brackets of the span that stay
    closing: str
    possessive: str  # "'" or "’" if the span ends in a genitive, else ""
    after_genitive: str  # a genitive mark right after the span
    head: str  # the core in the original (without words of ``before`` and without brackets)
    upper: bool  # whether the line is set in capitals
    qualified: str  # the nouns right after the span that it qualifies (" police"), or ""
    later: bool  # whether the entity has been named before, or is defined here (“the ...”)
    after_slot: bool  # whether another slot ends one space, or adjectives, before
    # where a bracket around it ends that begins right after another slot, and which is removed if
    # both slots say the same: "an office (an office)"; else 0
    echo: int
    place: Place  # the text around the span, as far as the next slots

    @cached_property
    def entity_id(self) -> str:
        """The id of the entity that the phrase replaces."""
        return self.occurrence.entity_id

    @cached_property
    def entity_type(self) -> str:
        """The type of the entity that the phrase replaces ("LOC")."""
        return self.occurrence.entity_type

    @cached_property
    def named(self) -> bool:
        """Check whether the text to be replaced (``head``) begins with something other than a
        lower-case letter, as names and numbers do; True for ""."""
        return not self.head[:1].islower()

    @cached_property
    def plural(self) -> bool:
        """Check whether the text to be replaced (``head``) is a common noun in the plural: in lower
        case, with no digit at its beginning ("two nurses")."""
        common = self.head == self.head.lower() and not self.head[:1].isdigit()
        return common and NounPhrase.of(self.head).is_plural

    @cached_property
    def ranged(self) -> bool:
        """Check whether the text to be replaced (``head``) may be a range: it has "and", "to" or
        "until" between words, or a dash before a figure ("1990 and 1995", "1990-1995")."""
        return re.search(r"\s(?:and|to|until)\s|[–‑-]\s?\d", self.head) is not None


def slots(text: str, occurrences: Sequence[Occurrence]) -> tuple[Slot, ...]:
    """Make a slot of every occurrence, in order: the place, widened to whole words, with what its
    sentence requires of a phrase (article, capital, genitive, number).

    Args:
        text: the original.
        occurrences: see ``without_overlaps``.
    """
    whole = _whole_words(text, occurrences)
    floors = [0, *(occurrence.span.end for occurrence in whole)]
    limits = [*(occurrence.span.start for occurrence in whole[1:]), len(text)]
    made: list[Slot] = []
    seen: set[str] = set()
    for occurrence, *bounds in zip(whole, floors, limits, strict=False):
        made.append(_slot(text, occurrence, bounds, seen))
        seen.add(occurrence.entity_id)
    return tuple(made)


def _whole_words(text: str, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """Return the occurrences, in order, each widened where it cuts a word, a number or the name of
    a place or body, but never into its neighbours."""
    whole: list[Occurrence] = []
    limits = [*(occurrence.span.start for occurrence in occurrences[1:]), len(text)]
    for occurrence, limit in zip(occurrences, limits, strict=False):
        start, end = occurrence.span.start, occurrence.span.end
        floor = whole[-1].span.end if whole else 0
        if _cased(text[start]):
            while start > floor and _cased(text[start - 1]):
                start -= 1
        if _cased(text[end - 1]):
            while end < limit and (_cased(text[end]) or unicodedata.combining(text[end])):
                end += 1
        end += text.startswith(".,", end) and end + 1 < limit  # the stop of "S.A.,"
        start, end = whole_number(text, (floor, limit), start, end)
        if occurrence.entity_type in (EntityType.ORG, EntityType.LOC):
            cut = _FORMS["unfinished"].search(text, start, end)
            rest = _FORMS["rest_of_name"].match(text, end, limit) if cut else None
            end = rest.end() if rest else end  # "[Civil Court of First] Instance"
        whole.append(replace(occurrence, span=Span(start, end)))
    return whole


def _cased(char: str) -> bool:
    """Tell whether a character is a letter in upper or lower case."""
    return char.islower() or char.isupper()


def _echo(text: str, bounds: Sequence[int], span: Span) -> int:
    """Return the offset behind the bracket around ``span`` that begins where the slot before ends
    (at ``bounds[0]``) and ends before the next (at ``bounds[1]``); 0 if there is none."""
    closing = _BRACKETS.get(text[bounds[0] : span.start], "")
    end = span.end + len(closing)
    return end if closing and text.startswith(closing, span.end) and end <= bounds[1] else 0


def _slot(text: str, occurrence: Occurrence, bounds: Sequence[int], seen: set[str]) -> Slot:
    """Make the slot of an occurrence: its place in the text, with what its sentence requires of a
    phrase.

    Args:
        text: the original.
        occurrence: widened to whole words.
        bounds: the offsets where the slot before it ends and the slot after it begins.
        seen: ids of the entities that have a slot before this one.
    """
    start, end, (floor, limit) = occurrence.span.start, occurrence.span.end, bounds
    between = text[max(floor, start - _LEFT_WINDOW) : start].split()
    original = occurrence.span.of(text)
    cut = len(_matched("inside", original, 0, len(original)))
    opening, head, closing, mark = _split_core(original[cut:], text, end)
    words = () if opening else _words_before(text, floor, start, start + cut)
    behind = "" if mark else _matched("after_possessive", text, end, limit)
    concept = occurrence.entity_type in BY_CONCEPT
    if (mark or behind) and concept and _FORMS["owns_nothing"].match(text, end + len(behind)):
        end, mark, behind = end + len(behind), "", ""  # "has [Crohn]'s and he"
    qualifies = concept and not (mark or behind or closing)
    left, right = text[max(floor, start - AROUND) : start], text[end : min(limit, end + AROUND)]
    return Slot(
        occurrence=occurrence,
        span=Span(start, end),
        before=words,
        opening=opening,
        closing=closing,
        possessive=mark,
        after_genitive=behind,
        head=head,
        upper=len(head) > 1 and head.isupper() and line_is_upper(text, start, end, VERSUS),
        qualified=_matched("qualified", text, end, limit) if qualifies else "",
        later=occurrence.entity_id in seen,
        after_slot=text[floor : floor + 1] == " " and ADJECTIVES.issuperset(between),
        echo=_echo(text, bounds, Span(start, end)),
        place=Place(left, head, right),
    )


def _matched(form: str, text: str, start: int, end: int) -> str:
    """Return the text that a pattern of the table "slots" matches at ``start``; "" if it does not
    match, or not before ``end``.

    Args:
        form: the name of the pattern.
        text: the original, or a part of it.
        start: where the match has to begin.
        end: where the text is taken to end.
    """
    found = _FORMS[form].match(text, start, end)
    return found[0] if found else ""


def _words_before(text: str, floor: int, start: int, core: int) -> tuple[Word, ...]:
    """Return, in text order, up to five words right before ``start``, none of them before
    ``floor``, and the words from ``start`` to ``core``."""
    before = _FORMS["left"].search(text, max(floor, start - _LEFT_WINDOW), start)
    first = before.start() if before else start
    return tuple(Word(m[1], m[2], m.start()) for m in _FORMS["token"].finditer(text, first, core))


def _split_core(core: str, text: str, end: int) -> tuple[str, str, str, str]:
    """Split a text to be replaced into four: its opening brackets, the words between, its closing
    brackets and punctuation, and the apostrophe of a genitive at its end; "" for what it lacks. A
    pair of quotation marks around it is dropped, since the new words are no quotation.

    Args:
        core: the text to be replaced, without the words that count as before it.
        text: the original.
        end: where ``core`` ends in it.
    """
    opening = closing = mark = ""
    while len(core) > 2 and _PAIRS.get(core[0]) == core[-1]:
        if core[0] in "([{":
            opening, closing = opening + core[0], core[-1] + closing
        core = core[1:-1]
    while len(core) > 1 and core[-1] in ",;:":
        closing, core = core[-1] + closing, core[:-1]
    genitive = GENITIVE.search(core)
    if genitive and genitive.start():
        mark, core = genitive.group()[0], core[: genitive.start()]
    elif len(core) > 1 and core[-1] == "." and _FORMS["followed_by_sentence"].match(text, end):
        closing, core = "." + closing, core[:-1]
    return opening, core, closing, mark
