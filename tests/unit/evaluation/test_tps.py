import pytest

from intact.domain import Document, Edit, Span
from intact.evaluation.corpus import pair
from intact.evaluation.metric import word_bits
from intact.evaluation.tps import (
    SpanSimilarity,
    TextPreservedInformation,
    TextPreservedSimilarity,
    names_and_words,
)


@pytest.fixture
def two_bits(monkeypatch):
    """Every term has two bits."""
    monkeypatch.setattr("intact.evaluation.tps.word_bits", lambda term: [2.0])


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


def test_by_hand(context, encoder, replaced, two_bits):
    """Five mentions and two words ("born", "met") with two bits each: 7 terms."""
    one = replaced("", None, None, None, None)
    assert scores(context, one) == pytest.approx((6 / 7, 6 / 7))
    half = replaced("", "Lomond", None, None, None)
    near = float(encoder.embed(["London"])[0] @ encoder.embed(["Lomond"])[0])
    assert scores(context, half) == pytest.approx(((5 + near) / 7, 5 / 7))


def test_terms_inside_a_long_mask_are_not_preserved(context, two_bits):
    text = "alpha beta gamma delta epsilon"
    document = Document("d", text, ())
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
    common, rare, again = word_bits(text)
    assert common == again < rare
    assert word_bits("the house") == [common]
    assert len(word_bits("of the")) == 2
