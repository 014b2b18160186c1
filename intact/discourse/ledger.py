"""What all that stands for the things of a document implies together about its States.

Each phrase may be vague enough by itself and yet, beside the others, leave one State: "a country in
Northern Europe" and "GBP 500". The ledger intersects what the phrases imply and names the one to
make vaguer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Implies = Callable[[str], frozenset[str] | None]
"""A phrase -> codes of the countries that it leaves; None where it tells nothing of countries."""


class Ledger:
    """The books of one document.

    Args:
        implies: what a phrase tells of countries.
        least: how many countries all phrases together must leave, for each hidden State.
        hidden: codes of the States that the document's own words named and that are masked.
    """

    def __init__(self, implies: Implies, least: int, hidden: frozenset[str]) -> None:
        self._implies = implies
        self._least = least
        self._hidden = sorted(hidden)

    def left(self, phrases: Mapping[str, str], state: str) -> frozenset[str] | None:
        """The countries that all phrases which are true of a State leave together.

        Args:
            phrases: by the id of the thing.
            state: the State's code.

        Returns:
            None where no phrase tells anything.
        """
        told = self._told(phrases, state).values()
        return frozenset.intersection(*told) if told else None

    def telling(self, phrases: Mapping[str, str]) -> list[str]:
        """Ids of the things whose phrases must become vaguer: those that leave the fewest
        countries, where all together leave too few; none where enough are left.

        Args:
            phrases: by the id of the thing; without what has nothing vaguer.
        """
        found: dict[str, None] = {}
        for state in self._hidden:
            told = self._told(phrases, state)
            if told and len(frozenset.intersection(*told.values())) < self._least:
                fewest = min(map(len, told.values()))
                found |= dict.fromkeys(key for key, left in told.items() if len(left) == fewest)
        return list(found)

    def _told(self, phrases: Mapping[str, str], state: str) -> dict[str, frozenset[str]]:
        implied = ((key, self._implies(phrase)) for key, phrase in phrases.items())
        return {key: left for key, left in implied if left is not None and state in left}
