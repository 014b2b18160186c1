"""Persons by their names: listed given names and surnames, in runs of capitals and behind cues.

* A listed given name and what follows it ("Ann Lee", "Jürgen van der Horst"), a surname before
  given names ("Nguyen Thi Hoa", "LEE, Ann"), a listed given name alone.
* A name that is an everyday word or a big place as well (Grace, Jordan) counts with a surname, a
  cue before it, or a verb of persons behind it.
* What a cue announces: "my name is", "Dear", a signature, "From:", "her brother".
* Later, the given name or the surname alone of a person who was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from intact.detection.cues import Cue, cues, logins, person_words
from intact.detection.findings import Covered
from intact.detection.name_list import NameList, Use, name_list
from intact.detection.names import is_articled, is_initialism, is_title
from intact.detection.runs import Run, Token
from intact.detection.vocabulary import vocabulary
from intact.domain import Span
from intact.english.calendar import parse_calendar
from intact.english.fold import fold
from intact.english.names import PARTICLES, TITLES
from intact.english.sentences import starts_sentence
from intact.english.wordlists import GENERIC_HEADS, STOP_WORDS
from intact.english.words import is_english

CUED, FULL, GIVEN, LIKELY, AGAIN = 0.9, 0.93, 0.8, 0.6, 0.85

Named = tuple[Span, float]
Known = Callable[[str], bool]
"""Whether the knowledge base has an organisation, a place or a people of that name."""

_ABBREVIATIONS = frozenset(vocabulary("everyday")["lists"]["abbreviations"].split())
_MOST = 5  # words of one name
_LIST_ENDS = re.compile(r"\s*(?:\Z|[\n;|<)(\t]|(?:DOB|born|aged|tel|age)\b)", re.IGNORECASE)
_NEXT_NAME = re.compile(r"(?:,| and| &|;)[ \t]+(?:\w+ )?\Z")
_GAPS = (" ", "\u00a0", "-", "\u2010", "\u2011")
_ARTICLED = re.compile(r"(?:al|el|ad|as|ar|an|ash|d|ben|abu|ibn)[-'’][A-ZÀ-Þ]")
_NICKNAME = re.compile(
    r" (?:[\"“'‘(][^\W\d_][\w-]*(?: [\w-]+)?[\"”'’)]|bin|binti|bte|[as]/[lop]|d/o) "
)
_DATED = re.compile(r",\s+(?:the )?\d")
_WHERE = re.compile(
    r"\b(?:in|near|at|outside|into|around|towards|via|across|from|to|of|within|throughout"
    r"|visit(?:ed)?)\s+\Z"
)


class Persons:
    """Finds persons in one text.

    Args:
        text: the text, its letters set as in ordinary writing.
        tokens: its words.
        known: whether something else is called so.
    """

    def __init__(self, text: str, tokens: Sequence[Token], known: Known) -> None:
        self._text = text
        self._tokens = tokens
        self._known = known
        self._names: NameList = name_list()
        self._at = {token.start: place for place, token in enumerate(tokens)}
        self._lower = {token.text for token in tokens if not token.capital}
        self._labels: dict[str, int] = {}

    def find(self, runs: Sequence[Run]) -> list[Named]:
        """Spans of persons with scores, in text order; they do not overlap."""
        found: list[Named] = [*self._cued(), *self._inverted()]
        found += ((span, CUED) for span in logins(self._text))
        for run in runs:
            found += self._of_run(run)
        every = self._again(self._joined(_widest(self._text, found)))
        return [(self._begun(span), score) for span, score in every]

    def _joined(self, found: Sequence[Named]) -> list[Named]:
        """Two spans with a nickname or "child of" between them are one: 'Anna "Nan" Petrie'."""
        made: list[Named] = []
        for span, score in found:
            if made and made[-1][0].overlaps(span):
                continue
            nick = _NICKNAME.match(self._text, span.end)
            rest = self._name_at(nick.end()) if nick else ()
            if rest and self._surname(rest[-1]):
                made.append((Span(span.start, rest[-1].end), FULL))
            else:
                made.append((span, score))
        return made

    def _begun(self, span: Span) -> Span:
        """A name with the letters and the particle before it: "W L Foo", "de Zilwa"."""
        place = self._at.get(span.start, 0)
        start = span.start
        while place and self._text[self._tokens[place - 1].end : start] in (" ", ". ", "\u00a0"):
            before = self._tokens[place - 1]
            letter = before.capital and len(before.text.rstrip(".")) == 1
            particle = before.text in ("de", "du", "da") and not self._names.given_use(
                self._tokens[place].text
            )
            dotted = before.initials or self._text[before.end] == "."
            alone = before.text in ("A", "I") or starts_sentence(self._text, before.start)
            headed = alone and not self._ends_line(span)
            if not (particle or (letter and not (headed and (dotted or before.text in "AI")))):
                break
            start, place = before.start, place - 1
            if place and is_title(self._tokens[place - 1]):
                start = self._tokens[place - 1].start
                break
        return Span(start, span.end)

    def _ends_line(self, span: Span) -> bool:
        return re.match(r"[ ]*(?:[\n,;(]|\Z)", self._text[span.end :][:3]) is not None

    # what a cue announces

    def _cued(self) -> Iterator[Named]:
        for cue in self._all_cues():
            name: Sequence[Token] = self._name_at(cue.at)
            while name:
                if not self._believable(name, cue):
                    break
                yield self._span(name), CUED
                if cue.kind not in ("field", "signature", "context", "kin"):
                    break
                following = self._at.get(name[-1].start, 0) + 1
                after = name[-1].end
                name = ()
                if cue.kind not in ("context", "kin") and following < len(self._tokens):
                    token = self._tokens[following]
                    if _NEXT_NAME.fullmatch(self._text[after : token.start]):
                        name = self._name_at(token.start)

    def _all_cues(self) -> Iterator[Cue]:
        every = list(cues(self._text))
        for cue in every:
            if cue.kind == "label" and (name := self._name_at(cue.at)):
                shown = fold(self._span(name).of(self._text))
                self._labels[shown] = self._labels.get(shown, 0) + 1
        yield from every

    def _believable(self, name: Sequence[Token], cue: Cue) -> bool:
        """Whether what stands behind a cue is a person's name."""
        words = [token for token in name if token.capital]
        bare = [token for token in words if fold(token.text).rstrip(".") not in TITLES]
        if not bare or any(fold(token.text) in person_words().nobody for token in bare[:1]):
            return False
        titled = len(bare) < len(words)
        if any(self._heads(token) for token in bare) or (
            not titled
            and cue.kind != "label"
            and self._known(self._span(name).of(self._text))
            and not self._sure(bare)
        ):
            return False
        after = self._text[name[-1].end : name[-1].end + 2]
        listed = any(self._use(token) for token in bare)
        foreign = any(not is_english(token.text) for token in bare)
        upper = len(bare) == 1 and len(bare[0].text) > 1 and bare[0].text.isupper()
        if cue.kind == "initial":
            return not is_english(bare[-1].text) and not bare[-1].text.isupper()
        if cue.kind == "kin":
            return not upper and (titled or self._probable(bare) or foreign)
        if cue.kind == "label":
            shown = fold(self._span(name).of(self._text))
            line = self._text.rfind("\n", 0, cue.at) + 1
            stamped = any(map(str.isdigit, self._text[line : cue.at]))
            often = (self._labels.get(shown, 0) > 1 or stamped) and foreign and not upper
            return after.startswith((":", ">")) and (
                self._names.given_use(bare[0].text) > Use.NEVER or often or titled
            )
        if cue.kind == "signature":
            return after[:1] in ("", "\n", "\r", ",", " ", "(") and (listed or foreign or titled)
        if cue.kind == "field":
            lettered = len(bare) > 1 and all(len(t.text.rstrip(".")) == 1 for t in bare[:-1])
            return titled or listed or lettered or (foreign and not upper)
        if cue.strength > 1:
            return titled or listed or foreign or len(bare) > 1
        if cue.kind == "by-line":
            return len(bare) > 1 and listed
        return not upper and (titled or self._probable(bare))

    def _probable(self, words: Sequence[Token]) -> bool:
        """Whether words behind a weak cue are likely a name."""
        first = words[0].text
        if self._names.given_use(first) > Use.NEVER:
            return True
        return len(words) > 1 and not is_english(first) and self._surname(words[-1])

    # runs of capitals

    def _of_run(self, run: Run) -> Iterator[Named]:
        tokens, at = run.tokens, 0
        while at < len(tokens):
            name = self._titled(tokens, at) or self._name(tokens, at, run.opening)
            if name is None:
                at += 1
                continue
            length, score = name
            begin = at - 1 if at and is_title(tokens[at - 1]) else at
            yield self._span(tokens[begin : at + length]), score
            at += length

    def _titled(self, tokens: Sequence[Token], at: int) -> tuple[int, float] | None:
        """A title and the name behind it: "Mr Jan van der Berg"."""
        end = at
        while end < len(tokens) and is_title(tokens[end]):
            end += 1
        if at == end or end == len(tokens):
            return None
        parts = self._parts(tokens, end)
        if not parts or any(self._heads(token) for token in parts[:1]):
            return None
        return end - at + len(parts), FULL

    def _name(self, tokens: Sequence[Token], at: int, opening: bool) -> tuple[int, float] | None:
        """How many tokens from ``at`` on are a name, and how sure that is."""
        parts = self._parts(tokens, at)
        if not parts:
            return None
        words = [token for token in parts if token.capital]
        first = self._names.given_use(words[0].text)
        if any(self._heads(token) for token in words[1:]) or self._heads(words[0]):
            return None
        shown = self._span(parts).of(self._text)
        if parse_calendar(shown) is not None:
            return None
        if at and self._binds(tokens[at - 1], opening and at == 1, len(words)):
            return None
        if len(words) == 1:
            return self._alone(parts, first, opening and at == 0)
        if self._known(shown) and not (first is Use.MOSTLY and self._surname(words[-1])):
            return None
        if first is Use.MOSTLY:
            return self._given_first(parts, words)
        listed = self._names.surname_use(words[-1].text)
        if first is Use.SOMETIMES and not is_articled(self._text, parts[0]):
            strange = not is_english(words[-1].text) and not self._known(words[-1].text)
            if listed is Use.MOSTLY or (strange and not self._known(words[0].text)):
                return len(parts), FULL
            if not opening and len(words) == 2:
                return len(parts), LIKELY
            return None
        behind = [self._names.given_use(token.text) for token in words[1:]]
        if self._names.surname_use(words[0].text) is Use.MOSTLY and Use.MOSTLY in behind:
            return len(parts), GIVEN
        return None

    def _given_first(
        self, parts: Sequence[Token], words: Sequence[Token]
    ) -> tuple[int, float] | None:
        """A sure given name and more words, of which the last may belong to something else."""
        last = words[-1]
        if self._surname(last) or not is_english(last.text) or len(words) > 2:
            return len(parts), FULL
        return (len(parts), GIVEN) if fold(last.text) not in self._lower else (1, GIVEN)

    def _alone(self, parts: Sequence[Token], use: Use, opening: bool) -> tuple[int, float] | None:
        token = parts[0]
        if token.text.isupper() and (len(token.text) < 4 or token.text in _ABBREVIATIONS):
            return None
        if fold(token.text) in self._lower and not self._acts(token):
            return None
        before = self._text[max(0, token.start - 14) : token.start]
        dated = _DATED.match(self._text, token.end) is not None
        if (dated or _WHERE.search(before)) and self._known(token.text):
            return None
        if before.lower().endswith("the "):
            return None
        if use is Use.MOSTLY:
            everyday = opening and is_english(token.text) and not self._acts(token)
            return None if everyday and len(token.text) < 4 else (1, LIKELY if opening else GIVEN)
        if use is Use.SOMETIMES and self._acts(token) and not self._known(token.text):
            return (1, LIKELY)
        return None

    def _parts(self, tokens: Sequence[Token], at: int) -> Sequence[Token]:
        """The words from ``at`` on that can be one name."""
        if not tokens[at].capital or (tokens[at].initials and at + 1 == len(tokens)):
            return ()
        end = at + 1
        while end < len(tokens) and end - at < _MOST:
            gap = self._text[tokens[end - 1].end : tokens[end].start]
            word = tokens[end]
            if gap not in _GAPS or (word.text.isupper() and is_initialism(word, tokens[at])):
                break
            particle = fold(word.text) in PARTICLES or _ARTICLED.match(word.text)
            if not word.capital and not particle:
                break
            if is_title(word) and not tokens[end - 1].initials:
                break
            end += 1
        while not (tokens[end - 1].capital or _ARTICLED.match(tokens[end - 1].text)):
            end -= 1
        return tokens[at:end]

    # surname first

    def _inverted(self) -> Iterator[Named]:
        """ "Lee, Hannah" and "OKAFOR, Chidinma", where nothing else can follow."""
        for at, token in enumerate(self._tokens[:-1]):
            if not token.capital or self._text[token.end : token.end + 2] != ", ":
                continue
            rest = self._name_at(token.end + 2)
            loud = token.text.isupper() and len(token.text) > 3
            if not rest or rest[0].text.isupper() or not rest[0].text[1:].islower():
                continue
            strange = loud and not is_english(rest[0].text)
            if self._names.given_use(rest[0].text) is Use.NEVER and not strange:
                continue
            before = self._text[max(0, token.start - 3) : token.start]
            begins = not before.strip() or before.endswith(("\n", ": ", "; ", "| ", "\t", ". "))
            surname = self._names.surname_use(token.text) or not is_english(token.text) or loud
            ends = _LIST_ENDS.match(self._text, rest[-1].end)
            if surname and (loud or (begins and ends)):
                yield self._span([self._tokens[at], *rest]), CUED

    # later mentions

    def _again(self, found: list[Named]) -> list[Named]:
        """``found``, and the words of its full names where they stand alone."""
        parts: dict[str, Use] = {}
        for span, _ in found:
            tokens = self._within(span)
            words = [t for t in tokens if not is_title(t) and len(t.text.strip(".")) > 1]
            for token in words if len(words) > 1 or len(words) < len(tokens) else ():
                plain = is_english(token.text) and not self._names.is_name(token.text)
                parts[fold(token.text)] = Use.SOMETIMES if plain else Use.MOSTLY
            for token in words[:1] if len(words) == 1 else ():
                if self._names.given_use(token.text) is Use.SOMETIMES or not is_english(token.text):
                    parts.setdefault(fold(token.text), Use.SOMETIMES)
        taken = Covered(self._text, (span for span, _ in found))
        for token in self._tokens:
            span = Span(token.start, token.end)
            use = parts.get(fold(token.text), Use.NEVER)
            if use is Use.NEVER or taken.touches(span):
                continue
            if not token.capital:
                if len(token.text) > 2 and not is_english(token.text):
                    found.append((span, AGAIN))
                continue
            if use is Use.MOSTLY or self._stands(token):
                found.append((self._with_title(token), AGAIN))
        return sorted(found)

    def _stands(self, token: Token) -> bool:
        """Whether an everyday word with a capital is a name here, its bearer being known."""
        around = self._text[max(0, token.start - 4) : token.start]
        after = self._text[token.end : token.end + 12]
        if re.match(r"\s\d", after) or re.search(r"\d[ .]*\Z", around):
            return False
        if not starts_sentence(self._text, token.start):
            return fold(token.text) not in STOP_WORDS or not re.match(r" [a-z]", after)
        return self._acts(token) or re.match(r"['’]s\b|[,:)]", after) is not None

    def _with_title(self, token: Token) -> Span:
        """A surname with the titles, initials and unknown names before it."""
        begin = place = self._at[token.start]
        while begin:
            before = self._tokens[begin - 1]
            gap = self._text[before.end : self._tokens[begin].start]
            strange = before.capital and not is_english(before.text)
            named = is_title(before) or before.initials or strange
            dotted = is_title(before) and gap in (". ", ".\u00a0")
            if not named or not (gap in _GAPS or dotted):
                break
            begin -= 1
        return self._span(self._tokens[begin : place + 1])

    # words

    def _within(self, span: Span) -> list[Token]:
        return [
            self._tokens[place]
            for start in range(span.start, span.end)
            if (place := self._at.get(start)) is not None and self._tokens[place].capital
        ]

    def _name_at(self, position: int) -> Sequence[Token]:
        """The words of a name that begins at ``position``; empty where none does."""
        place = self._at.get(position)
        if place is None:
            return ()
        begin = place
        while place + 1 < len(self._tokens) and is_title(self._tokens[place]):
            gap = self._text[self._tokens[place].end : self._tokens[place + 1].start]
            if gap not in (" ", ". "):
                return ()
            place += 1
        while place + 1 < len(self._tokens) and fold(self._tokens[place].text) in PARTICLES:
            place += 1
        named = self._parts(self._tokens, place)
        return [*self._tokens[begin:place], *named] if named else ()

    def _use(self, token: Token) -> Use:
        return max(self._names.given_use(token.text), self._names.surname_use(token.text))

    def _sure(self, words: Sequence[Token]) -> bool:
        return self._names.given_use(words[0].text) is Use.MOSTLY

    def _surname(self, token: Token) -> bool:
        return self._names.surname_use(token.text) > Use.NEVER or (
            not is_english(token.text) and not self._known(token.text)
        )

    def _acts(self, token: Token) -> bool:
        return person_words().acts.match(self._text, token.end) is not None

    def _heads(self, token: Token) -> bool:
        word = token.text.lower().rstrip(".")
        return not token.initials and (word in person_words().bodies or word in GENERIC_HEADS)

    def _binds(self, token: Token, opens: bool, words: int) -> bool:
        """Whether what stands before makes a name part of something else ("St", "Royal")."""
        if is_title(token) or not token.capital or self._text[token.end] not in " -":
            return False
        if token.text.lower().rstrip(".") in person_words().dedicated:
            return True
        return words == 1 and not (opens and is_english(token.text))

    def _span(self, tokens: Sequence[Token]) -> Span:
        return Span(tokens[0].start, tokens[-1].end)


def _widest(text: str, found: Sequence[Named]) -> list[Named]:
    """Spans of which none overlaps another; the longer keeps its place."""
    kept: list[Named] = []
    taken = Covered(text)
    for span, score in sorted(found, key=lambda item: (-len(item[0]), item[0].start, -item[1])):
        if not taken.touches(span):
            kept.append((span, score))
            taken.add(span)
    return sorted(kept)
