"""``intact convert``, and ``intact sanitize`` on the formats of other tools."""

import io
import json
import re

import pytest

from tests.unit.cli.conftest import FAST

RULES = (*FAST, "--set", "detection.detectors=['patterns']")
LETTER = "Write to zelda@example.org."


def test_losses_are_said_and_counted(intact, tab, document, tmp_path):
    raw = document()
    layer = raw["annotations"]["ann"]["entity_mentions"]
    layer.append(layer[0] | {"end_offset": 9, "span_text": "Zacharias", "entity_mention_id": "n"})
    raw["annotations"]["ben"] = {"entity_mentions": []}
    raw["meta"] = {}
    code, _, err = intact("convert", tab(raw), tmp_path / "out.json", "--to", "labelstudio")
    assert code == 0
    for loss in ("further annotators", "further fields (1)"):
        assert f"not kept in labelstudio: {loss}" in err


def test_bad_documents_are_counted_and_the_rest_goes_through(intact, tmp_path):
    found = {"entity_type": "PERSON", "start": 0, "end": 3}
    lines = [{"id": 1, "text": "Ann", "results": [found]}, {"id": 2, "text": "Bo"}]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    code, _, err = intact("convert", path, out, "--from", "presidio")
    assert code == 2
    assert "its analyzer_results are missing" in err
    assert not out.exists()
    code, _, err = intact("convert", path, out, "--from", "presidio", "--skip-bad")
    assert code == 1
    assert "skipped:" in err
    assert [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()] == ["1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("out.what",), "its format is not known by its suffix"),
        (("out.html",), "can only be written where it was read"),
        (("out.csv",), "can only be written where it was read"),
        (("out.jsonl", "--columns", "x"), "no table to read. Of CSV and Parquet"),
        (("out.jsonl", "--to", "frob"), "no format called 'frob'"),
        (("out.jsonl", "--from", "tab:x"), "has no columns"),
    ],
)
def test_what_cannot_be_converted(intact, tab, document, tmp_path, arguments, said):
    name, *options = arguments
    code, _, err = intact("convert", tab(document()), tmp_path / name, *options)
    assert code == 2
    assert said in err
    assert not (tmp_path / name).exists()


def test_annotations_of_others_are_sanitised_into_jsonl(intact, tab, document, tmp_path):
    given, name = tmp_path / "text.json", ("--format", "labelstudio")
    intact("convert", tab(document()), given, "--to", "labelstudio")
    code, _, err = intact("sanitize", given, "-o", tmp_path / "out.json", *name, *FAST)
    assert (code, "Call the output out.jsonl" in err) == (2, True)
    code, _, err = intact("sanitize", given, "-o", tmp_path / "out.jsonl", *name, *FAST, "-q")
    assert code == 0 and "holds the originals" in err  # though quiet
    done = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))
    assert done["sanitized_text"].startswith("PERSON_1 of LOC_1 wrote. ")
    assert done["mentions"][0]["outcome"] == "LABEL"


def test_a_folder_of_everything(intact, tmp_path):
    docx = pytest.importorskip("docx")
    folder = tmp_path / "in"
    folder.mkdir()
    word = docx.Document()
    word.add_paragraph(LETTER)
    word.save(folder / "a.docx")
    (folder / "b.html").write_text(f"<title>B</title><p>{LETTER}</p>", encoding="utf-8")
    (folder / "c.txt").write_text(LETTER, encoding="utf-8")
    (folder / "d.csv").write_text(f"text\n{LETTER}\n", encoding="utf-8")
    (folder / "e.txt").write_bytes(b"Zo\xeb")
    (folder / "f.docx").write_bytes(b"PK no archive")
    (folder / "g.txt").write_bytes(b"")
    (folder / "h.txt").write_bytes(b"\x00\x01\x02")
    (folder / "i.csv").write_bytes(b"")
    (folder / "~$a.docx").write_bytes(b"locked")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    out = tmp_path / "out"
    code, _, err = intact("sanitize", folder, "-o", out, *RULES)
    assert code == 2
    assert not out.exists() or not list(out.iterdir())
    code, _, err = intact("sanitize", folder, "-o", out, "--skip-bad", *RULES)
    assert code == 1, err
    for said in (
        r"e\.txt: not UTF-8 \(byte 2\)",
        r"f\.docx: not a \.docx file",
        r"h\.txt: not a text file \(a zero byte at byte 0\)",
        r"i\.csv: it is empty",
        r"g\.txt.*it contains no text",
    ):
        assert re.search(said, err), (said, err)
    assert (out / "c.txt").read_text("utf-8") == "Write to CODE_1."
    assert (out / "d.csv").read_text("utf-8") == "text\nWrite to CODE_1.\n"
    assert "<p>Write to CODE_1.</p>" in (out / "b.html").read_text("utf-8")
    assert docx.Document(out / "a.docx").paragraphs[0].text == "Write to CODE_1."
    assert not (out / "f.docx").exists()


def test_standard_input_by_content(intact, tmp_path, monkeypatch):
    stream = io.BytesIO(b"<!DOCTYPE html><p>" + LETTER.encode())
    monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream})())
    out = tmp_path / "out.html"
    assert intact("sanitize", "-", "-o", out, *RULES, "-q")[0] == 0
    assert "CODE_1" in out.read_text("utf-8")
