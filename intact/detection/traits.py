"""What is said of a person in plain words: occupations, illnesses, family, faith, looks.

Illnesses of the ladders count wherever they stand; occupations where the sentence gives them to
somebody ("a dentist from", "Ann Lee, nurse", "Occupation: nurse", a line that is one); other traits
where a phrase of this file names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from intact.detection.findings import Finding
from intact.detection.vocabulary import compiled, packs, rules, vocabulary
from intact.domain import Span
from intact.english.vocabulary import either
from intact.knowledge import ladders

LIKELY, PROBABLE = 0.8, 0.6

_MOST = 4  # words of an illness
_FILES = ("health", "occupations", "occupations_2")
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


class _Words:
    """The words and patterns of ``data/traits.toml`` and ``data/courts.toml``."""

    def __init__(self) -> None:
        tables = vocabulary("traits")
        lists, words = tables["lists"], tables["words"]
        patterns = {name: compiled(text, words) for name, text in tables["patterns"].items()}
        self.vague = frozenset(lists["vague"].split())
        self.no_part = frozenset(lists["no_part"].split())
        self.heads = frozenset(lists["heads"].split())
        self.before_illness = patterns["before_illness"]
        self.vague_illness = patterns["vague_illness"]
        self.no_qualifier = patterns["no_qualifier"]
        self.starts = (patterns["lead"], patterns["behind"])
        self.said = patterns["said"]
        self.line = patterns["line"]
        self.after = patterns["after"]
        callings = either(vocabulary("courts")["procedural"].split())
        self.procedural = re.compile(rf"(?:{callings})s?\Z")


_words = lru_cache(1)(_Words)


@lru_cache(1)
def _named() -> tuple[frozenset[str], frozenset[str]]:
    """Names of illnesses and of occupations, in lower case."""
    illnesses: set[str] = set()
    occupations: set[str] = set()
    folder = Path(ladders.__file__).parent / "ladders"
    for node in ladders.read_ladders(folder / f"{name}.txt" for name in _FILES):
        names = {name.lower() for name in (*node.names, *node.plural_names)}
        if node.kind == "health":
            illnesses |= names
        elif node.kind == "occupation" and node.parent not in ("", "term/person"):
            occupations |= names
    vague = {name for name in illnesses if _words().vague_illness.match(name)}
    return frozenset(illnesses - _words().vague - vague), frozenset(occupations)


@lru_cache(1)
def _first_words() -> dict[str, int]:
    """First words of illnesses to how many words such an illness has at most."""
    found: dict[str, int] = {}
    for name in _named()[0]:
        words = _WORD.findall(name)
        if words and len(words) <= _MOST:
            found[words[0]] = max(found.get(words[0], 0), len(words))
    return found


def traits(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: "characteristic", "occupation", and "other" for drugs and vehicles.

    Args:
        text: any.
        source: the detector's name.
    """
    illnesses, occupations = _named()
    words = [Span(*match.span()) for match in _WORD.finditer(text)]
    yield from _illnesses(text, words, illnesses, source)
    for start, explicit in _starts(text):
        found = _occupation(text, start, occupations)
        if found is not None and (
            explicit or not _words().procedural.search(found.of(text).lower())
        ):
            yield Finding(found, "occupation", PROBABLE, source)
    for rule in rules("traits"):
        yield from rule.find(text, source)
    yield from packs(text, source)
    for match in _words().line.finditer(text):
        shown = match.group("what").lower()
        last = shown.split()
        headed = re.match(r"head of [a-z ]+\Z", shown) is not None
        if headed or (_ends(last, occupations) and not _words().no_part & set(last)):
            yield Finding(Span(*match.span("what")), "occupation", PROBABLE, source)


def _illnesses(
    text: str, words: Sequence[Span], known: frozenset[str], source: str
) -> Iterator[Finding]:
    first = _first_words()
    at = 0
    while at < len(words):
        for length in range(first.get(words[at].of(text).lower(), 0), 0, -1):
            part = words[at : at + length]
            span = Span(part[0].start, part[-1].end)
            shown = span.of(text).lower()
            if len(part) == length and shown in known and not (length == 1 and len(shown) < 5):
                before = _words().before_illness.search(text, max(0, span.start - 40), span.start)
                start = before.start() if before else span.start
                yield Finding(Span(start, span.end), "characteristic", PROBABLE, source)
                at += length - 1
                break
        at += 1


def _starts(text: str) -> Iterator[tuple[int, bool]]:
    """Where an occupation may begin, and whether the words before say that it is somebody's."""
    for start in _words().starts:
        for match in start.finditer(text):
            yield match.end(), _words().said.match(match.group()) is not None


def _occupation(text: str, start: int, known: frozenset[str]) -> Span | None:
    """The occupation that begins at ``start``, with what qualifies it."""
    spans: list[Span] = []
    end = start
    while len(spans) < 6 and (match := _WORD.match(text, end)) is not None:
        if match.group().lower() in _words().no_part or not (
            match.group().islower() or not spans or match.group().isupper()
        ):
            break
        spans.append(Span(*match.span()))
        end = match.end()
        if text[end : end + 1] != " ":
            break
        end += 1
    for count in range(len(spans), 0, -1):
        shown = [span.of(text).lower() for span in spans[:count]]
        stop = spans[count - 1].end
        if _ends(shown, known) and _words().after.match(text, stop):
            return None if _words().no_qualifier.match(shown[0]) else Span(start, stop)
    return None


def _ends(words: Sequence[str], known: frozenset[str]) -> bool:
    """Whether the last words are an occupation."""
    return words[-1] in _words().heads or any(
        " ".join(words[at:]) in known for at in range(max(0, len(words) - 4), len(words))
    )
