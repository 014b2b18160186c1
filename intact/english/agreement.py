"""Small English grammar of replacement phrases: articles, number, possessives, time phrases.

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
OWNERS = ("'s", "’s", "s’", "s'")
"""Endings of a genitive."""
_NOT_COUNTED = frozenset("few number couple lot little bit great good handful dozen".split())
_AN_WORDS = re.compile(r"(?:hour|honest|honou?r|heir)", re.I)
_A_WORDS = re.compile(
    r"(?:uni(?!n|m)|us(?:e|u|a)|eu|ewe|one(?![a-z])|once|ubiq|uk(?:r|u)|ura|uru|u[A-Z]?(?![a-z]))",
    re.I,
)
_SAME_IN_PLURAL = frozenset(
    "diabetes measles rabies arthritis aids headquarters series species news physics politics "
    "ethics economics mumps herpes rickets mathematics police personnel people staff armed "
    "forces authorities services".split()
)
_IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "wife": "wives",
    "life": "lives",
    "foot": "feet",
    "tooth": "teeth",
    "policeman": "policemen",
    "policewoman": "policewomen",
    "half": "halves",
    "thief": "thieves",
    "offspring": "offspring",
    "sheep": "sheep",
    "aircraft": "aircraft",
    "relative-in-law": "relatives-in-law",
}


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


def indefinite(rest: str) -> str:
    """ "a" or "an", whichever goes before ``rest`` as it is spoken."""
    word = rest.lstrip("\"'“‘«([")
    number = re.match(r"\d[\d.,]*", word)
    if number:
        digits = re.split(r"[.,]", number.group())[0]
        spoken_an = digits.startswith("8") or (len(digits) in (2, 5) and digits[:2] in ("11", "18"))
        return "an" if spoken_an else "a"
    if _AN_WORDS.match(word):
        return "an"
    if _A_WORDS.match(word):
        return "a"
    return "an" if word[:1].lower() in "aeiou" and word else "a"


def countable(rest: str) -> bool:
    """Whether "the" may take the place of "a" before ``rest`` ("a few days" may not)."""
    return rest.split(" ", 1)[0].lower() not in _NOT_COUNTED


_PLURAL_HEAD = re.compile(
    r"\s(?:in|of|for|with|from|at|on|by|to|about|who|that|which|whose|against|under|between"
    r"|near|outside|within|working|living|holding|playing|acting|serving|belonging|known)\b"
)


def head_end(rest: str) -> int:
    """Where the head of a noun phrase ends: before its first preposition or relative word."""
    found = _PLURAL_HEAD.search(rest)
    return found.start() if found else len(rest)


def head_noun(rest: str) -> str:
    """The last word of a noun phrase's head: "district" of "a big district in Turkey"."""
    return rest[: head_end(rest)].rsplit(" ", 1)[-1]


def is_plural_noun(word: str) -> bool:
    """Whether a lower-case word looks like a plural."""
    if word in _SAME_IN_PLURAL or len(word) < 4:
        return False
    return word in _IRREGULAR.values() or (
        word.endswith("s") and not word.endswith(("ss", "us", "is", "’s", "'s"))
    )


def plural(rest: str) -> str:
    """A noun phrase without article, its head in the plural: "members of a group"."""
    end = head_end(rest)
    before, _, noun = rest[:end].rpartition(" ")
    many = plural_noun(noun)
    return (f"{before} {many}" if before else many) + rest[end:]


def plural_noun(noun: str) -> str:
    """The plural of one lower-case noun."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun in _SAME_IN_PLURAL or is_plural_noun(noun):
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    if re.search(r"(?:s|x|z|ch|sh)$", noun):
        return noun + "es"
    return noun + "s"


def possessive(text: str, mark: str = "’") -> str:
    """``text`` in the genitive: "several years’", "a court in Turkey’s"."""
    last = text.rsplit(" ", 1)[-1]
    if last.endswith("s") and (is_plural_noun(last.lower()) or last[0].isupper()):
        return text + mark
    return f"{text}{mark}s"


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
    ("free", re.compile(r"(?:some ?time|one|this|next|last|later|earlier|soon|in|on|at|by)\b")),
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
