import importlib.util
import json
import sys
from pathlib import Path

import pytest

from intact.models.questions import choose, json_schema, lines_of, read, shape, unquote
from intact.protocols import CompletionRequest

_SPEC = importlib.util.spec_from_file_location(
    "behaviours", Path(__file__).resolve().parents[3] / "eval" / "llm" / "behaviours.py"
)
assert _SPEC is not None and _SPEC.loader is not None
table = importlib.util.module_from_spec(_SPEC)
sys.modules["behaviours"] = table
_SPEC.loader.exec_module(table)


def parse_list(answer: str, count: int) -> tuple[str, ...]:
    return read(answer, CompletionRequest("", "", lines=count)).get("", ())


@pytest.mark.parametrize("behaviour", table.BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_behaviours(behaviour) -> None:
    for (kind, items), must in zip(table.KINDS.items(), behaviour.read, strict=True):
        found = table.items_read(kind, behaviour)
        assert len(found) == must
        right = {item.replace("'", "’") for item in items}
        assert {item.replace("'", "’") for item in found} <= right


@pytest.mark.parametrize(("said", "verdict"), table.VERDICTS.items())
def test_verdicts(said: str, verdict: str) -> None:
    assert choose(said, ("yes", "no")) == verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("true, broader", "true, broader"),
        ("True - broader, because", "true, broader"),
        ("**true (narrower)**", "true, narrower"),
        ("It is unsure.", "unsure"),
        ("false", "false"),
        ("no", "false"),
        ("true", ""),
    ],
)
def test_verdicts_of_several_words(said: str, verdict: str) -> None:
    assert choose(said, ("true, broader", "true, narrower", "false", "unsure")) == verdict


PARTS = CompletionRequest("", "", lines=2, parts=("2", "17"))
VERDICTS = CompletionRequest("", "", lines=1, choices=("yes", "no"), parts=("1", "2", "3"))


@pytest.mark.parametrize(
    "answer",
    [
        "[2]\nParis\nLyon\n[17]\n1994\n1995",
        "[2]:\n1. Paris\n2. Lyon\n\n[17]:\n1. 1994\n2. 1995",
        "**[2]** Paris, Lyon\n**[17]** 1994, 1995",
        "Here they are:\n\n### Guesses for [2]\n- Paris\n- Lyon\n### For [17]\n- 1994\n- 1995",
        '{"2": ["Paris", "Lyon"], "17": ["1994", "1995"]}',
        '```json\n{"answers": {"[2]": ["Paris", "Lyon"], "[17]": ["1994", "1995"]}}\n```',
        '[{"number": 2, "list": ["Paris", "Lyon"]}, {"number": 17, "list": ["1994", "1995"]}]',
    ],
)
def test_answers_to_several_questions(answer: str) -> None:
    assert read(answer, PARTS) == {"2": ("Paris", "Lyon"), "17": ("1994", "1995")}


@pytest.mark.parametrize(
    "answer",
    [
        "1: yes\n2: no\n3: yes",
        "1. Yes.\n2. No, it is not.\n3. **Yes**",
        "[1] yes\n[2] no\n[3] yes",
        "yes\nno\nyes",
        '{"1": "yes", "2": "no", "3": true}',
    ],
)
def test_verdicts_on_several_questions(answer: str) -> None:
    assert read(answer, VERDICTS) == {"1": ("yes",), "2": ("no",), "3": ("yes",)}


def test_a_guess_that_holds_the_number_of_another_question_is_a_guess() -> None:
    parts = CompletionRequest("", "", lines=2, parts=("5", "25"))
    assert read("[5]\nTec 5\n$25\n[25]\n5 Street\n25", parts) == {
        "5": ("Tec 5", "$25"),
        "25": ("5 Street", "25"),
    }


def test_a_part_that_is_missing_is_left_out() -> None:
    assert read("[17]\n1994\n1995", PARTS) == {"17": ("1994", "1995")}
    assert read("yes\nno", VERDICTS) == {}
    assert read("Paris\nLyon", CompletionRequest("", "", lines=2, parts=("2",))) == {
        "2": ("Paris", "Lyon")
    }


@pytest.mark.parametrize("request_", [PARTS, VERDICTS, CompletionRequest("", "", lines=2)])
def test_json_that_was_asked_for_becomes_lines(request_: CompletionRequest) -> None:
    properties = json_schema(request_)["properties"]
    value = "yes" if request_.choices else ["Kraków", 'the "Court"']
    answer = json.dumps(dict.fromkeys(properties, value), ensure_ascii=False)
    text = lines_of(answer, request_)
    assert set(read(text, request_)) == set(request_.parts or ("",))
    assert text.count("\n") + 1 == request_.rows
    assert lines_of("Paris", request_) is None and lines_of('{"answers": 3}', request_) is None


def test_the_shape_of_an_answer_holds_none_of_its_words() -> None:
    said = shape("<think>Secret</think>\n1. Secret name\n2. Other")
    assert said == "3 lines of 1, 3 and 2 words, a think block, numbers"
    assert "Secret" not in said and shape(" \n") == "empty"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("a town\na place", ("a town", "a place")),
        ("- a town\n- a place", ("a town", "a place")),
        ("* a town\n* a place\n", ("a town", "a place")),
        ("1. a town\n2. a place", ("a town", "a place")),
        ("1) a town\n2) a place", ("a town", "a place")),
        ("- 1. a town\n- 2. a place", ("a town", "a place")),
        ("- 5\n- 6", ("5", "6")),
        ("-5\n-6", ("-5", "-6")),
        ("3 children\n4 children", ("3 children", "4 children")),
        ("1996\n1997", ("1996", "1997")),
        ('"a town"\n**a place**', ("a town", "a place")),
        ("Sure! Here are two:\n\n- a town\n- a place\n\nI hope that helps.", ("a town", "a place")),
        ("Here you go:\n1. a town\n2. a place", ("a town", "a place")),
        ("```\na town\na place\n```", ("a town", "a place")),
        ("- a town\n- a place\n- a thing", ("a town", "a place")),
        ("a town\na place\na thing", ("a town", "a place")),
        ("['a town', 'a place']", ("a town", "a place")),
        ("Sure! Here are two guesses:\nAnkara", ("Ankara",)),
        ("a town", ("a town",)),
        ("3. September 1981\n12. Oktober 1982", ("3. September 1981", "12. Oktober 1982")),
    ],
)
def test_lists(answer: str, expected: tuple[str, ...]) -> None:
    assert parse_list(answer, 2) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "\n\n",
        "I cannot help with that.",
        "Sorry, but\nI will not do that",
        "the words go on and on " * 8 + "\n" + "and on " * 30,
    ],
)
def test_what_is_not_such_a_list(answer: str) -> None:
    assert parse_list(answer, 2) == ()


def test_a_chatty_answer_is_never_a_list_of_characters() -> None:
    assert parse_list("Well, that is difficult to say.", 5) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“a town”", "a town"),
        ("'a town'", "a town"),
        ("**a town**", "a town"),
        ("`a`", "a"),
        ("O'Brien's", "O'Brien's"),
        ('"A" and "B"', '"A" and "B"'),
        ('""', '""'),
        ("  x ", "x"),
    ],
)
def test_unquote(text: str, expected: str) -> None:
    assert unquote(text) == expected
