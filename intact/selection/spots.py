"""What the guard may change: words that no replacement covers, grouped so that equal ones go
together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from intact.domain import Document, Span
from intact.english.calendar import MONTHS
from intact.english.sentences import starts_sentence
from intact.english.wordlists import HONORIFICS
from intact.english.words import lemma
from intact.protocols import Spot
from intact.reidentification.features import is_content, tokens

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_GENITIVE = re.compile(r"['’]s?$")
_MONTH = "|".join(month for month in MONTHS if len(month) > 2)
_DATE = re.compile(
    rf"(?<![\w/.])(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTH}) \d{{4}}(?![\w/])"
    r"|(?<![\w/.,-])(?:1[89]|20)\d\d(?![\w/,-]|\.\d)",
    re.IGNORECASE,
)
_DATED = frozenset("act code order ordinance law decree rules regulations".split())
_JOINERS = frozenset("of for the and de la du van von der".split())


@dataclass(frozen=True, slots=True)
class Found:
    """The spots of one document.

    Attributes:
        long: dates and names of several words, to be changed as a whole where that is known how.
        words: single words; those of the long spots among them.
        content: how many content words stand beyond the replacements.
    """

    long: tuple[Spot, ...]
    words: tuple[Spot, ...]
    content: int


def find_spots(document: Document, taken: Sequence[Span], keep: Collection[str] = ()) -> Found:
    """The words that stand outside the spans ``taken``.

    Args:
        taken: ascending, not overlapping.
        keep: folded words that must not be changed.
    """
    text = document.text
    long: dict[tuple[str, str], list[Span]] = {}
    words: dict[tuple[str, str], list[Span]] = {}
    content = 0
    for start, end in _gaps(taken, len(text)):
        for kind, span in _dates(text, start, end):
            long.setdefault((kind, _key(span.of(text))), []).append(span)
        marks = list(_marks(text, start, end))
        for span in _runs(text, marks):
            long.setdefault(("name", _key(span.of(text))), []).append(span)
        for span in marks:
            folded = tokens(span.of(text))
            if not any(map(is_content, folded)):
                continue
            content += 1
            if HONORIFICS.isdisjoint(folded) and not set(keep) & {*folded, lemma(folded[0])}:
                kind = _kind(text, span)
                words.setdefault((kind, lemma(" ".join(folded))), []).append(span)
    return Found(
        tuple(_spot(*item) for item in long.items() if not set(keep) & set(tokens(item[0][1]))),
        tuple(_spot(*item) for item in _merged(words).items()),
        content,
    )


def _spot(name: tuple[str, str], spans: Sequence[Span]) -> Spot:
    return Spot(name[1], name[0], tuple(sorted(spans)))


def _merged(words: dict[tuple[str, str], list[Span]]) -> dict[tuple[str, str], list[Span]]:
    """A word at the start of a sentence goes with the same word elsewhere."""
    kinds: dict[str, str] = {}
    merged: dict[tuple[str, str], list[Span]] = {}
    for kind, key in words:
        kinds[key] = "word" if "word" in (kind, kinds.get(key)) else kind
    for (_, key), spans in words.items():
        merged.setdefault((kinds[key], key), []).extend(spans)
    return merged


def _gaps(taken: Sequence[Span], length: int) -> Iterator[tuple[int, int]]:
    done = 0
    for span in taken:
        if done < span.start:
            yield done, span.start
        done = max(done, span.end)
    if done < length:
        yield done, length


def _marks(text: str, start: int, end: int) -> Iterator[Span]:
    """The words of a stretch, without genitive endings; cut ones left out."""
    for match in _WORD.finditer(text, start, end):
        if match.start() == start and start and text[start - 1].isalnum():
            continue
        if match.end() == end and end < len(text) and text[end].isalnum():
            continue
        stop = match.end() - len(found.group()) if (found := _GENITIVE.search(match.group())) else 0
        yield Span(match.start(), stop or match.end())


def _dates(text: str, start: int, end: int) -> Iterator[tuple[str, Span]]:
    for match in _DATE.finditer(text, start, end):
        yield "date", Span(match.start(), match.end())


def _runs(text: str, marks: Sequence[Span]) -> Iterator[Span]:
    """Names of two words or more: capitalised words and what joins them."""
    first = 0
    while first < len(marks):
        last = first
        if text[marks[first].start].isupper() and is_content(_key(marks[first].of(text))):
            ahead = first + 1
            while ahead < len(marks) and text[marks[ahead - 1].end : marks[ahead].start] == " ":
                word = marks[ahead].of(text)
                if word[0].isupper():
                    last = ahead
                elif word not in _JOINERS:
                    break
                ahead += 1
        if last > first:
            last += _dated(text, marks[last : last + 2])
            yield Span(marks[first].start, marks[last].end)
        first = last + 1


def _dated(text: str, marks: Sequence[Span]) -> bool:
    """Whether a law's name goes on with its year."""
    words = [span.of(text) for span in marks]
    return (
        len(words) == 2
        and words[0].lower() in _DATED
        and re.fullmatch(r"1[0-9]{3}|20[0-9]{2}", words[1]) is not None
        and text[marks[0].end : marks[1].start] == " "
    )


def _kind(text: str, span: Span) -> str:
    first = text[span.start]
    if first.isdigit():
        return "number"
    return "name" if first.isupper() and not starts_sentence(text, span.start) else "word"


def _key(text: str) -> str:
    return " ".join(tokens(text))
