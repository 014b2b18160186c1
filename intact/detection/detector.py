"""Detection of one document: find, merge, tell who is who, look for repeats; and what makes the
document doubtful: signs that something may have been missed.

Remarks say how many, of what and in which lines, never which words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from intact.detection.boundaries import tidy
from intact.detection.findings import OF_KIND, Covered, Finder, Finding, Merged, merge
from intact.detection.names import name_list, runs, tokens_of
from intact.detection.patterns import STAMP
from intact.discourse.things import entities
from intact.domain import (
    LABEL_ONLY,
    Document,
    DoubtfulPlace,
    Doubts,
    EntityType,
    IdentifierType,
    Mention,
    Span,
)
from intact.english.numbers import CARDINALS
from intact.english.sentences import unwrapped
from intact.english.vocabulary import GENERIC_HEADS, HONORIFICS, STOP_WORDS
from intact.english.words import TITLES, fold, is_english, is_generic, lemma, name_of, words
from intact.protocols import Detected, Detection
from intact.rewriting.occurrences import occurrences

_UNSURE_KINDS = frozenset({"other", "place", "organisation"})
_PLACED = frozenset({EntityType.LOC, EntityType.ORG})
_TRUSTED = {
    EntityType.PERSON: 0.85, EntityType.DEM: 0.85, EntityType.MISC: 0.85, EntityType.ORG: 0.61
}  # fmt: skip
"""What a rule is at least that counts whatever the tagger says; those of other types always do."""
_POSSIBLE = 0.1  # certainty of the tagger below which one in twenty lesser finds is right
_SURE = 0.8  # what a rule is at least of one word that it knows
_ABBREVIATION = 6  # letters
_TAGGER = "tagger"  # the finder that learned
_BLANKS = re.compile(r"\.?[ \u00a0]")
_PARTICLES_BEFORE = re.compile(r"\b(?:(?:van|von|der|den|ter|ten|della|dos) )+\Z")


class DocumentDetector:
    """Several finders as one ``Detector``.

    Args:
        finders: in order of precedence among equal findings.
        threshold: findings with a lower score do not count; a finder with a ``threshold`` of
            its own goes by that.
    """

    name = "detector"

    def __init__(self, finders: Sequence[Finder], threshold: float = 0.5) -> None:
        self._finders = tuple(finders)
        self._threshold = threshold

    @property
    def names(self) -> tuple[str, ...]:
        """The finders' names."""
        return tuple(finder.name for finder in self._finders)

    def detect(self, text: str) -> Detection:
        """What is in ``text``, what speaks for it, and doubts; wrapped lines are read as one."""
        given, text = text, unwrapped(text)
        counted: list[Finding] = []
        doubtful: list[Finding] = []
        stamps = Covered(text, (Span(*match.span()) for match in STAMP.finditer(text)))
        for finder in self._finders:
            limit = getattr(finder, "threshold", self._threshold)
            for finding in finder.find(text):
                nothing = finding.span.of(text) in STOP_WORDS  # "cannot" alone
                if not nothing and not stamps.holds(finding.span):
                    (counted if finding.score >= limit else doubtful).append(finding)
        if _TAGGER in self.names:
            counted = _not_denied(text, counted, doubtful)
        merged = _titled(text, merge(text, counted, self.names))
        spans = _certain(_agreed(text, merged), counted, text)
        found = _repeated(text, _mentions(text, spans))
        found.sort(key=lambda item: item.mention.span)
        numbered = tuple(
            replace(item, mention=replace(m, id=f"m{number}", text=m.span.of(given)))
            for number, item in enumerate(found, start=1)
            for m in [item.mention]
        )
        covered = [item.mention.span for item in numbered]
        people = sum(item.mention.entity_type == EntityType.PERSON for item in numbered)
        return Detection(numbered, *find_doubts(given, doubtful, covered, people))


