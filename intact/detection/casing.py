"""Texts without the capitals of ordinary writing, set so that the rules can read them.

Lines all in capitals and lines all in lower case are set anew: capitals for what the lists of
names and places know and for words that are not English. Every other line stays as it is, and no
character moves, so spans hold for the original.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass

from intact.detection.name_list import Use, name_list
from intact.english.wordlists import HONORIFICS
from intact.english.words import is_english

_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LABEL = re.compile(r"\s*(?:[\[(<]?\d[\d:./, apmAPM-]*[\])>]?\s*)?<?[^\W\d_][^:\n]{0,30}>?:\s")
_LOWER_LINES = 0.3  # share of lines without a capital from which a text is written that way
_LEAST = 3  # words of a line that can be judged
_LOGIN = re.compile(r"[_@]|\.\w")
_VOWEL = re.compile(r"[aeiouyAEIOUYà-üÀ-Ü]")


@dataclass(frozen=True, slots=True)
class Recased:
    """A text as the rules read it.

    Attributes:
        text: as long as the original.
        upper: share of its lines that were all capitals.
        lower: share of its lines that had none.
        lines: lines that could be judged.
        words: words of the text.
    """

    text: str
    upper: float
    lower: float
    lines: int = 0
    words: int = 0


def recase(text: str, is_place: Callable[[str], bool]) -> Recased:
    """``text`` with the capitals of ordinary writing.

    Args:
        is_place: whether the knowledge base knows a place of that name.
    """
    lines = list(_LINE.finditer(text))
    judged = [(line, _state(line.group())) for line in lines]
    long = [state for _, state in judged if state]
    upper = long.count("upper") / len(long) if long else 0.0
    lower = long.count("lower") / len(long) if long else 0.0
    counts = (len(long), len(_WORD.findall(text)))
    informal = lower >= _LOWER_LINES
    if not informal and not upper and not any(state == "loud" for _, state in judged):
        return Recased(text, upper, lower, *counts)
    labels = Counter(
        word.lower()
        for line in lines
        if (label := _LABEL.match(line.group())) and len(_WORD.findall(label.group())) == 1
        for word in _WORD.findall(label.group())
    )
    speakers = {word for word, count in labels.items() if count > 1 and not is_english(word)}
    parts, at = [], 0
    for line, state in judged:
        parts.append(text[at : line.start()])
        at = line.end()
        shown = line.group()
        if state in ("upper", "loud"):
            shown = _set(shown, 0, _from_upper)
        elif informal and (state == "lower" or _begins_lower(shown)):
            shown = _set(shown, 0, _Lower(is_place, speakers))
        parts.append(shown)
    parts.append(text[at:])
    made = "".join(parts)
    return Recased(made if len(made) == len(text) else text, upper, lower, *counts)


def _state(line: str) -> str:
    """ "upper" or "lower" for a line to be set anew, "loud" for a short one in capitals, "mixed"
    for any other that can be judged."""
    label = _LABEL.match(line)
    words = _WORD.findall(line)
    if words and all(word.isupper() for word in words) and sum(map(len, words)) >= 4:
        return "upper" if len(words) >= _LEAST else "loud"
    rest = _WORD.findall(line, label.end() if label else 0)
    if len(rest) < _LEAST:
        return ""
    return "lower" if all(word.islower() for word in rest) else "mixed"


def _begins_lower(line: str) -> bool:
    """Whether what is said in a line begins with a small letter."""
    label = _LABEL.match(line)
    first = _WORD.search(line, label.end() if label else 0)
    return first is not None and first.group().islower()


def _set(line: str, start: int, how: Callable[[str], str]) -> str:
    def one(match: re.Match[str]) -> str:
        if _LOGIN.match(line, match.end()) or line[match.start() - 1 : match.start()] in ("_", "."):
            return match.group()
        made = how(match.group())
        return made if len(made) == len(match.group()) else match.group()

    return line[:start] + _WORD.sub(one, line[start:])


def _from_upper(word: str) -> str:
    names = name_list()
    if len(word) < 2 or not _VOWEL.search(word):
        return word
    if names.is_name(word) or not is_english(word):
        return "-".join(part.capitalize() for part in word.split("-"))
    return word.lower()


class _Lower:
    """Words of one line in small letters, set one after the other.

    Args:
        is_place: whether the knowledge base knows a place of that name.
        speakers: who begins several lines, with a colon behind.
    """

    def __init__(self, is_place: Callable[[str], bool], speakers: Container[str]) -> None:
        self._is_place = is_place
        self._speakers = speakers
        self._after_name = ""  # "name" or "title": what stands before

    def __call__(self, word: str) -> str:
        bare = re.sub(r"['’]s$", "", word)
        foreign = not is_english(bare) and bare.islower()
        given = name_list().given_use(bare) is Use.MOSTLY and (foreign or len(bare) > 3)
        named = self._after_name == "title" or name_list().surname_use(bare)
        behind = bool(self._after_name and foreign and len(bare) > 1 and named)
        place = len(bare) > 3 and foreign and self._is_place(bare)
        title = "title" if bare.lower() in HONORIFICS else ""
        self._after_name = "name" if given or behind else title
        name = given or behind or place or bare in self._speakers
        return word.capitalize() if name and word.islower() else word
