"""Names and codes in other spellings: their letters stand apart ("N g o z i", "**Ngo**zi"), are
encoded ("%4egozi") or run on into other words ("ngoziKruger").

Words are looked up where a part of a word begins. The text is decoded and its words are cut into
parts only around places where a cheap test finds something to decode or to cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import accumulate, pairwise
from typing import NamedTuple
from urllib.parse import unquote

from intact.domain import Document, EntityType
from intact.english.vocabulary import HONORIFICS
from intact.english.words import fold, is_english, is_ordinary, tokens

_LEAST = 5  # letters of a word that is looked for
_MOST_BETWEEN = 8  # characters between two of its parts, tags apart
_NEAR = 80  # characters that are read around what is encoded or runs on
_TAG = r"</?[A-Za-z][^<>]{0,40}>"
_CODED = (
    r"[%=](?:25)*[2-7][0-9A-Fa-f]|[%=][C-Fc-f][0-9A-Fa-f](?:[%=][89ABab][0-9A-Fa-f])+"
    r"|\\u\{?[0-9A-Fa-f]{1,6}\}?|\\x[0-9A-Fa-f]{2}|&(?:amp;)*(?:#[xX]?)?\w{1,10};"
)
_CUT = r"[a-zß-ÿ][A-ZÀ-Þ]|[A-Za-z]\d|\d[A-Za-z]"
_ODD = rf"{_CUT}|[A-Za-z]{_TAG}|{_CODED}"
_PART = r"\d+|[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+|[A-ZÀ-Þ]+(?![^\W\d_A-ZÀ-Þ])"

Part = tuple[str, int, int]  # folded letters, and where they stand in the original


class Spelling(NamedTuple):
    """A folded word to look for."""

    word: str
    owner: tuple[str, str]  # its entity's id and type
    whole: bool  # whether it is looked for elsewhere where it stands as a word of its own


def find_spelled(
    document: Document, words: Sequence[Part]
) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """Find masked names and codes in other spellings: (start, end, their entity's id and type).

    Args:
        document: with its mentions.
        words: its words as they stand.
    """
    text, known = document.text, dict[str, list[Spelling]]()
    masked = [m for m in document.mentions if m.masked]
    wanted = {one for m in masked for one in _spellings(m.text, (m.entity_id, m.entity_type))}
    for one in sorted(wanted, key=lambda one: (-len(one.word), one.word, one.owner)):
        if len(one.word) >= _LEAST:
            known.setdefault(one.word[:_LEAST], []).append(one)
    if known:
        yield from _look_up(text, words, known)
        for start, end in _windows(text):
            yield from _look_up(text, list(_parts(text, start, end)), known)


def _spellings(surface: str, owner: tuple[str, str]) -> Iterator[Spelling]:
    """Yield what of a name is found in any spelling: telling words, and words in a row; of a code
    all of it."""
    words = [word for word, _, _ in tokens(fold(surface)) if word not in HONORIFICS]
    if owner[1] == EntityType.CODE:
        yield Spelling("".join(words), owner, len(words) == 1)
    if owner[1] != EntityType.PERSON:
        return
    yield from (Spelling(word, owner, True) for word in words if not is_ordinary(word))
    pairs = [*pairwise(words), (words[0][0], words[-1])] if len(words) > 1 else []
    for joined in (a + b for pair in pairs for a, b in (pair, pair[::-1])):
        if not is_ordinary(joined):
            yield Spelling(joined, owner, False)


def _look_up(
    text: str, parts: Sequence[Part], known: Mapping[str, Sequence[Spelling]]
) -> Iterator[tuple[int, int, tuple[str, str]]]:
    close = "".join([part[0] for part in parts])
    places = [0, *accumulate(len(part[0]) for part in parts)]
    for first, place in enumerate(places):
        for one in known.get(close[place : place + _LEAST], ()):
            last = bisect_left(places, place + len(one.word), first)
            ends = last < len(places) and places[last] == place + len(one.word)
            there = parts[first:last] if ends and close.startswith(one.word, place) else ()
            if there and _is_spelled(text, there, one):
                yield there[0][1], there[-1][2], one.owner


def _is_spelled(text: str, parts: Sequence[Part], one: Spelling) -> bool:
    """Check that parts in order are no word of their own, no row of words, and not far apart."""
    start, end = parts[0][1], parts[-1][2]
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    if one.whole and fold(text[start:end]) == one.word and not any(map(str.isalnum, beside)):
        return False
    gaps = [re.sub(_TAG, "", text[a:b]) for (_, _, a), (_, b, _) in pairwise(parts)]
    letters = [word for word, _, _ in parts]
    apart = len(parts) > 1 and all(re.search(r"\s", gap) for gap in gaps)
    row = apart and max(map(len, letters)) > 1 and all(map(is_english, letters))
    return not row and max(map(len, gaps), default=0) <= _MOST_BETWEEN


def _windows(text: str) -> list[tuple[int, int]]:
    """Return the ranges around places where something may be decoded or cut."""
    found: list[tuple[int, int]] = []
    for odd in re.finditer(_ODD, text):
        start, end = max(0, odd.start() - _NEAR), min(odd.end() + _NEAR, len(text))
        if found and found[-1][1] >= start:
            start = found.pop()[0]
        found.append((start, end))
    return found


def _parts(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield the parts of the words of a range, decoded: "ngoziKru%67er" is ngozi, kruger."""
    while 0 < start < end and text[start - 1].isalnum():  # begin with a word
        start += 1
    shown, origin, at = "", list[int](), start
    for code in re.finditer(f"{_TAG}|{_CODED}", text[start:end]):
        decoded, place = _decode(code[0]), start + code.start()
        shown += text[at:place] + decoded
        origin += [*range(at, place), *[place] * len(decoded)]
        at = start + code.end()
    shown += text[at:end]
    origin += range(at, end + 1)
    for part in re.finditer(_PART, shown):
        word = fold(part[0])
        if word:
            yield word, origin[part.start()], origin[part.end()]


def _decode(code: str) -> str:
    """Return what a tag or an encoded character stands for; itself if for nothing."""
    if code[0] == "<":
        return ""
    if code[0] == "&":
        return unescape(re.sub("&(?:amp;)+", "&", code))
    if code[0] == "\\":
        number = int(code[2:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else code
    shown = unquote(re.sub("=|%(?:25)+", "%", code))
    return code if "\ufffd" in shown else shown
