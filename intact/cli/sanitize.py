"""``intact sanitize``: documents in, sanitised documents out; ``--plan``: what a run would ask of a
model."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import typer

from intact.cli.console import (
    HINT,
    AllowRemote,
    Columns,
    Config,
    InputFormat,
    Overrides,
    ProgressReporter,
    Quiet,
    RequireCertain,
    SkipBad,
    counted,
    print_doubts,
    print_error,
    print_list,
    print_warning,
    result_printer,
    say_once,
    with_store,
    written_to,
)
from intact.config import ModelSettings, Settings, load_settings
from intact.errors import ConfigError, IntactError
from intact.run.cluster import RayPerformers
from intact.run.files import beside, check_writable, find, left_out
from intact.run.job import Hire, Job, Summary, run
from intact.run.work import Factory, Performers, shared_out

_EVERYTHING_DONE, _SOMETHING_LEFT_OUT, _LOOK, _INTERRUPTED, _TERMINATED = 0, 1, 3, 130, 143
_MOST_DOUBTS = 5  # documents of a run in which it is told what may be left, the most doubtful ones


def sanitize(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="A file, a folder, or - for standard input.")
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Where to write; - prints; else beside the input."),
    ] = None,
    edits: Annotated[
        Path | None, typer.Option(help="Also write {doc_id: [[start, end, replacement]]}.")
    ] = None,
    language: Annotated[
        Literal["en", "any"] | None, typer.Option(help="any: take what is not in English, too.")
    ] = None,
    kind: InputFormat = None,
    columns: Columns = "",
    config: Config = None,
    overrides: Overrides = None,
    allow_remote: AllowRemote = False,
    no_store: Annotated[
        bool, typer.Option("--no-store", help="Keep no answers of a model, to be asked but once.")
    ] = False,
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
        Literal["local", "ray"], typer.Option(help="ray: the documents on a cluster.")
    ] = "local",
    ray_address: Annotated[
        str, typer.Option(help="Of the cluster (auto: this machine's); else one is started here.")
    ] = "",
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what a language model would be asked.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Take up an interrupted run.")] = False,
    no_original: Annotated[
        bool, typer.Option("--no-original", help="JSON: write sanitized texts only, no originals.")
    ] = False,
    skip_bad: SkipBad = False,
    require_certain: RequireCertain = False,
    quiet: Quiet = False,
) -> None:
    """Replace personal information by the most specific statement that is true and safe.

    Exit code: 0 done; 1 something was left out, not protected or not as decided; 2 error;
    3 stopped at a document that is not in English, or, with --require-certain, done but something
    may have been missed.
    """
    own: dict[str, Any] = {"run.annotator": annotator, "run.language": language, "run.seed": seed}
    own |= {"guard.background": background, "generation.glossary": glossary}
    said = ((name, json.dumps(one, default=str)) for name, one in own.items() if one is not None)
    wishes = [*(overrides or ()), *map("=".join, said)]
    settings = load_settings(config, wishes, allow_remote=allow_remote)
    settings = with_store(settings, no_store)
    if not settings.has_model and not quiet:
        say_once(HINT, "models")
    out = out or ("-" if source == "-" else str(beside(Path(source))))
    folder, piped = Path(source).is_dir(), out == "-"
    if piped and folder:
        raise ConfigError("a folder needs a folder", where="-o -", remedy="Name one.")
    share, at_once = shared_out(settings, workers)
    make_factory, describe_parts = _pipeline_maker(decisions)
    factory = make_factory(share)
    stream = sys.stdin.buffer if source == "-" else None
    with written_to(out) as place, ProgressReporter(quiet=quiet) as reporter:
        sources = find(source, kind, stream, place, columns)
        if piped:
            place = place.with_suffix(sources[0].format.written_as)  # noqa: PLW2901
        check_writable(certificate)
        unread = left_out(Path(source), kind, sources, place)
        parts = {} if plan else describe_parts(settings)
        job = Job(
            sources=sources,
            out=place,
            folder=folder,
            edits=edits,
            settings=settings,
            parts=parts | ({"original": "left out"} if no_original else {}),
            workers=workers,
            at_once=at_once,
            resume=resume,
            skip_bad=skip_bad,
            unread=unread,
            original=not no_original,
        )
        if plan:
            trial = make_factory(with_dry_run(share))
            for line in describe_plan(job, settings, trial, reporter):
                typer.echo(line)
            raise typer.Exit(_EVERYTHING_DONE)
        began = time.monotonic()
        hire: Hire = Performers
        if on == "ray":
            hire = partial(RayPerformers, address=ray_address, warn=reporter.warned)
        with _telling_how_to_resume(reporter, kept=not piped):
            summary = run(job, factory, reporter, hire)
        if certificate is not None:
            from intact.review.certificate import certify

            certify(job, decisions, certificate)
    show = result_printer(quiet=quiet, stderr=piped)
    _tell(summary, settings, time.monotonic() - began, show)
    written = [str(path) for path in (None if piped else out, edits, certificate) if path]
    show(f"Written: {', '.join(written) or 'to the standard output'}")
    if not no_original and any(one.format.tells for one in job.sources):
        pass_on = "pass on sanitized_text alone, or run with --no-original"
        show(f"Under text it holds the originals, too: {pass_on}.")
    raise typer.Exit(_outcome(summary, unread, certain=require_certain))


def _pipeline_maker(
    decisions: Path | None,
) -> tuple[Callable[[Settings], Factory], Callable[[Settings], dict[str, str]]]:
    """Return what makes the pipeline of settings, and what describes the parts that its results
    depend on; both with a person's decisions where there are any."""
    if decisions is None:
        from intact.pipeline import build_pipeline, describe_parts  # start-up

        return partial(partial, build_pipeline), describe_parts
    from intact.review.decisions import decided_parts, pipeline_factory

    factory_of = partial(pipeline_factory, decisions=decisions)
    return factory_of, partial(decided_parts, decisions=decisions)


