"""Times in their sentences: which preposition a period takes, which words around it go."""

from __future__ import annotations

import re

from intact.english import agreement as grammar
from intact.english.agreement import ARTICLES, Form
from intact.rewriting.draft import MOVABLE, ROUGHLY, Draft

_LOOSE = frozenset("of dated from until till since by before after to for and between".split())
_PORTIONS = frozenset("end beginning start middle summer spring autumn winter course".split())
_BEFORE_IN = frozenset("year years born died".split())
_ADVERB = re.compile(r"(?:the )?(?:next|following|same|previous|preceding) [a-z]+$", re.I)
_DAYPARTS = frozenset("night evening morning afternoon day".split())
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


def fit_time(draft: Draft, phrase: Form) -> None:
    """Fits the words before a time to the kind of time that now stands there."""
    kind = phrase.time
    if not kind:
        return
    index = draft.last()
    index = _drop_article(draft, index, phrase)
    if draft.low(index) in ("once", "twice") and draft.core == "at regular intervals":
        draft.put(index, "")
    index = _drop_portion(draft, _drop_roughly(draft, index), kind)
    word = draft.low(index)
    ranged = draft.slot.ranged and word in ("between", "from")
    if word in _WEEKDAYS and kind == "in":
        draft.rest, draft.article = f"in {draft.core}", ""
    elif word == "of" and kind == "in" and draft.low(index - 1) in _DAYPARTS:
        draft.put(index, "in")
        if draft.low(index - 2) == "the":
            draft.put(index - 2, grammar.indefinite(draft.low(index - 1)))
    elif word in _BEFORE_IN and kind == "in":
        draft.rest, draft.article = f"in {draft.core}", ""
    elif kind in ("in", "on", "at", "during"):
        if word in MOVABLE or ranged:
            draft.put(index, kind)
    elif word in MOVABLE or ranged or word == kind:
        draft.put(index, "")
    elif kind == "between" and word in _LOOSE:
        draft.rest, draft.article = f"some time {draft.core}", ""
    if kind in ("in", "on", "at") and not word and _ADVERB.match(draft.slot.head):
        last = draft.last()
        if draft.low(last) in ARTICLES:
            draft.article = "the" if draft.low(last) == "the" else "a"
            draft.put(last, "")
        draft.rest, draft.article = f"{kind} {draft.core}", ""


def _drop_article(draft: Draft, index: int, phrase: Form) -> int:
    """Steps over an article, and takes out one that goes with a noun of the span."""
    if draft.low(index) == "the" and phrase.time == "in" and _named_time(draft, phrase):
        draft.put(index, "")  # "the [night of 12 May]" -> "May"
        return index - 1
    return index - 1 if draft.low(index) in ARTICLES else index


def _drop_roughly(draft: Draft, index: int) -> int:
    """Takes out the second half of "at around" and "on or about", which a period makes idle."""
    if draft.low(index) not in ROUGHLY:
        return index
    joined = 2 if draft.low(index - 1) == "or" else 1
    if draft.low(index - joined) not in MOVABLE:
        return index
    for offset in range(joined):
        draft.put(index - offset, "")
    return index - joined


def _drop_portion(draft: Draft, index: int, kind: str) -> int:
    """Takes out "early", "the end of" and the like, which need not be true of more than the day."""
    while draft.low(index) in ("early", "late", "mid", "mid-"):
        draft.put(index, "")
        index -= 1
    if draft.low(index) != "of" or draft.low(index - 1) not in _PORTIONS:
        return index
    if draft.low(index - 2) != "the":
        return index
    before = draft.low(index - 3)
    plain_date = kind == "in" and not draft.rest[:1].islower() and not draft.article
    if before in ("by", "until") and draft.low(index - 1) == "end" and plain_date:
        return index
    for offset in range(3):
        draft.put(index - offset, "")
    if before in ("at", "towards", "around", "in", "during") and kind in ("in", "on", "at"):
        draft.put(index - 3, kind)
    return index - 3


def _named_time(draft: Draft, phrase: Form) -> bool:
    """Whether "the" belongs to a noun of the span ("night of 12 May") and a bare date comes."""
    return draft.slot.head[:1].islower() and not draft.rest[:1].islower() and not phrase.article
