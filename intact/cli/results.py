"""Results on the screen and on disk."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table

from intact.domain import Score
from intact.evaluation.report.page import results_page
from intact.evaluation.results import Results, document_rows, rows, to_json
from intact.run.files import make_private_folder, write_private

_TITLE = 36
_CELL = len("0.123 (0.123–0.123)")


def write(results: Results, out: Path) -> None:
    """results.json, results.csv, per_document.csv and report.html.

    Args:
        results: what was measured.
        out: the folder; it is made where it does not exist.

    Raises:
        RunError: if it cannot be written.
    """
    make_private_folder(out)
    write_private(
        out / "results.json", json.dumps(to_json(results), indent=1, ensure_ascii=False) + "\n"
    )
    heads = ("system", "metric", "value", "low", "high", "n", "signature")
    write_private(out / "results.csv", as_csv(heads, rows(results)))
    heads_by_document = ("doc_id", "system", "metric", "value", "weight")
    write_private(out / "per_document.csv", as_csv(heads_by_document, document_rows(results)))
    write_private(out / "report.html", results_page(results))


def as_csv(heads: Iterable[str], lines: Iterable[Iterable[Any]]) -> str:
    """Comma-separated text.

    Args:
        heads: of the columns.
        lines: the cells of each line.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(lines)
    return text.getvalue()


def show(results: Results, width: int) -> Group:
    """The main scores of every system with their 95 % intervals, one metric a line.

    Args:
        results: what was measured.
        width: columns of the screen; there are as many tables as it takes.
    """
    systems = list(results.systems)
    wide = max(_CELL, *(len(name) for name in systems), 0) + 2 if systems else 1
    room = max(1, (width - _TITLE) // wide)
    parts: list[Any] = [
        _table(results, systems[at : at + room]) for at in range(0, len(systems), room)
    ]
    parts += [f"{name} was not measured: {why}" for name, why in results.skipped.items()]
    return Group(*parts)


def _table(results: Results, systems: list[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", min_width=_TITLE - 2, no_wrap=True)
    for system in systems:
        table.add_column(system, justify="right", no_wrap=True)
    for metric, (title, better) in results.titles.items():
        if metric in results.skipped:
            continue
        arrow = {"higher": " ↑", "lower": " ↓"}.get(better, "")
        cells = (results.systems[system].get(metric) for system in systems)
        table.add_row(title + arrow, *(_cell(score) for score in cells))
    return table


def _cell(score: Score | None) -> str:
    if score is None:
        return ""
    if score.interval is None:
        return f"{score.value:.3f}"
    return "{:.3f} ({:.3f}–{:.3f})".format(score.value, *score.interval)
