"""The tagger, with a tiny random network; and the one that is shipped."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from intact.detection.tagger import (
    FORMS,
    NETWORK,
    TAGS,
    WINDOW,
    Reader,
    findings,
    load_tagger,
)
from intact.domain import Document, IdentifierType, Mention, Span
from intact.errors import ModelError
from intact.shipped import SHIPPED_TAGGER, TAGGER_SETTINGS

NAMES = ("Novak", "Kral", "Zgrob", "Berg", "Okonjo", "Tanaka")
SIZE, WIDE = 16, 32


def document(name, town):
    text = f"Mr {name} went to {town} and saw the house there. It was cold."
    person, place = text.index("Mr"), text.index(town)
    who = Span(person, 3 + len(name))
    return Document(
        name + town,
        text,
        (
            Mention("a", who, f"Mr {name}", "1", "PERSON", IdentifierType.DIRECT),
            Mention("b", Span(place, place + len(town)), town, "2", "LOC"),
        ),
    )


DOCUMENTS = [document(name, town) for name in NAMES for town in ("Leeds", "Oslo", "Brno")]


@pytest.fixture(scope="module")
def reader():
    words = sorted({w.strip(".").lower() for d in DOCUMENTS for w in d.text.split()})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "."]
    letters = [*"abcdefghijklmnopqrstuvwxyz", *(f"##{one}" for one in "abcdefghijklmnopqrstuvwxyz")]
    vocabulary = {word: at for at, word in enumerate(dict.fromkeys([*special, *words, *letters]))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return Reader(made.to_str())


@pytest.fixture(scope="module")
def blank(reader, training):
    """A tagger that has learned nothing."""
    drawn = np.random.default_rng(0)

    def matrix(*shape):
        return drawn.normal(0, 0.3, shape).astype(np.float32)

    size = len(reader.tokenizer.get_vocab())
    weights = {
        "embeddings.word_embeddings.weight": matrix(size, SIZE),
        "embeddings.position_embeddings.weight": matrix(WINDOW + 2, SIZE),
        "embeddings.token_type_embeddings.weight": matrix(2, SIZE),
        "embeddings.LayerNorm.weight": np.ones(SIZE, np.float32),
        "embeddings.LayerNorm.bias": np.zeros(SIZE, np.float32),
        "forms.weight": matrix(SIZE, FORMS),
        "forms.bias": np.zeros(SIZE, np.float32),
        "head.weight": matrix(len(TAGS), SIZE),
        "head.bias": np.zeros(len(TAGS), np.float32),
    }
    for at in range(2):
        own = f"encoder.layer.{at}."
        shapes = {
            **{f"attention.self.{part}": (SIZE, SIZE) for part in ("query", "key", "value")},
            "attention.output.dense": (SIZE, SIZE),
            "intermediate.dense": (WIDE, SIZE),
            "output.dense": (SIZE, WIDE),
        }
        for name, shape in shapes.items():
            weights[f"{own}{name}.weight"] = matrix(*shape)
            weights[f"{own}{name}.bias"] = np.zeros(shape[0], np.float32)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights[f"{own}{name}.weight"] = np.ones(SIZE, np.float32)
            weights[f"{own}{name}.bias"] = np.zeros(SIZE, np.float32)
    return training.Learned(reader, weights, 2)


@pytest.fixture(scope="module")
def training():
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package)
    from eval.documents import tagger

    return tagger


@pytest.fixture(scope="module")
def learned(blank, training):
    plan = training.TrainingPlan(epochs=250, vary=0.0)
    return training.train([(document,) for document in DOCUMENTS], blank, plan)


@pytest.fixture(scope="module")
def tagger(learned):
    return learned.tagger


def test_words_and_their_forms(reader):
    pieces = reader.read("Mr O'Neil-Smith\n\nsaw 1996/A.")
    shown = list(pieces.shown)
    assert (
        shown
        == [span.of(pieces.text) for span in pieces.words]
        == ["Mr", "O", "'", "Neil", "-", "Smith", "saw", "1996", "/", "A", "."]
    )
    assert [word for word, content in zip(shown, pieces.content(), strict=True) if content] == [
        "Mr", "O", "Neil", "Smith", "saw", "1996",
    ]  # fmt: skip
    assert len(pieces.ids) == len(pieces.owner) == len(pieces.forms)
    assert len({tuple(row) for row in pieces.forms.tolist()}) > 6
    assert reader.read("").words == ()


def test_a_text_is_split_once_for_its_mentions_and_their_kinds(reader):
    assert reader.read("Mr Novak of Leeds") is reader.read("Mr Novak of Leeds")


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_every_text_can_be_read(text):
    pieces = load_tagger().reader.read(text)
    assert all(one.end <= other.start for one, other in pairwise(pieces.words))
    assert list(pieces.owner) == sorted(pieces.owner)


@pytest.mark.parametrize("times", [1, 40, 90])
def test_every_token_is_in_a_window(blank, times):
    pieces = blank.reader.read("Mr Novak went to Leeds. " * times)
    seen = {at for part in pieces.windows() for at in range(len(pieces.ids))[part]}
    assert seen == set(range(len(pieces.ids)))
    assert blank.tagger.probabilities(pieces).shape == (len(pieces.words), len(TAGS))
    assert np.allclose(blank.tagger.probabilities(pieces).sum(axis=1), 1, atol=1e-5)


def test_it_learns(learned, tagger):
    text = "Mr Novak went to Leeds and saw the house there."
    found = {(f.kind, f.span.of(text)) for f in tagger.find(text) if f.score >= 0.5}
    assert found == {("person", "Mr Novak"), ("place", "Leeds")}
    assert learned.about.trained["documents"] == len(DOCUMENTS)
    assert max(one.recall for one in learned.about.reached) > 0.9


def test_both_networks_say_the_same(training, learned, tagger):
    """PyTorch's, which learns, and onnxruntime's, which is used."""
    import torch

    pieces = tagger.reader.read(DOCUMENTS[0].text)
    network = training._Network(learned).eval()
    tags = np.zeros(len(pieces.ids), np.int64)
    ids, forms, mask, _ = training._stacked([(pieces.ids, pieces.forms, tags)], tagger.reader)
    with torch.no_grad():
        shares = torch.softmax(network(ids, forms, mask), -1)[0, 1:-1].numpy()
    assert len(pieces.ids) == len(pieces.words)  # so words are tokens
    assert np.allclose(shares, tagger.probabilities(pieces), atol=1e-3)


def test_it_comes_back_from_its_folder(learned, tagger, training, tmp_path):
    learned.save(tmp_path / "model")
    again = load_tagger(tmp_path / "model", 0.5)
    text = DOCUMENTS[0].text
    assert [f.span for f in again.find(text)] == [f.span for f in tagger.find(text)]
    assert (tmp_path / "model" / NETWORK).stat().st_mode & 0o077 == 0
    kept = training.read_learned(tmp_path / "model")
    assert kept.about == learned.about
    weights = kept.weights
    spread = ("embeddings.position", "embeddings.token_type", "embeddings.word")  # summed, rounded
    for name, values in learned.weights.items():
        assert name.startswith(spread) or np.array_equal(weights[name], values), name


def test_the_network_of_another_tagger_is_refused(learned, blank, tmp_path):
    learned.save(tmp_path / "one")
    blank.save(tmp_path / "other")
    (tmp_path / "other" / NETWORK).replace(tmp_path / "one" / NETWORK)
    with pytest.raises(ModelError, match="is another"):
        load_tagger(tmp_path / "one")


def test_broken_folders(tmp_path):
    with pytest.raises(ModelError, match="is no tagger"):
        load_tagger(tmp_path)
    (tmp_path / "tagger.json").write_text("{}")
    with pytest.raises(ModelError, match="another version"):
        load_tagger(tmp_path)
    (tmp_path / "tagger.json").write_text("[")
    with pytest.raises(ModelError, match="is no tagger"):
        load_tagger(tmp_path)


def test_runs_of_words(reader):
    pieces = reader.read("Mr Novak of\n\nLeeds a Kral")
    shares = np.zeros((len(pieces.words), len(TAGS)), dtype=np.float32)
    for at, tag in enumerate(["B-PERSON", "I-PERSON", "O", "B-LOC", "B-MISC", "B-PERSON"]):
        shares[at, TAGS.index(tag)] = 1.0
    shares[-1, [0, TAGS.index("B-PERSON")]] = 0.8, 0.2
    found = findings(pieces, shares, 0.5, "t")
    assert [(f.kind, f.span.of(pieces.text), f.score >= 0.5) for f in found] == [
        ("person", "Mr Novak", True), ("place", "Leeds", True), ("person", "Kral", False),
    ]  # fmt: skip


def test_the_shipped_tagger_finds_what_no_list_knows_and_says_what_it_reached():
    text = "hi its zorvanna, my lad qibbo has been poorly since tues, we live in Nether Pwll"
    found = {f.span.of(text): f.kind for f in load_tagger().find(text) if f.score >= 0.5}
    assert found.get("zorvanna") == "person" and found.get("qibbo") == "person"
    assert "Nether Pwll" in " ".join(found)
    settings_of = json.loads((SHIPPED_TAGGER / TAGGER_SETTINGS).read_text("utf-8"))
    half = next((one for one in settings_of["reached"] if one["threshold"] == 0.5), None)
    assert half is not None, "it was not measured"
    assert half["direct"] > 0.85 and half["quasi"] > 0.8
    assert (SHIPPED_TAGGER / NETWORK).stat().st_size < 25_000_000
