"""Originals and edits as the pairs that metrics score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Document, Edit, Mention, Replacement, SanitizedDocument
from intact.evaluation.regions import projection
from intact.evaluation.statistics import Tally, tally


def pair(document: Document, edits: Sequence[Edit]) -> SanitizedDocument:
    """A document with somebody's edits (ascending, not overlapping), without decisions."""
    replacements = tuple(
        Replacement(
            mention.span,
            projection(document.text, edits, mention.span),
            mention.entity_id,
            mention.id,
        )
        for mention in sorted(document.mentions, key=lambda mention: mention.span)
        if mention.masked
    )
    return SanitizedDocument(document, tuple(edits), replacements, ())


@dataclass(frozen=True, slots=True)
class MaskedString:
    """A masked mention and what stands for it.

    Attributes:
        document: id of its document.
        mention: the mention.
        after: what stands for it, "" if nothing; read off the edits, so that it is the same for
            every system, whoever made it.
    """

    document: str
    mention: Mention
    after: str

    @property
    def before(self) -> str:
        """The original string."""
        return self.mention.text

    @property
    def entity_type(self) -> str:
        """Type of the mention."""
        return self.mention.entity_type


def masked_strings(pairs: Sequence[SanitizedDocument]) -> list[MaskedString]:
    """Every masked mention of every document, in text order."""
    return [
        MaskedString(p.document.id, mention, projection(p.document.text, p.edits, mention.span))
        for p in pairs
        for mention in sorted(p.document.mentions, key=lambda mention: mention.span)
        if mention.masked
    ]


def tallied(strings: Sequence[MaskedString], values: Sequence[float]) -> dict[str, Tally]:
    """One value a string, summed by document."""
    return tally((s.document, value) for s, value in zip(strings, values, strict=True))


def by_type(
    strings: Sequence[MaskedString], values: Sequence[float]
) -> dict[str, dict[str, Tally]]:
    """``tallied`` for each entity type there is, types in alphabetical order."""
    return {
        kind: tally(
            (s.document, value)
            for s, value in zip(strings, values, strict=True)
            if s.entity_type == kind
        )
        for kind in sorted({string.entity_type for string in strings})
    }
