"""Roles that a text gives to persons: which person "the applicant" is.

``Mr A. Smith (“the applicant”)``, ``the applicant, Mr A. Smith``, or a list of persons
``(“the applicants”)``, whose first is "the first applicant". Roles tell nothing by themselves, so
their mentions are not masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from intact.detection.findings import Covered, Merged
from intact.detection.vocabulary import vocabulary
from intact.domain import EntityType, Span
from intact.english.numbers import ORDINALS
from intact.english.vocabulary import either

_ROLES = either(vocabulary("courts")["roles"].split())
_ORDINALS = ORDINALS[:10]
_MENTION = re.compile(
    rf"\b[Tt]he\s+(?:(?P<ordinal>{'|'.join(_ORDINALS)})\s+)?(?P<role>{_ROLES})\b(?!\s+(?:company|association))"
)
_NAMED = re.compile(
    rf"\A\s*(?:\([^()“”\"]{{0,60}}\)\s*)?\((?:hereinafter\s+)?[“\"'‘]?the\s+"
    rf"(?:(?P<ordinal>{'|'.join(_ORDINALS)})\s+)?(?P<role>{_ROLES})(?P<plural>s?)[”\"'’]?\)"
)
_BEFORE = re.compile(
    rf"\b[Tt]he\s+(?:(?P<ordinal>{'|'.join(_ORDINALS)})\s+)?(?P<role>{_ROLES})(?P<plural>s?),?\s+\Z"
)
_LISTED = re.compile(r"\A(?:,|\s|and|,\s*and|\([^()]{0,60}\)|born|in|on|\d)*\Z")

Role = tuple[str, int]
"""A role and which of several it is, 0 where there is only one."""


@dataclass(frozen=True, slots=True)
class RoleMention:
    """A place where a role stands for a person; ``owner`` is an index into the spans."""

    span: Span
    owner: int


def roles(text: str, spans: Sequence[Merged]) -> list[RoleMention]:
    """Mentions of roles that the text gives to one of the persons among ``spans``.

    Args:
        text: the whole text.
        spans: what was found in it, ascending.
    """
    owners = _owners(text, spans)
    if not owners:
        return []
    found = []
    taken = Covered(text, (span.span for span in spans))
    for match in _MENTION.finditer(text):
        ordinal = match.group("ordinal")
        role = (match.group("role"), 1 + _ORDINALS.index(ordinal) if ordinal else 0)
        span = Span(*match.span())
        if role in owners and not taken.touches(span):
            found.append(RoleMention(span, owners[role]))
    return found


def _owners(text: str, spans: Sequence[Merged]) -> Mapping[Role, int]:
    owners: dict[Role, int] = {}
    people = [at for at, span in enumerate(spans) if span.entity_type == EntityType.PERSON]
    for group in _lists(text, spans, people):
        first, last = spans[group[0]].span, spans[group[-1]].span
        for match in (
            _NAMED.match(text[last.end : last.end + 120]),
            _BEFORE.search(text[max(0, first.start - 40) : first.start]),
        ):
            for role, owner in _given(match, group) if match else ():
                owners.setdefault(role, owner)
    return owners


def _given(match: re.Match[str], group: Sequence[int]) -> Iterator[tuple[Role, int]]:
    role, ordinal = match.group("role"), match.group("ordinal")
    if match.group("plural"):
        yield from (((role, number), at) for number, at in enumerate(group, start=1))
    else:
        yield (role, 1 + _ORDINALS.index(ordinal) if ordinal else 0), group[-1]


def _lists(text: str, spans: Sequence[Merged], people: Sequence[int]) -> Iterator[list[int]]:
    """Persons that stand in a row: "Mr A, Mr B and Mr C"."""
    row: list[int] = []
    for at in people:
        between = text[spans[row[-1]].span.end : spans[at].span.start] if row else ""
        if row and not (len(between) < 60 and _LISTED.match(between)):
            yield row
            row = []
        row.append(at)
    if row:
        yield row
