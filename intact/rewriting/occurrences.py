"""Every place where a masked entity stands, annotated or swept up, and what stands around it.

The sweep tries at each word the variants of masked names that begin with it, longest first. Cost:
linear in the text.

Of spans that overlap one another directly or through others, all characters go: their union is
replaced, with the phrase of the longest span; of identical ones a label wins, because it says less.
A slot is such a place with all that fitting a phrase needs; see :mod:`intact.rewriting.phrase`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from intact.domain import BY_CONCEPT, BY_VALUE, Document, Entity, EntityType, Span
from intact.english.grammar import DETERMINERS, PREPOSITIONS, head_noun, is_plural_noun
from intact.english.numbers import whole_number
from intact.english.reading import AROUND, Place
from intact.english.sentences import line_is_upper, starts_sentence
from intact.english.time import MONTH_NAMES
from intact.english.vocabulary import (
    ARTICLES,
    HONORIFICS,
    STOP_WORDS,
    either,
    read_patterns,
    word_sets,
)
from intact.english.words import GENITIVE, fold, folded, is_english, is_ordinary, tokens

MONTHS = frozenset(map(str.lower, MONTH_NAMES))  # in lower case
ANY, CAPITAL, UPPER = "any", "capital", "upper"
_NAMES = word_sets("grammar", "names")
_PARTICLES, _NOT_INITIALS = _NAMES["particles"], _NAMES["not_initials"]
_COMMON = _NAMES["common"] | STOP_WORDS | MONTHS
_LEGAL_FORMS = frozenset("ltd limited plc inc llc llp corp co company gmbh ag ab sa srl bv".split())
"""What the name of a firm may end in, and is left out when it is named again."""
_BRACKET = re.compile(r"^(?P<head>[^()]+?)\s*\((?P<inner>[^()]+)\)\s*$")


@dataclass(frozen=True, slots=True)
class SurfaceVariant:
    """One form to look for."""

    words: tuple[str, ...]  # its folded words
    gaps: tuple[str, ...]  # what stands between them, see ``gap``
    entity_id: str
    entity_type: str
    case: str = ANY  # ANY, CAPITAL (each word begins with one) or UPPER (no small letter)
    alone: bool = False  # not beside another capitalised word, which may be of the same name
    common: bool = False  # also an ordinary word: not at the start of a sentence
    dotted: bool = False  # with a full stop between its words
    exact: bool = True  # whether it is the annotated form and not one derived from it


def gap(text: str, name: bool) -> str:
    """Normalise what stands between two words: white space as one blank; in a person's ``name``
    without blanks and full stops ("N.Ö. Akın" = "N. Ö. Akin").

    Args:
        text: what stands between two words, already folded.
        name: whether they are of a person's name.
    """
    return re.sub(r"[\s.]+", "", text) if name else re.sub(r"\s+", " ", text)


def surface_variants(entity: Entity) -> Iterator[SurfaceVariant]:
    """Yield the forms to look for, annotated ones first."""
    for surface in entity.surfaces:
        kind = next(m.entity_type for m in entity.mentions if m.text == surface)
        if kind == EntityType.PERSON:
            yield from _person(surface, entity.id)
        elif kind == EntityType.CODE:
            yield from _code(surface, entity.id)
        elif kind in BY_VALUE:
            yield from _value(surface, entity.id, kind)
        else:
            yield from _thing(surface, entity.id, kind)


class _Surface:
    """The words of a surface: folded, as they stand, and what stands between them."""

    def __init__(self, surface: str, *, name: bool = False) -> None:
        base = GENITIVE.sub("", surface.strip())
        plain = folded(base)
        found = tokens(plain.text)
        self.words = [word for word, _, _ in found]
        self.shown = [base[slice(*plain.back(start, end))] for _, start, end in found]
        ends = [start for _, start, _ in found[1:]]
        self._gaps = [
            gap(plain.text[end:following], name)
            for (_, _, end), following in zip(found, ends, strict=False)
        ]

    def without_first(self, words: Container[str], least: int = 0) -> None:
        """Take ``words`` off the front while more than ``least`` are left.

        Args:
            words: folded.
            least: how many words must be left.
        """
        cut, count = 0, len(self.words)
        while count - cut > least and self.words[cut] in words:
            cut += 1
        self.words, self.shown, self._gaps = self.words[cut:], self.shown[cut:], self._gaps[cut:]

    def without_last(self, words: Container[str]) -> None:
        """Take ``words`` off the end; one is left."""
        end = len(self.words)
        while end > 1 and self.words[end - 1] in words:
            end -= 1
        self.words, self.shown = self.words[:end], self.shown[:end]
        self._gaps = self._gaps[: max(0, end - 1)]

    def as_variant(self, entity_id: str, kind: str, case: str = ANY) -> SurfaceVariant:
        """Make of the words that are left a form to look for.

        Args:
            entity_id: of the thing it stands for.
            kind: its entity type.
            case: ANY, CAPITAL or UPPER.
        """
        return SurfaceVariant(tuple(self.words), tuple(self._gaps), entity_id, kind, case)


def _person(surface: str, entity_id: str) -> Iterator[SurfaceVariant]:
    own = _Surface(surface, name=True)
    own.without_first(HONORIFICS | ARTICLES)
    own.without_last(_NAMES["suffixes"])
    words = own.words
    if not words:
        return
    if all(map(str.islower, own.shown)):  # "his wife"
        if sum(map(len, words)) >= 4 and words[-1] not in STOP_WORDS:
            yield own.as_variant(entity_id, EntityType.PERSON)
    elif all(len(word) == 1 for word in words):
        if _are_initials(words):
            yield replace(own.as_variant(entity_id, EntityType.PERSON, UPPER), dotted=True)
    elif len(words) > 1:
        yield own.as_variant(entity_id, EntityType.PERSON)
        yield from _derived(words, own.shown, entity_id)
    elif len(words[0]) > 1:
        yield replace(_name(words, entity_id), exact=True)


def _name(
    words: list[str], entity_id: str, *, alone: bool = False, case: str = CAPITAL
) -> SurfaceVariant:
    """Make a name of a person whose words have nothing between them but blanks."""
    common, gaps = len(words) == 1 and words[0] in _COMMON, ("",) * (len(words) - 1)
    found = SurfaceVariant(tuple(words), gaps, entity_id, EntityType.PERSON, case, exact=False)
    return replace(found, alone=alone or common, common=common)


def _are_initials(letters: list[str]) -> bool:
    """Check that letters say somebody's name and are no common abbreviation."""
    return len(letters) > 1 and "".join(letters) not in _NOT_INITIALS


