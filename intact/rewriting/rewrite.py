"""Put the chosen phrases into words at each place: phrase book, timeline, lists, fitting.

What does not depend on the choice (overlaps, context) is found once, in ``Rewriter``; each fitted
phrase is remembered, so that a round that changes a few phrases costs little more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter

from intact.discourse.amounts import compare
from intact.discourse.phrase_book import NamedMention, PhraseBook
from intact.discourse.things import States
from intact.discourse.timeline import DatedMention, Timeline
from intact.domain import BY_VALUE, Edit, EntityType, Replacement, Source, Span, Wording
from intact.english.grammar import polished, time_kind
from intact.english.quantities import Quantity, parse_quantity
from intact.english.reading import ReadDocument
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.english.vocabulary import ARTICLES, either, vocabulary
from intact.english.words import GENITIVE
from intact.errors import DocumentError
from intact.rewriting.occurrences import Occurrence, Slot, slots, without_overlaps
from intact.rewriting.phrase import FittedPhrase, fit
from intact.rewriting.place import RenderedDocument, WordedPlace, place, reread

_LISTS = vocabulary("grammar")["lists"]
_LIST_END = re.compile(
    rf"(?:{either(_LISTS['ends'])})\b|(?=[.;)]|,? and (?:{either(_LISTS['verbs'].split())})\b)"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase for an entity, as it would stand in mid-sentence, and where it comes from.

    A planner's ``wordings``, by the id of a mention, are placed as they are.
    """

    text: str
    origin: str = ""  # as in Candidate.source; "label" for a label, which keeps its form
    wordings: Mapping[str, Wording] = field(default_factory=dict, hash=False)

    def at(self, slot: Slot) -> Wording | None:
        """Look up the words that a planner wrote for a slot, if it did."""
        return self.wordings.get(slot.occurrence.mention_id)


