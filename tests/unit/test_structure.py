"""The shape of the package, held by numbers that may only get better."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import pytest

from tools import structure

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "intact"
TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}

# Ratchets: lower (or raise) a number when the code got better; never the other way.
MOST_INNER_IMPORTS = 53
MOST = structure.Size(
    code_lines=24_000,
    dense_functions=0,
    compiled_regexes=62,
    long_files=2,
    long_functions=1,
    unexplained_functions=0,
)

QUESTION_WORDS = {"What", "Who", "Whether", "Whose", "How", "Where", "When", "Which", "Why"}

FUNCTION = structure.FUNCTION


def every_function():
    """All functions and methods, as (place, function)."""
    for place, tree in TREES.items():
        yield from ((place, node) for node in ast.walk(tree) if isinstance(node, FUNCTION))


def test_no_class_name_means_two_things():
    places = defaultdict(list)
    for place, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(place)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}


def test_no_public_function_name_means_two_things():
    """Commands and the public face are named after what they call."""
    places = defaultdict(list)
    for place, tree in TREES.items():
        if not place.startswith(("intact/cli/", "intact/api.py")):
            for node in tree.body:
                if isinstance(node, FUNCTION) and not node.name.startswith("_"):
                    places[node.name].append(place)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}


def test_imports_stand_at_the_top():
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


def test_what_args_explain_are_parameters():
    """Each name under "Args:" is a parameter of the function. That name and type say enough of the
    others is for readers to judge."""
    wrong = []
    for place, function in every_function():
        _, _, block = (ast.get_docstring(function) or "").partition("Args:\n")
        told = re.findall(r"^    (\w+): ", block.partition("\n\n")[0], re.MULTILINE)
        given = function.args
        known = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        known |= {one.arg for one in (given.vararg, given.kwarg) if one}
        wrong += [f"{place}: {function.name}: {name}" for name in told if name not in known]
    assert wrong == []


def test_docstrings_open_with_no_question_word():
    """Functions say in the imperative what they do ("Return ..."), classes and modules what they
    are."""
    opened = [
        f"{path}: {getattr(node, 'name', 'module')}"
        for folder in ("intact", "eval", "tools", "examples", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTION))
        if (ast.get_docstring(node) or "_").split()[0] in QUESTION_WORDS
    ]
    assert opened == []


def test_no_function_is_called_told():
    assert [place for place, one in every_function() if one.name.strip("_") == "told"] == []


def test_the_package_grows_no_denser():
    """Docstrings, comments and blank lines count nowhere: to explain is free."""
    size = asdict(structure.measure_size())
    grown = {name: count for name, count in size.items() if count > getattr(MOST, name)}
    assert grown == {}, "delete as much as is added: python tools/structure.py"


def test_data_flows_one_way():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("place", TREES)
def test_only_the_command_line_prints(place):
    if place.startswith("intact/cli/"):
        return
    calls = [n for n in ast.walk(TREES[place]) if isinstance(n, ast.Call)]
    assert not [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]


def test_stubs_and_options_of_commands_need_no_second_explanation():
    """Options are told by their help, overloads by what they stand for; all else counts."""
    told = ast.parse("def show(config: options.Preset, one: int = Opt(1, help='One.')): ...")
    stub = ast.parse("@overload\ndef show(one: int, two: int): ...")
    plain = ast.parse("def show(one: other.Preset, two: int):\n    'Show.'")
    for tree, unexplained in ((told, 0), (stub, 0), (plain, 1)):
        size = structure.Size()
        structure._add_function(size, tree.body[0])
        assert size.unexplained_functions == unexplained


def test_docstrings_and_comments_are_no_code(tmp_path, monkeypatch):
    (tmp_path / "shown.py").write_text(
        '"""A module."""\n\n# How many.\nLIMIT = 3\n\nclass One:\n    """A thing."""\n\n'
        '    name: str = "told"\n    """Read at run time."""\n',
        "utf-8",
    )
    monkeypatch.setattr(structure, "PACKAGE", tmp_path)
    counted = ["LIMIT", "class One", "name", "Read at run time."]
    assert structure.measure_size().code_lines == len(counted)