def _derived(words: list[str], shown: list[str], entity_id: str) -> Iterator[SurfaceVariant]:
    """Yield shorter forms of a full name: surname, initials with and without, a given name."""
    last = words[-1]
    if len(last) >= 2 and shown[-1][:1].isupper():
        given = [word for word in words[:-1] if word not in _PARTICLES]
        if given:
            initials = [word[0] for word in given]
            for front in ([given[0]], initials, initials[:1]):
                yield _name([*front, last], entity_id)
        particles = [word for word in words[1:-1] if word in _PARTICLES]
        if particles:
            yield _name([*particles, last], entity_id, case=ANY)
        if len(last) >= 3:
            yield _name([last], entity_id)
            family = last + ("es" if last.endswith(("s", "x", "z", "ch", "sh")) else "s")
            if not is_ordinary(family):  # "the Brandvolds", not "the Banks"
                yield _name([family], entity_id)
    for word, written in zip(words[1:-1], shown[1:-1], strict=True):
        if len(word) >= 4 and word not in _PARTICLES and written[0].isupper():
            yield _name([word], entity_id, alone=True)  # "Ms Lopez" is Maria Lopez Garcia
    letters = [word[0] for word in words if word not in _PARTICLES]
    if _are_initials(letters):
        yield replace(_name(letters, entity_id, case=UPPER), dotted=True)
    if len(words[0]) >= 4 and shown[0][:1].isupper():
        yield _name([words[0]], entity_id, alone=True)


def _code(surface: str, entity_id: str) -> Iterator[SurfaceVariant]:
    own = _Surface(surface)
    size = sum(map(len, own.words))
    if size > 3 or (size == 3 and not (len(own.words) == 1 and own.words[0].isdigit())):
        yield own.as_variant(entity_id, EntityType.CODE)


def _value(surface: str, entity_id: str, kind: str) -> Iterator[SurfaceVariant]:
    own = _Surface(surface)
    own.without_first(ARTICLES | {"in", "on", "at"})
    joined = "".join(own.words)
    distinctive = len(own.words) > 1 or joined.isdigit()
    if distinctive and len(joined) >= 4 and not set(own.words) <= STOP_WORDS:
        yield own.as_variant(entity_id, kind)


