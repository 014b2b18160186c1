"""The tree of kinds: what a mention can be, from "an organisation" down to "a juvenile court"; and
the lexicon: which of them a word can mean.

The path from a kind to the top of its tree is the ladder of what may be said of a mention.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from intact.english.grammar import head_end, plural_phrase, singulars, without_article
from intact.english.words import key, key_words, slug
from intact.errors import ConfigError
from intact.knowledge import upwards
from intact.knowledge.ladders import read_outline, split_plural

FILE = Path(__file__).resolve().parent / "kinds.txt"
# The slots for which a kind needs a wording of its own: before a noun, after "is".
SLOTS = ("adj", "pred")
# The wordings that a kind may have: everywhere, in each of ``SLOTS``, without an article, in a
# field of a form.
FORMS = ("said", *SLOTS, "bare", "field")


@dataclass(frozen=True, slots=True)
class TreeKind:
    """One kind of thing."""

    id: str  # its name ("appeal-court"); labels and trained heads know it by this
    parent: str  # id of the next more general kind, "" at the top of a tree
    name: str  # the phrase that the id is made of
    phrase: str  # what is said of it in mid-sentence, with its article if it takes one
    plural: str  # the same of several things
    wordings: Mapping[str, str]  # other wordings, by their place in the sentence (FORMS)
    types: tuple[str, ...]  # entity types whose mentions can be of this kind
    rungs: tuple[str, ...]  # ladder rungs that mean the same; "@language": all of that kind

    def worded(self, slot: str) -> str:
        """Return the kind's wording for a place in a sentence, one of ``FORMS`` ("adj" is before a
        noun, "pred" after "is"). If it has none of its own there, return "" for "adj" and "pred",
        and for the others its phrase, or "" if that says "certain"."""
        unsaid = slot in SLOTS or "certain " in self.phrase
        return self.wordings.get(slot, "" if unsaid else self.phrase)


class KindTree(dict[str, TreeKind]):
    """All kinds by id, in the order of the file: parents before children."""

    def path(self, kind: str) -> tuple[TreeKind, ...]:
        """Return a kind and those above it in its tree, the most specific first; () for an unknown
        id."""
        return tuple(upwards(self.get(kind), lambda one: self.get(one.parent)))


@cache
def kind_tree() -> KindTree:
    """Return the shipped tree of kinds (what a mention can be); it is read once in a process."""
    return read_kinds(FILE.read_text(encoding="utf-8"), FILE.name)


def read_kinds(text: str, where: str) -> KindTree:
    """Return the kinds of a text (what a mention can be) by their ids, in its order, parents before
    children.

    Args:
        text: of a file like ``kinds.txt``, which explains its own lines.
        where: the file's name, for messages.

    Raises:
        ConfigError: naming file and line, for a kind that stands twice or a wrong line.
    """
    kinds, above = KindTree(), [""]
    types: tuple[str, ...] = ()
    for body, depth, place in read_outline(text, where):
        if body.startswith("@types "):
            types = tuple(body.split()[1:])
            continue
        kind = _read_kind(body, above[depth], types, place)
        if kind.id in kinds:
            raise ConfigError(f'"{kind.phrase}" stands there twice', where=place)
        kinds[kind.id] = kind
        above[depth + 1 :] = [kind.id]
    return kinds


def _read_kind(body: str, parent: str, types: tuple[str, ...], where: str) -> TreeKind:
    """Return the kind that one line of the tree states.

    Args:
        body: the line without its indentation: "a name; form: words = rung, rung".
        parent: id of the kind above it, "" for none.
        types: entity types whose mentions can be of this kind.
        where: file and line, for messages.

    Raises:
        ConfigError: if a wording has no known form or no words.
    """
    body, _, same = body.partition(" = ")
    named, *others = (part.strip() for part in body.split(";"))
    name, many = split_plural(named)
    plain = name.partition(" (")[0]
    wordings = {}
    for other in others:
        form, _, words = (part.strip() for part in other.partition(":"))
        if form not in FORMS or not words:
            remedy = f"Forms: {', '.join(FORMS)}."
            raise ConfigError(f'"{form}" is no form', where=where, remedy=remedy)
        wordings[form] = words
    shown, many = split_plural(wordings.pop("said")) if "said" in wordings else (plain, many)
    return TreeKind(
        slug(without_article(name)),
        parent,
        plain,
        shown,
        many or plural_phrase(shown),
        wordings,
        types,
        tuple(same.split(", ")) if same else (),
    )


_FIRST_SENSE = 100  # rank of the first sense of WordNet; names in ladders have lower ones
_OWN_NAME = 2.0
_CACHE = 16384

Shares = Mapping[str, float]  # kind -> share of the senses, in (0, 1]


class Lexicon:
    """Maps words to the kinds that they can mean."""

    def __init__(self, connection: sqlite3.Connection, tree: KindTree) -> None:
        """Index the wordings of the kinds of a tree; other words are looked up in the knowledge
        file.

        Args:
            connection: of the knowledge file.
            tree: all kinds.
        """
        self._connection, self.tree = connection, tree
        self._of_phrase: dict[str, str] = {}
        self._named: dict[str, str] = {}
        for kind in tree.values():
            self._named.setdefault(key(without_article(kind.name)), kind.id)
            said = (kind.name, kind.phrase, kind.plural, *kind.wordings.values())
            for phrase in (*said, *kind.rungs):
                self._of_phrase.setdefault(phrase, kind.id)
        self.senses = lru_cache(_CACHE)(self._senses)
        self.read = lru_cache(_CACHE)(self._read)
        self._nearest = lru_cache(_CACHE)(self._climb)

    def kind_of(self, phrases: Iterable[str]) -> str:
        """Return the id of the kind that the first phrase with one means, such as "court" for "a
        court in Turkey", whose location is disregarded; "" if none has one."""
        known = self._of_phrase
        kinds = (known.get(each) or known.get(each[: head_end(each)], "") for each in phrases)
        return next(filter(None, kinds), "")

    def _read(self, mention: str) -> tuple[Shares, Shares, Shares]:
        """Return the kinds that a mention can mean, each with its share of the senses (0 to 1): of
        the mention as a whole, of its head (its last words), and of its other words; {} for each
        that is unknown."""
        whole = without_article(mention)
        head = whole[: head_end(whole)].split() or [""]
        heads = (self.senses(key(" ".join(head[-many:]))) for many in (3, 2, 1))
        others = {word for word in whole.split() if word != head[-1]}
        rest: dict[str, float] = defaultdict(float)
        for word in others:
            for kind, share in self.senses(key(word)).items():
                rest[kind] += share / len(others)
        return self.senses(key(whole)), next((senses for senses in heads if senses), {}), rest

    def is_ambiguous(self, mention: str) -> bool:
        """Tell whether a mention, as a whole or else by its head, can mean two kinds of which
        neither is above the other in a tree."""
        whole, head, _ = self.read(mention)
        lines = [{kind.id for kind in self.tree.path(sense)} for sense in whole or head]
        longest = max(lines, key=len, default=set())
        return not all(line <= longest for line in lines)

    def rivals(self, mention: str, kind: str) -> set[str]:
        """Return the ids of the kinds of other trees that a mention, as a whole or else by its
        head, can mean besides the kind that it is taken for.

        Args:
            mention: its words.
            kind: id of the kind that it is taken for, which must be in the tree.
        """
        whole, head, _ = self.read(mention)
        top = self.tree.path(kind)[-1]
        return {sense for sense in whole or head if self.tree.path(sense)[-1] != top}

    def _senses(self, name: str) -> Shares:
        """Return the kinds that a name (folded, see ``key``) or a singular of it can mean, by id,
        each with its share, which sum to 1; {} if it is unknown. Names in ladders weigh more than
        senses of WordNet, and a kind's own name most."""
        weights: dict[str, float] = defaultdict(float)
        for one in dict.fromkeys((name, *singulars(name))):
            query = "SELECT term, rank FROM term_name WHERE key = ?"
            for term, rank in self._connection.execute(query, (one,)):
                curated = rank < _FIRST_SENSE
                weights[self._nearest(term)] += 1.0 if curated else 0.5 / (1 + rank - _FIRST_SENSE)
            parts = key_words(one)
            query = "SELECT text, concept FROM headname JOIN head ON id = head WHERE first = ?"
            rows = self._connection.execute(query, parts[:1] or ("",))
            heads = {head for text, head in rows if key_words(text) == parts}
            for kind in set(map(self._nearest, heads)):
                weights[kind] += 1.0
            if one in self._named:
                weights[self._named[one]] += _OWN_NAME
        weights.pop("", None)
        whole = sum(weights.values())
        return {kind: weight / whole for kind, weight in weights.items()}

    def _climb(self, node: int | str) -> str:
        """Return the id of the nearest kind at or above a node of the knowledge file; "" if there
        is none.

        Args:
            node: the number of a term, the negative number of a WordNet sense, or the concept of a
                head noun.
        """
        if isinstance(node, str):
            query = "SELECT phrase, parent, '' FROM head WHERE concept = ?"
        elif node < 0:
            query = "SELECT '', parent, '' FROM sense WHERE id = ?"
        else:
            query = "SELECT phrase, parent, kind FROM term WHERE id = ?"
        row = next(self._connection.execute(query, (node,)), None)
        if row is None:
            return ""
        phrase, parent, kind = row
        top = "" if parent else self._of_phrase.get(f"@{kind}", "")
        return self._of_phrase.get(phrase) or top or (self._nearest(parent) if parent else "")
