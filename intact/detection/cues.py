"""Words that announce a person: greetings, signatures, headers, kin, callings before a name.

Each cue ends where a name may begin; whether one stands there is for ``persons`` to say. Strong
cues need no more than capitals, the others a word that looks like a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from intact.english.calendar import WEEKDAY_NAMES

KIN = (
    "husband|wife|partner|spouse|fianc[eé]e?|ex|boyfriend|girlfriend|mother|father|mum|mom"
    "|dad|sister"
    "|brother|son|daughter|child|baby|boy|girl|twin|uncle|aunt|aunty|auntie|cousin|niece|nephew"
    "|grandmother|grandfather|grandma|grandpa|grandson|granddaughter|stepfather|stepmother"
)
_COMPANY = (
    "friend|mate|colleague|neighbour|neighbor|boss|manager|supervisor|assistant|lawyer|solicitor"
    "|barrister|attorney|doctor|dentist|nurse|therapist|teacher|tutor|coach|carer|landlord|landlady"
    "|tenant|client|patient|employee|volunteer|witness|suspect|victim|defendant|claimant|applicant"
    "|complainant|officer|driver|cleaner|secretary|clerk|chair|chairman|chairwoman|director|mayor"
    "|minister|president|singer|author|artist|actor|actress|writer|journalist|player|barmaid|waiter"
    "|trucker|guy|man|woman|student|pupil|classmate|roommate|flatmate|housemate|babysitter|priest"
)
_CALLED = (
    r"\b[Mm]y (?:full )?name(?:['’]s| is| was)|\b(?:[Hh]is|[Hh]er|[Tt]heir) (?:real |full )?name"
    r" (?:is|was)|(?:^|\n)[ \t]*(?:Dear|Dearest|Hi|Hello|Hey|Hallo|Ciao)(?: there)?,?"
    r"|\b(?:nick)?named|\b(?:also )?known as|\ba\.?k\.?a\.?|\balias"
)
_STRONG = re.compile(rf"(?:{_CALLED})[ \t]+[“\"'‘]?")
_OWN = r"[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur|[Yy]our|[Tt]he|[Aa]n?|\w+['’]s"
_KIN = re.compile(
    rf"(?:\b(?:{_OWN})(?: [a-z-]+){{0,3}}? (?:{KIN}|{_COMPANY})s?,?|\b(?:{_COMPANY}),?)"
    r"[ \t]+[“\"'‘]?"
)
_WEAK = re.compile(
    r"(?:\b(?:[Cc]all(?:s|ed)|[Tt]his is|I am|I['’]m|by|with|told|asked|and|met|[Cc]ontact"
    r"|[Tt]hanks to|[Tt]hank you,?|[Tt]hanks,?|[Cc]heers,?|Love,?))[ \t]+(?:(?:him|her|me)"
    r" )?[“\"'‘]?"
)
_OF_NAMES = (
    r"(?:[Ff]ull|[Ff]irst|[Ll]ast|[Ff]amily|[Gg]iven|[Mm]aiden|[Pp]atient|[Cc]lient|[Cc]ustomer"
    r"|[Ee]mployee|[Pp]olicy ?holder|[Aa]ccount)?[ ]?(?:[Nn]ame|NAME|[Ss]urname|[Ff]orename)"
)
_WHO = (
    "patient|pt|client|customer|employee|policy ?holder|holder|claimant|applicant|defendant"
    "|witness(?:es)?|victim|suspect|officer|teacher|doctor|manager|supervisor|contact"
    "|author|present|apologies"
    "|attendees|signed|user|tenant|landlord|next of kin|gp|clerk|chair|mother|father|spouse|student"
    "|pupil|interviewer|interviewee"
)
_FIELD = re.compile(
    rf"(?:^|\n|;|\|)[ \t]*(?:[-*•][ \t]*)?(?:{_OF_NAMES}|(?:[\w-]+ ){{0,2}}(?i:{_WHO})"
    r"|From|To|Cc|CC|Bcc|Attn|Re|RE|By|FAO|(?i:(?:handled|signed|prepared|written|reported"
    r"|comment) by))"
    r"[ \t]*:?(?<=[:y])[ \t]*"
)
_WISH = (
    r"(?:yours|best|kind(?:est)?|warm(?:est|ly)?|with|many|much|all|lots of)[ \w]*"
    r"|sincerely(?: yours)?|regards|best|cheers|thanks|thank you|love|respectfully(?:"
    r" yours)?|cordially|kr|br|signed|xx?"
)
_SIGN_OFF = re.compile(rf"(?:^|\n)[ \t]*(?i:{_WISH})[,.!]?[ \t]*\n\s*")
_BY_LINE = re.compile(r"(?:^|\n|[.!?] )(?:By|BY|Text|Photo|Photos)(?::)?[ \t]+")
_LABEL = re.compile(
    r"(?:^|\n)[ \t]*(?:[\[(<]?\d[\d:./, apmAPM-]*[\])>]?[ \t]*[-–—]?[ \t]*)?<?"
    r"(?=[^\W\d_][^:\n]{0,30}>?:(?:\s|$))"
)


BODIES = frozenset(
    "ltd limited inc llc plc gmbh ag ab as oy sa srl spa bv nv pty co corp company group sons bros"
    " partners partnership associates foundation trust club school college university hospital"
    " clinic church cathedral centre center street st road"
    " rd avenue ave lane square park river lake"
    " bridge"
    " station airport hotel bank award prize cup festival disease syndrome act house hall"
    " museum theatre"
    " restaurant pub bar cafe café shop store market day week".split()
)
"""Words that make a name another thing's: a firm, a building, a prize."""
DEDICATED = frozenset("st saint san santa fort port mount lake cape hotel camp hms".split())
"""Words before a saint's or ship's name."""
NOBODY = frozenset(
    "sir sirs madam customer customers colleague colleagues all team friend friends everyone"
    " everybody mum mom dad mummy daddy god lord santa father mother sister brother"
    " grandma grandpa editor"
    " parents parent resident residents member members neighbour neighbours applicant user reader"
    " readers hr admin support sales info office service doctor nurse there reply forwarded unknown"
    " none yes no n/a tbc tbd various"
    " english i".split()
) | frozenset(map(str.lower, WEEKDAY_NAMES))
"""Whom letters greet without a name, and words that stand in a name's place."""


