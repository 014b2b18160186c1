"""Corpora for training and judging detectors, and how their figures are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from intact.cli.console import ProgressReporter
from intact.config import Settings
from intact.domain import ENTITY_TYPES
from intact.evaluation.corpus import read_corpus
from intact.knowledge.base import KnowledgeBase
from intact.run.files import write_private
from intact.run.validate import Validated, results, validate

_COLUMNS = (
    "direct mentions",
    "quasi mentions",
    "direct entities",
    "quasi entities",
    "token precision",
)


def judge(
    path: Path,
    systems: Sequence[tuple[str, ...]],
    settings: Settings,
    out: Path | None,
    told: ProgressReporter,
) -> list[Validated]:
    """Scores every system on the corpus, and writes the figures where asked for."""
    corpus = read_corpus(path)
    documents, layers = corpus.documents, corpus.layers
    knowledge = KnowledgeBase.open()
    found = [
        validate(documents, layers, names, settings.detection, lambda: knowledge, told.progress)
        for names in systems
    ]
    if out is not None:
        told_of = {
            "corpus": path.name,
            "documents": len(documents),
            "threshold": settings.detection.threshold,
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
