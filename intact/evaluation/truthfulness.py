"""Is what stands there true of the original, and does it say less? (Pilán et al. 2024, 5.7)

Two answers. What can be proved: a time or number lies inside the replacement's interval or range
or does not, the knowledge base knows the phrase to hold or not to. And what a judge calibrated on
human judgments thinks of everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from intact.domain import BY_VALUE, SanitizedDocument, Score
from intact.errors import NotMeasuredError
from intact.evaluation.inference import attackable
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.pairs import MaskedString, by_type, masked_strings, tallied
from intact.evaluation.statistics import mean_score, part_scores, tally
from intact.evaluation.truth import Replaced, Verdict, holds

_CONTEXT = 70
"""Characters on each side, as the human judges saw them."""


class _Judged(Metric):
    """What the two judged metrics share."""

    needs = ("judge",)

    def _verdicts(self, pairs: Pairs) -> tuple[list[MaskedString], Sequence[Verdict]]:
        if self.context.judge is None:
            raise NotMeasuredError(
                "there is no judge",
                remedy='Install it with: pip install "intact-sanitizer[evaluation]"',
            )
        text = {one.document.id: one.document.text for one in pairs}
        strings = [
            s for s in masked_strings(pairs) if attackable(s.entity_type) and s.after.strip()
        ]
        first: dict[tuple[str, str, str], Replaced] = {}
        for s in strings:
            key = (s.document, s.before, s.after)
            if key not in first:
                first[key] = in_context(text[s.document], s)
        items = [first[s.document, s.before, s.after] for s in strings]
        return strings, self.context.judge.judge(items)

    def _scores(self, strings: Sequence[MaskedString], values: list[float]) -> tuple[Score, ...]:
        judge = self.context.judge.name if self.context.judge else ""
        parts = {self.name: tallied(strings, values)} | {
            f"{self.name}/{kind}": found for kind, found in by_type(strings, values).items()
        }
        return part_scores(parts, seed=self.context.seed, judge=judge)


class Truthful(_Judged):
    """Mean probability that what stands for a mention (names and codes apart) is true of it, as
    the judge estimates; mentions for which nothing stands are left out."""

    name = "truthful"
    title = "Judged truthful"
    better = "higher"
    source = "Pilán et al. 2024, 5.7, judged automatically"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type."""
        strings, verdicts = self._verdicts(pairs)
        return self._scores(strings, [verdict.truthful for verdict in verdicts])


class LessSpecific(_Judged):
    """Mean probability that what stands for a mention says less than it did, as the judge
    estimates. As the human judges did, it mostly refuses this to bare labels."""

    name = "less_specific"
    title = "Judged less specific"
    better = "higher"
    source = "Pilán et al. 2024, 5.7, judged automatically"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type."""
        strings, verdicts = self._verdicts(pairs)
        return self._scores(strings, [verdict.less_specific for verdict in verdicts])


class Containment(Metric):
    """Of the replacements that state a time or an amount for a time or an amount, the share that
    provably does not contain the original; "about a month" for 28 days counts as such. Parts:
    the share of all dates and quantities where this can be told at all, and by type."""

    name = "contradicted"
    title = "Times and amounts contradicted"
    better = "lower"
    source = "this project; truthfulness of Pilán et al. 2024, 5.7, as far as it can be proved"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, share that can be told, then by type."""
        strings = [s for s in masked_strings(pairs) if s.entity_type in BY_VALUE]
        known = [(s, holds(s.after, s.before)) for s in strings]
        told = [(s, not verdict) for s, verdict in known if verdict is not None]
        seed = self.context.seed
        scores = [
            mean_score(self.name, tally((s.document, float(no)) for s, no in told), seed=seed),
            mean_score(
                f"{self.name}/told",
                tally((s.document, float(verdict is not None)) for s, verdict in known),
                seed=seed,
            ),
        ]
        for kind in sorted(BY_VALUE):
            found = tally((s.document, float(no)) for s, no in told if s.entity_type == kind)
            scores.append(mean_score(f"{self.name}/{kind}", found, seed=seed))
        return tuple(scores)


def in_context(text: str, string: MaskedString) -> Replaced:
    """A masked string with 70 characters on each side."""
    span = string.mention.span
    return Replaced(
        before=string.before,
        after=string.after,
        entity_type=string.entity_type,
        left=text[max(0, span.start - _CONTEXT) : span.start],
        right=text[span.end : span.end + _CONTEXT],
    )


def judged_items(pair: SanitizedDocument) -> list[Replaced]:
    """What a judge would be asked of one document."""
    return [
        in_context(pair.document.text, string)
        for string in masked_strings([pair])
        if attackable(string.entity_type) and string.after.strip()
    ]
