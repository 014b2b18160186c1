"""Ladders for the few set phrases that name a length of time or an amount without a number."""

from __future__ import annotations

import re

from intact.domain import Candidate, Ladder
from intact.english.numbers import normalised

_FIXED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"(?:a |the )?(?:aggravated )?life (?:imprisonment|sentence.*)"),
        ("a long prison sentence", "a custodial sentence", "a criminal sentence"),
    ),
    (
        re.compile(
            r"(?:an? |the )?(?:enormous|huge|large|vast|considerable) (?:amount|sum) of money"
        ),
        ("an amount of money", "a certain amount"),
    ),
    (
        re.compile(r"(?:the )?(?:beginning|middle|end) of the (?:month|week)"),
        ("a certain time", "a certain period"),
    ),
)


def fixed_ladder(text: str, source: str) -> Ladder:
    """The ladder of a set phrase, or ().

    Args:
        text: a mention's.
        source: what the candidates say they come from.
    """
    plain = normalised(text)
    for pattern, phrases in _FIXED:
        if pattern.fullmatch(plain):
            return tuple(Candidate(phrase, rank, source) for rank, phrase in enumerate(phrases))
    return ()
