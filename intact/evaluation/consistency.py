"""Whether one thing is called the same everywhere in a document.

Counted are entities (and apart from them surface forms) whose mentions got replacements that
differ in more than what their sentences ask for: articles, prepositions, possessives and case are
left aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from intact.domain import Document, Edit, Score
from intact.english.wordlists import ARTICLES
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.pairs import projection
from intact.evaluation.statistics import Tally

_POINTERS = ("this", "that", "these", "those", "his", "her", "its", "their")
_LINKS = ("of", "in", "on", "at", "by", "for", "from", "to", "with", "during", "around", "about")
_FITTED = ARTICLES | {*_POINTERS, *_LINKS, "between", "and"}


@dataclass(frozen=True, slots=True)
class Consistency:
    """Counts over groups of at least two replaced mentions."""

    groups: int
    differing: int


def entity_consistency(document: Document, edits: Sequence[Edit]) -> Consistency:
    """Over the entities of ``document``."""
    return _count(
        [projection(document.text, edits, mention.span) for mention in entity.mentions]
        for entity in document.entities
    )


def surface_consistency(document: Document, edits: Sequence[Edit]) -> Consistency:
    """Over equal masked strings of the same type in ``document``."""
    groups: dict[tuple[str, str], list[str]] = {}
    for mention in document.mentions:
        if mention.masked:
            key = (mention.entity_type, mention.text)
            groups.setdefault(key, []).append(projection(document.text, edits, mention.span))
    return _count(groups.values())


def normal_form(replacement: str) -> str:
    """``replacement`` without what is fitted to a sentence: case, articles, prepositions,
    possessive endings."""
    words = re.findall(r"\w+", re.sub(r"['’]s?\b", "", replacement.casefold()))
    return " ".join(word for word in words if word not in _FITTED)


def _count(groups: Iterable[Sequence[str]]) -> Consistency:
    total = differing = 0
    for group in groups:
        if len(group) > 1:
            total += 1
            differing += len({normal_form(replacement) for replacement in group}) > 1
    return Consistency(total, differing)


class EntityConsistency(Metric):
    """Share of entities with two or more mentions that are called differently in one document
    (articles, prepositions, possessives and case apart)."""

    name = "inconsistent"
    title = "Entities called differently"
    better = "lower"
    source = "this project"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Entities, then equal surface forms."""
        counts = {
            "": {p.document.id: entity_consistency(p.document, p.edits) for p in pairs},
            "surfaces": {p.document.id: surface_consistency(p.document, p.edits) for p in pairs},
        }
        return tuple(
            self.mean({key: Tally(c.differing, c.groups) for key, c in found.items()}, part)
            for part, found in counts.items()
        )
