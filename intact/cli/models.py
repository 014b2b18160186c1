"""``intact models``: which language models there are, how to get one, whether it works."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from intact.cli.console import AllowRemote, Config, Overrides, print_error, with_store
from intact.cli.model_check import checks
from intact.config import ModelSettings, Settings, load_settings
from intact.errors import ConfigError
from intact.models import hub
from intact.models.counted import AnswerStore, CountedModel, work_of
from intact.models.hub import CATALOGUE, entry
from intact.models.load import HINT, load_model, locate
from intact.prompts import Prompts, load_prompts

app = typer.Typer(
    help="Language models: list, fetch, find and check them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_Name = Annotated[str, typer.Argument(help="A name of the list, or a repository on the hub.")]
_File = Annotated[str, typer.Argument(help="The file, where a repository was given.")]


@app.command("list")
def list_models() -> None:
    """List open instruct models that are worth a try."""
    table = Table("Name", "Size", "Memory", "Licence", "Thinks", "For", box=None, pad_edge=False)
    for model in CATALOGUE:
        table.add_row(
            model.name,
            f"{model.size:.1f} GB",
            f"{model.memory:.1f} GB",
            model.licence,
            model.thinking,
            model.use,
        )
    console = Console(highlight=False)
    console.print(table)
    console.print("\nFetch one with: intact models pull NAME")
    console.print("Use it with:    --set model.name=NAME, or --set model.path=FILE.gguf")


@app.command()
def pull(
    name: _Name,
    file: _File = "",
    revision: Annotated[str, typer.Option(help="Branch, tag or commit.")] = "",
) -> None:
    """Fetch a model into the cache, and verify it. This opens a connection to the hub."""
    repo, file, sha256 = _wanted(name, file)
    path = hub.pull(repo, file, revision, sha256)
    typer.echo(path)


@app.command()
def path(name: _Name, file: _File = "", revision: Annotated[str, typer.Option()] = "") -> None:
    """Print where a fetched model is. Opens no connection."""
    repo, file, _ = _wanted(name, file)
    typer.echo(locate(ModelSettings(repo=repo, file=file, revision=revision)))


@app.command()
def check(
    config: Config = None,
    overrides: Overrides = None,
    allow_remote: AllowRemote = False,
) -> None:
    """Load the language models, put a question of each prompt to them, show speed and sense.

    Exit code: 0 they answer, 1 a prompt had no answer that could be read, 2 error.
    """
    settings = with_store(load_settings(config, overrides or (), allow_remote=allow_remote), False)
    prompts = load_prompts(settings.prompts.dir)
    if not settings.has_model:
        raise ConfigError("no model is set", where="setting model.path", remedy=HINT)
    answered = [
        _checked(settings.model_named(name), prompts, settings) for name in settings.model_names
    ]
    raise typer.Exit(0 if all(answered) else 1)


def _checked(own: ModelSettings, prompts: Prompts, settings: Settings) -> bool:
    """Prints what came of each prompt; whether some of each could be read."""
    console = Console(highlight=False)
    began = time.perf_counter()
    model = CountedModel(load_model(own), at_once=own.parallel, most_unreadable=1.0)
    try:
        console.print(f"{model.name}: loaded in {time.perf_counter() - began:.1f} s")
        console.print(f"[dim]{model.signature}[/]", soft_wrap=True)
        table = Table(
            "Prompt", "Asked", "Parsed", "Right", "Seconds", "Read/s", "Written/s", box=None
        )
        silent = []
        for done in checks(model, prompts, settings):
            table.add_row(
                done.prompt,
                str(done.asked),
                str(done.parsed),
                "" if done.right is None else str(done.right),
                f"{done.seconds:.1f}",
                f"{done.read:.0f}",
                f"{done.written:.0f}",
            )
            silent += [done.prompt] if done.asked and not done.parsed else []
        console.print(table)
    finally:
        model.close()
    work = work_of(model.read, model.written)
    if work and own.store is not None:
        with closing(AnswerStore(own.store)) as store:
            store.keep_speed(model.signature, model.usage["seconds"] / work)
    if silent:
        print_error(
            f"no answer could be read: {', '.join(silent)}"
            + (f" (the last one: {model.unread})" if model.unread else "")
            + "; see docs/models.md, When something is wrong"
        )
    return not silent


def _wanted(name: str, file: str) -> tuple[str, str, str]:
    """Repository, file and hash of what was asked for."""
    if "/" not in name:
        known = entry(name)
        return known.repo, known.file, known.sha256
    if not file:
        raise ConfigError(
            "which file of the repository?", where=name, remedy="Give its name after it."
        )
    return name, file, ""
