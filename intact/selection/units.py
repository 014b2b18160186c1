"""What the guard may change: the sanitised document in units, each with what may stand there.

A unit is a masked entity that may climb its ladder, or all places of some words that no
replacement covers; equal words go together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from intact.config import GuardSettings
from intact.domain import REVIEWER, Decision, Document, Edit, Ladder, SanitizedDocument, Span
from intact.english.calendar import MONTHS
from intact.english.sentences import starts_sentence
from intact.english.wordlists import HONORIFICS
from intact.english.words import lemma
from intact.protocols import Generaliser, UnmarkedWords
from intact.reidentification.features import is_content, tokens
from intact.rewriting.occurrences import Occurrence
from intact.rewriting.rewrite import Phrase, RenderedDocument
from intact.selection.masked_names import MaskedNames

MASK = "***"
ORIGIN = "guard"
_GENERALISED, _CLIMBED = 0.6, 0.1
"""Share of the information that a first generalisation, and a rung more, lose; a mask loses all."""

_WORD = re.compile(r"([^\W_]+(?:['’](?!s\b)[^\W\d_]+)?)(?:['’]s\b)?")
_MONTH = "|".join(month for month in MONTHS if len(month) > 2)
_DATE = re.compile(
    rf"(?<![\w/.])(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTH}) \d{{4}}(?![\w/])"
    r"|(?<![\w/.,-])(?:1[89]|20)\d\d(?![\w/,-]|\.\d)",
    re.IGNORECASE,
)
_LAW_AND_YEAR = re.compile(
    r"(?:act|code|order|ordinance|law|decree|rules|regulations) (?:1\d|20)\d\d\b", re.IGNORECASE
)
_JOINERS = frozenset("of for the and de la du van von der".split())


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may stand for a unit.

    Attributes:
        text: the phrase.
        words: its folded words.
        loss: information lost against the text as it was before the guard; 1 is a word masked.
        rung: of the ladder, None for the label or "***".
    """

    text: str
    words: tuple[str, ...]
    loss: float
    rung: int | None


@dataclass(frozen=True, slots=True)
class Unit:
    """What changes together: a masked entity, or all places of some unannotated words.

    Attributes:
        id: the entity's id, or one of the guard's own.
        options: what may stand there, least loss first; choice -1 is what stands there now.
        changed: content words beyond annotated spans that any option replaces.
    """

    id: str
    entity: bool
    entity_type: str
    spans: tuple[Span, ...]
    options: tuple[Option, ...]
    changed: int = 0


@dataclass(frozen=True, slots=True)
class GuardedParts:
    """A document in the parts that the guard may change.

    Attributes:
        units: what may change.
        parts: the document from start to end: some folded words, and the unit that may change
            them (or -1).
        content: content words that no replacement covers.
    """

    units: tuple[Unit, ...]
    parts: tuple[tuple[int, tuple[str, ...]], ...]
    content: int

    def extra(self, choices: Sequence[int]) -> list[tuple[Occurrence, Phrase]]:
        """What has to be rewritten beside the masked entities."""
        return [
            (
                Occurrence(span, unit.id, "", unit.entity_type),
                Phrase(unit.options[choice].text, ORIGIN),
            )
            for unit, choice in zip(self.units, choices, strict=True)
            if not unit.entity and choice >= 0
            for span in unit.spans
        ]


def guarded_parts(
    chosen: SanitizedDocument,
    rendered: RenderedDocument,
    generaliser: Generaliser,
    settings: GuardSettings,
) -> GuardedParts:
    """The document as it stands in ``rendered``, with everything that may stand elsewhere.

    Args:
        chosen: the document with its decisions.
        rendered: its text under them.
        generaliser: proposes what may stand for unannotated words.
        settings: which words are kept, and whether words are generalised or only masked.
    """
    document = chosen.document
    keep = frozenset(word for text in settings.keep for word in tokens(text))
    gaps = list(_gaps(rendered.edits, len(document.text)))
    long = long_words(document.text, gaps, keep)
    single, content = single_words(document.text, gaps, keep)
    units: list[Unit] = []
    proposed: Mapping[str, tuple[str, Ladder]] = {}
    if settings.edit == "generalise":
        proposed = generaliser.propose(document, (*long, *single))
        units += _entities(chosen)
    units += _unmarked(document, long, single, proposed)
    return GuardedParts(tuple(units), tuple(_parts(document, rendered, units)), content)


