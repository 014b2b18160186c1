import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.domain import Span
from intact.evaluation.information import FrequencyInformation, Remembered
from intact.evaluation.information_models import tokens_of, windows
from intact.evaluation.terms import Term


@given(st.integers(0, 400), st.integers(4, 60), st.integers(0, 20))
def test_every_token_is_kept_once(length: int, size: int, context: int) -> None:
    found = windows(length, size, min(context, size // 4))
    kept = [token for window in found for token in range(window.keep_start, window.keep_end)]
    assert kept == list(range(length))
    for window in found:
        assert window.start <= window.keep_start <= window.keep_end <= window.end
        assert window.end - window.start <= size


def test_tokens_of_spans() -> None:
    offsets = [(0, 3), (4, 6), (6, 9), (9, 9), (10, 12)]
    assert tokens_of([Span(0, 3), Span(4, 9), Span(9, 11)], offsets) == [[0], [1, 2], [4]]


def test_rare_words_carry_more() -> None:
    text = "house ichthyosaur house"
    terms = [Term(Span(0, 5)), Term(Span(6, 17)), Term(Span(0, 17))]
    common, rare, both = FrequencyInformation().bits(text, terms)
    assert common < rare
    assert both == pytest.approx(common + rare)
    assert FrequencyInformation(combine="rarest").bits(text, terms)[2] == pytest.approx(rare)


def test_models_are_asked_once() -> None:
    class Counted:
        name = "counted"
        asked = 0

        def bits(self, text: str, terms: list[Term]) -> list[float]:
            Counted.asked += 1
            return [1.0 for _ in terms]

    one = Remembered(Counted())
    assert one.bits("a b", [Term(Span(0, 1))]) == one.bits("a b", [Term(Span(0, 1))]) == [1.0]
    assert Counted.asked == 1
