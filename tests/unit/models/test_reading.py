import json

import pytest

from eval.llm import behaviours as table
from intact.models.reading import LONGEST, Row, by_number, json_schema, read_rows, shape, unquote
from intact.protocols import CompletionRequest


@pytest.mark.parametrize("kind", table.KINDS)
@pytest.mark.parametrize("behaviour", table.BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_behaviours(behaviour, kind):
    assert table.rows_read(kind, behaviour) == table.rows_due(kind, behaviour)


def test_json_that_was_asked_for_becomes_rows():
    schema = json_schema(CompletionRequest("", "", places=(2, 17)))
    assert schema["required"] == ["2", "17", "also"] == [*schema["properties"]]
    assert "also" not in json_schema(CompletionRequest("", "", (2,), only=True))["properties"]
    said = {"2": "Kraków\n| a town", "17": "12", "also": ["ward B | a ward", "Mo | a man"]}
    rows = [Row("2", ("Kraków", "a town")), Row("17", ("12",))]
    clues = [Row("also", ("ward B", "a ward")), Row("also", ("Mo", "a man"))]
    assert read_rows(json.dumps(said)) == rows + clues
    cut = by_number(read_rows(json.dumps(said)[:32]), frozenset((2, 17)))
    assert cut == {2: ("Kraków", "a town")}
    for other in ("Paris", '{"answers": 3}', '{"lines": 3}', '{"lines": [3]}', "[]", "null"):
        assert read_rows(other) == []


def test_rows_about_no_place_and_cells_that_are_too_long():
    rows = read_rows("also | squad boss | the leader\nperson | a nurse\nnone | x")
    assert [row.key for row in rows] == ["also"]
    assert read_rows(f"1 | a town | {'x' * (LONGEST + 1)}") == [Row("1", ("a town",))]


def test_the_shape_of_an_answer_holds_none_of_its_words():
    said = shape("<think>Secret</think>\n1. Secret name\n2. Other")
    assert said == "3 lines, a think block"
    assert "Secret" not in said and shape(" \n") == "0 lines, empty"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“a town”", "a town"),
        ("'a town'", "a town"),
        ('"A" and "B"', '"A" and "B"'),
    ],
)
def test_unquote(text, expected):
    assert unquote(text) == expected
