"""In an environment with nothing but what ``pip install .`` brings, every command works, or names
the extra that it needs in one line with the words to type."""

import json
import os
import re
import shlex
import subprocess
import tomllib
import venv
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest

from intact.protocols import part_names

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REQUIRED = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?[^;]*(?:;(.*))?")
WORKS = """
sanitize letter.txt -o letter.sanitized.txt
sanitize letter.txt -q -o -
sanitize case.json -o case.out.json --edits edits.json
explain case.out.json
explain letter.sanitized.txt letter m4
sanitize letter.txt -o letter.sanitized.txt --certificate page.html
verify letter.sanitized.txt --certificate page.html
detect letter.txt -o found.json
convert found.json tasks.json --to labelstudio
context case.json
config list
config show strict
cache purge kept
doctor
models list
compare --help
"""
WANT = {
    "serve": "serve",
    "review letter.txt": "serve",
    "report case.out.json": "report",
    "evaluate case.json --baselines -o results": "evaluation",
    "tune case.json -o tuned": "evaluation",
    "background build people.json -o people.population": "evaluation",
    "reid attack case.json -b people.population -o ranks": "evaluation",
    "intruder make case.out.json kit": "report",
    "detect evaluate case.json": "evaluation",
    "detect letter.txt -o found.json --detector presidio": "detection",
    "sanitize case.json -o guarded.json --background people.json": "evaluation",
    "models pull qwen3-4b": "llm",
    "sanitize two --on ray": "ray",
}


def needed(name, known):
    """Collect the names of a package and of all that it needs by itself."""
    if name in known:
        return
    known.add(name)
    for line in metadata.requires(name) or ():
        found = REQUIRED.match(line)
        if "extra" not in (found[2] or "") and (found[2] or "").find("win32") < 0:
            with suppress(metadata.PackageNotFoundError):  # it is for another version or system
                needed(metadata.distribution(found[1]).name, known)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A folder to work in, and a Python that has INTACT and what it needs, by links."""
    home, desk = (tmp_path_factory.mktemp(name) for name in ("bare", "desk"))
    venv.create(home, with_pip=False, symlinks=True)
    packages = next((home / "lib").glob("python*")) / "site-packages"
    names = set()
    for line in PROJECT["dependencies"]:
        needed(metadata.distribution(REQUIRED.match(line)[1]).name, names)
    for name in names - {"huggingface-hub", "huggingface_hub"}:  # of which no command needs any
        found = metadata.distribution(name)
        for top in {path.parts[0] for path in found.files if path.parts[0] not in ("..", "")}:
            link = packages / top
            if top != "__pycache__" and not link.exists():
                link.symlink_to(Path(found.locate_file(top)))
    made = metadata.distribution("intact-sanitizer")
    (packages / "intact").symlink_to(ROOT / "intact")
    about = next(path.parts[0] for path in made.files if path.name == "METADATA")
    (packages / about).symlink_to(Path(made.locate_file(about)))
    (desk / "letter.txt").write_bytes((ROOT / "examples" / "letter.txt").read_bytes())
    (desk / "case.json").write_bytes((ROOT / "examples" / "biography.json").read_bytes())
    (desk / "people.json").write_text(json.dumps({"Ann": "She is a nurse.", "Bo": "He cooks."}))
    for folder in ("two", "kept"):
        (desk / folder).mkdir()
    (desk / "two" / "letter.txt").write_bytes((ROOT / "examples" / "letter.txt").read_bytes())

    def intact(command):
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        line = [home / "bin" / "python", "-m", "intact", *shlex.split(command)]
        own = clean | {"XDG_CACHE_HOME": str(home), "COLUMNS": "200"}
        return subprocess.run(line, cwd=desk, env=own, capture_output=True, text=True, check=False)

    assert intact("sanitize case.json -o case.out.json -q").returncode == 0
    return intact


def test_all_commands_are_tried():
    tried = {line.split()[0] for line in [*WORKS.split("\n"), *WANT] if line}
    assert tried == set(part_names("command"))


def test_what_a_bare_install_does(bare):
    for name in part_names("command"):
        assert (done := bare(f"{name} --help")).returncode == 0, (name, done.stderr)
    for command in filter(None, WORKS.split("\n")):
        done = bare(command)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("command", WANT)
def test_a_command_that_wants_more_says_what_to_type(bare, command):
    done = bare(command)
    said = [line for line in done.stderr.splitlines() if "No language model is set" not in line]
    assert (done.returncode, len(said)) == (2, 1), (done.stdout, done.stderr)
    found = re.search(r'Install it with: pip install "\S+\[(\w+)\]"$', said[0])
    assert found and found[1] == WANT[command], said
    assert found[1] in PROJECT["optional-dependencies"]


def test_the_examples_say_what_they_want(bare, tmp_path):
    python = bare("doctor").args[0]
    for path in sorted((ROOT / "examples").glob("*.py")):
        line = [python, path, str(tmp_path)]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 1, path