class Rewriter:
    """Fits phrases into one document, any number of times.

    Args:
        read: the document.
        occurrences: every place that must go; see
            :func:`intact.rewriting.occurrences.occurrences`.
        timeline: dates that would read alike say how they follow each other.
        states: the document's States; with them its things are told apart, see
            :mod:`intact.discourse.phrase_book`.
    """

    def __init__(
        self,
        read: ReadDocument,
        occurrences: Sequence[Occurrence],
        *,
        timeline: bool = False,
        states: States | None = None,
    ) -> None:
        self.read, self.document = read, read.document
        self.states = states
        self._occurrences = tuple(occurrences)
        self._follow = timeline
        self._slots = slots(read.text, without_overlaps(occurrences))
        dated = {
            index: mention
            for index, slot in enumerate(self._slots)
            if timeline and (mention := _dated(slot)) is not None
        }
        self._dated = tuple(dated)
        self._timeline = Timeline(read, tuple(dated.values()))
        read_as = ((at, _amount(slot)) for at, slot in enumerate(self._slots) if timeline)
        self._amounts = {at: amount for at, amount in read_as if amount}
        named = [
            NamedMention(slot.entity_id, slot.entity_type, slot.head, slot.place.after)
            for slot in self._slots
        ]
        self._book = None if states is None else PhraseBook(states, named)
        self._ranges = frozenset(
            at
            for at, slot in enumerate(self._slots)
            if slot.before and slot.before[-1].low in ("between", "from")
        )
        self._lists: list[tuple[int, int]] = []  # first and last slot of lists and ranges of times
        first = 0
        for at in range(len(self._slots)):
            if at + 1 == len(self._slots) or not self._listed(at):
                self._lists += [(first, at)] if at > first else []
                first = at + 1
        self._fitted: dict[tuple[int, str, bool, int, bool, bool, bool], FittedPhrase] = {}

    def with_more(self, occurrences: Sequence[Occurrence]) -> Rewriter:
        """Make a rewriter with further places that go, with entity ids of their own."""
        every = (*self._occurrences, *occurrences)
        return Rewriter(self.read, every, timeline=self._follow, states=self.states)

    def render(self, decisions: Mapping[str, Phrase]) -> RenderedDocument:
        """Write the document with the decided phrases put in.

        Args:
            decisions: entity id -> phrase.

        Raises:
            DocumentError: if an entity that has to go has no phrase.
        """
        by_rules = {
            entity.id: entity.entity_type
            for entity in self.document.entities
            if entity.id in decisions and not decisions[entity.id].wordings
        }
        text = self.document.text
        return place(text, reread(text, self.word(decisions), by_rules))

    def word(self, decisions: Mapping[str, Phrase]) -> list[WordedPlace]:
        """Word each place that has its own words, ascending.

        A planner's wording is taken as it is; a phrase is fitted into its sentence, and one place
        may speak for the next: "in 1996 [and 1996] respectively".

        Raises:
            DocumentError: if an entity that has to go has no phrase.
        """
        worded: list[WordedPlace] = []
        stacked, last, done = False, "", 0
        phrases = self._phrases(decisions)
        repeated, owners = self._merged(phrases)
        ambiguous = set(self._ambiguous(phrases))
        for index, (slot, phrase) in enumerate(zip(self._slots, phrases, strict=True)):
            said, label = _prepared(phrase, slot.entity_type == EntityType.DATETIME)
            written, echo = phrase.at(slot), slot.echo
            echoes = echo and echo[0] == done and written is None and said == last
            if echoes or index in repeated:
                end = echo[1] if echo and echoes else repeated[index]
                span = Span(*echo) if echo and echoes else slot.span
                records = _records(slot, span, "", Source.NESTED)
                worded[-1] = worded[-1].speaking_for(records, end)
            else:
                if written is not None:
                    start = max(done, min(written.span.start, slot.span.start))
                    span = Span(start, max(written.span.end, slot.span.end))
                    fitted = FittedPhrase(Edit(span, written.text), 0, len(written.text))
                else:
                    follows = stacked and slot.after_slot
                    ranged = index in owners and index in self._ranges
                    new = index in ambiguous
                    fitted = self._fit(index, said, label, done, follows, ranged, new)
                    if fitted.edit.span.end > self._written_from(phrases, index + 1):
                        fitted = FittedPhrase(Edit(slot.span, said), 0, len(said))
                last, edit = said, fitted.edit
                stacked = written is None and _is_adjective(slot, label or edit.text)
                owner = self._slots[owners.get(index, index)].entity_id
                at = (owner, Span(fitted.low, fitted.high)) if fitted.low < fitted.high else None
                records = _records(slot, edit.span, edit.text, phrase.origin)
                worded.append(WordedPlace(edit, at, tuple(records)))
            done = worded[-1].edit.span.end
        return worded

    def _written_from(self, phrases: Sequence[Phrase], at: int) -> int:
        """Find where a planner's words for the slot ``at`` begin, the end of the text for none."""
        written = phrases[at].at(self._slots[at]) if at < len(phrases) else None
        return written.span.start if written else len(self.document.text)

    def _phrases(self, decisions: Mapping[str, Phrase]) -> list[Phrase]:
        """Find the phrase of each slot, in the light of the others."""
        phrases = [self._phrase(decisions, slot) for slot in self._slots]

        def reword(told: Callable[[list[str]], Sequence[str]], places: Sequence[int]) -> None:
            """Let phrase book or timeline reword the phrases at some places; labels and wordings
            stay.

            Args:
                told: given the phrases, "" for one that stays, says others, "" for none.
                places: numbers of slots, ascending.
            """
            said = []
            for at in places:
                stays = phrases[at].origin == Source.LABEL or phrases[at].at(self._slots[at])
                said.append("" if stays else phrases[at].text)
            for at, other in zip(places, told(said), strict=True):
                if other:
                    phrases[at] = Phrase(other, phrases[at].origin)

        if self._book is not None:
            reword(self._book.reword, range(len(phrases)))
        reword(self._timeline.follow, self._dated)
        amounts = [(self._slots[at].span, amount) for at, amount in self._amounts.items()]
        reword(partial(compare, self.document.text, amounts), tuple(self._amounts))
        return phrases

    def _ambiguous(self, phrases: Sequence[Phrase]) -> Iterator[int]:
        """Yield the slots of places whose phrase was last said of another one, so that "the city"
        would be that one."""
        owners: dict[str, str] = {}
        for at, (slot, phrase) in enumerate(zip(self._slots, phrases, strict=True)):
            if slot.entity_type == EntityType.LOC:
                if owners.get(phrase.text, slot.entity_id) != slot.entity_id:
                    yield at
                owners[phrase.text] = slot.entity_id

    def _merged(self, phrases: list[Phrase]) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """Join times of a list that now say the same, with where the characters end that go with
        each: "in 1996 and 1996 respectively", "between 1996 and 1996".

        A day without a year takes the phrase of the date after it that tells its year.

        Returns:
            The slots that go with one before them, and their ends; and the slots that speak for
                others,
            with the slot whose phrase each has.
        """
        found, owners = dict[int, int](), dict[int, int]()
        for first, last in self._lists:
            dated = {last: last}
            for at in range(last - 1, first - 1, -1):
                year = dated[at + 1]
                of_year = self._of_one_year(at, phrases[at], year, phrases[year])
                dated[at] = year if of_year else at
            if any(phrases[at].at(self._slots[at]) for at in dated):
                continue  # somebody wrote what stands there
            texts = [(phrases[dated[at]].text, at) for at in range(first, last + 1)]
            for said, group in groupby(texts, itemgetter(0)):
                begin, *rest = (at for _, at in group)
                end = self._list_end(begin, rest, said)
                if end:
                    found |= {at: self._slots[at].span.end for at in rest}
                    found[rest[-1]] = end
                    owners[begin] = dated[begin]
        for begin, owner in owners.items():
            phrases[begin] = phrases[owner]
        return found, owners

    def _list_end(self, begin: int, rest: Sequence[int], said: str) -> int:
        """Find the end of a list that says one time, 0 where it cannot be said once."""
        end = self._slots[rest[-1]].span.end if rest else 0
        if begin in self._ranges:
            return end if len(rest) == 1 and time_kind(said) == "in" else 0
        if not rest or (len(rest) == 1 and self._joint(begin) in _LISTS["dashes"]):
            return end
        listed = _LIST_END.match(self.document.text, end)
        return listed.end() if listed else 0

    def _of_one_year(self, at: int, said: Phrase, dated: int, told: Phrase) -> bool:
        """Check that ``told``, said of a dated slot, holds one that is a day without a year."""
        heads = self._slots[at].head, self._slots[dated].head
        day, whole, period = map(parse_temporal, (*heads, told.text))
        if not day or not whole or not period or day.kind is not Kind.PARTIAL:
            return False
        if {whole.kind, period.kind} != {Kind.INTERVAL} or len(period.spans) > 1:
            return False
        start = date(date.fromordinal(int(whole.first)).year, 1, 1).toordinal()
        low, high = start + day.first - 2, start + day.last - 1  # a leap day more or less
        return period.first <= max(low, start) and high <= whole.last <= period.last

    def _listed(self, at: int) -> bool:
        """Check if the slot after ``at`` goes on with a list of times."""
        one, other = self._slots[at], self._slots[at + 1]
        joints = _LISTS["ranges" if at in self._ranges else "joints"]
        return one.entity_type == other.entity_type == EntityType.DATETIME and (
            self._joint(at) in joints or self._joint(at) in _LISTS["dashes"]
        )

    def _joint(self, at: int) -> str:
        """Cut out the text between a slot and the next one."""
        return self.document.text[self._slots[at].span.end : self._slots[at + 1].span.start]

    def _phrase(self, decisions: Mapping[str, Phrase], slot: Slot) -> Phrase:
        try:
            return decisions[slot.entity_id]
        except KeyError:
            raise DocumentError(
                "nothing was decided for it",
                where=f"document {self.document.id}, entity {slot.entity_id}",
                remedy="Every masked entity needs a phrase or a label.",
            ) from None

    def _fit(
        self, index: int, said: str, label: bool, done: int, stacked: bool, ranged: bool, new: bool
    ) -> FittedPhrase:
        slot = self._slots[index]
        floor = done if slot.before and slot.before[0].start < done else 0
        key = (index, said, label, floor, stacked, ranged, new)
        if key not in self._fitted:
            slot = replace(slot, later=slot.later and not new)
            if ranged:
                slot = replace(slot, head=f"{slot.head} to {self._slots[index + 1].head}")
            text = self.document.text
            self._fitted[key] = fit(text, slot, said, label=label, start=floor, stacked=stacked)
        return self._fitted[key]


