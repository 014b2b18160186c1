"""``intact background``: the population that documents are hidden in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from intact.cli.console import Quiet, result_printer, screen_width
from intact.knowledge.base import KnowledgeBase
from intact.reidentification.population import Population, check_free
from intact.reidentification.sources import read_people, surface_variants

app = typer.Typer(
    help="Build and look at a background population.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def build(
    source: Annotated[
        Path, typer.Argument(help="JSON, JSONL, or a folder of .txt files, one an individual.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    variants: Annotated[
        bool, typer.Option(help="Other ways to write what profiles say (dates, names ...).")
    ] = True,
    quiet: Quiet = False,
) -> None:
    """Index what is publicly known of a population, its texts included."""
    check_free(out)
    people = (
        read_people(source, surface_variants(KnowledgeBase.open()))
        if variants
        else read_people(source)
    )
    population = Population.of(people)
    population.save(out)
    result_printer(quiet=quiet)(
        f"{population.size:,} individuals, {population.words:,} words: {out}"
    )


@app.command()
def info(
    population: Annotated[Path, typer.Argument(metavar="POP", help="What build has written.")],
) -> None:
    """Say what a population holds."""
    found = Population.load(population)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("individuals", f"{found.size:,}")
    table.add_row("words", f"{found.words:,}")
    for space, counts in found.spaces.items():
        table.add_row(f"{space} features", f"{len(counts.keys):,}")
    size = sum(path.stat().st_size for path in population.iterdir())
    table.add_row("on disk", f"{size / 1e6:,.1f} MB")
    table.add_row("sha256", found.digest)
    Console(highlight=False, width=screen_width()).print(table)
