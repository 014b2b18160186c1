"""What documents with markup share: edits spread over pieces of text, words that may not stay."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from urllib.parse import unquote

from intact.domain import Edit

_WORD = re.compile(r"[^\W_]{3,}")
_SURE = 5  # letters from which on a word is looked for inside other words


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text. ``real`` says whether it stands in the file, or was added
    between two paragraphs or cells so that they do not run into one another.
    """

    text: str
    real: bool = True


def rewritten(pieces: Sequence[Piece], edits: Sequence[Edit]) -> list[str]:
    """The new text of each piece: a replacement goes where most of what it replaces stood.

    Args:
        pieces: of the document, in order.
        edits: ascending, not overlapping, in the text of all pieces joined.
    """
    starts = [0, *accumulate(len(piece.text) for piece in pieces)]
    new: list[list[str]] = [[] for _ in pieces]
    done = list(starts[:-1])
    for edit in edits:
        first = bisect_right(starts, edit.span.start) - 1
        covered: list[tuple[int, int]] = []  # (how much, minus which)
        for at in range(first, len(pieces)):
            if starts[at] >= edit.span.end:
                break
            low = max(edit.span.start, starts[at])
            high = min(edit.span.end, starts[at + 1])
            new[at].append(pieces[at].text[done[at] - starts[at] : low - starts[at]])
            done[at] = max(high, low)
            if pieces[at].real and high > low:
                covered.append((high - low, -at))
        if covered:
            new[-max(covered)[1]].append(edit.text)
    return [
        "".join(parts) + piece.text[done[at] - starts[at] :]
        for at, (piece, parts) in enumerate(zip(pieces, new, strict=True))
    ]


def distinctive_words(text: str, edits: Iterable[Edit]) -> frozenset[str]:
    """Words that were replaced and may not stay in addresses and names either, folded.

    Those of three letters and more that begin with a capital or hold a digit.

    Args:
        text: of the document.
        edits: what was replaced in it.
    """
    words = (word for edit in edits for word in _WORD.findall(edit.span.of(text)))
    return frozenset(
        word.casefold() for word in words if word[0].isupper() or any(map(str.isdigit, word))
    )


def holds_any(value: str, words: frozenset[str]) -> bool:
    """Whether one of ``words`` is in ``value``, which may be an address.

    Short words count only where they stand by themselves.

    Args:
        value: an attribute's.
        words: folded.
    """
    folded = unquote(value).casefold()
    alone = frozenset(_WORD.findall(folded))
    return any(word in alone or (len(word) >= _SURE and word in folded) for word in words)


def counted(counts: Iterable[tuple[str, int]], what: str) -> tuple[str, ...]:
    """One warning of what is in ``counts``, or none: "removed: comments (2), authors (1)".

    Args:
        counts: (what, how often).
        what: how the warning begins.
    """
    items = [f"{name} ({times})" for name, times in counts if times]
    return (f"{what}: {', '.join(items)}",) if items else ()
