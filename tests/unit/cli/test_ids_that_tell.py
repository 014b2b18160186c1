"""Ids of documents go out as they are: those that may say who somebody is are warned of."""

import json

import pytest

from intact.domain import Document, Edit, SanitizedDocument, Span
from intact.run.work import TELLING_ID, name_warnings

TEXT = "The visit of Okafor was in May."


@pytest.mark.parametrize("own", ["x-okafor", "NgoziIbe", "Bo_Quist", "a@b.org", "123-45 67.890"])
def test_an_id_that_may_say_who_somebody_is_is_warned_of(own):
    done = SanitizedDocument(Document(own, TEXT, ()), (Edit(Span(13, 19), "A"),), (), ())
    assert name_warnings("in.csv", done) == (TELLING_ID,)


@pytest.mark.parametrize("own", ["17", "001-57999", "in-3", "Report_12", "3f2b8c91-4d5e-a0b1"])
def test_other_ids_are_not(own):
    done = SanitizedDocument(Document(own, TEXT, ()), (Edit(Span(13, 19), "A"),), (), ())
    assert name_warnings("in.csv", done) == ()


def test_the_warning_names_the_place_and_not_the_id(intact, tmp_path):
    rows = [{"id": "a", "text": "x"}, {"id": "Bo Quist", "text": "It rained."}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    _, _, said = intact("sanitize", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    assert f"in.jsonl (document 2): {TELLING_ID}" in " ".join(said.split()) and "Quist" not in said
