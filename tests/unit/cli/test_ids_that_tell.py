"""Ids of documents and places of files go out as they are, and are told, whatever they say."""

import json
import re
from html import unescape

import pytest

from intact.run.work import unchecked_names

PLAIN = ["17", "doc-1", "in-3", "0042", "a", "Page b2", "document_12", "in-12345678", "decision"]


@pytest.mark.parametrize(
    "own",
    [
        *("Mark Young", "mark young, born 1951, tel 555 0134", "NgoziIbe", "a@b.org", "0134 555"),
        *(
            "1951-05-03",
            "j.s.",
            "Page 2b",
            "will hope",
            "\N{CIRCLED LATIN SMALL LETTER A}x",
            "in-ann",
        ),
    ],
)
def test_every_id_is_told(own):
    line, names = unchecked_names({own: "in.csv"}, ["in.csv"])
    assert names == (own,) and line.endswith(": 1 document id")


@pytest.mark.parametrize("own", PLAIN)
def test_but_for_those_that_say_nothing_or_were_made_here(own):
    assert unchecked_names({own: "in.csv"}, ["in.csv"]) == ("", ())


PLACES = {
    "in/./Vasbrook, Quintella/letter.txt": "Vasbrook, Quintella/letter.txt",
    "in/./may young/page 1.txt": "may young/page 1.txt",
    "in/Will Hope.docx": "Will Hope.docx",
    "in/note.hope": "note.hope",
    "in/./2024/letter.json": "",
    "Rose Young/Letter.DOCX": "",
}


@pytest.mark.parametrize("file", PLACES)
def test_every_place_is_told(file):
    line, names = unchecked_names({}, [file])
    assert names == tuple(filter(None, [PLACES[file]]))
    assert line.endswith("1 file name") if PLACES[file] else not line


def test_a_run_tells_them_once_and_each_document_has_it_in_its_notes(intact, tmp_path):
    rows = [{"id": "Mark Young", "text": "x", "a": 1}, {"id": "will hope", "text": "y", "a": 2}]
    place, page = tmp_path / "rose.jsonl", tmp_path / "page.html"
    place.write_text("\n".join(map(json.dumps, rows)))
    asked = ("sanitize", place, "-o", tmp_path / "out.jsonl", "--certificate", page)
    code, _, said = intact(*asked)
    said = " ".join(said.split())
    assert code == 0 and said.count("which may say who somebody is") == 1
    assert "2 document ids (Mark Young, will hope)" in said  # rose stands in none of them
    assert said.count("other fields are left as they are: a") == 1
    assert "Mark Young, will hope: other fields are left" in said
    certified = unescape(page.read_text("utf-8"))
    assert "2 document ids" in certified
    assert not re.search("mark young|will hope|rose", certified, re.IGNORECASE)
    _, told, _ = intact("explain", tmp_path / "out.jsonl", "Mark Young")
    assert "1 document id and 1 file name" in " ".join(told.split())


def test_a_file_name_that_the_output_does_not_have_is_not_told(intact, tmp_path):
    source, told = tmp_path / "Nowak.txt", "1 file name (Nowak.txt)"
    source.write_text("Ann Lee")
    _, _, said = intact("sanitize", source)
    assert told in said and "(rename the file, or what has its name)" in said
    for name, named in {"out.txt": False, "to nowak.txt": True}.items():
        _, _, said = intact("sanitize", source, "-o", tmp_path / name)
        assert (told in said) == named
    edits = tmp_path / "edits.json"  # the document is called Nowak in them
    assert told in intact("sanitize", source, "-o", tmp_path / "out.txt", "--edits", edits)[2]
