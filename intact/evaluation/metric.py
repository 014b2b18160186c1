"""What every metric is and what it may use.

A metric is made once from an ``EvaluationContext`` and scores one system at a time: the corpus's
documents, each with the edits of that system. Work that depends on the originals alone is kept
between systems.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from intact.domain import Answer, Document, Entity, SanitizedDocument, Score
from intact.evaluation.information import FrequencyInformation, InformationContent
from intact.evaluation.terms import LightSplitter, TermSplitter
from intact.evaluation.truth import Judge
from intact.protocols import Attacker, Embedder

Pairs = Sequence[SanitizedDocument]


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """What metrics may use; a metric that needs what is not there says so.

    Attributes:
        embedder: sentence encoder.
        information: information content of terms.
        splitter: terms outside the annotations.
        background: public text by individual; empty where there is none.
        owners: document id -> individual, where they differ.
        layers: document id -> what each annotator saw in it.
        classes: document id -> class, for the downstream classifier.
        attackers: by name, for inference risk.
        judge_guess: whether an answer gives an entity away.
        judge: truthfulness and abstraction of a replacement.
        compat: the arithmetic of the reference implementations, for published figures.
        encoder: transformers model of the re-identification attack ("minilm" or any).
        store: folder for checkpoints; None keeps none.
        seed: of everything that is drawn.
        progress: told (what, done, all) now and then.
        warn: told what a user should know of a number; no document text.
    """

    embedder: Embedder
    information: InformationContent = field(default_factory=FrequencyInformation)
    splitter: TermSplitter = field(default_factory=LightSplitter)
    background: Mapping[str, str] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    attackers: Mapping[str, Attacker] = field(default_factory=dict)
    judge_guess: Callable[[Answer, Entity], bool] | None = None
    judge: Judge | None = None
    compat: bool = False
    encoder: str = "minilm"
    store: Path | None = None
    seed: int = 0
    progress: Callable[[str, int, int], None] = lambda what, done, total: None
    warn: Callable[[str], None] = lambda message: None

    def owner(self, document_id: str) -> str:
        """The individual a document is about."""
        return self.owners.get(document_id, document_id)


class Metric(ABC):
    """A metric with its parts: one main score, and others named "main/part".

    Attributes:
        name: as in the registry.
        title: for tables.
        better: whether more or less is better; "" where neither.
        source: paper and equation.
        needs: what has to be given for it ("background"), as an option's name.
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
