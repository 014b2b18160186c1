"""The Pareto front as a figure (PNG, SVG)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from intact.errors import MissingExtraError, RunError
from intact.evaluation.front import Point
from intact.evaluation.report.figures import Point as Dot
from intact.evaluation.report.figures import upper


def draw(points: Sequence[Point], best: Sequence[Point], files: Sequence[Path]) -> None:
    """Utility against inference risk; colour is linkage risk. One file for each path.

    Raises:
        MissingExtraError: if Matplotlib is not installed.
        RunError: if a file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError.of("matplotlib", "evaluation") from None
    figure = Figure(figsize=(7.2, 4.6), layout="constrained")
    axes = figure.add_subplot()
    axes.scatter(
        [p.inference for p in points],
        [p.tps for p in points],
        s=16,
        color="#b9bcc2",
        label="all settings",
    )
    steps = upper([Dot(p.name, p.inference, p.tps) for p in best])
    axes.plot([p.x for p in steps], [p.y for p in steps], color="#0b6e6e", alpha=0.5)
    linked = [p.linkage for p in best]
    told = not any(math.isnan(value) for value in linked)
    dots = axes.scatter(
        [p.inference for p in best],
        [p.tps for p in best],
        **(
            {"c": linked, "cmap": "viridis_r", "vmin": 0, "vmax": max(*linked, 0.01)}
            if told
            else {"color": "#0b6e6e"}
        ),
        s=46,
        edgecolor="white",
        label="front",
        zorder=3,
    )
    for point in best:
        if point.measured:
            axes.annotate(
                point.name,
                (point.inference, point.tps),
                (7, -11),
                textcoords="offset points",
                fontsize=8,
            )
    if told:
        figure.colorbar(dots, label="linked to an individual (TF-IDF), lower is better")
    axes.set(
        title="What each setting keeps and gives away (up and to the left is better)",
        xlabel="guessed in five, closed pool",
        ylabel="Text Preserved Similarity",
    )
    axes.title.set_fontsize(10)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    for file in files:
        try:
            metadata = {"Date": None} if file.suffix == ".svg" else {"Software": "INTACT"}
            figure.savefig(file, dpi=160, metadata=metadata)
            file.chmod(0o600)
        except OSError as error:
            raise RunError(f"cannot be written ({error.strerror})", where=str(file)) from None
