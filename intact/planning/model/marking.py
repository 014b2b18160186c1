"""Show a document with its places marked, and read which neighbouring words a phrase replaces as
well.

A place is a mention that a phrase may replace. Direct identifiers are shown as their labels,
wherever they stand, so no model ever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from intact.domain import Document, Span, cut_at
from intact.english.grammar import PREPOSITIONS
from intact.english.sentences import sentences, starts_sentence
from intact.english.vocabulary import ARTICLES
from intact.models.prompts import escape, escape_line
from intact.rewriting.occurrences import Occurrence, occurrences, without_overlaps

_ENDS = tuple(",;:.")
# words before a place, what is said there, words after it
_SAID = re.compile(r"\A(?:<([^<>]*)>\s*)?(.*?)(?:\s*<([^<>]*)>\n?)?\Z", re.S)


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """A mention that a phrase may replace."""

    number: int  # from 1, in text order
    span: Span
    text: str  # its words as a model may read them
    entity_id: str
    mention_id: str


class MarkedDocument:
    """A document and its places.

    Args:
        document: with all its mentions.
        entity_ids: the entities that a phrase may replace; all others are shown as their labels.
        labels: by entity id.

    Attributes:
        numbered: the places by their numbers, in text order.
        places_of: the places by the ids of their entities.
    """

    def __init__(
        self, document: Document, entity_ids: frozenset[str], labels: Mapping[str, str]
    ) -> None:
        self.document = document
        self._labels = labels
        self._marks: list[tuple[Span, str]] = []
        self._found_again: dict[Span, str] = {}  # things that nobody marked there
        self.numbered: dict[int, MarkedPlace] = {}
        self.places_of: dict[str, list[MarkedPlace]] = {}
        for found in without_overlaps(occurrences(document)):
            key, mark = found.entity_id, self.label(found.entity_id)
            if key in entity_ids and not found.direct:
                text, number = self._without_names(found), len(self.numbered) + 1
                before = [f"={place.number}" for place in self.places_of.get(key, ())]
                if found.mention_id:
                    place = MarkedPlace(number, found.span, text, key, found.mention_id)
                    self.numbered[number] = place
                    self.places_of.setdefault(key, []).append(place)
                    which = f"{number}{before[0] if before else ''}"
                else:
                    self._found_again[found.span] = key
                    which = before[0] if before else "="
                mark = f"⟦{which}|{found.entity_type}|{text}⟧"
            self._marks.append((found.span, mark))

    def _without_names(self, found: Occurrence) -> str:
        """Return the words of a place as a prompt may show them: escaped, on one line, with its
        label in place of each direct identifier that the place covers."""
        direct = ((one.span, self.label(one.entity_id)) for one in found.covers if one.direct)
        pieces = cut_at(self.document.text, direct, found.span)
        return escape_line("".join(piece if label is None else label for piece, label in pieces))

    def show(self, part: Span, standing: Mapping[str, str] | None = None) -> str:
        """Return the text of the document, or of a part of it, with its places marked by number,
        type and words: "⟦3|LOC|Bergen⟧", "⟦7=3|LOC|Bergen⟧" for a later place of the same entity,
        "⟦=3|LOC|Bergen⟧" where the text repeats it without a mention ("⟦=|" if no place of it comes
        before). What may not be replaced stands as its label.

        Args:
            part: of the document; its bounds cut no place.
            standing: by entity id, what now stands for an entity; it is shown where the text
                repeats the entity without a mention of its own.
        """
        said = standing or {}
        marks = ((s, said.get(self._found_again.get(s, ""), mark)) for s, mark in self._marks)
        pieces = cut_at(self.document.text, marks, part)
        return "".join(escape(piece) if mark is None else mark for piece, mark in pieces)

    def label(self, entity_id: str) -> str:
        """Return the label of an entity; "***" for one without a label."""
        return self._labels.get(entity_id, "***")

    def sentences(self) -> list[Span]:
        """Return the spans of the document's sentences in order; none ends inside a marked
        place."""
        return list(sentences(self.document.text, [span for span, _ in self._marks]))

    def word(self, phrase: str, place: MarkedPlace) -> tuple[Span, str] | None:
        """Read a model's phrase for a place: return the span of the original that it replaces, and
        the words that then stand there, with a capital where they begin a sentence, and without a
        stop or comma at their end that the place lacks. An article before the place is part of the
        span if the words begin with one, too ("a" before "an artist"), and so is a preposition that
        they repeat.

        Args:
            phrase: its words. Words in angle brackets at its beginning or end are neighbours of the
                place that are replaced with it.
            place: where it is to stand.

        Returns:
            None if the words in angle brackets do not stand beside the place.
        """
        text, start, end = self.document.text, place.span.start, place.span.end
        [(left, said, right)] = _SAID.findall(phrase)
        if left.strip():
            beside = re.search(_loosely(left) + r"\W*\Z", text[:start], re.I)
            start = beside.start() if beside else -1
        if right.strip():
            beside = re.compile(r"\W*" + _loosely(right), re.I).match(text, end)
            end = beside.end() if beside else -1
        if min(start, end) < 0:
            return None
        said = said.strip()
        if said[-1:] in _ENDS and not place.text.endswith(said[-1]):
            said = said[:-1].rstrip()
        before = re.search(r"(?<!\w)(\w+)\s+\Z", text[max(0, start - 20) : start])
        if before and said:  # "a" before a mark goes for "an artist"
            last, first = before[1].lower(), said.split(maxsplit=1)[0].lower()
            if {last, first} <= ARTICLES or (last == first and last in PREPOSITIONS):
                start -= len(before[0])
        if text[start:end].lstrip()[:1].isupper() and starts_sentence(text, start):
            said = said[:1].upper() + said[1:]
        return Span(start, end), said


def _loosely(words: str) -> str:
    """Return a regular expression that matches some words as whole words, whatever blanks stand
    between them."""
    return r"(?<!\w)" + r"\s+".join(map(re.escape, words.split())) + r"(?!\w)"
