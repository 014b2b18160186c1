"""Every place where a masked entity stands in a document: annotated, or found by the sweep.

The sweep walks once over the words of the text; at each it tries the variants of masked names
that begin with that word, longest first. Cost: linear in the text.

Of spans that overlap one another directly or through others, all characters go:

* one span contains all others (nesting): it is replaced, the inner ones go with it;
* two identical spans: a label wins over a generalisation, because it says less, then the
  one that comes first in the document's order;
* partial overlap: the union is replaced, with the phrase of the longest span.

So nothing of any original is left, and nothing is replaced twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from intact.domain import BY_VALUE, Document, EntityType, Span
from intact.english.agreement import ARTICLES, DETERMINERS, PREPOSITIONS
from intact.english.calendar import MONTH_NAMES
from intact.english.fold import fold, folded, tokens
from intact.english.sentences import starts_sentence
from intact.english.vocabulary import either
from intact.english.wordlists import HONORIFICS
from intact.rewriting.variants import CAPITAL, MONTHS, UPPER, SurfaceVariant, gap, variants

_MAX_GAP = 6
_DATE_BEFORE = re.compile(
    rf"\b(?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?: of)?\s)?(?:{either(MONTH_NAMES)}),?\s\Z",
    re.I,
)
_NUMBER_BEFORE = re.compile(r"\d[.,:/]?\Z")
_NUMBER_BESIDE = re.compile(r"[/§#:-]\Z|\b(?:nos?|law|act|section|article)\.?\s\Z", re.I)
_NUMBER_AFTER = re.compile(r"[/:]\w|[.,-]\d|-\w")
_BLANKS = frozenset({" "})
_TITLE_GAPS = frozenset({" ", ". ", ".", "\u00a0", ".\u00a0"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where an entity stands in the original text.

    Attributes:
        mention_id: the annotated mention, or "" for one that only the sweep found.
        direct: whether only a label may stand here.
        covers: overlapping occurrences that go together with this one.
    """

    span: Span
    entity_id: str
    mention_id: str = ""
    entity_type: str = ""
    direct: bool = False
    covers: tuple[Occurrence, ...] = ()


