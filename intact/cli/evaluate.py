"""``intact evaluate``: what is kept, what can be inferred, who can be linked, what is true;
``compare``: two such results; ``tune``: the settings worth having, each measured on a run of its
own."""

import json
import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

import tomli_w
import typer
from rich.table import Column, Table

from intact import pipeline
from intact.cli import LEFT_OUT, console, options
from intact.cli.options import Arg, Many, Opt
from intact.config import Settings, load_settings, presets
from intact.domain import Document, SanitizedDocument, Score
from intact.english.numbers import counted
from intact.errors import ConfigError, InputError
from intact.evaluation import EvaluationContext
from intact.evaluation import corpus as corpora
from intact.evaluation import evaluate as scored
from intact.evaluation import results as measured
from intact.evaluation.corpus import pair
from intact.evaluation.metric import comparable_parts, paired_difference
from intact.evaluation.reader import ModelReader
from intact.evaluation.results import Results
from intact.formats.base import to_csv
from intact.models.encoder import SentenceEncoder
from intact.reidentification import population
from intact.run.files import check_writable, make_private_folder, write_private
from intact.run.job import Observer
from intact.run.work import Factory, Performers, unchecked_names


def evaluate(
    corpus: options.Corpus,
    out: options.OutFolder,
    edits: Many = Opt(None, metavar="NAME=FILE", help="A system's edits."),
    sanitized: Many = Opt(None, metavar="NAME=FILE", help="A system's texts, or intact's output."),
    metrics: options.Metrics = "all",
    background: Path | None = Opt(None, help="{individual: public text}, for linkage."),
    owners: Path | None = Opt(None, help="{doc_id: individual}, where they differ."),
    attackers: options.Attackers = "knowledge",
    baselines: bool = Opt(False, help="Add originals, suppression and labels."),
    encoder: str = Opt("minilm", help="Sentence encoder: minilm, or another's name or folder."),
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    annotator: options.RunAnnotator = None,
    seed: options.RunSeed = None,
    quiet: options.Quiet = False,
) -> None:
    """Score systems on a corpus: results.json, results.csv, per_document.csv and report.html.

    Any system can be scored from an edits file or from its finished texts.
    """
    console.quiet_libraries("wordfreq")
    if not (edits or sanitized or baselines):
        raise ConfigError("no system is named")
    own = {"attack.attackers": _names(attackers), "run.annotator": annotator, "run.seed": seed}
    settings = console.settings_of(config, overrides, own, allow_remote=allow_remote)
    check_writable(into=out, new=("results.json", "results.csv", "per_document.csv", "report.html"))
    components = pipeline.Components(settings)
    with console.ProgressReporter(quiet=quiet) as reporter:
        read = corpora.read_corpus(corpus, settings.run.annotator, reporter.warned)
        if said := unchecked_names({one.id: corpus.name for one in read.documents}, ())[0]:
            reporter.warned(said)
        ours = _baselines(read.documents) if baselines else {}
        systems = systems_of(read, edits or [], sanitized or [], reporter, ours)
        context = EvaluationContext(
            embedder=SentenceEncoder(encoder),
            background=dict(population.read_people(background)) if background else {},
            owner=population.owners(str(owners or ""), "--owners"),
            layers=read.layers,
            seed=settings.run.seed,
            reader=_reader(components) if "reader" in _names(metrics) else None,
            progress=reporter.progress,
            warn=reporter.warned,
            attackers=pipeline.build_attackers(components),
            judge_guess=pipeline.build_guess_judge(components),
        )
        with closing(components):
            scores = scored(read.documents, systems, _names(metrics), context=context)
    results = replace(scores, warnings=tuple(reporter.warnings))
    write(results, out)
    say = console.result_printer(quiet=quiet)
    say(*show(results, console.screen_width()))
    say(f"Written: {out}/results.json, results.csv (n, signatures), per_document.csv, report.html")


def _names(text: str) -> list[str]:
    """Return the names in a list with commas, without blanks; "none" and empty ones are left
    out."""
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]


Systems = dict[str, list[SanitizedDocument]]


