"""Truth: what can be proved of times and amounts, and what a judge says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal


@dataclass(frozen=True, slots=True)
class Replaced:
    """An original string in its context, and what stands for it.

    Attributes:
        before: the original.
        after: what stands there.
        entity_type: its type.
        left: some original text before it.
        right: some original text after it.
    """

    before: str
    after: str
    entity_type: str
    left: str = ""
    right: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities that a replacement is true of the original, and says less than it."""

    truthful: float
    less_specific: float


class Judge(Protocol):
    """Judges replacements."""

    name: str

    def judge(self, items: Sequence[Replaced]) -> Sequence[Verdict]:
        """One verdict each, in order."""


def holds(general: str, specific: str) -> bool | None:
    """Whether the time or amount ``general`` contains ``specific``; None if that cannot be told."""
    moment, other = parse_temporal(general), parse_temporal(specific)
    if moment is not None and other is not None:
        verdict = moment.contains(other)
        if verdict is not None:
            return verdict
    amount, amounts = parse_quantity(general), parse_quantity(specific)
    return amount.contains(amounts) if amount is not None and amounts is not None else None