def _tell(
    summary: Summary, settings: Settings, seconds: float, show: Callable[[object], None]
) -> None:
    """Say what came of a run."""
    figures = summary.figures
    spans = figures.get("spans", 0)
    labels = sum(figures.get("labels_per_type", {}).values())
    share = f"{100 * labels / spans:.0f} % on a label" if spans else "none to replace"
    pace = f"in {seconds:.1f} s, {spans / seconds:,.0f} spans/s"
    documents = counted(figures.get("documents", 0), "document")
    done = pace if summary.worked else "all there already"
    show(f"{documents}, {counted(spans, 'span')} ({share}), {done}.")
    if figures.get("model"):
        show(asked(figures["model"]))
        if store := settings.model.store:
            show(f"Its answers are kept: {store} (intact cache purge; --no-store keeps none).")
    if "llm" in settings.generation.sources:
        dropped = counted(figures.get("dropped", 0), "phrase")
        show(f"Checks dropped {dropped} of the model in all (intact explain lists them, and why).")
    if figures.get("detected"):
        by = ", ".join(settings.detection.chosen())
        found = f"not annotated: mentions were detected first, by {by}"
        count = counted(figures["detected"], "document")
        show(f"{count} {found}. No detector finds everything; see docs/detection.md.")
        print_doubts(summary.doubts, show, _MOST_DOUBTS)


def _outcome(summary: Summary, unread: Sequence[str], *, certain: bool) -> int:
    """Print what needs attention and return the exit code.

    Args:
        certain: whether a document in which something may have been missed is an error.
    """
    figures = summary.figures
    print_list("not read, in no known format", unread, "file")
    print_list("not protected as asked", figures.get("unprotected_documents", {}))
    print_list("not as decided", figures.get("drifted", {}))
    doubtful = figures.get("doubtful", {})
    say = print_error if certain else print_warning
    print_list("something may have been missed", doubtful, say=say)
    if summary.skipped or unread or figures.get("unprotected") or figures.get("drifted"):
        return _SOMETHING_LEFT_OUT
    return _LOOK if certain and doubtful else _EVERYTHING_DONE


