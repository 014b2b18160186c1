"""How much of the text was changed (Morris et al. 2022, "% masked")."""

from __future__ import annotations

from intact.domain import Score
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.statistics import Tally, mean_score
from intact.evaluation.terms import word_spans


class WordsChanged(Metric):
    """Share of the original's words that an edit reaches into."""

    name = "words_changed"
    title = "Words changed"
    better = "lower"
    source = "Morris et al. 2022, table 2 (% masked)"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score over all words."""
        tallies = {}
        for one in pairs:
            spans = word_spans(one.document.text)
            changed, at = 0, 0
            for span in spans:
                while at < len(one.edits) and one.edits[at].span.end <= span.start:
                    at += 1
                changed += at < len(one.edits) and one.edits[at].span.overlaps(span)
            tallies[one.document.id] = Tally(changed, len(spans))
        return (mean_score(self.name, tallies, seed=self.context.seed),)
