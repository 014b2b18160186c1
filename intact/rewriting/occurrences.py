"""Every place where a masked entity stands, annotated or found by the sweep.

At each word, the sweep tries the variants of masked names that begin with it, longest first, and it
compares dates by their day: "3 May 1951" is "May 3, 1951" and "1951-05-03". Its cost is linear in
the length of the text.

Where spans overlap, directly or through others, all their characters are replaced as one place, by
the phrase of the longest span. Of equally long ones at the same place a label wins, because it says
less.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from intact.discourse.things import names_of
from intact.domain import BY_VALUE, Covered, Document, Entity, EntityType, Mention, Span
from intact.english import vocabulary
from intact.english.grammar import DETERMINERS, PREPOSITIONS, verb_of
from intact.english.scan import find_days, parse_temporal
from intact.english.sentences import starts_sentence
from intact.english.time import WEEKDAY_NAMES, Days, Kind
from intact.english.words import TITLES, fold, given_sexes, is_ordinary, original_tokens
from intact.rewriting import variants
from intact.rewriting.variants import SurfaceVariant

_FORMS = vocabulary.read_patterns("occurrences")
_JOINTS = frozenset({" ", "-"})  # between words of one name: "Mary Ann", "Jean-Luc"
_LONGEST_NAME = 6  # the most words of a name on each side of the word that identifies it
_FIGURES, _GLUED = "0123456789", 3  # the least letters of a word that figures are glued to
_DAYS = frozenset(map(str.lower, WEEKDAY_NAMES))
_NO_SURNAMES = vocabulary.STOP_WORDS - variants.COMMON_NAMES  # "Conor I agree"
_TITLES = vocabulary.HONORIFICS
_COMMON = variants.MONTHS | vocabulary.STOP_WORDS
# what follows a name: "Mark and", not "mark the"
_BEHIND_NAMES = vocabulary.STOP_WORDS - vocabulary.ARTICLES - DETERMINERS


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place of an entity in the original text."""

    span: Span
    entity_id: str
    mention_id: str = ""  # the annotated mention, or "" for one that only the sweep found
    entity_type: str = ""
    direct: bool = False  # whether only a label may be put here
    covers: tuple[Occurrence, ...] = ()  # overlapping occurrences that go together with this one


def without_overlaps(occurrences: Sequence[Occurrence]) -> tuple[Occurrence, ...]:
    """Return the occurrences, ascending, with those that overlap, directly or through others,
    joined into one: the longest, with the span of the whole group and the others in its ``covers``.
    Of equally long ones at the same place, one that only a label may replace wins."""
    ordered = sorted(
        occurrences, key=lambda o: (o.span.start, -o.span.end, not o.direct, not o.mention_id)
    )
    groups: list[list[Occurrence]] = []
    end = 0
    for occurrence in ordered:
        if not groups or occurrence.span.start >= end:
            groups.append([])
        groups[-1].append(occurrence)
        end = max(end, occurrence.span.end)
    found = []
    for group in groups:
        span = Span(group[0].span.start, max(one.span.end for one in group))
        longest = max(group, key=lambda one: len(one.span))  # the first of them
        covers = longest.covers + tuple(one for one in group if one is not longest)
        found.append(replace(longest, span=span, covers=covers))
    return tuple(found)


def occurrences(document: Document) -> tuple[Occurrence, ...]:
    """List the places that must be replaced, by their start, the longer first: the masked mentions,
    and where a masked entity stands again without one, also inside mentions that are not masked, as
    whoever reads it there would recognise it everywhere. They may overlap. The document's ``kept``
    spans stay; () if nothing is masked."""
    found = [
        Occurrence(m.span, m.entity_id, m.id, m.entity_type, not m.generalisable)
        for entity in document.entities
        for m in entity.mentions
    ]
    if found:
        marked = (*(place.span for place in found), *document.kept)
        found += _Sweep(document.text, document.entities, marked).run()
    return tuple(sorted(found, key=lambda o: (o.span.start, -o.span.end, o.mention_id)))


class _Token(NamedTuple):
    """A folded word, and where it is in the original."""

    word: str
    start: int
    end: int


