"""The curated ladders: plain text files that a clerk can read, extend and compare.

A file is an indented tree, the most general phrase outermost::

    # Lines that start with a number sign are remarks.
    @types DEM MISC
    @kind occupation
    @wordnet person
    a professional
        a legal professional
            a lawyer = attorney, counsel
                - barrister, solicitor, notary / notary public
            - court reporter | court reporters

- A *rung* is a phrase as it stands in mid-sentence, with its article ("a lawyer") or without
  ("criminal law"). ``=`` gives other names, ``|`` a plural that the rules would get wrong.
- A line that starts with ``-`` lists *entries*, separated by commas: what belongs to that rung.
  ``/`` gives other names of one entry, ``|`` its plural, ``[SE]`` the country it belongs to.
- Settings hold to the end of the file: ``@types`` (of entities), ``@kind``, ``@form adjective``
  (phrases fit before a noun: no article, no plural), ``@entries mass`` (entries take no article:
  "measles"), ``@wordnet`` (lexicographer files of WordNet that may continue on these rungs).
- A rung that one file defines deep in its tree may stand outermost in another: they are the same.

Head nouns of organisations and places, and well-known names, come from such files, too. There, a
lower-case entry is a head and is found inside longer names ("Sinop Assize Court"); an entry with a
capital is a name and must be the whole text, or several words.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path

from intact.english.grammar import (
    head_noun,
    is_plural_noun,
    plural,
    plural_phrase,
    with_indefinite,
    without_article,
)
from intact.english.vocabulary import word_sets
from intact.english.words import is_capitalised, key_words, slug
from intact.errors import ConfigError, loading
from intact.knowledge import upwards


@dataclass(frozen=True, slots=True)
class _Settings:
    types: tuple[str, ...] = ()
    kind: str = "term"
    adjective: bool = False
    wordnet: tuple[str, ...] = ()
    mass: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(_Settings):
    """A rung or an entry of a ladder, with the settings that hold there."""

    concept: str  # "term/lawyer"; of entries "term/occupation/notary", of adjectives "term/adj/..."
    parent: str  # concept of the next rung up, "" on the outermost
    phrase: str  # as it stands in mid-sentence, with its article if it takes one
    plural: str  # the same of several things (the phrase itself where there is no plural)
    names: tuple[str, ...]  # its names, without article; the first is that of the phrase
    plural_names: tuple[str, ...]
    country: str
    rung: bool  # whether it is written as a rung (entries are not)
    where: str  # its file and line


_COUNTRY = re.compile(r"\s*\[([A-Z]{2})\]$")


def read_ladders(paths: Iterable[Path]) -> tuple[Node, ...]:
    """Return the rungs and entries of several ladder files, in file order, those that files share
    as one.

    Raises:
        ConfigError: naming file and line.
    """
    nodes: list[Node] = []
    for path in paths:
        problem, remedy = "the ladder file cannot be read", "It must be UTF-8 text."
        with loading(problem, path, remedy, ConfigError):
            text = path.read_text(encoding="utf-8-sig")
        nodes += parse_ladder(text, str(path))
    return join(nodes)


def parse_ladder(text: str, where: str) -> tuple[Node, ...]:
    """Return the rungs (phrases of a ladder) and entries (names below a rung) of one ladder file,
    in its order, parents before children.

    Args:
        text: of the file; the module describes the format.
        where: the file's name, for messages.

    Raises:
        ConfigError: naming file and line.
    """
    settings = _Settings()
    above: list[Node | None] = [None]
    nodes: list[Node] = []
    for body, depth, place in read_outline(text, where):
        if body.startswith("@"):
            settings = _setting(settings, body, place)
        elif body.startswith("-"):
            nodes += _entries(body[1:], above[depth], settings, place)
        else:
            nodes.append(_rung(body, above[depth], settings, place))
            above[depth + 1 :] = [nodes[-1]]
    return tuple(nodes)


def read_outline(text: str, where: str) -> Iterator[tuple[str, int, str]]:
    """Yield (words, depth, place) for each line of an indented text, except remarks: its words, the
    number of lines that it stands under (none stands under one that begins with "@" or "-"), and
    file and line for messages.

    Args:
        text: indented by blanks or tabs; a tab is up to four blanks.
        where: the text's name in messages.

    Raises:
        ConfigError: for a line that is indented but stands under none.
    """
    indents: list[int] = []
    for number, line in enumerate(text.expandtabs(4).splitlines(), start=1):
        body, place = line.strip(), f"{where}, line {number}"
        if not body or body.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if body[0] != "@":
            indents = [one for one in indents if one < indent]
            if indent and not indents:
                raise ConfigError("the line is indented under nothing", where=place)
        yield body, len(indents), place
        if body[0] not in "@-":
            indents.append(indent)


def join(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return nodes (rungs and entries), in the order in which they first come, those of one concept
    joined into one.

    Raises:
        ConfigError: if a concept has two parents, or is its own ancestor.
    """
    joined: dict[str, Node] = {}
    for node in nodes:
        known = joined.get(node.concept)
        joined[node.concept] = _one(known, node) if known else node
    for node in joined.values():
        seen: set[str] = set()
        for one in upwards(node, lambda one: joined.get(one.parent)):
            if one.concept in seen:
                problem, remedy = "stands above itself", "Take it out of one of its places."
                raise ConfigError(f'"{node.phrase}" {problem}', where=node.where, remedy=remedy)
            seen.add(one.concept)
    return tuple(joined.values())


