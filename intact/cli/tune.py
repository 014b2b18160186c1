"""``intact tune``: the settings worth having, found without new attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intact.cli.console import Told, quiet_libraries, speaker

if TYPE_CHECKING:
    from intact.config import Settings
    from intact.domain import Decision, SanitizedDocument
    from intact.evaluation.tuning import Point
    from intact.protocols import Matcher

_TYPES = ("DATETIME", "LOC", "ORG", "DEM", "QUANTITY")
_HEADS = ("point", "tps", "inference", "linkage", "labels", "settings")


def tune(
    corpus: Annotated[Path, typer.Argument(help="Documents with annotations.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the front.")],
    background: Annotated[
        Path | None, typer.Option(help='{individual: "public text"}, for linkage risk.')
    ] = None,
    owners: Annotated[
        Path | None, typer.Option(help="{doc_id: individual}, where they differ.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Pick a point: tps=0.85 or risk=0.1.")] = None,
    risks: Annotated[
        str, typer.Option(help="Values of attack.max_risk.")
    ] = "0.05,0.1,0.2,0.3,0.5,0.7",
    guesses: Annotated[str, typer.Option(help="Values of attack.guesses.")] = "1,5,10",
    starts: Annotated[str, typer.Option(help="Values of selection.start_rank.")] = "0,1",
    config: Annotated[str | None, typer.Option(help="Preset or file to start from.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting: section.name=value.")
    ] = None,
    annotator: Annotated[str, typer.Option(help="first, all or an annotator's name.")] = "first",
    cache: Annotated[Path | None, typer.Option(help="Folder for embeddings.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Sweep risk, guesses and start rank; write the Pareto front, a figure and a config a point.

    The corpus is sanitised once, with every candidate attacked; all settings are then judged by
    those recorded guesses. The figures are estimates: evaluate a run under the setting you take.
    """
    quiet_libraries()
    from intact.build import Workshop
    from intact.cli.evaluate import cache_folder, need_evaluation
    from intact.cli.inputs import read_background, read_corpus, read_texts
    from intact.config import load_settings
    from intact.evaluation.information import FrequencyInformation
    from intact.evaluation.terms import LightSplitter
    from intact.evaluation.tuning import Sweep, front
    from intact.models.embedder import SentenceEncoder

    need_evaluation()
    wish = _target(target)
    base = load_settings(config, overrides or ())
    known = read_texts(owners, "mapping of documents to individuals") if owners else {}
    with Told(quiet=quiet) as told:
        documents = _record(read_corpus(corpus, annotator).documents, base, told)
        told.progress("weighing the candidates", 0, 2)
        sweep = Sweep(
            documents,
            SentenceEncoder(cache=cache or cache_folder()),
            LightSplitter(),
            FrequencyInformation(),
            read_background(background) if background else {},
            lambda document_id: known.get(document_id, document_id),
        )
        told.progress("weighing the candidates", 1, 2)
        plans = _plans(_numbers(risks), _numbers(guesses), _numbers(starts))
        replay = Replay(documents, base, Workshop(base).matcher)
        points = {plan.name: sweep.point(plan.name, replay.under(plan.on(base))) for plan in plans}
        told.progress("weighing the candidates", 2, 2)
    best = front(list(points.values()))
    settings = {plan.name: plan for plan in plans}
    _write(out, list(points.values()), best, settings, base)
    say = speaker(quiet=quiet)
    say(f"{len(points)} settings, {len(best)} on the front. Written: {out}")
    if wish is not None:
        _choose(best, wish, out, settings, base, say)


@dataclass(frozen=True, slots=True)
class Plan:
    """One setting of the sweep, on top of where the user starts from."""

    max_risk: float
    guesses: int
    start: int
    kind: str = ""

    @property
    def name(self) -> str:
        """The setting in words."""
        where = f"{self.kind} from rung {self.start}" if self.kind else f"from rung {self.start}"
        return f"risk {self.max_risk:g}, {self.guesses} guesses, {where}"

    def on(self, base: Settings) -> Settings:
        """The whole settings."""
        attack = base.attack.model_copy(update={"max_risk": self.max_risk, "guesses": self.guesses})
        change: dict[str, Any] = {"start_rank": self.start}
        if self.kind:
            change = {
                "start_rank_per_type": {**base.selection.start_rank_per_type, self.kind: self.start}
            }
        selection = base.selection.model_copy(update=change)
        return base.model_copy(update={"attack": attack, "selection": selection})


class Replay:
    """Chooses rungs from recorded attacks. Guesses are matched once for every number of guesses;
    a setting then only compares numbers."""

    def __init__(
        self, documents: Sequence[SanitizedDocument], base: Settings, matcher: Matcher
    ) -> None:
        self._base = base
        self._matcher = matcher
        self._known: dict[tuple[int, int], list[float]] = {}

    def under(self, settings: Settings) -> Any:
        """The choice that ``settings`` make; see ``Choice``."""

        def choose(document_id: str, decision: Decision) -> int | None:
            kind = decision.entity.entity_type
            ladder = decision.ladder
            if not ladder:
                return None
            risks = self._risks(decision, settings.attack.guesses_for(kind))
            start = min(settings.selection.start_rank_for(kind), len(ladder) - 1)
            most = settings.attack.max_risk_for(kind)
            return next((at for at in range(start, len(ladder)) if risks[at] <= most), None)

        return choose

    def _risks(self, decision: Decision, guesses: int) -> list[float]:
        """Risk of each rung with so many guesses; above 1 where a guess was right, an answer
        was unreadable, or nobody attacked."""
        key = (id(decision), guesses)
        if key not in self._known:
            self._known[key] = self._judge(decision, guesses)
        return self._known[key]

    def _judge(self, decision: Decision, guesses: int) -> list[float]:
        from intact.domain import Outcome
        from intact.selection.judging import answer_of, judge
        from intact.selection.standing import STANDING

        update = {"guesses": guesses, "max_risk": 1.0, "per_type": {}}
        lenient = self._base.attack.model_copy(update=update)
        risks = [-1.0] * len(decision.ladder)
        for attack in decision.attacks:
            at = attack.candidate.rank
            verdict = judge(answer_of(attack), decision.entity, self._matcher, lenient)
            unsafe = attack.attacker == STANDING or verdict.outcome is not Outcome.SAFE
            risks[at] = max(risks[at], 2.0 if unsafe else verdict.risk)
        return [2.0 if risk < 0 else risk for risk in risks]


