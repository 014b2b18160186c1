"""Ladders from phrases that a parser confirms to be true, wider and no leak; set phrases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from intact.domain import Candidate, Ladder
from intact.english.calendar import MONTHS, SEASONS
from intact.english.numbers import LARGE, normalised, number, ordinal
from intact.english.vocabulary import either


class Statement(Protocol):
    """What a parser makes of a phrase."""

    def contains(self, other: Any, /) -> bool | None:
        """Whether ``other`` lies within; None if they do not compare."""


StatementT = TypeVar("StatementT", bound=Statement)


def climb(
    surfaces: Sequence[str],
    stated: Sequence[StatementT],
    phrases: Iterable[str],
    parse: Callable[[str], StatementT | None],
    *,
    describe: Callable[[StatementT], str],
    source: str,
) -> Ladder:
    """The phrases that hold all that is ``stated``, each strictly wider than the one before.

    Each phrase is read back by ``parse``; one that cannot be read, that does not contain the
    original, that is no wider than the rung below, or that keeps all numbers of a surface is left
    out. So the ladder is true by construction, as far as the parser is right.

    Args:
        surfaces: the texts of one entity's mentions.
        stated: what they were read as.
        phrases: to be tried, most specific first.
        parse: reads a phrase; None where it cannot.
        describe: the canonical form of what was read.
        source: what the candidates say they come from.
    """
    numbers = [found for surface in surfaces if (found := numbers_in(surface))]
    below: list[StatementT] = []
    rungs: list[Candidate] = []
    for phrase in phrases:
        said = parse(phrase)
        if said is None or any(phrase == rung.text for rung in rungs):
            continue
        if not all(said.contains(original) for original in stated):
            continue
        if any(original.contains(said) for original in stated):
            continue
        if below and (not said.contains(below[-1]) or below[-1].contains(said)):
            continue
        kept = numbers_in(phrase)
        if any(found <= kept for found in numbers):
            continue
        below.append(said)
        rungs.append(Candidate(phrase, len(rungs), source, describe(said)))
    return tuple(rungs)


_SCALES = frozenset(word for word in LARGE if len(word) > 2)
_TOKEN = re.compile(
    rf"\d[\d,.]*(?:\s(?:{either(_SCALES)})\b|(?:st|nd|rd|th|s)?\b)|[^\W\d]+(?:-[^\W\d]+)*"
)


_PARTS = frozenset("early mid late beginning middle end half start".split())


@lru_cache(maxsize=16384)
def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text, months and parts of the year among them, in a comparable form.

    A decade is no number ("1990s"). "a" and "no" are none either.
    """
    found = set()
    for token in _TOKEN.findall(text.lower()):
        if token[0].isdigit():
            digits = token.rstrip(".,")
            if digits.endswith("s") and not digits.endswith("ths"):
                continue
            written = digits[-1].isdigit() or " " in digits
            value = number(digits) if written else ordinal(digits)
            found.add(f"{float(value)}" if value is not None else digits)
            continue
        for part in dict.fromkeys((token, *token.split("-"))):
            if part in MONTHS:
                found.add(f"month {MONTHS[part]}")
            elif part in SEASONS or part in _PARTS:
                found.add(part)
            elif len(part) > 2 and part not in _SCALES:
                value = number(part) if ordinal(part) is None else ordinal(part)
                if value is not None:
                    found.add(f"{float(value)}")
    return frozenset(found)


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