def _one(first: Node, second: Node) -> Node:
    """Return one node (rung or entry) for two of one concept: the one with a parent, with the names
    of both. Raises a ``ConfigError`` if their parents differ."""
    if first.parent and second.parent and first.parent != second.parent:
        problem = f'"{second.phrase}" already has a place in {first.where}'
        raise ConfigError(problem, where=second.where)
    main, other = (first, second) if first.parent or not second.parent else (second, first)
    return replace(
        main,
        names=tuple(dict.fromkeys(main.names + other.names)),
        plural_names=tuple(dict.fromkeys(main.plural_names + other.plural_names)),
        wordnet=tuple(dict.fromkeys(main.wordnet + other.wordnet)),
        country=main.country or other.country,
        rung=main.rung or other.rung,
    )


def _setting(settings: _Settings, body: str, place: str) -> _Settings:
    """Return the settings of a ladder file as a line "@name values" changes them. Raises a
    ``ConfigError`` that names ``place`` (file and line) for an unknown name or value."""
    name, *values = body[1:].split()
    if name == "types" and values:
        return replace(settings, types=tuple(values))
    if name == "kind" and len(values) == 1:
        return replace(settings, kind=values[0])
    if name == "wordnet":
        return replace(settings, wordnet=tuple(values))
    if name == "entries" and values in (["mass"], ["count"]):
        return replace(settings, mass=values == ["mass"])
    if name == "form" and values in (["noun"], ["adjective"]):
        return replace(settings, adjective=values == ["adjective"])
    raise ConfigError(f"the setting @{name} is unknown or has no value it can take", where=place)


def _rung(body: str, parent: Node | None, settings: _Settings, place: str) -> Node:
    """Return the node (with its names) of a rung, "phrase = other name, other name", below
    ``parent``. Raises a ``ConfigError`` that names ``place`` (file and line) if it is no phrase."""
    phrase, _, others = body.partition("=")
    if not split_plural(phrase)[0]:
        raise ConfigError("the rung has no words", where=place, remedy='Write it before the "=".')
    if set('{}[]<>"') & set(phrase):
        raise ConfigError("the rung is no phrase", where=place)
    return _node([phrase, *others.split(",")], parent, settings, place)


def _entries(body: str, parent: Node | None, settings: _Settings, place: str) -> Iterator[Node]:
    """Yield the nodes of a line of entries ("barrister, notary / notary public"), which stands
    below ``parent``, in its order. Raises a ``ConfigError`` that names ``place`` (file and line) if
    there is no rung above, or an entry has no words."""
    if parent is None:
        raise ConfigError("entries stand under no rung", where=place)
    for entry in body.split(","):
        country = _COUNTRY.search(entry)
        names = _COUNTRY.sub("", entry).split("/")
        if not split_plural(names[0])[0]:
            raise ConfigError("an entry has no words", where=place)
        code = country[1] if country else ""
        yield _node(names, parent, settings, place, rung=False, country=code)


def split_plural(text: str) -> tuple[str, str]:
    """Split a name from the plural given for it: ("penny", "pence") for "penny | pence"; "" if
    there is none."""
    name, _, plural = text.partition("|")
    return name.strip(), plural.strip()


