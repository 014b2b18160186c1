"""Names, places, organisations by what is known of them."""

import pytest

from intact.detection.knowledge import KnowledgeFinder


@pytest.fixture(scope="module")
def finder(base):
    return KnowledgeFinder(base)


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("by Dr Novak's friend", "person", "Dr Novak"),
        ("met Tadeusz Wrzosek again", "person", "Tadeusz Wrzosek"),
        ("lives in Leeds now", "place", "Leeds"),
        ("a Swedish ship", "nationality", "Swedish"),
        ("before the Ankara Labour Court", "organisation", "Ankara Labour Court"),
        ("the Ministry of Transport and Communications said", "organisation",
         "Ministry of Transport and Communications"),
        ("at 12 Baker Street in", "address", "12 Baker Street"),
        ("bread from Leipomo Hetki again", "organisation", "Leipomo Hetki"),
        ("near Gleann Chaisil and", "place", "Gleann Chaisil"),
        ("met Anna Kirche again", "person", "Anna Kirche"),
    ],
)  # fmt: skip
def test_finds(finder, text, kind, shown):
    found = {(f.kind, f.span.of(text)) for f in finder.find(text) if f.score >= 0.5}
    assert (kind, shown) in found


@pytest.mark.parametrize(
    "text",
    [
        "Section A\n\nThe tenant pays.",
        "The judge said that he was right. However, nobody came.",
        "THE FACTS OF THE CASE",
        "Under Article 34 the Court may decide.",
        "Applications were lodged in May and March.",
    ],
)
def test_ordinary_capitals_do_not_count(finder, text):
    assert [f.span.of(text) for f in finder.find(text) if f.score >= 0.5] == []
