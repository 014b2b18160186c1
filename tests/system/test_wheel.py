"""The wheel holds all that is needed: it is built, installed apart, and used from elsewhere."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_data_is_inside_the_package_and_tests_are_not(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"intact/data/configs/default.toml", "intact/data/prompts/stranger.toml"} <= set(names)
    assert not [n for n in names if n.startswith(("tests", "eval", "configs", "prompts"))]
    assert not [n for n in names if n.startswith(("intact/configs/", "intact/prompts/"))]


def test_an_installed_wheel_works_without_the_checkout(wheel, tmp_path):
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    packages = next((home / "lib").glob("python*")) / "site-packages"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", "utf-8")
    (tmp_path / "in.txt").write_text("Ann Lee was born on 3 May 1971.", "utf-8")

    def python(*arguments):
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        command = [home / "bin" / "python", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "strict" in python("-m", "intact", "config", "list")
    python("-m", "intact", "sanitize", "in.txt", "-o", "out.txt", "-q", "--config", "strict")
    assert "Ann" not in (tmp_path / "out.txt").read_text("utf-8")
    assert python("-c", "import intact; print(intact.__file__)").startswith(str(home))
