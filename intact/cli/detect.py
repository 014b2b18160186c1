"""``intact detect``: mentions in plain text; judging detectors."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from intact.build import build_detector
from intact.cli.console import (
    Config,
    InputFormat,
    Overrides,
    ProgressReporter,
    Quiet,
    RequireCertain,
    SkipBad,
    counted,
    print_list,
    quiet_libraries,
    result_printer,
    written_to,
)
from intact.config import Settings, load_settings
from intact.domain import ENTITY_TYPES
from intact.run.files import detect, find, left_out, write_private

_DONE, _SOMETHING_LEFT_OUT, _UNSURE = 0, 1, 3
_COLUMNS = (
    "direct mentions",
    "quasi mentions",
    "direct entities",
    "quasi entities",
    "token precision",
)
_NAMES = "Names with commas: patterns, knowledge, presidio, spacy, tagger; or auto."


class _InputFirst(TyperGroup):
    """``intact detect INPUT`` is ``intact detect text INPUT``; so is its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands:
            args = ["text", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_InputFirst,
    no_args_is_help=True,
    help="Find personal information: intact detect INPUT -o OUT.json.",
)


@app.command("text")
def text(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="A file, a folder, or - for standard input.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to write, in TAB's JSON; - prints.")
    ],
    detector: Annotated[str | None, typer.Option(help=_NAMES)] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Findings that score less are left.")
    ] = None,
    min_recall: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Lower the tagger's threshold to what reached this recall."
        ),
    ] = None,
    tagger: Annotated[Path | None, typer.Option(help="The folder of a tagger of your own.")] = None,
    spacy: Annotated[str | None, typer.Option(help="An installed spaCy pipeline.")] = None,
    kind: InputFormat = None,
    config: Config = None,
    overrides: Overrides = None,
    threads: Annotated[int, typer.Option(min=0, help="Processor threads; 0 chooses.")] = 0,
    skip_bad: SkipBad = False,
    doubts: Annotated[
        bool, typer.Option("--doubts", help="List what may be left, the most doubtful first.")
    ] = False,
    require_certain: RequireCertain = False,
    quiet: Quiet = False,
) -> None:
    """Find personal information in texts and write it as TAB's JSON.

    Exit code: 0 done, 1 something was left out, 2 error, 3 unsure (with --require-certain).
    There is also: intact detect evaluate CORPUS.
    """
    _prepare(threads)
    settings = _settings(
        config,
        overrides,
        detectors=detector,
        threshold=threshold,
        min_recall=min_recall,
        tagger=tagger,
        spacy=spacy,
    )
    began = time.monotonic()
    with written_to(str(out)) as (place, _), ProgressReporter(quiet=quiet) as told:
        sources = find(source, kind, sys.stdin.buffer if source == "-" else None, place)
        finder = build_detector(settings)
        warn = _silent if doubts else told.warned
        found = detect(sources, place, finder, skip_bad=skip_bad, warn=warn)
        for error in found.skipped:
            told.skipped(error)
    folder, piped = Path(source).is_dir(), str(out) == "-"
    unread = left_out(source, sources, out) if folder and kind is None else []
    say = result_printer(quiet=quiet, stderr=piped)
    seconds = time.monotonic() - began
    say(
        f"{counted(found.documents, 'document')}, {counted(found.mentions, 'mention')} of "
        f"{found.entities} entit{'y' if found.entities == 1 else 'ies'} "
        f"by {', '.join(settings.detection.chosen())} in {seconds:.1f} s."
    )
    say(", ".join(f"{name} {count}" for name, count in sorted(found.types.items())))
    written = "to the standard output" if piped else out
    say(f"Written: {written}. No detector finds everything: have it read before you rely on it.")
    print_list("not read, in no known format", unread, "file")
    if doubts:
        for missed, name, notes in sorted(found.doubts, key=lambda one: (-one[0], one[1])):
            say(f"{name}: {missed:.1f} words may be left")
            for note in notes:
                say(f"  {note}")
    if found.skipped or unread:
        raise typer.Exit(_SOMETHING_LEFT_OUT)
    raise typer.Exit(_UNSURE if require_certain and found.unsure else _DONE)


def _silent(message: str) -> None:
    """Warnings that are listed later."""


@app.command("evaluate")
def evaluate(
    corpus: Annotated[Path, typer.Argument(help="Annotated documents: TAB's JSON or JSONL.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write the figures as JSON.")
    ] = None,
    detector: Annotated[list[str] | None, typer.Option(help=f"{_NAMES} Repeat to compare.")] = None,
    tagger: Annotated[Path | None, typer.Option(help="Judge this tagger.")] = None,
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0)] = 0.5,
    spacy: Annotated[str | None, typer.Option(help="An installed spaCy pipeline.")] = None,
    threads: Annotated[int, typer.Option(min=0, help="Processor threads; 0 chooses.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Measure recall and precision of detectors against annotations.

    A tagger must not be judged on documents that it learned from.
    """
    from intact.evaluation.corpus import read_corpus
    from intact.evaluation.detection import measured

    _prepare(threads)
    read = read_corpus(corpus)
    found = {}
    with ProgressReporter(quiet=quiet) as told:
        for names in detector or ("patterns,knowledge,tagger",):
            settings = _settings(detectors=names, threshold=threshold, tagger=tagger, spacy=spacy)
            progress = partial(told.progress, names, total=len(read.documents))
            finder = build_detector(settings)
            found[names] = measured(finder, read.documents, read.layers, progress)
    if out is not None:
        systems = [
            {
                "detectors": names.split(","),
                "seconds": round(one.seconds, 1),
                "found": one.found,
                "documents_warned": one.warned,
                "scores": {
                    name: {
                        "value": round(score.value, 4),
                        "interval": score.interval and [round(x, 4) for x in score.interval],
                        "signature": score.signature,
                    }
                    for name, score in one.scores.items()
                },
            }
            for names, one in found.items()
        ]
        told_of = {"corpus": corpus.name, "documents": len(read.documents), "threshold": threshold}
        write_private(out, json.dumps(told_of | {"systems": systems}, indent=2) + "\n")
    console = Console(soft_wrap=True, highlight=False)
    for title, columns in (("Recall and precision", _COLUMNS), ("Recall by type", ENTITY_TYPES)):
        table = Table("detectors", title=title, title_justify="left", box=None)
        for column in columns:
            table.add_column(column, justify="right")
        for names, one in found.items():
            table.add_row(names, *(f"{one.scores[column].value:.3f}" for column in columns))
        console.print(table)
    for names, one in found.items():
        console.print(f"{names}: unsure of {counted(one.warned, 'document')}")


def _settings(
    config: str | None = None, overrides: list[str] | None = None, **options: object
) -> Settings:
    """The settings with options of this command over them, those that are given."""
    wishes = list(overrides or ())
    for name, value in options.items():
        if value is not None:
            said = value.split(",") if name == "detectors" and isinstance(value, str) else value
            shown = str(said) if isinstance(said, Path) else said
            wishes.append(f"detection.{name}={shown!r}")
    return load_settings(config, wishes)


def _prepare(count: int) -> None:
    """Keeps libraries quiet, and to ``count`` processor threads (0: as they choose)."""
    quiet_libraries()
    if not count:
        return
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(count)
