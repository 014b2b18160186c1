"""What a system has to be better than: edits that need no cleverness."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from intact.domain import Document, Edit, Ladder, Mention, Span
from intact.rewriting.occurrences import occurrences
from intact.rewriting.rewrite import Phrase, Rewriter

Replace = Callable[[Mention], str]


def suppression(document: Document) -> tuple[Edit, ...]:
    """Every masked mention is taken out."""
    return edits_of(document, lambda mention: "")


def entity_labels(document: Document) -> tuple[Edit, ...]:
    """Every masked mention becomes the name of its type."""
    return edits_of(document, lambda mention: mention.entity_type)


def rung(
    document: Document, ladders: Mapping[str, Ladder], labels: Mapping[str, str], at: int
) -> tuple[Edit, ...]:
    """Every entity becomes one candidate of its ladder, unattacked but fitted into its sentences;
    its label where it has none.

    Args:
        document: the original.
        ladders: candidates by entity id.
        labels: labels by entity id.
        at: position in the ladder; 0 is the most specific, -1 the least.
    """

    def phrase(entity_id: str) -> Phrase:
        ladder = ladders.get(entity_id, ())
        if ladder:
            return Phrase(ladder[at].text, ladder[at].source)
        return Phrase(labels[entity_id], "label")

    rewriter = Rewriter(document, occurrences(document, sweep=False))
    return rewriter.render({entity.id: phrase(entity.id) for entity in document.entities}).edits


def edits_of(document: Document, replace: Replace) -> tuple[Edit, ...]:
    """One edit a masked mention; of overlapping ones the first and longest covers the others.

    Args:
        document: the original.
        replace: what stands for a mention.
    """
    edits: list[Edit] = []
    done = 0
    for mention in sorted(document.mentions, key=lambda m: (m.span.start, -m.span.end)):
        if not mention.masked or mention.span.end <= done:
            continue
        span = Span(max(done, mention.span.start), mention.span.end)
        edits.append(Edit(span, replace(mention)))
        done = span.end
    return tuple(edits)
