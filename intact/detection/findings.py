"""What a detector says, before it is merged with what the others say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from intact.domain import ENTITY_TYPES, EntityType, Span

OF_KIND: Mapping[str, str] = {row.kind: row.name for row in ENTITY_TYPES.values()} | {
    "email": EntityType.CODE,
    "phone": EntityType.CODE,
    "iban": EntityType.CODE,
    "card": EntityType.CODE,
    "url": EntityType.CODE,
    "ip": EntityType.CODE,
    "address": EntityType.LOC,
    "nationality": EntityType.DEM,
    "occupation": EntityType.DEM,
    "time": EntityType.DATETIME,
    "duration": EntityType.DATETIME,
    "age": EntityType.DATETIME,
    "money": EntityType.QUANTITY,
}
"""Kind -> type. Some kinds are finer, for those who ask for finer categories."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A span that one detector calls identifying.

    Attributes:
        kind: one of ``OF_KIND``.
        score: how sure the detector is, in (0, 1].
        source: the detector's name.
    """

    span: Span
    kind: str
    score: float
    source: str

    @property
    def entity_type(self) -> str:
        """Its type in TAB."""
        return OF_KIND[self.kind]


class Finder(Protocol):
    """One way of finding mentions."""

    name: str

    def find(self, text: str) -> Sequence[Finding]:
        """Findings in ``text``, in any order; they may overlap."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A span after merging, with what spoke for it.

    Attributes:
        score: the highest of its findings' scores.
        sources: the detectors that found it or a part of it, sorted.
    """

    span: Span
    kind: str
    score: float
    sources: tuple[str, ...]

    @property
    def entity_type(self) -> str:
        """Its type in TAB."""
        return OF_KIND[self.kind]


class Covered:
    """The characters of one text that some spans cover; asked and told in time linear in a span.

    Args:
        text: the text.
        spans: those that cover it from the start.
    """

    def __init__(self, text: str, spans: Iterable[Span] = ()) -> None:
        self._marks = bytearray(len(text))
        for span in spans:
            self.add(span)

    def add(self, span: Span) -> None:
        """Covers ``span``."""
        self._marks[span.start : span.end] = b"\x01" * (span.end - span.start)

    def touches(self, span: Span) -> bool:
        """Whether a character of ``span`` is covered."""
        return self._marks.find(1, span.start, span.end) >= 0
