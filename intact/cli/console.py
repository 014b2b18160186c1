"""How the commands speak: results to standard output, everything else to standard error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from intact.errors import InputError

MOST_WARNINGS = 20
_WIDE = 300
OUTCOME_STYLES = {
    "SAFE": "green",
    "LABEL": "yellow",
    "GUESSED": "red",
    "UNPARSED": "red",
    "UNTESTED": "magenta",
    "COVERED": "dim",
    "NO_MASK": "dim",
}
"""What the colours mean: green holds, yellow is a bare label, red was guessed or not
readable, magenta was not attacked, dim had nothing to guess."""

AllowRemote = Annotated[
    bool,
    typer.Option(
        "--allow-remote",
        help="model.url may be of another machine, which is then sent the originals.",
    ),
]


def printable(message: str) -> str:
    """``message`` on one line, with whatever could move or colour it written out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)


def plain(message: str) -> str:
    """``message`` for a console: names of files and documents can neither break nor colour it."""
    return escape(printable(message))


def counted(number: int, thing: str) -> str:
    """``number`` and ``thing`` in words: "1 document", "2 documents"."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def complain(message: str) -> None:
    """Tells an error."""
    stderr = Console(stderr=True, soft_wrap=True, highlight=False)
    stderr.print(f"[bold red]error:[/] {plain(message)}")


class Monitor:
    """Shows a run: progress on a terminal, warnings, what was left out. An ``Observer``."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, soft_wrap=True, highlight=False)
        self._quiet = quiet
        self._warnings = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[documents]} documents"),
            _Speed(),
            TimeRemainingColumn(),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
            transient=True,
        )
        self._total = self._done = 0
        self._task = self._progress.add_task("Reading", total=None, documents="")

    def __enter__(self) -> Monitor:
        self._progress.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()
        if self._warnings > MOST_WARNINGS and not self._quiet:
            self._console.print(f"[yellow]and {self._warnings - MOST_WARNINGS} more warnings[/]")

    @property
    def done(self) -> str:
        """How far the run is, in words."""
        return f"{self._done} of {self._total} documents"

    def planned(self, documents: int, spans: int, done: int) -> None:
        """See ``Observer``."""
        self._total, self._done = documents, done
        self._progress.update(
            self._task,
            description="Sanitising",
            total=max(spans, 1),
            documents=f"{done}/{documents}",
        )

    def advanced(self, spans: int) -> None:
        """See ``Observer``."""
        self._done += 1
        self._progress.update(self._task, advance=spans, documents=f"{self._done}/{self._total}")

    def warned(self, message: str) -> None:
        """See ``Observer``."""
        self._warnings += 1
        if self._warnings <= MOST_WARNINGS and not self._quiet:
            self._console.print(f"[yellow]warning:[/] {plain(message)}")

    def skipped(self, error: InputError) -> None:
        """See ``Observer``; said even where all else is quiet."""
        self._console.print(f"[red]skipped:[/] {plain(str(error))}")


class Told:
    """Shows an evaluation: what is done and how far, on a terminal; warnings, each once."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, soft_wrap=True, highlight=False)
        self._quiet = quiet
        self.warnings: list[str] = []
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Told:
        self._progress.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()

    def progress(self, what: str, done: int, total: int) -> None:
        """``done`` of ``total`` steps of ``what`` are made; 0 in all: nobody knows how many."""
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total or None)
        ahead = not total or done < total
        self._progress.update(self._tasks[what], completed=done, total=total or None, visible=ahead)

    def warn(self, message: str) -> None:
        """Says a warning, once."""
        if message not in self.warnings:
            self.warnings.append(message)
            if not self._quiet:
                self._console.print(f"[yellow]warning:[/] {plain(message)}")


class _Speed(ProgressColumn):
    """Spans per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} spans/s" if task.speed else "")


def screen_width() -> int:
    """Columns of the terminal; plenty where the output goes elsewhere."""
    console = Console()
    return console.width if console.is_terminal else _WIDE


def quiet_libraries() -> None:
    """Keeps model libraries from printing bars and remarks of their own. Call before they load."""
    import logging
    import os

    for name, value in (("TRANSFORMERS_VERBOSITY", "error"), ("TQDM_DISABLE", "1")):
        os.environ.setdefault(name, value)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for name in ("bitsandbytes", "transformers", "sentence_transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)


Say = Callable[[object], None]


def speaker(*, quiet: bool) -> Say:
    """Prints a line or table of results, or nothing."""
    console = Console(highlight=False, width=screen_width())

    def say(message: object) -> None:
        console.print(plain(message) if isinstance(message, str) else message)

    return (lambda message: None) if quiet else say