def concept_of(name: str, kind: str, *, adjective: bool) -> str:
    """Return the id of what a rung or an entry means: "term/lawyer" for a rung,
    "term/occupation/notary" for an entry, "term/adj/european" for an adjective.

    Args:
        name: its first name, without article.
        kind: of an entry; "" for a rung.
        adjective: whether it is an adjective.
    """
    return f"term/{'adj/' * adjective}{kind}{'/' * bool(kind)}{slug(name)}"


def _node(
    written: Sequence[str],
    parent: Node | None,
    settings: _Settings,
    place: str,
    *,
    rung: bool = True,
    country: str = "",
) -> Node:
    """Return the node of a rung or an entry; an entry gets an article, and a plural follows from
    the rules where none is given.

    Args:
        written: its names, each with its plural after a bar if one is given; the first is its
            phrase.
        parent: the rung above; None on the outermost.
        settings: of the file at this line.
        place: file and line, for messages.
        rung: whether it is a rung.
        country: ISO code of the country that it belongs to, or "".
    """
    pairs = [pair for pair in map(split_plural, written) if pair[0]]
    names = [without_article(name) for name, _ in pairs]
    phrase, many = pairs[0]
    head = head_noun(phrase).lower()
    several = is_plural_noun(head) or head.endswith("ics")  # "costs", a field of study
    if not (settings.adjective or rung or settings.mass or several):
        phrase = with_indefinite(phrase)
    plurals = [many or plural_phrase(phrase)]
    plurals += [
        many or plural_phrase(f"{'a ' * (not settings.mass)}{name}")
        for name, (_, many) in zip(names[1:], pairs[1:], strict=True)
    ]
    room = "" if rung else settings.kind
    return Node(
        concept=concept_of(names[0], room, adjective=settings.adjective),
        parent=parent.concept if parent else "",
        phrase=phrase,
        plural=phrase if settings.adjective else plurals[0],
        names=tuple(dict.fromkeys(names)),
        plural_names=() if settings.adjective else tuple(dict.fromkeys(plurals)),
        country=country,
        rung=rung,
        where=place,
        **asdict(settings),
    )


_CAPITAL = re.compile(r"(?<![\w’'])[A-Z][\w’'-]*")
_WORDS = word_sets("grammar", "heads")
PREPOSITIONS = _WORDS["prepositions"]
SETTLED = _WORDS["settled"]


@dataclass(frozen=True, slots=True)
class Head:
    """A kind of organisation or place."""

    concept: str
    parent: str  # concept of the more general kind, "" if there is none
    phrase: str  # as it stands in mid-sentence ("a criminal court")
    kind: str
    types: tuple[str, ...]  # entity types it is meant for


@dataclass(frozen=True, slots=True)
class HeadName:
    """A name under which a head is found."""

    text: str
    head: str
    country: str  # ISO code if the name alone shows the country ("tingsrätt"), else ""
    proper: bool  # whether it is the name of one organisation or place, not a head noun
    plural: bool  # whether it names several
    weight: float = 1e-7  # how often it is used, relative to the others


@dataclass(frozen=True, slots=True)
class Found:
    """A head name in a text: words ``start`` to ``end``, end exclusive."""

    start: int
    end: int
    name: HeadName


def read_heads(paths: Iterable[Path]) -> tuple[Node, ...]:
    """Return the rungs and entries of ladder files of head nouns, in file order, with ids of their
    own ("org/court", "loc/street"). Each file is read by itself, because a hospital may be in two
    of them.

    Raises:
        ConfigError: naming file and line.
    """
    nodes = []
    for node in (node for path in paths for node in read_ladders([path])):
        prefix = "loc/" if "LOC" in node.types else "org/"
        concept, parent = (re.sub("^term/", prefix, each) for each in (node.concept, node.parent))
        nodes.append(replace(node, concept=concept, parent=parent))
    return tuple(nodes)


