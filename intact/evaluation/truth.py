"""What a judge of truthfulness says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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
