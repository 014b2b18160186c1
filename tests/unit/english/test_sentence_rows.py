from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Span
from intact.english.sentences import LONGEST, sentence_around, sentences

TEXT = (
    "Mr. Smith came. He left at 5 p.m. on Monday.\n\nThe court met. “Why?” asked she. Then it rose."
)


def test_sentences_cover_the_text():
    parts = [span.of(TEXT) for span in sentences(TEXT)]
    assert "".join(parts) == TEXT
    assert parts[0] == "Mr. Smith came. "
    assert parts[-1] == "Then it rose."


def test_a_mention_is_never_cut():
    text = "He read “Is it? Yes. No. Really.” aloud. Then he slept."
    inside = Span(text.index("Is it"), text.index("Really") + 6)
    assert any(span.contains(inside) for span in sentences(text, [inside]))


def test_sentence_around():
    at = TEXT.index("court")
    assert sentence_around(TEXT, Span(at, at + 5)).of(TEXT) == "The court met."
    assert sentence_around("x", Span(0, 1)).of("x") == "x"


def test_endless_sentences_are_cut():
    text = "word " * 2000
    spans = sentences(text)
    assert all(len(span) <= LONGEST + 10 for span in spans)
    assert "".join(span.of(text) for span in spans) == text


@given(st.text(alphabet="aA .!?\n\"'(1)", max_size=300), st.data())
def test_any_text_is_covered_and_any_span_has_a_sentence(text, data):
    spans = sentences(text)
    assert "".join(span.of(text) for span in spans) == text
    if text:
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        target = Span(start, end)
        assert sentence_around(text, target).contains(target)
        assert any(span.contains(target) for span in sentences(text, [target]))