def long_words(
    text: str, gaps: Iterable[tuple[int, int]], keep: Collection[str] = ()
) -> list[UnmarkedWords]:
    """Dates, and names of several words: to be changed as a whole where that is known how.

    Args:
        text: the original.
        gaps: start and end of each stretch that no replacement covers.
        keep: folded words that must not be changed.
    """
    found: dict[tuple[str, str], list[Span]] = {}
    for start, end in gaps:
        dates = (Span(match.start(), match.end()) for match in _DATE.finditer(text, start, end))
        for kind, spans in (("date", dates), ("name", _names(text, start, end))):
            for span in spans:
                found.setdefault((kind, " ".join(tokens(span.of(text)))), []).append(span)
    return [
        UnmarkedWords(key, kind, tuple(sorted(spans)))
        for (kind, key), spans in found.items()
        if not set(keep) & set(key.split())
    ]


def single_words(
    text: str, gaps: Iterable[tuple[int, int]], keep: Collection[str] = ()
) -> tuple[list[UnmarkedWords], int]:
    """Content words, those of the long ones among them, and how many places they have in all.

    A word at the start of a sentence goes with the same word elsewhere.

    Args:
        text: the original.
        gaps: start and end of each stretch that no replacement covers.
        keep: folded words that must not be changed; they are counted.
    """
    kinds: dict[str, str] = {}
    places: dict[str, list[Span]] = {}
    content = 0
    for span in (span for start, end in gaps for span in _words(text, start, end)):
        folded = _folded(text, span)
        if not any(map(is_content, folded)):
            continue
        content += 1
        if HONORIFICS.isdisjoint(folded) and not set(keep) & {*folded, lemma(folded[0])}:
            key, kind = lemma(" ".join(folded)), _kind(text, span)
            kinds[key] = "word" if "word" in (kind, kinds.get(key)) else kind
            places.setdefault(key, []).append(span)
    found = [UnmarkedWords(key, kinds[key], tuple(spans)) for key, spans in places.items()]
    return found, content


def _gaps(edits: Iterable[Edit], length: int) -> Iterator[tuple[int, int]]:
    """The stretches that no edit covers; edits ascend."""
    done = 0
    for edit in edits:
        if done < edit.span.start:
            yield done, edit.span.start
        done = max(done, edit.span.end)
    if done < length:
        yield done, length


def _words(text: str, start: int, end: int) -> Iterator[Span]:
    """The words of a stretch, without genitive endings; cut ones left out."""
    for match in _WORD.finditer(text, start, end):
        cut = match.start() == start and start and text[start - 1].isalnum()
        if not cut and not (match.end() == end and end < len(text) and text[end].isalnum()):
            yield Span(*match.span(1))


def _names(text: str, start: int, end: int) -> Iterator[Span]:
    """Names of two words or more: capitalised words and what joins them, a law with its year."""
    words = list(_words(text, start, end))
    first = 0
    while first < len(words):
        last = first
        if text[words[first].start].isupper() and any(map(is_content, _folded(text, words[first]))):
            for at in range(first + 1, len(words)):
                if text[words[at - 1].end : words[at].start] != " ":
                    break
                if text[words[at].start].isupper():
                    last = at
                elif words[at].of(text) not in _JOINERS:
                    break
        if last > first:
            dated = _LAW_AND_YEAR.match(text, words[last].start, end)
            yield Span(words[first].start, dated.end() if dated else words[last].end)
        first = last + 1


def _folded(text: str, span: Span) -> list[str]:
    return tokens(span.of(text))


def _kind(text: str, span: Span) -> str:
    first = text[span.start]
    if first.isdigit():
        return "number"
    return "name" if first.isupper() and not starts_sentence(text, span.start) else "word"