def _thing(surface: str, entity_id: str, kind: str) -> Iterator[SurfaceVariant]:
    bracket = _BRACKET.match(surface)
    parts = [surface, bracket["head"], bracket["inner"]] if bracket else [surface]
    spellings = [re.sub(r"\s+and\s+", " & ", surface), re.sub(r"\s*&\s*", " and ", surface)]
    if kind == EntityType.ORG and not bracket:
        parts += [spelling for spelling in spellings if spelling != surface]
    for index, part in enumerate(parts):
        own = _Surface(part)
        own.without_first(ARTICLES, least=1)
        letters = sum(map(len, own.words))
        capitals = "".join(own.shown).isupper()
        named = not index or any(word[:1].isupper() for word in own.shown)
        if letters < (2 if capitals else 4) or not named or STOP_WORDS.issuperset(own.words):
            continue
        case = UPPER if letters < 4 or (index == 2 and capitals) else ANY
        variant = own.as_variant(entity_id, kind, case)
        yield replace(variant, exact=index == 0)
        own.without_last(_LEGAL_FORMS)
        one, short = len(own.words) == 1, len(own.words) < len(variant.words)
        known = own.words[-1] == "and" or (one and is_english(own.words[0]))
        if kind == EntityType.ORG and short and not known:  # "Vestrano AG", not "London Ltd"
            yield replace(own.as_variant(entity_id, kind, CAPITAL if one else case), exact=False)


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
    """One walk over one document, beside the spans ``marked`` or to be left."""

    def __init__(self, document: Document, marked: Sequence[Span]) -> None:
        self._text = document.text
        plain = folded(document.text)
        self._tokens = [
            _Token(word, *plain.back(start, end)) for word, start, end in tokens(plain.text)
        ]
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
        if _FORMS["number_before"].search(head) or _FORMS["number_after"].match(
            self._text, end, end + 2
        ):
            return None
        if variant.words[0][0].isdigit() and _FORMS["number_beside"].search(head):
            return None
        date = _FORMS["date_before"].search(head)
        if date and len(variant.words) == 1 and variant.entity_type == EntityType.DATETIME:
            start -= len(date.group())
        return None if self._taken(start, end) else Span(start, end)


ADJECTIVES = word_sets("grammar", "determiners")["adjectives"]
"""Words that may stand between a determiner and a noun."""
NOUNS = word_sets("grammar", "nouns")
_LEFT_WINDOW = 96
PHRASE_END = PREPOSITIONS | word_sets("grammar", "limits")["phrase_end"]
"""Words that end a noun phrase."""
_FORMS = read_patterns(
    "occurrences",
    {
        **{name: either(NOUNS[name]) for name in ("qualifiers", "owners", "qualified")},
        "beginnings": either(NOUNS["name_beginnings"]),
        "months": either(MONTH_NAMES),
        "openers": either(map(str.capitalize, word_sets("grammar", "sentence")["openers"])),
        "phraseend": either(PHRASE_END),
    },
)
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
        """The word in lower case."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the text where a phrase has to fit."""

    occurrence: Occurrence  # what stands there in the original
    span: Span  # the characters that go
    before: tuple[Word, ...]  # up to five directly before, nearest last; those inside count
    opening: str  # brackets of the span that stay
    closing: str
    possessive: str  # "'" or "’" if the span ends in a genitive, else ""
    after_genitive: str  # a genitive mark right after the span
    head: str  # the core in the original (without words of ``before`` and without brackets)
    plural: bool  # whether ``head`` is a common noun in the plural
    upper: bool  # whether the line is set in capitals
    qualified: str  # the nouns right after the span that it qualifies (" police"), or ""
    later: bool  # whether the entity has been named before, or is defined here (“the ...”)
    after_slot: bool  # whether another slot ends one space, or adjectives, before
    # of a bracket right after another slot, which goes if both say so: "an office (an office)"
    echo: tuple[int, int] | None
    place: Place  # what stands around the span, as far as the next slots

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
        """Check that ``head`` begins with a capital or a digit."""
        return not self.head[:1].islower()

    @property
    def ranged(self) -> bool:
        """Check if ``head`` is a range ("1990 and 1995", "1990-1995")."""
        return re.search(r"\s(?:and|to|until)\s|[–‑-]\s?\d", self.head) is not None


