"""A part whose package is not installed says so; it is not taken for a part that does not exist."""

from types import SimpleNamespace

import pytest

from intact import build, registry
from intact.config import Settings
from intact.errors import ConfigError, MissingExtraError


def points(error: Exception):
    def load():
        raise error

    return lambda group: [SimpleNamespace(name="odd", load=load)] if "attacker" in group else []


def settings(*attackers: str) -> Settings:
    return Settings.model_validate({"attack": {"attackers": attackers}})


def test_another_packages_part_that_lacks_a_package(monkeypatch) -> None:
    lacking = ModuleNotFoundError("No module named 'far.off'", name="far.off")
    monkeypatch.setattr(registry, "entry_points", points(lacking))
    with pytest.raises(
        MissingExtraError, match=r"attacker 'odd' needs the package far,.*install far"
    ):
        build.build_attackers(settings("odd"))


def test_an_own_part_that_lacks_a_package(monkeypatch) -> None:
    def broken(_workshop):
        raise ModuleNotFoundError("No module named 'thing'", name="thing")

    monkeypatch.setattr(build, "_ATTACKERS", {"llm": broken})
    with pytest.raises(MissingExtraError, match=r"thing.*intact-sanitizer\[llm\]"):
        build.build_attackers(settings("llm"))


def test_a_part_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match=r"no attacker called 'nosuch'.*knowledge"):
        build.build_attackers(settings("nosuch"))