def _tokens_of(text: str, forms: Iterable[tuple[str, ...]]) -> Iterator[_Token]:
    """Yield the words of a text in order, folded (lower case, without accents), with their offsets.
    Of a word of one of the ``forms`` with figures glued to it ("Brannagh2") only the word is read,
    and the figures belong to its place.

    Args:
        text: the original.
        forms: the folded words of each form that is looked for.
    """
    known = set(chain.from_iterable(forms))
    for word, start, end in original_tokens(text):
        plain = word if word in known else word.rstrip(_FIGURES)
        glued = len(plain) >= _GLUED and plain in known
        yield _Token(plain if glued else word, start, end)


def _days_of(mention: Mention) -> Days:
    """Return the day that a mention of a date names, or the two that "3/5/1951" may name, each as
    (kind, day number); an empty set for a month, a range, a day without a year, a time with a
    clock, or a mention of another type."""
    time = parse_temporal(mention.text) if mention.entity_type == EntityType.DATETIME else None
    if time is None or time.kind is not Kind.INTERVAL or time.clock is not None:
        return set()
    return time.days() if time.either or time.first == time.last else set()


def _is_given(word: str, joint: str, *, odd: bool) -> bool:
    """Check whether a word before a name is a given name or an initial: a listed given name, or a
    word that is no ordinary English one.

    Args:
        word: folded; it has a capital in the text.
        joint: the character after it; an initial needs a full stop.
        odd: whether it is in capitals and the name is not; then only a listed given name counts.
    """
    if len(word) == 1:
        return joint == "."  # not "Ward B Conor"
    return word in given_sexes() or not (odd or is_ordinary(word))


def _is_surname(word: str, *, upper: bool) -> bool:
    """Check whether a capitalised word after a given name may be its surname: any but a function
    word ("Conor I agree"); in a line in capitals (``upper``), where the capital says nothing, only
    one that is no ordinary word or is also a known name."""
    known = not upper or word in variants.COMMON_NAMES or not is_ordinary(word)
    return known and word not in _NO_SURNAMES


