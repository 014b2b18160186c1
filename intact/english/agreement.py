"""Small English grammar of replacement phrases: determiners, articles, time phrases.

Pure functions on short strings. What cannot be known (verb agreement) is left alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

ARTICLES = frozenset({"a", "an", "the"})
DETERMINERS = frozenset(
    "his her its their my our your whose this that these those each every either neither "
    "no any another both".split()
)
MANY = frozenset(
    "two three four five six seven eight nine ten eleven twelve both several many few these "
    "those all numerous various".split()
)
QUANTIFIERS = frozenset(
    "some several many most one few about around approximately nearly almost roughly more less "
    "fewer over under between from up at somebody someone something somewhere anything no "
    "dozens hundreds thousands tens".split()
)
PREPOSITIONS = frozenset(
    "in on at by of to for from with within without during throughout since until till before "
    "after between against under over into onto through towards toward about around dated "
    "near behind beside per via upon among inside outside across along past".split()
)
_CONTRACTED = frozenset("it he she that there here what who where how let everyone".split())


def owns(word: str) -> bool:
    """Whether a word in lower case is a genitive: "Ann's", not "it's"."""
    return word.endswith(("'s", "’s", "s’", "s'")) and word[:-2] not in _CONTRACTED


_NOT_COUNTED = frozenset("few number couple lot little bit great good handful dozen".split())


def split_article(text: str, *, label: bool = False) -> tuple[str, str]:
    """A phrase as its article ("a", "the" or ""; an "an" is given as "a") and the rest.

    Args:
        text: the phrase.
        label: whether it is a label, whose only article is a leading "the".
    """
    first, _, rest = text.partition(" ")
    low = first.lower()
    if rest and (low == "the" or (low in ("a", "an") and not label)):
        return ("the" if low == "the" else "a"), rest.lstrip()
    return "", text


def countable(rest: str) -> bool:
    """Whether "the" may take the place of "a" before ``rest`` ("a few days" may not)."""
    return rest.split(" ", 1)[0].lower() not in _NOT_COUNTED


_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_UNIT = r"(?:day|week|month|year|decade|century|weekend|hour|morning|afternoon|evening|night)s?"
_PART = (
    r"(?:the |early[ -]|mid[ -]?|late[ -]|middle |beginning |start |end |(?:first|second|third"
    r"|fourth|last) |(?:half|quarter|third|part|months|years|weeks|days|decades) |later |of )*"
)
_CENTURY = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|(?:seventeen|eighteen|nineteen|twentie|twenty-first)(?:th)?)"
    r"[ -]centur(?:y|ies)"
)
_KINDS = (
    ("between", re.compile(r"between\b")),
    ("from", re.compile(r"from\b.*\b(?:to|until)\b")),
    ("on", re.compile(rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b")),
    ("on", re.compile(rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,|$)")),
    ("on", re.compile(rf"(?:an? |one |the )?(?:[\w-]+ )?(?:date|day|weekday|{_WEEKDAY})\b(?! l)")),
    ("free", re.compile(r"(?:one|this|next|last|later|earlier|soon|in|on|at|by)\b")),
    ("free", re.compile(r"some ?time\b|some (?:days|weeks|months) (?:later|earlier|before|after)")),
    ("free", re.compile(r"(?:during|since|until|within|before|after|around|about|shortly)\b")),
    ("free", re.compile(rf".*\b{_UNIT} (?:later|earlier|ago|before|after|afterwards)$")),
    ("during", re.compile(r"(?:an? )(?:certain )?period$")),
    ("at", re.compile(r"(?:night|noon|midnight|dawn|dusk|lunchtime)\b")),
    ("at", re.compile(r"(?:an? |one )(?:[\w-]+ )?(?:time|moment|hour)$")),
    ("at", re.compile(r"(?:the )?(?:very )?(?:end|beginning|start) of\b")),
    (
        "in",
        re.compile(rf"{_PART}(?:{_MONTH}|{_SEASON}|\d{{4}}s?|(?:21|20|19|18)th|{_CENTURY})(?!\w)"),
    ),
    ("in", re.compile(r"(?:the |an? )?(?:[\w-]+ )?(?:morning|afternoon|evening|century|decade)\b")),
    ("in", re.compile(r"(?:the |an? )(?:[\w-]+ )?(?:month|year|summer|winter|spring|autumn)\b")),
)


_CALENDAR_NAME = re.compile(rf"{_MONTH}|{_WEEKDAY}", re.I)


def is_calendar_name(word: str) -> bool:
    """Whether a word is a month or a weekday, which have a capital anywhere."""
    return _CALENDAR_NAME.fullmatch(word) is not None


@lru_cache(maxsize=65536)
def time_kind(text: str) -> str:
    """How a phrase of time stands after a verb.

    "in" ("May 1996"), "on" ("a later date"), "at", "during", "between", "from", "free" (takes
    no preposition: "some time in May"), or "" (not a time that takes one).
    """
    low = text.lower()
    return next((kind for kind, pattern in _KINDS if pattern.match(low)), "")


_DECADE = re.compile(r"(?:(?:early|mid|late)[ -])?(?:the )?\d{3}0s$|(?:early|mid|late)[ -]\d{3}0s$")
_PARTS = re.compile(
    rf"(?:start|beginning|middle|end|first half|second half|(?:first|second|third|fourth|last) "
    rf"quarter|{_CENTURY}$|[\w-]+ century$)"
)


_OF_DECADE = re.compile(
    r"(\b(?:of|to|and|until|between|from) )(?=(?:(?:early|mid|late)[ -])?\d{3}0s)"
)


def with_article(text: str) -> str:
    """A time phrase with the "the" it needs: "mid-1990s" -> "the mid-1990s"."""
    low = text.lower()
    if low.startswith(("the ", "a ", "an ")):
        return text
    return f"the {text}" if _DECADE.match(low) or _PARTS.match(low) else text


def polished(text: str) -> str:
    """A time phrase with every "the" it needs: "end of 1990s" -> "the end of the 1990s"."""
    return with_article(_OF_DECADE.sub(r"\1the ", text))
