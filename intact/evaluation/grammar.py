"""Language that replacements break: what no careful writer would let stand, by patterns, and what
reads unlike the originals, by their own words.

Counted are only defects that an edit has a part in, so those of the original do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from sys import maxsize

import numpy as np

from intact.domain import ENTITY_TYPES, LABEL_ONLY, Edit, SanitizedDocument, Score, Span
from intact.english.grammar import indefinite
from intact.english.scan import scan
from intact.english.time import MONTH_NAMES, Temporal
from intact.english.vocabulary import ARTICLES, HONORIFICS, STOP_WORDS
from intact.evaluation.corpus import new_places
from intact.evaluation.metric import Metric, Pairs, Tally, tally

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


_LABEL = re.compile(rf"(?P<type>{'|'.join(ENTITY_TYPES)})_\d+")
_PIECE = re.compile(
    rf"\b{_LABEL.pattern}|[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,:/]\d+)*|\n|[^\w\s]"
)
_TIME, _AMOUNT, _NAME = "<time>", "<amount>", "<name>"
_STANDS = {"QUANTITY": _AMOUNT, "DATETIME": _TIME}
_ENDINGS = "ing ed ly tion ment ness ity ous ive al ful able less ent ant er est ies ss s".split()
_SMALL = STOP_WORDS - ARTICLES
Piece = tuple[str, int, int]  # a word as it counts, where it starts and ends
_OFTEN = 4  # times that a word must stand in the originals to be told from others of its ending
_MOST = 150_000  # places that are learned from
_LABEL_FOR_A_WORD, _SIDE_BY_SIDE, _UNUSUAL = 2.0, 1.1, 0.1
_BOUND = 0.9
"""What speaks against a place, and from which sum on it is told: chosen on every other one of the
places that a person judged (``eval/judgments/language.py``)."""


class Unlikely(Metric):
    """Share of the replacements (names and codes apart) that stand where the originals would hardly
    let such words stand: a label for a single word in lower case, two replacements side by side, or
    words that do not follow each other in the originals, where dates, amounts and names count as
    one word each."""

    name = "unlikely"
    title = "Replacements that read unlike the originals"
    better = "lower"
    source = "this project; noise-contrastive estimation, Gutmann and Hyvärinen 2010"

    _learned: tuple[frozenset[str], Neighbours] | None = None

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of unlikely replacements."""
        texts = frozenset(one.document.text for one in pairs)
        if self._learned is None or self._learned[0] != texts:
            self._learned = texts, Neighbours(sorted(texts))
        known = self._learned[1]
        tallies = tally(
            (one.document.id, float(odd)) for one in pairs for _, odd in known.unlikely(one)
        )
        return (self.mean(tallies),)


