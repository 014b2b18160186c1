"""Language that replacements break: what no careful writer would let stand, by patterns.

Counted are only defects that an edit has a part in, so those of the original do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from sys import maxsize

from intact.domain import SanitizedDocument, Score, Span
from intact.english.grammar import indefinite
from intact.english.time import MONTH_NAMES
from intact.evaluation.corpus import new_places
from intact.evaluation.metric import Metric, Pairs, Tally

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
        """Score all defects, then each kind."""
        counts = {one.document.id: defects(one) for one in pairs}
        scores = [self.mean({key: Tally(sum(n.values())) for key, n in counts.items()})]
        for kind in PATTERNS:
            scores.append(self.mean({key: Tally(n[kind]) for key, n in counts.items()}, kind))
        return tuple(scores)


def defects(pair: SanitizedDocument) -> dict[str, int]:
    """Count by kind the defects of language in which a document's edits have a part."""
    counts = Counter(kind for kind, _ in places_of_defects(pair))
    return {kind: counts[kind] for kind in PATTERNS}


def places_of_defects(pair: SanitizedDocument) -> Iterator[tuple[str, Span]]:
    """Find each defect in which an edit has a part: its kind, and where it is in the edited
    text."""
    text = pair.text
    places = new_places(pair.edits)
    ends = [end for _, end in places]
    for kind, pattern in PATTERNS.items():
        at = 0
        while match := pattern.search(text, at):
            start, end = match.span()
            at = start + 1
            right = kind == "a or an" and match[1].lower() == indefinite(match[2])
            near = islice(places, bisect_left(ends, start), bisect_right(places, (end, maxsize)))
            touched = (
                max(low, start) < min(high, end) or start < low == high < end for low, high in near
            )
            if not right and any(touched):
                yield kind, Span(start, end)
