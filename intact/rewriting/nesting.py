"""Which of several overlapping spans is replaced: every character of all of them goes.

Policy, for each run of spans that overlap one another directly or through others:

* one span contains all others (nesting): it is replaced, the inner ones go with it;
* two identical spans: a label wins over a generalisation, because it says less, then the
  one that comes first in the document's order;
* partial overlap: the union is replaced, with the phrase of the longest span.

So nothing of any original is left, and nothing is replaced twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Span


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where an entity stands in the original text.

    Attributes:
        mention_id: the annotated mention, or "" for one that only the sweep found.
        direct: whether only a label may stand here.
    """

    span: Span
    entity_id: str
    mention_id: str = ""
    entity_type: str = ""
    direct: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """Occurrences that overlap: the span that goes, the one that speaks, those that go with it."""

    span: Span
    outer: Occurrence
    inner: tuple[Occurrence, ...] = ()


def clusters(occurrences: Sequence[Occurrence]) -> tuple[Cluster, ...]:
    """Groups occurrences into ascending clusters whose spans do not overlap."""
    ordered = sorted(
        occurrences, key=lambda o: (o.span.start, -o.span.end, not o.direct, not o.mention_id)
    )
    groups: list[list[Occurrence]] = []
    end = 0
    for occurrence in ordered:
        if groups and occurrence.span.start < end:
            groups[-1].append(occurrence)
            end = max(end, occurrence.span.end)
        else:
            groups.append([occurrence])
            end = occurrence.span.end
    return tuple(_cluster(group) for group in groups)


def _cluster(group: list[Occurrence]) -> Cluster:
    if len(group) == 1:
        return Cluster(group[0].span, group[0])
    span = Span(group[0].span.start, max(o.span.end for o in group))
    outer = max(group, key=lambda o: len(o.span))  # the first of the longest
    return Cluster(span, outer, tuple(o for o in group if o is not outer))
