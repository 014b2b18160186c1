"""Every place where a masked entity stands in a document: annotated, or found by the sweep."""

from __future__ import annotations

from intact.domain import Document
from intact.text.nesting import Occurrence


def occurrences(document: Document, *, sweep: bool = True) -> tuple[Occurrence, ...]:
    """The places that must go, in text order. Computed once: choices do not matter."""
    marked = [
        Occurrence(m.span, m.entity_id, m.id, m.entity_type, not m.generalisable)
        for m in document.mentions
        if m.masked
    ]
    return tuple(sorted(marked, key=lambda o: (o.span.start, -o.span.end, o.mention_id)))
