"""Errors: what to do about a problem is told with it."""

import ast
import tomllib
from pathlib import Path

import pytest

from intact import errors

PACKAGE = Path(errors.__file__).parent
REMEDIES = tomllib.loads((PACKAGE / "remedies.toml").read_text("utf-8"))


def test_a_problem_with_one_remedy_brings_it_and_an_own_one_wins():
    assert str(errors.FormatError("is encrypted", where="a.odt")) == (
        "a.odt: is encrypted. Save it without a password."
    )
    own = errors.FormatError("is encrypted", remedy="Open it elsewhere.").at("b.eml")
    assert str(own) == "b.eml: is encrypted. Open it elsewhere."
    assert str(errors.FormatError("not UTF-8 (byte 7)")) == "not UTF-8 (byte 7). Save it as UTF-8."
    changed = errors.RunError("cannot resume: parts changed since the run began", where="O.run")
    assert str(changed).endswith("Restore what changed, or remove O.run to start over.")
    damaged = errors.loading("the manifest is damaged", "m.json", kind=errors.RunError)
    with pytest.raises(errors.RunError, match=r"\(KeyError\)\. Run again without"), damaged:
        raise KeyError


def test_every_remedy_is_for_a_problem_that_the_code_names():
    literals = {
        _literal(node)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    }
    assert REMEDIES.keys() - literals == set()


def _literal(node):
    """Write a string of the code with "*" for each part that varies."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)
