"""``intact sanitize``: from documents to sanitised documents; ``--plan``: what a run would ask of a
model."""

import shlex
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import typer

from intact.cli import DONE, LEFT_OUT, LOOK, console, options
from intact.cli.options import Opt, Writes
from intact.config import Settings
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError, IntactError
from intact.protocols import LOST
from intact.run.cluster import RayPerformers
from intact.run.files import beside
from intact.run.job import Job, Manifest, run
from intact.run.work import Factory, Performers, count_processes, shared_out

_TOLD: dict[str, str] = vocabulary("texts")["told"]
_MOST_DOUBTS = 5  # most documents whose doubts a run prints: the most doubtful ones


def sanitize(
    source: options.Source,
    out: options.Out = None,
    edits: Path | None = Writes(None, help="Also write {doc_id: [[start, end, replacement]]}."),
    language: options.Language = None,
    kind: options.InputFormat = None,
    columns: options.Columns = "",
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    no_store: bool = Opt(False, "--no-store", help="Do not keep a model's answers for later runs."),
    glossary: Path | None = Opt(None, help="What stands for names: CSV (surface, phrase, kind)."),
    background: options.Background = None,
    decisions: Path | None = Opt(None, help="Do as people decided (intact review)."),
    certificate: options.Certificate = None,
    annotator: options.RunAnnotator = None,
    seed: options.RunSeed = None,
    workers: options.Workers = None,
    on: Literal["local", "ray"] = Opt("local", help="ray: spread the documents over a cluster."),
    ray_address: options.RayAddress = "",
    plan: bool = Opt(False, "--plan", help="Only say what a language model would be asked."),
    resume: bool = Opt(False, "--resume", help="Go on with an interrupted run."),
    no_original: bool = Opt(False, "--no-original", help="JSON: write originals to OUT.run only."),
    skip_bad: options.SkipBad = False,
    require_certain: options.RequireCertain = False,
    quiet: options.Quiet = False,
) -> None:
    """Replace personal information by the most specific statement that is true and safe.

    Exit code: 0 done; 1 something was left out, not protected or not as decided; 2 error;
    3 a document is not in English, so nothing was written; or, with --require-certain, done, but
    a warning says that INTACT is unsure of a document; 70 a fault of INTACT. 0 never means that
    nothing was missed.
    """
    from intact.pipeline import build_pipeline  # start-up, as the two below
    from intact.review.certificate import certify
    from intact.review.decisions import decisions_about, heeding

    own: dict[str, Any] = {"run.annotator": annotator, "run.language": language, "run.seed": seed}
    own |= {"guard.background": background, "generation.glossary": glossary}
    settings = console.settings_of(config, overrides, own, allow_remote=allow_remote)
    settings = console.with_store(settings, no_store)
    if not settings.has_model and not quiet:
        console.say_once(console.HINT, "models")
    out = out or ("-" if source == "-" else str(beside(Path(source))))
    folder, piped = Path(source).is_dir(), out == "-"
    if piped and folder:
        raise ConfigError("a folder needs a folder", where="-o -")
    with console.written_to(out) as place, console.ProgressReporter(quiet=quiet) as reporter:
        read = {"columns": columns, "originals": not no_original}
        sources, unread = console.find_sources(source, kind, place, **read)
        if piped:
            place = place.with_suffix(sources[0].format.written_as)  # noqa: PLW2901
        named: dict[str, Any] = {"edits": edits, "certificate": certificate, "decisions": decisions}
        how = {"resume": resume, "lasting": not piped, "skip_bad": skip_bad, "unread": unread}
        job = Job(sources, place, folder, settings, **named | how)
        decided = decisions_about(job)
        make = partial(build_pipeline, reviser=decided)
        if plan:
            for line in describe_plan(job, partial(make, with_trial(settings)), reporter):
                typer.echo(line)
            raise typer.Exit(DONE)
        job = heeding(job, decided)
        processes = workers or count_processes(settings, job.size)
        share, at_once = shared_out(settings, processes)
        began, ray = time.monotonic(), partial(RayPerformers, ray_address, reporter.warned)
        hire: Callable[[Factory, int, int], Performers] = ray if on == "ray" else Performers
        performers = hire(partial(make, share), processes, at_once)
        with _telling_how_to_resume(reporter, kept=job.lasting), closing(performers):
            done = run(job, performers, reporter)
        choices = certify(job, done)
    show = console.result_printer(quiet=quiet, stderr=piped)
    _print_figures(done, job, time.monotonic() - began, show)
    if choices:
        console.print_warning(choices)
    written = map(str, filter(None, (None if piped else out, edits, certificate)))
    show(f"Written: {', '.join(written) or 'the standard output'}")
    if job.record.is_file():
        show(_TOLD["record"].format(record=job.record))
    raise typer.Exit(_exit_code(done, job, certain=require_certain))


