"""Money as people write it, measures, shares, counts of persons and things.

Wider than what ``intact.english`` parses: what is found here is masked even where it can only be
labelled. Currencies go by sign, code, or word in the languages that use them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from intact.detection.findings import Finding
from intact.domain import Span
from intact.english.quantities import CURRENCIES

SURE, LIKELY, UNSURE = 0.98, 0.8, 0.55

_WORDS = (
    "kroner|kronor|kron[ae]|krónur|kr|tkr|dkr|nkr|skr|zł|zl|złotych|złote|złoty|zlot(?:y|ys|ych|e)"
    "|groszy|rou?bles?|rub|руб|рублей"
    "|hryvni?as?|uah|lei|leu|bani|lev[as]?|forints?|ft|korun[ay]?|korunas|kč|kc|francs?|fr|cfa"
    "|fcfa|marks"
    "|deutschmarks?|dm|pesetas?|ptas?|escudos?|lir[ae]s?|tl|dinars?|dirhams?|riyals?|rials?"
    "|rupees?|rs|inr"
    "|lakhs?|crores?|yuan|renminbi|rmb|yen|baht|ringgits?|rupiahs?|pesos?|reais|reales"
    "|bol[ií]vares|soles|quetzales"
    "|colones|guaran[ií]e?s|naira|cedis?|shillings?|kes|rands?|birr|nakfa|afghanis?|taka|dong"
    "|tenge|manats?"
    "|laris?|drams?|shekels?|nis|kunas?|litas|kroons?|drachmas?|guilders?|gulden|denars?|quid"
    "|bucks?"
    "|grand|fivers?|tenners?|pence|cents?|dollars?|pounds?|euros?|eur|sterling"
)
_SIGN = r"(?:(?:US|AU|CA|NZ|HK|NT|[ACSR])?[$]|[£€¥₹₺₽₴₦₱₩₪₫฿₵₡₸])"
_DIGITS = r"\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"
_SCALE = r"(?:[ \u00a0]?(?:k|K|m|M|bn|tn|mn|mio|thousand|million|billion|hundred)\b)?"
_DASH = r"(?:[,.](?:-|–|—)+)?"
_ONES = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|sixteen"
    "|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred"
    "|thousand|million|billion|dozen"
)
_SPELT = (
    rf"(?:(?:half )?an? (?:hundred|thousand|million|couple of|few)|(?:{_ONES}))"
    rf"(?:[ -](?:and )?(?:{_ONES})){{0,14}}"
)
_NUMBER = rf"(?:{_DIGITS}|\b{_SPELT})"

_PEOPLE = (
    "people|persons|men|women|boys|girls|individuals|employees|workers|staff|colleagues|volunteers"
    "|students|pupils|patients|tenants|residents|passengers|prisoners|detainees|inmates|soldiers"
    "|officers"
    "|policemen|witnesses|victims|defendants|co[-‑]accused|co[-‑]defendants|suspects|applicants"
    "|members"
    "|guests|friends|neighbours|villagers|refugees|families|households|participants|players|donors"
    "|babies"
)
_FAMILY = (
    "children|child|kids?|sons?|daughters?|grandchildren|grandchild|siblings|brothers?|sisters?"
    "|wives|stepchildren"
    "|grandsons?|granddaughters?"
)
_UNIT = (
    "kg|kgs|kilos?|kilograms?|g|grams?|mg|mcg|µg|lbs?|stone|oz|ounces|tonnes?|tons?|km|kms"
    "|kilometres?|kilometers?|miles?"
    "|m|metres?|meters?|cm|mm|centimetres?|inch(?:es)?|feet|foot|ft|yards?|acres?|hectares?|ha|m2"
    "|m²|sqm|sq\\.? ?m"
    "|square (?:metres?|meters?|feet|kilometres?)|ml|cl|l|litres?|liters?|units|tablets|pills"
    "|pints?|bottles|joints|cigarettes"
    "|mph|km/h|kph|kwh|°c|°f|degrees|bpm|mmhg|mmol/l|iu|gb|mb|pages|points"
)
_NOT_COUNTED = frozenset(
    "days weeks months years hours minutes seconds times paragraphs articles sections rules judges"
    " votes nights"
    " points euros pounds dollars percent parts lines cases proceedings kinds types types ways"
    " instances"
    " decades centuries grounds reasons questions issues aspects separate of other".split()
)
_SHARE = re.compile(
    rf"(?<![\w.,])(?:{_DIGITS})[ \u00a0]?(?:%|per cent\b|percent\b|percentage points\b)"
    r"|\b(?:one|two|three|four) ?-?(?:thirds?|quarters?|fifths?|tenths?)\b|\b(?:a third|a quarter"
    r"|half)(?= of (?:it|his|her|my|what)\b)"
    rf"|\b(?:1|one|two|three) in (?:{_DIGITS}|{_ONES})\b"
)
_MEASURE = re.compile(rf"(?<![\w.,/])(?:{_DIGITS})[ \u00a0]?(?i:{_UNIT})\b(?!\.\w)")
_SPELT_MEASURE = re.compile(
    rf"\b(?:{_SPELT}) (?:kilos?|kilograms?|grams?|tonnes?|kilometres?|miles?|metres?|centimetres?"
    rf"|feet|acres?|hectares?|litres?"
    r"|pints?|cigarettes|tablets|pills)\b"
)
_RATE = re.compile(
    rf"(?<![\w.,/])(?:{_DIGITS})(?:/|[ ](?:per|a)[ ])(?:day|week|month|night|hour|yr|year|d|wk)\b"
)
_PER = re.compile(
    r"[ ]?(?:/|(?:a|per|each|every)[ ])[ ]?(?:hour|day|week|month|year|night|annum|head)\b"
)
_VITAL = re.compile(
    r"\b(?:BP|HR|RR|SpO2|sats|GCS|BMI|HbA1c|temp(?:erature)?|pulse|weight|height|wt"
    r"|ht)\b[ :=]{1,3}(?:of |was |is )?"
    r"(?P<what>\d{1,3}(?:\.\d+)?(?:/\d{1,3})?)(?![\d/])",
    re.IGNORECASE,
)
_FINISH = re.compile(
    r"(?<![\w:.])\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?[ ]?(?:h|hrs|min)\b"
    r"|(?<![\w:.])\d:[0-5]\d:[0-5]\d(?![\w:])"
)
_ABOUT = r"(?:(?:some|about|around|approximately|nearly|almost|over|more than|at least) )?"
_PERSONS = re.compile(
    rf"\b{_ABOUT}(?<![\w.,/§]){_NUMBER} (?:other |adult |young |old )?(?:{_PEOPLE})\b",
    re.IGNORECASE,
)
_KIN = re.compile(
    rf"\b(?:{_SPELT}|(?<![\w.,/])\d{{1,2}}|no) (?:(?:young|small|little|minor|adult|adopted|older"
    rf"|younger|grown-up|other) ){{0,2}}"
    rf"(?:{_FAMILY})\b(?! of the)",
    re.IGNORECASE,
)
_THINGS = re.compile(
    rf"(?<![\w.,/§])(?:\d{{2,3}}|\d{{1,3}},\d{{3}}|(?!one\b|a\b|an\b){_SPELT})"
    rf" (?P<noun>[a-z]{{4,}}s)\b"
)
_VOTES = re.compile(rf"\b(?:{_ONES}|\d+) votes to (?:{_ONES}|\d+|none)\b")


@lru_cache(1)
def _money() -> tuple[re.Pattern[str], ...]:
    codes = "|".join(sorted({currency.code for currency in CURRENCIES.values()}))
    short = r"(?:[Kk]r|Rs|Ft|Fr|DM|Lit)\.?[ \u00a0]"
    front = (
        rf"(?<![\w.,])(?:{_SIGN}|(?:{codes})[ \u00a0]?|{short})[ \u00a0]?"
        rf"(?:{_DIGITS}){_SCALE}{_DASH}"
    )
    back = (
        rf"(?<![\w.,]){_NUMBER}{_SCALE}{_DASH}[ \u00a0](?:[A-Z][a-zé]+(?: [A-Z][a-z]+)? |old |new"
        rf" )?"
        rf"(?:(?:{codes})\b|(?i:{_WORDS})\b|{_SIGN})"
    )
    close = rf"(?<![\w.,])(?:{_DIGITS}){_SCALE}{_DASH}(?:{_SIGN}|(?:zł|kr|Ft|Kč|p)\b)"
    return tuple(re.compile(pattern) for pattern in (front, back, close))


def _rated(text: str, end: int) -> int:
    """The end of an amount with what it is paid for: "a month", "per week"."""
    match = _PER.match(text, end)
    return match.end() if match else end


def amounts(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: "money", "quantity", and "characteristic" for how many children.

    Args:
        text: any.
        source: the detector's name.
    """
    for pattern in _money():
        for match in pattern.finditer(text):
            span = Span(match.start(), _rated(text, match.end()))
            yield Finding(span, "money", SURE, source)
    for pattern, kind, score in _PLAIN:
        for match in pattern.finditer(text):
            group = "what" if "what" in pattern.groupindex else 0
            yield Finding(Span(*match.span(group)), kind, score, source)
    for match in _THINGS.finditer(text):
        if match.group("noun") not in _NOT_COUNTED:
            yield Finding(Span(*match.span()), "quantity", UNSURE, source)


_PLAIN = (
    (_SHARE, "quantity", UNSURE),
    (_MEASURE, "quantity", LIKELY),
    (_SPELT_MEASURE, "quantity", LIKELY),
    (_RATE, "quantity", LIKELY),
    (_VITAL, "quantity", LIKELY),
    (_FINISH, "quantity", LIKELY),
    (_PERSONS, "quantity", UNSURE),
    (_KIN, "characteristic", LIKELY),
    (_VOTES, "quantity", UNSURE),
)
