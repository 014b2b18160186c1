"""Amounts of one sentence: of two that differ and may read alike, the second says how it compares.

"valued at [EUR 610,000] and sold for [EUR 187,500]" must not become one sum twice: the order is
what the sentence is about, and it tells hardly anything of either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from intact.domain import Span
from intact.english.quantities import Quantity, QuantityKind, parse_quantity
from intact.english.vocabulary import vocabulary

_SAID: dict[str, list[str]] = vocabulary("quantities")["compared"]
_COMPARISONS = frozenset(words for pair in _SAID.values() for words in pair)
_NEAR = 240  # characters
_PARTED = r"[.!?;:|]\s|\n"  # ends of sentences, and of cells


def is_comparison(phrase: str) -> bool:
    """Recognise a phrase that says only how an amount compares with one before it."""
    plain = phrase.lower()
    return plain in _COMPARISONS or re.match(r"(?:more|fewer) (?!than)", plain) is not None


def compare(
    text: str, amounts: Sequence[tuple[Span, Quantity]], phrases: Sequence[str]
) -> list[str]:
    """Say how an amount compares with those before it in its sentence, where what would stand for
    one of them may as well mean the other.

    Args:
        text: the document.
        amounts: where each stands, ascending, and what it says.
        phrases: what would stand for each; "" for a label.

    Returns:
        For each amount other words, "" where it keeps its own.
    """
    said = [parse_quantity(phrase) if phrase else None for phrase in phrases]
    found = []
    for at, (span, amount) in enumerate(amounts):
        alike = [
            known
            for (place, known), other in zip(amounts[:at], said, strict=False)
            if span.start - place.end < _NEAR
            and _may_be_one((amount, said[at]), (known, other))
            and not re.search(_PARTED, text[place.end : span.start])
        ]
        less = alike and all(amount.high < known.low for known in alike)
        more = alike and all(amount.low > known.high for known in alike)
        joined = "-" in span.of(text).rpartition(" ")[2]  # "a three-day extension"
        found.append(_worded(amount, bool(more)) if (less or more) and not joined else "")
    return found


_Worded = tuple[Quantity, Quantity | None]  # an amount, and what its phrase says


def _may_be_one(one: _Worded, earlier: _Worded) -> bool:
    """Tell whether the phrases of two amounts leave open which is more; of times, if they agree."""
    (own, said), (known, other) = one, earlier
    if said is None or other is None or (own.kind, own.unit) != (known.kind, known.unit):
        return False
    same = said.same(other)
    return same if own.unit == "time" else bool(said.contains(known) or other.contains(own))


def _worded(amount: Quantity, more: bool) -> str:
    """Say of an amount that it is less, or ``more``, than the one before; "" without words."""
    if amount.kind is QuantityKind.COUNT:
        return f"{('fewer', 'more')[more]}{amount.after}" if amount.after.strip() else ""
    key = amount.after.strip() if amount.unit == "time" else ""
    key = key or (amount.unit if amount.kind is QuantityKind.MEASURE else amount.kind)
    return _SAID[key][more] if key in _SAID else ""
