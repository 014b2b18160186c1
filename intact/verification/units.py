"""The parts of a document that the guard may change: masked entities, with the rungs above theirs;
and unmarked names, dates and words, with phrases that are true of them, or "***"."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from intact.domain import Candidate, Document, SanitizedDocument, Source, Span, cut_at, gaps_between
from intact.english.scan import find_dates
from intact.english.sentences import starts_sentence
from intact.english.vocabulary import HONORIFICS, SAYS_NOTHING
from intact.english.words import lemma
from intact.protocols import Generaliser, UnmarkedWords
from intact.reidentification.population import folded_words, is_content
from intact.rewriting.occurrences import Occurrence
from intact.rewriting.rewrite import RenderedDocument
from intact.verification.masked_names import MaskedNames

MASK = "***"
# The share of the information that a first generalisation loses, and that each further rung of an
# entity loses; a mask loses all of it.
_GENERALISED, _CLIMBED = 0.6, 0.1

_WORD = re.compile(r"([^\W_]+(?:['’](?!s\b)[^\W\d_]+)?)(?:['’]s\b)?")
_LAW_AND_YEAR = re.compile(
    r"(?:act|code|order|ordinance|law|decree|rules|regulations) (?:1\d|20)\d\d\b", re.IGNORECASE
)
_JOINERS = frozenset("of for the and de la du van von der".split())


@dataclass(frozen=True, slots=True)
class Option:
    """One possible replacement of a unit."""

    text: str  # the phrase
    words: tuple[str, ...]  # its folded words
    loss: float  # information lost against the text as it was before the guard; 1 is a word masked
    rung: int | None  # of the ladder, None for the label or "***"


@dataclass(frozen=True, slots=True)
class Unit:
    """Places that change together: a masked entity, or all places of some unannotated words."""

    id: str  # the entity's id, or one of the guard's own
    entity: bool
    entity_type: str
    spans: tuple[Span, ...]  # places of the original; () for an entity, which has its mentions
    options: tuple[Option, ...]  # least loss first; choice -1 is the text there now
    changed: int = 0  # content words beyond annotated spans that any option replaces


@dataclass(frozen=True, slots=True)
class GuardedParts:
    """A document in the parts that the guard may change."""

    units: tuple[Unit, ...]  # what may change
    parts: tuple[tuple[int, tuple[str, ...]], ...]  # unit (or -1) and folded words, in order
    content: int  # content words that no replacement covers

    def extra(self, choices: Sequence[int]) -> list[tuple[Occurrence, Candidate]]:
        """List the places beyond masked entities that are to be replaced, each with its phrase;
        unit after unit, the places of a unit ascending.

        Args:
            choices: for each of ``units`` (words that change together) the index of the option
                taken; -1 leaves it as it is.
        """
        found = []
        for unit, choice in zip(self.units, choices, strict=True):
            if not unit.entity and choice >= 0:
                phrase = Candidate(unit.options[choice].text, 0, Source.GUARD)
                spans = (Occurrence(span, unit.id, "", unit.entity_type) for span in unit.spans)
                found += [(occurrence, phrase) for occurrence in spans]
        return found


def guarded_parts(
    chosen: SanitizedDocument, rendered: RenderedDocument, generaliser: Generaliser
) -> GuardedParts:
    """Divide the text of a sanitised document. Return the units that the guard may change (entities
    at a rung, words that nobody annotated), each with its options; the words of the text in order,
    each stretch with the index of its unit; and the number of content words that no replacement
    covers, nor a place that a glossary keeps in clear.

    Args:
        chosen: the document and what was decided on each entity.
        rendered: the text that these decisions make.
        generaliser: proposes what is true of names, dates and words that nobody annotated.
    """
    document = chosen.document
    spans = sorted([*(edit.span for edit in rendered.edits), *document.clear])
    gaps = gaps_between(spans, len(document.text))
    long = long_words(document.text, gaps)
    single, content = single_words(document.text, gaps)
    proposed = generaliser.propose(document, (*long, *single))
    units = [*_entities(chosen), *_unmarked(document, long, single, proposed)]
    return GuardedParts(tuple(units), tuple(_parts(document, rendered, units)), content)


def long_words(text: str, gaps: Iterable[tuple[int, int]]) -> list[UnmarkedWords]:
    """Find dates, and names of several words, that no replacement covers.

    Args:
        text: the original.
        gaps: the stretches, as (start, end), that no replacement covers; ascending.

    Returns:
        Each date or name once, of the kind "date" or "name", with all its places, ascending; its
            key is its folded words. Those that differ only in case, diacritics or punctuation are
            one.
    """
    found: dict[tuple[str, str], list[Span]] = {}
    for start, end in gaps:
        dates = (span for span, _ in find_dates(text, start, end))
        for kind, spans in (("date", dates), ("name", _names(text, start, end))):
            for span in spans:
                found.setdefault((kind, " ".join(folded_words(span.of(text)))), []).append(span)
    return [UnmarkedWords(key, kind, tuple(sorted(spans))) for (kind, key), spans in found.items()]


def single_words(text: str, gaps: Iterable[tuple[int, int]]) -> tuple[list[UnmarkedWords], int]:
    """Find the content words that no replacement covers, and count their places.

    Words of names that ``long_words`` finds are among them, and parts of dates. A word that opens a
    sentence is counted together with the same word elsewhere, whatever its capital.

    Args:
        text: the original.
        gaps: the stretches, as (start, end), that no replacement covers; ascending.

    Returns:
        Each word once, by its lemma, with all its places, without honorifics. Its kind is "number"
            if it begins with a digit, "name" if it has a capital within a sentence at each place,
            else "word". Second, the number of all places, honorifics included.
    """
    kinds: dict[str, str] = {}
    places: dict[str, list[Span]] = {}
    content = 0
    for span in (span for start, end in gaps for span in _words(text, start, end)):
        folded = _folded(text, span)
        if not any(map(is_content, folded)):
            continue
        content += 1
        if HONORIFICS.isdisjoint(folded):
            key, first = lemma(" ".join(folded)), text[span.start]
            named = first.isupper() and not starts_sentence(text, span.start)
            kind = "number" if first.isdigit() else "name" if named else "word"
            kinds[key] = "word" if "word" in (kind, kinds.get(key)) else kind
            places.setdefault(key, []).append(span)
    return [UnmarkedWords(key, kinds[key], tuple(spans)) for key, spans in places.items()], content


def _words(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of the words of a stretch, without genitive endings, ascending; words that
    its bounds cut are left out."""
    for match in _WORD.finditer(text, start, end):
        cut = match.start() == start and start and text[start - 1].isalnum()
        if not cut and not (match.end() == end and end < len(text) and text[end].isalnum()):
            yield Span(*match.span(1))


