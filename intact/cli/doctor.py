"""``intact doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib import metadata

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact import __version__
from intact.build import describe_parts
from intact.config import Settings
from intact.errors import IntactError, extras
from intact.knowledge.base import KnowledgeBase

_PURPOSES = {
    "llm": "local language models (GGUF), fetching them",
    "http": "language models behind a server",
    "transformers": "language models, 4-bit models",
    "evaluation": "metrics, linkage attacks, the report, training taggers",
    "detection": "detecting entities, the Presidio operator",
    "formats": "Word, HTML, data frames, Parquet",
    "serve": "the HTTP interface, the review page",
    "ray": "many machines",
}
_CORE = tuple(
    "pydantic typer rich rapidfuzz simplemma phonenumbers python-stdnum tomli-w numpy tokenizers "
    "safetensors".split()
)
_OK = Text("ok", style="green")


def doctor() -> None:
    """Show versions, what is installed, what is missing and the command that installs it.

    Exit code: 0 all that is needed is there, 1 the knowledge base is not.
    """
    console = Console(highlight=False, soft_wrap=True)
    version, state = _knowledge()
    console.print(_core(version, state))
    console.print()
    wanted: dict[str, tuple[str, str]] = {}
    brought = extras()
    for extra in _PURPOSES:
        for package in (name for name, own in brought if own == extra and name not in _CORE):
            wanted.setdefault(package, (extra, _version(package)))
    console.print(_optional(wanted))
    missing = dict.fromkeys(extra for extra, version in wanted.values() if not version)
    if missing:
        console.print()
    for extra in missing:
        console.print(Text(f'What {extra} lacks: pip install "intact-sanitizer[{extra}]"'))
    raise typer.Exit(0 if state == _OK else 1)


def _core(knowledge: str, state: Text) -> Table:

    table = Table("Core", "Version", "", box=None, pad_edge=False)
    table.add_row("intact", __version__, _OK)
    table.add_row("Python", platform.python_version(), _OK)
    for package in _CORE:
        table.add_row(package, metadata.version(package), _OK)
    table.add_row("knowledge base", knowledge, state)
    return table


def _knowledge() -> tuple[str, Text]:
    """The first letters of the knowledge base's SHA-256, and whether it can be opened."""
    try:
        KnowledgeBase.open().close()
        return describe_parts(Settings())["knowledge"][:12], _OK
    except IntactError as error:
        return "", Text(str(error), style="red")


def _optional(wanted: Mapping[str, tuple[str, str]]) -> Table:
    table = Table("Optional", "Version", "Extra", "For", box=None, pad_edge=False)
    purposes = dict(_PURPOSES)
    for package, (extra, version) in wanted.items():
        shown = Text(version, style="green") if version else Text("missing", style="yellow")
        table.add_row(package, shown, extra, purposes.pop(extra, ""))
    return table


def _version(package: str) -> str:
    """The version of what is installed, else ""."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
