"""What a detector says, before it is merged with what the others say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from intact.domain import EntityType, Span

OF_KIND = {
    "person": EntityType.PERSON,
    "code": EntityType.CODE,
    "email": EntityType.CODE,
    "phone": EntityType.CODE,
    "iban": EntityType.CODE,
    "card": EntityType.CODE,
    "url": EntityType.CODE,
    "ip": EntityType.CODE,
    "place": EntityType.LOC,
    "address": EntityType.LOC,
    "organisation": EntityType.ORG,
    "nationality": EntityType.DEM,
    "occupation": EntityType.DEM,
    "characteristic": EntityType.DEM,
    "date": EntityType.DATETIME,
    "time": EntityType.DATETIME,
    "duration": EntityType.DATETIME,
    "age": EntityType.DATETIME,
    "money": EntityType.QUANTITY,
    "quantity": EntityType.QUANTITY,
    "other": EntityType.MISC,
}
"""Kind -> TAB type. Kinds are finer, for those who ask for finer categories."""

PLAIN_KIND = {
    EntityType.PERSON: "person",
    EntityType.CODE: "code",
    EntityType.LOC: "place",
    EntityType.ORG: "organisation",
    EntityType.DEM: "characteristic",
    EntityType.DATETIME: "date",
    EntityType.QUANTITY: "quantity",
    EntityType.MISC: "other",
}
"""TAB type -> the kind where no more is known."""


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
