"""Parts of a text in another language than English, found word by word."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter

from intact.domain import Span, gaps_between
from intact.english.vocabulary import STOP_WORDS, vocabulary, word_sets
from intact.english.words import FORMS, is_english

_LEAST_WORDS = 6  # different words; a text with fewer counts as English
_LANGUAGES = word_sets("words", "languages")
# Function words of other languages, in lower case.
FOREIGN_WORDS = frozenset().union(*_LANGUAGES.values())
_KINDS = {
    **dict.fromkeys(FOREIGN_WORDS, "foreign"),
    **dict.fromkeys(STOP_WORDS, "function"),
    **dict.fromkeys(_LANGUAGES["shared"], "shared"),
}
_WEIGHTS = vocabulary("words")["weights"]
# The least different words of lines that are not English; the least if none of them is known from
# other languages; and the weight that they must stay below.
_FEW_WORDS, _MANY_WORDS, _AGAINST = 4, 12, -9.0
_PART = 0.2  # the least share of English words with which a document counts as English


def reads_english(text: str) -> bool:
    """Tell whether a text is English, or has an English part that is worth handling: a fifth of its
    different words, and six at least. A text of fewer than six different words counts as
    English."""
    foreign = foreign_paragraphs(text)
    rest = [_kinds_of(text[start:end]) for start, end in gaps_between(foreign, len(text))]
    own = sum(len(kinds) for kinds in rest if _weigh(kinds) >= 0)
    count = len(set().union(*rest, *(_kinds_of(span.of(text)) for span in foreign)))
    return count < _LEAST_WORDS or own >= max(_LEAST_WORDS, _PART * count)


def foreign_paragraphs(text: str) -> list[Span]:
    """Return the spans of the lines that are not in English, in text order, each without its line
    end; [] if there are none. Wrapped lines of the text must be joined already.

    Each word in lower case counts for English or against it, by how often it occurs in texts of
    either kind; successive lines that count against English are weighed together, and with fewer
    than four different words they pass as English."""
    lines = ((Span(*match.span()), _kinds_of(match[0])) for match in re.finditer("[^\n]+", text))
    found: list[Span] = []
    for against, group in groupby(filter(itemgetter(1), lines), lambda line: _weigh(line[1]) < 0):
        spans, read = zip(*group, strict=True)
        kinds = dict(ChainMap(*read))
        telling = {"foreign", "letters"} & {*kinds.values()} or len(kinds) >= _MANY_WORDS
        if against and telling and len(kinds) >= _FEW_WORDS and _weigh(kinds) < _AGAINST:
            found += spans
    return found


def _weigh(kinds: Mapping[str, str]) -> float:
    """Add up how much different words speak for English; below 0, they speak against it. 0 for
    none.

    Args:
        kinds: each word -> its class, as ``_kinds_of`` returns them.
    """
    return float(sum(map(_WEIGHTS.__getitem__, kinds.values())))


def _kinds_of(text: str) -> dict[str, str]:
    """Map each different lower-case word of a text, in order, to its class, a key of the weights:
    "function", "shared" (by several languages), "known" (English), "foreign", "unknown" (only ASCII
    letters) or "letters" (with others). Capitalised words are left out."""
    return {
        word: _KINDS.get(word)
        or ("known" if is_english(word) else "unknown" if word.isascii() else "letters")
        for word in dict.fromkeys(FORMS["ordinary"].findall(text))
        if word == word.lower()
    }
