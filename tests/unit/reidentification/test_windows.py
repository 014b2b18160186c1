"""Attackers trained on windows of the public texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intact.errors import ConfigError
from intact.reidentification.building import Individual, build
from intact.reidentification.features import Featurizer, counted, is_content, tokens
from intact.reidentification.linear import LinearAttacker
from intact.reidentification.windows import WINDOW_SPACES, WindowAttacker, window_attackers
from intact.selection.pressure import Pressure

TEXTS = [
    "A weaver who plays chess and writes letters to the council.",
    "A cooper fond of rowing; letters to the council about noise.",
    "A glazier known for opera, opera and more opera. " + "He sings. " * 120,
]


def scores(attacker: WindowAttacker, text: str) -> np.ndarray:
    maker = Featurizer()
    total = np.zeros(attacker.size)
    for space, placed in maker.of(maker.ids(tokens(text)), attacker.spaces).items():
        features, counts = counted(placed.features)
        attacker.weigh(space, features, attacker.amounts(counts), total)
    return total


@pytest.mark.parametrize("name", WINDOW_SPACES)
def test_a_text_is_its_individuals(name: str) -> None:
    attacker = WindowAttacker(name, TEXTS)
    assert [int(scores(attacker, text).argmax()) for text in TEXTS] == [0, 1, 2]
    assert not scores(attacker, "zzzz").any()


def test_bayes_is_complement_naive_bayes() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import ComplementNB

    texts = [" ".join(tokens(text)) for text in TEXTS[:2]] + ["opera sings glazier chess"]
    attacker = WindowAttacker("window_bayes", texts)
    words = sorted({word for text in texts for word in text.split() if is_content(word)})
    vectorizer = TfidfVectorizer(sublinear_tf=True, vocabulary=words)
    theirs = ComplementNB(alpha=0.1).fit(vectorizer.fit_transform(texts), range(3))
    wanted = (theirs.feature_log_prob_ - theirs.feature_log_prob_.mean(axis=0)) * vectorizer.idf_
    for at, word in enumerate(words):
        np.testing.assert_allclose(scores(attacker, word), wanted[:, at], rtol=1e-4, atol=1e-5)


def test_columns_are_what_is_weighed() -> None:
    attacker = WindowAttacker("windows", TEXTS)
    maker = Featurizer()
    features, counts = counted(maker.of(maker.ids(tokens(TEXTS[1])), ("word",))["word"].features)
    onto = np.zeros(3)
    attacker.weigh("word", features, attacker.amounts(counts), onto)
    columns = attacker.columns("word", features, np.array([1, -1, 0], dtype=np.int32))
    assert columns.shape == (len(features), 2)
    np.testing.assert_allclose(counts @ columns, onto[[2, 0]], atol=1e-5)


def test_left_out_where_texts_were_not_kept(tmp_path: Path) -> None:
    people = [Individual(str(at), text) for at, text in enumerate(TEXTS)]
    kept = build(people, tmp_path / "kept", keep_texts=True)
    bare = build(people, tmp_path / "bare")
    found = window_attackers(kept, tuple(WINDOW_SPACES))
    assert [each.name for each in found] == list(WINDOW_SPACES)
    assert window_attackers(bare, tuple(WINDOW_SPACES)) == []
    with pytest.raises(ConfigError, match="psychic"):
        window_attackers(kept, ["psychic"])


def test_beside_others_half_of_k_is_wanted_and_no_rank_told(tmp_path: Path) -> None:
    from intact.reidentification.linear import SCHEMES

    people = [Individual(str(at), text) for at, text in enumerate(TEXTS)]
    population = build(people, tmp_path / "pop", keep_texts=True)
    maker = Featurizer()
    pressure = Pressure(
        [LinearAttacker(population, SCHEMES["words"])],
        0,
        2,
        maker,
        maker.ids(tokens("The cooper went rowing.")),
        window_attackers(population, ["windows"]),
    )
    assert list(pressure.ranks()) == ["words"]
    assert len(pressure.excess(0.0)) == 2
