"""Everything that can go wrong, as one tree under ``IntactError``.

Every message says what is wrong, where, and what to do; none carries document text.
"""

from __future__ import annotations

import errno
import json
import re
import tomllib
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


@cache
def _remedies() -> dict[str, str]:
    """Read ``remedies.toml``: problem -> what to do about it. In the words of a problem "*" stands
    for any text."""
    return tomllib.loads(Path(__file__).with_name("remedies.toml").read_text("utf-8"))


def _remedy_for(problem: str, where: object) -> str:
    """Return what ``remedies.toml`` says to do about a problem, found by its words; "" if it has no
    entry for it.

    Args:
        problem: what is wrong, as the message says it.
        where: the place, which stands for "{where}" in the entry.
    """
    known = _remedies()
    alike = (one for one in known if "*" in one and fnmatchcase(problem, one))
    return known.get(problem, known.get(next(alike, ""), "")).replace("{where}", str(where))


class IntactError(Exception):
    """The base of all errors raised on purpose.

    Args:
        problem: what is wrong, in one clause, without document text.
        where: the file, document, mention or setting concerned ("" for none in particular).
        remedy: what the user can do about it; "" for what ``remedies.toml`` says of the problem.
    """

    def __init__(self, problem: str, *, where: object = "", remedy: str = "") -> None:
        """Keep the problem, its place and the remedy, which together are the message."""
        self.problem, self.where = problem, str(where)
        self.remedy = remedy or _remedy_for(problem, where)
        super().__init__(self.__str__())

    def __str__(self) -> str:
        """Return the message: "WHERE: PROBLEM. REMEDY", without the parts that are empty."""
        head = f"{self.where}: {self.problem}" if self.where else self.problem
        return f"{head}. {self.remedy}" if self.remedy else head

    def at(self, where: str) -> IntactError:
        """Return a new error of the same class, problem and remedy, with ``where`` put before its
        place: "FILE: document 3". Attributes of a subclass (``details``) are not copied."""
        placed = f"{where}: {self.where}" if self.where else where
        return type(self)(self.problem, where=placed, remedy=self.remedy)


class InputError(IntactError):
    """The data given is not what it must be."""


class FormatError(InputError):
    """A file cannot be read as the format it claims to be."""


class DocumentError(InputError):
    """One document in a readable file is wrong."""


class LanguageError(InputError):
    """A document is not in English."""


class EditsError(InputError):
    """Edits do not fit the documents they are for."""


class NotMeasuredError(InputError):
    """A metric lacks what it needs; others can still be measured."""


class ConfigError(IntactError):
    """A setting, a preset or a prompt file is wrong."""


class MissingExtraError(IntactError):
    """An optional package is not installed."""

    @classmethod
    def of(cls, package: str, extra: str = "", who: str = "") -> MissingExtraError:
        """Return the error for a package that is not installed; it names the command that installs
        it.

        Args:
            package: its name in registries.
            extra: the optional group of INTACT that brings it ("llm"); "" if none does.
            who: the part that needs it ("the metric 'trir'"), or "" to name none.
        """
        command = install_command(extra) if extra else f"pip install {package}"
        lacking = f"{who} needs the package {package}, which" if who else f"the package {package}"
        return cls(f"{lacking} is not installed", remedy=f"Install it with: {command}")

    @classmethod
    def of_module(cls, module: str, who: str = "") -> MissingExtraError:
        """Return the error for a module that cannot be imported, with the command that installs its
        package.

        Args:
            module: its dotted name; the package to install is found from it, and the optional group
                that brings it, if there is one.
            who: the part that needs it, or "" to name none.
        """
        top = module.partition(".")[0]
        package = _PACKAGES.get(top, top.replace("_", "-"))
        same = package.lower()
        own = [name for brought, name in extras() if brought.lower().replace("_", "-") == same]
        extra = min(own, key=lambda name: _ORDER.get(name, _ORDER[""]), default="")
        return cls.of(package, extra, who)


