"""A mention is made of whole words of one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.detection.boundaries import whole_mentions
from intact.domain import Span


@pytest.mark.parametrize(
    ("text", "found", "wanted"),
    [
        ("a six-monthly check", "six-", "six-monthly"),
        ("his brother-in-law left", "brother-in", "brother-in-law"),
        ("the editor-in-chief", "in-chief", "editor-in-chief"),
        ("an Anglo-Irish man", "Irish", "Irish"),
        ("his brother's shop", "brother'", "brother"),
        ("Yours,\n- H. Lee", "- H. Lee", "H. Lee"),
        ("at - 5 degrees", "- 5 degrees", "- 5 degrees"),
        ("who can't read", "who can't read", "who can't read"),
        ("aged 34yo now", "34", "34yo"),
        ("in 東京都 today", "京", "京"),
        ("a twenty-one", "twenty", "twenty-one"),
        ("with Joy V today", "Joy V", "Joy V"),
        ("we left in '38, all", "'38,", "'38"),
        ("Ali & Fatima Hassan", "Ali &", "Ali"),
        ("her boy's asthma", "'s asthma", "asthma"),
        ("call (405)279-8682 now", "(405)279-8682", "(405)279-8682"),
        ("the Court (Retten) ruled", "Court (Retten", "Court (Retten)"),
        ("her (Ann Lee) now", "(Ann Lee)", "Ann Lee"),
        ("she can’t climb stairs", "t climb stairs", "climb stairs"),
        ("#3 bernie_from_the_block 5 Feb", "bernie_from_the_", "bernie_from_the_block"),
        ("Signed: ____Ann Lee____", "Ann Lee", "Ann Lee"),
        ("See `photos/manse.jpg`.", "`photos/manse.jpg", "photos/manse.jpg"),
    ],
)
def test_no_word_is_cut(text, found, wanted):
    start = text.index(found)
    spans = whole_mentions(text, Span(start, start + len(found)))
    assert [span.of(text) for span in spans] == [wanted]


@given(st.text("ab é'’.,/>1-\n", max_size=40), st.integers(0, 40), st.integers(1, 20))
def test_a_span_never_begins_or_ends_within_a_word(text, start, size):
    end = min(len(text), start + size)
    for span in whole_mentions(text, Span(start, end)) if start < end else ():
        for at in (span.start, span.end):
            assert not text[max(0, at - 1) : at + 1].isalnum() or not 0 < at < len(text)


@pytest.mark.parametrize("lines", [False, True])
def test_no_mention_reaches_over_the_bar_of_a_table(lines):
    text = "| 4 Limepit Cottages | nailer |"
    spans = whole_mentions(text, Span(0, len(text)), lines=lines)
    assert [span.of(text) for span in spans] == ["4 Limepit Cottages", "nailer"]


@given(st.text("ab \n", max_size=30))
def test_no_part_holds_the_end_of_a_line(text):
    parts = whole_mentions(text, Span(0, len(text)))
    assert [part.of(text) for part in parts] == [
        line.strip() for line in text.split("\n") if line.strip()
    ]
