"""The masked names of a document, which no replacement may bring back."""

import re
from collections.abc import Iterable

from intact.domain import ENTITY_TYPES, Candidate, Entity, Span
from intact.english.vocabulary import either
from intact.english.words import telling_lemmas
from intact.rewriting.rewrite import RenderedDocument

_NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.identifies)
_SHORTEST = 4


def _without_case(text: str) -> str:
    """Return a text folded so that two letters are equal exactly if a pattern that ignores case
    takes them for equal ("İ", "ı" and "I" all become "i")."""
    return text.casefold().replace("\u0307", "").replace("ı", "i")


class MaskedNames:
    """The names of masked entities, for which the replacements of their document are searched.

    Names are the texts of PERSON, CODE, LOC, ORG and DEM mentions of four or more characters. They
    are found in any case, except that generic words ("Court") must be written as in the text.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        """Keep the texts of the entities' mentions that are names of four or more characters
        (persons, codes, places, bodies, groups), each once."""
        mentions = (mention for entity in entities for mention in entity.mentions)
        named = (m.text for m in mentions if m.entity_type in _NAMES and len(m.text) >= _SHORTEST)
        self._names = {name: _without_case(name) for name in named}

    def _places(self, text: str) -> list[Span]:
        """List the spans of the masked names in a text, as whole words, ascending; [] if there are
        none. Of names that begin at one character, only one is listed."""
        plain = _without_case(text)
        names = {name for name, folded in self._names.items() if folded in plain}
        telling = set(filter(telling_lemmas, names))
        forms = filter(None, (f"(?i:{either(telling)})" * bool(telling), either(names - telling)))
        named = rf"(?<!\w)(?=({'|'.join(forms) or '(?!)'})(?!\w))"
        return [Span(*match.span(1)) for match in re.finditer(named, text)] if names else []

    def named_by(self, candidate: Candidate) -> bool:
        """Check whether the text of a candidate contains one of the document's masked names as
        whole words."""
        return bool(self._places(candidate.text))

    def reintroduced(self, rendered: RenderedDocument) -> frozenset[str]:
        """Return the ids of the entities whose replacement in the sanitised text overlaps a masked
        name that stands there."""
        named = self._places(rendered.text)
        return frozenset(
            entity_id
            for entity_id, spans in rendered.targets.items()
            if any(span.overlaps(name) for span in spans for name in named)
        )
