"""The text of a document in pieces, and what each piece becomes; and words that must not remain
in headings."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise
from operator import attrgetter
from typing import Any

from intact.domain import Edit, Span, apply_edits
from intact.errors import EditsError
from intact.protocols import UNSURE

_WORD = re.compile(r"[^\W_]{3,}")
FIXED = "a heading, the name of a field or several cells, which no replacement reaches"
FIXED_REMEDY = "Mark it where the headings are read, if they are, or rename it in the input."
_SURE = 5  # words of this many letters or more are looked for inside other words
_SIGN = r"(?:[1-9]\d{0,2}|[*†‡§¶]{1,3}|[\[(](?:[1-9]\d{0,2}|[a-z]{1,4})[\])])"
_MARK = rf"\s*{_SIGN}(?:(?:[,;–-]\s?|(?<=[\])])(?=[\[(])){_SIGN}){{0,3}}\s*"
_MEASURE = r"(?:\b|\d)(?:[cdkmμ]?m|ft|yd|mi)\Z"  # before a power: "45 m²"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document's text."""

    text: str
    place: Any = None  # in the file; None if added so that two paragraphs or cells stay apart
    kind: str = ""  # "raised" above the line, or a note's number; "border" of cells; a format's own


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the text of all pieces, joined."""
    return "".join(piece.text for piece in pieces)


# What follows a paragraph, and what follows the last paragraph of a cell.
LINE_END, BORDER = Piece("\n"), Piece("\n", kind="border")


def without_marks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces in order, those that are marks of notes ("1", "[2]", "a)", "†") without
    text: they keep their place in the file, but no edit reaches them. Other raised text is kept:
    "1st", "Mr", a number of more than three digits, a power.

    Args:
        pieces: of the text, in order; those of one mark follow one another, with kind "raised".
    """
    groups = [[*own] for _, own in groupby(pieces, attrgetter("kind"))]
    for before, own, after in zip([[], *groups], groups, [*groups[1:], []], strict=False):
        is_mark = own[0].kind == "raised" and re.fullmatch(_MARK, text_of(own))
        halved = text_of(after[:1]).startswith(("/", "⁄"))  # "1¹/₂"
        read = halved or not is_mark or re.search(_MEASURE, text_of(before[-1:]))
        yield from own if read else (Piece("", piece.place) for piece in own)


def heading(name: str) -> Piece:
    """Return the piece, without a place, that is read before a cell: "claim amount: " for a column
    called "claim_amount"; at most 40 characters of the name. Its text is "" for a blank name."""
    shown = " ".join(name.replace("_", " ").split()).rstrip(" :?")[:40]
    return Piece(f"{shown}: " if shown else "")


def fixed(pieces: Sequence[Piece]) -> frozenset[Span]:
    """Return the spans of a text that no edit reaches: those of pieces without a place, such as
    headings, names of fields and borders of cells, but not of mere blanks and line ends.

    Args:
        pieces: the whole text, in order.
    """
    starts = accumulate((len(piece.text) for piece in pieces), initial=0)
    still = ((at, p) for at, p in zip(starts, pieces, strict=False) if p.place is None)
    return frozenset(Span(at, at + len(p.text)) for at, p in still if p.text.strip() or p.kind)


def share_edits(pieces: Sequence[Piece], edits: Sequence[Edit]) -> list[list[Edit]]:
    """Return the edits of a whole text by pieces: for each piece in order the list of its edits,
    ascending, at offsets in its own text; [] where none reaches it.

    If an edit covers several pieces, the one with most of the replaced text gets the replacement,
    and the others lose what is covered. No replacement is put into a piece without a place.

    Args:
        pieces: of the text, in order.
        edits: ascending, not overlapping, in the text of all pieces joined.

    Raises:
        EditsError: if text that an edit replaces would stay, because the edit reaches no piece with
            a place, or covers words in a piece without one.
    """
    starts = [0, *accumulate(len(piece.text) for piece in pieces)]
    shared: list[list[Edit]] = [[] for _ in pieces]
    for edit in edits:
        covered: list[tuple[int, int]] = []  # (how much, minus which)
        stays = ""
        first, last = bisect_right(starts, edit.span.start) - 1, bisect_left(starts, edit.span.end)
        for at in range(first, last):
            low, high = max(edit.span.start, starts[at]), min(edit.span.end, starts[at + 1])
            if high > low:
                own = Span(low - starts[at], high - starts[at])
                shared[at].append(Edit(own, ""))
                placed = pieces[at].place is not None
                covered += [(high - low, -at)] if placed else []
                stays += "" if placed else own.of(pieces[at].text)
        if not covered or any(map(str.isalnum, stays)):
            raise EditsError(FIXED, remedy=FIXED_REMEDY)
        taking = shared[-max(covered)[1]]
        taking[-1] = Edit(taking[-1].span, edit.text)
    return shared


def changes(pieces: Sequence[Piece], edits: Sequence[Edit]) -> list[tuple[Any, str]]:
    """Return (place in the file, new text) for each piece whose text the edits change, in order;
    pieces without a place are left out.

    Args:
        pieces: the whole text, in order.
        edits: ascending, not overlapping, in the text of all pieces joined; distributed as
            ``share_edits`` does.

    Raises:
        EditsError: as ``share_edits`` does.
    """
    shared = zip(pieces, share_edits(pieces, edits), strict=True)
    new = ((piece, apply_edits(piece.text, tuple(own))) for piece, own in shared)
    return [(p.place, text) for p, text in new if p.place is not None and text != p.text]


def distinctive_words(text: str, edits: Iterable[Edit]) -> frozenset[str]:
    """Return the words of names and numbers that edits replaced, which must not survive in headings
    either.

    These are words of three or more letters or digits, casefolded, that begin with a capital or
    contain a digit; and any two that follow one another in an edit, joined both ways ("annlee",
    "leeann").

    Args:
        text: the original.
        edits: their spans are offsets in it.
    """
    words = (_WORD.findall(edit.span.of(text)) for edit in edits)
    found = [[w.casefold() for w in own if w[0].isupper() or not w.isalpha()] for own in words]
    pairs = chain(*map(pairwise, found))
    return frozenset(chain(*found, *((one + other, other + one) for one, other in pairs)))


def holds_any(value: str, words: frozenset[str]) -> bool:
    """Tell whether a heading contains a replaced word, in any case.

    Args:
        value: the heading.
        words: casefolded; those of fewer than five letters count only as whole words.
    """
    folded = value.casefold()
    alone = frozenset(_WORD.findall(folded))
    return any(word in alone or (len(word) >= _SURE and word in folded) for word in words)


def warn_of(counts: Iterable[tuple[str, int]], what: str) -> tuple[str, ...]:
    """Return one warning made of counts, as "removed: comments (2), authors (1)"; () if all counts
    are 0.

    Args:
        counts: (name in the plural, count); zeros are left out.
        what: what became of them ("removed").
    """
    items = [f"{name} ({times})" for name, times in counts if times]
    return (f"{what}: {', '.join(items)}",) if items else ()


class Rest:
    """Counts of the parts of a file that are not its text, by their names in the plural."""

    def __init__(self) -> None:
        self.gone, self.kept = Counter[str](), Counter[str]()  # removed; unread, but left

    def warnings(self) -> tuple[str, ...]:
        """Return at most two warnings about the parts of a file that are not its text: one counts
        what was removed ("removed: comments (2)"), one what stays unread and should be looked at;
        () if there is neither."""
        left = warn_of(self.kept.items(), f"{UNSURE}not read, and left as they are; look at them")
        return (*warn_of(self.gone.items(), "removed"), *left)
