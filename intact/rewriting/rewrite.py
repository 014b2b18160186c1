"""Puts the chosen phrases into the text: decisions -> edits and where the phrases stand then.

What does not depend on the choice (overlaps, context) is found once, in ``Rewriter``; each fitted
phrase is remembered, so that a round that changes a few phrases costs little more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from intact.discourse.phrase_book import NamedMention, PhraseBook
from intact.discourse.things import States
from intact.discourse.timeline import DatedMention, Timeline
from intact.domain import Document, Edit, EntityType, Replacement, Span
from intact.english.agreement import polished, split_article
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.english.vocabulary import either, vocabulary
from intact.errors import DocumentError
from intact.rewriting.occurrences import Occurrence, without_overlaps
from intact.rewriting.phrase import FittedPhrase, fit, unfitted
from intact.rewriting.slots import Slot, slots

_LABEL = re.compile(r"[A-Z][A-Z_]*_\d+|\[[A-Z_]+ \d+\]|\*+")
_LISTS = vocabulary("grammar")["lists"]
_LIST_END = re.compile(
    rf"(?:{either(_LISTS['ends'])})\b|(?=[.;)]|,? and (?:{either(_LISTS['verbs'].split())})\b)"
)
_GENITIVE = re.compile(r"(?<=\w)['’]s$|(?<=s)['’]$")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What stands for an entity, as it would stand in mid-sentence, and where it comes from.

    Attributes:
        origin: "dates", "knowledge", "llm" ... as in Candidate.source; "label" for a label,
            which is put in without article or change of case.
    """

    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document with phrases put in.

    Attributes:
        edits: ascending, not overlapping.
        replacements: one per occurrence, in text order; an occurrence that goes with another
            has the origin "nested" and no text.
        targets: entity id -> where its phrases stand in the new text, ascending; an entity
            that only ever goes with others has none.
        text: the new text.
    """

    edits: tuple[Edit, ...]
    replacements: tuple[Replacement, ...]
    targets: Mapping[str, tuple[Span, ...]]
    text: str


class Rewriter:
    """Fits phrases into one document, any number of times.

    Args:
        document: the original.
        occurrences: every place that must go; see
            :func:`intact.rewriting.occurrences.occurrences`.
        agreement: fit articles, prepositions and case; off, phrases go in as they are.
        timeline: dates that would read alike say how they follow each other.
        states: the document's States; with them its things are told apart, see
            :mod:`intact.discourse.phrase_book`.
    """

    def __init__(
        self,
        document: Document,
        occurrences: Sequence[Occurrence],
        *,
        agreement: bool = True,
        timeline: bool = False,
        states: States | None = None,
    ) -> None:
        self._document = document
        self._agreement = agreement
        self._slots = slots(document.text, without_overlaps(occurrences))
        dated = {
            index: mention
            for index, slot in enumerate(self._slots)
            if timeline and agreement and (mention := _dated(slot)) is not None
        }
        self._dated = tuple(dated)
        self._timeline = Timeline(document.text, tuple(dated.values()))
        named = [
            NamedMention(slot.entity_id, slot.entity_type, slot.head, slot.follows)
            for slot in self._slots
        ]
        self._book = None if states is None or not agreement else PhraseBook(states, named)
        self._fitted: dict[tuple[int, str, bool, int, bool], FittedPhrase] = {}

    def render(self, decisions: Mapping[str, Phrase]) -> RenderedDocument:
        """The document with ``decisions`` (entity id -> phrase) put in.

        Raises:
            DocumentError: if an entity that has to go has no phrase.
        """
        text = self._document.text
        edits: list[Edit] = []
        replacements: list[Replacement] = []
        targets: dict[str, list[Span]] = {}
        parts: list[str] = []
        done = length = 0
        stacked = False
        last = ""
        phrases = self._phrases(decisions)
        repeated = self._repeated(phrases) if self._agreement else {}
        for index, (slot, phrase) in enumerate(zip(self._slots, phrases, strict=True)):
            said, label = _prepared(phrase, slot.entity_type == EntityType.DATETIME)
            if slot.echo and slot.echo[0] == done and said == last and self._agreement:
                start, done = edits[-1].span.start, slot.echo[1]
                edits[-1] = Edit(Span(start, done), edits[-1].text)
                replacements += _records(slot, Span(*slot.echo), "", "nested")
                continue
            if index in repeated:
                start, done = edits[-1].span.start, repeated[index]
                edits[-1] = Edit(Span(start, done), edits[-1].text)
                replacements += _records(slot, slot.span, "", "nested")
                continue
            last = said
            fitted = self._fit(index, said, label, done, stacked and slot.after_slot)
            new = fitted.text
            stacked = slot.entity_type == EntityType.DEM and (
                label or not split_article(said)[0] or new.endswith("’s")
            )
            kept = text[done : fitted.edits[0].span.start]
            length += len(kept)
            parts += (kept, new)
            edits += fitted.edits
            main = fitted.edits[fitted.main]
            replacements += _records(slot, main.span, main.text, phrase.origin)
            if fitted.low < fitted.high:
                here = Span(length + fitted.low, length + fitted.high)
                targets.setdefault(slot.entity_id, []).append(here)
            length += len(new)
            done = fitted.edits[-1].span.end
        parts.append(text[done:])
        return RenderedDocument(
            tuple(edits),
            tuple(replacements),
            {key: tuple(spans) for key, spans in targets.items()},
            "".join(parts),
        )

    def _phrases(self, decisions: Mapping[str, Phrase]) -> list[Phrase]:
        """The phrase of each slot, in the light of the others."""
        phrases = [self._phrase(decisions, slot) for slot in self._slots]
        if self._book is not None:
            told = self._book.told(
                ["" if phrase.origin == "label" else phrase.text for phrase in phrases]
            )
            phrases = [
                Phrase(other, phrase.origin) if other else phrase
                for phrase, other in zip(phrases, told, strict=True)
            ]
        alone = [phrases[index] for index in self._dated]
        told = self._timeline.follow(
            ["" if phrase.origin == "label" else phrase.text for phrase in alone]
        )
        for index, phrase, following in zip(self._dated, alone, told, strict=True):
            if following:
                phrases[index] = Phrase(following, phrase.origin)
        return phrases

    def _repeated(self, phrases: Sequence[Phrase]) -> Mapping[int, int]:
        """The slots that say in a list what the one before them says ("in 1996 and 1996
        respectively"), and where the characters end that go with them."""
        text, found = self._document.text, dict[int, int]()
        first = 0
        while first < len(phrases):
            last = first
            while last + 1 < len(phrases) and self._listed(phrases, last):
                last += 1
            end = self._slots[last].span.end
            listed = _LIST_END.match(text, end)
            before = self._slots[first].before
            between = bool(before) and before[-1].low in ("between", "from")
            if last > first and listed and not between:
                found |= {at: self._slots[at].span.end for at in range(first + 1, last)}
                found[last] = listed.end()
            first = last + 1
        return found

    def _listed(self, phrases: Sequence[Phrase], at: int) -> bool:
        """Whether the slot after ``at`` goes on with the list and says the same time."""
        one, other = self._slots[at], self._slots[at + 1]
        return (
            one.entity_type == other.entity_type == EntityType.DATETIME
            and phrases[at].text == phrases[at + 1].text
            and self._document.text[one.span.end : other.span.start] in _LISTS["joints"]
        )

    def _phrase(self, decisions: Mapping[str, Phrase], slot: Slot) -> Phrase:
        try:
            return decisions[slot.entity_id]
        except KeyError:
            raise DocumentError(
                "nothing was decided for it",
                where=f"document {self._document.id}, entity {slot.entity_id}",
                remedy="Every masked entity needs a phrase or a label.",
            ) from None

    def _fit(self, index: int, said: str, label: bool, done: int, stacked: bool) -> FittedPhrase:
        slot = self._slots[index]
        floor = done if slot.before and slot.before[0].start < done else 0
        key = (index, said, label, floor, stacked)
        fitted = self._fitted.get(key)
        if fitted is None:
            if self._agreement:
                text = self._document.text
                fitted = fit(text, slot, said, label=label, start=floor, stacked=stacked)
            else:
                fitted = unfitted(slot, said)
            self._fitted[key] = fitted
        return fitted


@lru_cache(maxsize=65536)
def _prepared(phrase: Phrase, dated: bool) -> tuple[str, bool]:
    """What is said of a phrase, and whether it is a label; a slot knows if it needs a genitive."""
    if phrase.origin == "label" or _LABEL.fullmatch(phrase.text):
        return phrase.text, True
    text = _GENITIVE.sub("", phrase.text.strip()) or phrase.text
    return (polished(text) if dated else text), False


def _dated(slot: Slot) -> DatedMention | None:
    """The slot as a date, if one day or two or three in a row are masked there."""
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
        Replacement(other.span, "", other.entity_id, other.mention_id, "nested")
        for other in own.covers
    ]
