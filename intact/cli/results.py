"""Results on the screen and on disk; ``intact compare``: two of them side by side; ``intact
report``: a page that shows what a run replaced, and why."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table

from intact.cli.console import Quiet, result_printer
from intact.domain import Score
from intact.errors import InputError
from intact.evaluation.report.documents import documents_page
from intact.evaluation.report.page import results_page
from intact.evaluation.results import Results, Scores, document_rows, from_json, rows, to_json
from intact.evaluation.statistics import paired_difference
from intact.formats.base import read_json
from intact.formats.outcome import sanitized_objects
from intact.run.files import make_private_folder, write_private

_TITLE = 36
_SIGNIFICANT = 0.05
_SHOWN = ("tps", "inference", "trir", "truthful")  # on top of a run's page
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


def compare(
    first: Annotated[Path, typer.Argument(help="A results.json.")],
    second: Annotated[Path, typer.Argument(help="Another, on the same documents.")],
    systems: Annotated[
        str | None, typer.Option(help="A,B: compare A of the first with B of the second.")
    ] = None,
    parts: Annotated[bool, typer.Option(help="Also compare the parts of metrics.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Compare two results of intact evaluate: difference, 95 % interval and p by paired bootstrap
    over the documents that both have. An asterisk marks p < 0.05.

    Systems of the same name are compared, or the two named by --systems.
    """
    one, two = (from_json(read_json(path), str(path)) for path in (first, second))
    say = result_printer(quiet=False)
    for name, other in _pairs(one, two, systems, (str(first), str(second))):
        say(_compared(one.systems[name], two.systems[other], (name, other), parts=parts, seed=seed))
        say("")


def _pairs(
    one: Results, two: Results, systems: str | None, files: tuple[str, str]
) -> list[tuple[str, str]]:

    if systems is not None:
        name, comma, other = (part.strip() for part in systems.partition(","))
        if not comma:
            raise InputError(
                f"{systems!r} names no two systems",
                where="--systems",
                remedy="Write --systems A,B.",
            )
        for wanted, results, file in ((name, one, files[0]), (other, two, files[1])):
            if wanted not in results.systems:
                raise InputError(
                    f"there is no system {wanted!r}",
                    where=file,
                    remedy=f"There are: {', '.join(results.systems)}.",
                )
        return [(name, other)]
    shared = [name for name in one.systems if name in two.systems]
    if shared:
        return [(name, name) for name in shared]
    if len(one.systems) == len(two.systems) == 1:
        return [(next(iter(one.systems)), next(iter(two.systems)))]
    raise InputError(
        "no system is in both", where=", ".join(files), remedy="Say which: --systems A,B."
    )


def _compared(one: Scores, two: Scores, names: tuple[str, str], *, parts: bool, seed: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    heads = names if names[0] != names[1] else (f"{names[0]}, first", f"{names[1]}, second")
    for head in (*heads, "difference", "95 %", "p", "documents"):
        table.add_column(head, justify="right", no_wrap=True)
    for metric, score in one.items():
        if metric not in two or ("/" in metric and not parts):
            continue
        found = paired_difference(score, two[metric], seed=seed)
        interval = "" if found.interval is None else "{:+.3f} – {:+.3f}".format(*found.interval)
        p = "" if math.isnan(found.p) else f"{found.p:.3f}"
        table.add_row(
            metric,
            f"{score.value:.3f}",
            f"{two[metric].value:.3f}",
            f"{found.value:+.3f}{'*' if found.p < _SIGNIFICANT else ''}",
            interval,
            p,
            str(found.documents or ""),
        )
    return table


def report(
    run: Annotated[
        Path, typer.Argument(metavar="OUT", help="What intact sanitize wrote: a file or folder.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    redact: Annotated[
        bool, typer.Option("--redact-originals", help="Leave out all that was not published.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help="A results.json of intact evaluate, to be shown on top.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write one self-contained page: documents before and after, candidates, guesses, risks.

    The page contains the originals unless they are redacted.
    """
    values: list[tuple[str, str]] = []
    if results is not None:
        read = from_json(read_json(results), str(results))
        values = [
            (f"{read.titles.get(name, (name, ''))[0]} ({system})", f"{score.value:.3f}")
            for system, scores in read.systems.items()
            for name, score in scores.items()
            if name in _SHOWN
        ]
    page = documents_page(sanitized_objects(run), redact=redact, values=values)
    write_private(out, page)
    say = result_printer(quiet=quiet)
    say(f"Written: {out}")
    if not redact:
        say("It contains the originals: keep it safe, or make it with --redact-originals.")
