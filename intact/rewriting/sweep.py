"""Every place where a masked entity stands in a document: annotated, or found by the sweep.

The sweep walks once over the words of the text; at each it tries the forms that begin with
that word, longest first. Cost: linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from intact.domain import BY_VALUE, Document, EntityType, Span
from intact.english.agreement import ARTICLES, DETERMINERS, PREPOSITIONS
from intact.english.fold import Folded, fold, folded, tokens
from intact.english.sentences import starts_sentence
from intact.english.wordlists import HONORIFICS
from intact.rewriting.needles import CAPITAL, MONTHS, UPPER, Needle, gap, needles
from intact.rewriting.nesting import Occurrence

_MAX_GAP = 6
_DATE_BEFORE = re.compile(
    r"(?:\b(?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?: of)?\s)?(?:january|february|march|april"
    r"|may|june|july|august|september|october|november|december),?\s)\Z"
)
_NUMBER_BESIDE = re.compile(r"\d[/.,:-]\Z|[/§#:-]\Z|\b(?:nos?|law|act|section|article)\.?\s\Z")
_NUMBER_AFTER = re.compile(r"[/:]\w|[.,-]\d|-\w")

Token = tuple[str, int, int]


def occurrences(document: Document, *, sweep: bool = True) -> tuple[Occurrence, ...]:
    """The places that must go, in text order. Computed once: choices do not matter.

    Args:
        sweep: whether to add the unannotated places where a masked entity stands again.
    """
    found = [
        Occurrence(m.span, m.entity_id, m.id, m.entity_type, not m.generalisable)
        for m in document.mentions
        if m.masked
    ]
    if sweep and found:
        found += _Sweep(document, found).run()
    return tuple(sorted(found, key=lambda o: (o.span.start, -o.span.end, o.mention_id)))


class _Sweep:
    """One walk over one document."""

    def __init__(self, document: Document, marked: Sequence[Occurrence]) -> None:
        self._text = document.text
        self._folded: Folded = folded(document.text)
        self._tokens: list[Token] = tokens(self._folded.text)
        self._index = _index(document)
        self._direct = {e.id: not e.generalisable for e in document.entities}
        self._names = {
            entity.id: frozenset(
                word
                for surface in entity.surfaces
                for word, _, _ in tokens(fold(surface))
                if word not in HONORIFICS
            )
            for entity in document.entities
        }
        spans = sorted((o.span.start, o.span.end) for o in marked)
        self._starts = [start for start, _ in spans]
        ends: list[int] = []
        for _, end in spans:
            ends.append(max(end, ends[-1]) if ends else end)
        self._ends = ends

    def run(self) -> list[Occurrence]:
        """The unannotated occurrences, ascending, not overlapping."""
        found: list[Occurrence] = []
        index, words = self._index, self._tokens
        position, count = 0, len(words)
        while position < count:
            hit = None
            for needle in index.get(words[position][0], ()):
                hit = self._match(needle, position)
                if hit:
                    direct = self._direct[needle.entity_id]
                    found.append(Occurrence(hit, needle.entity_id, "", needle.entity_type, direct))
                    position += len(needle.words)
                    break
            if hit is None:
                position += 1
        return found

    def _match(self, needle: Needle, position: int) -> Span | None:
        words = self._tokens[position : position + len(needle.words)]
        if len(words) != len(needle.words):
            return None
        name = needle.entity_type == EntityType.PERSON
        for word, wanted in zip(words, needle.words, strict=True):
            if word[0] != wanted:
                return None
        text = self._folded.text
        for left, right, wanted in zip(words, words[1:], needle.gaps, strict=False):
            between = text[left[2] : right[1]]
            if len(between) > _MAX_GAP or between.count("\n") > 1:
                return None
            if gap(between, name) != wanted or (needle.dotted and "." not in between):
                return None
        start, end = self._folded.back(words[0][1], words[-1][2])
        if self._taken(start, end) or not self._cased(needle, words):
            return None
        return self._fits(needle, position, start, end)

    def _taken(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` touches an annotated span."""
        before = bisect_right(self._starts, end - 1)
        return before > 0 and self._ends[before - 1] > start

    def _cased(self, needle: Needle, words: Sequence[Token]) -> bool:
        if needle.case == CAPITAL:
            return all(
                self._text[self._folded.back(start, end)[0]].isupper() for _, start, end in words
            )
        if needle.case == UPPER:
            return all(
                self._text[slice(*self._folded.back(start, end))].isupper()
                for _, start, end in words
            )
        return True

    def _fits(self, needle: Needle, position: int, start: int, end: int) -> Span | None:
        text = self._text
        if needle.common and (starts_sentence(text, start) or self._ordinary(needle, position)):
            return None
        if needle.alone and self._beside_name(position):
            return None
        if needle.entity_type in BY_VALUE:
            return self._measure(needle, start, end)
        if needle.entity_type == EntityType.CODE:
            inside = re.search(r"[\w/-]\Z", text[max(0, start - 1) : start])
            return None if inside else Span(start, end)
        if needle.entity_type == EntityType.PERSON:
            if needle.dotted:
                end += text.startswith(".", end)
            own = self._names[needle.entity_id]
            position, start = self._leftwards(position, start, own)
            end = self._rightwards(position, end, own)
            start = self._with_honorific(position, start)
        return Span(start, end)

    def _leftwards(self, position: int, start: int, own: frozenset[str]) -> tuple[int, int]:
        """Takes in capitalised words before that are the entity's too: "Anna [Maria Berg]"."""
        while position > 0:
            word, low, high = self._tokens[position - 1]
            begin, stop = self._folded.back(low, high)
            if word not in own or self._text[stop:start] != " " or not self._open(begin, start):
                break
            start, position = begin, position - 1
        return position, start

    def _rightwards(self, position: int, end: int, own: frozenset[str]) -> int:
        """The same behind: "[Maria] Berg"."""
        for word, low, high in self._tokens[position:]:
            begin, stop = self._folded.back(low, high)
            if begin < end:
                continue
            if word not in own or self._text[end:begin] != " " or not self._open(begin, stop):
                break
            end = stop
        return end

    def _open(self, begin: int, end: int) -> bool:
        return self._text[begin].isupper() and not self._taken(begin, end)

    def _ordinary(self, needle: Needle, position: int) -> bool:
        """Whether a name that is also a word is that word here: "the Court", "in May"."""
        before = self._tokens[position - 1][0] if position else ""
        after = self._tokens[position + 1][0] if position + 1 < len(self._tokens) else ""
        if before in ARTICLES | DETERMINERS:
            return True
        month = needle.words[-1] in MONTHS
        return month and (before in PREPOSITIONS or before.isdigit() or after.isdigit())

    def _beside_name(self, position: int) -> bool:
        """Whether a capitalised word that is no honorific stands directly beside."""
        for other in (position - 1, position + 1):
            if not 0 <= other < len(self._tokens):
                continue
            low, high = sorted((position, other))
            between = self._folded.text[self._tokens[low][2] : self._tokens[high][1]]
            word, start, end = self._tokens[other]
            first = self._text[self._folded.back(start, end)[0]]
            if between in (" ", ". ", "-") and first.isupper() and word not in HONORIFICS:
                return not (other < position and starts_sentence(self._text, start))
        return False

    def _with_honorific(self, position: int, start: int) -> int:
        while position > 0:
            word, low, high = self._tokens[position - 1]
            begin, stop = self._folded.back(low, high)
            between = self._text[stop:start]
            if word not in HONORIFICS or not self._text[begin].isupper():
                break
            if between not in (" ", ". ", ".", "\u00a0", ".\u00a0") or self._taken(begin, start):
                break
            start, position = begin, position - 1
        return start

    def _measure(self, needle: Needle, start: int, end: int) -> Span | None:
        """The span of a date or number, a bare year widened to the date it belongs to."""
        head, tail = self._text[max(0, start - 24) : start].lower(), self._text[end : end + 2]
        if re.search(r"[\d][.,:/]?\Z", head) or _NUMBER_AFTER.match(tail):
            return None
        if needle.words[0][0].isdigit() and _NUMBER_BESIDE.search(head):
            return None
        if len(needle.words) == 1 and needle.entity_type == EntityType.DATETIME:
            date = _DATE_BEFORE.search(head)
            if date:
                begin = start - len(date.group())
                return None if self._taken(begin, end) else Span(begin, end)
        return Span(start, end)


def _index(document: Document) -> dict[str, list[Needle]]:
    """First word -> needles, longest first; of equal ones the annotated form, then the first."""
    best: dict[tuple[tuple[str, ...], tuple[str, ...]], Needle] = {}
    for entity in document.entities:
        for needle in needles(entity):
            key = (needle.words, needle.gaps)
            if key not in best or (needle.exact and not best[key].exact):
                best[key] = needle
    index: dict[str, list[Needle]] = {}
    for needle in best.values():
        index.setdefault(needle.words[0], []).append(needle)
    for group in index.values():
        group.sort(key=lambda n: (-sum(map(len, n.words)), -len(n.words), n.words))
    return index