def require(module: str) -> Any:
    """Import a module and return it; raise a ``MissingExtraError`` if it, or a module that it
    imports, is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError.of_module(error.name or module) from None


@contextmanager
def refused(problem: str, where: object, kind: type[IntactError] = InputError) -> Iterator[None]:
    """Turn an ``OSError`` in the ``with`` block into an error of INTACT's, which says what the
    system refuses, and why.

    Args:
        problem: what is wrong; the system's reason is added to it.
        where: the file, as the message names it.
        kind: the class of the error.

    Raises:
        IntactError: of ``kind``, for any ``OSError`` inside.
    """
    try:
        yield
    except OSError as error:
        why = (error.strerror or type(error).__name__).partition(" (")[0]
        raise kind(f"{problem} ({why})", where=where, remedy=_remedy_for(problem, where)) from None


def reading(where: object, kind: type[IntactError] = InputError) -> AbstractContextManager[None]:
    """Turn an ``OSError`` in the ``with`` block into an error that names the file and says that it
    "cannot be read", and why; see ``refused``.

    Args:
        where: the file, as the message names it.
        kind: the class of the error.
    """
    return refused("cannot be read", where, kind)


class ResourceError(IntactError):
    """A shipped or configured resource cannot be opened."""


class ModelError(IntactError):
    """A language model or encoder failed."""


@contextmanager
def loading(
    problem: str, where: object, remedy: str = "", kind: type[IntactError] = ModelError
) -> Iterator[None]:
    """Turn whatever a library raises in the ``with`` block, as it reads a network or a file, into
    an error in one line for the user. INTACT's own errors pass through.

    Args:
        problem: what is wrong. The name of the exception is added to it, or that a part is missing;
            never the exception's message, which may quote the document.
        where: the file, folder or model.
        remedy: what to do; "" for what ``remedies.toml`` says of the problem.
        kind: the class of the error.

    Raises:
        IntactError: of ``kind``, for any exception that is not INTACT's own.
    """
    try:
        yield
    except IntactError:
        raise
    except Exception as error:  # noqa: BLE001  (zlib, lxml, msgpack, torch: any may balk)
        what = "a part is missing" if "no item named" in str(error) else type(error).__name__
        remedy = remedy or _remedy_for(problem, where)
        raise kind(f"{problem} ({what})", where=where, remedy=remedy) from None


class ContextError(ModelError):
    """A text does not fit the model's context."""


class RunError(IntactError):
    """A run folder or an output cannot be written or resumed."""


class InternalError(IntactError):
    """Something INTACT did not foresee.

    The message names the kind of exception and the line of code, never its text, which might
    quote the document; ``details`` holds the traceback for those who ask.
    """

    details: str = ""

    @classmethod
    def of(cls, error: BaseException, where: str) -> InternalError:
        """Return the error for an exception that nobody foresaw: its message has the exception's
        class, and the file and line where it was raised; ``details`` holds the traceback.

        Args:
            error: the exception. Its message is left out, as it might quote the document.
            where: the file, document or step concerned.
        """
        frames = traceback.extract_tb(error.__traceback__)
        line = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        made = cls(f"internal error ({type(error).__name__}{line})", where=where)
        made.details = "".join(traceback.format_exception(error))
        return made


def from_exception(error: Exception, where: str) -> IntactError:
    """Turn any exception into an error of INTACT, and return it. An ``IntactError`` is returned as
    it is, a full disk becomes a ``RunError``, a package that is not installed a
    ``MissingExtraError``, and all else an ``InternalError``.

    Args:
        error: the exception that was caught.
        where: the file, document or step concerned; not added to an ``IntactError``, nor for a
            missing package.
    """
    if isinstance(error, IntactError):
        return error
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return RunError(f"cannot be written ({error.strerror})", where=where, remedy=ROOM)
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("intact"):
        return MissingExtraError.of_module(error.name or "")
    return InternalError.of(error, where)


ROOM = "See that the disk has room; then run again."
_CALLED = "bs4=beautifulsoup4 docx=python-docx llama_cpp=llama-cpp-python sklearn=scikit-learn"
# Module -> package, where their names differ.
_PACKAGES = dict(name.split("=") for name in f"{_CALLED} stdnum=python-stdnum".split())
_REQUIREMENT = re.compile(r"([\w.-]+).*extra\s*==\s*[\"'](\w+)[\"']")


def install_command(extra: str) -> str:
    """Return the command that installs an optional group from where this copy came from: 'pip
    install "/home/ann/intact[serve]"' for the group "serve".

    It names a checkout or a wheel, never the project's name, under which a registry may hold
    something else. If neither is left on this machine, it names the packages of the group.

    Source: PEP 610 (``direct_url.json``)."""
    try:
        found = metadata.distribution("intact-sanitizer")
        origin = urlsplit(json.loads(found.read_text("direct_url.json") or "{}").get("url", ""))
    except (metadata.PackageNotFoundError, ValueError):
        origin = urlsplit("")
    checkout = Path(__file__).resolve().parents[1]
    place = Path(unquote(origin.path)) if origin.scheme == "file" else checkout
    if (place.suffix == ".whl" and place.is_file()) or (place / "pyproject.toml").is_file():
        return f'pip install "{place}[{extra}]"'
    packages = sorted({name for name, own in extras() if own == extra})
    return f"pip install {' '.join(packages)}"


def extras() -> list[tuple[str, str]]:
    """List (package, group) for each optional package and each of INTACT's optional groups that
    brings it ("jinja2", "report"), in the order of the package's metadata; [] if INTACT was not
    installed as a package."""
    try:
        wanted = metadata.requires("intact-sanitizer") or []
    except metadata.PackageNotFoundError:
        return []
    found = (_REQUIREMENT.match(line) for line in wanted)
    return [(match[1], match[2]) for match in found if match]


# The order of preference among the optional groups that bring one package; a group that is not
# named here has the rank of "".
_ORDER = {"report": 0, "evaluation": 1, "": 2, "build": 3, "dev": 4}
