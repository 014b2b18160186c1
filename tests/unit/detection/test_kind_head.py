"""The head that says which kind of the tree each mention is of."""

import sqlite3

import pytest
from safetensors.numpy import load_file

from intact.detection.kinds import KindHead, load_kind_head, mention_features
from intact.detection.tagger import WINDOW, load_tagger
from intact.domain import DETECTED, Document, Mention, Span
from intact.errors import ModelError
from intact.knowledge.base import FILE
from intact.knowledge.kinds import Lexicon, kind_tree, read_kinds
from intact.shipped import KIND_HEAD


@pytest.fixture(scope="module")
def lexicon():
    connection = sqlite3.connect(FILE)
    yield Lexicon(connection, kind_tree())
    connection.close()


@pytest.fixture(scope="module")
def head(lexicon):
    return load_kind_head(lexicon)


def mention(text, part, entity_type):
    start = text.index(part)
    return Mention("m", Span(start, start + len(part)), part, "e", entity_type)


def test_a_kind_has_the_probability_of_all_below_it(head):
    text = "She works as a nurse in Bergen and has diabetes."
    asked = [mention(text, "nurse", "DEM"), mention(text, "diabetes", "MISC")]
    for reading in head.read(Document("a", text, ()), asked, ["nurse", ""]):
        for kind, share in reading.kinds.items():
            assert 0 < share <= 1 + 1e-5
            above = [reading.kinds.get(other.id, 0.0) for other in kind_tree().path(kind)]
            assert above == sorted(above)


@pytest.mark.parametrize(
    ("text", "part", "entity_type", "kind"),
    [
        ("She works as a nurse in Bergen.", "nurse", "DEM", "health-professional"),
        ("He lived with his widowed mother until 1990.", "mother", "DEM", "relative"),
        ("On 3 May the District Court of Wexham heard him.", "District Court", "ORG", "court"),
    ],
)
def test_a_plain_sentence_is_read(head, text, part, entity_type, kind):
    (reading,) = head.read(Document("a", text, ()), [mention(text, part, entity_type)], [""])
    assert reading.kinds[kind] > 0.9


@pytest.mark.parametrize(
    ("text", "part", "slot"),
    [
        ("She works as a nurse in Bergen.", "nurse", "nominal"),
        ("After that she moved in with her aunt.", "moved in with her aunt", "verb"),
        ("His brother is in prison and he cannot sleep.", "His brother is in prison", "clause"),
        ("Name: Bo\nOccupation: nurse\nAge: 30", "nurse", "field"),
        ("When we met he was hard of hearing.", "hard of hearing", "pred"),
    ],
)
def test_the_sentence_tells_the_slot(head, text, part, slot):
    (reading,) = head.read(Document("a", text, ()), [mention(text, part, "DEM")], [""])
    assert reading.slot == slot


@pytest.mark.parametrize("text", ["x", "A." * 3000, "word " * 5000])
def test_any_text_and_span_is_read(head, text):
    spans = [Span(0, 1), Span(len(text) - 1, len(text)), Span(0, len(text))]
    asked = [Mention(f"m{at}", span, span.of(text), "e", "MISC") for at, span in enumerate(spans)]
    assert len(head.read(Document("a", text, ()), asked, [""] * len(asked))) == len(asked)
    assert head.read(Document("a", text, ()), [], []) == []


@pytest.mark.parametrize(("annotator", "read"), [("", 81), (DETECTED, WINDOW)])
def test_around_annotated_mentions_less_is_read_than_detection_reads(
    lexicon, monkeypatch, annotator, read
):
    tagger, windows = load_tagger(), []
    states = tagger.read_window
    monkeypatch.setattr(tagger, "read_window", lambda p, at: windows.append(at) or states(p, at))
    text = "one " * 400 + "nurse" + " two" * 400
    document = Document("a", text, (mention(text, "nurse", "DEM"),), annotator)
    head = KindHead(tagger, lexicon, load_file(KIND_HEAD))
    head.read(document, document.mentions, [""])
    assert [window.stop - window.start for window in windows if window.stop] == [read]


def test_a_span_without_a_token_has_no_features():
    for text, span in (("   ", Span(0, 1)), ("a b", Span(1, 2))):
        assert not any(found.any() for found in mention_features(load_tagger(), text, [span]))


def test_weights_for_another_tree_are_refused(lexicon):
    connection = sqlite3.connect(FILE)
    other = Lexicon(connection, read_kinds("a thing\n    a tool", "small.txt"))
    with pytest.raises(ModelError, match="another tree"):
        KindHead(load_tagger(), other, load_file(KIND_HEAD))
    connection.close()
