"""Read phrases that were worded in the light of the others: each by itself, and all together.

A phrase may say which of the document's own things is meant ("a second court"), or only how a date
follows another; ``plainly`` and ``follows`` say what is left of it without the others. What all
phrases imply together about the States is in the ``Ledger``: each may be vague enough by itself
and yet, beside the others, leave one State.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from intact.english.numbers import as_ordinal
from intact.english.time import MONTH_NAMES
from intact.english.vocabulary import read_patterns, vocabulary

_TABLES = vocabulary("timeline")
CONTINENTS: dict[str, str] = _TABLES["continents"]
MOST_NUMBERED = 12  # bodies of one phrase
ORDINALS = "|".join(as_ordinal(at, spelled_to=MOST_NUMBERED) for at in range(2, MOST_NUMBERED + 1))
FORMS = read_patterns("timeline", {"months": "|".join(MONTH_NAMES), "ordinals": ORDINALS})
"""What phrases look like that tell how dates follow each other, what stands between, and which of
the document's own things is meant."""
_PLAIN: dict[str, str] = _TABLES["plain"]


def plainly(phrase: str) -> str:
    """Undo what the book adds to a phrase: "a court" for "a second court"."""
    for form, plain in _PLAIN.items():
        phrase = FORMS[form].sub(plain, phrase).lstrip()
    return phrase


def follows(phrase: str) -> bool:
    """Recognise a phrase that tells of a date only how it follows the one before it."""
    return FORMS["following"].fullmatch(phrase.lower()) is not None


Implies = Callable[[str], frozenset[str] | None]
"""A phrase -> codes of the countries that it leaves; None where it tells nothing of countries."""

Phrases = Mapping[str, Iterable[str]]
"""By the id of a thing what stands for it, at one place or another."""


class Ledger:
    """The books of one document.

    Args:
        least: how many countries all phrases together must leave, for each hidden State.
        hidden: codes of the States that the document's own words named and that are masked.
    """

    def __init__(self, implies: Implies, least: int, hidden: frozenset[str]) -> None:
        self._implies = implies
        self._least = least
        self._hidden = sorted(hidden)

    def telling(self, phrases: Phrases) -> list[str]:
        """Find the things whose phrases must become vaguer, where all together leave too few
        countries: by id, those whose phrases leave the fewest.

        Args:
            phrases: of those that can become vaguer.
        """
        found: dict[str, None] = {}
        for state in self._hidden:
            told = self._implied_by(phrases, state)
            if told and len(frozenset.intersection(*told.values())) < self._least:
                fewest = min(map(len, told.values()))
                found |= dict.fromkeys(key for key, left in told.items() if len(left) == fewest)
        return list(found)

    def _implied_by(self, phrases: Phrases, state: str) -> dict[str, frozenset[str]]:
        told = {key: [*map(self._implies, own)] for key, own in phrases.items()}
        left = {key: [one for one in own if one and state in one] for key, own in told.items()}
        return {key: frozenset.intersection(*own) for key, own in left.items() if own}
