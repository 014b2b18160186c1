"""Names and codes that are found once are found in any spelling."""

import pytest

from intact.domain import Document, Mention, Span
from intact.rewriting.occurrences import occurrences

GIVEN = "Dear Ngozi Adeyemi-Kruger, number AB123456: "


def spelled(behind):
    text = GIVEN + behind
    marked = (("Ngozi Adeyemi-Kruger", "PERSON"), ("AB123456", "CODE"))
    mentions = tuple(
        Mention(f"m{at}", Span(text.index(own), text.index(own) + len(own)), own, kind, kind)
        for at, (own, kind) in enumerate(marked)
    )
    found = occurrences(Document("d", text, mentions))
    return [one.span.of(text) for one in found if one.span.start >= len(GIVEN)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("N g o z i came", "N g o z i"),
        ("**Ngo**zi came", "Ngo**zi"),
        ("Ade**ye**mi came", "Ade**ye**mi"),
        ("%4e=67ozi came", "%4e=67ozi"),
        ("&amp;#78;gozi came", "&amp;#78;gozi"),
        ("\u0274\u0262\u1d0f\u1d22\u026a came", "\u0274\u0262\u1d0f\u1d22\u026a"),
        ("Kru<br>ger came", "Kru<br>ger"),
        ("\n> Kru-\n> ger came", "Kru-\n> ger"),
        ("A B 1 2 3-4 5 6 is", "A B 1 2 3-4 5 6"),
    ],
)
def test_a_name_is_swept_in_any_spelling(text, name):
    assert spelled(text) == [name]


@pytest.mark.parametrize(
    "handle", ["ngoziAdeyemiKruger", "ngoziadeyemi", "nkruger", "kruger2019", "AdeyemiNgozi"]
)
def test_handles_are_names(handle):
    found = spelled(f"see {handle} here")
    assert found == [handle.removesuffix("2019")]


@pytest.mark.parametrize("text", ["the krugerrand fell", "AB1234567 is another", "Kru and ger"])
def test_other_words_stay(text):
    assert spelled(text) == []
