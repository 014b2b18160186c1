"""Names: runs of capitalised words; and which words are given names or surnames somewhere in the
world (``names.txt``)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import chain, dropwhile, islice, pairwise
from pathlib import Path
from typing import NamedTuple

from intact.domain import Covered, Span
from intact.english.sentences import starts_sentence
from intact.english.vocabulary import (
    ABBREVIATIONS,
    HONORIFICS,
    STOP_WORDS,
    read_parts,
    read_patterns,
    word_sets,
)
from intact.english.words import PARTICLES, TITLES, fold, is_acronym, is_english, name_of, words
from intact.errors import ResourceError, loading

# --- runs of capitalised words ---------------------------------------------------------------

_FOLDER = Path(__file__).resolve().parent
_PARTICLES = {"particles": "|".join(sorted(PARTICLES))}
_FORMS = read_patterns("names", _PARTICLES, folder=_FOLDER / "data")
_OPENERS = word_sets("grammar", "sentence")["openers"]
_NAMES = word_sets("words", "names")
_CALLINGS = TITLES | PARTICLES | _NAMES["callings"]
_LINKS = frozenset({"of", "for", "the"})
_MOST_LINKS = 2
_CODE = 3  # a word with this many digits is no name: "MBR-204-99812"
_LONGEST = 30  # the most words of one run; a longer one is no name, and is cut
_RUN_GAPS = (" ", "\u00a0", "-", "\u2010", "\u2011", "/")
_UNLISTED = 4  # the least letters of a surname in capitals before a comma that is on no list


class Token(NamedTuple):
    """A word, or initials with their full stops."""

    text: str
    start: int
    end: int
    capital: bool  # whether it begins with a capital letter

    @property
    def initials(self) -> bool:
        """Tell whether a token is initials ("A.", "J.R.")."""
        return _FORMS["initials"].match(self.text) is not None


@dataclass(frozen=True)
class Run:
    """Capitalised words side by side, and the small words that join them."""

    tokens: tuple[Token, ...]
    opening: bool  # whether it starts a sentence, so that its first capital means nothing

    @cached_property
    def span(self) -> Span:
        """The span from the begin of the first word to the end of the last."""
        return Span(self.tokens[0].start, self.tokens[-1].end)

    def without_first(self) -> Run | None:
        """Return the run without its first word and the small words after that; None if nothing is
        left. The rest counts as an opening only if the run is in capitals, as a heading is."""
        rest = tuple(dropwhile(lambda token: not token.capital, self.tokens[1:]))
        return Run(rest, all(token.text.isupper() for token in self.tokens)) if rest else None


def tokens_of(text: str) -> list[Token]:
    """Return the words of a text in order, each with its offsets, without possessive endings: "Ann"
    of "Ann's". A code ("MBR-20499") and "I'm" do not count as capitalised."""
    tokens = []
    for match in _FORMS["token"].finditer(text):
        shown = match.group().rstrip(" -").removesuffix("'s").removesuffix("’s")
        code = sum(map(str.isdigit, shown)) >= _CODE
        capital = shown[0].isupper() and not (code or shown.startswith(("I'", "I’")))
        tokens.append(Token(shown, match.start(), match.start() + len(shown), capital))
    return tokens


def runs(text: str, tokens: list[Token]) -> Iterator[Run]:
    """Yield the runs of capitalised words of a text, in order.

    "of", "for" and "the" join words ("Court of Appeal"), and so do particles of names ("van der
    Berg"); after such a link, "and" joins as well ("Ministry of Transport and Communications").
    After a title and a name only particles join: "Dr Berg" of the Oslo Hospital is a run of two
    words. What only opens a sentence, turn or line is left out: a function word ("The"), an
    abbreviation ("P.S."), the letter of a list item. A run has at most 30 words.

    Args:
        text: the document.
        tokens: all its words, as ``tokens_of`` returns them.
    """
    at = 0
    while at < len(tokens):
        if not tokens[at].capital:
            at += 1
            continue
        end = at + 1
        while end - at < _LONGEST and (following := _next(text, tokens, at, end)):
            end = following
        chosen = tuple(tokens[at:end])
        at = end
        opening = starts_sentence(text, chosen[0].start)
        if opening and len(chosen) > 1 and starts_sentence(text, chosen[1].start):
            chosen = chosen[1:]  # "A. Arrest", a list item
        first = chosen[0]
        small = first.text.lower() in STOP_WORDS and not first.initials
        turn = text[max(0, first.start - 2) : first.start] == ": "  # "HB: At the Limepit"
        begins = opening or text[first.start - 1] == "\n"  # "P.S. My ..."
        cut = (small and (turn or opening)) or (begins and first.text in ABBREVIATIONS)
        run = Run(chosen, opening).without_first() if cut else Run(chosen, opening)
        if run is not None:
            yield run


def _next(text: str, tokens: list[Token], start: int, end: int) -> int | None:
    """Return the index behind the next capitalised word that belongs to a run, with the small words
    that join it: 3 for "Court of Appeal", of which one word is known. None if the run ends here.

    Args:
        text: the document.
        tokens: all its words.
        start: the index of the run's first word.
        end: the index behind the last word that is known to belong to it.
    """
    joined = any(token.text in _LINKS for token in tokens[start:end])
    named = end - start > 1 and tokens[start].text.lower() in HONORIFICS
    links = PARTICLES if named else _LINKS | PARTICLES  # "Dr Berg" of a hospital
    for at in range(end, len(tokens)):
        gap = text[tokens[at - 1].end : tokens[at].start]
        title, word = tokens[at - 1].text, tokens[at].text
        of_it = title.isupper() <= word.isupper()  # none of "for her MS. She lives" is
        titled = gap in (". ", ".\u00a0") and title.lower() in HONORIFICS and of_it
        if gap not in _RUN_GAPS and not titled:
            return None
        if word == "I" and _FORMS["speaks"].match(text, tokens[at].end):
            return None  # "On 18 August I stood"
        if tokens[at].capital:
            return at + 1
        link = word in links or (word == "and" and joined)
        if not link or at - end == _MOST_LINKS:
            return None
    return None


def turns_in(text: str) -> dict[str, list[Span]]:
    """Return the initials, without full stops, of people who take turns in a text, with the spans
    where these open lines, as a speaker's ("NS: It was eleven.") or after a date or clock time; {}
    unless there are two people or more who each open two lines or more."""
    opened: dict[str, list[Span]] = {}
    for match in _FORMS["turn"].finditer(text):
        opened.setdefault(match["who"].replace(".", ""), []).append(Span(*match.span("who")))
    turns = {who: lines for who, lines in opened.items() if len(lines) > 1}
    return turns if len(turns) > 1 else {}


def initials_in(turns: Collection[str], people: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return two sets of initials in capitals: of people whom a text names or who take turns in it,
    and of those who do both. A common abbreviation counts only for people who do both.

    Args:
        turns: initials of those who take turns.
        people: the words by which the text names people ("Neil Ormerod").
    """
    names = (name_of(shown) for shown in people if not is_acronym(shown))
    initials = {one.upper() for name in names if name is not None for one in name.lettered}
    both = initials.intersection(turns)
    return initials.union(turns) - (ABBREVIATIONS - both), both


def own_words(text: str, span: Span) -> Span:
    """Return the span of a person's mention without the words of the sentence around the name:
    "That [Dr Roe]", "Interview of [Ann Lee]", "[Bo Ek] for".

    Args:
        text: the document.
        span: of the mention; it is returned as it is if no name would be left.
    """
    found = list(re.finditer(r"\S+", span.of(text)))
    while len(found) > 1 and _leads(found[0][0]):
        del found[0]
    while len(found) > 1 and (_leads(found[-1][0]) and _goes_on(found[-2][0], found[-1][0])):
        del found[-1]
    named = found[0][0][:1].isupper() and not (_leads(found[0][0]) or is_acronym(found[0][0]))
    return Span(span.start + found[0].start(), span.start + found[-1].end()) if named else span


def _goes_on(before: str, word: str) -> bool:
    """Tell whether the last word of a mention continues the sentence (it is in lower case) or
    begins the next one: "Mr T. [He]'s".

    Args:
        before: the word before it.
        word: the last word.
    """
    return word.islower() or (before.endswith(".") and fold(word) in _OPENERS)


def names_by_form(text: str, people: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans of names recognisable by their form, in text order: "MOXON, Karen" as a
    whole, and the given name alone in "Ms Okoro (Grace)", where the surname was found. The given
    name has to be on the list of names.

    Args:
        text: the document.
        people: where something was found to be a person's name.
    """
    taken, use = Covered(text, people), name_list().given_use
    for one in _FORMS["name"].finditer(text):
        seen = taken.touches(Span(*one.span("surname")))
        if not use(one["given"]) or one["surname"] in ABBREVIATIONS:
            continue
        if one["gap"] + one["close"] == " ()" and seen and not use((one["before"] or "").strip()):
            yield Span(*one.span("given"))
        elif one["gap"] == ", " and (seen or _is_surname(one["surname"], one["prose"])):
            listed = all(len(word) < 3 or use(word) for word in one["more"].split())
            yield Span(one.start("whole"), one.end("more" if listed else "given"))


def _is_surname(word: str, prose: str | None) -> bool:
    """Tell whether a word before a comma and a given name is a surname: it is on the list, or it
    has four letters or more, is no English word, and no sentence follows.

    Args:
        word: before the comma.
        prose: the sentence that follows the given name; None or "" if there is none.
    """
    strange = len(word) >= _UNLISTED and not is_english(word) and not prose
    return strange or name_list().use(word) > Use.NEVER


def parted(text: str, span: Span) -> list[Span]:
    """Return the spans of the names in a mention of people, in order, without the words around
    them: two for "Dr Roe, Bo Ek", one for "that Mr Roe, QC".

    Args:
        text: the document.
        span: of the mention.
    """
    shown = span.of(text)
    commas = (m for m in re.finditer(r"(?<!\S)(\S+)(,\s+)", shown) if _ended(shown, m))
    bounds = pairwise([0, *chain.from_iterable(comma.span(2) for comma in commas), len(shown)])
    parts = (Span(span.start + a, span.start + b) for a, b in islice(bounds, 0, None, 2))
    return [own_words(text, one) for one in parts]


def _ended(shown: str, comma: re.Match[str]) -> bool:
    """Tell whether a comma in a person's mention ends the name: it follows nothing but titles and a
    word, and two words or more stand after it: "Dr Roe, Bo Ek".

    Args:
        shown: the text of the mention.
        comma: the match of the word before the comma, and of the comma.
    """
    before, (following, *more) = shown[: comma.start()], shown[comma.end() :].split()
    titled = bool(before) and TITLES.issuperset(map(fold, words(before)))
    return titled and bool(more) and following[1:].islower() and not comma[1].isupper()


def _leads(word: str) -> bool:
    """Tell whether a word at an end of a person's mention can only belong to the sentence: it has
    no letters, or is English and no name, title or particle. False for a single letter."""
    low = fold(word).strip(".:")
    listed = low in _CALLINGS or (low not in _NAMES["before"] and name_list().use(low))
    known = low in STOP_WORDS or is_english(low) or not any(map(str.isalpha, low))
    return len(low) > 1 and not listed and known


# --- the list --------------------------------------------------------------------------------

FILE = _FOLDER / "names.txt"


class Use(IntEnum):
    """The ways in which a string is used as a name."""

    NEVER = 0
    SOMETIMES = 1  # it is an everyday word or a big place as well: Grace, Jordan
    MOSTLY = 2


@dataclass(frozen=True, slots=True)
class NameList:
    """Names, folded, and how each is used."""

    given: Mapping[str, Use]
    surnames: Mapping[str, Use]

    def given_use(self, word: str) -> Use:
        """Return how a word is used as a given name: MOSTLY, SOMETIMES (it is also an everyday word
        or a place), or NEVER."""
        return _use(self.given, fold(word))

    def use(self, word: str) -> Use:
        """Return how a word is used as a given name or surname, with or without an article in front
        ("al-Masri"): MOSTLY, SOMETIMES (it is also an everyday word or a place), or NEVER."""
        folded = fold(word)
        surnames = (folded, _FORMS["article"].sub("", folded))
        return max(_use(self.given, folded), *(_use(self.surnames, one) for one in surnames))

    def is_name(self, word: str) -> bool:
        """Tell whether a word is on the list as a given name or surname and is no everyday word or
        big place as well."""
        return self.use(word) is Use.MOSTLY


def _use(names: Mapping[str, Use], folded: str) -> Use:
    """Return how a folded word is used in a list, NEVER if it is not in it. A hyphenated word that
    is not listed has the use of its rarest part."""
    folded = folded.rstrip(".")
    if folded in names:
        return names[folded]
    return min(names.get(part, Use.NEVER) for part in folded.split("-"))


@lru_cache(1)
def name_list() -> NameList:
    """Read the list of names; once in a process.

    Raises:
        ResourceError: if the file is missing or damaged.
    """
    problem, remedy = "the list of names is missing or broken", "Reinstall INTACT."
    with loading(problem, FILE, remedy, ResourceError):
        parts = read_parts(FILE)
        given = dict.fromkeys(parts["given"], Use.MOSTLY)
        surnames = dict.fromkeys(parts["surname"], Use.MOSTLY)
        for which in ("word", "place"):
            given.update(dict.fromkeys(parts[f"given {which}"], Use.SOMETIMES))
            surnames.update(dict.fromkeys(parts[f"surname {which}"], Use.SOMETIMES))
    return NameList(given, surnames)
