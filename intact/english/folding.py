"""Text without case, diacritics and typographic variants, with the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SINGLE = {
    **{ord(c): "'" for c in "’‘ʼ`´′"},
    **{ord(c): "-" for c in "‐‑‒–—−"},
    **{ord(c): " " for c in "\u00a0\u2007\u202f\u2009"},
    **dict(zip(map(ord, "ıłøđðħ"), "iloddh", strict=True)),
}
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where each of its characters stands in the original.

    Attributes:
        origin: position in the original of each character and of the end; None if equal.
    """

    text: str
    origin: tuple[int, ...] | None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A range of the folded text as a range of the original, combining marks included."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end]


def _fold_char(char: str) -> str:
    plain = unicodedata.normalize("NFKD", char).casefold()
    return "".join(c for c in plain if not unicodedata.combining(c))


def fold(text: str) -> Folded:
    """``text`` in lower case, without diacritics, with plain quotes, hyphens and spaces."""
    if text.isascii():
        return Folded(text.lower().replace("`", "'"), None)
    table: dict[int, str] = {}
    for char in set(text):
        code = ord(char)
        table[code] = _SINGLE.get(code) or (
            char.lower() if char.isascii() else _fold_char(char) or ("" if _mark(char) else char)
        )
    if all(len(value) == 1 for value in table.values()):
        return Folded(text.translate(table), None)
    parts: list[str] = []
    origin: list[int] = []
    for position, char in enumerate(text):
        value = table[ord(char)]
        parts.append(value)
        origin += [position] * len(value)
    return Folded("".join(parts), (*origin, len(text)))


def _mark(char: str) -> bool:
    return unicodedata.combining(char) != 0


def tokens(folded: str) -> list[tuple[str, int, int]]:
    """Its words: (text, start, end); a word is a run of letters and digits."""
    return [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(folded)]
