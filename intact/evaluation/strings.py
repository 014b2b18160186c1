"""Count what became of the masked strings: bare labels, strings and parts of them left in the
text, one thing called by several names."""

import re

from intact.domain import BY_VALUE, NAME, Document, Score, type_row
from intact.english.vocabulary import ARTICLES, word_sets
from intact.english.words import fold, name_words, words
from intact.evaluation.corpus import masked_strings, projection
from intact.evaluation.metric import Metric, Pairs, valued

MIN_LENGTH = 4  # shorter strings ("two") are too common as words to count as leaks


class LabelShare(Metric):
    """Share of masked mentions (names and codes apart) that ended on a bare type label. The share
    that `intact sanitize` prints is of all masked mentions, names and codes included; that of
    `intact report` of all replaced places, which are the masked mentions that stand in the text
    (none inside a longer one) and the repeats that nobody had marked."""

    name = "labels"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share overall, then by entity type."""
        strings = [string for string in masked_strings(pairs) if string.attackable]
        bare = [float(is_label(string.after, string.entity_type)) for string in strings]
        return self.by_type(valued(strings, bare))


class StringsLeft(Metric):
    """Share of the masked strings (four characters or more, distinct in their document) that
    still stand as whole words, by entity type; and of names and codes, places and the like apart
    from dates and quantities, which recur by chance."""

    name = "left"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share overall, of names and the like, of values, then by type."""
        standing = []
        for one in pairs:
            for string, kind in masked_texts(one.document).items():
                stands = re.search(rf"(?<!\w){re.escape(string)}(?!\w)", one.text)
                standing.append((one.document.id, kind, float(stands is not None)))
        names, values = (
            [(key, left) for key, kind, left in standing if (kind in BY_VALUE) is by_value]
            for by_value in (False, True)
        )
        overall, *types = self.by_type(standing)
        return overall, self.mean(names, "names"), self.mean(values, "values"), *types


class PartsLeft(Metric):
    """Share of the masked names (not dates and quantities) of which a telling word of four
    characters or more still stands somewhere in the text: a surname alone, the place in the name
    of a court. Cross-references that pseudonymise a person here and name them there show up."""

    name = "parts_left"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of names overall, then by entity type."""
        left: list[tuple[str, str, float]] = []
        for one in pairs:
            standing = {fold(word) for word in words(one.text)}
            for text, kind in masked_texts(one.document).items():
                parts = {word for word in name_words(text) if len(word) >= MIN_LENGTH}
                if kind not in BY_VALUE and parts:
                    left.append((one.document.id, kind, float(bool(parts & standing))))
        return self.by_type(left)


def masked_texts(document: Document) -> dict[str, str]:
    """Collect the distinct masked strings of ``MIN_LENGTH`` characters and more, with their
    types."""
    kinds: dict[str, str] = {}
    for mention in sorted(document.mentions, key=lambda mention: mention.span):
        if mention.masked and len(mention.text) >= MIN_LENGTH:
            kinds.setdefault(mention.text, mention.entity_type)
    return kinds


_FITTED = ARTICLES | word_sets("grammar", "judged")["fitted"]


class EntityConsistency(Metric):
    """Share of entities with two or more mentions that are called differently in one document
    (articles, prepositions, possessives and case apart)."""

    name = "inconsistent"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of entities."""
        units: list[tuple[str, float]] = []
        for one in pairs:
            text, edits = one.document.text, one.edits
            for entity in one.document.entities:
                spans = [mention.span for mention in entity.mentions]
                forms = {normal_form(projection(text, edits, span)) for span in spans}
                units += [(one.document.id, len(forms) > 1)] if len(spans) > 1 else []
        return (self.mean(units),)


def normal_form(replacement: str) -> str:
    """Reduce a replacement to what it says: no case, articles, prepositions, possessive endings."""
    words = re.findall(r"\w+", re.sub(r"['’]s?\b", "", replacement.casefold()))
    return " ".join(word for word in words if word not in _FITTED)


def is_label(text: str, entity_type: str) -> bool:
    """Recognise a bare label, numbered or not: "[ORG 2]", "PERSON_1", "***".

    Args:
        text: what stands for a mention.
        entity_type: a label of another type does not count.
    """
    bare = text.strip("[]<>() ").rstrip("0123456789").rstrip("_ ")
    names = (entity_type, type_row(entity_type).label or NAME, NAME)
    return bare.upper() in names or (bool(text.strip()) and not text.strip("*_ "))
