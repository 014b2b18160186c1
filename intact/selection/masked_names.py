"""Masked names that a replacement has brought back into the text."""

from __future__ import annotations

import re

from intact.domain import ENTITY_TYPES, Candidate, Document
from intact.english.fold import fold
from intact.english.words import telling_lemmas
from intact.rewriting.rewrite import RenderedDocument

NAME_REINTRODUCED = "reintroduced"
"""Name of this check in the record, as attacker and as rule."""

_NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.identifies)
_SHORTEST = 4


class MaskedNames:
    """The masked names of a document, to be looked for in its replacements.

    Names are the texts of PERSON, CODE, LOC, ORG and DEM mentions of four characters or more.
    """

    def __init__(self, document: Document) -> None:
        texts = (
            mention.text
            for mention in document.mentions
            if mention.masked and mention.entity_type in _NAMES and len(mention.text) >= _SHORTEST
        )
        self._names = tuple(dict.fromkeys(texts))
        self._telling = tuple(
            dict.fromkeys(fold(name) for name in self._names if telling_lemmas(name))
        )
        self._generic = tuple(name for name in self._names if not telling_lemmas(name))

    def named_by(self, candidate: Candidate) -> bool:
        """Whether the candidate names one; in any case, generic words ("Court") apart."""
        phrase = fold(candidate.text)
        return any(name in phrase and _whole(name, phrase) for name in self._telling) or any(
            name in candidate.text and _whole(name, candidate.text) for name in self._generic
        )

    def reintroduced(self, rendered: RenderedDocument) -> frozenset[str]:
        """Ids of the entities whose replacement has a part in a name that stands in the text."""
        found: set[str] = set()
        for name in self._names:
            start = rendered.text.find(name)
            while start >= 0:
                end = start + len(name)
                if not _inside_word(rendered.text, start, end):
                    found |= {
                        entity_id
                        for entity_id, spans in rendered.targets.items()
                        if any(span.start < end and start < span.end for span in spans)
                    }
                start = rendered.text.find(name, end)
        return frozenset(found)


def _whole(name: str, phrase: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", phrase) is not None


def _inside_word(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return before or after
