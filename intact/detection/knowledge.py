"""Find what the knowledge base knows, persons by titles and initials, illnesses, and addresses.

Names are looked for in runs of capitalised words; what a run is follows from its words (a title,
initials, the head of an organisation), from the knowledge base, and from the sentence around it.
Illnesses of the knowledge base's ladders are found wherever they stand; what somebody does for a
living, and what only the sentence tells, is left to the tagger. An address is found whole: from a
part that is sure to be one (``data/addresses.toml``) to what belongs to it on both sides, over
commas and line ends. Scores are roughly how often such a find is right in court judgments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from intact.detection.findings import Covered, Finding
from intact.detection.names import Persons, Run, Token, name_list, runs, tokens_of
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
        """Findings in ``text``."""
        tokens = tokens_of(text)
        lower = {token.text for token in tokens if not token.capital}
        every = list(runs(text, tokens))
        people = Persons(text, tokens, self._is_known).find(every)
        found = [self._finding(span, "person", score) for span, score in people]
        taken = Covered(text, (span for span, _ in people))
        for run in every:
            for piece in _apart(run, taken):
                person = self._person(piece)
                found += [person] if person else self._thing(text, piece, lower)
        found += traits(text, self.name)
        found += (
            self._finding(span, "address", TITLED) for span in addresses(text, self._is_place)
        )
        return found

    def _is_place(self, word: str) -> bool:
        link = self._link(word.title(), "LOC")
        return link is not None and link[2]

    def _is_known(self, shown: str) -> bool:
        """Return whether an organisation, a place or a people is called exactly so."""
        if parse_calendar(shown) is not None:
            return True
        place, people = self._link(shown, "LOC"), self._link(shown, "DEM")
        if (place is not None and place[2]) or (people is not None and people[0] in _PEOPLES):
            return True
        organisation = self._link(shown, "ORG")
        return organisation is not None and organisation[2]

    def _person(self, run: Run) -> Finding | None:
        """A name by its title, or by initials in front."""
        words = run.tokens
        titles = [word.text.lower().rstrip(".") in TITLES for word in words]
        if titles[0] and not all(titles):
            return self._finding(run.span, "person", TITLED)
        if words[0].initials and len(words) > 1 and words[-1].capital:
            last = words[-1].text
            named = not is_english(last) or name_list().is_name(last)  # "Sex: F. Marital status"
            return self._finding(run.span, "person", INITIALLED if named else PROBABLE)
        letters = len(words) > 1 and all(len(word.text) == 1 for word in words[:-1])
        if letters and not is_english(words[-1].text) and words[-1].text[1:].islower():
            return self._finding(run.span, "person", PROBABLE)
        if len(words) == 1 and words[0].initials and len(words[0].text) > 2:
            known = self._link(words[0].text, "ORG") or self._link(words[0].text, "LOC")
            if known is None:
                return self._finding(run.span, "person", PROBABLE)
        return None

    def _thing(self, text: str, run: Run, lower: set[str]) -> Iterator[Finding]:
        shown = run.span.of(text)
        if parse_calendar(shown) is not None:
            return
        words = [token for token in run.tokens if token.capital]
        if _letter(text, run):
            yield self._finding(run.span, "person", PROBABLE)
            return
        heading = run.opening and shown.isupper() and all(is_english(word.text) for word in words)
        lettered = len(words) == 2 and _generic(words[0].text) and len(words[1].text) == 1
        if heading or lettered or line_is_upper(text, run.span.start, run.span.end):
            return
        if run.opening and _ordinary(words[0], lower):
            rest = run.without_first()
            if len(words) == 1:
                if self._link(shown, "DEM") is None and self._link(shown, "LOC") is None:
                    return
            elif rest is not None and self._kind(shown, words)[1] < HEADED:
                yield from self._thing(text, rest, lower)
                return
        kind, score = self._kind(shown, words)
        if (
            kind == "place"
            and score == POSSIBLE
            and _WHERE.search(text, max(0, run.span.start - 10), run.span.start)
        ):
            score = PROBABLE
        tag = text[run.span.end : run.span.end + 1] == ":" and is_acronym(shown)
        if tag or shown.rstrip(".") in ABBREVIATIONS:
            score = FAINT
        if len(words) == 1 and words[0].text.lower() in lower and kind != "nationality":
            score = min(score, FAINT)
        yield self._finding(run.span, kind, score)

    def _kind(self, shown: str, words: Sequence[Token]) -> tuple[str, float]:
        """Return what a run of capitalised words is, and how sure that is."""
        bare = all(_generic(word.text) for word in words)
        if shown.lower() in CURRENCIES and shown != "DM":
            return "quantity", FAINT
        if words[-1].text in _STATUTES:
            return "other", FAINT
        people, place = self._link(shown, "DEM"), self._link(shown, "LOC")
        if place is not None and place[0] == "country":
            return "place", KNOWN
        if people is not None and people[0] in _PEOPLES and shown not in _NO_PEOPLE:
            return "nationality", KNOWN
        if place is not None and place[2] and place[0] not in _LAWS and not bare:
            doubtful = place[3] and len(words) == 1 and is_english(shown)
            large = PROBABLE if place[0] in ("capital", "city") else POSSIBLE
            return "place", large if doubtful else KNOWN
        organisation = self._link(shown, "ORG")
        if organisation is not None and organisation[0] not in _LAWS | {"document"}:
            headline = shown.isupper() and all(is_english(word.text) for word in words)
            if headline and not organisation[2]:
                return "organisation", FAINT
            if len(words) == 1 and (bare or (not words[0].text.isupper() and is_english(shown))):
                return "organisation", FAINT
            return "organisation", HEADED if len(words) > 1 or organisation[2] else PROBABLE
        if people is not None and people[0] == "occupation":
            return "occupation", POSSIBLE
        if place is not None and place[0] == "locality":
            return "place", PROBABLE
        if any(link is not None and link[0] in _LAWS for link in (people, place, organisation)):
            return "other", FAINT
        return _unknown(shown, words)

    def _linked(self, text: str, entity_type: str) -> tuple[str, str, bool, bool] | None:
        """Kind, concept, whether the whole text is known, whether few would know it anywhere."""
        votes: Votes = {}
        link = self._knowledge.link(text, entity_type, votes)
        if link is None or link.rule is Rule.CONTAINED:
            return None
        abroad = self._knowledge.link(text, entity_type, _ELSEWHERE)
        little = link.ambiguous or abroad is None or abroad.ambiguous
        whole = link.rule in (Rule.EXACT, Rule.AFFIX, Rule.COMPOSITE)
        geographic = link.concept.startswith("geo/") or entity_type != "LOC"
        return link.kind, link.concept, whole and geographic, little

    def _finding(self, span: Span, kind: str, score: float) -> Finding:
        return Finding(span, kind, score, self.name)


def _apart(run: Run, taken: Covered) -> Iterator[Run]:
    """Return what is left of a run beside the spans that are taken."""
    left: list[Token] = []
    parts: list[tuple[list[Token], bool]] = []
    for token in (*run.tokens, None):
        free = token is not None and not taken.touches(Span(token.start, token.start + 1))
        if free and token is not None:
            left.append(token)
            continue
        if left:
            parts.append((left, run.opening and left[0] is run.tokens[0]))
        left = []
    for tokens, opening in parts:
        capitals = [at for at, token in enumerate(tokens) if token.capital]
        if capitals:
            yield Run(tuple(tokens[capitals[0] : capitals[-1] + 1]), opening)


def _ordinary(token: Token, lower: set[str]) -> bool:
    """Return whether a word that opens a sentence is likely an ordinary one."""
    word = token.text.lower()
    return not token.initials and (word in lower or is_english(word))


def _letter(text: str, run: Run) -> bool:
    """Return whether the run is one letter that stands for a person: "B", "J's"."""
    token = run.tokens[0]
    if len(run.tokens) > 1 or run.opening or len(token.text.rstrip(".")) != 1:
        return False
    before = text[max(0, token.start - 14) : token.start].split()
    if re.match(r" \d", text[token.end : token.end + 2]):  # "Monday - A 71-year-old"
        return False
    cited = bool(before) and (before[-1][0].isupper() or before[-1].strip("(").isdigit())
    return token.text[0] != "I" and not cited


def _generic(word: str) -> bool:
    low = word.lower()
    return low in GENERIC_HEADS or lemma(word) in GENERIC_HEADS or low in STOP_WORDS


def _unknown(shown: str, words: Sequence[Token]) -> tuple[str, float]:
    """A run that nobody knows: a person if it looks like one, else something."""
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
    if any(foreign):
        return "other", PROBABLE
    if len(words) > 1 and not any(_generic(word.text) or word.text.isupper() for word in words):
        return "other", PROBABLE
    return "other", FAINT


# --- illnesses -------------------------------------------------------------------------------


_MOST_WORDS = 4  # words of an illness
_LEAST_LETTERS = 5  # letters of one of one word
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


def traits(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: illnesses, and whatever the packs find."""
    yield from packs(text, source)
    before, known = _illnesses()
    words = [match.span() for match in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        start = words[at][0]
        longest = known.get(text[start : words[at][1]].lower(), ())
        for name in longest:
            if text[start : start + len(name)].lower() == name:
                last = at + len(_WORD.findall(name)) - 1
                if last < len(words) and words[last][1] == start + len(name):
                    said = before.search(text, max(0, start - 40), start)
                    span = Span(said.start() if said else start, start + len(name))
                    yield Finding(span, "characteristic", PROBABLE, source)
                    at = last
                    break
        at += 1


@lru_cache(1)
def _illnesses() -> tuple[re.Pattern[str], Mapping[str, list[str]]]:
    """Return what may stand before an illness ("chronic"), and first words -> illnesses, long
    ones first, in lower case."""
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
    for name in sorted(named - told_little, key=lambda name: (-len(name), name)):
        words = _WORD.findall(name)
        if not vague.match(name) and len(name) >= _LEAST_LETTERS and 0 < len(words) <= _MOST_WORDS:
            known.setdefault(words[0], []).append(name)
    return before, known


# --- addresses -------------------------------------------------------------------------------

Known = Callable[[str], bool]
"""Whether a place is called so."""

_MOST_PARTS = 12  # parts that are joined to one
_NAME_WORDS = 5  # of one name
_BACK = 80  # characters before an anchor that may belong to it
_JOINT = re.compile(r"[ ]-[ ]|,?[ \u00a0]{1,2}(?![\n>])|,?[ \t]*\n[>?*\t ]{0,6}(?:,[ ])?")
_NUMBER = re.compile(
    r"[A-Z]{1,2}\d[\dA-Z]?[ ]\d[A-Z]{2}\b"
    r"|\d{1,6}(?:[ ]\d\d|-\d{3})?[a-zA-Z]?\.?(?![\w:]|[ ./-]\d|,\d)"
)
_CODE = re.compile(r"[A-Z]{2,3}\b(?![.:])")
_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|[.’'-])*(?!\w)(?:[ ]\([^\W\d_][\w ]{1,20}\))?")
_FILLED = re.compile(r"[ ]*(?:[\n,.;)]|\Z|[ ]\d|[ ](?:[A-Z]{2}\b|[A-Z]{1,2}\d))")
_BEFORE = re.compile(r"(?<![\w.,/:-])(?!(?:19|20)\d\d[ ])(?:\d{1,6}[ ]){1,2}\Z")
_BEFORE_DOCTOR = re.compile(r"\b\d{1,2} (?P<month>\w+)\.? Dr\Z")


@lru_cache(1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], tuple[re.Pattern[str], ...]]:
    tables = load_words("addresses")
    words = tables["words"]
    unit = compiled(r"(?i:<<unit>>)[ ]#?(?=[\w-]{0,6}\d)[\w/-]{1,8}\b", words)
    before = compiled(
        r"(?:(?:<<number>>|(?:<<unit>>)[ ][\w-]{1,6}|<<name>>|<<lower>>)"
        r"(?:,?[ ]|,?[ ]?\n[>?*\t ]{0,6})){1,8}\Z",
        words,
    )
    return unit, before, tuple(compiled(one, words) for one in tables["anchors"]["patterns"])


def addresses(text: str, known: Known) -> Iterator[Span]:
    """The addresses in ``text``; they may overlap.

    Args:
        known: asked about runs of capitals beside a part that is sure.
    """
    unit, before, anchors = _patterns()
    for anchor in anchors:
        group = "what" if "what" in anchor.groupindex else 0
        for match in anchor.finditer(text):
            start, end = match.span(group)
            title = _BEFORE_DOCTOR.search(text, start, end)
            if title and title["month"].lower() in MONTHS:
                continue  # "5 Oct. Dr Moreau came"
            if unit.match(text, start):
                start = _left(text, start, before)
            number = _BEFORE.search(text, max(0, start - 14), start)
            start = number.start() if number else start
            yield Span(start, _right(text, end, unit, known))


def _left(text: str, start: int, before: re.Pattern[str]) -> int:
    """Return where the street before a flat begins; ``start`` if no number speaks for one."""
    found = before.search(text, max(0, start - _BACK), start)
    number = re.search(r"\b\d", found.group()) if found else None
    if found is None or number is None:
        return start
    begin = found.start() + number.start()
    while begin > found.start() and text[begin - 1] == " ":
        word = re.search(r"[\w.’'-]+\Z", text[found.start() : begin - 1])
        if word is None or word.group().lower() in STOP_WORDS:
            break
        begin = found.start() + word.start()
    return begin


def _right(text: str, end: int, unit: re.Pattern[str], known: Known) -> int:
    """Return where the address ends whose first part ends at ``end``."""
    at, unsure = end, 0
    for _ in range(_MOST_PARTS):
        gap = _JOINT.match(text, at)
        if gap is None:
            break
        start = gap.end()
        sure = unit.match(text, start) or _NUMBER.match(text, start) or _CODE.match(text, start)
        if sure is not None and not _dated(text, sure.end()):
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


def _dated(text: str, end: int) -> bool:
    """Return whether a month stands behind a number."""
    word = _NAME.match(text, end + 1)
    return word is not None and word.group().lower().rstrip(".") in MONTHS


def _name(text: str, start: int) -> int | None:
    """Return where a run of capitalised words ends that begins at ``start``; None if none does."""
    at, stop = start, None
    for _ in range(_NAME_WORDS):
        word = _NAME.match(text, at)
        shown = word.group() if word else ""
        if word is None or (shown[0].islower() and (stop is None or not _joins(shown))):
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


def _joins(word: str) -> bool:
    """Return whether a word in small letters may stand inside a place's name ("nad", "de la")."""
    return len(word) < 5 and word not in (STOP_WORDS - {"am", "an", "do", "on"})
