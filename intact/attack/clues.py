"""What the rest of a sanitised text says about a target: found once for every text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from intact.domain import Span
from intact.english.fold import fold
from intact.english.scan import parse_temporal
from intact.english.time import Kind, Temporal

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}\s+(?:{_MONTHS})\s+\d{{4}}|(?:{_MONTHS})\s+\d{{4}}|(?:1[5-9]|20)\d\d)\b(?![/’'s])"
)
_WORD = re.compile(r"[^\W_]+|\|")
_COMMON = re.compile(r"\b(?!(?:of|the|and|for|in|on)\b)[a-zß-öø-ÿ]\w*")
_NAME = re.compile(r"\b[^\W\d_a-z][^\W\d_]+(?:[ -][^\W\d_a-z][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Standing:
    """A date that stands in the text, and where."""

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
        self._folded = ""
        self._words: frozenset[str] = frozenset()

    def stands(self, name: str) -> bool:
        """Whether ``name`` was left in the text, capitalised, as whole words.

        Diacritics and the case of later letters do not matter.
        """
        if not self._folded:
            self._folded = _spaced(self._left())
            self._words = frozenset(self._folded.split())
        spaced, first = _spaced_name(name)
        return first in self._words and spaced in self._folded

    def _left(self) -> str:
        """The capitalised and the small words of the text outside replacements."""
        parts, done = [], 0
        for span in self._replaced:
            parts.append(self._text[done : span.start])
            done = max(done, span.end)
        parts.append(self._text[done:])
        return _COMMON.sub("|", " | ".join(parts))

    def dates_within(self, phrase: Temporal, target: Span) -> Sequence[Standing]:
        """Finer dates inside ``phrase`` that stand elsewhere, nearest to ``target`` first."""
        inside = [
            standing
            for standing in self.dates
            if standing.time.granularity < phrase.granularity
            and phrase.contains(standing.time)
            and any(not span.overlaps(target) for span in standing.spans)
        ]
        return sorted(inside, key=lambda standing: _distance(standing, target))


def _dates(text: str) -> tuple[Standing, ...]:
    places: dict[str, list[Span]] = {}
    for match in _DATE.finditer(text):
        places.setdefault(" ".join(match.group().split()), []).append(Span(*match.span()))
    found = []
    for written, spans in places.items():
        time = parse_temporal(written)
        if time is not None and time.kind is Kind.INTERVAL:
            found.append(Standing(written, time, tuple(spans)))
    return tuple(found)


@lru_cache(1 << 14)
def _spaced_name(name: str) -> tuple[str, str]:
    """``name`` as it is looked for, and its first word."""
    spaced = _spaced(name)
    return spaced, next(iter(spaced.split()), "")


def _spaced(text: str) -> str:
    return f" {' '.join(_WORD.findall(fold(text)))} "


def _distance(standing: Standing, target: Span) -> int:
    return min(abs(span.start - target.start) for span in standing.spans)