def _print_figures(run: Manifest, job: Job, seconds: float, show: Callable[[object], None]) -> None:
    """Print the figures of a run, each on its line: documents, spans and pace, what a language
    model was asked, the evidence, what was detected and may have been missed, and whether the
    output holds originals; figures that the run lacks are left out.

    Args:
        run: the manifest.
        job: the run.
        seconds: that it took.
        show: prints a line.
    """
    figures, settings = run["figures"], job.settings
    spans = figures.get("spans", 0)
    labels = figures.get("outcomes", {}).get("LABEL", 0)
    share = f"{100 * labels / spans:.0f} % on a label, names too" if spans else "none to replace"
    pace = f"in {seconds:.1f} s, {spans / seconds:,.0f} spans/s"
    documents = counted(figures.get("documents", 0), "document")
    done = pace if run["worked"] else "all there already"
    show(f"{documents}, {counted(spans, 'span')} ({share}), {done}.")
    if figures.get("model"):
        show(asked(figures["model"]))
        if (store := settings.model.store) and not figures["model"].get("lost"):
            show(f"Its answers are kept: {store} (intact cache purge; --no-store keeps none).")
    if "llm" in settings.generation.sources:
        dropped = counted(figures.get("dropped", 0), "phrase")
        show(f"Checks dropped {dropped} of the model in all (intact explain lists them, and why).")
    if shown := figures.get("evidence"):
        proofs = (f"{n:,} by {vocabulary('texts')['proofs'][kind]}" for kind, n in shown.items())
        show(f"Taken to be true: {', '.join(proofs)}.")
    if figures.get("detected"):
        count = counted(figures["detected"], "document")
        show(_TOLD["detected"].format(count=count, by=", ".join(settings.detection.chosen())))
        doubts = {k: v for file in run["input"] for k, v in file.get("doubts", {}).items()}
        console.print_doubts(doubts, show, _MOST_DOUBTS)
    if figures.get("originals"):
        console.print_warning(_TOLD["originals"])


def _exit_code(run: Manifest, job: Job, *, certain: bool) -> int:
    """Print what needs attention, each problem with its documents, and return the exit code: 1 if a
    file, a document or a decision was left out, or a document is not protected or not as decided; 3
    if something may have been missed and that counts (``certain``); else 0.

    Args:
        run: the manifest of the run.
        job: the run.
        certain: whether a document in which something may have been missed counts as an error.
    """
    figures, model = run["figures"], job.settings.model_named("proposer").shown
    console.print_unread(job.unread)
    console.print_list("not protected as asked", figures.get("unprotected_documents", {}))
    console.print_list("not as decided", figures.get("drifted", {}))
    console.print_list(LOST, job.lost, "decision")
    path, met = job.settings.generation.glossary, figures.get("facts", {})
    unmet = [line for line, n in met.items() if not n]
    for key, own in (("unmet", unmet), ("within", figures.get("within", {}))):
        told = _TOLD[key].format(path=path)
        console.print_list(told, sorted(own, key=int), "line", console.print_warning)
    unbelieved, doubtful = (figures.get(name, {}) for name in ("unbelieved", "doubtful"))
    console.print_list(f"not believed: {model}", unbelieved, say=console.print_warning)
    say = console.print_error if certain else console.print_warning
    console.print_list("something may have been missed", doubtful, say=say)
    wrong = figures.get("unprotected_documents") or figures.get("drifted") or run["skipped"]
    if wrong or job.unread or job.lost:
        return LEFT_OUT
    return LOOK if certain and doubtful else DONE