def slots(text: str, occurrences: Sequence[Occurrence]) -> tuple[Slot, ...]:
    """Make a slot of every occurrence: what its sentence asks of a phrase.

    A bracket that repeats its entity is merged away.

    Args:
        text: the original.
        occurrences: see ``without_overlaps``.
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
    return tuple(made)


def _whole_words(text: str, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """Widen occurrences where one cuts a word, date, number or name."""
    whole: list[Occurrence] = []
    for position, occurrence in enumerate(occurrences):
        start, end = occurrence.span.start, occurrence.span.end
        floor = whole[-1].span.end if whole else 0
        following = occurrences[position + 1 : position + 2]
        limit = following[0].span.start if following else len(text)
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
    return char.islower() or char.isupper()


def _echo(text: str, bounds: tuple[int, int], span: Span) -> tuple[int, int] | None:
    """Find the bracket from the slot before (at ``bounds[0]``) around ``span``, if any."""
    before, limit = bounds
    between = text[before : span.start]
    closing = _BRACKETS.get(between, "")
    closed = closing and text.startswith(closing, span.end) and span.end + len(closing) <= limit
    return (before, span.end + len(closing)) if closed else None


def _slot(
    text: str, occurrence: Occurrence, end: int, bounds: tuple[int, int], seen: set[str]
) -> Slot:
    """Make the slot of an occurrence that goes as far as ``end``, between ``bounds``."""
    start, (floor, limit) = occurrence.span.start, bounds
    between = text[max(floor, start - _LEFT_WINDOW) : start].split()
    original = occurrence.span.of(text)
    inside = _FORMS["inside"].match(original)
    cut = inside.end() if inside else 0
    opening, head, closing, mark = _trim(original[cut:], text, occurrence.span.end)
    words = () if opening else _words_before(text, floor, start, start + cut)
    echoed = end > occurrence.span.end
    genitive = (
        _FORMS["after_possessive"].match(text, end, limit) if not mark and not echoed else None
    )
    if (mark or genitive) and occurrence.entity_type in BY_CONCEPT:
        behind = genitive.end() if genitive else end
        if _FORMS["owns_nothing"].match(text, behind):  # "has [Crohn]'s and he"
            mark, genitive, end = "", None, behind
    noun = None
    if not mark and not genitive and not closing and occurrence.entity_type in BY_CONCEPT:
        noun = _FORMS["qualified"].match(text, end, limit)
    plural = head == head.lower() and not head[:1].isdigit() and is_plural_noun(head_noun(head))
    return Slot(
        occurrence=occurrence,
        span=Span(start, end),
        before=words,
        opening=opening,
        closing=closing,
        possessive=mark,
        after_genitive=genitive.group() if genitive else "",
        head=head,
        plural=plural,
        upper=len(head) > 1 and head.isupper() and line_is_upper(text, start, end),
        qualified=noun.group() if noun else "",
        later=occurrence.entity_id in seen,
        after_slot=text[floor : floor + 1] == " " and ADJECTIVES.issuperset(between),
        echo=_echo(text, bounds, Span(start, end)),
        place=Place(
            text[max(floor, start - AROUND) : start], head, text[end : min(limit, end + AROUND)]
        ),
    )


def _words_before(text: str, floor: int, start: int, core: int) -> tuple[Word, ...]:
    """Find up to five words before ``start``, none before ``floor``, and those up to ``core``."""
    before = _FORMS["left"].search(text, max(floor, start - _LEFT_WINDOW), start)
    first = before.start() if before else start
    return tuple(Word(m[1], m[2], m.start()) for m in _FORMS["token"].finditer(text, first, core))


def _trim(core: str, text: str, end: int) -> tuple[str, str, str, str]:
    """Part a span's core into opening, head, closing and genitive mark.

    A pair of brackets stays; a pair of quotation marks goes, since what stands there is no
    longer quoted."""
    opening = closing = mark = ""
    while len(core) > 2 and _PAIRS.get(core[0]) == core[-1] and _alone(core):
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


def _alone(core: str) -> bool:
    """Check that the marks around some words belong together: those of "(a) and (b)" do not."""
    return core[0] not in core[1:-1] and core[-1] not in core[1:-1]
