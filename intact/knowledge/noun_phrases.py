"""How a masked phrase stands in its sentence, and how it is cleaned, parted and cut to its head."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from intact.english.calendar import MONTH_NAMES
from intact.english.fold import slug
from intact.english.numbers import CARDINALS

_NOUN_AFTER = re.compile(
    r"^[ -]+(?!(?:and|or|but|by|in|of|at|on|for|to|who|was|is|were|are|had|has|have|with|from|as|"
    r"since|when|until|after|before|that|between|during|because|then|also|while|against|under|"
    r"within|than|which|where|whose|if|so|not|nor|would|could|should|will|may|did|does|out|up|"
    r"about|into|over|through|without|living|working|born|residing|practising|now|then|today|again|too|"
    r"either|he|she|it|they|we|you|I|the|an?|his|her|its|their|my|our|your|this|these|those|no|some|"
    r"any|all|each|every|maybe|perhaps|yes|back|home|abroad|away|here|there|only|just|very|ago|"
    r"yesterday|tomorrow|tonight|please|off|down|can|cannot|must|does|do|says?|said|went|came)\b)"
    r"[a-z]"
)
_ARTICLE = re.compile(r"\b(?:an?|the|his|her)\s$", re.IGNORECASE)
_OWNER = re.compile(
    rf"(?:\b(?:his|her|their|my|our|your|whose|had|has|have|having|{'|'.join(CARDINALS[1:5])})"
    r"|[’']s|s[’'])\s+(?:\w+\s+)?$"
)
_OWNED = re.compile(rf"(?:his|her|their|my|our|your|{'|'.join(CARDINALS[1:8])})\s", re.I)


_YEAR_AFTER = re.compile(r"[”\"’']?\s*\((?:[a-z ]+)?(?:1[89]|20)\d\d\)")
_STUDIED = re.compile(
    r"\b(?:stud(?:y|ied|ies|ying)|reading|degrees? in|graduated in|majored in|lectur\w+ in|"
    r"professor of|faculty of)\s(?:\w+\sand\s)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """Where a phrase stands: its entity type and the text around it ("" if not known).

    Attributes:
        held: whether the phrase itself says that somebody has it ("her children").
        determined: whether the phrase itself starts with an article ("the army").
        proper: whether it is a name of several words ("Blade Runner").
        capital: whether it is one word with a capital and may be a name ("Caller").
    """

    entity_type: str
    before: str = ""
    after: str = ""
    held: bool = False
    determined: bool = False
    proper: bool = False
    capital: bool = False

    @property
    def is_work(self) -> bool:
        """Whether a year in brackets follows, as it does behind the title of a work."""
        return bool(_YEAR_AFTER.match(self.after))

    @property
    def studied(self) -> bool:
        """Whether the phrase names what somebody has studied."""
        return bool(_STUDIED.search(self.before))

    @property
    def before_noun(self) -> bool:
        """Whether a noun follows directly, so that only an adjective fits."""
        return bool(_NOUN_AFTER.match(self.after))

    @property
    def after_article(self) -> bool:
        """Whether an article or possessive stands directly before."""
        return bool(_ARTICLE.search(self.before))

    @property
    def owned(self) -> bool:
        """Whether somebody has what the phrase names ("her", "the applicant's")."""
        return self.held or bool(_OWNER.search(self.before))


def owned(text: str) -> bool:
    """Whether ``text`` starts with a possessive or a small number ("four children")."""
    return bool(_OWNED.match(text))


def is_title(text: str) -> bool:
    """Whether ``text`` is a title or nickname ("The Long Road"): its words tell nothing."""
    return bool(re.match(r"[\"“‘«„']\s*[A-ZÀ-Þ]|(?:The|A|An) [A-ZÀ-Þ]\w+ ", text))


def is_proper(text: str) -> bool:
    """Whether ``text`` is a name of several words, each with a capital but for small ones."""
    parts = [word for word in text.split() if len(word) > 3 or word[:1].isupper()]
    return len(parts) > 1 and all(word[:1].isupper() for word in parts)


def is_acronym(text: str) -> bool:
    """Whether ``text`` is a short form in capitals."""
    return text.isupper() and text.isalpha() and 1 < len(text) <= 6


def determined(text: str) -> bool:
    """Whether ``text`` starts with an article or possessive, so that a noun must follow."""
    return bool(re.match(r"(?:the|an?|his|her|their|its|my|our|your)\s", text, re.IGNORECASE))


EDGES = " \t\n.,;:!?\"'“”„«»‘’*"
_TAIL = re.compile(r"\s*[(\[][^()\[\]]*[)\]]?\s*$")
_DETERMINER = re.compile(
    r"^(?:the|an?|his|her|their|its|my|our|your|this|that|these|those|some|any|each|late|"
    r"own|then|present|current|new|alleged|certain|different|other|several|various|many|"
    rf"multiple|numerous|both|all|{'|'.join(CARDINALS[:12])}|"
    r"\d{1,3})\s+(?=\S)",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"^(?:the|an?|his|her|their|its|my|our|your|this|that|these|those|some)\s+(?=\S)", re.IGNORECASE
)
_AMOUNT = re.compile(r"^[^A-Za-z(\"“]*[\d%][^A-Za-z(]*(?:per cent\s+)?(?:of\s+)?(?=[A-Za-z])")
_PARTITIVE = re.compile(
    r"^(?:(?:left|right|upper|lower|inner|outer|middle|internal|external|rear|front|back|first|"
    r"second|other|entire|whole|anterior|posterior)\s+)*(?:part|parts|side|area|region|half|edge|"
    r"inside|outside|top|bottom|surface|section|piece|pieces|kind|type|sort|member|members|number|"
    r"kilograms?|kilos?|kg|grams?|g|tonnes?|tons?|litres?|bottles?|bags?|packets?|"
    r"couple|pair|group|series|range|form|lack|use|back|front|middle|base|tip|area)\s+of\s+",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"\b(?:mild to moderate|moderate to severe|left|right|upper|lower|inner|outer|middle|rear|"
    r"front|old|new|fresh|dark|brown|red|blue|purple|yellow|large|small|mild|severe|moderate|acute|chronic|strong|serious|light|"
    r"slight|minor|multiple|bilateral|long|short|deep|superficial|painful)\s+",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"^[“\"‘'][^”\"’']+[”\"’']\s+(?=[a-z])|^[^\s”\"]+(?: [^\s”\"]+)?[”\"]\s+(?=[a-z])"
)
_BACK = re.compile(r"(?<= [a-z]{5})(?<!lower)(?<!upper)(?<!small)\s(?:back|abroad|again)$")
"""An adverb behind a noun: "a night nurse back [home]", no part of the body."""
_NO_NOUN = re.compile(
    r"(?:an?|the|his|her|their|its|my|our|no|not|is|are|was|were|be|been|being|had|has|have|did|"
    r"do|does|could|would|should|will|can|may|out|up|down|off|he|she|it|they|who|which|that|"
    r"directly|indirectly|well|very|grew|bought|sold|kept|took|gave|made|drove|ran|wrote|spoke|"
    r"built|carried|owned|worked|studied|married|lived|moved|used|had|"
    r".*[“”\"].*)",
    re.IGNORECASE,
)
_VERBAL = re.compile(r"\w+(?:ed|ing)$")
_QUALITY = re.compile(
    r"practising|devout|leading|serving|presiding|investigating|commanding|surviving|managing",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\s(?:of|in|on|at|to|for|from|with|without|by|under|against|about|after|before|between|"
    r"among|over|into|who|that|which|whose|where|as|near|during|amounting|resulting|stretching|"
    r"measuring|affecting|concerning|caused|called|named|located|situated|made|and|or|-|–)\s|[(,;:]"
)
_JOIN = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|as well as)\s+|\s*/\s*", re.IGNORECASE)
LAW = re.compile(
    r"\b(?:Acts?|Laws?|Code|Ordinance|Statutes?|Decree|Bill|Legislation|Regulations?|Directive|"
    r"Guidelines|Order)\b(?:\s+(?:of\s+)?\d{4}|\s+no\.?\s*\d|,?$|\s+\(|\s+of\b|\s+on\b)|"
    r"^(?:Law|Act|Decree|Legislative Decree|Directive|Regulation)\s+(?:no|nr|No)\.?\s*[\d/]+|"
    r"^\d{4}\s.*\bAct\b|\bact\s+\d{4}$|^(?:the\s+)?\d{4}\s+Act?\b|lagen\b|balken\b|^ustawa\b|"
    r"\(\d{4}:\d+\)|\d{4}:\d{3,4}"
)
PROVISION = re.compile(
    r"^(?:the\s+)?(?:Articles?|Arts?\.?|Sections?|Sect\.?|ss?\.|Rules?|Regulations?|Chapters?|"
    r"Paragraphs?|Clauses?|Schedules?|Parts?|§§?|[A-Z][a-z]+ [A-Z][a-z]+ Rule)\s*\d",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"[\W_]*\d+\s?(?:st|nd|rd|th)?[\W_]*", re.IGNORECASE)
_MONTHS = "|".join(MONTH_NAMES)
_DATE = re.compile(rf"^[\d\W]+$|\d\s*(?:{_MONTHS})|(?!May)(?:{_MONTHS})\s+\d")


def cleaned(text: str) -> str:
    """``text`` without quotes, brackets at its end, determiners and counts."""
    phrase = " ".join(text.split()).strip(EDGES)
    if phrase.startswith(("(", "[")) and phrase.endswith((")", "]")):
        phrase = phrase[1:-1].strip(EDGES)
    shorter = _TAIL.sub("", phrase).strip(EDGES)
    phrase = shorter or phrase
    if not PROVISION.match(phrase) and not LAW.search(phrase):
        phrase = _AMOUNT.sub("", phrase, count=1)
    while (found := _DETERMINER.match(phrase)) is not None:
        phrase = phrase[found.end() :]
    return phrase.strip(EDGES)


def without_determiner(text: str) -> str:
    """``text`` without quotes and its first article or possessive; counts stay."""
    return _BEGINS.sub("", " ".join(text.split()).strip(EDGES))


def is_plural(text: str) -> bool:
    """Whether the head of a phrase looks like a plural."""
    head = next(heads(text), (text, True))[0].rpartition(" ")[2].lower()
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def parts(text: str) -> tuple[str, ...]:
    """The parts of "A, B and C", cleaned; only one if nothing joins."""
    if len(text) > 160:
        return (text,)
    return tuple(part for each in _JOIN.split(text) if (part := cleaned(each)))


def heads(text: str) -> Iterator[tuple[str, bool]]:
    """Ever shorter noun phrases that hold the head noun of ``text``, the longest first.

    With each comes whether it says as much as ``text`` (only sides and qualities are cut). A
    phrase that is no plain noun phrase (it holds a verb, a pronoun or a quotation) gives none.
    """
    phrase = _BACK.sub("", _QUOTED.sub("", text))
    while (found := _PARTITIVE.match(phrase)) is not None:
        phrase = cleaned(phrase[found.end() :])
    plain = _SIDE.sub("", phrase)
    if plain != text:
        yield plain, True
    if phrase.split(" ")[-1:] and any(mark.isdigit() for mark in phrase.split(" ")[-1]):
        yield phrase.rpartition(" ")[0], False
    cuts = list(_CUT.finditer(phrase))
    if cuts and cuts[0].group().strip() in ("and", "or", ","):
        phrase, cuts = _last_part(phrase), []
    for cut in reversed(cuts[1:]):
        yield phrase[: cut.start()], False
    nouns = (phrase[: cuts[0].start()] if cuts else phrase).split()
    if any(_NO_NOUN.fullmatch(word) for word in nouns):
        return
    if nouns and _QUALITY.fullmatch(nouns[0]):
        nouns = nouns[1:]
        phrase = phrase.partition(" ")[2]
    if not nouns:
        return
    if len(phrase.split()) > 1 and _VERBAL.fullmatch(nouns[0]) and (cuts or nouns[0][-1] == "g"):
        return
    for start in range(len(nouns)):
        if start or cuts or phrase != text:
            yield _SIDE.sub("", " ".join(nouns[start:])), False


def _last_part(phrase: str) -> str:
    """What stands behind the last "and", where it is a plain noun phrase; else nothing.

    What two parts are, each of them is ("pay and accounts clerk": an accounts clerk).
    """
    last = re.split(r"\sand\s|,\s", phrase)[-1]
    if any(_NO_NOUN.fullmatch(word) for word in phrase.split()):
        return ""
    return "" if _CUT.search(last) or " or " in phrase else last


def concept(text: str) -> str:
    """A text as part of a concept id."""
    return slug(text)[:60]


def is_date(text: str) -> bool:
    """Whether ``text`` is a date, a year, a bare number or ordinal, which are no terms."""
    if _ORDINAL.fullmatch(text):
        return True
    return len(text.split()) <= 4 and bool(_DATE.search(text))
