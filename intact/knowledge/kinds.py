"""The tree of kinds: what a mention can be, from "an organisation" down to "a juvenile court".

The way from a kind to the top of its tree is the ladder of what may be said of a mention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from intact.english.grammar import plural_phrase, without_article
from intact.english.words import slug
from intact.errors import ConfigError

FILE = Path(__file__).resolve().parent / "kinds.txt"
SLOTS = ("adj", "pred", "verb")
"""Where a kind may be worded otherwise: before a noun, behind "is", as a verb in its plain form."""


@dataclass(frozen=True, slots=True)
class TreeKind:
    """One kind of thing."""

    id: str  # its name ("appeal-court")
    parent: str  # id of the next more general kind, "" at the top of a tree
    phrase: str  # as it stands in mid-sentence, with its article if it takes one
    plural: str  # the same of several things
    wordings: Mapping[str, str]  # other wordings, by their place in the sentence (SLOTS)
    types: tuple[str, ...]  # entity types whose mentions can be of this kind
    rungs: tuple[str, ...]  # of ladders, that mean the same; "@language": all of that kind


class KindTree(dict[str, TreeKind]):
    """All kinds by id, in the order of the file: parents before children."""

    def path(self, kind: str) -> tuple[TreeKind, ...]:
        """A kind and those above it, the most special first."""
        found = []
        while kind:
            found.append(self[kind])
            kind = self[kind].parent
        return tuple(found)


@cache
def kind_tree() -> KindTree:
    """Return the shipped tree."""
    return read_kinds(FILE.read_text(encoding="utf-8"), FILE.name)


def read_kinds(text: str, where: str) -> KindTree:
    """Read a tree of kinds.

    Raises:
        ConfigError: naming file and line.
    """
    kinds = KindTree()
    above: list[tuple[int, str]] = []
    types: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{where}, line {number}"
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        if body.startswith("@types "):
            types = tuple(body.split()[1:])
            continue
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        if indent and not above:
            raise ConfigError("the line is indented under nothing", where=place)
        kind = _read_kind(body, above[-1][1] if above else "", types, place)
        if kind.id in kinds:
            raise ConfigError(
                f'"{kind.phrase}" stands there twice',
                where=place,
                remedy="Tell the two apart by a word in brackets at the end.",
            )
        kinds[kind.id] = kind
        above.append((indent, kind.id))
    return kinds


def _read_kind(body: str, parent: str, types: tuple[str, ...], where: str) -> TreeKind:
    body, _, same = body.partition(" = ")
    said, *others = (part.strip() for part in body.split(";"))
    phrase, _, many = (part.strip() for part in said.partition("|"))
    shown = phrase.partition(" (")[0]
    wordings = {}
    for other in others:
        slot, _, words = (part.strip() for part in other.partition(":"))
        if slot not in SLOTS or not words:
            raise ConfigError(
                f'"{slot}" is no slot', where=where, remedy="Write adj, pred or verb."
            )
        wordings[slot] = words
    return TreeKind(
        slug(without_article(phrase)),
        parent,
        shown,
        many or plural_phrase(shown),
        wordings,
        types,
        tuple(same.split(", ")) if same else (),
    )
