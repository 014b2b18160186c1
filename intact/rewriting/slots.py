"""What stands around a span: all that fitting a phrase needs and no phrase changes.

A slot is made once per document; see :mod:`intact.rewriting.phrase` for what is done with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intact.domain import BY_CONCEPT, EntityType, Span
from intact.english.agreement import ARTICLES, DETERMINERS, PREPOSITIONS, owns
from intact.english.calendar import MONTH_NAMES
from intact.english.inflect import head_noun, is_plural_noun
from intact.english.numbers import whole_number
from intact.english.sentences import line_is_upper
from intact.english.vocabulary import either, word_sets
from intact.rewriting.occurrences import Occurrence

_NOUNS = word_sets("grammar", "nouns")
_NO_NOUN = PREPOSITIONS | word_sets("grammar", "limits")["no_noun"]
_LEFT_WINDOW = 96
_LEFT = re.compile(r"(?:[\w’'-]+(?:[^\S\n\r]+|[^\S\n\r]*\r?\n[^\S\n\r]*)){0,5}\Z")
_TOKEN = re.compile(r"([\w’'-]+)(\s+)")
_INSIDE = re.compile(
    r"(?:(?:on|in|at|between|from|since|until|by|before|after|during|within|of|the|an?)\s+)+"
    r"(?=[^\s.,;])",
    re.I,
)
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])\Z")
_AFTER_POSSESSIVE = re.compile(r"['’]s(?!\w)|['’](?=\s\w)")
_OPENERS = (word.capitalize() for word in word_sets("grammar", "sentence")["openers"])
_FOLLOWED_BY_SENTENCE = re.compile(rf"\s*\Z|\s*[\r\n]|\s+[\"“‘(]?(?:{either(_OPENERS)})\b")
_QUALIFIED = re.compile(
    rf"(?P<words>(?: (?:{either(_NOUNS['qualifiers'])}))*"
    rf" (?P<noun>(?:{either(_NOUNS['owners'])})['’]s? [a-z]+|(?:{either(_NOUNS['qualified'])})))"
    r"(?![\w’'-])"
)
_ANY_NOUN = re.compile(r"(?P<words> (?P<noun>[a-z]{3,}))(?![\w’'-])")
_WITH_THE = re.compile(rf"\b(?:[A-Z]*\d*[A-Z]+\d*|United .*|.*(?:{either(_NOUNS['with_the'])}))$")
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_DAY_OR_MONTH = re.compile(rf"(?:{_DAY}\s)?(?:{either(MONTH_NAMES)})\b")
_DAYS_BEFORE = re.compile(rf"(?<![\w./,])(?:{_DAY}(?:,\s|\s(?:and|or|to)\s|\s?[-–‑]\s?|\s))+\Z")
_UNFINISHED = re.compile(
    rf"(?:\b(?:{either(_NOUNS['name_beginnings'])}|St\.)|[A-Z][\w’'-]+ (?:of(?: the)?|and|for))\Z"
)
_REST_OF_NAME = re.compile(r" (?:(?:of|and|for|the) )*[A-Z][\w’'-]+(?![\w’'-])")
_BEGUN_NAME = re.compile(r"(?<![\w’'])[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,3} & $")
"""What a name begins with that is cut at its "&": "Poe & [Roe]"."""
_REST_OF_WORD = re.compile(r"['’](?!(?:re|ve|ll)\b)[^\W\d_]{2,}(?!\w)")
"""What belongs to a word behind its apostrophe: "ma'am"; not "they're"."""
_BRACKETS = {" (": ")", " (the ": ")", " (“": "”)", ' ("': '")', " [": "]", " (‘": "’)"}
_PAIRS = {"(": ")", "[": "]", "“": "”", "‘": "’", '"': '"', "«": "»", "{": "}"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word before a span, the white space after it, and where it starts."""

    text: str
    space: str
    start: int

    @property
    def low(self) -> str:
        """In lower case."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the text where a phrase has to fit.

    Attributes:
        occurrence: what stands there in the original.
        span: the characters that go.
        before: up to five words directly before, nearest last; those inside the span count.
        opening, closing: brackets of the span that stay.
        possessive: "'" or "’" if the span ends in a genitive, else "".
        after_genitive: a genitive mark right after the span.
        head: the core in the original (without words of ``before`` and without brackets).
        plural: whether ``head`` is a common noun in the plural.
        upper: whether the line is set in capitals.
        qualified: the nouns right after the span that it qualifies (" police"), or "".
        noun: the last of them.
        later: whether the entity has been named before, or is defined here (“the ...”).
        after_slot: whether another slot ends one space before.
        bridged: whether only the words of ``before`` stand between another slot and this one.
        echo: start and end of the bracket that this slot fills right after another slot, which
            goes if both say the same: "an office (an office)"; None if there is none.
        follows: up to 32 characters after the span, as far as the next slot.
    """

    occurrence: Occurrence
    span: Span
    before: tuple[Word, ...]
    opening: str
    closing: str
    possessive: str
    after_genitive: str
    head: str
    plural: bool
    upper: bool
    qualified: str
    noun: str
    later: bool
    after_slot: bool
    bridged: bool
    echo: tuple[int, int] | None
    follows: str

    @property
    def entity_id(self) -> str:
        """The entity that the phrase stands for."""
        return self.occurrence.entity_id

    @property
    def entity_type(self) -> str:
        """Its type."""
        return self.occurrence.entity_type

    @property
    def named(self) -> bool:
        """Whether ``head`` begins with a capital or a digit."""
        return not self.head[:1].islower()

    @property
    def ranged(self) -> bool:
        """Whether ``head`` is a range ("1990 and 1995", "1990-1995")."""
        return re.search(r"\s(?:and|to|until)\s|[–‑-]\s?\d", self.head) is not None

    @property
    def qualifies(self) -> bool:
        """Whether a word without a capital follows."""
        return re.match(r" [a-z]", self.follows) is not None