def _not_denied(text: str, counted: Sequence[Finding], doubtful: list[Finding]) -> list[Finding]:
    """``counted`` without what only a less certain rule found and the tagger all but denies.

    Args:
        text: the whole text.
        counted: findings that count.
        doubtful: those that do not; what is denied joins them.
    """
    possible = Covered(
        text,
        (
            finding.span
            for finding in (*counted, *doubtful)
            if finding.source == _TAGGER and finding.score >= _POSSIBLE
        ),
    )
    kept: list[Finding] = []
    for finding in counted:
        kind = finding.entity_type
        letter = kind == EntityType.PERSON and len(finding.span) == 1  # "L", of two sides
        sure = finding.score >= _TRUSTED.get(kind, 0.0) and not letter
        stands = sure or possible.touches(finding.span)
        (kept if stands else doubtful).append(finding)
    return kept


def _titled(text: str, spans: Sequence[Merged]) -> list[Merged]:
    """Return ``spans`` with titles that belong to the name behind them, and none alone."""
    people = [one.kind == "person" for one in spans]
    said = [one.span.of(text) for one in spans]
    titles = [
        person and all(fold(word) in TITLES for word in words(shown))
        for person, shown in zip(people, said, strict=True)
    ]
    kept: list[Merged] = []
    for at, one in enumerate(spans):
        last = spans[at - 1].span if at and titles[at - 1] and people[at] else None
        if last is not None and _BLANKS.fullmatch(text, last.end, one.span.start):
            if kept and kept[-1].span == last:
                kept.pop()
            kept.append(replace(one, span=Span(last.start, one.span.end)))
        elif not (titles[at] and fold(said[at]).rstrip(".") in HONORIFICS):  # "Oma" is somebody
            kept.append(one)
    return kept


def _agreed(text: str, spans: Sequence[Merged]) -> list[Merged]:
    """One kind for one string: the kind that its occurrences score highest for, together."""
    votes: dict[str, dict[str, float]] = {}
    for span in spans:
        kinds = votes.setdefault(span.span.of(text), {})
        kinds[span.kind] = kinds.get(span.kind, 0.0) + span.score
    best = {shown: max(sorted(kinds), key=kinds.__getitem__) for shown, kinds in votes.items()}
    surnames, given = _known_names(text, spans)
    for shown, kind in best.items():
        word = fold(shown)
        unlike = kind == "other" or (OF_KIND[kind] == EntityType.DEM and not is_english(shown))
        if (kind in _UNSURE_KINDS and word in surnames) or (unlike and word in given):
            best[shown] = "person"
    agreed = [replace(span, kind=best[span.span.of(text)]) for span in spans]
    return [
        replace(span, span=_with_particles(text, span.span)) if span.kind == "person" else span
        for span in agreed
    ]


def _certain(spans: Sequence[Merged], findings: Sequence[Finding], text: str) -> list[Merged]:
    """Places, organisations and bare numbers of which nobody is sure become something else (MISC).

    What is called an organisation and is none would be replaced by an untruth. A code stays one:
    what is only labelled cannot be untrue.

    Args:
        spans: merged, ascending.
        findings: that count, in any order.
        text: the whole text.
    """
    starts = [span.span.start for span in spans]
    support = [0] * len(spans)
    for finding in findings:
        place = tidy(text, finding.span)
        at = -1 if place is None else bisect_right(starts, place.start) - 1
        if place is None or at < 0 or finding.entity_type != spans[at].entity_type:
            continue
        if place.end <= spans[at].span.end and 2 * len(place) > len(spans[at].span):
            said = place.of(text)
            by_rule = finding.source != _TAGGER
            sure = by_rule and finding.score >= (0.6 if " " in said else _SURE)
            support[at] += 2 if sure or (by_rule and _is_number(said)) else 1
    shown = [span.span.of(text) for span in spans]
    initials = {
        "".join(word[0] for word in words(one) if word[0].isupper()) for one in shown if " " in one
    }

    def wanted(one: str) -> int:
        """An abbreviation may be of anything, if the text does not say of what."""
        if one in initials:
            return 1
        return 3 if len(one) <= _ABBREVIATION and one.isupper() else 2

    return [
        replace(span, kind="other")
        if supported < wanted(one)
        and span.entity_type not in LABEL_ONLY
        and (span.entity_type in _PLACED or _is_number(one))
        else span
        for span, supported, one in zip(spans, support, shown, strict=True)
    ]


