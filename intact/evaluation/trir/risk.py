"""Text Re-Identification Risk (Pilán et al. 2024, 4.2), by each attack and by any of them.

The ensemble counts a document as re-identified if any attack puts its individual first (Morris et
al. 2022, 5): an attacker needs only one that works.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from intact.domain import Score
from intact.errors import NotMeasuredError
from intact.evaluation.metric import EvaluationContext, Metric, Pairs
from intact.evaluation.statistics import Tally, mean_score, sign, wilson
from intact.evaluation.trir.encoder import EncoderAttack
from intact.evaluation.trir.linear import LinearAttack
from intact.evaluation.trir.retrieval import Bm25Attack, TfidfAttack
from intact.evaluation.trir.windows import training_copies, training_windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ATTACKS = ("tfidf", "bm25", "linear", "encoder")


class _Fitted(Protocol):
    name: str

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]: ...


class ReidentificationRisk(Metric):
    """Share of documents whose individual an attack puts first among those of the background.
    Parts: each attack, the chance level, and the mean reciprocal rank of the true individual
    over the attacks (the per-document risk). Documents whose individual the background lacks are
    left out and counted in a warning."""

    name = "trir"
    title = "Re-identification risk (TRIR)"
    better = "lower"
    source = "Pilán et al. 2024, 4.2; ensemble: Morris et al. 2022, 5"
    needs = ("`--background FILE`",)
    attacks: tuple[str, ...] = ("tfidf", "bm25", "linear")

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._fitted: list[_Fitted] = []

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Any attack, each attack, chance, and mean reciprocal rank.

        Raises:
            NotMeasuredError: without a background, or one with none of the individuals.
        """
        background = self.context.background
        if not background:
            raise NotMeasuredError(
                "there is no background to attack with",
                remedy='Give --background FILE with {individual: "public text"}.',
            )
        place = {name: index for index, name in enumerate(background)}
        known = [one for one in pairs if self.context.owner(one.document.id) in place]
        if not known:
            raise NotMeasuredError(
                "the background has none of the corpus's individuals",
                remedy="Its keys must be document ids, or be mapped with --owners FILE.",
            )
        if len(known) < len(pairs):
            missing = len(pairs) - len(known)
            self.context.warn(
                f"{missing} documents left out: the background lacks their individual"
            )
        owners = [place[self.context.owner(one.document.id)] for one in known]
        texts = [one.text for one in known]
        ranks = {
            attack.name: true_ranks(attack.scores(texts), owners) for attack in self._attacks()
        }
        return self._scores([one.document.id for one in known], ranks, len(background))

    def _attacks(self) -> list[_Fitted]:
        """The attacks, trained when they are first asked for; every system meets the same."""
        if not self._fitted:
            self._fitted = [self._fit(name) for name in self.attacks]
        return self._fitted

    def _fit(self, name: str) -> _Fitted:
        context, background = self.context, self.context.background
        if name in (TfidfAttack.name, Bm25Attack.name):
            lookup = TfidfAttack() if name == TfidfAttack.name else Bm25Attack()
            lookup.fit(list(background.values()))
            return lookup
        if name == LinearAttack.name:
            linear = LinearAttack()
            linear.fit(training_copies(background), len(background))
            return linear
        encoder = EncoderAttack(context.encoder, store=context.store, progress=context.progress)
        encoder.fit(training_windows(background), len(background))
        return encoder

    def _scores(
        self, documents: Sequence[str], ranks: Mapping[str, list[int]], individuals: int
    ) -> tuple[Score, ...]:
        chance = 1 / individuals
        best = [min(found) for found in zip(*ranks.values(), strict=True)]
        scores = [self._share(self.name, documents, best, chance)]
        scores += [
            self._share(f"{self.name}/{name}", documents, found, chance)
            for name, found in ranks.items()
        ]
        n = len(documents)
        signature = sign(f"{self.name}/chance", individuals=individuals, n=n)
        scores.append(Score(f"{self.name}/chance", chance, n, signature))
        reciprocal = {
            key: Tally(sum(1 / (found[at] + 1) for found in ranks.values()) / len(ranks))
            for at, key in enumerate(documents)
        }
        scores.append(mean_score(f"{self.name}/mrr", reciprocal, seed=self.context.seed))
        return tuple(scores)

    def _share(
        self, name: str, documents: Sequence[str], ranks: Sequence[int], chance: float
    ) -> Score:
        hits = {key: float(rank == 0) for key, rank in zip(documents, ranks, strict=True)}
        won = sum(map(int, hits.values()))
        signature = sign(
            name,
            attacks="+".join(self.attacks),
            **({"encoder": self.context.encoder} if "encoder" in self.attacks else {}),
            chance=f"{chance:.4f}",
            interval="wilson",
            n=len(hits),
            seed=self.context.seed,
        )
        return Score(name, won / len(hits), len(hits), signature, wilson(won, len(hits)), hits)


class ReidentificationRiskByEncoder(ReidentificationRisk):
    """TRIR with the paper's fine-tuned encoder among the attacks. Trains for minutes on a CPU."""

    name = "trir_encoder"
    title = "Re-identification risk with encoder"
    attacks = ATTACKS


def true_ranks(scores: NDArray[np.float64], owners: Sequence[int]) -> list[int]:
    """Rank of each row's own column: how many others score as much or more, so that an attack
    that cannot tell individuals apart gets no credit."""
    import numpy as np

    return [
        int(np.count_nonzero(np.delete(row, owner) >= row[owner]))
        for row, owner in zip(scores, owners, strict=True)
    ]
