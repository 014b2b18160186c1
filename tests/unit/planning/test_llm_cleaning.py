import pytest

from intact.planning.llm import clean


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a city in Turkey", "a city in Turkey"),
        ("A city in Turkey.", "a city in Turkey"),
        ('"a court"', "a court"),
        ("**a court** - it hears appeals", "a court"),
        ("a court (such as the Old Bailey)", "a court"),
        ("a fruit, such as an apple", "a fruit"),
        ("a fruit, e.g. an apple", "a fruit"),
        ("a nurse: somebody who cares", "a nurse"),
        ("a judge → a lawyer", "a judge"),
        ("in Western Europe", "Western Europe"),
        ("in the 1990s", "the 1990s"),
        ("a town in the U.S.", "a town in the U.S."),
        ("European", "European"),
        ("between 4,000 and 5,000", "between 4,000 and 5,000"),
        ("more than 50 %", "more than 50 %"),
        ("a semi-public body", "a semi-public body"),
        ("Scandinavian", "Scandinavian"),
        ("in the early 1990s", "the early 1990s"),
        ("in his late eighties", "in his late eighties"),
        ("of primary school age", "of primary school age"),
        ("joint replacement", "joint replacement"),
    ],
)
def test_what_is_left(line: str, expected: str) -> None:
    assert clean(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "---",
        "the original span",
        "the replacement of it",
        "[REDACTED]",
        "PERSON_1",
        "N/A",
        "unknown",
        "Is this what you want?",
        "It is a town. It lies in Turkey.",
        "a person who did one thing and then another thing and then yet one more of them",
        "\ufffd\ufffd",
    ],
)
def test_what_offers_nothing(line: str) -> None:
    assert clean(line) == ""
