"""The shape of the package, held by numbers that may only get better."""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "intact"
TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}

# Ratchets: lower (or raise) a number when the code got better; never the other way.
MOST_INNER_IMPORTS = 70
LEAST_WITH_ARGS = 0.95
MOST_QUESTION_DOCSTRINGS = 151
MOST_LINES = 45_800

QUESTION_WORDS = {"What", "Who", "Whether", "Whose", "How", "Where"}

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


CLASSES = {
    node.name: node
    for tree in TREES.values()
    for node in tree.body
    if isinstance(node, ast.ClassDef)
}


OPTIONS = {
    node.targets[0].id
    for node in TREES["intact/cli/console.py"].body
    if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Annotated[")
}
"""Options that several commands have; each has its help."""


def explained(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether its docstring explains its parameters."""
    return "Args:" in (ast.get_docstring(function) or "")


def explained_above(kind: ast.ClassDef, name: str) -> bool:
    """Whether a base class explains the parameters of the method ``name``."""
    bases = [CLASSES[ast.unparse(one)] for one in kind.bases if ast.unparse(one) in CLASSES]
    own = (each for base in bases for each in base.body if isinstance(each, FUNCTION))
    return any(each.name == name and explained(each) for each in own) or any(
        explained_above(base, name) for base in bases
    )


def every_function() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """All functions and methods, as (place, function)."""
    for place, tree in TREES.items():
        yield from ((place, node) for node in ast.walk(tree) if isinstance(node, FUNCTION))


def public_functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Public functions and methods of public classes, as (place, function); not those that keep
    the promise of a base class, which explains them."""
    for place, tree in TREES.items():
        for node in tree.body:
            inner = node.body if isinstance(node, ast.ClassDef) and node.name[0] != "_" else [node]
            for each in inner:
                if not isinstance(each, FUNCTION) or each.name.startswith("_"):
                    continue
                overload = "overload" in [ast.unparse(one) for one in each.decorator_list]
                above = isinstance(node, ast.ClassDef) and explained_above(node, each.name)
                if not overload and not above:
                    yield place, each


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Its parameters that a docstring has to explain: not those of commands, which have a help."""
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    told = {one.arg: ast.unparse(one.annotation or ast.Pass()) for one in every}
    helped = {name for name, kind in told.items() if "Annotated" in kind or kind in OPTIONS}
    return [one.arg for one in every if one.arg not in ("self", "cls", *helped)]


def test_no_class_name_means_two_things() -> None:
    places = defaultdict(list)
    for place, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(place)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}


def test_imports_stand_at_the_top() -> None:
    """But for package borders, where a heavy package or the start-up time demands it."""
    inner = {
        (place, statement.lineno)
        for place, tree in TREES.items()
        for function in ast.walk(tree)
        if isinstance(function, FUNCTION)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    }
    assert len(inner) <= MOST_INNER_IMPORTS, len(inner)


def test_parameters_are_explained() -> None:
    asked = [(p, f) for p, f in public_functions() if len(parameters(f)) > 1]
    told = [f for _, f in asked if explained(f)]
    assert len(told) / len(asked) >= LEAST_WITH_ARGS, f"{len(told)} of {len(asked)}"


def test_docstrings_say_what_a_function_does() -> None:
    """In the imperative, "Return ...", instead of a question word."""
    opened = [
        f"{place}: {function.name}"
        for place, function in every_function()
        if (ast.get_docstring(function) or "_").split()[0] in QUESTION_WORDS
    ]
    assert len(opened) <= MOST_QUESTION_DOCSTRINGS, "\n".join(opened)


def test_no_function_is_called_told() -> None:
    assert [place for place, one in every_function() if one.name.strip("_") == "told"] == []


def test_the_package_grows_no_longer() -> None:
    lines = sum(len((ROOT / place).read_text("utf-8").splitlines()) for place in TREES)
    assert lines <= MOST_LINES, f"{lines} lines: delete as much as is added"


def test_data_flows_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("place", TREES)
def test_only_the_command_line_prints(place: str) -> None:
    if place.startswith("intact/cli/"):
        return
    calls = [n for n in ast.walk(TREES[place]) if isinstance(n, ast.Call)]
    assert not [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]
