import json

import pytest

from eval.llm import behaviours as table
from intact.models.reading import LONGEST, Row, json_schema, lines_of, read_rows, shape, unquote
from intact.protocols import CompletionRequest


@pytest.mark.parametrize("kind", table.KINDS)
@pytest.mark.parametrize("behaviour", table.BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_behaviours(behaviour, kind):
    assert table.rows_read(kind, behaviour) == table.rows_due(kind, behaviour)


def test_json_that_was_asked_for_becomes_lines():
    schema = json_schema(CompletionRequest("", "", places=(2, 17)))
    assert schema["required"] == ["lines"] and schema["properties"]["lines"]["minItems"] == 2
    text = lines_of(json.dumps({"lines": ["2 | Kraków\n| a town", '17 | the "Court"']}))
    assert text == '2 | Kraków | a town\n17 | the "Court"'
    for other in ("Paris", '{"answers": 3}', '{"lines": 3}', '{"lines": [3]}', "[]", "null"):
        assert lines_of(other) is None


def test_rows_about_no_place_and_cells_that_are_too_long():
    rows = read_rows("also | squad boss | the leader\nperson | she may be a nurse\nnone | x")
    assert [row.key for row in rows] == ["also", "person"]
    assert read_rows(f"1 | a town | {'x' * (LONGEST + 1)}") == [Row("1", ("a town",))]


def test_the_shape_of_an_answer_holds_none_of_its_words():
    said = shape("<think>Secret</think>\n1. Secret name\n2. Other")
    assert said == "3 lines of 1, 3 and 2 words, a think block"
    assert "Secret" not in said and shape(" \n") == "empty"


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
