"""Clues in unannotated words, in classes by their form; no field of law and no country is special.

A clue is a stretch of text that no masked mention covers and that reveals something of where, when
or whom a text is about. If no clue is found, the text may still reveal something.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import NamedTuple

from intact.detection.names import Run, runs, tokens_of
from intact.domain import Candidate, Document, EntityType, Ladder, Mention, Source, Span, type_row
from intact.english.grammar import plural, plural_phrase
from intact.english.time import MONTH_NAMES, WEEKDAY_NAMES
from intact.english.vocabulary import STOP_WORDS, either, read_patterns, vocabulary, word_sets
from intact.english.words import is_english, is_foreign, key, telling_lemmas
from intact.knowledge import Rule
from intact.knowledge.base import KnowledgeBase

# Class -> its heading, in the order in which the classes are shown.
CLASSES = vocabulary("texts")["clues"]

_TERMS = {
    one: [plural_phrase(phrase) if one != term else phrase for phrase in phrases.split(" / ")]
    for phrases, terms in vocabulary("clues")["narrow"].items()
    for term in terms.split(", ")
    for one in ((plural(term), term) if phrases.startswith(("a ", "an ")) else (term,))
}
# Terms that few countries have, by their keys -> their replacements, most specific first.
NARROW = {key(term): phrases for term, phrases in _TERMS.items()}
_NORMS, _COMMON = word_sets("clues", "norms"), word_sets("clues", "common")
_PLAIN = _COMMON["between_states"] | _COMMON["parts"]
_PIECES = {"months": either(MONTH_NAMES), "weekdays": either(WEEKDAY_NAMES)}
_FORMS = read_patterns("clues", _PIECES | {"terms": either(_TERMS).replace("'", "['’]")})
_LETTERS = re.compile(r"[^\W\d_]+")
_PEOPLES = frozenset({"nationality", "ethnicity"})
_NO_NAMES = frozenset({"offence", "law"})
_SHORTEST = 4
_MASKED = "\ufffc"
_NEED_YEAR = frozenset({"Order", "Bill", "Instrument"})  # heads of norms, and of a deportation
_BODIES = frozenset({"Council", "Commission", "Committee"})  # between States, or at an end: "Privy"


class ContextClue(NamedTuple):
    """A stretch of a text that no masked mention covers and that reveals something."""

    span: Span
    kind: str  # one of ``CLASSES``


def find_clues(
    document: Document, base: KnowledgeBase, detected: Iterable[Mention] = ()
) -> tuple[ContextClue, ...]:
    """Find words that nobody masked and that reveal where, when or whom a text is about.

    Args:
        document: with its mentions; no part of a masked one is a clue.
        base: knows institutions, places, peoples, terms and other names of what is masked.
        detected: what a detector finds in the text. Those of an identifying type that are names or
            hold five digits or more make the class "name"; without it that class is empty.

    Returns:
        The clues in text order; none overlaps another or a masked mention. Of two classes that
            claim the same words, the first of these has them: norm, title, foreign, alias,
            institution, place, term, name.
    """
    text = document.text
    taken = [mention.span for mention in document.mentions if mention.masked]
    letters = list(text)  # a masked name is no part of the name beside it
    for span in taken:
        letters[span.start : span.end] = _MASKED * len(span)
    seen = "".join(letters)
    found: list[ContextClue] = []
    known = defaultdict[str, list[Span]](list)
    for kind, span in _known(seen, base):
        known[kind].append(span)
    for kind, spans in (
        ("norm", _norms(text, _FORMS["norm"])),
        ("title", _norms(text, _FORMS["titled"])),
        ("foreign", _foreign(text)),
        ("alias", _aliases(document, base)),
        ("institution", known["institution"]),
        ("place", known["place"]),
        ("term", [*(Span(*m.span()) for m in _FORMS["narrow"].finditer(seen)), *known["term"]]),
        ("name", [m.span for m in detected if _is_name(m)]),
    ):
        for span in spans:
            if not any(span.overlaps(other) for other in taken):
                taken.append(span)
                found.append(ContextClue(span, kind))
    return tuple(sorted(found))


def _norms(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """Yield the spans of a pattern's matches that name one certain norm or title ("Companies Act
    1985"), in text order and without the function words that lead them.

    A match counts if it has two words or more and a capitalised word that is not only part of any
    norm ("Article") or everyday, and names no norm between States ("Treaty"). One whose head needs
    a year ("Order") has to have a number."""
    for match in pattern.finditer(text):
        start, words = match.start(), match.group().split()
        while words and words[0].lower() in STOP_WORDS:
            start += len(words[0]) + 1
            words = words[1:]
        capitals = {word.strip("(),’'“”") for word in words if word[:1].isupper()}
        own = capitals - _PLAIN - (_NORMS["provisions"] - _NEED_YEAR)
        dated = any(word.isdigit() for word in words)
        plain = not own or capitals & _COMMON["between_states"]
        sure = own - _NEED_YEAR and words[-1] not in _NEED_YEAR
        if words[1:] and not plain and (dated or sure):
            yield Span(start, match.end())


def _foreign(text: str) -> Iterator[Span]:
    """Yield the spans of the texts in brackets or quotes that are in another language, without
    blanks at their ends: each of their words of four letters or more is foreign, and at least one
    of these is in lower case."""
    for match in _FORMS["aside"].finditer(text):
        long = [word for word in _LETTERS.findall(match[1]) if len(word) >= _SHORTEST]
        if any(map(str.islower, long)) and all(map(is_foreign, long)):
            start = match.start(1) + len(match[1]) - len(match[1].lstrip())
            yield Span(start, start + len(match[1].strip()))


def _capital_runs(text: str) -> Iterator[Run]:
    """Yield the runs of capitalised words of a text ("Bank of Ireland"), in order. A function word
    that only opens the sentence ("The") is left out; so is a run that then ends in a word in lower
    case."""
    for run in runs(text, tokens_of(text)):
        first, *rest = (token.text for token in run.tokens)
        leads = run.opening and rest and is_english(first) and first.lower() in STOP_WORDS
        shown = run.without_first() if leads else run
        if shown is not None and shown.tokens[-1].capital:
            yield shown


def _known(text: str, base: KnowledgeBase) -> Iterator[tuple[str, Span]]:
    """Yield (class, span) for the runs of capitalised words that the knowledge base knows, in text
    order: "institution", by the head noun, with words joined before it; "place" for a country, city
    or people of exactly this name; "term" for one of two or more words with exactly this name.
    Institutions and places all in capitals do not count, nor do places and terms with an everyday
    word of courts or of bodies between States ("Court", "Treaty"), nor terms that open a sentence.

    Args:
        text: the document's, with ``_MASKED`` for each character that is masked; what follows such
            a stretch is no place.
        base: looks the names up.
    """
    for run in _capital_runs(text):
        name, words = run.span.of(text), {token.text for token in run.tokens}
        capitals = {token.text for token in run.tokens if token.capital}
        cut = text.endswith(_MASKED + " ", 0, run.span.start)  # the rest of a longer name
        shouted, plain = all(map(str.isupper, capitals)), bool(words & _PLAIN)
        body = not shouted and _may_be_body(name, capitals, run.tokens[-1].text)
        if body and _is_institution(name, base):
            before = _FORMS["joined"].search(text, max(0, run.span.start - 60), run.span.start)
            yield "institution", Span(before.start() if before else run.span.start, run.span.end)
        elif not (cut or plain or shouted) and _is_place(name, base):
            yield "place", run.span
        elif len(words) > 1 and not (run.opening or plain) and _is_term(name, base):
            yield "term", run.span


def _may_be_body(name: str, capitals: Set[str], head: str) -> bool:
    """Tell whether a name may be a body's ("Supreme Court"): it has two or more capitalised words,
    all in one sentence, and none of them is an everyday word, but "Court" or, as its head,
    "Council", "Commission" or "Committee".

    Args:
        name: the whole run of words.
        capitals: its capitalised words.
        head: its last word.
    """
    common = (capitals & _PLAIN) - {"Court"} - ({head} & _BODIES)
    return len(capitals) > 1 and not (common or capitals <= _PLAIN or ". " in name)


def _is_institution(name: str, base: KnowledgeBase) -> bool:
    """Tell whether the knowledge base takes a name for an organisation, and not for a document: it
    knows the whole name, or its head noun ("Ministry of X", "X Hospital") is by itself that of an
    organisation or an occupation."""
    link = base.link(name, EntityType.ORG, {})
    if link is None or not link.concept.startswith("org/") or link.kind == "document":
        return False
    words = name.split()
    head = words[words.index("of") - 1] if "of" in words[1:] else words[-1]
    own = base.link(head, EntityType.ORG, {})
    alone = own is not None and (own.concept.startswith("org/") or own.kind == "occupation")
    return link.rule is Rule.EXACT or alone


def _is_place(name: str, base: KnowledgeBase) -> bool:
    """Tell whether a country, city or people has exactly this name. An ethnicity or a city whose
    name is an English word ("Reading") does not count, nor a city whose name may also mean
    something else."""
    people = base.link(name, EntityType.DEM, {})
    if people is not None and people.rule is Rule.EXACT and people.kind in _PEOPLES:
        return people.kind == "nationality" or not is_english(name)
    link = base.link(name, EntityType.LOC, {})
    if link is None or link.rule is not Rule.EXACT or not link.concept.startswith("geo/"):
        return False
    return link.kind == "country" or not (link.ambiguous or is_english(name))


def _is_term(name: str, base: KnowledgeBase) -> bool:
    """Tell whether a term (a benefit, an office, a work), no offence or law, has exactly this
    name."""
    link = base.link(name, EntityType.MISC, {})
    exact = link is not None and link.rule is Rule.EXACT and link.kind not in _NO_NAMES
    return link is not None and exact and link.concept.startswith("term/")


def _aliases(document: Document, base: KnowledgeBase) -> Iterator[Span]:
    """Yield the spans in a text, of one to four words of one line that begin with a capital, that
    are another name of a masked proper name, or a capitalised word of one that is not English. Both
    have four letters or more, and are no everyday word ("Court"). The longest names come first,
    each with all its places in text order; masked places are among them."""
    text = document.text
    places: dict[str, list[Span]] = defaultdict(list)
    tokens = tokens_of(text)
    for at, token in enumerate(tokens):
        if token.capital and token.text.lower() not in STOP_WORDS:
            for last in tokens[at : at + 4]:
                span = Span(token.start, last.end)
                if "\n" in span.of(text):
                    break
                places[key(span.of(text))].append(span)
    proper = {m.text for m in document.mentions if m.masked and type_row(m.entity_type).proper}
    names: set[str] = set()
    for surface in proper:
        words = (w for w in _LETTERS.findall(surface) if w[0].isupper() and not is_english(w))
        names |= base.aliases(surface) | {key(w) for w in words if len(w) >= _SHORTEST}
    names -= {key(word) for word in _PLAIN}
    telling = (name for name in names if len(name) >= _SHORTEST and telling_lemmas(name))
    for name in sorted(telling, key=lambda name: (-len(name), name)):
        yield from places.get(name, ())


def _is_name(mention: Mention) -> bool:
    """Tell whether a mention of an identifying type is a name (two capitalised words, or one that
    is not English, and none that is everyday, as in "the Applicant") or holds five digits or
    more."""
    words = {word for word in _LETTERS.findall(mention.text) if word[0].isupper()}
    named = not words & _PLAIN and (len(words) > 1 or any(not is_english(word) for word in words))
    long = sum(map(str.isdigit, mention.text)) > _SHORTEST
    return type_row(mention.entity_type).identifies and (named or long)


# the classes of words that are protected (docs/context.md)
PROTECTED = frozenset({"norm", "title", "foreign", "institution", "place", "term", "alias"})
_PHRASES: Mapping[str, str] = vocabulary("clues")["phrases"]
_TYPES = {"institution": EntityType.ORG, "place": EntityType.LOC}


class ContextProtection:
    """Makes mentions of the clues in a document, and ladders for some of them."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base

    def mentions(self, document: Document) -> Document:
        """Return the document with a mention added for each clue (words outside the mentions that
        reveal something) of a protected class (all but "name"), in text order: a quasi-identifier,
        which has to be replaced. Clues of one class with equal words are one entity. The document
        itself is returned if there are none."""
        numbers: dict[tuple[str, str], int] = {}
        added = []
        for clue in find_clues(document, self._base):
            if clue.kind in PROTECTED:
                text = clue.span.of(document.text)
                number = numbers.setdefault((clue.kind, key(text)), len(numbers) + 1)
                own = f"{Source.CONTEXT}:{clue.kind}:{clue.span.start}"
                entity, kind = f"{Source.CONTEXT}:{number}", self._type(document, clue, text)
                added.append(Mention(own, clue.span, text, entity, kind, clue=clue.kind))
        every = sorted((*document.mentions, *added), key=lambda mention: mention.span)
        return replace(document, mentions=tuple(every)) if added else document

    def _type(self, document: Document, clue: ContextClue, text: str) -> str:
        """Choose the entity type of a clue (words outside the mentions that reveal something).

        A place or an alias is DEM if it is an adjective of a people and no country; any other place
        is LOC; any other alias has the type of the first masked mention with its words, else ORG.
        An institution is ORG, and all other clues are MISC."""
        if clue.kind not in ("place", "alias"):
            return _TYPES.get(clue.kind, EntityType.MISC)
        link = self._base.link(text, EntityType.DEM, {})
        place = self._base.link(text, EntityType.LOC, {})
        adjective = link is not None and link.kind in _PEOPLES
        if adjective and (place is None or place.kind != "country"):
            return EntityType.DEM
        if clue.kind == "place":
            return EntityType.LOC
        for mention in document.mentions:
            if mention.masked and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", mention.text):
                return mention.entity_type
        return EntityType.ORG

    def ladders(self, document: Document, ladders: Mapping[str, Ladder]) -> Mapping[str, Ladder]:
        """Return the candidates of all entities, with new ones for mentions made of clues of two
        classes, in place of any that they had: foreign words get one phrase, "a term in another
        language" or, from three words on, "a passage in another language"; a term of ``NARROW``
        gets its phrases there, most specific first.

        Args:
            document: with clues as mentions.
            ladders: candidates by entity id; those not of clues stay.
        """
        more = dict(ladders)
        for entity in document.entities:
            clue, words = entity.mentions[0].clue, key(entity.mentions[0].text)
            own = NARROW.get(words, []) if clue == "term" else []
            if clue == "foreign":  # whatever its words may mean in English
                own = [_PHRASES["passage" if words.count(" ") > 1 else "foreign"]]
            if own:
                made = (Candidate(text, rank, Source.CONTEXT) for rank, text in enumerate(own))
                more[entity.id] = tuple(made)
        return more
