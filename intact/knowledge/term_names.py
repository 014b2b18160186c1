"""What the words in or around a name say it is: "the novel X", "X Award"."""

from __future__ import annotations

import re

from intact.knowledge.term_context import Context

_NAMED = re.compile(
    r"\b(?P<noun>film|movie|novel|book|album|song|single|television series|TV series|series|"
    r"television programme|programme|television show|show|play|opera|poem|magazine|newspaper|"
    r"journal|video game|game|musical|painting|sculpture|award|prize|medal|tournament|"
    r"championship|ship|trawler|yacht|ferry|string quartet|symphony|ballet|cartoon|comic|"
    r"radio programme|documentary|short story|biography|autobiography|website|dog|horse)s?"
    r"(?:\s+(?:called|entitled|titled|named|known as))?"
    r"(?-i:(?:[\s,:;()“”\"'‘’\d]|"
    r"\b(?:and|or|the|of|in|a|an|with|to|for|on|at|such as|including|like)\b|"
    r"\b[A-Z]\w*\b)*)$",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"^[\s”\"'’]*(?:\(\d{4} )?(?P<noun>film|movie|novel|album|song|series|magazine|newspaper|"
    r"award|prize|medal|trophy|tournament|championship|festival|case|war|conflict|treaty|"
    r"motor vehicle|motor car|car|dog|horse)\b"
)
_NAMED_WITHIN = re.compile(
    r"(?:the|an?|his|her|their)\s+(?:\w+\s+)?(?P<noun>film|movie|novel|book|album|song|single|"
    r"television series|TV series|play|opera|poem|magazine|newspaper|journal|video game|musical|"
    r"painting|sculpture|ship|trawler|string quartet|symphony|ballet|documentary|short story)"
    r"\s+[A-Z“\"‘]"
)
_OWN = (
    (re.compile(r"\b(?:Award|Prize|Medal|Trophy|Oscar|Grammy)s?\b"), "award"),
    (re.compile(r"\bChampionships?$"), "championship"),
    (re.compile(r"\b(?:Olympics|Olympic Games|World Cup|Tournament|Cup|Games)$"), "sports event"),
    (re.compile(r"^(?:the\s+)?(?:M/?F?V|HM[NAC]?[SZ]?S|USS|SS|RMS|FV|RV)\s+[A-Z]"), "ship"),
    (
        re.compile(
            r"^(?:an?\s+|the\s+)?(?:Toyota|Ford|Volkswagen|VW|BMW|Mercedes(?:-Benz)?|Audi|Opel|Renault|"
            r"Peugeot|Fiat|Volvo|Saab|Honda|Nissan|Mazda|Hyundai|Kia|[SŠ]koda|Tesla|Jeep|"
            r"Land Rover|Vauxhall|Citro[eë]n|Suzuki|Mitsubishi|Subaru|Lada|Dacia)\s+[A-Z0-9]"
        ),
        "motor vehicle",
    ),
    (re.compile(r"\b(?:War|Battle of|Siege of)\b"), "armed conflict"),
    (re.compile(r"\b(?:riots?|Massacre|massacre|bombing)\b"), "event"),
    (re.compile(r"^https?://|\bwww\.|\.com\b"), "means of communication"),
    (re.compile(r"\b(?:Festival|Exhibition|Carnival)$"), "cultural event"),
    (re.compile(r"\b(?:Accident|Disaster|Crash)$", re.IGNORECASE), "event"),
    (re.compile(r"\b(?:Language|language)$"), "language"),
)  # fmt: skip


def named_by_context(text: str, context: Context) -> str:
    """The common noun that the words before or behind a name say it is ("the novel X"); or ""."""
    if context.entity_type not in ("MISC", "ORG"):
        return ""
    within = _NAMED_WITHIN.match(text)
    if within:
        return within["noun"].lower()
    if not text[:1].isupper() and not text.startswith(("“", '"', "‘", "'")):
        return ""
    found = _NAMED.search(context.before) or _NAMED_AFTER.match(context.after)
    if found is None and context.is_work and context.entity_type == "MISC":
        return "work"
    return found["noun"].lower() if found else ""


def named_by_itself(text: str, context: Context) -> str:
    """The common noun that a name's own words say it is ("X Award"); or ""."""
    if context.entity_type != "MISC":
        return ""
    return next((noun for pattern, noun in _OWN if pattern.search(text)), "")
