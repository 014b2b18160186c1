"""What makes a document doubtful: signs that something may have been missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intact.detection.findings import Finding
from intact.detection.lexicon import is_english
from intact.detection.runs import runs, tokens_of
from intact.domain import Span
from intact.text.wordlists import GENERIC_HEADS, STOP_WORDS

_LEAST_WORDS = 40
_ENGLISH = 0.2  # share of function words below which a text is hardly English
_LEAST_SCORE = 0.15
_FEW = 3
_SHARE = 0.05
_MANY_NEAR = 0.25  # of the mentions; one document in twenty of the tagger's own corpus has more


def doubts(text: str, findings: Sequence[Finding], covered: Sequence[Span]) -> tuple[str, ...]:
    """Remarks on one document, without its text; empty where nothing looks doubtful.

    Args:
        findings: those that scored too low to count.
        covered: spans of the mentions, ascending.
    """
    return tuple(
        remark
        for remark in (
            _close(findings, covered),
            _names(text, covered),
            _language(text),
        )
        if remark
    )


def _close(findings: Sequence[Finding], covered: Sequence[Span]) -> str:
    """Spans that nearly counted."""
    near = {
        one.span
        for one in findings
        if one.score > _LEAST_SCORE and not any(one.span.overlaps(span) for span in covered)
    }
    if len(near) <= max(_FEW, _MANY_NEAR * len(covered)):
        return ""
    return f"{len(near)} spans scored just under the threshold and are left; a lower one takes them"


def _names(text: str, covered: Sequence[Span]) -> str:
    """Capitalised words in mid-sentence that nothing covers and that no ordinary word explains."""
    left = sum(1 for _ in _uncovered(text, covered))
    if left <= max(_FEW, _SHARE * len(covered)):
        return ""
    return f"{left} capitalised words in mid-sentence look like names and are left"


def _uncovered(text: str, covered: Sequence[Span]) -> Iterator[Span]:
    for run in runs(text, tokens_of(text)):
        words = [token for token in run.tokens if token.capital and len(token.text) > 1]
        if run.opening:
            words = words[1:]
        for word in words:
            span = Span(word.start, word.end)
            plain = is_english(word.text) or word.text.lower() in GENERIC_HEADS
            if not plain and not any(span.overlaps(other) for other in covered):
                yield span


def _language(text: str) -> str:
    words = [word.strip('.,;:()"“”').lower() for word in text.split()]
    if len(words) < _LEAST_WORDS:
        return ""
    share = sum(word in STOP_WORDS for word in words) / len(words)
    return (
        ""
        if share >= _ENGLISH
        else "the text hardly looks like English, which is all that the rules know"
    )
