"""A glossary over a folder of interviews, through the command line."""

import json
import re

from intact import cli

ROWS = """surface,phrase,kind
Maureen Tattersall,P01,PERSON
MT,P01,PERSON
Irwell,Irwell,
Holcroft Mill,the mill,ORG
Weavers Row,a street,LOC
Thorpe Clough,a village,LOC
""" + "".join(f"Nowhere {n},a lane,LOC\n" for n in "ABCDEFGHIJKLMNOPQRST")
FIRST = "MT: I am Maureen Tattersall. I worked at Holcroft Mill, beside the Irwell.\n"
SECOND = "We knew Mrs Tattersall, Maureen Tattersall, of Irwell Street. I swim in the Irwell.\n"


def test_one_label_in_all_files_public_names_kept_and_rows_told(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(FIRST, "utf-8")
    (tmp_path / "in" / "b.txt").write_text(SECOND, "utf-8")
    rows, out, page = tmp_path / "names.csv", tmp_path / "out", tmp_path / "certificate.html"
    rows.write_text(ROWS, "utf-8")
    command = ["sanitize", str(tmp_path / "in"), "-o", str(out), "--glossary", str(rows)]
    assert cli.run([*command, "--certificate", str(page)]) == 0
    printed = " ".join("".join(capsys.readouterr()).split())
    assert (out / "a.txt").read_text(
        "utf-8"
    ) == "P01: I am P01. I worked at the mill, beside the Irwell.\n"
    second = (out / "b.txt").read_text("utf-8")
    assert second.startswith("We knew P01, P01, of ") and second.endswith(
        " I swim in the Irwell.\n"
    )
    assert "Irwell Street" not in second
    assert "names.csv: words met nowhere by themselves (not there" in printed
    assert "): 22 lines: 6, 7, 8, " in printed and ", 25 and 2 more" in printed
    assert (
        "hidden as such, not as the line says (give these rows of their own): 1 line: 4" in printed
    )
    assert "nothing personal: 0 of 8; by the glossary: 2" in printed
    assert "counted anew" not in printed
    assert "Weavers" not in printed and "Irwell" not in printed
    manifest = (tmp_path / "out.run" / "manifest.json").read_text("utf-8")
    assert json.loads(manifest)["figures"]["clear"] == 2 and "Irwell" not in manifest
    record = (tmp_path / "out.run" / "record.jsonl").read_text("utf-8")
    assert record.count("kept in clear by the glossary, lines (and how many places): 4 (1)") == 2
    shown = re.sub(r"<[^>]*>", " ", page.read_text("utf-8"))
    assert re.search(r"\b2\s+the original, in clear", shown)
    assert re.search(r"the glossary\s+7 places: 2 kept as it is, 5 as its line says", shown)