def slots(text: str, occurrences: Sequence[Occurrence]) -> tuple[Slot, ...]:
    """The slots of a document; a bracket that repeats its entity is merged away.

    An entity that is plural in one slot is plural in all.

    Args:
        text: the original.
        occurrences: ascending, not overlapping.
    """
    whole = _whole_words(text, occurrences)
    made: list[Slot] = []
    seen: set[str] = set()
    position = 0
    while position < len(whole):
        occurrence = whole[position]
        floor = whole[position - 1].span.end if position else 0
        end = occurrence.span.end
        starts = [other.span.start for other in whole[position + 1 : position + 3]]
        following = whole[position + 1] if starts else None
        if following is not None and following.entity_id == occurrence.entity_id:
            limit = starts[1] if len(starts) > 1 else len(text)
            echo = _echo(text, (end, limit), following.span)
            if echo:
                covers = (*occurrence.covers, following, *following.covers)
                occurrence = replace(occurrence, covers=covers)
                end, starts = echo[1], starts[1:]
                position += 1
        limit = starts[0] if starts else len(text)
        made.append(_slot(text, occurrence, end, (floor, limit), seen))
        seen.add(occurrence.entity_id)
        position += 1
    plural = {slot.entity_id for slot in made if slot.plural}
    return tuple(
        replace(slot, plural=True) if slot.entity_id in plural and not slot.plural else slot
        for slot in made
    )


