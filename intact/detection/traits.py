"""What is said of a person in plain words: occupations, illnesses, family, faith, looks.

Illnesses of the ladders count wherever they stand; occupations where the sentence gives them to
somebody ("a dentist from", "Ann Lee, nurse", "Occupation: nurse", a line that is one); other traits
where a phrase of this file names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from intact.detection.findings import Finding
from intact.domain import Span
from intact.english.numbers import CARDINALS
from intact.knowledge import ladders

LIKELY, PROBABLE = 0.8, 0.6

_MOST = 4  # words of an illness
_FILES = ("health", "occupations", "occupations_2")
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_SOFT = (
    r"type (?:\d|I{1,3})|stage \w+|chronic|acute|severe|mild|moderate|early|late|advanced"
    r"|gestational|suspected"
    r"|pancreatic|terminal|recurrent|bilateral|left|right|minor|major"
)
_BEFORE = re.compile(rf"(?:\b(?:{_SOFT})[ -])+\Z", re.IGNORECASE)
_VAGUE = frozenset(
    "condition conditions disease diseases disorder disorders illness illnesses sickness injury"
    " injuries pain"
    " disability ailment problem problems trauma wound wounds stress shock insanity neurosis"
    " health ill well"
    " abuse dependence treatment care attack symptom symptoms complication complications loss"
    " state damage"
    " fall infection fear distress suffering anxiety bruise bruises cut cuts mark marks scar"
    " healthy fit".split()
)
_VAGUER = frozenset(
    "complaint complaints operation operations surgery examination examinations hunger strain"
    " recovery"
    " therapy seizure seizures dependency bereavement exhaustion handicap plague disablement"
    " abortion"
    " discomfort bleeding medication rest check-up pregnancy birth death deaths dependence".split()
)
_VAGUE_PHRASE = re.compile(
    r"(?:medical|health|personal|physical|bodily|occupational|work|psychiatric|superficial"
    r"|inability|ill)\b"
)
_PROCEDURAL = re.compile(
    r"(?:judge|lawyer|counsel|solicitor|barrister|prosecutor|advocate|attorney|representative"
    r"|registrar"
    r"|juror|president|delegate|agent|expert|specialist|officer|commissioner|inspector|editor"
    r"|doctor"
    r"|practitioner|witness|pupil|person|member|owner|leader)s?\Z"
)
_NO_GRADE = re.compile(
    r"\w+ing\Z|later|few|days|two|three|well-known|approximately|including|an?|\d+"
)
_GRADES = (
    "retired|former|self-employed|part-time|full-time|freelance|unemployed|trainee|senior|junior"
    "|deputy|assistant"
    "|chief|head|qualified|trained|experienced|registered|chartered|professional|volunteer|student"
    "|apprentice"
    "|acting|local|young|old|first-year|final-year"
)
_LEAD = re.compile(
    r"(?:\b(?:is|was|be|been|being|became|become|becomes|am|are|were|['’]m|['’]s|as|remains?"
    r"|remained)"
    r"(?: now| then| once| also| currently| only| just| by profession)?[ ](?:an?[ ]|the[ ])?"
    r"|[,(–—][ ]?an?[ ]"
    r"|\b(?:job|career|position|post|living|work|training|name) as (?:an?[ ]|the[ ])?"
    rf"|\b(?=(?:{_GRADES})[ ])|\b(?:[Aa]|[Aa]n|[Oo]ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir"
    rf"|[Tt]he)[ ](?=[a-z][a-z -]{{1,60}},?[ ][A-Z])"
    r"|^(?=[a-z]{1,40} in ))"
)
_SAID = re.compile(
    r"\W*(?:is|was|been|am|['’]m|became|become|as|job|career|position|post|living|training)\b"
)
_BEHIND = re.compile(r"(?<=[^\W\d_])(?:, | \()(?=[a-z])")
_FIELD = re.compile(
    r"(?:^|\n|;)[ \t]*(?:[Oo]ccupation|[Pp]rofession|[Jj]ob(?: title)?|[Pp]osition|[Ee]mployment"
    r"|[Tt]rade"
    r"|[Rr]eligion|[Ff]aith|[Ee]thnicity|[Mm]arital status|[Cc]ivil status|[Gg]ender|[Ss]ex"
    r"|[Nn]ationality|[Cc]itizenship"
    r"|[Dd]iagnos[ei]s|[Aa]llerg(?:y|ies)|[Ll]anguages?|[Mm]edical history"
    r"|PMH)[ \t]*:[ \t]*(?P<what>[^\n;|]{2,60})"
)
_LINE = re.compile(r"(?:^|(?<=\n))[ \t]*(?P<what>[A-Z][^\n.:;,?!]{3,44}?)[ \t]*(?=,|\n|$)")
_AFTER = re.compile(
    r"[ ]*(?:[,.;)!?:\n–—]|$|(?:of|at|in|for|from|with|by|and|who|on|to|near|but|when|until|since"
    r"|there|here)\b|[A-Z])"
)
_NO_PART = frozenset(
    "the of and in at to by for with from on is was that which who he she it they not a an as his"
    " her my their our your had has have been be found finds work works worked working took"
    " no".split()
)

_TRAITS = re.compile(
    rf"\b(?:(?:(?:{'|'.join(CARDINALS[2:9])}|heavily|\d) months )?pregnant|unemployed"
    r"|self-employed|divorced"
    r"|separated from (?:his|her) (?:husband|wife)|widow(?:ed|er)?|single (?:mother|father|mum|mom"
    r"|parent)"
    r"|(?:mother|father|parent|mum|dad) of (?:\w+)|(?:youngest|eldest|oldest|middle|second|third"
    r"|one) of (?:the )?"
    rf"(?:{'|'.join(CARDINALS[1:12])})\b|only child|(?:newborn"
    r" )?twins|triplets|newlyweds?"
    r"|orphan(?:ed)?|adopted (?:son|daughter|child)|foster (?:child|parent|mother|father)|refugee"
    r"|asylum seeker"
    r"|gay|lesbian|bisexual|transgender|transsexual|non-binary|queer|undergoing \w+|on"
    r" (?:maternity|paternity|parental|sick) leave"
    r"|(?:maternity|paternity|parental) leave"
    r"|blind|deaf(?:-mute)?|bald|left-handed|wheelchair(?:[- ]user)?|walks with (?:a|an) \w+|one"
    r" (?:leg|arm|eye)"
    r"|autistic|epileptic|diabetic|dyslexic|HIV[- ]positive|alcoholic|illiterate|homeless"
    r"|undocumented"
    r"|allergic to [\w-]+|red-haired|heavily tattooed|(?:tall|short|slim|stocky) with an?"
    r" [^,.;\n]{4,40}"
    r"|Muslim|Christian|Jewish|Hindu|Buddhist|Sikh|Catholic|Protestant|Orthodox(?: Christian)?"
    r"|Mormon|Quaker|atheist|Jehovah['’]s Witness)\b"
)
_SUBSTANCES = re.compile(
    r"\b(?:heroin|cocaine|crack|cannabis|marijuana|amphetamines?|methamphetamine|ketamine|LSD"
    r"|ecstasy|MDMA|methadone|morphine"
    r"|fentanyl|diamorphine|opium|hashish|zopiclone|diazepam|valium|prozac|sertraline|citalopram"
    r"|fluoxetine|lithium|ritalin"
    r"|insulin|warfarin|metformin|tramadol|oxycodone|codeine|prednisolone|tamoxifen)\b",
    re.IGNORECASE,
)
_COLOUR = (
    "white|black|red|blue|green|silver|grey|gray|yellow|brown|beige|orange|dark|light|old|new"
    "|second-hand"
)
_MAKE = (
    "Toyota|Dacia|Mercedes(?:-Benz)?|Volkswagen|VW|BMW|Audi|Ford|Opel|Vauxhall|Peugeot|Citro[eë]n"
    "|Renault|Fiat|Honda"
    "|Nissan|Hyundai|Kia|Skoda|Škoda|Seat|Volvo|Saab|Mazda|Suzuki|Subaru|Mitsubishi|Lexus|Tesla"
    "|Jaguar|Land Rover"
    "|Range Rover|Porsche|Lada|Chevrolet|Dodge|Jeep|Yamaha|Harley(?:-Davidson)?|Vespa|Mini Cooper"
    "|Alfa Romeo|iPhone|Samsung"
)
_VEHICLE = re.compile(
    rf"(?:\b(?:{_COLOUR}) ){{0,4}}\b(?:{_MAKE})(?: (?!{_COLOUR})[A-Z0-9][\w-]*){{0,2}}\b"
)


@lru_cache(1)
def _named() -> tuple[frozenset[str], frozenset[str]]:
    """Names of illnesses and of occupations, in lower case."""
    illnesses: set[str] = set()
    occupations: set[str] = set()
    folder = Path(ladders.__file__).parent / "ladders"
    for node in ladders.read_ladders(folder / f"{name}.txt" for name in _FILES):
        names = {name.lower() for name in (*node.names, *node.plural_names)}
        if node.kind == "health":
            illnesses |= names
        elif node.kind == "occupation" and node.parent not in ("", "term/person"):
            occupations |= names
    vague = {name for name in illnesses if _VAGUE_PHRASE.match(name)}
    return frozenset(illnesses - _VAGUE - _VAGUER - vague), frozenset(occupations)


@lru_cache(1)
def _first_words() -> dict[str, int]:
    """First words of illnesses to how many words such an illness has at most."""
    found: dict[str, int] = {}
    for name in _named()[0]:
        words = _WORD.findall(name)
        if words and len(words) <= _MOST:
            found[words[0]] = max(found.get(words[0], 0), len(words))
    return found


def traits(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: "characteristic", "occupation", and "other" for drugs and vehicles.

    Args:
        text: any.
        source: the detector's name.
    """
    illnesses, occupations = _named()
    words = [Span(*match.span()) for match in _WORD.finditer(text)]
    yield from _illnesses(text, words, illnesses, source)
    for start, explicit in _starts(text):
        found = _occupation(text, start, occupations)
        if found is not None and (explicit or not _PROCEDURAL.search(found.of(text).lower())):
            yield Finding(found, "occupation", PROBABLE, source)
    for pattern, kind, score in (
        (_FIELD, "characteristic", LIKELY),
        (_TRAITS, "characteristic", PROBABLE),
        (_SUBSTANCES, "other", PROBABLE),
        (_VEHICLE, "other", 0.95),
    ):
        for match in pattern.finditer(text):
            group = "what" if "what" in pattern.groupindex else 0
            yield Finding(Span(*match.span(group)), kind, score, source)
    for match in _LINE.finditer(text):
        shown = match.group("what").lower()
        last = shown.split()
        headed = re.match(r"head of [a-z ]+\Z", shown) is not None
        if headed or (_ends(last, occupations) and not _NO_PART & set(last)):
            yield Finding(Span(*match.span("what")), "occupation", PROBABLE, source)


