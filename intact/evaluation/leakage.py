"""Masked strings that still stand in the sanitised text."""

from __future__ import annotations

import re

from intact.domain import BY_VALUE, Document, Score
from intact.english.fold import fold
from intact.english.words import name_words, words
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.statistics import tally

MIN_LENGTH = 4
"""Shorter strings ("two") are too common as words to count as leaks."""


class StringsLeft(Metric):
    """Share of the masked strings (four characters or more, distinct in their document) that
    still stand as whole words, by entity type; and of names and codes, places and the like apart
    from dates and quantities, which recur by chance."""

    name = "left"
    title = "Masked strings left"
    better = "lower"
    source = "this project; compare entity recall, Pilán et al. 2022, 5.1"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, names and the like, values, then by type."""
        found = [
            (one.document.id, kind, float(_stands(string, one.text)))
            for one in pairs
            for string, kind in masked_texts(one.document).items()
        ]
        names, values = (
            tally((key, left) for key, kind, left in found if (kind in BY_VALUE) is by_value)
            for by_value in (False, True)
        )
        overall, *types = self.by_type(found)
        return overall, self.mean(names, "names"), self.mean(values, "values"), *types


class PartsLeft(Metric):
    """Share of the masked names (not dates and quantities) of which a telling word of four
    characters or more still stands somewhere in the text: a surname alone, the place in the name
    of a court. Cross-references that pseudonymise a person here and name them there show up."""

    name = "parts_left"
    title = "Parts of masked names left"
    better = "lower"
    source = "partial disclosure; this project"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type."""
        found: list[tuple[str, str, float]] = []
        for one in pairs:
            standing = {fold(word) for word in words(one.text)}
            for text, kind in masked_texts(one.document).items():
                parts = {word for word in name_words(text) if len(word) >= MIN_LENGTH}
                if kind not in BY_VALUE and parts:
                    found.append((one.document.id, kind, float(bool(parts & standing))))
        return self.by_type(found)


def masked_texts(document: Document) -> dict[str, str]:
    """The distinct masked strings of ``MIN_LENGTH`` or more characters with their types, in
    order of first mention."""
    kinds: dict[str, str] = {}
    for mention in sorted(document.mentions, key=lambda mention: mention.span):
        if mention.masked and len(mention.text) >= MIN_LENGTH:
            kinds.setdefault(mention.text, mention.entity_type)
    return kinds


def _stands(string: str, text: str) -> bool:
    """Whether ``string`` stands in ``text`` as whole words."""
    return string in text and bool(re.search(rf"(?<!\w){re.escape(string)}(?!\w)", text))
