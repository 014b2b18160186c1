"""Runs of capitalised words: where names may stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from intact.domain import Span
from intact.english.calendar import MONTH_NAMES, WEEKDAY_NAMES
from intact.english.sentences import starts_sentence
from intact.english.wordlists import HONORIFICS, STOP_WORDS

_TOKEN = re.compile(r"(?:[^\W\d_]\.(?:[ -]?(?=[^\W\d_]\.))?)+|[^\W_]+(?:[’'&-][^\W_]+)*")
_SPEAKS = re.compile(r" [a-z]|['’](?:m|d|ll|ve)\b")
_BEFORE_ARTICLE = frozenset(map(str.capitalize, (*MONTH_NAMES, *WEEKDAY_NAMES)))
_INITIALS = re.compile(r"(?:[^\W\d_]\.[ -]?)+\Z")
_POSSESSIVE = re.compile(r"[’']s?\Z")
_APOSTROPHES = ("'", "’")
_PARTICLES = frozenset(
    "de la le van von der den del di da dos du al el bin ibn af av ter ten".split()
)
_LINKS = frozenset({"of", "for", "the"})
_MOST_LINKS = 2
_LONGEST = 30  # words of one run; a longer one is no name, and is cut
_GAPS = (" ", "\u00a0", "-", "\u2010", "\u2011", "/")


class Token(NamedTuple):
    """A word, or initials with their full stops.

    Attributes:
        capital: whether it begins with a capital letter.
    """

    text: str
    start: int
    end: int
    capital: bool

    @property
    def initials(self) -> bool:
        """Whether it is initials: "A.", "J.R."."""
        return _INITIALS.match(self.text) is not None


@dataclass(frozen=True, slots=True)
class Run:
    """Capitalised words side by side, with the small words that join them.

    Attributes:
        opening: whether it starts a sentence, so that its first capital tells nothing.
    """

    tokens: tuple[Token, ...]
    opening: bool

    @property
    def span(self) -> Span:
        """From its first to its last character."""
        return Span(self.tokens[0].start, self.tokens[-1].end)

    def without_first(self) -> Run | None:
        """The run without its first word and the small words after it."""
        rest = self.tokens[1:]
        while rest and not rest[0].capital:
            rest = rest[1:]
        return Run(rest, False) if rest else None


def tokens_of(text: str) -> list[Token]:
    """The words of ``text``, possessive endings cut."""
    found = []
    for match in _TOKEN.finditer(text):
        shown = match.group().rstrip(" -")
        if shown[-2:-1] in _APOSTROPHES or shown[-1:] in _APOSTROPHES:
            shown = _POSSESSIVE.sub("", shown)
        if shown:
            start = match.start()
            capital = shown[0].isupper() or (len(shown) > 4 and shown[1].isupper())  # "tSaoir"
            found.append(Token(shown, start, start + len(shown), capital))
    return found


def runs(text: str, tokens: list[Token]) -> Iterator[Run]:
    """The runs of ``text``, in order.

    "of", "for" and "the" join ("Court of Appeal"), so do particles of names ("van der Berg");
    "and" and "&" join behind such a link ("Ministry of Transport and Communications").

    Args:
        text: the whole text.
        tokens: its words, ascending.
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
        opening = starts_sentence(text, chosen[0].start)
        if opening and len(chosen) > 1 and starts_sentence(text, chosen[1].start):
            chosen = chosen[1:]  # "A. Arrest", a list item
        run: Run | None = Run(chosen, opening)
        if opening and chosen[0].text.lower() in STOP_WORDS and not chosen[0].initials:
            run = Run(chosen, True).without_first()
            if run is not None and all(token.text.isupper() for token in chosen):
                run = Run(run.tokens, True)  # a heading
        if run is not None:
            yield run
        at = end


def _next(text: str, tokens: list[Token], start: int, end: int) -> int | None:
    """The end of the run with one more name in it, or None if it ends at ``end``."""
    links = 0
    joined = any(token.text in _LINKS for token in tokens[start:end])
    for at in range(end, min(len(tokens), end + _MOST_LINKS + 2)):
        gap = text[tokens[at - 1].end : tokens[at].start]
        titled = gap in (". ", ".\u00a0") and tokens[at - 1].text.lower() in HONORIFICS
        if gap not in _GAPS and not titled and not (joined and gap == " & "):
            return None
        word = tokens[at].text
        said = _SPEAKS.match(text, tokens[at].end)
        if said and (word == "I" or (word == "A" and tokens[at - 1].text in _BEFORE_ARTICLE)):
            return None  # "On 18 August I stood"
        if tokens[at].capital:
            return at + 1
        if word in _LINKS or word in _PARTICLES or (word == "and" and joined):
            links += 1
            if links > _MOST_LINKS:
                return None
            continue
        return None
    return None
