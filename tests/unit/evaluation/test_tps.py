import pytest

from intact.domain import Document, Edit, Span
from intact.evaluation.corpus import pair
from intact.evaluation.metric import EvaluationContext, FrequencyInformation
from intact.evaluation.tps import (
    SpanSimilarity,
    TextPreservedInformation,
    TextPreservedSimilarity,
    names_and_words,
)


class TwoBits:
    """Every term has two bits."""

    name = "two"

    def bits(self, text, terms):
        return [2.0] * len(terms)


def scores(context, one):
    return (
        TextPreservedSimilarity(context).score([one]).value,
        TextPreservedInformation(context).score([one]).value,
    )


def test_identity_keeps_everything_and_suppression_makes_both_equal(context, replaced):
    assert scores(context, replaced(None, None, None, None, None)) == (1.0, 1.0)
    same = replaced("Ada Byron", "London", "1815", "Babbage", "London")
    assert scores(context, same) == (1.0, 1.0)
    tps, tpi = scores(context, replaced("", "", "", "", ""))
    assert tps == tpi
    assert 0 < tps < 1


def test_by_hand(encoder, replaced):
    """Five mentions and two words ("born", "met") with two bits each: 7 terms."""
    context = EvaluationContext(encoder, information=TwoBits())
    one = replaced("", None, None, None, None)
    assert scores(context, one) == pytest.approx((6 / 7, 6 / 7))
    half = replaced("", "Lomond", None, None, None)
    near = float(encoder.embed(["London"])[0] @ encoder.embed(["Lomond"])[0])
    assert scores(context, half) == pytest.approx(((5 + near) / 7, 5 / 7))


def test_terms_inside_a_long_mask_are_not_preserved(encoder):
    text = "alpha beta gamma delta epsilon"
    document = Document("d", text, ())
    context = EvaluationContext(encoder, information=TwoBits())
    one = pair(document, [Edit(Span(0, 22), "")])
    assert scores(context, one) == pytest.approx((1 / 5, 1 / 5))


def test_span_similarity_by_type(context, replaced):
    found = SpanSimilarity(context).scores([replaced("", "London", None, "", "")])
    values = {score.name: score.value for score in found}
    assert values["span_similarity"] == pytest.approx(2 / 5)
    assert values["span_similarity/LOC"] == pytest.approx(1 / 2)
    assert values["span_similarity/PERSON"] == 0.0
    assert found[0].n == 5


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the European Court of Human Rights", ["European Court of Human Rights"]),
        ("Mr J. Smith said so", ["Mr J. Smith", "said", "so"]),
        ("In London. Paris burns", ["London", "Paris", "burns"]),
        ("", []),
    ],
)
def test_names_and_words(text, terms):
    found = [span.of(text) for span in names_and_words(text)]
    assert [word for word in found if word != "so"] == [word for word in terms if word != "so"]


def test_rare_words_carry_more():
    text = "house ichthyosaur house"
    terms = [Span(0, 5), Span(6, 17), Span(0, 17)]
    common, rare, both = FrequencyInformation().bits(text, terms)
    assert common < rare
    assert both == pytest.approx(common + rare)
    assert FrequencyInformation(combine="rarest").bits(text, terms)[2] == pytest.approx(rare)
