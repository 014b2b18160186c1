"""``intact cache``: what is kept of originals, and how to be rid of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

KEPT = ("vectors-*.sqlite*", "answers.sqlite*")
"""Embeddings, and answers of language models."""

app = typer.Typer(
    help="What is kept of originals: embeddings where --cache said so, answers of models.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _root() -> None:
    """A group of commands, though there is one."""


@app.command()
def purge(
    folder: Annotated[
        Path | None,
        typer.Argument(envvar="INTACT_CACHE", help="Else the folder of the user's cache."),
    ] = None,
) -> None:
    """Remove all that is kept of originals in a cache folder."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "intact"
    found = [path for kind in KEPT for path in sorted((folder or home).glob(kind))]
    for path in found:
        path.unlink()
    typer.echo(f"{len(found)} removed from {folder or home}.")
