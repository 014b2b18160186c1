"""The linear attackers: TF-IDF, BM25, and those trained on windows."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import ComplementNB

from intact.errors import ConfigError, ResourceError
from intact.reidentification import attackers as linear
from intact.reidentification.attackers import (
    LINEAR,
    LinearReidentifier,
    masked_copy,
    others_ahead,
    reidentifiers,
)
from intact.reidentification.population import (
    Population,
    count,
    folded_words,
    is_content,
)

TEXTS = [
    "A weaver who plays chess and writes letters to the council.",
    "A cooper fond of rowing; letters to the council about noise.",
    "A glazier known for opera, opera and more opera. " + "He sings. " * 120,
]


def population(texts=TEXTS):
    return Population.of((str(at), text) for at, text in enumerate(texts))


def attacker(name, texts=TEXTS):
    (found,) = reidentifiers(population(texts), [name])
    assert isinstance(found, LinearReidentifier)
    return found


@pytest.mark.parametrize("name", LINEAR)
def test_a_text_is_its_individuals(name):
    scores = attacker(name).scores(TEXTS)
    assert scores.shape == (3, 3)
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", LINEAR)
def test_unknown_words_say_nothing(name):
    assert not attacker(name).scores(["qqqq", ""]).any()


@pytest.mark.parametrize("name", LINEAR)
def test_scores_are_sums_of_weights_and_leads_their_differences(name):
    one = attacker(name)
    total, lead = np.zeros(3), 0.0
    for counts in count([folded_words(TEXTS[1])], one.spaces).values():
        amounts = one.amounts(counts.matrix.toarray()[:, 0])
        total += amounts @ one.weights(counts.keys)
        lead += float(amounts @ one.lead(counts.keys, 1, 2))
    np.testing.assert_allclose(one.scores([TEXTS[1]])[0], total, rtol=1e-5, atol=1e-6)
    assert lead == pytest.approx(total[1] - total[2], rel=1e-4)
    assert not one.amounts(np.zeros(2, dtype=np.int64)).any()


def test_tfidf_is_the_cosine():
    texts = ["noise letters noise", "opera letters chess"]

    def analyse(text):
        words = text.split()
        every = [*words, *(f"{a} {b}" for a, b in pairwise(words))]
        return [*every, *(f"{pair}!" for pair in every if " " in pair)]  # pair, and adjacent

    theirs = TfidfVectorizer(analyzer=analyse, sublinear_tf=True)
    known = theirs.fit_transform(texts).toarray()
    query = ["noise opera letters chess"]
    wanted = theirs.transform(query).toarray() @ known.T
    found = attacker("tfidf", texts).scores(query)
    assert (found / found.sum()).tolist()[0] == pytest.approx((wanted / wanted.sum()).tolist()[0])


def test_bm25_by_hand():
    found = attacker("bm25", ["noise noise", "noise opera opera opera"]).scores(["opera opera"])
    idf = np.log1p((2 - 1 + 0.5) / (1 + 0.5))
    assert found[0, 0] == 0
    assert found[0, 1] == pytest.approx(idf * 3 * 2.5 / (3 + 1.5 * (0.25 + 0.75 * 4 / 3)))


def test_bayes_is_complement_naive_bayes():
    texts = ["weaver chess letters", "cooper rowing letters", "opera sings glazier chess"]
    words = sorted({word for text in texts for word in text.split() if is_content(word)})
    vectorizer = TfidfVectorizer(sublinear_tf=True, vocabulary=words)
    copies = [text for text in texts for _ in range(2)]  # nothing in them is masked
    theirs = ComplementNB(alpha=0.1).fit(vectorizer.fit_transform(copies), [0, 0, 1, 1, 2, 2])
    wanted = (theirs.feature_log_prob_ - theirs.feature_log_prob_.mean(axis=0)) * vectorizer.idf_
    found = attacker("naive_bayes", texts).scores(words)
    np.testing.assert_allclose(found.T, wanted, rtol=1e-4, atol=1e-5)


def test_masked_copies_have_no_names_and_who_cannot_tell_gets_no_credit():
    text = "The Court met Ada Byron in 1996. Later she left London."
    assert masked_copy(text).split() == "The met in . Later she left .".split()
    assert others_ahead(np.zeros(3), 0) == 2
    assert others_ahead(np.array([0.1, 0.5, 0.2]), 1) == 0


def test_populations_that_are_too_large_and_attackers_that_are_unknown(monkeypatch):
    monkeypatch.setattr(linear, "MOST_WINDOWS", 5)
    large = population()
    with monkeypatch.context() as uncounted, pytest.raises(ResourceError, match="large for ridge"):
        uncounted.setattr(linear.people, "count", None)
        reidentifiers(large, ["ridge"])
    assert reidentifiers(population(), ["ridge"], skip_too_large=True) == []
    assert [each.name for each in reidentifiers(population(), ["all"])] == ["tfidf", "bm25"]
    with pytest.raises(ConfigError, match="psychic"):
        reidentifiers(population(), ["psychic"])