def _illnesses(
    text: str, words: Sequence[Span], known: frozenset[str], source: str
) -> Iterator[Finding]:
    first = _first_words()
    at = 0
    while at < len(words):
        for length in range(first.get(words[at].of(text).lower(), 0), 0, -1):
            part = words[at : at + length]
            span = Span(part[0].start, part[-1].end)
            shown = span.of(text).lower()
            if len(part) == length and shown in known and not (length == 1 and len(shown) < 5):
                before = _BEFORE.search(text, max(0, span.start - 40), span.start)
                start = before.start() if before else span.start
                yield Finding(Span(start, span.end), "characteristic", PROBABLE, source)
                at += length - 1
                break
        at += 1


def _starts(text: str) -> Iterator[tuple[int, bool]]:
    """Where an occupation may begin, and whether the words before say that it is somebody's."""
    for pattern in (_LEAD, _BEHIND):
        for match in pattern.finditer(text):
            yield match.end(), _SAID.match(match.group()) is not None


def _occupation(text: str, start: int, known: frozenset[str]) -> Span | None:
    """The occupation that begins at ``start``, with what qualifies it."""
    spans: list[Span] = []
    end = start
    while len(spans) < 6 and (match := _WORD.match(text, end)) is not None:
        if match.group().lower() in _NO_PART or not (
            match.group().islower() or not spans or match.group().isupper()
        ):
            break
        spans.append(Span(*match.span()))
        end = match.end()
        if text[end : end + 1] != " ":
            break
        end += 1
    for count in range(len(spans), 0, -1):
        shown = [span.of(text).lower() for span in spans[:count]]
        stop = spans[count - 1].end
        if _ends(shown, known) and _AFTER.match(text, stop):
            return None if _NO_GRADE.match(shown[0]) else Span(start, stop)
    return None


def _ends(words: Sequence[str], known: frozenset[str]) -> bool:
    """Whether the last words are an occupation."""
    return any(" ".join(words[at:]) in known for at in range(max(0, len(words) - 4), len(words)))
