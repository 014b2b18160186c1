"""Which article a phrase has in its slot: "a", "the", none, or one before an adjective."""

from __future__ import annotations

import re

from intact.domain import BY_VALUE, ENTITY_TYPES, EntityType
from intact.english import agreement as grammar
from intact.english.agreement import ARTICLES, DETERMINERS, MANY
from intact.rewriting.draft import Draft

NAMES = frozenset(row.name for row in ENTITY_TYPES.values() if row.definite)
"""Types of which a name is spoken of again with "the"."""
SMALL_WORDS = grammar.PREPOSITIONS | frozenset(
    "and or but who which that was were had has are is be been being am became become becomes as "
    "than not also then have do does did".split()
)
"""Words that end a noun phrase."""
ADJECTIVES = frozenset(
    "former said local domestic same first second third competent relevant above-mentioned new "
    "then late alleged aforementioned other main present whole old young nearby neighbouring "
    "current previous latter entire own only actual original joint chief principal senior "
    "junior elder younger eldest youngest next last final northern southern eastern western "
    "central greater so-called well-known leading retired severe moderate mild serious slight "
    "acute chronic constant".split()
)
"""What may stand between a determiner and a noun."""
_QUALITIES = frozenset(
    "leading retired former severe moderate mild serious slight acute chronic constant".split()
)
_VERBAL = re.compile(r"(?:(?<!-)ed|ly|ing)$")
OWNERS = ("'s", "’s", "s’", "s'")
"""Endings of a genitive."""
_PARTS = frozenset("central northern southern eastern western".split())
_POSTS = frozenset("rank post position title office role".split())
_BARE = frozenset("some any much further such little more".split())


def fit_article(draft: Draft, stacked: bool) -> None:
    """Gives the phrase its article.

    Args:
        stacked: whether an adjective of another slot stands directly before.
    """
    before = draft.low(draft.last())
    slot = draft.slot
    if before == "the":
        _after_the(draft)
    elif before in ("a", "an"):
        _after_a(draft)
    elif (
        stacked
        or (before in DETERMINERS | MANY | _BARE | {"other"} and not _conjunction(draft))
        or before.isdigit()
        or (before == "of" and draft.low(draft.last() - 1) in _POSTS)
        or before.endswith(OWNERS)
        or (before in ADJECTIVES and determined(draft.low(draft.last() - 1)))
        or _in_compound(draft)
    ):
        draft.article = ""
    elif draft.article == "a" and _qualified_noun(draft):  # "serious joint [arthritis]"
        quality = draft.low(-2)
        draft.put(-2, f"{grammar.indefinite(quality)} {quality}")
        draft.article = ""
    elif before in ADJECTIVES and draft.article == "a":
        _after_adjective(draft, before)
    elif draft.article == "a" and slot.later and slot.named and slot.entity_type in NAMES:
        draft.article = "the" if definable(draft.rest) else "a"


def _conjunction(draft: Draft) -> bool:
    """Whether "that" before the phrase joins sentences: "said that [two men]"."""
    slot = draft.slot
    return draft.low(draft.last()) == "that" and (
        slot.named or slot.entity_type in BY_VALUE or len(draft.words) > len(draft.now)
    )


def _qualified_noun(draft: Draft) -> bool:
    """Whether a quality and a noun stand bare before a common noun: "serious joint [trouble]"."""
    slot = draft.slot
    noun = draft.low(-1)
    return (
        slot.entity_type in (EntityType.DEM, EntityType.MISC)
        and not slot.named
        and draft.last() == -1
        and len(draft.words) > 1
        and draft.words[-1].start < slot.span.start
        and draft.low(-2) in _QUALITIES
        and noun.isalpha()
        and noun not in SMALL_WORDS | MANY
        and not determined(draft.low(-3))
        and draft.low(-3) in grammar.PREPOSITIONS | {"had", "has", "have", "suffered", "suffers"}
    )


def _in_compound(draft: Draft) -> bool:
    """Whether the original stood bare in its noun phrase: "the most senior female [officer]"."""
    if draft.slot.entity_type != EntityType.DEM or draft.last() != -1:
        return False
    for index in range(-1, -len(draft.now) - 1, -1):
        word = draft.low(index)
        if determined(word):
            return index < -1
        if (
            not word.replace("-", "").isalpha()
            or word in SMALL_WORDS | MANY
            or _VERBAL.search(word)
        ):
            return False
    return False


def _after_adjective(draft: Draft, word: str) -> None:
    """ "moderate [a condition]" -> "a moderate condition", unless another slot holds the "a"."""
    if draft.slot.entity_type == EntityType.LOC:
        if word in _PARTS:
            draft.put(draft.last(), f"the {word} part of")
    elif draft.slot.bridged and all(each.low in ADJECTIVES for each in draft.words):
        draft.article = ""
    elif word in _QUALITIES:
        draft.put(draft.last(), f"{grammar.indefinite(word)} {word}")
        draft.article = ""


def definable(rest: str) -> bool:
    """Whether "the" may point back to ``rest``: not to "certain country"."""
    return grammar.countable(rest) and not rest.startswith("certain ")


def determined(word: str) -> bool:
    """Whether ``word`` is an article, a possessive or a genitive."""
    return word in ARTICLES | DETERMINERS or word.endswith(OWNERS)


def _after_the(draft: Draft) -> None:
    slot = draft.slot
    if draft.keep_the or draft.article == "the":
        draft.article = ""
    elif draft.article == "a":
        measured = slot.entity_type in BY_VALUE or not grammar.countable(draft.rest)
        if measured or (slot.named and not slot.later and slot.entity_type in NAMES):
            draft.put(-1, grammar.indefinite(draft.rest))
        draft.article = ""
    elif (
        (draft.first in grammar.QUANTIFIERS and draft.rest[:1].islower())
        or (slot.entity_type == EntityType.LOC and draft.rest[:1].isupper() and not slot.attributed)
        or _is_bare_date(draft)
    ):
        draft.put(-1, "")


def _is_bare_date(draft: Draft) -> bool:
    """Whether a date like "May 1996" stands alone, not before a noun."""
    dated = draft.slot.entity_type == EntityType.DATETIME and not draft.rest[:1].islower()
    return dated and re.match(r" [a-z]", draft.slot.follows) is None


def _after_a(draft: Draft) -> None:
    slot = draft.slot
    qualifies = re.match(r" [a-z]", slot.follows) is not None
    plural_head = grammar.is_plural_noun(
        draft.rest[: grammar.head_end(draft.rest)].rsplit(" ", 1)[-1].lower()
    )
    if draft.article == "a":
        draft.article = ""
    elif draft.article == "the":
        if qualifies:
            draft.article = ""
        else:
            draft.put(-1, "")
    elif draft.first in grammar.QUANTIFIERS or (plural_head and not qualifies):
        draft.put(-1, "")
