"""Texts without the capitals of ordinary writing, set so that the rules can read them.

Lines all in capitals and lines all in lower case are set anew: capitals for what the lists of
names and places know and for words that are not English. Every other line stays as it is, and no
character moves, so spans hold for the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from intact.detection.name_list import Use, name_list
from intact.english.words import is_english

_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LABEL = re.compile(r"\s*(?:[\[(<]?\d[\d:./, apmAPM-]*[\])>]?\s*)?<?[^\W\d_][^:\n]{0,30}>?:\s")
_LOWER_LINES = 0.3  # share of lines without a capital from which a text is written that way
_LEAST = 3  # words of a line that can be judged
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
    parts, at = [], 0
    for line, state in judged:
        parts.append(text[at : line.start()])
        at = line.end()
        shown = line.group()
        if state in ("upper", "loud"):
            shown = _set(shown, 0, _from_upper)
        elif state == "lower" and informal:
            label = _LABEL.match(shown)
            shown = _set(shown, label.end() if label else 0, lambda w: _from_lower(w, is_place))
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


def _set(line: str, start: int, how: Callable[[str], str]) -> str:
    def one(match: re.Match[str]) -> str:
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


def _from_lower(word: str, is_place: Callable[[str], bool]) -> str:
    names = name_list()
    bare = re.sub(r"['’]s$", "", word)
    named = names.given_use(bare) is Use.MOSTLY and (not is_english(bare) or len(bare) > 3)
    if named or (len(bare) > 3 and not is_english(bare) and is_place(bare)):
        return word.capitalize()
    return word