class _Sweep:
    """One pass over one document, outside the spans ``marked``."""

    def __init__(self, text: str, entities: Sequence[Entity], marked: Iterable[Span]) -> None:
        """Read what the pass needs: the words of the text, the variants of the entities' names by
        their words, and the days of their dates."""
        self._text = text
        shown = [mention for entity in entities for mention in entity.mentions]
        self._days = {day: mention for mention in shown for day in _days_of(mention)}
        named = names_of(text, shown).items()
        self._sexes = {shown[at].entity_id: name.sex for at, name in named if name.sex}
        best: dict[tuple[tuple[str, ...], tuple[str, ...], str], SurfaceVariant] = {}
        forms = variants.surface_variants(entities)
        for variant in sorted(forms, key=lambda each: not each.exact):
            sex = self._sexes.get(variant.entity_id, "")
            best.setdefault((variant.words, variant.gaps, sex), variant)
        self._index: dict[tuple[str, ...], list[SurfaceVariant]] = defaultdict(list)
        lengths: dict[str, set[int]] = defaultdict(set)  # of the variants that begin with a word
        for (words, *_), variant in best.items():
            self._index[words].append(variant)
            lengths[words[0]].add(len(words))
        self._tokens = [*_tokens_of(text, self._index)]
        self._lengths = {word: sorted(found, reverse=True) for word, found in lengths.items()}
        self._direct = {e.id: not e.generalisable for e in entities}
        self._names = {
            e.id: {word for word, *_ in original_tokens(" ".join(e.surfaces))} - _TITLES
            for e in entities
        }
        self._marked = Covered(text, marked)

    def run(self) -> list[Occurrence]:
        """Find what was masked and stands again outside the marked spans. Return one occurrence for
        each span: first the days of masked dates, in whatever form, then names and words as they
        were written; both in text order. A span that is both is the name's, among the days."""
        found: list[Occurrence] = []
        end = 0
        for position, token in enumerate(self._tokens):
            if token.start < end or token.word not in self._lengths:
                continue
            for variant in self._variants_at(position):
                if span := self._match(variant, position):
                    direct, kind = self._direct[variant.entity_id], variant.entity_type
                    found.append(Occurrence(span, variant.entity_id, "", kind, direct))
                    end = span.end
                    break
        days = {one.span: one for one in self._same_days()}
        return [*(days | {one.span: one for one in found}).values()]

    def _same_days(self) -> Iterator[Occurrence]:
        """Yield an occurrence wherever the day of a masked date stands with its year outside the
        marked spans, in whatever form, in text order, also at an end of a range, but not at the end
        of a longer number."""
        for span, time in find_days(self._text) if self._days else ():
            mention = next((self._days[day] for day in time.days() if day in self._days), None)
            cut = _FORMS["cut_before"].search(self._text, max(0, span.start - 2), span.start)
            if mention and not cut and not self._marked.touches(span):
                direct, kind = self._direct[mention.entity_id], mention.entity_type
                yield Occurrence(span, mention.entity_id, "", kind, direct)

    def _variants_at(self, position: int) -> Iterator[SurfaceVariant]:
        """Yield the variants that begin at a token and touch no marked span, the longest first. Of
        variants of several people, those whose sex the title before it contradicts come last."""
        first = self._tokens[position]
        title = vocabulary.KEPT_TITLES.get(self._tokens[position - 1].word, "") if position else ""
        for length in self._lengths[first.word]:
            there = self._tokens[position : position + length]
            if len(there) == length and not self._marked.touches(Span(first.start, there[-1].end)):
                own = self._index.get(tuple(token.word for token in there), ())
                sexes = {"Mr", "Ms"}  # title and sex, where they contradict each other
                yield from sorted(own, key=lambda o: {self._sexes.get(o.entity_id), title} == sexes)

    def _match(self, variant: SurfaceVariant, position: int) -> Span | None:
        """Return the span of ``variant`` at the token ``position``, widened to the titles and names
        that belong to it; None if it does not stand there: other words between, no capitals, an
        ordinary word, or the name of somebody else."""
        there = self._tokens[position : position + len(variant.words)]
        name = variant.entity_type == EntityType.PERSON
        for left, right, wanted in zip(there, there[1:], variant.gaps, strict=False):
            between = fold(self._text[left.end : right.start])
            if variants.gap(between, name) != wanted or (variant.dotted and "." not in between):
                return None
        cased = all(self._cased(variant.case, each) for each in there)
        if not cased or (variant.common and self._is_word(variant, position)):
            return None
        if variant.alone and self._beside_name(variant, position):
            return None
        return self._widened(variant, position, there[0].start, there[-1].end)

    def _cased(self, case: str, token: _Token) -> bool:
        """Check whether a token has the capitals that a variant of that ``case`` needs: a first one
        for "capital" (none in a word of four letters or more that is no English word), all for
        "upper", none for "any"."""
        if case == variants.CAPITAL:
            capital = self._text[token.start].isupper()
            return capital or (len(token.word) >= 4 and not is_ordinary(token.word))  # "kyle"
        return case != variants.UPPER or self._text[token.start : token.end].isupper()

    def _widened(self, variant: SurfaceVariant, position: int, start: int, end: int) -> Span | None:
        """Return the match at ``[start, end)`` widened to what belongs to it: a person's other
        names, titles and joined words. None if a date, amount or code is only part of a longer one.

        Args:
            variant: the form that was matched.
            position: the index of its first token.
            start: where the match begins.
            end: where it ends.
        """
        if variant.entity_type in BY_VALUE:
            return self._value(variant, start, end)
        if variant.entity_type == EntityType.CODE:
            inside = re.search(r"[\w/-]\Z", self._text[max(0, start - 1) : start])
            return None if inside else Span(start, end)
        if variant.entity_type == EntityType.PERSON:
            last = position + len(variant.words) - 1
            first, last = self._extent(position, last, self._names[variant.entity_id])
            first, _ = self._extent(first, last, _TITLES)
            start, end = self._tokens[first].start, self._tokens[last].end
            if variant.dotted:
                end += self._text.startswith(".", end)
            behind = _FORMS["joined_behind"].match(self._text, end)
            if behind and not self._marked.touches(Span(end, behind.end())):
                end = behind.end()
            joined = _FORMS["joined_before"].search(self._text, max(0, start - 40), start)
            if joined and not self._marked.touches(Span(joined.start(), start)):
                start = joined.start()
        return Span(start, end)

    def _extent(self, first: int, last: int, own: Container[str]) -> tuple[int, int]:
        """Return the indexes of the first and the last token when the tokens ``first`` to ``last``
        are widened by capitalised words among ``own`` that are joined to them, at most six on each
        side: "Anna [Maria] Berg", "[Jean]-Luc". Marked spans are not touched."""
        low, high, tokens = first - _LONGEST_NAME, last + _LONGEST_NAME, self._tokens
        while first > low and self._joined(first - 1) and self._is_own(tokens[first - 1], own):
            first -= 1
        while last < high and self._joined(last) and self._is_own(tokens[last + 1], own):
            last += 1
        return first, last

    def _is_own(self, token: _Token, own: Container[str]) -> bool:
        """Check whether a token is a capitalised word among ``own`` that no marked span touches."""
        free = not self._marked.touches(Span(token.start, token.end))
        return free and self._text[token.start].isupper() and token.word in own

    def _is_word(self, variant: SurfaceVariant, position: int) -> bool:
        """Check whether a name that is also a common word is that word here: after an article or
        the like ("the Court"); a month after a preposition or beside a figure ("in May"); and any
        at the start of a sentence, unless a verb, a small word or another word of the person's name
        follows it ("Baker appealed"), which saves no month or function word."""
        before = self._tokens[position - 1].word if position else ""
        after = self._tokens[position + 1].word if position + 1 < len(self._tokens) else ""
        if before in vocabulary.ARTICLES | DETERMINERS:
            return True
        if starts_sentence(self._text, self._tokens[position].start):
            named = after in _BEHIND_NAMES | self._names[variant.entity_id]  # "Smith, Mary"
            named = named or verb_of(after)[1] in ("past", "s")
            return not named or variant.words[-1] in _COMMON
        month = variant.words[-1] in variants.MONTHS
        return month and (before in PREPOSITIONS or before.isdigit() or after.isdigit())

    def _beside_name(self, variant: SurfaceVariant, position: int) -> bool:
        """Check whether a word right beside those of a person's own words that are here makes them
        the name of somebody else: "Jean-Luc Berg" is not Jean-Luc Moreau, "Nurse Jean-Luc" is."""
        own = self._names[variant.entity_id]
        first, last = self._extent(position, position, own)
        before, behind = first - 1, last + 1
        further = self._joined(behind) and self._tokens[behind + 1].word in own
        opens = starts_sentence(self._text, self._tokens[before].start)
        if not further and self._joined(last) and self._is_part(variant, position, behind):
            return True
        return self._joined(before) and not opens and self._is_part(variant, position, before)

    def _is_part(self, variant: SurfaceVariant, position: int, at: int) -> bool:
        """Check whether the token ``at`` beside the name at ``position`` is a given name or, behind
        it, a surname, and no word that stands beside a name: "Ask", "Monday", a title. Any
        capitalised word but a title counts if a hyphen joins it, or if the name may be a common
        word ("High Court")."""
        token, name, text = self._tokens[at], self._tokens[position], self._text
        shown, word, before = text[token.start : token.end], token.word, at < position
        upper = shown.isupper() and text[name.start : name.end].isupper()
        if not shown[0].isupper() or word in (TITLES if before else _TITLES):
            return False
        unsure = name.word not in given_sexes() or name.word in _COMMON or upper
        joint = text[token.end] if before else text[token.start - 1]
        if joint == "-" or (variant.common and unsure):
            return True  # "High Court"
        if word in _DAYS or shown in vocabulary.ABBREVIATIONS:
            return False
        odd = shown.isupper() and not upper  # "HCA Conor"
        return _is_given(word, joint, odd=odd) if before else _is_surname(word, upper=upper)

    def _joined(self, position: int) -> bool:
        """Check whether the token at an index is joined to the next by a blank, a hyphen or the
        full stop of an initial or a title; False for the last token and for an index out of
        range."""
        if not 0 <= position < len(self._tokens) - 1:
            return False
        one, other = self._tokens[position : position + 2]
        between = fold(self._text[one.end : other.start])
        stopped = len(one.word) == 1 or one.word in _TITLES
        return between in _JOINTS or (stopped and between == ". ")

    def _value(self, variant: SurfaceVariant, start: int, end: int) -> Span | None:
        """Return the span ``[start, end)`` of a date or amount; None if it is part of a longer
        one."""
        head = self._text[max(0, start - 24) : start]
        behind = _FORMS["number_after"].match(self._text, end, end + 2)
        beside = variant.words[0][0].isdigit() and _FORMS["number_beside"].search(head)
        if behind or beside or _FORMS["number_before"].search(head):
            return None
        return Span(start, end)