@contextmanager
def _telling_how_to_resume(reporter: console.ProgressReporter, *, kept: bool) -> Iterator[None]:
    """If a signal ends the block, tell on the standard error, even when quiet, how many documents
    are finished and the command that resumes the run; if an ``IntactError`` ends it, how many are
    kept, if any are. Tell nothing if the run is not ``kept``. Either is raised again."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if kept:
            done = counted(reporter.documents, "document")
            again = shlex.join(one for one in sys.argv[1:] if one != "--resume")
            sys.stderr.write(_TOLD["interrupted"].format(done=done, again=again))
        raise
    except IntactError:
        if reporter.documents and kept:
            done = counted(reporter.documents, "finished document")
            typer.echo(_TOLD["kept"].format(done=done), err=True)
        raise


def asked(usage: Mapping[str, float]) -> str:
    """Return a sentence that says how much language models were asked, by the counts of
    ``CountedModel``: requests, tokens, and how many answers were unreadable, refused or retried."""
    kinds = ("unreadable", "refused", "retried")
    odd = ", ".join(f"{usage[key]:,.0f} {key}" for key in kinds if usage.get(key))
    figures = defaultdict[str, Any](int, usage)
    figures |= {"asked": counted(int(figures["requests"]), "request")}
    return _TOLD["model"].format_map(figures | {"odd": odd or "none unreadable"})


def describe_plan(job: Job, factory: Factory, reporter: console.ProgressReporter) -> Iterator[str]:
    """Yield lines that estimate how much a run would ask of language models (requests and tokens),
    and for how many minutes; a single line if it has no model.

    A trial run goes through all documents, one at a time. The models really answer for 30 seconds;
    from then on they are imitated as they answered, and the time that they would take is added up.

    Args:
        job: the run; nothing of it is written.
        factory: makes the pipelines, with trial models in place of the models (``with_trial``).
        reporter: shows the progress.
    """
    if not job.settings.has_model:
        yield "No language model is set: nothing would be asked."
        return
    began = time.monotonic()
    with TemporaryDirectory() as folder, closing(Performers(factory)) as performers:
        out, settings = Path(folder) / job.out.name, with_trial(job.settings)
        trial = Job(job.sources, out, job.folder, settings, lasting=False, skip_bad=job.skip_bad)
        figures = run(trial, performers, reporter)["figures"]
    usage = figures.get("model", {})
    read, written, requests = (int(usage.get(key, 0)) for key in ("read", "written", "requests"))
    yield f"{counted(figures['documents'], 'document')}, {counted(figures['spans'], 'span')}."
    yield f"About {counted(requests, 'request')} with {read:,} tokens read and {written:,} written."
    if "reckoned" in usage:
        minutes = (time.monotonic() - began + usage["reckoned"]) / 60
        yield f"About {minutes:,.1f} minutes, one document at a time."
    else:
        yield "How long that takes is not known."


def with_trial(settings: Settings) -> Settings:
    """Return a copy of the settings with each language model replaced by the backend "dry-run",
    which has that model answer for a while and imitates it after that."""

    def tried(name: str) -> dict[str, Any]:
        """Return the changes to a model's settings that put the backend "dry-run" before it; ""
        names the first model."""
        own = settings.model_named(name)
        real = {**own.model_dump(mode="json"), "allow_remote": own.allow_remote}
        return {"backend": "dry-run", "store": None, "extra": {"real": real}}

    model = settings.model.model_copy(update=tried(""))
    more = {name: {**one, **tried(name)} for name, one in settings.models.items()}
    return settings.model_copy(update={"model": model, "models": more})
