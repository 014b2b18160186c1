"""What can be told by its form: addresses of the net, numbers of accounts and files, telephones.

Numbers with check digits are checked by ``stdnum`` (accounts, cards, national numbers), telephone
numbers are read by ``phonenumbers``, dates, money and ages by ``values``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from ipaddress import ip_address
from types import ModuleType

from stdnum import iban, luhn

from intact.detection.findings import Covered, Finding
from intact.detection.values import values
from intact.detection.vocabulary import compiled, vocabulary
from intact.domain import Span
from intact.english.vocabulary import either

SURE, LIKELY, DOUBTFUL = 0.99, 0.9, 0.6

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w@])")
_URL = re.compile(r"\b(?:https?://|ftp://|www\.)[^\s<>\"“”]+[^\s<>\"“”.,;:!?)\]’']", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?<![\w@.-])(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|int|info|eu|uk|de|fr|nl|pl|se|no|dk|it"
    r"|es)"
    r"(?:/[^\s<>\"]*[\w/])?(?![\w@])"
)
_IP = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7})(?![\w:])"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?\b")
_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")
_PERSONAL = re.compile(
    r"(?<![\w./-])(?=[A-Z0-9]{0,20}[-+.A-Z])(?=(?:[-+.A-Z]{0,8}\d){6})"
    r"[A-Z0-9]{1,20}(?:[-+.][A-Z0-9]{1,9}){0,3}(?![\w/-])"
)
_CALLED = re.compile(r"(?<![\w/.,-])[+(]{0,2}\d(?:[ ().\u00a0/–-]{0,3}\d){6,16}(?![\w/])")
_CUE = (
    r"(?:no|nos|nr|number|numbers|ref|reference|references|file|files|case|cases|docket|id"
    r"|identifier"
    r"|passport|policy|invoice|account|licence|license|registration|application|applications|appeal"
    r"|matter|claim|ticket|badge|plate|code|pin|ssn|mrn|vat|isbn|doi)"
)
_CODE = r"(?=[\w./-]*\d)[A-Za-z]{0,5}[.-]?\w*\d[\w]*(?:[./-]\w+)*(?:\(\w+\))*"
_CUED = re.compile(
    rf"\b{_CUE}\b(?:[^\S\n]*(?:no|nos|nr|number|ref)\b)?[^\S\n]*[.:#]*[^\S\n]*"
    rf"(?P<code>(?:[A-Z]{{1,3}} (?=\d{{4}}))?{_CODE}(?:(?<=\d\d\d)(?: \d{{3,4}}\b){{1,3}})?)",
    re.IGNORECASE,
)
_MORE = re.compile(rf"\s*(?:,|;|and|or|&|,\s*and)\s*(?P<code>{_CODE})")
_SLASHED = re.compile(
    r"(?<![\w/.,-])(?:[A-Z]{1,5}[ ./-]?)?\d{1,6}(?:[./-][A-Z0-9]{1,6})?/\d{1,6}(?:/\d{1,6})?"
    r"(?![\w/]|[.,]\d)"
)
_MIXED = re.compile(
    r"(?<![\w/-])(?=\w*[A-Z])(?=[\w/-]*\d[\w/-]*\d)[A-Z0-9]+(?:[-/][A-Z0-9]+)*(?![\w/-])"
)
_LONG = re.compile(r"(?<![\w.,/-])\d{6,}(?![\w/]|[.,]\d)")
_LAW = compiled(vocabulary("courts")["cited"], {})
_MONTHLY = re.compile(
    r"(?:1[89]|20)\d\d/(?:\d\d|(?:1[89]|20)\d\d)\Z|(?:0\d|1[0-2])/(?:19|20)\d\d\Z"
)
_DATED = re.compile(r"(?:(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])/(?:19|20)?\d\d|\D*)\Z")
_LETTERED = re.compile(r"[A-Z]{1,5}[./-]\d")
_VITAL = re.compile(r"(?:BP|HR|HIV|DOB|D\.O\.B|dob|pulse)[ :]*\Z")
_FORM = (
    (re.compile(r"(?<![\w.@])@[A-Za-z]\w*(?:\.\w+)*"), 0.9),
    (re.compile(r"\b[A-Z]{1,3}[ -]\d{1,4}[ -][A-Z]{1,3}\b"), 0.6),
    (re.compile(r"(?<![\w/-])\d{2,}-(?=[\dA-Z]*[A-Z])(?=[\dA-Z]*\d)[\dA-Z]{4,}(?![\w/-])"), 0.6),
    (re.compile(r"(?<![\w.,/-])(?:0\d{1,4}|\(0\d{1,4}\))[ -]\d{3,4}[ -]?\d{3,4}(?![\w/-])"), 0.85),
    (
        re.compile(
            r"(?:\b(?:call|ring|phone|tel|telephone|mobile|cell|fax|text|contact|reach|whatsapp"
            r"|dial|number)"
            r"\b[^\n\d]{0,40}|☎ ?|📞 ?)(?P<code>[+(]?\d(?:[ ()./-]{0,2}\d){6,14})(?![\w/])",
            re.IGNORECASE,
        ),
        0.85,
    ),
    (
        re.compile(
            r"\b(?i:account|a/c|acct|NHS|SSN|CPR|NI|BSN|PESEL|tax|personal|national|passport"
            r"|insurance|customer|membership"
            r"|member|patient|student|employee|policy|claim|case|plate|reg|registration"
            r"|licen[cs]e)\b"
            r"(?: (?:no|nr|number|id|plate"
            r"|code))?[.:#]*[ ](?P<code>(?=[A-Z\d -]*\d)[A-Z\d]{1,6}"
            r"(?:[ -][A-Z\d]*\d[A-Z\d]*)+)(?![\w/])"
        ),
        0.9,
    ),
    (re.compile(r"(?<![\w.,/-])\d{6,}-[A-Z](?![\w/-])"), 0.9),
    (re.compile(r"\b(?:ext|extension)\b\.? ?(?P<code>\d{2,6})\b", re.IGNORECASE), 0.85),
)
_STAMP = re.compile(r"^\[\d{1,2}:\d\d(?::\d\d)?\](?= )", re.MULTILINE)
"""The clock before a line of a chat or a transcript: of no day, it tells nothing of anybody."""
_TITLED = re.compile(r"(?<![\w-])\d+(?:st|nd|rd|th|s)\Z", re.IGNORECASE)


class PatternFinder:
    """Finds what has a telling form.

    Args:
        regions: two-letter codes of the regions whose national telephone numbers are read beside
            international ones.
    """

    name = "patterns"

    def __init__(self, regions: Sequence[str] = ("GB", "US")) -> None:
        self._regions = tuple(regions)

    def find(self, text: str) -> list[Finding]:
        """Findings in ``text``."""
        found = [*_net(text), *_accounts(text), *self._phones(text)]
        taken = Covered(text, (finding.span for finding in found))
        codes = [one for one in _codes(text) if not taken.touches(one.span)]
        sure = Covered(text, (one.span for one in codes if one.score >= LIKELY))
        for match in _STAMP.finditer(text):
            sure.add(Span(*match.span()))
        found += (one for one in values(text, self.name) if not sure.touches(one.span))
        return [*found, *codes]

    def _phones(self, text: str) -> Iterator[Finding]:
        chunks = list(_CALLED.finditer(text))
        if not chunks:
            return
        from phonenumbers import Leniency, PhoneNumberMatcher  # takes a while

        for chunk in chunks:
            shown = chunk.group()
            dated = re.fullmatch(r"[\d./-]{6,10}", shown) or re.search(r"\d{4}[-/]\d{4}", shown)
            if dated and "+" not in shown:
                continue
            for region in self._regions or (None,):
                for match in PhoneNumberMatcher(shown, region, leniency=Leniency.VALID):
                    span = Span(chunk.start() + match.start, chunk.start() + match.end)
                    yield Finding(span, "phone", SURE if "+" in shown else LIKELY, self.name)


def _net(text: str) -> Iterator[Finding]:
    for match in _EMAIL.finditer(text):
        yield _finding(match.span(), "email", SURE)
    for pattern, score in ((_URL, SURE), (_DOMAIN, LIKELY)):
        for match in pattern.finditer(text):
            yield _finding(match.span(), "url", score)
    for match in _IP.finditer(text):
        try:
            ip_address(match.group())
        except ValueError:
            continue
        if len(match.group()) > 4:  # "::1" and clock times
            yield _finding(match.span(), "ip", LIKELY)


def _accounts(text: str) -> Iterator[Finding]:
    """Numbers with check digits that fit; and without, where a word before says what they are."""
    for pattern, kind, check in ((_IBAN, "iban", iban.is_valid), (_CARD, "card", _is_card)):
        for match in pattern.finditer(text):
            if check(match.group()):
                yield _finding(match.span(), kind, SURE)
            elif _account_cue().search(text, max(0, match.start() - 30), match.start()):
                yield _finding(match.span(), "code", LIKELY)
    for match in _PERSONAL.finditer(text):
        if any(scheme.is_valid(match.group()) for scheme in _personal_schemes()):
            yield _finding(match.span(), "code", SURE)


def _is_card(text: str) -> bool:
    """Whether the check digit of a card number fits (ISO/IEC 7812, Luhn's rule)."""
    digits = "".join(filter(str.isdigit, text))
    return len(set(digits)) > 1 and luhn.is_valid(digits)


@lru_cache(1)
def _account_cue() -> re.Pattern[str]:
    cues = either(vocabulary("codes")["account_cues"].split())
    return re.compile(rf"\b(?:{cues})\b[^\n\d]*\Z", re.IGNORECASE)


@lru_cache(1)
def _personal_schemes() -> tuple[ModuleType, ...]:
    return tuple(import_module(f"stdnum.{name}") for name in vocabulary("codes")["persons"].split())


def _codes(text: str) -> Iterator[Finding]:
    """Numbers of files, cases, passports: by the word before them, or by their form alone."""
    for match in _CUED.finditer(text):
        if _LAW.search(text, max(0, match.start() - 30), match.start()):
            continue
        yield from _cued(text, match)
    for pattern, score in ((_SLASHED, LIKELY), (_MIXED, DOUBTFUL), (_LONG, LIKELY)):
        for match in pattern.finditer(text):
            shown = match.group()
            before = text[max(0, match.start() - 30) : match.start()]
            if _LAW.search(before) and not _LETTERED.match(shown):
                continue
            if _TITLED.search(shown) or _MONTHLY.match(shown) or _no_code(shown, before):
                continue
            yield _finding(match.span(), "code", score)

    for pattern, score in _FORM:
        for match in pattern.finditer(text):
            group = "code" if "code" in pattern.groupindex else 0
            yield _finding(match.span(group), "code", score)


def _no_code(shown: str, before: str) -> bool:
    """Whether it is a date, a blood pressure or an age with a sex."""
    bare = re.sub(r"\A(?:BP|HR|DOB)[ ./-]?", "", shown)
    dated = _DATED.match(bare) is not None
    vital = bare != shown or _VITAL.search(before) is not None
    return dated or vital or re.fullmatch(r"\d{1,2}[MF]", shown) is not None


def _cued(text: str, match: re.Match[str]) -> Iterator[Finding]:
    while True:
        shown = match.group("code")
        if not shown.isdigit() or len(shown) > 1:
            yield _finding(match.span("code"), "code", LIKELY)
        following = _MORE.match(text, match.end())
        if following is None or not re.search(r"\d{3}|/", following.group("code")):
            return
        match = following


def _finding(span: tuple[int, int], kind: str, score: float) -> Finding:
    return Finding(Span(*span), kind, score, PatternFinder.name)
