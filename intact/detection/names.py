"""Names: runs of capitalised words, what is a given name or a surname somewhere in the world
(``names.txt``), and persons, found by both.

A person is a listed given name and what follows it, a surname before given names ("Nguyen Thi
Hoa"), a listed given name alone. A name that is an everyday word or a big place as well (Grace,
Jordan) counts with a surname, or a verb of persons behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from intact.detection.patterns import ABBREVIATIONS, compiled, load_words
from intact.domain import Span
from intact.english.sentences import starts_sentence
from intact.english.time import MONTH_NAMES, WEEKDAY_NAMES, parse_calendar
from intact.english.vocabulary import GENERIC_HEADS, HONORIFICS, STOP_WORDS
from intact.english.words import PARTICLES, TITLES, fold, is_english
from intact.errors import ResourceError

# --- runs of capitalised words ---------------------------------------------------------------

_TOKEN = re.compile(r"(?:[^\W\d_]\.(?:[ -]?(?=[^\W\d_]\.))?)+|[^\W_]+(?:[’'&-][^\W_]+)*")
_SPEAKS = re.compile(r" [a-z]|['’](?:m|d|ll|ve)\b")
_BEFORE_ARTICLE = frozenset(map(str.capitalize, (*MONTH_NAMES, *WEEKDAY_NAMES)))
_INITIALS = re.compile(r"(?:[^\W\d_]\.[ -]?)+\Z")
_POSSESSIVE = re.compile(r"[’']s?\Z")
_APOSTROPHES = ("'", "’")
_RUN_PARTICLES = frozenset(
    "de la le van von der den del di da dos du al el bin ibn af av ter ten".split()
)
_LINKS = frozenset({"of", "for", "the"})
_MOST_LINKS = 2
_LONGEST = 30  # words of one run; a longer one is no name, and is cut
_RUN_GAPS = (" ", "\u00a0", "-", "\u2010", "\u2011", "/")


class Token(NamedTuple):
    """A word, or initials with their full stops."""

    text: str
    start: int
    end: int
    capital: bool  # whether it begins with a capital letter

    @property
    def initials(self) -> bool:
        """Tell initials ("A.", "J.R.") from words."""
        return _INITIALS.match(self.text) is not None


@dataclass(frozen=True, slots=True)
class Run:
    """Capitalised words side by side, with the small words that join them."""

    tokens: tuple[Token, ...]
    opening: bool  # whether it starts a sentence, so that its first capital tells nothing

    @property
    def span(self) -> Span:
        """From its first to its last character."""
        return Span(self.tokens[0].start, self.tokens[-1].end)

    def without_first(self) -> Run | None:
        """Cut the first word of a run, and the small words after it; None if nothing is left."""
        rest = self.tokens[1:]
        while rest and not rest[0].capital:
            rest = rest[1:]
        return Run(rest, False) if rest else None


def tokens_of(text: str) -> list[Token]:
    """Split a text into words, possessive endings cut."""
    tokens = []
    for match in _TOKEN.finditer(text):
        shown = match.group().rstrip(" -")
        if shown[-2:-1] in _APOSTROPHES or shown[-1:] in _APOSTROPHES:
            shown = _POSSESSIVE.sub("", shown)
        if shown:
            start = match.start()
            capital = shown[0].isupper() or (len(shown) > 4 and shown[1].isupper())  # "tSaoir"
            tokens.append(Token(shown, start, start + len(shown), capital))
    return tokens


def runs(text: str, tokens: list[Token]) -> Iterator[Run]:
    """Find the runs of a text, in order.

    "of", "for" and "the" join ("Court of Appeal"), so do particles of names ("van der Berg"); "and"
    and "&" join behind such a link ("Ministry of Transport and Communications").

    Args:
        text: the document.
        tokens: all its words, as ``tokens_of`` gives them.
    """
    at = 0
    while at < len(tokens):
        if not tokens[at].capital:
            at += 1
            continue
        end = at + 1
        while end - at < _LONGEST:
            following = _next(text, tokens, at, end)
            if following is None:
                break
            end = following
        chosen = tuple(tokens[at:end])
        at = end
        opening = starts_sentence(text, chosen[0].start)
        if opening and len(chosen) > 1 and starts_sentence(text, chosen[1].start):
            chosen = chosen[1:]  # "A. Arrest", a list item
        run: Run | None = Run(chosen, opening)
        first = chosen[0]
        small = first.text.lower() in STOP_WORDS and not first.initials
        if opening and (small or first.text in ABBREVIATIONS):
            run = Run(chosen, True).without_first()
            if run is not None and all(token.text.isupper() for token in chosen):
                run = Run(run.tokens, True)  # a heading
        if run is not None:
            yield run


def _next(text: str, tokens: list[Token], start: int, end: int) -> int | None:
    """Find the end of a run with one more name in it, or None if it ends here."""
    joined = any(token.text in _LINKS for token in tokens[start:end])
    for at in range(end, len(tokens)):
        gap = text[tokens[at - 1].end : tokens[at].start]
        titled = gap in (". ", ".\u00a0") and tokens[at - 1].text.lower() in HONORIFICS
        if gap not in _RUN_GAPS and not titled and not (joined and gap == " & "):
            return None
        word = tokens[at].text
        said = _SPEAKS.match(text, tokens[at].end)
        if said and (word == "I" or (word == "A" and tokens[at - 1].text in _BEFORE_ARTICLE)):
            return None  # "On 18 August I stood"
        if tokens[at].capital:
            return at + 1
        link = word in _LINKS or word in _RUN_PARTICLES or (word == "and" and joined)
        if not link or at - end == _MOST_LINKS:
            return None
    return None


# --- the list --------------------------------------------------------------------------------

FILE = Path(__file__).resolve().parent / "names.txt"
_NAME_ARTICLE = re.compile(r"\A(?:al|el|ben|abu|ibn|mac|mc|o)[-'’](?=\w{3})")


class Use(IntEnum):
    """The ways in which a string is used as a name."""

    NEVER = 0
    SOMETIMES = 1  # it is an everyday word or a big place as well: Grace, Jordan
    MOSTLY = 2


@dataclass(frozen=True, slots=True)
class NameList:
    """Names, folded, with how they are used."""

    given: Mapping[str, Use]
    surnames: Mapping[str, Use]

    def given_use(self, word: str) -> Use:
        """Look up the use of a word as a given name."""
        return _use(self.given, word)

    def surname_use(self, word: str) -> Use:
        """Look up the use of a word as a surname, an article in front ("al-Masri") or not."""
        stem = _NAME_ARTICLE.sub("", word.lower())
        return max(_use(self.surnames, word), _use(self.surnames, stem))

    def is_name(self, word: str) -> bool:
        """Tell whether a word is mostly a name."""
        return Use.MOSTLY in (self.given_use(word), self.surname_use(word))


def _use(names: Mapping[str, Use], word: str) -> Use:
    """Look up the use of a word; of a hyphenated one that is not listed that of its rarest part."""
    folded = fold(word).rstrip(".")
    if folded in names:
        return names[folded]
    return min(names.get(part, Use.NEVER) for part in folded.split("-"))


@lru_cache(1)
def name_list() -> NameList:
    """Read the list of names, once.

    Raises:
        ResourceError: if the file is missing or broken.
    """
    parts: dict[str, list[str]] = {}
    try:
        for block in FILE.read_text("utf-8").split("[")[1:]:
            title, _, body = block.partition("]\n")
            parts[title] = body.split()
        given = dict.fromkeys(parts["given"], Use.MOSTLY)
        surnames = dict.fromkeys(parts["surname"], Use.MOSTLY)
        for which in ("word", "place"):
            given.update(dict.fromkeys(parts[f"given {which}"], Use.SOMETIMES))
            surnames.update(dict.fromkeys(parts[f"surname {which}"], Use.SOMETIMES))
    except (OSError, KeyError, UnicodeDecodeError) as error:
        problem, remedy = "the list of names is missing or broken", "Reinstall INTACT."
        raise ResourceError(problem, where=str(FILE), remedy=remedy) from error
    return NameList(given, surnames)


# --- persons ---------------------------------------------------------------------------------

FULL, GIVEN, LIKELY = 0.93, 0.8, 0.6

Named = tuple[Span, float]
Known = Callable[[str], bool]
"""Whether the knowledge base has an organisation, a place or a people of that name."""

_MOST = 5  # words of one name
_GAPS = (" ", "\u00a0", "-", "\u2010", "\u2011")
_ARTICLED = re.compile(r"(?:al|el|ad|as|ar|an|ash|d|ben|abu|ibn)[-'’][A-ZÀ-Þ]")
_WHERE = re.compile(
    r"\b(?:in|near|at|outside|into|around|towards|via|across|from|to|of|within|throughout"
    r"|visit(?:ed)?)\s+\Z"
)


_WORDS = load_words("persons")["lists"]
_ACTS = compiled(_WORDS["acts"], {})  # what persons do, behind a name that may be none
_BODIES = GENERIC_HEADS.union(_WORDS["bodies"].split())
"""Words that make a name another thing's: a firm, a building, a prize."""
_DEDICATED = frozenset(_WORDS["dedicated"].split())  # words before a saint's or ship's name