def split_names(nodes: Iterable[Node]) -> Iterator[tuple[Head | None, list[HeadName]]]:
    """Yield, for each node of a ladder, (head, names): the kind of body or place that it is, None
    for an entry, and the names under which it, or the rung above an entry, is found."""
    for node in nodes:
        fields = node.concept, node.parent, node.phrase, node.kind, node.types
        head = Head(*fields) if node.rung else None
        plurals = [
            name
            for name in node.plural_names
            if node.rung or not node.names[0][0].isupper()
            if name.isascii() and not name[0].isupper()
            if not name.endswith(("ses", "sis", "ties"))
        ]
        names = dict.fromkeys((*node.names, *plurals))
        others = {plural(name) for name in node.names if plural(name) != name}
        many = {name for name in plurals if name in others or name not in node.names}
        many |= {name for name in names if name.endswith("authorities")}
        many -= {node.names[0], *(name for name in names if name.endswith("police"))}
        target = node.concept if node.rung else node.parent
        yield (head, [HeadName(t, target, node.country, t[0].isupper(), t in many) for t in names])


class Heads:
    """All heads, found by the words of their names.

    Args:
        connection: of the knowledge file.
        extra: ladder files of the user's own field.

    Raises:
        ConfigError: if a ladder file cannot be read.
    """

    def __init__(self, connection: sqlite3.Connection, extra: Sequence[Path] = ()) -> None:
        """Read all heads, and the names of the user's own."""
        self._connection = connection
        rows = "SELECT concept, parent, phrase, kind, types FROM head ORDER BY id"
        self._heads: dict[str, Head] = {
            row[0]: Head(row[0], row[1], row[2], row[3], tuple(row[4].split()))
            for row in connection.execute(rows)
        }
        self._own: dict[str, list[HeadName]] = {}
        for head, names in split_names(read_heads(extra)):
            if head is not None and {"ORG", "LOC"} & set(head.types):
                self._heads.setdefault(head.concept, head)
            for name in names:
                if name.head in self._heads and key_words(name.text):
                    self._own.setdefault(key_words(name.text)[0], []).append(name)
        self._starting = lru_cache(maxsize=8192)(self._read)
        self.line = lru_cache(maxsize=8192)(self._line)
        self.below = lru_cache(maxsize=8192)(self._below)

    def of(self, name: HeadName) -> Head:
        """Return the head (the kind of body or place) to which a name belongs."""
        return self._heads[name.head]

    def _line(self, concept: str) -> tuple[Head, ...]:
        """Return the head with a concept, and the more general ones above it, the most specific
        first; () for an unknown concept."""
        return tuple(upwards(self._heads.get(concept), lambda head: self._heads.get(head.parent)))

    def find(self, parts: Sequence[str], entity_type: str) -> list[Found]:
        """Return every place among some words where the name of a head (a kind of body or place)
        stands, as the indexes of its first word and of the one after its last, with the name; from
        left to right, [] if there is none.

        Args:
            parts: folded words, as ``key_words`` makes them.
            entity_type: heads that are only for other types are left out.
        """
        matches, parts = [], tuple(parts)
        for start, word in enumerate(parts):
            for tokens, types, name in self._starting(word):
                end = start + len(tokens)
                if parts[start:end] == tokens and (not types or entity_type in types):
                    matches.append(Found(start, end, name))
        return matches

    def kind(self, noun: str, entity_type: str) -> tuple[bool, tuple[str, ...]]:
        """Return, for the kind of body or place that a phrase ends with, whether it is all of the
        phrase, and the concept ids from it upwards: (True, ("org/criminal-court", "org/court",
        ...)) for "criminal court"; (False, ()) if there is none.

        Args:
            noun: a phrase without its article.
            entity_type: "ORG" or "LOC".
        """
        parts = key_words(noun)
        match = head_of(self.find(parts, entity_type), parts)
        if match is None or match.end < len(parts):
            return False, ()
        return not match.start, tuple(head.concept for head in self.line(match.name.head))

    def _read(self, word: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...], HeadName], ...]:
        """Return the names that start with a folded word, the user's own first: of each its words,
        the entity types of its head (() for any), and the name."""
        names = [*self._own.get(word, ()), *self._stored("first = ?", word)]
        return tuple((key_words(name.text), self.of(name).types, name) for name in names)

    def names_of(self, concept: str) -> Iterator[HeadName]:
        """Yield the names that belong directly to a kind of body or place, given by its concept id,
        in file order, the user's own last."""
        yield from self._stored("head = (SELECT id FROM head WHERE concept = ?)", concept)
        yield from (name for names in self._own.values() for name in names if name.head == concept)

    def _stored(self, condition: str, value: str) -> Iterator[HeadName]:
        """Yield the names of heads in the knowledge file of which a condition in SQL, with one "?"
        for a value, is true, in file order."""
        rows = self._connection.execute(
            "SELECT text, concept, country, proper, plural, weight FROM headname "
            f"JOIN head ON id = head WHERE {condition} ORDER BY headname.position",
            (value,),
        )
        for text, head, country, proper, several, weight in rows:
            yield HeadName(text, head, country, bool(proper), bool(several), weight)

    def generic(self, text: str) -> bool:
        """Tell whether the capitalised words of a name are all words of kinds, so that it names no
        one body: "Court of Appeal", but not "Court of Wexham". True for a name without capitals."""
        capitals = _CAPITAL.findall(text)
        return all(word in self._common for part in capitals for word in key_words(part))

    @cached_property
    def _common(self) -> frozenset[str]:
        """Return the words, folded, that may stand in any body's name and so tell none from others:
        those in the common nouns for bodies and places ("court", "appeal"), and those for numbers
        and ranks ("second", "chief"); not those for a part of the world ("nordic")."""
        rows = self._connection.execute("SELECT text FROM headname WHERE NOT proper")
        own = (name.text for names in self._own.values() for name in names if not name.proper)
        common = {word for text in (*(row[0] for row in rows), *own) for word in key_words(text)}
        return frozenset(common | _WORDS["numbering"]) - _WORDS["continental"]

    def _below(self, concept: str) -> list[Head]:
        """Return the head with a concept and all more specific ones, in file order; [] for an
        unknown concept."""
        return [one for one in self if any(up.concept == concept for up in self.line(one.concept))]

    def __iter__(self) -> Iterator[Head]:
        return iter(self._heads.values())


