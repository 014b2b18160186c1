"""Text Re-Identification Risk (Pilán et al. 2024, 4.2; Manzanares-Salor et al. 2024): attackers
learn from public texts of a population and rank its individuals for each document.

The ensemble counts a document as re-identified if any attacker puts its individual first (Morris et
al. 2022, 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from intact.domain import Score
from intact.errors import NotMeasuredError
from intact.evaluation.metric import Metric, Pairs, Tally, mean_score, sign, wilson
from intact.reidentification.attackers import Reidentifier, rank_of, reidentifiers
from intact.reidentification.population import Population


class ReidentificationRisk(Metric):
    """Share of documents whose individual an attacker puts first among those of the background.
    Parts: each attacker, the chance level, and the mean reciprocal rank of the true individual
    over the attackers (the per-document risk). Attackers: TF-IDF, BM25, and ridge regressions on
    words and on character n-grams, trained on windows of 100 words (25 shared) of the public
    texts, plain and with names masked. Documents whose individual the background lacks are left
    out and counted in a warning."""

    name = "trir"
    title = "Re-identification risk (TRIR)"
    better = "lower"
    source = "Pilán et al. 2024, 4.2; ensemble: Morris et al. 2022, 5"
    needs = ("`--background FILE`",)
    attackers: tuple[str, ...] = ("tfidf", "bm25", "ridge", "ridge_grams")
    _ready: Sequence[Reidentifier] = ()  # every system meets the same

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Return the share by any attacker, by each, by chance, and the mean reciprocal rank."""
        if not self.context.background:
            remedy = 'Give --background FILE with {individual: "public text"}.'
            raise NotMeasuredError("there is no background to attack with", remedy=remedy)
        number, owner = self._population.number, self.context.owner
        numbers = {one.document.id: number(owner(one.document.id)) for one in pairs}
        known = [one for one in pairs if numbers[one.document.id] is not None]
        if not known:
            problem = "the background has none of the corpus's individuals"
            remedy = "Its keys must be document ids, or be mapped with --owners FILE."
            raise NotMeasuredError(problem, remedy=remedy)
        if missing := len(pairs) - len(known):
            self.context.warn(
                f"{missing} documents left out: the background lacks their individual"
            )
        texts = [one.text for one in known]
        names = [name.format(encoder=self.context.encoder) for name in self.attackers]
        self._ready = self._ready or reidentifiers(self._population, names)
        ranks = {
            attacker.name: {
                one.document.id: rank_of(row, numbers[one.document.id] or 0)
                for one, row in zip(known, attacker.scores(texts), strict=True)
            }
            for attacker in self._ready
        }
        return self._combined(ranks, self._population.size)

    @cached_property
    def _population(self) -> Population:
        return Population.of(self.context.background.items())

    def _combined(
        self, ranks: Mapping[str, Mapping[str, int]], individuals: int
    ) -> tuple[Score, ...]:
        """Return the scores. Ranks of true individuals are by attacker and document, from 0."""
        documents = next(iter(ranks.values()))
        by_document = {key: [own[key] for own in ranks.values()] for key in documents}
        best = {key: min(own) for key, own in by_document.items()}
        chance, n = 1 / individuals, len(by_document)
        signature = sign(f"{self.name}/chance", individuals=individuals, n=n)
        reciprocal = {
            key: Tally(sum(1 / (rank + 1) for rank in own) / len(own))
            for key, own in by_document.items()
        }
        return (
            self._share(self.name, best, chance),
            *(self._share(f"{self.name}/{name}", own, chance) for name, own in ranks.items()),
            Score(f"{self.name}/chance", chance, n, signature),
            mean_score(f"{self.name}/mrr", reciprocal, seed=self.context.seed),
        )

    def _share(self, name: str, ranks: Mapping[str, int], chance: float) -> Score:
        hits = {key: float(rank == 0) for key, rank in ranks.items()}
        won = sum(map(int, hits.values()))
        attackers = "+".join(self.attackers).format(encoder=self.context.encoder)
        told = {"chance": f"{chance:.4f}", "interval": "wilson", "n": len(hits)}
        signature = sign(name, attackers=attackers, **told, seed=self.context.seed)
        return Score(name, won / len(hits), len(hits), signature, wilson(won, len(hits)), hits)


class ReidentificationRiskByEncoder(ReidentificationRisk):
    """TRIR with a sentence encoder (`--attack-encoder`) among the attackers. Reads all texts:
    minutes on a CPU."""

    name = "trir_encoder"
    title = "Re-identification risk with encoder"
    attackers = (*ReidentificationRisk.attackers, "encoder:{encoder}")


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
        """Return the share hidden, others reached, ranks by attacker, words changed."""
        told = {p.document.id: p.guarding for p in pairs if p.guarding is not None}
        if not told:
            remedy = "Give the output of intact sanitize --background as --sanitized NAME=FILE."
            raise NotMeasuredError("no document tells of a guard", remedy=remedy)
        parts: dict[str, dict[str, float]] = {"": {}, "k_reached": {}}
        for key, guarding in told.items():
            parts[""][key] = guarding.reached >= guarding.k
            parts["k_reached"][key] = guarding.reached
        for name in dict.fromkeys(name for one in told.values() for name in one.before):
            having = {key: one for key, one in told.items() if name in one.before}
            parts[f"rank_before/{name}"] = {key: one.before[name] for key, one in having.items()}
            parts[f"rank_after/{name}"] = {
                key: one.after.get(name, one.before[name]) for key, one in having.items()
            }
        parts["words_changed"] = {k: g.words_changed / g.words for k, g in told.items() if g.words}
        return tuple(
            self.mean({key: Tally(float(value)) for key, value in found.items()}, part)
            for part, found in parts.items()
        )
