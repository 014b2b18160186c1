"""Ids of documents go out as they are: those that may say who somebody is are warned of."""

import json

import pytest

from intact.domain import Document, Edit, SanitizedDocument, Span
from intact.formats.base import stem
from intact.run.work import TELLING_ID, TELLING_PLACE, name_warnings

TEXT = "The visit of Okafor was in May."


@pytest.mark.parametrize(
    "own", ["x-okafor", "NgoziIbe", "Bo_Quist", "a@b.org", "123-45 67.890", "in.lee@x.org", "qvist"]
)
def test_an_id_that_may_say_who_somebody_is_is_warned_of(own):
    done = SanitizedDocument(Document(own, TEXT, ()), (Edit(Span(13, 19), "A"),), (), ())
    assert name_warnings("in.csv", done, ()) == (TELLING_ID,)


@pytest.mark.parametrize("own", ["17", "001-57999", "in-3", "Report_12", "3f2b8c91-4d5e-a0b1"])
def test_other_ids_are_not(own):
    done = SanitizedDocument(Document(own, TEXT, ()), (Edit(Span(13, 19), "A"),), (), ())
    assert name_warnings("in.csv", done, ()) == ()


def test_the_warning_names_the_place_and_not_the_id(intact, tmp_path):
    rows = [{"id": "a", "text": "x"}, {"id": "Bo Quist", "text": "It rained."}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    _, _, said = intact("sanitize", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    assert f"in.jsonl (1 of 2 documents): {TELLING_ID}" in " ".join(said.split())
    assert "Quist" not in said


PLACES = {
    "in/./Vasbrook, Quintella/1951-05-03/note.txt": True,
    "in/./case 555-0134-22/letter.txt": True,
    "in/./ward/qvasbrook_discharge.txt": True,
    "in/./2024/police-report.json": False,
    "in/./Report.docx": False,
    "losses.xlsx": False,
}


@pytest.mark.parametrize("name", PLACES)
def test_a_place_that_may_say_who_somebody_is_is_warned_of(name):
    done = SanitizedDocument(Document(stem(name), "It rained.", ()), (), (), ())
    assert name_warnings(name, done, ()) == ((TELLING_PLACE,) if PLACES[name] else ())