def _is_number(shown: str) -> bool:
    return not any(map(str.isalpha, shown)) and len(shown) <= _ABBREVIATION


def _with_particles(text: str, span: Span) -> Span:
    """A surname with the "van der" before it, which nothing else can be part of."""
    before = _PARTICLES_BEFORE.search(text, max(0, span.start - 24), span.start)
    return Span(before.start(), span.end) if before else span


def _known_names(text: str, spans: Sequence[Merged]) -> tuple[frozenset[str], frozenset[str]]:
    """Surnames and given names of those who are certainly persons."""
    people = (span.span.of(text) for span in spans if span.entity_type == EntityType.PERSON)
    full = [name for shown in people if (name := name_of(shown)) is not None and name.fullness]
    given = (word for name in full for word in name.given if len(word) > 1)
    return frozenset(name.surname for name in full), frozenset(given)


def _mentions(text: str, spans: Sequence[Merged]) -> list[Detected]:
    numbers = entities(text, spans)
    return [
        Detected(
            Mention(
                f"m{at}",
                span.span,
                span.span.of(text),
                f"e{number}",
                span.entity_type,
                _identifier(span.entity_type),
            ),
            span.kind,
            span.score,
            span.sources,
        )
        for at, (span, number) in enumerate(zip(spans, numbers, strict=True))
    ]


def _identifier(entity_type: str) -> IdentifierType:
    """Names and codes say by themselves who it is, the rest only together."""
    direct = entity_type in LABEL_ONLY
    return IdentifierType.DIRECT if direct else IdentifierType.QUASI


def _repeated(text: str, found: list[Detected]) -> list[Detected]:
    """``found`` and the further places where one of its entities stands, if it can be told there.

    "the Council" and "arthritis" may mean something else elsewhere; a name or a number does not.
    """
    document = Document("", text, tuple(item.mention for item in found if _telling(item.mention)))
    taken = Covered(text, (item.mention.span for item in found if not _telling(item.mention)))
    first: dict[str, Detected] = {}
    for item in found:
        first.setdefault(item.mention.entity_id, item)
    again = []
    for place in occurrences(document):
        span = None if place.mention_id else tidy(text, place.span)
        if span is None or taken.touches(span):
            continue
        like = first[place.entity_id]
        mention = replace(like.mention, id="", span=span, text=span.of(text))
        again.append(Detected(mention, like.kind, like.score, ("repeat",)))
    covered = Covered(text, (item.mention.span for item in (*found, *again)))
    names = _names_alone(found)
    for token in tokens_of(text):
        span = Span(token.start, token.end)
        person = None if token.capital or covered.touches(span) else names.get(fold(token.text))
        if person is not None:
            mention = replace(person.mention, id="", span=span, text=token.text)
            again.append(Detected(mention, person.kind, person.score, ("repeat",)))
    return [*found, *again]


def _names_alone(found: Sequence[Detected]) -> dict[str, Detected]:
    """Return names that are no everyday words, each with the first person who has it."""
    owners: dict[str, dict[str, Detected]] = {}
    names = name_list()
    for item in found:
        if item.mention.entity_type == EntityType.PERSON:
            for word in words(item.mention.text):
                if len(word) > 2 and names.is_name(word) and fold(word) not in TITLES:
                    owners.setdefault(fold(word), {}).setdefault(item.mention.entity_id, item)
    return {word: next(iter(people.values())) for word, people in owners.items()}


def _telling(mention: Mention) -> bool:
    """Whether the same words elsewhere in the document are likely the same thing."""
    if mention.entity_type == EntityType.CODE or any(map(str.isdigit, mention.text)):
        return True
    parts = words(mention.text)
    named = [word for word in parts if word[0].isupper()]
    if mention.entity_type == EntityType.PERSON:
        return bool(named)
    special = [word for word in named if not is_english(word)]
    several = len(named) > 1 and not all(is_generic(lemma(word)) for word in named)
    return bool(special) or several


