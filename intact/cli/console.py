"""Print results to standard output and everything else to standard error."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from intact.config import Settings, load_settings
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError, IntactError, require
from intact.formats.base import UNREAD_REMEDY, listed
from intact.protocols import part_names
from intact.run.files import SKIPPED, Found, find, passed_over
from intact.run.job import Observer

MOST_WARNINGS = 20
_QUESTIONS = logging.getLogger("intact.questions")
_WIDE = 300
HINT: str = vocabulary("texts")["hint"]["model"]
"""What to tell a user who has set no model."""
OUTCOME_STYLES: dict[str, str] = vocabulary("texts")["colours"]
"""What the colours mean: green holds, cyan is told by the context whatever stands there,
yellow is a bare label, red was guessed or not readable, magenta was not attacked, dim had
nothing to guess."""


def command_group(told: str, **options: Any) -> typer.Typer:
    """Make a group of commands with its help, a group also where there is but one."""
    app = typer.Typer(help=told, no_args_is_help=True, rich_markup_mode=None, **options)
    app.callback()(lambda: None)
    return app


def with_store(settings: Settings, no_store: bool) -> Settings:
    """Let a language model's answers be kept, in the user's cache folder unless the settings name
    another place.

    Args:
        settings: of the command.
        no_store: whether none shall be kept.
    """
    store = settings.model.store or own_folder() / "answers.sqlite"
    model = settings.model.model_copy(update={"store": None if no_store else store})
    return settings.model_copy(update={"model": model})


def settings_of(
    config: str | None,
    overrides: Sequence[str] | None,
    own: Mapping[str, Any],
    *,
    allow_remote: bool = False,
) -> Settings:
    """Load the settings of a command, some of which have options of their own.

    Args:
        config: a preset's name or a TOML file; None is the defaults.
        overrides: "section.name=value" of --set; None for none.
        own: what the command's own options say, by setting; None leaves a setting as it is.
        allow_remote: whether ``model.url`` may be of another machine.

    Raises:
        ConfigError: for a wrong setting.
    """
    said = {name: one for name, one in own.items() if one is not None}
    more = (f"{name}={json.dumps(one, default=str)}" for name, one in said.items())
    settings = load_settings(config, [*(overrides or ()), *more], allow_remote=allow_remote)
    if settings.model.backend not in (known := part_names("model")):
        remedy = f"Known: {', '.join(known)}."
        raise ConfigError("there is no such backend", where="setting model.backend", remedy=remedy)
    idle = [one for one in overrides or () if one.startswith("model.")]
    if idle and not settings.has_model:
        raise ConfigError("no model is named", where=f"--set {idle[0]}")
    return settings


def own_folder() -> Path:
    """Locate the folder where INTACT keeps things of this user that it can do without."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "intact"


def say_once(message: str, name: str) -> None:
    """Say something on the first run of a user only, as far as that can be remembered.

    Args:
        message: what is said, on the standard error.
        name: of the file that remembers, in the user's cache folder.
    """
    said = own_folder() / name
    if not said.exists():
        typer.echo(message, err=True)
        with suppress(OSError):
            said.parent.mkdir(0o700, parents=True, exist_ok=True)
            said.touch(0o600)


@contextmanager
def written_to(out: str) -> Iterator[Path]:
    """Give the path ``out``; for "-" a place for one file, which goes to the standard output if all
    went well."""
    if out != "-":
        yield Path(out)
        return
    with TemporaryDirectory(prefix="intact-") as folder:
        yield Path(folder, "out")
        made = [path.read_bytes() for path in Path(folder).iterdir() if path.is_file()]
    for data in made:  # nothing is on the disk while a reader takes its time
        if sys.stdout.buffer.isatty() and b"\0" in data:
            raise ConfigError("a terminal cannot show this format", where="-o -")
        sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def printable(message: str) -> str:
    """Put a message on one line, with whatever could move or colour it written out.

    Twice: a file that has its document's id to itself is called "in/././a.pdf" (``files.find``).
    """
    shown = message.replace("/./", "/").replace("/./", "/")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def escaped(message: str) -> str:
    """Make a message safe for a console: names of files and documents can neither break nor
    colour it."""
    return escape(printable(message))


def print_error(message: str, kind: str = "[bold red]error:[/]") -> None:
    """Print an error on the standard error.

    Args:
        message: one line.
        kind: what stands before it, in the console's markup.
    """
    Console(stderr=True, soft_wrap=True, highlight=False).print(f"{kind} {escaped(message)}")


def print_warning(message: str) -> None:
    """Print a warning: something to know of, though the command did what it was asked to do."""
    print_error(message, "[yellow]warning:[/]")