def head_of(found: Iterable[Found], parts: Sequence[str], start: int = 0) -> Found | None:
    """Return the head noun of a name, with its place: the one among its last words (before a
    preposition such as "of"), or else the one it begins with; None if there is none.

    Args:
        found: heads that stand in the name.
        parts: the folded words of the name.
        start: the index of the first word at which a head counts.
    """
    end = next((i for i in range(start + 1, len(parts)) if parts[i] in PREPOSITIONS), len(parts))
    while end > start + 1 and parts[end - 1].isdigit():  # "State Highway 5"
        end -= 1
    ranked = []
    for match in found:
        if match.start < start or _tells_of_another(match, parts):
            continue
        last, first = match.start < end <= match.end, match.start == start
        if last or (not match.name.plural and (first or match.end <= end)):
            rank = 2 if last else int(first)
            size = match.end - match.start
            ranked.append(((rank, size, match.end, not match.name.plural), match))
    return max(ranked, key=itemgetter(0))[1] if ranked else None


def _tells_of_another(match: Found, parts: Sequence[str]) -> bool:
    """Tell whether a noun at the start of a name is not its head, because another noun follows:
    "Mill Cottage", "Bridge End".

    Args:
        match: the noun's place in the name.
        parts: the folded words of the name.
    """
    if match.start or match.end == len(parts) or match.name.text not in _WORDS["never_first"]:
        return False
    follows = parts[match.end]
    return not (follows.isdigit() or len(follows) == 1 or follows in PREPOSITIONS | {"no"})


def ends_otherwise(text: str, parts: Sequence[str], found: Found) -> bool:
    """Tell whether a common noun at the end of a capitalised name makes it something else than its
    head says: "the Bank of Wex series".

    Args:
        text: the whole name.
        parts: its folded words.
        found: the head that was chosen.
    """
    last = re.search(r" ([a-z]{3,})$", text)
    return (
        is_capitalised(text)
        and last is not None
        and found.end < len(parts)
        and last[1] not in _WORDS["tails"]
    )


def read_table(name: str) -> Iterator[tuple[str, str]]:
    """Yield (left, right) for each line "left: right" of ``data/<name>.txt``, in its order, split
    at the last ": "; remarks are left out."""
    lines = (Path(__file__).resolve().parent / "data" / f"{name}.txt").read_text("utf-8")
    pairs = (line.rpartition(": ") for line in lines.splitlines() if line[:1] != "#")
    return ((left, right) for left, _, right in pairs)