@lru_cache(maxsize=65536)
def _prepared(phrase: Phrase, dated: bool) -> tuple[str, bool]:
    """Ready the words of a phrase, and tell if they are a label; a slot adds the genitive."""
    if phrase.origin == Source.LABEL:
        return phrase.text, True
    text = GENITIVE.sub("", phrase.text.strip()) or phrase.text
    return (polished(text) if dated else text), False


def _is_adjective(slot: Slot, shown: str | bool) -> bool:
    """Tell whether a phrase may stand as an adjective before what another slot names.

    Args:
        shown: how it stands, or True for a label.
    """
    if slot.entity_type == EntityType.DEM:
        return shown is True or not str(shown).startswith("the ")
    led = slot.before and slot.before[-1].low in ARTICLES  # "a [47-year-old] [driver]"
    return bool(led and slot.entity_type in BY_VALUE)


def _amount(slot: Slot) -> Quantity | None:
    """Read a slot as an amount, under another type only as a length of time."""
    value = parse_quantity(slot.head)
    timed = value is not None and value.unit == "time"
    return value if slot.entity_type == EntityType.QUANTITY or timed else None


def _dated(slot: Slot) -> DatedMention | None:
    """Read a slot as a date, if one day or two or three in a row are masked there."""
    if slot.entity_type != EntityType.DATETIME:
        return None
    value = parse_temporal(slot.head)
    if value is None or value.kind is not Kind.INTERVAL or len(value.spans) != 1 or value.either:
        return None
    first, last = int(value.first), int(value.last)
    return DatedMention(slot.span, first, last) if last - first <= 2 else None


def _records(slot: Slot, span: Span, text: str, origin: str) -> list[Replacement]:
    own = slot.occurrence
    return [Replacement(span, text, own.entity_id, own.mention_id, origin)] + [
        Replacement(other.span, "", other.entity_id, other.mention_id, Source.NESTED)
        for other in own.covers
    ]
