"""The two encoders, on a tiny network made here."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from intact.errors import InputError, ModelError, ResourceError
from intact.reidentification import network
from intact.reidentification.building import Individual, build
from intact.reidentification.encoder import EncoderAttacker, Training
from intact.reidentification.index import Population
from intact.reidentification.network import masked_copy, windows
from intact.reidentification.ranking import rank_of, reidentifiers
from intact.reidentification.training import train

pytest.importorskip("transformers")
TRADES = "weaver cooper glazier tanner miller potter".split()
PUBLIC = {f"p{at}": f"the {trade} sells what a {trade} makes" for at, trade in enumerate(TRADES)}


def tiny(base: str, extra: str) -> tuple[Any, Any]:
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
def population(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Population:
    monkeypatch.setattr(network, "load_encoder", tiny)
    people = (Individual(name, text) for name, text in PUBLIC.items())
    return build(people, tmp_path / "pop", keep_texts=True)


def test_training_learns_and_is_written(population: Population, tmp_path: Path) -> None:
    plan = Training(epochs=9, rate=1e-2, batch=3, words=20, tokens=20)
    train(population, {}, tmp_path / "encoder", plan)
    (attacker,) = reidentifiers(population, [f"encoder:{tmp_path / 'encoder'}"])
    texts = list(PUBLIC.values())
    ranks = [rank_of(scores, at) for at, scores in enumerate(attacker.scores(texts))]
    assert sum(rank == 0 for rank in ranks) >= 5


def test_the_same_seed_gives_the_same_encoder(population: Population, tmp_path: Path) -> None:
    plan = Training(epochs=2, rate=1e-2, words=20, tokens=20)
    for name in ("one", "two"):
        train(population, {}, tmp_path / name, plan)
    one, two = (EncoderAttacker(population, str(tmp_path / name)) for name in ("one", "two"))
    assert np.array_equal(one.known, two.known)


def test_a_training_that_was_stopped_goes_on(population: Population, tmp_path: Path) -> None:
    plan = Training(epochs=4, rate=1e-2, words=20, tokens=20)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    train(population, {}, whole, plan)

    def stop(what: str, done: int, total: int) -> None:
        if what.startswith("epoch 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(population, {}, stopped, plan, stop)
    with pytest.raises(ResourceError, match="no trained encoder"):
        EncoderAttacker(population, str(stopped))
    seen: list[str] = []
    train(population, {}, stopped, plan, lambda what, done, total: seen.append(what))
    assert set(seen) == {"epoch 3 of 4", "epoch 4 of 4"}
    one, two = (EncoderAttacker(population, str(path)) for path in (whole, stopped))
    assert np.array_equal(one.known, two.known)
    assert sorted(path.name for path in stopped.iterdir()) == [
        "documents.pt",
        "encoder.json",
        "profiles.pt",
    ]


def test_documents_of_individuals_are_learned_from(population: Population, tmp_path: Path) -> None:
    plan = Training(epochs=2, rate=1e-2, words=20, tokens=20)
    documents = {name: f"{text} and tells stories" for name, text in PUBLIC.items()}
    accuracy = train(population, documents, tmp_path / "encoder", plan)
    assert accuracy in (0.0, 1.0)  # of the one document that was held out
    assert train(population, {}, tmp_path / "own", plan) is None  # all too short for that
    with pytest.raises(InputError, match="none of the documents"):
        train(population, {"stranger": "a cooper"}, tmp_path / "other", plan)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", ["encoder.json", "documents.pt", "profiles.pt"])
def test_damaged_encoders(population: Population, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "encoder"
    train(population, {}, folder, Training(epochs=1, words=20, tokens=20))
    (folder / name).write_bytes((folder / name).read_bytes()[:40])
    with pytest.raises((ModelError, ResourceError), match=r"damaged|cannot be loaded"):
        EncoderAttacker(population, str(folder))


def test_shares_point_at_the_telling_word(population: Population, tmp_path: Path) -> None:
    plan = Training(epochs=5, rate=1e-2, batch=3, words=20, tokens=20)
    train(population, {}, tmp_path / "encoder", plan)
    attacker = EncoderAttacker(population, str(tmp_path / "encoder"))
    words = ["the", "tanner", "sells", "what", "a", "tanner", "makes"]
    shares = attacker.shares(words, 3, 0)
    assert len(shares) == len(words)
    assert shares[1] + shares[5] == max(shares[1] + shares[5], *shares)


def test_masks() -> None:
    copies = [masked_copy("a b c d e f", Random(seed)) for seed in range(40)]
    masks = {copy.count("[MASK]") for copy in copies}
    assert {0, 6} <= masks
    assert all(len(copy.split()) == 6 for copy in copies)
    assert windows("a b c d e", 2) == ["a b", "c d", "e"]
    assert windows("", 2) == [""]


def test_what_cannot_be_trained(
    population: Population, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = (Individual(name, text) for name, text in PUBLIC.items())
    with pytest.raises(ResourceError, match="without its texts"):
        train(build(people, tmp_path / "bare"), {}, tmp_path / "encoder", Training())
    alone = build([Individual("p", "x y")], tmp_path / "alone", keep_texts=True)
    with pytest.raises(InputError, match="population of one"):
        train(alone, {}, tmp_path / "encoder", Training())
    with pytest.raises(ResourceError, match="no trained encoder"):
        EncoderAttacker(population, str(tmp_path / "nowhere"))