@contextmanager
def _telling_how_to_resume(reporter: ProgressReporter, *, kept: bool) -> Iterator[None]:
    """Say how a run that ends early is taken up, SIGTERM like Ctrl-C."""

    def end(number: int, _frame: object) -> None:
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt as ended:
        if kept:
            arguments = [argument for argument in sys.argv[1:] if argument != "--resume"]
            sys.stderr.write(
                f"\nInterrupted after {counted(reporter.documents, 'document')}. "
                f"To take it up again:\n  intact {shlex.join(arguments)} --resume\n"
            )
        raise typer.Exit(_TERMINATED if ended.args else _INTERRUPTED) from None
    except IntactError:
        if reporter.documents and kept:
            done = counted(reporter.documents, "finished document")
            typer.echo(f"{done} kept: the same command goes on from there.", err=True)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def asked(usage: Mapping[str, float]) -> str:
    """Return what language models were asked, in a sentence; see ``CountedModel``."""
    kinds = ("unreadable", "refused", "retried")
    odd = [f"{usage[key]:,.0f} {key}" for key in kinds if usage.get(key)]
    return (
        f"Language model: {counted(int(usage.get('requests', 0)), 'request')}, "
        f"{usage.get('kept', 0):,.0f} answers kept from before, "
        f"{usage.get('read', 0):,.0f} tokens read, {usage.get('written', 0):,.0f} written, "
        f"{', '.join(odd) or 'none unreadable'}, {usage.get('seconds', 0):,.1f} s."
    )


_MORE = 1.3  # right guesses ask again, up to a third more in what was measured


def describe_plan(
    job: Job, settings: Settings, factory: Factory, reporter: ProgressReporter
) -> Iterator[str]:
    """Return what a run would ask of language models: the run, with a model that only counts."""
    with TemporaryDirectory() as folder:
        away = Path(folder) / job.out.name
        trial = replace(
            job, out=away, edits=None, resume=False, settings=with_dry_run(settings), parts={}
        )
        if job.folder:
            away.mkdir()
        figures = run(trial, factory, reporter).figures
    usage = figures.get("model", {})
    read, written, requests = (int(usage.get(key, 0)) for key in ("read", "written", "requests"))
    yield f"{counted(figures['documents'], 'document')}, {counted(figures['spans'], 'span')}."
    yield (
        f"At least {counted(requests, 'request')} with {read:,} tokens read and {written:,} "
        f"written; up to {_MORE * requests:,.0f} where many guesses are right."
    )
    needed = [_seconds(settings.model_named(name), read, written) for name in settings.model_names]
    if None in needed or not requests:
        yield "How long that takes is known after: intact models check"
    else:
        longest = max(one for one in needed if one is not None)
        yield f"About {longest / 60:,.1f} to {_MORE * longest / 60:,.1f} minutes."


def with_dry_run(settings: Settings) -> Settings:
    """Return the settings with models that answer anything and only count what they are asked."""
    own = {"backend": "dry-run", "store": None}
    model = settings.model.model_copy(update=own)
    more = {name: {**one, **own} for name, one in settings.models.items()}
    return settings.model_copy(update={"model": model, "models": more})


def _seconds(model: ModelSettings, read: int, written: int) -> float | None:
    """Return how long it takes for so many tokens, as far as that was measured."""
    if model.store is None or not model.configured:
        return None
    from intact.models.counted import AnswerStore, work_of
    from intact.models.load import model_signature

    with suppress(ConfigError), closing(AnswerStore(model.store)) as store:
        speed = store.speed(model_signature(model))
        return None if speed is None else speed * work_of(read, written)
    return None  # it is not on this machine yet