def systems_of(
    corpus: corpora.Corpus, edits: list[str], sanitized: list[str], told: Observer, ours: Systems
) -> Systems:
    """Return the output of systems for a corpus: each system's sanitised documents by its name, in
    the order given, edits first. Warn of systems whose edits seem to be those of other texts.

    Args:
        corpus: the originals.
        edits: NAME=FILE of edits files; without a name the file's stem is the name.
        sanitized: NAME=FILE of finished texts; the same.
        told: gets the warnings.
        ours: the output of the baselines, which is put after the others.

    Raises:
        InputError: if two systems have one name, or a file does not fit the corpus.
    """
    systems: Systems = {}
    for option, item in [("--edits", e) for e in edits] + [("--sanitized", s) for s in sanitized]:
        name, equals, file = map(str.strip, item.partition("="))
        path = Path(file if equals else name)
        name = name if equals else path.stem
        if name in systems or name in ours:
            raise InputError(f"two systems are called {name}", where=option)
        read = corpora.read_system if option == "--edits" else corpora.read_sanitized
        systems[name] = read(path, name, corpus, told.warned)
        if odd := sum(map(corpora.seems_unrelated, systems[name])):
            why = "most words that nobody marked change, or most edits cut words"
            said = f"{counted(odd, 'document')} edited from another text, it seems ({why})"
            told.warned(f"{name}: {said}: figures mean nothing there")
    return systems | ours


def _baselines(documents: Sequence[Document]) -> Systems:
    """Return documents as three simple systems would release them, by the systems' names:
    "original" (unchanged), "suppression" (masked entities deleted) and "entity label" (replaced by
    labels)."""
    return {
        "original": [pair(d, ()) for d in documents],
        "suppression": [pair(d, corpora.edits_of(d, lambda _: "")) for d in documents],
        "entity label": [pair(d, corpora.entity_labels(d)) for d in documents],
    }


def _reader(components: pipeline.Components) -> ModelReader | None:
    """Return the reader that answers questions about original and sanitised texts, with the
    language model of the role "reader"; None if that role has none."""
    settings = components.settings.model_named("reader")
    if not settings.shown:
        return None
    model, seed = components.model_named("reader"), components.settings.run.seed
    return ModelReader(model, components.prompts, seed, settings.together)


_TITLE = 36
_SIGNIFICANT = 0.05  # p below which a difference gets an asterisk
_CELL = len("0.123 (0.123–0.123)")


def write(results: Results, out: Path) -> None:
    """Write results.json, results.csv, per_document.csv and report.html into a folder, over those
    that are there; only the user can read them.

    Args:
        results: of all systems.
        out: the folder; it is made if it does not exist.

    Raises:
        RunError: if they cannot be written.
    """
    from intact.evaluation.report import results_page  # needs a template engine

    make_private_folder(out)
    data = json.dumps(measured.as_data(results), indent=1, ensure_ascii=False)
    write_private(out / "results.json", f"{data}\n")
    heads = ("system", "metric", "value", "low", "high", "n", "signature")
    write_private(out / "results.csv", to_csv(heads, measured.rows(results)))
    columns = ("doc_id", "system", "metric", "value", "weight")
    write_private(out / "per_document.csv", to_csv(columns, measured.document_rows(results)))
    write_private(out / "report.html", results_page(results))