def _worth(words: Sequence[str]) -> float:
    """How much information words hold: one each, so that few words change."""
    return float(sum(map(is_content, words)) or 1)


def _entities(chosen: SanitizedDocument) -> Iterator[Unit]:
    """Masked entities that may climb; what a person decided on stays."""
    names = MaskedNames(chosen.document)
    for decision in chosen.decisions:
        if decision.chosen is not None and not decision.origin.startswith(REVIEWER):
            entity = decision.entity
            worth = _worth(tokens(entity.mentions[0].text)) * len(entity.mentions)
            spans = tuple(mention.span for mention in entity.mentions)
            options = tuple(_climbs(decision, names, worth))
            yield Unit(entity.id, True, entity.entity_type, spans, options)


def _climbs(decision: Decision, names: MaskedNames, worth: float) -> Iterator[Option]:
    """The rungs above the one chosen, then the label."""
    first = (decision.chosen or 0) + 1
    height = len(decision.ladder) - first + 1
    for step, rung in enumerate(decision.ladder[first:], start=1):
        if not names.named_by(rung):
            loss = worth * _CLIMBED * step / height
            yield Option(rung.text, tuple(tokens(rung.text)), loss, first + step - 1)
    yield Option(decision.label, tuple(tokens(decision.label)), worth * _CLIMBED, None)


def _unmarked(
    document: Document,
    long: Sequence[UnmarkedWords],
    single: Sequence[UnmarkedWords],
    proposed: Mapping[str, tuple[str, Ladder]],
) -> Iterator[Unit]:
    """Long words that can be generalised, then the single words that none of them covers."""
    covered: set[Span] = set()
    for words in long:
        spans = _free(words.spans, covered)
        if words.key in proposed and spans:
            covered.update(spans)
            yield _unit(document, words, spans, proposed[words.key])
    for words in single:
        spans = _free(words.spans, covered)
        if spans:
            whole = len(spans) == len(words.spans)
            yield _unit(document, words, spans, proposed.get(words.key) if whole else None)


def _free(spans: Sequence[Span], covered: Collection[Span]) -> tuple[Span, ...]:
    return tuple(span for span in spans if not any(span.overlaps(other) for other in covered))


def _unit(
    document: Document,
    words: UnmarkedWords,
    spans: tuple[Span, ...],
    proposal: tuple[str, Ladder] | None,
) -> Unit:
    entity_type, ladder = proposal or ("", ())
    worth = _worth(_folded(document.text, spans[0])) * len(spans)
    step = (1 - _GENERALISED) / (len(ladder) + 1)
    options = [
        Option(rung.text, tuple(tokens(rung.text)), worth * (_GENERALISED + step * at), at)
        for at, rung in enumerate(ladder)
    ]
    changed = sum(sum(map(is_content, _folded(document.text, span))) for span in spans)
    return Unit(
        f"{ORIGIN}:{words.kind}:{words.key}",
        False,
        entity_type,
        spans,
        (*options, Option(MASK, (), worth, None)),
        max(changed, 1),
    )


def _parts(
    document: Document, rendered: RenderedDocument, units: Sequence[Unit]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Kept words, words to be changed, and replacements, from start to end."""
    text = document.text
    numbers = {unit.id: at for at, unit in enumerate(units)}
    speakers = {
        replacement.span: replacement.entity_id
        for replacement in rendered.replacements
        if replacement.origin != "nested"
    }
    marks = [
        (span, at, tuple(_folded(text, span)))
        for at, unit in enumerate(units)
        if not unit.entity
        for span in unit.spans
    ]
    marks += [
        (edit.span, numbers.get(speakers.get(edit.span, ""), -1), tuple(tokens(edit.text)))
        for edit in rendered.edits
    ]
    done = 0
    for span, unit, words in sorted(marks):
        yield -1, tuple(tokens(text[done : span.start]))
        yield unit, words
        done = span.end
    yield -1, tuple(tokens(text[done:]))
