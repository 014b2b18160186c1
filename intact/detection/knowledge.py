"""Find what the knowledge base knows, persons by titles and initials, illnesses, and addresses.

Names are looked for in runs of capitalised words; what a run is follows from its words, the
knowledge base and the sentence. What somebody does for a living is left to the tagger. An address
is found whole: from a part that is sure to be one (``data/addresses.toml``) to what belongs to it
on both sides. Scores are roughly how often such a find is right in court judgments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from intact.detection.findings import Covered, Finding
from intact.detection.names import Persons, Run, Token, Use, name_list, runs, tokens_of
from intact.detection.patterns import ABBREVIATIONS, compiled, load_words, packs
from intact.domain import Span
from intact.english.quantities import CURRENCIES
from intact.english.sentences import line_is_upper
from intact.english.time import MONTHS, parse_calendar
from intact.english.vocabulary import GENERIC_HEADS, STOP_WORDS
from intact.english.words import TITLES, is_acronym, is_english, lemma
from intact.knowledge import Rule, Votes, ladders
from intact.knowledge.base import KnowledgeBase

TITLED, INITIALLED, KNOWN, HEADED, PROBABLE, POSSIBLE, FAINT = 0.97, 0.9, 0.85, 0.8, 0.6, 0.45, 0.15

_PEOPLES = frozenset({"nationality", "ethnicity", "people", "religion", "language"})
_NO_PEOPLE = frozenset(load_words("traits")["lists"]["no_people"].split())
_STATUTES = frozenset({"Act", "Acts", "Treaty", "Directive", "Regulation", "Regulations"})
_LAWS = frozenset({"law", "treaty"})
_WHERE = re.compile(r"\b(?:in|at|near|from|of|to|around|outside)\s\Z")
_ELSEWHERE: Votes = {"ZZ": 1.0}
"""Votes of a document that speaks of no country on earth: only large places are sure in it."""


class KnowledgeFinder:
    """Persons, places, organisations, nationalities, occupations."""

    name = "knowledge"

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self._knowledge = knowledge
        self._link = lru_cache(1 << 14)(self._linked)

    def find(self, text: str) -> list[Finding]:
        """Find names, illnesses and addresses in a text."""
        tokens = tokens_of(text)
        lower = {token.text for token in tokens if not token.capital}
        every = list(runs(text, tokens))
        named = [run for run in every if not self._says_what(text, run)]
        people = list(Persons(text, tokens, self._is_known).find(named))
        findings = [Finding(span, "person", score, self.name) for span, score in people]
        taken = Covered(text, (span for span, _ in people))
        for run in every:
            for piece in _apart(run, taken):
                if score := self._score_person(piece):
                    findings.append(Finding(piece.span, "person", score, self.name))
                else:
                    findings += self._find_thing(text, piece, lower)
        findings += traits(text, self.name)
        places = addresses(text, lambda word: self._is_whole(word.title(), "LOC"))
        return [*findings, *(Finding(span, "address", TITLED, self.name) for span in places)]

    def _says_what(self, text: str, run: Run) -> bool:
        """Tell whether a word of another language, no person's name, says what a run names: "Banc
        Teifi". A place says it with its first word: with their last, people are called so."""
        words, names = [token.text for token in run.tokens if token.capital], name_list()
        if len(words) == 1 or names.given_use(words[0]) is Use.MOSTLY:
            return False
        foreign = [word for word in words if not (is_english(word) or names.is_name(word))]
        said = {one.kind for word in foreign if (one := self._link(word, "ORG")) and not one.whole}
        body, place = self._link(run.span.of(text), "ORG"), self._link(words[0], "LOC")
        first = place.kind if place is not None and words[0] in foreign else ""
        form = body.kind if body is not None else ""
        return bool(said - {"person", "legal", "locality"}) or form == "form" or first == "locality"

    def _is_whole(self, shown: str, entity_type: str) -> bool:
        link = self._link(shown, entity_type)
        return link is not None and link.whole

    def _is_known(self, shown: str) -> bool:
        """Tell whether an organisation, a place or a people is called exactly so."""
        if parse_calendar(shown.lower()) is not None or self._is_whole(shown, "LOC"):
            return True
        people = self._link(shown, "DEM")
        return (people is not None and people.kind in _PEOPLES) or self._is_whole(shown, "ORG")

    def _score_person(self, run: Run) -> float:
        """Score how surely a title or initials make a run a name; 0 without them."""
        words, last = run.tokens, run.tokens[-1]
        titles = [word.text.lower().rstrip(".") in TITLES for word in words]
        if titles[0] and not all(titles):
            return TITLED
        if len(words) == 1:
            letters = last.initials and len(last.text) > 2 and last.text not in ABBREVIATIONS
            known = letters and (self._link(last.text, "ORG") or self._link(last.text, "LOC"))
            return PROBABLE if letters and not known else 0
        if words[0].initials and last.capital:
            named = not is_english(last.text) or name_list().is_name(last.text)
            return INITIALLED if named else PROBABLE  # "Sex: F. Marital status"
        letters = all(len(word.text) == 1 for word in words[:-1])
        name = letters and not is_english(last.text) and last.text[1:].islower()
        return PROBABLE if name else 0

    def _find_thing(self, text: str, run: Run, lower: set[str]) -> list[Finding]:
        """Find the thing other than a person that a run names: one finding at the most."""
        start, end = run.span.start, run.span.end
        shown = text[start:end]
        words = [token for token in run.tokens if token.capital]
        if parse_calendar(shown.lower()) is not None:
            return []
        if _is_letter(text, run):
            return [Finding(run.span, "person", PROBABLE, self.name)]
        heading = run.opening and shown.isupper() and all(is_english(word.text) for word in words)
        lettered = len(words) == 2 and _is_generic(words[0].text) and len(words[1].text) == 1
        if heading or lettered or line_is_upper(text, start, end):
            return []
        kind, score = self._kind(shown, words)
        first = words[0].text.lower()
        if run.opening and not words[0].initials and (first in lower or is_english(first)):
            rest = run.without_first()
            if len(words) == 1:
                if self._link(shown, "DEM") is None and self._link(shown, "LOC") is None:
                    return []
            elif rest is not None and score < HEADED:
                return self._find_thing(text, rest, lower)
        if score == POSSIBLE and kind == "place" and _WHERE.search(text, max(0, start - 10), start):
            score = PROBABLE
        tag = text[end : end + 1] == ":" and is_acronym(shown)
        common = len(words) == 1 and first in lower and kind != "nationality"
        if tag or common or not ABBREVIATIONS.isdisjoint((shown, shown.rstrip("."))):
            score = FAINT
        if score >= PROBABLE and kind in ("organisation", "place") and self._says_what(text, run):
            score = 1.0
        return [Finding(run.span, kind, score, self.name)]

    def _kind(self, shown: str, words: Sequence[Token]) -> tuple[str, float]:
        """Choose the kind of a run of capitalised words, and score how sure it is."""
        bare = all(_is_generic(word.text) for word in words)
        if shown.lower() in CURRENCIES and shown != "DM":
            return "quantity", FAINT
        if words[-1].text in _STATUTES:
            return "other", FAINT
        people, place = self._link(shown, "DEM"), self._link(shown, "LOC")
        if place is not None and place.kind == "country":
            return "place", KNOWN
        if people is not None and people.kind in _PEOPLES and shown not in _NO_PEOPLE:
            return "nationality", KNOWN
        if place is not None and place.whole and place.kind not in _LAWS and not bare:
            doubtful = place.little and len(words) == 1 and is_english(shown)
            large = PROBABLE if place.kind in ("capital", "city") else POSSIBLE
            return "place", large if doubtful else KNOWN
        organisation = self._link(shown, "ORG")
        if organisation is not None and organisation.kind not in _LAWS | {"document", "locality"}:
            headline = shown.isupper() and all(is_english(word.text) for word in words)
            if headline and not organisation.whole:
                return "organisation", FAINT
            if len(words) == 1 and (bare or (not words[0].text.isupper() and is_english(shown))):
                return "organisation", FAINT
            return "organisation", HEADED if len(words) > 1 or organisation.whole else PROBABLE
        if people is not None and people.kind == "occupation":
            return "occupation", POSSIBLE
        if place is not None and place.kind == "locality":
            return "place", PROBABLE
        if any(link is not None and link.kind in _LAWS for link in (people, place, organisation)):
            return "other", FAINT
        return _judge_unknown(shown, words)

    def _linked(self, text: str, entity_type: str) -> _Linked | None:
        votes: Votes = {}
        link = self._knowledge.link(text, entity_type, votes)
        if link is None or link.rule is Rule.CONTAINED:
            return None
        abroad = self._knowledge.link(text, entity_type, _ELSEWHERE)
        little = link.ambiguous or abroad is None or abroad.ambiguous
        whole = link.rule in (Rule.EXACT, Rule.AFFIX, Rule.COMPOSITE)
        geographic = link.concept.startswith("geo/") or entity_type != "LOC"
        return _Linked(link.kind, whole and geographic, little)


