"""``intact convert``: annotated documents from one tool's format into another's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from intact.cli.console import Annotator, ProgressReporter, Quiet, SkipBad, counted, result_printer
from intact.errors import ConfigError
from intact.formats.base import all_names, by_name, by_suffix
from intact.run.files import convert as run
from intact.run.files import find, split

_DONE, _SOMETHING_LEFT_OUT = 0, 1


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A file, a folder, or - for standard input.")
    ],
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A file; with --shards a new folder."),
    ],
    from_: Annotated[
        str | None, typer.Option("--from", help="Format of IN; else by suffix and content.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of OUT; else by suffix.")] = None,
    annotator: Annotator = "first",
    shards: Annotated[
        int, typer.Option(min=0, help="Split into this many files (JSONL and TAB).")
    ] = 0,
    skip_bad: SkipBad = False,
    quiet: Quiet = False,
) -> None:
    """Convert annotations between tools, and say what the new format cannot hold.

    Formats: tab, jsonl, labelstudio, presidio, docbin (spaCy), csv, parquet (csv:COLUMN names the
    column with the texts); text, html and docx are read only. Exit code: 0 done, 1 something was
    left out, 2 error.
    """
    sources = find(source, from_, sys.stdin.buffer if source == "-" else None, out)
    target = by_name(to) if to else sources[0].format if shards else by_suffix(out)
    if target is None:
        raise ConfigError(
            "its format is not known by its suffix",
            where=str(out),
            remedy=f"Say --to and one of: {all_names()}.",
        )
    done = (
        split(sources, out, target, shards)
        if shards
        else run(sources, out, target, annotator, skip_bad=skip_bad)
    )
    with ProgressReporter(quiet=quiet) as reporter:
        for warning in done.warnings:
            reporter.warned(warning)
        for loss in done.losses.summary():
            reporter.warned(f"not kept in {target.name}: {loss}")
        for error in done.skipped:
            reporter.skipped(error)
    counts = counted(done.documents, "document")
    counts += "" if shards else f", {counted(done.mentions, 'mention')}"
    result_printer(quiet=quiet)(f"{counts}. Written: {out} ({target.name})")
    raise typer.Exit(_SOMETHING_LEFT_OUT if done.skipped else _DONE)
