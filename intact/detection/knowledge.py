"""Find what the knowledge base knows, addresses, and what the domain packs find.

Names are looked for in runs of capitalised words; what a run names follows from its words, the
knowledge base and the sentence. A title makes a run a person; other persons, jobs and illnesses are
left to the tagger. Scores are roughly how often such a find is right in court judgments.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from intact.detection.addresses import addresses
from intact.detection.findings import Finding
from intact.detection.names import Run, Token, Use, name_list, runs, tokens_of
from intact.detection.patterns import load_words, packs
from intact.english.dates import parse_calendar
from intact.english.quantities import CURRENCIES
from intact.english.sentences import line_is_upper
from intact.english.vocabulary import ABBREVIATIONS, GENERIC_HEADS, KEPT_TITLES, STOP_WORDS
from intact.english.words import TITLES, is_acronym, is_english, lemma
from intact.knowledge import Rule
from intact.knowledge.base import KnowledgeBase

SURE, KNOWN, HEADED, PROBABLE, POSSIBLE = 0.97, 0.85, 0.8, 0.6, 0.3

_PEOPLES = frozenset({"nationality", "ethnicity", "people", "religion", "language"})
_NO_PEOPLE = frozenset(load_words("traits")["lists"]["no_people"].split())
_STATUTES = frozenset({"Act", "Acts", "Treaty", "Directive", "Regulation", "Regulations"})
_LAWS = frozenset({"law", "treaty"})
_NO_BODY = _LAWS | {"document", "locality"}


class KnowledgeFinder:
    """Finds places, organisations, nationalities, addresses, unknown names, and what the packs
    find."""

    name = "knowledge"

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self._knowledge = knowledge
        self._link = lru_cache(1 << 14)(self._linked)

    def find(self, text: str) -> list[Finding]:
        """Return findings in a text, not in text order: what its runs of capitalised words name
        (places, organisations, nationalities, titled or likely persons, unclear names), what the
        rules of the domain packs match, and addresses."""
        tokens = tokens_of(text)
        lower = {token.text for token in tokens if not token.capital}
        named = (self._find_thing(text, _from_title(run), lower) for run in runs(text, tokens))
        found = addresses(text, lambda word: self._link(word.title(), "LOC").whole)
        places = (Finding(span, "address", SURE, self.name) for span in found)
        return [*filter(None, named), *packs(text, self.name), *places]

    def _find_thing(self, text: str, run: Run, lower: set[str]) -> Finding | None:
        """Return a finding for what a run of capitalised words names; None if it names nothing or
        is left to the tagger. The first capital of a sentence says nothing: in "Yesterday Novak",
        the finding may be of the rest alone.

        Args:
            text: the document.
            run: of capitalised words.
            lower: all words of the document that begin with no capital.
        """
        shown = run.span.of(text)
        words = [token for token in run.tokens if token.capital]
        if _names_no_thing(text, run, words, lower):
            return None
        if _is_titled(run):
            return Finding(run.span, "person", SURE, self.name)
        named, first = self._kind(shown, words), words[0].text.lower()
        if run.opening and not words[0].initials and (first in lower or is_english(first)):
            rest = run.without_first()
            if rest is not None and (named is None or named[1] < HEADED):
                return self._find_thing(text, rest, lower)
            known = (self._link(shown, kind).kind for kind in ("DEM", "LOC"))
            if len(words) == 1 and not any(known):
                return None
        return Finding(run.span, *named, self.name) if named else None

    def _kind(self, shown: str, words: Sequence[Token]) -> tuple[str, float] | None:
        """Choose the kind of a run of capitalised words ("place", "nationality", "organisation",
        "person", "other") and its score in [0, 1]; None if it names nothing or a law, or is left to
        others (occupations, currencies).

        Args:
            shown: the text of the run.
            words: its capitalised words.
        """
        if words[-1].text in _STATUTES or (shown.lower() in CURRENCIES and shown != "DM"):
            return None
        people, place = self._link(shown, "DEM"), self._link(shown, "LOC")
        bare = all(_is_generic(word.text) for word in words)
        if place.kind == "country":
            return "place", KNOWN
        if people.kind in _PEOPLES and shown not in _NO_PEOPLE:
            return "nationality", KNOWN
        if place.whole and place.kind not in _LAWS and not bare:
            return _judge_place(shown, words, place)
        organisation = self._link(shown, "ORG")
        if organisation.kind and organisation.kind not in _NO_BODY:
            return _judge_body(shown, words, organisation, bare=bare)
        if people.kind == "occupation":
            return None  # left to the tagger
        if place.kind == "locality":
            return "place", PROBABLE
        laws = _LAWS.intersection((people.kind, place.kind, organisation.kind))
        return None if laws else _judge_unknown(shown, words)

    def _linked(self, text: str, entity_type: str) -> _Linked:
        """Look a text up in the knowledge base as a name of an entity type. Return its kind there
        ("city"; "" if it is not known), and whether all of it is known, not only a word of it. A
        place has to be a geographic entry for that."""
        link = self._knowledge.link(text, entity_type, {})
        if link is None:
            return _Linked("", False)
        whole = link.rule in (Rule.EXACT, Rule.AFFIX, Rule.COMPOSITE)
        geographic = link.concept.startswith("geo/") or entity_type != "LOC"
        return _Linked(link.kind, whole and geographic)


class _Linked(NamedTuple):
    """The kind that the knowledge base takes a text for."""

    kind: str  # "" for what it does not know
    whole: bool  # whether all of the text is known


def _from_title(run: Run) -> Run:
    """Return a run without the words before its first plain form of address, "Mr Novak" of "Dear Mr
    Novak", which then opens no sentence; the same run if there is none or it comes last."""
    plain = [token.text.lower().rstrip(".") in KEPT_TITLES for token in run.tokens[:-1]]
    first = plain.index(True) if True in plain else 0
    return Run(run.tokens[first:], run.opening and not first)


