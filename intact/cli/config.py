"""``intact config``: what can be set, and to what."""

from __future__ import annotations

from typing import Annotated

import tomli_w
import typer
from rich.console import Console
from rich.table import Table

from intact.cli.console import Overrides
from intact.config import load_settings, presets
from intact.resources import resource_dir

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
