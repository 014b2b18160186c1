"""``intact compare``: two results side by side, with significance."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from intact.cli.console import result_printer
from intact.errors import InputError
from intact.evaluation.results import Results, Scores, from_json
from intact.evaluation.statistics import paired_difference
from intact.formats.json_text import read_json

_SIGNIFICANT = 0.05


def compare(
    first: Annotated[Path, typer.Argument(help="A results.json.")],
    second: Annotated[Path, typer.Argument(help="Another, on the same documents.")],
    systems: Annotated[
        str | None, typer.Option(help="A,B: compare A of the first with B of the second.")
    ] = None,
    parts: Annotated[bool, typer.Option(help="Also compare the parts of metrics.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Compare two results of intact evaluate: difference, 95 % interval and p by paired bootstrap
    over the documents that both have. An asterisk marks p < 0.05.

    Systems of the same name are compared, or the two named by --systems.
    """
    one, two = (from_json(read_json(path), str(path)) for path in (first, second))
    say = result_printer(quiet=False)
    for name, other in _pairs(one, two, systems, (str(first), str(second))):
        say(_table(one.systems[name], two.systems[other], (name, other), parts=parts, seed=seed))
        say("")


def _pairs(
    one: Results, two: Results, systems: str | None, files: tuple[str, str]
) -> list[tuple[str, str]]:

    if systems is not None:
        name, comma, other = (part.strip() for part in systems.partition(","))
        if not comma:
            raise InputError(
                f"{systems!r} names no two systems",
                where="--systems",
                remedy="Write --systems A,B.",
            )
        for wanted, results, file in ((name, one, files[0]), (other, two, files[1])):
            if wanted not in results.systems:
                raise InputError(
                    f"there is no system {wanted!r}",
                    where=file,
                    remedy=f"There are: {', '.join(results.systems)}.",
                )
        return [(name, other)]
    shared = [name for name in one.systems if name in two.systems]
    if shared:
        return [(name, name) for name in shared]
    if len(one.systems) == len(two.systems) == 1:
        return [(next(iter(one.systems)), next(iter(two.systems)))]
    raise InputError(
        "no system is in both", where=", ".join(files), remedy="Say which: --systems A,B."
    )


def _table(one: Scores, two: Scores, names: tuple[str, str], *, parts: bool, seed: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    heads = names if names[0] != names[1] else (f"{names[0]}, first", f"{names[1]}, second")
    for head in (*heads, "difference", "95 %", "p", "documents"):
        table.add_column(head, justify="right", no_wrap=True)
    for metric, score in one.items():
        if metric not in two or ("/" in metric and not parts):
            continue
        found = paired_difference(score, two[metric], seed=seed)
        interval = "" if found.interval is None else "{:+.3f} – {:+.3f}".format(*found.interval)
        p = "" if math.isnan(found.p) else f"{found.p:.3f}"
        table.add_row(
            metric,
            f"{score.value:.3f}",
            f"{two[metric].value:.3f}",
            f"{found.value:+.3f}{'*' if found.p < _SIGNIFICANT else ''}",
            interval,
            p,
            str(found.documents or ""),
        )
    return table
