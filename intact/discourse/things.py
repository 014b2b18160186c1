"""The things of a document: which annotated entities are one, and what States they speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intact.discourse.coreference import entities
from intact.domain import ENTITY_TYPES, Document, EntityType, Mention
from intact.english.names import name_of
from intact.formats.mentions import joined


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
