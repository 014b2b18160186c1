"""``intact report``: a page that shows what a run replaced, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intact.cli.console import Quiet, result_printer
from intact.evaluation.report.documents import documents_page
from intact.evaluation.results import from_json
from intact.evaluation.tuning import pareto_figure
from intact.formats.json_text import read_json
from intact.formats.outcome import sanitized_objects
from intact.run.files import write_private

_SHOWN = ("tps", "inference", "trir", "truthful")


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
    pareto: Annotated[
        Path | None, typer.Option(help="A pareto.csv of intact tune, to be shown on top.")
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
    figures = [pareto_figure(pareto)] if pareto is not None else []
    page = documents_page(sanitized_objects(run), redact=redact, figures=figures, values=values)
    write_private(out, page)
    say = result_printer(quiet=quiet)
    say(f"Written: {out}")
    if not redact:
        say("It contains the originals: keep it safe, or make it with --redact-originals.")
