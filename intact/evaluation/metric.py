"""What every metric is and what it may use.

A metric is made once from an ``EvaluationContext`` and scores one system at a time: the corpus's
documents, each with the edits of that system. Work that depends on the originals alone is kept
between systems.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from intact.domain import Answer, Document, Entity, SanitizedDocument, Score
from intact.evaluation.pairs import MaskedString
from intact.evaluation.statistics import Tally, mean_score, tally
from intact.evaluation.terms import FrequencyInformation
from intact.models.embedder import SentenceEncoder
from intact.protocols import Attacker, Embedder

Pairs = Sequence[SanitizedDocument]


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """What metrics may use; a metric that needs what is not there says so.

    Attributes:
        embedder: sentence encoder.
        information: information content of terms.
        background: public text by individual; empty where there is none.
        owner: the individual that the document of an id is about.
        layers: document id -> what each annotator saw in it.
        attackers: by name, for inference risk.
        judge_guess: whether an answer gives an entity away.
        encoder: transformers model of the re-identification attack ("minilm" or any).
        seed: of everything that is drawn.
        progress: told (what, done, all) now and then.
        warn: told what a user should know of a number; no document text.
    """

    embedder: Embedder = field(default_factory=SentenceEncoder)
    information: FrequencyInformation = field(default_factory=FrequencyInformation)
    background: Mapping[str, str] = field(default_factory=dict)
    owner: Callable[[str], str] = str
    layers: Mapping[str, Sequence[Document]] = field(default_factory=dict)
    attackers: Mapping[str, Attacker] = field(default_factory=dict)
    judge_guess: Callable[[Answer, Entity], bool] | None = None
    encoder: str = "minilm"
    seed: int = 0
    progress: Callable[[str, int, int], None] = lambda what, done, total: None
    warn: Callable[[str], None] = lambda message: None


class Metric(ABC):
    """A metric with its parts: one main score, and others named "main/part".

    Attributes:
        name: as in the registry.
        title: for tables.
        better: whether more or less is better; "" where neither.
        source: paper and equation.
        needs: what has to be given for it, as docs/metrics.md tells it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    better: ClassVar[Literal["higher", "lower", ""]]
    source: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()

    def __init__(self, context: EvaluationContext) -> None:
        self.context = context

    @abstractmethod
    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """The main score first, then its parts."""

    def score(self, pairs: Pairs) -> Score:
        """The main score."""
        return self.scores(pairs)[0]

    def mean(self, tallies: Mapping[str, Tally], part: str = "", **made_with: object) -> Score:
        """The mean over all units of all documents.

        Args:
            tallies: by document id.
            part: of the metric; the main score without.
            made_with: what the signature tells beside name, n and seed.
        """
        name = f"{self.name}/{part}" if part else self.name
        return mean_score(name, tallies, seed=self.context.seed, **made_with)

    def by_type(
        self, found: Sequence[tuple[str, str, float]], part: str = "", **made_with: object
    ) -> tuple[Score, ...]:
        """The mean over all units, then over those of each entity type.

        Args:
            found: document id, entity type and value of each unit.
            part: of the metric; types become parts of it.
            made_with: as in ``mean``.
        """
        kinds = sorted({kind for _, kind, _ in found})
        return tuple(
            self.mean(
                tally((key, value) for key, of, value in found if kind in ("", of)),
                "/".join(filter(None, (part, kind))),
                **made_with,
            )
            for kind in ("", *kinds)
        )


def valued(
    strings: Sequence[MaskedString], values: Sequence[float]
) -> list[tuple[str, str, float]]:
    """Document id and entity type of each string with its value, for ``Metric.by_type``.

    Args:
        strings: masked strings.
        values: one for each.
    """
    return [(s.document, s.entity_type, value) for s, value in zip(strings, values, strict=True)]
