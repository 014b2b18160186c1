"""Printing: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections import Counter
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
from intact.formats.mentions import Warn
from intact.protocols import part_names
from intact.run.files import SKIPPED, Found, find, passed_over
from intact.run.job import Observer

MOST_WARNINGS = 20
_QUESTIONS = logging.getLogger("intact.questions")
_WIDE = 300
HINT: str = vocabulary("texts")["hint"]["model"]  # the hint for a user who has set no model
# The colour of each outcome: green holds, cyan is revealed by the context whatever is put there,
# yellow is a bare label, red was guessed or could not be read, magenta was not attacked, dim had
# nothing to guess.
OUTCOME_STYLES: dict[str, str] = vocabulary("texts")["colours"]


def command_group(told: str, **options: Any) -> typer.Typer:
    """Return a group of commands with a help text. It stays a group even if it has only one
    command.

    Args:
        told: the help.
        options: further arguments of ``typer.Typer``.
    """
    app = typer.Typer(help=told, no_args_is_help=True, rich_markup_mode=None, **options)
    app.callback()(lambda: None)
    return app


def with_store(settings: Settings, no_store: bool) -> Settings:
    """Return a copy of the settings that names a file where a language model's answers are kept:
    the one they name already, else one in the user's cache folder.

    Args:
        settings: of the command.
        no_store: whether none shall be kept; then they name no file.
    """
    store = settings.model.store or own_folder() / "answers.sqlite"
    model = settings.model.model_copy(update={"store": None if no_store else store})
    return settings.model_copy(update={"model": model})


def settings_of(
    config: str | None,
    overrides: list[str] | None,
    own: dict[str, Any],
    *,
    allow_remote: bool = False,
) -> Settings:
    """Return the settings of a command, loaded from a preset or file and changed by its options.

    Args:
        config: a preset's name or a TOML file; None is the defaults.
        overrides: "section.name=value" of --set; None for none.
        own: values of the command's own options, by setting; None leaves a setting as it is.
        allow_remote: whether ``model.url`` may be that of another machine.

    Raises:
        ConfigError: for a wrong setting, a backend that is unknown, or settings of a model where
            none is named.
    """
    more = (f"{key}={json.dumps(one, default=str)}" for key, one in own.items() if one is not None)
    settings = load_settings(config, [*(overrides or ()), *more], allow_remote=allow_remote)
    if settings.model.backend not in (known := part_names("model")):
        remedy = f"Known: {', '.join(known)}."
        raise ConfigError("there is no such backend", where="setting model.backend", remedy=remedy)
    idle = [one for one in overrides or () if one.startswith("model.")]
    if idle and not settings.has_model:
        raise ConfigError("no model is named", where=f"--set {idle[0]}")
    return settings


def own_folder() -> Path:
    """Return the path of the folder for files of this user that INTACT can do without, in the
    user's cache folder; it need not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "intact"


def say_once(message: str, name: str) -> None:
    """Print a message on the standard error, on a user's first run only, if a file to remember that
    can be written.

    Args:
        message: a line.
        name: of the file in the user's cache folder.
    """
    said = own_folder() / name
    if not said.exists():
        typer.echo(message, err=True)
        with suppress(OSError):
            said.parent.mkdir(0o700, parents=True, exist_ok=True)
            said.touch(0o600)


@contextmanager
def written_to(out: str) -> Iterator[Path]:
    """Yield the path ``out``. For "-", yield a path in a temporary folder; if the block ends
    without an error, its file is copied to the standard output. Raise a ``ConfigError`` if that is
    a terminal and the file is binary."""
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
    """Return a message on one line, with all characters escaped that could move the cursor or
    change colours ("\\x1b").

    "/./" is removed twice, because ``files.find`` may name a file "in/././a.pdf".
    """
    shown = message.replace("/./", "/").replace("/./", "/")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def escaped(message: str) -> str:
    """Return a message as it is safe for a rich console: names of files and documents can neither
    break lines nor set colours."""
    return escape(printable(message))


