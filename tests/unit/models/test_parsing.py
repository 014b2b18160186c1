import pytest

from intact.models.parsing import parse_list, unquote


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
    ],
)
def test_lists(answer: str, expected: tuple[str, ...]) -> None:
    assert parse_list(answer, 2) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "\n\n",
        "a town",
        "I cannot help with that.",
        "Sure! Here are two guesses:\nAnkara",
        "a town\na place\na thing",
        "Sorry, but\nI will not do that",
        "the words go on and on " * 8 + "\n" + "and on " * 30,
        "['a town', 'a place']",
    ],
)
def test_what_is_not_such_a_list(answer: str) -> None:
    assert parse_list(answer, 2) is None


def test_fewer_items_are_a_list_only_where_that_will_do() -> None:
    assert parse_list("- a town\n- a place", 5) is None
    assert parse_list("- a town\n- a place", 5, at_least=1) == ("a town", "a place")
    assert parse_list("a town", 5, at_least=1) == ("a town",)
    assert parse_list("I do not know", 5, at_least=1) is None


def test_a_chatty_answer_is_never_a_list_of_characters() -> None:
    assert parse_list("Well, that is difficult to say.", 5) is None


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