def _whole_words(text: str, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """The occurrences, widened where one begins or ends inside a word, date, number or name."""
    whole: list[Occurrence] = []
    for position, occurrence in enumerate(occurrences):
        start, end = occurrence.span.start, occurrence.span.end
        floor = whole[-1].span.end if whole else 0
        following = occurrences[position + 1 : position + 2]
        limit = following[0].span.start if following else len(text)
        if _cased(text[start]):
            while start > floor and _cased(text[start - 1]):
                start -= 1
        if occurrence.entity_type == EntityType.DATETIME:
            start = _whole_date(text, floor, start, end)
        if _cased(text[end - 1]):
            while end < limit and (_cased(text[end]) or unicodedata.combining(text[end])):
                end += 1
            rest = _REST_OF_WORD.match(text, end, limit)
            end = rest.end() if rest else end
        end += text.startswith(".,", end) and end + 1 < limit  # the stop of "S.A.,"
        start, end = whole_number(text, (floor, limit), start, end)
        if occurrence.entity_type in (EntityType.ORG, EntityType.LOC):
            end = _whole_name(text, start, end, limit)
            begun = _BEGUN_NAME.search(text, floor, start)
            start = begun.start() if begun and text[start].isupper() else start
        whole.append(replace(occurrence, span=Span(start, end)))
    return whole


def _whole_date(text: str, floor: int, start: int, end: int) -> int:
    """Where a date begins whose days stand before the span: "20 [July 2006]", "3 and [5 May]"."""
    if not _DAY_OR_MONTH.match(text, start, end):
        return start
    before = _DAYS_BEFORE.search(text, max(floor, start - 40), start)
    return before.start() if before else start


def _whole_name(text: str, start: int, end: int, limit: int) -> int:
    """Where a name ends that the span cuts: "[Civil Court of First] Instance"."""
    if not _UNFINISHED.search(text, start, end):
        return end
    rest = _REST_OF_NAME.match(text, end, limit)
    return rest.end() if rest else end


def _cased(char: str) -> bool:
    return char.islower() or char.isupper()


def _echo(text: str, bounds: tuple[int, int], span: Span, own: str = "") -> tuple[int, int] | None:
    """The bracket from the slot before (at ``bounds[0]``) around ``span``, if any."""
    before, limit = bounds
    between = text[before : span.start]
    if between == " " and own in ("()", "[]"):
        return before, span.end
    closing = _BRACKETS.get(between, "")
    closed = closing and text.startswith(closing, span.end) and span.end + len(closing) <= limit
    return (before, span.end + len(closing)) if closed else None


def _slot(
    text: str, occurrence: Occurrence, end: int, bounds: tuple[int, int], seen: set[str]
) -> Slot:
    """The slot of an occurrence that goes as far as ``end``, between ``bounds``."""
    start, (floor, limit) = occurrence.span.start, bounds
    original = occurrence.span.of(text)
    inside = _INSIDE.match(original)
    cut = inside.end() if inside else 0
    opening, head, closing, mark = _trim(original[cut:], text, occurrence.span.end)
    words = () if opening else _words_before(text, floor, start, start + cut)
    echoed = end > occurrence.span.end
    genitive = _AFTER_POSSESSIVE.match(text, end, limit) if not mark and not echoed else None
    noun = None
    if not mark and not genitive and not closing and occurrence.entity_type in BY_CONCEPT:
        noun = _QUALIFIED.match(text, end, limit)
        if noun is None and occurrence.entity_type == EntityType.LOC and words:
            noun = _qualified(text, end, limit, words[-1].low, head)
    return Slot(
        occurrence=occurrence,
        span=Span(start, end),
        before=words,
        opening=opening,
        closing=closing,
        possessive=mark,
        after_genitive=genitive.group() if genitive else "",
        head=head,
        plural=_is_plural(head),
        upper=len(head) > 1 and head.isupper() and line_is_upper(text, start, end),
        qualified=noun["words"] if noun else "",
        noun=noun["noun"] if noun else "",
        later=occurrence.entity_id in seen or _is_defined(text, words),
        after_slot=floor == start - 1 and text[floor:start] == " ",
        bridged=bool(words) and floor > 0 and text[floor : words[0].start] == " ",
        echo=_echo(text, bounds, Span(start, end), opening + closing),
        follows=text[end : min(limit, end + 32)],
    )


def _words_before(text: str, floor: int, start: int, core: int) -> tuple[Word, ...]:
    """Up to five words before ``start``, none before ``floor``, and those as far as ``core``."""
    window = max(floor, start - _LEFT_WINDOW)
    before = _LEFT.search(text, window, start)
    first = before.start() if before else start
    if first == window != floor and not text[first - 1].isspace():  # may cut a word
        cut = re.compile(r"\S*\s*").match(text, first, start)
        first = cut.end() if cut else start
    return tuple(Word(m[1], m[2], m.start()) for m in _TOKEN.finditer(text, first, core))


def _qualified(text: str, end: int, limit: int, before: str, head: str) -> re.Match[str] | None:
    """The noun that a place name between a determiner and a small word qualifies, if any."""
    owned = before in DETERMINERS | ARTICLES or owns(before)
    if not owned or _WITH_THE.search(head):
        return None
    noun = _ANY_NOUN.match(text, end, limit)
    if noun is None or noun["noun"] in _NO_NOUN or noun["noun"].endswith("ed"):
        return None
    return noun


def _trim(core: str, text: str, end: int) -> tuple[str, str, str, str]:
    """Opening, head, closing and genitive mark of a span's core; brackets must balance outside.

    A pair of round or square brackets stays; a pair of quotation marks goes, since what stands
    there is no longer quoted. An unpaired mark stays, as its partner is outside.
    """
    opening = closing = mark = ""
    while len(core) > 2 and _PAIRS.get(core[0]) == core[-1] and _balanced(core[1:-1], core[0]):
        if core[0] in "([{":
            opening, closing = opening + core[0], core[-1] + closing
        core = core[1:-1]
    while len(core) > 1 and core[0] in _PAIRS and not _closed(core, core[0]):
        opening, core = opening + core[0], core[1:]
    while len(core) > 1 and core[-1] in ")]”»}" and not _opened(core, core[-1]):
        closing, core = core[-1] + closing, core[:-1]
    while len(core) > 1 and core[-1] in ",;:":
        closing, core = core[-1] + closing, core[:-1]
    genitive = _POSSESSIVE.search(core)
    if genitive and genitive.start():
        mark, core = genitive.group()[0], core[: genitive.start()]
    elif len(core) > 1 and core[-1] == "." and _FOLLOWED_BY_SENTENCE.match(text, end):
        closing, core = "." + closing, core[:-1]
    return opening, core, closing, mark


def _balanced(inner: str, opener: str) -> bool:
    """Whether a pair around ``inner`` belongs together: "(a) and (b)" does not."""
    closer, depth = _PAIRS[opener], 0
    if closer == opener:
        return opener not in inner
    for char in inner:
        depth += (char == opener) - (char == closer)
        if depth < 0:
            return False
    return depth == 0


def _closed(core: str, opener: str) -> bool:
    closer = _PAIRS[opener]
    if closer == opener:
        return core.count(opener) % 2 == 0
    return core.count(closer) >= core.count(opener)


def _opened(core: str, closer: str) -> bool:
    opener = next(key for key, value in _PAIRS.items() if value == closer)
    return core.count(opener) >= core.count(closer)


def _is_defined(text: str, words: Sequence[Word]) -> bool:
    """Whether the span and its "the" stand in quotation marks, as a defined term does."""
    return bool(words) and words[-1].low == "the" and text[max(0, words[-1].start - 1)] in '“"‘'


def _is_plural(head: str) -> bool:
    if not head or head[0].isdigit() or head.lower() != head:
        return False
    return is_plural_noun(head_noun(head))
