"""``intact background``: the population that documents are hidden in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Build and look at a background population.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def build(
    source: Annotated[
        Path, typer.Argument(help="JSON, JSONL, or a folder of .txt files, one an individual.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    features: Annotated[
        str, typer.Option(help="Feature spaces, comma-separated; else by the population's size.")
    ] = "",
    texts: Annotated[
        bool, typer.Option("--texts", help="Keep the texts too: encoders read them.")
    ] = False,
    variance: Annotated[
        bool, typer.Option(help="Other ways to write what profiles say (dates, names ...).")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Index what is publicly known of a population."""
    from intact.cli.console import Told, speaker
    from intact.errors import ConfigError
    from intact.knowledge.base import KnowledgeBase
    from intact.reidentification.building import build as write
    from intact.reidentification.features import SPACES
    from intact.reidentification.sources import read_people
    from intact.reidentification.variance import Variance

    spaces = tuple(name.strip() for name in features.split(",") if name.strip())
    unknown = next((name for name in spaces if name not in SPACES), None)
    if unknown is not None:
        raise ConfigError(
            f"there are no {unknown} features",
            where="--features",
            remedy=f"Known: {', '.join(SPACES)}.",
        )
    variants = Variance(KnowledgeBase.open()) if variance else None
    people = read_people(source, variants) if variants else read_people(source)
    with Told(quiet=quiet) as told:
        population = write(
            people,
            out,
            spaces=spaces,
            keep_texts=texts,
            progress=told.progress,
        )
    speaker(quiet=quiet)(
        f"{population.size} individuals, {population.about['words']:,} words: {out}"
    )


@app.command()
def info(
    population: Annotated[Path, typer.Argument(metavar="POP", help="What build has written.")],
) -> None:
    """Say what a population holds."""
    from rich.console import Console
    from rich.table import Table

    from intact.cli.console import screen_width
    from intact.reidentification.index import Population

    found = Population(population)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("individuals", f"{found.size:,}")
    table.add_row("words", f"{found.about['words']:,}")
    for space in found.spaces:
        table.add_row(f"{space} features", f"{len(found.space(space).keys):,}")
    size = sum(path.stat().st_size for path in population.iterdir())
    table.add_row("on disk", f"{size / 1e6:,.1f} MB")
    table.add_row("texts kept", "yes" if (population / "texts.jsonl").is_file() else "no")
    table.add_row("sha256", found.digest)
    Console(highlight=False, width=screen_width()).print(table)
