"""Keys: the form in which the knowledge base stores and looks up names."""

from __future__ import annotations

import re
from functools import lru_cache

from intact.knowledge.wording import fold

_LETTERS = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ŋ": "n"}
)
_EDGES = " \t\n.,;:!?\"'()[]«»“”„*"
_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_LEADING = re.compile(r"^[\W_]*(?:(?:the|an?)\s+)?", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+(?:['.&+][^\W_]+)*")


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """``text`` folded (case, accents, dashes), without article, possessive or edge punctuation.

    >>> key("the United Kingdom’s")
    'united kingdom'
    """
    folded = fold(text).translate(_LETTERS).strip(_EDGES)
    folded = _POSSESSIVE.sub("", folded)
    return _ARTICLE.sub("", folded).strip(_EDGES)


def is_name(text: str) -> bool:
    """Whether ``text`` starts with a capital, an article and quotes apart."""
    return _LEADING.sub("", text)[:1].isupper()


def words(text: str) -> tuple[str, ...]:
    """The folded words of ``text`` in order: letters and digits, inner apostrophes kept."""
    plain = _TOKEN.findall(fold(text).translate(_LETTERS))
    return tuple(_POSSESSIVE.sub("", word) or word for word in plain)
