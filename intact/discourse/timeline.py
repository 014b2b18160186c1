"""The timeline of a document: dates that say how they follow each other.

Two dates of one year would both become "in 2004", and with that the order of events is lost. So
a date that would read like the one before it says instead how it follows: "less than a week
later", "later that year", or at least which part of the year it is in. What is said holds
against every date that a reader could take it from, and never tells more than a third of a year
by itself: the phrases speak of distances, in bins with fixed limits (``BINS``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from intact.domain import Span

BINS = ((1, 6, "less than a week"), (1, 27, "less than a month"))
"""Distances in days, ends inclusive, and what is said of them; the first that holds is taken."""

THIRDS = ((4, "early"), (8, "mid"), (12, "late"))
"""Parts of a year by their last month."""

REACH = 1200  # characters back to the date that a phrase is taken from
LATER_THAT_YEAR = 14  # days at least from every anchor


@dataclass(frozen=True, slots=True)
class DatedMention:
    """A masked mention that is one day or a few days in a row.

    Attributes:
        span: where it stands in the original text.
        first, last: its days, as proleptic Gregorian ordinals.
        phrase: what would stand for it alone ("2004", "the 2000s"), without a preposition.
    """

    span: Span
    first: int
    last: int
    phrase: str

    @property
    def year(self) -> int:
        """The year of its first day."""
        return date.fromordinal(self.first).year

    @property
    def by_year(self) -> bool:
        """Whether its year, and no more, would stand for it."""
        return self.phrase == str(self.year) == str(date.fromordinal(self.last).year)


@dataclass(frozen=True, slots=True)
class _Place:
    """A dated mention with what its sentence asks of a phrase."""

    mention: DatedMention
    before: str  # "on", "dated", "of", "between", "" ...
    leads: bool  # begins its sentence, its preposition apart
    bound: bool  # in a quotation, a list, a law's title, somebody's birth: never relative


def follow(text: str, dates: Sequence[DatedMention]) -> dict[Span, str]:
    """For dates that would read like their neighbours, a phrase that tells them apart.

    Args:
        text: the original document.
        dates: its masked dates, ascending, not overlapping, each with the phrase that would
            stand for it alone.

    Returns:
        The phrase of each mention that shall read otherwise: "less than a week later" and
        "on the same day" take no preposition, "early 2004" takes "in".
    """
    found: dict[Span, str] = {}
    borders = [match.start() for match in _HEADING.finditer(text)]
    quoted = tuple(_quotations(text))
    placed = [_placed(text, dates, index, quoted) for index in range(len(dates))]
    said = ""
    for index, place in enumerate(placed):
        if not index:
            continue
        phrase = _relative(text, placed, index, borders, said) or _part(placed, index)
        said = phrase
        if phrase:
            found[place.mention.span] = phrase
    return found


_RELATIVE_ONLY_AFTER = frozenset(["on", "", "until", "dated"])
_ABSOLUTE_AFTER = frozenset(
    "after before by since from between and or to as than following prior with through".split()
)
_BEFORE = re.compile(r"([A-Za-z]+)\s+(?:the\s+)?$")
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:born|aged|Act|Law|Code|Decree|Convention|Treaty|Protocol|Regulation|Directive|Ordinance)\b"
    r"[^.;\n]{0,40}|\brespectively\b[^.;\n]{0,60})$"
)
_LIST_BEFORE = re.compile(r"(?:,|\band\b|\bor\b|&|-|–|\bto\b)\s*(?:on\s+|of\s+)?$")
_LIST_AFTER = re.compile(r"^\s*(?:,\s*(?:on\s+)?\d|(?:and|or|to|&|-|–)\s+(?:on\s+)?\d)")
_RESPECTIVELY = re.compile(r"^[^.;\n]{0,80}\brespectively\b")
_SENTENCE_START = re.compile(
    r"(?:^|[.!?:;\n]|\d\.)[\s\"“'(]*(?:(?:[Oo]n|[Ii]n|[Bb]y)\s+)?(?:the\s+)?$"
)
_HEADING = re.compile(r"^[ \t]*(?:[IVXAB]{1,4}\.\s+|\d\.\s+)?[A-Z][A-Z'’ ,-]{4,80}$", re.MULTILINE)
_OTHER_TIME = re.compile(
    r"\b(?:later|earlier|next day|following (?:day|week|month|year)|previous (?:day|week|month)|"
    r"subsequently|that (?:date|day)|same (?:day|date)|unspecified (?:date|day|time)|"
    r"(?:day|week|month)s? (?:after|before))\b"
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")


def _placed(
    text: str, dates: Sequence[DatedMention], index: int, quoted: Sequence[tuple[int, int]]
) -> _Place:
    span = dates[index].span
    before = text[max(0, span.start - 120) : span.start]
    after = text[span.end : span.end + 90]
    word = _BEFORE.search(before)
    listed = bool(_LIST_BEFORE.search(before) and _next_to(dates, index, -1)) or bool(
        _LIST_AFTER.match(after) and _next_to(dates, index, 1)
    )
    bound = (
        listed
        or any(low <= span.start < high for low, high in quoted)
        or bool(_BOUND_BEFORE.search(before))
        or bool(_RESPECTIVELY.match(after))
    )
    leads = bool(_SENTENCE_START.search(before))
    return _Place(dates[index], "" if word is None else word[1].lower(), leads, bound)


def _next_to(dates: Sequence[DatedMention], index: int, step: int) -> bool:
    """Whether another date stands close by on that side, as in a list."""
    other = index + step
    if not 0 <= other < len(dates):
        return False
    left, right = sorted((dates[index].span, dates[other].span))
    return right.start - left.end <= 12


def _relative(
    text: str, placed: Sequence[_Place], index: int, borders: Sequence[int], said: str
) -> str:
    """How the date follows those before it, or "" where that cannot be told for sure."""
    place, last = placed[index], placed[index - 1]
    mention, before = place.mention, last.mention
    if place.bound or before.phrase != mention.phrase:
        return ""
    anchors = list(_anchors(placed, index, borders))
    if not anchors or any(anchor.bound for anchor in anchors):
        return ""
    since = anchors[0].mention.span.end
    between = text[since : mention.span.start]
    if _OTHER_TIME.search(between) or (
        index > 1 and _OTHER_TIME.search(_sentence_of(text, before.span.start))
    ):
        return ""
    if (mention.first, mention.last) == (before.first, before.last):
        return (
            "the same day" if place.before in {"on", "of"} and mention.first == mention.last else ""
        )
    if place.before not in _RELATIVE_ONLY_AFTER and not place.leads:
        return ""
    gaps = [_gap(anchor.mention, mention) for anchor in anchors]
    if all(gap > 0 for gap in gaps):
        way = "later"
    elif all(gap < 0 for gap in gaps):
        way = "earlier"
    else:
        return ""
    for low, high, length in BINS:
        if all(low <= abs(gap) <= high for gap in gaps):
            return f"{length} {way}"
    one_year = mention.by_year and all(anchor.mention.by_year for anchor in anchors)
    same_year = all(anchor.mention.year == mention.year for anchor in anchors)
    if one_year and same_year and min(abs(gap) for gap in gaps) >= LATER_THAT_YEAR:
        phrase = f"{way} that year"
        return (
            phrase if said != phrase and not _YEAR.search(between) else f"{way} in {mention.year}"
        )
    return ""


def _sentence_of(text: str, start: int) -> str:
    """The part of a sentence before ``start``."""
    return re.split(r"[.;\n]", text[max(0, start - 200) : start])[-1]


def _anchors(placed: Sequence[_Place], index: int, borders: Sequence[int]) -> Iterator[_Place]:
    """What a reader could count from: the earliest that stands in the text comes first."""
    start = placed[index].mention.span.start
    floor = max((at for at in borders if at <= start), default=0)
    near = [
        place for place in placed[:index] if place.mention.span.start >= max(floor, start - REACH)
    ]
    if not near or near[-1] is not placed[index - 1]:
        return
    chosen = {id(near[-1]): near[-1]}
    for wanted in (lambda p: p.before == "on", lambda p: p.leads):
        last = next((place for place in reversed(near) if wanted(place)), None)
        if last is not None:
            chosen[id(last)] = last
    yield from sorted(chosen.values(), key=lambda place: place.mention.span.start)


def _gap(anchor: DatedMention, mention: DatedMention) -> int:
    """Days from the anchor to the mention, 0 where they overlap or a span of days hides it."""
    if anchor.last < mention.first:
        longest = mention.last - anchor.first
        return (
            longest if longest - (mention.first - anchor.last) <= 1 else mention.first - anchor.last
        )
    if mention.last < anchor.first:
        return mention.last - anchor.first
    return 0


def _part(placed: Sequence[_Place], index: int) -> str:
    """The part of its year, where the date before would read the same and is another."""
    mention, before = placed[index].mention, placed[index - 1].mention
    if not mention.by_year or before.phrase != mention.phrase or placed[index].bound:
        return ""
    if (mention.first, mention.last) == (before.first, before.last):
        return ""
    parts = {
        next(name for last, name in THIRDS if date.fromordinal(day).month <= last)
        for day in (mention.first, mention.last)
    }
    if len(parts) != 1:
        return ""
    part = parts.pop()
    return f"mid-{mention.year}" if part == "mid" else f"{part} {mention.year}"


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Where something is quoted: from an opening mark to the closing one, or to the line's end."""
    for match in re.finditer(r"[“\"][^”\"\n]*[”\"]?", text):
        yield match.span()
