"""Puts words where they belong, and says where they stand then. Nothing here chooses words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from intact.domain import Edit, Replacement, Span


@dataclass(frozen=True, slots=True)
class WordedPlace:
    """The words for one place of a text.

    Attributes:
        edits: ascending, one directly after the other; several where words around the place
            change their order.
        targets: what is said there, by whose words they are: an entity id, and the characters of
            the new words that are a phrase for it.
        replacements: what the record says of it, nested ones included.
    """

    edits: tuple[Edit, ...]
    targets: tuple[tuple[str, Span], ...]
    replacements: tuple[Replacement, ...]

    @property
    def span(self) -> Span:
        """The characters of the original that go."""
        return Span(self.edits[0].span.start, self.edits[-1].span.end)

    def speaking_for(self, replacements: Sequence[Replacement], end: int) -> WordedPlace:
        """Return the same words, which also stand for places behind."""
        last = self.edits[-1]
        wider = Edit(Span(last.span.start, max(last.span.end, end)), last.text)
        return replace(
            self,
            edits=(*self.edits[:-1], wider),
            replacements=(*self.replacements, *replacements),
        )


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


def place(text: str, worded: Sequence[WordedPlace]) -> RenderedDocument:
    """Return a text with words put in.

    Args:
        worded: the words for each place, ascending and not overlapping.
    """
    parts: list[str] = []
    targets: dict[str, list[Span]] = defaultdict(list)
    done = length = 0
    for one in worded:
        kept = text[done : one.span.start]
        new = "".join(edit.text for edit in one.edits)
        start = length + len(kept)
        for entity_id, span in one.targets:
            targets[entity_id].append(Span(start + span.start, start + span.end))
        parts += (kept, new)
        length = start + len(new)
        done = one.span.end
    parts.append(text[done:])
    return RenderedDocument(
        edits=tuple(edit for one in worded for edit in one.edits),
        replacements=tuple(record for one in worded for record in one.replacements),
        targets={key: tuple(spans) for key, spans in targets.items()},
        text="".join(parts),
    )
