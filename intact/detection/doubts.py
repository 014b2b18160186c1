"""Signs that something was missed in a document, and an estimate of how much.

Remarks say how many, of what and in which lines, never which words.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate

from intact.detection.findings import Finding
from intact.detection.names import runs, tokens_of
from intact.detection.patterns import load_words, read_forms
from intact.domain import Covered, DoubtfulPlace, Doubts, Span
from intact.english.languages import reads_english
from intact.english.numbers import CARDINALS
from intact.english.vocabulary import GENERIC_HEADS, STOP_WORDS
from intact.english.words import is_english

_TAGGER = "tagger"
_LEAST_WORDS = 25
_LEAST_SCORE = 0.25
# The probability from which a word is shown and its line named. Of those from 0.1 to 0.2, one in
# seven was a miss (266 counted in documents not learned from); from 0.25 on, one in three.
_LIKELY = 0.2
_FEW = 3
_SHARE = 0.05
_MANY_NEAR = 0.25  # of the mentions; one document in twenty of the tagger's own corpus has more
_UNUSUAL = 0.5  # share of lines in capitals, or without any, from which it is remarked on
_FEW_LINES = 2
_MISSED = (0.015, 0.05, 0.134, 0.322)
# The bounds between the shares of ``_MISSED``: the tagger's probability that a mention begins in a
# finding that was left. The shares say in how many of these a mention was missed; counted in 38
# documents not learned from.
_MISSED_FROM = (0.05, 0.1, 0.3)
_TOLD = 0.3  # expected misses of a type from which a remark says so
_MOST_TOLD = 8  # the most line numbers of one remark
_LONG_LINE = 120  # characters from which a line is a paragraph
_FORMS, _REMARKS = read_forms("doubts"), load_words("doubts")["remarks"]
_LATIN = "\u024f"  # the last of the letters that are all Latin
_NUMBER_WORDS = frozenset(CARDINALS) - {"one"}


def find_doubts(
    text: str, findings: Sequence[Finding], covered: Sequence[Span], foreign: Sequence[Span] = ()
) -> tuple[tuple[str, ...], Doubts]:
    """Look for signs that mentions were missed. Return two things: remarks for a reader, without
    words of the text, () if nothing is odd; and the estimate: missed mentions for each hundred
    words, a line for each type, and the doubtful places.

    Args:
        text: the document as given.
        findings: those below the threshold.
        covered: spans of the mentions that were found.
        foreign: spans of paragraphs in another language.
    """
    taken = Covered(text, covered)
    near = set(taken.free(one.span for one in findings if one.score > _LEAST_SCORE))
    names = taken.free(_capitals(text))
    numbers = taken.free(Span(*match.span()) for match in _FORMS["long_number"].finditer(text))
    bare = _FORMS["stamp"].sub(lambda stamp: " " * len(stamp[0]), text)
    words = ((match[0].lower(), Span(*match.span())) for match in _FORMS["figure"].finditer(bare))
    figures = (span for word, span in words if word[0].isdigit() or word in _NUMBER_WORDS)
    small = Covered(text, numbers).free(taken.free(figures))
    many = max(_FEW, _MANY_NEAR * len(covered))
    highest = ((max(match[0]), Span(*match.span())) for match in _FORMS["word"].finditer(text))
    signs = [
        ("near", near, many),
        ("names", names, _SHARE * len(covered)),
        ("numbers", numbers, 0),
        ("small", small, many),
        ("spaced", [Span(*match.span()) for match in _FORMS["spaced"].finditer(text)], 0),
        ("letters", [span for letter, span in highest if _is_strange(letter)], _FEW - 1),
    ]
    unread = "" if reads_english(text) else _REMARKS["unread"]
    notes = (
        *_remarks(text, signs),
        *filter(None, (_remark_on_case(text), unread)),
        *_remarks(text, [("foreign", foreign, 0)]),
    )
    return notes, _estimate(text, findings, taken, (*names, *numbers, *small))


def _remarks(text: str, signs: Iterable[tuple[str, Collection[Span], float]]) -> Iterator[str]:
    """Yield a remark, with the number of spans and their line numbers, on each sign that has more
    spans than it may have, in order.

    Args:
        text: the document.
        signs: (name of the sign in the table of remarks, its spans, the most it may have) of each.
    """
    for sign, spans, least in signs:
        if len(spans) > least:
            some, lines = "s" * (len(spans) != 1), _line_numbers(text, spans)
            yield _REMARKS[sign].format(n=len(spans), s=some, lines=lines)


def _estimate(
    text: str, findings: Sequence[Finding], taken: Covered, odd: Sequence[Span]
) -> Doubts:
    """Estimate how many mentions were missed for each hundred words that are no function words, a
    line on each type, and at which places: from the tagger's findings outside ``taken`` or, if
    there are none, one mention at each odd place.

    Args:
        text: the document.
        findings: those below the threshold.
        taken: the mentions that were found.
        odd: spans of names and numbers outside them.
    """
    learned = [one for one in findings if one.source == _TAGGER and not taken.touches(one.span)]
    telling = sum(word.lower() not in STOP_WORDS for word in _FORMS["figure"].findall(text))
    if learned:
        missed = sum(map(_expect_missed, learned))
        likely = (one for one in learned if one.score >= _LIKELY and one.begins > 0)
        places = {DoubtfulPlace(o.span, o.entity_type, _expect_missed(o)) for o in likely}
    else:
        places = {DoubtfulPlace(span, "", 1.0) for span in odd}
        missed = len(places)
    rate = round(100 * missed / max(1, telling), 2)
    return Doubts(rate, tuple(_type_lines(text, learned)), tuple(sorted(places)))


def _expect_missed(finding: Finding) -> float:
    """Return the expected number of mentions, in [0, 1], that were missed where a finding was left
    as a doubt; 0 if no mention begins in it."""
    return _MISSED[bisect_right(_MISSED_FROM, finding.begins)] if finding.begins > 0 else 0.0


def _type_lines(text: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a line of text for each type of which 0.3 mentions or more were probably missed, by
    type: "LOC: probably 1.2 mentions (lines 3, 8)". The numbers are those of the lines with the
    likelier ones."""
    for kind in sorted({one.entity_type for one in findings}):
        own = [one for one in findings if one.entity_type == kind]
        missed = sum(map(_expect_missed, own))
        if missed >= _TOLD:
            spans = [one.span for one in own if one.score >= _LIKELY]
            yield f"{kind}: probably {missed:.1f} mentions{_line_numbers(text, spans)}"


