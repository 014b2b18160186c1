"""Read phrases that were worded in the light of the others: each by itself, and all together.

A phrase may say which of the document's own entities is meant ("a second court"), or only how a
date follows another; ``plainly`` and ``follows`` say what it means without the others. ``telling``
finds what all phrases together imply about the States: each may be vague enough by itself, and yet
all together leave only one State.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from intact.english.numbers import as_ordinal
from intact.english.time import MONTH_NAMES
from intact.english.vocabulary import read_patterns, vocabulary

MOST_NUMBERED = 12  # the most bodies with one phrase that are numbered
ORDINALS = "|".join(as_ordinal(at, spelled_to=MOST_NUMBERED) for at in range(2, MOST_NUMBERED + 1))
# The forms of phrases that say how dates follow each other, of what stands between them, and of
# phrases that say which of the document's own entities is meant.
FORMS = read_patterns("timeline", {"months": "|".join(MONTH_NAMES), "ordinals": ORDINALS})
_PLAIN: dict[str, str] = vocabulary("timeline")["plain"]


@lru_cache(1 << 14)
def plainly(phrase: str) -> str:
    """Return a phrase without what tells one of the document's own entities from another: "a second
    court" becomes "a court", "the respondent State" "a country"; other phrases unchanged."""
    for form, plain in _PLAIN.items():
        phrase = FORMS[form].sub(plain, phrase).lstrip()
    return phrase


def follows(phrase: str) -> bool:
    """Tell whether a phrase, in any case, says how far a date follows the one before it: "some days
    later in 2004", "soon afterwards", "the same day". "Some time later" needs its period ("in
    2004"); False for the order alone: "later in 2004", "a later date"."""
    return FORMS["following"].fullmatch(phrase.lower()) is not None


# Returns the codes of the countries that a phrase leaves possible; None if it says nothing of
# countries.
Implies = Callable[[str], frozenset[str] | None]

# Entity id -> the phrases that stand for it, at one place or another.
Phrases = Mapping[str, Iterable[str]]


def telling(phrases: Phrases, implies: Implies, least: int, hidden: frozenset[str]) -> list[str]:
    """List the ids of the entities whose phrases must become vaguer, because all phrases together
    leave fewer than ``least`` countries possible for a hidden State: for each such State, the
    entities whose phrases leave the fewest. [] if nothing is wrong.

    Args:
        phrases: of those entities that can become vaguer.
        implies: returns the countries that a phrase leaves possible.
        least: how many countries all phrases together must leave possible for each hidden State.
        hidden: codes of the States that the document's own words named and that are masked.
    """
    found: dict[str, None] = {}
    read = {key: [*map(implies, own)] for key, own in phrases.items()} if hidden else {}
    for state in sorted(hidden):
        left = {key: [one for one in own if one and state in one] for key, own in read.items()}
        told = {key: frozenset.intersection(*own) for key, own in left.items() if own}
        if told and len(frozenset.intersection(*told.values())) < least:
            fewest = min(map(len, told.values()))
            found |= dict.fromkeys(key for key, one in told.items() if len(one) == fewest)
    return list(found)
