"""Counts of what masked strings became: bare labels, strings or parts of them left in the text, one
entity with several names."""

import re

from intact.domain import BY_VALUE, NAME, Document, Score, type_row
from intact.english.vocabulary import ARTICLES, word_sets
from intact.english.words import fold, name_words, words
from intact.evaluation.corpus import masked_strings, projection
from intact.evaluation.metric import Metric, Pairs, valued

MIN_LENGTH = 4  # shorter strings ("two") are too common as words to count as leaks


class LabelShare(Metric):
    """Share of masked mentions, except names and codes, that became a bare type label. The share
    that `intact sanitize` prints is of all masked mentions, including names and codes; the share in
    `intact report` is of all replaced places, which are the masked mentions in the text (none
    inside a longer one) and the repeats that nobody had marked."""

    name = "labels"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of masked mentions that became a bare type label ("PERSON_1"), without
        names and codes: overall, then by entity type."""
        strings = [string for string in masked_strings(pairs) if string.attackable]
        bare = [float(is_label(string.after, string.entity_type)) for string in strings]
        return self.by_type(valued(strings, bare))


class StringsLeft(Metric):
    """Share of the masked strings (at least four characters, distinct in their document) that are
    still in the text as whole words, also by entity type. Names, codes, places and the like are
    also scored apart from dates and quantities, which recur by chance."""

    name = "left"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of masked strings, each once per document, that are still in its text as
        whole words: overall, of all but dates and quantities ("names"), of these ("values"), then
        by entity type."""
        standing = []
        for one in pairs:
            for string, kind in masked_texts(one.document).items():
                stands = re.search(rf"(?<!\w){re.escape(string)}(?!\w)", one.text)
                standing.append((one.document.id, kind, float(stands is not None)))
        names = [(key, left) for key, kind, left in standing if kind not in BY_VALUE]
        values = [(key, left) for key, kind, left in standing if kind in BY_VALUE]
        overall, *types = self.by_type(standing)
        return overall, self.mean(names, "names"), self.mean(values, "values"), *types


class PartsLeft(Metric):
    """Share of the masked names (not dates and quantities) of which a distinctive word of at least
    four characters is still somewhere in the text: a surname alone, the place in the name of a
    court. It shows cross-references that pseudonymise a person in one place and name them in
    another."""

    name = "parts_left"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of masked names of which a distinctive capitalised word of four or more
        characters is still in the text, in any case: overall, then by entity type, without dates
        and quantities. Strings without such a word are left out."""
        left: list[tuple[str, str, float]] = []
        for one in pairs:
            standing = {fold(word) for word in words(one.text)}
            for text, kind in masked_texts(one.document).items():
                parts = {word for word in name_words(text) if len(word) >= MIN_LENGTH}
                if kind not in BY_VALUE and parts:
                    left.append((one.document.id, kind, float(bool(parts & standing))))
        return self.by_type(left)


def masked_texts(document: Document) -> dict[str, str]:
    """Return the entity type of each distinct masked string of at least four characters
    (``MIN_LENGTH``), by the string, in text order; where mentions of one string differ in type,
    that of the first."""
    kinds: dict[str, str] = {}
    for mention in sorted(document.mentions, key=lambda mention: mention.span):
        if mention.masked and len(mention.text) >= MIN_LENGTH:
            kinds.setdefault(mention.text, mention.entity_type)
    return kinds


_FITTED = ARTICLES | word_sets("grammar", "judged")["fitted"]


class EntityConsistency(Metric):
    """Share of entities with two or more mentions that get different replacements in one document,
    not counting differences in articles, prepositions, possessives and case."""

    name = "inconsistent"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of entities, among those with two or more mentions, whose mentions got
        different replacements in one document, apart from articles, prepositions and case; there
        are no parts."""
        units: list[tuple[str, float]] = []
        for one in pairs:
            text, edits = one.document.text, one.edits
            for entity in one.document.entities:
                spans = [mention.span for mention in entity.mentions]
                forms = {normal_form(projection(text, edits, span)) for span in spans}
                units += [(one.document.id, len(forms) > 1)] if len(spans) > 1 else []
        return (self.mean(units),)


def normal_form(replacement: str) -> str:
    """Return a replacement reduced to its content, for comparison, without case, articles,
    prepositions, possessive endings and punctuation: "In the City's" becomes "city". "" if nothing
    is left."""
    words = re.findall(r"\w+", re.sub(r"['’]s?\b", "", replacement.casefold()))
    return " ".join(word for word in words if word not in _FITTED)


def is_label(text: str, entity_type: str) -> bool:
    """Tell whether a text is a bare label, in any case, numbered or not: "[ORG 2]", "PERSON_1",
    "***"; False for "".

    Args:
        text: the replacement of a mention.
        entity_type: of the mention; a label of another type does not count, but "NAME" always does,
            and so does the word that its labels say in place of its name ("DETAIL").
    """
    bare = text.strip("[]<>() ").rstrip("0123456789").rstrip("_ ")
    names = (entity_type, type_row(entity_type).label or NAME, NAME)
    return bare.upper() in names or (bool(text.strip()) and not text.strip("*_ "))
