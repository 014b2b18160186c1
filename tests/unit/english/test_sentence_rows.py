import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Span
from intact.english.sentences import LONGEST, fit_sentences, sentences
from intact.errors import ContextError

TEXT = (
    "Mr. Smith came. He left at 5 p.m. on Monday.\n\nThe court met. “Why?” asked she. Then it rose."
)


def test_sentences_cover_the_text_and_cut_no_mention():
    parts = [span.of(TEXT) for span in sentences(TEXT)]
    assert "".join(parts) == TEXT
    assert parts[0] == "Mr. Smith came. "
    assert parts[-1] == "Then it rose."
    text = "He read “Is it? Yes. No. Really.” aloud. Then he slept."
    inside = Span(text.index("Is it"), text.index("Really") + 6)
    assert any(span.contains(inside) for span in sentences(text, [inside]))
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
        assert any(one.contains(target) for one in sentences(text, [target]))
        assert any(span.contains(target) for span in sentences(text, [target]))


@given(st.lists(st.integers(1, 40)), st.integers(0, 50), st.integers(1, 3))
def test_parts_hold_all_sentences_in_order_and_fit(sizes, spare, share):
    spans = [Span(at, at + 1) for at in range(len(sizes))]
    frame, room = 7, max(sizes, default=0) + spare
    parts = fit_sentences(spans, sizes, frame, frame + room * share, share)
    assert [at for part in parts for at in range(part.start, part.end)] == [*range(len(sizes))]
    used = [sum(sizes[part.start : part.end]) for part in parts]
    assert all(size <= room for size in used)
    firsts = [sizes[part.start] for part in parts[1:]]
    assert all(size + first > room for size, first in zip(used, firsts, strict=False))


def test_a_sentence_longer_than_the_context_is_an_error_that_names_the_setting():
    with pytest.raises(ContextError, match=r"of 70 tokens.* take 10,.* 62") as caught:
        fit_sentences([Span(0, 9), Span(9, 20)], [30, 31], frame=10, context=70, share=2)
    assert "model.context" in str(caught.value)