class Neighbours:
    """Logistic regression that tells places of some texts from such where other words go on."""

    def __init__(self, texts: Sequence[str]) -> None:
        # only evaluation of this metric needs it, and it takes a second to import
        from sklearn.feature_extraction import FeatureHasher
        from sklearn.linear_model import SGDClassifier

        read = [[word for word, *_ in _pieces(text)] for text in texts]
        times = Counter(word.lower() for words in read for word in words)
        self._often = frozenset(word for word, count in times.items() if count >= _OFTEN)
        fours = (zip(words, words[1:], words[2:], words[3:], strict=False) for words in read)
        windows = list(chain.from_iterable(fours))
        draw = np.random.default_rng(0)
        chosen = [windows[at] for at in draw.permutation(len(windows))[:_MOST]]
        others = [windows[at] for at in draw.integers(len(windows), size=len(chosen))]
        mixed = [(*one[:2], *other[2:]) for one, other in zip(chosen, others, strict=True)]
        self._hash = FeatureHasher(1 << 19, input_type="string", alternate_sign=False)
        model = SGDClassifier(loss="log_loss", alpha=3e-5, max_iter=5, tol=None, random_state=0)
        features = self._hash.transform(map(self._features, chosen + mixed))
        self._model = model.fit(features, [True] * len(chosen) + [False] * len(mixed))

    def _features(self, window: Sequence[str]) -> list[str]:
        """Describe the seam between the two middle words of four, for the regression."""
        first, near, far, last = map(_class, window)
        left, right = map(self._word, window[1:3])
        words, after = f"{left} {right}", f"{left}|{far}"
        before, classes = f"{near}|{right}", f"{near}|{far}"
        left_of = (f"{first}< {after}", f"{first}< {classes}")
        right_of = (f"{before} >{last}", f"{classes} >{last}", f"{first}< {classes} >{last}")
        return [words, after, before, classes, *left_of, *right_of]

    def _word(self, word: str) -> str:
        return word.lower() if word.lower() in self._often or word[0] == "<" else _class(word)

    def _worst(self, pieces: Sequence[Piece], start: int, end: int) -> float:
        """Measure how badly a word of a stretch, or the one behind, follows the words before it:
        minus the lowest value of the regression, so more is worse."""
        first = max(2, bisect_right(pieces, start, key=lambda piece: piece[2]))
        behind = bisect_left(pieces, end, key=lambda piece: piece[1])
        last = min(len(pieces) - 2, max(first, behind))
        windows = [[word for word, *_ in pieces[at - 2 : at + 2]] for at in range(first, last + 1)]
        features = self._hash.transform(map(self._features, windows))
        return -float(self._model.decision_function(features).min())

    def unlikely(self, pair: SanitizedDocument) -> Iterator[tuple[Edit, bool]]:
        """Judge each replacement of a document but names' and codes': yield it with whether it
        reads unlike the originals."""
        text, pieces = pair.text, _pieces(pair.text)
        places = new_places(pair.edits)
        for at, (edit, place) in enumerate(zip(pair.edits, places, strict=True)):
            label = _LABEL.fullmatch(edit.text)
            if not edit.text.strip() or (label and label["type"] in LABEL_ONLY):
                continue
            said = edit.span.of(pair.document.text)
            near = (*places[max(0, at - 1) : at], *places[at + 1 : at + 2])
            gaps = (text[min(end, place[1]) : max(start, place[0])] for start, end in near)
            against = _UNUSUAL * self._worst(pieces, *place)
            if label and said.islower() and said.isalpha():
                against += _LABEL_FOR_A_WORD
            if any(gap in ("", " ") for gap in gaps):
                against += _SIDE_BY_SIDE
            yield edit, against > _BOUND


def _class(word: str) -> str:
    """Stand for a rare word by its ending ("-ing"), or by "Capital" if it has one."""
    low = word.lower()
    if low in STOP_WORDS or not word[0].isalpha():
        return low
    if word[0].isupper():
        return "Capital"
    endings = (one for one in _ENDINGS if low.endswith(one) and len(low) > len(one) + 2)
    return "-" + next(endings, "")


def _pieces(text: str) -> list[Piece]:
    """Split a text into words and marks with their places; a date, amount or name is one of
    them."""
    values = list(scan(text))
    starts = [span.start for span, _ in values]
    sequence: list[Piece] = [("\n", 0, 0)] * 2
    for match in _PIECE.finditer(text):
        at = bisect_right(starts, match.start()) - 1
        word, start, end = match.group(), *match.span()
        if at >= 0 and start < values[at][0].end:
            span, kind = values[at][0], _TIME if isinstance(values[at][1], Temporal) else _AMOUNT
            if start == span.start and word.lower() in _SMALL:
                sequence.append((word.lower(), start, end))
            elif sequence[-1] != (kind, span.start, span.end):
                sequence.append((kind, span.start, span.end))
            continue
        word = _kind(match, sequence[-1][0])
        goes_on = word == sequence[-1][0] == _NAME and not match["type"]
        if goes_on and text[sequence[-1][2] : start] in (" ", "-", ". "):
            sequence[-1] = (_NAME, sequence[-1][1], end)
        else:
            sequence.append((word, start, end))
    return [*sequence, *[("\n", len(text), len(text))] * 2]


def _kind(match: re.Match[str], last: str) -> str:
    """Stand for a label, name or number by its kind; other words count as they are."""
    word = match.group()
    if match["type"]:
        return _STANDS.get(match["type"], _NAME)
    if word[0].isdigit():
        return _AMOUNT
    small = word.lower() in STOP_WORDS
    named = word[0].isupper() and not small and last not in (".", "\n")
    return _NAME if named or word.lower() in HONORIFICS else word
