"""Detection of one document: find, merge, tell who is who, look for repeats."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from intact.detection.doubts import doubts
from intact.detection.findings import OF_KIND, Covered, Finder, Finding, Merged, merge, tidy
from intact.discourse.things import entities
from intact.domain import LABEL_ONLY, Document, EntityType, IdentifierType, Mention, Span
from intact.english.fold import fold
from intact.english.names import name_of
from intact.english.words import is_english, is_generic, lemma, words
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
        """What is in ``text``, what speaks for it, and doubts."""
        counted: list[Finding] = []
        doubtful: list[Finding] = []
        for finder in self._finders:
            limit = getattr(finder, "threshold", self._threshold)
            for finding in finder.find(text):
                (counted if finding.score >= limit else doubtful).append(finding)
        if _TAGGER in self.names:
            counted = _not_denied(text, counted, doubtful)
        spans = _certain(_agreed(text, merge(text, counted, self.names)), counted, text)
        found = _repeated(text, _mentions(text, spans))
        found.sort(key=lambda item: item.mention.span)
        numbered = tuple(
            replace(item, mention=replace(item.mention, id=f"m{number}"))
            for number, item in enumerate(found, start=1)
        )
        covered = [item.mention.span for item in numbered]
        people = sum(item.mention.entity_type == EntityType.PERSON for item in numbered)
        return Detection(numbered, *doubts(text, doubtful, covered, people))


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
        sure = finding.score >= _TRUSTED.get(finding.entity_type, 0.0)
        stands = sure or possible.touches(finding.span)
        (kept if stands else doubtful).append(finding)
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
    return [*found, *again]


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
