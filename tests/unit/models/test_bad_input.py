"""Files that are no models, servers that die, full disks: one line each, and nothing is lost."""

import json
import shutil
import sqlite3
from types import SimpleNamespace

import pytest

import intact.models.load
from intact import cli as command_line
from intact.models import counted
from tests.marked import tab_document
from tests.scripted import ScriptedModel

TEXTS = ("She moved from Bergen to Trier in 1961.", "He left Trier, too, for Bergen.")

LONG = "and so on " * 900  # more than a page of the file of kept answers


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Two documents, in a folder of the test that is a home as well."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    marked = (("Bergen", "LOC"), ("Trier", "LOC"))
    path = tmp_path / "in.json"
    path.write_text(json.dumps([tab_document(text[:2], text, *marked) for text in TEXTS]))
    return path


def sanitised(source, capsys, *sets, more=()):
    """Return exit code, the lines that are no warnings, and the output, "" for none."""
    out = source.with_name("out.json")
    command = ["sanitize", str(source), "-o", str(out), *more]
    for one in sets:
        command += ["--set", one]
    code = command_line.run(command)
    said = capsys.readouterr()
    assert "Traceback" not in said.err and "Bergen" not in said.err
    told = [line for line in said.err.splitlines() if "warning:" not in line]
    return code, told, out.read_text() if out.exists() else ""


def scripted(monkeypatch, **how):
    def answer(request):
        guesses = "guesses for each" in request.question
        return "1 | Malmö\n2 | Turku" if guesses else f"1 | a port\n2 | a city\n{LONG}"

    model = ScriptedModel(answer, **how)
    monkeypatch.setattr(intact.models.load, "load_model", lambda _: model)
    return model


SERVER = ("model.backend=openai", "model.name=x", "model.effort=quick", "model.parallel=1")


@pytest.mark.parametrize(
    ("damage", "setting"),
    [
        (lambda whole: whole[: len(whole) // 2], "model.path"),
        (lambda _: b"PK\x03\x04 no model", "model.path"),
        (lambda _: b"", "model.path"),
        (None, "model.template"),
    ],
    ids=["cut", "none", "empty", "no template"],
)
def test_a_file_that_cannot_be_used_is_one_line(damage, setting, source, maker, capsys):
    pytest.importorskip("llama_cpp")
    file = source.with_name("m-q4_0.gguf")
    maker.write_model(file, **({} if damage else {"template": None}))
    if damage:
        file.write_bytes(damage(file.read_bytes()))
    code, told, out = sanitised(source, capsys, f"model.path={file}", "model.threads=1")
    assert code == 2 and len(told) == 1 and setting in told[0] and not out


def test_a_context_that_is_too_small_is_one_line(source, monkeypatch, capsys):
    scripted(monkeypatch, context_length=256)
    code, told, out = sanitised(source, capsys, *SERVER)
    assert code == 2 and "model.context" in told[0] and not out


def test_what_a_server_answered_before_it_died_is_kept(source, monkeypatch, capsys):
    undisturbed = scripted(monkeypatch)
    _, _, whole = sanitised(source, capsys, *SERVER, more=["--no-store"])
    source.with_name("out.json").rename(source.with_name("whole.json"))
    shutil.rmtree(source.with_name("out.json.run"))
    scripted(monkeypatch, crash_at=3)
    code, told, out = sanitised(source, capsys, *SERVER)
    assert code == 2 and not out
    assert any(line.startswith("1 finished document kept") for line in told)
    model = scripted(monkeypatch)
    code, _, out = sanitised(source, capsys, *SERVER, more=["--resume"])
    assert code == 0 and out == whole and len(model.requests) <= len(undisturbed.requests) - 2


def test_a_full_disk_costs_the_kept_answers_and_no_more(source, monkeypatch, capsys):
    def small(*given, **how):
        base = sqlite3.connect(*given, **how)
        base.execute("PRAGMA max_page_count = 2")
        return base

    own = SimpleNamespace(connect=small, Error=sqlite3.Error)
    monkeypatch.setattr(counted, "sqlite3", own)
    scripted(monkeypatch)
    code, told, out = sanitised(source, capsys, *SERVER)
    assert code == 0 and not told and "a port" in json.loads(out)[0]["sanitized_text"]
