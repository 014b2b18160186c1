"""What the rest of a sanitised text says about a target: found once for every text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from intact.domain import Span
from intact.english.calendar import MONTH_NAMES
from intact.english.fold import fold
from intact.english.scan import parse_temporal
from intact.english.time import Kind, Temporal
from intact.english.vocabulary import either

_MONTHS = either(MONTH_NAMES)
_DATE = re.compile(rf"\b(?:(?:(?:\d{{1,2}}\s+)?(?:{_MONTHS})\s+)?(?:1[5-9]|20)\d\d)\b(?![/’'s])")
_WORD = re.compile(r"[^\W_]+|\|")
_COMMON = re.compile(r"\b(?!(?:of|the|and|for|in|on)\b)[a-zß-öø-ÿ]\w*")
_NAME = re.compile(r"\b[^\W\d_a-z][^\W\d_]+(?:[ -][^\W\d_a-z][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class DateInText:
    """A date that stands in a text, and where."""

    text: str
    time: Temporal
    spans: tuple[Span, ...]


class Clues:
    """The names and dates that one sanitised text still has.

    Args:
        text: the sanitised text.
        replaced: where replacements stand; what stands there is no name that was left.
    """

    def __init__(self, text: str, replaced: Sequence[Span] = ()) -> None:
        self._text = text
        self._replaced = replaced
        self.dates = _dates(text)
        self.names: Mapping[str, int] = Counter(match.group() for match in _NAME.finditer(text))

    def stands(self, name: str) -> bool:
        """Whether ``name`` was left in the text, capitalised, as whole words.

        Diacritics and the case of later letters do not matter.
        """
        folded, known = self._left
        spaced, first = _spaced_name(name)
        return first in known and spaced in folded

    @cached_property
    def _left(self) -> tuple[str, frozenset[str]]:
        """The capitalised and the small words of the text outside replacements, as one and each."""
        parts, done = [], 0
        for span in self._replaced:
            parts.append(self._text[done : span.start])
            done = max(done, span.end)
        parts.append(self._text[done:])
        folded = _spaced(_COMMON.sub("|", " | ".join(parts)))
        return folded, frozenset(folded.split())

    def date_before(self, target: Span) -> Temporal | None:
        """The date that stands last before ``target``, be it replaced or left."""
        left = [(span, date.time) for date in self.dates for span in date.spans]
        said = ((span, parse_temporal(span.of(self._text))) for span in self._replaced)
        dates = left + [(span, time) for span, time in said if time and time.kind is Kind.INTERVAL]
        before = [(span.end, time) for span, time in dates if span.end <= target.start]
        return max(before, key=lambda each: each[0])[1] if before else None

    def dates_within(self, phrase: Temporal, target: Span) -> Sequence[DateInText]:
        """Finer dates inside a phrase that stand elsewhere, the nearest first.

        Args:
            phrase: what the target says.
            target: where it stands; a date there is none that stands elsewhere.
        """
        inside = [
            date
            for date in self.dates
            if date.time.granularity < phrase.granularity
            and phrase.contains(date.time)
            and any(not span.overlaps(target) for span in date.spans)
        ]
        return sorted(
            inside, key=lambda date: min(abs(span.start - target.start) for span in date.spans)
        )


def _dates(text: str) -> tuple[DateInText, ...]:
    places: dict[str, list[Span]] = {}
    for match in _DATE.finditer(text):
        places.setdefault(" ".join(match.group().split()), []).append(Span(*match.span()))
    times = {written: parse_temporal(written) for written in places}
    return tuple(
        DateInText(written, time, tuple(places[written]))
        for written, time in times.items()
        if time is not None and time.kind is Kind.INTERVAL
    )


@lru_cache(1 << 14)
def _spaced_name(name: str) -> tuple[str, str]:
    """``name`` as it is looked for, and its first word."""
    spaced = _spaced(name)
    return spaced, next(iter(spaced.split()), "")


def _spaced(text: str) -> str:
    return f" {' '.join(_WORD.findall(fold(text)))} "
