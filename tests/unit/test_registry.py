"""One registry: built-in parts and those of other packages, and what is said where one lacks."""

from types import SimpleNamespace

import pytest

from intact import cli, pipeline, protocols
from intact.config import Settings
from intact.errors import ConfigError, MissingExtraError
from intact.pipeline import Components
from intact.protocols import BUILT_IN, load_part, make_part, part_names


def entry_points(kind, name, load):
    point = SimpleNamespace(name=name, load=load)
    return lambda group: [point] if group == f"intact.{kind}" else []


def raising(module):
    def load(*_given):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    return load


def settings(*attackers):
    return Settings.model_validate({"attack": {"attackers": attackers}})


@pytest.mark.parametrize("kind", BUILT_IN)
def test_every_built_in_part_is_where_the_registry_says(kind):
    for name in BUILT_IN[kind]:
        assert callable(load_part(kind, name)) or kind == "command"


@pytest.mark.parametrize("kind", BUILT_IN)
def test_another_package_adds_a_part_of_every_kind(monkeypatch, kind):
    monkeypatch.setattr(protocols, "entry_points", entry_points(kind, "mine", lambda: list))
    assert part_names(kind)[-1] == "mine"
    assert make_part(kind, "mine", (1, 2)) == [1, 2]


def test_a_built_in_part_is_not_replaced_by_another_packages(monkeypatch):
    monkeypatch.setattr(protocols, "entry_points", entry_points("attacker", "llm", lambda: list))
    assert part_names("attacker").count("llm") == 1
    assert load_part("attacker", "llm") is pipeline.llm_attacker


def test_another_packages_part_that_lacks_a_package(monkeypatch):
    points = entry_points("attacker", "odd", raising("far.off"))
    monkeypatch.setattr(protocols, "entry_points", points)
    with pytest.raises(MissingExtraError, match=r"attacker 'odd' needs the package far,.* far$"):
        pipeline.build_attackers(Components(settings("odd")))


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("sklearn.linear_model", "evaluation"),
        ("llama_cpp", "llm"),
        ("bs4", "formats"),
    ],
)
def test_the_extra_that_brings_a_package_is_named(monkeypatch, module, extra):
    monkeypatch.setattr(pipeline, "llm_attacker", raising(module))
    with pytest.raises(MissingExtraError, match=rf"\[{extra}\]"):
        pipeline.build_attackers(Components(settings("llm")))


def test_a_command_that_lacks_a_package_says_which_extra_brings_it(monkeypatch, capsys):
    monkeypatch.setitem(BUILT_IN["command"], "doctor", "tests.nowhere:doctor")
    assert cli.run(["doctor"]) == 2
    assert "the command 'doctor' needs the package tests" in capsys.readouterr().err
    monkeypatch.setattr(cli, "_app", lambda _arguments: lambda **_given: raising("sklearn")())
    assert cli.run(["doctor"]) == 2
    assert "scikit-learn is not installed" in capsys.readouterr().err


def test_a_part_that_does_not_exist():
    with pytest.raises(ConfigError, match=r"no attacker called 'nosuch'.*knowledge"):
        pipeline.build_attackers(Components(settings("nosuch")))


def test_a_judge_of_guesses_opens_no_knowledge_before_there_is_a_guess(monkeypatch):
    monkeypatch.setattr(pipeline.KnowledgeBase, "open", raising("opened"))
    assert callable(pipeline.build_guess_judge(Components(settings())))
