import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Edit, Span, apply_edits
from intact.evaluation.corpus import edits_between, projection, regions

TEXT = "one two three four five"


@pytest.mark.parametrize(
    ("units", "edits", "after"),
    [
        (["one", "two"], [], [("one", (0,)), ("two", (1,))]),
        (["one", "two", "three", "four"], [Edit(Span(4, 18), "some")],
         [("one", (0,)), ("some", (1, 2, 3))]),
        (["three"], [Edit(Span(8, 10), "XX")], [("XXree", (0,))]),
        (["five"], [Edit(Span(19, 23), "")], [("", (0,))]),
        (["one two three"], [Edit(Span(0, 3), "a"), Edit(Span(8, 13), "b")], [("a two b", (0,))]),
    ],
    ids=["untouched", "over several units", "half a unit", "the end", "two edits in one unit"],
)  # fmt: skip
def test_units_are_compared_whole(units, edits, after):
    spans = [Span(TEXT.index(words), TEXT.index(words) + len(words)) for words in units]
    found = regions(TEXT, spans, edits)
    assert [(region.after, region.units) for region in found] == after
    standing = [(one.after, one.units) for one in found if not one.touched]
    assert standing == [each for each in after if edits == [] or each[0] == "one"]


def test_projection_widens_to_whole_replacements():
    assert projection(TEXT, [Edit(Span(4, 13), "some")], Span(8, 13)) == "some"
    assert projection(TEXT, [], Span(8, 13)) == "three"


WORDS = st.lists(st.sampled_from(["a", "bb", "the", "of", "X", ".", "1996"]), max_size=12)


@given(WORDS, WORDS)
def test_differences_lead_from_one_text_to_the_other(before, after):
    old, new = " ".join(["start", *before]), " ".join(["start", *after])
    assert apply_edits(old, edits_between(old, new)) == new
