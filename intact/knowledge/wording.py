"""Small wording rules for knowledge phrases: articles, plurals. English nouns only."""

from __future__ import annotations

import re

_ARTICLE = re.compile(r"^(?:an?|the|some)\s+", re.IGNORECASE)
_A = re.compile(r"^(?:uni(?!n|m)|us(?:e|u)|eu|ewe|one\b|once|ukr|uro|uten|u[ -])", re.IGNORECASE)
_LETTERS = re.compile(r"^[AEFHILMNORSX](?:[A-Z0-9]|\b)")
_CUT = re.compile(
    r"\s(?=(?:of|in|on|at|to|for|from|with|without|by|under|against|about|after|before|between|"
    r"among|over|into|who|that|which|whose|where|as|near|during|used|made|held|given|paid|born|"
    r"living|working|serving|belonging|based|caused|affecting|involving|concerning)\s)"
)
_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "person": "people",
    "child": "children",
    "wife": "wives",
    "life": "lives",
    "knife": "knives",
    "thief": "thieves",
    "half": "halves",
    "leaf": "leaves",
    "wolf": "wolves",
    "calf": "calves",
    "shelf": "shelves",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "ox": "oxen",
    "ecchymosis": "ecchymoses",
    "diagnosis": "diagnoses",
    "prognosis": "prognoses",
    "thesis": "theses",
    "crisis": "crises",
    "basis": "bases",
    "haematoma": "haematomas",
    "staff": "staff",
    "police": "police",
    "personnel": "personnel",
    "aircraft": "aircraft",
    "series": "series",
    "species": "species",
    "offspring": "offspring",
    "sheep": "sheep",
    "fish": "fish",
    "deer": "deer",
    "hero": "heroes",
    "potato": "potatoes",
    "tomato": "tomatoes",
    "veto": "vetoes",
}


def without_article(phrase: str) -> str:
    """``phrase`` without a leading a, an, the or some."""
    return _ARTICLE.sub("", phrase)


def with_article(noun: str) -> str:
    """``noun`` with the indefinite article that its first sound asks for."""
    initials = noun.split("-", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    if initials.isupper() and len(initials) > 1:
        vowel = bool(_LETTERS.match(noun))
    else:
        vowel = bool(re.match(r"[aeiou]|hour|heir|honest|honou?r", noun, re.IGNORECASE))
        vowel = vowel and not _A.match(noun)
    return f"an {noun}" if vowel else f"a {noun}"


def plural_phrase(phrase: str) -> str:
    """The plural of a phrase that stands with "a" or "an"; any other phrase as it is.

    >>> plural_phrase("a member of the armed forces")
    'members of the armed forces'
    """
    bare = re.sub(r"^an?\s+", "", phrase)
    if bare == phrase:
        return phrase
    cut = _CUT.search(bare)
    head, rest = (bare[: cut.start()], bare[cut.start() :]) if cut else (bare, "")
    before, _, noun = head.rpartition(" ")
    return (f"{before} " if before else "") + plural_noun(noun) + rest


def plural_noun(noun: str) -> str:
    """The plural of one English noun."""
    lower = noun.lower()
    for one, many in _IRREGULAR.items():
        if lower == one or (lower.endswith(one) and one in {"man", "woman", "child", "wife"}):
            if lower.endswith(
                ("german", "ottoman", "roman", "human", "shaman", "muslim", "talisman")
            ):
                break
            return noun[: len(noun) - len(one)] + many
    if re.search(r"(?:s|x|z|ch|sh)$", lower):
        return noun + "es"
    if re.search(r"[^aeiou]y$", lower) and not noun[0].isupper():
        return noun[:-1] + "ies"
    return noun + "s"


def singulars(name: str) -> tuple[str, ...]:
    """What a folded name could be the plural of; empty if it looks like no plural.

    >>> singulars("dairy workers")
    ('dairy worker',)
    """
    head, _, last = name.rpartition(" ")
    found = [one for one, many in _IRREGULAR.items() if last == many and one != many]
    found += [
        last[: len(last) - len(many)] + one
        for one, many in _IRREGULAR.items()
        if one in {"man", "woman", "wife", "child"} and last.endswith(many) and last != many
    ]
    if last.endswith("ies") and len(last) > 4:
        found.append(last[:-3] + "y")
    if last.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        found.append(last[:-2])
    if last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 3:
        found.append(last[:-1])
    return tuple(f"{head} {one}" if head else one for one in dict.fromkeys(found))
