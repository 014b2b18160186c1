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
  ("criminal law", "people of a religious minority"). ``=`` gives other names of the same thing,
  ``|`` a plural that the rules would get wrong.
- A line that starts with ``-`` lists *entries*, apart by commas: what stands on that rung. ``/``
  gives other names of one entry, ``|`` its plural, ``[SE]`` the country it belongs to.
- Settings: ``@types`` (entity types the entries are first looked up for), ``@kind`` (what they
  are), ``@form adjective`` (phrases fit before a noun: no article, no plural), ``@entries mass``
  (entries take no article: "measles"), ``@wordnet`` (lexicographer files of WordNet whose words
  may continue on these rungs). They hold from where they stand to the end of the file.
- A rung that some file defines deeper in its tree may stand outermost in another: the two are
  one, so that the upper rungs are written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from intact.english.fold import slug
from intact.english.inflect import (
    head_end,
    is_plural_noun,
    plural_phrase,
    with_indefinite,
    without_article,
)
from intact.errors import ConfigError


class Form(StrEnum):
    """What a phrase can stand for: a noun phrase, or a word before a noun."""

    NOUN = "noun"
    ADJECTIVE = "adjective"


@dataclass(frozen=True, slots=True)
class Node:
    """A rung or an entry of a ladder.

    Attributes:
        concept: canonical id: rungs "term/lawyer", entries "term/occupation/notary" (with their
            kind), adjectives "term/adj/...".
        parent: concept of the next rung up, "" on the outermost.
        phrase: as it stands in mid-sentence, with its article if it takes one.
        plural: the same of several things (the phrase itself where there is no plural).
        names: what it is called, without article; the first is the phrase's.
        plural_names: the same in the plural.
        rung: whether it is written as a rung (entries are not).
    """

    concept: str
    parent: str
    phrase: str
    plural: str
    names: tuple[str, ...]
    plural_names: tuple[str, ...]
    kind: str
    types: tuple[str, ...]
    form: Form
    wordnet: tuple[str, ...] = ()
    country: str = ""
    rung: bool = True
    where: str = ""


@dataclass(frozen=True, slots=True)
class _Settings:
    types: tuple[str, ...] = ()
    kind: str = "term"
    form: Form = Form.NOUN
    wordnet: tuple[str, ...] = ()
    mass: bool = False


_COUNTRY = re.compile(r"\s*\[([A-Z]{2})\]$")


def read_ladders(paths: Iterable[Path]) -> tuple[Node, ...]:
    """The nodes of several ladder files, joined where they share rungs, in file order.

    Raises:
        ConfigError: naming file and line, if a line cannot be read, a rung has two places, or
            the rungs form a ring.
    """
    nodes: list[Node] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                "the ladder file cannot be read", where=str(path), remedy="It must be UTF-8 text."
            ) from error
        nodes += parse_ladder(text, str(path))
    return join(nodes)


def parse_ladder(text: str, where: str) -> tuple[Node, ...]:
    """The nodes of one ladder file, parents before children. ``where`` names it in errors.

    Args:
        text: the file's.
        where: names the file in errors.

    Raises:
        ConfigError: naming file and line.
    """
    settings = _Settings()
    stack: list[tuple[int, Node]] = []
    nodes: list[Node] = []
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{where}, line {number}"
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        if body.startswith("@"):
            settings = _setting(settings, body, place)
            continue
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        if indent and not stack:
            raise ConfigError(
                "the line is indented but stands under no rung", where=place, remedy="Outdent it."
            )
        parent = stack[-1][1] if stack else None
        if body.startswith("-"):
            nodes += _entries(body[1:], parent, settings, place)
        else:
            node = _rung(body, parent, settings, place)
            nodes.append(node)
            stack.append((indent, node))
    return tuple(nodes)


