"""Text as a person reads it, and the way back to what was given."""

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact import sanitize
from intact.domain import Document, Edit, Mention, Span, apply_edits
from intact.english.plain import PlainText, read_plain


@pytest.mark.parametrize(
    "text",
    [
        "My father is a retired\nbus driver from Cork.\n",
        "Ref: 22/01847 Also present: Mr D.\nPickersgill of the acoustic firm",
        "Ann Lee was seen at St. Vincent's\r\nUniversity Hospital by her\r\ndoctor, Ian Roe.",
        textwrap.fill("Dr Ann Lee met John Hill in Port Elizabeth on 3 May 2019. " * 4, 50),
    ],
)
def test_wrapped_lines_are_one(text):
    flat = read_plain(text).text
    assert len(flat) == len(text) and flat.split() == text.split()
    assert "\n" not in flat.rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ann Lee\nBorn: 3 May 1951\nPlace: Leeds",
        "ana: so i went to the doctor\nbob: and what did she say",
        "He left the house.\nshe stayed at home.",
        "Ann Lee lives in Leeds\n\nand works in York",
    ],
)
def test_other_lines_stay_apart(text):
    assert read_plain(text).text == text


def test_a_replacement_keeps_the_lines():
    text = "is a retired\nbus driver, John\nHill said"  # a label is not cut
    flat = text.replace("\n", " ")
    edits = [Edit(Span(5, 23), "former worker"), Edit(Span(25, 34), "PERSON_1")]
    done = apply_edits(text, PlainText(text, flat).edit(edits))
    assert done == "is a former\nworker, PERSON_1 said"
    assert [*PlainText(flat, flat).edit(edits)] == edits


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("in Os-\nland today", "in Osland today"),
        ("Ms Ander-\r\n  son left", "Ms Anderson left"),
        ("cancer-\nrelated pain", "cancer-related pain"),
        ("Ann Smith-\nJones", "Ann Smith-Jones"),
        ("call 555-0134", "call 555-0134"),
        ("O\u3164s\u034flo\ufe0f, \U000e0041Bo", "Oslo, Bo"),
        ("Jos=C3=A9 and Zo%C3%AB, n=50 =3D", "José and Zoë, n=50 =3D"),
        ("Andr&eacute; &#78;kem & co", "André Nkem & co"),
        ("> met Vas-\n> brook,", "> met Vasbrook,"),
        ("Vas\x1b[1mbrook\x1b[0m left", "Vasbrook left"),
        ("Vas**brook, Qu*in*tella", "Vasbrook, Quintella"),
        ("in Vas%62rook, 5*6, 50%", "in Vasbrook, 5*6, 50%"),
        ("a long=20line of Bo=\nris said", "a long=20line of Boris said"),
    ],
)
def test_what_a_person_reads(given, read):
    plain = read_plain(given)
    assert plain.text == read
    for word in read.split():
        at = read.index(word)
        span = plain.back(Span(at, at + len(word)))
        assert plain.forth(span) == Span(at, at + len(word))


@given(st.text(alphabet="abOs -\n\r\u200b\u3164=C3A9%&;#7>*\x1b[m", max_size=60), st.data())
def test_every_span_leads_back_and_forth(text, data):
    plain = read_plain(text)
    if plain.text:
        start = data.draw(st.integers(0, len(plain.text) - 1))
        end = data.draw(st.integers(start + 1, len(plain.text)))
        back = plain.back(Span(start, end))
        assert back.end <= len(text)
        assert plain.back(plain.forth(back)) == back
        assert apply_edits(text, plain.edit([Edit(Span(start, end), "x")])).count("x") >= 1


def test_reading_takes_time_linear_in_the_length():
    taken = []
    for size in (20_000, 80_000):
        texts = ["Os-\n" * size, "\u200b" * size, "=C3" * size, "&a" * size, "- \n" * size]
        texts += ["\x1b[1" * size, "a*" * size, "a-\n>" * size, "a-\n" + "> " * size]
        began = time.perf_counter()
        for text in texts:
            read_plain(text)
        taken.append(time.perf_counter() - began)
    assert taken[1] < 12 * taken[0] + 0.5


def test_a_broken_name_is_one_mention_and_goes_whole():
    text = "Ms Ngozi Oka-\nfor met Ngo\u3164zi Okafor\u200b.\U000e0041\U000e0042 They left."
    spans = [Span(3, 17), Span(22, 35)]
    mentions = tuple(
        Mention(f"m{n}", span, span.of(text), f"e{n}", "PERSON") for n, span in enumerate(spans)
    )
    (done,) = sanitize([Document("d", text, mentions)])
    assert done.text == "Ms PERSON_1 met PERSON_1\u200b. They left."
    assert [m.span for m in done.document.mentions] == spans
    assert [m.span for d in done.decisions for m in d.entity.mentions] == spans


def test_no_line_wraps_over_the_border_of_two_cells():
    text = "lived at 4 Limepit Cottages\nnailer by trade\nex-\nmayor"
    ends = [Span(at, at + 1) for at in range(len(text)) if text[at] == "\n"]
    assert read_plain(text).text != text
    assert read_plain(text, ends).text == text
    assert read_plain(text, ends[:1]).text.endswith("Cottages\nnailer by trade ex-mayor")