def _is_titled(run: Run) -> bool:
    """Tell whether a run begins with a title and has a word that is none: "Dr Novak"."""
    titles = [token.text.lower().rstrip(".") in TITLES for token in run.tokens]
    return titles[0] and not all(titles)


def _names_no_thing(text: str, run: Run, words: Sequence[Token], lower: set[str]) -> bool:
    """Tell whether a run is a heading in capitals, "Section A", a date, an abbreviation, the name
    of a field, or a single word that the text also has in lower case."""
    shown, end = run.span.of(text), run.span.end
    lettered = len(words) == 2 and _is_generic(words[0].text) and len(words[1].text) == 1
    capitals = run.opening and shown.isupper() and all(is_english(word.text) for word in words)
    heading = lettered or capitals or line_is_upper(text, run.span.start, end)
    field = is_acronym(shown) and text[end : end + 1] == ":"
    common = len(words) == 1 and words[0].text.lower() in lower
    short = not ABBREVIATIONS.isdisjoint((shown, shown.rstrip(".")))
    return heading or field or common or short or parse_calendar(shown.lower()) is not None


def _judge_place(shown: str, words: Sequence[Token], place: _Linked) -> tuple[str, float]:
    """Return the kind "place", and the score of what the knowledge base takes for a place: less for
    a single English word, least if it names no city, as it is hardly the name of a small place.

    Args:
        shown: the text of a run of capitalised words.
        words: its capitalised words.
        place: what the knowledge base takes it for.
    """
    if len(words) > 1 or not is_english(shown):
        return "place", KNOWN
    return "place", PROBABLE if place.kind in ("capital", "city") else POSSIBLE


def _judge_body(
    shown: str, words: Sequence[Token], body: _Linked, *, bare: bool
) -> tuple[str, float] | None:
    """Return the kind and the score of what the knowledge base takes for an organisation: "person"
    for a given name before a word that is not English ("Anna Kirche"), else "organisation"; None
    for a common word.

    Args:
        shown: the text of a run of capitalised words.
        words: its capitalised words.
        body: what the knowledge base takes it for.
        bare: whether all of the words are common nouns or function words.
    """
    called = name_list().given_use(words[0].text) is Use.MOSTLY and not is_english(words[-1].text)
    if called and len(words) > 1 and not body.whole:
        return "person", HEADED  # "Anna Kirche"
    if len(words) == 1 and (bare or (not words[0].text.isupper() and is_english(shown))):
        return None
    return "organisation", HEADED if len(words) > 1 or body.whole else PROBABLE


def _is_generic(word: str) -> bool:
    """Tell whether a word is a common noun of which names are made ("Court", "Schools"), or a
    function word."""
    low = word.lower()
    return low in GENERIC_HEADS or lemma(word) in GENERIC_HEADS or low in STOP_WORDS


def _judge_unknown(shown: str, words: Sequence[Token]) -> tuple[str, float] | None:
    """Return the kind and the score of a run that the knowledge base does not know: "organisation"
    for an acronym, "person" for two to four words in title case of which one is not English or is
    on the list of names ("Ann Lovag"), else "other"; None for common words.

    Args:
        shown: the text of a run of capitalised words.
        words: its capitalised words.
    """
    if is_acronym(shown):
        known = len(shown) > 2 and is_english(shown)
        return None if known else ("organisation", PROBABLE)
    named = name_list().is_name
    foreign = [not is_english(word.text) or named(word.text) for word in words]
    if len(words) in (2, 3, 4) and any(foreign) and all(word.text[1:].islower() for word in words):
        return "person", HEADED if all(foreign) else PROBABLE
    common = any(_is_generic(word.text) or word.text.isupper() for word in words)
    return ("other", PROBABLE) if any(foreign) or not (common or len(words) == 1) else None
