"""``intact preview``: the first documents side by side; and what a run would ask of a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact.api import Sanitizer, load
from intact.cli.console import (
    AllowRemote,
    Config,
    InputFormat,
    NoStore,
    Overrides,
    ProgressReporter,
    counted,
    plain,
    printable,
    with_store,
)
from intact.config import ModelSettings, Settings, load_settings
from intact.domain import SanitizedDocument
from intact.errors import ConfigError
from intact.models.counted import AnswerStore, work_of
from intact.models.load import model_signature
from intact.run.files import find
from intact.run.job import Job, run
from intact.run.work import Factory

_MORE = 1.3  # right guesses ask again, up to a third more in what was measured


def preview(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="A file or a folder.")],
    number: Annotated[int, typer.Option("-n", min=1, help="How many documents.")] = 3,
    kind: InputFormat = None,
    config: Config = None,
    overrides: Overrides = None,
    allow_remote: AllowRemote = False,
    no_store: NoStore = False,
) -> None:
    """Sanitise the first documents and show them side by side with the originals.

    Nothing is written. A language model's answers are kept, so the run that follows has them.
    """
    settings = load_settings(config, overrides or (), allow_remote=allow_remote)
    settings = with_store(settings, no_store)
    console = Console(highlight=False)
    files = (Path(str(one.place())) for one in find(source, kind, None, Path("-.out")))
    documents = chain.from_iterable(
        load(file, kind or "", settings.run.annotator) for file in files
    )
    with closing(Sanitizer(settings)) as sanitizer, ProgressReporter(quiet=False) as reporter:
        for document in islice(documents, number):
            done = sanitizer.sanitize(document)
            reporter.clear()
            console.rule(plain(document.id))
            console.print(_side_by_side(done))
            for note in done.notes:
                console.print(f"[dim]{plain(note)}[/]")


def _side_by_side(done: SanitizedDocument) -> Table:
    table = Table("Before", "After", box=None, expand=True, padding=(0, 2, 0, 0))
    before, after, at = Text(), Text(), 0
    text = done.document.text
    for edit in done.edits:
        same = _shown(text[at : edit.span.start])
        before.append(same).append(_shown(edit.span.of(text)), "red")
        after.append(same).append(_shown(edit.text), "green")
        at = edit.span.end
    table.add_row(before.append(_shown(text[at:])), after.append(_shown(text[at:])))
    return table


def _shown(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def planned(
    job: Job, settings: Settings, factory: Factory, reporter: ProgressReporter
) -> Iterator[str]:
    """What a run would ask of the language models: the run itself, with a model that only counts.

    Args:
        job: the run.
        settings: of the run.
        factory: of ``rehearsed(settings)``.
        reporter: hears how it goes.
    """
    with TemporaryDirectory() as folder:
        away = Path(folder) / job.out.name
        trial = replace(
            job,
            out=away,
            store=None,
            edits=None,
            resume=False,
            settings=rehearsed(settings).decisive,
            parts={},
        )
        if job.folder:
            away.mkdir()
        figures = run(trial, factory, reporter).figures
    usage = figures.get("model", {})
    read, written = usage.get("read", 0), usage.get("written", 0)
    requests = int(usage.get("requests", 0))
    yield f"{counted(figures['documents'], 'document')}, {counted(figures['spans'], 'span')}."
    yield (
        f"At least {counted(requests, 'request')} with {read:,} tokens read and {written:,} "
        f"written; up to {_MORE * requests:,.0f} where many guesses are right."
    )
    seconds = [_speed(settings.model_named(name)) for name in settings.model_names]
    if None in seconds or not requests:
        yield "How long that takes is known after: intact models check"
    else:
        longest = max(one for one in seconds if one is not None) * work_of(read, written)
        yield f"About {longest / 60:,.1f} to {_MORE * longest / 60:,.1f} minutes."
    own = settings.model
    price = (read * own.price_read + written * own.price_written) / 1e6
    yield (
        f"About {price:,.2f} to {_MORE * price:,.2f} at model.price_read and model.price_written."
        if price
        else "What it costs is told where model.price_read and model.price_written are set."
    )


def rehearsed(settings: Settings) -> Settings:
    """The settings with models that answer anything and only count what they are asked.

    Args:
        settings: of the run that is planned.
    """
    own = {"backend": "rehearsal", "store": None}
    model = settings.model.model_copy(update=own | {"together": settings.model.questions})
    more = {
        name: {**one, **own, "together": settings.model_named(name).questions}
        for name, one in settings.models.items()
    }
    return settings.model_copy(update={"model": model, "models": more})


def _speed(model: ModelSettings) -> float | None:
    if model.store is None or not model.configured:
        return None
    with suppress(ConfigError), closing(AnswerStore(model.store)) as store:
        return store.speed(model_signature(model))
    return None  # it is not on this machine yet