class _Linked(NamedTuple):
    """A kind that the knowledge base takes a text for."""

    kind: str
    whole: bool  # whether all of the text is known
    little: bool  # whether few would know it anywhere


def _apart(run: Run, taken: Covered) -> Iterator[Run]:
    """Yield what is left of a run beside the spans that are taken."""
    for free, part in groupby(
        run.tokens, lambda token: not taken.touches(Span(token.start, token.start + 1))
    ):
        tokens = list(part)
        opening = run.opening and tokens[0] is run.tokens[0]
        capitals = [at for at, token in enumerate(tokens) if token.capital]
        if free and capitals:
            yield Run(tuple(tokens[capitals[0] : capitals[-1] + 1]), opening)


def _is_letter(text: str, run: Run) -> bool:
    """Recognise one letter that stands for a person: "B", "J's"."""
    token = run.tokens[0]
    if len(run.tokens) > 1 or run.opening or len(token.text.rstrip(".")) != 1:
        return False
    before = text[max(0, token.start - 14) : token.start].split()
    if re.match(r" \d", text[token.end : token.end + 2]):  # "Monday - A 71-year-old"
        return False
    cited = bool(before) and (before[-1][0].isupper() or before[-1].strip("(").isdigit())
    return token.text[0] != "I" and not cited


