"""``intact sanitize``: documents in, sanitised documents out."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from intact.cli.console import (
    AllowRemote,
    NoStore,
    ProgressReporter,
    counted,
    print_error,
    result_printer,
    with_store,
)
from intact.config import Settings, load_settings
from intact.errors import IntactError
from intact.models.load import HINT
from intact.run.job import Job, Summary, run
from intact.run.on_ray import on_ray
from intact.run.shards import run_in_shards
from intact.run.source import find
from intact.run.work import shared_out

_EVERYTHING_DONE, _SOMETHING_LEFT_OUT, _INTERRUPTED = 0, 1, 130


def sanitize(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="A file, a folder, or - for standard input.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to write, in the input's format.")
    ],
    edits: Annotated[
        Path | None, typer.Option(help="Also write {doc_id: [[start, end, replacement]]}.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--format", help="The input's format; else by suffix.")
    ] = None,
    config: Annotated[
        str | None, typer.Option(help="A preset (see intact config list) or a TOML file.")
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.NAME=VALUE", help="A setting.")
    ] = None,
    allow_remote: AllowRemote = False,
    no_store: NoStore = False,
    glossary: Annotated[
        Path | None, typer.Option(help="Facts of your own: a CSV file (surface, phrase, kind).")
    ] = None,
    background: Annotated[
        Path | None,
        typer.Option(help="Hide each individual in this population (intact background build)."),
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Do as people decided (intact review).")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Also write a page for print: what was done, hashes.")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="first, all (the union) or an annotator's name.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all that is random.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes to work in.")] = 1,
    on: Annotated[
        Literal["local", "ray"], typer.Option(help="ray: the files of a folder on a cluster.")
    ] = "local",
    ray_address: Annotated[
        str, typer.Option(help="Of the cluster (auto: this machine's); else one is started here.")
    ] = "",
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what a language model would be asked.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Take up an interrupted run.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Report bad documents and leave them out.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Replace personal information by the most specific statement that is true and safe.

    Exit code: 0 done, 1 something was left out or not protected, 2 error.
    """
    from intact.cli.preview import planned, rehearsed  # start-up
    from intact.review.release import certify, decided_parts, pipeline_factory  # start-up

    wishes = list(overrides or ())
    wishes += [f"run.annotator={json.dumps(annotator)}"] if annotator is not None else []
    wishes += [f"run.seed={seed}"] if seed is not None else []
    wishes += [f"guard.background={json.dumps(str(background))}"] if background else []
    wishes += [f"generation.glossary={json.dumps(str(glossary))}"] if glossary else []
    settings = load_settings(config, wishes, allow_remote=allow_remote)
    settings = with_store(settings, no_store)
    if not settings.has_model and not quiet:
        typer.echo(HINT, err=True)
    share, at_once = shared_out(settings, workers)
    factory = pipeline_factory(share, decisions)
    job = Job(
        sources=find(source, kind, sys.stdin.buffer if source == "-" else None, out),
        out=out,
        folder=Path(source).is_dir(),
        edits=edits,
        annotator=settings.run.annotator,
        settings=settings.decisive,
        parts={} if plan else decided_parts(settings, decisions),
        workers=workers,
        at_once=at_once,
        resume=resume,
        skip_bad=skip_bad,
        keep_journal=settings.run.keep_journal,
        keep_record=settings.run.keep_record,
    )
    began = time.monotonic()
    with ProgressReporter(quiet=quiet) as reporter:
        if plan:
            trial = pipeline_factory(rehearsed(share), decisions)
            for line in planned(job, settings, trial, reporter):
                typer.echo(line)
            raise typer.Exit(_EVERYTHING_DONE)
        try:
            if on == "ray":
                elsewhere = partial(
                    on_ray,
                    factory=factory,
                    workers=workers,
                    address=ray_address,
                    at_once=at_once,
                    warn=reporter.warned,
                )
                summary = run_in_shards(job, elsewhere, reporter)
            else:
                summary = run(job, factory, reporter)
        except KeyboardInterrupt:
            _print_how_to_resume(reporter.documents)
            raise typer.Exit(_INTERRUPTED) from None
        except IntactError:
            if reporter.documents:
                done = counted(reporter.documents, "finished document")
                typer.echo(f"{done} kept: the same command goes on from there.", err=True)
            raise
    if certificate is not None:
        certify(job, decisions, certificate)
    written = [str(path) for path in (out, edits, certificate) if path]
    left_out = _tell(summary, settings, time.monotonic() - began, written, quiet)
    raise typer.Exit(_SOMETHING_LEFT_OUT if left_out else _EVERYTHING_DONE)


def _tell(
    summary: Summary, settings: Settings, seconds: float, written: Sequence[str], quiet: bool
) -> bool:
    """Prints what came of a run; whether something was left out or is not as asked."""
    show = result_printer(quiet=quiet)
    figures = summary.figures
    show(_sentence(figures, seconds, summary.worked))
    if figures.get("model"):
        show(asked(figures["model"]))
    if figures.get("detected"):
        show(_detected(figures["detected"], settings.detection.chosen()))
    show(f"Written: {', '.join(written)}")
    odd = False
    for key, what in (("unprotected_documents", "protected as asked"), ("drifted", "as decided")):
        found = figures.get(key, {})
        if found:
            print_error(f"not {what}: {counted(len(found), 'document')}: {', '.join(found)}")
        odd = odd or bool(found)
    return bool(summary.skipped or figures.get("unprotected") or odd)


def asked(usage: Mapping[str, float]) -> str:
    """What language models were asked, in a sentence.

    Args:
        usage: see ``CountedModel``.
    """
    odd = [
        f"{usage[key]:,.0f} {key}" for key in ("unreadable", "refused", "retried") if usage.get(key)
    ]
    return (
        f"Language model: {counted(int(usage.get('requests', 0)), 'request')}, "
        f"{usage.get('kept', 0):,.0f} answers kept from before, "
        f"{usage.get('read', 0):,.0f} tokens read, {usage.get('written', 0):,.0f} written, "
        f"{', '.join(odd) or 'none unreadable'}, {usage.get('seconds', 0):,.1f} s."
    )


def _print_how_to_resume(documents: int) -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--resume"]
    sys.stderr.write(
        f"\nInterrupted after {counted(documents, 'document')}. To take it up again:\n"
        f"  intact {shlex.join(arguments)} --resume\n"
    )


def _detected(documents: int, detectors: Sequence[str]) -> str:
    return (
        f"{counted(documents, 'document')} not annotated: mentions were detected first, "
        f"by {', '.join(detectors)}. No detector finds everything; see docs/detection.md."
    )


def _sentence(figures: Mapping[str, Any], seconds: float, worked: bool) -> str:
    spans = figures.get("spans", 0)
    labels = sum(figures.get("labels_per_type", {}).values())
    share = f"{100 * labels / spans:.0f} % on a label" if spans else "none to replace"
    pace = f"in {seconds:.1f} s, {spans / seconds:,.0f} spans/s" if worked else "all there already"
    documents = counted(figures.get("documents", 0), "document")
    return f"{documents}, {counted(spans, 'span')} ({share}), {pace}."
