"""Detection of one document: find, merge, let the document vote, tell who is who, find repeats."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from intact.detection.boundaries import tidy
from intact.detection.doubts import find_doubts
from intact.detection.findings import OF_KIND, Covered, Finder, Finding, Merged, merge
from intact.detection.names import name_list, tokens_of
from intact.detection.patterns import STAMP
from intact.discourse.things import entities
from intact.domain import (
    LABEL_ONLY,
    Document,
    EntityType,
    IdentifierType,
    Mention,
    Span,
)
from intact.english.sentences import unwrapped
from intact.english.vocabulary import HONORIFICS, STOP_WORDS
from intact.english.words import TITLES, fold, is_english, is_generic, lemma, name_of, words
from intact.protocols import Detected, Detection
from intact.rewriting.occurrences import occurrences

_UNSURE_KINDS = frozenset({"other", "place", "organisation"})
_PLACED = frozenset({EntityType.LOC, EntityType.ORG})
_TRUSTED = {
    EntityType.PERSON: 0.85, EntityType.DEM: 0.85, EntityType.MISC: 0.85, EntityType.ORG: 0.61,
    EntityType.DATETIME: 0.85, EntityType.QUANTITY: 0.61,
}  # fmt: skip
"""What a rule is at least that counts whatever the tagger says; those of other types always do."""
_POSSIBLE, _POSSIBLE_PERSON = 0.3, 0.15
"""Certainty of the tagger below which one in ten lesser finds is right."""
_LEAST_PERSON = 0.3  # share of the tagger's votes below which one in ten is a person
_TELLING = 0.5  # certainty of a type from which the tagger's vote counts
_CLEAR = 0.7  # share from which another type is right
_PERSONAL = 0.7  # certainty below which nearly half of the common words say nothing of anybody
_SURE = 0.8  # what a rule is at least of one word that it knows
_SURE_TYPE = {
    EntityType.LOC: 0.9, EntityType.ORG: 0.95, EntityType.DEM: 0.9, EntityType.QUANTITY: 0.9,
}  # fmt: skip
"""Certainty of a type from which the tagger needs no second opinion: in 38 documents that it did
not learn from nine in ten such names are of it, and all such numbers."""
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
        is_common: whether words are as common as daylight; then what is hardly personal where it
            stands is told to be (``Detection.everyday``).
    """

    name = "detector"

    def __init__(
        self,
        finders: Sequence[Finder],
        threshold: float = 0.5,
        is_common: Callable[[str], bool] | None = None,
    ) -> None:
        self._finders = tuple(finders)
        self._threshold = threshold
        self._is_common = is_common

    @property
    def names(self) -> tuple[str, ...]:
        """The finders' names."""
        return tuple(finder.name for finder in self._finders)

    def detect(self, text: str) -> Detection:
        """Return what is in ``text``, what speaks for it, and doubts; wrapped lines are read as
        one."""
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
        spans = _certain(_agreed(text, merged, [*counted, *doubtful]), counted, text)
        found = _repeated(text, _mentions(text, spans))
        found.sort(key=lambda item: item.mention.span)
        numbered = tuple(
            replace(item, mention=replace(m, id=f"m{number}", text=m.span.of(given)))
            for number, item in enumerate(found, start=1)
            for m in [item.mention]
        )
        covered = [item.mention.span for item in numbered]
        people = sum(item.mention.entity_type == EntityType.PERSON for item in numbered)
        doubts = find_doubts(given, doubtful, covered, people)
        return Detection(numbered, *doubts, _everyday(numbered, self._is_common))


def _everyday(found: Sequence[Detected], is_common: Callable[[str], bool] | None) -> frozenset[str]:
    """Return the ids of mentions of common words that hardly seem personal where they stand.

    Args:
        is_common: whether a text is all common words; None finds nothing.
    """
    if is_common is None:
        return frozenset()
    unsure = (
        item.mention
        for item in found
        if item.score < _PERSONAL and item.sources == (_TAGGER,) and item.mention.generalisable
    )
    return frozenset(mention.id for mention in unsure if is_common(mention.text))


