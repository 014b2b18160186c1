"""Textwash's categories (Kleinberg et al. 2022): first and last names apart, numbered labels.

What TAB calls a person becomes first names and last names; a title stays. Numbers that belong to
nothing else are NUMERIC; pronouns of the third person are masked where asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from intact.detection.findings import Finding
from intact.detection.names import PARTICLES, name_of
from intact.domain import EntityType, IdentifierType, Mention, Span
from intact.english.fold import fold
from intact.english.wordlists import HONORIFICS
from intact.protocols import Detected

FIRST, LAST = "PERSON_FIRSTNAME", "PERSON_LASTNAME"
_CATEGORIES = {
    "place": "LOCATION",
    "nationality": "LOCATION",
    "address": "ADDRESS",
    "organisation": "ORGANIZATION",
    "occupation": "OCCUPATION",
    "date": "DATE",
    "duration": "DATE",
    "time": "TIME",
    "age": "NUMERIC",
    "money": "NUMERIC",
    "quantity": "NUMERIC",
    "phone": "PHONE_NUMBER",
    "email": "EMAIL_ADDRESS",
    "pronoun": "PRONOUN",
}
_OTHER = "OTHER_IDENTIFYING_ATTRIBUTE"
_NAME = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(PARTICLES))})\s+)*[^\W\d_]+(?:[’'‑-][^\W\d_]+)*\.?", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_PRONOUN = re.compile(
    r"\b(?:he|him|his|himself|she|her|hers|herself|they|them|their|theirs|themselves)\b",
    re.IGNORECASE,
)
_GENITIVE = re.compile(r"[’']s?\Z")


class NumberFinder:
    """Numbers in digits; what longer findings hold goes into those."""

    name = "numbers"
    threshold = 0.0  # anything else that is found there says more

    def find(self, text: str) -> list[Finding]:
        """Findings in ``text``."""
        return [
            Finding(Span(*match.span()), "quantity", 0.1, self.name)
            for match in _NUMBER.finditer(text)
        ]


@dataclass(frozen=True, slots=True)
class Textwash:
    """Mentions of TAB's types as mentions of Textwash's categories.

    Attributes:
        pronouns: whether pronouns of the third person become mentions.
    """

    pronouns: bool = False

    def __call__(self, text: str, found: Sequence[Detected]) -> list[Detected]:
        """The same places, in text order, under Textwash's categories."""
        made: list[Detected] = []
        given = _given_names(found)
        for item in found:
            if not item.mention.masked:
                continue
            if item.mention.entity_type == EntityType.PERSON:
                made += _names(text, item, given)
            else:
                category = _CATEGORIES.get(item.kind, _OTHER)
                made.append(_typed(item, item.mention.span, text, category, item.mention.entity_id))
        if self.pronouns:
            made += _pronouns(text, made)
        return sorted(made, key=lambda item: item.mention.span)


def _given_names(found: Sequence[Detected]) -> frozenset[str]:
    people = (i.mention.text for i in found if i.mention.entity_type == EntityType.PERSON)
    names = (name_of(shown) for shown in people)
    return frozenset(word for name in names if name for word in name.given if len(word) > 1)


def _names(text: str, item: Detected, given: frozenset[str]) -> Iterator[Detected]:
    """Each name of a person as a mention of its own; a title is none."""
    start = item.mention.span.start
    words = [
        (match.start(), match.group())
        for match in _NAME.finditer(item.mention.text)
        if fold(match.group().rstrip(".")) not in HONORIFICS
    ]
    titled = bool(words) and words[0][0] > 0
    for number, (at, word) in enumerate(words, start=1):
        bare = _GENITIVE.sub("", word)
        last = number == len(words)
        lone = len(words) == 1 and not titled and fold(bare) in given
        category = LAST if last and not lone else FIRST
        span = Span(start + at, start + at + len(bare))
        yield _typed(item, span, text, category, f"{category}:{fold(bare.rstrip('.'))}")


def _typed(item: Detected, span: Span, text: str, category: str, entity: str) -> Detected:
    mention = replace(
        item.mention,
        span=span,
        text=span.of(text),
        entity_id=entity,
        entity_type=category,
        identifier_type=IdentifierType.DIRECT,
    )
    return replace(item, mention=mention)


def _pronouns(text: str, taken: Sequence[Detected]) -> Iterator[Detected]:
    spans = [item.mention.span for item in taken]
    for match in _PRONOUN.finditer(text):
        span = Span(*match.span())
        if not any(span.overlaps(other) for other in spans):
            mention = Mention("", span, span.of(text), "pronoun", "PRONOUN", IdentifierType.DIRECT)
            yield Detected(mention, "pronoun", 1.0, ("pronouns",))