def join(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes with those of one concept made one; see the module's last rule.

    Raises:
        ConfigError: if a concept has two parents, or is its own ancestor.
    """
    joined: dict[str, Node] = {}
    for node in nodes:
        known = joined.get(node.concept)
        joined[node.concept] = node if known is None else _one(known, node)
    for node in joined.values():
        seen = {node.concept}
        above = joined.get(node.parent)
        while above is not None:
            if above.concept in seen:
                raise ConfigError(
                    f'"{node.phrase}" stands above itself',
                    where=node.where,
                    remedy="Take it out of one of its places.",
                )
            seen.add(above.concept)
            above = joined.get(above.parent)
    return tuple(joined.values())


def _one(first: Node, second: Node) -> Node:
    if first.parent and second.parent and first.parent != second.parent:
        raise ConfigError(
            f'"{second.phrase}" already has a place in {first.where}',
            where=second.where,
            remedy="A phrase has one place; put it outermost here, or word it differently.",
        )
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
        return replace(settings, form=Form(values[0]))
    raise ConfigError(
        f"the setting @{name} is unknown or has no value it can take",
        where=place,
        remedy="Settings are @types, @kind, @form noun|adjective, @entries count|mass "
        "and @wordnet.",
    )


def _rung(body: str, parent: Node | None, settings: _Settings, place: str) -> Node:
    phrase, _, others = body.partition("=")
    pairs = [_named(phrase), *(_named(name) for name in others.split(",") if name.strip())]
    if not pairs[0][0]:
        raise ConfigError("the rung has no words", where=place, remedy='Write it before the "=".')
    if set('{}[]<>"') & set(pairs[0][0]):
        raise ConfigError(
            "the rung is no phrase",
            where=place,
            remedy="A ladder file is plain text, see docs/tutorial.md.",
        )
    return _node(pairs, parent, settings, place, rung=True)


def _entries(body: str, parent: Node | None, settings: _Settings, place: str) -> Iterator[Node]:
    if parent is None:
        raise ConfigError(
            "entries stand under no rung", where=place, remedy="Indent them under a phrase."
        )
    for entry in body.split(","):
        country = _COUNTRY.search(entry)
        whole = entry[: country.start()] if country else entry
        pairs = [_named(name) for name in whole.split("/")]
        if not pairs[0][0]:
            raise ConfigError(
                "an entry has no words", where=place, remedy="Take out the extra comma."
            )
        yield replace(
            _node(pairs, parent, settings, place, rung=False),
            country=country[1] if country else "",
        )


def _named(text: str) -> tuple[str, str]:
    """A name and the plural given for it ("" if none)."""
    name, _, plural = text.partition("|")
    return name.strip(), plural.strip()


def _node(
    pairs: list[tuple[str, str]],
    parent: Node | None,
    settings: _Settings,
    place: str,
    *,
    rung: bool,
) -> Node:
    adjective = settings.form is Form.ADJECTIVE
    phrase, plural = pairs[0]
    names = [without_article(name) for name, _ in pairs if name]
    bare = adjective or rung or settings.mass or _is_plural(phrase)
    whole = phrase if bare else with_indefinite(phrase)
    plural = whole if adjective else plural or plural_phrase(whole)
    plurals = () if adjective else (plural, *(_many(*pair) for pair in pairs[1:] if pair[0]))
    room = "" if rung else f"{settings.kind}/"
    return Node(
        concept=f"term/{'adj/' if adjective else ''}{room}{slug(names[0])}",
        parent=parent.concept if parent else "",
        phrase=whole,
        plural=plural,
        names=tuple(dict.fromkeys(names)),
        plural_names=tuple(dict.fromkeys(plurals)),
        kind=settings.kind,
        types=settings.types,
        form=settings.form,
        wordnet=settings.wordnet,
        rung=rung,
        where=place,
    )


def _is_plural(phrase: str) -> bool:
    """Whether an entry takes no article: it is a plural or a field of study ("costs")."""
    head = phrase[: head_end(phrase)].rpartition(" ")[2].lower()
    return is_plural_noun(head) or head.endswith("ics")


def _many(name: str, plural: str) -> str:
    return plural or plural_phrase(with_indefinite(without_article(name)))
