"""Detection in one document: find, merge, let the document's occurrences vote, group mentions into
entities, find repeats."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING

from intact.detection import names
from intact.detection.boundaries import tidy
from intact.detection.doubts import find_doubts
from intact.detection.findings import OF_LINES, Finder, Finding, Merged, merge
from intact.detection.patterns import NOBODYS, is_sum, numbers_row
from intact.discourse.things import entities
from intact.domain import LABEL_ONLY, Covered, Document, EntityType, IdentifierType, Mention, Span
from intact.english.languages import foreign_paragraphs
from intact.english.plain import PlainText, read_plain
from intact.english.vocabulary import KEPT_TITLES, STOP_WORDS
from intact.english.words import (
    fold,
    is_english,
    is_generic,
    is_name_like,
    is_ordinary,
    lemma,
    name_of,
    words,
)
from intact.protocols import Detected, Detection
from intact.rewriting.occurrences import occurrences

if TYPE_CHECKING:
    from intact.detection.rescoring import Rescorer  # brings NumPy, not needed for annotated ones

_UNSURE_KINDS = frozenset({"other", "place", "organisation"})
_PLACED = frozenset({EntityType.LOC, EntityType.ORG})
_NAMES = LABEL_ONLY | _PLACED
_NOBODYS = STOP_WORDS | {word.title() for word in KEPT_TITLES}  # "[Mr] and Mrs Lee"
_NEVER = 2.0  # no certainty reaches it
_SURE = 0.8  # from this score on, a rule needs no second opinion of a single word
# The certainty of a type from which the tagger needs no second opinion. In 38 documents that it did
# not learn from, nine in ten such names were of that type, and all such numbers.
_SURE_TYPE = {
    EntityType.LOC: 0.9, EntityType.ORG: 0.95, EntityType.DEM: 0.9, EntityType.QUANTITY: 0.9,
}  # fmt: skip
# The certainty of a mention times that of a person from which a name is taken for a person's: of a
# name on no list, of a listed one, and of one that a rule found. Three in four of the names below
# it were nobody's, in 566 documents not learned from.
_SURE_PERSON, _SURE_LISTED, _SURE_RULE = 0.94, 0.75, 0.85
# The certainty of a place or body, if likelier a place, from which a name is taken for a place's.
# 26 of 27 such names in 232 documents were a place's, a school's or a hospital's, and none a
# person's.
_SURE_PLACE = 0.93
# The certainty of a place or body below which a rule's place is taken for none. In 180 documents
# that the tagger did not learn from, 16 of 18 such finds were no place, and one of the other two
# was not marked.
_NO_PLACE = 0.1
_TOLD = 0.95  # score of a name that is found by its form
# The share of the threshold from which names and codes count, because missing one costs more.
_DIRECT = 0.6
# The share of the threshold from which abbreviations of unknown meaning count. In 566 documents,
# each half of which was held out in turn, 75 of the 88 below it touched nothing that was marked,
# and none was somebody's name or a code.
_ABBREVIATED = {"other": 1.5, "name": 1.0}
# The share of the threshold from which one small word counts as a characteristic, and the score of
# its finder below which that is asked for: "took", "soon", "young". Of 48 below it in 54 documents
# that nothing had learned from, 5 were all of a mark.
_LONE, _UNSURE_WORD = 1.5, 0.6
# The form of a clock time, and the name under which all those of a document vote. In 44 documents
# with four or more of them, the writers had marked all or at most one.
_CLOCK, _CLOCKS = r"\d{1,2}[:.]\d\d", "clocks"
_ABBREVIATION = 6  # letters
_TAGGER = "tagger"  # the finder that learned


class DocumentDetector:
    """Several finders as one ``Detector``.

    Args:
        finders: in order of precedence among equal findings.
        threshold: findings below it do not count.
        rescorer: gives a second opinion on what is found; None: the finders' scores stay.

    Attributes:
        own: adds to the detected mentions of a text what a user says is to be found there.
    """

    own: Callable[[str, list[Detected]], list[Detected]] = staticmethod(lambda _, found: found)

    def __init__(
        self, finders: Sequence[Finder], threshold: float = 0.5, rescorer: Rescorer | None = None
    ) -> None:
        self._finders = tuple(finders)
        self._names = tuple(finder.name for finder in finders)
        self._threshold = threshold
        self._rescorer = rescorer

    def detect(self, text: str, kept: Iterable[Span] = ()) -> Detection:
        """Return the mentions of a text, with ids "m1", "m2" ... in text order and grouped into
        entities; remarks on what makes the text hard to read; and an estimate of what was missed.
        Wrapped lines are read as one, spans and texts are those of ``text`` as given.

        Args:
            text: raw, in English.
            kept: spans of headings and of borders between cells; the text before one and the text
                after it are never read as one line.
        """
        plain = read_plain(text, kept := frozenset(kept))
        given, text = text, plain.text
        counted: list[Finding] = []
        doubtful: list[Finding] = []
        nobodys = Covered(text, (Span(*match.span()) for match in NOBODYS.finditer(text)))
        for finder in self._finders:
            for finding in _in_cell(finder.find(text), plain, kept):
                nothing = finding.span.of(text) in _NOBODYS or numbers_row(text, finding.span)
                if not nothing and not nobodys.holds(finding.span):
                    (counted if finding.score >= self._threshold else doubtful).append(finding)
        counted += _by_form(text, counted)
        merged = _agreed(merge(text, counted, self._names))
        inside = list(_inside(text, merged, counted))
        spans = _placed(_named_only(_certain(merged, inside), inside), inside)
        sums = (one.entity_type == EntityType.DATETIME and is_sum(text, one.span) for one in spans)
        spans = _with_kind(spans, sums, "quantity")
        if _TAGGER in self._names:
            spans = _no_places(spans, chain(inside, _inside(text, merged, doubtful)))
        foreign = foreign_paragraphs(text)
        likely = self._keep_likely(text, _mentions(text, _initialled(text, spans)), doubtful)
        detected = self.own(text, _without_foreign(text, _repeated(text, likely), foreign))
        detected.sort(key=lambda item: item.mention.span)
        numbered = tuple(
            replace(item, mention=replace(m, id=f"m{number}", span=span, text=span.of(given)))
            for number, item in enumerate(detected, start=1)
            for m in [item.mention]
            for span in [plain.back(m.span)]
        )
        doubtful = [replace(finding, span=plain.back(finding.span)) for finding in doubtful]
        covered, others = [item.mention.span for item in numbered], [*map(plain.back, foreign)]
        return Detection(numbered, *find_doubts(given, doubtful, covered, others))

    def _keep_likely(
        self, text: str, found: list[Detected], doubtful: list[Finding]
    ) -> list[Detected]:
        """Return the finds that are likely in their sentences, in their order, and append the
        others to ``doubtful``, each as a finding of the tagger with its new score. A find is kept
        if one mention of its entity is likely enough; the clock times of a document are kept or
        dropped together, by the mean of their scores. Without a rescorer all finds are kept."""
        if self._rescorer is None or not found:
            return found
        scores = self._rescorer.rescore(text, found).tolist()
        things = [_votes_with(one.mention) for one in found]
        votes: dict[str, list[float]] = defaultdict(list)
        for thing, score in zip(things, scores, strict=True):
            votes[thing].append(score)
        kept = []
        for one, thing, score in zip(found, things, scores, strict=True):
            least = self._rescorer.threshold * _share_needed(text, one)
            if (fmean if thing == _CLOCKS else max)(votes[thing]) >= least:
                kept.append(one)
            else:
                doubtful.append(Finding(one.mention.span, one.kind, score, _TAGGER, begins=score))
        return kept


def _by_form(text: str, found: Sequence[Finding]) -> list[Finding]:
    """Return a finding of kind "person" for each name that its form alone gives away ("MOXON,
    Karen"), without those whose very span was found as a place.

    Args:
        text: the document.
        found: the findings so far; what they call a person helps to recognise a form.
    """
    people = (one.span for one in found if one.entity_type == EntityType.PERSON)
    told = dict.fromkeys(names.names_by_form(text, people))
    places = {one.span for one in found if one.entity_type == EntityType.LOC}
    return [Finding(span, "person", _TOLD, "form") for span in told if span not in places]


def _in_cell(found: Iterable[Finding], plain: PlainText, kept: Iterable[Span]) -> Iterator[Finding]:
    """Yield all findings, in order; addresses and encoded text, which may reach over several lines,
    are cut where the table cell in which they begin ends. The text of the next cells is found by
    itself, or not at all.

    Args:
        found: findings in the text of ``plain``.
        plain: the text with wrapped lines joined, and the way back to the text as given.
        kept: spans of the text as given; those that are a line break are borders of cells.
    """
    borders = sorted(plain.forth(each).start for each in kept if each.of(plain.given) == "\n")
    for one in found:
        at = bisect_right(borders, one.span.start)
        end = min([one.span.end, *borders[at : at + 1]])
        yield replace(one, span=Span(one.span.start, end)) if one.kind in OF_LINES else one


def _share_needed(text: str, one: Detected) -> float:
    """Return the factor by which the threshold is multiplied for a find: 1.5 for abbreviations of
    unknown meaning and for a characteristic of one small word of which its finder is unsure, 1 for
    abbreviations of kind "name", 0.6 for other direct identifiers (names, codes), else 1. A single
    letter may be somebody's, and letters before a number may belong to it ("AC 326"), so neither
    counts as an abbreviation."""
    shown, end = one.mention.text, one.mention.span.end
    if one.kind == "characteristic" and shown.isalpha() and shown[0].islower():
        return _LONE if one.score < _UNSURE_WORD else 1.0
    apart = len(shown.rstrip(".")) > 1 and not text[end : end + 2].strip().isdigit()
    if one.kind in _ABBREVIATED and apart and _is_short(shown):
        return _ABBREVIATED[one.kind]
    return _DIRECT if one.mention.identifier_type is IdentifierType.DIRECT else 1.0


def _votes_with(mention: Mention) -> str:
    """Return the name under which a mention votes: "clocks" for a clock time ("9:30"), whichever
    its entity, else the id of its entity."""
    timed = mention.entity_type == EntityType.DATETIME and re.fullmatch(_CLOCK, mention.text)
    return _CLOCKS if timed else mention.entity_id


def _agreed(spans: Sequence[Merged]) -> list[Merged]:
    """Return the spans in order, each with the one kind of all spans of its text: the kind for
    which their scores add up to most (of equal ones the first by name). A text that is the surname
    of a full name among them, or a given name of one and no English word, is a person, and no
    place, organisation or unclear thing."""
    votes: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for span in spans:
        votes[span.text][span.kind] += span.score
    best = {shown: max(sorted(kinds), key=kinds.__getitem__) for shown, kinds in votes.items()}
    people = (name_of(shown) for shown, kind in best.items() if kind == "person")
    full = (name for name in people if name is not None and name.fullness)
    pairs = ((word, name.surname) for name in full for word in (*name.given, name.surname))
    names = {word for word, surname in pairs if word == surname or not is_english(word)}
    for shown, kind in best.items():
        if kind in _UNSURE_KINDS and fold(" ".join(words(shown))) in names:
            best[shown] = "person"
    return [replace(span, kind=best[span.text]) for span in spans]


def _inside(
    text: str, spans: Sequence[Merged], findings: Sequence[Finding]
) -> Iterator[tuple[int, str, Finding]]:
    """Yield (index of the span, text found, finding) for each finding that lies, tidied, in one of
    ``spans``, in the order of the findings; the others are left out.

    Args:
        text: the document.
        spans: ascending, not overlapping.
        findings: of any detectors.
    """
    starts = [span.span.start for span in spans]
    for finding in findings:
        place = tidy(text, finding.span)
        at = -1 if place is None else bisect_right(starts, place.start) - 1
        if place is not None and at >= 0 and place.end <= spans[at].span.end:
            yield at, place.of(text), finding


def _certain(spans: Sequence[Merged], inside: Sequence[tuple[int, str, Finding]]) -> list[Merged]:
    """Return all spans, in order, with the kind "other" (type MISC) in place of that of places,
    organisations and bare numbers whose type no finding, and no two together, is sure of. For an
    abbreviation a sure finding needs another beside it, but any one will do if the initials of
    another span's words spell it.

    What is called an organisation and is none would be replaced by an untruth. A code stays a code,
    because it only gets a label, which cannot be untrue.

    Args:
        spans: after merging.
        inside: for each finding in a span (index of the span, text found, finding).
    """
    support = [0] * len(spans)
    for at, said, finding in inside:
        if finding.entity_type == spans[at].entity_type and 2 * len(said) > len(spans[at].text):
            support[at] += 2 if _is_sure(finding, said) else 1
    long = (words(span.text) for span in spans if " " in span.text)
    initials = {"".join(word[0] for word in each if word[0].isupper()) for each in long}
    unsure = []
    for span, supported in zip(spans, support, strict=True):
        # an abbreviation may be of anything, if the text does not say of what
        wanted = 1 if span.text in initials else 3 if _is_short(span.text) else 2
        placed = span.entity_type in _PLACED or _is_number(span.text)
        unsure.append(supported < wanted and placed and span.entity_type not in LABEL_ONLY)
    return _with_kind(spans, unsure, "other")


def _is_sure(finding: Finding, said: str) -> bool:
    """Tell whether a finding is sure enough of its type to need no second opinion.

    Args:
        finding: of any detector; the tagger is sure only of places, bodies, groups and amounts.
        said: the text found; of one word a rule has to be surer than of several, and of a bare
            number it always is.
    """
    if finding.source == _TAGGER:
        return finding.kind_score >= _SURE_TYPE.get(finding.entity_type, _NEVER)
    return finding.score >= (0.6 if " " in said else _SURE) or _is_number(said)


def _named_only(
    spans: Sequence[Merged], inside: Sequence[tuple[int, str, Finding]]
) -> list[Merged]:
    """Return all spans, in order, with the kind "name" in place of "person" for those of which no
    finding is sure that they are a person's name, because "PERSON_1" in place of a firm is untrue.
    Names that share a word with a sure person stay persons.

    Args:
        spans: after merging.
        inside: for each finding in a span (index of the span, text found, finding).
    """
    sure: dict[str, bool] = {}
    for at, _, finding in inside:
        if finding.entity_type == spans[at].entity_type == EntityType.PERSON:
            shown = spans[at].text
            by_rule = finding.source != _TAGGER
            listed = by_rule or any(map(names.name_list().is_name, words(shown)))
            least = _SURE_RULE if by_rule else _SURE_LISTED if listed else _SURE_PERSON
            share = finding.score * (1.0 if by_rule else finding.kind_score)
            sure[shown] = sure.get(shown, False) or (share >= least and not _is_plain(shown))
    known = {fold(word) for shown, is_sure in sure.items() if is_sure for word in words(shown)}
    unsure = (
        not sure.get(one.text, True) and known.isdisjoint(map(fold, words(one.text)))
        for one in spans
    )
    return _with_kind(spans, unsure, "name")


def _is_plain(shown: str) -> bool:
    """Tell whether a text is an abbreviation of four letters or more ("BFAWU"), or of three or more
    with ordinary words or others beside it ("SRA No"), of which no word is on a list of names."""
    parts = words(shown)  # "BFAWU", "SRA No", but not the initials "DWJ"
    short = [o for o in parts if o.isalpha() and o.isupper() and len(o) > 2 + (len(parts) < 2)]
    plain = all(one in short or is_ordinary(one) for one in parts)
    return bool(short) and plain and not any(map(names.name_list().use, parts))


def _placed(spans: Sequence[Merged], inside: Sequence[tuple[int, str, Finding]]) -> list[Merged]:
    """Return all spans, in order, with the kind "place" for names of type MISC that the tagger is
    sure are places wherever they stand: "built in Zorblax".

    Args:
        spans: after merging.
        inside: for each finding in a span (index of the span, text found, finding).
    """
    sure: dict[str, bool] = {}
    for at, said, finding in inside:
        shown = spans[at].text
        if finding.source == _TAGGER and 2 * len(said) > len(shown):
            sure[shown] = sure.get(shown, is_name_like(shown)) and finding.placed >= _SURE_PLACE
    there = (one.entity_type == EntityType.MISC and sure.get(one.text, False) for one in spans)
    return _with_kind(spans, there, "place")


def _no_places(spans: Sequence[Merged], inside: Iterable[tuple[int, str, Finding]]) -> list[Merged]:
    """Return all spans, in order, with the kind "other" for places that the tagger nowhere takes
    for a place or a body, whatever a rule says: "Otis contract", "Bed 5", "to our youngest, Isla".

    Args:
        spans: after merging.
        inside: for each finding in a span, doubtful ones too (index of the span, text found,
            finding).
    """
    heard = {
        spans[at].text
        for at, _, finding in inside
        if finding.source == _TAGGER
        and (finding.placed >= _NO_PLACE or finding.entity_type in _PLACED)
    }
    unheard = (one.entity_type == EntityType.LOC and one.text not in heard for one in spans)
    return _with_kind(spans, unheard, "other")


def _initialled(text: str, spans: Sequence[Merged]) -> list[Merged]:
    """Return the spans, ascending, with the mentions of persons trimmed to their names, with the
    kind "person" for the initials of people, whatever it was, and with further spans for initials
    that open the turns of a person named ("NO:" of Neil Ormerod)."""
    spans = [*chain.from_iterable(_trimmed(text, one) for one in spans)]
    people = {o.span.end: o.text for o in spans if o.entity_type == EntityType.PERSON}
    turns, taken = names.turns_in(text), Covered(text, (one.span for one in spans))
    shown = re.finditer(r" \(([A-Z]{2,4})\)", text)  # "Graham Pellow (GP)"
    given = {one[1] for one in shown if _are_initials_of(people.get(one.start(), ""), one[1])}
    for who in given:
        lines = re.finditer(rf"(?m)^{who}(?=:)|(?<=\(){who}(?=\))", text)
        turns[who] = [Span(*line.span()) for line in lines]
    initials, named = names.initials_in(turns, people.values())
    free = (span for who in sorted(named) for span in taken.free(turns[who]))
    more = (Merged(span, span.of(text), "person", 1.0, ("turn",)) for span in free)
    both = sorted((*spans, *more), key=lambda one: one.span)
    theirs = ("".join(words(one.text)) in initials or _is_lettered(one) for one in both)
    return _with_kind(both, theirs, "person")


def _are_initials_of(shown: str, letters: str) -> bool:
    """Tell whether letters are the initials of a name ("Neil Ormerod", "NO"); False if ``shown`` is
    no name."""
    return bool((name := name_of(shown)) and letters.lower() in name.lettered)


def _trimmed(text: str, one: Merged) -> list[Merged]:
    """Return a person's mention cut down to the name, or a mention for each name if it holds
    several people ("Dr Roe, Bo Ek"); a mention of anything else alone and as it is."""
    if one.entity_type != EntityType.PERSON:
        return [one]
    return [replace(one, span=span, text=span.of(text)) for span in names.parted(text, one.span)]


def _is_lettered(one: Merged) -> bool:
    """Tell whether a mention of type MISC is initials before a surname: "A. F. Grünwaldt", but not
    "U.S. Army"; False for other types."""
    own = names.tokens_of(one.text) if one.entity_type == EntityType.MISC else []
    last = own[-1].text if own[1:] and own[0].initials and all(t.capital for t in own) else ""
    return len(last) > 2 and (names.name_list().is_name(last) or not is_english(last))


def _with_kind(spans: Sequence[Merged], which: Iterable[bool], kind: str) -> list[Merged]:
    """Return all spans, in order, with another kind for those at which ``which`` is true."""
    pairs = zip(spans, which, strict=True)
    return [replace(one, kind=kind) if changes else one for one, changes in pairs]


def _is_short(shown: str) -> bool:
    """Tell whether a text may be an abbreviation: at most six characters, its letters capitals."""
    return len(shown) <= _ABBREVIATION and shown.isupper()


def _is_number(shown: str) -> bool:
    """Tell whether a text is a bare number: at most six characters, no letter."""
    return not any(map(str.isalpha, shown)) and len(shown) <= _ABBREVIATION


def _mentions(text: str, spans: Sequence[Merged]) -> list[Detected]:
    """Return a detected mention for each span, in order, with ids "m0", "m1" ...; mentions of one
    entity share its id. Names and codes are direct identifiers, all others quasi-identifiers."""
    told = []
    for at, one in enumerate(spans):
        direct = one.entity_type in LABEL_ONLY or one.kind == "name"
        identifier = IdentifierType.DIRECT if direct else IdentifierType.QUASI
        told.append(Mention(f"m{at}", one.span, one.text, "", one.entity_type, identifier))
    whose = (replace(m, entity_id=f"e{n}") for m, n in zip(told, entities(text, told), strict=True))
    pairs = zip(whose, spans, strict=True)
    return [Detected(mention, one.kind, one.score, one.sources) for mention, one in pairs]


def _repeated(text: str, found: list[Detected]) -> list[Detected]:
    """Append to ``found``, in place, the further places where an entity's words stand and certainly
    mean the same, with the source "repeat", and return it. "the Council" and "arthritis" may mean
    something else elsewhere; a name or a number does not."""
    document = Document("", text, tuple(item.mention for item in found if _telling(item.mention)))
    taken = Covered(text, (item.mention.span for item in found if not _telling(item.mention)))
    first = {item.mention.entity_id: item for item in reversed(found)}
    for place in occurrences(document):
        span, like = tidy(text, place.span), first[place.entity_id]
        if not (place.mention_id or span is None or taken.touches(span)):
            mention = replace(like.mention, span=span)
            found.append(replace(like, mention=mention, sources=("repeat",)))
    return found


def _without_foreign(text: str, found: list[Detected], foreign: Sequence[Span]) -> list[Detected]:
    """Return the finds, in order, without those of entities found only in paragraphs in another
    language, unless these are codes, names (of people, places, organisations) or hold a digit; such
    ones become direct identifiers, as no English words can stand for them.

    Args:
        text: the document.
        found: of the whole document.
        foreign: the spans of the paragraphs in another language.
    """
    if not foreign:
        return found
    there = Covered(text, foreign)
    english = {o.mention.entity_id for o in found if not there.touches(o.mention.span)}
    stays = []
    for one in found:
        mention, own = one.mention, one.mention.entity_id in english
        alone = replace(one, mention=replace(mention, identifier_type=IdentifierType.DIRECT))
        if own or mention.entity_type in _NAMES or any(map(str.isdigit, mention.text)):
            stays.append(one if own else alone)
    return stays


def _telling(mention: Mention) -> bool:
    """Tell whether a mention's words, where they stand again in the document, likely mean the same
    entity: those of a code, with a digit, or of a capitalised name; of other mentions, those with a
    capitalised word that is not English, or with several that are not all common nouns."""
    if mention.entity_type == EntityType.CODE or any(map(str.isdigit, mention.text)):
        return True
    named = [word for word in words(mention.text) if word[0].isupper()]
    if mention.identifier_type is IdentifierType.DIRECT:  # a person's name, or a name
        return bool(named)
    special = [word for word in named if not is_english(word)]
    return bool(special) or (len(named) > 1 and not all(map(is_generic, map(lemma, named))))