class ProgressReporter(Observer):
    """Shows how far a command is, on a terminal unless quiet, and its warnings, each once."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.warnings: list[str] = []
        self._skipped: dict[str, int] = {}
        self.documents = 0
        self._spans = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[shown]}"),
            TimeRemainingColumn(),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> ProgressReporter:
        self._progress.start()
        _QUESTIONS.setLevel(logging.INFO)
        _QUESTIONS.addFilter(self._asked)
        return self

    def __exit__(self, *exc: object) -> None:
        _QUESTIONS.removeFilter(self._asked)
        self._progress.stop()
        more = len(self.warnings) - MOST_WARNINGS
        if more > 0:
            self._console.print(f"[yellow]and {more} more warnings[/]")
        if (again := sum(self._skipped.values()) - len(self._skipped)) > 0:
            self._console.print(f"[red]and {again:,} more skipped for the same reason[/]")

    def progress(self, what: str, done: int, total: int, shown: str | None = None) -> None:
        """Show how many steps of something are made.

        Args:
            what: names the bar.
            done: steps made.
            total: all steps; 0 where nobody knows.
            shown: the words beside the bar; None counts the steps.
        """
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total or None, shown="")
        shown = f"{done}/{total or '?'}" if shown is None else shown
        under_way = not total or done < total
        self._progress.update(
            self._tasks[what], completed=done, total=total or None, shown=shown, visible=under_way
        )

    def advanced(self, read: int, size: int, spans: int) -> None:
        """Show how far the run is.

        Args:
            read: bytes of the input read so far.
            size: bytes of the whole input.
            spans: masked mentions of the document that is done.
        """
        self.documents += 1
        self._spans += spans
        shown = f"{counted(self.documents, 'document')}, {counted(self._spans, 'span')}"
        self.progress("Sanitising", read, max(size, read + 1), shown)

    def warned(self, message: str) -> None:
        """Say a warning, once; the first ones only."""
        if message not in self.warnings:
            self.warnings.append(message)
            if len(self.warnings) <= MOST_WARNINGS:
                self._console.print(f"[yellow]warning:[/] {escaped(message)}")

    def skipped(self, error: IntactError) -> None:
        """Say what is left out; the same of several documents once."""
        if (said := escaped(str(error))) not in self._skipped:
            self._console.print(f"[red]skipped:[/] {said}")
        self._skipped[said] = self._skipped.get(said, 0) + 1

    def _asked(self, record: logging.LogRecord) -> bool:
        """Show "%d of %d" answers of a language model in a step, and ``asked`` in all."""
        done, total = (int(str(one)) for one in record.args or (0, 0))
        asked = getattr(record, "asked", 0)
        self.progress("Asking", done, total, f"{done}/{total}, {asked} requests in all")
        return True


def screen_width() -> int:
    """Measure the terminal in columns; plenty where the output goes elsewhere."""
    console = Console()
    return console.width if console.is_terminal else _WIDE


def quiet_libraries(needed: str = "json") -> None:
    """Keep model libraries from printing bars and remarks of their own. Call before they load.

    Args:
        needed: a module of a package that the command needs; if it is missing, that is told first.
    """
    require(needed)
    for own in ("TRANSFORMERS_VERBOSITY=error", "TQDM_DISABLE=1", "TOKENIZERS_PARALLELISM=false"):
        os.environ.setdefault(*own.split("="))
    for name in ("bitsandbytes", "transformers", "sentence_transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)


def print_list(
    problem: str,
    names: Collection[str],
    thing: str = "document",
    say: Callable[[str], None] = print_error,
) -> None:
    """Print a problem with the names of what has it, the first of many; nothing without names.

    Args:
        problem: what they have in common.
        names: of documents or files.
        thing: what they are names of, in the singular.
        say: prints the line.
    """
    if names:
        say(f"{problem}: {counted(len(names), thing)}: {listed([*names], MOST_WARNINGS, None)}")


def find_sources(source: str, kind: str | None, out: Path, **how: Any) -> Found:
    """Find the files that a command reads, and the places in a folder that it leaves out.

    Args:
        source: a file, a folder, or "-" for the standard input.
        kind: the format's name, or None to go by suffix, then by content.
        out: where the output goes.
        how: the rest of ``files.find``.
    """
    found = find(source, kind, sys.stdin.buffer if source == "-" else None, out, **how)
    print_passed_over(Path(source), out)
    return found


def print_passed_over(folder: Path, out: Path) -> None:
    """Warn of what lies in a folder and is no document of it.

    Args:
        folder: the input.
        out: the output.
    """
    names = [f"{one.relative_to(folder)} ({why})" for one, why in passed_over(folder, out).items()]
    print_list("passed over", names, "thing", print_warning)


def print_unread(names: Collection[str]) -> None:
    """Warn of the files of a folder that are not read."""
    print_list(SKIPPED, names, "file", lambda line: print_warning(f"{line}. {UNREAD_REMEDY}"))


def print_doubts(
    doubts: Mapping[str, tuple[float, Sequence[str]]], say: Callable[[str], None], most: int = 0
) -> None:
    """Print what was probably missed in each document, the most doubtful first.

    Args:
        doubts: a rate (mentions in a hundred content words) and remarks, by document id.
        say: prints a line.
        most: documents to name; 0 for all.
    """
    worst = sorted(doubts.items(), key=lambda one: (-one[1][0], one[0]))
    for name, (rate, remarks) in worst[: most or None]:
        say(f"{name}: estimate: {rate:.1f} details missed per 100 words")
        for remark in remarks:
            say(f"  {remark}")
    if most and len(worst) > most:
        say(f"and {counted(len(worst) - most, 'document')} with fewer; the manifest has them all.")


def result_printer(*, quiet: bool, stderr: bool = False) -> Callable[[object], None]:
    """Make the function that prints a line or table of results.

    Args:
        quiet: whether it prints nothing.
        stderr: whether it prints to the standard error, because the standard output is the result.
    """
    console = Console(highlight=False, width=screen_width(), stderr=stderr)

    def say(message: object) -> None:
        line = isinstance(message, str)
        console.print(escaped(message) if isinstance(message, str) else message, soft_wrap=line)

    return (lambda message: None) if quiet else say
