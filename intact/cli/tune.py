"""``intact tune``: the settings worth having, each measured on a run of its own."""

import json
import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

import tomli_w
import typer

from intact.cli import console, options
from intact.cli.options import Opt
from intact.config import Settings, load_settings, presets
from intact.domain import SanitizedDocument, Score
from intact.errors import ConfigError
from intact.evaluation import EvaluationContext
from intact.evaluation.corpus import read_corpus
from intact.evaluation.results import chosen_metrics
from intact.formats.base import to_csv
from intact.models.encoder import SentenceEncoder
from intact.pipeline import build_pipeline
from intact.run.files import check_writable, make_private_folder, write_private
from intact.run.work import Factory, Performers

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
        """Measure by how much the point misses a target; 0 if it meets it.

        Args:
            target: "tps" asks for ``value`` or more, "risk" (inference) for ``value`` or less.
            value: 0 to 1.
        """
        return max(0.0, value - self.tps.value if target == "tps" else self.inference.value - value)


def front(points: Sequence[Tried]) -> list[Tried]:
    """Keep the points of the Pareto front: no other point is as good in both scores and better in
    one. They are sorted from the highest utility to the lowest; of equal points the first is kept.
    """
    best: list[Tried] = []
    for point in sorted(points, key=lambda point: (-point.tps.value, point.inference.value)):
        if all(point.inference.value < other.inference.value for other in best):
            best.append(point)
    return best


def pick(points: Sequence[Tried], target: Target, value: float) -> Tried:
    """Pick the least risky point that meets a target of utility, or the most useful one that meets
    a target of risk. If none meets it, pick the one that misses it least.

    Args:
        points: at least one.
        target: "tps" (utility) or "risk".
        value: 0 to 1.
    """

    def order(point: Tried) -> tuple[float, ...]:
        rest = (point.inference.value, -point.tps.value)
        return (point.misses(target, value), *(rest if target == "tps" else rest[::-1]))

    return min(points, key=order)


def configuration(point: Tried, settings: Settings) -> str:
    """Write all settings as TOML, with the point's scores in a comment. The file alone gives the
    same run.

    Args:
        point: what was measured.
        settings: of its run.
    """
    figures = f"TPS {point.tps}, guessed in five {point.inference}, bare labels {point.labels}"
    head = f"# {point.name}\n# Measured on the documents it was tuned on: {figures}.\n"
    return head + tomli_w.dumps(settings.model_dump(mode="json", exclude_none=True))


_GRID = ("attack.max_risk=0.05,0.1,0.2,0.3,0.4,0.5,0.7", "selection.start_rank=0,1")
Load = Callable[[str | None, Sequence[str]], Settings]
_MISSED = 1
_NONE = (math.nan, math.nan)  # a single document gives no interval
_OWN = "as configured"


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
        read_corpus(corpus, next(iter(plans.values())).run.annotator, reporter.warned)
        context = EvaluationContext(embedder=SentenceEncoder(), warn=reporter.warned)
        metrics = chosen_metrics(MEASURED, context)
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
            figures = (x for each in scores for x in (each.value, *(each.interval or _NONE)))
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
            raise typer.Exit(_MISSED)


def _plans(
    config: str | None, load: Load, overrides: Sequence[str], tries: Sequence[str]
) -> dict[str, Settings]:
    """Make the settings to try, by name: those that the user starts from, the presets that need no
    model of their own, then every combination. Equal settings are tried once, under the first name.
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
    for name, settings in (fit | {_OWN: own} | tried).items():
        if settings not in plans.values():
            plans[name] = settings
    return plans


def sanitized(corpus: Path, settings: Settings, _: object = None) -> list[SanitizedDocument]:
    """Sanitise the documents of a corpus as a run would.

    Args:
        corpus: a file of annotated documents, or of texts.
        settings: of the run; they also choose the annotator.
        _: what the factory of the performers made; not used.
    """
    documents = read_corpus(corpus, settings.run.annotator).documents
    with closing(build_pipeline(settings)) as pipeline:
        return [pipeline.sanitize(document) for document in documents]


def _target(text: str) -> tuple[Target, float]:
    name, _, value = text.partition("=")
    with suppress(ValueError):
        if name in get_args(Target) and 0 <= float(value) <= 1:
            return cast("Target", name), float(value)
    raise ConfigError(f"{text!r} is no target", where="--target")
