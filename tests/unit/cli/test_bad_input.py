"""Whatever a user does: a message that says where and what, exit code 2, nothing written."""

import builtins
import io
import json
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from intact.run import files
from tests.unit.cli.conftest import FAST

SECRETS = ("Zacharias", "Topp", "Tromsø", "1996")


def broken(document, **changes):
    """The document with its second mention changed."""
    made = document()
    made["annotations"]["ann"]["entity_mentions"][1] |= changes
    return made


def refused(intact, tmp_path, source, *options):
    out = tmp_path / f"out{source.suffix}"
    before = sorted(tmp_path.iterdir())
    code, stdout, stderr = intact("sanitize", source, "-o", out, *FAST, *options)
    assert code == 2, stderr
    assert stdout == ""
    assert "Traceback" not in stderr and "internal error" not in stderr
    assert not any(secret in stderr for secret in SECRETS)
    kept = tmp_path / f"{out.name}.run"  # documents that were finished before the bad one
    assert [path for path in sorted(tmp_path.iterdir()) if path != kept] == before
    assert not kept.exists() or stat.S_IMODE(kept.stat().st_mode) == 0o700
    return stderr


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Dear Zacharias Topp", "the top level is not a list of documents"),
        (b'[{"text": "Topp"', "not valid JSON"),
        (b'["\xff"]', "not UTF-8"),
        (b"[1]", "document 1: it is not an object"),
    ],
)
def test_files_that_are_not_tab(intact, tmp_path, data, said):
    path = tmp_path / "in.json"
    path.write_bytes(data)
    assert f"{path}" in (message := refused(intact, tmp_path, path))
    assert said in message


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"start_offset": 500, "end_offset": 510}, "lie outside the text of 63 characters"),
        ({"span_text": "Tromso"}, "is not its span_text"),
        ({"identifier_type": "SECRET"}, "its identifier type is unknown"),
    ],
)
def test_mentions_that_are_wrong(intact, tmp_path, tab, document, changes, said):
    message = refused(intact, tmp_path, tab(document(), broken(document, **changes)))
    assert "document 2 (d1), annotator 1, mention 2 (m1): " in message
    assert said in message.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--config", "none"], "there is no preset or file called 'none'. Presets:"),
        (["--set", "attack.guess=3"],
         "attack.guess: there is no such setting. Did you mean attack.guesses?"),
        (["--set", "generation.sources=dates"],
         'generation.sources: is a list; write ["one", "two"]'),
        (["--set", "run.seed=" + "[" * 9000], "setting run.seed: "),
        (["--set", "attack.max_risk=2"], "setting attack.max_risk: "),
        (["--set", "nonsense"], "'nonsense' is not a setting"),
        (["--set", "attack.attackers=['bob']"], "there is no attacker called 'bob'"),
        (["--format", "pdx"], "there is no format called 'pdx'"),
        (["--workers", "0"], "--workers"),
        (["--frobnicate"], "--frobnicate"),
    ],
)  # fmt: skip
def test_wrong_options(intact, tmp_path, tab, document, options, said):
    assert said in refused(intact, tmp_path, tab(document()), *options).replace("\n", " ")


def test_what_cannot_be_read_or_written_is_named(intact, tmp_path, tab, document):
    assert "no such file or folder" in refused(intact, tmp_path, tmp_path / "none.json")
    (tmp_path / "folder").mkdir()
    assert "holds no documents" in refused(intact, tmp_path, tmp_path / "folder")
    code, _, stderr = intact("sanitize", tab(document()), "-o", "/proc/out.json", *FAST)
    assert (code, "/proc/out.json.run: cannot be written" in stderr) == (2, True)


