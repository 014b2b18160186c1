"""Is what stands there true of the original, and does it say less? (Pilán et al. 2024, 5.7)

Two answers: what a judge that was trained on human judgments thinks of every replacement, and what
can be proved of times and amounts alone.
"""

from __future__ import annotations

from collections.abc import Callable

from intact.domain import BY_VALUE, Score
from intact.errors import NotMeasuredError
from intact.evaluation.judge import JudgedString, Judgment, LearnedJudge, holds
from intact.evaluation.metric import EvaluationContext, Metric, Pairs, valued
from intact.evaluation.pairs import MaskedString, masked_strings
from intact.evaluation.statistics import tally

_CONTEXT = 70
"""Characters on each side, as the human judges saw them."""


class _Judged(Metric):
    """What the two judged metrics share."""

    better = "higher"
    source = "Pilán et al. 2024, 5.7, judged automatically"

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._judge = LearnedJudge(context.embedder)

    def _scores(self, pairs: Pairs, said: Callable[[Judgment], float]) -> tuple[Score, ...]:
        if self.context.embedder.name != self._judge.encoder:
            raise NotMeasuredError(
                f"the judge's weights belong to the encoder {self._judge.encoder}",
                remedy=f"Give --encoder {self._judge.encoder}.",
            )
        text = {one.document.id: one.document.text for one in pairs}
        strings = [s for s in masked_strings(pairs) if s.attackable and s.after.strip()]
        first: dict[tuple[str, str, str], JudgedString] = {}
        for s in strings:
            first.setdefault((s.document, s.before, s.after), in_context(text[s.document], s))
        found = self._judge.judge([first[s.document, s.before, s.after] for s in strings])
        return self.by_type(valued(strings, list(map(said, found))), judge=self._judge.name)


class Truthful(_Judged):
    """Mean probability that what stands for a mention (names and codes apart) is true of it, as
    the judge estimates; mentions for which nothing stands are left out. The judge sees wording and
    the containment of dates and numbers, and knows nothing of the world."""

    name = "truthful"
    title = "Judged truthful"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type.

        Raises:
            NotMeasuredError: if the encoder is not the one the judge was trained with.
        """
        return self._scores(pairs, lambda judgment: judgment.truthful)


class LessSpecific(_Judged):
    """Mean probability that what stands for a mention says less than it did, as the judge
    estimates. As the human judges did, it mostly refuses this to bare labels."""

    name = "less_specific"
    title = "Judged less specific"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type.

        Raises:
            NotMeasuredError: if the encoder is not the one the judge was trained with.
        """
        return self._scores(pairs, lambda judgment: judgment.less_specific)


class Containment(Metric):
    """Of the replacements that state a time or an amount for a time or an amount, the share that
    provably does not contain the original; "about a month" for 28 days counts as such. Parts:
    the share of all dates and quantities where this can be told at all, and by type."""

    name = "contradicted"
    title = "Times and amounts contradicted"
    better = "lower"
    source = "this project; truthfulness of Pilán et al. 2024, 5.7, as far as it can be proved"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, by type, then the share that can be told."""
        strings = [s for s in masked_strings(pairs) if s.entity_type in BY_VALUE]
        known = [(s, holds(s.after, s.before)) for s in strings]
        told = [(s, not verdict) for s, verdict in known if verdict is not None]
        share = tally((s.document, float(verdict is not None)) for s, verdict in known)
        return (
            *self.by_type([(s.document, s.entity_type, float(no)) for s, no in told]),
            self.mean(share, "told"),
        )


def in_context(text: str, string: MaskedString) -> JudgedString:
    """A masked string as the judge sees it.

    Args:
        text: of its document.
        string: the mention and what stands for it.
    """
    span = string.mention.span
    return JudgedString(
        before=string.before,
        after=string.after,
        entity_type=string.entity_type,
        left=text[max(0, span.start - _CONTEXT) : span.start],
        right=text[span.end : span.end + _CONTEXT],
    )
