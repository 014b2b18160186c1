"""Whether one thing is called the same everywhere in a document.

Counted are entities (and apart from them surface forms) whose mentions got replacements that
differ in more than what their sentences ask for: articles, prepositions, possessives and case are
left aside.
"""

from __future__ import annotations

import re

from intact.domain import Mention, SanitizedDocument, Score
from intact.english.wordlists import ARTICLES
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.pairs import projection
from intact.evaluation.statistics import Tally

_POINTERS = ("this", "that", "these", "those", "his", "her", "its", "their")
_LINKS = ("of", "in", "on", "at", "by", "for", "from", "to", "with", "during", "around", "about")
_FITTED = ARTICLES | {*_POINTERS, *_LINKS, "between", "and"}


class EntityConsistency(Metric):
    """Share of entities with two or more mentions that are called differently in one document
    (articles, prepositions, possessives and case apart)."""

    name = "inconsistent"
    title = "Entities called differently"
    better = "lower"
    source = "this project"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Entities, then equal surface forms."""
        entities = {p.document.id: _differing(p, _entity_groups(p)) for p in pairs}
        surfaces = {p.document.id: _differing(p, _surface_groups(p)) for p in pairs}
        return self.mean(entities), self.mean(surfaces, "surfaces")


def normal_form(replacement: str) -> str:
    """``replacement`` without what is fitted to a sentence: case, articles, prepositions,
    possessive endings."""
    words = re.findall(r"\w+", re.sub(r"['’]s?\b", "", replacement.casefold()))
    return " ".join(word for word in words if word not in _FITTED)


def _entity_groups(pair: SanitizedDocument) -> list[tuple[Mention, ...]]:
    return [tuple(entity.mentions) for entity in pair.document.entities]


def _surface_groups(pair: SanitizedDocument) -> list[tuple[Mention, ...]]:
    """Equal masked strings of the same type."""
    groups: dict[tuple[str, str], list[Mention]] = {}
    for mention in pair.document.mentions:
        if mention.masked:
            groups.setdefault((mention.entity_type, mention.text), []).append(mention)
    return list(map(tuple, groups.values()))


def _differing(pair: SanitizedDocument, groups: list[tuple[Mention, ...]]) -> Tally:
    """How many of the groups of two mentions or more are called differently."""
    text, edits = pair.document.text, pair.edits
    forms = [
        {normal_form(projection(text, edits, mention.span)) for mention in group}
        for group in groups
        if len(group) > 1
    ]
    return Tally(sum(len(found) > 1 for found in forms), len(forms))
