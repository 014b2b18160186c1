"""Every place where a masked entity stands, annotated or swept up.

The sweep tries at each word the variants of masked names that begin with it, longest first. Cost:
linear in the text.

Of spans that overlap one another directly or through others, all characters go: their union is
replaced, with the phrase of the longest span; of identical ones a label wins, because it says less.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from intact.domain import BY_VALUE, Document, EntityType, Span
from intact.english.grammar import DETERMINERS, PREPOSITIONS
from intact.english.sentences import starts_sentence
from intact.english.time import MONTH_NAMES
from intact.english.vocabulary import ARTICLES, HONORIFICS, either, read_patterns
from intact.english.words import fold, is_ordinary, original_tokens
from intact.rewriting.variants import (
    CAPITAL,
    MONTHS,
    UPPER,
    SurfaceVariant,
    gap,
    surface_variants,
)

_FORMS = read_patterns("occurrences", {"months": either(MONTH_NAMES)})
_MAX_GAP = 6
_BLANKS = frozenset({" "})
_TITLE_GAPS = frozenset({" ", ". ", ".", "\u00a0", ".\u00a0"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where an entity stands in the original text."""

    span: Span
    entity_id: str
    mention_id: str = ""  # the annotated mention, or "" for one that only the sweep found
    entity_type: str = ""
    direct: bool = False  # whether only a label may stand here
    covers: tuple[Occurrence, ...] = ()  # overlapping occurrences that go together with this one