@pytest.mark.parametrize(
    "line",
    [
        "context in.json -o in.json",
        "context -o other.json in.json --config other.json",
        "report in.json -o link.json",
        "report in.json --out=in.json",
        "intruder score in.json other.json -o in.json",
        "intruder score in.json other.json -o other.json",
        "background build in.json -o in.json",
        "detect in.json -o in.json",
        "convert in.json in.json",
        "sanitize in.json -o out.json --glossary other.json --edits other.json",
        "sanitize in.json -o out.json --decisions other.json --certificate other.json",
        "sanitize in.json -o other.json --decisions other.json",
        "review in.json --audit other.json --decisions other.json",
        "evaluate in.json --edits a=other.json -o other.json",
    ],
)
def test_no_command_replaces_what_it_reads(intact, tmp_path, tab, document, monkeypatch, line):
    files = tab(document()), tab(document(), name="other.json")
    (tmp_path / "link.json").symlink_to(files[0])
    before = [path.read_bytes() for path in files]
    monkeypatch.chdir(tmp_path)
    code, _, said = intact(*line.split())
    assert (code, "the output is the input" in said) == (2, True)
    assert [path.read_bytes() for path in files] == before


def test_nothing_is_written_over_when_it_goes_wrong(intact, tmp_path, tab, document):
    (tmp_path / "out.json").write_text("old")
    refused(intact, tmp_path, tab(broken(document, end_offset=99)))
    assert (tmp_path / "out.json").read_text() == "old"


def test_an_empty_document_is_left_empty_and_said(intact, tmp_path, tab, document):
    out = tmp_path / "out.json"
    empty = document(text="", annotations={"ann": {"entity_mentions": []}})
    code, _, stderr = intact("sanitize", tab(empty), "-o", out)
    assert (code, json.loads(out.read_text())[0]["sanitized_text"]) == (0, "")
    assert "it contains no text" in stderr


def test_bad_lines_are_skipped_if_asked_and_never_silently(intact, tmp_path, document):
    source = tmp_path / "in.jsonl"
    bad = broken(document, start_offset=-1) | {"doc_id": "d2"}
    source.write_text(
        "\n".join([json.dumps(document()), "{", json.dumps(bad), json.dumps(document(doc_id="d3"))])
    )
    assert "line 2: not valid JSON" in refused(intact, tmp_path, source)
    out = tmp_path / "out.jsonl"
    code, _, stderr = intact("sanitize", source, "-o", out, "--skip-bad", "--quiet", *FAST)
    assert code == 1
    assert stderr.count("skipped:") == 2 and "line 3 (d2), annotator 1, mention 2" in stderr
    assert [json.loads(line)["doc_id"] for line in out.read_text().splitlines()] == ["d1", "d3"]


def test_a_message_nested_too_deeply_is_left_out_and_the_rest_is_done(intact, tmp_path):
    pytest.importorskip("bs4")
    letters = tmp_path / "in"
    letters.mkdir()
    (letters / "a.eml").write_text("Subject: weather\n\nIt rained.\n")
    deep = f"Subject: x\nContent-Type: text/plain; {'(' * 3000}{')' * 3000}\n\nMr Topp\n"
    (letters / "b.eml").write_text(deep)
    assert "b.eml: its parts are nested too deeply" in refused(intact, tmp_path, letters)
    out = tmp_path / "done"
    code, _, err = intact("sanitize", letters, "-o", out, "--skip-bad", *FAST)
    assert code == 1 and "b.eml: its parts are nested too deeply" in err
    assert [path.name for path in out.iterdir()] == ["a.eml"]


def test_the_name_that_is_advised_is_not_the_inputs(intact, tmp_path):
    source, out = tmp_path / "nowak.docx", tmp_path / "nowak.txt"
    source.write_bytes(b"")
    code, _, err = intact("sanitize", source, "-o", out, *FAST)
    assert (code, "Call the output nowak.sanitized.docx." in err) == (2, True)
    _, _, err = intact("sanitize", source, "-o", tmp_path / "x.txt", *FAST)
    assert "Call the output x.docx." in err


@pytest.mark.parametrize("suffix", ["docx", "xlsx", "odt"])
def test_a_file_of_no_bytes_is_said_to_be_empty(intact, tmp_path, suffix):
    source = tmp_path / f"in.{suffix}"
    source.write_bytes(b"")
    said = refused(intact, tmp_path, source)
    assert f"in.{suffix}: is empty (0 bytes). " in said and "ZIP" not in said
    source.write_bytes(b"Dear")
    assert "no ZIP archive" in refused(intact, tmp_path, source)


