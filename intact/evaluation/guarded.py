"""What the guard reached, as the documents that it made tell it."""

from __future__ import annotations

from collections.abc import Callable

from intact.domain import Guarding, Score
from intact.errors import NotMeasuredError
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.statistics import Tally, mean_score


class GuardReached(Metric):
    """Share of guarded documents whose individual came after the k others that were asked for, by
    every attacker of the guard's ensemble. Parts: how many others come first by every attacker
    (k_reached), the rank of the individual before and after by each attacker, the share of words
    beyond the annotations that the guard changed. Documents without a guard do not count."""

    name = "guard"
    title = "Individuals hidden among k by the guard"
    better = "higher"
    source = "Samarati and Sweeney 1998; Morris et al. 2022, 3"
    needs = ("`--sanitized NAME=FILE`, a file that `intact sanitize --background` wrote",)

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Share hidden, others reached, ranks by attacker, words changed.

        Raises:
            NotMeasuredError: if no document was guarded.
        """
        told = {p.document.id: p.guarding for p in pairs if p.guarding is not None}
        if not told:
            raise NotMeasuredError(
                "no document tells of a guard",
                remedy="Give the output of intact sanitize --background as --sanitized NAME=FILE.",
            )
        names = list(dict.fromkeys(name for one in told.values() for name in one.before))
        scores = [
            self._mean("", told, lambda g: float(g.reached >= g.k)),
            self._mean("/k_reached", told, lambda g: float(g.reached)),
        ]
        for name in names:
            having = {key: one for key, one in told.items() if name in one.before}
            scores.append(self._mean(f"/rank_before/{name}", having, _before(name)))
            scores.append(self._mean(f"/rank_after/{name}", having, _after(name)))
        worded = {key: one for key, one in told.items() if one.words}
        scores.append(self._mean("/words_changed", worded, lambda g: g.words_changed / g.words))
        return tuple(scores)

    def _mean(
        self, part: str, told: dict[str, Guarding], value: Callable[[Guarding], float]
    ) -> Score:
        tallies = {key: Tally(value(one)) for key, one in told.items()}
        return mean_score(f"{self.name}{part}", tallies, seed=self.context.seed)


def _before(name: str) -> Callable[[Guarding], float]:
    return lambda guarding: float(guarding.before[name])


def _after(name: str) -> Callable[[Guarding], float]:
    return lambda guarding: float(guarding.after.get(name, guarding.before[name]))
