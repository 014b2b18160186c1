"""``intact detect``, and ``intact sanitize`` of raw text."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from intact import cli as command_line

TEXT = "Mr Jan Zgrobski was born in Leeds on 3 May 1970. His file is no. 2004/351."


@pytest.fixture
def letter(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_detect_writes_tab(intact, letter, tmp_path):
    out = tmp_path / "out.json"
    code, said, _ = intact("detect", letter, "-o", out)
    assert code == 0 and "4 mentions of 4 entities by patterns, knowledge, tagger" in said
    (document,) = json.loads(out.read_text())
    mentions = document["annotations"]["intact"]["entity_mentions"]
    assert document["doc_id"] == "letter"
    assert [m["span_text"] for m in mentions] == [
        "Mr Jan Zgrobski", "Leeds", "3 May 1970", "2004/351",
    ]  # fmt: skip
    assert all(TEXT[m["start_offset"] : m["end_offset"]] == m["span_text"] for m in mentions)
    assert mentions[0]["identifier_type"] == "DIRECT" and "knowledge" in mentions[0]["sources"]


def test_a_folder(intact, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    (folder / "b.jsonl").write_text('{"id": 1, "text": "Mr Novak left Leeds."}\n{"id": 2}\n')
    code, said, complaint = intact("detect", folder, "-o", tmp_path / "o.json", "--skip-bad")
    assert code == 1 and "2 documents" in said and "line 2" in complaint
    assert [d["doc_id"] for d in json.loads((tmp_path / "o.json").read_text())] == ["a", "1"]
    code, _, complaint = intact("detect", folder, "-o", tmp_path / "p.json")
    assert code == 2 and "b.jsonl, line 2" in complaint and not (tmp_path / "p.json").exists()


def test_a_draft_gives_one_label_to_each_person_of_a_folder(intact, tmp_path):
    folder, drafted = tmp_path / "in", tmp_path / "people.csv"
    folder.mkdir()
    (folder / "a.txt").write_text("Siobhan Kettlewell complained about Graham Pellow.")
    (folder / "b.txt").write_text("Graham Pellow denies it. Siobhan Kettlewell was upset.")
    code, _, complaint = intact("sanitize", folder, "-o", tmp_path / "out")
    assert code == 0 and "PERSON_1 of one file and of another may be two people" in complaint
    code, said, _ = intact("detect", folder, "--glossary", drafted)
    assert code == 0 and "Written:" in said and "Kettlewell" not in said
    assert drafted.read_text().splitlines() == [
        "surface,phrase,kind,note", "Siobhan Kettlewell,P01,PERSON,",
        "Graham Pellow,P02,PERSON,",
    ]  # fmt: skip
    code, _, complaint = intact("sanitize", folder, "-o", tmp_path / "o", "--glossary", drafted)
    assert code == 0 and "PERSON_1" not in complaint
    assert (tmp_path / "o" / "b.txt").read_text() == "P02 denies it. P01 was upset."
    code, _, complaint = intact("detect", folder, "--glossary", drafted)
    assert code == 2 and "is there already" in complaint


def test_names_that_two_people_of_a_draft_share_are_told_and_no_log_has_them(intact, tmp_path):
    folder, drafted = tmp_path / "in", tmp_path / "people.csv"
    folder.mkdir()
    (folder / "a.txt").write_text("Siobhan Kettlewell wrote to Graham Pellow, Ann Kettlewell.")
    (folder / "b.txt").write_text("Ann Kettlewell was upset.")
    _, _, complaint = intact("detect", folder, "--glossary", drafted)
    assert "people of the draft may be one, or share a name" in complaint
    assert "2 labels: P01, P0" in complaint and "Kettlewell" not in complaint
    assert drafted.read_text().count(",see P0") == 2


def test_a_draft_stops_at_columns_that_nobody_chose_as_sanitize_does(intact, tmp_path):
    table, drafted = tmp_path / "log.csv", tmp_path / "people.csv"
    table.write_text("who,text\nSiobhan Kettlewell,She rang.\n")
    code, _, complaint = intact("detect", table, "--glossary", drafted)
    assert code == 2 and "column 1 (who)" in complaint and not drafted.exists()
    assert intact("detect", table, "-o", tmp_path / "log.json")[0] == 0
    assert intact("detect", table, "--glossary", drafted, "--columns", "who,text")[0] == 0
    assert "Siobhan Kettlewell,P01" in drafted.read_text()


@pytest.mark.parametrize("written", [[], ["-o", "o.json", "--glossary", "g.csv"]])
def test_one_thing_is_written(intact, letter, written):
    code, _, complaint = intact("detect", letter, *written)
    assert code == 2 and "-o, --glossary: name one" in complaint


@pytest.mark.parametrize("words", [("detect", "-o", "o.json"), ("convert", "o.jsonl")])
def test_what_no_format_reads_is_named_and_not_all_is_done(intact, tmp_path, words):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    (folder / "b.png").write_bytes(b"\x89PNG")
    command, *written = words
    out = [tmp_path / one if one.startswith("o.") else one for one in written]
    code, _, complaint = intact(command, folder, *out)
    assert code == 1 and "in no readable format: 1 file: b.png" in complaint
    (folder / "b.png").unlink()
    assert intact(command, folder, *out)[0] == 0
    (folder / "~$a.docx").write_bytes(b"x")
    code, _, complaint = intact(command, folder, *out)
    assert code == 0 and "passed over: 1 thing: ~$a.docx (of an open document)" in complaint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--detector", "magic"], "no detector called 'magic'"),
        (["--threshold", "2"], "--threshold"),
        (["--set", "detection.tagger=/nowhere"], "is no tagger"),
    ],
)
def test_wrong_options(intact, letter, tmp_path, options, said):
    code, _, complaint = intact("detect", letter, "-o", tmp_path / "o.json", *options)
    assert code == 2 and said in complaint and "Zgrobski" not in complaint


def test_sanitize_takes_raw_text_and_says_so(intact, letter, tmp_path):
    code, said, _ = intact("sanitize", letter, "-o", tmp_path / "safe.txt")
    assert code == 0 and "had no annotations, so details were detected" in said
    safe = (tmp_path / "safe.txt").read_text()
    assert safe.startswith("Mr PERSON_1 was born in") and "2004/351" not in safe


def test_sanitize_detects_where_the_list_of_mentions_is_empty(intact, tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": "x", "text": TEXT, "mentions": []}))
    _, said, warned = intact("sanitize", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    assert "detected" in said and "its list of mentions is empty" in warned
    assert "2004/351" not in json.loads((tmp_path / "out.jsonl").read_text())["sanitized_text"]


def test_from_the_standard_input_to_the_standard_output(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(TEXT.encode())))
    with pytest.MonkeyPatch.context() as patched:
        held = io.BytesIO()
        patched.setattr(sys, "stdout", SimpleNamespace(buffer=held, write=None, flush=None))
        assert command_line.run(["detect", "-", "-o", "-", "--detector", "patterns"]) == 0
    (document,) = json.loads(held.getvalue())
    assert document["doc_id"] == "standard input" and document["text"] == TEXT


def test_doubts_are_listed_and_may_be_an_error(intact, tmp_path):
    (tmp_path / "x.txt").write_text(
        "It was late and she was with him.\nThen Zorblax met Quennoth and Vrylla of Threx.\n" * 3
    )
    options = ["-o", tmp_path / "o.json", "--detector", "patterns", "--doubts"]
    code, said, complaint = intact("detect", tmp_path / "x.txt", *options)
    assert code == 0 and "details missed per 100 words" in said and "lines 2, 4, 6" in said
    assert "Zorblax" not in said + complaint
    code, _, _ = intact("detect", tmp_path / "x.txt", *options, "--require-certain")
    assert code == 3


def test_detectors_are_measured_side_by_side(intact, tab, document):
    both = ("--detector", "patterns", "--detector", "patterns,knowledge")
    code, said, _ = intact("detect", "evaluate", tab(document()), *both)
    assert code == 0 and "Recall and precision" in said and "unsure of" in said
    rows = [line.split() for line in said.splitlines() if line.startswith(" patterns")]
    assert len(rows) == 4
    patterns, knowledge = (float(row[3]) for row in rows[2:])  # of places
    assert knowledge >= patterns
