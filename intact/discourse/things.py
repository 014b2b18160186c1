"""The things of a document: which annotated entities are one, and what States they speak of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from intact.discourse.coreference import entities
from intact.domain import BY_CONCEPT, ENTITY_TYPES, Document, EntityType, Mention
from intact.english.names import name_of
from intact.formats.mentions import joined
from intact.knowledge import Link, Votes


def unified(document: Document) -> Document:
    """The document with entities that are one person or thing made one, by rules.

    Annotators split what is one: "Ms Lee" is "Ann Lee", an acronym its long form, "the Court"
    what was called so before (see ``intact.discourse.coreference``). What was one entity stays
    one; two persons whose names contradict each other anywhere never become one.
    """
    known = sorted(
        (m for m in document.mentions if m.entity_type in ENTITY_TYPES),
        key=lambda m: (m.span.start, -m.span.end, m.id),
    )
    members: dict[str, list[Mention]] = {}
    for mention in known:
        members.setdefault(mention.entity_id, []).append(mention)
    first: dict[int, Mention] = {}
    owner = {mention.id: mention.entity_id for mention in known}
    links = []
    for number, mention in zip(entities(document.text, known), known, strict=True):
        other = first.setdefault(number, mention)
        one, two = owner[other.id], owner[mention.id]
        if one != two and _compatible(members[one], members[two]):
            links.append((other.id, mention.id))
            owner |= {each.id: one for each in members[two]}
            members[one] += members.pop(two)
    return replace(document, mentions=joined(document.mentions, links)) if links else document


def _compatible(one: Sequence[Mention], other: Sequence[Mention]) -> bool:
    """Whether nothing speaks against two entities being one."""
    kinds = {(each.entity_type, each.identifier_type) for each in (*one, *other)}
    if one[0].entity_type != EntityType.PERSON:
        return len(kinds) == 1
    names = [
        {name for mention in mentions if (name := name_of(mention.text)) is not None}
        for mentions in (one, other)
    ]
    return all(name.fits(rival) for name in names[0] for rival in names[1])


class Links(Protocol):
    """What is needed of the knowledge base."""

    def link(self, text: str, entity_type: str, votes: Votes) -> Link | None:
        """What ``text`` stands for.

        Args:
            text: a name.
            entity_type: the type it goes under.
            votes: the countries that the document speaks of.
        """


@dataclass(frozen=True, slots=True)
class States:
    """The States that a document speaks of.

    Attributes:
        respondent: country code of the State that the case is against, "" where there is none
            or more than one.
        countries: entity id -> country code, of States, their governments and their nationals.
    """

    respondent: str = ""
    countries: Mapping[str, str] = field(default_factory=dict)


_AGAINST = re.compile(
    r"\b(?:[Aa]pplications?|[Pp]etition)\b(?:[^.;\n]|\b[Nn]os?\.){0,150}\bagainst\s+(?:the\s+)?$"
)
_PEOPLE = re.compile(r"\s(?:nationals?|citizens?)$")
_STATE_KINDS = frozenset({"country", "government", "nationality"})
_BEFORE_AGAINST = 200


def states(document: Document, base: Links) -> States:
    """The States of a document, by the knowledge base.

    Args:
        document: with its mentions.
        base: knows countries, nationalities and governments by name.
    """
    countries = {}
    respondents = set()
    for entity in document.entities:
        if entity.entity_type not in BY_CONCEPT or not entity.mentions[0].text[:1].isalpha():
            continue
        name = _PEOPLE.sub("", entity.mentions[0].text)
        link = base.link(name, entity.entity_type, {})
        if link is None or link.kind not in _STATE_KINDS or len(link.country) != 2:
            continue
        countries[entity.id] = link.country
        for mention in entity.mentions:
            start = mention.span.start
            if _AGAINST.search(document.text[max(0, start - _BEFORE_AGAINST) : start]):
                respondents.add(link.country)
    return States(respondents.pop() if len(respondents) == 1 else "", countries)
