"""intact context: clues on the screen and in a private file."""

import json

from tests.marked import tab_document


def test_context_lists_by_class_and_line(intact, tab, tmp_path):
    text = "Topp was tried.\nHe fell under section 7(2) of Law no. 3713 (muhtar)."
    raw = tab_document("d1", text, ("Topp", "PERSON"), layer="ann")
    out = tmp_path / "clues.json"
    code, said, told = intact("context", tab(raw), "--no-detect", "-o", out)
    assert code == 0, told
    assert "section 7(2) of Law no. 3713" in said
    assert out.stat().st_mode & 0o777 == 0o600
    (norm, foreign) = json.loads(out.read_text())["d1"]
    assert (norm["class"], norm["line"]) == ("norm", 2)
    assert text[norm["start_offset"] : norm["end_offset"]] == norm["text"]
    assert foreign["class"] == "foreign"
    code, said, _ = intact("context", tab(raw), "--no-detect", "--no-words")
    assert "3713" not in said
    assert "lines 2" in said


def test_nothing_is_listed_before_all_documents_are_read(intact, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("He fell under section 7(2) of Law no. 3713.")
    (tmp_path / "in/b.docx").write_text("no document")
    code, said, told = intact("context", tmp_path / "in", "--no-detect")
    assert (code, said) == (2, "")
    assert "b.docx: not a .docx file" in told