def _is_generic(word: str) -> bool:
    low = word.lower()
    return low in GENERIC_HEADS or lemma(word) in GENERIC_HEADS or low in STOP_WORDS


def _judge_unknown(shown: str, words: Sequence[Token]) -> tuple[str, float]:
    """Judge a run that nobody knows: a person if it looks like one, else something."""
    if is_acronym(shown) and len(words) == 1:
        known = shown in ABBREVIATIONS or (len(shown) > 2 and is_english(shown))
        return "organisation", FAINT if known else PROBABLE
    named = name_list().is_name
    foreign = [not is_english(word.text) or named(word.text) for word in words]
    if len(words) in (2, 3, 4) and all(word.text[1:].islower() for word in words):
        if all(foreign):
            return "person", HEADED
        if any(foreign):
            return "person", PROBABLE
    common = any(_is_generic(word.text) or word.text.isupper() for word in words)
    return "other", PROBABLE if any(foreign) or (len(words) > 1 and not common) else FAINT


# --- illnesses -------------------------------------------------------------------------------


_MOST_WORDS = 4  # words of an illness
_LEAST_LETTERS = 5  # letters of one of one word
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


def traits(text: str, source: str) -> Iterator[Finding]:
    """Find illnesses, and whatever the packs find.

    Args:
        text: the document.
        source: the name that the findings carry.
    """
    yield from packs(text, source)
    before, known = _illnesses()
    words = list(_WORD.finditer(text))
    ends = {match.end() for match in words}
    behind = 0
    for match in words:
        start = match.start()
        names = known.get(match[0].lower(), ()) if start >= behind else ()
        for name in names:
            end = start + len(name)
            if end in ends and text[start:end].lower() == name:
                said = before.search(text, max(0, start - 40), start)
                span = Span(said.start() if said else start, end)
                yield Finding(span, "characteristic", PROBABLE, source)
                behind = end
                break


@lru_cache(1)
def _illnesses() -> tuple[re.Pattern[str], Mapping[str, list[str]]]:
    """Read the pattern of what may stand before an illness ("chronic"), and first words ->
    illnesses."""
    tables = load_words("traits")
    before, vague = (
        compiled(tables["patterns"][name], tables["words"])
        for name in ("before_illness", "vague_illness")
    )
    told_little = frozenset(tables["lists"]["vague"].split())
    named = {
        name.lower()
        for node in ladders.read_ladders([Path(ladders.__file__).parent / "ladders" / "health.txt"])
        if node.kind == "health"
        for name in (*node.names, *node.plural_names)
    }
    known: dict[str, list[str]] = {}
    for name in sorted(named - told_little, key=len, reverse=True):
        words = _WORD.findall(name)
        if not vague.match(name) and len(name) >= _LEAST_LETTERS and 0 < len(words) <= _MOST_WORDS:
            known.setdefault(words[0], []).append(name)
    return before, known


