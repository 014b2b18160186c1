"""Modules that each command imports. Seconds depend on the machine; the modules do not."""

import os
import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "sentence_transformers", "sklearn", "scipy", "spacy", "pandas")


def imported(code):
    shown = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(shown.stdout.splitlines()[-1].split())


def test_version_and_import_need_nothing():
    code = "sys.argv = ['intact', '--version']\nfrom intact.cli import main\nmain()"
    assert not imported(code) & {"typer", "rich", "pydantic", "intact.config", *HEAVY}
    assert not imported("import intact") & {"typer", "rich", "pydantic", "intact.api"}


@pytest.mark.parametrize("command", ["sanitize", "explain"])
def test_one_command_imports_no_other(command):
    code = f"from intact.cli import run\nrun(['{command}', '--help'])"
    modules = imported(code)
    own = {"explain": "review"}.get(command, command)
    others = {f"intact.cli.{name}" for name in ("sanitize", "review", "tune")} - {
        f"intact.cli.{own}"
    }
    assert not modules & {"intact.pipeline", "numpy", "httpx", *HEAVY, *others}


def test_sanitising_imports_nothing_heavy(tmp_path):
    source = tmp_path / "in.json"
    source.write_text("[]")
    code = (
        "from intact.cli import run\n"
        f"run(['sanitize', {str(source)!r}, '-o', {str(tmp_path / 'out.json')!r}, '-q'])"
    )
    assert not imported(code) & {"numpy", "httpx", "llama_cpp", "simplemma", *HEAVY}


def test_networks_tell_nobody_and_leave_nothing_behind(tmp_path):
    """onnxruntime would keep a device's number and report each run to its maker."""
    code = "from intact.detection.tagger import load_tagger; load_tagger().find('Ann Lee')"
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "HOME": str(tmp_path)}, check=True
    )
    assert not [*tmp_path.rglob("*")]
