"""Language defects that replacements bring in: what no careful writer would let stand.

Counted are only defects that an edit has a part in, so those of the original do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from intact.domain import SanitizedDocument, Score, Span
from intact.english.calendar import MONTH_NAMES
from intact.english.inflect import indefinite
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.pairs import new_places
from intact.evaluation.statistics import Tally

_ARTICLE = r"(?:a|an|the)"
_PREPOSITION = r"(?:in|on|at|of|by|from|to|for|with|between|during|since|until|before|after)"
_PLACED = r"(?:in|on|at)"
_MONTH = rf"(?:{'|'.join(MONTH_NAMES)})"
_PARTS = r"(?:(?:the|early|mid|late|middle|end|beginning|start|part|first|second|half|of)[ -])*"
_SEASON = r"(?:spring|summer|autumn|winter)"
_PERIOD = rf"{_PARTS}(?:{_MONTH}(?!\s+\d{{1,2}}\b)|\d{{4}}s?|{_SEASON})"
_GAP = r"\s+"

PATTERNS: dict[str, re.Pattern[str]] = {
    "doubled article": re.compile(rf"\b{_ARTICLE}{_GAP}{_ARTICLE}\b(?!['’])", re.IGNORECASE),
    "a or an": re.compile(r"\b([Aa]n?)\s+([A-Za-z][\w'’-]*|\d[\d,.]*)"),
    "doubled preposition": re.compile(
        rf"\b({_PREPOSITION}){_GAP}\1\b|\b{_PLACED}{_GAP}{_PLACED}\b"
        rf"|\b{_PLACED}{_GAP}(?:between|some time|during|since|until|from|within)\b"
        rf"|\b(?:between|from){_GAP}(?:between|from)\b",
        re.IGNORECASE,
    ),
    "doubled word": re.compile(
        rf"\b(?!{_PREPOSITION}\b|{_ARTICLE}\b|that\b|had\b)([^\W\d_]{{2,}}){_GAP}\1\b",
        re.IGNORECASE,
    ),
    "determiner and article": re.compile(
        rf"\b(?:his|her|its|their|my|our|your|this|these|those){_GAP}{_ARTICLE}\b"
        rf"|\w['’]s{_GAP}{_ARTICLE}\s(?=\w)",
        re.IGNORECASE,
    ),
    "capital in mid-sentence": re.compile(
        r"(?<=[a-z,;]\s)(?:A|An|The|In|On|At|Some|Several|One|Between|From|About|Around|Early|Late"
        r"|Mid|Before|After|During)(?=\s[a-z])"
    ),
    "on and a period": re.compile(rf"\b[Oo]n{_GAP}{_PERIOD}\b"),
    "part of a decade without article": re.compile(
        r"(?<!the )\b(?:(?<!-)(?:early|mid|late)[ -]\d{3}0s|(?<!-)(?<!early )(?<!late )(?<!mid )"
        r"(?<!or )(?<!and )(?<=[a-z] )\d{3}0s(?! [a-z]+ (?:of|by|against))|(?:end|middle|part"
        r"|beginning|start|half) of \d{4}s)\b",
        re.IGNORECASE,
    ),
}


class GrammarDefects(Metric):
    """Doubled articles, prepositions and words, "a" for "an", "on" before a month or year, a decade
    without its article, a capital in mid-sentence: those in which a replacement has a part, per
    document."""

    name = "grammar"
    title = "Language defects per document"
    better = "lower"
    source = "this project"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """All defects, then each kind."""
        counts = {one.document.id: defects(one) for one in pairs}
        parts = {"": tuple(PATTERNS)} | {kind: (kind,) for kind in PATTERNS}
        return tuple(
            self.mean(
                {key: Tally(sum(n[kind] for kind in kinds)) for key, n in counts.items()}, part
            )
            for part, kinds in parts.items()
        )


def defects(pair: SanitizedDocument) -> dict[str, int]:
    """How many defects of each kind the edits of one document have a part in."""
    counts = Counter(kind for kind, _ in places_of_defects(pair))
    return {kind: counts[kind] for kind in PATTERNS}


def places_of_defects(pair: SanitizedDocument) -> Iterator[tuple[str, Span]]:
    """Each defect that an edit has a part in: its kind, and where it is in the edited text."""
    text = pair.text
    places = new_places(pair.edits)
    ends = [end for _, end in places]
    for kind, pattern in PATTERNS.items():
        for match in _matches(kind, pattern, text):
            if _touches(places, ends, match.start(), match.end()):
                yield kind, Span(match.start(), match.end())


def _matches(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    while match := pattern.search(text, at):
        at = match.start() + 1
        if kind != "a or an" or match.group(1).lower() != indefinite(match.group(2)):
            yield match


def _touches(places: list[tuple[int, int]], ends: list[int], start: int, end: int) -> bool:
    """Whether the match reaches into a replacement, or across the place of a deletion."""
    at = bisect_left(ends, start)
    while at < len(places) and places[at][0] <= end:
        low, high = places[at]
        if low == high:
            if start < low < end:
                return True
        elif low < end and start < high:
            return True
        at += 1
    return False