def _not_denied(text: str, counted: Sequence[Finding], doubtful: list[Finding]) -> list[Finding]:
    """``counted`` without what only a less certain rule found and the tagger all but denies.

    Args:
        doubtful: those that do not; what is denied joins them.
    """
    read = [(max(f.score, f.begins), f.span) for f in (*counted, *doubtful) if f.source == _TAGGER]
    possible = Covered(text, (span for likely, span in read if likely >= _POSSIBLE))
    person = Covered(text, (span for likely, span in read if likely >= _POSSIBLE_PERSON))
    kept: list[Finding] = []
    for finding in counted:
        kind = finding.entity_type
        letter = kind == EntityType.PERSON and len(finding.span) == 1  # "L", of two sides
        sure = finding.score >= _TRUSTED.get(kind, 0.0) and not letter
        seen = person if kind == EntityType.PERSON else possible
        stands = sure or seen.touches(finding.span)
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


def _agreed(text: str, spans: Sequence[Merged], findings: Sequence[Finding]) -> list[Merged]:
    """Return ``spans`` with one kind for one string: what its occurrences speak for together.

    A string that the tagger takes for something else wherever it stands is no person, whatever a
    list says of it; a part of a person's name is no place, unless it is one somewhere.

    Args:
        spans: merged, ascending.
        findings: all, those that do not count among them.
    """
    votes: dict[str, dict[str, float]] = {}
    for span in spans:
        kinds = votes.setdefault(span.span.of(text), {})
        kinds[span.kind] = kinds.get(span.kind, 0.0) + span.score
    best = {shown: max(sorted(kinds), key=kinds.__getitem__) for shown, kinds in votes.items()}
    read: dict[str, dict[str, float]] = {shown: {} for shown in votes}
    for at, place, finding in _inside(text, spans, findings):
        if finding.source == _TAGGER and finding.kind_score > _TELLING:
            kinds = read[spans[at].span.of(text)]
            weight = finding.score * finding.kind_score * len(place)
            kinds[finding.kind] = kinds.get(finding.kind, 0.0) + weight
    for shown, kinds in read.items():
        share = kinds.get("person", 0.0) / (sum(kinds.values()) or 1.0)
        if kinds and best[shown] == "person" and share < _LEAST_PERSON:
            likely = max(sorted(kinds), key=kinds.__getitem__)
            sure = kinds[likely] > _CLEAR * sum(kinds.values())
            best[shown] = likely if sure else "other"
    surnames, given = _known_names(
        text, [replace(one, kind=best[one.span.of(text)]) for one in spans]
    )
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


def _inside(
    text: str, spans: Sequence[Merged], findings: Sequence[Finding]
) -> Iterator[tuple[int, Span, Finding]]:
    """Yield the findings that lie in one of ``spans``: its index, the tidy place, the finding."""
    starts = [span.span.start for span in spans]
    for finding in findings:
        place = tidy(text, finding.span)
        at = -1 if place is None else bisect_right(starts, place.start) - 1
        if place is not None and at >= 0 and place.end <= spans[at].span.end:
            yield at, place, finding


def _certain(spans: Sequence[Merged], findings: Sequence[Finding], text: str) -> list[Merged]:
    """Places, organisations and bare numbers of which nobody is sure become something else (MISC).

    What is called an organisation and is none would be replaced by an untruth. A code stays one:
    what is only labelled cannot be untrue.

    Args:
        spans: merged, ascending.
    """
    support = [0] * len(spans)
    for at, place, finding in _inside(text, spans, findings):
        if finding.entity_type == spans[at].entity_type and 2 * len(place) > len(spans[at].span):
            said = place.of(text)
            by_rule = finding.source != _TAGGER
            least = 0.6 if " " in said else _SURE
            certain = finding.kind_score >= _SURE_TYPE.get(finding.entity_type, 2.0)
            sure = finding.score >= least if by_rule else certain
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
    """Return whether the same words elsewhere in the document are likely the same thing."""
    if mention.entity_type == EntityType.CODE or any(map(str.isdigit, mention.text)):
        return True
    parts = words(mention.text)
    named = [word for word in parts if word[0].isupper()]
    if mention.entity_type == EntityType.PERSON:
        return bool(named)
    special = [word for word in named if not is_english(word)]
    several = len(named) > 1 and not all(is_generic(lemma(word)) for word in named)
    return bool(special) or several
