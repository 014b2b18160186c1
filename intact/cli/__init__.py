"""The command line. The only part of INTACT that prints."""

import os
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from signal import SIG_IGN, SIGHUP, SIGTERM, getsignal, signal

from intact import __version__

# A line about each command for the list of commands; commands of other packages have the beginning
# of their help instead. The commands are in the registry; only the one asked for is imported.
_SUMMARIES = tomllib.loads(Path(__file__).with_name("summaries.toml").read_text("utf-8"))

DONE, LEFT_OUT, FAILED, LOOK = 0, 1, 2, 3
INTERRUPTED = 130
UNFORESEEN = 70


def main() -> None:
    """Run the command line and exit with a code: 0 done, 1 something was left out, 2 error, 3 a
    person should look at it, 70 a fault of INTACT, 130 interrupted.

    NumPy computes on one thread unless the environment sets more, because threads of several
    processes slow each other down.
    """
    for library in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(library, "1")
    arguments = sys.argv[1:]
    if arguments[:1] in (["--version"], ["-V"]):
        sys.stdout.write(f"intact {__version__}\n")
        return
    end_by_signals()
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run ``intact ARGUMENTS`` and return its exit code: 0 done, 1 something was left out, 2 error,
    3 a person should look at it (or a document is not in English), 70 a fault of INTACT, 130
    interrupted. Errors are printed in a line on the standard error; connections are only allowed
    where the arguments ask for them."""
    from intact import errors, offline

    online = arguments[:1] == ["models"] or {"--allow-remote", "--on", "--on=ray"} & set(arguments)
    try:
        with nullcontext() if online else offline.offline():
            _app(arguments)(args=arguments, prog_name="intact")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  (users get a line, not a traceback)
        from intact.cli.console import print_error

        if isinstance(error, OSError) and isinstance(error.filename, str):
            error = errors.RunError(f"{error.strerror}", where=error.filename)
        failure = errors.from_exception(error, "the output" * isinstance(error, OSError))
        print_error(str(failure))
        if isinstance(failure, errors.InternalError):
            sys.stderr.write(failure.details if os.environ.get("INTACT_DEBUG") else "")
            return UNFORESEEN
        return LOOK if isinstance(failure, errors.LanguageError) else FAILED
    return 0


def end_by_signals() -> None:
    """Have SIGTERM and SIGHUP end any command by ``SystemExit`` with 128 + the signal's number, so
    that it removes its drafts; a second such signal does not interrupt that. A SIGHUP that is
    ignored (under nohup) stays so."""

    def end(number: int, _frame: object) -> None:
        """End the command with exit code 128 + ``number``, and ignore further signals of that
        number.

        Args:
            number: of the signal.
            _frame: where the command was; not used.
        """
        signal(number, SIG_IGN)
        raise SystemExit(128 + number)

    for one in (SIGTERM, SIGHUP):
        if getsignal(one) != SIG_IGN:  # under nohup SIGHUP is ignored, and stays so
            signal(one, end)


def _app(arguments: list[str]):  # type: ignore[no-untyped-def]
    """Return the Typer application. If one of INTACT's commands is asked for (the first argument
    that is no option), it has only that one. Otherwise it has all commands, to list them: other
    packages' are loaded for that, INTACT's are functions that do nothing."""
    import typer

    from intact.protocols import BUILT_IN, load_part, part_names

    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def _root(
        version: bool = typer.Option(False, "--version", "-V", help="Show the version."),
    ) -> None:
        """Truthful text sanitisation: personal information becomes what is still true and safe."""

    own = BUILT_IN["command"]
    asked = next((one for one in arguments if not one.startswith("-")), "")
    for name in [asked] if asked in own else part_names("command"):
        only_listed = name in own and name != asked
        command = (lambda: None) if only_listed else load_part("command", name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, short_help=_SUMMARIES.get(name))
        else:
            app.command(name, short_help=_SUMMARIES.get(name))(command)
    return app