def without_overlaps(occurrences: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    """Ascending occurrences that do not overlap; each covers those that go with it."""
    ordered = sorted(
        occurrences, key=lambda o: (o.span.start, -o.span.end, not o.direct, not o.mention_id)
    )
    groups: list[list[Occurrence]] = []
    end = 0
    for occurrence in ordered:
        if groups and occurrence.span.start < end:
            groups[-1].append(occurrence)
        else:
            groups.append([occurrence])
        end = max(end, occurrence.span.end)
    return tuple(group[0] if len(group) == 1 else _union(group) for group in groups)


def _union(group: list[Occurrence]) -> Occurrence:
    span = Span(group[0].span.start, max(o.span.end for o in group))
    longest = max(group, key=lambda o: len(o.span))  # the first of them
    return replace(longest, span=span, covers=tuple(o for o in group if o is not longest))


def occurrences(document: Document, *, sweep: bool = True) -> tuple[Occurrence, ...]:
    """The places that must go, in text order. Computed once: choices do not matter.

    Args:
        document: a text and its mentions.
        sweep: whether to add the unannotated places where a masked entity stands again.
    """
    found = [
        Occurrence(m.span, m.entity_id, m.id, m.entity_type, not m.generalisable)
        for m in document.mentions
        if m.masked
    ]
    if sweep and found:
        found += _Sweep(document, [*(place.span for place in found), *document.kept]).run()
    return tuple(sorted(found, key=lambda o: (o.span.start, -o.span.end, o.mention_id)))


@dataclass(frozen=True, slots=True)
class _Token:
    """A folded word, and where it stands in the original."""

    word: str
    start: int
    end: int


class _Sweep:
    """One walk over one document.

    Args:
        document: a text and its mentions.
        marked: the annotated spans, and those to be left.
    """

    def __init__(self, document: Document, marked: Sequence[Span]) -> None:
        self._text = document.text
        plain = folded(document.text)
        self._tokens = [
            _Token(word, *plain.back(start, end)) for word, start, end in tokens(plain.text)
        ]
        self._index, self._lengths = _index(document)
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
        spans = sorted(marked)
        self._starts = [span.start for span in spans]
        self._ends: list[int] = []
        for span in spans:
            self._ends.append(max([span.end, *self._ends[-1:]]))

    def run(self) -> list[Occurrence]:
        """The unannotated occurrences, ascending, not overlapping."""
        found: list[Occurrence] = []
        position = 0
        while position < len(self._tokens):
            step = 1
            for variant in self._variants_at(position):
                span = self._match(variant, position)
                if span:
                    direct, kind = self._direct[variant.entity_id], variant.entity_type
                    found.append(Occurrence(span, variant.entity_id, "", kind, direct))
                    step = len(variant.words)
                    break
            position += step
        return found

    def _variants_at(self, position: int) -> Iterator[SurfaceVariant]:
        """The variants whose words stand at the token ``position``, longest first."""
        for length in self._lengths.get(self._tokens[position].word, ()):
            there = self._tokens[position : position + length]
            yield from self._index.get(tuple(token.word for token in there), ())

    def _match(self, variant: SurfaceVariant, position: int) -> Span | None:
        """Where ``variant`` stands at the token ``position``, if it does."""
        there = self._tokens[position : position + len(variant.words)]
        name = variant.entity_type == EntityType.PERSON
        for left, right, wanted in zip(there, there[1:], variant.gaps, strict=False):
            between = fold(self._text[left.end : right.start])
            if len(between) > _MAX_GAP or between.count("\n") > 1:
                return None
            if gap(between, name) != wanted or (variant.dotted and "." not in between):
                return None
        start, end = there[0].start, there[-1].end
        if self._taken(start, end) or not all(self._cased(variant.case, each) for each in there):
            return None
        if variant.common and (
            starts_sentence(self._text, start) or self._is_word(variant, position)
        ):
            return None
        if variant.alone and self._beside_name(position):
            return None
        return self._widened(variant, position, start, end)

    def _taken(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` touches an annotated span."""
        before = bisect_right(self._starts, end - 1)
        return before > 0 and self._ends[before - 1] > start

    def _cased(self, case: str, token: _Token) -> bool:
        if case == CAPITAL:
            return self._text[token.start].isupper()
        return case != UPPER or self._text[token.start : token.end].isupper()

    def _widened(self, variant: SurfaceVariant, position: int, start: int, end: int) -> Span | None:
        """The span that goes with a match at ``[start, end)``, or None if it is none after all."""
        if variant.entity_type in BY_VALUE:
            return self._value(variant, start, end)
        if variant.entity_type == EntityType.CODE:
            inside = re.search(r"[\w/-]\Z", self._text[max(0, start - 1) : start])
            return None if inside else Span(start, end)
        if variant.entity_type == EntityType.PERSON:
            if variant.dotted:
                end += self._text.startswith(".", end)
            own = self._names[variant.entity_id]
            end = self._rightwards(position + len(variant.words), end, own)
            position, start = self._leftwards(position, start, own, _BLANKS)
            position, start = self._leftwards(position, start, HONORIFICS, _TITLE_GAPS)
        return Span(start, end)

    def _leftwards(
        self, position: int, start: int, wanted: Container[str], gaps: Container[str]
    ) -> tuple[int, int]:
        """Takes in capitalised words before that belong to it too: "Mr [Anna [Maria Berg]]"."""
        while position > 0:
            token = self._tokens[position - 1]
            joined = token.word in wanted and self._text[token.end : start] in gaps
            if not joined or not self._free(token.start, start):
                break
            position, start = position - 1, token.start
        return position, start

    def _rightwards(self, position: int, end: int, own: Container[str]) -> int:
        """The same behind: "[Maria] Berg"."""
        for token in self._tokens[position:]:
            joined = token.word in own and self._text[end : token.start] == " "
            if not joined or not self._free(token.start, token.end):
                break
            end = token.end
        return end

    def _free(self, start: int, end: int) -> bool:
        return self._text[start].isupper() and not self._taken(start, end)

    def _is_word(self, variant: SurfaceVariant, position: int) -> bool:
        """Whether a name that is also a word is that word here: "the Court", "in May"."""
        before = self._tokens[position - 1].word if position else ""
        after = self._tokens[position + 1].word if position + 1 < len(self._tokens) else ""
        if before in ARTICLES | DETERMINERS:
            return True
        month = variant.words[-1] in MONTHS
        return month and (before in PREPOSITIONS or before.isdigit() or after.isdigit())

    def _beside_name(self, position: int) -> bool:
        """Whether a capitalised word that is no honorific stands directly beside."""
        for other in (position - 1, position + 1):
            if not 0 <= other < len(self._tokens):
                continue
            low, high = sorted((position, other))
            between = self._text[self._tokens[low].end : self._tokens[high].start]
            token = self._tokens[other]
            capital = self._text[token.start].isupper()
            if fold(between) in (" ", ". ", "-") and capital and token.word not in HONORIFICS:
                return not (other < position and starts_sentence(self._text, token.start))
        return False

    def _value(self, variant: SurfaceVariant, start: int, end: int) -> Span | None:
        """The span of a date or number, a bare year widened to the date it belongs to."""
        head = self._text[max(0, start - 24) : start]
        if _NUMBER_BEFORE.search(head) or _NUMBER_AFTER.match(self._text, end, end + 2):
            return None
        if variant.words[0][0].isdigit() and _NUMBER_BESIDE.search(head):
            return None
        date = _DATE_BEFORE.search(head)
        if date and len(variant.words) == 1 and variant.entity_type == EntityType.DATETIME:
            start -= len(date.group())
            return None if self._taken(start, end) else Span(start, end)
        return Span(start, end)


def _index(
    document: Document,
) -> tuple[dict[tuple[str, ...], list[SurfaceVariant]], dict[str, list[int]]]:
    """Words -> their variants (of equal ones the annotated form, then the first); and first word ->
    how many words a variant that begins so may have, most first."""
    best: dict[tuple[tuple[str, ...], tuple[str, ...]], SurfaceVariant] = {}
    for entity in document.entities:
        for variant in variants(entity):
            key = (variant.words, variant.gaps)
            if key not in best or (variant.exact and not best[key].exact):
                best[key] = variant
    index: dict[tuple[str, ...], list[SurfaceVariant]] = {}
    for variant in best.values():
        index.setdefault(variant.words, []).append(variant)
    lengths: dict[str, set[int]] = {}
    for words in index:
        lengths.setdefault(words[0], set()).add(len(words))
    return index, {word: sorted(found, reverse=True) for word, found in lengths.items()}
