"""``intact tune``: the settings worth having, found without new attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intact.cli.console import AllowRemote, Told, quiet_libraries, speaker
from intact.cli.tune_plans import Guarded, Plans, Setting, configuration, numbers, plans, write

if TYPE_CHECKING:
    from intact.config import Settings
    from intact.domain import Decision, Document, Entity, Ladder, SanitizedDocument
    from intact.evaluation.front import Point
    from intact.evaluation.tuning import Sweep
    from intact.pipeline import Pipeline
    from intact.protocols import Embedder

_TARGETS = ("tps", "risk", "linkage")


def tune(
    corpus: Annotated[Path, typer.Argument(help="Documents with annotations.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the front.")],
    background: Annotated[
        Path | None, typer.Option(help='{individual: "public text"}, for linkage risk.')
    ] = None,
    owners: Annotated[
        Path | None, typer.Option(help="{doc_id: individual}, where they differ.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Pick a point: tps=0.85, risk=0.1 or linkage=0.05.")
    ] = None,
    risks: Annotated[
        str, typer.Option(help="Values of attack.max_risk.")
    ] = "0.05,0.1,0.2,0.3,0.5,0.7",
    guesses: Annotated[str, typer.Option(help="Values of attack.guesses.")] = "1,5,10",
    starts: Annotated[str, typer.Option(help="Values of selection.start_rank.")] = "0,1",
    guard_k: Annotated[
        str | None, typer.Option(help="Values of guard.k: a guarded run of its own for each.")
    ] = None,
    config: Annotated[str | None, typer.Option(help="Preset or file to start from.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting: section.name=value.")
    ] = None,
    allow_remote: AllowRemote = False,
    annotator: Annotated[str, typer.Option(help="first, all or an annotator's name.")] = "first",
    cache: Annotated[Path | None, typer.Option(help="Folder for embeddings.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Sweep risk, guesses, start rank and the guard's k; write the Pareto front, a figure and a
    config a point.

    Every candidate is attacked once; all thresholds are then judged by those recorded guesses.
    Their figures are estimates; those of the guard, and of the point that --target takes, are
    measured on a run.
    """
    quiet_libraries()
    from intact.cli.evaluate import cache_folder, need_evaluation
    from intact.config import load_settings
    from intact.evaluation.corpus import read_background, read_corpus, read_texts
    from intact.evaluation.front import front
    from intact.models.embedder import SentenceEncoder

    need_evaluation()
    wish = _target(target, background)
    base = load_settings(config, overrides or (), allow_remote=allow_remote)
    tries = numbers(guesses, low=1, high=1000, option="--guesses")
    tried = plans(
        numbers(risks, high=1, option="--risks"),
        tries,
        numbers(starts, high=32, option="--starts"),
    )
    guarded = _guarded(guard_k, background, owners, base)
    individuals = read_texts(owners, "mapping of documents to individuals") if owners else {}
    known = read_background(background) if background else {}
    documents = read_corpus(corpus, annotator).documents
    unguarded = base.model_copy(
        update={"guard": base.guard.model_copy(update={"background": None})}
    )
    with Told(quiet=quiet) as told:
        session = _Session(documents, unguarded, told)
        session.record(int(max(tries)), SentenceEncoder(cache=cache or cache_folder()))
        session.weigh(known, individuals)
        points = [session.estimated(plan) for plan in tried]
        points += [session.measured(plan) for plan in guarded]
        every: list[Setting] = [*tried, *guarded]
        named: Plans = {plan.name: plan for plan in every}
        best = front(points)
        write(out, points, best, named, unguarded)
        point = _chosen(best, wish) if wish is not None else None
        if point is not None:
            point = point if point.measured else session.measured(named[point.name])
            _write_chosen(out, point, named, unguarded)
    say = speaker(quiet=quiet)
    say(f"{len(points)} settings, {len(best)} on the front. Written: {out}")
    if point is not None:
        say(
            f"Chosen: {point.name} (measured: TPS {point.tps:.3f}, guessed {point.inference:.3f}"
            f"{f', linked {point.linkage:.3f}' if known else ''}): {out / 'chosen.toml'}"
        )


