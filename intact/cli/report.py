"""``intact report``: a page that shows what a run replaced, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intact.cli.console import Quiet, result_printer
from intact.formats.base import read_json
from intact.formats.outcome import sanitized_objects
from intact.run.files import write_private

_ON_TOP = ("tps", "inference", "trir", "truthful")
"""Metrics of an evaluation that the page shows on top."""


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
    from intact.evaluation.report import documents_page

    values: list[tuple[str, str]] = []
    if results is not None:
        from intact.evaluation.results import from_json

        read = from_json(read_json(results), str(results))
        values = [
            (f"{read.titles.get(name, (name, ''))[0]} ({system})", f"{score.value:.3f}")
            for system, scores in read.systems.items()
            for name, score in scores.items()
            if name in _ON_TOP
        ]
    page = documents_page(sanitized_objects(run), redact=redact, values=values)
    write_private(out, page)
    say = result_printer(quiet=quiet)
    say(f"Written: {out}")
    if not redact:
        say("It contains the originals: keep it safe, or make it with --redact-originals.")