def without_overlaps(occurrences: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    """Join occurrences that overlap: the longest stands for its whole group and covers the
    others."""
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
    found = []
    for group in groups:
        span = Span(group[0].span.start, max(one.span.end for one in group))
        longest = max(group, key=lambda one: len(one.span))  # the first of them
        covers = longest.covers + tuple(one for one in group if one is not longest)
        found.append(replace(longest, span=span, covers=covers))
    return tuple(found)


def occurrences(document: Document, *, sweep: bool = True) -> tuple[Occurrence, ...]:
    """List the places that must go, in text order, whatever is chosen for them.

    Args:
        document: with its mentions; those not masked, and ``kept`` spans, stay.
        sweep: whether to add the unannotated places where a masked entity stands again.
    """
    found = [
        Occurrence(m.span, m.entity_id, m.id, m.entity_type, not m.generalisable)
        for entity in document.entities
        for m in entity.mentions
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
    """One walk over one document, beside the spans ``marked`` or to be left."""

    def __init__(self, document: Document, marked: Sequence[Span]) -> None:
        self._text = document.text
        self._tokens = [_Token(*token) for token in original_tokens(document.text)]
        best: dict[tuple[tuple[str, ...], tuple[str, ...]], SurfaceVariant] = {}
        for entity in document.entities:
            for variant in surface_variants(entity):
                key = (variant.words, variant.gaps)
                if key not in best or (variant.exact and not best[key].exact):
                    best[key] = variant
        self._index: dict[tuple[str, ...], list[SurfaceVariant]] = defaultdict(list)
        lengths: dict[str, set[int]] = defaultdict(set)  # of the variants that begin with a word
        for (words, _), variant in best.items():
            self._index[words].append(variant)
            lengths[words[0]].add(len(words))
        self._lengths = {word: sorted(found, reverse=True) for word, found in lengths.items()}
        self._direct = {e.id: not e.generalisable for e in document.entities}
        self._names = {
            e.id: {word for word, _, _ in original_tokens(" ".join(e.surfaces))} - HONORIFICS
            for e in document.entities
        }
        spans = sorted(marked)
        self._starts = [span.start for span in spans]
        self._ends = list(accumulate((span.end for span in spans), max))

    def run(self) -> list[Occurrence]:
        """Find the unannotated occurrences, ascending, not overlapping."""
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
        """Yield the variants between a token and the next marked span, the longest first."""
        token = self._tokens[position]
        if self._taken(token.start, token.end):
            return
        after = bisect_right(self._starts, token.start)
        limit = self._starts[after] if after < len(self._starts) else len(self._text)
        for length in self._lengths.get(token.word, ()):
            last = position + length - 1
            if last >= len(self._tokens) or self._tokens[last].end > limit:
                continue
            there = self._tokens[position : position + length]
            yield from self._index.get(tuple(token.word for token in there), ())

    def _match(self, variant: SurfaceVariant, position: int) -> Span | None:
        """Locate ``variant`` at the token ``position``, if it stands there."""
        there = self._tokens[position : position + len(variant.words)]
        name = variant.entity_type == EntityType.PERSON
        for left, right, wanted in zip(there, there[1:], variant.gaps, strict=False):
            between = fold(self._text[left.end : right.start])
            wide = len(between) > _MAX_GAP or between.count("\n") > 1
            if wide or gap(between, name) != wanted or (variant.dotted and "." not in between):
                return None
        start, end = there[0].start, there[-1].end
        if (
            self._taken(start, end)
            or not all(self._cased(variant.case, each) for each in there)
            or (variant.common and starts_sentence(self._text, start))
            or (variant.common and self._is_word(variant, position))
            or (variant.alone and self._beside_name(position))
        ):
            return None
        return self._widened(variant, position, start, end)

    def _taken(self, start: int, end: int) -> bool:
        """Check if ``[start, end)`` touches an annotated span."""
        before = bisect_right(self._starts, end - 1)
        return before > 0 and self._ends[before - 1] > start

    def _cased(self, case: str, token: _Token) -> bool:
        if case == CAPITAL:
            capital = self._text[token.start].isupper()
            return capital or (len(token.word) >= 4 and not is_ordinary(token.word))  # "kyle"
        return case != UPPER or self._text[token.start : token.end].isupper()

    def _widened(self, variant: SurfaceVariant, position: int, start: int, end: int) -> Span | None:
        """Widen a match at ``[start, end)`` to what goes with it; None if it is none."""
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
            behind = _FORMS["joined_behind"].match(self._text, end)
            if behind and not self._taken(end, behind.end()):
                end = behind.end()
            joined = _FORMS["joined_before"].search(self._text, max(0, start - 40), start)
            if joined and not self._taken(joined.start(), start):
                start = joined.start()
            position, start = self._leftwards(position, start, own, _BLANKS)
            position, start = self._leftwards(position, start, HONORIFICS, _TITLE_GAPS)
        return Span(start, end)

    def _leftwards(
        self, position: int, start: int, wanted: Container[str], gaps: Container[str]
    ) -> tuple[int, int]:
        """Take in capitalised words before that belong to it too: "Mr [Anna [Maria Berg]]"."""
        while position > 0:
            token = self._tokens[position - 1]
            joined = token.word in wanted and self._text[token.end : start] in gaps
            if not joined or not self._free(token.start, start):
                break
            position, start = position - 1, token.start
        return position, start

    def _rightwards(self, position: int, end: int, own: Container[str]) -> int:
        """Take in the same behind: "[Maria] Berg"."""
        for token in self._tokens[position:]:
            joined = token.word in own and self._text[end : token.start] == " "
            if not joined or not self._free(token.start, token.end):
                break
            end = token.end
        return end

    def _free(self, start: int, end: int) -> bool:
        return self._text[start].isupper() and not self._taken(start, end)

    def _is_word(self, variant: SurfaceVariant, position: int) -> bool:
        """Check if a name that is also a word is that word here: "the Court", "in May"."""
        before = self._tokens[position - 1].word if position else ""
        after = self._tokens[position + 1].word if position + 1 < len(self._tokens) else ""
        if before in ARTICLES | DETERMINERS:
            return True
        month = variant.words[-1] in MONTHS
        return month and (before in PREPOSITIONS or before.isdigit() or after.isdigit())

    def _beside_name(self, position: int) -> bool:
        """Check if a capitalised word that is no honorific stands directly beside."""
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
        """Locate a date or number, a bare year widened to the date it belongs to."""
        head = self._text[max(0, start - 24) : start]
        behind = _FORMS["number_after"].match(self._text, end, end + 2)
        beside = variant.words[0][0].isdigit() and _FORMS["number_beside"].search(head)
        if behind or beside or _FORMS["number_before"].search(head):
            return None
        date = _FORMS["date_before"].search(head)
        if date and len(variant.words) == 1 and variant.entity_type == EntityType.DATETIME:
            start -= len(date.group())
        return None if self._taken(start, end) else Span(start, end)