@pytest.fixture
def locked(monkeypatch):
    """Files called "locked" cannot be opened, whoever runs the tests."""

    def refusing(path, *how, **more):
        if Path(str(path)).stem == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return builtins.open(path, *how, **more)  # noqa: PTH123

    monkeypatch.setattr(files, "open", refusing, raising=False)


@pytest.mark.usefixtures("locked")
@pytest.mark.parametrize("edits", [False, True])
def test_a_file_that_may_not_be_read_is_left_out_if_asked(intact, tmp_path, edits):
    folder, out, also = tmp_path / "in", tmp_path / "out", tmp_path / "edits.json"
    folder.mkdir()
    for name in ("letter.txt", "locked.txt"):
        (folder / name).write_text("Ann Lee was born in Bergen.")
    asked = ["sanitize", folder, "-o", out, "-q", *FAST]
    if edits:
        also.write_text("[]")
        asked += ["--edits", also]
    code, _, err = intact(*asked)
    assert (code, "locked.txt: cannot be read (Permission denied)" in err) == (2, True)
    assert not out.exists()
    for more in ([], ["--resume"]):
        code, _, err = intact(*asked, "--skip-bad", *more)
        assert (code, [path.name for path in out.iterdir()]) == (1, ["letter.txt"]), err
        assert more or ("skipped: " in err and "locked.txt: cannot be read" in err)


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_where_nothing_was_read_nothing_was_detected(intact, tmp_path, text):
    (tmp_path / "in.txt").write_text(text)
    code, said, err = intact("sanitize", tmp_path / "in.txt", *FAST)
    assert (code, "it contains no text" in err, "detected" in said + err) == (0, True, False)


@pytest.mark.parametrize("suffix", ["txt", "pdf"])
def test_a_folder_is_no_output_of_a_file(intact, tmp_path, suffix):
    source, out = tmp_path / f"in.{suffix}", tmp_path / "out"
    source.write_text("Ann Lee")
    out.mkdir()
    code, _, err = intact("sanitize", source, "-o", out, *FAST)
    advice = f"is a folder, but the input is a file. Name a file: {out / 'in.sanitized.txt'}"
    assert (code, advice in err) == (2, True), err
    _, _, err = intact("detect", source, "-o", out)
    assert f"{out}: is a folder. Name a file; one in a folder is FOLDER/NAME." in err


def test_what_is_advised_for_standard_input_has_a_name(intact, tmp_path, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(b"Ann Lee was born in Bergen."))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, _, err = intact("sanitize", "-", "-o", tmp_path, *FAST)
    advised = tmp_path / "input.sanitized.txt"
    assert (code, f"Name a file: {advised}" in err) == (2, True)
    stdin.buffer.seek(0)
    code, _, err = intact("sanitize", "-", "-o", advised, *FAST)
    assert (code, "keeps names" in err) == (0, False)


def test_a_folder_that_cannot_be_opened_is_said_and_the_rest_is_done(intact, tmp_path, monkeypatch):
    folder, out, real = tmp_path / "in", tmp_path / "out", Path.is_file
    (folder / "shut").mkdir(parents=True)
    for name in ("letter.txt", "shut/letter.txt"):
        (folder / name).write_text("Ann Lee was born in Bergen.")

    def is_file(path):
        if path.parent.name == "shut":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    monkeypatch.setattr("os.access", lambda path, _mode: Path(path).name != "shut")
    for more in ([], ["--skip-bad"]):
        code, _, err = intact("sanitize", folder, "-o", out, "-q", *FAST, *more)
        assert (code, [path.name for path in out.iterdir()]) == (1, ["letter.txt"]), err
        assert "1 file: shut (a folder that cannot be opened)" in err
    assert json.loads((tmp_path / "out.run" / "manifest.json").read_text())["unread"] == [
        "shut (a folder that cannot be opened)"
    ]


def test_a_pdf_of_pictures_says_what_to_do(intact, tmp_path):
    raw = pytest.importorskip("pypdfium2").PdfDocument.new()
    raw.new_page(100, 100)
    raw.save(source := tmp_path / "scan.pdf")
    code, _, err = intact("sanitize", source, *FAST)
    said = f"{source}: has no text; it looks scanned. Scanned pages are pictures: have an OCR"
    assert (code, said in err) == (2, True)
