"""Measure the structure of the package: its size, who imports whom, and the way of a document.

    python tools/structure.py                      # size, and imports between packages, by layer
    python tools/structure.py examples/letter.txt  # calls from file to file for one document

The document is sanitised once before, so that data and networks are loaded. Counted are functions
of ``intact`` that run, those of them that are handed a document (hops), and calls from one of its
files into another; libraries in between do not count.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "intact"

LONG_FILE, LONG_FUNCTION, MANY_BRANCHES = 450, 60, 15
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCH = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.comprehension)
_NO_CODE = frozenset(
    {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENCODING, tokenize.ENDMARKER,
    }
)  # fmt: skip


@dataclass
class Size:
    """The size of source files; explanations never count against them."""

    code_lines: int = 0  # with a token, without docstrings, comments and blank lines
    dense_functions: int = 0  # with more than 15 branches
    compiled_regexes: int = 0
    long_files: int = 0  # over 450 lines that are no docstrings
    long_functions: int = 0  # over 60 lines that are no docstrings
    unexplained_functions: int = 0  # public, two parameters that no type explains, no "Args:"


def measure_size() -> Size:
    """Return the size of the package."""
    size = Size()
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        told = {line for node in ast.walk(tree) for line in _docstring_lines(node)}
        size.code_lines += len(_code_lines(text) - told)
        size.compiled_regexes += text.count("re.compile(")
        size.long_files += len(text.splitlines()) - len(told) > LONG_FILE
        for node in ast.walk(tree):
            if isinstance(node, FUNCTION):
                _add_function(size, node)
    return size


def _code_lines(text: str) -> set[int]:
    """Return the numbers of the lines that hold a token other than comments and white space."""
    read = tokenize.generate_tokens(io.StringIO(text).readline)
    code = (token for token in read if token.type not in _NO_CODE)
    return {line for one in code for line in range(one.start[0], one.end[0] + 1)}


def _docstring_lines(node: ast.AST) -> range:
    """Return the numbers of the lines of the docstring of a module, class or function."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return range(0)
    said = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    return range(said.lineno, (said.end_lineno or 0) + 1) if said else range(0)


def _add_function(size: Size, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    told = sum(len(_docstring_lines(node)) for node in ast.walk(function))
    lines = (function.end_lineno or 0) - function.lineno - told
    size.dense_functions += sum(_branches(function)) > MANY_BRANCHES
    size.long_functions += lines > LONG_FUNCTION
    given = function.args
    helped = {id(each) for each, value in _defaults(given) if _is_option(value)}
    all_given = (each for each in (*given.args, *given.kwonlyargs) if id(each) not in helped)
    named = [each for each in all_given if each.arg not in ("self", "cls") and not _tells(each)]
    explained = "Args:" in (ast.get_docstring(function) or "")
    stub = any(getattr(each, "id", "") == "overload" for each in function.decorator_list)
    public = len(named) > 1 and not function.name.startswith("_") and not stub
    size.unexplained_functions += public and not explained


def _tells(parameter: ast.arg) -> bool:
    """Tell a parameter whose type says what it is for: an option of the command line, which users
    are told by ``--help``. A second text about it would only grow old."""
    kind = parameter.annotation
    owner = kind.value if isinstance(kind, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id == "options"


def _defaults(given: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the parameters that have defaults, each with its default."""
    yield from zip(given.args[::-1], given.defaults[::-1], strict=False)
    yield from zip(given.kwonlyargs, given.kw_defaults, strict=True)


def _is_option(default: ast.expr | None) -> bool:
    """Tell a default that declares an option of the command line, with its help."""
    maker = default.func if isinstance(default, ast.Call) else None
    return isinstance(maker, ast.Name) and maker.id in ("Arg", "Opt", "Writes")


def _branches(function: ast.AST) -> Iterator[int]:
    """Yield how often each node of a function goes one way or another."""
    for node in ast.walk(function):
        yield isinstance(node, _BRANCH)
        if isinstance(node, ast.BoolOp):
            yield len(node.values) - 1


def print_size() -> None:
    """Print the size of the package, a measure a line."""
    size = measure_size()
    for field in fields(size):
        print(f"{getattr(size, field.name):6} {field.name.replace('_', ' ')}")


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
    if sys.argv[1:]:
        print_way(sys.argv[1])
    else:
        print_size()
        print_imports()
