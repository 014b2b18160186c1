"""``intact config``: what can be set, and to what; ``intact cache``: what is kept of originals."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import tomli_w
import typer
from rich.console import Console
from rich.table import Table

from intact.cli.console import Overrides, own_folder
from intact.config import load_settings, presets, resource_dir

app = typer.Typer(
    help="Show the configuration and its presets.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def show(
    config: Annotated[str | None, typer.Argument(help="A preset or a TOML file.")] = None,
    overrides: Overrides = None,
) -> None:
    """Print the whole configuration as TOML: save it, change it, use it with --config."""
    tree = load_settings(config, overrides or ()).model_dump(mode="json", exclude_none=True)
    typer.echo(tomli_w.dumps(tree), nl=False)


@app.command("list")
def list_presets() -> None:
    """List the presets that come with INTACT, and what they are for."""
    table = Table("Preset", "What it is for", box=None, pad_edge=False)
    for name in presets():
        first = (resource_dir("configs") / f"{name}.toml").read_text("utf-8").partition("\n")[0]
        table.add_row(name, first.lstrip("# "))
    Console().print(table)


_KEPT = ("vectors-*.sqlite*", "answers.sqlite*")
"""Embeddings, and answers of language models."""

cache = typer.Typer(
    help="What is kept of originals: embeddings where --cache said so, answers of models.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@cache.callback()
def _root() -> None:
    """A group of commands, though there is one."""


@cache.command()
def purge(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Else INTACT_CACHE and the folder of the user's cache, both."),
    ] = None,
) -> None:
    """Remove all that is kept of originals in a cache folder."""
    named = os.environ.get("INTACT_CACHE")
    folders = [folder] if folder else [*([Path(named)] if named else []), own_folder()]
    found = [path for each in folders for kind in _KEPT for path in sorted(each.glob(kind))]
    for path in found:
        path.unlink()
    typer.echo(f"{len(found)} removed from {', '.join(map(str, folders))}.")
