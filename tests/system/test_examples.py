"""The examples are what their README says, and come out protected."""

import json
import runpy
from pathlib import Path

import pytest

import intact
from intact import cli
from intact.formats.jsonl import TabFormat

FOLDER = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(FOLDER.glob("*.json"))


def documents(path, annotator="first"):
    return list(intact.load(path, annotator=annotator))


def test_there_are_at_least_eight():
    assert len(FILES) >= 8
    table = (FOLDER / "README.md").read_text()
    assert all(path.stem in table for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("annotator", ["first", "all"])
def test_no_name_or_code_is_left(path, annotator):
    for done in intact.sanitize(documents(path, annotator)):
        for mention in done.document.mentions:
            if mention.masked and mention.entity_type in ("PERSON", "CODE"):
                assert mention.text not in done.text


def test_the_demo_shows_what_it_did_and_the_command_that_it_prints_works(tmp_path, capsys):
    out, edits = tmp_path / "sanitized", tmp_path / "edits.json"
    run = ["sanitize", str(FOLDER), "--format", "tab", "-o", str(out), "--edits", str(edits), "-q"]
    assert cli.run(run) == 0
    runpy.run_path(str(FOLDER / "demo.py"))["main"](tmp_path)
    said = capsys.readouterr().out
    assert "PERSON_1" in said and "words changed" in said
    printed = said.partition("Why each choice:")[2]
    assert "\n" not in printed.strip()
    assert cli.run(printed.split()[1:]) == 0
    assert "cellist became" in capsys.readouterr().out


def test_every_annotators_mention_gets_its_replacement():
    kind = TabFormat()
    path = FOLDER / "asylum-decision.json"
    with path.open("rb") as file:
        (record,) = kind.records(file, str(path))
    loaded = kind.load(record, "all")
    (done,) = intact.sanitize([loaded.document])
    after = json.loads(kind.render(record, loaded, done))
    for layer in after["annotations"].values():
        for mention in layer["entity_mentions"]:
            masked = mention["identifier_type"] != "NO_MASK"
            assert (mention["replacement"] is not None) or not masked
