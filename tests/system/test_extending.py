"""The worked examples of docs/extending.md work, and touch no more files than they say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")
NUMBERS = {"no": 0, "one": 1, "two": 2}
EXAMPLES = {
    title: (NUMBERS[most], body)
    for title, most, body in re.findall(
        r"^## An? ([\w ]+): (\w+) code files?\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S
    )
}
BLOCK = re.compile(r"^```(\w+)\n(?:(?:---|#) (\S+\.\w+)\n)?(.*?)^```$", re.M | re.S)


def apply(block, file):
    """Puts the ``+`` lines behind the line that begins with a blank, or in the place of ``-``."""
    text = file.read_text("utf-8")
    lines = block.splitlines()
    (context,) = (line[1:] for line in lines if line.startswith(" "))
    added = "".join(line[1:] + "\n" for line in lines if line.startswith("+"))
    assert text.count(f"\n{context}\n") == 1, f"{file.name}: {context!r}"
    kept = "" if f"-{context}" in lines else f"{context}\n"
    file.write_text(text.replace(f"\n{context}\n", f"\n{kept}{added}"), "utf-8")


def test_every_kind_of_addition_has_an_example():
    assert set(EXAMPLES) == {"entity type", "format", "metric", "attacker"}


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_works(title, tmp_path):
    most, body = EXAMPLES[title]
    data = shutil.ignore_patterns("__pycache__", "*.sqlite")
    for folder in ("intact", "configs", "prompts"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=data)
    for path in (ROOT / "intact").rglob("*.sqlite"):
        (tmp_path / path.relative_to(ROOT)).symlink_to(path)
    changed = set()
    for kind, place, block in BLOCK.findall(body):
        if place:
            changed.add(place)
            if kind == "diff":
                apply(block, tmp_path / place)
            else:
                (tmp_path / place).write_text(block, "utf-8")
    assert len([place for place in changed if place.endswith(".py")]) == most
    code = body.partition("\nThen:\n")[2]
    (check,) = (block for kind, place, block in BLOCK.findall(code) if not place)
    done = subprocess.run(
        [sys.executable, "-c", check],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
