"""Measure the structure of the package: who imports whom, and the way of a document.

    python tools/structure.py                      # imports between packages, by layer
    python tools/structure.py examples/letter.txt  # calls from file to file for one document

The document is sanitised once before, so that data and networks are loaded. Counted are functions
of ``intact`` that run, those of them that are handed a document (hops), and calls from one of its
files into another; libraries in between do not count.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "intact"


def print_imports() -> None:
    """Print how many files of each package import each other package, as a Markdown table."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name for layer in layers for name in re.findall(r"intact\.(\w+)", layer)]
    found: Counter[tuple[str, str]] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        nodes = ast.walk(ast.parse(path.read_text("utf-8")))
        modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        others = {name.split(".")[1] for name in modules if name.startswith("intact.")}
        found.update((own, other) for other in others - {own})
    print("| |", " | ".join(f"`{name}`" for name in names[1:]), "|")
    print("| --- |", " | ".join(["---:"] * len(names[1:])), "|")
    for own in names[:-1]:
        cells = (str(found[own, other] or "") for other in names[1:])
        print(f"| `{own}` |", " | ".join(cells), "|")


def print_way(path: str) -> None:
    """Print mentions, functions, files, hops and crossings of a file's first document."""
    from intact.api import load
    from intact.config import load_settings
    from intact.domain import Document, SanitizedDocument
    from intact.pipeline import build_pipeline

    pipeline, document = build_pipeline(load_settings()), next(iter(load(path)))
    pipeline.sanitize(document)
    functions: set[tuple[str, str]] = set()
    hops: set[tuple[str, str]] = set()
    crossings = 0

    def count(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal crossings
        own = frame.f_code.co_filename
        if event != "call" or not own.startswith(str(PACKAGE)) or frame.f_code.co_name[0] == "<":
            return
        functions.add((own, frame.f_code.co_name))
        given = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        if any(isinstance(frame.f_locals.get(n), (Document, SanitizedDocument)) for n in given):
            hops.add((own, frame.f_code.co_name))
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(str(PACKAGE)):
            caller = caller.f_back
        crossings += caller is not None and caller.f_code.co_filename != own

    sys.setprofile(count)
    try:
        done = pipeline.sanitize(document)
    finally:
        sys.setprofile(None)
    files = {file for file, _ in functions}
    print(
        f"{len(done.document.mentions)} mentions: {len(functions)} functions in {len(files)} files"
    )
    print(f"{len(hops)} functions are handed the document or its sanitised form")
    print(f"{crossings} calls from one file into another")


if __name__ == "__main__":
    print_way(sys.argv[1]) if sys.argv[1:] else print_imports()