class Persons:
    """Finds persons in one text."""

    def __init__(self, text: str, tokens: Sequence[Token], known: Known) -> None:
        self._text = text
        self._known = known
        self._names: NameList = name_list()
        self._lower = {token.text for token in tokens if not token.capital}

    def find(self, runs: Sequence[Run]) -> Iterator[Named]:
        """Yield spans of persons with scores, in text order; they do not overlap."""
        for run in runs:
            tokens, at = run.tokens, 0
            while at < len(tokens):
                name = self._titled(tokens, at) or self._name(tokens, at, run.opening)
                if name is None:
                    at += 1
                    continue
                length, score = name
                begin = at - 1 if at and _is_title(tokens[at - 1]) else at
                yield self._span(tokens[begin : at + length]), score
                at += length

    def _titled(self, tokens: Sequence[Token], at: int) -> tuple[int, float] | None:
        """Measure a title and the name behind it: "Mr Jan van der Berg"."""
        end = at
        while end < len(tokens) and _is_title(tokens[end]):
            end += 1
        if at == end or end == len(tokens):
            return None
        parts = self._parts(tokens, end)
        return (end - at + len(parts), FULL) if parts and not _is_body(parts[0]) else None

    def _name(self, tokens: Sequence[Token], at: int, opening: bool) -> tuple[int, float] | None:
        """Count the tokens of a name that begins here, and score how sure it is."""
        parts = self._parts(tokens, at)
        if not parts:
            return None
        words = [token for token in parts if token.capital]
        first = self._names.given_use(words[0].text)
        shown = self._span(parts).of(self._text)
        if any(map(_is_body, words)) or parse_calendar(shown.lower()) is not None:
            return None
        if at and self._binds(tokens[at - 1], opening and at == 1, len(words)):
            return None
        if len(words) == 1:
            return self._alone(parts[0], first, opening and at == 0)
        if self._known(shown) and not (first is Use.MOSTLY and self._surname(words[-1])):
            return None
        last = words[-1]
        if first is Use.MOSTLY:
            if self._surname(last) or not is_english(last.text) or len(words) > 2:
                return len(parts), FULL
            return (1 if fold(last.text) in self._lower else len(parts)), GIVEN
        articled = self._text[max(0, parts[0].start - 4) : parts[0].start].lower() == "the "
        if first is Use.SOMETIMES and not articled:
            listed = self._names.surname_use(last.text) is Use.MOSTLY
            strange = not is_english(last.text) and not self._known(last.text)
            if listed or (strange and not self._known(words[0].text)):
                return len(parts), FULL
            return (len(parts), LIKELY) if not opening and len(words) == 2 else None
        surname = self._names.surname_use(words[0].text) is Use.MOSTLY
        behind = (self._names.given_use(token.text) for token in words[1:])
        return (len(parts), GIVEN) if surname and Use.MOSTLY in behind else None

    def _alone(self, token: Token, use: Use, opening: bool) -> tuple[int, float] | None:
        """Judge whether one word is a name, and score how sure that is; None if it is none."""
        word = token.text
        capitals = word.isupper() and (len(word) < 4 or word in ABBREVIATIONS)
        before = self._text[max(0, token.start - 14) : token.start]
        acts = _ACTS.match(self._text, token.end) is not None
        if (
            use is Use.NEVER
            or capitals
            or _is_title(token)
            or (fold(word) in self._lower and not acts)
            or before.lower().endswith("the ")
            or (_WHERE.search(before) and self._known(word))
        ):
            return None
        if use is Use.MOSTLY:
            everyday = opening and is_english(word) and not acts
            return None if everyday and len(word) < 4 else (1, LIKELY if opening else GIVEN)
        return (1, LIKELY) if acts and not self._known(word) else None

    def _parts(self, tokens: Sequence[Token], at: int) -> Sequence[Token]:
        """Take the words from here on that can be one name."""
        if not tokens[at].capital or (tokens[at].initials and at + 1 == len(tokens)):
            return ()
        end = at + 1
        while end < len(tokens) and end - at < _MOST:
            gap = self._text[tokens[end - 1].end : tokens[end].start]
            word = tokens[end]
            initialism = (  # "DOB" or "MEP" behind a name in mixed letters
                word.text.isupper()
                and 1 < len(word.text) < 6
                and not tokens[at].text.isupper()
                and not word.initials
            )
            particle = fold(word.text) in PARTICLES or _ARTICLED.match(word.text)
            title = _is_title(word) and not tokens[end - 1].initials
            if gap not in _GAPS or initialism or title or not (word.capital or particle):
                break
            end += 1
        while not (tokens[end - 1].capital or _ARTICLED.match(tokens[end - 1].text)):
            end -= 1
        return tokens[at:end]

    def _surname(self, token: Token) -> bool:
        return self._names.surname_use(token.text) > Use.NEVER or (
            not is_english(token.text) and not self._known(token.text)
        )

    def _binds(self, token: Token, opens: bool, words: int) -> bool:
        """Tell whether the word before makes a name part of something else ("St", "Royal")."""
        if _is_title(token) or not token.capital or self._text[token.end] not in " -":
            return False
        dedicated = token.text.lower().rstrip(".") in _DEDICATED
        return dedicated or (words == 1 and not (opens and is_english(token.text)))

    def _span(self, tokens: Sequence[Token]) -> Span:
        return Span(tokens[0].start, tokens[-1].end)


def _is_title(token: Token) -> bool:
    """Recognise a form of address ("Dr")."""
    return token.text.lower().rstrip(".") in TITLES


def _is_body(token: Token) -> bool:
    return not token.initials and token.text.lower().rstrip(".") in _BODIES
