"""Clues made mentions: what nobody annotated is generalised and attacked like what somebody did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from intact.context.clues import NARROW, ContextClue, find_clues
from intact.domain import Candidate, Document, EntityType, Ladder, Mention, Source
from intact.english.numbers import as_ordinal
from intact.english.vocabulary import vocabulary
from intact.english.words import key
from intact.knowledge.base import KnowledgeBase

PROTECTED = frozenset({"norm", "title", "foreign", "institution", "place", "term", "alias"})
"""The classes of words that are protected (docs/context.md)."""
_PHRASES: Mapping[str, str] = vocabulary("clues")["phrases"]
_TYPES = {"institution": EntityType.ORG, "place": EntityType.LOC, "currency": EntityType.QUANTITY}
_NUMBER = re.compile(r"\d[\w()/.-]*")
_ARTICLES = frozenset({"a", "an"})
_MOST = 10
_ADJECTIVE = frozenset({"nationality", "ethnicity"})


class ContextProtection:
    """Adds the clues of a document to its mentions."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base

    def mentions(self, document: Document) -> Document:
        """Return the document with a quasi-identifier for each clue; equal words are one entity."""
        numbers: dict[tuple[str, str], int] = {}
        added = []
        for clue in find_clues(document, self._base):
            if clue.kind in PROTECTED:
                number = numbers.setdefault((clue.kind, clue.key), len(numbers) + 1)
                text = clue.span.of(document.text)
                mention_id = f"{Source.CONTEXT}:{clue.kind}:{clue.span.start}"
                entity_id, kind = f"{Source.CONTEXT}:{number}", self._type(document, clue, text)
                mention = Mention(mention_id, clue.span, text, entity_id, kind, clue=clue.kind)
                added.append(mention)
        every = sorted((*document.mentions, *added), key=lambda mention: mention.span)
        return replace(document, mentions=tuple(every)) if added else document

    def _type(self, document: Document, clue: ContextClue, text: str) -> str:
        """Return the type of a clue; an alias has that of the masked name it belongs to."""
        if clue.kind not in ("place", "alias"):
            return _TYPES.get(clue.kind, EntityType.MISC)
        link = self._base.link(text, EntityType.DEM, {})
        place = self._base.link(text, EntityType.LOC, {})
        adjective = link is not None and link.kind in _ADJECTIVE
        if adjective and (place is None or place.kind != "country"):
            return EntityType.DEM
        if clue.kind == "place":
            return EntityType.LOC
        for mention in document.mentions:
            if mention.masked and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", mention.text):
                return mention.entity_type
        return EntityType.ORG

    def ladders(self, document: Document, ladders: Mapping[str, Ladder]) -> Mapping[str, Ladder]:
        """Return the ladders, with what is true of a class where no generator knew more.

        Args:
            ladders: by entity id.
        """
        more = dict(ladders)
        for entity in document.entities:
            clue, words = entity.mentions[0].clue, key(entity.mentions[0].text)
            own = NARROW.get(words, []) if clue == "term" else []
            if clue == "foreign":  # whatever its words may mean in English
                own = [_PHRASES["passage" if words.count(" ") > 1 else "foreign"]]
            if own:
                more[entity.id] = tuple(
                    Candidate(text, rank, Source.CONTEXT) for rank, text in enumerate(own)
                )
        return _numbered_apart(document, more)


def _numbered_apart(document: Document, ladders: dict[str, Ladder]) -> Mapping[str, Ladder]:
    """Return the ladders with provisions of other numbers told apart.

    "a provision of a written law", "a second provision of a written law". The same number may be
    the same provision, named in two ways.
    """
    said: dict[str, dict[str, int]] = {}
    for entity in document.entities:
        number = _NUMBER.search(entity.mentions[0].text)
        if number is None or entity.mentions[0].clue != "norm":
            continue
        rungs = []
        for rung in ladders.get(entity.id, ()):
            known = said.setdefault(rung.text, {})
            which = known.setdefault(number.group(), len(known) + 1)
            article, _, rest = rung.text.partition(" ")
            other = which > 1 and article in _ARTICLES
            text = f"a {as_ordinal(which, spelled_to=_MOST)} {rest}" if other else rung.text
            rungs.append(replace(rung, text=text))
        ladders[entity.id] = tuple(rungs)
    return ladders