def print_error(message: str, kind: str = "[bold red]error:[/]") -> None:
    """Print an error on the standard error, escaped.

    Args:
        message: one line.
        kind: what is printed before it, in the console's markup.
    """
    Console(stderr=True, soft_wrap=True, highlight=False).print(f"{kind} {escaped(message)}")


def print_warning(message: str) -> None:
    """Print a warning on the standard error: something the user should know, although the command
    did as it was told."""
    print_error(message, "[yellow]warning:[/]")


class ProgressReporter(Observer):
    """Shows the progress of a command, on a terminal unless quiet, and its warnings, each once."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, soft_wrap=True, highlight=False)
        self.warnings: list[str] = []
        self.left_out = Counter[str]()  # how many documents, by the reason
        self.documents = 0
        self._spans = 0
        what, shown = TextColumn("{task.description}"), TextColumn("{task.fields[shown]}")
        columns = (what, BarColumn(bar_width=None), shown, TimeRemainingColumn())
        hidden = quiet or not self._console.is_terminal
        self._progress = Progress(*columns, console=self._console, disable=hidden, transient=True)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> ProgressReporter:
        """Begin to show progress, that of requests to language models, too; return the reporter
        itself."""
        self._progress.start()
        _QUESTIONS.setLevel(logging.INFO)
        _QUESTIONS.addFilter(self._show_requests)
        return self

    def __exit__(self, *exc: object) -> None:
        """End the showing of progress, and print how many more warnings and skipped documents there
        were than were printed."""
        _QUESTIONS.removeFilter(self._show_requests)
        self._progress.stop()
        more = len(self.warnings) - MOST_WARNINGS
        if more > 0:
            self._console.print(f"[yellow]and {more} more warnings[/]")
        if again := self.left_out.total() - len(self.left_out):
            self._console.print(f"[red]and {again:,} more skipped for the same reason[/]")

    def progress(self, what: str, done: int, total: int, shown: str | None = None) -> None:
        """Show how many steps of something are done. The bar disappears when all are.

        Args:
            what: names the bar.
            done: number of steps done.
            total: number of all steps; 0 if it is unknown.
            shown: the words beside the bar; None shows the number of steps.
        """
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total or None, shown="")
        shown = f"{done}/{total or '?'}" if shown is None else shown
        under_way = not total or done < total
        self._progress.update(
            self._tasks[what], completed=done, total=total or None, shown=shown, visible=under_way
        )

    def advanced(self, read: int, size: int, spans: int) -> None:
        """Count one more document as finished, and show the progress of the run: documents and
        spans so far beside a bar of bytes.

        Args:
            read: bytes of the input read so far.
            size: bytes of the whole input.
            spans: number of masked mentions in the document that was finished.
        """
        self.documents += 1
        self._spans += spans
        shown = f"{counted(self.documents, 'document')}, {counted(self._spans, 'span')}"
        self.progress("Sanitising", read, max(size, read + 1), shown)

    def warned(self, message: str) -> None:
        """Print a warning on the standard error, once; after 20 different ones only count them."""
        if message not in self.warnings:
            self.warnings.append(message)
            if len(self.warnings) <= MOST_WARNINGS:
                self._console.print(f"[yellow]warning:[/] {escaped(message)}")

    def skipped(self, error: IntactError) -> None:
        """Print the error because of which a document is left out; print equal messages once and
        count the others."""
        if (said := escaped(str(error))) not in self.left_out:
            self._console.print(f"[red]skipped:[/] {said}")
        self.left_out[said] += 1

    def _show_requests(self, record: logging.LogRecord) -> bool:
        """Show the progress of a language model from a line of the log: answers so far and in all,
        and ``asked``, the number of all requests. Return True, so that the line is kept."""
        done, total = (int(str(one)) for one in record.args or (0, 0))
        asked = getattr(record, "asked", 0)
        self.progress("Asking", done, total, f"{done}/{total}, {asked} requests in all")
        return True


def screen_width() -> int:
    """Return the width of the terminal in columns; 300 if the output goes elsewhere."""
    console = Console()
    return console.width if console.is_terminal else _WIDE


def quiet_libraries(needed: str = "json") -> None:
    """Keep model libraries from printing progress bars and remarks, by setting the environment and
    their loggers. Call this before they are loaded.

    Args:
        needed: a module of a package that the command needs; if it is missing, that error comes
            first.
    """
    require(needed)
    for own in ("TRANSFORMERS_VERBOSITY=error", "TQDM_DISABLE=1", "TOKENIZERS_PARALLELISM=false"):
        os.environ.setdefault(*own.split("="))
    for name in ("bitsandbytes", "transformers", "sentence_transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)


def print_list(
    problem: str, names: Collection[str], thing: str = "document", say: Warn = print_error
) -> None:
    """Print a problem with the number and names of those that have it, at most 20 names, on one
    line; nothing if there are none.

    Args:
        problem: what they have in common.
        names: of documents or files.
        thing: what they are names of, in the singular.
        say: prints the line.
    """
    if names:
        say(f"{problem}: {counted(len(names), thing)}: {listed([*names], MOST_WARNINGS, None)}")


def find_sources(source: str, kind: str | None, out: Path, **how: Any) -> Found:
    """Return the files that a command reads, and the places in a folder that it leaves out. Warn of
    files that are passed over.

    Args:
        source: a file, a folder, or "-" for the standard input.
        kind: the format's name; None chooses by suffix, then by content.
        out: where the output is written.
        how: the further arguments of ``files.find``.
    """
    found = find(source, kind, sys.stdin.buffer if source == "-" else None, out, **how)
    print_passed_over(Path(source), out)
    return found


def print_passed_over(folder: Path, out: Path) -> None:
    """Print a warning that lists the files in the input folder that are no documents, each with the
    reason; nothing if there are none. See ``files.passed_over``.

    Args:
        folder: the input.
        out: the output.
    """
    names = [f"{one.relative_to(folder)} ({why})" for one, why in passed_over(folder, out).items()]
    print_list("passed over", names, "thing", print_warning)


def print_unread(names: Collection[str]) -> None:
    """Print a warning that lists the files of a folder that are not read, by name; nothing if there
    are none."""
    print_list(SKIPPED, names, "file", lambda line: print_warning(f"{line}. {UNREAD_REMEDY}"))


def print_doubts(
    doubts: Mapping[str, tuple[float, Sequence[str]]], say: Callable[[str], None], most: int = 0
) -> None:
    """Print an estimate of how much was missed in each document, the most doubtful first, each with
    its remarks, a line each; then how many further documents were not named.

    Args:
        doubts: by document id, a rate (mentions per 100 content words) and remarks.
        say: prints a line.
        most: how many documents to name; 0 for all.
    """
    worst = sorted(doubts.items(), key=lambda one: (-one[1][0], one[0]))
    for name, (rate, remarks) in worst[: most or None]:
        say(f"{name}: estimate: {rate:.1f} details missed per 100 words")
        for remark in remarks:
            say(f"  {remark}")
    if most and len(worst) > most:
        say(f"and {counted(len(worst) - most, 'document')} with fewer; the manifest has them all.")


def result_printer(*, quiet: bool, stderr: bool = False, wide: bool = True) -> Callable[..., None]:
    """Return the function that prints the lines and tables of results given to it; a line is
    printed escaped, a table as it is.

    Args:
        quiet: whether it prints nothing.
        stderr: whether it prints to the standard error, because the result itself is written to the
            standard output.
        wide: whether lines are never broken, and tables take 300 columns where there is no
            terminal; else both take 80 columns there.
    """
    width = screen_width() if wide else None
    console = Console(highlight=False, width=width, stderr=stderr, quiet=quiet)

    def say(*messages: object) -> None:
        """Print each message on a line of its own: text escaped, a table or styled text as it
        is."""
        for each in messages:
            line = isinstance(each, str)
            console.print(escaped(each) if isinstance(each, str) else each, soft_wrap=line and wide)

    return say
