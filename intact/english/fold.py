"""Text without case, diacritics and typographic variants: the one form in which texts are compared.

Every character is folded by itself, so that a folded text leads back to the original. A capital
and its small letter fold alike, and so do the composed and the decomposed form of a letter.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_CACHE = 1 << 16
_PLAIN = {
    **dict.fromkeys("’‘ʼʻʹ`´′ʿʾ", "'"),
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict(zip("ıȷłƚɫøɵđðɖɗħŧŋɲƞ", "ijlllooddddhtnnn", strict=True)),
    **dict(zip("əǝɛɔɨʉƀɓƙƴƶǥɠƒĸſ", "aaeoiubbkyzggfks", strict=True)),
    **{"þ": "th", "æ": "ae", "œ": "oe", "ß": "ss", "ĳ": "ij"},
}
"""Letters and marks that Unicode does not take apart, small, and the plain ones they stand for."""
_TOKEN = re.compile(r"[^\W_]+")
_EDGES = " \t\n.,;:!?\"'()[]«»*"
_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_KEY_WORD = re.compile(r"[^\W_]+(?:['.&+][^\W_]+)*")


class _Letters(dict[int, str]):
    """What each character folds to, found when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_letter(chr(code))
        return folded


def _fold_letter(char: str) -> str:
    if char in _PLAIN:
        return _PLAIN[char]
    apart = unicodedata.normalize("NFKD", char.casefold()).casefold()
    return "".join(_PLAIN.get(each, each) for each in apart if not unicodedata.combining(each))


_LETTERS = _Letters()


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where each of its characters stands in the original.

    Attributes:
        origin: position in the original of each character and of the end; None if equal.
    """

    text: str
    origin: tuple[int, ...] | None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A range of the folded text as a range of the original, combining marks included.

        Args:
            start: offset in the folded text.
            end: offset behind the range.
        """
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end]


def fold(text: str) -> str:
    """``text`` in lower case, without diacritics, with plain quotes, hyphens and spaces.

    >>> fold("Łukasz O’Brien-Søby")
    "lukasz o'brien-soby"
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    return text.translate(_LETTERS)


def folded(text: str) -> Folded:
    """``fold(text)`` with the way back to ``text``."""
    plain = fold(text)
    if text.isascii() or all(len(_LETTERS[ord(char)]) == 1 for char in set(text)):
        return Folded(plain, None)
    origin: list[int] = []
    for position, char in enumerate(text):
        origin += [position] * len(_LETTERS[ord(char)])
    return Folded(plain, (*origin, len(text)))


def tokens(text: str) -> list[tuple[str, int, int]]:
    """The words of a folded text: (word, start, end); a word is a run of letters and digits."""
    return [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text)]


@lru_cache(_CACHE)
def key(text: str) -> str:
    """``text`` as names are looked up: folded, hyphens as blanks, without article or possessive.

    >>> key("the United Kingdom’s")
    'united kingdom'
    """
    plain = " ".join(fold(text).replace("-", " ").split()).strip(_EDGES)
    return _ARTICLE.sub("", _POSSESSIVE.sub("", plain)).strip(_EDGES)


def key_words(text: str) -> tuple[str, ...]:
    """The folded words of ``text`` in order: letters and digits, inner apostrophes kept."""
    found = _KEY_WORD.findall(fold(text))
    return tuple(_POSSESSIVE.sub("", word) or word for word in found)


def slug(text: str) -> str:
    """A name as part of an id: letters and digits of its folded form, hyphens between."""
    return re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")
