"""Tag probabilities to spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intact.detection.findings import Finding
from intact.detection.tagger.words import Words
from intact.domain import ENTITY_TYPES, Span
from intact.english.wordlists import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_JOINT = 3  # characters that may lie between two words of one mention


def masked_probability(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """How likely each word belongs to a mention of any type, shape (words,)."""
    return 1.0 - probabilities[:, 0]


def findings(
    words: Words, probabilities: NDArray[np.float32], floor: float, source: str
) -> list[Finding]:
    """Runs of words that belong to a mention with a probability of at least ``floor``.

    A run ends where a word is likelier to begin another mention than to go on, where the type
    changes, and where a line ends. The score of a run is that of its likeliest word.
    """
    chosen = masked_probability(probabilities)
    begin, inside = probabilities[:, 1::2], probabilities[:, 2::2]
    kinds = (begin + inside).argmax(axis=1)
    found: list[Finding] = []
    start = None
    for at in range(len(words) + 1):
        on = at < len(words) and chosen[at] >= floor
        if start is not None and not (on and _goes_on(words, at, kinds, begin, inside)):
            if _says_something(words, start, at):
                found.append(_finding(words, start, at, chosen, kinds, source))
            start = None
        if on and start is None:
            start = at
    return found


def _says_something(words: Words, start: int, end: int) -> bool:
    """Whether there is more than function words and punctuation."""
    shown = (span.of(words.text) for span in words.spans[start:end])
    return any(
        word[0].isdigit() or (word[0].isalpha() and (len(word) > 1 or word.isupper()))
        for word in shown
        if word.lower() not in STOP_WORDS
    )


def _goes_on(
    words: Words,
    at: int,
    kinds: NDArray[np.int64],
    begin: NDArray[np.float32],
    inside: NDArray[np.float32],
) -> bool:
    gap = words.spans[at].start - words.spans[at - 1].end
    if words.breaks[at] or gap > _JOINT or kinds[at] != kinds[at - 1]:
        return False
    return bool(begin[at, kinds[at]] <= inside[at, kinds[at]])


def _finding(
    words: Words,
    start: int,
    end: int,
    chosen: NDArray[np.float32],
    kinds: NDArray[np.int64],
    source: str,
) -> Finding:
    span = Span(words.spans[start].start, words.spans[end - 1].end)
    kind = tuple(ENTITY_TYPES.values())[int(kinds[start])].kind
    return Finding(span, kind, round(float(chosen[start:end].max()), 4), source)