def _line_numbers(text: str, spans: Iterable[Span]) -> str:
    """Return a bracket, with a blank before it, that names the lines where spans begin, counted
    from 1: " (lines 3, 8)"; of more than eight, the first eight and "...". "" for a text of one
    line or without spans. If most of the text stands in long lines, paragraphs are counted, without
    the empty ones: " (paragraph 2)"."""
    rows = text.split("\n")
    long = 2 * sum(len(row) for row in rows if len(row) > _LONG_LINE) > len(text)
    counts = [*accumulate(int(bool(row.strip()) or not long) for row in rows)]
    ends = [*accumulate(len(row) + 1 for row in rows)]
    lines = sorted({counts[bisect_right(ends, span.start)] for span in spans})
    if len(rows) < 2 or not lines:
        return ""
    numbers = ", ".join(map(str, lines[:_MOST_TOLD]))
    more = " ..." if len(lines) > _MOST_TOLD else ""
    return f" ({'paragraph' if long else 'line'}{'s' * (len(lines) > 1)} {numbers}{more})"


def _capitals(text: str) -> Iterator[Span]:
    """Yield the span of each capitalised word in mid-sentence, of two letters or more, that is no
    English word, in order."""
    for run in runs(text, tokens_of(text)):
        words = [token for token in run.tokens if token.capital and len(token.text) > 1]
        for word in words[run.opening :]:
            if not is_english(word.text) and word.text.lower() not in GENERIC_HEADS:
                yield Span(word.start, word.end)


def _is_strange(letter: str) -> bool:
    """Tell whether a letter belongs to another script than the Latin one."""
    return letter > _LATIN and not unicodedata.name(letter, "LATIN").startswith("LATIN")


def _remark_on_case(text: str) -> str:
    """Return a remark if half or more of a text's lines of three words or more are in capitals, or
    in lower case: "80 % of the lines are in all capitals, where names are hard to tell"; "" if not,
    or for a text too short to tell (fewer than 25 words, and than two such lines)."""
    said = (line.rpartition(": ")[2] for line in text.split("\n"))
    lines = [line for line in said if len(_FORMS["word"].findall(line)) >= _FEW]
    if len(lines) < _FEW_LINES and len(_FORMS["word"].findall(text)) < _LEAST_WORDS:
        return ""
    for how, letters in ((str.isupper, "all capitals"), (str.islower, "lower case")):
        share = sum(map(how, lines)) / max(1, len(lines))
        if share >= _UNUSUAL:
            percent = round(share * 100)
            return f"{percent} % of the lines are in {letters}, where names are hard to tell"
    return ""