# --- doubts ----------------------------------------------------------------------------------

_LEAST_WORDS = 25
_ENGLISH = 0.2  # share of function words below which a text is hardly English
_FOREIGN = 0.06  # the same of one paragraph
_LEAST_PARAGRAPH = 12  # words
_LEAST_SCORE = 0.25
_LIKELY = 0.1  # probability from which a word's line is told
_FEW = 3
_FEW_LETTERS = 3
_SHARE = 0.05
_MANY_NEAR = 0.25  # of the mentions; one document in twenty of the tagger's own corpus has more
_UNUSUAL = 0.5  # share of lines in capitals, or without any, from which the whole text is so
_FEW_LINES = 2
_TOLD = 0.5  # mentions of a type from which it is told
_MOST_TOLD = 8  # line numbers of one remark
_WORD = re.compile(r"[^\W\d_]+")
_LONG_NUMBER = re.compile(r"(?<!\w)\d(?:[ -]?\d){5,}(?!\w)")
_FIGURE = re.compile(r"\w+")
_NUMBER_WORDS = frozenset(CARDINALS) - {"one"}
_SOMEBODY = re.compile(
    r"\b(?:he|she|him|his|her|hers|i|my|me|mine|mr|mrs|ms|patient|applicant|client|witness|suspect"
    r"|victim|husband|wife|daughter|son)\b",
    re.IGNORECASE,
)


def find_doubts(
    text: str, findings: Sequence[Finding], covered: Sequence[Span], persons: int = 1
) -> tuple[tuple[str, ...], Doubts]:
    """Return remarks on one document, without its text, and what was probably missed in it.

    Args:
        findings: those that scored too low to count.
        covered: spans of the mentions, ascending.
        persons: how many of the mentions are persons.
    """
    taken = Covered(text, covered)
    near = {
        one.span for one in findings if one.score > _LEAST_SCORE and not taken.touches(one.span)
    }
    names = list(_uncovered(text, taken))
    found = (Span(*match.span()) for match in _LONG_NUMBER.finditer(text))
    numbers = [span for span in found if not taken.touches(span)]
    long = Covered(text, numbers)
    small = [span for span in _figures(text, taken) if not long.touches(span)]
    remarks = (
        f"{len(near)} spans scored just under the threshold and are left; a lower one takes them"
        f"{_lines(text, near)}"
        if len(near) > max(_FEW, _MANY_NEAR * len(covered))
        else "",
        f"names may be left: {_many(len(names), 'word')} with a capital in mid-sentence"
        f"{_lines(text, names)}"
        if len(names) > _SHARE * len(covered)
        else "",
        f"numbers may be left: {_many(len(numbers), 'long one')}{_lines(text, numbers)}"
        if numbers
        else "",
        f"{_many(len(small), 'short number')} and number words are left{_lines(text, small)}"
        if len(small) > max(_FEW, _MANY_NEAR * len(covered))
        else "",
        _nobody(text, persons),
        _letters(text),
        _case(text),
        _language(text),
    )
    notes = tuple(filter(None, remarks))
    learned = [one for one in findings if one.source == _TAGGER and not taken.touches(one.span)]
    telling = sum(word.lower() not in STOP_WORDS for word in _FIGURE.findall(text))
    if learned:
        missed = sum(one.begins for one in learned)
        likely = (one for one in learned if one.score >= _LIKELY and one.begins > 0)
        places = {DoubtfulPlace(o.span, o.entity_type, round(o.begins, 3)) for o in likely}
    else:
        places = {DoubtfulPlace(span, "", 1.0) for span in (*names, *numbers, *small)}
        missed = len(places)
    ordered = sorted(places, key=lambda place: (place.span.start, place.span.end))
    rate = round(100 * missed / max(1, telling), 2)
    return notes, Doubts(rate, tuple(_left(text, learned)), tuple(ordered))