def _record(documents: Sequence[Any], base: Settings, told: Told) -> list[SanitizedDocument]:
    """The documents sanitised with every candidate attacked."""
    from intact.build import build_pipeline

    selection = base.selection.model_copy(update={"record_all": True})
    pipeline = build_pipeline(base.model_copy(update={"selection": selection}))
    found = []
    for done, document in enumerate(documents):
        found.append(pipeline.sanitize(document))
        told.progress("sanitising", done + 1, len(documents))
    return found


def _plans(risks: Sequence[float], guesses: Sequence[float], starts: Sequence[float]) -> list[Plan]:
    plans = [Plan(r, int(g), int(s)) for r, g, s in product(risks, guesses, starts)]
    highest = int(max(starts))
    middle = [risk for risk in risks if 0.1 < risk <= 0.5] or list(risks)
    most = int(sorted(guesses)[len(guesses) // 2])
    plans += [Plan(r, most, highest + s) for r in (min(middle), max(middle)) for s in (1, 2)]
    plans += [Plan(max(middle), most, s, kind) for kind in _TYPES for s in (1, 2)]
    return list(dict.fromkeys(plans))


def _numbers(text: str) -> list[float]:
    from intact.errors import ConfigError

    try:
        found = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or min(found) < 0:
        raise ConfigError(f"{text!r} is no list of numbers", remedy="Write 0.1,0.3,0.5.")
    return found


def _target(text: str | None) -> tuple[str, float] | None:
    from intact.errors import ConfigError

    if text is None:
        return None
    name, _, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if name not in ("tps", "risk") or not 0 <= number <= 1:
        raise ConfigError(
            f"{text!r} is no target", where="--target", remedy="Write tps=0.85 or risk=0.1."
        )
    return name, number


def _write(
    out: Path,
    points: Sequence[Point],
    best: Sequence[Point],
    plans: Mapping[str, Plan],
    base: Settings,
) -> None:
    from intact.cli.results import as_csv
    from intact.evaluation.pareto import draw
    from intact.run.files import make_private_folder, write_private

    make_private_folder(out / "configs")
    lines = [_line(f"{at:02}", point) for at, point in enumerate(best, start=1)]
    write_private(out / "pareto.csv", as_csv(_HEADS, lines))
    write_private(out / "sweep.csv", as_csv(_HEADS, (_line("", point) for point in points)))
    for at, point in enumerate(best, start=1):
        write_private(
            out / "configs" / f"point-{at:02}.toml", _toml(plans[point.name], point, base)
        )
    draw(points, best, [out / "pareto.png", out / "pareto.svg"])


def _line(name: str, point: Point) -> tuple[str, ...]:
    numbers = (point.tps, point.inference, point.linkage, point.labels)
    return name, *(f"{number:.4f}" for number in numbers), point.name


def _toml(plan: Plan, point: Point, base: Settings) -> str:
    import tomli_w

    tree = plan.on(base).model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    head = (
        f"# {plan.name}.\n# Estimated: TPS {point.tps:.3f}, guessed in five {point.inference:.3f}, "
        f"linked {point.linkage:.3f}.\n"
    )
    return head + tomli_w.dumps(tree)


def _choose(
    best: Sequence[Point],
    wish: tuple[str, float],
    out: Path,
    plans: Mapping[str, Plan],
    base: Settings,
    say: Any,
) -> None:
    from intact.errors import ConfigError
    from intact.evaluation.tuning import pick
    from intact.run.files import write_private

    point = pick(best, *wish)
    if point is None:
        edge = max(p.tps for p in best) if wish[0] == "tps" else min(p.inference for p in best)
        raise ConfigError(
            f"no setting reaches {wish[0]}={wish[1]:g}; the best is {edge:.3f}",
            where="--target",
            remedy="Take another target, or widen the sweep with --risks and --starts.",
        )
    write_private(out / "chosen.toml", _toml(plans[point.name], point, base))
    say(
        f"Chosen: {point.name} (TPS {point.tps:.3f}, guessed {point.inference:.3f}): "
        f"{out / 'chosen.toml'}"
    )


def pareto_figure(path: Path) -> tuple[str, str, str]:
    """Title, SVG and caption of a front that was written before.

    Raises:
        FormatError: if the file is none.
    """
    import csv

    from intact.errors import FormatError
    from intact.evaluation.report.figures import Point as Dot
    from intact.evaluation.report.figures import scatter

    try:
        with path.open(encoding="utf-8", newline="") as file:
            dots = [
                Dot(row["settings"], float(row["inference"]), float(row["tps"]), emphasis=True)
                for row in csv.DictReader(file)
            ]
    except (OSError, KeyError, ValueError, UnicodeDecodeError):
        raise FormatError(
            "is no Pareto front", where=str(path), remedy="Give the pareto.csv of intact tune."
        ) from None
    figure = scatter(dots, "guessed in five", "TPS", line=True, labels=False)
    return "Pareto front", figure, "Each point is a setting; point at it to see which."
