"""The timeline of a document: dates that say how they follow each other.

Two dates of one year would both become "in 2004", and the order of events would be lost. So a date
that would read like the date before it says how it follows that one: "some days later in 2004",
"soon afterwards in 2004", or at least in which part of the year it lies. The year is left out where
the date before has just named it. This is true whichever earlier date a reader counts from, and
never narrows a date to less than a third of a year by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from itertools import pairwise, takewhile
from math import inf
from typing import NamedTuple

from intact.discourse.ledger import FORMS
from intact.domain import Covered, EntityType, Span
from intact.english.grammar import PREPOSITIONS, with_indefinite
from intact.english.reading import AROUND
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.planning.rules.times import part_of_year
from intact.rewriting.slots import Slot

# (least, most, words): distances in days, both ends included, and the words for them within a year.
BINS = (
    (2, 13, "some days"), (14, 59, "some weeks"), (60, 366, "some months"), (14, inf, "some time")
)  # fmt: skip
_SOON = 59  # days
REACH = 1200  # characters back to the date that a phrase is taken from
_JUST = 300  # characters back to a date whose year a reader still has in mind


class _Dated(NamedTuple):
    """A masked place that is one day or a few days in a row."""

    span: Span
    first: int  # its days, as proleptic Gregorian ordinals; without a year, as days of a leap year
    last: int
    before: str  # the word before it: "on", "dated", "of", "between" ...
    leads: bool  # begins its sentence, or would without its preposition
    bound: bool  # in a quotation, a list, a law's title or a birth: it is never made relative


class Timeline:
    """The masked dates of one document, found once. How they follow each other depends on the
    phrases.

    Args:
        text: the document.
        slots: its places; ``at`` holds the indexes of those that are dates.
        dated: whether it is about dates with a year; else about days without one.
    """

    def __init__(self, text: str, slots: Sequence[Slot], *, dated: bool = True) -> None:
        self._text, self._dated = text, dated
        read = ((at, _days(slot)) for at, slot in enumerate(slots))
        days = {at: days for at, days in read if days and (days[1] > _YEAR) is dated}
        self.at = tuple(days)
        spans = [slots[at].span for at in self.at]
        several = text if len(spans) > 1 else ""  # one date follows none
        quoted = Covered(several, (Span(*m.span()) for m in FORMS["quotation"].finditer(several)))
        headings = [0, *(match.start() for match in FORMS["heading"].finditer(several))]
        self._places = []
        for index, (span, lasting) in enumerate(zip(spans, days.values(), strict=True)):
            before = text[max(0, span.start - AROUND) : span.start]
            listed = _listed(text, spans[max(0, index - 1) : index + 2])
            inside = quoted.touches(Span(span.start, span.start + 1))
            bound = listed or inside or bool(FORMS["bound_before"].search(before))
            leads = bool(FORMS["sentence_start"].search(before))
            self._places.append(_Dated(span, *lasting, _lead(before, dated), leads, bound))
        self._gaps = [self._gaps_before(index, headings) for index in range(len(spans))]

    def reword(self, phrases: Sequence[str]) -> list[str]:
        """Tell dates apart that would read like the date before them in the text.

        Args:
            phrases: what would stand for each date alone ("2004", "the 2000s"), without a
                preposition; "" for a date that only a label stands for.

        Returns:
            A phrase for each date: "some days later in 2004" takes no preposition, "a later date in
                2004" takes "on", "early 2004" takes "in". Dates without a year are told without it:
                "some days later". "" if the date keeps its own.
        """
        found = [""] * len(phrases)
        for index in range(1, len(phrases)):
            if phrases[index] and phrases[index] == phrases[index - 1]:
                found[index] = (
                    self._relative(index, phrases[index], found[index - 1])
                    or self._part(index, phrases)
                    or self._ordered(index, phrases[index], found[index - 1])
                )
        return found

    def _relative(self, index: int, year: str, said: str) -> str:
        """Return a phrase that says how a date follows those before it: "some days later" or "some
        days later in 2004", "the same day", or only "later in 2004"; "" if none is certain.

        Args:
            index: of the date.
            year: the phrase that would stand for it alone.
            said: the phrase for the date before; the same again is "some days after that".
        """
        place, gaps = self._places[index], sorted(map(abs, self._gaps[index]))
        if not gaps:
            return self._again(index)
        way = "later" if self._gaps[index][0] > 0 else "earlier"
        # "please come on [9 May]" counts from the letter's own date, whatever stands between
        if (self._dated or place.leads) and place.before in _FREE:
            for low, high, length in BINS:
                if low <= gaps[0] and gaps[-1] <= high:
                    if way == "later" and said.startswith(f"{length} later"):
                        return f"{length} after that"
                    return f"{length} {way}{self._year(index, year, said if high < inf else ' ')}"
        start = place.span.start
        paper = FORMS["paper"].search(self._text, max(0, start - AROUND), start)
        return "" if paper else self._ordered(index, year, said)  # "a judgment of early 2004"

    def _ordered(self, index: int, year: str, said: str) -> str:
        """Return a phrase that says only that a date lies after those before it, or before them:
        "later in 2004", "soon afterwards in 2004", "a later date in 2004" (after "a judgment of");
        "" if that is not certain or does not fit.

        Args:
            index: of the date.
            year: the phrase that would stand for it alone.
            said: the phrase for the date before.
        """
        gaps, before = sorted(map(abs, self._gaps[index])), self._places[index].before
        if not gaps:
            return ""
        way = "later" if self._gaps[index][0] > 0 else "earlier"
        then = f" in {year}" * year.isdigit()
        if self._dated and way == "later" and gaps[-1] <= _SOON and before in _ADVERBIAL:
            return f"soon afterwards{self._year(index, year, said)}"
        if then and before in _PERIODS:
            return f"{way}{then}"
        able = _ANY_DAY if self._dated else _FREE
        return f"{with_indefinite(way)} date{then}" if before in able else ""

    def _year(self, index: int, year: str, said: str) -> str:
        """Return " in 2004", or "" if the date before has just named the year, or its period is
        longer than a year: that one was named by the date before.

        Args:
            index: of the date.
            year: the phrase that would stand for it alone.
            said: the phrase for the date before; "" for its own, ``year``.
        """
        last, place = self._places[index - 1 : index + 1]
        just = place.span.start - last.span.end < _JUST and (said or year).endswith(year)
        return f" in {year}" * (year.isdigit() and not just)

    def _again(self, index: int) -> str:
        """Return "that day" for a date that is the one before it ("adjourned until 9 May. On [9
        May] it ..."), "the same day" if it has no year. "" if it is another day, is bound (in a
        quotation, a list, a title), stands 1,200 characters or more from it, does not follow "on"
        (a day without a year may also follow "dated" or no word), or another time is named in
        between."""
        last, place = self._places[index - 1 : index + 1]
        between = self._text[last.span.end : place.span.start]
        same = (place.first, place.last) == (last.first, last.last) and len(between) < REACH
        able = place.before in ({"on"} if self._dated else _FREE) and not place.bound
        other = self._dated and any(FORMS[o].search(between) for o in ("month", "other_time"))
        return f"{'that' if self._dated else 'the same'} day" * (same and able and not other)

    def _gaps_before(self, index: int, headings: Sequence[int]) -> list[int]:
        """Return how many days a date lies after each of the dates that a reader could count from,
        in text order; negative for days before. [] if there is no such date, one of them is bound
        (in a quotation, a list, a title), another time is named in between, or they do not all lie
        on one side of it.

        Args:
            index: of the date.
            headings: the offsets of the headings, ascending; nobody counts from beyond one.
        """
        place, anchors = self._places[index], _anchors(self._places, index, headings)
        if not anchors or any(one.bound for one in (place, *anchors)):
            return []
        between = self._text[anchors[0].span.end : place.span.start]
        yeared = not self._dated and FORMS["year"].search(between)
        if yeared or FORMS["other_time"].search(between):
            return []
        gaps = [_gap(one, place) for one in anchors]
        # without a year, what looks earlier may be of the next one
        return gaps if min(gaps) > 0 or (self._dated and max(gaps) < 0) else []

    def _part(self, index: int, phrases: Sequence[str]) -> str:
        """Return the phrase of a date with the part of the year that it lies in, "early 2004", "the
        second half of 2004" (for September); "" if it is the same day as the date before, lasts
        into another part, is bound (in a quotation, a list, a title), has no year, or its phrase is
        not just its year.

        Args:
            index: of the date.
            phrases: of all dates.
        """
        mention, before = self._places[index], self._places[index - 1]
        days = [date.fromordinal(day) for day in (mention.first, mention.last)]
        other_year = any(phrases[index] != str(day.year) for day in days)
        parts = {part_of_year(day.month) or "the second half of " for day in days}
        same = (mention.first, mention.last) == (before.first, before.last)
        if not self._dated or mention.bound or same or other_year or len(parts) > 1:
            return ""
        return f"{parts.pop()}{phrases[index]}"


def _lead(before: str, dated: bool) -> str:
    """Return the word directly before a date, in lower case ("on", "dated"); of the line before
    only a preposition counts. For a day without a year it may be an opening bracket; "" if there is
    none of these.

    Args:
        before: the text before the date.
        dated: whether the date has a year.
    """
    word = FORMS["before"].search(before)
    said = word[1].lower() if word else before[-1:] * (not dated and before.endswith(("(", "[")))
    return "" if word and "\n" in word[0] and said not in PREPOSITIONS else said


def _days(slot: Slot) -> tuple[int, int] | None:
    """Return the first and the last day of a slot that is a date, as proleptic Gregorian ordinals
    or, without a year, as days of a leap year from 1; None unless it masks one day, or two or three
    in a row. None, too, for a date with two readings ("01/05/1996")."""
    value = parse_temporal(slot.head) if slot.entity_type == EntityType.DATETIME else None
    if value is None or value.kind not in _DATES or len(value.spans) != 1 or value.either:
        return None
    first, last = int(value.first), int(value.last)
    return (first, last) if last - first <= 2 else None


_DATES = (Kind.INTERVAL, Kind.PARTIAL)
_YEAR = 366  # days; ordinals above it have a year
# Words before a date after which a phrase of distance, or "a later day", can stand.
_ADVERBIAL = frozenset(["on", ""])
_FREE = _ADVERBIAL | {"dated"}
_PERIODS = _FREE | {"until"}  # "dated later in 2004"
_ANY_DAY = _FREE | {"of", "until", "from", "since"}
_NEAR = 12  # characters


def _listed(text: str, dates: Sequence[Span]) -> bool:
    """Check whether one of these dates directly follows another, with only a comma, "and" and the
    like in between, of up to 12 characters."""
    between = ((a.end, b.start) for a, b in pairwise(dates) if b.start - a.end <= _NEAR)
    return any(FORMS["joint"].fullmatch(text, *ends) for ends in between)


def _anchors(places: Sequence[_Dated], index: int, headings: Sequence[int]) -> list[_Dated]:
    """List the earlier dates that a reader could count from, in text order: the one before, the
    last one after "on", and the last one that begins a sentence. None beyond a heading or more than
    1,200 characters back."""
    start = places[index].span.start
    floor = max(start - REACH, headings[bisect_right(headings, start) - 1])
    back = (places[at] for at in range(index - 1, -1, -1))
    near = [*takewhile(lambda one: one.span.start >= floor, back)][::-1]
    behind_on = [one for one in near if one.before == "on"]
    leading = [one for one in near if one.leads]
    return sorted({*near[-1:], *behind_on[-1:], *leading[-1:]})


def _gap(anchor: _Dated, mention: _Dated) -> int:
    """Return the days from the anchor to the mention by their farthest ends, negative if the
    mention is earlier; 0 if they overlap."""
    if anchor.last < mention.first:
        return mention.last - anchor.first
    return mention.first - anchor.last if mention.last < anchor.first else 0