def show(results: Results, width: int) -> list[Table | str]:
    """Return the main scores of every system with their 95 % intervals as tables, one metric on
    each line; then a line for each metric that was not measured, with the reason.

    Args:
        results: of all systems.
        width: columns of the screen; systems that do not fit get a further table.
    """
    systems = list(results.systems)
    wide = max(_CELL, *map(len, systems)) + 2 if systems else 1
    room = max(1, (width - _TITLE) // wide)
    tables = (_table(results, systems[at : at + room]) for at in range(0, len(systems), room))
    skipped = (f"{name} was not measured: {why}" for name, why in results.skipped.items())
    return [*tables, *skipped]


def _table(results: Results, systems: list[str]) -> Table:
    """Return the scores of some systems as a table, a column each: a row for each metric, with an
    arrow for the better direction, and one for its value by chance alone; rows without any score
    are left out."""
    columns = [Column(system, justify="right", no_wrap=True) for system in systems]
    lead = Column("", min_width=_TITLE - 2, no_wrap=True)
    table = Table(lead, *columns, box=None, pad_edge=False)
    for metric, (title, better) in results.titles.items():
        arrow = {"higher": " ↑", "lower": " ↓"}.get(better, "")
        for name, head in ((metric, title + arrow), (f"{metric}/chance", "  by chance alone")):
            scores = [results.systems[system].get(name) for system in systems]
            if any(scores):
                table.add_row(head, *map(_cell, scores))
    return table


def _cell(score: Score | None) -> str:
    """Return a score as text, with its interval; "nothing to measure" if it is not a number, "" for
    None."""
    return "nothing to measure" if score and math.isnan(score.value) else str(score or "")


def compare(
    first: Path = Arg(help="A results.json, or its folder."),
    second: Path | None = Arg(None, help="Another, for the same documents."),
    systems: str = Opt("", metavar="A,B", help="Two systems, of one result or of two."),
    parts: bool = Opt(False, help="Also compare the parts of metrics."),
    seed: options.Seed = 0,
) -> None:
    """Compare two results of intact evaluate, or two systems of one, over the documents that both
    have: difference, 95 % interval by bootstrap, p by an exact sign-flip test. An asterisk marks
    p < 0.05.

    Of two results, systems with the same name are compared, or the only one in each, if --systems
    names no others.
    """
    one, two = measured.read_results(first), measured.read_results(second or first)
    alone = len(one.systems) == len(two.systems) == 1
    pairs = [
        (a, b)
        for a, b in product(one.systems, two.systems)
        if systems in (f"{a},{b}", f"{a}, {b}") or (not systems and second and (a == b or alone))
    ]
    if not pairs:
        problem, where = "there are no two systems to compare", f"{first}, {second or first}"
        remedy = f"Name two: --systems A,B. There are: {', '.join({**one.systems, **two.systems})}."
        raise InputError(problem, where=where, remedy=remedy)
    say = console.result_printer(quiet=False)
    tables = [_compared(one, two, names, parts=parts, seed=seed) for names in pairs]
    tested = counted(sum(table.row_count for table in tables), "comparison")
    chance = "where nothing differs, one in 20 gets an asterisk by chance (docs/metrics.md)"
    for each in (*tables, f"{tested}: {chance}"):
        say(each, "")


def _compared(
    first: Results, second: Results, names: tuple[str, str], *, parts: bool, seed: int
) -> Table:
    """Return the paired differences of two systems as a table, a row for each metric that both
    have: both means, second minus first, its interval, p, and the number of documents. Warn of
    metrics that were made differently, which get no row.

    Args:
        first: has the first system.
        second: has the second one; may be the same results.
        names: of the two systems.
        parts: whether parts of metrics get rows, too.
        seed: of the bootstrap.
    """
    heads = names if names[0] != names[1] else (f"{names[0]}, first", f"{names[1]}, second")
    titles = (*heads, "difference", "95 %", "p", "documents")
    columns = [Column(title, justify="right", no_wrap=True) for title in titles]
    table = Table("", *columns, box=None, pad_edge=False)
    one, two = first.systems[names[0]], second.systems[names[1]]
    for metric, score in one.items():
        if metric not in two or ("/" in metric and not parts):
            continue
        if unlike := ", ".join(sorted(comparable_parts(score) ^ comparable_parts(two[metric]))):
            remedy = "evaluate both on one corpus, with the same options"
            console.print_warning(f"{metric} is not compared ({unlike}): {remedy}")
            continue
        paired = paired_difference(score, two[metric], seed=seed)
        interval = "" if paired.interval is None else "{:+.3f} – {:+.3f}".format(*paired.interval)
        p = "" if math.isnan(paired.p) else f"{paired.p:.4f}"
        difference = f"{paired.value:+.3f}{'*' if paired.p < _SIGNIFICANT else ''}"
        means = (f"{mean:.3f}" for mean in paired.means)
        table.add_row(metric, *means, difference, interval, p, str(paired.documents))
    return table


MEASURED = ("tps", "inference", "labels")  # the metrics of the points
_COLUMNS = ("point", *(f"{m}{of}" for m in MEASURED for of in ("", "_low", "_high")), "settings")

Target = Literal["tps", "risk"]


class Tried(NamedTuple):
    """One setting, and the scores of a run with it.

    Attributes:
        name: the settings changed: "attack.max_risk=0.1".
        tps: Text Preserved Similarity, 0 to 1; every score has an interval.
        inference: share of strings guessed within five guesses from a closed pool.
        labels: share of strings, except names and codes, that became a label.
    """

    name: str
    tps: Score
    inference: Score
    labels: Score

    def misses(self, target: Target, value: float) -> float:
        """Return by how much the scores of a setting miss a target, 0 to 1; 0 if they meet it.

        Args:
            target: "tps" asks for ``value`` or more, "risk" (inference) for ``value`` or less.
            value: 0 to 1.
        """
        return max(0.0, value - self.tps.value if target == "tps" else self.inference.value - value)


def front(points: Sequence[Tried]) -> list[Tried]:
    """Return the points of the Pareto front, from the highest utility to the lowest: no other point
    is as good in both scores (TPS high, inference low) and better in one. Of equal points the first
    is kept; [] for no points."""
    best: list[Tried] = []
    for point in sorted(points, key=lambda point: (-point.tps.value, point.inference.value)):
        if all(point.inference.value < other.inference.value for other in best):
            best.append(point)
    return best


def pick(points: Sequence[Tried], target: Target, value: float) -> Tried:
    """Return the least risky point that meets a target of utility, or the most useful one that
    meets a target of risk. If none meets it, return the one that misses it least.

    Args:
        points: at least one.
        target: "tps" (utility) or "risk".
        value: 0 to 1.
    """

    def order(point: Tried) -> tuple[float, ...]:
        """Return the key by which points are compared, the best first: by how much a point misses
        the target, then the score that the target does not name, then the other."""
        rest = (point.inference.value, -point.tps.value)
        return (point.misses(target, value), *(rest if target == "tps" else rest[::-1]))

    return min(points, key=order)


def configuration(point: Tried, settings: Settings) -> str:
    """Return all settings as TOML, with the point's scores in a comment; as a file for --config
    they give the same run.

    Args:
        point: what was measured.
        settings: of its run.
    """
    figures = f"TPS {point.tps}, guessed in five {point.inference}, bare labels {point.labels}"
    head = f"# {point.name}\n# Measured on the documents it was tuned on: {figures}.\n"
    return head + tomli_w.dumps(settings.model_dump(mode="json", exclude_none=True))


_GRID = ("attack.max_risk=0.05,0.1,0.2,0.3,0.4,0.5,0.7", "selection.start_rank=0,1")
Load = Callable[[str | None, Sequence[str]], Settings]


def tune(
    corpus: options.Corpus,
    out: options.OutFolder,
    target: options.Target = None,
    tries: options.Tries = None,
    jobs: int = Opt(1, min=1, help="Runs at a time, each in a process."),
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    annotator: options.RunAnnotator = None,
    quiet: options.Quiet = False,
) -> None:
    """Sanitise the corpus under every combination of settings, and under the presets; write the
    Pareto front of utility and risk, and a complete config for each of its points.

    By default attack.max_risk and selection.start_rank are tried. All figures are measured, on the
    documents of the corpus, with 95 % intervals. If no setting meets --target, the nearest is
    taken, the exit code is 1, and a warning says by how much it misses.
    """
    console.quiet_libraries("wordfreq")
    wish = None if target is None else _target(target)
    load = partial(load_settings, allow_remote=allow_remote)
    own = console.settings_of(config, overrides, {"run.annotator": annotator})
    whose = f"run.annotator={json.dumps(own.run.annotator)}"  # of the presets, too
    plans = _plans(config, load, [*(overrides or ()), whose], tries or _GRID)
    check_writable(into=out, new=("pareto.csv", "sweep.csv", "configs", "chosen.toml"))
    points: list[Tried] = []
    performers = Performers(cast("Factory", ExitStack), jobs, perform=partial(sanitized, corpus))
    with console.ProgressReporter(quiet=quiet) as reporter, closing(performers):
        corpora.read_corpus(corpus, next(iter(plans.values())).run.annotator, reporter.warned)
        context = EvaluationContext(embedder=SentenceEncoder(), warn=reporter.warned)
        metrics = measured.chosen_metrics(MEASURED, context)
        runs = [performers.begin(settings) for settings in plans.values()]
        for name, run in zip(plans, runs, strict=True):
            results = run()
            points.append(Tried(name, *(metric.score(results) for metric in metrics)))
            reporter.progress("trying settings", len(points), len(plans))
    best = front(points)
    make_private_folder(out / "configs")
    for file, shown in (("pareto.csv", best), ("sweep.csv", points)):
        lines = []
        for at, (name, *scores) in enumerate(shown, start=1):
            # a single document gives no interval
            figures = (x for o in scores for x in (o.value, *(o.interval or (math.nan, math.nan))))
            lines.append((f"{at:02}", *(f"{x:.4f}" for x in figures), name))
        write_private(out / file, to_csv(_COLUMNS, lines))
    for at, point in enumerate(best, start=1):
        text = configuration(point, plans[point.name])
        write_private(out / "configs" / f"point-{at:02}.toml", text)
    say = console.result_printer(quiet=quiet)
    say(f"{len(points)} settings, {len(best)} on the front. Written: {out}")
    say("Figures are of the documents tuned on, the best partly luck: measure it on others.")
    if wish is not None:
        picked = pick(points, *wish)
        write_private(out / "chosen.toml", configuration(picked, plans[picked.name]))
        said = f"TPS {picked.tps}, guessed in five {picked.inference}"
        say(f"Chosen: {picked.name}; {said}: {out / 'chosen.toml'}")
        if missed := picked.misses(*wish):
            reporter.warned(f"no setting meets {target}; the chosen one misses it by {missed:.4f}")
            raise typer.Exit(LEFT_OUT)


def _plans(
    config: str | None, load: Load, overrides: Sequence[str], tries: Sequence[str]
) -> dict[str, Settings]:
    """Return the settings to try, by name: the presets that need no model of their own, those that
    the user starts from ("as configured"), then every combination ("attack.max_risk=0.1, ...").
    Equal settings are there once, under the first name. Raise a ``ConfigError`` for a wish without
    values.

    Args:
        config: the preset or file that the user starts from; None is the defaults.
        load: loads settings.
        overrides: put over all of them.
        tries: "SETTING=VALUE,VALUE", of which every combination is tried.
    """
    values = []
    for wish in tries:
        setting, _, listed = wish.partition("=")
        changes = [f"{setting}={value.strip()}" for value in listed.split(",") if value.strip()]
        if not changes:
            raise ConfigError(f"{wish!r} lists no values", where="--try")
        values.append(changes)
    own = load(config, overrides)
    named = {name: load(name, overrides) for name in presets()}
    fit = {n: one for n, one in named.items() if one.model == own.model or not one.has_model}
    tried = {", ".join(each): load(config, [*overrides, *each]) for each in product(*values)}
    plans: dict[str, Settings] = {}
    for name, settings in (fit | {"as configured": own} | tried).items():
        if settings not in plans.values():
            plans[name] = settings
    return plans


def sanitized(corpus: Path, settings: Settings, _: object = None) -> list[SanitizedDocument]:
    """Return the documents of a corpus, in order, sanitised as a run would do it.

    Args:
        corpus: a file of annotated documents, or of texts.
        settings: of the run; they also choose the annotator.
        _: what the factory of the performers made; not used.
    """
    documents = corpora.read_corpus(corpus, settings.run.annotator).documents
    with closing(pipeline.build_pipeline(settings)) as made:
        return [made.sanitize(document) for document in documents]


def _target(text: str) -> tuple[Target, float]:
    """Return the target that "tps=0.85" or "risk=0.1" names, as (name, value); raise a
    ``ConfigError`` for any other name, or a value outside of [0, 1]."""
    name, _, value = text.partition("=")
    with suppress(ValueError):
        if name in get_args(Target) and 0 <= float(value) <= 1:
            return cast("Target", name), float(value)
    raise ConfigError(f"{text!r} is no target", where="--target")
