"""Findings of detectors, joined into one list of spans that do not overlap.

Policy: what any detector found is covered, even if no other found it.

* A finding inside another, or equal to it, is merged into it. Of equal ones, the one that is surest
  of its kind gives the kind; if several are, the one of the detector that comes first.
* Two that overlap in part, and are both amounts or both times, become one: "about $80", "$80 a
  week".
* Of others that overlap in part, the one with the better score (then the longer, then the first)
  keeps its span; the other keeps the rest, if the rest holds a letter or digit.
* A mention is made of whole words of one line (``boundaries``).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from intact.detection.boundaries import tidy, whole_mentions
from intact.domain import BY_VALUE, ENTITY_TYPES, Span
from intact.english.vocabulary import vocabulary

OF_LINES = frozenset({"address", "encoded"})  # kinds whose mentions may reach over line breaks
_FINER = {kind: name for name, own in vocabulary("texts")["finer"].items() for kind in own}
# Kind -> type. Some kinds are finer than a type, for those who ask for finer categories.
OF_KIND: Mapping[str, str] = {row.kind: row.name for row in ENTITY_TYPES.values()} | _FINER


@dataclass(frozen=True)
class Finding:
    """A span that one detector calls identifying."""

    span: Span
    kind: str  # one of ``OF_KIND``
    score: float  # how sure the detector is, in (0, 1]
    source: str  # the detector's name
    kind_score: float = 1.0  # how sure it is of the kind if it is a mention at all, in [0, 1]
    begins: float = 0.0  # how many mentions begin in it: the sum of its words' probabilities
    placed: float = 0.0  # how sure it is of a place or body, mean over words; 0 if likelier a body

    @cached_property
    def entity_type(self) -> str:
        """The type of what its kind says, in the Text Anonymization Benchmark: "LOC" for
        "place"."""
        return OF_KIND[self.kind]


class Finder(Protocol):
    """One way of finding mentions."""

    name: str

    def find(self, text: str) -> Sequence[Finding]:
        """Find mentions in a text, in any order; they may overlap."""


@dataclass(frozen=True)
class Merged:
    """A span after merging, with the evidence for it."""

    span: Span
    text: str  # what stands there
    kind: str
    score: float  # the highest of its findings' scores
    sources: tuple[str, ...]  # the detectors that found it or a part of it, sorted

    @cached_property
    def entity_type(self) -> str:
        """The type of what its kind says, in the Text Anonymization Benchmark: "LOC" for
        "place"."""
        return OF_KIND[self.kind]


def merge(text: str, findings: Sequence[Finding], order: Sequence[str] = ()) -> tuple[Merged, ...]:
    """Join the findings of several detectors into ascending spans of whole words that do not
    overlap. A finding inside another is merged into it; two amounts or two times that overlap in
    part become one; of others, the one with the better score keeps its span, the other the rest.

    Args:
        text: the document.
        findings: of all detectors, in any order.
        order: names of the detectors; of equal and equally sure findings, that of the first gives
            the kind.
    """

    def precedence(item: tuple[Span, Finding]) -> tuple[int, int, float, int, str, str]:
        """Return the key that sorts findings by their begin, longer, surer and earlier ones in
        ``order`` first."""
        span, finding = item
        rank = order.index(finding.source) if finding.source in order else len(order)
        sureness = finding.score * finding.kind_score
        return span.start, -span.end, -sureness, rank, finding.kind, finding.source

    trimmed = [
        (span, one)
        for one in findings
        for span in whole_mentions(text, one.span, lines=one.kind in OF_LINES)
    ]
    outer: list[Merged] = []
    for span, finding in sorted(trimmed, key=precedence):
        one = Merged(span, span.of(text), finding.kind, finding.score, (finding.source,))
        last = outer[-1] if outer else None
        if last is None or span.start >= last.span.end:
            outer.append(one)
        elif last.span.contains(span):
            outer[-1] = _with(last, one)
        elif last.entity_type == one.entity_type in BY_VALUE:
            surer = max(last, one, key=lambda each: each.score)
            both = Span(last.span.start, span.end)
            whole = replace(surer, span=both, text=both.of(text))
            outer[-1] = _with(_with(whole, last), one)
        else:
            outer.append(one)
    return _apart(text, outer)


def _apart(text: str, spans: Sequence[Merged]) -> tuple[Merged, ...]:
    """Return the spans, ascending, each without the end that a better-scored span takes (of equal
    scores the longer one, then the first); a span of which no letter or digit is left is dropped.

    Args:
        text: the document.
        spans: ascending; none may contain another.
    """
    kept: dict[int, Merged] = {}
    order: list[int] = []  # what is kept, ascending
    best = sorted(range(len(spans)), key=lambda at: (-spans[at].score, -len(spans[at].text), at))
    for at in best:
        one = spans[at]
        near = bisect(order, at)
        start = max([one.span.start, *(kept[n].span.end for n in order[near - 1 : near])])
        end = min([one.span.end, *(kept[n].span.start for n in order[near : near + 1])])
        rest = tidy(text, Span(start, end)) if start < end else None
        if rest is not None:
            kept[at] = replace(one, span=rest, text=rest.of(text))
            order.insert(near, at)
    return tuple(kept[at] for at in order)


def _with(winner: Merged, other: Merged) -> Merged:
    """Return ``winner`` with the detectors of both and the higher of their scores; its span and
    kind stay."""
    sources = tuple(sorted({*winner.sources, *other.sources}))
    return replace(winner, score=max(winner.score, other.score), sources=sources)