def _names(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of names of two or more capitalised words, including the small words that
    join them ("Bank of England") and the year of a law ("Care Act 2014"), ascending. Single spaces
    part the words; the first is a content word."""
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
    """Return the folded words at a span of a text, in order."""
    return folded_words(span.of(text))


def _worth(words: Sequence[str]) -> float:
    """Return how much information folded words hold: 1 for each content word, and 1 if there is
    none, so that few words are changed."""
    return float(sum(map(is_content, words)) or 1)


def _entities(chosen: SanitizedDocument) -> Iterator[Unit]:
    """Yield a unit for each masked entity that may climb, with an option for each rung above its
    own that brings no masked name back, and one for its label last. Entities on which a person
    decided, or that are at their label, are not among them."""
    names = MaskedNames(chosen.document.entities)
    for decision in chosen.decisions:
        if decision.chosen is not None and not decision.ladder[decision.chosen].decided:
            entity = decision.entity
            worth = _worth(folded_words(entity.mentions[0].text)) * len(entity.mentions) * _CLIMBED
            height = len(decision.ladder) - decision.chosen
            options = [
                Option(rung.text, tuple(folded_words(rung.text)), worth * step / height, at)
                for step, rung in enumerate(decision.ladder[decision.chosen + 1 :], start=1)
                for at in [decision.chosen + step]
                if not names.named_by(rung)
            ]
            label = decision.label
            options.append(Option(label, tuple(folded_words(label)), worth, None))
            yield Unit(entity.id, True, entity.entity_type, (), tuple(options))


def _unmarked(
    document: Document,
    long: Sequence[UnmarkedWords],
    single: Sequence[UnmarkedWords],
    proposed: Mapping[str, tuple[str, Sequence[str]]],
) -> Iterator[Unit]:
    """Yield a unit (words that change together) for each long one of the unmarked words that can be
    generalised, then for each single word with its places that none of these covers. A single word
    with a covered place gets no phrases, only "***".

    Args:
        document: the original.
        long: dates and names of several words.
        single: single words.
        proposed: entity type and phrases, most specific first, by key; absent where nothing true is
            known.
    """
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
    """Return those of the spans that overlap none of the covered ones, in order."""
    return tuple(span for span in spans if not any(span.overlaps(other) for other in covered))


def _unit(
    document: Document,
    words: UnmarkedWords,
    spans: tuple[Span, ...],
    proposal: tuple[str, Sequence[str]] | None,
) -> Unit:
    """Return the unit of some unmarked words at ``spans``: as its options the phrases of its
    proposal (entity type, phrases), if there is one, then "***"; each option loses more information
    than the one before it."""
    entity_type, phrases = proposal or ("", ())
    worth = _worth(_folded(document.text, spans[0])) * len(spans)
    step = (1 - _GENERALISED) / (len(phrases) + 1)
    options = []
    for at, phrase in enumerate(phrases):  # an adjective that says nothing is left out
        shown = () if phrase in SAYS_NOTHING else tuple(folded_words(phrase))
        options.append(Option(phrase, shown, worth * (_GENERALISED + step * at), at))
    options.append(Option(MASK, (), worth, None))
    changed = sum(sum(map(is_content, _folded(document.text, span))) for span in spans)
    name = f"{Source.GUARD}:{words.kind}:{words.key}"
    return Unit(name, False, entity_type, spans, tuple(options), max(changed, 1))


def _parts(
    document: Document, rendered: RenderedDocument, units: Sequence[Unit]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield kept words, words that may change, and replacements, in text order, as pairs: the index
    of the unit that may change them, or -1, and the folded words."""
    text = document.text
    numbers = {unit.id: at for at, unit in enumerate(units)}
    speakers = {
        replacement.span: numbers.get(replacement.entity_id, -1)
        for replacement in rendered.replacements
        if replacement.origin != Source.NESTED
    }
    marks = [
        (span, (at, tuple(_folded(text, span))))
        for at, unit in enumerate(units)
        if not unit.entity
        for span in unit.spans
    ]
    marks += [
        (edit.span, (speakers.get(edit.span, -1), tuple(folded_words(edit.text))))
        for edit in rendered.edits
    ]
    for kept, changing in cut_at(text, marks):
        yield changing or (-1, tuple(folded_words(kept)))
