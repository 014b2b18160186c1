"""The settings that ``intact tune`` tries, and the files it writes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intact.config import Settings
    from intact.evaluation.front import Point

_TYPES = ("DATETIME", "LOC", "ORG", "DEM", "QUANTITY")
_HEADS = ("point", "tps", "inference", "linkage", "labels", "guard_k", "figures", "settings")


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


@dataclass(frozen=True, slots=True)
class Own:
    """The user's own thresholds."""

    name: str = "own thresholds"

    def on(self, base: Settings) -> Settings:
        """The whole settings."""
        return base


@dataclass(frozen=True, slots=True)
class Guarded:
    """The user's own thresholds, and the guard on top.

    Attributes:
        background: the population.
        protect: ``guard.protect``.
    """

    k: int
    background: Path
    protect: str

    @property
    def name(self) -> str:
        """The setting in words."""
        return f"own thresholds, guard k={self.k}"

    def on(self, base: Settings) -> Settings:
        """The whole settings."""
        change = {"k": self.k, "background": self.background, "protect": self.protect}
        return base.model_copy(update={"guard": base.guard.model_copy(update=change)})


Setting = Plan | Own | Guarded
Plans = Mapping[str, Setting]


def plans(
    risks: Sequence[float], guesses: Sequence[float], starts: Sequence[float]
) -> list[Plan | Own]:
    """The user's own thresholds, all combinations, then higher first rungs for all types and for
    each."""
    found: list[Plan | Own] = [Own()]
    found += [Plan(r, int(g), int(s)) for r, g, s in product(risks, guesses, starts)]
    highest = int(max(starts))
    middle = [risk for risk in risks if 0.1 < risk <= 0.5] or list(risks)
    most = int(sorted(guesses)[len(guesses) // 2])
    found += [Plan(r, most, highest + s) for r in (min(middle), max(middle)) for s in (1, 2)]
    found += [Plan(max(middle), most, s, kind) for kind in _TYPES for s in (1, 2)]
    return list(dict.fromkeys(found))


def numbers(text: str, *, low: float = 0, high: float, option: str) -> list[float]:
    """The numbers in a list with commas.

    Raises:
        ConfigError: if it is none, or one of them is out of range.
    """
    from intact.errors import ConfigError

    try:
        found = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or not all(low <= number <= high for number in found):
        raise ConfigError(
            f"{text!r} is no list of numbers from {low:g} to {high:g}",
            where=option,
            remedy="Write them with commas and no spaces.",
        )
    return found


def write(
    out: Path, points: Sequence[Point], best: Sequence[Point], known: Plans, base: Settings
) -> None:
    """The front and the sweep as tables, the figure, and a configuration for every point.

    Raises:
        RunError: if something cannot be written.
    """
    from intact.cli.results import as_csv
    from intact.evaluation.pareto import draw
    from intact.run.files import make_private_folder, write_private

    make_private_folder(out / "configs")
    lines = [_line(f"{at:02}", point, known) for at, point in enumerate(best, start=1)]
    write_private(out / "pareto.csv", as_csv(_HEADS, lines))
    sweep = (_line("", point, known) for point in points)
    write_private(out / "sweep.csv", as_csv(_HEADS, sweep))
    for at, point in enumerate(best, start=1):
        text = configuration(known[point.name], point, base)
        write_private(out / "configs" / f"point-{at:02}.toml", text)
    draw(points, best, [out / "pareto.png", out / "pareto.svg"])


def _line(name: str, point: Point, known: Plans) -> tuple[str, ...]:
    plan = known[point.name]
    figures = (point.tps, point.inference, point.linkage, point.labels)
    k = str(plan.k) if isinstance(plan, Guarded) else ""
    how = "measured" if point.measured else "estimated"
    return name, *(f"{number:.4f}" for number in figures), k, how, point.name


def configuration(plan: Setting, point: Point, base: Settings) -> str:
    """The settings as TOML, with the point's figures on top."""
    import tomli_w

    tree = plan.on(base).model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    how = "Measured" if point.measured else "Estimated"
    head = (
        f"# {plan.name}.\n# {how}: TPS {point.tps:.3f}, guessed in five {point.inference:.3f}, "
        f"linked {point.linkage:.3f}.\n"
    )
    return head + tomli_w.dumps(tree)


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
            rows = csv.DictReader(file)
            if not {"settings", "inference", "tps"} <= set(rows.fieldnames or ()):
                raise ValueError
            dots = [
                Dot(
                    f"guard k={row['guard_k']}" if row.get("guard_k") else row["settings"],
                    float(row["inference"]),
                    float(row["tps"]),
                    emphasis=True,
                    label=bool(row.get("guard_k")),
                )
                for row in rows
            ]
    except (OSError, KeyError, ValueError, UnicodeDecodeError):
        raise FormatError(
            "is no Pareto front", where=str(path), remedy="Give the pareto.csv of intact tune."
        ) from None
    figure = scatter(dots, "guessed in five", "TPS", line=True, labels=False)
    return "Pareto front", figure, "Each point is a setting; point at it to see which."