def _left(text: str, findings: Sequence[Finding]) -> Iterator[str]:
    """By type, how many mentions were probably missed, and the lines of the likelier ones."""
    for kind in sorted({one.entity_type for one in findings}):
        own = [one for one in findings if one.entity_type == kind]
        missed = sum(one.begins for one in own)
        if missed >= _TOLD:
            spans = [one.span for one in own if one.score >= _LIKELY]
            yield f"{kind}: probably {missed:.1f} mentions{_lines(text, spans)}"


def _figures(text: str, taken: Covered) -> Iterator[Span]:
    """Numbers in digits or words that nothing covers; "one" is mostly none."""
    for match in _FIGURE.finditer(text):
        span = Span(*match.span())
        number = match.group()[0].isdigit() or match.group().lower() in _NUMBER_WORDS
        if number and not taken.touches(span):
            yield span


def _lines(text: str, spans: Iterable[Span]) -> str:
    """The lines where ``spans`` stand, counted from 1; "" for a text of one line."""
    ends = [match.start() for match in re.finditer("\n", text)]
    lines = sorted({1 + bisect_right(ends, span.start) for span in spans})
    if not ends or not lines:
        return ""
    told = ", ".join(map(str, lines[:_MOST_TOLD]))
    more = " ..." if len(lines) > _MOST_TOLD else ""
    return f" (line{'s' if len(lines) > 1 else ''} {told}{more})"


def _uncovered(text: str, taken: Covered) -> Iterator[Span]:
    """Capitalised words in mid-sentence that nothing covers and that no ordinary word explains."""
    for run in runs(text, tokens_of(text)):
        words = [token for token in run.tokens if token.capital and len(token.text) > 1]
        if run.opening:
            words = words[1:]
        for word in words:
            span = Span(word.start, word.end)
            plain = is_english(word.text) or word.text.lower() in GENERIC_HEADS
            if not plain and not taken.touches(span):
                yield span


def _nobody(text: str, persons: int) -> str:
    spoken = len(_SOMEBODY.findall(text))
    if persons or spoken < _FEW:
        return ""
    return f"no person was found, though {spoken} words speak of one"


def _letters(text: str) -> str:
    """Words in letters that are not Latin."""
    words = [word for word in _WORD.findall(text) if ord(max(word)) > 0x24F]
    scripts = Counter(script for word in words if (script := _script(word)) != "Latin")
    count = sum(scripts.values())
    if count < _FEW_LETTERS:
        return ""
    told = ", ".join(sorted(scripts))
    return f"{count} words are in other letters than Latin ({told}), which the rules hardly know"


def _script(word: str) -> str:
    name = unicodedata.name(max(word), "Latin").split()[0].capitalize()
    return "Chinese" if name == "Cjk" else name


def _case(text: str) -> str:
    said = (line.rpartition(": ")[2] for line in text.split("\n"))
    lines = [line for line in said if len(_WORD.findall(line)) >= _FEW]
    if len(lines) < _FEW_LINES and len(_WORD.findall(text)) < _LEAST_WORDS:
        return ""
    for how, told in ((str.isupper, "all capitals"), (str.islower, "lower case")):
        share = sum(map(how, lines)) / max(1, len(lines))
        if share >= _UNUSUAL:
            return (
                f"{round(share * 100)} % of the lines are in {told}, where names are hard to tell"
            )
    return ""


def _language(text: str) -> str:
    share, count = _function_words(text)
    if count >= _LEAST_WORDS and share < _ENGLISH:
        return "the text hardly looks like English sentences, which is all that the rules know"
    foreign = 0
    for paragraph in re.split(r"\n\s*\n|\n", text):
        share, count = _function_words(paragraph)
        foreign += count >= _LEAST_PARAGRAPH and share < _FOREIGN
    if not foreign:
        return ""
    return f"{_many(foreign, 'paragraph')} not like English, which is all that the rules know"


def _function_words(text: str) -> tuple[float, int]:
    words = [word.strip('.,;:()"“”').lower() for word in text.split()]
    return sum(word in STOP_WORDS for word in words) / max(1, len(words)), len(words)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
