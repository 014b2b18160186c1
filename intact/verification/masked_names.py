"""The masked names of a document, which no replacement may bring back."""

from __future__ import annotations

import re

from intact.domain import ENTITY_TYPES, Candidate, Document, Span
from intact.english.vocabulary import either
from intact.english.words import telling_lemmas
from intact.rewriting.rewrite import RenderedDocument

_NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.identifies)
_SHORTEST = 4


class MaskedNames:
    """The masked names of a document, for which its replacements are searched.

    Names are the texts of PERSON, CODE, LOC, ORG and DEM mentions of four or more characters. They
    are found in any case, except that generic words ("Court") must be written as in the text.
    """

    def __init__(self, document: Document) -> None:
        names = {
            mention.text
            for mention in document.mentions
            if mention.masked and mention.entity_type in _NAMES and len(mention.text) >= _SHORTEST
        }
        telling = set(filter(telling_lemmas, names))
        forms = filter(None, (f"(?i:{either(telling)})" * bool(telling), either(names - telling)))
        self._names = re.compile(rf"(?<!\w)(?=({'|'.join(forms) or '(?!)'})(?!\w))")

    def named_by(self, candidate: Candidate) -> bool:
        """Check whether the candidate contains one of the names."""
        return self._names.search(candidate.text) is not None

    def reintroduced(self, rendered: RenderedDocument) -> frozenset[str]:
        """Find the entities whose replacement overlaps a masked name in the sanitised text."""
        named = [Span(*match.span(1)) for match in self._names.finditer(rendered.text)]
        return frozenset(
            entity_id
            for entity_id, spans in rendered.targets.items()
            if any(span.overlaps(name) for span in spans for name in named)
        )
