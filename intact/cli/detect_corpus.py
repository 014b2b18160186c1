"""Corpora for training and judging detectors, and how their figures are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from intact.build import build_pipeline
from intact.cli.console import ProgressReporter
from intact.config import Settings, load_settings
from intact.detection.tagger import WordEncoder
from intact.detection.training import TrainingPlan
from intact.domain import ENTITY_TYPES, Mention
from intact.errors import ConfigError
from intact.evaluation.corpus import Corpus, read_corpus
from intact.knowledge.base import KnowledgeBase
from intact.run.files import write_private
from intact.run.validate import Validated, cross_train, results, validate

_COLUMNS = (
    "direct mentions",
    "quasi mentions",
    "direct entities",
    "quasi entities",
    "token precision",
)


def masked(
    path: Path, order: str, background: Path | None, k: int, told: ProgressReporter
) -> Corpus:
    """The corpus with the guard's masks for annotations (after Manzanares-Salor's disclosure risk).

    Words are masked, in the guard's order, until the document's individual is hidden among ``k``
    others of the population. What is masked is MISC, whatever it is.

    Raises:
        ConfigError: for an unknown order, or no population.
    """
    if order not in ("greedy", "random") or background is None:
        raise ConfigError(
            "automatic masks are greedy or random, and need a population",
            where="--masks",
            remedy="Give --masks greedy --background FILE.",
        )
    settings = load_settings(
        None,
        [
            f"guard.background={str(background)!r}",
            f"guard.k={k}",
            f"guard.order={order!r}",
            "guard.edit='mask'",
            "guard.max_words=1000000",
            "guard.absent='ok'",
        ],
    )
    corpus = read_corpus(path)
    pipeline = build_pipeline(settings)
    documents = []
    for number, document in enumerate(corpus.documents, start=1):
        bare = replace(document, mentions=())
        done = pipeline.sanitize(bare)
        mentions = tuple(
            Mention(f"m{at}", edit.span, edit.span.of(document.text), f"m{at}", "MISC")
            for at, edit in enumerate(done.edits)
        )
        documents.append(replace(bare, mentions=mentions))
        told.progress("masking", number, len(corpus.documents))
    pipeline.close()
    return Corpus(tuple(documents))


def judge(
    path: Path,
    systems: Sequence[tuple[str, ...]],
    settings: Settings,
    encoder: tuple[str, tuple[int, ...]],
    plan: TrainingPlan,
    folds: int,
    out: Path | None,
    told: ProgressReporter,
) -> list[Validated]:
    """Scores every system on the corpus, and writes the figures where asked for."""
    corpus = read_corpus(path)
    documents, layers = corpus.documents, corpus.layers
    knowledge = KnowledgeBase.open()
    trained = None
    if any("tagger" in names for names in systems) and settings.detection.tagger is None:
        trained = cross_train(documents, layers, WordEncoder(*encoder), plan, folds, told.progress)
    found = [
        validate(
            documents,
            layers,
            names,
            settings.detection,
            lambda: knowledge,
            trained if "tagger" in names else None,
            told.progress,
        )
        for names in systems
    ]
    if out is not None:
        seconds = round(trained.seconds, 1) if trained else None
        told_of = {
            "corpus": path.name,
            "documents": len(documents),
            "folds": folds if trained else None,
            "training_seconds": seconds,
            "threshold": settings.detection.threshold,
            "seed": plan.seed,
        }
        write_private(out, results(found, told_of) + "\n")
    return found


def show(found: Sequence[Validated]) -> None:
    """A table of recalls and precision, one row a system, and recall by type."""
    console = Console(soft_wrap=True, highlight=False)
    for title, names in (
        ("Recall and precision", _COLUMNS),
        ("Recall by type", ENTITY_TYPES),
    ):
        table = Table(title=title, title_justify="left", box=None)
        table.add_column("detectors")
        for name in (*names, "warned") if names is _COLUMNS else names:
            table.add_column(name, justify="right")
        for one in found:
            row = [f"{one.scores[name].value:.3f}" for name in names]
            row += [str(one.warned)] if names is _COLUMNS else []
            table.add_row(", ".join(one.detectors), *row)
        console.print(table)
