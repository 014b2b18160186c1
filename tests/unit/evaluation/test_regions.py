from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Edit, Span, apply_edits
from intact.evaluation.corpus import edits_between, projection, regions

TEXT = "one two three four five"


def spans(*words):
    return [Span(TEXT.index(word), TEXT.index(word) + len(word)) for word in words]


def test_untouched_units_keep_their_text():
    found = regions(TEXT, spans("one", "two"), ())
    assert [(r.after, r.touched, r.units) for r in found] == [
        ("one", False, (0,)),
        ("two", False, (1,)),
    ]


def test_a_long_edit_takes_all_units_it_covers():
    found = regions(TEXT, spans("one", "two", "three", "four"), [Edit(Span(4, 18), "some")])
    assert [(r.after, r.touched, r.units) for r in found] == [
        ("one", False, (0,)),
        ("some", True, (1, 2, 3)),
    ]


def test_half_an_edited_unit_is_compared_whole():
    found = regions(TEXT, spans("three"), [Edit(Span(8, 10), "XX")])
    assert [(r.after, r.touched) for r in found] == [("XXree", True)]


def test_an_edit_at_the_texts_end_counts():
    found = regions(TEXT, spans("five"), [Edit(Span(19, 23), "")])
    assert [(r.after, r.touched) for r in found] == [("", True)]


def test_two_edits_in_one_unit_are_one_region():
    unit = [Span(0, 13)]
    found = regions(TEXT, unit, [Edit(Span(0, 3), "a"), Edit(Span(8, 13), "b")])
    assert [(r.after, r.units) for r in found] == [("a two b", (0,))]


def test_projection_widens_to_whole_replacements():
    assert projection(TEXT, [Edit(Span(4, 13), "some")], Span(8, 13)) == "some"
    assert projection(TEXT, [], Span(8, 13)) == "three"


WORDS = st.lists(st.sampled_from(["a", "bb", "the", "of", "X", ".", "1996"]), max_size=12)


@given(WORDS, WORDS)
def test_differences_lead_from_one_text_to_the_other(before, after):
    old, new = " ".join(["start", *before]), " ".join(["start", *after])
    assert apply_edits(old, edits_between(old, new)) == new


def test_differences_are_whole_words():
    edits = edits_between("born in London in 1815.", "born in a city in the 1810s.")
    assert [(edit.span, edit.text) for edit in edits] == [
        (Span(8, 14), "a city"),
        (Span(18, 22), "the 1810s"),
    ]
