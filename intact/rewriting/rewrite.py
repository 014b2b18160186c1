"""Put the words of a round into a document, and record where they then stand.

The planner of the phrases words them for each place (``Words``); nothing is chosen here. The
places and their surroundings do not depend on the choice and are found once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from intact.discourse.things import States
from intact.domain import Candidate, Document, Edit, Replacement, Source, Span, Wording, apply_edits
from intact.english.reading import ReadDocument
from intact.errors import DocumentError
from intact.rewriting.occurrences import Occurrence, occurrences, without_overlaps
from intact.rewriting.slots import Slot, slots

# Words the candidates for the slots of a document: returns what then stands at each, in the order
# of the slots. A wording without text that lies in another's span is covered by that one's words.
Words = Callable[[Sequence[Candidate]], Sequence[Wording]]

# Makes the ``Words`` of a document from its slots and States.
Planned = Callable[[ReadDocument, Sequence[Slot], States], Words]


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document with phrases put in."""

    edits: tuple[Edit, ...]  # ascending, not overlapping
    replacements: tuple[Replacement, ...]  # "nested" and without text where another includes it
    targets: Mapping[str, tuple[Span, ...]]  # by entity id, where it is in the new text
    text: str  # the new text


@dataclass(eq=False)
class Rewriter:
    """Puts phrases into one document, any number of times.

    Args:
        read: the document.
        places: every place to be replaced; see :func:`intact.rewriting.occurrences.occurrences`.
        planned: makes what words the phrases.
        states: that the document mentions.
    """

    read: ReadDocument
    places: Sequence[Occurrence]
    planned: Planned
    states: States

    def __post_init__(self) -> None:
        self.document = self.read.document
        self._slots = slots(self.read.text, without_overlaps(self.places))
        self._word = self.planned(self.read, self._slots, self.states)
        self._last: tuple[list[Candidate], RenderedDocument] | None = None

    def of(self, document: Document) -> Rewriter:
        """Return a rewriter for the same text with other mentions; its States are the same."""
        return Rewriter(self.read.of(document), occurrences(document), self.planned, self.states)

    def render(self, decisions: Mapping[str, Candidate]) -> RenderedDocument:
        """Return the document with the phrases put in: its new text, the edits, the replacements,
        and where each entity then stands. With the phrases of the last call, that call's result.

        Args:
            decisions: by entity id, the candidate, or a label with the source "label".

        Raises:
            DocumentError: if an entity that has to be replaced has no phrase.
        """
        for bare in (slot for slot in self._slots if slot.entity_id not in decisions):
            raise DocumentError(
                "nothing was decided for it",
                where=f"document {self.document.id}, entity {bare.entity_id}",
                remedy="Every masked entity needs a phrase or a label.",
            )
        phrases = [decisions[slot.entity_id] for slot in self._slots]
        if self._last is None or phrases != self._last[0]:
            origins, said = [phrase.provenance for phrase in phrases], self._word(phrases)
            self._last = phrases, place(self.document.text, self._slots, origins, said)
        return self._last[1]


def place(
    text: str, places: Sequence[Slot], origins: Sequence[str], wordings: Sequence[Wording]
) -> RenderedDocument:
    """Put words in their places. Return the new text with the edits and the replacements, by their
    spans in the original, and the spans of each entity in the new text, by its id. A wording
    without text inside another's span gives no edit and is recorded as "nested".

    Args:
        text: the original.
        places: those to be replaced, ascending.
        origins: for each place, the origin that its replacement records.
        wordings: the words for each; they overlap only where one is covered by another.
    """
    edits: list[Edit] = []
    replacements: list[Replacement] = []
    targets: dict[str, list[Span]] = defaultdict(list)
    done = grown = 0  # the end of the last edit, and how much longer the text is up to there
    longest_first = [(one.span.start, -one.span.end, at) for at, one in enumerate(wordings)]
    for _, _, at in sorted(longest_first):
        one, own, origin = wordings[at], places[at].occurrence, origins[at]
        if one.text or one.span.end > done:
            edits.append(Edit(one.span, one.text))
            start, done = one.span.start + grown, one.span.end
            grown += one.span.start + len(one.text) - one.span.end
            if one.text:
                said = one.said or Span(0, len(one.text))
                targets[own.entity_id].append(Span(start + said.start, start + said.end))
        else:
            origin = Source.NESTED
        replacements.append(Replacement(one.span, one.text, own.entity_id, own.mention_id, origin))
        replacements += (
            Replacement(other.span, "", other.entity_id, other.mention_id, Source.NESTED)
            for other in own.covers
        )
    standing = {key: tuple(spans) for key, spans in targets.items()}
    written = apply_edits(text, tuple(edits))
    return RenderedDocument(tuple(edits), tuple(replacements), standing, written)