# --- addresses -------------------------------------------------------------------------------

Known = Callable[[str], bool]  # whether a place is called so
_MOST_PARTS = 12  # parts that are joined to one
_NAME_WORDS = 5  # of one name
_JOINT = re.compile(r"[ ]-[ ]|,?[ \u00a0]{1,2}(?![\n>])|,?[ \t]*\n[>?*\t ]{0,6}(?:,[ ])?")
_NUMBER = re.compile(
    r"[A-Z]{1,2}\d[\dA-Z]?[ ]\d[A-Z]{2}\b"
    r"|\d{1,6}(?:[ ]\d\d|-\d{3})?[a-zA-Z]?\.?(?![\w:]|[ ./-]\d|,\d)"
)
_CODE = re.compile(r"[A-Z]{2,3}\b(?![.:])")
_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[.’'-])*(?!\w)(?:[ ]\([^\W\d_][\w ]{1,20}\))?")
_FILLED = re.compile(r"[ ]*(?:[\n,.;)]|\Z|[ ]\d|[ ](?:[A-Z]{2}\b|[A-Z]{1,2}\d))")
_BEFORE = re.compile(r"(?<![\w.,/:-])(?!(?:19|20)\d\d[ ])(?:\d{1,6}[ ]){1,2}\Z")
_NO_PARTICLES = STOP_WORDS - {"am", "an", "do", "on"}
_BEFORE_DOCTOR = re.compile(r"\b\d{1,2} (?P<month>\w+)\.? Dr\Z")


@lru_cache(1)
def _patterns() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    tables = load_words("addresses")
    words = tables["words"]
    unit = compiled(r"(?i:<<unit>>)[ ]#?(?=[\w-]{0,6}\d)[\w/-]{1,8}\b", words)
    return unit, tuple(compiled(one, words) for one in tables["anchors"]["patterns"])


def addresses(text: str, known: Known) -> Iterator[Span]:
    """Find addresses, from a part that is sure to be one to what belongs to it; they may overlap.

    Args:
        text: the document.
        known: whether a place is called so; asked about capitals beside a sure part.
    """
    unit, anchors = _patterns()
    for anchor in anchors:
        group = "what" if "what" in anchor.groupindex else 0
        for match in anchor.finditer(text):
            start, end = match.span(group)
            title = _BEFORE_DOCTOR.search(text, start, end)
            if title and title["month"].lower() in MONTHS:
                continue  # "5 Oct. Dr Moreau came"
            number = _BEFORE.search(text, max(0, start - 14), start)
            start = number.start() if number else start
            yield Span(start, _right(text, end, unit, known))


def _right(text: str, end: int, unit: re.Pattern[str], known: Known) -> int:
    """Find the offset at which the address ends whose first part ends at ``end``."""
    at, unsure = end, 0
    for _ in range(_MOST_PARTS):
        gap = _JOINT.match(text, at)
        if gap is None:
            break
        start = gap.end()
        sure = unit.match(text, start) or _NUMBER.match(text, start) or _CODE.match(text, start)
        behind = _NAME.match(text, sure.end() + 1) if sure else None
        if sure and not (behind and behind[0].lower().rstrip(".") in MONTHS):
            at = end = sure.end()
            unsure = 0
            continue
        stop = _name(text, start)
        if stop is None or not _FILLED.match(text, stop):
            break
        at = stop
        unsure += 1
        if known(text[start:stop]):
            end, unsure = stop, 0
        if unsure > 2:
            break
    return end


def _name(text: str, start: int) -> int | None:
    """Find the offset at which a run of capitalised words ends; None if none begins at
    ``start``."""
    at, stop = start, None
    for _ in range(_NAME_WORDS):
        word = _NAME.match(text, at)
        shown = word.group() if word else ""
        joins = stop and len(shown) < 5 and shown not in _NO_PARTICLES  # "nad", "de la"
        if word is None or (shown[0].islower() and not joins):
            break
        if shown.lower() in STOP_WORDS and shown[0].isupper():
            break
        at = word.end()
        if not shown[0].islower():
            stop = at
        if text[at : at + 1] != " ":
            break
        at += 1
    return stop