class Cue(NamedTuple):
    """Where a name may begin, what says so, and how sure that is (2 strong, 1 weak)."""

    at: int
    kind: str
    strength: int


_CUES = (
    (_STRONG, "named", 2),
    (_FIELD, "field", 2),
    (_SIGN_OFF, "signature", 2),
    (_BY_LINE, "by-line", 1),
    (_LABEL, "label", 1),
    (_KIN, "kin", 1),
    (_WEAK, "context", 1),
)


def cues(text: str) -> Iterator[Cue]:
    """The cues of ``text``, the strong ones first."""
    for pattern, kind, strength in _CUES:
        at = 0
        while (match := pattern.search(text, at)) is not None:
            yield Cue(match.end(), kind, strength)
            at = max(match.end() - 1, match.start() + 1)


ACTS = re.compile(
    r"(?:['’]s)?,?\s+(?:who\b|said|says|told|asked|asks|replied|replies|answered|added"
    r"|wrote|writes|thinks|thought"
    r"|went|came|comes|left|lives|lived|works|worked|was|is|has|had|did|does|called|rang"
    r"|phoned|texted|wants"
    r"|wanted|gave|took|got|saw|knew|knows|felt|feels|looked|asked|agreed|refused|confirmed"
    r"|denied|stated"
    r"|explained|mentioned|reported|claimed|complained|married|died|moved|grew|met|arrived"
    r"|speaks|spoke"
    r"|joined|played|plays|won|lost|broke|helped|and I\b)"
)
"""What persons do, behind a name that may be none."""
