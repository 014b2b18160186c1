"""How many replacements are no more than a label."""

from __future__ import annotations

from intact.domain import Score
from intact.evaluation.inference import attackable
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.pairs import by_type, masked_strings, tallied
from intact.evaluation.statistics import mean_score


class LabelShare(Metric):
    """Share of masked mentions (names and codes apart) that ended on a bare type label."""

    name = "labels"
    title = "Bare labels"
    better = "lower"
    source = "Pilán et al. 2024, 5.4 and table 5"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type."""
        strings = [s for s in masked_strings(pairs) if attackable(s.entity_type)]
        values = [float(is_label(s.after, s.entity_type)) for s in strings]
        parts = {self.name: tallied(strings, values)} | {
            f"{self.name}/{kind}": found for kind, found in by_type(strings, values).items()
        }
        return tuple(
            mean_score(name, tallies, seed=self.context.seed) for name, tallies in parts.items()
        )


def is_label(text: str, entity_type: str) -> bool:
    """Whether ``text`` is a bare type label, numbered or not ("ORG_2", "[ORG 2]", "***")."""
    bare = text.strip("[]<>() ").rstrip("0123456789").rstrip("_ ")
    return bare.upper() == entity_type or (bool(text.strip()) and not text.strip("*_ "))