class _Session:
    """One tuning: the corpus with its recorded attacks, weighed.

    Args:
        base: where the user starts from, without a guard.
    """

    def __init__(self, documents: Sequence[Document], base: Settings, told: Told) -> None:
        self._documents = documents
        self._base = base
        self._told = told

    def record(self, most: int, embedder: Embedder) -> None:
        """Attacks every candidate with ``most`` guesses or more; meanwhile the originals'
        embeddings are made."""
        from intact.build import Components, build_recorder
        from intact.selection.replay import Replay

        asked = max(most, self._base.attack.guesses)
        attack = self._base.attack.model_copy(update={"guesses": asked, "per_type": {}})
        originals = sorted({m.text for document in self._documents for m in document.mentions})
        self._embedder = embedder
        with (
            closing(build_recorder(self._base.model_copy(update={"attack": attack}))) as pipeline,
            ThreadPoolExecutor(1) as aside,
        ):
            ahead = aside.submit(embedder.embed, originals)
            self._run = self._sanitised(pipeline, "attacking every candidate")
            ahead.result()
        self._replay = Replay(Components(self._base).matcher, self._base)

    def weigh(self, background: Mapping[str, str], individuals: Mapping[str, str]) -> None:
        """Works out what each candidate keeps and gives away."""
        from intact.evaluation.information import FrequencyInformation
        from intact.evaluation.terms import LightSplitter
        from intact.evaluation.tuning import Sweep

        self._told.progress("weighing the candidates", 0, 1)
        self._sweep: Sweep = Sweep(
            self._run,
            self._embedder,
            LightSplitter(),
            FrequencyInformation(),
            background,
            lambda document_id: individuals.get(document_id, document_id),
        )
        self._told.progress("weighing the candidates", 1, 1)

    def estimated(self, plan: Setting) -> Point:
        """What a setting would do, by the recorded attacks."""
        return self._sweep.point(plan.name, self._replay.under(plan.on(self._base)))

    def measured(self, plan: Setting) -> Point:
        """What a setting does, by a run with the candidates that are there already."""
        from intact.build import build_pipeline

        known = _Known({r.document.id: r.decisions for r in self._run})
        with closing(build_pipeline(plan.on(self._base), known)) as pipeline:
            return self._sweep.measured(plan.name, self._sanitised(pipeline, plan.name))

    def _sanitised(self, pipeline: Pipeline, what: str) -> list[SanitizedDocument]:
        found = []
        for done, document in enumerate(self._documents):
            found.append(pipeline.sanitize(document))
            self._told.progress(what, done + 1, len(self._documents))
        return found


class _Known:
    """A generator that proposes what another has proposed before."""

    name = "known"

    def __init__(self, decisions: Mapping[str, Sequence[Decision]]) -> None:
        self._decisions = decisions

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """The ladders of the document's entities."""
        return {d.entity.id: d.ladder for d in self._decisions[document.id] if d.ladder}


def _guarded(
    values: str | None, background: Path | None, owners: Path | None, base: Settings
) -> list[Guarded]:
    """The guarded runs that were asked for, by option or by settings."""
    from intact.errors import ConfigError

    population = base.guard.background or background
    if values is None and base.guard.background is None:
        return []
    if population is None:
        raise ConfigError(
            "there is nobody to hide the individuals among",
            where="--guard-k",
            remedy="Add --background FILE, or set guard.background.",
        )
    ks = (
        [base.guard.k]
        if values is None
        else numbers(values, low=1, high=10_000, option="--guard-k")
    )
    protect = str(owners) if owners is not None else base.guard.protect
    return [Guarded(int(k), population, protect) for k in dict.fromkeys(ks)]


def _target(text: str | None, background: Path | None) -> tuple[str, float] | None:
    from intact.errors import ConfigError

    if text is None:
        return None
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if name not in _TARGETS or not 0 <= number <= 1:
        raise ConfigError(
            f"{text!r} is no target",
            where="--target",
            remedy="Write tps=0.85, risk=0.1 or linkage=0.05.",
        )
    if name == "linkage" and background is None:
        raise ConfigError(
            "linkage is not measured without a background",
            where="--target",
            remedy="Add --background FILE.",
        )
    return name, number


def _chosen(best: Sequence[Point], wish: tuple[str, float]) -> Point:
    from intact.errors import ConfigError
    from intact.evaluation.front import pick

    point = pick(best, *wish)
    if point is None:
        edges: dict[str, Any] = {
            "tps": max(p.tps for p in best),
            "risk": min(p.inference for p in best),
            "linkage": min(p.linkage for p in best),
        }
        raise ConfigError(
            f"no setting reaches {wish[0]}={wish[1]:g}; the best is {edges[wish[0]]:.3f}",
            where="--target",
            remedy="Take another target, or widen the sweep with --risks, --starts or --guard-k.",
        )
    return point


def _write_chosen(out: Path, point: Point, named: Plans, base: Settings) -> None:
    from intact.run.files import write_private

    write_private(out / "chosen.toml", configuration(named[point.name], point, base))
