"""Masked strings that still stand in the sanitised text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from intact.domain import Document, EntityType

MIN_LENGTH = 4
"""Shorter strings ("two") are too common as words to count as leaks."""

_VALUES = frozenset({EntityType.DATETIME, EntityType.QUANTITY})


@dataclass(frozen=True, slots=True)
class Left:
    """A masked string that is still there: its type and how often it occurs."""

    text: str
    entity_type: str
    times: int

    @property
    def is_value(self) -> bool:
        """Whether it is a date or quantity, which recur by chance more than names do."""
        return self.entity_type in _VALUES


def strings_left(document: Document, after: str) -> tuple[Left, ...]:
    """The distinct masked strings of ``MIN_LENGTH`` or more characters that stand in ``after``
    as whole words, in order of first mention."""
    kinds: dict[str, str] = {}
    for mention in sorted(document.mentions, key=lambda mention: mention.span):
        if mention.masked and len(mention.text) >= MIN_LENGTH:
            kinds.setdefault(mention.text, mention.entity_type)
    found = []
    for text, kind in kinds.items():
        times = len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", after))
        if times:
            found.append(Left(text, kind, times))
    return tuple(found)
